/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 128-bit running hash over 32-byte records; not cryptographic, and the same on every platform. */
#ifndef SIM_DIGEST_H
#define SIM_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "engine/wide.h"

typedef struct {
    uint64_t lane[2];
} sim_digest;

static inline uint64_t sim_digest_fold(uint64_t a, uint64_t b)
{
    const sim_u128 product = (sim_u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline sim_digest sim_digest_start(void)
{
    return (sim_digest){{UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)}};
}

/* Takes in four words, in order. Each lane sees all four. */
static inline void sim_digest_add(sim_digest *digest, uint64_t w0, uint64_t w1, uint64_t w2, uint64_t w3)
{
    const uint64_t left = sim_digest_fold(w0 ^ UINT64_C(0xa4093822299f31d0), w1 ^ UINT64_C(0x082efa98ec4e6c89));
    const uint64_t right = sim_digest_fold(w2 ^ UINT64_C(0x452821e638d01377), w3 ^ UINT64_C(0xbe5466cf34e90c6c));
    digest->lane[0] = sim_digest_fold(digest->lane[0] ^ left, right | 1) + w0 + w2;
    digest->lane[1] = sim_digest_fold(digest->lane[1] + right, left | 1) ^ (w1 + w3);
}

/* Takes in bytes of any length, the length included. */
void sim_digest_add_bytes(sim_digest *digest, const void *data, size_t size);

/* 32 hexadecimal digits and a zero byte. */
void sim_digest_format(const sim_digest *digest, char out[33]);

#endif
