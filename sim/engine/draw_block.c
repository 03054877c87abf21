/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generator's rounds are additions, rotations and exclusive ors of whole words, so eight counters go through them
 * in the time of one or two. The one text below is compiled once for each instruction set that helps; the processor
 * decides how fast a run is, and never what comes out. */
#include "engine/draw_block.h"

#include <string.h>

#define COUNT_4(n)  (n), (n) + 1, (n) + 2, (n) + 3
#define COUNT_16(n) COUNT_4(n), COUNT_4((n) + 4), COUNT_4((n) + 8), COUNT_4((n) + 12)
__attribute__((aligned(64)))
const uint64_t sim_draw_one_by_one[SIM_DRAW_BLOCK] = {COUNT_16(0), COUNT_16(16), COUNT_16(32), COUNT_16(48)};
__attribute__((aligned(64))) const uint64_t sim_draw_all_alike[SIM_DRAW_BLOCK] = {0};

/* Functions that work `width` lanes at a time. `target` names an instruction set, or is empty; TURN(n) is b,
 * rotated to the left. */
#define DEFINE_WAY(name, width, target, TURN)                                                                 \
    typedef uint64_t name##_lanes __attribute__((vector_size((width) * sizeof(uint64_t))));                   \
    target static void name##_fill(const sim_luck *luck, sim_draw purpose, const sim_draw_counters *counters, \
                                   sim_draw_block *block)                                                     \
    {                                                                                                         \
        const uint64_t *const offset0 = counters->offset[0];                                                  \
        const uint64_t *const offset1 = counters->offset[1];                                                  \
        const uint64_t key0 = luck->seed;                                                                     \
        const uint64_t key1 = (uint64_t)luck->replication << 32 | (uint64_t)purpose;                          \
        const uint64_t key2 = SIM_THREEFRY_PARITY ^ key0 ^ key1;                                              \
        const uint64_t start0 = counters->base[0] + key0;                                                     \
        const uint64_t start1 = counters->base[1] + key1;                                                     \
        for (uint32_t i = 0; i < SIM_DRAW_BLOCK; i += (width)) {                                              \
            name##_lanes a;                                                                                   \
            name##_lanes b;                                                                                   \
            memcpy(&a, &offset0[i], sizeof a);                                                                \
            memcpy(&b, &offset1[i], sizeof b);                                                                \
            a += start0, b += start1;                                                                         \
            ROUND(TURN, 16), ROUND(TURN, 42), ROUND(TURN, 12), ROUND(TURN, 31);                               \
            a += key1, b += key2 + 1;                                                                         \
            ROUND(TURN, 16), ROUND(TURN, 32), ROUND(TURN, 24), ROUND(TURN, 21);                               \
            a += key2, b += key0 + 2;                                                                         \
            ROUND(TURN, 16), ROUND(TURN, 42), ROUND(TURN, 12), ROUND(TURN, 31);                               \
            a += key0, b += key1 + 3;                                                                         \
            ROUND(TURN, 16);                                                                                  \
            memcpy(&block->word[0][i], &a, sizeof a);                                                         \
            memcpy(&block->word[1][i], &b, sizeof b);                                                         \
        }                                                                                                     \
    }                                                                                                         \
    target static void name##_mix(uint64_t first, uint64_t mixed[SIM_DRAW_BLOCK])                             \
    {                                                                                                         \
        for (uint32_t i = 0; i < SIM_DRAW_BLOCK; i += (width)) {                                              \
            name##_lanes key;                                                                                 \
            memcpy(&key, &sim_draw_one_by_one[i], sizeof key);                                                \
            key += first;                                                                                     \
            key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);                                         \
            key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);                                         \
            key ^= key >> 31;                                                                                 \
            memcpy(&mixed[i], &key, sizeof key);                                                              \
        }                                                                                                     \
    }                                                                                                         \
    target static void name##_pick(const uint64_t word[SIM_DRAW_BLOCK], uint32_t count, uint64_t first,       \
                                   uint64_t picked[SIM_DRAW_BLOCK])                                           \
    {                                                                                                         \
        for (uint32_t i = 0; i < SIM_DRAW_BLOCK; i += (width)) {                                              \
            name##_lanes lucky;                                                                               \
            memcpy(&lucky, &word[i], sizeof lucky);                                                           \
            lucky = first + ((lucky >> 32) * count >> 32);                                                    \
            memcpy(&picked[i], &lucky, sizeof lucky);                                                         \
        }                                                                                                     \
    }
#define ROUND(TURN, n)    (a += b, b = TURN(n) ^ a)
#define TURN_BY_SHIFTS(n) ((b << (n)) | (b >> (64 - (n))))

DEFINE_WAY(anywhere, 2, , TURN_BY_SHIFTS)

static bool is_supported_anywhere(void)
{
    return true;
}

#if defined(__x86_64__)
/* AVX2 has no rotation: three instructions, or where whole bytes move, one. */
typedef uint8_t avx2_bytes __attribute__((vector_size(32)));
#define FROM(lane, bytes, i)   ((lane)*8 + ((i) + 8 - (bytes)) % 8)
#define FROM_2(lane, bytes, i) FROM(lane, bytes, i), FROM(lane, bytes, i + 1)
#define LANE(lane, bytes)      FROM_2(lane, bytes, 0), FROM_2(lane, bytes, 2), FROM_2(lane, bytes, 4), FROM_2(lane, bytes, 6)
#define TURN_BY_BYTES(n) \
    (avx2_lanes) __builtin_shufflevector((avx2_bytes)b, (avx2_bytes)b, LANE(0, n), LANE(1, n), LANE(2, n), LANE(3, n))
#define AVX2_TURN(n) ((n) % 8 == 0 ? TURN_BY_BYTES((n) / 8) : TURN_BY_SHIFTS(n))

DEFINE_WAY(avx2, 4, __attribute__((target("avx2"))), AVX2_TURN)
DEFINE_WAY(avx512, 8, __attribute__((target("avx512f,avx512dq"))), TURN_BY_SHIFTS)

static bool is_avx2_supported(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

static bool is_avx512_supported(void)
{
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}
#endif

const sim_draw_way sim_draw_ways[] = {
#if defined(__x86_64__)
    {"avx512", avx512_fill, avx512_mix, avx512_pick, is_avx512_supported},
    {"avx2", avx2_fill, avx2_mix, avx2_pick, is_avx2_supported},
#endif
    {"anywhere", anywhere_fill, anywhere_mix, anywhere_pick, is_supported_anywhere},
};
const unsigned sim_draw_way_count = sizeof sim_draw_ways / sizeof sim_draw_ways[0];

const sim_draw_way *sim_draw_block_fastest(void)
{
    const sim_draw_way *way = sim_draw_ways;
    while (!way->is_supported())
        way++;
    return way;
}
