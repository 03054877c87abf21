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

typedef enum { STEP_SHARE, STEP_TOTAL, STEP_MULTIPLY, STEP_ADD } step_kind;

/* The share of one status, or of all that are not negligible. */
static double share_of(const imp_account *self, const imp_level *level, step_kind what, uint32_t status)
{
    double sum = 0;
    for (uint32_t s = 0; s < self->series->status_count; s++) {
        if ((what == STEP_TOTAL || s == status) && level->share[s] >= NEGLIGIBLE)
            sum += level->share[s];
    }
    return fmin(sum, 1);
}

static const char *step_text(const imp_account *self, int kind, const imp_level *level, step_kind what, uint32_t status,
                             char out[IMP_TEXT_SIZE])
{
    switch (what) {
    case STEP_SHARE:
    case STEP_TOTAL:
        return imp_percent(share_of(self, level, what, status), out);
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

/* One status of a region and kind. */
static void put_status(const imp_account *self, FILE *out, uint32_t region, int kind, uint32_t status)
{
    char name[IMP_LABEL_SIZE];
    (void)snprintf(name, sizeof name, "%s", self->series->status[status]);
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '/' ? '-' : *c;
    (void)fprintf(out, "  %s-%s-%s:\n", sim_catalogue_name(self->region[region]), imp_kind_name(kind), name);
    put_where(self, out, region, kind);
    (void)fprintf(out,
                  "    errors:\n      statuses: {%s: 100 %%}\n      share:                  # observed\n"
                  "        step:\n",
                  self->series->status[status]);
    put_steps(self, out, kind, &self->levels->line[region][kind], STEP_SHARE, status);
}

/* The statuses' parts of all errors of a region and kind, in millionths that are all together. */
static void mix_of(const imp_account *self, uint32_t region, int kind, uint32_t part[IMP_STATUSES_MAX])
{
    double sum[IMP_STATUSES_MAX] = {0};
    double all = 0;
    uint32_t left = 1000000;
    uint32_t largest = 0;
    for (uint32_t s = 0; s < self->series->status_count; s++) {
        for (uint32_t p = 0; p < self->series->periods; p++)
            sum[s] += imp_cell_at(self->series, p, region, kind)->errors[s];
        all += sum[s];
        largest = sum[s] > sum[largest] ? s : largest;
    }
    for (uint32_t s = 0; s < self->series->status_count; s++) {
        part[s] = (uint32_t)(sum[s] / all * 1e6);
        left -= part[s];
    }
    part[largest] += left;
}

/* All statuses of a region and kind as one fault: their mix is that of the whole time. */
static void put_mixed(const imp_account *self, FILE *out, uint32_t region, int kind)
{
    uint32_t part[IMP_STATUSES_MAX];
    const char *between = "";
    mix_of(self, region, kind, part);
    (void)fprintf(out, "  %s-%s-errors:\n", sim_catalogue_name(self->region[region]), imp_kind_name(kind));
    put_where(self, out, region, kind);
    (void)fputs("    errors:\n      statuses: {", out);
    for (uint32_t s = 0; s < self->series->status_count; s++) {
        char text[IMP_TEXT_SIZE];
        if (part[s] == 0)
            continue;
        (void)fprintf(out, "%s%s: %s", between, self->series->status[s], imp_percent(part[s] / 1e6, text));
        between = ", ";
    }
    (void)fprintf(out,
                  "}   # observed, over the whole time: more than %d faults otherwise\n"
                  "      share:                  # observed\n        step:\n",
                  SIM_FAULTS_MAX);
    put_steps(self, out, kind, &self->levels->line[region][kind], STEP_TOTAL, 0);
}

static void put_slowness(const imp_account *self, FILE *out, uint32_t region, int kind)
{
    const imp_line *line = &self->levels->line[region][kind];
    (void)fprintf(out, "  %s-%s-latency:\n", sim_catalogue_name(self->region[region]), imp_kind_name(kind));
    put_where(self, out, region, kind);
    (void)fputs("    latency:                # so that the observed p50 and p99 come out\n      multiply:\n"
                "        step:\n",
                out);
    put_steps(self, out, kind, line, STEP_MULTIPLY, 0);
    (void)fputs("      add:\n        step:\n", out);
    put_steps(self, out, kind, line, STEP_ADD, 0);
}

/* How many faults a region and kind has, one for each status or one for all. */
static uint32_t count_of(const imp_account *self, uint32_t region, int kind, bool is_mixed)
{
    const imp_line *line = &self->levels->line[region][kind];
    uint32_t statuses = 0;
    if (!line->is_there)
        return 0;
    for (uint32_t s = 0; s < self->series->status_count; s++)
        statuses += has_share(line, s);
    return (is_mixed && statuses > 0 ? 1 : statuses) + is_slow(self, kind, line);
}

uint32_t imp_faults_count(const imp_account *self, bool is_mixed)
{
    uint32_t count = 0;
    for (uint32_t r = 0; self->series != NULL && r < self->series->region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++)
            count += count_of(self, r, k, is_mixed);
    }
    return count;
}

static void put_line(const imp_account *self, FILE *out, uint32_t region, int kind, bool is_mixed)
{
    const imp_line *line = &self->levels->line[region][kind];
    bool has_errors = false;
    if (!line->is_there)
        return;
    for (uint32_t s = 0; s < self->series->status_count; s++) {
        if (has_share(line, s) && !is_mixed)
            put_status(self, out, region, kind, s);
        has_errors = has_errors || has_share(line, s);
    }
    if (has_errors && is_mixed)
        put_mixed(self, out, region, kind);
    if (is_slow(self, kind, line))
        put_slowness(self, out, region, kind);
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
    const uint32_t count = imp_faults_count(self, false);
    (void)fputs(count > 0 ? "\nfaults:\n" : "", out);
    for (uint32_t r = 0; count > 0 && r < self->series->region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++)
            put_line(self, out, r, k, count > SIM_FAULTS_MAX);
    }
    if (self->series != NULL)
        put_phases(self, out);
    put_truth(self, out);
}
