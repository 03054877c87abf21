/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario and a policy as decoded from YAML: plain integers, names resolved, checked.
 *
 * Units: instants and durations are int64 nanoseconds from the start of the run, shares are parts per billion
 * (SIM_SHARE_ONE = 100 %), factors are parts per million. Everything hangs on one arena and is freed at once with
 * sim_scenario_destroy(). Nothing here depends on a seed. */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include <regioncore/regioncore.h>
#include <stdio.h>

#include "scenario/catalogue.h"

#define SIM_SHARE_ONE  UINT32_C(1000000000)
#define SIM_FACTOR_ONE UINT32_C(1000000)

enum {
    SIM_WORKLOADS_MAX = 16, /* streams: 4 bits of an operation's ordinal */
    SIM_FAULTS_MAX = 64,
    SIM_PHASES_MAX = 64,
    SIM_OBJECTIVES_MAX = 5,
};
#define SIM_OPERATIONS_MAX (INT64_C(1) << 30) /* of one workload in one run: 30 bits of an ordinal */
#define SIM_PENDING_MAX    (1 << 24)          /* operations in flight: 24 bits of an event's key */

typedef enum { SIM_KIND_READ = 0, SIM_KIND_WRITE = 1, SIM_KINDS = 2 } sim_kind;

/* What a read reads: one document, many of them, or metadata, which lie in no partition. */
typedef enum { SIM_FORM_POINT = 0, SIM_FORM_FEED = 1, SIM_FORM_METADATA = 2, SIM_FORMS = 3 } sim_form;

typedef enum {
    SIM_DIST_CONSTANT = 0,
    SIM_DIST_EXPONENTIAL = 1,
    SIM_DIST_LOGNORMAL = 2,
    SIM_DIST_GAMMA = 3,
    SIM_DIST_WEIBULL = 4,
    SIM_DIST_PERCENTILES = 5,
    SIM_DIST_MIXTURE = 6,
} sim_dist_type;

/* One measured point: `share` (ppb, below SIM_SHARE_ONE) of all values are at most `value` ns. */
typedef struct {
    uint32_t share;
    int64_t value;
} sim_percentile;

struct sim_dist_part;

/* A distribution of durations. Parameters by type: CONSTANT a = value ns; EXPONENTIAL a = mean ns; LOGNORMAL a = median
 * ns, b = sigma as parts per million (p99 in the file is turned into sigma); GAMMA a = mean ns, b = shape ppm; WEIBULL
 * a = median ns, b = shape ppm.
 * PERCENTILES: `percentile`, rising in share, not falling in value. Between two points the value is a straight line
 * over the logarithm of the share above it; below the first and above the last point it stays.
 * MIXTURE: `part`, whose shares sum to SIM_SHARE_ONE. */
typedef struct {
    sim_dist_type type;
    int64_t a;
    int64_t b;
    uint32_t count; /* of percentiles or parts */
    const sim_percentile *percentile;
    const struct sim_dist_part *part;
} sim_dist;

/* One part of a mixture; no mixture itself. */
typedef struct sim_dist_part {
    uint32_t share; /* ppb */
    sim_dist dist;
} sim_dist_part;

/* A value over time: points in time order, `at` counted from the fault's start. Before the first point the value is
 * the first point's, after the last the last's. STEP holds a value until the next point; RAMP goes there in a
 * straight line, in integers. A constant is one point. Two points of a RAMP may share an instant: the value jumps, and
 * has the second point's from then on. The other shapes of files (stair, square, decay, piecewise) are points too:
 * shapes.c. MARKOV goes to and fro between the values of its two points for drawn times with means `at`, the first
 * value first; the world draws it for each replication and knows it as a STEP. */
typedef enum { SIM_SHAPE_STEP = 0, SIM_SHAPE_RAMP = 1, SIM_SHAPE_MARKOV = 2 } sim_shape_type;
typedef struct {
    int64_t at;
    int64_t value; /* share (ppb), factor (ppm) or duration (ns) */
} sim_point;
typedef struct {
    sim_shape_type type;
    uint32_t count; /* 0: the shape is absent */
    const sim_point *point;
} sim_shape;

/* One status of an error mix. */
typedef enum { SIM_ERROR_STATUS = 0, SIM_ERROR_REFUSED = 1, SIM_ERROR_NO_REPLY = 2 } sim_error_type;
typedef struct {
    uint8_t type; /* sim_error_type; REFUSED: connection refused, never sent; NO_REPLY: black hole */
    uint16_t status;
    uint16_t substatus;
    uint32_t share; /* of the errors, ppb; a mix sums to SIM_SHARE_ONE exactly */
} sim_error;

/* What a fault does to a connection that a client tries for no request. */
typedef enum { SIM_PROBES_AS_REQUESTS = 0, SIM_PROBES_SUCCEED = 1, SIM_PROBES_FAIL = 2 } sim_probes;

/* One of several like parts into which something is divided, by a draw that no fault has a say in. */
typedef struct {
    uint32_t number; /* from 1 */
    uint32_t of;     /* 0: all parts */
} sim_part;

/* Bit beside those of sim_kind: clients' readings of the account, and the service's decisions about it. */
#define SIM_KINDS_ACCOUNT (1u << SIM_KINDS)

typedef struct {
    const char *name;
    uint64_t name_hash; /* sim_name_hash(name): keys this fault's luck */
    int64_t from;       /* shapes count from here */
    int64_t until;      /* RGN_TIME_NEVER: to the end; no effect at or after */
    rgn_region_set regions;
    uint32_t partition_share;  /* ppb of each workload's partitions; SIM_SHARE_ONE: all */
    uint32_t partition_count;  /* 0: by share; else those listed, and the share is not looked at */
    const uint32_t *partition; /* numbers within each workload, rising; those that a workload lacks are passed over */
    uint32_t workloads;        /* bit by workload; 0: all */
    sim_part zone;             /* of one region: those partitions, or at each attempt those replicas, that are in it */
    bool zone_of_replicas;
    uint32_t client_share;     /* ppb of all clients; SIM_SHARE_ONE: all */
    uint32_t home_count;       /* 0: clients everywhere */
    const uint16_t *home;      /* catalogue numbers, rising: clients at home there, and writes taken there */
    sim_part front_end;        /* of one region: the clients that go through it */
    bool only_new_connections; /* attempts whose client has a connection to the region are spared */
    uint8_t kinds;             /* bit per sim_kind, and SIM_KINDS_ACCOUNT */
    uint8_t probes;            /* sim_probes */
    uint32_t error_count;
    const sim_error *error;
    sim_shape error_share;      /* ppb */
    int64_t error_after;        /* ns an error takes instead of a success's service time; -1: as long as a success */
    sim_shape latency_multiply; /* ppm, of the service time */
    sim_shape latency_add;      /* ns, on top of the multiplied service time */
    uint32_t round_trips;       /* further round trips that every attempt needs before it is served */
    sim_shape loss;             /* ppb: how often a packet is lost, at each try */
    int64_t retransmit;        /* ns until a lost packet is sent anew the first time; twice as long each further time */
    sim_shape replication_add; /* ns by which the regions have writes of `home` later */
    sim_shape capacity_lost;   /* ppb of what the region can bear */
    uint32_t occurrence;       /* of the fault, from 0: one that comes again is there several times */
} sim_fault;

/* Some clients meet it and others of the same group do not. */
static inline bool sim_fault_divides_groups(const sim_fault *fault)
{
    return fault->client_share != SIM_SHARE_ONE || fault->front_end.of != 0;
}
/* Some clients meet it and others do not. */
static inline bool sim_fault_picks_clients(const sim_fault *fault)
{
    return sim_fault_divides_groups(fault) || fault->home_count > 0;
}

typedef struct {
    const char *name;
    uint64_t name_hash;
    uint16_t home;  /* catalogue number of the region the clients run in */
    uint32_t count; /* clients */
    rgn_region_list preferred;
    rgn_region_set excluded;
    uint32_t first_client; /* index of the group's first client; groups are numbered in name order */
    uint32_t concurrency;  /* operations that each client has in flight at most; 0: no limit */
    uint32_t tries_again;  /* how often an application makes an operation anew after an error ... */
    int64_t again_delay;   /* ... so long after it the first time ... */
    uint64_t again_factor; /* ... and by this factor (ppm) longer each time */
} sim_client_group;

/* Where its clients' first legs go while all is well. */
static inline rgn_region sim_first_region(const sim_client_group *group)
{
    return group->preferred.count > 0 ? group->preferred.region[0] : 0;
}

enum { SIM_TRIES_MAX = 15 }; /* of an operation: 4 bits of a luck key */

typedef enum {
    SIM_ARRIVALS_CONSTANT = 0,
    SIM_ARRIVALS_POISSON = 1,
    SIM_ARRIVALS_RECORDED = 2,
    SIM_ARRIVALS_CLOSED = 3, /* users who wait for each answer */
} sim_arrivals;

/* From `at` on, until the next step, operations come at this rate; 0: none come. */
typedef struct {
    int64_t at;
    int64_t rate_mhz;
} sim_rate_step;

/* Arrivals of a recording, in time order, stretched so that they come at one operation a unit of time on average. */
typedef struct {
    uint32_t count;
    const uint64_t *at; /* units of 1e-12 operations from the first, which is 0; below count * 1e12 */
} sim_recording;

/* A named stream of operations over its own collection of partitions. */
typedef struct {
    const char *name;
    uint64_t name_hash;
    int64_t rate_mhz;         /* operations per 1000 seconds, all clients together; with steps the mean over the run */
    uint32_t rate_step_count; /* 0: one rate for the whole run */
    const sim_rate_step *rate_step; /* rising in time; the first at 0 */
    sim_arrivals arrivals;
    sim_recording recording; /* RECORDED only */
    uint32_t users;          /* CLOSED only; `rate_mhz` is then what they would make if answers took 1 ms */
    sim_dist think;          /* the same: between an answer and the user's next operation */
    uint32_t group_count;
    const uint32_t *groups; /* indices of the client groups that send it; all groups if absent in the file */
    uint32_t clients;       /* clients in those groups */
    uint32_t partition_count;
    uint32_t first_partition;            /* global index of its first partition; workloads are numbered in name order */
    uint32_t *partition_weight;          /* ppb for each partition, sums to SIM_SHARE_ONE exactly; NULL: uniform */
    uint32_t kind_share[SIM_KINDS];      /* ppb, sums to SIM_SHARE_ONE */
    uint32_t form_share[SIM_FORMS];      /* ppb of all operations, sums to the share of reads */
    bool is_partition_learnt[SIM_KINDS]; /* the client knows the partition from the first answer on only */
    int64_t deadline;                    /* end to end; RGN_TIME_NEVER: none */
    uint32_t gives_up_share;             /* ppb of operations whose application does not wait longer than ... */
    int64_t gives_up_after;              /* ... this, ns */
    rgn_option_layer options;            /* operation layer */
} sim_workload;

/* An override that the environment has: it beats every other layer. */
typedef struct {
    rgn_knob_id knob; /* a flag */
    int64_t value;
} sim_override;

/* The clients of some groups start anew: client k of them (groups in name order) at `at` + k * `stagger`. */
typedef struct {
    const char *name;
    int64_t at;
    int64_t stagger;
    uint32_t group_count;
    const uint32_t *groups;  /* rising */
    uint32_t override_count; /* 0: their environment is as it was */
    const sim_override *override;
} sim_restart;

/* A change of the account, at `at` and then every `every` (RGN_TIME_NEVER: once) before `until`. */
typedef struct {
    const char *name;
    int64_t at;
    int64_t every;
    int64_t until;
    rgn_region_list regions; /* readable from then on, account order; empty: as before */
    rgn_region write_region; /* of a single-write account; RGN_REGION_NONE: as before */
    bool sets_failover;
    bool sets_hedging;
    uint8_t automatic_failover; /* rgn_signal; ABSENT: off, and answers do not say */
    uint8_t hedging_disabled;   /* rgn_signal */
} sim_account_change;

enum { SIM_ACCOUNT_CHANGES_MAX = 10000 }; /* of one run, repetitions included */
/* Writes of `from` reach `to` later by this. */
typedef struct {
    rgn_region from;
    rgn_region to;
    sim_dist lag;
} sim_replication_pair;

typedef struct {
    bool is_on; /* else nothing lags, and the rest means nothing */
    sim_dist lag;
    int64_t redrawn; /* how long a drawn lag lasts */
    uint32_t pair_count;
    const sim_replication_pair *pair; /* that have a lag of their own */
} sim_replication;

#define SIM_QUEUE_UNLIMITED INT64_C(-1)

/* What a region can bear. */
typedef struct {
    bool is_on;                 /* else load does nothing to it, and the rest means nothing */
    bool per_partition;         /* each partition has servers, queue and throughput of its own */
    uint32_t servers;           /* 0: no limit */
    int64_t queue;              /* attempts that may wait; SIM_QUEUE_UNLIMITED */
    sim_dist busy[SIM_KINDS];   /* how long an attempt keeps a server */
    uint64_t throughput;        /* millionths of request units in a second; 0: no limit */
    uint32_t warm_from;         /* ppb of its capacity right after a fault's end ... */
    int64_t warm_over;          /* ... and how long it takes to have it all; 0: at once */
    bool cancel_reaches_server; /* attempts that were given up leave */
} sim_capacity;

typedef struct {
    const char *name;
    int64_t start; /* until the next phase's start or the run's end */
} sim_phase;

typedef enum { SIM_EXPECT_AT_MOST = 0, SIM_EXPECT_AT_LEAST = 1, SIM_EXPECT_EQUALS = 2 } sim_expect_type;
/* How a limit is written: "8", "50 ms" or "2 %". */
typedef enum { SIM_LIMIT_NUMBER = 0, SIM_LIMIT_DURATION = 1, SIM_LIMIT_SHARE = 2 } sim_limit_form;
typedef struct {
    const char *metric;
    const char *policy; /* NULL: every policy */
    const char *phase;  /* "all" by default */
    sim_expect_type type;
    double limit; /* ns for a duration, 1 for 100 % */
    sim_limit_form form;
    const char *because;
    int line;
    const struct sim_node *metric_node; /* where the metric's name stands */
    const struct sim_node *policy_node; /* NULL: every policy */
    const struct sim_node *limit_node;
} sim_expectation;

/* The difference in a metric that matters in this scenario. */
typedef struct {
    const char *metric;
    bool is_relative;
    double value;        /* share of the baseline's value; or in the metric's unit: ns for a duration, 1 for 100 % */
    sim_limit_form form; /* of an absolute one */
    const struct sim_node *metric_node; /* where the metric's name stands */
    const struct sim_node *value_node;
} sim_margin;

typedef struct {
    const char *variable;
    const char *value;
} sim_variable;

typedef struct sim_scenario {
    const char *name;
    const char *about;
    const char *path;
    const char *text; /* the file as read */
    size_t text_length;
    const char *canonical; /* effective configuration, one line a value, sorted: what the input digest covers */

    int64_t duration;
    bool multi_write;
    bool automatic_failover;
    uint8_t hedging_disabled; /* rgn_signal, at the start */
    int64_t failover_after;   /* of the service, for one partition's write region ... */
    int64_t failback_after;   /* ... and back */
    int64_t account_read_time;
    uint32_t region_count;            /* all that the account ever has */
    uint32_t first_region_count;      /* those that it has at the start come first */
    uint16_t region[RGN_REGIONS_MAX]; /* catalogue numbers in account order */
    const char *region_name[RGN_REGIONS_MAX];
    rgn_region_list writable; /* at the start. Multi-write: all; single-write: the first region */

    const char *round_trip_table; /* "azure-rtt": data/azure-rtt.csv beside the scenario's folder */
    int64_t local_round_trip;     /* client and target in one region */
    uint32_t jitter_sigma;        /* ppm; a round trip is multiplied by a lognormal factor of median 1; 0: none */
    int64_t connection_idle;      /* a client's connection to a region outlives its last answer by this */
    sim_dist service[SIM_KINDS];
    sim_replication replication;
    uint64_t request_units[SIM_KINDS]; /* millionths that a served attempt costs; 0: nobody counts */
    bool has_capacity;                 /* some region has a limit */
    sim_capacity capacity[RGN_REGIONS_MAX];
    uint64_t client_budget; /* millionths of request units that a client may spend in a second; 0: no limit */

    uint32_t group_count;
    const sim_client_group *group; /* by name */
    uint32_t client_count;
    bool has_callers;       /* some group has a limit of its own, or tries again */
    int64_t start_spread;   /* clients start at drawn times in (-start_spread, 0] */
    int64_t probe_interval; /* of endpoints whose mark has aged; 0: clients probe none */

    uint32_t workload_count;
    const sim_workload *workload; /* by name */
    uint32_t partition_count;     /* of all workloads */

    uint32_t fault_count;
    const sim_fault *fault; /* by name */

    uint32_t account_change_count;
    const sim_account_change *account_change; /* by name */

    uint32_t restart_count;
    const sim_restart *restart; /* by name */

    uint32_t phase_count;
    const sim_phase *phase; /* by time; without `all` */

    uint32_t healthy_errors;  /* ppb: healthy iff the scheduled error share is at most this ... */
    uint32_t healthy_latency; /* ppm: ... and the scheduled latency multiplier at most this ... */
    int64_t healthy_added;    /* ns: ... and the scheduled added latency at most this */

    uint32_t objective_count;
    const char *objective[SIM_OBJECTIVES_MAX];
    const struct sim_node *objective_node[SIM_OBJECTIVES_MAX];
    uint32_t margin_count;
    const sim_margin *margin; /* by metric */
    uint32_t expectation_count;
    const sim_expectation *expectation;
    uint32_t environment_count;
    const sim_variable *environment; /* by variable name */

    int64_t flap_window;               /* metric flap_count; default 10 min */
    int64_t interval;                  /* time series row; default 30 s */
    int64_t transitions_per_partition; /* record.transitions: at most so many a (client, partition); -1: all */

    void *arena;
} sim_scenario;

/* A policy: the account layer of options. */
typedef struct {
    const char *name;
    const char *about;
    const char *path;
    const char *text;
    size_t text_length;
    const char *canonical;
    rgn_option_layer options;
    void *arena;
} sim_policy;

/* Where input is wrong and what would be right. `path` may be NULL (a command-line value). */
typedef struct {
    char path[512];
    int line;           /* from 1; 0: the file as a whole */
    int column;         /* from 1 */
    char message[1024]; /* what was found, what was expected, the nearest valid word */
    bool is_io;         /* the file could not be read: exit status 3 only for output; input files are status 2 */
} sim_input_error;

/* Prints "file:line:column: message\n". */
void sim_input_error_print(const sim_input_error *error, FILE *out);

/* One `--set` of the command line: `scenario.<path>` keys change scenarios, others policies. */
typedef struct {
    const char *key;
    const char *value;
} sim_setting;

/* How many bytes of a message name that setting as its origin; 0: it speaks of something else. */
size_t sim_setting_blamed(const sim_setting *setting, const char *message);

/* Reads and checks a scenario. Relative tables are looked up in `data/` beside the file or in any parent folder named
 * scenarios. NULL with `*error` filled in. The caller frees with sim_scenario_destroy(). */
sim_scenario *sim_scenario_load(const char *path, const sim_setting *settings, size_t setting_count,
                                sim_input_error *error);
/* The same for a text that is already in memory; `path` names it in messages. The text need not outlive the call. */
sim_scenario *sim_scenario_parse(const char *path, const char *text, size_t length, const sim_setting *settings,
                                 size_t setting_count, sim_input_error *error);
void sim_scenario_destroy(sim_scenario *scenario);

/* Whether every metric that `objectives:`, `margins:` and `expect:` name is one of these. False with `*error`: where,
 * and the nearest name. Loading cannot ask: the stage that knows the metrics lies to the right of this one. */
bool sim_scenario_metrics_are_among(const sim_scenario *scenario, const char *const *names, size_t count,
                                    sim_input_error *error);

/* Reads a policy: a path, or the name of a file policies/NAME.yaml or scenarios/policies/NAME.yaml in the folder of
 * `near_path` (the scenario) or the nearest above it that has one, else so from the current folder. Follows `based_on`.
 * NULL with `*error` filled in. */
sim_policy *sim_policy_load(const char *path_or_name, const char *near_path, const sim_setting *settings,
                            size_t setting_count, sim_input_error *error);
/* The same for a text in memory; `based_on` is looked up beside `path`. */
sim_policy *sim_policy_parse(const char *path, const char *text, size_t length, const sim_setting *settings,
                             size_t setting_count, sim_input_error *error);
void sim_policy_destroy(sim_policy *policy);

/* The layers put together: defaults, environment (NULL: none), the policy, the workload's options. */
bool sim_effective_options(const sim_scenario *scenario, const sim_policy *policy, const sim_workload *workload,
                           const rgn_environment *environment, rgn_effective_options *out, sim_input_error *error);

/* The scenario's `environment:` map as the core's lookup. Borrows `scenario`. */
rgn_environment sim_scenario_environment(const sim_scenario *scenario);

/* Writes the JSON Schema of scenario and policy files, made from the schema table. */
void sim_schema_write(FILE *out);

/* Stable 64-bit hash of a name (FNV-1a, finished by a mixer); final, it keys luck. */
uint64_t sim_name_hash(const char *name);

/* Turns a folder ("" or ending in '/') into the one above it, by its text alone; false at the root, or if `size` is too
 * small. */
bool sim_folder_climb(char *folder, size_t size);

/* The nearest data/NAME.csv or scenarios/data/NAME.csv, beside the scenario or in a folder above it. The caller frees
 * the path; NULL if there is none (or no memory). */
char *sim_data_file_find(const char *scenario_path, const char *name);

/* Bytes of the character that `text` begins with if it must not reach a screen or a report, else 0: controls, ends of
 * lines, and what turns the direction of writing (U+202A to U+202E, U+2066 to U+2069). */
size_t sim_text_unprintable(const char *text);

/* What stands for the character in HTML and in XML, attributes included; NULL: the character itself. */
const char *sim_text_entity(char character);

/* Closest candidate by edit distance for "did you mean"; NULL if none is close. */
const char *sim_nearest(const char *word, const char *const *candidates, size_t count);

/* Parsing and printing of the scalar types that files, --set and messages share. Text forms: durations "90 s", "1.5
 * ms", "10 min", "2 h" (unit required but for 0), shares "40 %" or "0.4", factors "2", rates "2400 /s". False if
 * malformed. */
bool sim_parse_duration(const char *text, int64_t *ns);
bool sim_parse_share(const char *text, uint32_t *ppb);
void sim_format_duration(int64_t ns, char *out, size_t size);
/* Parses one knob's value by its type and range; on failure the message says name, value and range. */
bool sim_parse_knob(rgn_knob_id knob, const char *text, int64_t *value, char *message, size_t size);
/* The knob's value as a file would say it ("60 s", "90 %", "restart", "never"). */
void sim_format_knob(rgn_knob_id knob, int64_t value, char *out, size_t size);

#endif
