/* SPDX-License-Identifier: MIT */
/* What routing.c and applicable.c share. */
#ifndef REGIONCORE_SRC_ROUTING_IMPL_H
#define REGIONCORE_SRC_ROUTING_IMPL_H

#include <regioncore/routing.h>

/* RTE-6: where an attempt goes when nothing is left. */
rgn_region rgni_fallback_region(const rgn_topology *topology, rgn_direction direction);

/* The entry's failed regions, oldest first; those beyond the remembered order follow by number. */
rgn_region_list rgni_failed_list(const rgn_entry *entry);

#endif
