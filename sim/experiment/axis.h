/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One key of a sweep and the values that it takes, as a person writes them: KEY=ITEM,ITEM,...
 *
 * An item is a value, or a range LOW..HIGH or LOW..HIGH:STEP. The ends of a range are numbers with one unit: none, %,
 * /s, or a duration's; LOW and STEP may leave it out where HIGH has it. A range holds LOW, LOW + STEP, ... up to HIGH
 * at most. Without STEP whole numbers and whole percentages go in ones; other ranges go in thousandths of HIGH - LOW if
 * `is_fine`, else they are refused. A value may hold commas inside [], {} and quotes.
 *
 * Everything is kept as integers, so a range holds what a person would write, to the last digit. */
#ifndef SIM_AXIS_H
#define SIM_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_AXIS_TEXT_SIZE = 256, SIM_AXIS_KEY_SIZE = 128 };

typedef enum {
    SIM_AXIS_WORD = 0,     /* no number that a range could hold */
    SIM_AXIS_NUMBER = 1,   /* millionths */
    SIM_AXIS_PERCENT = 2,  /* millionths of a percent */
    SIM_AXIS_RATE = 3,     /* millionths, each second */
    SIM_AXIS_DURATION = 4, /* ns */
} sim_axis_kind;

typedef struct {
    size_t column; /* where it stands in the text, from 1 */
    size_t length; /* of a single value */
    sim_axis_kind kind;
    int64_t low, step; /* of a range */
    uint64_t count;    /* values; 1 for a single one */
    bool is_range;
} sim_axis_item;

typedef struct {
    const char *text; /* borrowed */
    char key[SIM_AXIS_KEY_SIZE];
    size_t item_count;
    sim_axis_item *item;
    uint64_t count; /* values of all items */
} sim_axis;

typedef struct {
    size_t column; /* from 1 */
    char message[512];
} sim_axis_error;

/* Reads `text`, which must outlive the axis. False with `*error`. Free with sim_axis_deinit() in any case. */
bool sim_axis_parse(const char *text, bool is_fine, sim_axis *axis, sim_axis_error *error);
void sim_axis_deinit(sim_axis *axis);

/* One value as a file would say it. */
typedef struct {
    char text[SIM_AXIS_TEXT_SIZE];
    size_t column; /* of its item */
    bool has_number;
    double number; /* a duration in ns, a percentage as a share of 1, else as it is written */
} sim_axis_value;

/* The n-th value, n < axis->count. */
sim_axis_value sim_axis_at(const sim_axis *axis, uint64_t n);

#endif
