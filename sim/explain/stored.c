/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explain/stored.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "store/rows.h"

enum { RUNS_SHOWN = 8, POLICIES_MAX = 64 };

/* What reading has at hand. */
typedef struct {
    exp_stored *run;
    sim_store *store;
} reader;

static int refuse_alien(const exp_stored *self, const char *what)
{
    return cli_complain("the database %s %s", self->db, what);
}

/* A statement with its whole numbers bound; NULL after a complaint. */
static sqlite3_stmt *ask(const reader *self, const char *sql, const int64_t *bound, size_t count, int *status)
{
    sim_store_error error = {0};
    sqlite3_stmt *statement = sim_store_ask(self->store, sql, bound, count, &error);
    if (statement == NULL)
        *status = cli_report_store(&error);
    return statement;
}

/* Steps; false at the end, or after a complaint, and the statement is then gone. */
static bool next(const reader *self, sqlite3_stmt **statement, int *status)
{
    sim_store_error error = {0};
    if (sim_store_step(self->store, statement, &error))
        return true;
    if (error.status != SIM_STORE_OK)
        *status = cli_report_store(&error);
    return false;
}

static const char *text_at(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text == NULL ? "" : text;
}

static const char *keep(const exp_stored *self, sqlite3_stmt *statement, int column)
{
    return sim_arena_string(self->arena, text_at(statement, column));
}

/* ---- which run ---- */

static bool is_file(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0;
}

/* Splits DB:RUN at its last colon; a file that has the whole name wins. `*which` is "" where there is none. */
static bool split(exp_stored *self, const char *operand, const char **which)
{
    const char *colon = strrchr(operand, ':');
    const bool is_whole = colon == NULL || colon == operand || is_file(operand);
    *which = is_whole ? "" : colon + 1;
    self->db = is_whole ? strdup(operand) : strndup(operand, (size_t)(colon - operand));
    if (self->db == NULL)
        (void)cli_complain("out of memory");
    return self->db != NULL;
}

static bool read_whole(const char *text, int64_t *value)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9 || text[digits] != '\0')
        return false;
    *value = strtoll(text, NULL, 10);
    return true;
}

/* The policy of that name, with /REPLICATION or the first. */
static int find_by_policy(const reader *self, const char *which, int64_t *id)
{
    const char *slash = strrchr(which, '/');
    int64_t replication = 0;
    if (slash != NULL && !read_whole(slash + 1, &replication))
        return cli_complain("\"%s\": expected POLICY/REPLICATION, such as success-rate/0", which);
    char *name = slash == NULL ? strdup(which) : strndup(which, (size_t)(slash - which));
    const char *names[POLICIES_MAX];
    size_t count = 0;
    int64_t policy = 0;
    int status = CLI_OK;
    sqlite3_stmt *rows = name == NULL ? NULL : ask(self, "SELECT name, id FROM policy ORDER BY id", NULL, 0, &status);
    while (count < POLICIES_MAX && next(self, &rows, &status)) {
        names[count++] = keep(self->run, rows, 0);
        if (strcmp(names[count - 1], name) == 0)
            policy = sqlite3_column_int64(rows, 1);
    }
    (void)sqlite3_finalize(rows);
    if (status == CLI_OK && policy == 0)
        status = name == NULL ? CLI_IO : cli_complain_of_word("policy", name, names, count);
    const int64_t bound[] = {policy, replication};
    rows = status != CLI_OK
               ? NULL
               : ask(self, "SELECT id FROM run WHERE policy_id = ? AND replication = ? ORDER BY id LIMIT 1", bound, 2,
                     &status);
    if (next(self, &rows, &status))
        *id = sqlite3_column_int64(rows, 0);
    else if (status == CLI_OK)
        status = cli_complain("the database %s holds no replication %lld of %s; expected one from 0 on, as SELECT * "
                              "FROM v_run lists them",
                              self->run->db, (long long)replication, name);
    (void)sqlite3_finalize(rows);
    free(name);
    return status;
}

static int find_first(const reader *self, int64_t *id)
{
    int status = CLI_OK;
    sqlite3_stmt *rows = ask(self, "SELECT min(id) FROM run WHERE state = 'done'", NULL, 0, &status);
    if (next(self, &rows, &status))
        *id = sqlite3_column_int64(rows, 0);
    (void)sqlite3_finalize(rows);
    if (status == CLI_OK && *id == 0)
        return refuse_alien(self->run, "holds no finished run");
    return status;
}

/* ---- the run's row ---- */

static bool copy_digest(const char *text, char out[EXP_DIGEST_SIZE])
{
    const bool ok = strlen(text) == EXP_DIGEST_SIZE - 1 && strspn(text, "0123456789abcdef") == EXP_DIGEST_SIZE - 1;
    (void)snprintf(out, EXP_DIGEST_SIZE, "%s", ok ? text : "");
    return ok;
}

static int refuse_id(const reader *self, int64_t id)
{
    int status = CLI_OK;
    long long last = 0;
    sqlite3_stmt *rows = ask(self, "SELECT max(id) FROM run", NULL, 0, &status);
    if (next(self, &rows, &status))
        last = sqlite3_column_int64(rows, 0);
    (void)sqlite3_finalize(rows);
    if (status != CLI_OK)
        return status;
    return cli_complain("the database %s holds no run %lld; expected one from 1 to %lld", self->run->db, (long long)id,
                        last);
}

static int read_run(const reader *self, int64_t id)
{
    exp_stored *run = self->run;
    int status = CLI_OK;
    sqlite3_stmt *rows = ask(self,
                             "SELECT r.state, r.scenario_id, r.policy_id, r.replication, r.seed, r.input_digest,"
                             " r.luck_digest, r.digest, p.name, t.command_line FROM run r"
                             " JOIN policy p ON p.id = r.policy_id LEFT JOIN run_timing t ON t.run_id = r.id"
                             " WHERE r.id = ?",
                             &id, 1, &status);
    if (!next(self, &rows, &status))
        return status != CLI_OK ? status : refuse_id(self, id);
    const int64_t replication = sqlite3_column_int64(rows, 3);
    run->id = (uint32_t)id;
    run->scenario_id = (uint32_t)sqlite3_column_int64(rows, 1);
    run->policy_id = (uint32_t)sqlite3_column_int64(rows, 2);
    run->luck = (sim_luck){(uint64_t)sqlite3_column_int64(rows, 4), (uint32_t)replication};
    run->policy = keep(run, rows, 8);
    run->command_line = keep(run, rows, 9);
    const bool is_done = strcmp(text_at(rows, 0), "done") == 0;
    const bool ok = copy_digest(text_at(rows, 5), run->input_digest) &&
                    copy_digest(text_at(rows, 6), run->luck_digest) && copy_digest(text_at(rows, 7), run->digest) &&
                    replication >= 0 && replication <= INT32_MAX;
    (void)sqlite3_finalize(rows);
    if (!is_done)
        return cli_complain("run %u of %s has not finished; go on with it by run --resume", run->id, run->db);
    return ok ? CLI_OK : refuse_alien(run, "holds a run that cannot be decoded");
}

static int read_checkpoints(const reader *self)
{
    exp_stored *run = self->run;
    const int64_t id = run->id;
    int status = CLI_OK;
    int count = 0;
    bool ok = true;
    sqlite3_stmt *rows = ask(self, "SELECT digest FROM checkpoint WHERE run_id = ? ORDER BY k", &id, 1, &status);
    while (ok && count < SIM_CHECKPOINTS && next(self, &rows, &status))
        ok = copy_digest(text_at(rows, 0), run->checkpoint[count++]);
    (void)sqlite3_finalize(rows);
    if (status == CLI_OK && (!ok || count < SIM_CHECKPOINTS))
        return refuse_alien(run, "holds checkpoints that cannot be decoded");
    return status;
}

/* Draws, records or metrics that mean something else now cannot be played again. */
static int check_versions(const reader *self)
{
    static const struct {
        const char *sql;
        const char *what;
        int here;
    } VERSIONS[] = {{"SELECT draw_version FROM experiment", "draws", SIM_DRAW_VERSION},
                    {"SELECT stream_version FROM experiment", "events", SIM_STORE_STREAM_VERSION},
                    {"SELECT metric_version FROM experiment", "metrics", SIM_METRIC_VERSION}};
    int status = CLI_OK;
    for (size_t i = 0; status == CLI_OK && i < sizeof VERSIONS / sizeof *VERSIONS; i++) {
        sqlite3_stmt *rows = ask(self, VERSIONS[i].sql, NULL, 0, &status);
        if (!next(self, &rows, &status))
            return status != CLI_OK ? status : refuse_alien(self->run, "has no manifest");
        const long long there = sqlite3_column_int64(rows, 0);
        (void)sqlite3_finalize(rows);
        if (there != VERSIONS[i].here)
            return cli_complain("%s was made with version %lld of the %s, and this program (%s) has version %d: the "
                                "run cannot be played again; use the program that made it, or make the database anew",
                                self->run->db, there, VERSIONS[i].what, REGIONSIM_VERSION, VERSIONS[i].here);
    }
    return status;
}

/* ---- inputs ---- */

/* The text under the path that it was read from, under its name beside the database, and here: data tables are looked
 * for near it. The first that loads counts; else the first one's error is told. */
static int load_scenario(exp_stored *self, const char *path, const char *text, size_t length)
{
    const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    const char *slash = strrchr(self->db, '/');
    char *beside = cli_text("%.*s%s", slash == NULL ? 0 : (int)(slash - self->db) + 1, self->db, name);
    const char *const paths[] = {path, beside == NULL ? name : beside, name};
    sim_input_error first = {0};
    for (size_t i = 0; self->world == NULL && i < sizeof paths / sizeof *paths; i++) {
        sim_input_error error = {0};
        sim_scenario_destroy(self->scenario);
        self->scenario = sim_scenario_parse(paths[i], text, length, self->setting, self->setting_count, &error);
        if (self->scenario != NULL)
            self->world = sim_world_create(self->scenario, &error);
        if (i == 0)
            first = error;
    }
    free(beside);
    if (self->world != NULL)
        return CLI_OK;
    (void)cli_complain("the scenario that %s holds cannot be loaded:", self->db);
    sim_input_error_print(&first, stderr);
    return CLI_USAGE;
}

static int read_scenario(const reader *self)
{
    const int64_t bound[] = {self->run->scenario_id, self->run->id};
    int status = CLI_OK;
    sqlite3_stmt *rows = ask(self,
                             "SELECT s.text, t.scenario_path FROM scenario s LEFT JOIN run_timing t ON t.run_id = ?2"
                             " WHERE s.id = ?1",
                             bound, 2, &status);
    if (!next(self, &rows, &status))
        return status != CLI_OK ? status : refuse_alien(self->run, "does not hold the run's scenario");
    const char *text = text_at(rows, 0);
    status = load_scenario(self->run, text_at(rows, 1), text, (size_t)sqlite3_column_bytes(rows, 0));
    (void)sqlite3_finalize(rows);
    return status;
}

static uint8_t origin_of(const char *name)
{
    static const char *const NAMES[] = {"default", "environment", "runtime", "account", "operation", "override"};
    static const uint8_t LAYERS[] = {RGN_LAYER_DEFAULT, RGN_LAYER_ENVIRONMENT, RGN_LAYER_RUNTIME,
                                     RGN_LAYER_ACCOUNT, RGN_LAYER_OPERATION,   RGN_LAYER_OVERRIDE};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (strcmp(name, NAMES[i]) == 0)
            return LAYERS[i];
    }
    return RGN_LAYER_DEFAULT;
}

/* The options in force for a workload, or for the clients. */
static rgn_effective_options *options_of(exp_stored *self, const char *workload)
{
    if (workload[0] == '\0')
        return &self->options.clients;
    for (uint32_t w = 0; w < self->scenario->workload_count; w++) {
        if (strcmp(self->scenario->workload[w].name, workload) == 0)
            return &self->options.workload[w];
    }
    return NULL;
}

static int read_options(const reader *self)
{
    exp_stored *run = self->run;
    const int64_t bound[] = {run->scenario_id, run->policy_id};
    size_t count = 0;
    bool ok = true;
    int status = CLI_OK;
    sqlite3_stmt *rows =
        ask(self, "SELECT workload, knob, value, origin FROM option WHERE scenario_id = ? AND policy_id = ?", bound, 2,
            &status);
    for (; ok && next(self, &rows, &status); count++) {
        rgn_effective_options *options = options_of(run, text_at(rows, 0));
        const rgn_knob_id knob = rgn_knob_find(text_at(rows, 1));
        ok = options != NULL && knob < RGN_KNOB_COUNT;
        if (ok) {
            rgn_options_set(&options->values, knob, sqlite3_column_int64(rows, 2));
            options->origin[knob] = origin_of(text_at(rows, 3));
        }
    }
    (void)sqlite3_finalize(rows);
    if (status != CLI_OK)
        return status;
    ok = ok && count == (run->scenario->workload_count + 1) * (size_t)RGN_KNOB_COUNT &&
         rgn_options_validate(&run->options.clients.values, NULL) == RGN_OK;
    for (uint32_t w = 0; ok && w < run->scenario->workload_count; w++)
        ok = rgn_options_validate(&run->options.workload[w].values, NULL) == RGN_OK;
    return ok ? CLI_OK : refuse_alien(run, "holds options that this program does not know, or lacks some");
}

static int check_inputs(const exp_stored *self)
{
    char digest[EXP_DIGEST_SIZE];
    sim_digest_inputs(self->scenario, &self->options, digest);
    if (strcmp(digest, self->input_digest) == 0)
        return CLI_OK;
    return cli_complain("run %u of %s cannot be played again: text, settings and options in the database give other "
                        "inputs (digest %s) than it had (%s); was the database edited?",
                        self->id, self->db, digest, self->input_digest);
}

static int check_memory(const exp_stored *self)
{
    const sim_scenario *const scenario[] = {self->scenario};
    const sim_store_plan plan = {.replications = 1, .scenario_count = 1, .scenario = scenario, .policy_count = 1};
    return cli_fits_memory(&plan, 1, cli_machine_memory()) ? CLI_OK : CLI_USAGE;
}

static int read_all(const reader *self, const char *which)
{
    int64_t id = 0;
    int status = check_versions(self);
    if (status == CLI_OK && which[0] == '\0')
        status = find_first(self, &id);
    else if (status == CLI_OK && !read_whole(which, &id))
        status = find_by_policy(self, which, &id);
    if (status == CLI_OK)
        status = read_run(self, id);
    if (status == CLI_OK)
        status = read_checkpoints(self);
    if (status != CLI_OK)
        return status;
    self->run->setting_count =
        exp_settings_read(self->run->arena, self->run->command_line, self->run->setting, EXP_SETTINGS_MAX);
    status = read_scenario(self);
    if (status == CLI_OK)
        status = read_options(self);
    if (status == CLI_OK)
        status = check_inputs(self->run);
    return status == CLI_OK ? check_memory(self->run) : status;
}

int exp_stored_open(exp_stored *self, const char *operand)
{
    const char *which = NULL;
    sim_store_error error = {0};
    *self = (exp_stored){.arena = sim_arena_create()};
    if (!split(self, operand, &which))
        return CLI_IO;
    const reader reading = {self, sim_store_open(self->db, &error)};
    if (reading.store == NULL)
        return cli_report_store(&error);
    const int status = read_all(&reading, which);
    sim_store_close(reading.store);
    return status;
}

void exp_stored_close(exp_stored *self)
{
    sim_world_destroy(self->world);
    sim_scenario_destroy(self->scenario);
    if (self->arena != NULL)
        sim_arena_destroy(self->arena);
    free(self->db);
    *self = (exp_stored){0};
}
