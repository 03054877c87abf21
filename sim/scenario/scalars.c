/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/scalars.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scenario/scenario.h"

enum { DIGITS_MAX = 18 };

typedef struct {
    const char *name;
    int64_t ns;
} unit;

static const unit units[] = {
    {"ns", 1},
    {"us", INT64_C(1000)},
    {"ms", INT64_C(1000000)},
    {"s", INT64_C(1000000000)},
    {"min", INT64_C(60000000000)},
    {"h", INT64_C(3600000000000)},
};

/* A decimal number with its trailing zeros cut off: value / 10^scale. */
typedef struct {
    int64_t value;
    int scale;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads a number and leaves `*rest` after it and at most one space. */
static sim_scalar_status read_decimal(const char *text, decimal *number, const char **rest)
{
    *number = (decimal){0, 0};
    int digits = 0;
    bool is_fraction = false;
    const char *c = text;
    if (!is_digit(*c))
        return SIM_SCALAR_MALFORMED;
    for (; is_digit(*c) || (*c == '.' && !is_fraction); c++) {
        if (*c == '.') {
            is_fraction = true;
            if (!is_digit(c[1]))
                return SIM_SCALAR_MALFORMED;
            continue;
        }
        if (number->value > 0 || *c != '0')
            digits++;
        if (digits > DIGITS_MAX || number->scale >= DIGITS_MAX)
            return is_fraction ? SIM_SCALAR_TOO_FINE : SIM_SCALAR_TOO_LARGE;
        number->value = number->value * 10 + (*c - '0');
        number->scale += is_fraction;
    }
    while (number->scale > 0 && number->value % 10 == 0) {
        number->value /= 10;
        number->scale--;
    }
    *rest = *c == ' ' ? c + 1 : c;
    return c[0] == ' ' && c[1] == '\0' ? SIM_SCALAR_MALFORMED : SIM_SCALAR_OK;
}

/* number * unit, exactly. */
static sim_scalar_status scale_up(decimal number, int64_t one, int64_t *out)
{
    while (number.scale > 0 && one % 10 == 0) {
        one /= 10;
        number.scale--;
    }
    int64_t product;
    if (__builtin_mul_overflow(number.value, one, &product))
        return SIM_SCALAR_TOO_LARGE;
    for (; number.scale > 0; number.scale--) {
        if (product % 10 != 0)
            return SIM_SCALAR_TOO_FINE;
        product /= 10;
    }
    *out = product;
    return SIM_SCALAR_OK;
}

sim_scalar_status sim_scalar_duration(const char *text, int64_t *ns)
{
    decimal number;
    const char *rest;
    const sim_scalar_status status = read_decimal(text, &number, &rest);
    if (status != SIM_SCALAR_OK)
        return status;
    if (*rest == '\0') {
        *ns = 0;
        return number.value == 0 ? SIM_SCALAR_OK : SIM_SCALAR_NO_UNIT;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(rest, units[i].name) == 0)
            return scale_up(number, units[i].ns, ns);
    }
    return SIM_SCALAR_MALFORMED;
}

sim_scalar_status sim_scalar_share(const char *text, int64_t one, int64_t *parts)
{
    decimal number;
    const char *rest;
    const sim_scalar_status status = read_decimal(text, &number, &rest);
    if (status != SIM_SCALAR_OK)
        return status;
    if (*rest == '\0')
        return scale_up(number, one, parts);
    return strcmp(rest, "%") == 0 ? scale_up(number, one / 100, parts) : SIM_SCALAR_MALFORMED;
}

sim_scalar_status sim_scalar_factor(const char *text, int64_t *ppm)
{
    decimal number;
    const char *rest;
    const sim_scalar_status status = read_decimal(text, &number, &rest);
    if (status != SIM_SCALAR_OK)
        return status;
    return *rest == '\0' ? scale_up(number, SIM_FACTOR_ONE, ppm) : SIM_SCALAR_MALFORMED;
}

sim_scalar_status sim_scalar_rate(const char *text, int64_t *mhz)
{
    decimal number;
    const char *rest;
    sim_scalar_status status = read_decimal(text, &number, &rest);
    if (status != SIM_SCALAR_OK)
        return status;
    if (*rest == '\0')
        return SIM_SCALAR_NO_UNIT;
    if (strcmp(rest, "/s") == 0)
        return scale_up(number, 1000, mhz);
    if (strcmp(rest, "/min") != 0)
        return SIM_SCALAR_MALFORMED;
    int64_t per_minute;
    status = scale_up(number, 1000, &per_minute);
    if (status == SIM_SCALAR_OK)
        *mhz = per_minute / 60 + (per_minute % 60 >= 30);
    return status;
}

sim_scalar_status sim_scalar_count(const char *text, int64_t *count)
{
    decimal number;
    const char *rest;
    const sim_scalar_status status = read_decimal(text, &number, &rest);
    if (status != SIM_SCALAR_OK)
        return status;
    if (*rest != '\0')
        return SIM_SCALAR_MALFORMED;
    return scale_up(number, 1, count);
}

sim_scalar_status sim_scalar_percent(const char *text, int64_t *percent)
{
    decimal number;
    const char *rest;
    const sim_scalar_status status = read_decimal(text, &number, &rest);
    if (status != SIM_SCALAR_OK)
        return status;
    if (*rest != '\0' && strcmp(rest, "%") != 0)
        return SIM_SCALAR_MALFORMED;
    return scale_up(number, 1, percent);
}

sim_scalar_status sim_scalar_decimal(const char *text, int64_t *value, int64_t *scale)
{
    decimal number;
    const char *rest;
    const sim_scalar_status status = read_decimal(text, &number, &rest);
    if (status != SIM_SCALAR_OK)
        return status;
    if (*rest != '\0')
        return SIM_SCALAR_MALFORMED;
    *value = number.value;
    *scale = number.scale;
    return SIM_SCALAR_OK;
}

bool sim_parse_duration(const char *text, int64_t *ns)
{
    return sim_scalar_duration(text, ns) == SIM_SCALAR_OK;
}

bool sim_parse_share(const char *text, uint32_t *ppb)
{
    int64_t parts;
    if (sim_scalar_share(text, SIM_SHARE_ONE, &parts) != SIM_SCALAR_OK || parts > SIM_SHARE_ONE)
        return false;
    *ppb = (uint32_t)parts;
    return true;
}

/* value / one as a decimal with the fewest digits, and a suffix. `one` is a power of ten, value >= 0. */
static void format_ratio(int64_t value, int64_t one, const char *suffix, char *out, size_t size)
{
    char fraction[DIGITS_MAX + 2] = "";
    size_t length = 0;
    int64_t rest = value % one;
    for (int64_t place = one / 10; place > 0 && rest > 0; place /= 10) {
        if (length == 0)
            fraction[length++] = '.';
        fraction[length++] = (char)('0' + rest / place);
        rest %= place;
    }
    fraction[length] = '\0';
    snprintf(out, size, "%" PRId64 "%s%s", value / one, fraction, suffix);
}

void sim_format_duration(int64_t ns, char *out, size_t size)
{
    if (ns == RGN_TIME_NEVER)
        snprintf(out, size, "never");
    else if (ns == 0)
        snprintf(out, size, "0 s");
    else if (ns < 0)
        snprintf(out, size, "%" PRId64 " ns", ns);
    else if (ns % units[5].ns == 0 && ns > units[5].ns)
        snprintf(out, size, "%" PRId64 " h", ns / units[5].ns);
    else if (ns % units[4].ns == 0 && ns > units[4].ns)
        snprintf(out, size, "%" PRId64 " min", ns / units[4].ns);
    else if (ns >= units[3].ns)
        format_ratio(ns, units[3].ns, " s", out, size);
    else if (ns >= units[2].ns)
        format_ratio(ns, units[2].ns, " ms", out, size);
    else if (ns >= units[1].ns)
        format_ratio(ns, units[1].ns, " us", out, size);
    else
        snprintf(out, size, "%" PRId64 " ns", ns);
}

void sim_format_share(int64_t parts, int64_t one, char *out, size_t size)
{
    format_ratio(parts, one / 100, " %", out, size);
}

void sim_format_factor(int64_t ppm, char *out, size_t size)
{
    format_ratio(ppm, SIM_FACTOR_ONE, "", out, size);
}

void sim_format_rate(int64_t mhz, char *out, size_t size)
{
    format_ratio(mhz, 1000, " /s", out, size);
}
