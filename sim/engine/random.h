/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Randomness as a function: every draw is Threefry2x64-13 of (seed, replication, purpose) and of what it is for.
 *
 * No state, no order: two policies that ask the same question get the same answer. Known-answer vectors of the
 * Random123 project pin the generator (tests/engine/test_random.c). Salmon, Moraes, Dror, Shaw: "Parallel Random
 * Numbers: As Easy as 1, 2, 3", SC11. */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <stdint.h>

#include "engine/wide.h"

/* Version of the meaning of draws: purposes, counters, mapping of words. */
enum { SIM_DRAW_VERSION = 1 };

/* Final numbers. In brackets the two counter words. */
typedef enum {
    SIM_DRAW_GAP = 1,              /* interarrival gap              {stream's name hash, n} */
    SIM_DRAW_REQUEST = 2,          /* partition, kind, client, chance {op ordinal, 0} */
    SIM_DRAW_LEG = 3,              /* word 0 latency, word 1 outcome  {op ordinal, region number << 32 | visit} */
    SIM_DRAW_FAULT_PARTITION = 4,  /* fault scope                     {fault's name hash, partition key} */
    SIM_DRAW_JITTER = 5,           /* failback jitter               {client key, partition key ^ nth draw} */
    SIM_DRAW_SAMPLER_PHASE = 6,    /* sampler accumulator           the same */
    SIM_DRAW_CLIENT_PHASE = 7,     /* client start                  {client key, 0} */
    SIM_DRAW_RETRY_JITTER = 8,     /* back-off                      {op ordinal, nth draw of the operation} */
    SIM_DRAW_NETWORK_JITTER = 9,   /* round trip's factor           {op ordinal, region number << 32 | visit} */
    SIM_DRAW_FAULT_CLIENT = 10,    /* fault scope                   {fault's name hash, client key} */
    SIM_DRAW_RECORD_PHASE = 11,    /* where a recording begins      {stream's name hash, 0} */
    SIM_DRAW_GIVES_UP = 12,        /* the application gives up      {op ordinal, 0} */
    SIM_DRAW_REPLICATION_LAG = 13, /* lag of a region pair         {partition key mixed + interval, from << 16 | to} */
    SIM_DRAW_CONNECTION =
        14,                  /* a connection for no request     {client key, partition key or region mixed + instant} */
    SIM_DRAW_BUSY = 15,      /* how long a server is kept     {op ordinal, region number << 32 | visit} */
    SIM_DRAW_SOJOURN = 20,   /* how long a fault stays as it is   {fault's name hash, occurrence << 32 | n} */
    SIM_DRAW_ZONE = 21,      /* a partition's zone in a region    {partition key, region number} */
    SIM_DRAW_FRONT_END = 22, /* a client's front end in a region {client key, region number} */
    SIM_DRAW_ACCOUNT = 23,   /* a reading of the account          {client key, region number mixed + instant} */
    /* From 32 on: draws about finished runs; they move no run's luck. */
    SIM_DRAW_BOOTSTRAP = 32, /* replications that a resample takes {resample, nth draw}; key without replication */
} sim_draw;

typedef struct {
    uint64_t word[2];
} sim_words;

typedef struct {
    uint64_t seed; /* 0 .. 2^63 - 1 */
    uint32_t replication;
} sim_luck;

#define SIM_THREEFRY_PARITY UINT64_C(0x1BD11BDAA9FC1A22)

static inline uint64_t sim_rotl64(uint64_t x, unsigned n)
{
    return (x << n) | (x >> (64 - n));
}

/* Threefry2x64 with 13 rounds: a key injection after every fourth. */
static inline sim_words sim_threefry2x64(uint64_t key0, uint64_t key1, uint64_t counter0, uint64_t counter1)
{
    const uint64_t key2 = SIM_THREEFRY_PARITY ^ key0 ^ key1;
    uint64_t a = counter0 + key0;
    uint64_t b = counter1 + key1;
#define SIM_ROUND_(n) (a += b, b = sim_rotl64(b, (n)) ^ a)
    SIM_ROUND_(16), SIM_ROUND_(42), SIM_ROUND_(12), SIM_ROUND_(31);
    a += key1, b += key2 + 1;
    SIM_ROUND_(16), SIM_ROUND_(32), SIM_ROUND_(24), SIM_ROUND_(21);
    a += key2, b += key0 + 2;
    SIM_ROUND_(16), SIM_ROUND_(42), SIM_ROUND_(12), SIM_ROUND_(31);
    a += key0, b += key1 + 3;
    SIM_ROUND_(16);
#undef SIM_ROUND_
    return (sim_words){{a, b}};
}

static inline sim_words sim_draw_words(const sim_luck *luck, sim_draw purpose, uint64_t counter0, uint64_t counter1)
{
    return sim_threefry2x64(luck->seed, (uint64_t)luck->replication << 32 | (uint64_t)purpose, counter0, counter1);
}

/* A bijection that spreads every bit of a key over the word (the finisher of SplitMix64). For putting keys together: a
 * plain xor or sum of two hashes meets itself in the middle. */
static inline uint64_t sim_mix64(uint64_t key)
{
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return key ^ (key >> 31);
}

/* Maps a uniform word to [0, bound) by multiplication. */
static inline uint64_t sim_below(uint64_t word, uint64_t bound)
{
    return (uint64_t)(((sim_u128)word * bound) >> 64);
}

#endif
