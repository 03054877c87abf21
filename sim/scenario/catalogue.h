/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The region catalogue: every region name the program knows, with a final number that keys its luck. */
#ifndef SIM_CATALOGUE_H
#define SIM_CATALOGUE_H

#include <stddef.h>
#include <stdint.h>

#define SIM_CATALOGUE_NONE UINT16_MAX

/* Number of a region name; names are compared in lower case without spaces ("North Central US" = "northcentralus").
 * SIM_CATALOGUE_NONE if unknown. */
uint16_t sim_catalogue_find(const char *name);
/* Canonical name; NULL if the number is none. */
const char *sim_catalogue_name(uint16_t number);
size_t sim_catalogue_count(void);

#endif
