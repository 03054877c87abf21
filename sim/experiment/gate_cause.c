/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What made the difference: options, the scenario's parts, or else the program; and when behaviour began to differ. */
#include <stdarg.h>
#include <string.h>

#include "experiment/gate.h"

enum { REASONS_TOLD = 4 };

/* A text of bounded size, appended to. */
typedef struct {
    char *text;
    size_t size;
    size_t used;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(self->text + self->used, self->size - self->used, format, arguments);
    va_end(arguments);
    self->used += length > 0 ? (size_t)length : 0;
    self->used = self->used < self->size ? self->used : self->size - 1;
}

static const char *find(const sim_baseline_entry *entry, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(entry[i].name, name) == 0)
            return entry[i].text;
    }
    return NULL;
}

/* A knob that a side does not name is at its default; one that this program does not know is gone. */
static void put_option(writer *self, const char *name, const char *before, const char *after)
{
    char initial[64] = "gone";
    for (int i = 0; i < (int)RGN_KNOB_COUNT; i++) {
        if (strcmp(rgn_knob_at((rgn_knob_id)i)->name, name) == 0)
            sim_format_knob((rgn_knob_id)i, rgn_knob_at((rgn_knob_id)i)->initial, initial, sizeof initial);
    }
    put(self, "%s%s %s -> %s", self->used == 0 ? "options changed: " : ", ", name, before == NULL ? initial : before,
        after == NULL ? initial : after);
}

static void put_options(writer *self, const sim_baseline_pair *before, const sim_baseline_pair *after)
{
    for (uint32_t i = 0; i < before->option_count; i++) {
        const char *now = find(after->option, after->option_count, before->option[i].name);
        if (now == NULL || strcmp(now, before->option[i].text) != 0)
            put_option(self, before->option[i].name, before->option[i].text, now);
    }
    for (uint32_t i = 0; i < after->option_count; i++) {
        if (find(before->option, before->option_count, after->option[i].name) == NULL)
            put_option(self, after->option[i].name, NULL, after->option[i].text);
    }
}

static void put_parts(writer *self, const sim_baseline_scenario *before, const sim_baseline_scenario *after)
{
    const size_t start = self->used;
    const sim_baseline_scenario *sides[] = {before, after};
    for (int side = 0; side < 2; side++) {
        const sim_baseline_scenario *one = sides[side];
        const sim_baseline_scenario *other = sides[1 - side];
        for (uint32_t i = 0; i < one->part_count; i++) {
            const char *there = find(other->part, other->part_count, one->part[i].name);
            const bool differs = there == NULL || (side == 0 && strcmp(there, one->part[i].text) != 0);
            if (differs)
                put(self, "%s%s%s", self->used == start && start > 0 ? "; " : "",
                    self->used == start ? "the scenario changed: " : ", ", one->part[i].name);
        }
    }
}

static uint64_t sum_of(const sim_baseline_pair *pair, const char *reason, uint32_t runs)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < pair->transition_count; i++) {
        for (uint32_t r = 0; r < runs && strcmp(pair->transition[i].reason, reason) == 0; r++)
            sum += pair->transition[i].count[r];
    }
    return sum;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Transitions by reason, those that changed most first. */
static void put_transitions(writer *self, const sim_baseline_pair *before, const sim_baseline_pair *after,
                            uint32_t runs)
{
    const sim_baseline_pair *sides[] = {before, after};
    const char *told[REASONS_TOLD];
    for (uint32_t count = 0; count < REASONS_TOLD; count++) {
        const char *most = NULL;
        uint64_t best = 0;
        for (uint32_t i = 0; i < before->transition_count + after->transition_count; i++) {
            const bool is_first = i < before->transition_count;
            const char *reason = sides[!is_first]->transition[is_first ? i : i - before->transition_count].reason;
            const uint64_t change = distance(sum_of(before, reason, runs), sum_of(after, reason, runs));
            bool is_told = false;
            for (uint32_t k = 0; k < count; k++)
                is_told = is_told || strcmp(told[k], reason) == 0;
            if (is_told || change <= best)
                continue;
            most = reason;
            best = change;
        }
        if (most == NULL)
            return;
        told[count] = most;
        put(self, "%s%s %llu -> %llu", count == 0 ? "; transitions by reason: " : ", ", most,
            (unsigned long long)sum_of(before, most, runs), (unsigned long long)sum_of(after, most, runs));
    }
}

/* The first replication that behaves otherwise, and between which checkpoints that begins. */
static void find_moment(const sim_baseline_pair *before, const sim_baseline_pair *after, int64_t duration,
                        sim_gate *out)
{
    uint32_t r = 0;
    while (r < out->runs && strcmp(before->behaviour[r], after->behaviour[r]) == 0)
        r++;
    out->changed = r < out->runs ? r : 0;
    if (r >= out->runs || r >= SIM_BASELINE_FIRST || before->checkpoints[r][0] == '\0' ||
        after->checkpoints[r][0] == '\0')
        return;
    int k = 0;
    while (k < SIM_CHECKPOINTS &&
           strncmp(before->checkpoints[r] + k * SIM_BASELINE_CHECK_DIGITS,
                   after->checkpoints[r] + k * SIM_BASELINE_CHECK_DIGITS, SIM_BASELINE_CHECK_DIGITS) == 0)
        k++;
    if (k == SIM_CHECKPOINTS)
        return; /* while the last operations drained */
    out->has_moment = true;
    out->changed_after = duration / SIM_CHECKPOINTS * k;
    out->changed_by = duration / SIM_CHECKPOINTS * (k + 1);
}

void sim_gate_explain(const sim_baseline *before, const sim_baseline_scenario *before_scenario,
                      const sim_baseline_pair *before_pair, const sim_baseline_scenario *after_scenario,
                      const sim_baseline_pair *after_pair, int64_t duration, sim_gate *out)
{
    writer self = {out->cause, sizeof out->cause, 0};
    const uint32_t first = out->runs < SIM_BASELINE_FIRST ? out->runs : SIM_BASELINE_FIRST;
    put_options(&self, before_pair, after_pair);
    put_parts(&self, before_scenario, after_scenario);
    if (self.used == 0 && out->is_paired)
        put(&self, "neither options nor scenario changed: the program did (baseline by regionsim %.40s, this is %s)",
            before->tool, REGIONSIM_VERSION);
    put_transitions(&self, before_pair, after_pair, first);
    if (out->is_paired)
        find_moment(before_pair, after_pair, duration, out);
}
