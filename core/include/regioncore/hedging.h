/* SPDX-License-Identifier: MIT */
/* Hedging: a read that is slow gets a second leg in another region, and the first final answer wins.
 *
 * A race begins when an eligible operation sends its primary leg. Nothing but a wake-up shows it until the threshold
 * has passed; only then is the other region chosen and the hedge sent. There are two legs, unless the options ask for
 * more hedges (hedging.max_alternates): each follows the one before it after a step, and `both` below then means all.
 *
 *   state      event                                           next
 *   none       a metadata read starts, its budget is spent     refused: it goes on as without hedging
 *   waiting    primary final                                   primary_won_pre_threshold
 *   waiting    primary transient (early_transient retry)       ended_early: the ordinary retries take over
 *   waiting    primary transient (early_transient launch)      launched
 *   waiting    threshold over                                  launched, or refused: the primary goes on alone
 *   waiting    deadline                                        deadline_pre_threshold
 *   launched   primary final                                   primary_won_after_hedge
 *   launched   hedge final                                     alternate_won
 *   launched   one leg transient                               launched: the others go on
 *   launched   both legs transient                             both_transient: one failed attempt of the operation
 *   launched   deadline (or given up), no leg transient yet    both_transient_deadline
 *   launched   deadline (or given up), one leg transient       cancelled_awaiting_partner
 *
 * A leg whose answer is transient is first sent again in its own region (hedging.leg_retries); it leaves that region
 * for no reason whatever. */
#ifndef REGIONCORE_HEDGING_H
#define REGIONCORE_HEDGING_H

#include <regioncore/export.h>
#include <regioncore/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(identifier, number, name, sentence). The numbers reach files: they are final. */
#define RGN_HEDGES(X)                                                                                                \
    X(NONE, 0, "none", "no race: hedging is off, or the operation is not eligible")                                  \
    X(WAITING, 1, "waiting", "the primary is on its way and the threshold has not passed")                           \
    X(LAUNCHED, 2, "launched", "the primary and at least one hedge race")                                            \
    X(PRIMARY_WON_PRE_THRESHOLD, 3, "primary_won_pre_threshold", "the primary was final before the threshold")       \
    X(DEADLINE_PRE_THRESHOLD, 4, "deadline_pre_threshold", "the deadline passed before the threshold")               \
    X(PRIMARY_WON_AFTER_HEDGE, 5, "primary_won_after_hedge", "the hedge was sent, and the primary was final first")  \
    X(ALTERNATE_WON, 6, "alternate_won", "a hedge was final first")                                                  \
    X(BOTH_TRANSIENT, 7, "both_transient", "no leg got a final answer")                                              \
    X(BOTH_TRANSIENT_DEADLINE, 8, "both_transient_deadline", "the deadline passed with all legs still on their way") \
    X(CANCELLED_AWAITING_PARTNER, 9, "cancelled_awaiting_partner",                                                   \
      "a leg was transient, and the deadline passed before another ended")                                           \
    X(ENDED_EARLY, 10, "ended_early", "the primary was transient before the threshold: ordinary retries took over")  \
    X(REFUSED, 11, "refused", "the budget was spent, or at the threshold no other region was left")

typedef enum {
#define RGN_HEDGE_ENUM(identifier, number, name, sentence) RGN_HEDGE_##identifier = (number),
    RGN_HEDGES(RGN_HEDGE_ENUM)
#undef RGN_HEDGE_ENUM
} rgn_hedge;

enum { RGN_HEDGE_COUNT = 12 };

/* The state's name as databases and reports spell it; "?" for a number that is none. */
RGN_API const char *rgn_hedge_name(rgn_hedge hedge);

/* How long a leg that the deadline left behind may still take to tell what became of it. */
#define RGN_HARVEST_WINDOW (50 * RGN_NS_PER_MS)

#ifdef __cplusplus
}
#endif
#endif
