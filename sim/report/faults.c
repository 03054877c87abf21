/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When each fault is on, for charts to shade: from the lines `faults.NAME.…` of the canonical text.
 *
 * A value over time is a number, or points of a step or ramp counted from the fault's beginning; any other form counts
 * as on for the fault's whole life. What comes again is shaded again. */
#include <stdlib.h>
#include <string.h>

#include "report/page.h"

enum { POINTS_MAX = 256, EFFECTS_MAX = 8, AGAIN_MAX = 64 };

typedef struct {
    int64_t at; /* ns from the fault's beginning */
    double size;
} point;

typedef struct {
    char path[64];
    bool is_ramp;
    double neutral; /* size at which it does nothing */
    double full;    /* size that is shaded darkest */
    size_t count;
    point point[POINTS_MAX];
} effect;

typedef struct {
    const char *name;
    int64_t from, until;
    size_t again_count;
    int64_t again[AGAIN_MAX];
    size_t count;
    effect effect[EFFECTS_MAX];
} fault;

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static effect *effect_of(fault *self, const char *path, size_t length)
{
    for (size_t i = 0; i < self->count; i++) {
        if (strlen(self->effect[i].path) == length && strncmp(self->effect[i].path, path, length) == 0)
            return &self->effect[i];
    }
    if (self->count == EFFECTS_MAX || length >= sizeof self->effect[0].path)
        return NULL;
    effect *one = &self->effect[self->count++];
    *one = (effect){.full = 1e9}; /* all operations, or a second */
    if (begins(path, "latency.multiply"))
        *one = (effect){.neutral = 1e6, .full = 10e6};
    memcpy(one->path, path, length);
    return one;
}

/* "0, 3, 7" */
static void take_again(fault *self, const char *value)
{
    while (self->again_count < AGAIN_MAX && *value != '\0') {
        char *end;
        self->again[self->again_count++] = strtoll(value, &end, 10);
        value = end + strspn(end, ", ");
    }
}

/* `path` without "faults.NAME.". */
static void take(fault *self, const char *path, const char *value)
{
    static const char *const EFFECTS[] = {"errors.share", "latency.multiply", "latency.add", "loss.share",
                                          "capacity_lost"};
    const int64_t number = strcmp(value, "never") == 0 ? INT64_MAX : strtoll(value, NULL, 10);
    if (strcmp(path, "from") == 0)
        self->from = number;
    else if (strcmp(path, "until") == 0)
        self->until = number;
    else if (strcmp(path, "again") == 0)
        take_again(self, value);
    for (size_t i = 0; i < sizeof EFFECTS / sizeof *EFFECTS; i++) {
        if (!begins(path, EFFECTS[i]))
            continue;
        effect *one = effect_of(self, path, strlen(EFFECTS[i]));
        const char *form = path + strlen(EFFECTS[i]);
        const bool is_step = begins(form, ".step.");
        if (one == NULL || one->count == POINTS_MAX)
            continue;
        one->is_ramp = one->is_ramp || begins(form, ".ramp.");
        if (is_step || one->is_ramp)
            one->point[one->count++] = (point){strtoll(strrchr(form, '.') + 1, NULL, 10), (double)number};
        else if (form[0] == '\0' || strstr(form, ".high") != NULL)
            one->point[one->count++] = (point){0, (double)number};
    }
}

static int by_time(const void *a, const void *b)
{
    const point *first = a;
    const point *second = b;
    return (first->at > second->at) - (first->at < second->at);
}

static double weight(const effect *one, double size)
{
    const double share = (size - one->neutral) / (one->full - one->neutral);
    return share > 1 ? 1 : share < 0 ? 0 : share;
}

static void put_effect(const rep_section *section, const fault *self, effect *one)
{
    const int64_t end = rep_scenario(section)->duration;
    const int64_t until = self->until < end ? self->until : end;
    qsort(one->point, one->count, sizeof *one->point, by_time);
    for (size_t i = 0; i < one->count; i++) {
        const int64_t from = self->from + one->point[i].at;
        int64_t to = i + 1 < one->count ? self->from + one->point[i + 1].at : until;
        double size = one->point[i].size;
        if (one->is_ramp && i + 1 < one->count)
            size = (size + one->point[i + 1].size) / 2;
        to = to < until ? to : until;
        if (from >= to || weight(one, size) <= 0)
            continue;
        (void)fprintf(section->out, "<li data-from=%.6f data-until=%.6f data-weight=%.3f>", (double)from / 60e9,
                      (double)to / 60e9, weight(one, size));
        rep_name(section->out, self->name);
    }
}

static void put_fault(const rep_section *section, fault *self)
{
    const int64_t length = self->until == INT64_MAX ? 0 : self->until - self->from;
    for (size_t n = 0; self->name != NULL && n <= self->again_count; n++) {
        for (size_t i = 0; i < self->count; i++)
            put_effect(section, self, &self->effect[i]);
        if (n < self->again_count) {
            self->from = self->again[n];
            self->until = self->from + length;
        }
    }
}

void rep_put_faults(const rep_section *section)
{
    static const char PREFIX[] = "faults.";
    fault *now = calloc(1, sizeof *now);
    char *text = sim_arena_string(section->source->arena, rep_scenario(section)->canonical);
    (void)fputs("<ol class=faults hidden>", section->out);
    for (char *line = text; now != NULL && *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        char *next = *end == '\0' ? end : end + 1;
        *end = '\0';
        char *value = strstr(line, " = ");
        char *dot = begins(line, PREFIX) ? strchr(line + sizeof PREFIX - 1, '.') : NULL;
        if (value != NULL && dot != NULL && dot < value) {
            *value = '\0';
            *dot = '\0';
            const char *name = line + sizeof PREFIX - 1;
            if (now->name == NULL || strcmp(now->name, name) != 0) {
                put_fault(section, now);
                *now = (fault){.name = name, .until = INT64_MAX};
            }
            take(now, dot + 1, value + 3);
        }
        line = next;
    }
    if (now != NULL)
        put_fault(section, now);
    (void)fputs("</ol>\n", section->out);
    free(now);
}
