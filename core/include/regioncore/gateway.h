/* SPDX-License-Identifier: MIT */
/* The gateway's hedging switch: the account says that its clients must not hedge, and later that they may again.
 *
 * A client reads the switch with the account, at its start and at each refresh. The property has three values: true,
 * false, and absent, which is no signal. While the switch is thrown no operation that starts hedges, whatever it or its
 * client asks for; operations that started before end as they would have. The switch moves the client's own hedging
 * strategy, which is the customer's (an object of the embedder's) or the default (what the router's options say):
 *
 *   switch   strategy   stash      automatic failover   next strategy, stash             reason
 *   true     customer   empty      any                  none, the customer's             strategy_stashed
 *   true     customer   full       any                  none, as before: it is lost      strategy_dropped (a warning)
 *   true     default    any        any                  none                             strategy_cleared
 *   true     none       any        any                  none                             strategy_kept
 *   false    any        full       any                  the very one stashed, empty      strategy_restored
 *   false    none       empty      admits the default   the default, built anew          strategy_built
 *   false    default    empty      does not admit it    none                             strategy_cleared
 *   false    otherwise                                  as before                        strategy_kept
 *
 * "Admits": hedging is on by the router's options, and hedging.activation is `always` or the account has automatic
 * failover. The table is looked at when the switch or automatic failover has changed, and at no other time.
 * With gateway.enforcement `mask` (Java) the switch only stops operations: nothing is stashed or lost. With
 * gateway.activation `with_automatic_failover` (Java) it counts only while automatic failover is on, and with
 * gateway.absent `allow` (Java) a refresh without the property says false. With gateway.client_override neither the
 * switch nor the account's automatic failover reaches the client at all. */
#ifndef REGIONCORE_GATEWAY_H
#define REGIONCORE_GATEWAY_H

#include <regioncore/options.h>
#include <regioncore/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An optional property of the account. The numbers are final. */
typedef enum { RGN_SIGNAL_ABSENT = 0, RGN_SIGNAL_FALSE = 1, RGN_SIGNAL_TRUE = 2 } rgn_signal;

/* Whose the client's hedging strategy is. The numbers are final. */
typedef enum {
    RGN_STRATEGY_OF_NOBODY = 0,
    RGN_STRATEGY_OF_CUSTOMER = 1,
    RGN_STRATEGY_OF_DEFAULT = 2,
} rgn_strategy_owner;

typedef struct {
    const rgn_options *customer; /* the strategy, where its owner is the customer; else NULL */
    const rgn_options *stash;    /* the customer's strategy that waits for the switch; NULL: empty */
    uint32_t defaults_built;     /* how often the default strategy was built, at the start included */
    uint8_t owner;               /* rgn_strategy_owner */
    bool is_off;                 /* no operation that starts now hedges */
    bool switch_is_on;           /* the property's last word, absent at the start counting as false */
    bool automatic_failover;     /* as the client has it */
} rgn_gateway;

/* The switch or automatic failover has changed; told to the router's sink. */
typedef struct {
    rgn_time_ns at;
    uint8_t reason; /* rgn_reason, RGN_REASON_STRATEGY_* */
    rgn_gateway before;
    rgn_gateway after;
} rgn_gateway_change;

#ifdef __cplusplus
}
#endif
#endif
