/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as scenarios have them; private to this stage's writers. */
#ifndef SIM_IMPORT_WRITE_H
#define SIM_IMPORT_WRITE_H

#include "import/account.h"

enum { IMP_TEXT_SIZE = 48 };

/* "1.5 ms", to the microsecond, at least `least` ns; a value of 0 is "0 ms". */
const char *imp_milliseconds(double ns, char out[IMP_TEXT_SIZE]);
/* "2.5 %", to a ten-thousandth of it. */
const char *imp_percent(double share, char out[IMP_TEXT_SIZE]);
/* "1.25", to a thousandth. */
const char *imp_factor(double factor, char out[IMP_TEXT_SIZE]);
/* "12 min", or seconds where it is no whole minute. */
const char *imp_instant(const imp_series *series, uint32_t period, char out[IMP_TEXT_SIZE]);

/* The service time in a healthy home region, the network apart, ns. */
typedef struct {
    double p50;
    double p99;
} imp_service;
imp_service imp_service_of(const imp_account *self, int kind);

/* What a latency fault does at a level so that both percentiles come out: factor of the service time, time on top. */
typedef struct {
    double multiply;
    double add; /* ns */
} imp_slowness;
imp_slowness imp_slowness_of(const imp_account *self, int kind, const imp_level *level);

/* faults.c: faults, phases and the ground truth. Where a fault for each status would be more than a scenario may have,
 * there is one for each region and kind. */
uint32_t imp_faults_count(const imp_account *self, bool is_mixed);
void imp_faults_write(const imp_account *self, FILE *out);

#endif
