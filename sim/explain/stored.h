/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of a database, made ready to be played again: scenario text, settings, effective options, seed and replication
 * come from its tables. Of files only the tables of round trips and recordings are read, which databases do not hold.
 */
#ifndef SIM_EXPLAIN_STORED_H
#define SIM_EXPLAIN_STORED_H

#include "engine/engine.h"
#include "experiment/plan.h"
#include "scenario/arena.h"
#include "store/store.h"

enum { EXP_SETTINGS_MAX = 256, EXP_DIGEST_SIZE = 33 };

typedef struct {
    char *db;    /* path, as given; owned */
    uint32_t id; /* of the run */
    uint32_t policy_id;
    uint32_t scenario_id;
    sim_luck luck;            /* seed and replication */
    const char *policy;       /* its name; on the arena, as all texts */
    const char *command_line; /* of the process that played it */
    char input_digest[EXP_DIGEST_SIZE];
    char luck_digest[EXP_DIGEST_SIZE];
    char digest[EXP_DIGEST_SIZE];
    char checkpoint[SIM_CHECKPOINTS][EXP_DIGEST_SIZE];
    size_t setting_count;
    sim_setting setting[EXP_SETTINGS_MAX];
    sim_pair_options options;
    sim_scenario *scenario;
    sim_world *world;
    sim_arena *arena;
} exp_stored;

/* `operand` is DB, DB:ID, DB:POLICY or DB:POLICY/REPLICATION; DB alone means its first finished run. CLI_OK, or an exit
 * status after a complaint. Free with exp_stored_close() in any case. */
int exp_stored_open(exp_stored *self, const char *operand);
void exp_stored_close(exp_stored *self);

/* settings.c: the `--set` options of a command line as cli_quote() wrote it, on the arena. Returns how many, at most
 * `max`. */
size_t exp_settings_read(sim_arena *arena, const char *command_line, sim_setting *out, size_t max);

#endif
