/* SPDX-License-Identifier: MIT */
/* The gateway's hedging switch. The table of states is in regioncore/gateway.h. */
#include "gateway_impl.h"

#include <stddef.h>

#include "hedging_impl.h"

/* GWY-9 */
bool rgni_gateway_failover(const rgn_gateway *gateway, const rgn_options *options, const rgn_account *account)
{
    if (options->gateway_client_override != 0)
        return false;
    return account->failover_is_absent ? gateway->automatic_failover : account->automatic_failover;
}

/* GWY-4: what the account says, if it says anything. */
static bool latest_switch(const rgn_gateway *gateway, const rgn_options *options, const rgn_account *account)
{
    if (options->gateway_client_override != 0)
        return false;
    if (account->hedging_disabled == RGN_SIGNAL_ABSENT)
        return options->gateway_absent == RGN_GATEWAY_ABSENT_KEEPS && gateway->switch_is_on;
    return account->hedging_disabled == RGN_SIGNAL_TRUE;
}

/* GWY-5: Java heeds the switch only beside automatic failover. */
static bool is_off(const rgn_gateway *gateway, const rgn_options *options)
{
    return gateway->switch_is_on &&
           (options->gateway_activation == RGN_ACTIVATION_ALWAYS || gateway->automatic_failover);
}

static bool admits_default(const rgn_gateway *gateway, const rgn_options *options)
{
    return rgni_hedging_is_on(options) &&
           (options->hedging_activation == RGN_ACTIVATION_ALWAYS || gateway->automatic_failover);
}

/* GWY-3: the default is built from the options, so that there is nothing of it to keep. */
static rgn_reason build_default(rgn_gateway *gateway)
{
    gateway->owner = RGN_STRATEGY_OF_DEFAULT;
    gateway->defaults_built++;
    return RGN_REASON_STRATEGY_BUILT;
}

static rgn_reason clear(rgn_gateway *gateway, rgn_reason reason)
{
    gateway->owner = RGN_STRATEGY_OF_NOBODY;
    gateway->customer = NULL;
    return reason;
}

/* GWY-6: the customer's strategy waits; a second one finds the place taken, and that is worth a warning. */
static rgn_reason switch_off(rgn_gateway *gateway)
{
    switch ((rgn_strategy_owner)gateway->owner) {
    case RGN_STRATEGY_OF_CUSTOMER:
        if (gateway->stash != NULL && gateway->stash != gateway->customer)
            return clear(gateway, RGN_REASON_STRATEGY_DROPPED);
        gateway->stash = gateway->customer;
        return clear(gateway, RGN_REASON_STRATEGY_STASHED);
    case RGN_STRATEGY_OF_DEFAULT:
        return clear(gateway, RGN_REASON_STRATEGY_CLEARED);
    case RGN_STRATEGY_OF_NOBODY:
        break;
    }
    return RGN_REASON_STRATEGY_KEPT;
}

/* GWY-7 */
static rgn_reason switch_on(rgn_gateway *gateway, const rgn_options *options)
{
    if (gateway->stash != NULL) {
        gateway->customer = gateway->stash;
        gateway->owner = RGN_STRATEGY_OF_CUSTOMER;
        gateway->stash = NULL;
        return RGN_REASON_STRATEGY_RESTORED;
    }
    if (gateway->owner == RGN_STRATEGY_OF_NOBODY && admits_default(gateway, options))
        return build_default(gateway);
    if (gateway->owner == RGN_STRATEGY_OF_DEFAULT && !admits_default(gateway, options))
        return clear(gateway, RGN_REASON_STRATEGY_CLEARED);
    return RGN_REASON_STRATEGY_KEPT;
}

/* GWY-8: with `mask` the strategy stays whatever the switch says. */
static rgn_reason reconcile(rgn_gateway *gateway, const rgn_options *options)
{
    if (gateway->is_off && options->gateway_enforcement == RGN_GATEWAY_STASHES)
        return switch_off(gateway);
    return switch_on(gateway, options);
}

rgn_gateway rgni_gateway_start(const rgn_options *options, const rgn_account *account, const rgn_options *customer)
{
    rgn_gateway gateway = {.customer = customer,
                           .owner = customer != NULL ? RGN_STRATEGY_OF_CUSTOMER : RGN_STRATEGY_OF_NOBODY};

    gateway.automatic_failover = rgni_gateway_failover(&gateway, options, account);
    gateway.switch_is_on = latest_switch(&gateway, options, account);
    gateway.is_off = is_off(&gateway, options);
    (void)reconcile(&gateway, options);
    return gateway;
}

rgn_reason rgni_gateway_refresh(rgn_gateway *gateway, const rgn_options *options, const rgn_account *account)
{
    bool automatic_failover = rgni_gateway_failover(gateway, options, account);
    bool switch_is_on = latest_switch(gateway, options, account);

    if (automatic_failover == gateway->automatic_failover && switch_is_on == gateway->switch_is_on)
        return RGN_REASON_NONE;
    gateway->automatic_failover = automatic_failover;
    gateway->switch_is_on = switch_is_on;
    gateway->is_off = is_off(gateway, options);
    return reconcile(gateway, options);
}

void rgni_gateway_put_customer(rgn_gateway *gateway, const rgn_options *options, const rgn_options *customer)
{
    gateway->customer = customer;
    gateway->owner = customer != NULL ? RGN_STRATEGY_OF_CUSTOMER : RGN_STRATEGY_OF_NOBODY;
    if (customer != NULL)
        return;
    gateway->stash = NULL;
    if (admits_default(gateway, options) && (!gateway->is_off || options->gateway_enforcement == RGN_GATEWAY_MASKS))
        (void)build_default(gateway);
}

void rgni_gateway_publish(rgni_gateway *gateway, const rgn_options *options)
{
    const rgn_gateway *state = &gateway->state;
    const rgn_options *strategy = state->owner == RGN_STRATEGY_OF_CUSTOMER  ? state->customer
                                  : state->owner == RGN_STRATEGY_OF_DEFAULT ? options
                                                                            : NULL;

    atomic_store_explicit(&gateway->is_off, state->is_off, memory_order_release);
    atomic_store_explicit(&gateway->strategy, strategy, memory_order_release);
}
