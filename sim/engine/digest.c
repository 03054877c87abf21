/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/digest.h"

/* Eight bytes from `at`, little end first on every platform; bytes beyond `size` are 0. */
static uint64_t word_at(const unsigned char *bytes, size_t size, size_t at)
{
    uint64_t word = 0;
    for (size_t i = 0; i < 8 && at + i < size; i++)
        word |= (uint64_t)bytes[at + i] << (8 * i);
    return word;
}

void sim_digest_add_bytes(sim_digest *digest, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t at = 0; at < size; at += 32)
        sim_digest_add(digest, word_at(bytes, size, at), word_at(bytes, size, at + 8), word_at(bytes, size, at + 16),
                       word_at(bytes, size, at + 24));
    sim_digest_add(digest, size, 0, 0, 0); /* so that a text and the same text with zero bytes differ */
}

void sim_digest_format(const sim_digest *digest, char out[33])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++)
        out[i] = digits[digest->lane[i / 16] >> (60 - 4 * (i % 16)) & 15];
    out[32] = '\0';
}
