/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder for one test's database, and questions to it. */
#ifndef TEST_STORE_SCRATCH_H
#define TEST_STORE_SCRATCH_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

extern char scratch_folder[256];
extern char scratch_path[300]; /* of the database: a.db in the folder */
extern sim_store_error scratch_error;

/* Checked fixture. */
void scratch_enter(void);
void scratch_leave(void);

/* A new database with the fixture's plan. */
sim_store *scratch_create(uint32_t replications);
/* Writes one of the fixture's runs. */
void scratch_write_run(sim_store *store, uint32_t policy, uint32_t replication);
/* The first column of the first row; the caller frees it. */
char *scratch_ask(const char *sql);
/* The canonical dump; the caller frees it. */
char *scratch_dump(sim_store *store);

#define ck_assert_answer(sql, expected)                                                                     \
    do {                                                                                                    \
        char *answer_ = scratch_ask(sql);                                                                   \
        ck_assert_msg(strcmp(answer_, (expected)) == 0, "%s gives %s, not %s", (sql), answer_, (expected)); \
        free(answer_);                                                                                      \
    } while (0)

#endif
