/* SPDX-License-Identifier: MIT */
/* The account's topology as the last metadata answer gave it, and the routing lists that follow from it. */
#ifndef REGIONCORE_ACCOUNT_H
#define REGIONCORE_ACCOUNT_H

#include <regioncore/export.h>
#include <regioncore/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An ordered list of distinct regions. */
typedef struct {
    uint8_t count;
    rgn_region region[RGN_REGIONS_MAX];
} rgn_region_list;

/* A topology snapshot. The router copies it. */
typedef struct {
    rgn_region_list readable; /* account order */
    rgn_region_list writable; /* account order; the first is the hub */
    bool multi_write;         /* every writable region takes writes */
    bool automatic_failover;  /* per-partition automatic failover is on */
} rgn_account;

/* Routing lists: the regions of `account_order` that `preferred` names, in preference order, then the rest in account
 * order. Preferred regions that the account does not have are skipped (driver: reorder_by_preferred_regions). */
RGN_API rgn_region_list rgn_region_list_prefer(const rgn_region_list *account_order, const rgn_region_list *preferred);

RGN_API rgn_region_set rgn_region_list_set(const rgn_region_list *list);

#ifdef __cplusplus
}
#endif
#endif
