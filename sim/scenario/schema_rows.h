/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the rows of the schema table are written, and what its files share. */
#ifndef SIM_SCHEMA_ROWS_H
#define SIM_SCHEMA_ROWS_H

#include "scenario/raw.h"
#include "scenario/schema.h"

#define NEVER          RGN_TIME_NEVER
#define SHARE(percent) (INT64_C(10000000) * (percent))
#define FACTOR(whole)  (INT64_C(1000000) * (whole))
#define MS(n)          RGN_MS_(INT64_C(n))
#define SECONDS(n)     RGN_S_(INT64_C(n))
#define HOURS(n)       (SECONDS(3600) * (n))
#define YEAR           HOURS(8760)
#define RATE_MAX       INT64_C(1000000000) /* a million operations per second */
#define RECORD(label, type, fields)                                                                   \
    {                                                                                                 \
        .name = label, .field = fields, .count = sizeof fields / sizeof *fields, .size = sizeof(type) \
    }
#define AT(type, member) .offset = offsetof(type, member)
#define REQUIRED         .flags = SIM_FIELD_REQUIRED
#define RANGE(low, high) .min = low, .max = high

/* schema_faults.c */
extern const sim_record sim_fault_record;

#endif
