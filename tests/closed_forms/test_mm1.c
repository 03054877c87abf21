/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event queue, random draws and samplers alone: one server, Poisson arrivals, exponential service. The waiting time's
 * mean is rho / (mu - lambda), and it is longer than t with probability rho * exp(-(mu - lambda) t), which gives the
 * p99. Replications are independent, and each begins in the steady state, so that no mean is biased; each comparison
 * fails a right program in about one of a thousand seeds. */
#include "engine/queue.h"
#include "engine/random.h"
#include "engine/sampler.h"
#include "interval.h"

enum { REPLICATIONS = 40, CUSTOMERS = 40000, SERVICE_NS = 1000000 };
#define SEED UINT64_C(20261132)

enum { EVENT_ARRIVAL = SIM_CLASS_ARRIVAL, EVENT_DEPARTURE = SIM_CLASS_LEG_RESULT };
enum { DRAW_GAP = 100, DRAW_SERVICE = 101, DRAW_START = 102 }; /* purposes of this test's own */

static const double utilisation[] = {0.3, 0.6, 0.85};

typedef struct {
    sim_luck luck;
    const sim_sampler *gap;
    const sim_sampler *service;
    sim_queue queue;
    uint64_t arrived;
    uint64_t begun; /* services */
    bool is_busy;
    uint64_t arrival[CUSTOMERS + 1]; /* times of customers that wait or have waited */
    double wait_sum;
    double p99;      /* by the formula */
    unsigned longer; /* waits beyond it */
} station;

static uint64_t draw(const station *self, const sim_sampler *sampler, int purpose, uint64_t n)
{
    return sim_sampler_draw(sampler, sim_draw_words(&self->luck, (sim_draw)purpose, n, 0).word[0]);
}

static void push(station *self, int class_, uint64_t at)
{
    sim_queue_push(&self->queue, (sim_event){at, sim_event_key((sim_class)class_, 0, 0, 0)});
}

static void begin_service(station *self, uint64_t now)
{
    const uint64_t n = self->begun++;
    const double wait = (double)(now - self->arrival[n]);
    self->wait_sum += wait;
    self->longer += wait > self->p99;
    self->is_busy = true;
    push(self, EVENT_DEPARTURE, now + draw(self, self->service, DRAW_SERVICE, n));
}

static void on_arrival(station *self, uint64_t now)
{
    const uint64_t n = self->arrived++;
    self->arrival[n] = now;
    if (self->arrived < CUSTOMERS)
        push(self, EVENT_ARRIVAL, now + draw(self, self->gap, DRAW_GAP, n));
    if (!self->is_busy)
        begin_service(self, now);
}

static void on_departure(station *self, uint64_t now)
{
    self->is_busy = false;
    if (self->begun < self->arrived)
        begin_service(self, now);
}

/* The first customer finds the server busy with probability rho, and then for an exponential time with rate mu -
 * lambda. */
static void start(station *self, double rho)
{
    const sim_words words = sim_draw_words(&self->luck, (sim_draw)DRAW_START, 0, 0);
    if ((double)words.word[0] / 0x1p64 < rho) {
        self->is_busy = true;
        push(self, EVENT_DEPARTURE, (uint64_t)((double)sim_sampler_draw(self->service, words.word[1]) / (1 - rho)));
    }
    push(self, EVENT_ARRIVAL, 0);
}

static void play(station *self)
{
    while (self->queue.count > 0) {
        const sim_event event = sim_queue_pop(&self->queue);
        if ((int)sim_event_class(event.key) == EVENT_ARRIVAL)
            on_arrival(self, event.time);
        else
            on_departure(self, event.time);
    }
}

START_TEST(waiting_has_the_mean_and_the_p99_of_the_formulas)
{
    static sim_sampler gap;
    static sim_sampler service;
    static station self;
    const double rho = utilisation[_i];
    const double rest = (1 - rho) / SERVICE_NS; /* mu - lambda */
    const double p99 = log(rho / 0.01) / rest;
    double mean[REPLICATIONS];
    double longer[REPLICATIONS];
    sim_sampler_build(&gap, &(sim_dist){.type = SIM_DIST_EXPONENTIAL, .a = (int64_t)(SERVICE_NS / rho + 0.5)});
    sim_sampler_build(&service, &(sim_dist){.type = SIM_DIST_EXPONENTIAL, .a = SERVICE_NS});
    for (uint32_t r = 0; r < REPLICATIONS; r++) {
        self = (station){.luck = {SEED, r}, .gap = &gap, .service = &service, .p99 = p99};
        ck_assert(sim_queue_reserve(&self.queue, 8));
        start(&self, rho);
        play(&self);
        ck_assert_uint_eq(self.begun, CUSTOMERS);
        mean[r] = self.wait_sum / CUSTOMERS;
        longer[r] = (double)self.longer / CUSTOMERS;
        sim_queue_deinit(&self.queue);
    }
    char what[64];
    snprintf(what, sizeof what, "mean wait in ns at rho = %.2f", rho);
    expect_mean(what, mean, REPLICATIONS, rho / rest);
    snprintf(what, sizeof what, "waits longer than the p99 of %.0f ns at rho = %.2f", p99, rho);
    expect_mean(what, longer, REPLICATIONS, 0.01);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mm1");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, waiting_has_the_mean_and_the_p99_of_the_formulas, 0,
                        sizeof utilisation / sizeof *utilisation);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
