/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a fit says: for people, and for programs. */
#include <string.h>

#include "cli/cli.h"
#include "cli/table.h"
#include "import/fit.h"

enum { CELL_SIZE = 64 };

static void put_share(double share, char out[CELL_SIZE])
{
    (void)snprintf(out, CELL_SIZE, "%.2f %%", share * 100);
}

/* Relative, with its sign. */
static double error_of(double observed, double simulated)
{
    return observed > 0 ? simulated / observed - 1 : 0;
}

static bool add_row(cli_table *table, const imp_account *account, const imp_fit_row *row)
{
    char periods[CELL_SIZE];
    char median[CELL_SIZE];
    char enough[CELL_SIZE];
    char worst[CELL_SIZE] = "–";
    char when[CELL_SIZE] = "–";
    (void)snprintf(periods, sizeof periods, "%u", row->count);
    (void)snprintf(enough, sizeof enough, "%u", row->enough);
    put_share(row->median, median);
    if (row->worst >= 0) {
        put_share(row->worst, worst);
        (void)snprintf(when, sizeof when, "%.9g s", (double)account->series->period * row->worst_period / 1e9);
    }
    const char *const cells[] = {sim_catalogue_name(account->series->region[row->region]),
                                 imp_kind_name(row->kind),
                                 imp_curve_name(row->curve),
                                 periods,
                                 median,
                                 enough,
                                 worst,
                                 when};
    return cli_table_add(table, cells);
}

static int finish(cli_table *table, bool ok)
{
    if (ok)
        cli_table_print(table, CLI_TEXT, stdout);
    else
        (void)cli_complain("out of memory");
    cli_table_deinit(table);
    return ok ? CLI_OK : CLI_IO;
}

static int print_curves(const imp_account *account, const imp_fit *fit)
{
    static const cli_column COLUMNS[] = {{"region", false},        {"operation", false}, {"curve", false},
                                         {"periods", true},        {"median", true},     {"with enough samples", true},
                                         {"worst of these", true}, {"at", true}};
    cli_table table;
    bool ok = true;
    (void)printf("\nSimulated against observed, without a policy, |simulated - observed| / observed. Where "
                 "nothing failed\nthe error share counts itself. Enough samples are %d requests (rate, p50), %d errors "
                 "or none (error share),\n%d requests (p99).\n\n",
                 IMP_ENOUGH, IMP_ENOUGH, IMP_ENOUGH_P99);
    cli_table_init(&table, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
    for (uint32_t i = 0; i < fit->count; i++)
        ok = add_row(&table, account, &fit->row[i]) && ok;
    return finish(&table, ok);
}

static int print_percentiles(const imp_fit *fit)
{
    static const cli_column COLUMNS[] = {
        {"operation", false}, {"percentile", true}, {"observed", true}, {"simulated", true}, {"error", true}};
    cli_table table;
    bool ok = true;
    (void)fputs("\nSimulated against observed, at home, without a policy.\n\n", stdout);
    cli_table_init(&table, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
    for (uint32_t i = 0; i < fit->percentile_count; i++) {
        const imp_fit_percentile *at = &fit->percentile[i];
        char cell[4][CELL_SIZE];
        (void)snprintf(cell[0], CELL_SIZE, "%.7g", at->share * 100);
        (void)snprintf(cell[1], CELL_SIZE, "%.3f ms", at->observed / 1e6);
        (void)snprintf(cell[2], CELL_SIZE, "%.3f ms", at->simulated / 1e6);
        put_share(error_of(at->observed, at->simulated), cell[3]);
        const char *const cells[] = {imp_kind_name(at->kind), cell[0], cell[1], cell[2], cell[3]};
        ok = cli_table_add(&table, cells) && ok;
    }
    return finish(&table, ok);
}

static int print_trips(const imp_fit *fit)
{
    static const cli_column COLUMNS[] = {
        {"from", false}, {"to", false}, {"observed", true}, {"simulated", true}, {"error", true}};
    cli_table table;
    bool ok = true;
    (void)fputs("\nRound trips of the simulated network against those observed.\n\n", stdout);
    cli_table_init(&table, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
    for (uint32_t i = 0; i < fit->trip_count; i++) {
        const imp_fit_trip *at = &fit->trip[i];
        char cell[3][CELL_SIZE];
        (void)snprintf(cell[0], CELL_SIZE, "%.3f ms", at->observed / 1e6);
        (void)snprintf(cell[1], CELL_SIZE, "%.3f ms", at->simulated / 1e6);
        put_share(error_of(at->observed, at->simulated), cell[2]);
        const char *const cells[] = {sim_catalogue_name(at->from), sim_catalogue_name(at->to), cell[0], cell[1],
                                     cell[2]};
        ok = cli_table_add(&table, cells) && ok;
    }
    return finish(&table, ok);
}

int imp_fit_print(const imp_account *account, const imp_fit *fit)
{
    int status = CLI_OK;
    if (fit->count > 0)
        status = print_curves(account, fit);
    else if (fit->percentile_count > 0)
        status = print_percentiles(fit);
    return status == CLI_OK && fit->trip_count > 0 ? print_trips(fit) : status;
}

/* The unit of a curve's values in files, and what they are divided by. */
static const char *unit_of(imp_curve_kind curve, double *scale)
{
    *scale = curve == IMP_P50 || curve == IMP_P99 ? 1e6 : 1;
    return curve == IMP_RATE ? "/s" : curve == IMP_ERROR_SHARE ? "1" : "ms";
}

void imp_fit_write_csv(const imp_account *account, const imp_fit *fit, FILE *out)
{
    (void)fputs("region,operation,curve,unit,time_s,percentile,observed,simulated,error,enough\n", out);
    for (uint32_t i = 0; i < fit->count; i++) {
        const imp_fit_row *row = &fit->row[i];
        double scale;
        const char *unit = unit_of(row->curve, &scale);
        for (uint32_t p = 0; p < row->count; p++) {
            const imp_fit_point *at = &row->point[p];
            (void)fprintf(out, "%s,%s,%s,%s,%.9g,,%.9g,%.9g,%.6f,%d\n",
                          sim_catalogue_name(account->series->region[row->region]), imp_kind_name(row->kind),
                          imp_curve_name(row->curve), unit, (double)account->series->period * at->period / 1e9,
                          at->observed / scale, at->simulated / scale, at->error, at->is_enough);
        }
    }
    for (uint32_t i = 0; i < fit->percentile_count; i++) {
        const imp_fit_percentile *at = &fit->percentile[i];
        (void)fprintf(out, "%s,%s,latency,ms,,%.7g,%.9g,%.9g,%.6f,1\n", sim_catalogue_name(account->region[0]),
                      imp_kind_name(at->kind), at->share * 100, at->observed / 1e6, at->simulated / 1e6,
                      error_of(at->observed, at->simulated));
    }
    for (uint32_t i = 0; i < fit->trip_count; i++) {
        const imp_fit_trip *at = &fit->trip[i];
        (void)fprintf(out, "%s,,round trip to %s,ms,,,%.9g,%.9g,%.6f,1\n", sim_catalogue_name(at->from),
                      sim_catalogue_name(at->to), at->observed / 1e6, at->simulated / 1e6,
                      error_of(at->observed, at->simulated));
    }
}

static void put_json_row(const imp_account *account, const imp_fit_row *row, FILE *out)
{
    double scale;
    const char *unit = unit_of(row->curve, &scale);
    (void)fprintf(
        out,
        "    {\"region\": \"%s\", \"operation\": \"%s\", \"curve\": \"%s\", \"unit\": \"%s\", \"periods\": %u, "
        "\"median_error\": %.6f, \"enough\": %u, ",
        sim_catalogue_name(account->series->region[row->region]), imp_kind_name(row->kind), imp_curve_name(row->curve),
        unit, row->count, row->median, row->enough);
    if (row->worst >= 0)
        (void)fprintf(out, "\"worst_error\": %.6f, \"worst_time_s\": %.9g,\n     \"points\": [", row->worst,
                      (double)account->series->period * row->worst_period / 1e9);
    else
        (void)fputs("\"worst_error\": null, \"worst_time_s\": null,\n     \"points\": [", out);
    for (uint32_t p = 0; p < row->count; p++) {
        const imp_fit_point *at = &row->point[p];
        (void)fprintf(out, "%s[%.9g, %.9g, %.9g, %s]", p == 0 ? "" : ", ",
                      (double)account->series->period * at->period / 1e9, at->observed / scale, at->simulated / scale,
                      at->is_enough ? "true" : "false");
    }
    (void)fputs("]}", out);
}

void imp_fit_write_json(const imp_account *account, const imp_fit *fit, FILE *out)
{
    (void)fputs("{\n  \"scenario\": ", out);
    cli_json_text(out, account->name);
    (void)fputs(",\n  \"point\": [\"time_s\", \"observed\", \"simulated\", \"enough\"],\n  \"curves\": [", out);
    for (uint32_t i = 0; i < fit->count; i++) {
        (void)fputs(i == 0 ? "\n" : ",\n", out);
        put_json_row(account, &fit->row[i], out);
    }
    (void)fputs("\n  ],\n  \"percentiles\": [", out);
    for (uint32_t i = 0; i < fit->percentile_count; i++) {
        const imp_fit_percentile *at = &fit->percentile[i];
        (void)fprintf(
            out, "%s    {\"operation\": \"%s\", \"percentile\": %.7g, \"observed_ms\": %.9g, \"simulated_ms\": %.9g}",
            i == 0 ? "\n" : ",\n", imp_kind_name(at->kind), at->share * 100, at->observed / 1e6, at->simulated / 1e6);
    }
    (void)fputs("\n  ],\n  \"round_trips\": [", out);
    for (uint32_t i = 0; i < fit->trip_count; i++) {
        const imp_fit_trip *at = &fit->trip[i];
        (void)fprintf(out, "%s    {\"from\": \"%s\", \"to\": \"%s\", \"observed_ms\": %.9g, \"simulated_ms\": %.9g}",
                      i == 0 ? "\n" : ",\n", sim_catalogue_name(at->from), sim_catalogue_name(at->to),
                      at->observed / 1e6, at->simulated / 1e6);
    }
    (void)fputs("\n  ]\n}\n", out);
}
