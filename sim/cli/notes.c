/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/notes.h"

#include <string.h>

static const char *const KIND[] = {"reads", "writes"};

void cli_print_notes(FILE *out, const char *prefix, const char *notes)
{
    while (notes != NULL && *notes != '\0') {
        const int length = (int)strcspn(notes, "\n");
        if (length > 0)
            (void)fprintf(out, "%s%.*s\n", prefix, length, notes);
        notes += length;
        notes += *notes == '\n';
    }
}

void cli_print_warnings(FILE *out, const char *prefix, const sim_workload *workload, const rgn_options *options,
                        const sim_traffic *traffic)
{
    const char *sample =
        options->failback_decide == RGN_DECIDE_SEQUENTIAL ? "a sequential test's least of" : "failback.min_sample";
    if (traffic->cannot_decide)
        (void)fprintf(out,
                      "%s%s: cannot decide: a window holds %.1f canaries of a (client, partition) on average, fewer "
                      "than %s %.0f\n",
                      prefix, workload->name, traffic->canaries_per_window, sample, traffic->sample);
    for (int kind = 0; kind < SIM_KINDS && !traffic->cannot_decide; kind++)
        if (traffic->canaries_of[kind] > 0 && traffic->canaries_of[kind] < traffic->sample &&
            options->failback_low_traffic_windows == 0)
            (void)fprintf(out,
                          "%s%s: cannot decide on %s alone: a pair of which nothing else has tripped sends %.1f "
                          "canaries in a window, fewer than %s %.0f\n",
                          prefix, workload->name, KIND[kind], traffic->canaries_of[kind], sample, traffic->sample);
    if (traffic->hang_bias)
        (void)fprintf(out,
                      "%s%s: hang bias: the sample fills with fast results before hanging canaries time out; "
                      "failback.pending: counted avoids it\n",
                      prefix, workload->name);
    if (traffic->overlap_bias)
        (void)fprintf(out,
                      "%s%s: overlap bias: canaries come so fast that some are always in flight, and failback.pending: "
                      "counted holds them against failback.success_threshold %.6g for ever; a lower threshold or "
                      "percentage avoids it\n",
                      prefix, workload->name, (double)options->failback_success_threshold / 1e6);
    if (traffic->sweep_dominates)
        (void)fprintf(out,
                      "%s%s: sweep dominates: recovery begins at failback.sweep_interval's next tick, long after the "
                      "dwell; failback.promote: due avoids it\n",
                      prefix, workload->name);
    if (workload->deadline != RGN_TIME_NEVER && options->hedging_policy == RGN_HEDGING_STATIC &&
        options->hedging_threshold != RGN_AUTO && options->hedging_threshold >= workload->deadline / 2)
        (void)fprintf(
            out,
            "%s%s: late hedge: hedging.threshold is half of the deadline or more, which leaves a hedge no more "
            "time than the primary had; hedging.threshold: auto avoids it\n",
            prefix, workload->name);
}

void cli_print_trips(FILE *out, const sim_scenario *scenario, const sim_workload *workload, const rgn_options *options)
{
    for (uint32_t f = 0; f < scenario->fault_count; f++) {
        const sim_fault *fault = &scenario->fault[f];
        const size_t number = (size_t)(workload - scenario->workload);
        if (fault->occurrence > 0 || (fault->workloads != 0 && (fault->workloads >> number & 1) == 0))
            continue;
        for (int kind = 0; kind < SIM_KINDS; kind++) {
            if (workload->kind_share[kind] == 0 || (fault->kinds >> kind & 1) == 0 || fault->error_count == 0)
                continue;
            const double trip_s = sim_traffic_trip_under(workload, options, fault, (sim_kind)kind);
            (void)fprintf(out, "    %s: %s under %s, whose errors reach %.6g %%, ", workload->name, KIND[kind],
                          fault->name, 100 * sim_traffic_error_share(fault));
            if (trip_s < 0)
                (void)fprintf(out, "trip nobody\n");
            else
                (void)fprintf(out, "trip a pair after about %.3g s\n", trip_s);
        }
    }
}

void cli_print_traffic(FILE *out, const sim_workload *workload, const rgn_options *options, const sim_traffic *traffic)
{
    (void)fprintf(out, "    %s: about %.0f operations at %.6g /s, %.3g /s for each of %llu (client, partition) pairs\n",
                  workload->name, traffic->operations, (double)workload->rate_mhz / 1000, traffic->rate_per_pair,
                  (unsigned long long)workload->clients * workload->partition_count);
    if (options->breaker_enabled != 0 && options->failback_strategy == RGN_STRATEGY_SUCCESS_RATE) {
        char window[64];
        sim_format_duration(options->failback_eval_window, window, sizeof window);
        (void)fprintf(out, "    %s: %.1f canaries of a pair in a window of %s, failback.min_sample %lld\n",
                      workload->name, traffic->canaries_per_window, window, (long long)options->failback_min_sample);
    }
    for (int kind = 0; kind < SIM_KINDS; kind++) {
        if (traffic->trip_s[kind] >= 0)
            (void)fprintf(out, "    %s: %s that all fail trip a pair after about %.3g s\n", workload->name, KIND[kind],
                          traffic->trip_s[kind]);
    }
    cli_print_warnings(out, "    warning: ", workload, options, traffic);
}
