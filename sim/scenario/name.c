/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/scenario.h"

/* FNV-1a (Fowler, Noll, Vo) spreads short names badly over the upper bits, so the finisher of MurmurHash3 (Appleby,
 * public domain) follows it. */
uint64_t sim_name_hash(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = name; *c != '\0'; c++) {
        hash ^= (unsigned char)*c;
        hash *= UINT64_C(0x100000001b3);
    }
    hash ^= hash >> 33;
    hash *= UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 33;
    hash *= UINT64_C(0xc4ceb9fe1a85ec53);
    hash ^= hash >> 33;
    return hash;
}
