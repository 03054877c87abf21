/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPARSE_MEAN = 5, SPARSE_ZEROS = 4 /* one in so many */ };

const char *sim_compared_word(sim_compared verdict)
{
    static const char *const WORDS[] = {"no data", "no verdict", "equal",  "equivalent", "inconclusive",
                                        "better",  "worse",      "higher", "lower"};
    return WORDS[verdict];
}

const char *sim_compare_method_name(sim_compare_method method)
{
    static const char *const NAMES[] = {"", "t", "jackknife", "sign-flip", "Welch"};
    return NAMES[method];
}

/* What is compared, and room for one number of each replication. */
typedef struct {
    const sim_outcome *outcome;
    uint32_t scenario, policy;
    uint32_t replications;
    uint64_t seed;
    double *difference; /* of each pair, or of the percentiles without one */
    double *value[2];   /* baseline, policy: of each pair */
    double *resample;   /* [SIM_BOOTSTRAPS] */
    uint32_t *weight;
    sim_estimate estimate; /* under t and jackknife */
    double mean[2];        /* baseline, policy: over the pairs */
    bool all_whole;
} comparing;

static sim_metric_value estimate_of(const comparing *self, uint32_t policy, sim_metric_id metric)
{
    return sim_outcome_estimate(self->outcome, self->scenario, policy, 0, metric);
}

static bool is_zero(double value)
{
    return value <= 0 && value >= 0;
}

static bool are_zero(const double *value, size_t n)
{
    size_t zeros = 0;
    while (zeros < n && is_zero(value[zeros]))
        zeros++;
    return zeros == n;
}

static bool is_count(sim_metric_id metric)
{
    static const char *const MEASURES[] = {"ns", "share", "ratio", "pair-seconds"};
    for (size_t i = 0; i < sizeof MEASURES / sizeof *MEASURES; i++) {
        if (strcmp(sim_metric_at(metric)->unit, MEASURES[i]) == 0)
            return false;
    }
    return true;
}

/* From merged histograms and more than one run's extreme. */
static bool is_percentile(const comparing *self, sim_metric_id metric)
{
    return metric != SIM_METRIC_latency_max && metric != SIM_METRIC_latency_ok_max &&
           sim_outcome_is_merged(self->outcome, metric);
}

/* From the values of all pairs. */
static void take_differences(comparing *self, const sim_comparison *result)
{
    self->mean[0] = self->mean[1] = 0;
    self->all_whole = is_count(result->metric);
    for (uint32_t i = 0; i < result->pairs; i++) {
        self->difference[i] = self->value[1][i] - self->value[0][i];
        for (int side = 0; side < 2; side++) {
            self->mean[side] += self->value[side][i] / result->pairs;
            self->all_whole = self->all_whole && is_zero(self->value[side][i] - floor(self->value[side][i]));
        }
    }
}

/* Variances of the two sides on their own against that of the difference; the factors that turn them into errors are
 * the same. Without any spread there is nothing to gain. */
static void note_gain(sim_comparison *result, double first, double second, double paired)
{
    result->has_gain = first * first + second * second > 0 && paired > 0;
    result->gain = result->has_gain ? (first * first + second * second) / (paired * paired) : 0;
}

/* Fills in the differences of those replications in which both have a value. False if a value is censored: the
 * difference is then unknown. */
static bool pair_values(comparing *self, sim_comparison *result)
{
    bool is_known = true;
    for (uint32_t r = 0; r < self->replications; r++) {
        const uint32_t policies[] = {SIM_BASELINE, self->policy};
        sim_metric_value value[2];
        for (int i = 0; i < 2; i++) {
            value[i] = sim_outcome_value(self->outcome, self->scenario, policies[i], 0, result->metric, r);
            is_known = is_known && !value[i].is_censored;
        }
        if (value[0].is_null || value[1].is_null)
            continue;
        for (int i = 0; i < 2; i++)
            self->value[i][result->pairs] = value[i].value;
        result->pairs++;
    }
    take_differences(self, result);
    return is_known;
}

static bool is_sparse(const comparing *self, uint32_t pairs)
{
    uint32_t zeros = 0;
    for (uint32_t i = 0; i < pairs; i++)
        zeros += is_zero(self->difference[i]);
    const double larger = self->mean[0] > self->mean[1] ? self->mean[0] : self->mean[1];
    return (self->all_whole && larger < SPARSE_MEAN) || SPARSE_ZEROS * zeros >= pairs;
}

static void note_bootstrap(comparing *self, sim_comparison *result)
{
    const sim_interval *interval = &result->interval;
    result->has_bootstrap = true;
    result->bootstrap = sim_percentile_interval(self->resample, SIM_BOOTSTRAPS);
    const double width = interval->high - interval->low;
    const double other = result->bootstrap.high - result->bootstrap.low;
    const bool holds_zero = interval->low <= 0 && interval->high >= 0;
    const bool other_holds_zero = result->bootstrap.low <= 0 && result->bootstrap.high >= 0;
    result->bootstrap_disagrees = holds_zero != other_holds_zero || width > 2 * other || other > 2 * width;
}

static void compare_percentile(comparing *self, const sim_outcome_spread *baseline, const sim_outcome_spread *policy,
                               sim_comparison *result)
{
    const uint32_t n = self->replications;
    result->pairs = n;
    if (n < 2)
        return;
    for (uint32_t r = 0; r < n; r++)
        self->difference[r] = policy->without[r] - baseline->without[r];
    if (is_zero(result->difference) && are_zero(self->difference, n))
        result->verdict = SIM_COMPARED_EQUAL;
    result->method = SIM_BY_JACKKNIFE;
    self->estimate = sim_jackknife_estimate(result->difference, self->difference, n);
    result->interval = sim_t_interval(&self->estimate);
    note_gain(result, sim_jackknife_estimate(0, baseline->without, n).error,
              sim_jackknife_estimate(0, policy->without, n).error, self->estimate.error);
    if (baseline->resampled == NULL || result->verdict == SIM_COMPARED_EQUAL)
        return;
    for (int b = 0; b < SIM_BOOTSTRAPS; b++)
        self->resample[b] = policy->resampled[b] - baseline->resampled[b];
    note_bootstrap(self, result);
}

static void bootstrap_mean(comparing *self, sim_comparison *result)
{
    const uint32_t n = result->pairs;
    if (n < SIM_BOOTSTRAP_MIN || n > SIM_BOOTSTRAP_MAX)
        return;
    for (uint32_t b = 0; b < SIM_BOOTSTRAPS; b++) {
        sim_bootstrap_weights(self->seed, b, n, self->weight);
        double total = 0;
        for (uint32_t i = 0; i < n; i++)
            total += self->weight[i] * self->difference[i];
        self->resample[b] = total / n;
    }
    note_bootstrap(self, result);
}

/* False: no memory. */
static bool compare_mean(comparing *self, sim_comparison *result)
{
    const uint32_t n = result->pairs;
    result->has_difference = n > 0;
    if (n < 2) {
        result->difference = n > 0 ? self->difference[0] : 0;
        return true;
    }
    self->estimate = sim_mean_estimate(self->difference, n);
    result->difference = self->estimate.value;
    note_gain(result, sim_mean_estimate(self->value[0], n).error, sim_mean_estimate(self->value[1], n).error,
              self->estimate.error);
    if (are_zero(self->difference, n)) {
        result->verdict = SIM_COMPARED_EQUAL;
        result->method = SIM_BY_T;
        result->is_never_seen = is_count(result->metric) && is_zero(self->mean[0]);
        result->at_most = 3.0 / n;
        return true;
    }
    if (n <= SIM_SIGN_FLIP_MAX && is_sparse(self, n)) {
        if (n < SIM_SIGN_FLIP_MIN)
            return true;
        result->method = SIM_BY_SIGN_FLIP;
        return sim_sign_flip_interval(self->difference, n, &result->interval);
    }
    result->method = SIM_BY_T;
    result->interval = sim_t_interval(&self->estimate);
    bootstrap_mean(self, result);
    return true;
}

double sim_margin_of(const sim_scenario *scenario, sim_metric_id metric, double baseline)
{
    for (uint32_t i = 0; i < scenario->margin_count; i++) {
        const sim_margin *margin = &scenario->margin[i];
        if (sim_metric_find(margin->metric) == metric)
            return margin->is_relative ? fabs(baseline) * margin->value : margin->value;
    }
    return fabs(baseline) * (double)sim_metric_at(metric)->margin_ppm / 1e6;
}

static void note_p(const comparing *self, sim_comparison *result)
{
    switch (result->method) {
    case SIM_BY_NOTHING:
        break;
    case SIM_BY_T:
    case SIM_BY_JACKKNIFE:
    case SIM_BY_WELCH:
        result->p = sim_t_p(&self->estimate, result->margin);
        break;
    case SIM_BY_SIGN_FLIP:
        result->p = sim_sign_flip_p(self->difference, result->pairs, result->margin);
        break;
    }
}

/* Everything but the verdict of what differs. */
static bool measure(comparing *self, sim_comparison *result)
{
    const sim_metric_value before = estimate_of(self, SIM_BASELINE, result->metric);
    const sim_metric_value after = estimate_of(self, self->policy, result->metric);
    sim_outcome_spread baseline;
    sim_outcome_spread policy;
    bool ok = true;
    result->p = 1;
    if (before.is_null || after.is_null)
        return true;
    result->margin =
        sim_margin_of(sim_outcome_plan(self->outcome)->scenario[self->scenario], result->metric, before.value);
    const bool has_both =
        sim_outcome_spread_of(self->outcome, self->scenario, SIM_BASELINE, result->metric, &baseline) &&
        sim_outcome_spread_of(self->outcome, self->scenario, self->policy, result->metric, &policy);
    if (has_both) {
        result->has_difference = true;
        result->difference = after.value - before.value;
        compare_percentile(self, &baseline, &policy, result);
    } else if (!is_percentile(self, result->metric)) {
        ok = !pair_values(self, result) || compare_mean(self, result);
    }
    note_p(self, result);
    return ok;
}

static sim_compared judge(const sim_comparison *result)
{
    if (!result->has_difference)
        return SIM_COMPARED_NO_DATA;
    if (result->pairs < SIM_VERDICT_MIN || result->method == SIM_BY_NOTHING)
        return SIM_COMPARED_TOO_FEW;
    if (result->verdict == SIM_COMPARED_EQUAL)
        return SIM_COMPARED_EQUAL;
    const sim_interval *interval = &result->interval;
    if (interval->low >= -result->margin && interval->high <= result->margin)
        return SIM_COMPARED_EQUIVALENT;
    const bool is_beyond = interval->low > result->margin || interval->high < -result->margin;
    if (!is_beyond || result->p_adjusted > 2 * SIM_LEVEL_TAIL)
        return SIM_COMPARED_INCONCLUSIVE;
    const int direction = result->difference > 0 ? 1 : -1;
    switch (sim_metric_at(result->metric)->better) {
    case SIM_LOWER_IS_BETTER:
    case SIM_HIGHER_IS_BETTER:
        return direction == (int)sim_metric_at(result->metric)->better ? SIM_COMPARED_BETTER : SIM_COMPARED_WORSE;
    case SIM_NEITHER:
        break;
    }
    return direction > 0 ? SIM_COMPARED_HIGHER : SIM_COMPARED_LOWER;
}

static bool is_objective(const sim_scenario *scenario, sim_metric_id metric)
{
    for (uint32_t i = 0; i < scenario->objective_count; i++) {
        if (sim_metric_find(scenario->objective[i]) == metric)
            return true;
    }
    return false;
}

/* Every objective counts, also one that could not be tested. */
static void adjust(sim_comparison *result, size_t count)
{
    double p[SIM_OBJECTIVES_MAX] = {0};
    size_t objectives = 0;
    for (size_t i = 0; i < count; i++) {
        result[i].p_adjusted = result[i].p;
        if (result[i].is_objective && objectives < SIM_OBJECTIVES_MAX)
            p[objectives++] = result[i].p;
    }
    sim_holm(p, objectives, p);
    for (size_t i = 0, k = 0; i < count && k < objectives; i++) {
        if (result[i].is_objective)
            result[i].p_adjusted = p[k++];
    }
}

static bool make_room(comparing *self, size_t replications)
{
    self->difference = calloc(replications, sizeof *self->difference);
    self->value[0] = calloc(replications, sizeof *self->value[0]);
    self->value[1] = calloc(replications, sizeof *self->value[1]);
    self->resample = calloc(SIM_BOOTSTRAPS, sizeof *self->resample);
    self->weight = calloc(replications, sizeof *self->weight);
    return self->difference != NULL && self->value[0] != NULL && self->value[1] != NULL && self->resample != NULL &&
           self->weight != NULL;
}

static void free_room(comparing *self)
{
    free(self->difference);
    free(self->value[0]);
    free(self->value[1]);
    free(self->resample);
    free(self->weight);
}

static void judge_all(sim_comparison *result, size_t count)
{
    adjust(result, count);
    for (size_t i = 0; i < count; i++)
        result[i].verdict = judge(&result[i]);
}

bool sim_compare(const sim_outcome *outcome, uint32_t scenario, uint32_t policy, const sim_metric_id *metric,
                 size_t count, sim_comparison *out)
{
    const sim_store_plan *plan = sim_outcome_plan(outcome);
    comparing self = {.outcome = outcome,
                      .scenario = scenario,
                      .policy = policy,
                      .replications = plan->replications,
                      .seed = plan->seed};
    bool ok = make_room(&self, plan->replications);
    for (size_t i = 0; ok && i < count; i++) {
        out[i] =
            (sim_comparison){.metric = metric[i], .is_objective = is_objective(plan->scenario[scenario], metric[i])};
        ok = measure(&self, &out[i]);
    }
    if (ok)
        judge_all(out, count);
    free_room(&self);
    return ok;
}

/* Each side on its own. Where neither varies, there is nothing to be unsure of but whether it always is so. */
static void compare_unpaired(comparing *self, const sim_value_sets *set, sim_comparison *result)
{
    const size_t fewer = set->count[0] < set->count[1] ? set->count[0] : set->count[1];
    result->pairs = (uint32_t)fewer;
    result->has_difference = fewer > 0;
    if (fewer < 2)
        return;
    self->estimate = sim_unpaired_estimate(set->value[0], set->count[0], set->value[1], set->count[1]);
    result->difference = self->estimate.value;
    result->method = SIM_BY_WELCH;
    result->interval = sim_t_interval(&self->estimate);
}

static bool compare_set(comparing *self, const sim_value_sets *set, sim_comparison *result)
{
    bool ok = true;
    if (set->is_paired) {
        result->pairs = (uint32_t)set->count[0];
        memcpy(self->value[0], set->value[0], set->count[0] * sizeof *self->value[0]);
        memcpy(self->value[1], set->value[1], set->count[0] * sizeof *self->value[1]);
        take_differences(self, result);
        ok = compare_mean(self, result);
    } else {
        compare_unpaired(self, set, result);
    }
    note_p(self, result);
    return ok;
}

bool sim_compare_values(const sim_value_sets *sets, size_t count, uint64_t seed, sim_comparison *out)
{
    size_t most = 1;
    for (size_t i = 0; i < count; i++)
        most = sets[i].count[0] > most ? sets[i].count[0] : most;
    comparing self = {.seed = seed};
    bool ok = make_room(&self, most);
    for (size_t i = 0; ok && i < count; i++) {
        out[i] = (sim_comparison){.metric = sets[i].metric, .is_objective = true, .margin = sets[i].margin, .p = 1};
        ok = compare_set(&self, &sets[i], &out[i]);
    }
    if (ok)
        judge_all(out, count);
    free_room(&self);
    return ok;
}
