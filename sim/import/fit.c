/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/work.h"
#include "experiment/plan.h"
#include "explain/replay.h"

/* Every request goes home, once. */
static const char NO_POLICY[] = "regionsim: 1\n"
                                "policy: none\n"
                                "breaker: {enabled: false}\n"
                                "hedging: {strategy: disabled}\n"
                                "endpoint: {unavailability_ttl: 0 s}\n"
                                "retry:\n"
                                "  max_failover_retry_count: 0\n"
                                "  max_session_retry_count: 0\n"
                                "  max_throttle_retry_count: 0\n"
                                "  request_timeout: 65 s\n";

const char *imp_curve_name(imp_curve_kind curve)
{
    static const char *const NAMES[IMP_CURVES] = {"rate", "error share", "p50", "p99"};
    return NAMES[curve];
}

/* ---- playing ---- */

static bool go_on(void *context, int64_t now)
{
    (void)context;
    (void)now;
    return !cli_is_stopped();
}

static int complain(const sim_input_error *error)
{
    sim_input_error_print(error, stderr);
    return CLI_USAGE;
}

static bool make_options(const sim_scenario *scenario, sim_pair_options *out, sim_input_error *error)
{
    const rgn_environment environment = sim_scenario_environment(scenario);
    sim_policy *policy = sim_policy_parse("(no policy)", NO_POLICY, strlen(NO_POLICY), NULL, 0, error);
    bool ok = policy != NULL && sim_effective_options(scenario, policy, NULL, &environment, &out->clients, error);
    for (uint32_t w = 0; ok && w < scenario->workload_count; w++)
        ok = sim_effective_options(scenario, policy, &scenario->workload[w], &environment, &out->workload[w], error);
    sim_policy_destroy(policy);
    return ok;
}

static int complain_of_run(sim_run_status status, const char *what)
{
    switch (status) {
    case SIM_RUN_OK:
        return CLI_OK;
    case SIM_RUN_INTERRUPTED:
        (void)cli_complain("interrupted; the scenario is written, its fit is not known");
        return CLI_INTERRUPTED;
    case SIM_RUN_NO_MEMORY:
        (void)cli_complain("out of memory");
        return CLI_IO;
    case SIM_RUN_TOO_MANY_PENDING:
        return cli_complain("more operations in flight than a run may have: latencies are too long for such a rate");
    case SIM_RUN_BROKEN:
        break;
    }
    (void)cli_complain("internal error: %s", what == NULL ? "the run broke off" : what);
    return CLI_INTERNAL;
}

static int play(const sim_scenario *scenario, imp_watch *watch)
{
    sim_input_error error;
    sim_pair_options options;
    sim_run_output output;
    const char *what = NULL;
    if (!make_options(scenario, &options, &error))
        return complain(&error);
    sim_world *world = sim_world_create(scenario, &error);
    if (world == NULL)
        return complain(&error);
    const sim_run_input input = {.scenario = scenario,
                                 .world = world,
                                 .router_options = &options.clients,
                                 .workload_options = options.workload,
                                 .luck = {1, 0},
                                 .observer = &exp_deaf,
                                 .world_run = sim_world_run_create(world, &(sim_luck){1, 0}),
                                 .recorder = &watch->recorder,
                                 .on_progress = go_on};
    int status = CLI_IO;
    if (input.world_run == NULL) {
        (void)cli_complain("out of memory");
    } else {
        status = complain_of_run(sim_run(&input, &output, &what), what);
        sim_run_output_deinit(&output);
    }
    imp_watch_finish(watch);
    sim_world_run_destroy(input.world_run);
    sim_world_destroy(world);
    return status;
}

/* ---- comparing ---- */

static double errors_of(const imp_cell *cell, uint32_t statuses)
{
    double sum = 0;
    for (uint32_t s = 0; s < statuses; s++)
        sum += cell->errors[s];
    return sum;
}

/* Those that got no answer; a region cannot tell of them. */
static double unanswered(const imp_series *series, const imp_cell *cell)
{
    for (uint32_t s = 0; s < series->status_count; s++) {
        if (strcmp(series->status[s], "no_reply") == 0)
            return cell->errors[s];
    }
    return 0;
}

static double value_of(const imp_series *series, const imp_cell *cell, imp_curve_kind curve)
{
    const double lost = unanswered(series, cell);
    const double answered = cell->requests - lost;
    switch (curve) {
    case IMP_RATE:
        return answered / ((double)series->period / 1e9);
    case IMP_ERROR_SHARE:
        return answered > 0 ? (errors_of(cell, series->status_count) - lost) / answered : 0;
    case IMP_P50:
        return cell->p50;
    case IMP_P99:
    case IMP_CURVES:
        break;
    }
    return cell->p99;
}

static bool is_enough(const imp_series *series, const imp_cell *cell, imp_curve_kind curve)
{
    const double lost = unanswered(series, cell);
    const double failed = errors_of(cell, series->status_count) - lost;
    const double answered = cell->requests - lost;
    if (curve == IMP_ERROR_SHARE) /* without a single error both are 0 */
        return answered >= IMP_ENOUGH && (failed == 0 || failed >= IMP_ENOUGH);
    return answered >= (curve == IMP_P99 ? IMP_ENOUGH_P99 : IMP_ENOUGH);
}

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

static void compare_row(sim_arena *arena, const imp_series *observed, const imp_series *simulated, imp_fit_row *row)
{
    double *error = sim_arena_array(arena, observed->periods, sizeof *error);
    row->point = sim_arena_array(arena, observed->periods, sizeof *row->point);
    row->worst = -1;
    for (uint32_t p = 0; p < observed->periods && p < simulated->periods; p++) {
        const imp_cell *seen = imp_cell_at(observed, p, row->region, row->kind);
        const imp_cell *made = imp_cell_at(simulated, p, row->region, row->kind);
        imp_fit_point *point = &row->point[row->count];
        if (seen->requests <= 0)
            continue;
        *point = (imp_fit_point){.period = p,
                                 .observed = value_of(observed, seen, row->curve),
                                 .simulated = value_of(simulated, made, row->curve),
                                 .is_enough = is_enough(observed, seen, row->curve)};
        const double apart = fabs(point->simulated - point->observed);
        /* Where nothing failed, a share is its own error. */
        point->error = point->observed > 0             ? apart / point->observed
                       : row->curve == IMP_ERROR_SHARE ? apart
                                                       : apart > 0;
        if (point->is_enough && point->error > row->worst) {
            row->worst = point->error;
            row->worst_period = p;
        }
        row->enough += point->is_enough;
        error[row->count++] = point->error;
    }
    qsort(error, row->count, sizeof *error, compare);
    row->median = row->count == 0 ? 0 : error[(row->count - 1) / 2];
}

static void compare_series(sim_arena *arena, const imp_account *account, const imp_series *simulated, imp_fit *out)
{
    const imp_series *observed = account->series;
    out->row = sim_arena_array(arena, (size_t)observed->region_count * SIM_KINDS * IMP_CURVES, sizeof *out->row);
    for (uint32_t r = 0; r < observed->region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++) {
            for (int c = 0; account->levels->line[r][k].is_there && c < IMP_CURVES; c++) {
                imp_fit_row *row = &out->row[out->count++];
                *row = (imp_fit_row){.region = r, .kind = k, .curve = (imp_curve_kind)c};
                compare_row(arena, observed, simulated, row);
            }
        }
    }
}

/* Percentiles of what home's clients got in the whole run: only where nothing else was observed of it. */
static void compare_percentiles(const imp_account *account, const imp_watch *watch, imp_fit *out)
{
    for (int k = 0; k < SIM_KINDS; k++) {
        const sim_histogram *got = &watch->all[k];
        for (uint32_t i = 0; account->curve[k].path != NULL && i < account->curve[k].count; i++) {
            const imp_point *point = &account->curve[k].point[i];
            int64_t value;
            if (point->share <= 0 ||
                !sim_histogram_quantile_if_supported(got, (uint32_t)(point->share * 1e6 + 0.5), &value))
                continue;
            out->percentile[out->percentile_count++] = (imp_fit_percentile){k, point->share, point->ns, (double)value};
        }
    }
}

/* From each region with clients to the others. */
static int compare_trips(sim_arena *arena, const imp_account *account, const sim_scenario *scenario, imp_fit *out)
{
    sim_input_error error;
    sim_world *world = sim_world_create(scenario, &error);
    if (world == NULL)
        return complain(&error);
    const uint32_t regions = account->region_count;
    out->trip = sim_arena_array(arena, (size_t)regions * regions, sizeof *out->trip);
    for (uint32_t from = 0; from < regions; from++) {
        const int64_t *trips = sim_world_round_trips(world, account->region[from]);
        for (uint32_t to = 0; trips != NULL && to < regions; to++) {
            if (from != to)
                out->trip[out->trip_count++] = (imp_fit_trip){
                    account->region[from], account->region[to],
                    imp_distance(account->distances, account->region[from], account->region[to]), (double)trips[to]};
        }
    }
    sim_world_destroy(world);
    return CLI_OK;
}

int imp_fit_make(sim_arena *arena, const imp_account *account, const sim_scenario *scenario, imp_fit *out)
{
    *out = (imp_fit){0};
    imp_watch watch;
    int status = CLI_IO;
    if (imp_watch_init(&watch, arena, scenario, account->series != NULL ? account->series->period : scenario->duration))
        status = play(scenario, &watch);
    else
        (void)cli_complain("out of memory");
    if (status == CLI_OK && account->series != NULL)
        compare_series(arena, account, &watch.series, out);
    else if (status == CLI_OK)
        compare_percentiles(account, &watch, out);
    imp_watch_deinit(&watch);
    if (status == CLI_OK && account->distances != NULL)
        status = compare_trips(arena, account, scenario, out);
    return status;
}
