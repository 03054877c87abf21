/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/summary.h"

#include <stdlib.h>
#include <string.h>

#include "cli/clean.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/wrap.h"

static const sim_metric_id ROWS[] = {
    SIM_METRIC_away_healthy_s,
    SIM_METRIC_home_unhealthy_s,
    SIM_METRIC_flap_count,
    SIM_METRIC_flap_rate,
    SIM_METRIC_premature_failback_count,
    SIM_METRIC_false_trip_count,
    SIM_METRIC_missed_trip_count,
    SIM_METRIC_trip_count,
    SIM_METRIC_failback_count,
    SIM_METRIC_retrip_count,
    SIM_METRIC_failback_lag_p50,
    SIM_METRIC_failback_lag_max,
    SIM_METRIC_failback_pending_count,
    SIM_METRIC_detection_time_p50,
    SIM_METRIC_canary_count,
    SIM_METRIC_canary_failure_count,
    SIM_METRIC_canary_blast_radius,
    SIM_METRIC_canary_caller_error_count,
    SIM_METRIC_availability,
    SIM_METRIC_error_count,
    SIM_METRIC_client_availability_min,
    SIM_METRIC_latency_p50,
    SIM_METRIC_latency_p99,
    SIM_METRIC_latency_p999,
    SIM_METRIC_load_amplification,
    SIM_METRIC_requests,
};

/* Unless it is there. */
static void put_row(cli_rows *rows, sim_metric_id metric)
{
    size_t at = 0;
    while (at < rows->count && rows->metric[at] != metric)
        at++;
    if (at == rows->count && metric != SIM_METRIC_COUNT)
        rows->metric[rows->count++] = metric;
}

static void put_rows(cli_rows *rows, const sim_scenario *scenario, cli_view view)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        put_row(rows, ROWS[i]);
    for (uint32_t i = 0; i < scenario->objective_count; i++)
        put_row(rows, sim_metric_find(scenario->objective[i]));
    rows->usual = rows->count;
    for (int i = 0; view == CLI_VIEW_COMPARE && i < (int)SIM_METRIC_COUNT; i++)
        put_row(rows, (sim_metric_id)i);
}

bool cli_summary_open(cli_summary *summary, const sim_store_plan *plan, const sim_outcome *outcome, const char *db,
                      cli_view view)
{
    *summary = (cli_summary){.plan = plan,
                             .outcome = outcome,
                             .db = db,
                             .view = view,
                             .rows = calloc(plan->scenario_count, sizeof *summary->rows)};
    bool ok = summary->rows != NULL;
    for (uint32_t s = 0; ok && s < plan->scenario_count; s++) {
        cli_rows *rows = &summary->rows[s];
        put_rows(rows, plan->scenario[s], view);
        rows->comparison = calloc(plan->policy_count * rows->count, sizeof *rows->comparison);
        ok = rows->comparison != NULL && cli_unjudged_find(plan->scenario[s], plan->policy, plan->policy_count,
                                                           &rows->unjudged, &rows->unjudged_count);
        for (uint32_t p = SIM_BASELINE + 1; ok && p < plan->policy_count; p++)
            ok = sim_compare(outcome, s, p, rows->metric, rows->count, rows->comparison + p * rows->count);
    }
    return ok;
}

void cli_summary_close(cli_summary *summary)
{
    for (uint32_t s = 0; summary->rows != NULL && s < summary->plan->scenario_count; s++) {
        free(summary->rows[s].comparison);
        free(summary->rows[s].unjudged);
    }
    free(summary->rows);
    *summary = (cli_summary){0};
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static bool print_scenario(const cli_summary *summary, uint32_t s, cli_format format, FILE *out)
{
    const sim_scenario *scenario = summary->plan->scenario[s];
    const bool has_colour = format == CLI_TEXT && cli_has_colour(out);
    char duration[64];
    sim_format_duration(scenario->duration, duration, sizeof duration);
    (void)fprintf(out, "%s%s%s%s%s", format == CLI_MD ? "## " : "", has_colour ? CLI_BOLD : "", scenario->name,
                  has_colour ? CLI_PLAIN : "", format == CLI_MD ? "\n\n" : ": ");
    char *about = cli_cleaned(scenario->about);
    if (format == CLI_MD)
        (void)fprintf(out, "%s\n", about == NULL ? "" : about);
    else
        cli_put_wrapped(out, about == NULL ? "" : about, (int)strlen(scenario->name) + 2, 0, cli_screen_width(out));
    (void)fprintf(out, "%s, %u client%s, %u partition%s; %u replication%s, seed %llu\n%s", duration,
                  scenario->client_count, plural(scenario->client_count), scenario->partition_count,
                  plural(scenario->partition_count), summary->plan->replications, plural(summary->plan->replications),
                  (unsigned long long)summary->plan->seed, summary->view == CLI_VIEW_RUN ? "\n" : "");
    char *verdict = cli_verdict(summary, s);
    const bool is_run = summary->view == CLI_VIEW_RUN;
    const bool ok = about != NULL && verdict != NULL && (!is_run || cli_print_values(summary, s, format, out)) &&
                    cli_print_comparisons(summary, s, format, out);
    if (ok) {
        cli_print_sparklines(summary, s, format, out);
        if (is_run)
            cli_print_expectations(summary, s, format, out);
        (void)fputc('\n', out);
        if (format == CLI_MD)
            (void)fprintf(out, "%s\n", verdict);
        else
            cli_put_wrapped(out, verdict, 0, 0, cli_prose_width(out));
        (void)fputc('\n', out);
    }
    free(verdict);
    free(about);
    return ok;
}

bool cli_summary_print(const cli_summary *summary, cli_format format, FILE *out)
{
    if (format == CLI_JSON) {
        cli_summary_print_json(summary, out);
        return true;
    }
    if (format == CLI_CSV) {
        cli_summary_print_csv(summary, out);
        return true;
    }
    bool ok = true;
    for (uint32_t s = 0; ok && s < summary->plan->scenario_count; s++)
        ok = print_scenario(summary, s, format, out);
    if (summary->db != NULL)
        (void)fprintf(out, "Database: %s\n", summary->db);
    return ok;
}

static void put_json(void *context, FILE *out)
{
    cli_summary_print_json(context, out);
}

int cli_summary_deliver(const cli_summary *summary, const cli_arguments *arguments)
{
    const bool replaces_text = arguments->json != NULL && strcmp(arguments->json, "-") == 0;
    if (!replaces_text && !cli_summary_print(summary, arguments->format, stdout)) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    const bool ok = arguments->json == NULL || cli_output_write(arguments->json, put_json, (void *)summary);
    (void)fflush(stdout); /* where both go to one file, complaints come after the summary and not inside it */
    return ok ? CLI_OK : CLI_IO;
}
