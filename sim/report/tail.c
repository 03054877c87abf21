/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency percentiles from the merged histograms, far into the tail. */
#include <stdlib.h>
#include <string.h>

#include "report/page.h"

/* Operations that lie beyond, of ten million; shown where at least SUPPORT of them do. */
static const uint32_t BEYOND[] = {9000000, 5000000, 3000000, 2000000, 1500000, 1000000, 700000, 500000, 300000,
                                  200000,  100000,  50000,   30000,   20000,   10000,   5000,   3000,   2000,
                                  1000,    500,     300,     200,     100,     50,      20,     10};
enum { ROWS = sizeof BEYOND / sizeof *BEYOND, PARTS = 10000000, SUPPORT = 10 };

typedef struct {
    const rep_section *section;
    sim_histogram *merged; /* [policy]: all ended operations */
} tails;

static void take(void *context, const sim_stored_histogram *row)
{
    const tails *self = context;
    if (row->scenario == self->section->scenario && strcmp(row->phase, "all") == 0 &&
        row->policy < rep_policies(self->section))
        sim_histogram_merge(&self->merged[row->policy], row->histogram);
}

static bool has_rank(const sim_histogram *histogram, uint32_t beyond, uint64_t *rank)
{
    const uint64_t left = (uint64_t)((sim_u128)histogram->total * beyond / PARTS);
    *rank = histogram->total - left;
    return left >= SUPPORT && *rank >= 1;
}

static void put_rows(const tails *self)
{
    FILE *out = self->section->out;
    for (size_t i = 0; i < ROWS; i++) {
        bool is_any = false;
        uint64_t rank = 0;
        for (uint32_t p = 0; p < rep_policies(self->section); p++)
            is_any = is_any || has_rank(&self->merged[p], BEYOND[i], &rank);
        if (!is_any)
            break;
        (void)fprintf(out, "<tr><th scope=row>%.8g", 100.0 - 100.0 * BEYOND[i] / PARTS);
        for (uint32_t p = 0; p < rep_policies(self->section); p++) {
            const bool has_value = has_rank(&self->merged[p], BEYOND[i], &rank);
            rep_cell(out, has_value, has_value ? (double)sim_histogram_at_rank(&self->merged[p], rank) / 1e6 : 0);
        }
        (void)fputc('\n', out);
    }
}

void rep_put_tail(const rep_section *section)
{
    const uint32_t policies = rep_policies(section);
    const char *heading[CLI_POLICIES_MAX + 1] = {"percentile"};
    tails self = {section, calloc(policies, sizeof *self.merged)};
    char id[32];
    if (self.merged == NULL) {
        section->page->error = (sim_store_error){SIM_STORE_IO, "out of memory"};
        return;
    }
    for (uint32_t p = 0; p < policies && p < CLI_POLICIES_MAX; p++) {
        heading[p + 1] = rep_policy_name(section, p);
        sim_histogram_clear(&self.merged[p]);
    }
    sim_store_error error;
    if (!sim_store_read_histograms(section->source->store, take, &self, &error))
        section->page->error = error;
    rep_figure_open(section, "tail", "Latency percentiles",
                    "All ended operations of all replications together; the scale stretches the tail: each step to the "
                    "right is ten times as rare. Drawn as far as ten operations lie beyond.");
    (void)snprintf(id, sizeof id, "s%zu-tail", section->number);
    rep_table_open(section->out, id, "Latency, ms", heading, policies + 1);
    put_rows(&self);
    rep_table_close(section->out);
    rep_figure_close(section);
    free(self.merged);
}
