/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <regioncore/options.h>

/* An environment of at most three variables. */
typedef struct {
    const char *name[3];
    const char *text[3];
} variables;

static const char *look_up(void *context, const char *variable)
{
    const variables *v = context;

    for (int i = 0; i < 3; i++) {
        if (v->name[i] != NULL && strcmp(v->name[i], variable) == 0)
            return v->text[i];
    }
    return NULL;
}

static rgn_status resolve_environment(variables v, rgn_effective_options *out, rgn_options_error *error)
{
    rgn_environment environment = {look_up, &v};
    return rgn_options_resolve(NULL, NULL, NULL, &environment, out, error);
}

/* The text of a value as the environment spells it. */
static void spell(const rgn_knob *knob, int64_t value, char *text, size_t size)
{
    if (value == RGN_TIME_NEVER && knob->max == RGN_TIME_NEVER) {
        snprintf(text, size, "never");
    } else if (value == RGN_AUTO && knob->min == RGN_AUTO) {
        snprintf(text, size, "auto");
    } else if (knob->type == RGN_SHARE) {
        snprintf(text, size, "%lld.%06lld", (long long)(value / 1000000), (long long)(value % 1000000));
    } else if (knob->type == RGN_CHOICE) {
        const char *at = knob->choices;
        for (int64_t i = 0; i < value; i++)
            at = strchr(at, '|') + 1;
        snprintf(text, size, "%.*s", (int)strcspn(at, "|"), at);
    } else {
        snprintf(text, size, "%lld", (long long)(knob->type == RGN_DURATION ? value / RGN_NS_PER_MS : value));
    }
}

START_TEST(every_knob_has_a_place_of_its_own)
{
    rgn_options options;

    for (unsigned id = 0; id < RGN_KNOB_COUNT; id++)
        rgn_options_set(&options, (rgn_knob_id)id, 1000 + id);
    for (unsigned id = 0; id < RGN_KNOB_COUNT; id++)
        ck_assert_int_eq(rgn_options_get(&options, (rgn_knob_id)id), 1000 + (int)id);
    ck_assert_int_eq(options.failback_min_sample, 1000 + RGN_KNOB_failback_min_sample);
    ck_assert_uint_eq(sizeof options, RGN_KNOB_COUNT * sizeof(int64_t));
}
END_TEST

START_TEST(every_knob_is_found_by_its_name_only)
{
    for (unsigned id = 0; id < RGN_KNOB_COUNT; id++)
        ck_assert_uint_eq(rgn_knob_find(rgn_knob_at((rgn_knob_id)id)->name), id);
    ck_assert_uint_eq(rgn_knob_find("failback.min_sampl"), RGN_KNOB_COUNT);
    ck_assert_uint_eq(rgn_knob_find("failback.min_samples"), RGN_KNOB_COUNT);
    ck_assert_uint_eq(rgn_knob_find(""), RGN_KNOB_COUNT);
}
END_TEST

START_TEST(every_knob_tells_what_it_is)
{
    for (unsigned id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        ck_assert(knob->meaning[0] != '\0');
        ck_assert_str_ne(knob->environment, "");
        ck_assert_int_eq(knob->type == RGN_CHOICE, knob->choices[0] != '\0');
        if (knob->type == RGN_CHOICE) {
            int64_t names = 1;
            for (const char *at = knob->choices; *at != '\0'; at++)
                names += *at == '|';
            ck_assert_int_eq(knob->max, names - 1);
        }
        for (unsigned other = 0; other < id; other++)
            ck_assert_str_ne(knob->environment, rgn_knob_at((rgn_knob_id)other)->environment);
    }
}
END_TEST

START_TEST(the_defaults_are_those_of_the_published_tables)
{
    static const struct {
        const char *name;
        int64_t value;
    } rows[] = {
        {"breaker.enabled", 1},
        {"breaker.read_failure_threshold", 10},
        {"breaker.write_failure_threshold", 5},
        {"breaker.counter_reset_window", 300 * RGN_NS_PER_S},
        {"failback.canary_percentage", 10},
        {"failback.min_sample", 10},
        {"failback.success_threshold", 900000},
        {"failback.retrip_floor", 500000},
        {"failback.eval_window", 60 * RGN_NS_PER_S},
        {"failback.partition_unavailability_duration", 5 * RGN_NS_PER_S},
        {"failback.sweep_interval", 300 * RGN_NS_PER_S},
        {"endpoint.unavailability_ttl", 60 * RGN_NS_PER_S},
        {"endpoint.aged_mark", RGN_AGED_MARK_HOLD},
        {"retry.max_failover_retry_count", 3},
        {"retry.request_timeout", 6 * RGN_NS_PER_S},
        {"retry.max_throttle_retry_count", 18},
        {"retry.max_throttle_wait", 270 * RGN_NS_PER_S},
        {"hedging.enabled", RGN_AUTO},
        {"hedging.strategy", RGN_HEDGING_ON},
        {"hedging.threshold", RGN_AUTO},
        {"hedging.early_transient", RGN_EARLY_RETRY},
        {"hedging.leg_retries", RGN_LEG_RETRIES_LOCAL},
        {"hedging.races_per_operation", 1},
        {"hedging.secondary", RGN_SECONDARY_SECOND},
        {"hedging.activation", RGN_ACTIVATION_ALWAYS},
        {"hedging.operations", RGN_HEDGED_POINT_READS},
        {"failback.lost_race", RGN_LOST_RACE_FAILURE},
        {"failback.hedge_trip_evidence", RGN_EVIDENCE_BY_STATUS},
    };
    rgn_options options;

    rgn_options_default(&options);
    ck_assert_int_eq(rgn_options_validate(&options, NULL), RGN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(rgn_options_get(&options, rgn_knob_find(rows[i].name)) == rows[i].value, "%s", rows[i].name);
}
END_TEST

/* min - 1, min, max, max + 1 of every knob, set directly. */
START_TEST(a_value_one_outside_its_range_is_refused)
{
    for (unsigned id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        rgn_knob_id wrong = RGN_KNOB_COUNT;
        rgn_options options;

        rgn_options_default(&options);
        options.failback_retrip_floor = 0;
        for (int side = 0; side < 2; side++) {
            int64_t edge = side == 0 ? knob->min : knob->max;
            if (id == RGN_KNOB_failback_retrip_floor)
                options.failback_success_threshold = 1000000;
            if (id == RGN_KNOB_failback_decide)
                options.failback_retrip_floor = 500000;
            if (id == RGN_KNOB_breaker_health) {
                options.breaker_rule = RGN_RULE_CONSECUTIVE;
                options.failback_strategy = RGN_STRATEGY_TENTATIVE;
            }
            rgn_options_set(&options, (rgn_knob_id)id, edge);
            ck_assert_msg(rgn_options_validate(&options, &wrong) == RGN_OK, "%s at its edge", knob->name);
            if (side == 1 && edge == INT64_MAX)
                continue;
            rgn_options_set(&options, (rgn_knob_id)id, side == 0 ? edge - 1 : edge + 1);
            ck_assert_msg(rgn_options_validate(&options, &wrong) == RGN_ERR_RANGE, "%s outside", knob->name);
            ck_assert_uint_eq(wrong, id);
        }
    }
}
END_TEST

START_TEST(the_floor_may_reach_the_threshold_and_not_pass_it)
{
    rgn_knob_id wrong = RGN_KNOB_COUNT;
    rgn_options options;

    rgn_options_default(&options);
    options.failback_success_threshold = 700000;
    options.failback_retrip_floor = 699999;
    ck_assert_int_eq(rgn_options_validate(&options, &wrong), RGN_OK);
    options.failback_retrip_floor = 700000;
    ck_assert_int_eq(rgn_options_validate(&options, &wrong), RGN_OK);
    options.failback_retrip_floor = 700001;
    ck_assert_int_eq(rgn_options_validate(&options, &wrong), RGN_ERR_RANGE);
    ck_assert_uint_eq(wrong, RGN_KNOB_failback_retrip_floor);
}
END_TEST

START_TEST(a_sequential_test_asks_for_two_different_ratios)
{
    static const struct {
        int64_t floor;
        rgn_status status;
    } rows[] = {{0, RGN_ERR_RANGE}, {1, RGN_OK}, {699999, RGN_OK}, {700000, RGN_ERR_RANGE}, {700001, RGN_ERR_RANGE}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rgn_knob_id wrong = RGN_KNOB_failback_retrip_floor;
        rgn_options options;

        rgn_options_default(&options);
        options.failback_decide = RGN_DECIDE_SEQUENTIAL;
        options.failback_success_threshold = 700000;
        options.failback_retrip_floor = rows[i].floor;
        ck_assert_int_eq(rgn_options_validate(&options, &wrong), rows[i].status);
        ck_assert_uint_eq(wrong, RGN_KNOB_failback_retrip_floor);
    }
}
END_TEST

/* BRK-22: what a health of each region goes together with. */
static void add_companions(variables *v, rgn_knob_id id)
{
    if (id != RGN_KNOB_breaker_health)
        return;
    v->name[1] = rgn_knob_at(RGN_KNOB_breaker_rule)->environment;
    v->text[1] = "consecutive";
    v->name[2] = rgn_knob_at(RGN_KNOB_failback_strategy)->environment;
    v->text[2] = "tentative";
}

/* Each knob through its variable: the edges are taken, a step beyond them is refused. */
START_TEST(every_variable_is_read_and_held_to_its_range)
{
    for (unsigned id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        int64_t step = knob->type == RGN_DURATION ? RGN_NS_PER_MS : 1;
        variables v = {.name = {knob->environment}};
        rgn_effective_options out;
        rgn_options_error error;
        char text[64];

        v.text[0] = text;
        /* Leaves room on both sides of the one rule that joins two knobs. */
        if (id == RGN_KNOB_failback_success_threshold || id == RGN_KNOB_failback_retrip_floor) {
            bool is_floor = id == RGN_KNOB_failback_retrip_floor;
            v.name[1] = rgn_knob_at(is_floor ? RGN_KNOB_failback_success_threshold : RGN_KNOB_failback_retrip_floor)
                            ->environment;
            v.text[1] = is_floor ? "1" : "0";
        }
        add_companions(&v, (rgn_knob_id)id);
        for (int side = 0; side < 2; side++) {
            int64_t edge = side == 0 ? knob->min : knob->max;
            spell(knob, edge, text, sizeof text);
            ck_assert_msg(resolve_environment(v, &out, &error) == RGN_OK, "%s=%s", knob->environment, text);
            ck_assert_int_eq(rgn_options_get(&out.values, (rgn_knob_id)id), edge);
            ck_assert_uint_eq(out.origin[id], RGN_LAYER_ENVIRONMENT);
            if (knob->type == RGN_FLAG || knob->type == RGN_CHOICE || edge == INT64_MAX || edge == RGN_AUTO ||
                edge == 0)
                continue;
            spell(knob, side == 0 ? edge - step : edge + step, text, sizeof text);
            ck_assert_msg(resolve_environment(v, &out, &error) == RGN_ERR_RANGE, "%s=%s", knob->environment, text);
            ck_assert_uint_eq(error.knob, id);
            ck_assert_str_eq(error.variable, knob->environment);
            ck_assert_ptr_eq(error.text, text);
        }
    }
}
END_TEST

START_TEST(every_choice_is_read_by_its_name)
{
    for (unsigned id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        for (int64_t value = 0; knob->type == RGN_CHOICE && value <= knob->max; value++) {
            rgn_effective_options out;
            rgn_options_error error;
            char text[64];
            spell(knob, value, text, sizeof text);
            variables v = {.name = {knob->environment}, .text = {text}};
            add_companions(&v, (rgn_knob_id)id);
            ck_assert_int_eq(resolve_environment(v, &out, &error), RGN_OK);
            ck_assert_int_eq(rgn_options_get(&out.values, (rgn_knob_id)id), value);
        }
    }
}
END_TEST

START_TEST(what_is_not_spelled_right_is_an_error)
{
    static const struct {
        rgn_knob_id knob;
        const char *text;
        bool is_right;
        int64_t value;
    } rows[] = {
        {RGN_KNOB_breaker_enabled, "true", true, 1},
        {RGN_KNOB_breaker_enabled, "1", true, 1},
        {RGN_KNOB_breaker_enabled, "false", true, 0},
        {RGN_KNOB_breaker_enabled, "0", true, 0},
        {RGN_KNOB_breaker_enabled, "True", false, 0},
        {RGN_KNOB_breaker_enabled, "yes", false, 0},
        {RGN_KNOB_breaker_enabled, " true", false, 0},
        {RGN_KNOB_breaker_enabled, "", false, 0},
        {RGN_KNOB_failback_min_sample, "25", true, 25},
        {RGN_KNOB_failback_min_sample, "25 ", false, 0},
        {RGN_KNOB_failback_min_sample, "+25", false, 0},
        {RGN_KNOB_failback_min_sample, "2.5", false, 0},
        {RGN_KNOB_failback_min_sample, "0x19", false, 0},
        {RGN_KNOB_failback_min_sample, "99999999999999999999", false, 0},
        {RGN_KNOB_failback_min_sample, "-", false, 0},
        {RGN_KNOB_failback_success_threshold, "0.9", true, 900000},
        {RGN_KNOB_failback_success_threshold, "0.950001", true, 950001},
        {RGN_KNOB_failback_success_threshold, "1", true, 1000000},
        {RGN_KNOB_failback_success_threshold, "1.000000", true, 1000000},
        {RGN_KNOB_failback_success_threshold, "0.9500001", false, 0},
        {RGN_KNOB_failback_success_threshold, "90%", false, 0},
        {RGN_KNOB_failback_success_threshold, ".9", false, 0},
        {RGN_KNOB_failback_success_threshold, "1.", false, 0},
        {RGN_KNOB_failback_success_threshold, "-0.9", false, 0},
        {RGN_KNOB_failback_success_threshold, "0,9", false, 0},
        {RGN_KNOB_failback_eval_window, "60000", true, 60 * RGN_NS_PER_S},
        {RGN_KNOB_failback_eval_window, "60s", false, 0},
        {RGN_KNOB_failback_eval_window, "9223372036854775807", false, 0},
        {RGN_KNOB_failback_eval_window, "never", false, 0},
        {RGN_KNOB_failback_eval_window, "auto", false, 0},
        {RGN_KNOB_failback_recovering_max, "never", true, RGN_TIME_NEVER},
        {RGN_KNOB_failback_recovering_max, "Never", false, 0},
        {RGN_KNOB_failback_recovering_max, "-1", false, 0},
        {RGN_KNOB_failback_canary_timeout, "auto", true, RGN_AUTO},
        {RGN_KNOB_failback_canary_timeout, "-1", false, 0},
        {RGN_KNOB_retry_max_session_retry_count, "auto", true, RGN_AUTO},
        {RGN_KNOB_retry_max_session_retry_count, "-1", false, 0},
        {RGN_KNOB_failback_window_expiry, "judge", true, RGN_EXPIRY_JUDGE},
        {RGN_KNOB_failback_window_expiry, "judg", false, 0},
        {RGN_KNOB_failback_window_expiry, "restart|dwell", false, 0},
        {RGN_KNOB_failback_window_expiry, "", false, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        variables v = {.name = {rgn_knob_at(rows[i].knob)->environment}, .text = {rows[i].text}};
        rgn_effective_options out;
        rgn_options_error error;
        rgn_status status = resolve_environment(v, &out, &error);

        ck_assert_msg((status == RGN_OK) == rows[i].is_right, "%s=%s", v.name[0], v.text[0]);
        if (rows[i].is_right) {
            ck_assert_int_eq(rgn_options_get(&out.values, rows[i].knob), rows[i].value);
            continue;
        }
        ck_assert_uint_eq(error.knob, rows[i].knob);
        ck_assert_str_eq(error.variable, v.name[0]);
        ck_assert_ptr_eq(error.text, rows[i].text);
    }
}
END_TEST

/* The layers switched on one after the other, from the weakest: each beats all before it. */
START_TEST(a_stronger_layer_beats_a_weaker_one)
{
    rgn_option_layer operation = {0}, account = {0}, runtime = {0};
    const rgn_knob_id knob = RGN_KNOB_failback_min_sample;
    variables v = {.name = {rgn_knob_at(knob)->environment}, .text = {"11"}};
    rgn_environment environment = {look_up, &v};
    rgn_effective_options out;
    rgn_options_error error;

    runtime.values.failback_min_sample = 12;
    account.values.failback_min_sample = 13;
    operation.values.failback_min_sample = 14;
    for (int strongest = RGN_LAYER_DEFAULT; strongest <= RGN_LAYER_OPERATION; strongest++) {
        runtime.is_set[knob] = strongest >= RGN_LAYER_RUNTIME;
        account.is_set[knob] = strongest >= RGN_LAYER_ACCOUNT;
        operation.is_set[knob] = strongest >= RGN_LAYER_OPERATION;
        ck_assert_int_eq(rgn_options_resolve(&operation, &account, &runtime,
                                             strongest >= RGN_LAYER_ENVIRONMENT ? &environment : NULL, &out, &error),
                         RGN_OK);
        ck_assert_int_eq(out.values.failback_min_sample, 10 + strongest);
        ck_assert_int_eq(out.origin[knob], strongest);
        ck_assert_uint_eq(out.origin[RGN_KNOB_failback_eval_window], RGN_LAYER_DEFAULT);
    }
}
END_TEST

START_TEST(the_kill_switch_beats_every_layer_and_is_lenient)
{
    static const struct {
        const char *text;
        int64_t value; /* 1 and 0: what it forces; -1: as if unset */
    } rows[] = {
        {"true", 1},  {"TRUE", 1}, {" Yes\t", 1}, {"on", 1},     {"1", 1},  {"false", 0}, {"oFF", 0},  {"no\n", 0},
        {"  0  ", 0}, {"", -1},    {"   ", -1},   {"maybe", -1}, {"2", -1}, {"o n", -1},  {"tru", -1}, {"truee", -1},
    };
    rgn_option_layer operation = {0};

    operation.is_set[RGN_KNOB_breaker_enabled] = true;
    for (int64_t given = 0; given < 2; given++) {
        operation.values.breaker_enabled = given;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            variables v = {.name = {"AZURE_COSMOS_PPCB_ENABLED_OVERRIDE"}, .text = {rows[i].text}};
            rgn_environment environment = {look_up, &v};
            rgn_effective_options out;
            rgn_options_error error;

            ck_assert_int_eq(rgn_options_resolve(&operation, NULL, NULL, &environment, &out, &error), RGN_OK);
            ck_assert_msg(out.values.breaker_enabled == (rows[i].value < 0 ? given : rows[i].value), "'%s'",
                          rows[i].text);
            ck_assert_uint_eq(out.origin[RGN_KNOB_breaker_enabled],
                              rows[i].value < 0 ? RGN_LAYER_OPERATION : RGN_LAYER_OVERRIDE);
        }
    }
}
END_TEST

START_TEST(only_flags_have_a_kill_switch)
{
    variables v = {.name = {"AZURE_COSMOS_PPCB_FAILBACK_MIN_SAMPLE_OVERRIDE"}, .text = {"99"}};
    rgn_effective_options out;
    rgn_options_error error;

    ck_assert_int_eq(resolve_environment(v, &out, &error), RGN_OK);
    ck_assert_int_eq(out.values.failback_min_sample, 10);
}
END_TEST

START_TEST(a_bad_variable_is_an_error_even_where_a_layer_hides_it)
{
    rgn_option_layer account = {0};
    variables v = {.name = {"AZURE_COSMOS_PPCB_FAILBACK_MIN_SAMPLE"}, .text = {"none"}};
    rgn_environment environment = {look_up, &v};
    rgn_effective_options out;
    rgn_options_error error;

    account.is_set[RGN_KNOB_failback_min_sample] = true;
    account.values.failback_min_sample = 20;
    ck_assert_int_eq(rgn_options_resolve(NULL, &account, NULL, &environment, &out, &error), RGN_ERR_RANGE);
    ck_assert_str_eq(error.variable, v.name[0]);
}
END_TEST

START_TEST(an_error_of_a_layer_names_the_knob_and_no_variable)
{
    rgn_option_layer account = {0};
    rgn_effective_options out;
    rgn_options_error error;

    account.is_set[RGN_KNOB_failback_canary_percentage] = true;
    account.values.failback_canary_percentage = 101;
    ck_assert_int_eq(rgn_options_resolve(NULL, &account, NULL, NULL, &out, &error), RGN_ERR_RANGE);
    ck_assert_uint_eq(error.knob, RGN_KNOB_failback_canary_percentage);
    ck_assert_ptr_null(error.variable);
    ck_assert_ptr_null(error.text);
}
END_TEST

START_TEST(a_floor_from_the_environment_above_the_threshold_names_its_variable)
{
    rgn_effective_options out;
    rgn_options_error error;
    variables v = {.name = {"AZURE_COSMOS_PPCB_FAILBACK_RETRIP_FLOOR"}, .text = {"0.900001"}};

    ck_assert_int_eq(resolve_environment(v, &out, &error), RGN_ERR_RANGE);
    ck_assert_uint_eq(error.knob, RGN_KNOB_failback_retrip_floor);
    ck_assert_str_eq(error.variable, v.name[0]);
    ck_assert_str_eq(error.text, v.text[0]);
}
END_TEST

START_TEST(two_names_of_one_knob_must_agree)
{
    static const char first[] = "AZURE_COSMOS_PPCB_CONSECUTIVE_HEDGE_WIN_THRESHOLD",
                      second[] = "AZURE_COSMOS_CONSECUTIVE_HEDGE_WIN_THRESHOLD";
    rgn_effective_options out;
    rgn_options_error error;

    ck_assert_int_eq(resolve_environment((variables){.name = {second}, .text = {"7"}}, &out, &error), RGN_OK);
    ck_assert_int_eq(out.values.breaker_consecutive_hedge_win_threshold, 7);
    ck_assert_uint_eq(out.origin[RGN_KNOB_breaker_consecutive_hedge_win_threshold], RGN_LAYER_ENVIRONMENT);
    ck_assert_int_eq(resolve_environment((variables){.name = {first, second}, .text = {"7", "07"}}, &out, &error),
                     RGN_OK);
    ck_assert_int_eq(resolve_environment((variables){.name = {first, second}, .text = {"7", "8"}}, &out, &error),
                     RGN_ERR_RANGE);
    ck_assert_uint_eq(error.knob, RGN_KNOB_breaker_consecutive_hedge_win_threshold);
    ck_assert_str_eq(error.variable, second);
    ck_assert_str_eq(error.text, "8");
    ck_assert_str_eq(error.differs, first);
    ck_assert_int_eq(resolve_environment((variables){.name = {second}, .text = {"0"}}, &out, &error), RGN_ERR_RANGE);
    ck_assert_str_eq(error.variable, second);
    ck_assert_ptr_null(error.differs);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("options");
    TCase *tc = tcase_create("options");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tc);
    tcase_add_test(tc, every_knob_has_a_place_of_its_own);
    tcase_add_test(tc, every_knob_is_found_by_its_name_only);
    tcase_add_test(tc, every_knob_tells_what_it_is);
    tcase_add_test(tc, the_defaults_are_those_of_the_published_tables);
    tcase_add_test(tc, a_value_one_outside_its_range_is_refused);
    tcase_add_test(tc, the_floor_may_reach_the_threshold_and_not_pass_it);
    tcase_add_test(tc, a_sequential_test_asks_for_two_different_ratios);
    tcase_add_test(tc, every_variable_is_read_and_held_to_its_range);
    tcase_add_test(tc, every_choice_is_read_by_its_name);
    tcase_add_test(tc, what_is_not_spelled_right_is_an_error);
    tcase_add_test(tc, a_stronger_layer_beats_a_weaker_one);
    tcase_add_test(tc, the_kill_switch_beats_every_layer_and_is_lenient);
    tcase_add_test(tc, only_flags_have_a_kill_switch);
    tcase_add_test(tc, a_bad_variable_is_an_error_even_where_a_layer_hides_it);
    tcase_add_test(tc, an_error_of_a_layer_names_the_knob_and_no_variable);
    tcase_add_test(tc, a_floor_from_the_environment_above_the_threshold_names_its_variable);
    tcase_add_test(tc, two_names_of_one_knob_must_agree);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
