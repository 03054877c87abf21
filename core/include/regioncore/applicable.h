/* SPDX-License-Identifier: MIT */
/* Applicable regions: where an operation may go, in order, and why each region of the account is in or out.
 *
 * An operation starts from the account's regions in the caller's order, loses those that the caller excludes and those
 * that the breaker has tripped, and gets a region back where too little is left. The rule sets agree on that and differ
 * in the corners; routing.rules chooses:
 *
 *   documented  the table of the public design note on region augmentation
 *   java        what the Java client's LocationCache does
 *   driver      the shipped Rust driver: exclusions are hard, tripped partitions are redirected, nothing comes back
 *
 * The list and the first target are kept apart: an override of automatic failover can take the place of the list's
 * head. Pure: nothing is stored, no canary is made. */
#ifndef REGIONCORE_APPLICABLE_H
#define REGIONCORE_APPLICABLE_H

#include <regioncore/account.h>
#include <regioncore/export.h>
#include <regioncore/options.h>
#include <regioncore/routing.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const rgn_topology *topology;
    rgn_region_set marked;     /* endpoints unavailable for this direction now */
    rgn_region_set excluded;   /* by the caller */
    rgn_region_list tripped;   /* the partition's failed regions, oldest first; empty unless the direction is tripped */
    rgn_region current;        /* where the tripped partition's traffic goes; RGN_REGION_NONE unless tripped */
    rgn_region override;       /* of automatic failover; RGN_REGION_NONE if there is none */
    uint8_t direction;         /* rgn_direction */
    bool is_hedge;             /* the list is for a hedge leg */
    bool is_endpoint_regional; /* the client was given a region's endpoint, not the account's global one */
    bool has_used_override;    /* java: this operation has already gone to the override */
} rgn_applicable_query;

/* X(identifier, number, name, sentence). Numbers reach files. */
#define RGN_APPLICABLE_REASONS(X)                                                                            \
    X(OUT_ABSENT, 0, "absent", "out: the account does not have it")                                          \
    X(OUT_NOT_WRITABLE, 1, "not_writable", "out: it takes no writes")                                        \
    X(OUT_NOT_PREFERRED, 2, "not_preferred", "out: the caller prefers other regions")                        \
    X(OUT_EXCLUDED, 3, "excluded", "out: the caller excludes it")                                            \
    X(OUT_TRIPPED, 4, "tripped", "out: the partition has tripped there")                                     \
    X(OUT_OVERRIDDEN, 5, "overridden", "out: automatic failover has moved the partition's writes elsewhere") \
    X(IN_LIST, 16, "listed", "in: nothing speaks against it")                                                \
    X(IN_LAST, 17, "marked", "in, but last: its endpoint is marked unavailable")                             \
    X(IN_AGAIN, 18, "augmented", "in again: tripped, but otherwise one region would be all there is")        \
    X(IN_FALLBACK, 19, "fallback", "in: nothing was left, and this is where such operations go")             \
    X(IN_OVERRIDE, 20, "override", "in: automatic failover has moved the partition's writes there")

typedef enum {
#define RGN_APPLICABLE_ENUM(identifier, number, name, sentence) RGN_REGION_##identifier = (number),
    RGN_APPLICABLE_REASONS(RGN_APPLICABLE_ENUM)
#undef RGN_APPLICABLE_ENUM
} rgn_applicable_reason;

typedef struct {
    rgn_region list[RGN_REGIONS_MAX + 2]; /* java may name a region twice, so that a retry goes there */
    uint8_t count;
    rgn_region first;    /* where the first attempt goes; RGN_REGION_NONE only if the account has no region */
    rgn_region override; /* the stored one, as in the query */
    bool uses_override;  /* `first` is it */
    bool is_fallback;    /* nothing was left */
    uint8_t reason[RGN_REGIONS_MAX]; /* rgn_applicable_reason of each region */
} rgn_applicable;

RGN_API rgn_applicable rgn_applicable_regions(const rgn_applicable_query *query, const rgn_options *options);

/* The reason's name and sentence; "?" for a number that is none. */
RGN_API const char *rgn_applicable_reason_name(rgn_applicable_reason reason);
RGN_API const char *rgn_applicable_reason_sentence(rgn_applicable_reason reason);

static inline bool rgn_applicable_is_in(const rgn_applicable *applicable, rgn_region region)
{
    return applicable->reason[region] >= RGN_REGION_IN_LIST;
}

#ifdef __cplusplus
}
#endif
#endif
