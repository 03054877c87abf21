/* SPDX-License-Identifier: MIT */
#include <regioncore/account.h>

#include <assert.h>

/* RTE-1: preferred regions first, in preference order, then the rest as the account lists them. */
rgn_region_list rgn_region_list_prefer(const rgn_region_list *account_order, const rgn_region_list *preferred)
{
    rgn_region_list out = {0};
    rgn_region_set left = rgn_region_list_set(account_order);

    assert(preferred->count <= RGN_REGIONS_MAX);
    for (unsigned i = 0; i < preferred->count; i++) {
        rgn_region region = preferred->region[i];
        if (rgn_region_in(left, region)) {
            left &= ~rgn_region_bit(region);
            out.region[out.count++] = region;
        }
    }
    for (unsigned i = 0; i < account_order->count; i++) {
        rgn_region region = account_order->region[i];
        if (rgn_region_in(left, region)) {
            left &= ~rgn_region_bit(region);
            out.region[out.count++] = region;
        }
    }
    return out;
}

rgn_region_set rgn_region_list_set(const rgn_region_list *list)
{
    rgn_region_set set = 0;

    assert(list->count <= RGN_REGIONS_MAX);
    for (unsigned i = 0; i < list->count; i++)
        set |= rgn_region_bit(list->region[i]);
    return set;
}
