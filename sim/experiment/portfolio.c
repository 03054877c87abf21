/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/portfolio.h"

#include <math.h>
#include <stdlib.h>

enum { SPARSE_ZEROS = 4 /* one in so many */ };

typedef struct {
    const sim_outcome *outcome;
    uint32_t replications;
    uint32_t policy;
    double *value[2]; /* [replication], base and policy, of one scenario */
    double *gain;     /* [replication], over scenarios */
    double p;
} comparing;

/* False: a value is missing in both or one, or only known in part. In a replication in which both have none there is
 * nothing to gain. */
static bool read_values(comparing *self, uint32_t scenario, sim_metric_id metric, double mean[2])
{
    const uint32_t policies[] = {SIM_BASELINE, self->policy};
    bool ok = true;
    mean[0] = mean[1] = 0;
    for (uint32_t r = 0; ok && r < self->replications; r++) {
        sim_metric_value value[2];
        for (int side = 0; side < 2; side++) {
            value[side] = sim_outcome_value(self->outcome, scenario, policies[side], 0, metric, r);
            self->value[side][r] = value[side].is_null ? 0 : value[side].value;
            mean[side] += self->value[side][r] / self->replications;
            ok = ok && !value[side].is_censored;
        }
        ok = ok && value[0].is_null == value[1].is_null;
    }
    return ok;
}

static bool add_scenario(comparing *self, uint32_t scenario, uint32_t count, int sign, sim_portfolio_gain *out)
{
    const sim_store_plan *plan = sim_outcome_plan(self->outcome);
    double mean[2];
    if (!read_values(self, scenario, out->metric, mean))
        return false;
    const double scale = fabs(mean[0]) > 0 ? fabs(mean[0]) : fabs(mean[1]) > 0 ? fabs(mean[1]) : 1;
    double total = 0;
    for (uint32_t r = 0; r < self->replications; r++) {
        const double gain = sign * (self->value[1][r] - self->value[0][r]) / scale;
        self->gain[r] += gain / count;
        total += gain / self->replications;
    }
    out->margin += sim_margin_of(plan->scenario[scenario], out->metric, scale) / scale / count;
    if (out->worst == UINT32_MAX || total < out->worst_gain) {
        out->worst = scenario;
        out->worst_gain = total;
    }
    return true;
}

/* False: no memory. */
static bool estimate(comparing *self, sim_portfolio_gain *out)
{
    const uint32_t n = self->replications;
    uint32_t zeros = 0;
    for (uint32_t r = 0; r < n; r++)
        zeros += self->gain[r] <= 0 && self->gain[r] >= 0;
    self->p = 1;
    if (n < 2)
        return true;
    const sim_estimate mean = sim_mean_estimate(self->gain, n);
    out->gain = mean.value;
    if (zeros == n) {
        out->method = SIM_BY_T;
        return true;
    }
    if (SPARSE_ZEROS * zeros >= n && n <= SIM_SIGN_FLIP_MAX) {
        if (n < SIM_SIGN_FLIP_MIN)
            return true;
        out->method = SIM_BY_SIGN_FLIP;
        self->p = sim_sign_flip_p(self->gain, n, out->margin);
        return sim_sign_flip_interval(self->gain, n, &out->interval);
    }
    out->method = SIM_BY_T;
    out->interval = sim_t_interval(&mean);
    self->p = sim_t_p(&mean, out->margin);
    return true;
}

static sim_compared judge(const sim_portfolio_gain *gain, uint32_t replications)
{
    if (gain->worst == UINT32_MAX)
        return SIM_COMPARED_NO_DATA;
    if (replications < SIM_VERDICT_MIN || gain->method == SIM_BY_NOTHING)
        return SIM_COMPARED_TOO_FEW;
    const sim_interval *interval = &gain->interval;
    if (interval->low >= 0 && interval->high <= 0)
        return SIM_COMPARED_EQUAL;
    if (interval->low >= -gain->margin && interval->high <= gain->margin)
        return SIM_COMPARED_EQUIVALENT;
    const bool is_beyond = interval->low > gain->margin || interval->high < -gain->margin;
    if (!is_beyond || gain->p_adjusted > 2 * SIM_LEVEL_TAIL)
        return SIM_COMPARED_INCONCLUSIVE;
    return interval->low > 0 ? SIM_COMPARED_BETTER : SIM_COMPARED_WORSE;
}

static bool make_room(comparing *self, double **p, size_t metrics)
{
    self->value[0] = calloc(self->replications + 1, sizeof **p);
    self->value[1] = calloc(self->replications + 1, sizeof **p);
    self->gain = calloc(self->replications + 1, sizeof **p);
    *p = calloc(metrics + 1, sizeof **p);
    return self->value[0] != NULL && self->value[1] != NULL && self->gain != NULL && *p != NULL;
}

bool sim_portfolio_compare(const sim_outcome *outcome, uint32_t first, uint32_t count, uint32_t policy,
                           const sim_metric_id *metric, const bool *is_higher_better, size_t metric_count,
                           sim_portfolio_gain *out)
{
    comparing self = {.outcome = outcome, .replications = sim_outcome_plan(outcome)->replications, .policy = policy};
    double *p = NULL;
    bool ok = make_room(&self, &p, metric_count);
    for (size_t m = 0; ok && m < metric_count; m++) {
        bool has_data = true;
        out[m] = (sim_portfolio_gain){.metric = metric[m], .worst = UINT32_MAX};
        for (uint32_t r = 0; r < self.replications; r++)
            self.gain[r] = 0;
        for (uint32_t s = first; has_data && s < first + count; s++)
            has_data = add_scenario(&self, s, count, is_higher_better[m] ? 1 : -1, &out[m]);
        self.p = 1;
        if (has_data)
            ok = estimate(&self, &out[m]);
        else
            out[m].worst = UINT32_MAX;
        p[m] = self.p;
    }
    if (ok)
        sim_holm(p, metric_count, p);
    for (size_t m = 0; ok && m < metric_count; m++) {
        out[m].p_adjusted = p[m];
        out[m].verdict = judge(&out[m], self.replications);
    }
    free(self.value[0]);
    free(self.value[1]);
    free(self.gain);
    free(p);
    return ok;
}
