/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of faults: values over time, whom a fault strikes, what it does. */
#include "scenario/schema_rows.h"

/* A value over time, of one scalar type. `neutral` is the value that does nothing. */
#define SHAPE(id, field_type, field_max, neutral, what)                                                                \
    static const sim_field id##_value_rows[] = {{"", field_type, RANGE(0, field_max), .meaning = what}};               \
    static const sim_record id##_value_record = RECORD(#id "_value", int64_t, id##_value_rows);                        \
    static const sim_field id##_stair_rows[] = {                                                                       \
        {"from", field_type, REQUIRED, RANGE(0, field_max), AT(sim_raw_stair, from), .meaning = what " at the start"}, \
        {"to", field_type, REQUIRED, RANGE(0, field_max), AT(sim_raw_stair, to), .meaning = what " at the end"},       \
        {"steps", SIM_FIELD_COUNT, REQUIRED, RANGE(1, 1000), AT(sim_raw_stair, steps), .meaning = "equal steps"},      \
        {"over", SIM_FIELD_DURATION, REQUIRED, RANGE(MS(1), YEAR), AT(sim_raw_stair, over),                            \
         .meaning = "from the start to the last step; the steps are equally long"},                                    \
    };                                                                                                                 \
    static const sim_record id##_stair_record = RECORD(#id "_stair", sim_raw_stair, id##_stair_rows);                  \
    static const sim_field id##_square_rows[] = {                                                                      \
        {"high", field_type, REQUIRED, RANGE(0, field_max), AT(sim_raw_square, high),                                  \
         .meaning = what " in the first part of each period"},                                                         \
        {"low", field_type, .initial = neutral, RANGE(0, field_max), AT(sim_raw_square, low),                          \
         .meaning = what " in the rest"},                                                                              \
        {"period", SIM_FIELD_DURATION, REQUIRED, RANGE(MS(1), YEAR), AT(sim_raw_square, period), .meaning = "period"}, \
        {"duty", SIM_FIELD_SHARE, .initial = SHARE(50), RANGE(1, SHARE(100) - 1), AT(sim_raw_square, duty),            \
         .meaning = "length of the first part as a share of the period"},                                              \
    };                                                                                                                 \
    static const sim_record id##_square_record = RECORD(#id "_square", sim_raw_square, id##_square_rows);              \
    static const sim_field id##_decay_rows[] = {                                                                       \
        {"from", field_type, REQUIRED, RANGE(0, field_max), AT(sim_raw_decay, from), .meaning = what " at the start"}, \
        {"to", field_type, .initial = neutral, RANGE(0, field_max), AT(sim_raw_decay, to),                             \
         .meaning = what " that it comes nearer and nearer to"},                                                       \
        {"half_life", SIM_FIELD_DURATION, REQUIRED, RANGE(MS(1), YEAR), AT(sim_raw_decay, half_life),                  \
         .meaning = "time in which half of the way is gone"},                                                          \
    };                                                                                                                 \
    static const sim_record id##_decay_record = RECORD(#id "_decay", sim_raw_decay, id##_decay_rows);                  \
    static const sim_field id##_piece_rows[] = {                                                                       \
        {"for", SIM_FIELD_DURATION, REQUIRED, RANGE(1, YEAR), AT(sim_raw_piece, length),                               \
         .meaning = "length of the piece; the next begins at its end"},                                                \
        {"value", field_type, REQUIRED, RANGE(0, field_max), AT(sim_raw_piece, value),                                 \
         .meaning = what " at its start"},                                                                             \
        {"to", field_type, .initial = SIM_ABSENT, RANGE(0, field_max), AT(sim_raw_piece, to),                          \
         .meaning = what " at its end, in a straight line; the same as at its start if absent"},                       \
    };                                                                                                                 \
    static const sim_record id##_piece_record = RECORD(#id "_piece", sim_raw_piece, id##_piece_rows);                  \
    static const sim_field id##_markov_rows[] = {                                                                      \
        {"high", field_type, REQUIRED, RANGE(0, field_max), AT(sim_raw_markov, high),                                  \
         .meaning = what " that comes first"},                                                                         \
        {"low", field_type, .initial = neutral, RANGE(0, field_max), AT(sim_raw_markov, low),                          \
         .meaning = what " in between"},                                                                               \
        {"mean_high", SIM_FIELD_DURATION, REQUIRED, RANGE(MS(1), YEAR), AT(sim_raw_markov, mean_high),                 \
         .meaning = "mean of the drawn, exponential times at the first"},                                              \
        {"mean_low", SIM_FIELD_DURATION, REQUIRED, RANGE(MS(1), YEAR), AT(sim_raw_markov, mean_low),                   \
         .meaning = "mean of the drawn, exponential times in between"},                                                \
    };                                                                                                                 \
    static const sim_record id##_markov_record = RECORD(#id "_markov", sim_raw_markov, id##_markov_rows);              \
    static const sim_field id##_rows[] = {                                                                             \
        {"", field_type, RANGE(0, field_max), AT(sim_raw_shape, constant), .meaning = what " that never changes"},     \
        {"step", SIM_FIELD_POINTS, .record = &id##_value_record, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX),                   \
         AT(sim_raw_shape, step), .meaning = what " from each instant to the next; instants count from the fault"},    \
        {"ramp", SIM_FIELD_POINTS, .record = &id##_value_record, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX),                   \
         AT(sim_raw_shape, ramp), .meaning = what " in straight lines between instants, counted from the fault"},      \
        {"stair", SIM_FIELD_RECORD, .record = &id##_stair_record, AT(sim_raw_shape, stair),                            \
         .meaning = what " in equal steps from one value to another"},                                                 \
        {"square", SIM_FIELD_RECORD, .record = &id##_square_record, AT(sim_raw_shape, square),                         \
         .meaning = what " that goes to and fro between two values"},                                                  \
        {"decay", SIM_FIELD_RECORD, .record = &id##_decay_record, AT(sim_raw_shape, decay),                            \
         .meaning = what " that fades with a half-life"},                                                              \
        {"piecewise", SIM_FIELD_RECORDS, .record = &id##_piece_record, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX),             \
         AT(sim_raw_shape, piecewise), .meaning = what " in pieces one after another, with jumps between them"},       \
        {"markov", SIM_FIELD_RECORD, .record = &id##_markov_record, AT(sim_raw_shape, markov),                         \
         .meaning = what " that goes to and fro between two values at random"},                                        \
    };                                                                                                                 \
    static const sim_record id##_record = RECORD(#id "_over_time", sim_raw_shape, id##_rows)

SHAPE(share, SIM_FIELD_SHARE, SHARE(100), 0, "a share");
SHAPE(factor, SIM_FIELD_FACTOR, FACTOR(1000), FACTOR(1), "a factor");
SHAPE(time, SIM_FIELD_DURATION, HOURS(1), 0, "a time");

static const sim_field number_rows[] = {{"", SIM_FIELD_COUNT, RANGE(0, 1000000 - 1), .meaning = "partition"}};
static const sim_record number_record = RECORD("number", int64_t, number_rows);

static const sim_field partition_scope_rows[] = {
    {"", SIM_FIELD_SHARE, .initial = SHARE(100), RANGE(1, SHARE(100)), AT(sim_raw_partition_scope, share),
     .meaning = "share of each workload's partitions; a larger share takes in the smaller's partitions"},
    {"list", SIM_FIELD_NUMBERS, .record = &number_record, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX),
     AT(sim_raw_partition_scope, list), .meaning = "partitions of each workload by their number, counted from 0"},
};
static const sim_record partition_scope_record =
    RECORD("partition_scope", sim_raw_partition_scope, partition_scope_rows);

static const sim_field zone_rows[] = {
    {"number", SIM_FIELD_COUNT, REQUIRED, RANGE(1, 100), AT(sim_raw_part_of, number), .meaning = "which one"},
    {"of", SIM_FIELD_COUNT, REQUIRED, RANGE(2, 100), AT(sim_raw_part_of, of), .meaning = "zones of the region"},
    {"holds", SIM_FIELD_CHOICE, .words = "replicas|partitions", AT(sim_raw_part_of, holds),
     .meaning = "replicas: each partition has some in every zone, and each attempt is drawn one; partitions: each "
                "partition is drawn one zone for all its replicas"},
};
static const sim_record zone_record = RECORD("zone", sim_raw_part_of, zone_rows);

static const sim_field front_end_rows[] = {
    {"number", SIM_FIELD_COUNT, REQUIRED, RANGE(1, 1000), AT(sim_raw_part_of, number), .meaning = "which one"},
    {"of", SIM_FIELD_COUNT, REQUIRED, RANGE(2, 1000), AT(sim_raw_part_of, of), .meaning = "front ends of the region"},
};
static const sim_record front_end_record = RECORD("front_end", sim_raw_part_of, front_end_rows);

static const sim_field where_rows[] = {
    {"regions", SIM_FIELD_REGIONS, REQUIRED | SIM_FIELD_SET, .word = "all", RANGE(1, RGN_REGIONS_MAX),
     AT(sim_raw_where, regions),
     .meaning = "regions of the account that the fault strikes; all: whatever regions the account ever has"},
    {"from", SIM_FIELD_REGIONS, .flags = SIM_FIELD_SET, RANGE(1, RGN_REGIONS_MAX), AT(sim_raw_where, from),
     .meaning = "only what comes from there: requests of clients at home in these regions, and with replication the "
                "writes that these regions have taken"},
    {"workloads", SIM_FIELD_NAMES, .flags = SIM_FIELD_SET, RANGE(1, SIM_WORKLOADS_MAX), AT(sim_raw_where, workloads),
     .meaning = "workloads whose partitions the fault strikes; all if absent"},
    {"partitions", SIM_FIELD_ONE_OF, .initial_word = "", .record = &partition_scope_record,
     AT(sim_raw_where, partitions), .meaning = "partitions that the fault strikes"},
    {"clients", SIM_FIELD_SHARE, .initial = SHARE(100), RANGE(1, SHARE(100)), AT(sim_raw_where, clients),
     .meaning = "share of all clients; a larger share takes in the smaller's clients"},
    {"zone", SIM_FIELD_RECORD, .record = &zone_record, AT(sim_raw_where, zone),
     .meaning = "one of the zones of a single region; all faults agree what is in it"},
    {"front_end", SIM_FIELD_RECORD, .record = &front_end_record, AT(sim_raw_where, front_end),
     .meaning = "one of the front ends of a single region: a client is drawn one, and all faults agree which"},
    {"connections", SIM_FIELD_CHOICE, .words = "all|new", AT(sim_raw_where, connections),
     .meaning = "new: attempts of a client that has a connection to the region are spared"},
    {"operations", SIM_FIELD_WORDS, .initial = 3, .words = "read|write|account", AT(sim_raw_where, operations),
     .meaning = "what the fault strikes: reads, writes, the control plane (clients' readings of the account, and the "
                "service's moving of writes)"},
};
static const sim_record where_record = RECORD("where", sim_raw_where, where_rows);

static const sim_field status_rows[] = {{"", SIM_FIELD_SHARE, RANGE(1, SHARE(100)), .meaning = "share of the errors"}};
static const sim_record status_record = RECORD("status", int64_t, status_rows);

static const sim_field errors_rows[] = {
    {"statuses", SIM_FIELD_STATUSES, REQUIRED, .record = &status_record, RANGE(1, SIM_DOCUMENT_ENTRIES_MAX),
     AT(sim_raw_errors, statuses), .meaning = "mix of errors, 100 % together"},
    {"share", SIM_FIELD_ONE_OF, REQUIRED, .record = &share_record, AT(sim_raw_errors, share),
     .meaning = "share of attempts that fail"},
    {"after", SIM_FIELD_DURATION, .initial = -1, .word = "service", .word_value = -1, RANGE(0, HOURS(1)),
     AT(sim_raw_errors, after),
     .meaning = "time in the region before the error is sent; service: as long as a success"},
};
static const sim_record errors_record = RECORD("errors", sim_raw_errors, errors_rows);

static const sim_field latency_rows[] = {
    {"multiply", SIM_FIELD_ONE_OF, .flags = SIM_FIELD_AT_LEAST_ONE, .record = &factor_record,
     AT(sim_raw_latency, multiply), .meaning = "factor of the service time"},
    {"add", SIM_FIELD_ONE_OF, .flags = SIM_FIELD_AT_LEAST_ONE, .record = &time_record, AT(sim_raw_latency, add),
     .meaning = "time on top of the multiplied service time"},
    {"round_trips", SIM_FIELD_COUNT, .flags = SIM_FIELD_AT_LEAST_ONE, RANGE(0, 10), AT(sim_raw_latency, round_trips),
     .meaning = "further round trips that every attempt needs, as for a new handshake"},
};
static const sim_record latency_record = RECORD("latency", sim_raw_latency, latency_rows);

static const sim_field loss_rows[] = {
    {"share", SIM_FIELD_ONE_OF, REQUIRED, .record = &share_record, AT(sim_raw_loss, share),
     .meaning = "how often a packet is lost, at each try"},
    {"retransmit", SIM_FIELD_DURATION, .initial = MS(200), RANGE(MS(1), SECONDS(60)), AT(sim_raw_loss, retransmit),
     .meaning = "until a lost packet is sent anew; twice as long after each further loss; after ten there is no reply"},
};
static const sim_record loss_record = RECORD("loss", sim_raw_loss, loss_rows);

static const sim_field replication_effect_rows[] = {
    {"add", SIM_FIELD_ONE_OF, REQUIRED, .record = &time_record, AT(sim_raw_replication_effect, add),
     .meaning = "time on top of the lag with which the regions have others' writes, for each drawn lag's life"},
};
static const sim_record replication_effect_record =
    RECORD("replication_effect", sim_raw_replication_effect, replication_effect_rows);

static const sim_field repetition_rows[] = {
    {"", SIM_FIELD_DURATION, RANGE(1, YEAR), .meaning = "start of a repetition"}};
static const sim_record repetition_record = RECORD("repetition", int64_t, repetition_rows);

static const sim_field fault_rows[] = {
    {"from", SIM_FIELD_DURATION, RANGE(0, YEAR), AT(sim_raw_fault, from),
     .meaning = "start, counted from the start of the run; the fault's own instants count from here"},
    {"until", SIM_FIELD_DURATION, .initial = NEVER, .word = "never", .word_value = NEVER, RANGE(1, YEAR),
     AT(sim_raw_fault, until), .meaning = "end, counted from the start of the run"},
    {"again", SIM_FIELD_NUMBERS, .record = &repetition_record, RANGE(1, SIM_FAULTS_MAX - 1), AT(sim_raw_fault, again),
     .meaning = "instants of the run at which the same comes again, strikes the same and lasts as long"},
    {"where", SIM_FIELD_RECORD, REQUIRED, .record = &where_record, AT(sim_raw_fault, where),
     .meaning = "what the fault strikes"},
    {"errors", SIM_FIELD_RECORD, .flags = SIM_FIELD_AT_LEAST_ONE, .record = &errors_record, AT(sim_raw_fault, errors),
     .meaning = "attempts that fail"},
    {"latency", SIM_FIELD_RECORD, .flags = SIM_FIELD_AT_LEAST_ONE, .record = &latency_record,
     AT(sim_raw_fault, latency), .meaning = "attempts that are slow"},
    {"loss", SIM_FIELD_RECORD, .flags = SIM_FIELD_AT_LEAST_ONE, .record = &loss_record, AT(sim_raw_fault, loss),
     .meaning = "attempts that lose packets"},
    {"replication", SIM_FIELD_RECORD, .flags = SIM_FIELD_AT_LEAST_ONE, .record = &replication_effect_record,
     AT(sim_raw_fault, replication), .meaning = "writes that other regions have late"},
    {"capacity_lost", SIM_FIELD_ONE_OF, .flags = SIM_FIELD_AT_LEAST_ONE, .record = &share_record,
     AT(sim_raw_fault, capacity_lost),
     .meaning =
         "share of the region's capacity that is gone: servers are slower, throughput is less, for what arrives then"},
    {"probes", SIM_FIELD_CHOICE, .flags = SIM_FIELD_AT_LEAST_ONE, .words = "as_requests|succeed|fail",
     AT(sim_raw_fault, probes),
     .meaning = "connections that clients try for no request: refused or unanswered as often as requests are, "
                "succeed whatever requests do, or fail"},
};
const sim_record sim_fault_record = RECORD("fault", sim_raw_fault, fault_rows);
