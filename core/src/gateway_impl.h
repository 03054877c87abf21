/* SPDX-License-Identifier: MIT */
/* What a router keeps of the gateway's switch: the state of gateway.h, and what of it operations read. */
#ifndef REGIONCORE_SRC_GATEWAY_IMPL_H
#define REGIONCORE_SRC_GATEWAY_IMPL_H

#include <stdatomic.h>

#include <regioncore/account.h>
#include <regioncore/gateway.h>
#include <regioncore/operation.h>
#include <regioncore/reason.h>

typedef struct {
    atomic_bool is_off;                    /* GWY-1 */
    _Atomic(const rgn_options *) strategy; /* what operations without options of their own follow; NULL: no hedging */
    rgn_gateway state;                     /* under the router's account_lock */
} rgni_gateway;

/* --- reducers: pure but for `gateway` --- */

/* GWY-9: automatic failover as this client takes it. */
bool rgni_gateway_failover(const rgn_gateway *gateway, const rgn_options *options, const rgn_account *account);

/* GWY-2: the first account. `customer` may be NULL. */
rgn_gateway rgni_gateway_start(const rgn_options *options, const rgn_account *account, const rgn_options *customer);

/* GWY-3 to GWY-8: a later one. RGN_REASON_NONE: nothing has changed. */
rgn_reason rgni_gateway_refresh(rgn_gateway *gateway, const rgn_options *options, const rgn_account *account);

/* The customer's strategy is `customer` from now on; NULL: takes it back. */
void rgni_gateway_put_customer(rgn_gateway *gateway, const rgn_options *options, const rgn_options *customer);

/* Shows operations what the state says. `options` are the router's. */
void rgni_gateway_publish(rgni_gateway *gateway, const rgn_options *options);

/* --- as an operation that starts sees it --- */

/* GWY-10: its own options, else the client's strategy, else the router's options. */
static inline const rgn_options *rgni_gateway_options(const rgni_gateway *gateway, const rgn_request *request,
                                                      const rgn_options *options)
{
    const rgn_options *strategy;

    if (request->options != NULL)
        return request->options;
    strategy = atomic_load_explicit(&gateway->strategy, memory_order_acquire);
    return strategy != NULL ? strategy : options;
}

/* GWY-1: the switch beats whatever the operation brings. It is read once, here: a hedge under way is not stopped.
 * `options` are those of rgni_gateway_options(). */
static inline bool rgni_gateway_allows(const rgni_gateway *gateway)
{
    return !atomic_load_explicit(&gateway->is_off, memory_order_acquire);
}

#endif
