/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is freed all at once. */
#ifndef SIM_ARENA_H
#define SIM_ARENA_H

#include <stddef.h>

typedef struct sim_arena sim_arena;

/* Running out of memory while a file is read ends the program with status 70, so nothing here returns NULL. */
sim_arena *sim_arena_create(void);
void sim_arena_destroy(sim_arena *arena);

/* Zeroed memory, aligned for any type. */
void *sim_arena_alloc(sim_arena *arena, size_t size);
/* The same for `count` elements. */
void *sim_arena_array(sim_arena *arena, size_t count, size_t size);
/* A copy of `length` bytes with a zero byte after them. */
char *sim_arena_copy(sim_arena *arena, const char *text, size_t length);
/* A copy of a string. */
char *sim_arena_string(sim_arena *arena, const char *text);

#endif
