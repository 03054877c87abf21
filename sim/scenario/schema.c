/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/schema_rows.h"

/* In the order of rgn_signal. */
#define HEDGING_SIGNALS  "absent|allow|forbid"
#define FAILOVER_SIGNALS "absent|disabled|enabled"

static const sim_field account_rows[] = {
    {"writes", SIM_FIELD_CHOICE, .words = "single|multi", AT(sim_raw_account, writes),
     .meaning = "single: only the first region takes writes; multi: every region does"},
    {"automatic_failover", SIM_FIELD_FLAG, AT(sim_raw_account, automatic_failover), RANGE(0, 1),
     .meaning = "per-partition automatic failover is on for the account"},
    {"hedging_switch", SIM_FIELD_CHOICE, .words = HEDGING_SIGNALS, AT(sim_raw_account, hedging_disabled),
     .meaning = "the gateway's hedging switch: whether clients that know it may hedge; absent is no signal"},
    {"failover_after", SIM_FIELD_DURATION, .initial = SECONDS(30), RANGE(0, HOURS(24)),
     AT(sim_raw_account, failover_after),
     .meaning =
         "with automatic failover: how long a partition's write region is unhealthy before the service moves it"},
    {"failback_after", SIM_FIELD_DURATION, .initial = SECONDS(60), RANGE(0, HOURS(24)),
     AT(sim_raw_account, failback_after),
     .meaning =
         "with automatic failover: how long the account's write region is healthy before a partition is moved back"},
    {"read_time", SIM_FIELD_DURATION, .initial = MS(50), RANGE(0, SECONDS(60)), AT(sim_raw_account, read_time),
     .meaning = "how long a client's reading of the account takes; it learns what held when it asked"},
    {"regions", SIM_FIELD_REGIONS, REQUIRED, RANGE(1, RGN_REGIONS_MAX), AT(sim_raw_account, regions),
     .meaning = "the account's regions in account order; the first is the hub"},
};
static const sim_record account_record = RECORD("account", sim_raw_account, account_rows);

static const sim_field sigma_rows[] = {
    {"sigma", SIM_FIELD_FACTOR, REQUIRED, RANGE(1, FACTOR(2)), AT(sim_raw_sigma, sigma),
     .meaning = "standard deviation of the factor's logarithm"},
};
static const sim_record sigma_record = RECORD("sigma", sim_raw_sigma, sigma_rows);

static const sim_field jitter_rows[] = {
    {"none", SIM_FIELD_WORD, .meaning = "every round trip takes the table's time"},
    {"lognormal", SIM_FIELD_RECORD, .record = &sigma_record, AT(sim_raw_jitter, lognormal),
     .meaning = "every round trip is multiplied by a lognormal factor with median 1"},
};
static const sim_record jitter_record = RECORD("jitter", sim_raw_jitter, jitter_rows);

static const sim_field network_rows[] = {
    {"round_trip", SIM_FIELD_NAME, REQUIRED, AT(sim_raw_network, round_trip),
     .meaning = "table of round trips between regions: a CSV file of that name in the data folder"},
    {"local", SIM_FIELD_DURATION, .initial = MS(1), RANGE(0, SECONDS(60)), AT(sim_raw_network, local),
     .meaning = "round trip within one region"},
    {"jitter", SIM_FIELD_ONE_OF, .initial_word = "none", .record = &jitter_record, AT(sim_raw_network, jitter),
     .meaning = "how round trips vary"},
    {"connection_idle", SIM_FIELD_DURATION, .initial = SECONDS(300), RANGE(0, HOURS(24)),
     AT(sim_raw_network, connection_idle),
     .meaning = "how long a client's connection to a region outlives its last answer; faults on new connections ask"},
};
static const sim_record network_record = RECORD("network", sim_raw_network, network_rows);

static const sim_field exponential_rows[] = {
    {"mean", SIM_FIELD_DURATION, REQUIRED, RANGE(1, HOURS(1)), AT(sim_raw_parameters, mean), .meaning = "mean"},
};
static const sim_record exponential_record = RECORD("exponential", sim_raw_parameters, exponential_rows);

static const sim_field lognormal_rows[] = {
    {"p50", SIM_FIELD_DURATION, REQUIRED, RANGE(1, HOURS(1)), AT(sim_raw_parameters, p50), .meaning = "median"},
    {"p99", SIM_FIELD_DURATION, .flags = SIM_FIELD_ONLY_ONE, .initial = SIM_ABSENT, RANGE(1, HOURS(1)),
     AT(sim_raw_parameters, p99), .meaning = "99th percentile; give either this or sigma"},
    {"sigma", SIM_FIELD_FACTOR, .flags = SIM_FIELD_ONLY_ONE, .initial = SIM_ABSENT, RANGE(0, FACTOR(5)),
     AT(sim_raw_parameters, sigma), .meaning = "standard deviation of the logarithm; give either this or p99"},
};
static const sim_record lognormal_record = RECORD("lognormal", sim_raw_parameters, lognormal_rows);

static const sim_field gamma_rows[] = {
    {"mean", SIM_FIELD_DURATION, REQUIRED, RANGE(1, HOURS(1)), AT(sim_raw_parameters, mean), .meaning = "mean"},
    {"shape", SIM_FIELD_FACTOR, REQUIRED, RANGE(10000, FACTOR(1000)), AT(sim_raw_parameters, shape),
     .meaning = "shape; 1 is the exponential distribution, more is narrower"},
};
static const sim_record gamma_record = RECORD("gamma", sim_raw_parameters, gamma_rows);

static const sim_field weibull_rows[] = {
    {"p50", SIM_FIELD_DURATION, REQUIRED, RANGE(1, HOURS(1)), AT(sim_raw_parameters, p50), .meaning = "median"},
    {"shape", SIM_FIELD_FACTOR, REQUIRED, RANGE(100000, FACTOR(100)), AT(sim_raw_parameters, shape),
     .meaning = "shape; 1 is the exponential distribution, less has a longer tail"},
};
static const sim_record weibull_record = RECORD("weibull", sim_raw_parameters, weibull_rows);

static const sim_field percentile_rows[] = {
    {"", SIM_FIELD_DURATION, RANGE(0, HOURS(1)), .meaning = "largest of the values up to that percentage"}};
static const sim_record percentile_record = RECORD("percentile", int64_t, percentile_rows);

/* In the order of sim_dist_type. */
#define PLAIN_DIST_ROWS                                                                                      \
    {"constant",         SIM_FIELD_DURATION,         REQUIRED,                                               \
     RANGE(0, HOURS(1)), AT(sim_raw_dist, constant), .meaning = "always the same"},                          \
        {"exponential", SIM_FIELD_RECORD, .record = &exponential_record, AT(sim_raw_dist, exponential),      \
         .meaning = "exponential distribution"},                                                             \
        {"lognormal", SIM_FIELD_RECORD, .record = &lognormal_record, AT(sim_raw_dist, lognormal),            \
         .meaning = "lognormal distribution, by its median and its tail"},                                   \
        {"gamma", SIM_FIELD_RECORD, .record = &gamma_record, AT(sim_raw_dist, gamma),                        \
         .meaning = "gamma distribution, by its mean and its shape"},                                        \
        {"weibull", SIM_FIELD_RECORD, .record = &weibull_record, AT(sim_raw_dist, weibull),                  \
         .meaning = "Weibull distribution, by its median and its shape"},                                    \
    {                                                                                                        \
        "percentiles", SIM_FIELD_PERCENTILES,                                                                \
            .record = &percentile_record, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX), AT(sim_raw_dist, percentiles), \
            .meaning = "measured percentiles; nothing is below the first or above the last"                  \
    }
static const sim_field plain_dist_rows[] = {PLAIN_DIST_ROWS};
static const sim_record plain_dist_record = RECORD("plain_distribution", sim_raw_dist, plain_dist_rows);

static const sim_field part_rows[] = {
    {"share", SIM_FIELD_SHARE, REQUIRED, RANGE(1, SHARE(100)), AT(sim_raw_part, share),
     .meaning = "share of operations; 100 % together"},
    {"of", SIM_FIELD_ONE_OF, REQUIRED, .record = &plain_dist_record, AT(sim_raw_part, of),
     .meaning = "distribution of these"},
};
static const sim_record part_record = RECORD("part", sim_raw_part, part_rows);

static const sim_field dist_rows[] = {
    PLAIN_DIST_ROWS,
    {"mixture", SIM_FIELD_RECORDS, .record = &part_record, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX),
     AT(sim_raw_dist, mixture), .meaning = "several distributions, each with its share of the operations"},
};
static const sim_record dist_record = RECORD("distribution", sim_raw_dist, dist_rows);

static const sim_field service_rows[] = {
    {"read", SIM_FIELD_ONE_OF, REQUIRED, .record = &dist_record, AT(sim_raw_service, kind[SIM_KIND_READ]),
     .meaning = "how long a healthy region takes to serve a read"},
    {"write", SIM_FIELD_ONE_OF, REQUIRED, .record = &dist_record, AT(sim_raw_service, kind[SIM_KIND_WRITE]),
     .meaning = "how long a healthy region takes to serve a write"},
};
static const sim_record service_record = RECORD("service", sim_raw_service, service_rows);

static const sim_field replication_pair_rows[] = {
    {"from", SIM_FIELD_REGION, REQUIRED, AT(sim_raw_replication_pair, from), .meaning = "region that took the write"},
    {"to", SIM_FIELD_REGION, REQUIRED, AT(sim_raw_replication_pair, to), .meaning = "region that gets it later"},
    {"lag", SIM_FIELD_ONE_OF, REQUIRED, .record = &dist_record, AT(sim_raw_replication_pair, lag),
     .meaning = "how much later"},
};
static const sim_record replication_pair_record =
    RECORD("replication_pair", sim_raw_replication_pair, replication_pair_rows);

static const sim_field replication_rows[] = {
    {"lag", SIM_FIELD_ONE_OF, REQUIRED, .record = &dist_record, AT(sim_raw_replication, lag),
     .meaning = "how long after its commit another region has a write; drawn for each partition and pair of regions"},
    {"redrawn", SIM_FIELD_DURATION, .initial = SECONDS(1), RANGE(MS(1), YEAR), AT(sim_raw_replication, redrawn),
     .meaning = "how long a drawn lag lasts"},
    {"pairs", SIM_FIELD_RECORDS, .record = &replication_pair_record, RANGE(1, 200), AT(sim_raw_replication, pairs),
     .meaning = "pairs of regions with a lag of their own"},
};
static const sim_record replication_record = RECORD("replication", sim_raw_replication, replication_rows);

static const sim_field request_units_rows[] = {
    {"read", SIM_FIELD_FACTOR, REQUIRED, RANGE(1, FACTOR(1000)), AT(sim_raw_request_units, kind[SIM_KIND_READ]),
     .meaning = "request units that a served read costs"},
    {"write", SIM_FIELD_FACTOR, REQUIRED, RANGE(1, FACTOR(1000)), AT(sim_raw_request_units, kind[SIM_KIND_WRITE]),
     .meaning = "request units that a served write costs"},
    {"client_budget", SIM_FIELD_COUNT, RANGE(1, 100000000), AT(sim_raw_request_units, client_budget),
     .meaning = "request units that each client may spend in a second; it throttles further attempts itself; none if "
                "absent"},
};
static const sim_record request_units_record = RECORD("request_units", sim_raw_request_units, request_units_rows);

static const sim_field busy_rows[] = {
    {"read", SIM_FIELD_ONE_OF, REQUIRED, .record = &dist_record, AT(sim_raw_service, kind[SIM_KIND_READ]),
     .meaning = "how long a read keeps a server busy, on top of its service time"},
    {"write", SIM_FIELD_ONE_OF, REQUIRED, .record = &dist_record, AT(sim_raw_service, kind[SIM_KIND_WRITE]),
     .meaning = "how long a write keeps a server busy, on top of its service time"},
};
static const sim_record busy_record = RECORD("busy", sim_raw_service, busy_rows);

static const sim_field warm_up_rows[] = {
    {"from", SIM_FIELD_SHARE, REQUIRED, RANGE(1, SHARE(100) - 1), AT(sim_raw_warm_up, from),
     .meaning = "share of its capacity that the region has when a fault has just ended there"},
    {"over", SIM_FIELD_DURATION, REQUIRED, RANGE(MS(1), HOURS(24)), AT(sim_raw_warm_up, over),
     .meaning = "time in which it comes back to all of it, in a straight line"},
};
static const sim_record warm_up_record = RECORD("warm_up", sim_raw_warm_up, warm_up_rows);

static const sim_field capacity_rows[] = {
    {"stations", SIM_FIELD_CHOICE, .words = "region|partition", AT(sim_raw_capacity, stations),
     .meaning = "whose the servers, the queue and the throughput are: all the region's, or each partition's own"},
    {"servers", SIM_FIELD_COUNT, .flags = SIM_FIELD_AT_LEAST_ONE, RANGE(1, 100000), AT(sim_raw_capacity, servers),
     .meaning = "attempts that are served at a time; no limit if absent"},
    {"queue", SIM_FIELD_COUNT, .initial = SIM_QUEUE_UNLIMITED, .word = "unlimited", .word_value = SIM_QUEUE_UNLIMITED,
     RANGE(0, 10000000), AT(sim_raw_capacity, queue),
     .meaning = "attempts that may wait for a server, first come, first served; the next one is answered 503 at once"},
    {"busy", SIM_FIELD_RECORD, .record = &busy_record, AT(sim_raw_capacity, busy),
     .meaning = "how long attempts keep a server; needed with servers"},
    {"throughput", SIM_FIELD_COUNT, .flags = SIM_FIELD_AT_LEAST_ONE, RANGE(1, 1000000000),
     AT(sim_raw_capacity, throughput),
     .meaning = "request units in each second; further attempts are answered 429/3200 at once; no limit if absent"},
    {"warm_up", SIM_FIELD_RECORD, .record = &warm_up_record, AT(sim_raw_capacity, warm_up),
     .meaning = "how capacity comes back after each fault of the region; at once if absent"},
    {"cancel_reaches_server", SIM_FIELD_FLAG, RANGE(0, 1), AT(sim_raw_capacity, cancel_reaches_server),
     .meaning = "an attempt that its client has given up leaves queue and server once word of it arrives"},
};
static const sim_record capacity_record = RECORD("capacity", sim_raw_capacity, capacity_rows);

static const sim_field tries_again_rows[] = {
    {"count", SIM_FIELD_COUNT, REQUIRED, RANGE(1, SIM_TRIES_MAX), AT(sim_raw_again, count),
     .meaning = "how often at most"},
    {"delay", SIM_FIELD_DURATION, REQUIRED, RANGE(0, HOURS(1)), AT(sim_raw_again, delay),
     .meaning = "time from the error to the first new try"},
    {"factor", SIM_FIELD_FACTOR, .initial = FACTOR(1), RANGE(FACTOR(1), FACTOR(10)), AT(sim_raw_again, factor),
     .meaning = "by which the delay grows from one try to the next"},
};
static const sim_record tries_again_record = RECORD("tries_again", sim_raw_again, tries_again_rows);

static const sim_field group_rows[] = {
    {"home", SIM_FIELD_REGION, REQUIRED, AT(sim_raw_group, home), .meaning = "region the clients run in"},
    {"count", SIM_FIELD_COUNT, .initial = 1, RANGE(1, 100000), AT(sim_raw_group, count), .meaning = "clients"},
    {"preferred", SIM_FIELD_REGIONS, RANGE(1, RGN_REGIONS_MAX), AT(sim_raw_group, preferred),
     .meaning = "preferred regions, best first; none if absent: then the account's order holds"},
    {"excluded", SIM_FIELD_REGIONS, .flags = SIM_FIELD_SET, RANGE(1, RGN_REGIONS_MAX), AT(sim_raw_group, excluded),
     .meaning = "regions that the clients never use"},
    {"concurrency", SIM_FIELD_COUNT, RANGE(1, 1000000), AT(sim_raw_group, concurrency),
     .meaning =
         "operations that each client has in flight at most; others wait, and latency counts from when they were "
         "due; no limit if absent"},
    {"tries_again", SIM_FIELD_RECORD, .record = &tries_again_record, AT(sim_raw_group, tries_again),
     .meaning = "applications that make an operation anew after an error; each try is an operation of its own"},
};
static const sim_record group_record = RECORD("client_group", sim_raw_group, group_rows);

static const sim_field fleet_rows[] = {
    {"start_spread", SIM_FIELD_DURATION, .initial = SECONDS(300), RANGE(0, YEAR), AT(sim_raw_fleet, start_spread),
     .meaning = "clients were started at drawn times within this long before the run begins"},
    {"probe_interval", SIM_FIELD_DURATION, .word = "never", .word_value = 0, RANGE(SECONDS(1), YEAR),
     AT(sim_raw_fleet, probe_interval),
     .meaning = "period at which clients try to connect to endpoints whose mark has aged; never: marks simply age"},
};
static const sim_record fleet_record = RECORD("fleet", sim_raw_fleet, fleet_rows);

static const sim_field weight_rows[] = {{"", SIM_FIELD_SHARE, RANGE(1, SHARE(100)), .meaning = "share of operations"}};
static const sim_record weight_record = RECORD("weight", int64_t, weight_rows);

static const sim_field pick_rows[] = {
    {"uniform", SIM_FIELD_WORD, .meaning = "all partitions alike"},
    {"hot", SIM_FIELD_WEIGHTS, .record = &weight_record, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX), AT(sim_raw_pick, hot),
     .meaning = "shares of some partitions, counted from 0; the others share the rest alike"},
    {"zipf", SIM_FIELD_FACTOR, RANGE(1, FACTOR(4)), AT(sim_raw_pick, zipf),
     .meaning = "partition k, counted from 0, gets a share in proportion to 1 / (k + 1) to this power"},
};
static const sim_record pick_record = RECORD("pick", sim_raw_pick, pick_rows);

static const sim_field partitions_rows[] = {
    {"count", SIM_FIELD_COUNT, REQUIRED, RANGE(1, 1000000), AT(sim_raw_partitions, count), .meaning = "partitions"},
    {"pick", SIM_FIELD_ONE_OF, .initial_word = "uniform", .record = &pick_record, AT(sim_raw_partitions, pick),
     .meaning = "which partition an operation goes to"},
};
static const sim_record partitions_record = RECORD("partitions", sim_raw_partitions, partitions_rows);

static const sim_field operations_rows[] = {
    {"read", SIM_FIELD_SHARE, RANGE(0, SHARE(100)), AT(sim_raw_operations, share[SIM_KIND_READ]),
     .meaning = "share of point reads"},
    {"feed", SIM_FIELD_SHARE, .initial = SIM_ABSENT, RANGE(1, SHARE(100)), AT(sim_raw_operations, feed),
     .meaning = "share of queries and other reads of many items; none if absent"},
    {"metadata", SIM_FIELD_SHARE, .initial = SIM_ABSENT, RANGE(1, SHARE(100)), AT(sim_raw_operations, metadata),
     .meaning = "share of reads of metadata, which meet only faults on all partitions; none if absent"},
    {"write", SIM_FIELD_SHARE, RANGE(0, SHARE(100)), AT(sim_raw_operations, share[SIM_KIND_WRITE]),
     .meaning = "share of writes"},
};
static const sim_record operations_record = RECORD("operations", sim_raw_operations, operations_rows);

static const sim_field rate_value_rows[] = {{"", SIM_FIELD_RATE, RANGE(0, RATE_MAX), .meaning = "rate"}};
static const sim_record rate_value_record = RECORD("rate_value", int64_t, rate_value_rows);

static const sim_field repeat_rows[] = {
    {"every", SIM_FIELD_DURATION, .initial = HOURS(24), RANGE(SECONDS(1), YEAR), AT(sim_raw_repeat, every),
     .meaning = "period; a day if absent"},
    {"step", SIM_FIELD_POINTS, REQUIRED, .record = &rate_value_record, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX),
     AT(sim_raw_repeat, step),
     .meaning = "rates from each instant of the period to the next, such as one for each hour"},
};
static const sim_record repeat_record = RECORD("repeat", sim_raw_repeat, repeat_rows);

static const sim_field sinusoid_rows[] = {
    {"mean", SIM_FIELD_RATE, REQUIRED, RANGE(1, RATE_MAX / 2), AT(sim_raw_sinusoid, mean), .meaning = "mean rate"},
    {"swing", SIM_FIELD_SHARE, REQUIRED, RANGE(1, SHARE(100)), AT(sim_raw_sinusoid, swing),
     .meaning = "how far the rate goes above and below its mean, as a share of it"},
    {"period", SIM_FIELD_DURATION, .initial = HOURS(24), RANGE(SECONDS(1), YEAR), AT(sim_raw_sinusoid, period),
     .meaning = "period; a day if absent"},
    {"peak", SIM_FIELD_DURATION, RANGE(0, YEAR), AT(sim_raw_sinusoid, peak),
     .meaning = "an instant of the run at which the rate is highest"},
};
static const sim_record sinusoid_record = RECORD("sinusoid", sim_raw_sinusoid, sinusoid_rows);

static const sim_field closed_loop_rows[] = {
    {"users", SIM_FIELD_COUNT, REQUIRED, RANGE(1, 1000000), AT(sim_raw_closed_loop, users),
     .meaning = "each has one operation at a time; they are dealt out to the clients in turn"},
    {"think", SIM_FIELD_ONE_OF, REQUIRED, .record = &dist_record, AT(sim_raw_closed_loop, think),
     .meaning = "time from a user's start, and from the end of each of its operations, to its next one"},
};
static const sim_record closed_loop_record = RECORD("closed_loop", sim_raw_closed_loop, closed_loop_rows);

static const sim_field rate_rows[] = {
    {"", SIM_FIELD_RATE, RANGE(1, RATE_MAX), AT(sim_raw_rate, constant), .meaning = "one rate for the whole run"},
    {"step", SIM_FIELD_POINTS, .record = &rate_value_record, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX), AT(sim_raw_rate, step),
     .meaning = "rates from each instant of the run to the next"},
    {"repeat", SIM_FIELD_RECORD, .record = &repeat_record, AT(sim_raw_rate, repeat),
     .meaning = "rates that repeat, such as those of a day"},
    {"sinusoid", SIM_FIELD_RECORD, .record = &sinusoid_record, AT(sim_raw_rate, sinusoid),
     .meaning = "a rate that rises and falls smoothly, in 96 steps a period"},
    {"closed_loop", SIM_FIELD_RECORD, .record = &closed_loop_record, AT(sim_raw_rate, closed_loop),
     .meaning =
         "users who wait for each answer: load falls when latency rises, which hides what other users would suffer"},
};
static const sim_record rate_record = RECORD("rate", sim_raw_rate, rate_rows);

static const sim_field arrivals_rows[] = {
    {"constant", SIM_FIELD_WORD, .meaning = "evenly spaced"},
    {"poisson", SIM_FIELD_WORD, .meaning = "at random"},
    {"recorded", SIM_FIELD_NAME, AT(sim_raw_arrivals, recorded),
     .meaning = "as recorded in a CSV file of that name in the data folder, stretched in time to the rate"},
};
static const sim_record arrivals_record = RECORD("arrivals", sim_raw_arrivals, arrivals_rows);

static const sim_field gives_up_rows[] = {
    {"share", SIM_FIELD_SHARE, REQUIRED, RANGE(1, SHARE(100)), AT(sim_raw_gives_up, share),
     .meaning = "share of operations; a larger share takes in the smaller's operations"},
    {"after", SIM_FIELD_DURATION, REQUIRED, RANGE(1, HOURS(24)), AT(sim_raw_gives_up, after),
     .meaning = "time from the operation's start"},
};
static const sim_record gives_up_record = RECORD("gives_up", sim_raw_gives_up, gives_up_rows);

#define KNOWN_WORDS "always|after_first_response"
static const sim_field partition_known_rows[] = {
    {"read", SIM_FIELD_CHOICE, .words = KNOWN_WORDS, AT(sim_raw_partition_known, kind[SIM_KIND_READ]),
     .meaning = "of reads"},
    {"write", SIM_FIELD_CHOICE, .words = KNOWN_WORDS, AT(sim_raw_partition_known, kind[SIM_KIND_WRITE]),
     .meaning = "of writes"},
};
static const sim_record partition_known_record =
    RECORD("partition_known", sim_raw_partition_known, partition_known_rows);

static const sim_field workload_rows[] = {
    {"rate", SIM_FIELD_ONE_OF, REQUIRED, .record = &rate_record, AT(sim_raw_workload, rate),
     .meaning = "operations of all clients together; they do not wait for each other"},
    {"arrivals", SIM_FIELD_ONE_OF, .initial_word = "poisson", .record = &arrivals_record,
     AT(sim_raw_workload, arrivals), .meaning = "how operations follow each other"},
    {"clients", SIM_FIELD_NAMES, .flags = SIM_FIELD_SET, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX),
     AT(sim_raw_workload, clients), .meaning = "client groups that send the operations; all if absent"},
    {"partitions", SIM_FIELD_RECORD, REQUIRED, .record = &partitions_record, AT(sim_raw_workload, partitions),
     .meaning = "the collection's partitions"},
    {"operations", SIM_FIELD_RECORD, REQUIRED, .record = &operations_record, AT(sim_raw_workload, operations),
     .meaning = "mix of operation kinds; 100 % together"},
    {"partition_known", SIM_FIELD_RECORD, .record = &partition_known_record, AT(sim_raw_workload, partition_known),
     .meaning = "when a client knows the partition that an operation goes to"},
    {"deadline", SIM_FIELD_DURATION, .initial = NEVER, .word = "never", .word_value = NEVER, RANGE(1, HOURS(24)),
     AT(sim_raw_workload, deadline), .meaning = "end-to-end deadline of one operation"},
    {"gives_up", SIM_FIELD_RECORD, .record = &gives_up_record, AT(sim_raw_workload, gives_up),
     .meaning = "applications that do not wait for the deadline: they abandon the operation"},
    {"options", SIM_FIELD_KNOBS, AT(sim_raw_workload, options),
     .meaning = "options that these operations carry; they win over the policy's"},
};
static const sim_record workload_record = RECORD("workload", sim_raw_workload, workload_rows);

static const sim_field restart_rows[] = {
    {"at", SIM_FIELD_DURATION, REQUIRED, RANGE(0, YEAR), AT(sim_raw_restart, at),
     .meaning = "when the first client starts anew, counted from the start of the run"},
    {"stagger", SIM_FIELD_DURATION, RANGE(0, YEAR), AT(sim_raw_restart, stagger),
     .meaning = "time from one client to the next; 0: all at once"},
    {"clients", SIM_FIELD_NAMES, .flags = SIM_FIELD_SET, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX),
     AT(sim_raw_restart, clients), .meaning = "client groups that start anew; all if absent"},
    {"environment", SIM_FIELD_TEXTS, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX), AT(sim_raw_restart, environment),
     .meaning = "overrides (variables that end in _OVERRIDE) that these clients' environment has from then on"},
};
static const sim_record restart_record = RECORD("restart", sim_raw_restart, restart_rows);

static const sim_field account_change_rows[] = {
    {"at", SIM_FIELD_DURATION, REQUIRED, RANGE(0, YEAR), AT(sim_raw_account_change, at),
     .meaning =
         "when the account changes, counted from the start of the run; a client learns of it when it next reads it"},
    {"every", SIM_FIELD_DURATION, .initial = NEVER, .word = "never", .word_value = NEVER, RANGE(SECONDS(1), YEAR),
     AT(sim_raw_account_change, every), .meaning = "and again after each such time"},
    {"until", SIM_FIELD_DURATION, .initial = NEVER, .word = "never", .word_value = NEVER, RANGE(1, YEAR),
     AT(sim_raw_account_change, until), .meaning = "no repetition at or after this instant"},
    {"regions", SIM_FIELD_REGIONS, .flags = SIM_FIELD_AT_LEAST_ONE, RANGE(1, RGN_REGIONS_MAX),
     AT(sim_raw_account_change, regions), .meaning = "the account's regions from then on, in account order"},
    {"write_region", SIM_FIELD_REGION, .flags = SIM_FIELD_AT_LEAST_ONE, AT(sim_raw_account_change, write_region),
     .meaning = "the region that takes a single-write account's writes from then on"},
    {"automatic_failover", SIM_FIELD_CHOICE, .flags = SIM_FIELD_AT_LEAST_ONE, .initial = SIM_ABSENT,
     .words = FAILOVER_SIGNALS, AT(sim_raw_account_change, automatic_failover),
     .meaning = "per-partition automatic failover; absent: off, and readings of the account say nothing of it"},
    {"hedging_switch", SIM_FIELD_CHOICE, .flags = SIM_FIELD_AT_LEAST_ONE, .initial = SIM_ABSENT,
     .words = HEDGING_SIGNALS, AT(sim_raw_account_change, hedging_disabled), .meaning = "the gateway's hedging switch"},
};
static const sim_record account_change_record = RECORD("account_change", sim_raw_account_change, account_change_rows);

static const sim_field instant_rows[] = {{"", SIM_FIELD_DURATION, RANGE(0, YEAR), .meaning = "start of the phase"}};
static const sim_record instant_record = RECORD("instant", int64_t, instant_rows);

static const sim_field healthy_rows[] = {
    {"errors", SIM_FIELD_SHARE, .initial = SHARE(10), RANGE(0, SHARE(100)), AT(sim_raw_healthy, errors),
     .meaning = "largest scheduled share of errors"},
    {"latency", SIM_FIELD_FACTOR, .initial = FACTOR(2), RANGE(0, FACTOR(1000)), AT(sim_raw_healthy, latency),
     .meaning = "largest scheduled factor of latency"},
    {"added", SIM_FIELD_DURATION, .initial = MS(20), RANGE(0, HOURS(1)), AT(sim_raw_healthy, added),
     .meaning = "largest scheduled added latency"},
};
static const sim_record healthy_record = RECORD("healthy_when", sim_raw_healthy, healthy_rows);

static const sim_field expectation_rows[] = {
    {"metric", SIM_FIELD_NAME, REQUIRED, AT(sim_raw_expectation, metric), .meaning = "metric"},
    {"policy", SIM_FIELD_NAME, AT(sim_raw_expectation, policy),
     .meaning = "policy that must meet it; every one if absent"},
    {"phase", SIM_FIELD_NAME, AT(sim_raw_expectation, phase),
     .meaning = "phase that must meet it; the whole run if absent"},
    {"at_most", SIM_FIELD_NUMBER, .flags = SIM_FIELD_ONLY_ONE, AT(sim_raw_expectation, limit[SIM_EXPECT_AT_MOST]),
     .meaning = "upper bound"},
    {"at_least", SIM_FIELD_NUMBER, .flags = SIM_FIELD_ONLY_ONE, AT(sim_raw_expectation, limit[SIM_EXPECT_AT_LEAST]),
     .meaning = "lower bound"},
    {"equals", SIM_FIELD_NUMBER, .flags = SIM_FIELD_ONLY_ONE, AT(sim_raw_expectation, limit[SIM_EXPECT_EQUALS]),
     .meaning = "exact value"},
    {"because", SIM_FIELD_TEXT, .flags = SIM_FIELD_PROSE, AT(sim_raw_expectation, because),
     .meaning = "why this should hold"},
};
static const sim_record expectation_record = RECORD("expectation", sim_raw_expectation, expectation_rows);

static const sim_field margin_rows[] = {
    {"relative", SIM_FIELD_SHARE, .flags = SIM_FIELD_ONLY_ONE, .initial = SIM_ABSENT, RANGE(0, SHARE(100)),
     AT(sim_raw_margin, relative), .meaning = "share of the baseline's value; give either this or absolute"},
    {"absolute", SIM_FIELD_NUMBER, .flags = SIM_FIELD_ONLY_ONE, AT(sim_raw_margin, absolute),
     .meaning = "in the metric's unit; give either this or relative"},
};
static const sim_record margin_record = RECORD("margin", sim_raw_margin, margin_rows);

static const sim_field record_rows[] = {
    {"transitions", SIM_FIELD_BUDGET, .initial = -1, .word = "all", .word_value = -1, RANGE(0, 1000000),
     AT(sim_raw_record, transitions), .meaning = "how many transitions of a client's partition are stored"},
};
static const sim_record record_record = RECORD("record", sim_raw_record, record_rows);

static const sim_field scenario_rows[] = {
    {"regionsim", SIM_FIELD_COUNT, REQUIRED, RANGE(1, 1), AT(sim_raw_scenario, regionsim),
     .meaning = "version of the file format; the first key"},
    {"scenario", SIM_FIELD_NAME, REQUIRED | SIM_FIELD_PROSE, AT(sim_raw_scenario, scenario),
     .meaning = "the scenario's name"},
    {"about", SIM_FIELD_TEXT, .flags = SIM_FIELD_PROSE, AT(sim_raw_scenario, about),
     .meaning = "what happens, in a sentence"},
    {"duration", SIM_FIELD_DURATION, REQUIRED, RANGE(MS(1), YEAR), AT(sim_raw_scenario, duration),
     .meaning = "how long operations arrive; those in flight at the end are waited for"},
    {"account", SIM_FIELD_RECORD, REQUIRED, .record = &account_record, AT(sim_raw_scenario, account),
     .meaning = "the database account"},
    {"network", SIM_FIELD_RECORD, REQUIRED, .record = &network_record, AT(sim_raw_scenario, network),
     .meaning = "round trips between clients and regions"},
    {"service", SIM_FIELD_RECORD, REQUIRED, .record = &service_record, AT(sim_raw_scenario, service),
     .meaning = "service times"},
    {"replication", SIM_FIELD_RECORD, .record = &replication_record, AT(sim_raw_scenario, replication),
     .meaning = "regions lag behind each other, and clients read with session consistency; without it nothing lags"},
    {"request_units", SIM_FIELD_RECORD, .record = &request_units_record, AT(sim_raw_scenario, request_units),
     .meaning = "what operations cost; without it nobody counts"},
    {"capacity", SIM_FIELD_MAP, RANGE(1, RGN_REGIONS_MAX), .record = &capacity_record, AT(sim_raw_scenario, capacity),
     .meaning = "by region: what it can bear; load does nothing to the other regions"},
    {"clients", SIM_FIELD_MAP, REQUIRED, RANGE(1, 64), .record = &group_record, AT(sim_raw_scenario, clients),
     .meaning = "groups of clients; a group's name keys its luck"},
    {"fleet", SIM_FIELD_RECORD, .record = &fleet_record, AT(sim_raw_scenario, fleet), .meaning = "all clients"},
    {"workload", SIM_FIELD_MAP, REQUIRED, RANGE(1, SIM_WORKLOADS_MAX), .record = &workload_record,
     AT(sim_raw_scenario, workload), .meaning = "streams of operations; a stream's name keys its luck"},
    {"faults", SIM_FIELD_MAP, RANGE(1, SIM_FAULTS_MAX), .record = &sim_fault_record, AT(sim_raw_scenario, faults),
     .meaning = "what goes wrong; a fault's name keys its luck"},
    {"restarts", SIM_FIELD_MAP, RANGE(1, 64), .record = &restart_record, AT(sim_raw_scenario, restarts),
     .meaning = "clients whose processes end and start anew, without what they knew"},
    {"account_changes", SIM_FIELD_MAP, RANGE(1, 64), .record = &account_change_record,
     AT(sim_raw_scenario, account_changes),
     .meaning = "what happens to the account; of changes at one instant the later by name wins"},
    {"phases", SIM_FIELD_INSTANTS, RANGE(1, SIM_PHASES_MAX), .record = &instant_record, AT(sim_raw_scenario, phases),
     .meaning = "phases that metrics are reported for, by their starts, in time order; `all` always exists"},
    {"healthy_when", SIM_FIELD_RECORD, .record = &healthy_record, AT(sim_raw_scenario, healthy_when),
     .meaning = "ground truth: a partition is healthy while the schedule keeps to both"},
    {"objectives", SIM_FIELD_NAMES, RANGE(1, SIM_OBJECTIVES_MAX), AT(sim_raw_scenario, objectives),
     .meaning = "metrics that decide between policies"},
    {"margins", SIM_FIELD_MAP, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX), .record = &margin_record,
     AT(sim_raw_scenario, margins),
     .meaning = "by metric: the difference that matters, where it is not the metric's own margin"},
    {"expect", SIM_FIELD_RECORDS, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX), .record = &expectation_record,
     AT(sim_raw_scenario, expect), .meaning = "what must come out"},
    {"environment", SIM_FIELD_TEXTS, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX), AT(sim_raw_scenario, environment),
     .meaning = "environment variables that the clients see"},
    {"flap_window", SIM_FIELD_DURATION, .initial = SECONDS(600), RANGE(0, YEAR), AT(sim_raw_scenario, flap_window),
     .meaning = "a departure at most this long after a return is a flap"},
    {"interval", SIM_FIELD_DURATION, .initial = SECONDS(30), RANGE(MS(1), YEAR), AT(sim_raw_scenario, interval),
     .meaning = "length of a row of the time series"},
    {"record", SIM_FIELD_RECORD, .record = &record_record, AT(sim_raw_scenario, record),
     .meaning = "what is stored besides the metrics"},
};
const sim_record sim_scenario_record = RECORD("scenario", sim_raw_scenario, scenario_rows);

static const sim_field policy_rows[] = {
    {"regionsim", SIM_FIELD_COUNT, REQUIRED, RANGE(1, 1), AT(sim_raw_policy, regionsim),
     .meaning = "version of the file format; the first key"},
    {"policy", SIM_FIELD_NAME, REQUIRED, AT(sim_raw_policy, policy), .meaning = "the policy's name"},
    {"about", SIM_FIELD_TEXT, AT(sim_raw_policy, about), .meaning = "what it is for, in a sentence"},
    {"based_on", SIM_FIELD_NAME, AT(sim_raw_policy, based_on),
     .meaning = "the policy beside this file that this one changes; keys here win"},
    {"", SIM_FIELD_KNOBS, AT(sim_raw_policy, knobs), .meaning = "options"},
};
const sim_record sim_policy_record = RECORD("policy", sim_raw_policy, policy_rows);
