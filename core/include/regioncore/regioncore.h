/* SPDX-License-Identifier: MIT */
/* Everything the library offers. */
#ifndef REGIONCORE_H
#define REGIONCORE_H

#include <regioncore/account.h>
#include <regioncore/applicable.h>
#include <regioncore/classify.h>
#include <regioncore/export.h>
#include <regioncore/failover.h>
#include <regioncore/gateway.h>
#include <regioncore/hedge_events.h>
#include <regioncore/hedging.h>
#include <regioncore/operation.h>
#include <regioncore/options.h>
#include <regioncore/partition.h>
#include <regioncore/reason.h>
#include <regioncore/router.h>
#include <regioncore/routing.h>
#include <regioncore/session.h>
#include <regioncore/transition_json.h>
#include <regioncore/types.h>

#endif
