/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/curves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS_MAX = 4096, BOUNDS_KEPT = 40 };
#define LONGEST_NS 3.6e12 /* an hour */
#define SHARE_MAX  (1 - 1e-9)

typedef struct {
    int column;
    double share;
    double unit_ns;
} percentile_column;

/* ---- which operation ---- */

static int find_operation(const imp_csv *csv)
{
    const int column = imp_csv_find(csv, "operation");
    return column >= 0 ? column : imp_csv_find(csv, "name");
}

/* SIM_KINDS: the row is about both, as the column is not there. -1 with `*error`. */
static int kind_of_row(const imp_csv *csv, int column)
{
    if (column < 0)
        return SIM_KINDS;
    if (strcmp(csv->field[column].text, "read") == 0)
        return SIM_KIND_READ;
    if (strcmp(csv->field[column].text, "write") == 0)
        return SIM_KIND_WRITE;
    (void)imp_csv_refuse(csv, column, "read or write");
    return -1;
}

/* ---- percentiles ---- */

/* "p99.9_ms": 0.999 and its unit. */
static bool is_percentile(const char *name, const char *unit, percentile_column *out)
{
    char *end = NULL;
    if (name[0] != 'p' || name[1] < '0' || name[1] > '9' || strspn(name + 1, "0123456789.") > 9)
        return false;
    out->share = strtod(name + 1, &end) / 100;
    char stem[16];
    (void)snprintf(stem, sizeof stem, "%.*s", (int)(end - name), name);
    return out->share < 1 && imp_is_measured(name, stem, unit, &out->unit_ns);
}

static int compare(const void *a, const void *b)
{
    const percentile_column *left = a;
    const percentile_column *right = b;
    return (left->share > right->share) - (left->share < right->share);
}

static uint32_t find_percentiles(const imp_csv *csv, const char *unit, percentile_column *out)
{
    uint32_t count = 0;
    for (int i = 0; i < csv->header_count; i++) {
        if (is_percentile(csv->header[i], unit, &out[count]))
            out[count++].column = i;
    }
    qsort(out, count, sizeof *out, compare);
    return count;
}

bool imp_is_percentiles(const imp_csv *csv, const char *unit)
{
    percentile_column column[IMP_COLUMNS_MAX];
    return find_percentiles(csv, unit, column) >= 2;
}

bool imp_percentiles_read(imp_csv *csv, const char *unit, imp_curve out[SIM_KINDS])
{
    percentile_column column[IMP_COLUMNS_MAX];
    const uint32_t count = find_percentiles(csv, unit, column);
    const int operation = find_operation(csv);
    if (count < 2)
        return imp_csv_refuse_header(csv, 0, "at least two columns such as p50_ms and p99_ms in the header");
    for (uint32_t i = 1; i < count; i++) {
        if (column[i].share == column[i - 1].share)
            return imp_csv_refuse_header(csv, column[i].column, "each percentile once");
    }
    while (imp_csv_next(csv)) {
        imp_curve curve = {.path = csv->path, .count = count};
        for (uint32_t i = 0; i < count; i++) {
            imp_point *point = &curve.point[i];
            point->share = column[i].share;
            if (!imp_csv_number(csv, column[i].column, 0, LONGEST_NS / column[i].unit_ns, "a latency", &point->ns))
                return false;
            point->ns *= column[i].unit_ns;
            if (i > 0 && point->ns < point[-1].ns)
                return imp_csv_refuse(csv, column[i].column, "no less than the percentile below it");
        }
        const int kind = kind_of_row(csv, operation);
        if (kind < 0)
            return false;
        for (int k = 0; k < SIM_KINDS; k++) {
            if (kind != SIM_KINDS && kind != k)
                continue;
            if (out[k].path != NULL)
                return imp_csv_refuse(csv, operation < 0 ? 0 : operation, "one row for each operation");
            out[k] = curve;
        }
    }
    return csv->error->message[0] == '\0' && (out[SIM_KIND_READ].path != NULL || out[SIM_KIND_WRITE].path != NULL ||
                                              imp_csv_refuse_header(csv, 0, "at least one row below the header"));
}

/* ---- histograms ---- */

static int find_bound(const imp_csv *csv, const char *unit, double *unit_ns)
{
    static const char *const STEMS[] = {"upper", "upper_bound", "le"};
    for (int i = 0; i < csv->header_count; i++) {
        for (size_t s = 0; s < sizeof STEMS / sizeof *STEMS; s++) {
            if (imp_is_measured(csv->header[i], STEMS[s], unit, unit_ns))
                return i;
        }
    }
    return -1;
}

bool imp_is_histogram(const imp_csv *csv, const char *unit)
{
    double ns;
    return find_bound(csv, unit, &ns) >= 0 && imp_csv_find(csv, "count") >= 0;
}

typedef struct {
    uint32_t count;
    double upper[BUCKETS_MAX]; /* ns */
    double held[BUCKETS_MAX];
    double total;
} buckets;

/* Values of the first bucket that holds any begin at the bound below it, or at half of its own. */
static double least_of(const buckets *from, uint32_t first)
{
    return first > 0 ? from->upper[first - 1] : from->upper[0] / 2;
}

static void make_curve(const buckets *from, const char *path, imp_curve *out)
{
    static const double KEPT[] = {0.01, 0.05, 0.1,  0.2,   0.3,   0.4,   0.5,    0.6,    0.7,     0.8,       0.85, 0.9,
                                  0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 0.99999, SHARE_MAX, 1,    2};
    uint32_t first = 0;
    double sum = 0;
    size_t next = 0; /* of the percentiles to keep */
    while (from->held[first] <= 0)
        first++;
    *out = (imp_curve){.path = path, .count = 1, .point = {{0, least_of(from, first)}}};
    for (uint32_t i = first; i < from->count; i++) {
        sum += from->held[i];
        const double share = sum / from->total < SHARE_MAX ? sum / from->total : SHARE_MAX;
        const bool is_kept = from->count <= BOUNDS_KEPT || share >= KEPT[next];
        while (share >= KEPT[next])
            next++;
        if (!is_kept || share <= out->point[out->count - 1].share)
            continue;
        out->point[out->count++] = (imp_point){share, from->upper[i]};
    }
}

static bool take_bucket(imp_csv *csv, int bound, double unit_ns, int held, buckets *into)
{
    double upper;
    double count;
    if (into->count == BUCKETS_MAX)
        return imp_csv_refuse(csv, bound, "at most %d bounds", BUCKETS_MAX);
    if (!imp_csv_number(csv, bound, 0, LONGEST_NS / unit_ns, "an upper bound", &upper) ||
        !imp_csv_number(csv, held, 0, 1e15, "how many values the bucket holds", &count))
        return false;
    if (into->count > 0 && upper * unit_ns <= into->upper[into->count - 1])
        return imp_csv_refuse(csv, bound, "a bound above the one before");
    into->upper[into->count] = upper * unit_ns;
    into->held[into->count++] = count;
    into->total += count;
    return true;
}

bool imp_histogram_read(imp_csv *csv, const char *unit, imp_curve out[SIM_KINDS])
{
    double unit_ns = 0;
    const int bound = find_bound(csv, unit, &unit_ns);
    const int held = imp_csv_find(csv, "count");
    const int operation = find_operation(csv);
    if (bound < 0 || held < 0)
        return imp_csv_refuse_header(csv, 0, "columns upper (with a unit, such as upper_ms) and count in the header");
    buckets *all = sim_arena_array(csv->arena, SIM_KINDS, sizeof *all);
    while (imp_csv_next(csv)) {
        const int kind = kind_of_row(csv, operation);
        if (kind < 0 || !take_bucket(csv, bound, unit_ns, held, &all[kind == SIM_KINDS ? 0 : kind]))
            return false;
    }
    if (csv->error->message[0] != '\0')
        return false;
    if (all[0].total + all[1].total <= 0)
        return imp_csv_refuse_header(csv, held, "a bucket that holds something");
    for (int k = 0; k < SIM_KINDS; k++) {
        if (all[operation < 0 ? 0 : k].total > 0)
            make_curve(&all[operation < 0 ? 0 : k], csv->path, &out[k]);
    }
    return true;
}
