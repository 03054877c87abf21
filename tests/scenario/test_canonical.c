/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a file is written does not matter, what it says does; and the committed JSON Schema is the table's. */
#include <inttypes.h>
#include <stdio.h>

#include "files.h"

enum { BLOCKS_MAX = 32, TEXT_SIZE = 8192 };

static const char *const plain =
    "regionsim: 1\n"
    "scenario: one\n"
    "duration: 90 min\n"
    "account: {writes: multi, regions: [northcentralus, centralus, westus]}\n"
    "network: {round_trip: azure-rtt, local: 1 ms, jitter: none}\n"
    "service: {read: {constant: 2 ms}, write: {gamma: {mean: 5 ms, shape: 2.5}}}\n"
    "clients:\n"
    "  chicago: {home: northcentralus, count: 2, preferred: [northcentralus, westus], excluded: [centralus, westus]}\n"
    "  seattle: {home: westus, preferred: [westus]}\n"
    "workload:\n"
    "  audit: {rate: 1 /s, partitions: {count: 9, pick: {hot: {2: 10 %, 7: 20 %}}}, operations: {write: 100 %}}\n"
    "  shop: {rate: 60 /s, clients: [chicago, seattle], partitions: {count: 4}, operations: {read: 0.5, write: 0.5}}\n"
    "faults:\n"
    "  down: {where: {regions: [westus, centralus]}, errors: {statuses: {503: 25 %, 410: 75 %}, share: 100 %}}\n"
    "  slow: {from: 1 min, where: {regions: [westus]}, latency: {multiply: 3}}\n"
    "expect: [{metric: flap_count, at_most: 8, because: I say so}]\n"
    "healthy_when: {errors: 10 %}\n"
    "environment: {AZURE_COSMOS_PPCB_ENABLED: true, AZURE_COSMOS_PPCB_RULE: share}\n";

/* Says the same in another order, with other spellings, with defaults written out or left out. */
static const char *const other =
    "regionsim: 1\n"
    "environment: {AZURE_COSMOS_PPCB_RULE: 'share', AZURE_COSMOS_PPCB_ENABLED: \"true\"}\n"
    "faults:\n"
    "  slow: {latency: {multiply: 3.0}, where: {operations: [write, read], regions: [West US]}, from: 60 s}\n"
    "  down:\n"
    "    from: 0\n"
    "    errors: {share: 1, statuses: {410/0: 0.75, 503: 0.25}}\n"
    "    where: {partitions: 100 %, regions: [centralus, westus]}\n"
    "workload:\n"
    "  shop:\n"
    "    operations: {write: 50 %, read: 50 %}\n"
    "    partitions: {pick: uniform, count: 4}\n"
    "    arrivals: poisson\n"
    "    rate: 3600 /min\n"
    "    deadline: never\n"
    "  audit: {operations: {write: 1}, partitions: {pick: {hot: {7: 0.2, 2: 0.1}}, count: 9}, rate: 1 /s}\n"
    "clients:\n"
    "  seattle: {preferred: [West US], count: 1, home: West US}\n"
    "  chicago: {excluded: [westus, centralus], preferred: [northcentralus, westus], count: 2, home: northcentralus}\n"
    "service: {write: {gamma: {shape: 2.50, mean: 0.005 s}}, read: {constant: 2000 us}}\n"
    "network: {round_trip: azure-rtt}\n"
    "account: {regions: [North Central US, Central US, West US], automatic_failover: false, writes: multi}\n"
    "record: {transitions: all}\n"
    "fleet: {start_spread: 5 min}\n"
    "flap_window: 600 s\n"
    "about: Another name and another reason change no result.\n"
    "expect: [{because: of this, metric: flap_count, at_most: 8.0}]\n"
    "duration: 1.5 h\n"
    "scenario: two\n";

static void check_same_workload(const sim_workload *a, const sim_workload *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert_int_eq(a->rate_mhz, b->rate_mhz);
    ck_assert_uint_eq(a->first_partition, b->first_partition);
    ck_assert_uint_eq(a->group_count, b->group_count);
    ck_assert_mem_eq(a->groups, b->groups, a->group_count * sizeof *a->groups);
    ck_assert_int_eq(a->partition_weight == NULL, b->partition_weight == NULL);
    if (a->partition_weight != NULL)
        ck_assert_mem_eq(a->partition_weight, b->partition_weight, a->partition_count * sizeof *a->partition_weight);
    ck_assert_mem_eq(a->kind_share, b->kind_share, sizeof a->kind_share);
    ck_assert_mem_eq(a->form_share, b->form_share, sizeof a->form_share);
}

static void check_same_fault(const sim_fault *a, const sim_fault *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert_int_eq(a->from, b->from);
    ck_assert_uint_eq(a->regions, b->regions);
    ck_assert_uint_eq(a->kinds, b->kinds);
    ck_assert_uint_eq(a->error_count, b->error_count);
    for (uint32_t i = 0; i < a->error_count; i++) {
        ck_assert_uint_eq(a->error[i].status, b->error[i].status);
        ck_assert_uint_eq(a->error[i].share, b->error[i].share);
    }
    ck_assert_uint_eq(a->latency_multiply.count, b->latency_multiply.count);
}

static void check_same(const sim_scenario *a, const sim_scenario *b)
{
    ck_assert_str_eq(a->canonical, b->canonical);
    ck_assert_uint_eq(a->group_count, b->group_count);
    for (uint32_t i = 0; i < a->group_count; i++) {
        ck_assert_str_eq(a->group[i].name, b->group[i].name);
        ck_assert_uint_eq(a->group[i].first_client, b->group[i].first_client);
        ck_assert_uint_eq(a->group[i].excluded, b->group[i].excluded);
    }
    ck_assert_uint_eq(a->workload_count, b->workload_count);
    for (uint32_t i = 0; i < a->workload_count; i++)
        check_same_workload(&a->workload[i], &b->workload[i]);
    ck_assert_uint_eq(a->fault_count, b->fault_count);
    for (uint32_t i = 0; i < a->fault_count; i++)
        check_same_fault(&a->fault[i], &b->fault[i]);
    ck_assert_str_eq(a->environment[0].variable, b->environment[0].variable);
}

START_TEST(two_ways_of_saying_the_same_are_the_same)
{
    sim_scenario *a = parse_or_fail(plain, NULL, 0);
    sim_scenario *b = parse_or_fail(other, NULL, 0);
    check_same(a, b);
    sim_scenario_destroy(a);
    sim_scenario_destroy(b);
}
END_TEST

/* xorshift64*, Vigna 2016. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

START_TEST(the_order_of_keys_changes_nothing)
{
    uint64_t state = 7;
    printf("seed %" PRIu64 "\n", state);
    sim_scenario *flagship = load_or_fail(FLAGSHIP);
    const char *block[BLOCKS_MAX];
    int length[BLOCKS_MAX];
    int count = 0;
    const char *first = strstr(flagship->text, "\nregionsim: 1\n") + strlen("\nregionsim: 1\n");
    /* A block is a key of the outermost mapping with all that belongs to it. */
    for (const char *c = first; *c != '\0'; c = strchr(c, '\n') + 1) {
        if (*c >= 'a' && *c <= 'z') {
            ck_assert_int_lt(count, BLOCKS_MAX);
            block[count++] = c;
        }
        length[count - 1] = (int)(strchr(c, '\n') + 1 - block[count - 1]);
    }
    ck_assert_int_gt(count, 10);
    for (int round = 0; round < 50; round++) {
        char text[TEXT_SIZE] = "regionsim: 1\n";
        for (int i = count - 1; i > 0; i--) {
            const int j = (int)(next_random(&state) >> 33) % (i + 1);
            const char *const block_i = block[i];
            const int length_i = length[i];
            block[i] = block[j];
            length[i] = length[j];
            block[j] = block_i;
            length[j] = length_i;
        }
        for (int i = 0; i < count; i++)
            strncat(text, block[i], (size_t)length[i]);
        sim_scenario *shuffled = parse_or_fail(text, NULL, 0);
        ck_assert_str_eq(shuffled->canonical, flagship->canonical);
        sim_scenario_destroy(shuffled);
    }
    sim_scenario_destroy(flagship);
}
END_TEST

START_TEST(every_value_that_counts_shows)
{
    static const sim_setting settings[] = {
        {"scenario.duration", "91 min"},
        {"scenario.account.writes", "single"},
        {"scenario.account.automatic_failover", "true"},
        {"scenario.account.regions", "[centralus, northcentralus, westus]"},
        {"scenario.network.round_trip", "aws-rtt"},
        {"scenario.network.local", "2 ms"},
        {"scenario.network.jitter", "{lognormal: {sigma: 0.2}}"},
        {"scenario.service.read", "{exponential: {mean: 2 ms}}"},
        {"scenario.service.write.gamma.shape", "2.6"},
        {"scenario.capacity", "{westus: {servers: 2, busy: {read: {constant: 1 ms}, write: {constant: 1 ms}}}}"},
        {"scenario.clients.chicago.concurrency", "3"},
        {"scenario.clients.chicago.tries_again", "{count: 2, delay: 1 s}"},
        {"scenario.workload.shop.rate", "{closed_loop: {users: 3, think: {constant: 1 s}}}"},
        {"scenario.workload.shop.rate", "{repeat: {step: {0: 60 /s}}}"},
        {"scenario.workload.shop.rate", "{sinusoid: {mean: 60 /s, swing: 10 %}}"},
        {"scenario.clients.chicago.home", "eastus"},
        {"scenario.clients.chicago.count", "3"},
        {"scenario.clients.chicago.preferred", "[westus, northcentralus]"},
        {"scenario.clients.chicago.excluded", "[westus]"},
        {"scenario.fleet.start_spread", "0"},
        {"scenario.workload.shop.rate", "61 /s"},
        {"scenario.workload.shop.arrivals", "constant"},
        {"scenario.workload.shop.clients", "[chicago]"},
        {"scenario.workload.shop.partitions.count", "5"},
        {"scenario.workload.audit.partitions.pick.hot", "{2: 11 %}"},
        {"scenario.workload.shop.operations", "{read: 100 %}"},
        {"scenario.workload.shop.deadline", "1 s"},
        {"scenario.workload.shop.options.retry.request_timeout", "6 s"},
        {"scenario.faults.slow.from", "2 min"},
        {"scenario.faults.slow.until", "2 min"},
        {"scenario.faults.slow.where.regions", "[centralus]"},
        {"scenario.faults.slow.where.partitions", "50 %"},
        {"scenario.faults.slow.where.operations", "[read]"},
        {"scenario.faults.slow.where.regions", "all"},
        {"scenario.faults.slow.where.from", "[westus]"},
        {"scenario.faults.slow.where.workloads", "[shop]"},
        {"scenario.faults.slow.where.zone", "{number: 1, of: 3}"},
        {"scenario.faults.slow.where.front_end", "{number: 1, of: 3}"},
        {"scenario.faults.slow.loss.share", "3 %"},
        {"scenario.faults.slow.latency.multiply", "{ramp: {0: 3}}"},
        {"scenario.faults.slow.latency.multiply", "{markov: {high: 3, mean_high: 1 min, mean_low: 2 min}}"},
        {"scenario.faults.down.errors.statuses", "{503: 100 %}"},
        {"scenario.faults.down.errors.share.step.1 min", "3 %"},
        {"scenario.faults.down.errors.after", "0"},
        {"scenario.phases", "{early: 0, late: 30 min}"},
        {"scenario.healthy_when.errors", "11 %"},
        {"scenario.healthy_when.latency", "2.1"},
        {"scenario.objectives", "[flap_count]"},
        {"scenario.expect", "[{metric: flap_count, at_most: 9}]"},
        {"scenario.environment.AZURE_COSMOS_PPCB_RULE", "windowed"},
        {"scenario.flap_window", "11 min"},
        {"scenario.interval", "31 s"},
        {"scenario.record.transitions", "1 per partition"},
    };
    sim_scenario *before = parse_or_fail(plain, NULL, 0);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        sim_scenario *after = parse_or_fail(plain, &settings[i], 1);
        ck_assert_msg(strcmp(before->canonical, after->canonical) != 0, "%s", settings[i].key);
        sim_scenario_destroy(after);
    }
    sim_scenario_destroy(before);
}
END_TEST

START_TEST(the_canonical_text_is_sorted_lines_in_plain_units)
{
    sim_scenario *s = parse_or_fail(plain, NULL, 0);
    ck_assert_ptr_nonnull(strstr(s->canonical, "\nduration = 5400000000000\n"));
    ck_assert_ptr_nonnull(strstr(s->canonical, "\nfaults.down.errors.statuses.410/0 = 750000000\n"));
    ck_assert_ptr_nonnull(strstr(s->canonical, "\nclients.chicago.excluded = centralus, westus\n"));
    ck_assert_ptr_nonnull(strstr(s->canonical, "\nworkload.audit.clients = chicago, seattle\n"));
    ck_assert_ptr_nonnull(strstr(s->canonical, "\nworkload.shop.deadline = never\n"));
    ck_assert_ptr_null(strstr(s->canonical, "I say so"));
    for (const char *line = s->canonical, *next; (next = strchr(line, '\n') + 1)[0] != '\0'; line = next)
        ck_assert_int_lt(strncmp(line, next, (size_t)(next - line)), 0);
    sim_scenario_destroy(s);
}
END_TEST

START_TEST(the_committed_json_schema_is_the_tables)
{
    char *written;
    size_t size;
    FILE *stream = open_memstream(&written, &size);
    sim_schema_write(stream);
    fclose(stream);
    FILE *file = fopen(SOURCE_ROOT "/scenarios/scenario.schema.json", "rb");
    ck_assert_msg(file != NULL, "run from the project's root, or define SOURCE_ROOT");
    char *committed = calloc(1, size + 1);
    const size_t length = fread(committed, 1, size + 1, file);
    fclose(file);
    ck_assert_msg(length == size && memcmp(committed, written, size) == 0,
                  "out of date: regionsim schema > scenarios/scenario.schema.json");
    free(committed);
    free(written);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("canonical");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, two_ways_of_saying_the_same_are_the_same);
    tcase_add_test(tests, the_order_of_keys_changes_nothing);
    tcase_add_test(tests, every_value_that_counts_shows);
    tcase_add_test(tests, the_canonical_text_is_sorted_lines_in_plain_units);
    tcase_add_test(tests, the_committed_json_schema_is_the_tables);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
