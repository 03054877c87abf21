/* SPDX-License-Identifier: GPL-3.0-or-later */
/* p99 over time as a line of bars for each policy, and under them when which fault was on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/screen.h"
#include "cli/summary.h"
#include "cli/table.h"
#include "cli/wrap.h"

enum { BARS = 8, CELLS_MAX = 80, LABEL_MAX = 24, GAP = 2, INDENT = 2 };

typedef struct {
    const cli_summary *summary;
    uint32_t scenario;
    uint32_t length; /* rows of the time series */
    uint32_t cells;  /* columns of the line */
    int label;       /* columns of the names before it */
    double lowest, highest;
    FILE *out;
    bool has_colour;
} drawing;

/* The highest of the rows that a cell stands for; < 0: none has samples. */
static double value_at(const drawing *self, uint32_t policy, uint32_t cell)
{
    const sim_timeline *timeline = self->summary->timeline;
    const size_t row = ((size_t)self->scenario * self->summary->plan->policy_count + policy) * timeline->intervals;
    double highest = -1;
    for (uint32_t n = cell * self->length / self->cells; n < (cell + 1) * self->length / self->cells; n++)
        highest = timeline->p99[row + n] > highest ? timeline->p99[row + n] : highest;
    return highest;
}

static void find_range(drawing *self)
{
    self->lowest = HUGE_VAL;
    self->highest = 0;
    for (uint32_t p = 0; p < self->summary->plan->policy_count; p++) {
        for (uint32_t cell = 0; cell < self->cells; cell++) {
            const double value = value_at(self, p, cell);
            if (value < 0)
                continue;
            self->lowest = value < self->lowest ? value : self->lowest;
            self->highest = value > self->highest ? value : self->highest;
        }
    }
}

/* Logarithmic: latencies span decades. */
static int bar_of(const drawing *self, double value)
{
    if (self->highest <= self->lowest || self->lowest <= 0)
        return 0;
    const double share = log(value / self->lowest) / log(self->highest / self->lowest);
    const int bar = (int)(share * BARS);
    return bar >= BARS ? BARS - 1 : bar;
}

/* Cut to its column, which it fills. */
static void put_label(const drawing *self, const char *name)
{
    size_t bytes = strlen(name);
    while (cli_columns(name, bytes) > (size_t)self->label || (bytes < strlen(name) && (name[bytes] & 0xC0) == 0x80))
        bytes--;
    (void)fprintf(self->out, "%*s%.*s%*s", INDENT, "", (int)bytes, name,
                  self->label - (int)cli_columns(name, bytes) + GAP, "");
}

static void put_policy(const drawing *self, uint32_t policy)
{
    static const char *const BAR[BARS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    put_label(self, self->summary->plan->policy[policy]->name);
    for (uint32_t cell = 0; cell < self->cells; cell++) {
        const double value = value_at(self, policy, cell);
        (void)fputs(value < 0 ? " " : BAR[bar_of(self, value)], self->out);
    }
    (void)fputc('\n', self->out);
}

/* Whether the fault, or one of its repetitions behind it, lasts into [from, until). */
static bool is_on(const sim_scenario *scenario, uint32_t first, int64_t from, int64_t until)
{
    bool is_on = false;
    for (uint32_t f = first; f < scenario->fault_count; f++) {
        const sim_fault *fault = &scenario->fault[f];
        if (f > first && fault->occurrence == 0)
            break;
        is_on = is_on || (fault->from < until && from < fault->until);
    }
    return is_on;
}

/* One line for the fault and its repetitions. */
static void put_fault(const drawing *self, uint32_t number)
{
    const sim_scenario *scenario = self->summary->plan->scenario[self->scenario];
    const sim_fault *fault = &scenario->fault[number];
    const int64_t duration = scenario->duration;
    if (fault->occurrence > 0)
        return;
    put_label(self, fault->name);
    if (self->has_colour)
        (void)fputs(CLI_RED, self->out);
    for (uint32_t cell = 0; cell < self->cells; cell++) {
        const int64_t from = duration / self->cells * cell;
        (void)fputs(is_on(scenario, number, from, from + duration / self->cells) ? "━" : " ", self->out);
    }
    (void)fprintf(self->out, "%s\n", self->has_colour ? CLI_PLAIN : "");
}

static void put_axis(const drawing *self)
{
    char end[64];
    sim_format_duration(self->summary->plan->scenario[self->scenario]->duration, end, sizeof end);
    put_label(self, "");
    (void)fprintf(self->out, "0%*s\n", (int)self->cells - 1, end);
}

static void measure(drawing *self)
{
    const sim_scenario *scenario = self->summary->plan->scenario[self->scenario];
    for (uint32_t p = 0; p < self->summary->plan->policy_count; p++) {
        const char *name = self->summary->plan->policy[p]->name;
        const int width = (int)cli_columns(name, strlen(name));
        self->label = width > self->label ? width : self->label;
    }
    for (uint32_t f = 0; f < scenario->fault_count; f++) {
        const int width = (int)cli_columns(scenario->fault[f].name, strlen(scenario->fault[f].name));
        self->label = width > self->label ? width : self->label;
    }
    self->label = self->label > LABEL_MAX ? LABEL_MAX : self->label;
    const int room = cli_screen_width(self->out) - self->label - GAP - INDENT;
    self->length = sim_timeline_length(scenario);
    self->cells = self->length < CELLS_MAX ? self->length : CELLS_MAX;
    self->cells = room < (int)self->cells ? (uint32_t)(room > 1 ? room : 1) : self->cells;
}

void cli_print_sparklines(const cli_summary *summary, uint32_t scenario, cli_format format, FILE *out)
{
    drawing self = {.summary = summary, .scenario = scenario, .out = out};
    const sim_scenario *in = summary->plan->scenario[scenario];
    char low[CLI_VALUE_SIZE];
    char high[CLI_VALUE_SIZE];
    if (summary->timeline == NULL)
        return;
    self.has_colour = format == CLI_TEXT && cli_has_colour(out);
    measure(&self);
    find_range(&self);
    if (self.cells < 2 || self.highest <= 0)
        return;
    const sim_metric_definition *p99 = sim_metric_at(SIM_METRIC_latency_p99);
    cli_format_with_unit(p99, &(sim_metric_value){.value = self.lowest}, NULL, low);
    cli_format_with_unit(p99, &(sim_metric_value){.value = self.highest}, NULL, high);
    char *title = cli_text("p99 over time, %s to %s, logarithmic%s:", low, high,
                           in->fault_count > 0 ? "; ━ where a fault is on" : "");
    (void)fputc('\n', out);
    if (title != NULL)
        cli_put_wrapped(out, title, 0, 0, cli_screen_width(out));
    free(title);
    (void)fputs(format == CLI_MD ? "\n```\n" : "", out);
    for (uint32_t p = 0; p < summary->plan->policy_count; p++)
        put_policy(&self, p);
    for (uint32_t f = 0; f < in->fault_count; f++)
        put_fault(&self, f);
    put_axis(&self);
    (void)fputs(format == CLI_MD ? "```\n" : "", out);
}
