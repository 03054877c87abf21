/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a workload's traffic allows a policy to find out: numbers that follow from the files alone. */
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include "scenario/scenario.h"

typedef struct {
    double operations;             /* of the whole run, expected */
    double rate_per_pair;          /* operations per second of a (client, partition), mean */
    double canaries_per_window;    /* expected; 0 where no sample is taken */
    double sample;                 /* the fewest canaries that a failback takes; 0 likewise */
    double trip_s[SIM_KINDS];      /* seconds of nothing but failures that trip a pair; < 0: never */
    bool cannot_decide;            /* a window's canaries are fewer than that */
    double canaries_of[SIM_KINDS]; /* of a pair of which that kind alone has tripped, in a window */
    bool hang_bias;                /* fast results fill the sample before hanging canaries time out */
    bool overlap_bias;             /* counted: canaries in flight keep a healthy region's sample below the threshold */
    bool sweep_dominates;          /* the sweep's period, not the dwell, decides when recovery begins */
} sim_traffic;

/* Mean seconds of ordinary traffic until a (client, partition) that the fault strikes trips at the fault's highest
 * share of errors; < 0: it does not trip. Errors that charge an endpoint, or nothing, trip nobody. */
double sim_traffic_trip_under(const sim_workload *workload, const rgn_options *options, const sim_fault *fault,
                              sim_kind kind);
/* That share of errors, 0 to 1: of all attempts of a partition, where the fault strikes a zone's replicas. */
double sim_traffic_error_share(const sim_fault *fault);

sim_traffic sim_traffic_of(const sim_scenario *scenario, const sim_workload *workload, const rgn_options *options);

#endif
