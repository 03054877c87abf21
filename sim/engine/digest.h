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
    uint64_t folded = (uint64_t)product ^ (uint64_t)(product >> 64);
    __asm__("" : "+r"(folded)); /* is one number from here on; compilers go on with two, and run out of registers */
    return folded;
}

static inline sim_digest sim_digest_start(void)
{
    return (sim_digest){{UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)}};
}

/* Takes in four words, in order. Each lane sees all four; the sums lose nothing, for they can be undone. */
static inline void sim_digest_add(sim_digest *digest, uint64_t w0, uint64_t w1, uint64_t w2, uint64_t w3)
{
    const uint64_t left = sim_digest_fold(digest->lane[0] ^ w0, w1 ^ UINT64_C(0xa4093822299f31d0));
    const uint64_t right = sim_digest_fold(digest->lane[1] ^ w2, w3 ^ UINT64_C(0x452821e638d01377));
    digest->lane[0] = left + right;
    digest->lane[1] = left + 2 * right;
}

/* Takes in bytes of any length, the length included. */
void sim_digest_add_bytes(sim_digest *digest, const void *data, size_t size);

/* 32 hexadecimal digits and a zero byte. */
void sim_digest_format(const sim_digest *digest, char out[33]);

#endif
