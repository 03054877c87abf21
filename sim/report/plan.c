/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan as the tables tell it. Objectives, margins and expectations are lines of a scenario's canonical text. */
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "report/source.h"

enum { EXPECTATIONS_MAX = 1024, MARGINS_MAX = SIM_METRIC_COUNT };

typedef struct {
    rep_source *source;
    sim_scenario *scenario;
    sim_expectation *expectation; /* [EXPECTATIONS_MAX], by number from 0; metric NULL: none of that number */
    sim_margin *margin;           /* [MARGINS_MAX] */
} reading;

static char *keep(const reading *self, const char *text, size_t length)
{
    return sim_arena_copy(self->source->arena, text, length);
}

/* "a, b, c" */
static void take_objectives(const reading *self, const char *value)
{
    while (*value != '\0' && self->scenario->objective_count < SIM_OBJECTIVES_MAX) {
        const size_t length = strcspn(value, ",");
        self->scenario->objective[self->scenario->objective_count++] = keep(self, value, length);
        value += length;
        value += strspn(value, ", ");
    }
}

static void take_limit(sim_expectation *expectation, sim_expect_type type, const char *value)
{
    expectation->type = type;
    expectation->limit = strtod(value, NULL);
}

/* `key` is "7].metric" and the like. */
static void take_expectation(const reading *self, const char *key, const char *value)
{
    char *end = NULL;
    const unsigned long number = strtoul(key, &end, 10);
    if (number < 1 || number > EXPECTATIONS_MAX || strncmp(end, "].", 2) != 0)
        return;
    sim_expectation *expectation = &self->expectation[number - 1];
    const char *field = end + 2;
    const char *text = keep(self, value, strlen(value));
    if (strcmp(field, "metric") == 0)
        expectation->metric = text;
    else if (strcmp(field, "policy") == 0)
        expectation->policy = text;
    else if (strcmp(field, "phase") == 0)
        expectation->phase = text;
    else if (strcmp(field, "at_most") == 0)
        take_limit(expectation, SIM_EXPECT_AT_MOST, value);
    else if (strcmp(field, "at_least") == 0)
        take_limit(expectation, SIM_EXPECT_AT_LEAST, value);
    else if (strcmp(field, "equals") == 0)
        take_limit(expectation, SIM_EXPECT_EQUALS, value);
}

/* `key` is "METRIC.relative", in parts per 10^9, or "METRIC.absolute". */
static void take_margin(const reading *self, const char *key, const char *value)
{
    const char *dot = strchr(key, '.');
    if (dot == NULL || self->scenario->margin_count == MARGINS_MAX)
        return;
    const bool is_relative = strcmp(dot, ".relative") == 0;
    self->margin[self->scenario->margin_count++] = (sim_margin){
        .metric = keep(self, key, (size_t)(dot - key)),
        .is_relative = is_relative,
        .value = is_relative ? strtod(value, NULL) / 1e9 : strtod(value, NULL),
    };
}

static void take_line(const reading *self, const char *line, size_t length)
{
    static const char EXPECT[] = "expect[";
    static const char MARGINS[] = "margins.";
    char *text = keep(self, line, length);
    char *value = strstr(text, " = ");
    if (value == NULL)
        return;
    *value = '\0';
    value += 3;
    if (strcmp(text, "objectives") == 0)
        take_objectives(self, value);
    else if (strncmp(text, EXPECT, sizeof EXPECT - 1) == 0)
        take_expectation(self, text + sizeof EXPECT - 1, value);
    else if (strncmp(text, MARGINS, sizeof MARGINS - 1) == 0)
        take_margin(self, text + sizeof MARGINS - 1, value);
}

static bool is_policy(const rep_source *self, const char *name)
{
    bool found = name == NULL;
    for (uint32_t p = 0; !found && p < self->plan.policy_count; p++)
        found = strcmp(self->plan.policy[p]->name, name) == 0;
    return found;
}

/* Expectations about policies that the database does not hold are left out: nothing here can judge them. */
static void take_canonical(rep_source *self, sim_scenario *scenario)
{
    reading reader = {self, scenario, sim_arena_array(self->arena, EXPECTATIONS_MAX, sizeof(sim_expectation)),
                      sim_arena_array(self->arena, MARGINS_MAX, sizeof(sim_margin))};
    for (const char *line = scenario->canonical; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        take_line(&reader, line, length);
        line += length + (line[length] == '\n');
    }
    for (uint32_t i = 0; i < EXPECTATIONS_MAX; i++) {
        sim_expectation *one = &reader.expectation[i];
        if (one->metric == NULL || sim_metric_find(one->metric) == SIM_METRIC_COUNT || !is_policy(self, one->policy))
            continue;
        if (one->phase == NULL)
            one->phase = "all";
        reader.expectation[scenario->expectation_count++] = *one;
    }
    scenario->expectation = reader.expectation;
    scenario->margin = reader.margin;
}

static char *column(const rep_source *self, sqlite3_stmt *statement, int number)
{
    return sim_arena_string(self->arena, rep_column(statement, number));
}

static bool read_phases(rep_source *self, sim_scenario *scenario, int64_t id, sim_store_error *error)
{
    const int64_t count = rep_single(self, "SELECT count(*) FROM phase WHERE scenario_id = ?", &id, 1, 0);
    sim_phase *phase = sim_arena_array(self->arena, (size_t)count, sizeof *phase);
    sqlite3_stmt *rows = rep_query(
        self, "SELECT name, start FROM phase WHERE scenario_id = ? AND number > 0 ORDER BY number", &id, 1, error);
    while (rep_next(self, &rows, error))
        phase[scenario->phase_count++] = (sim_phase){column(self, rows, 0), sqlite3_column_int64(rows, 1)};
    scenario->phase = phase;
    return error->status == SIM_STORE_OK;
}

static bool read_scenarios(rep_source *self, sim_store_error *error)
{
    sim_scenario **list = sim_arena_array(self->arena, self->about.scenario_count, sizeof *list);
    char **notes = sim_arena_array(self->arena, self->about.scenario_count, sizeof *notes);
    uint32_t count = 0;
    sqlite3_stmt *rows =
        rep_query(self,
                  "SELECT name, about, duration, clients, partitions, canonical, text, notes,"
                  " (SELECT scenario_path FROM run_timing t JOIN run r ON r.id = t.run_id WHERE r.scenario_id = s.id"
                  "  ORDER BY r.id LIMIT 1) FROM scenario s ORDER BY id",
                  NULL, 0, error);
    while (count < self->about.scenario_count && rep_next(self, &rows, error)) {
        sim_scenario *one = sim_arena_alloc(self->arena, sizeof *one);
        one->name = column(self, rows, 0);
        one->about = column(self, rows, 1);
        one->duration = sqlite3_column_int64(rows, 2);
        one->client_count = (uint32_t)sqlite3_column_int64(rows, 3);
        one->partition_count = (uint32_t)sqlite3_column_int64(rows, 4);
        one->canonical = column(self, rows, 5);
        one->text = column(self, rows, 6);
        one->text_length = strlen(one->text);
        one->path = column(self, rows, 8);
        notes[count] = column(self, rows, 7);
        list[count++] = one;
    }
    (void)sqlite3_finalize(rows);
    for (uint32_t s = 0; s < count && error->status == SIM_STORE_OK; s++) {
        (void)read_phases(self, list[s], (int64_t)s + 1, error);
        take_canonical(self, list[s]);
    }
    self->plan.scenario = (const sim_scenario *const *)list;
    self->plan.notes = (const char *const *)notes;
    self->plan.scenario_count = count;
    return error->status == SIM_STORE_OK;
}

static bool read_policies(rep_source *self, sim_store_error *error)
{
    sim_policy **list = sim_arena_array(self->arena, self->about.policy_count, sizeof *list);
    uint32_t count = 0;
    sqlite3_stmt *rows = rep_query(self, "SELECT name, about, canonical, text FROM policy ORDER BY id", NULL, 0, error);
    while (count < self->about.policy_count && rep_next(self, &rows, error)) {
        sim_policy *one = sim_arena_alloc(self->arena, sizeof *one);
        one->name = column(self, rows, 0);
        one->about = column(self, rows, 1);
        one->canonical = column(self, rows, 2);
        one->text = column(self, rows, 3);
        one->text_length = strlen(one->text);
        list[count++] = one;
    }
    (void)sqlite3_finalize(rows);
    self->plan.policy = (const sim_policy *const *)list;
    self->plan.policy_count = count;
    return error->status == SIM_STORE_OK;
}

bool rep_plan_read(rep_source *self, sim_store_error *error)
{
    *error = (sim_store_error){0};
    self->plan = (sim_store_plan){.seed = self->about.seed, .replications = self->about.replications};
    if (!read_policies(self, error) || !read_scenarios(self, error))
        return false;
    if (self->plan.policy_count != self->about.policy_count ||
        self->plan.scenario_count != self->about.scenario_count || self->about.replications == 0 ||
        self->about.replications > CLI_REPLICATIONS_MAX) {
        error->status = SIM_STORE_ALIEN;
        (void)snprintf(error->message, sizeof error->message,
                       "the database %s does not hold the scenarios, policies and replications of its plan",
                       self->path);
        return false;
    }
    /* No workload, so nobody looks at these options for more than their defaults. */
    rgn_effective_options *options = sim_arena_alloc(self->arena, sizeof *options);
    const size_t pairs = (size_t)self->plan.scenario_count * self->plan.policy_count;
    sim_store_pair *pair = sim_arena_array(self->arena, pairs, sizeof *pair);
    for (size_t i = 0; i < pairs; i++)
        pair[i] = (sim_store_pair){.clients = options, .workloads = options};
    self->plan.pair = pair;
    return true;
}
