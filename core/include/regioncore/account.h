/* SPDX-License-Identifier: MIT */
/* The account's topology as the last metadata answer gave it, and the routing lists that follow from it. */
#ifndef REGIONCORE_ACCOUNT_H
#define REGIONCORE_ACCOUNT_H

#include <regioncore/export.h>
#include <regioncore/gateway.h>
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
    bool failover_is_absent;  /* the answer says nothing of it: what was known stays, at first off */
    uint8_t hedging_disabled; /* rgn_signal: the gateway's hedging switch */
} rgn_account;

/* Reads an optional boolean of the account's metadata, a JSON object as the service sends it: the property of exactly
 * that name at the top level, e.g. RGN_PROPERTY_HEDGING_DISABLED. Missing or null: RGN_SIGNAL_ABSENT. Other properties,
 * known or not, are passed over. RGN_ERR_RANGE, and `*signal` absent: the text is no JSON object, or the value is neither
 * true, false nor null. */
#define RGN_PROPERTY_HEDGING_DISABLED   "disableCrossRegionalHedging"
#define RGN_PROPERTY_AUTOMATIC_FAILOVER "enablePerPartitionFailoverBehavior"
RGN_API rgn_status rgn_account_read_signal(const char *json, size_t length, const char *property, rgn_signal *signal);

/* Routing lists: the regions of `account_order` that `preferred` names, in preference order, then the rest in account
 * order. Preferred regions that the account does not have are skipped (driver: reorder_by_preferred_regions). */
RGN_API rgn_region_list rgn_region_list_prefer(const rgn_region_list *account_order, const rgn_region_list *preferred);

RGN_API rgn_region_set rgn_region_list_set(const rgn_region_list *list);

#ifdef __cplusplus
}
#endif
#endif
