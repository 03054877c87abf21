/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/gains.h"

#include <math.h>

static double *value_at(const sim_search *self, size_t point, size_t replication, size_t scenario, size_t column)
{
    const sim_search_input *input = self->input;
    return &self->point[point]
                .value[(replication * input->scenario_count + scenario) * sim_search_columns(input) + column];
}

void sim_search_put(sim_search *search, size_t point, uint32_t replication, size_t scenario, size_t column,
                    double value)
{
    *value_at(search, point, replication, scenario, column) = value;
}

/* NaN where a value is missing. */
static double mean_of(const sim_search *self, size_t point, size_t scenario, size_t column, size_t replications)
{
    double total = 0;
    for (size_t r = 0; r < replications; r++)
        total += *value_at(self, point, r, scenario, column);
    return total / (double)replications;
}

static double scale_of(const sim_search *self, size_t scenario, size_t objective)
{
    const double base = fabs(mean_of(self, SIM_SEARCH_BASE, scenario, objective, SIM_SEARCH_FULL));
    if (base > 0)
        return base;
    double total = 0;
    size_t count = 0;
    for (size_t p = 1; p < self->count; p++) {
        const double mean = fabs(mean_of(self, p, scenario, objective, SIM_SEARCH_FIRST));
        if (!isnan(mean)) {
            total += mean;
            count++;
        }
    }
    return total > 0 ? total / (double)count : 1;
}

void sim_gains_fix_scales(sim_search *self)
{
    const sim_search_input *input = self->input;
    for (size_t o = 0; o < input->objective_count; o++) {
        double margin = 0;
        for (size_t s = 0; s < input->scenario_count; s++) {
            const double base = mean_of(self, SIM_SEARCH_BASE, s, o, SIM_SEARCH_FULL);
            const double scale = scale_of(self, s, o);
            /* A base at zero has a relative margin of zero, which a single rare event would exceed. */
            const double matters = input->margin(input->context, s, o, fabs(base) > 0 ? base : scale) / scale;
            self->scale[s * input->objective_count + o] = scale;
            self->allowed[s * input->objective_count + o] = fmax(input->loss_limit, matters);
            margin += matters;
        }
        self->margin[o] = margin / (double)input->scenario_count;
    }
}

static double gain_of(const sim_search *self, size_t point, size_t replication, size_t scenario, size_t objective)
{
    const double base = *value_at(self, SIM_SEARCH_BASE, replication, scenario, objective);
    const double difference = isnan(base) ? 0 : *value_at(self, point, replication, scenario, objective) - base;
    return (self->input->is_higher_better[objective] ? difference : -difference) /
           self->scale[scenario * self->input->objective_count + objective];
}

void sim_gains_note(sim_search *self, size_t point, size_t from, size_t to)
{
    const sim_search_input *input = self->input;
    for (size_t r = from; r < to; r++) {
        for (size_t o = 0; o < input->objective_count; o++) {
            double gain = 0;
            for (size_t s = 0; s < input->scenario_count; s++)
                gain += gain_of(self, point, r, s, o);
            self->point[point].gain[r * input->objective_count + o] = gain / (double)input->scenario_count;
        }
    }
}

bool sim_gains_are_known(const sim_search *self, size_t point, size_t replications)
{
    bool ok = true;
    for (size_t i = 0; i < replications * self->input->objective_count; i++)
        ok = ok && !isnan(self->point[point].gain[i]);
    return ok;
}

bool sim_gains_keep_constraints(const sim_search *self, size_t point, size_t replications)
{
    const sim_search_input *input = self->input;
    bool ok = true;
    for (size_t c = 0; c < input->constraint_count; c++) {
        for (size_t s = 0; s < input->scenario_count; s++) {
            const double mean = mean_of(self, point, s, input->objective_count + c, replications);
            const double limit = input->constraint[c].limit;
            /* A missing value keeps no constraint. */
            ok = ok && (input->constraint[c].is_at_least ? mean >= limit : mean <= limit);
        }
    }
    return ok;
}

static sim_loss_evidence evidence_of(const sim_interval *interval, double excess, double allowed)
{
    if (interval->high < -allowed)
        return SIM_LOSS_BEYOND_DOUBT;
    return interval->high < 0 && excess > 0 ? SIM_LOSS_SHOWN : SIM_LOSS_OPEN;
}

sim_search_loss sim_gains_loss(const sim_search *self, size_t point, uint32_t replications, double tail)
{
    const sim_search_input *input = self->input;
    sim_search_loss worst = {.excess = -INFINITY};
    for (size_t s = 0; s < input->scenario_count; s++) {
        for (size_t o = 0; o < input->objective_count; o++) {
            double gain[SIM_SEARCH_FULL];
            for (uint32_t r = 0; r < replications; r++)
                gain[r] = gain_of(self, point, r, s, o);
            const double allowed = self->allowed[s * input->objective_count + o];
            const sim_estimate estimate = sim_mean_estimate(gain, replications);
            const sim_interval interval = sim_t_interval_at(&estimate, tail);
            const double excess = -estimate.value - allowed;
            const sim_loss_evidence evidence = evidence_of(&interval, excess, allowed);
            if (evidence > worst.evidence || (evidence == worst.evidence && excess > worst.excess))
                worst = (sim_search_loss){evidence, s, o, excess};
        }
    }
    return worst;
}

void sim_gains_mean(const sim_search *self, size_t point, uint32_t replications, double *out)
{
    const size_t objectives = self->input->objective_count;
    for (size_t o = 0; o < objectives; o++) {
        out[o] = 0;
        for (size_t r = 0; r < replications; r++)
            out[o] += self->point[point].gain[r * objectives + o] / replications;
    }
}

bool sim_gains_in_scenario(const sim_search *search, size_t point, size_t scenario, size_t objective, double *gain)
{
    bool ok = true;
    for (size_t r = 0; r < search->point[point].replications; r++) {
        gain[r] = gain_of(search, point, r, scenario, objective);
        ok = ok && !isnan(gain[r]);
    }
    return ok;
}
