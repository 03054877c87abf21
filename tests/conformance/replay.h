/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the replayer's parts share: the input line, the sequence being replayed, and how a mismatch is told.
 *
 * Input that cannot be understood ends the program with status 2; only the core's answers are judged. */
#ifndef TESTS_CONFORMANCE_REPLAY_H
#define TESTS_CONFORMANCE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

#include <regioncore/regioncore.h>

/* One line of a file. */
typedef struct {
    const char *file;
    long line;
    struct json_object *object;
} vector;

/* Calls `use` with every line of the file, plain or gzip. */
void vector_read_file(const char *file, void (*use)(void *context, const vector *v), void *context);

/* Prints file:line and the message, and exits with 2. */
_Noreturn void vector_fail(const vector *v, const char *message, const char *key);

bool vector_has(const vector *v, const char *key);
int64_t vector_int(const vector *v, const char *key);
const char *vector_text(const vector *v, const char *key);
struct json_object *vector_array(const vector *v, const char *key);

/* The same for a part of a line. */
int64_t part_int(const vector *v, struct json_object *part, const char *key);
const char *part_text(const vector *v, struct json_object *part, const char *key);
int64_t part_at(const vector *v, struct json_object *array, size_t index);
struct json_object *part_get(const vector *v, struct json_object *part, const char *key);
struct json_object *part_array(const vector *v, struct json_object *part, const char *key);

/* `value`, which must lie in [low, high]. */
int64_t vector_within(const vector *v, int64_t value, int64_t low, int64_t high, const char *key);
/* 0 or 1: a flag, or a direction. */
int64_t vector_flag(const vector *v, const char *key);
/* The clock, which never goes back within a sequence and fits in 53 bits. */
int64_t vector_clock(const vector *v, int64_t before);
/* The number of partitions of an S line. */
uint32_t vector_partitions(const vector *v);

/* An array of region numbers. */
rgn_region_list part_regions(const vector *v, struct json_object *array);

/* The sequence being replayed. After its first mismatch, or once it is skipped, its events are read and dropped. */
typedef struct {
    int64_t number;
    char name[64];
    int64_t event; /* index of the event being replayed; -1 at the start */
    bool is_wrong;
    bool is_skipped;
} sequence;

/* Tells the sequence's first mismatch. */
void sequence_mismatch(sequence *s, const char *key, const char *expected, const char *got);
/* Compares two numbers; `key` may hold a partition or row as "%s" would print it. */
void sequence_expect(sequence *s, const char *key, int64_t expected, int64_t got);
void sequence_skip(sequence *s, const char *why);

/* One format. `begin` makes its state for an S line, `event` replays an E line, `end` frees. */
typedef struct {
    void *(*begin)(sequence *s, const vector *v);
    void (*event)(void *state, sequence *s, const vector *v);
    void (*end)(void *state);
} replay_format;

extern const replay_format replay_recovery;
extern const replay_format replay_routing;

/* A region number as the vectors write it: -1 for none. */
int64_t replay_region(rgn_region region);
/* A time as the vectors write it: -1 for never. */
int64_t replay_time(rgn_time_ns at);

/* A new router; exits with 2 if it cannot be made. */
rgn_router *replay_router(const vector *v, const rgn_router_config *config);

#endif
