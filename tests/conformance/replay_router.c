/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every replayer needs of a router: its creation, and numbers as the files write them. */
#include "replay.h"

int64_t replay_region(rgn_region region)
{
    return region == RGN_REGION_NONE ? -1 : region;
}

int64_t replay_time(rgn_time_ns at)
{
    return at == RGN_TIME_NEVER ? -1 : at;
}

rgn_router *replay_router(const vector *v, const rgn_router_config *config)
{
    rgn_status status;
    rgn_knob_id wrong = RGN_KNOB_COUNT;
    if (rgn_options_validate(&config->options, &wrong) != RGN_OK)
        vector_fail(v, "knob out of range", wrong < RGN_KNOB_COUNT ? rgn_knob_at(wrong)->name : "");
    rgn_router *router = rgn_router_create(config, &status);
    if (router == NULL)
        vector_fail(v, "no router can be made from this sequence", "");
    return router;
}
