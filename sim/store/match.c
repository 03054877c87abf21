/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/match.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    sim_store *store;
    sim_store_error *error;
    bool is_readable;
} matcher;

/* Says what differs; returns false. */
static bool differ(matcher *self, const char *what, const char *there, const char *here)
{
    self->error->status = SIM_STORE_DIFFERS;
    (void)snprintf(self->error->message, sizeof self->error->message,
                   "the database %s holds another experiment: %.200s is %.200s there and %.200s here",
                   self->store->path, what, there, here);
    return false;
}

/* The first column of the first row as text; "" if there is none. The caller frees it. NULL: it cannot be read. */
static char *ask(matcher *self, const char *sql, int64_t first, int64_t second, const char *third)
{
    sqlite3_stmt *statement = NULL;
    char *answer = NULL;
    if (sqlite3_prepare_v2(self->store->db, sql, -1, &statement, NULL) == SQLITE_OK) {
        const int parameters = sqlite3_bind_parameter_count(statement);
        if (parameters >= 1)
            (void)sqlite3_bind_int64(statement, 1, first);
        if (parameters >= 2)
            (void)sqlite3_bind_int64(statement, 2, second);
        if (parameters >= 3)
            (void)sqlite3_bind_text(statement, 3, third, -1, SQLITE_STATIC);
        const int code = sqlite3_step(statement);
        const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        if (code == SQLITE_ROW || code == SQLITE_DONE)
            answer = strdup(text == NULL ? "" : text);
    }
    if (answer == NULL && self->is_readable) {
        (void)sim_store_fail(self->store, "read", self->error);
        self->is_readable = false;
    }
    (void)sqlite3_finalize(statement);
    return answer;
}

/* True if the answer is `here`; else says what differs. */
static bool is_answer(matcher *self, const char *what, const char *here, const char *sql, int64_t first)
{
    char *there = ask(self, sql, first, 0, NULL);
    const bool ok = there != NULL && (strcmp(there, here) == 0 || differ(self, what, there, here));
    free(there);
    return ok;
}

static bool is_number(matcher *self, const char *what, uint64_t here, const char *sql)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)here);
    return is_answer(self, what, text, sql, 0);
}

static bool manifest_matches(matcher *self, const sim_store_plan *plan)
{
    return is_answer(self, "the version of regionsim", REGIONSIM_VERSION, "SELECT tool_version FROM experiment", 0) &&
           is_number(self, "the version of draws", SIM_DRAW_VERSION, "SELECT draw_version FROM experiment") &&
           is_number(self, "the version of events", SIM_STORE_STREAM_VERSION,
                     "SELECT stream_version FROM experiment") &&
           is_number(self, "the version of metrics", SIM_METRIC_VERSION, "SELECT metric_version FROM experiment") &&
           is_number(self, "the seed", plan->seed, "SELECT seed FROM experiment") &&
           is_number(self, "the number of scenarios", plan->scenario_count, "SELECT scenarios FROM experiment") &&
           is_number(self, "the number of policies", plan->policy_count, "SELECT policies FROM experiment");
}

static void put_line(const char *text, char out[200])
{
    const size_t length = strcspn(text, "\n");
    (void)snprintf(out, 200, "\"%.*s\"", length < 190 ? (int)length : 190, text);
}

/* Two canonical texts: names the first line in which they differ. */
static bool lines_match(matcher *self, const char *name, const char *there, const char *here)
{
    while (*there != '\0' && *there == *here) {
        const size_t length = strcspn(there, "\n");
        if (strncmp(there, here, length + 1) != 0)
            break;
        there += length + (there[length] == '\n');
        here += length + (here[length] == '\n');
    }
    if (*there == '\0' && *here == '\0')
        return true;
    char lines[2][200];
    put_line(there, lines[0]);
    put_line(here, lines[1]);
    return differ(self, name, lines[0], lines[1]);
}

static bool canonical_matches(matcher *self, const char *kind, const char *name, const char *canonical, const char *sql,
                              int64_t id)
{
    char what[160];
    (void)snprintf(what, sizeof what, "%s %.120s", kind, name);
    char *there = ask(self, sql, id, 0, NULL);
    const bool ok = there != NULL && lines_match(self, what, there, canonical);
    free(there);
    return ok;
}

/* Knobs that something outside the files has decided: the environment. */
static bool knobs_match(matcher *self, const char *scenario, uint32_t s, uint32_t p, const char *workload,
                        const rgn_options *options)
{
    bool ok = true;
    for (int i = 0; ok && i < (int)RGN_KNOB_COUNT; i++) {
        char sql[256];
        char what[200];
        char here[64];
        (void)snprintf(
            sql, sizeof sql,
            "SELECT text FROM option WHERE scenario_id = ? AND policy_id = ? AND workload = ? AND knob = '%s'",
            rgn_knob_at((rgn_knob_id)i)->name);
        sim_format_knob((rgn_knob_id)i, rgn_options_get(options, (rgn_knob_id)i), here, sizeof here);
        (void)snprintf(what, sizeof what, "%s in %.100s", rgn_knob_at((rgn_knob_id)i)->name, scenario);
        char *there = ask(self, sql, (int64_t)s + 1, (int64_t)p + 1, workload);
        ok = there != NULL && (strcmp(there, here) == 0 || differ(self, what, there, here));
        free(there);
    }
    return ok;
}

static bool pair_matches(matcher *self, const sim_store_plan *plan, uint32_t s, uint32_t p)
{
    const sim_scenario *scenario = plan->scenario[s];
    const sim_store_pair *pair = &plan->pair[s * plan->policy_count + p];
    char *there = ask(self, "SELECT input_digest FROM run WHERE scenario_id = ? AND policy_id = ?", (int64_t)s + 1,
                      (int64_t)p + 1, NULL);
    bool ok = there != NULL;
    if (ok && strcmp(there, pair->input_digest) != 0) {
        ok = knobs_match(self, scenario->name, s, p, "", &pair->clients->values);
        for (uint32_t w = 0; ok && w < scenario->workload_count; w++)
            ok = knobs_match(self, scenario->name, s, p, scenario->workload[w].name, &pair->workloads[w].values);
        ok = ok && differ(self, "the digest of the inputs", there, pair->input_digest);
    }
    free(there);
    return ok;
}

/* "success-rate 7: a = 1, b = 2" */
static char *point_text(const sim_store_sweep_point *point)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    (void)fprintf(out, "%s %u: ", point->base, point->number);
    for (uint32_t k = 0; k < point->value_count; k++)
        (void)fprintf(out, "%s%s = %s", k > 0 ? ", " : "", point->value[k].key, point->value[k].text);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static bool sweep_matches(matcher *self, const sim_store_plan *plan)
{
    const uint32_t points = plan->sweep == NULL ? 0 : plan->sweep->point_count;
    bool ok = is_number(self, "the number of points of the sweep", points, "SELECT count(*) FROM sweep_point");
    for (uint32_t i = 0; ok && i < points; i++) {
        char *here = point_text(&plan->sweep->point[i]);
        if (here == NULL) {
            *self->error = (sim_store_error){SIM_STORE_IO, "out of memory"};
            return false;
        }
        ok = is_answer(self, "a point of the sweep", here,
                       "SELECT base || ' ' || number || ': ' || (SELECT group_concat(key || ' = ' || value, ', ') FROM"
                       " (SELECT key, value FROM sweep_value WHERE point_id = p.id ORDER BY key))"
                       " FROM sweep_point p WHERE id = ?",
                       (int64_t)i + 1);
        free(here);
    }
    return ok;
}

bool sim_store_matches(sim_store *store, const sim_store_plan *plan, sim_store_error *error)
{
    matcher self = {store, error, true};
    bool ok = manifest_matches(&self, plan);
    for (uint32_t s = 0; ok && s < plan->scenario_count; s++)
        ok = is_answer(&self, "a scenario", plan->scenario[s]->name, "SELECT name FROM scenario WHERE id = ?",
                       (int64_t)s + 1) &&
             canonical_matches(&self, "scenario", plan->scenario[s]->name, plan->scenario[s]->canonical,
                               "SELECT canonical FROM scenario WHERE id = ?", (int64_t)s + 1);
    for (uint32_t p = 0; ok && p < plan->policy_count; p++)
        ok = is_answer(&self, "a policy", plan->policy[p]->name, "SELECT name FROM policy WHERE id = ?",
                       (int64_t)p + 1) &&
             canonical_matches(&self, "policy", plan->policy[p]->name, plan->policy[p]->canonical,
                               "SELECT canonical FROM policy WHERE id = ?", (int64_t)p + 1);
    for (uint32_t i = 0; ok && i < plan->scenario_count * plan->policy_count; i++)
        ok = pair_matches(&self, plan, i / plan->policy_count, i % plan->policy_count);
    return ok && sweep_matches(&self, plan);
}
