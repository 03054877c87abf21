/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a well-formed file becomes. */
#include <inttypes.h>

#include "files.h"

#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)

static void check_order(const rgn_region_list *list, unsigned count, const rgn_region *expected)
{
    ck_assert_uint_eq(list->count, count);
    for (unsigned i = 0; i < count; i++)
        ck_assert_uint_eq(list->region[i], expected[i]);
}

static void check_points(const sim_shape *shape, sim_shape_type type, const sim_point *expected, uint32_t count)
{
    ck_assert_int_eq(shape->type, type);
    ck_assert_uint_eq(shape->count, count);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_int_eq(shape->point[i].at, expected[i].at);
        ck_assert_int_eq(shape->point[i].value, expected[i].value);
    }
}

START_TEST(the_flagships_places_become_exact_integers)
{
    sim_scenario *s = load_or_fail(FLAGSHIP);
    ck_assert_str_eq(s->name, "flagship");
    ck_assert_int_eq(s->duration, 60 * MINUTE);
    ck_assert(s->multi_write);
    ck_assert(!s->automatic_failover);
    ck_assert_uint_eq(s->region_count, 3);
    ck_assert_uint_eq(s->region[0], sim_catalogue_find("northcentralus"));
    ck_assert_str_eq(s->region_name[1], "centralus");
    ck_assert_str_eq(s->region_name[2], "westus");
    check_order(&s->writable, 3, (const rgn_region[]){0, 1, 2});
    ck_assert_str_eq(s->round_trip_table, "azure-rtt");
    ck_assert_int_eq(s->local_round_trip, 1000000);
    ck_assert_uint_eq(s->jitter_sigma, 100000);
    ck_assert_int_eq(s->service[SIM_KIND_READ].type, SIM_DIST_LOGNORMAL);
    ck_assert_int_eq(s->service[SIM_KIND_READ].a, 2000000);
    /* ln(9 / 2) / 2.3263478740408408 = 0.64654... */
    ck_assert_int_eq(s->service[SIM_KIND_READ].b, 646540);
    ck_assert_int_eq(s->service[SIM_KIND_WRITE].type, SIM_DIST_GAMMA);
    ck_assert_int_eq(s->service[SIM_KIND_WRITE].a, 5000000);
    ck_assert_int_eq(s->service[SIM_KIND_WRITE].b, 2500000);
    ck_assert_uint_eq(s->client_count, 8);
    ck_assert_uint_eq(s->group_count, 2);
    ck_assert_str_eq(s->group[0].name, "chicago");
    ck_assert_uint_eq(s->group[0].name_hash, sim_name_hash("chicago"));
    ck_assert_uint_eq(s->group[0].first_client, 0);
    check_order(&s->group[0].preferred, 3, (const rgn_region[]){0, 1, 2});
    ck_assert_str_eq(s->group[1].name, "seattle");
    ck_assert_uint_eq(s->group[1].home, sim_catalogue_find("westus"));
    ck_assert_uint_eq(s->group[1].count, 4);
    ck_assert_uint_eq(s->group[1].first_client, 4);
    check_order(&s->group[1].preferred, 3, (const rgn_region[]){2, 1, 0});
    ck_assert_int_eq(s->start_spread, 5 * MINUTE);
    sim_scenario_destroy(s);
}
END_TEST

START_TEST(the_flagships_workload_and_fault_become_exact_integers)
{
    static const sim_point share[] = {{0, 1000000000},  {12 * MINUTE, 500000000}, {18 * MINUTE, 50000000},
                                      {24 * MINUTE, 0}, {36 * MINUTE, 600000000}, {40 * MINUTE, 0}};
    static const sim_point latency[] = {{0, 3000000}, {18 * MINUTE, 1000000}};
    sim_scenario *s = load_or_fail(FLAGSHIP);
    ck_assert_uint_eq(s->workload_count, 1);
    const sim_workload *shop = &s->workload[0];
    ck_assert_str_eq(shop->name, "shop");
    ck_assert_int_eq(shop->rate_mhz, 2400000);
    ck_assert_int_eq(shop->arrivals, SIM_ARRIVALS_POISSON);
    ck_assert_uint_eq(shop->clients, 8);
    ck_assert_uint_eq(shop->group_count, 2);
    ck_assert_uint_eq(shop->partition_count, 50);
    ck_assert_ptr_null(shop->partition_weight);
    ck_assert_uint_eq(shop->kind_share[SIM_KIND_READ], 900000000);
    ck_assert_uint_eq(shop->kind_share[SIM_KIND_WRITE], 100000000);
    ck_assert_int_eq(shop->deadline, 3 * SECOND);
    ck_assert_uint_eq(s->fault_count, 1);
    const sim_fault *outage = &s->fault[0];
    ck_assert_uint_eq(outage->name_hash, sim_name_hash("outage"));
    ck_assert_int_eq(outage->from, 10 * MINUTE);
    ck_assert_int_eq(outage->until, RGN_TIME_NEVER);
    ck_assert_uint_eq(outage->regions, 1);
    ck_assert_uint_eq(outage->partition_share, 400000000);
    ck_assert_uint_eq(outage->kinds, 3);
    ck_assert_uint_eq(outage->error_count, 2);
    ck_assert_uint_eq(outage->error[0].status, 410);
    ck_assert_uint_eq(outage->error[0].share, 200000000);
    ck_assert_uint_eq(outage->error[1].status, 503);
    ck_assert_int_eq(outage->error_after, -1);
    check_points(&outage->error_share, SIM_SHAPE_STEP, share, 6);
    check_points(&outage->latency_multiply, SIM_SHAPE_RAMP, latency, 2);
    sim_scenario_destroy(s);
}
END_TEST

START_TEST(the_flagship_says_what_is_measured)
{
    sim_scenario *s = load_or_fail(FLAGSHIP);
    ck_assert_uint_eq(s->phase_count, 6);
    ck_assert_str_eq(s->phase[2].name, "healing");
    ck_assert_int_eq(s->phase[2].start, 22 * MINUTE);
    ck_assert_uint_eq(s->healthy_errors, 100000000);
    ck_assert_uint_eq(s->healthy_latency, 2000000);
    ck_assert_uint_eq(s->objective_count, 5);
    ck_assert_str_eq(s->objective[2], "flap_count");
    ck_assert_uint_eq(s->expectation_count, 9);
    ck_assert_str_eq(s->expectation[0].metric, "premature_failback_count");
    ck_assert_str_eq(s->expectation[0].policy, "success-rate");
    ck_assert_str_eq(s->expectation[0].phase, "all");
    ck_assert_int_eq(s->expectation[0].type, SIM_EXPECT_AT_MOST);
    ck_assert_int_eq(s->flap_window, 10 * MINUTE);
    ck_assert_int_eq(s->interval, 30 * SECOND);
    ck_assert_int_eq(s->transitions_per_partition, -1);
    ck_assert_uint_eq(s->text_length, strlen(s->text));
    sim_scenario_destroy(s);
}
END_TEST

START_TEST(what_is_left_out_has_its_default)
{
    sim_scenario *s = parse_or_fail(MINIMAL, NULL, 0);
    ck_assert_str_eq(s->about, "");
    ck_assert(!s->multi_write);
    check_order(&s->writable, 1, (const rgn_region[]){0});
    ck_assert_int_eq(s->local_round_trip, 1000000);
    ck_assert_uint_eq(s->jitter_sigma, 0);
    ck_assert_uint_eq(s->group[0].count, 1);
    ck_assert_uint_eq(s->group[0].excluded, 0);
    ck_assert_int_eq(s->workload[0].arrivals, SIM_ARRIVALS_POISSON);
    ck_assert_int_eq(s->workload[0].deadline, RGN_TIME_NEVER);
    ck_assert_uint_eq(s->fault_count, 0);
    ck_assert_uint_eq(s->phase_count, 0);
    ck_assert_uint_eq(s->healthy_errors, 100000000);
    ck_assert_int_eq(s->flap_window, 10 * MINUTE);
    for (int id = 0; id < RGN_KNOB_COUNT; id++)
        ck_assert(!s->workload[0].options.is_set[id]);
    sim_scenario_destroy(s);
}
END_TEST

static const char *const rich =
    MINIMAL "  audit:\n"
            "    rate: 90 /min\n"
            "    arrivals: constant\n"
            "    clients: [chicago]\n"
            "    partitions: {count: 4, pick: {hot: {3: 40 %, 1: 0.1}}}\n"
            "    operations: {write: 100 %}\n"
            "    deadline: never\n"
            "    options: {retry: {max_failover_retry_count: 0}, failback: {canary_timeout: auto}}\n"
            "fleet: {start_spread: 0}\n"
            "faults:\n"
            "  slow:\n"
            "    until: 5 min\n"
            "    where: {regions: [West US], operations: [write]}\n"
            "    latency: {multiply: 2.5}\n"
            "  dead:\n"
            "    where: {regions: [westus, northcentralus]}\n"
            "    errors:\n"
            "      statuses: {no_reply: 25 %, 429/3092: 25 %, refused: 25 %, 503: 25 %}\n"
            "      share: {ramp: {0: 0 %, 90 s: 100 %}}\n"
            "      after: 2 s\n"
            "environment: {AZURE_COSMOS_PPCB_ENABLED: 'false', AZURE_COSMOS_PPCB_ENABLED_OVERRIDE: true}\n"
            "expect:\n"
            "  - {metric: latency_p99, at_least: 50 ms}\n"
            "  - {metric: availability, equals: 99.95 %}\n"
            "  - {metric: herd_peak, at_most: 2.5}\n"
            "flap_window: 1 min\n"
            "interval: 1 s\n"
            "record: {transitions: 7 per partition}\n";

START_TEST(workloads_are_numbered_by_name_and_weights_sum_to_all)
{
    sim_scenario *s = parse_or_fail(rich, NULL, 0);
    ck_assert_uint_eq(s->workload_count, 2);
    const sim_workload *audit = &s->workload[0];
    ck_assert_str_eq(audit->name, "audit");
    ck_assert_uint_eq(audit->first_partition, 0);
    ck_assert_uint_eq(s->workload[1].first_partition, 4);
    ck_assert_uint_eq(s->partition_count, 8);
    ck_assert_int_eq(audit->rate_mhz, 1500);
    ck_assert_int_eq(audit->arrivals, SIM_ARRIVALS_CONSTANT);
    ck_assert_int_eq(audit->deadline, RGN_TIME_NEVER);
    static const uint32_t weight[] = {250000000, 100000000, 250000000, 400000000};
    for (int p = 0; p < 4; p++)
        ck_assert_uint_eq(audit->partition_weight[p], weight[p]);
    ck_assert(audit->options.is_set[RGN_KNOB_retry_max_failover_retry_count]);
    ck_assert_int_eq(audit->options.values.retry_max_failover_retry_count, 0);
    ck_assert_int_eq(audit->options.values.failback_canary_timeout, RGN_AUTO);
    ck_assert(!audit->options.is_set[RGN_KNOB_failback_min_sample]);
    ck_assert_int_eq(s->start_spread, 0);
    ck_assert_int_eq(s->transitions_per_partition, 7);
    sim_scenario_destroy(s);
}
END_TEST

START_TEST(weights_sum_to_all_however_they_divide)
{
    for (int hot = 0; hot <= 100; hot += 7) {
        char value[96];
        snprintf(value, sizeof value, "{count: 7, pick: {hot: {2: %d.0000001 %%}}}", hot);
        const sim_setting setting = {"scenario.workload.shop.partitions", value};
        sim_scenario *s = parse_or_fail(MINIMAL, &setting, 1);
        uint64_t sum = 0;
        uint32_t least = UINT32_MAX;
        uint32_t most = 0;
        for (int p = 0; p < 7; p++) {
            const uint32_t weight = s->workload[0].partition_weight[p];
            sum += weight;
            least = p != 2 && weight < least ? weight : least;
            most = p != 2 && weight > most ? weight : most;
        }
        ck_assert_uint_eq(sum, SIM_SHARE_ONE);
        ck_assert_uint_le(most - least, 1);
        sim_scenario_destroy(s);
    }
}
END_TEST

START_TEST(faults_take_every_kind_of_error_and_shape)
{
    static const sim_point ramp[] = {{0, 0}, {90 * SECOND, 1000000000}};
    sim_scenario *s = parse_or_fail(rich, NULL, 0);
    const sim_fault *dead = &s->fault[0];
    ck_assert_str_eq(dead->name, "dead");
    ck_assert_uint_eq(dead->regions, 3);
    ck_assert_int_eq(dead->from, 0);
    ck_assert_int_eq(dead->error_after, 2 * SECOND);
    ck_assert_uint_eq(dead->error_count, 4);
    static const sim_error errors[] = {
        {SIM_ERROR_STATUS, 429, 3092, 250000000},
        {SIM_ERROR_STATUS, 503, 0, 250000000},
        {SIM_ERROR_REFUSED, 0, 0, 250000000},
        {SIM_ERROR_NO_REPLY, 0, 0, 250000000},
    };
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(dead->error[i].type, errors[i].type);
        ck_assert_uint_eq(dead->error[i].status, errors[i].status);
        ck_assert_uint_eq(dead->error[i].substatus, errors[i].substatus);
        ck_assert_uint_eq(dead->error[i].share, errors[i].share);
    }
    check_points(&dead->error_share, SIM_SHAPE_RAMP, ramp, 2);
    ck_assert_uint_eq(dead->latency_multiply.count, 0);
    const sim_fault *slow = &s->fault[1];
    ck_assert_uint_eq(slow->regions, 2);
    ck_assert_uint_eq(slow->kinds, 1 << SIM_KIND_WRITE);
    ck_assert_int_eq(slow->until, 5 * MINUTE);
    ck_assert_uint_eq(slow->error_share.count, 0);
    ck_assert_uint_eq(slow->latency_multiply.count, 1);
    ck_assert_int_eq(slow->latency_multiply.point[0].value, 2500000);
    sim_scenario_destroy(s);
}
END_TEST

START_TEST(limits_are_in_the_metrics_unit)
{
    sim_scenario *s = parse_or_fail(rich, NULL, 0);
    ck_assert_uint_eq(s->expectation_count, 3);
    ck_assert(s->expectation[0].limit == 50e6);
    ck_assert_int_eq(s->expectation[0].type, SIM_EXPECT_AT_LEAST);
    ck_assert(s->expectation[1].limit == 0.9995);
    ck_assert_int_eq(s->expectation[1].type, SIM_EXPECT_EQUALS);
    ck_assert(s->expectation[2].limit == 2.5);
    ck_assert_ptr_null(s->expectation[2].policy);
    sim_scenario_destroy(s);
}
END_TEST

START_TEST(the_environment_reaches_the_core)
{
    sim_input_error error;
    rgn_effective_options options;
    sim_scenario *s = parse_or_fail(rich, NULL, 0);
    const rgn_environment environment = sim_scenario_environment(s);
    ck_assert_str_eq(environment.lookup(environment.context, "AZURE_COSMOS_PPCB_ENABLED"), "false");
    ck_assert_ptr_null(environment.lookup(environment.context, "AZURE_COSMOS_PPCB_RULE"));
    ck_assert(sim_effective_options(s, NULL, &s->workload[0], &environment, &options, &error));
    ck_assert_int_eq(options.origin[RGN_KNOB_breaker_enabled], RGN_LAYER_OVERRIDE);
    ck_assert_int_eq(options.values.breaker_enabled, 1);
    ck_assert_int_eq(options.origin[RGN_KNOB_retry_max_failover_retry_count], RGN_LAYER_OPERATION);
    ck_assert_int_eq(options.origin[RGN_KNOB_failback_min_sample], RGN_LAYER_DEFAULT);
    sim_scenario_destroy(s);
}
END_TEST

START_TEST(layers_that_do_not_go_together_are_an_error)
{
    sim_input_error error;
    rgn_effective_options options;
    const sim_setting setting = {"scenario.environment", "{AZURE_COSMOS_PPCB_FAILBACK_SUCCESS_THRESHOLD: \"0.4\"}"};
    sim_scenario *s = parse_or_fail(MINIMAL, &setting, 1);
    const rgn_environment environment = sim_scenario_environment(s);
    ck_assert(!sim_effective_options(s, NULL, &s->workload[0], &environment, &options, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "failback.retrip_floor is out of range"));
    sim_scenario_destroy(s);
}
END_TEST

START_TEST(every_distribution_has_its_parameters)
{
    static const struct {
        const char *text;
        sim_dist dist;
    } cases[] = {
        {"{constant: 2 ms}", {.type = SIM_DIST_CONSTANT, .a = 2000000, .b = 0}},
        {"{exponential: {mean: 3 ms}}", {.type = SIM_DIST_EXPONENTIAL, .a = 3000000, .b = 0}},
        {"{lognormal: {p50: 2 ms, sigma: 0.5}}", {.type = SIM_DIST_LOGNORMAL, .a = 2000000, .b = 500000}},
        {"{lognormal: {p50: 2 ms, p99: 2 ms}}", {.type = SIM_DIST_CONSTANT, .a = 2000000, .b = 0}},
        {"{lognormal: {p50: 1 ms, p99: 2 ms}}", {.type = SIM_DIST_LOGNORMAL, .a = 1000000, .b = 297955}},
        {"{lognormal: {p50: 1 ms, p99: 10 ms}}", {.type = SIM_DIST_LOGNORMAL, .a = 1000000, .b = 989785}},
        {"{lognormal: {p50: 3 ms, p99: 1 s}}", {.type = SIM_DIST_LOGNORMAL, .a = 3000000, .b = 2497108}},
        {"{gamma: {mean: 5 ms, shape: 2.5}}", {.type = SIM_DIST_GAMMA, .a = 5000000, .b = 2500000}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sim_setting setting = {"scenario.service.read", cases[i].text};
        sim_scenario *s = parse_or_fail(MINIMAL, &setting, 1);
        ck_assert_int_eq(s->service[SIM_KIND_READ].type, cases[i].dist.type);
        ck_assert_int_eq(s->service[SIM_KIND_READ].a, cases[i].dist.a);
        ck_assert_msg(s->service[SIM_KIND_READ].b == cases[i].dist.b, "%s: %" PRId64, cases[i].text,
                      s->service[SIM_KIND_READ].b);
        sim_scenario_destroy(s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("decode");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_flagships_places_become_exact_integers);
    tcase_add_test(tests, the_flagships_workload_and_fault_become_exact_integers);
    tcase_add_test(tests, the_flagship_says_what_is_measured);
    tcase_add_test(tests, what_is_left_out_has_its_default);
    tcase_add_test(tests, workloads_are_numbered_by_name_and_weights_sum_to_all);
    tcase_add_test(tests, weights_sum_to_all_however_they_divide);
    tcase_add_test(tests, faults_take_every_kind_of_error_and_shape);
    tcase_add_test(tests, limits_are_in_the_metrics_unit);
    tcase_add_test(tests, the_environment_reaches_the_core);
    tcase_add_test(tests, layers_that_do_not_go_together_are_an_error);
    tcase_add_test(tests, every_distribution_has_its_parameters);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
