/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search of `tune`: which points are played how often, and which are left at the end. Values come from a callback,
 * so a search is a function of what the callback answers: played again with the same answers it is the same search.
 *
 * **Gains.** A point's gain in an objective and a replication is the mean over scenarios of (base - point) / scale,
 * turned so that more is better: a relative improvement over the base under the same luck. The scale of an objective in
 * a scenario is the base's mean over all its replications, or, where that is zero, the mean over the points of the
 * start at their first look, or else 1. Where the base has no value, nothing is gained or lost; a point without a value
 * where the base has one leaves. The margin of an objective is the mean of the scenarios' margins on the same scale.
 *
 * **Rounds.** The first round's points fill the space: the grid if it is small enough, else a Sobol sequence. It may
 * take half the budget. Up to SIM_SEARCH_ROUNDS - 1 more look around the front: every axis one step up and down, by a
 * quarter of its values, then half as far each round; axes of words to the neighbours in their list. Each takes its
 * share of what is left of the budget.
 *
 * **Limit.** A mean over scenarios hides what is lost in one of them. What a point may lose of an objective in a
 * scenario is `loss_limit` on that scenario's scale, or the scenario's margin where that is more. A point leaves at the
 * look at which some loss is beyond that by the whole interval; at the last look also if it is by its mean, provided
 * that the interval is below zero: what may be luck is held against nobody.
 *
 * **Race.** New points play SIM_SEARCH_FIRST replications, then twice, then four times as many. At each of these looks
 * those leave that break a constraint (by their mean, in any scenario) or the limit, that are alike to an earlier
 * point, or that any other open point or the base beats (race.h), at 95 % shared among the SIM_SEARCH_LOOKS looks; who
 * breaks the limit by the mean beats nobody who keeps it. At the first two looks at most half of the round's points,
 * rounded up, go on: those that keep the limit by the mean first, then those in the foremost layers, then by weighted
 * gain. */
#ifndef SIM_SEARCH_H
#define SIM_SEARCH_H

#include "experiment/points.h"
#include "experiment/race.h"

enum {
    SIM_SEARCH_FIRST = 4, /* replications at the first look */
    SIM_SEARCH_LOOKS = 3,
    SIM_SEARCH_FULL = SIM_SEARCH_FIRST << (SIM_SEARCH_LOOKS - 1), /* at the last */
    SIM_SEARCH_ROUNDS = 4,
    SIM_SEARCH_OBJECTIVES_MAX = 8,
    SIM_SEARCH_CONSTRAINTS_MAX = 8,
    SIM_SEARCH_BASE = 0,    /* number of the base among the points */
    SIM_SEARCH_NEW_MIN = 4, /* points of the first round */
};

typedef enum {
    SIM_POINT_BASE = 0,
    SIM_POINT_START = 1,
    SIM_POINT_NEIGHBOUR = 2,
} sim_point_origin;

typedef enum {
    SIM_POINT_OPEN = 0,      /* played in full, and beaten by its mean only */
    SIM_POINT_FRONT = 1,     /* no other point is as good everywhere and better somewhere, by the means */
    SIM_POINT_BEATEN = 2,    /* by the point `against` */
    SIM_POINT_ALIKE = 3,     /* to the point `against` */
    SIM_POINT_HALVED = 4,    /* others of its round looked better */
    SIM_POINT_FORBIDDEN = 5, /* breaks a constraint, or the limit of what a scenario may lose */
    SIM_POINT_NO_DATA = 6,   /* an objective has no value where the base has one */
} sim_point_standing;

/* "front", "beaten", ... */
const char *sim_point_standing_word(sim_point_standing standing);
const char *sim_point_origin_word(sim_point_origin origin);

typedef enum {
    SIM_LOSS_OPEN = 0,         /* within what is allowed, or perhaps luck */
    SIM_LOSS_SHOWN = 1,        /* a loss beyond doubt, and more than is allowed by its mean */
    SIM_LOSS_BEYOND_DOUBT = 2, /* more than is allowed beyond doubt */
} sim_loss_evidence;

/* What is lost in one scenario. */
typedef struct {
    sim_loss_evidence evidence;
    size_t scenario, objective;
    double excess; /* by the mean, beyond what is allowed; at most 0: it is allowed */
} sim_search_loss;

typedef struct {
    uint64_t place[SIM_AXES_MAX]; /* of the base: the nearest there is */
    sim_point_origin origin;
    uint32_t round;
    size_t parent; /* of a neighbour */
    uint32_t replications;
    sim_point_standing standing;
    size_t against;
    sim_search_loss loss; /* the one with most evidence, of these the largest excess, at its latest look */
    double *value;        /* [(replication * scenarios + scenario) * columns + column], NaN: none; owned */
    double *gain;         /* [replication * objectives + objective]; owned */
} sim_search_point;

typedef struct {
    bool is_at_least; /* else at most */
    double limit;
} sim_search_constraint;

typedef struct sim_search sim_search;

/* What is searched. Columns are the objectives' metrics and then the constraints'. Borrowed. */
typedef struct {
    size_t axis_count;
    uint64_t axis_size[SIM_AXES_MAX];
    bool is_word[SIM_AXES_MAX];
    uint64_t base_place[SIM_AXES_MAX];
    size_t scenario_count;
    size_t objective_count;
    double weight[SIM_SEARCH_OBJECTIVES_MAX];
    bool is_higher_better[SIM_SEARCH_OBJECTIVES_MAX];
    size_t constraint_count;
    sim_search_constraint constraint[SIM_SEARCH_CONSTRAINTS_MAX];
    double loss_limit; /* relative; INFINITY: there is none */
    size_t budget;     /* runs, at least sim_search_least() */
    void *context;
    /* Whether there may be such a point. */
    bool (*admits)(void *context, const uint64_t *place);
    /* Plays `count` points in the replications [from, to) and answers with sim_search_put(). False ends the search. */
    bool (*play)(void *context, sim_search *search, const size_t *point, size_t count, uint32_t from, uint32_t to);
    /* The difference that matters, in the metric's unit, where the base's mean is `base`. */
    double (*margin)(void *context, size_t scenario, size_t objective, double base);
} sim_search_input;

struct sim_search {
    const sim_search_input *input;
    size_t count;
    sim_search_point *point;
    size_t spent; /* runs */
    uint32_t rounds;
    size_t refused;  /* points that `admits` did not */
    double *scale;   /* [scenario * objectives + objective] */
    double *allowed; /* loss of gain, likewise */
    double margin[SIM_SEARCH_OBJECTIVES_MAX];
    size_t start_count; /* points of the first round; they are numbered from 1 */
};

/* The fewest runs that a search of so many scenarios takes. */
size_t sim_search_least(size_t scenario_count);

/* False: no memory, or `play` gave up. Free with sim_search_deinit() in any case. */
bool sim_search_run(sim_search *search, const sim_search_input *input);
void sim_search_deinit(sim_search *search);

void sim_search_put(sim_search *search, size_t point, uint32_t replication, size_t scenario, size_t column,
                    double value);

static inline size_t sim_search_columns(const sim_search_input *input)
{
    return input->objective_count + input->constraint_count;
}

/* The rule of this search's race. */
sim_race_rule sim_search_rule(const sim_search *search);

/* The point to recommend: of those on the front that keep the constraints, gain somewhere (interval beyond the margin
 * at 95 %) and lose nowhere more than the margin by the mean, the one with the largest weighted sum of the lower ends.
 * SIM_SEARCH_BASE: there is none. */
size_t sim_search_pick(const sim_search *search);

#endif
