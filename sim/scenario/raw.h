/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario as its file says it: the targets of the schema table. Names are not yet looked up. */
#ifndef SIM_RAW_H
#define SIM_RAW_H

#include "scenario/document.h"

/* One element of a list or mapping; which members count depends on the row's type. */
typedef struct {
    const char *name;
    const sim_node *node; /* the value */
    int64_t key;
    int64_t value;
    const char *text;
    void *record;
} sim_raw_item;

typedef struct {
    const sim_node *node; /* NULL: not in the file */
    uint32_t count;
    sim_raw_item *item;
} sim_raw_items;

typedef struct {
    const sim_node *node; /* NULL: not in the file */
    int64_t which;        /* row of the ONE_OF; SIM_ABSENT if absent and without a default */
} sim_raw_choice;

typedef struct {
    const sim_node *node; /* NULL: not in the file */
    int64_t value;        /* value / 10^scale */
    int64_t scale;
    sim_limit_form form;
} sim_raw_number;

typedef struct {
    rgn_option_layer layer;
    bool is_of_operations; /* only knobs of RGN_REACH_OPERATION are admitted */
    const sim_node *node[RGN_KNOB_COUNT];
} sim_raw_knobs;

typedef struct {
    const sim_node *node; /* every record begins so; NULL: not in the file */
    int64_t writes;
    int64_t automatic_failover;
    int64_t hedging_disabled, failover_after, failback_after, read_time;
    sim_raw_items regions;
} sim_raw_account;

typedef struct {
    const sim_node *node;
    int64_t at, every, until;
    sim_raw_items regions;
    const char *write_region;
    int64_t automatic_failover, hedging_disabled; /* SIM_ABSENT: as before */
} sim_raw_account_change;

typedef struct {
    const sim_node *node;
    int64_t sigma;
} sim_raw_sigma;

typedef struct {
    sim_raw_choice choice;
    sim_raw_sigma lognormal;
} sim_raw_jitter;

enum { SIM_RAW_JITTER_NONE, SIM_RAW_JITTER_LOGNORMAL };

typedef struct {
    const sim_node *node;
    const char *round_trip;
    int64_t local;
    sim_raw_jitter jitter;
    int64_t connection_idle;
} sim_raw_network;

typedef struct {
    const sim_node *node;
    int64_t p50, p99, sigma, mean, shape;
} sim_raw_parameters;

typedef struct {
    sim_raw_choice choice;
    int64_t constant;
    sim_raw_parameters exponential, lognormal, gamma, weibull;
    sim_raw_items percentiles, mixture;
} sim_raw_dist;

typedef struct {
    const sim_node *node;
    int64_t share;
    sim_raw_dist of;
} sim_raw_part;

typedef struct {
    const sim_node *node;
    sim_raw_dist kind[SIM_KINDS];
} sim_raw_service;

typedef struct {
    const sim_node *node;
    const char *from, *to;
    sim_raw_dist lag;
} sim_raw_replication_pair;

typedef struct {
    const sim_node *node;
    sim_raw_dist lag;
    int64_t redrawn;
    sim_raw_items pairs;
} sim_raw_replication;

typedef struct {
    const sim_node *node;
    int64_t kind[SIM_KINDS];
    int64_t client_budget;
} sim_raw_request_units;

typedef struct {
    const sim_node *node;
    int64_t from, over;
} sim_raw_warm_up;

typedef struct {
    const sim_node *node;
    int64_t stations, servers, queue;
    sim_raw_service busy;
    int64_t throughput, cancel_reaches_server;
    sim_raw_warm_up warm_up;
} sim_raw_capacity;

typedef struct {
    const sim_node *node;
    int64_t count, delay, factor;
} sim_raw_again;

typedef struct {
    const sim_node *node;
    const char *home;
    int64_t count;
    sim_raw_items preferred, excluded;
    int64_t concurrency;
    sim_raw_again tries_again;
} sim_raw_group;

typedef struct {
    const sim_node *node;
    int64_t start_spread, probe_interval;
} sim_raw_fleet;

typedef struct {
    sim_raw_choice choice;
    sim_raw_items hot;
    int64_t zipf;
} sim_raw_pick;

enum { SIM_RAW_PICK_UNIFORM, SIM_RAW_PICK_HOT, SIM_RAW_PICK_ZIPF };

typedef struct {
    const sim_node *node;
    int64_t count;
    sim_raw_pick pick;
} sim_raw_partitions;

typedef struct {
    const sim_node *node;
    int64_t share[SIM_KINDS]; /* READ: point reads */
    int64_t feed, metadata;   /* SIM_ABSENT: none */
} sim_raw_operations;

typedef struct {
    const sim_node *node;
    int64_t every;
    sim_raw_items step;
} sim_raw_repeat;

typedef struct {
    const sim_node *node;
    int64_t mean, swing, period, peak;
} sim_raw_sinusoid;

typedef struct {
    const sim_node *node;
    int64_t users;
    sim_raw_dist think;
} sim_raw_closed_loop;

typedef struct {
    sim_raw_choice choice;
    int64_t constant;
    sim_raw_items step;
    sim_raw_repeat repeat;
    sim_raw_sinusoid sinusoid;
    sim_raw_closed_loop closed_loop;
} sim_raw_rate;

enum {
    SIM_RAW_RATE_CONSTANT,
    SIM_RAW_RATE_STEP,
    SIM_RAW_RATE_REPEAT,
    SIM_RAW_RATE_SINUSOID,
    SIM_RAW_RATE_CLOSED_LOOP,
};

typedef struct {
    sim_raw_choice choice; /* rows in the order of sim_arrivals */
    const char *recorded;
} sim_raw_arrivals;

typedef struct {
    const sim_node *node;
    int64_t share, after;
} sim_raw_gives_up;

typedef struct {
    const sim_node *node;
    int64_t kind[SIM_KINDS];
} sim_raw_partition_known;

typedef struct {
    const sim_node *node;
    sim_raw_rate rate;
    sim_raw_arrivals arrivals;
    sim_raw_items clients;
    sim_raw_partitions partitions;
    sim_raw_operations operations;
    sim_raw_partition_known partition_known;
    int64_t deadline;
    sim_raw_gives_up gives_up;
    sim_raw_knobs options;
} sim_raw_workload;

typedef struct {
    const sim_node *node;
    int64_t from, to, steps, over;
} sim_raw_stair;

typedef struct {
    const sim_node *node;
    int64_t high, low, period, duty;
} sim_raw_square;

typedef struct {
    const sim_node *node;
    int64_t from, to, half_life;
} sim_raw_decay;

typedef struct {
    const sim_node *node;
    int64_t length, value, to;
} sim_raw_piece;

typedef struct {
    const sim_node *node;
    int64_t high, low, mean_high, mean_low;
} sim_raw_markov;

typedef struct {
    sim_raw_choice choice;
    int64_t constant;
    sim_raw_items step, ramp, piecewise;
    sim_raw_stair stair;
    sim_raw_square square;
    sim_raw_decay decay;
    sim_raw_markov markov;
} sim_raw_shape;

enum {
    SIM_RAW_SHAPE_CONSTANT,
    SIM_RAW_SHAPE_STEP,
    SIM_RAW_SHAPE_RAMP,
    SIM_RAW_SHAPE_STAIR,
    SIM_RAW_SHAPE_SQUARE,
    SIM_RAW_SHAPE_DECAY,
    SIM_RAW_SHAPE_PIECEWISE,
    SIM_RAW_SHAPE_MARKOV,
};

typedef struct {
    sim_raw_choice choice;
    int64_t share;
    sim_raw_items list;
} sim_raw_partition_scope;

enum { SIM_RAW_PARTITIONS_SHARE, SIM_RAW_PARTITIONS_LIST };

typedef struct {
    const sim_node *node;
    int64_t number, of, holds;
} sim_raw_part_of; /* `holds` of zones only */

typedef struct {
    const sim_node *node;
    sim_raw_items regions, from, workloads;
    sim_raw_partition_scope partitions;
    sim_raw_part_of zone, front_end;
    int64_t clients, connections, operations;
} sim_raw_where;

typedef struct {
    const sim_node *node;
    sim_raw_items statuses;
    sim_raw_shape share;
    int64_t after;
} sim_raw_errors;

typedef struct {
    const sim_node *node;
    sim_raw_shape multiply, add;
    int64_t round_trips;
} sim_raw_latency;

typedef struct {
    const sim_node *node;
    sim_raw_shape share;
    int64_t retransmit;
} sim_raw_loss;

typedef struct {
    const sim_node *node;
    sim_raw_shape add;
} sim_raw_replication_effect;

typedef struct {
    const sim_node *node;
    int64_t from, until;
    sim_raw_items again;
    sim_raw_where where;
    sim_raw_errors errors;
    sim_raw_latency latency;
    sim_raw_loss loss;
    sim_raw_replication_effect replication;
    sim_raw_shape capacity_lost;
    int64_t probes;
} sim_raw_fault;

typedef struct {
    const sim_node *node;
    int64_t errors, latency, added;
} sim_raw_healthy;

typedef struct {
    const sim_node *node;
    int64_t at, stagger;
    sim_raw_items clients, environment;
} sim_raw_restart;

typedef struct {
    const sim_node *node;
    const char *metric, *policy, *phase, *because;
    sim_raw_number limit[3]; /* by sim_expect_type */
} sim_raw_expectation;

typedef struct {
    const sim_node *node;
    int64_t relative; /* ppb, or SIM_ABSENT */
    sim_raw_number absolute;
} sim_raw_margin;

typedef struct {
    const sim_node *node;
    int64_t transitions;
} sim_raw_record;

typedef struct {
    const sim_node *node;
    int64_t regionsim;
    const char *scenario, *about;
    int64_t duration;
    sim_raw_account account;
    sim_raw_network network;
    sim_raw_service service;
    sim_raw_replication replication;
    sim_raw_request_units request_units;
    sim_raw_items capacity, clients;
    sim_raw_fleet fleet;
    sim_raw_items workload, faults, restarts, account_changes, phases;
    sim_raw_healthy healthy_when;
    sim_raw_items objectives, margins, expect, environment;
    int64_t flap_window, interval;
    sim_raw_record record;
} sim_raw_scenario;

typedef struct {
    const sim_node *node;
    int64_t regionsim;
    const char *policy, *about, *based_on;
    sim_raw_knobs knobs;
} sim_raw_policy;

#endif
