/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A region's servers as the engine plays them, against queueing theory. Arrivals are Poisson, and nothing but a server
 * takes time, so that an operation's latency less its own drawn time is its wait.
 *
 * c servers, exponential times (Erlang C): an arrival waits with probability C, and then longer than t with probability
 * exp(-(c mu - lambda) t). One server, any times (Pollaczek and Khinchine): the mean wait is lambda E[S^2] / 2 (1 -
 * rho). Replications are independent and leave out what comes before the queue has settled; each comparison fails a
 * right program in about one of a thousand seeds. */
#include <string.h>

#include "deaf_observer.h"
#include "engine/engine.h"
#include "interval.h"

enum { REPLICATIONS = 24, SETTLED_S = 15, ORDINAL_LUCK_BITS = 34 };
#define SEED   UINT64_C(20261201)
#define MEAN_S 0.004

typedef struct {
    const char *busy; /* with mean MEAN_S */
    double square;    /* E[S^2] / E[S]^2 */
    unsigned servers;
    double rho;
    int duration_s;
    bool is_exponential;
} queueing_case;

static const queueing_case cases[] = {
    {"{exponential: {mean: 4 ms}}", 2, 1, 0.5, 80, true},
    {"{exponential: {mean: 4 ms}}", 2, 1, 0.85, 80, true},
    {"{exponential: {mean: 4 ms}}", 2, 4, 0.6, 60, true},
    {"{exponential: {mean: 4 ms}}", 2, 8, 0.9, 50, true},
    {"{exponential: {mean: 4 ms}}", 2, 30, 0.95, 30, true},
    {"{constant: 4 ms}", 1, 1, 0.5, 80, false},
    {"{constant: 4 ms}", 1, 1, 0.9, 80, false},
    {"{gamma: {mean: 4 ms, shape: 0.5}}", 3, 1, 0.7, 80, false},
    {"{mixture: [{share: 75 %, of: {constant: 2 ms}}, {share: 25 %, of: {constant: 10 ms}}]}", 1.75, 1, 0.8, 80, false},
};

static const char *const scenario_text =
    "regionsim: 1\n"
    "scenario: station\n"
    "duration: %d s\n"
    "account: {writes: multi, regions: [northcentralus, centralus]}\n"
    "network: {round_trip: azure-rtt, local: 0}\n"
    "service: {read: {constant: 0}, write: {constant: 0}}\n"
    "capacity: {northcentralus: {servers: %u, busy: {read: %s, write: {constant: 0}}}}\n"
    "clients: {chicago: {home: northcentralus, preferred: [northcentralus, centralus]}}\n"
    "workload: {shop: {rate: %s, partitions: {count: 4}, operations: {read: 100 %%}}}\n";
static const char *const policy_text = "regionsim: 1\n"
                                       "policy: alone\n"
                                       "hedging: {enabled: false}\n";

typedef struct {
    const sim_scenario *scenario;
    const sim_sampler *busy;
    sim_luck luck;
    double p99; /* of the wait in ns, by the formula */
    double wait_sum;
    unsigned count;
    unsigned longer;
    unsigned wrong;
} tally;

static void on_ended(void *context, const sim_ended *batch, size_t count)
{
    tally *self = context;
    const uint64_t base = self->scenario->workload[0].name_hash >> ORDINAL_LUCK_BITS << ORDINAL_LUCK_BITS;
    const uint64_t place = (uint64_t)self->scenario->region[0] << 32 | 1;
    for (size_t i = 0; i < count; i++) {
        if (batch[i].start < SETTLED_S * RGN_NS_PER_S)
            continue;
        const uint64_t word = sim_draw_words(&self->luck, SIM_DRAW_BUSY, base | batch[i].ordinal, place).word[0];
        const double wait = (double)(batch[i].end - batch[i].start - (int64_t)sim_sampler_draw(self->busy, word));
        self->wrong += sim_ended_status(&batch[i]) != 200 || wait < 0;
        self->wait_sum += wait;
        self->longer += wait > self->p99;
        self->count++;
    }
}

/* Probability that an arrival waits; by Erlang B, server by server. */
static double erlang_c(unsigned servers, double offered)
{
    double blocked = 1;
    for (unsigned c = 1; c <= servers; c++)
        blocked = offered * blocked / (c + offered * blocked);
    return blocked / (1 - offered / servers * (1 - blocked));
}

static void play(const sim_run_input *common, uint32_t replication, tally *self)
{
    const sim_luck luck = {.seed = SEED, .replication = replication};
    sim_observer observer = deaf_observer(self);
    observer.ended = on_ended;
    sim_run_input input = *common;
    sim_run_output output;
    const char *what;
    self->luck = input.luck = luck;
    self->busy = sim_world_busy(input.world, 0, SIM_KIND_READ);
    input.observer = &observer;
    input.world_run = sim_world_run_create(input.world, &luck);
    ck_assert_ptr_nonnull(input.world_run);
    ck_assert_msg(sim_run(&input, &output, &what) == SIM_RUN_OK, "%s", what);
    sim_run_output_deinit(&output);
    sim_world_run_destroy(input.world_run);
}

/* What a case's runs have in common. */
typedef struct {
    sim_scenario *scenario;
    sim_policy *policy;
    sim_world *world;
    rgn_effective_options options;
    sim_run_input input;
} common;

static void open_common(common *self, int duration_s, unsigned servers, const char *busy, const char *rate)
{
    char text[1024];
    sim_input_error error = {.message = ""};
    snprintf(text, sizeof text, scenario_text, duration_s, servers, busy, rate);
    self->scenario = sim_scenario_parse("scenarios/station.yaml", text, strlen(text), NULL, 0, &error);
    ck_assert_msg(self->scenario != NULL, "%d: %s", error.line, error.message);
    self->policy = sim_policy_parse("alone.yaml", policy_text, strlen(policy_text), NULL, 0, &error);
    ck_assert_msg(self->policy != NULL, "%d: %s", error.line, error.message);
    self->world = sim_world_create(self->scenario, &error);
    ck_assert_msg(self->world != NULL, "%s", error.message);
    ck_assert(sim_effective_options(self->scenario, self->policy, NULL, NULL, &self->options, &error));
    self->input = (sim_run_input){.scenario = self->scenario,
                                  .world = self->world,
                                  .router_options = &self->options,
                                  .workload_options = &self->options};
}

static void close_common(common *self)
{
    sim_world_destroy(self->world);
    sim_policy_destroy(self->policy);
    sim_scenario_destroy(self->scenario);
}

START_TEST(waits_have_the_mean_and_the_p99_of_the_formulas)
{
    const queueing_case *one = &cases[_i];
    const double lambda = one->rho * one->servers / MEAN_S;
    const double rest = (1 - one->rho) * one->servers / MEAN_S; /* c mu - lambda */
    const double waits = erlang_c(one->servers, one->rho * one->servers);
    const double expected =
        one->is_exponential ? waits / rest : lambda * one->square * MEAN_S * MEAN_S / (2 * (1 - one->rho));
    double mean[REPLICATIONS];
    double longer[REPLICATIONS];
    char rate[32];
    common all;
    snprintf(rate, sizeof rate, "%.3f /s", lambda);
    open_common(&all, one->duration_s, one->servers, one->busy, rate);
    for (uint32_t r = 0; r < REPLICATIONS; r++) {
        tally self = {.scenario = all.scenario, .p99 = log(waits / 0.01) / rest * RGN_NS_PER_S};
        play(&all.input, r, &self);
        ck_assert_uint_eq(self.wrong, 0);
        mean[r] = self.wait_sum / self.count / RGN_NS_PER_S;
        longer[r] = (double)self.longer / self.count;
    }
    char what[160];
    snprintf(what, sizeof what, "mean wait in s, %u servers busy for %s, rho %.2f", one->servers, one->busy, one->rho);
    expect_mean(what, mean, REPLICATIONS, expected);
    if (one->is_exponential) {
        snprintf(what, sizeof what, "waits beyond the p99, %u servers, rho %.2f", one->servers, one->rho);
        expect_mean(what, longer, REPLICATIONS, 0.01);
    }
    close_common(&all);
}
END_TEST

START_TEST(a_closed_loop_makes_as_many_operations_as_balance_allows)
{
    enum { USERS = 12, SERVERS = 2, RUN_S = 60 };
    static const double think_s = 0.02;
    double weight = 1; /* of n users at the servers, relative to none */
    double weights = 1;
    double busy = 0;
    for (int n = 1; n <= USERS; n++) {
        const int served = n < SERVERS ? n : SERVERS;
        weight *= (USERS - n + 1) / think_s / (served / MEAN_S);
        weights += weight;
        busy += weight * served;
    }
    double rate[REPLICATIONS];
    common all;
    open_common(&all, RUN_S, SERVERS, "{exponential: {mean: 4 ms}}",
                "{closed_loop: {users: 12, think: {exponential: {mean: 20 ms}}}}");
    for (uint32_t r = 0; r < REPLICATIONS; r++) {
        tally self = {.scenario = all.scenario, .p99 = HUGE_VAL};
        play(&all.input, r, &self);
        ck_assert_uint_eq(self.wrong, 0);
        rate[r] = (double)self.count / (RUN_S - SETTLED_S);
    }
    expect_mean("operations a second in a closed loop", rate, REPLICATIONS, busy / weights / MEAN_S);
    close_common(&all);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queueing");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, waits_have_the_mean_and_the_p99_of_the_formulas, 0, sizeof cases / sizeof *cases);
    tcase_add_test(all, a_closed_loop_makes_as_many_operations_as_balance_allows);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
