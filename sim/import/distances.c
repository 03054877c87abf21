/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/distances.h"

#include <string.h>

#define LONGEST_NS 6e10 /* of a round trip: a minute */

static int find_measured(const imp_csv *csv, const char *stem, const char *unit, double *unit_ns)
{
    for (int i = 0; i < csv->header_count; i++) {
        if (imp_is_measured(csv->header[i], stem, unit, unit_ns))
            return i;
    }
    return -1;
}

bool imp_is_distances(const imp_csv *csv)
{
    return imp_csv_find(csv, "src") >= 0 && imp_csv_find(csv, "dst") >= 0;
}

/* A region, where a cloud's name and two hyphens may come first. */
static bool read_region(imp_csv *csv, int field, uint16_t *region)
{
    const char *cloud = strstr(csv->field[field].text, "--");
    if (cloud != NULL && (*region = imp_region_find(cloud + 2)) != SIM_CATALOGUE_NONE)
        return true;
    return imp_csv_region(csv, field, region);
}

/* A value of the row in ns; an empty field is none. */
static bool read_value(const imp_csv *csv, int field, double unit_ns, double *out)
{
    if (csv->field[field].text[0] == '\0')
        return true;
    if (!imp_csv_number(csv, field, 0, LONGEST_NS / unit_ns, "a round trip", out))
        return false;
    *out *= unit_ns;
    return true;
}

bool imp_distances_read(imp_csv *csv, const char *unit, imp_distances *out)
{
    static const char *const STEMS[] = {"p50", "median", "avg", "mean", "avg_rtt"};
    const int src = imp_csv_find(csv, "src");
    const int dst = imp_csv_find(csv, "dst");
    double median_ns = 0;
    double p95_ns = 0;
    int median = -1;
    for (size_t i = 0; median < 0 && i < sizeof STEMS / sizeof *STEMS; i++)
        median = find_measured(csv, STEMS[i], unit, &median_ns);
    const int p95 = find_measured(csv, "p95", unit, &p95_ns);
    const int date = imp_csv_find(csv, "date");
    if (src < 0 || dst < 0 || median < 0)
        return imp_csv_refuse_header(csv, 0, "columns src, dst and p50_ms (or median_ms, avg_ms) in the header");
    const size_t regions = sim_catalogue_count();
    *out = (imp_distances){.path = csv->path,
                           .statistic = csv->header[median],
                           .regions = regions,
                           .median = sim_arena_array(csv->arena, regions * regions, sizeof(double)),
                           .p95 = p95 < 0 ? NULL : sim_arena_array(csv->arena, regions * regions, sizeof(double)),
                           .first = SIM_CATALOGUE_NONE};
    const char **listed_on = sim_arena_array(csv->arena, regions * regions, sizeof *listed_on);
    for (size_t i = 0; i < regions * regions; i++) {
        out->median[i] = -1;
        if (p95 >= 0)
            out->p95[i] = -1;
    }
    while (imp_csv_next(csv)) {
        uint16_t from;
        uint16_t to;
        if (!read_region(csv, src, &from) || !read_region(csv, dst, &to))
            return false;
        const size_t place = from * regions + to;
        const char *on = date < 0 ? "" : csv->field[date].text;
        if (listed_on[place] != NULL && strcmp(listed_on[place], on) > 0)
            continue;
        if (listed_on[place] != NULL && strcmp(listed_on[place], on) == 0)
            return imp_csv_refuse(csv, src, "a pair that no earlier line%s is about",
                                  date < 0 ? "" : " of the same date");
        listed_on[place] = on;
        if (!read_value(csv, median, median_ns, &out->median[place]) ||
            (p95 >= 0 && !read_value(csv, p95, p95_ns, &out->p95[place])))
            return false;
        if (out->first == SIM_CATALOGUE_NONE)
            out->first = from;
    }
    return csv->error->message[0] == '\0' &&
           (out->first != SIM_CATALOGUE_NONE || imp_csv_refuse_header(csv, 0, "at least one pair below the header"));
}

/* The median, or the p95 where there is none: as the program reads its own tables. */
static double listed(const imp_distances *self, size_t place)
{
    return self->median[place] >= 0 || self->p95 == NULL ? self->median[place] : self->p95[place];
}

double imp_distance(const imp_distances *self, uint16_t from, uint16_t to)
{
    const double there = listed(self, from * self->regions + to);
    return there >= 0 ? there : listed(self, to * self->regions + from);
}

void imp_distances_write(const imp_distances *self, FILE *out)
{
    (void)fputs("src,dst,p50_ms,p95_ms\n", out);
    for (size_t from = 0; from < self->regions; from++) {
        for (size_t to = 0; to < self->regions; to++) {
            const double ns = from == to ? -1 : imp_distance(self, (uint16_t)from, (uint16_t)to);
            const double p95 = self->p95 == NULL ? -1 : self->p95[from * self->regions + to];
            if (ns < 0)
                continue;
            (void)fprintf(out, "%s,%s,%.6f,", sim_catalogue_name((uint16_t)from), sim_catalogue_name((uint16_t)to),
                          ns / 1e6);
            if (p95 >= 0)
                (void)fprintf(out, "%.6f", p95 / 1e6);
            (void)fputc('\n', out);
        }
    }
}
