/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is hit, and by what besides errors and multipliers. */
#include "fixture.h"
#include "world/internal.h"

#define PERCENT (SIM_SHARE_ONE / 100)

enum { ROUND_TRIP = 8000001 };

static fixture input;

static void set_up(void)
{
    fixture_init(&input);
}

static sim_shape constant(sim_point *point, int64_t value)
{
    *point = (sim_point){0, value};
    return (sim_shape){SIM_SHAPE_STEP, 1, point};
}

static sim_fault *add_failing(sim_point *share)
{
    sim_fault *fault = fixture_add_fault(&input);
    fault->error_share = constant(share, SIM_SHARE_ONE);
    return fault;
}

static sim_fate send(sim_world_run *run, uint32_t client, uint32_t partition, bool has_connection)
{
    const sim_attempt attempt = {
        .region = NORTHCENTRALUS, .has_connection = has_connection, .client = client, .partition = partition};
    return sim_world_fate(run, ROUND_TRIP, &attempt, S, (sim_words){{0, 0}});
}

START_TEST(listed_partitions_of_each_workload_are_hit_and_no_others)
{
    static const uint32_t list[] = {0, 7, 29, 49};
    sim_point share;
    sim_fault *fault = add_failing(&share);
    fault->partition = list;
    fault->partition_count = 4;
    fault->partition_share = 0;
    sim_world_run *run = fixture_run(&input, 1);
    for (uint32_t p = 0; p < PARTITIONS; p++) {
        const uint32_t number = p < SHOP_PARTITIONS ? p : p - SHOP_PARTITIONS; /* `stock` has no 49 */
        const bool is_hit = number == 0 || number == 7 || number == 29 || number == 49;
        ck_assert_uint_eq(send(run, 0, p, false).status, is_hit ? 503 : 200);
        ck_assert_int_eq(sim_truth_is_healthy(run, NORTHCENTRALUS, p, 0, SIM_KIND_READ, S), !is_hit);
    }
    fixture_run_destroy(run);
}
END_TEST

/* What lies in no partition has the number behind the last. */
START_TEST(metadata_meet_the_faults_on_all_partitions_only)
{
    static const uint32_t list[] = {0};
    const struct {
        uint32_t share, count;
        bool is_met;
    } rows[] = {{SIM_SHARE_ONE, 0, true}, {SIM_SHARE_ONE - 1, 0, false}, {0, 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_point share;
        set_up();
        sim_fault *fault = add_failing(&share);
        fault->partition_share = rows[i].share;
        fault->partition_count = rows[i].count;
        fault->partition = rows[i].count > 0 ? list : NULL;
        sim_world_run *run = fixture_run(&input, 1);
        ck_assert_uint_eq(send(run, 0, PARTITIONS, false).status, rows[i].is_met ? 503 : 200);
        fixture_run_destroy(run);
    }
}
END_TEST

enum { MANY = 1000 };

static void make_many_clients(const char *name, uint64_t hash)
{
    input.group[0].name = name;
    input.group[0].name_hash = hash;
    input.group[0].count = MANY;
    input.scenario.group_count = 1;
    input.scenario.client_count = MANY;
}

static void list_hit_clients(uint32_t client_share, bool hit[MANY])
{
    static sim_point share; /* the fault outlives the call */
    input.scenario.fault_count = 0;
    add_failing(&share)->client_share = client_share;
    sim_world_run *run = fixture_run(&input, 5);
    for (uint32_t c = 0; c < MANY; c++) {
        hit[c] = send(run, c, 3, false).status != 200;
        ck_assert_int_eq(sim_truth_is_healthy(run, NORTHCENTRALUS, 3, c, SIM_KIND_READ, S), !hit[c]);
        ck_assert_int_eq(sim_truth_client_key(run, c) != 0, hit[c]);
    }
    ck_assert(!sim_truth_is_healthy(run, NORTHCENTRALUS, 3, SIM_ANY_CLIENT, SIM_KIND_READ, S));
    ck_assert(!sim_truth_is_always_healthy(run, NORTHCENTRALUS));
    fixture_run_destroy(run);
}

START_TEST(a_larger_share_of_clients_takes_in_the_smaller)
{
    static bool small[MANY];
    static bool large[MANY];
    unsigned count[2] = {0};
    make_many_clients("a", 77);
    list_hit_clients(20 * PERCENT, small);
    list_hit_clients(60 * PERCENT, large);
    for (uint32_t c = 0; c < MANY; c++) {
        ck_assert(!small[c] || large[c]);
        count[0] += small[c];
        count[1] += large[c];
    }
    /* 1000 draws, standard deviations 12.6 and 15.5: seed 5 is fixed, five of them would be no accident. */
    ck_assert_uint_ge(count[0], 200 - 63);
    ck_assert_uint_le(count[0], 200 + 63);
    ck_assert_uint_ge(count[1], 600 - 77);
    ck_assert_uint_le(count[1], 600 + 77);
}
END_TEST

START_TEST(hit_clients_depend_on_the_groups_name_and_show_in_the_hash)
{
    static bool first[MANY];
    static bool other[MANY];
    make_many_clients("a", 77);
    list_hit_clients(50 * PERCENT, first);
    sim_world_run *run = fixture_run(&input, 5);
    const uint64_t hash = sim_world_run_scope_hash(run);
    fixture_run_destroy(run);
    make_many_clients("b", 78);
    list_hit_clients(50 * PERCENT, other);
    unsigned shifted = 0; /* keys are hash + place: neighbours of a neighbouring hash */
    for (uint32_t c = 0; c + 1 < MANY; c++)
        shifted += first[c + 1] == other[c];
    ck_assert_uint_eq(shifted, MANY - 1);
    run = fixture_run(&input, 5);
    ck_assert(sim_world_run_scope_hash(run) != hash);
    fixture_run_destroy(run);
}
END_TEST

START_TEST(new_connections_only_spares_who_has_one)
{
    sim_point share;
    sim_fault *fault = add_failing(&share);
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert(!sim_world_needs_connections(run->world));
    ck_assert_uint_eq(send(run, 0, 0, true).status, 503);
    fixture_run_destroy(run);
    fault->only_new_connections = true;
    run = fixture_run(&input, 1);
    ck_assert(sim_world_needs_connections(run->world));
    ck_assert_uint_eq(send(run, 0, 0, true).status, 200);
    ck_assert_uint_eq(send(run, 0, 0, false).status, 503);
    ck_assert(!sim_truth_is_healthy(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, S));
    fixture_run_destroy(run);
}
END_TEST

/* A status is an answer, a refusal is none; what a fault says of such connections beats that. */
START_TEST(connections_for_no_request_open_or_not)
{
    static const struct {
        uint8_t type, probes;
        bool opens;
    } rows[] = {
        {SIM_ERROR_STATUS, SIM_PROBES_AS_REQUESTS, true},    {SIM_ERROR_STATUS, SIM_PROBES_FAIL, false},
        {SIM_ERROR_REFUSED, SIM_PROBES_AS_REQUESTS, false},  {SIM_ERROR_REFUSED, SIM_PROBES_SUCCEED, true},
        {SIM_ERROR_NO_REPLY, SIM_PROBES_AS_REQUESTS, false}, {SIM_ERROR_NO_REPLY, SIM_PROBES_SUCCEED, true},
    };
    sim_point share;
    sim_fault *fault = add_failing(&share);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_error error = *fault->error;
        const sim_error *kept = fault->error;
        error.type = rows[i].type;
        fault->error = &error;
        fault->probes = rows[i].probes;
        sim_world_run *run = fixture_run(&input, 1);
        ck_assert_msg(sim_world_connects(run, NORTHCENTRALUS, 0, 0, S, 0) == rows[i].opens, "row %zu", i);
        ck_assert_msg(sim_world_connects(run, NORTHCENTRALUS, SIM_NO_PARTITION, 0, S, 0) == rows[i].opens, "row %zu",
                      i);
        fixture_run_destroy(run);
        fault->error = kept;
    }
}
END_TEST

/* Half of the requests are refused: so are connections below that word, and not at it. An endpoint does not meet what
 * strikes some partitions only. */
START_TEST(luck_and_scope_decide_on_a_connection)
{
    sim_point share;
    sim_fault *fault = add_failing(&share);
    sim_error error = *fault->error;
    error.type = SIM_ERROR_REFUSED;
    fault->error = &error;
    fault->error_share = constant(&share, SIM_SHARE_ONE / 2);
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert(!sim_world_connects(run, NORTHCENTRALUS, 0, 0, S, UINT64_MAX / 2));
    ck_assert(sim_world_connects(run, NORTHCENTRALUS, 0, 0, S, UINT64_MAX / 2 + 1));
    fixture_run_destroy(run);
    static const uint32_t listed[] = {0};
    fault->partition = listed;
    fault->partition_count = 1;
    run = fixture_run(&input, 1);
    ck_assert(!sim_world_connects(run, NORTHCENTRALUS, 0, 0, S, 0));
    ck_assert(sim_world_connects(run, NORTHCENTRALUS, SIM_NO_PARTITION, 0, S, 0));
    fixture_run_destroy(run);
}
END_TEST

/* Nothing fails, and yet nobody connects; what merely lets connections open does nothing without errors. */
START_TEST(connections_stay_shut_without_a_share_of_errors)
{
    static const struct {
        uint8_t probes;
        bool opens;
    } rows[] = {{SIM_PROBES_AS_REQUESTS, true}, {SIM_PROBES_SUCCEED, true}, {SIM_PROBES_FAIL, false}};
    sim_point share;
    sim_fault *fault = add_failing(&share);
    fault->error_share = constant(&share, 0);
    fault->from = S;
    fault->until = 2 * S;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fault->probes = rows[i].probes;
        sim_world_run *run = fixture_run(&input, 1);
        ck_assert_msg(sim_world_connects(run, NORTHCENTRALUS, 0, 0, S, 0) == rows[i].opens, "row %zu", i);
        ck_assert_msg(sim_world_connects(run, NORTHCENTRALUS, SIM_NO_PARTITION, 0, S, 0) == rows[i].opens, "row %zu",
                      i);
        ck_assert(sim_world_connects(run, NORTHCENTRALUS, 0, 0, S - 1, 0));
        ck_assert_msg(sim_world_connects(run, NORTHCENTRALUS, 0, 0, 2 * S - 1, 0) == rows[i].opens, "row %zu", i);
        ck_assert(sim_world_connects(run, NORTHCENTRALUS, 0, 0, 2 * S, 0));
        ck_assert_uint_eq(send(run, 0, 0, true).status, 200);
        ck_assert(sim_truth_is_healthy(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, S));
        fixture_run_destroy(run);
    }
}
END_TEST

START_TEST(added_time_comes_after_the_multiplier_and_adds_up)
{
    sim_point factor;
    sim_point added[2];
    sim_fault *fault = fixture_add_fault(&input);
    fault->latency_multiply = constant(&factor, 3 * SIM_FACTOR_ONE);
    fault->latency_add = constant(&added[0], 5 * MS);
    fixture_add_fault(&input)->latency_add = constant(&added[1], 7 * MS);
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert_int_eq(send(run, 0, 0, false).end, S + ROUND_TRIP + 3 * 2 * MS + 12 * MS);
    fixture_run_destroy(run);
}
END_TEST

START_TEST(further_round_trips_delay_answers_but_not_refusals)
{
    static const sim_error refused[] = {{.type = SIM_ERROR_REFUSED, .share = SIM_SHARE_ONE}};
    sim_point share;
    sim_fault *fault = fixture_add_fault(&input);
    fault->round_trips = 2;
    fault->until = 2 * S;
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert_int_eq(send(run, 0, 0, false).end, S + 3 * (int64_t)ROUND_TRIP + 2 * MS);
    ck_assert(
        sim_truth_is_healthy(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, S)); /* at home one costs next to nothing */
    fixture_run_destroy(run);
    fault->error = refused;
    fault->error_share = constant(&share, SIM_SHARE_ONE);
    run = fixture_run(&input, 1);
    ck_assert_int_eq(send(run, 0, 0, false).end, S + ROUND_TRIP);
    fixture_run_destroy(run);
}
END_TEST

/* 20 ms are healthy, one nanosecond more is not; rising by 1 ms a second, from 15 ms. */
START_TEST(truth_changes_in_the_nanosecond_in_which_added_time_passes_its_limit)
{
    static const sim_point rise[] = {{0, 15 * MS}, {10 * S, 25 * MS}};
    sim_fault *fault = fixture_add_fault(&input);
    fault->latency_add = (sim_shape){SIM_SHAPE_RAMP, 2, rise};
    fault->until = 30 * S;
    sim_world_run *run = fixture_run(&input, 1);
    const int64_t change = sim_truth_next_change(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, 0);
    ck_assert_int_eq(change, 5 * S + 1000); /* 1 us a ns: the value is rounded down */
    ck_assert(sim_truth_is_healthy(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, change - 1));
    ck_assert(!sim_truth_is_healthy(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, change));
    ck_assert_int_eq(sim_truth_next_change(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, change), 30 * S);
    fixture_run_destroy(run);
}
END_TEST

/* Two points at one instant: a ramp that jumps. */
START_TEST(a_ramp_may_jump)
{
    static const sim_point points[] = {{0, 0}, {10, 100}, {10, 40}, {20, 40}, {20, 300000000}};
    const sim_shape shape = {SIM_SHAPE_RAMP, 5, points};
    static const struct {
        int64_t at;
        int64_t want;
    } cases[] = {{9, 90}, {10, 40}, {11, 40}, {19, 40}, {20, 300000000}, {21, 300000000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(sim_shape_at(&shape, cases[i].at), cases[i].want);
    fixture_add_fault(&input)->error_share = shape;
    sim_world_run *run = fixture_run(&input, 1);
    ck_assert_int_eq(sim_truth_next_change(run, NORTHCENTRALUS, 0, 0, SIM_KIND_READ, 0), 20);
    fixture_run_destroy(run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scopes");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, listed_partitions_of_each_workload_are_hit_and_no_others);
    tcase_add_test(all, metadata_meet_the_faults_on_all_partitions_only);
    tcase_add_test(all, a_larger_share_of_clients_takes_in_the_smaller);
    tcase_add_test(all, hit_clients_depend_on_the_groups_name_and_show_in_the_hash);
    tcase_add_test(all, new_connections_only_spares_who_has_one);
    tcase_add_test(all, connections_for_no_request_open_or_not);
    tcase_add_test(all, luck_and_scope_decide_on_a_connection);
    tcase_add_test(all, connections_stay_shut_without_a_share_of_errors);
    tcase_add_test(all, added_time_comes_after_the_multiplier_and_adds_up);
    tcase_add_test(all, further_round_trips_delay_answers_but_not_refusals);
    tcase_add_test(all, truth_changes_in_the_nanosecond_in_which_added_time_passes_its_limit);
    tcase_add_test(all, a_ramp_may_jump);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
