/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of loading after decoding. Each returns false at the first error, with the decoder's error filled in. */
#ifndef SIM_LOAD_H
#define SIM_LOAD_H

#include "scenario/decode.h"

#define SIM_SETTING_PREFIX "scenario."

/* settings.c: writes the `scenario.` settings into the tree; the others are the policies'. */
bool sim_settings_apply(sim_arena *arena, const sim_record *record, sim_node *root, const sim_setting *settings,
                        size_t count, sim_input_error *error);

/* What resolving works on. Names are looked up in `out` as it fills. */
typedef struct {
    sim_decoder *decoder;
    sim_raw_scenario *raw;
    sim_scenario *out;
} sim_resolver;

/* "<path>: <message>" at the node; always false. */
bool sim_resolve_fail(sim_resolver *self, const char *path, const sim_node *node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Names of account regions to indices; one that the account lacks is an error. */
bool sim_resolve_regions(sim_resolver *self, const char *path, const sim_raw_items *names, rgn_region_list *list);

/* Names of client groups to indices, rising; absent: all groups, which are then put into `names`. */
bool sim_resolve_groups(sim_resolver *self, const char *path, sim_raw_items *names, const uint32_t **groups,
                        uint32_t *count);

/* shapes.c: a value over time; `life`: how long it is needed, ns. */
bool sim_resolve_shape(sim_resolver *self, const char *path, const sim_raw_shape *raw, int64_t life, sim_shape *out);

/* account_changes.c: what happens to the account; adds the regions that it gets later. */
bool sim_resolve_account_changes(sim_resolver *self);

/* distributions.c */
bool sim_resolve_dist(sim_resolver *self, const char *path, const sim_raw_dist *raw, sim_dist *out);
bool sim_resolve_service(sim_resolver *self);
bool sim_resolve_replication(sim_resolver *self);

/* weights.c: how operations spread over the workload's partitions. */
bool sim_resolve_weights(sim_resolver *self, const char *name, const sim_raw_partitions *raw, sim_workload *out);

/* rates.c: rate steps and recorded arrivals; also that there are not more operations than ordinals. */
bool sim_resolve_rate(sim_resolver *self, const char *name, const sim_raw_workload *raw, sim_workload *out);

/* In this order. */
bool sim_resolve_places(sim_resolver *self);    /* resolve.c: account, network, service times, clients */
bool sim_resolve_capacity(sim_resolver *self);  /* capacity.c */
bool sim_resolve_restarts(sim_resolver *self);  /* resolve.c */
bool sim_resolve_workloads(sim_resolver *self); /* workloads.c */
bool sim_resolve_faults(sim_resolver *self);    /* faults.c */
bool sim_resolve_outcome(sim_resolver *self);   /* outcome.c: phases, objectives, expectations, environment */

/* canonical.c: one `path = value` a line, sorted. */
const char *sim_canonical_scenario(sim_arena *arena, const sim_raw_scenario *raw);
const char *sim_canonical_policy(sim_arena *arena, const rgn_option_layer *layer);

#endif
