/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scalars of files and the command line: exact decimal text to integers and back, without floating point or locale.
 *
 * A number is digits with an optional fraction; there are no signs and no exponents. One space may stand between
 * number and unit. A value that an integer of the target's unit cannot hold exactly is refused, never rounded (but for
 * rates per minute, which are rounded to the nearest thousandth of an operation per second). */
#ifndef SIM_SCALARS_H
#define SIM_SCALARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    SIM_SCALAR_OK,
    SIM_SCALAR_MALFORMED,
    SIM_SCALAR_NO_UNIT, /* a number that needs a unit */
    SIM_SCALAR_TOO_FINE,
    SIM_SCALAR_TOO_LARGE, /* passes 64 bits */
} sim_scalar_status;

/* ns. Units ns, us, ms, s, min, h; only 0 may stand alone. */
sim_scalar_status sim_scalar_duration(const char *text, int64_t *ns);
/* Parts of `one`: "40 %" or "0.4". The value may pass `one`; ranges are the caller's. */
sim_scalar_status sim_scalar_share(const char *text, int64_t one, int64_t *parts);
/* ppm: "1.5". */
sim_scalar_status sim_scalar_factor(const char *text, int64_t *ppm);
/* Operations per 1000 seconds: "2400 /s" or "10 /min". */
sim_scalar_status sim_scalar_rate(const char *text, int64_t *mhz);
/* A whole number. */
sim_scalar_status sim_scalar_count(const char *text, int64_t *count);
/* Whole percent: "10 %" or "10". */
sim_scalar_status sim_scalar_percent(const char *text, int64_t *percent);
/* `value` / 10^`scale` with the fewest digits. */
sim_scalar_status sim_scalar_decimal(const char *text, int64_t *value, int64_t *scale);

/* The reverse; `out` holds at least SIM_SCALAR_SIZE bytes. */
enum { SIM_SCALAR_SIZE = 32 };
void sim_format_share(int64_t parts, int64_t one, char *out, size_t size); /* "40 %" */
void sim_format_factor(int64_t ppm, char *out, size_t size);               /* "1.5" */
void sim_format_rate(int64_t mhz, char *out, size_t size);                 /* "2400 /s" */

#endif
