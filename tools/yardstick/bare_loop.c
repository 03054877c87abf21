/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The yardstick of tools/bench: how fast can a loop of this kind go on this machine at all?
 *
 * Open-loop requests at 10,000/s over 1,000 partitions and 3 regions, leg latency lognormal (median 5 ms, sigma 0.8), a
 * second leg after 18.64 ms, 1e-4 failures, a toy breaker, one histogram. No policy core, no scenario, no database. It
 * shares the simulator's draws and tables and uses every trick that applies to so simple a model: arrivals drawn ahead
 * in blocks, one pending event a request packed in 8 bytes, a bucket wheel instead of a heap.
 *
 *   bare_loop REQUESTS SCENARIO     SCENARIO: healthy | hedge-storm (home region 4 times slower)
 *                                           | failover-storm (home region fails 2.1 s of every 4.3 s) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/random.h"
#include "engine/sampler.h"
#include "metrics/histogram.h"

enum {
    REGIONS = 3,
    PARTITIONS = 1000,
    LEGS_MOST = 3,
    BREAKER_FAILURES = 5,
    BREAKER_SUCCESSES = 3,
    BLOCK = 256,
    SLOT_BITS = 18,
    KIND_BITS = 2,
    TIME_SHIFT = SLOT_BITS + KIND_BITS,
    BUCKET_BITS = 12,
    BUCKETS = 1 << BUCKET_BITS,
    BUCKET_KEYS = 62,
    FRONT_MOST = 1 << 14,
};
#define COOL_DOWN_NS   UINT64_C(1000000000)
#define HEDGE_AFTER_NS UINT64_C(18640205)
#define FAILURE_WORD   (UINT64_MAX / 10000)
#define OUTAGE_BIT     (UINT64_C(1) << 31) /* of the clock: set for 2.1 s of every 4.3 s */
#define NEVER          UINT64_MAX

typedef enum { PRIMARY = 0, TIMER = 1, SECONDARY = 2 } kind;

typedef struct {
    uint64_t start;
    uint64_t primary_end;
    uint64_t secondary_end;
    uint32_t id;
    uint16_t partition;
    uint8_t primary;   /* region */
    uint8_t secondary; /* region */
    uint8_t failed;    /* bit 0 primary, bit 1 secondary */
    uint8_t legs;
} request;

typedef struct {
    uint64_t open_until;
    uint8_t failures[REGIONS];
    uint8_t home;
    uint8_t open; /* bit per region */
    uint8_t successes;
} breaker;

typedef struct {
    uint64_t key[BUCKET_KEYS];
    uint64_t count;
} bucket;

/* Events in time order: the bucket in hand lies sorted in `front`; what is further ahead than the wheel turns waits in
 * `far`, unsorted and small. */
typedef struct {
    bucket *wheel;
    uint64_t occupied[BUCKETS / 64];
    uint64_t current; /* bucket number in hand */
    uint32_t width_shift;
    uint32_t in_wheel;
    uint32_t front_first;
    uint32_t front_end;
    uint32_t far_count;
    uint64_t front[FRONT_MOST];
    uint64_t far[FRONT_MOST];
} wheel;

typedef struct {
    wheel events;
    sim_luck luck;
    bool is_storm_slow;
    bool is_storm_failing;
    sim_sampler gap;
    sim_sampler latency;
    breaker partition[PARTITIONS];
    request slot[1 << SLOT_BITS];
    uint32_t free_slot[1 << SLOT_BITS];
    uint32_t free_count;
    uint32_t slots_used;
    uint64_t block_gap[BLOCK];
    uint64_t block_pick[BLOCK];
    uint64_t block_latency[BLOCK];
    uint64_t block_outcome[BLOCK];
    sim_histogram histogram[REGIONS];
    uint64_t legs;
    uint64_t hedges;
    uint64_t retries;
    uint64_t errors;
} loop;

static void front_insert(wheel *self, uint64_t key)
{
    uint32_t i = self->front_end++;
    for (; i > self->front_first && key < self->front[i - 1]; i--)
        self->front[i] = self->front[i - 1];
    self->front[i] = key;
}

static inline void wheel_push(wheel *self, uint64_t key)
{
    const uint64_t number = key >> (TIME_SHIFT + self->width_shift);
    bucket *target = &self->wheel[number & (BUCKETS - 1)];
    if (number <= self->current) {
        front_insert(self, key);
    } else if (__builtin_expect(number - self->current >= BUCKETS || target->count == BUCKET_KEYS, 0)) {
        if (self->far_count == FRONT_MOST)
            abort();
        self->far[self->far_count++] = key;
    } else {
        target->key[target->count++] = key;
        self->occupied[(number & (BUCKETS - 1)) >> 6] |= UINT64_C(1) << (number & 63);
        self->in_wheel++;
    }
}

static uint64_t next_occupied(const wheel *self)
{
    if (self->in_wheel == 0)
        return NEVER;
    const uint32_t start = (uint32_t)(self->current + 1) & (BUCKETS - 1);
    uint32_t word = start >> 6;
    uint64_t bits = self->occupied[word] & (~UINT64_C(0) << (start & 63));
    while (bits == 0) {
        word = (word + 1) & (BUCKETS / 64 - 1);
        bits = self->occupied[word];
    }
    const uint32_t found = word << 6 | (uint32_t)__builtin_ctzll(bits);
    return self->current + 1 + ((found - start) & (BUCKETS - 1));
}

static bool wheel_refill(wheel *self)
{
    self->front_first = self->front_end = 0;
    uint64_t number = next_occupied(self);
    for (uint32_t i = 0; i < self->far_count; i++) {
        const uint64_t far = self->far[i] >> (TIME_SHIFT + self->width_shift);
        number = far < number ? far : number;
    }
    if (number == NEVER)
        return false;
    self->current = number;
    for (uint32_t i = 0; i < self->far_count;) {
        if (self->far[i] >> (TIME_SHIFT + self->width_shift) == number) {
            front_insert(self, self->far[i]);
            self->far[i] = self->far[--self->far_count];
        } else {
            i++;
        }
    }
    bucket *source = &self->wheel[number & (BUCKETS - 1)];
    for (uint64_t i = 0; i < source->count; i++)
        front_insert(self, source->key[i]);
    self->in_wheel -= (uint32_t)source->count;
    source->count = 0;
    self->occupied[(number & (BUCKETS - 1)) >> 6] &= ~(UINT64_C(1) << (number & 63));
    return true;
}

static inline uint64_t wheel_next(wheel *self)
{
    if (self->front_first == self->front_end && !wheel_refill(self))
        return NEVER;
    return self->front[self->front_first];
}

static inline uint32_t after(uint32_t region)
{
    return region == REGIONS - 1 ? 0 : region + 1;
}

static inline uint32_t choose(const breaker *self, uint64_t now)
{
    uint32_t region = self->home;
    if (__builtin_expect(self->open != 0, 0) && (self->open >> region & 1) && now < self->open_until) {
        do
            region = after(region);
        while ((self->open >> region & 1) && region != self->home);
    }
    return region;
}

static inline uint32_t choose_other(const breaker *self, uint32_t region)
{
    const uint32_t other = after(region);
    return self->open >> other & 1 ? after(other) : other;
}

static inline void note_success(breaker *self, uint32_t region)
{
    self->failures[region] = 0;
    if (__builtin_expect(self->open >> region & 1, 0) && ++self->successes >= BREAKER_SUCCESSES) {
        self->open &= (uint8_t) ~(1u << region);
        self->successes = 0;
    }
}

static inline void note_failure(breaker *self, uint32_t region, uint64_t now)
{
    if (self->failures[region] < UINT8_MAX)
        self->failures[region]++;
    if (self->failures[region] >= BREAKER_FAILURES) {
        self->open |= (uint8_t)(1u << region);
        self->open_until = now + COOL_DOWN_NS;
        self->successes = 0;
    }
}

/* Latency and outcome of a leg that starts now, from its two drawn values. */
static inline uint64_t settle(loop *self, uint32_t region, uint64_t now, uint64_t latency, uint64_t outcome,
                              bool *has_failed)
{
    self->legs++;
    *has_failed = outcome < FAILURE_WORD;
    if (self->is_storm_slow && region == 0)
        latency *= 4;
    if (__builtin_expect(self->is_storm_failing && region == 0 && (now & OUTAGE_BIT), 0)) {
        *has_failed = true;
        latency /= 4;
    }
    return latency + 1;
}

static inline uint64_t draw_leg(loop *self, uint32_t id, uint32_t visit, uint32_t region, uint64_t now,
                                bool *has_failed)
{
    const sim_words words = sim_draw_words(&self->luck, SIM_DRAW_LEG, id, visit);
    return settle(self, region, now, sim_sampler_draw(&self->latency, words.word[0]), words.word[1], has_failed);
}

static __attribute__((noinline)) void draw_block(loop *self, uint64_t first)
{
    for (uint32_t i = 0; i < BLOCK; i++) {
        const sim_words gap = sim_draw_words(&self->luck, SIM_DRAW_GAP, first + i, 0);
        self->block_gap[i] = sim_sampler_draw(&self->gap, gap.word[0]) + 1;
        self->block_pick[i] = sim_draw_words(&self->luck, SIM_DRAW_REQUEST, first + i, 0).word[0];
        const sim_words leg = sim_draw_words(&self->luck, SIM_DRAW_LEG, first + i, 0);
        self->block_latency[i] = sim_sampler_draw(&self->latency, leg.word[0]);
        self->block_outcome[i] = leg.word[1];
    }
}

static inline void queue(loop *self, uint64_t at, uint32_t slot, kind what)
{
    wheel_push(&self->events, at << TIME_SHIFT | (uint64_t)slot << KIND_BITS | (uint64_t)what);
}

static inline void start_request(loop *self, uint32_t id, uint64_t now)
{
    const uint32_t i = id & (BLOCK - 1);
    const uint32_t slot = self->free_count > 0 ? self->free_slot[--self->free_count] : self->slots_used++;
    const uint32_t partition = (uint32_t)(((self->block_pick[i] >> 32) * PARTITIONS) >> 32);
    const uint32_t region = choose(&self->partition[partition], now);
    bool has_failed;
    const uint64_t latency = settle(self, region, now, self->block_latency[i], self->block_outcome[i], &has_failed);
    self->slot[slot] = (request){.start = now,
                                 .primary_end = now + latency,
                                 .secondary_end = NEVER,
                                 .id = id,
                                 .partition = (uint16_t)partition,
                                 .primary = (uint8_t)region,
                                 .failed = has_failed,
                                 .legs = 1};
    if (latency <= HEDGE_AFTER_NS)
        queue(self, now + latency, slot, PRIMARY);
    else
        queue(self, now + HEDGE_AFTER_NS, slot, TIMER);
}

static inline void hedge(loop *self, uint32_t slot, uint64_t now)
{
    request *self_request = &self->slot[slot];
    bool has_failed;
    self->hedges++;
    const uint32_t region = choose_other(&self->partition[self_request->partition], self_request->primary);
    const uint64_t latency = draw_leg(self, self_request->id, 1, region, now, &has_failed);
    self_request->secondary = (uint8_t)region;
    self_request->secondary_end = now + latency;
    self_request->legs = 2;
    self_request->failed |= (uint8_t)(has_failed << 1);
    if (self_request->primary_end <= self_request->secondary_end)
        queue(self, self_request->primary_end, slot, PRIMARY);
    else
        queue(self, self_request->secondary_end, slot, SECONDARY);
}

/* A leg has failed: the other one decides if it is still running, else the request is retried. Returns whether the
 * request goes on. */
static bool go_on(loop *self, uint32_t slot, kind what, uint32_t region, uint64_t now)
{
    request *self_request = &self->slot[slot];
    const uint64_t other = what == PRIMARY ? self_request->secondary_end : self_request->primary_end;
    if (what == PRIMARY)
        self_request->primary_end = NEVER;
    else
        self_request->secondary_end = NEVER;
    if (other != NEVER) {
        queue(self, other, slot, what == PRIMARY ? SECONDARY : PRIMARY);
        return true;
    }
    if (self_request->legs >= LEGS_MOST) {
        self->errors++;
        return false;
    }
    bool has_failed;
    self->retries++;
    const uint32_t next = choose_other(&self->partition[self_request->partition], region);
    const uint64_t latency = draw_leg(self, self_request->id, self_request->legs, next, now, &has_failed);
    self_request->legs++;
    self_request->primary = (uint8_t)next;
    self_request->primary_end = now + latency;
    self_request->failed = has_failed;
    queue(self, now + latency, slot, PRIMARY);
    return true;
}

static inline void end_leg(loop *self, uint32_t slot, kind what, uint64_t now)
{
    const request *self_request = &self->slot[slot];
    breaker *partition = &self->partition[self_request->partition];
    const uint32_t region = what == PRIMARY ? self_request->primary : self_request->secondary;
    if (__builtin_expect(self_request->failed >> (what == SECONDARY) & 1, 0)) {
        note_failure(partition, region, now);
        if (go_on(self, slot, what, region, now))
            return;
    } else {
        note_success(partition, region);
        self->histogram[region].count[sim_histogram_bucket(now - self_request->start)]++;
    }
    self->free_slot[self->free_count++] = slot;
}

static void run(loop *self, uint64_t requests)
{
    uint64_t started = 0;
    uint64_t arrival = 0;
    for (;;) {
        const uint64_t next = wheel_next(&self->events);
        if (started < requests && (next == NEVER || arrival <= next >> TIME_SHIFT)) {
            if ((started & (BLOCK - 1)) == 0)
                draw_block(self, started);
            start_request(self, (uint32_t)started, arrival);
            arrival += self->block_gap[started & (BLOCK - 1)];
            started++;
            continue;
        }
        if (next == NEVER)
            return;
        self->events.front_first++;
        const uint32_t slot = (uint32_t)(next >> KIND_BITS) & ((1u << SLOT_BITS) - 1);
        const kind what = (kind)(next & ((1u << KIND_BITS) - 1));
        if (what == TIMER)
            hedge(self, slot, next >> TIME_SHIFT);
        else
            end_leg(self, slot, what, next >> TIME_SHIFT);
    }
}

static void set_up(loop *self, const char *scenario)
{
    self->luck.seed = 1;
    self->is_storm_slow = strcmp(scenario, "hedge-storm") == 0;
    self->is_storm_failing = strcmp(scenario, "failover-storm") == 0;
    sim_sampler_build(&self->gap, &(sim_dist){.type = SIM_DIST_EXPONENTIAL, .a = 100000});
    sim_sampler_build(&self->latency, &(sim_dist){.type = SIM_DIST_LOGNORMAL, .a = 5000000, .b = 800000});
    self->events.width_shift = 16; /* about half a gap */
    for (uint32_t p = 0; p < PARTITIONS; p++)
        self->partition[p].home = self->is_storm_slow || self->is_storm_failing ? 0 : (uint8_t)(p % REGIONS);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: bare_loop REQUESTS healthy|hedge-storm|failover-storm\n", stderr);
        return 2;
    }
    const uint64_t requests = strtoull(argv[1], NULL, 10);
    loop *self = calloc(1, sizeof *self);
    bucket *buckets = aligned_alloc(64, sizeof *buckets * BUCKETS);
    if (self == NULL || buckets == NULL)
        return 3;
    memset(buckets, 0, sizeof *buckets * BUCKETS);
    self->events.wheel = buckets;
    set_up(self, argv[2]);
    const clock_t before = clock();
    run(self, requests);
    const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    printf("{\"requests\": %llu, \"cpu_seconds\": %.6f, \"legs\": %llu, \"hedges\": %llu, \"retries\": %llu, "
           "\"errors\": %llu}\n",
           (unsigned long long)requests, seconds, (unsigned long long)self->legs, (unsigned long long)self->hedges,
           (unsigned long long)self->retries, (unsigned long long)self->errors);
    free(buckets);
    free(self);
    return 0;
}
