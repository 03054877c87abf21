/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a scenario shows what its tables say: it is played once, without any policy that would move a request, and
 * what its regions answer is compared with what was observed. */
#ifndef SIM_IMPORT_FIT_H
#define SIM_IMPORT_FIT_H

#include "import/account.h"
#include "import/observe.h"

typedef enum { IMP_RATE, IMP_ERROR_SHARE, IMP_P50, IMP_P99, IMP_CURVES } imp_curve_kind;

/* One period of one curve. */
typedef struct {
    uint32_t period;
    double observed; /* answered requests a second, share of them, or ns */
    double simulated;
    double error;   /* |simulated - observed| / observed; where no request failed, the simulated share */
    bool is_enough; /* chance alone keeps it below 5 % in all but one in 300: see IMP_ENOUGH */
} imp_fit_point;

/* Of one region and kind. */
typedef struct {
    uint32_t region; /* of the series */
    int kind;
    imp_curve_kind curve;
    uint32_t count;
    imp_fit_point *point;
    uint32_t enough;
    double median; /* error over all periods */
    double worst;  /* of the periods with enough samples; -1: there are none */
    uint32_t worst_period;
} imp_fit_row;

/* Requests (rate, p50), failed and answered requests each (error share) and requests (p99) that a period needs. Two
 * counts of 7200 differ by less than 5 % in three standard errors; the p99 of a long tail needs more. */
enum { IMP_ENOUGH = 7200, IMP_ENOUGH_P99 = 50000 };

/* A percentile of a list or histogram. */
typedef struct {
    int kind;
    double share;
    double observed; /* ns */
    double simulated;
} imp_fit_percentile;

/* A round trip of an imported table, as the simulated network has it. */
typedef struct {
    uint16_t from; /* catalogue numbers */
    uint16_t to;
    double observed; /* ns */
    double simulated;
} imp_fit_trip;

typedef struct {
    uint32_t trip_count;
    imp_fit_trip *trip;
    uint32_t count;
    imp_fit_row *row;
    uint32_t percentile_count;
    imp_fit_percentile percentile[SIM_KINDS * IMP_POINTS_MAX];
} imp_fit;

/* Plays the scenario, made from `account`, and compares. Everything is on the arena. An exit status, after a complaint
 * if it is not CLI_OK. */
int imp_fit_make(sim_arena *arena, const imp_account *account, const sim_scenario *scenario, imp_fit *out);

const char *imp_curve_name(imp_curve_kind curve);

/* fit_write.c: a table on standard output; all periods as CSV, or as JSON. */
int imp_fit_print(const imp_account *account, const imp_fit *fit);
void imp_fit_write_csv(const imp_account *account, const imp_fit *fit, FILE *out);
/* fit_page.c: as a page of charts. */
void imp_fit_write_page(const imp_account *account, const imp_fit *fit, FILE *out);
void imp_fit_write_json(const imp_account *account, const imp_fit *fit, FILE *out);

#endif
