/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of telemetry as faults, phases and ground truth. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/write.h"

enum { PHASES_MAX = 60 };
#define MULTIPLY_MAX 1000.0
#define MULTIPLY_MIN 0.001
#define NEGLIGIBLE   0.00005 /* a share below this is written as none */
#define SAME         0.02    /* percentiles this near the scenario's service are left to it */

const char *imp_instant(const imp_series *series, uint32_t period, char out[IMP_TEXT_SIZE])
{
    const int64_t at = series->period * period;
    const int64_t minute = 60 * RGN_NS_PER_S;
    if (at % minute == 0)
        (void)snprintf(out, IMP_TEXT_SIZE, "%lld min", (long long)(at / minute));
    else
        (void)snprintf(out, IMP_TEXT_SIZE, "%.9g s", (double)at / 1e9);
    return out;
}

static bool is_near(double value, double from)
{
    return fabs(value - from) <= SAME * from;
}

/* p50 and p99 are local + multiply * service + add. Where that would take time off, only the median comes out. */
imp_slowness imp_slowness_of(const imp_account *self, int kind, const imp_level *level)
{
    const double local = imp_account_local(self);
    const imp_service service = imp_service_of(self, kind);
    const double p50 = fmax(level->p50 - local, 0);
    const double p99 = fmax(level->p99 - local, p50);
    if (is_near(p50 + local, service.p50 + local) && is_near(p99 + local, service.p99 + local))
        return (imp_slowness){1, 0};
    imp_slowness out = {.multiply = 1};
    if (service.p99 > service.p50)
        out.multiply = (p99 - p50) / (service.p99 - service.p50);
    out.multiply = fmin(fmax(out.multiply, MULTIPLY_MIN), MULTIPLY_MAX);
    out.add = p50 - out.multiply * service.p50;
    if (out.add >= 0)
        return out;
    out.multiply = fmin(fmax(p50 / service.p50, MULTIPLY_MIN), MULTIPLY_MAX);
    out.add = 0;
    return out;
}

typedef enum { STEP_SHARE, STEP_MULTIPLY, STEP_ADD } step_kind;

static const char *step_text(const imp_account *self, int kind, const imp_level *level, step_kind what, uint32_t status,
                             char out[IMP_TEXT_SIZE])
{
    switch (what) {
    case STEP_SHARE:
        return imp_percent(level->share[status] < NEGLIGIBLE ? 0 : level->share[status], out);
    case STEP_MULTIPLY:
        return imp_factor(imp_slowness_of(self, kind, level).multiply, out);
    case STEP_ADD:
        break;
    }
    return imp_milliseconds(imp_slowness_of(self, kind, level).add, out);
}

/* A line for each level whose value is another than the last one's. */
static void put_steps(const imp_account *self, FILE *out, int kind, const imp_line *line, step_kind what,
                      uint32_t status)
{
    char last[IMP_TEXT_SIZE] = "";
    char now[IMP_TEXT_SIZE];
    char at[IMP_TEXT_SIZE];
    for (uint32_t i = 0; i < line->count; i++) {
        (void)step_text(self, kind, &line->level[i], what, status, now);
        if (strcmp(now, last) == 0)
            continue;
        (void)fprintf(out, "          %s: %s\n", imp_instant(self->series, line->level[i].from, at), now);
        memcpy(last, now, sizeof last);
    }
}

static bool has_share(const imp_line *line, uint32_t status)
{
    for (uint32_t i = 0; i < line->count; i++) {
        if (line->level[i].share[status] >= NEGLIGIBLE)
            return true;
    }
    return false;
}

/* Whether any level has another latency than the scenario's service. */
static bool is_slow(const imp_account *self, int kind, const imp_line *line)
{
    for (uint32_t i = 0; i < line->count; i++) {
        const imp_slowness slowness = imp_slowness_of(self, kind, &line->level[i]);
        if (slowness.multiply != 1 || slowness.add != 0)
            return true;
    }
    return false;
}

static void put_where(const imp_account *self, FILE *out, uint32_t region, int kind)
{
    (void)fprintf(out, "    from: 0 min\n    where: {regions: [%s], operations: [%s]}\n",
                  sim_catalogue_name(self->region[region]), imp_kind_name(kind));
}

static void put_line(const imp_account *self, FILE *out, uint32_t region, int kind, bool *has_begun)
{
    const imp_line *line = &self->levels->line[region][kind];
    const char *name = sim_catalogue_name(self->region[region]);
    for (uint32_t s = 0; line->is_there && s < self->series->status_count; s++) {
        if (!has_share(line, s))
            continue;
        char status[IMP_LABEL_SIZE];
        (void)snprintf(status, sizeof status, "%s", self->series->status[s]);
        for (char *c = status; *c != '\0'; c++)
            *c = *c == '/' ? '-' : *c;
        (void)fprintf(out, "%s  %s-%s-%s:\n", *has_begun ? "" : "\nfaults:\n", name, imp_kind_name(kind), status);
        *has_begun = true;
        put_where(self, out, region, kind);
        (void)fprintf(out,
                      "    errors:\n      statuses: {%s: 100 %%}\n      share:                  # observed\n"
                      "        step:\n",
                      self->series->status[s]);
        put_steps(self, out, kind, line, STEP_SHARE, s);
    }
    if (!line->is_there || !is_slow(self, kind, line))
        return;
    (void)fprintf(out, "%s  %s-%s-latency:\n", *has_begun ? "" : "\nfaults:\n", name, imp_kind_name(kind));
    *has_begun = true;
    put_where(self, out, region, kind);
    (void)fputs("    latency:                # so that the observed p50 and p99 come out\n      multiply:\n"
                "        step:\n",
                out);
    put_steps(self, out, kind, line, STEP_MULTIPLY, 0);
    (void)fputs("      add:\n        step:\n", out);
    put_steps(self, out, kind, line, STEP_ADD, 0);
}

/* Whether any region and kind departs in this period. */
static bool departs_at(const imp_account *self, uint32_t period)
{
    for (uint32_t r = 0; r < self->series->region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++) {
            const imp_line *line = &self->levels->line[r][k];
            for (uint32_t i = 0; i < line->count; i++) {
                const uint32_t end = i + 1 < line->count ? line->level[i + 1].from : self->series->periods;
                if (line->level[i].from <= period && period < end && line->level[i].departs)
                    return true;
            }
        }
    }
    return false;
}

static void put_phases(const imp_account *self, FILE *out)
{
    char at[IMP_TEXT_SIZE];
    unsigned runs = 0;
    bool was = departs_at(self, 0);
    runs += was;
    (void)fprintf(out,
                  "\nphases:                     # found: some region departs from its healthy state, or none does\n"
                  "  %s: 0 min\n",
                  was ? "departure-1" : "before");
    for (uint32_t p = 1; p < self->series->periods && runs < PHASES_MAX / 2; p++) {
        const bool is = departs_at(self, p);
        if (is == was)
            continue;
        runs += is;
        (void)fprintf(out, "  %s-%u: %s\n", is ? "departure" : "healthy", runs, imp_instant(self->series, p, at));
        was = is;
    }
}

/* The ground truth must take every region's own healthy state for healthy. */
static void put_truth(const imp_account *self, FILE *out)
{
    double errors = 0.1;
    double multiply = 1;
    double add = 0;
    char text[3][IMP_TEXT_SIZE];
    for (uint32_t r = 0; self->series != NULL && r < self->series->region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++) {
            const imp_line *line = &self->levels->line[r][k];
            double share = 0;
            if (!line->is_there)
                continue;
            const imp_slowness slowness = imp_slowness_of(self, k, &line->healthy);
            for (uint32_t s = 0; s < self->series->status_count; s++)
                share += line->healthy.share[s];
            errors = fmax(errors, 2 * share);
            multiply = fmax(multiply, slowness.multiply);
            add = fmax(add, slowness.add);
        }
    }
    (void)fprintf(out,
                  "\nhealthy_when: {errors: %s, latency: %s, added: %s}   # assumed: what returns and departures are "
                  "judged by\n",
                  imp_percent(fmin(errors, 1), text[0]), imp_factor(2 * multiply, text[1]),
                  imp_milliseconds(20e6 + add, text[2]));
}

void imp_faults_write(const imp_account *self, FILE *out)
{
    bool has_begun = false;
    for (uint32_t r = 0; self->series != NULL && r < self->series->region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++)
            put_line(self, out, r, k, &has_begun);
    }
    if (self->series != NULL)
        put_phases(self, out);
    put_truth(self, out);
}
