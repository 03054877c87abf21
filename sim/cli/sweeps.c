/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where waiting for the sweep, and neither dwell nor sample, decides how soon a policy returns.
 *
 * Where a policy promotes at sweeps only, a recovery begins half a sweep interval late on average. That dominates if
 * the interval is far longer than the dwell (experiment/traffic.h) and the median return, which includes that wait,
 * takes no longer than the interval. */
#include "cli/summary.h"
#include "experiment/traffic.h"

static const rgn_options *options_of(const cli_summary *summary, uint32_t s, uint32_t p)
{
    return &summary->plan->pair[s * summary->plan->policy_count + p].clients->values;
}

static bool is_dominated(const cli_summary *summary, uint32_t s, uint32_t p)
{
    const sim_scenario *scenario = summary->plan->scenario[s];
    const rgn_options *options = options_of(summary, s, p);
    const sim_metric_value lag = sim_outcome_estimate(summary->outcome, s, p, 0, SIM_METRIC_failback_lag_p50);
    bool sweeps = false;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        sweeps = sweeps || sim_traffic_of(scenario, &scenario->workload[w], options).sweep_dominates;
    return sweeps && !lag.is_null && lag.value <= (double)options->failback_sweep_interval &&
           lag.value > (double)options->failback_partition_unavailability_duration;
}

static bool returns_at_all(const cli_summary *summary, uint32_t s, uint32_t p)
{
    const sim_metric_value lag = sim_outcome_estimate(summary->outcome, s, p, 0, SIM_METRIC_failback_lag_p50);
    return !lag.is_null && options_of(summary, s, p)->breaker_enabled != 0;
}

static void put_duration(double ns, FILE *out)
{
    char text[CLI_VALUE_SIZE];
    cli_format_amount(sim_metric_at(SIM_METRIC_failback_lag_p50), ns, ns, 0, text);
    (void)fputs(text, out);
}

static void put_knob(int64_t ns, FILE *out)
{
    char text[CLI_VALUE_SIZE];
    sim_format_duration(ns, text, sizeof text);
    (void)fputs(text, out);
}

/* "a (3 min 25 s) and b (3 min 41 s)": policies and their median returns. */
static uint32_t put_policies(const cli_summary *summary, uint32_t s, const bool *is_meant, FILE *out)
{
    uint32_t total = 0;
    uint32_t count = 0;
    for (uint32_t p = 0; p < summary->plan->policy_count; p++)
        total += is_meant[p];
    for (uint32_t p = 0; out != NULL && p < summary->plan->policy_count; p++) {
        if (!is_meant[p])
            continue;
        (void)fprintf(out, "%s%s (",
                      count == 0           ? ""
                      : count + 1 == total ? " and "
                                           : ", ",
                      summary->plan->policy[p]->name);
        put_duration(sim_outcome_estimate(summary->outcome, s, p, 0, SIM_METRIC_failback_lag_p50).value, out);
        (void)fputc(')', out);
        count++;
    }
    return total;
}

/* Policies that share the dominated policy `first`'s sweep interval and dwell. */
static void put_group(const cli_summary *summary, uint32_t s, uint32_t first, const bool *is_meant, FILE *out)
{
    const rgn_options *options = options_of(summary, s, first);
    (void)fputs("The sweep dominates the median time to return of ", out);
    (void)put_policies(summary, s, is_meant, out);
    (void)fputs(": a recovery begins at a tick of failback.sweep_interval, ", out);
    put_knob(options->failback_sweep_interval, out);
    (void)fputs(", so on average ", out);
    put_duration((double)options->failback_sweep_interval / 2, out);
    (void)fputs(" after a dwell of only ", out);
    put_knob(options->failback_partition_unavailability_duration, out);
    (void)fputs(" and its jitter. ", out);
}

void cli_put_sweeps(const cli_summary *summary, uint32_t scenario, FILE *out)
{
    bool is_told[CLI_VARIANTS_MAX] = {false};
    bool is_other[CLI_VARIANTS_MAX] = {false};
    bool is_any = false;
    for (uint32_t p = 0; p < summary->plan->policy_count; p++) {
        const bool is_first = is_dominated(summary, scenario, p) && !is_told[p];
        bool is_meant[CLI_VARIANTS_MAX] = {false};
        const rgn_options *options = options_of(summary, scenario, p);
        is_other[p] = returns_at_all(summary, scenario, p) && options->failback_promote == RGN_PROMOTE_DUE;
        for (uint32_t k = p; is_first && k < summary->plan->policy_count; k++) {
            const rgn_options *other = options_of(summary, scenario, k);
            is_meant[k] = is_dominated(summary, scenario, k) &&
                          other->failback_sweep_interval == options->failback_sweep_interval &&
                          other->failback_partition_unavailability_duration ==
                              options->failback_partition_unavailability_duration;
            is_told[k] = is_told[k] || is_meant[k];
        }
        if (is_first)
            put_group(summary, scenario, p, is_meant, out);
        is_any = is_any || is_first;
    }
    if (is_any && put_policies(summary, scenario, is_other, NULL) > 0) {
        (void)fputs("With failback.promote: due there is no such wait: ", out);
        (void)put_policies(summary, scenario, is_other, out);
        (void)fputs(". ", out);
    }
}
