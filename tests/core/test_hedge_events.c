/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a hedged operation tells: diagnostics and events of every way a race can end. */
#include <regioncore/hedge_events.h>

#include "hedge_script.h"

enum { STORY_MAX = 32 };

static rgn_hedge_diagnostics told;
static rgn_hedge_event story[STORY_MAX];
static unsigned story_length;

static rgn_step tell(rgn_step step, const rgn_response *response, rgn_time_ns at)
{
    ck_assert_uint_le(story_length + RGN_HEDGE_EVENTS_MAX, STORY_MAX);
    story_length += rgn_hedge_observe(f.router, &op, step, response, at, &told, &story[story_length]);
    return step;
}

static rgn_step start_at(const rgn_request *request, rgn_time_ns at)
{
    rgn_hedge_diagnostics_init(&told);
    story_length = 0;
    return tell(begin(request, at), NULL, at);
}

static rgn_step ends(unsigned leg, unsigned status, unsigned substatus, rgn_time_ns at)
{
    const rgn_response response = {.status = (uint16_t)status,
                                   .substatus = (uint16_t)substatus,
                                   .transport = status == 0 ? RGN_TRANSPORT_SENT : RGN_TRANSPORT_NONE};
    return tell(answer(leg, status, substatus, at), &response, at);
}

static rgn_step rings(rgn_time_ns at)
{
    return tell(rgn_op_on_timer(f.router, &op, at), NULL, at);
}

static void race_at_0(const rgn_request *request)
{
    start_at(request, 0);
    rings(MS(200));
}

/* The events' names without their common prefix, separated by blanks. */
static void is_story(const char *expected)
{
    char text[512] = "";

    for (unsigned i = 0; i < story_length; i++) {
        const char *name = rgn_hedge_event_name((rgn_hedge_event_kind)story[i].kind);
        ck_assert(strncmp(name, "cosmos.hedge.", 13) == 0);
        strcat(text, i == 0 ? "" : " ");
        strcat(text, name + 13);
    }
    ck_assert_str_eq(text, expected);
}

static void is_told(rgn_region alternate, rgn_region response, rgn_hedge terminal)
{
    ck_assert_int_eq(told.threshold, MS(200));
    ck_assert_uint_eq(told.region[0], 0);
    ck_assert_uint_eq(told.region[1], alternate);
    ck_assert_uint_eq(told.response, response);
    ck_assert_str_eq(rgn_hedge_name((rgn_hedge)told.terminal), rgn_hedge_name(terminal));
    ck_assert_int_eq(told.spawned, alternate == NOBODY ? RGN_TIME_NEVER : MS(200));
}

static void is_json(unsigned index, const char *expected)
{
    char text[RGN_HEDGE_EVENT_JSON_MAX];
    size_t length = rgn_hedge_event_json(&story[index], text, sizeof text);

    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(length, strlen(expected));
    ck_assert_uint_eq(rgn_hedge_event_json(&story[index], NULL, 0), length);
}

START_TEST(a_primary_that_wins_before_the_threshold)
{
    start_at(&a_read, 0);
    ends(0, 404, 0, MS(5));
    is_story("enabled_for_operation winner_selected");
    is_told(NOBODY, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD);
    is_json(0, "{\"at_ns\":0,\"event\":\"cosmos.hedge.enabled_for_operation\",\"level\":\"DEBUG\",\"threshold_ms\":200,"
               "\"region_count\":3}");
    is_json(1, "{\"at_ns\":5000000,\"event\":\"cosmos.hedge.winner_selected\",\"level\":\"DEBUG\",\"winner_region\":0,"
               "\"elapsed_ms\":5,\"was_hedge\":false}");
}
END_TEST

START_TEST(an_alternate_that_wins)
{
    race_at_0(&a_read);
    ends(1, 200, 0, MS(220));
    is_story("enabled_for_operation alternate_spawned winner_selected recorded_alternate_win canceled");
    is_told(1, 1, RGN_HEDGE_ALTERNATE_WON);
    is_json(1, "{\"at_ns\":200000000,\"event\":\"cosmos.hedge.alternate_spawned\",\"level\":\"DEBUG\","
               "\"target_region\":1,\"elapsed_ms\":200}");
    is_json(2,
            "{\"at_ns\":220000000,\"event\":\"cosmos.hedge.winner_selected\",\"level\":\"DEBUG\",\"winner_region\":1,"
            "\"elapsed_ms\":220,\"was_hedge\":true}");
    is_json(3, "{\"at_ns\":220000000,\"event\":\"cosmos.hedge.recorded_alternate_win\",\"level\":\"DEBUG\","
               "\"primary_region\":0,\"partition\":0}");
    is_json(4, "{\"at_ns\":220000000,\"event\":\"cosmos.hedge.canceled\",\"level\":\"DEBUG\",\"which\":\"primary\","
               "\"target_region\":0,\"reason\":\"winner_found\"}");
}
END_TEST

START_TEST(a_primary_that_wins_after_its_hedge)
{
    race_at_0(&a_read);
    ends(0, 200, 0, S(1));
    is_story("enabled_for_operation alternate_spawned winner_selected canceled");
    is_told(1, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE);
    ck_assert_uint_eq(story[3].leg, 1);
    ck_assert_uint_eq(story[3].region, 1);
    ck_assert(!story[2].was_hedge);
}
END_TEST

START_TEST(two_transient_legs_and_a_later_answer)
{
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    hedge_restart();
    race_at_0(&a_read);
    ends(0, 410, 0, MS(210));
    ends(1, 503, 0, MS(220));
    is_story("enabled_for_operation alternate_spawned both_transient");
    is_told(1, NOBODY, RGN_HEDGE_BOTH_TRANSIENT);
    is_json(2, "{\"at_ns\":220000000,\"event\":\"cosmos.hedge.both_transient\",\"level\":\"WARN\","
               "\"last_status_code\":503}");
    ends(0, 200, 0, MS(230)); /* of an ordinary attempt: the race is over */
    ck_assert_uint_eq(story_length, 3);
    is_told(1, NOBODY, RGN_HEDGE_BOTH_TRANSIENT);
    race_at_0(&a_read);
    ends(1, 0, 0, MS(210));
    ends(0, 0, 0, MS(220));
    ck_assert_uint_eq(story[2].status, 503); /* a lost connection */
    rgn_op_abandon(f.router, &op, S(1));
}
END_TEST

START_TEST(a_second_race_of_one_operation)
{
    f.config.options.hedging_races_per_operation = 2;
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    f.config.options.hedging_secondary = RGN_SECONDARY_FIRST_DISTINCT;
    hedge_restart();
    race_at_0(&a_read);
    ends(0, 503, 0, MS(210));
    ends(1, 503, 0, MS(220));
    is_story("enabled_for_operation alternate_spawned both_transient enabled_for_operation");
    ck_assert_uint_eq(told.terminal, RGN_HEDGE_WAITING);
    ck_assert_uint_eq(told.region[0], 2);
    ck_assert_int_eq(told.started, MS(220));
    ends(0, 200, 0, MS(230));
    is_story("enabled_for_operation alternate_spawned both_transient enabled_for_operation winner_selected");
    ck_assert_int_eq(story[4].elapsed, MS(10));

    start_at(&a_read, 0); /* the first race ends early, in the call that begins the second */
    ends(0, 503, 0, MS(30));
    is_story("enabled_for_operation enabled_for_operation");
    rgn_op_abandon(f.router, &op, S(1));
}
END_TEST

static rgn_request read_within(rgn_dur_ns timeout)
{
    rgn_request request = a_read;

    request.timeout = timeout;
    return request;
}

START_TEST(a_deadline_before_the_threshold)
{
    const rgn_request request = read_within(MS(100));

    start_at(&request, 0);
    rings(MS(100));
    rings(MS(150));
    is_story("enabled_for_operation");
    is_told(NOBODY, NOBODY, RGN_HEDGE_DEADLINE_PRE_THRESHOLD);
}
END_TEST

START_TEST(a_deadline_with_both_legs_on_their_way)
{
    const rgn_request request = read_within(S(1));

    race_at_0(&request);
    ck_assert_int_eq(rings(S(1)), RGN_WAIT);
    ck_assert_int_eq(rings(S(1) + MS(50)), RGN_DONE);
    is_story("enabled_for_operation alternate_spawned both_transient canceled canceled");
    is_told(1, NOBODY, RGN_HEDGE_BOTH_TRANSIENT_DEADLINE);
    ck_assert_uint_eq(story[2].status, 408);
    ck_assert_uint_eq(story[3].why, RGN_HEDGE_CUT_DEADLINE);
}
END_TEST

START_TEST(a_deadline_with_one_leg_left)
{
    const rgn_request request = read_within(S(1));

    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    hedge_restart();
    race_at_0(&request);
    ends(0, 503, 0, MS(300));
    rings(S(1));
    rings(S(1) + MS(50));
    is_story("enabled_for_operation alternate_spawned canceled");
    is_told(1, NOBODY, RGN_HEDGE_CANCELLED_AWAITING_PARTNER);
    is_json(2, "{\"at_ns\":1050000000,\"event\":\"cosmos.hedge.canceled\",\"level\":\"DEBUG\",\"which\":\"alternate\","
               "\"target_region\":1,\"reason\":\"deadline\"}");
}
END_TEST

START_TEST(an_application_that_gives_up)
{
    race_at_0(&a_read);
    tell(rgn_op_abandon(f.router, &op, MS(300)), NULL, MS(300));
    is_story("enabled_for_operation alternate_spawned both_transient canceled canceled");
    ck_assert_uint_eq(story[3].why, RGN_HEDGE_CUT_APP_CANCELED);
    ck_assert_uint_eq(story[4].leg, 1);
}
END_TEST

/* Two hedges: each is told of, and so is each leg that is left behind. */
START_TEST(a_race_with_two_hedges)
{
    static rgn_fan fan;
    rgn_request request = a_read;

    f.config.options.hedging_max_alternates = 2;
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    hedge_restart();
    request.fan = &fan;
    request.timeout = S(1);
    start_at(&request, 0);
    rings(MS(200));
    rings(MS(700));
    ends(2, 200, 0, MS(720));
    is_story(
        "enabled_for_operation alternate_spawned alternate_spawned winner_selected recorded_alternate_win canceled "
        "canceled");
    is_told(1, 2, RGN_HEDGE_ALTERNATE_WON);
    ck_assert_uint_eq(told.alternates, 2);
    ck_assert_uint_eq(told.region[2], 2);
    ck_assert_uint_eq(story[6].leg, 1);
    ck_assert_uint_eq(story[6].region, 1);
    is_json(6, "{\"at_ns\":720000000,\"event\":\"cosmos.hedge.canceled\",\"level\":\"DEBUG\",\"which\":\"alternate\","
               "\"target_region\":1,\"reason\":\"winner_found\"}");

    start_at(&request, 0); /* all three are left behind */
    rings(MS(200));
    rings(MS(700));
    rings(S(1));
    rings(S(1) + RGN_HARVEST_WINDOW);
    is_story("enabled_for_operation alternate_spawned alternate_spawned both_transient canceled canceled canceled");

    start_at(&request, 0); /* one after the other fails */
    rings(MS(200));
    ends(1, 503, 0, MS(300));
    rings(MS(700));
    ends(0, 503, 0, MS(710));
    is_story("enabled_for_operation alternate_spawned alternate_spawned");
    ck_assert_uint_eq(told.terminal, RGN_HEDGE_LAUNCHED);
    ends(2, 410, 0, MS(720));
    is_story("enabled_for_operation alternate_spawned alternate_spawned both_transient");
    ck_assert_uint_eq(story[3].status, 410);
    rgn_op_abandon(f.router, &op, MS(730));
}
END_TEST

START_TEST(a_refused_hedge_and_an_operation_without_a_race)
{
    rgn_request write = a_read;

    f.config.options.hedging_budget_concurrent = 0;
    hedge_restart();
    race_at_0(&a_read);
    ends(0, 200, 0, MS(300));
    is_story("enabled_for_operation");
    is_told(NOBODY, NOBODY, RGN_HEDGE_REFUSED);
    write.direction = RGN_WRITE;
    start_at(&write, 0);
    ends(0, 200, 0, MS(300));
    ck_assert_uint_eq(story_length, 0);
    ck_assert_int_eq(told.started, RGN_TIME_NEVER);
}
END_TEST

START_TEST(the_context_says_why_an_attempt_was_sent)
{
    rgn_request request = a_read;
    rgn_options options = f.config.options;

    options.hedging_strategy = RGN_HEDGING_DISABLED;
    request.options = &options;
    begin(&request, 0);
    ck_assert_str_eq(rgn_context_name(rgn_op_context(&op)), "initial");
    answer(0, 503, 0, MS(1));
    ck_assert_str_eq(rgn_context_name(rgn_op_context(&op)), "region_failover");
    answer(0, 449, 0, MS(2));
    rgn_op_on_timer(f.router, &op, op.wake_at);
    ck_assert_str_eq(rgn_context_name(rgn_op_context(&op)), "retry");
    rgn_op_abandon(f.router, &op, S(1));
    begin(&request, 0);
    answer(0, 404, 1002, MS(1));
    ck_assert_str_eq(rgn_context_name(rgn_op_context(&op)), "retry");
    rgn_op_abandon(f.router, &op, S(1));
    race(&a_read);
    ck_assert_str_eq(rgn_context_name(rgn_op_context(&op)), "hedging");
    answer(1, 503, 0, MS(300));
    ck_assert_str_eq(rgn_context_name(rgn_op_context(&op)), "hedging");
    rgn_op_abandon(f.router, &op, S(1));
    ck_assert_str_eq(rgn_context_name(RGN_CONTEXT_PROBE), "circuit_breaker_probe");
    ck_assert_str_eq(rgn_context_name((rgn_context)5), "?");
}
END_TEST

/* Truncated as documented, whatever the room. */
START_TEST(json_that_finds_no_room_is_cut)
{
    char whole[RGN_HEDGE_EVENT_JSON_MAX], text[RGN_HEDGE_EVENT_JSON_MAX];
    size_t length;

    start_at(&a_read, 0);
    length = rgn_hedge_event_json(&story[0], whole, sizeof whole);
    for (size_t size = 1; size <= length + 1; size++) {
        memset(text, 'x', sizeof text);
        ck_assert_uint_eq(rgn_hedge_event_json(&story[0], text, size), length);
        ck_assert_uint_eq(strlen(text), size - 1);
        ck_assert_mem_eq(text, whole, size - 1);
        ck_assert(text[size] == 'x');
    }
    rgn_op_abandon(f.router, &op, S(1));
    ck_assert_str_eq(rgn_hedge_event_name((rgn_hedge_event_kind)0), "?");
    ck_assert_str_eq(rgn_hedge_event_name((rgn_hedge_event_kind)7), "?");
    ck_assert_str_eq(rgn_hedge_cut_name((rgn_hedge_cut)3), "?");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_primary_that_wins_before_the_threshold,
                                  an_alternate_that_wins,
                                  a_primary_that_wins_after_its_hedge,
                                  two_transient_legs_and_a_later_answer,
                                  a_second_race_of_one_operation,
                                  a_deadline_before_the_threshold,
                                  a_deadline_with_both_legs_on_their_way,
                                  a_deadline_with_one_leg_left,
                                  an_application_that_gives_up,
                                  a_race_with_two_hedges,
                                  a_refused_hedge_and_an_operation_without_a_race,
                                  the_context_says_why_an_attempt_was_sent,
                                  json_that_finds_no_room_is_cut};
    return run_hedge_suite("hedge_events", tests, sizeof tests / sizeof tests[0]);
}
