/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/axis.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

enum { MILLION = 1000000, DECIMALS = 6, FINE = 1000, WHOLE_DIGITS = 12, VALUES_MAX = 1000000000 };

static bool fail(sim_axis_error *error, size_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(sim_axis_error *error, size_t column, const char *format, ...)
{
    va_list arguments;
    error->column = column;
    va_start(arguments, format);
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

/* A number and what stands behind it. */
typedef struct {
    size_t column;
    char text[SIM_AXIS_TEXT_SIZE];
    const char *unit; /* in `text` */
} quantity;

/* The text from `column` on, without blanks at its ends. */
static bool take_text(const char *text, size_t column, size_t length, quantity *out, sim_axis_error *error)
{
    const char *from = text + column - 1;
    while (length > 0 && *from == ' ') {
        from++;
        length--;
    }
    while (length > 0 && from[length - 1] == ' ')
        length--;
    out->column = (size_t)(from - text) + 1;
    if (length == 0)
        return fail(error, out->column, "found nothing; expected a value");
    if (length >= sizeof out->text)
        return fail(error, out->column, "a value of more than %zu characters", sizeof out->text - 1);
    (void)snprintf(out->text, sizeof out->text, "%.*s", (int)length, from);
    const size_t number = strspn(out->text, "0123456789.");
    out->unit = out->text + number + strspn(out->text + number, " ");
    return true;
}

/* "12.5" to 12500000, whatever stands behind it. */
static bool read_millionths(const char *text, int64_t *value)
{
    int64_t sum = 0;
    const size_t whole = strspn(text, "0123456789");
    if (whole == 0 || whole > WHOLE_DIGITS)
        return false;
    for (size_t i = 0; i < whole; i++)
        sum = 10 * sum + (text[i] - '0');
    const char *rest = text + whole;
    const size_t decimals = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
    if (*rest == '.' && (decimals == 0 || decimals > DECIMALS || rest[1 + decimals] == '.'))
        return false;
    for (size_t i = 0; i < DECIMALS; i++)
        sum = 10 * sum + (i < decimals ? rest[1 + i] - '0' : 0);
    *value = sum;
    return true;
}

/* With the unit that `of` has if it has none of its own. */
static sim_axis_kind read_quantity(const quantity *self, const quantity *of, int64_t *value)
{
    const char *unit = self->unit[0] == '\0' ? of->unit : self->unit;
    char text[2 * SIM_AXIS_TEXT_SIZE];
    (void)snprintf(text, sizeof text, "%.*s %s", (int)(strspn(self->text, "0123456789.")), self->text, unit);
    if (unit[0] == '\0')
        return read_millionths(self->text, value) ? SIM_AXIS_NUMBER : SIM_AXIS_WORD;
    if (strcmp(unit, "%") == 0)
        return read_millionths(self->text, value) ? SIM_AXIS_PERCENT : SIM_AXIS_WORD;
    if (strcmp(unit, "/s") == 0)
        return read_millionths(self->text, value) ? SIM_AXIS_RATE : SIM_AXIS_WORD;
    return sim_parse_duration(text, value) ? SIM_AXIS_DURATION : SIM_AXIS_WORD;
}

/* The step of a range that names none; 0: there is none. */
static int64_t usual_step(sim_axis_kind kind, int64_t low, int64_t high, bool is_fine)
{
    const bool is_whole = kind != SIM_AXIS_DURATION && low % MILLION == 0 && high % MILLION == 0;
    if (is_whole && (kind == SIM_AXIS_NUMBER || kind == SIM_AXIS_PERCENT))
        return MILLION;
    if (!is_fine)
        return 0;
    return (high - low) / FINE > 0 ? (high - low) / FINE : 1;
}

static const char *const KINDS = "a number, a percentage, a rate (/s) or a duration (ns, us, ms, s, min, h)";

/* The ends and the step of a range, read. `step` is NULL where there is none. */
static bool measure(const quantity *low, const quantity *high, const quantity *step, bool is_fine, sim_axis_item *item,
                    sim_axis_error *error)
{
    int64_t last = 0;
    const sim_axis_kind kind = read_quantity(high, high, &last);
    item->kind = read_quantity(low, high, &item->low);
    if (kind == SIM_AXIS_WORD)
        return fail(error, high->column, "found \"%s\" at the end of a range; expected %s", high->text, KINDS);
    if (item->kind == SIM_AXIS_WORD)
        return fail(error, low->column, "found \"%s\" at the start of a range; expected %s", low->text, KINDS);
    if (item->kind != kind)
        return fail(error, low->column, "\"%s\" and \"%s\" have different units", low->text, high->text);
    if (item->low > last)
        return fail(error, low->column, "the range is empty: %s is above %s", low->text, high->text);
    item->step = usual_step(kind, item->low, last, is_fine);
    if (step != NULL && read_quantity(step, high, &item->step) != kind)
        return fail(error, step->column, "found the step \"%s\"; expected one of the same unit as \"%s\"", step->text,
                    high->text);
    if (step != NULL && item->step == 0)
        return fail(error, step->column, "the step is 0; expected more");
    if (item->step == 0 && item->low < last)
        return fail(error, low->column,
                    "found \"%s..%s\"; expected a step, LOW..HIGH:STEP, for what is no whole number", low->text,
                    high->text);
    item->count = item->low == last ? 1 : (uint64_t)((last - item->low) / item->step) + 1;
    if (item->count > VALUES_MAX)
        return fail(error, low->column, "the range holds more than %d values; expected a larger step", VALUES_MAX);
    return true;
}

/* LOW..HIGH or LOW..HIGH:STEP; `dots` is where the dots are. */
static bool parse_range(const char *text, const char *dots, bool is_fine, sim_axis_item *item, sim_axis_error *error)
{
    quantity low, high, step;
    const char *end = text + item->column - 1 + item->length;
    const char *colon = memchr(dots, ':', (size_t)(end - dots));
    const char *high_end = colon == NULL ? end : colon;
    item->is_range = true;
    if (!take_text(text, item->column, (size_t)(dots - text) + 1 - item->column, &low, error) ||
        !take_text(text, (size_t)(dots - text) + 3, (size_t)(high_end - dots) - 2, &high, error))
        return false;
    if (colon != NULL && !take_text(text, (size_t)(colon - text) + 2, (size_t)(end - colon) - 1, &step, error))
        return false;
    return measure(&low, &high, colon == NULL ? NULL : &step, is_fine, item, error);
}

static bool parse_item(const char *text, size_t column, size_t length, bool is_fine, sim_axis_item *item,
                       sim_axis_error *error)
{
    quantity value;
    int64_t number = 0;
    if (!take_text(text, column, length, &value, error))
        return false;
    *item = (sim_axis_item){.column = value.column, .length = strlen(value.text), .count = 1};
    const char *dots = strchr("0123456789.", value.text[0]) == NULL ? NULL : strstr(value.text, "..");
    if (dots != NULL)
        return parse_range(text, text + value.column - 1 + (dots - value.text), is_fine, item, error);
    item->kind = read_quantity(&value, &value, &number);
    item->low = number;
    return true;
}

/* Length of the item that begins here: up to a comma outside brackets and quotes. */
static size_t item_length(const char *text)
{
    int depth = 0;
    char quote = '\0';
    size_t length = 0;
    for (; text[length] != '\0'; length++) {
        const char c = text[length];
        if (quote != '\0')
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '[' || c == '{')
            depth++;
        else if (c == ']' || c == '}')
            depth--;
        else if (c == ',' && depth <= 0)
            break;
    }
    return length;
}

static bool add_item(sim_axis *axis, const sim_axis_item *item, sim_axis_error *error)
{
    sim_axis_item *grown = realloc(axis->item, (axis->item_count + 1) * sizeof *grown);
    if (grown == NULL)
        return fail(error, item->column, "out of memory");
    axis->item = grown;
    axis->item[axis->item_count++] = *item;
    axis->count += item->count;
    return true;
}

bool sim_axis_parse(const char *text, bool is_fine, sim_axis *axis, sim_axis_error *error)
{
    *axis = (sim_axis){.text = text};
    *error = (sim_axis_error){0};
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return fail(error, 1,
                    "expected KEY=VALUE,VALUE,... or KEY=LOW..HIGH:STEP, such as failback.min_sample=5..50:5");
    if ((size_t)(equals - text) >= sizeof axis->key)
        return fail(error, 1, "a key of more than %zu characters", sizeof axis->key - 1);
    (void)snprintf(axis->key, sizeof axis->key, "%.*s", (int)(equals - text), text);
    for (const char *from = equals + 1;;) {
        const size_t length = item_length(from);
        sim_axis_item item;
        if (!parse_item(text, (size_t)(from - text) + 1, length, is_fine, &item, error) ||
            !add_item(axis, &item, error))
            return false;
        from += length;
        if (*from == '\0')
            return true;
        from++;
    }
}

void sim_axis_deinit(sim_axis *axis)
{
    free(axis->item);
    *axis = (sim_axis){0};
}

/* 12500000 as "12.5". */
static void format_millionths(int64_t value, const char *unit, char *out, size_t size)
{
    char decimals[DECIMALS + 2];
    (void)snprintf(decimals, sizeof decimals, ".%06d", (int)(value % MILLION));
    size_t length = strlen(decimals);
    while (length > 0 && (decimals[length - 1] == '0' || decimals[length - 1] == '.'))
        length--;
    (void)snprintf(out, size, "%" PRId64 "%.*s%s", value / MILLION, (int)length, decimals, unit);
}

static double number_of(sim_axis_kind kind, int64_t value)
{
    if (kind == SIM_AXIS_DURATION)
        return (double)value;
    return (double)value / MILLION / (kind == SIM_AXIS_PERCENT ? 100 : 1);
}

sim_axis_value sim_axis_at(const sim_axis *axis, uint64_t n)
{
    const sim_axis_item *item = axis->item;
    while (n >= item->count) {
        n -= item->count;
        item++;
    }
    const int64_t value = item->low + (int64_t)n * item->step;
    sim_axis_value out = {
        .column = item->column, .has_number = item->kind != SIM_AXIS_WORD, .number = number_of(item->kind, value)};
    if (!item->is_range)
        (void)snprintf(out.text, sizeof out.text, "%.*s", (int)item->length, axis->text + item->column - 1);
    else if (item->kind == SIM_AXIS_DURATION)
        sim_format_duration(value, out.text, sizeof out.text);
    else
        format_millionths(value,
                          item->kind == SIM_AXIS_PERCENT ? " %"
                          : item->kind == SIM_AXIS_RATE  ? " /s"
                                                         : "",
                          out.text, sizeof out.text);
    return out;
}
