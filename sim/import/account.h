/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An account as its tables tell of it, and the scenario made of it. */
#ifndef SIM_IMPORT_ACCOUNT_H
#define SIM_IMPORT_ACCOUNT_H

#include "import/curves.h"
#include "import/distances.h"
#include "import/levels.h"

typedef struct {
    const char *name;
    uint32_t region_count;
    uint16_t region[IMP_REGIONS_MAX]; /* catalogue numbers; the first is home */
    uint32_t clients;                 /* in each region that has requests */
    uint32_t partitions;
    const imp_series *series; /* NULL: nobody counted anything */
    const imp_levels *levels; /* of the series */
    imp_curve curve[SIM_KINDS];
    const imp_distances *distances; /* NULL: one of the tables that ship */
    const char *table;              /* name of the table of round trips */
} imp_account;

/* What the scenario would have more of than a scenario may, and how many that may be; NULL: nothing. */
const char *imp_account_excess(const imp_account *self, int *most);

/* ns of a round trip within a region, as the scenario says it. */
double imp_account_local(const imp_account *self);

/* Writes the scenario. The same account gives the same bytes. */
void imp_account_write(const imp_account *self, FILE *out);

#endif
