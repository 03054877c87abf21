/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fit as a page: what was observed against what is simulated, drawn from its tables. */
#include "import/fit.h"
#include "report/page.h"

static double scale_of(imp_curve_kind curve)
{
    return curve == IMP_P50 || curve == IMP_P99 ? 1e-6 : curve == IMP_ERROR_SHARE ? 100 : 1;
}

static const char *unit_of(imp_curve_kind curve)
{
    return curve == IMP_P50 || curve == IMP_P99 ? "ms" : curve == IMP_ERROR_SHARE ? "%" : "/s";
}

/* Errors are shares; shown in percent. */
static void put_error(FILE *out, bool has_value, double error)
{
    rep_cell(out, has_value, error * 100);
}

static void put_summary(const imp_account *account, const imp_fit *fit, FILE *out)
{
    static const char *const HEADING[] = {
        "region", "operation", "curve", "periods", "median error, %", "with enough samples", "worst of these, %"};
    rep_table_open(out, "fit-summary", "Simulated against observed, |simulated - observed| / observed", HEADING, 7);
    for (uint32_t i = 0; i < fit->count; i++) {
        const imp_fit_row *row = &fit->row[i];
        (void)fputs("<tr><th scope=row>", out);
        rep_name(out, sim_catalogue_name(account->series->region[row->region]));
        (void)fprintf(out, "<td>%s<td>%s<td>%u", imp_kind_name(row->kind), imp_curve_name(row->curve), row->count);
        put_error(out, true, row->median);
        (void)fprintf(out, "<td>%u", row->enough);
        put_error(out, row->worst >= 0, row->worst);
        (void)fputc('\n', out);
    }
    rep_table_close(out);
}

static bool is_of(const imp_fit_row *row, const imp_fit_row *first)
{
    return row->region == first->region && row->kind == first->kind;
}

/* Period by period, all curves of the region and kind of row `first`, which are `count` rows. */
static void put_periods(const imp_account *account, const imp_fit_row *first, uint32_t count, FILE *out)
{
    enum { CURVES = IMP_CURVES, TEXT = 48 };
    char heading[2 * CURVES + 1][TEXT] = {"min"};
    const char *headings[2 * CURVES + 1] = {heading[0]};
    char caption[128];
    char id[64];
    for (uint32_t c = 0; c < count && c < CURVES; c++) {
        const imp_curve_kind curve = first[c].curve;
        for (int s = 0; s < 2; s++) {
            headings[1 + 2 * c + (uint32_t)s] = heading[1 + 2 * c + (uint32_t)s];
            (void)snprintf(heading[1 + 2 * c + (uint32_t)s], TEXT, "%s, %s: %s", imp_curve_name(curve), unit_of(curve),
                           s == 0 ? "observed" : "simulated");
        }
    }
    (void)snprintf(caption, sizeof caption, "%s %s", sim_catalogue_name(account->series->region[first->region]),
                   imp_kind_name(first->kind));
    (void)snprintf(id, sizeof id, "fit-%u-%d", first->region, first->kind);
    rep_table_open(out, id, caption, headings, 1 + 2 * (size_t)count);
    uint32_t place[CURVES] = {0};
    for (uint32_t period = 0; period < account->series->periods; period++) {
        (void)fputs("<tr>", out);
        rep_cell(out, true, (double)account->series->period * period / 60e9);
        for (uint32_t c = 0; c < count && c < CURVES; c++) {
            const imp_fit_row *row = &first[c];
            while (place[c] < row->count && row->point[place[c]].period < period)
                place[c]++;
            const bool has_point = place[c] < row->count && row->point[place[c]].period == period;
            const imp_fit_point *point = has_point ? &row->point[place[c]] : NULL;
            rep_cell(out, has_point, has_point ? point->observed * scale_of(row->curve) : 0);
            rep_cell(out, has_point, has_point ? point->simulated * scale_of(row->curve) : 0);
        }
        (void)fputc('\n', out);
    }
    rep_table_close(out);
}

static void put_curves(const imp_account *account, const imp_fit *fit, FILE *out)
{
    rep_figure_begin(
        out, "fit", "Period by period",
        "What each region answered, as observed and as simulated without any policy. Where few requests or "
        "errors were counted, chance alone moves a curve.");
    for (uint32_t i = 0; i < fit->count;) {
        uint32_t count = 1;
        while (i + count < fit->count && is_of(&fit->row[i + count], &fit->row[i]))
            count++;
        put_periods(account, &fit->row[i], count, out);
        i += count;
    }
    rep_figure_end(out);
}

static void put_percentiles(const imp_fit *fit, FILE *out)
{
    static const char *const HEADING[] = {"operation", "percentile", "observed, ms", "simulated, ms"};
    rep_figure_begin(out, "agree", "Percentiles",
                     "At home, without a policy. On the line both are the same; both scales are logarithmic.");
    rep_table_open(out, "fit-percentiles", "Latency", HEADING, 4);
    for (uint32_t i = 0; i < fit->percentile_count; i++) {
        const imp_fit_percentile *at = &fit->percentile[i];
        (void)fprintf(out, "<tr><th scope=row>%s<td>%.7g", imp_kind_name(at->kind), at->share * 100);
        rep_cell(out, true, at->observed / 1e6);
        rep_cell(out, true, at->simulated / 1e6);
        (void)fputc('\n', out);
    }
    rep_table_close(out);
    rep_figure_end(out);
}

static void put_trips(const imp_fit *fit, FILE *out)
{
    static const char *const HEADING[] = {"from", "to", "observed, ms", "simulated, ms"};
    rep_figure_begin(out, "agree", "Round trips",
                     "Those of the simulated network against those of the table. On the line both are the same.");
    rep_table_open(out, "fit-trips", "Round trips", HEADING, 4);
    for (uint32_t i = 0; i < fit->trip_count; i++) {
        const imp_fit_trip *at = &fit->trip[i];
        (void)fputs("<tr><th scope=row>", out);
        rep_name(out, sim_catalogue_name(at->from));
        (void)fputs("<td>", out);
        rep_name(out, sim_catalogue_name(at->to));
        rep_cell(out, true, at->observed / 1e6);
        rep_cell(out, true, at->simulated / 1e6);
        (void)fputc('\n', out);
    }
    rep_table_close(out);
    rep_figure_end(out);
}

void imp_fit_write_page(const imp_account *account, const imp_fit *fit, FILE *out)
{
    static const char *const SIDES[] = {"observed", "simulated"};
    rep_frame_open(out, account->name);
    (void)fputs("<section class=scenario id=s1>\n<h1>", out);
    rep_name(out, account->name);
    (void)fputs("</h1>\n<p class=about>How well the imported scenario shows what its tables say. It was played once, "
                "without any policy that would move a request.</p>\n<ul class=key aria-label=\"Lines and their "
                "colours\">",
                out);
    for (int i = 0; i < 2; i++)
        (void)fprintf(
            out,
            "<li class=\"c%d d0\" data-colour=%d><svg width=26 height=10 aria-hidden=true><path d=\"M0 5H26\"/>"
            "</svg> <span>%s</span>",
            1 - i, 1 - i, SIDES[i]);
    (void)fputs("</ul>\n", out);
    if (fit->count > 0) {
        put_summary(account, fit, out);
        put_curves(account, fit, out);
    }
    if (fit->percentile_count > 0)
        put_percentiles(fit, out);
    if (fit->trip_count > 0)
        put_trips(fit, out);
    (void)fputs("</section>\n", out);
    rep_frame_close(out);
}
