/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/race.h"

#include <math.h>
#include <stdlib.h>

#include "experiment/front.h"

sim_gain sim_race_gain(const sim_race_rule *rule, const double *one, const double *other, size_t objective,
                       size_t replications)
{
    /* Twice over the values instead of an array of differences: nothing to allocate in the inmost loop of a race. */
    double total = 0;
    double squares = 0;
    for (size_t r = 0; r < replications; r++) {
        const size_t at = r * rule->objectives + objective;
        total += one[at] - (other == NULL ? 0 : other[at]);
    }
    const double count = (double)replications;
    const double mean = total / count;
    for (size_t r = 0; r < replications; r++) {
        const size_t at = r * rule->objectives + objective;
        const double off = one[at] - (other == NULL ? 0 : other[at]) - mean;
        squares += off * off;
    }
    const sim_estimate estimate = {mean, sqrt(squares / (count - 1) / count), replications};
    const sim_interval interval = sim_t_interval_at(&estimate, rule->tail);
    return (sim_gain){mean, interval.low, interval.high};
}

static bool are_alike(const double *one, const double *other, size_t count)
{
    size_t same = 0;
    while (same < count && one[same] <= other[same] && one[same] >= other[same])
        same++;
    return same == count;
}

sim_race_verdict sim_race_compare(const sim_race_rule *rule, const double *one, const double *other,
                                  size_t replications)
{
    if (are_alike(one, other, replications * rule->objectives))
        return SIM_RACE_ALIKE;
    bool is_better = false;
    for (size_t o = 0; o < rule->objectives; o++) {
        const sim_gain gain = sim_race_gain(rule, one, other, o, replications);
        if (!(gain.low >= -rule->margin[o]))
            return SIM_RACE_OPEN;
        is_better = is_better || gain.low > rule->margin[o];
    }
    return is_better ? SIM_RACE_BEATS : SIM_RACE_OPEN;
}

typedef struct {
    size_t place, layer;
    double merit;
} ranked;

static int by_rank(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;
    if (x->layer != y->layer)
        return x->layer < y->layer ? -1 : 1;
    if (x->merit < y->merit || x->merit > y->merit)
        return x->merit > y->merit ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Takes one layer after the other off what is left, by turning the means of those taken into NaN. */
static void peel(ranked *rank, double *mean, size_t count, size_t objectives, bool *is_beaten)
{
    size_t left = count;
    for (size_t layer = 0; left > 0; layer++) {
        sim_front_find(mean, count, objectives, is_beaten);
        for (size_t i = 0; i < count; i++) {
            if (isnan(mean[i * objectives]) || is_beaten[i])
                continue;
            rank[i].layer = layer;
            mean[i * objectives] = (double)NAN;
            left--;
        }
    }
}

bool sim_race_sort(size_t objectives, const double *weight, const double *mean, size_t count, size_t *order)
{
    ranked *rank = calloc(count + 1, sizeof *rank);
    double *copy = calloc(count * objectives + 1, sizeof *copy);
    bool *is_beaten = calloc(count + 1, sizeof *is_beaten);
    const bool ok = rank != NULL && copy != NULL && is_beaten != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        rank[i].place = i;
        for (size_t o = 0; o < objectives; o++) {
            copy[i * objectives + o] = mean[i * objectives + o];
            rank[i].merit += weight[o] * mean[i * objectives + o];
        }
    }
    if (ok) {
        peel(rank, copy, count, objectives, is_beaten);
        qsort(rank, count, sizeof *rank, by_rank);
    }
    for (size_t i = 0; ok && i < count; i++)
        order[i] = rank[i].place;
    free(rank);
    free(copy);
    free(is_beaten);
    return ok;
}
