/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in the tables, and what the dump shows of it. */
#include <unistd.h>

#include "scratch.h"
#include "store/rows.h"

START_TEST(the_tables_are_those_that_readers_rely_on)
{
    static const char *const TABLES[] = {"experiment",
                                         "scenario",
                                         "policy",
                                         "run",
                                         "run_timing",
                                         "metric",
                                         "histogram",
                                         "interval",
                                         "transition",
                                         "metric_definition",
                                         "option",
                                         "region",
                                         "phase",
                                         "checkpoint",
                                         "interval_region",
                                         "operation_sample",
                                         "operation_attempt",
                                         "operation_event",
                                         "interval_threshold",
                                         "interval_station",
                                         "sweep_point",
                                         "sweep_value"};
    sim_store_close(scratch_create(1));
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
        char sql[200];
        (void)snprintf(sql, sizeof sql, "SELECT type || strict FROM pragma_table_list WHERE name = '%s'", TABLES[i]);
        ck_assert_answer(sql, "table1");
    }
    ck_assert_answer("SELECT count(*) FROM pragma_table_info('run') WHERE name IN ('id', 'scenario_id', 'policy_id',"
                     " 'replication', 'seed', 'requests', 'digest', 'input_digest', 'luck_digest', 'result_digest',"
                     " 'state')",
                     "11");
    ck_assert_answer("PRAGMA application_id", "1919382381");
    ck_assert_answer("PRAGMA user_version", "4");
    ck_assert_answer("PRAGMA journal_mode", "delete");
}
END_TEST

START_TEST(every_table_is_known_and_all_but_run_timing_are_dumped)
{
    sim_store *store = scratch_create(1);
    char *text = scratch_dump(store);
    size_t count = 0;
    bool is_deterministic = false;
    for (const char *name; (name = sim_store_table(count, &is_deterministic)) != NULL; count++) {
        char heading[100];
        (void)snprintf(heading, sizeof heading, "# %s\n", name);
        ck_assert_msg((strstr(text, heading) != NULL) == is_deterministic, "%s", name);
        ck_assert_int_eq(is_deterministic, strcmp(name, "run_timing") != 0);
    }
    char number[32];
    (void)snprintf(number, sizeof number, "%zu", count);
    ck_assert_answer("SELECT count(*) FROM sqlite_schema WHERE type = 'table'", number);
    free(text);
    sim_store_close(store);
}
END_TEST

START_TEST(the_plan_is_there_before_any_run)
{
    sim_store_close(scratch_create(FIXTURE_REPLICATIONS));
    ck_assert_answer("SELECT group_concat(id || state) FROM run",
                     "1planned,2planned,3planned,4planned,5planned,6planned");
    ck_assert_answer("SELECT policy_id || ' ' || replication || ' ' || seed FROM run WHERE id = 5", "2 1 7");
    ck_assert_answer("SELECT group_concat(name || writable) FROM region", "northcentralus1,centralus0");
    ck_assert_answer("SELECT group_concat(name || (start / 1000000000) || '-' || (until / 1000000000)) FROM phase",
                     "all0-120,before0-60,after60-120");
    ck_assert_answer("SELECT text FROM scenario", "regionsim: 1\nscenario: made\n");
    ck_assert_answer("SELECT text || origin FROM option WHERE knob = 'failback.min_sample' AND workload = 'shop'",
                     "10default");
    ck_assert_answer("SELECT count(*) = (SELECT 2 * 2 * count(*) FROM (SELECT DISTINCT knob FROM option)) FROM option",
                     "1");
}
END_TEST

START_TEST(a_run_is_written_with_every_field)
{
    sim_store *store = scratch_create(FIXTURE_REPLICATIONS);
    scratch_write_run(store, 1, 0);
    sim_store_close(store);
    ck_assert_answer("SELECT state || requests || ' ' || legs || ' ' || peak_pending || ' ' || late_successes || ' ' ||"
                     " late_failures || ' ' || failed_allocations || ' ' || transitions_left_out || ' ' || end"
                     " FROM run WHERE id = 4",
                     "done1004 1100 6 8 9 10 4 11");
    ck_assert_answer("SELECT concat FROM (SELECT at || ' ' || client || ' ' || partition || ' ' || reason || ' ' ||"
                     " reason_name || ' ' || direction || phase_before || phase_after || tripped_before ||"
                     " tripped_after || ' ' || region || first_failed || current_region || failed_regions || cause ||"
                     " ' ' || generation || window_id || canary_total || canary_success || canary_in_flight ||"
                     " failures || threshold || elapsed || jitter AS concat FROM transition WHERE n = 0)",
                     "21000000000 1 3 2 trip 11202 00111 111213141516171819");
    ck_assert_answer(
        "SELECT region IS NULL AND current_region IS NULL AND first_failed = 1 FROM transition WHERE n = 1", "1");
    ck_assert_answer("SELECT group_concat(legs) FROM interval_region WHERE n = 3", "14,24");
    ck_assert_answer("SELECT latency_p50 IS NULL AND latency_p99 IS NULL AND latency_max = 9 FROM interval WHERE n = 0",
                     "1");
    ck_assert_answer("SELECT group_concat(id || kind || latency || reason || away || coalesce(canary_retry, '-'))"
                     " FROM operation_sample",
                     "0read500success1-,1write500success170");
    ck_assert_answer("SELECT group_concat(coalesce(hedge_threshold, '-') || coalesce(hedge_primary, '-') ||"
                     " coalesce(hedge_response, '-')) FROM operation_sample",
                     "---,2500-");
    ck_assert_answer("SELECT group_concat(n || leg || region || reason || ' ' || context || hub || sent || ' ' ||"
                     " elapsed || outcome || coalesce(status, '-') || coalesce(substatus, '-'))"
                     " FROM operation_attempt WHERE id = 1",
                     "0primary0preferred initial01000 400answered5037,1alternate1hedge hedging11300 200cancelled--");
    ck_assert_answer("SELECT group_concat(id || ' ' || n || ' ' || at || event || json_extract(json,"
                     " '$.last_status_code')) FROM operation_event",
                     "1 0 1300cosmos.hedge.both_transient503");
    ck_assert_answer("SELECT count(*) || ' ' || max(k) FROM checkpoint", "64 63");
    ck_assert_answer(
        "SELECT value IS NULL AND more_than IS NULL FROM metric WHERE name = 'flap_rate' AND phase = 'all'", "1");
    ck_assert_answer("SELECT value IS NULL AND more_than = 4e9 FROM metric WHERE name = 'failback_lag_max'"
                     " AND phase = 'all'",
                     "1");
    ck_assert_answer("SELECT total || ' ' || max FROM histogram WHERE phase = 'before' AND outcome = 'ok'",
                     "100 400000000");
    ck_assert_answer("SELECT total || ' ' || coalesce(max, '-') FROM histogram WHERE phase = 'after'"
                     " AND outcome = 'failed'",
                     "0 -");
    ck_assert_answer("SELECT count(*) FROM pragma_foreign_key_check", "0");
    ck_assert_answer("PRAGMA integrity_check", "ok");
}
END_TEST

START_TEST(every_view_can_be_read)
{
    sim_store *store = scratch_create(FIXTURE_REPLICATIONS);
    scratch_write_run(store, 0, 0);
    scratch_write_run(store, 0, 1);
    sim_store_close(store);
    ck_assert_answer("SELECT scenario || policy || state || elapsed_s FROM v_run", "madecalmdone2.0e-09");
    ck_assert_answer("SELECT mean || ' ' || replications || ' ' || missing FROM v_metric_by_policy"
                     " WHERE metric = 'requests' AND phase = 'all'",
                     "0.09375 2 0");
    ck_assert_answer("SELECT value FROM v_metric WHERE metric = 'requests' AND phase = 'all' AND replication = 1",
                     "0.125");
    ck_assert_answer("SELECT start_s FROM v_interval WHERE replication = 1 LIMIT 1", "0.0");
    ck_assert_answer("SELECT reason || home || current FROM v_transition", "tripnorthcentraluscentralus");
    ck_assert_answer("SELECT transitions FROM v_transition_count WHERE reason = 'trip'", "2");
    ck_assert_answer("SELECT count(*) FROM v_option_set", "0");
}
END_TEST

typedef struct {
    int rows;
    int censored;
    int nulls;
    double sum;
    uint64_t total;
    sim_histogram merged;
} seen;

static void see_metric(void *context, const sim_stored_metric *row)
{
    seen *self = context;
    ck_assert_uint_eq(row->scenario, 0);
    ck_assert_uint_eq(row->policy, 1);
    ck_assert_uint_eq(row->replication, 2);
    self->rows++;
    self->censored += row->value.is_censored;
    self->nulls += row->value.is_null;
    if (row->metric == SIM_METRIC_availability)
        self->sum += row->value.value;
    if (row->value.is_censored)
        ck_assert_double_eq(row->value.value, 6e9);
}

static void see_histogram(void *context, const sim_stored_histogram *row)
{
    seen *self = context;
    self->total += row->histogram->total;
    if (row->is_ok && strcmp(row->phase, "all") == 0)
        sim_histogram_merge(&self->merged, row->histogram);
}

START_TEST(what_was_written_is_read_back)
{
    static fixture_run run;
    static seen got;
    const sim_store_plan plan = fixture_plan(FIXTURE_REPLICATIONS);
    sim_store *store = scratch_create(FIXTURE_REPLICATIONS);
    scratch_write_run(store, 1, 2);
    sim_store_close(store);
    store = sim_store_open(scratch_path, &scratch_error);
    ck_assert_msg(store != NULL, "%s", scratch_error.message);
    memset(&got, 0, sizeof got);
    sim_histogram_clear(&got.merged);
    ck_assert(sim_store_read_metrics(store, see_metric, &got, &scratch_error));
    ck_assert(sim_store_read_histograms(store, see_histogram, &got, &scratch_error));
    fixture_run_make(&run, &plan, 0, 1, 2);
    double sum = 0;
    for (int phase = 0; phase < FIXTURE_PHASES; phase++)
        sum += run.metric[phase * (int)SIM_METRIC_COUNT + (int)SIM_METRIC_availability].value;
    ck_assert_double_eq(got.sum, sum);
    ck_assert_int_eq(got.rows, FIXTURE_PHASES * (int)SIM_METRIC_COUNT);
    ck_assert_int_eq(got.censored, 1);
    ck_assert_int_eq(got.nulls, 2);
    ck_assert_uint_eq(got.total, 301);
    ck_assert_mem_eq(got.merged.count, run.ok[0].count, sizeof got.merged.count);
    ck_assert_int_eq(got.merged.max, run.ok[0].max);
    sim_store_summary summary;
    ck_assert(sim_store_read_summary(store, &summary, &scratch_error));
    ck_assert_uint_eq(summary.runs_done, 1);
    ck_assert_uint_eq(summary.policy_count, 2);
    sim_store_close(store);
}
END_TEST

START_TEST(the_order_of_finishing_leaves_no_trace)
{
    sim_store *store = scratch_create(FIXTURE_REPLICATIONS);
    for (uint32_t i = 0; i < 2 * FIXTURE_REPLICATIONS; i++)
        scratch_write_run(store, i / FIXTURE_REPLICATIONS, i % FIXTURE_REPLICATIONS);
    char *forward = scratch_dump(store);
    sim_store_close(store);
    ck_assert_int_eq(unlink(scratch_path), 0);
    store = scratch_create(FIXTURE_REPLICATIONS);
    for (uint32_t i = 2 * FIXTURE_REPLICATIONS; i-- > 0;)
        scratch_write_run(store, i / FIXTURE_REPLICATIONS, i % FIXTURE_REPLICATIONS);
    char *backward = scratch_dump(store);
    sim_store_close(store);
    ck_assert_str_eq(forward, backward);
    free(forward);
    free(backward);
}
END_TEST

/* What a change to a run does to the dump. */
typedef struct {
    const char *name;
    bool is_seen;
    void (*change)(fixture_run *run);
} change;

static void change_time(fixture_run *run)
{
    run->run.timing.elapsed_ns++;
    run->run.timing.started_unix_s++;
    run->run.timing.jobs = 9;
    run->run.timing.event_mode = "reference";
    run->run.timing.command_line = "something else";
    run->output.events++;
    run->output.router_bytes++;
}

static void change_metric(fixture_run *run)
{
    run->metric[SIM_METRIC_COUNT].value += 1e-15 * run->metric[SIM_METRIC_COUNT].value + 1e-300;
    run->metric[SIM_METRIC_COUNT].value *= 1 + 1e-15;
}

static void change_bucket(fixture_run *run)
{
    fixture_record(&run->failed[2], 1);
}

static void change_checkpoint(fixture_run *run)
{
    run->output.checkpoint[63].lane[1] ^= 1;
}

static void change_transition(fixture_run *run)
{
    run->transition[1].transition.jitter++;
}

static void change_sample(fixture_run *run)
{
    run->sample[1].ended.flags ^= SIM_ENDED_CANARY;
}

static const change CHANGES[] = {
    {"nothing but facts of the execution", false, change_time},
    {"the last digit of a metric", true, change_metric},
    {"one operation in a histogram", true, change_bucket},
    {"one bit of the last checkpoint", true, change_checkpoint},
    {"one nanosecond of jitter", true, change_transition},
    {"one flag of a sampled operation", true, change_sample},
};

START_TEST(the_dump_shows_every_deterministic_change_and_no_other)
{
    static fixture_run run;
    const change *what = &CHANGES[_i];
    const sim_store_plan plan = fixture_plan(1);
    char *text[2];
    for (int i = 0; i < 2; i++) {
        sim_store *store = scratch_create(1);
        fixture_run_make(&run, &plan, 0, 0, 0);
        if (i == 1)
            what->change(&run);
        ck_assert_msg(sim_store_write_run(store, &run.run, &scratch_error), "%s", scratch_error.message);
        text[i] = scratch_dump(store);
        sim_store_close(store);
        ck_assert_int_eq(unlink(scratch_path), 0);
    }
    ck_assert_msg((strcmp(text[0], text[1]) != 0) == what->is_seen, "%s", what->name);
    free(text[0]);
    free(text[1]);
}
END_TEST

/* A full disk is noticed in the midst of rows; what SQLite says of it must outlive those that follow. */
START_TEST(rows_behind_one_that_failed_do_not_hide_why)
{
    sqlite3 *db = NULL;
    sim_rows rows;
    ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "CREATE TABLE t (n INT CHECK (n > 0), w TEXT)", NULL, NULL, NULL), SQLITE_OK);
    sim_rows_open(&rows, db, "INSERT INTO t VALUES (?, ?)");
    for (int64_t n = 1; n >= -2; n--) {
        sim_rows_int(&rows, n);
        sim_rows_text(&rows, "x");
        sim_rows_next(&rows);
    }
    ck_assert(!sim_rows_close(&rows));
    ck_assert_str_eq(sqlite3_errmsg(db), "CHECK constraint failed: n > 0");
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store");
    TCase *tables = tcase_create("store");
    tcase_add_checked_fixture(tables, scratch_enter, scratch_leave);
    tcase_add_test(tables, the_tables_are_those_that_readers_rely_on);
    tcase_add_test(tables, every_table_is_known_and_all_but_run_timing_are_dumped);
    tcase_add_test(tables, the_plan_is_there_before_any_run);
    tcase_add_test(tables, rows_behind_one_that_failed_do_not_hide_why);
    tcase_add_test(tables, a_run_is_written_with_every_field);
    tcase_add_test(tables, every_view_can_be_read);
    tcase_add_test(tables, what_was_written_is_read_back);
    tcase_add_test(tables, the_order_of_finishing_leaves_no_trace);
    tcase_add_loop_test(tables, the_dump_shows_every_deterministic_change_and_no_other, 0,
                        (int)(sizeof CHANGES / sizeof *CHANGES));
    suite_add_tcase(suite, tables);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
