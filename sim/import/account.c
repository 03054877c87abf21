/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/account.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/clean.h"
#include "import/write.h"
#include "scenario/document.h"

#define LOCAL_NS   1e6 /* assumed */
#define SERVICE_NS 1e3 /* the least that a service time is taken for */

/* ---- numbers ---- */

/* Digits behind the point, without zeros at the end. */
static const char *decimal(double value, int digits, const char *unit, char out[IMP_TEXT_SIZE])
{
    (void)snprintf(out, IMP_TEXT_SIZE - 8, "%.*f", digits, value);
    size_t length = strlen(out);
    if (strchr(out, '.') != NULL) {
        while (out[length - 1] == '0')
            length--;
        length -= out[length - 1] == '.';
    }
    (void)snprintf(out + length, 8, "%s", unit);
    return out;
}

const char *imp_milliseconds(double ns, char out[IMP_TEXT_SIZE])
{
    return decimal(ns / 1e6, 3, " ms", out);
}

const char *imp_percent(double share, char out[IMP_TEXT_SIZE])
{
    return decimal(share * 100, 4, " %", out);
}

const char *imp_factor(double factor, char out[IMP_TEXT_SIZE])
{
    return decimal(factor, 3, "", out);
}

/* ---- what the tables say ---- */

double imp_account_local(const imp_account *self)
{
    const double own = self->distances == NULL
                           ? -1
                           : self->distances->median[self->region[0] * self->distances->regions + self->region[0]];
    double local = own >= 0 ? own : LOCAL_NS;
    /* It is part of what was observed, and cannot be more than half of it. */
    for (uint32_t r = 0; self->series != NULL && r < self->series->region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++) {
            if (self->levels->line[r][k].is_there)
                local = fmin(local, self->levels->line[r][k].healthy.p50 / 2);
        }
    }
    for (int k = 0; k < SIM_KINDS; k++) {
        if (self->curve[k].path != NULL)
            local = fmin(local, self->curve[k].point[0].ns / 2);
    }
    return floor(local / 1e3) * 1e3; /* as the file has it */
}

/* The line that the service time of a kind is taken from: home's, or another region's, or another kind's. NULL: there
 * is no telemetry. */
static const imp_line *line_of(const imp_account *self, int kind, uint32_t *region)
{
    for (int k = kind, tries = 0; self->series != NULL && tries < SIM_KINDS; tries++, k = (k + 1) % SIM_KINDS) {
        for (*region = 0; *region < self->series->region_count; ++*region) {
            if (self->levels->line[*region][k].is_there)
                return &self->levels->line[*region][k];
        }
    }
    return NULL;
}

static const imp_curve *curve_of(const imp_account *self, int kind)
{
    if (self->curve[kind].path != NULL)
        return &self->curve[kind];
    const imp_curve *other = &self->curve[kind == SIM_KIND_READ ? SIM_KIND_WRITE : SIM_KIND_READ];
    return other->path != NULL ? other : NULL;
}

/* The value at a share, in a straight line between points. */
static double curve_at(const imp_curve *curve, double share)
{
    for (uint32_t i = 0; i < curve->count; i++) {
        if (curve->point[i].share < share)
            continue;
        if (i == 0)
            return curve->point[0].ns;
        const imp_point *low = &curve->point[i - 1];
        const imp_point *high = &curve->point[i];
        return low->ns + (high->ns - low->ns) * (share - low->share) / (high->share - low->share);
    }
    return curve->point[curve->count - 1].ns;
}

imp_service imp_service_of(const imp_account *self, int kind)
{
    uint32_t region;
    const double local = imp_account_local(self);
    const imp_curve *curve = curve_of(self, kind);
    const imp_line *line = line_of(self, kind, &region);
    imp_service out = {2e6, 9e6}; /* assumed */
    if (curve != NULL)
        out = (imp_service){curve_at(curve, 0.5) - local, curve_at(curve, 0.99) - local};
    else if (line != NULL)
        out = (imp_service){line->healthy.p50 - local, line->healthy.p99 - local};
    out.p50 = fmax(out.p50, SERVICE_NS);
    out.p99 = fmax(out.p99, out.p50);
    /* As the file has them. */
    out.p50 = floor(out.p50 / 1e3 + 0.5) * 1e3;
    out.p99 = floor(out.p99 / 1e3 + 0.5) * 1e3;
    return out;
}

static bool has_requests(const imp_account *self, uint32_t region)
{
    if (self->series == NULL)
        return region == 0;
    return region < self->series->region_count &&
           (self->levels->line[region][SIM_KIND_READ].is_there || self->levels->line[region][SIM_KIND_WRITE].is_there);
}

const char *imp_account_excess(const imp_account *self, int *most)
{
    int busy = 0;
    *most = SIM_DOCUMENT_ENTRIES_MAX;
    for (uint32_t r = 0; r < self->region_count; r++)
        busy += has_requests(self, r);
    for (uint32_t r = 0; self->series != NULL && r < self->series->region_count; r++) {
        if (self->levels->rate_count[r] > SIM_DOCUMENT_ENTRIES_MAX)
            return "different rates of a region";
        for (int k = 0; k < SIM_KINDS; k++) {
            if (self->levels->line[r][k].count > SIM_DOCUMENT_ENTRIES_MAX)
                return "levels of errors or latency of a region";
        }
    }
    *most = SIM_WORKLOADS_MAX;
    if (busy > SIM_WORKLOADS_MAX)
        return "regions with requests";
    *most = SIM_FAULTS_MAX;
    return imp_faults_count(self, true) > SIM_FAULTS_MAX ? "faults" : NULL;
}

/* ---- the file ---- */

/* The name of a file or column, in which nothing ends the comment. */
static void put_name(FILE *out, const char *name)
{
    char clean[CLI_CLEAN_MAX + 8];
    (void)snprintf(clean, sizeof clean, "%s", name);
    imp_make_utf8(clean);
    cli_clean(clean);
    (void)fputs(clean, out);
}

static void put_source(FILE *out, const char *before, const char *path, const char *after)
{
    (void)fputs(before, out);
    put_name(out, path);
    (void)fputs(after, out);
}

static void put_head(const imp_account *self, FILE *out)
{
    (void)fputs(
        "# Made by regionsim import.\n#\n"
        "# \"observed\": a figure of the tables, or made from them by arithmetic alone. \"assumed\": the tables do "
        "not say;\n# change it. \"found\": where the tables depart from their own healthy state, by the rule of "
        "`import --help`.\n",
        out);
    if (self->series != NULL)
        put_source(out, "#\n# Telemetry: ", self->series->path,
                   ". It says where requests went, not where they came from: the scenario has the\n"
                   "# requests of each region come from clients at home there.\n");
    for (int k = 0; k < SIM_KINDS; k++) {
        if (self->curve[k].path != NULL)
            put_source(out,
                       k == SIM_KIND_READ ? "# Latency of a read: " : "# Latency of a write: ", self->curve[k].path,
                       ".\n");
    }
    if (self->distances != NULL) {
        put_source(out, "# Round trips: ", self->distances->path, ", column ");
        put_source(out, "", self->distances->statistic, ".\n");
    }
    (void)fprintf(out, "regionsim: 1\nscenario: %s\n", self->name);
}

static void put_regions(const imp_account *self, FILE *out, uint32_t first)
{
    (void)fprintf(out, "[%s", sim_catalogue_name(self->region[first]));
    for (uint32_t r = 0; r < self->region_count; r++) {
        if (r != first)
            (void)fprintf(out, ", %s", sim_catalogue_name(self->region[r]));
    }
    (void)fputc(']', out);
}

static void put_world(const imp_account *self, FILE *out)
{
    char text[IMP_TEXT_SIZE];
    const bool is_own = self->distances != NULL &&
                        self->distances->median[self->region[0] * self->distances->regions + self->region[0]] >= 0;
    if (self->series != NULL)
        (void)fprintf(out, "about: \"As observed: %u periods of %.9g s in %u regions.\"\nduration: %s   # observed\n",
                      self->series->periods, (double)self->series->period / 1e9, self->series->region_count,
                      imp_instant(self->series, self->series->periods, text));
    else
        (void)fputs("about: An account without incidents.\nduration: 10 min            # assumed\n", out);
    (void)fputs("\naccount:\n  writes: multi              # assumed\n  regions: ", out);
    put_regions(self, out, 0);
    (void)fprintf(out, "   # home first\n\nnetwork:\n  round_trip: %s      # %s\n  local: %s               # %s\n",
                  self->table, self->distances != NULL ? "observed" : "assumed: public measurements",
                  imp_milliseconds(imp_account_local(self), text),
                  is_own ? "observed; part of every latency below" : "assumed; it is part of the observed latencies");
}

static void put_percentiles(const imp_account *self, FILE *out, const imp_curve *curve)
{
    char key[IMP_TEXT_SIZE];
    char text[IMP_TEXT_SIZE];
    (void)fputs("{percentiles: {", out);
    for (uint32_t i = 0; i < curve->count; i++) {
        const double ns = fmax(curve->point[i].ns - imp_account_local(self), 0);
        (void)fprintf(out, "%s%s: %s", i == 0 ? "" : ", ", decimal(curve->point[i].share * 100, 7, "", key),
                      imp_milliseconds(ns, text));
    }
    (void)fputs("}}", out);
}

static void put_service(const imp_account *self, FILE *out)
{
    (void)fputs("\nservice:                    # what a healthy region needs, the network apart\n", out);
    for (int k = 0; k < SIM_KINDS; k++) {
        char text[2][IMP_TEXT_SIZE];
        uint32_t region = 0;
        const imp_service service = imp_service_of(self, k);
        const imp_curve *curve = curve_of(self, k);
        const imp_line *line = line_of(self, k, &region);
        (void)fprintf(out, "  %s: ", imp_kind_name(k));
        if (curve != NULL)
            put_percentiles(self, out, curve);
        else if (service.p99 > service.p50)
            (void)fprintf(out, "{lognormal: {p50: %s, p99: %s}}", imp_milliseconds(service.p50, text[0]),
                          imp_milliseconds(service.p99, text[1]));
        else
            (void)fprintf(out, "{constant: %s}", imp_milliseconds(service.p50, text[0]));
        if (curve != NULL)
            (void)fputs(self->curve[k].path != NULL ? "   # observed\n" : "   # assumed: as the other kind\n", out);
        else if (line == NULL)
            (void)fputs("   # assumed\n", out);
        else if (line != &self->levels->line[region][k])
            (void)fputs("   # assumed: as the other kind\n", out);
        else
            (void)fprintf(out, "   # observed: p50 and p99 of %u healthy periods of %s; assumed: the shape\n",
                          line->healthy_periods, sim_catalogue_name(self->region[region]));
    }
}

static void put_clients(const imp_account *self, FILE *out)
{
    (void)fputs("\nclients:                    # assumed: how many, and whom they prefer after their home\n", out);
    for (uint32_t r = 0; r < self->region_count; r++) {
        const char *name = sim_catalogue_name(self->region[r]);
        if (!has_requests(self, r))
            continue;
        (void)fprintf(out, "  %s: {home: %s, count: %u, preferred: ", name, name, self->clients);
        put_regions(self, out, r);
        (void)fputs("}\n", out);
    }
}

/* Longer than anything that was observed, so that it cuts nothing. */
static double deadline_s(const imp_account *self)
{
    double longest = 5;
    for (uint32_t r = 0; self->series != NULL && r < self->series->region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++) {
            const imp_line *line = &self->levels->line[r][k];
            for (uint32_t i = 0; i < line->count; i++)
                longest = fmax(longest, ceil(line->level[i].p99 * 5 / 1e9));
        }
    }
    return fmin(longest, 86400);
}

static void put_rates(const imp_account *self, FILE *out, uint32_t region)
{
    char at[IMP_TEXT_SIZE];
    char rate[IMP_TEXT_SIZE];
    (void)fputs("    rate:                   # observed\n      step:\n", out);
    for (uint32_t i = 0; i < self->levels->rate_count[region]; i++)
        (void)fprintf(out, "        %s: %s\n", imp_instant(self->series, self->levels->rate[region][i].from, at),
                      decimal(self->levels->rate[region][i].per_s, 3, " /s", rate));
}

static void put_workloads(const imp_account *self, FILE *out)
{
    char share[SIM_KINDS][IMP_TEXT_SIZE];
    (void)fputs("\nworkload:\n", out);
    for (uint32_t r = 0; r < self->region_count; r++) {
        if (!has_requests(self, r))
            continue;
        /* The shares that the file has must be 100 % together. */
        const double reads = self->series == NULL ? 0.9 : floor(self->levels->kind_share[r][0] * 1e6 + 0.5) / 1e6;
        (void)fprintf(out, "  %s:\n", sim_catalogue_name(self->region[r]));
        if (self->series != NULL)
            put_rates(self, out, r);
        else
            (void)fputs("    rate: 200 /s            # assumed\n", out);
        (void)fprintf(out,
                      "    arrivals: poisson       # assumed\n    clients: [%s]\n"
                      "    partitions: {count: %u, pick: uniform}   # assumed\n"
                      "    operations: {read: %s, write: %s}   # %s\n"
                      "    deadline: %.0f s          # assumed\n",
                      sim_catalogue_name(self->region[r]), self->partitions, imp_percent(reads, share[0]),
                      imp_percent(1 - reads, share[1]), self->series == NULL ? "assumed" : "observed, over all periods",
                      deadline_s(self));
    }
}

void imp_account_write(const imp_account *self, FILE *out)
{
    put_head(self, out);
    put_world(self, out);
    put_service(self, out);
    put_clients(self, out);
    put_workloads(self, out);
    imp_faults_write(self, out);
    (void)fputs("\nobjectives: [away_healthy_s, home_unhealthy_s, flap_count, latency_p99, canary_blast_radius]\n",
                out);
    if (self->series != NULL && self->series->period <= 3600 * RGN_NS_PER_S)
        (void)fprintf(out, "interval: %.9g s\n", (double)self->series->period / 1e9);
}
