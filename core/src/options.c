/* SPDX-License-Identifier: MIT */
#include <regioncore/options.h>

#include <assert.h>
#include <string.h>

#define KNOB_ROW(group, field, type, reach, def, min, max, env, choices, meaning) \
    {#group "." #field, RGN_##type, RGN_REACH_##reach, (def), (min), (max), env, choices, meaning},
static const rgn_knob knobs[RGN_KNOB_COUNT] = {RGN_KNOBS(KNOB_ROW)};

/* OPT-4: the name of each variable's kill switch; only those of FLAG knobs are ever read. */
#define KNOB_OVERRIDE(group, field, type, reach, def, min, max, env, choices, meaning) env "_OVERRIDE",
static const char *const override_variables[RGN_KNOB_COUNT] = {RGN_KNOBS(KNOB_OVERRIDE)};

/* Where each knob lives in rgn_options. */
#define KNOB_OFFSET(group, field, type, reach, def, min, max, env, choices, meaning) \
    offsetof(rgn_options, group##_##field),
static const size_t offsets[RGN_KNOB_COUNT] = {RGN_KNOBS(KNOB_OFFSET)};

const rgn_knob *rgn_knob_at(rgn_knob_id id)
{
    assert(id < RGN_KNOB_COUNT);
    return &knobs[id];
}

const char *rgn_layer_name(rgn_layer layer)
{
    switch (layer) {
    case RGN_LAYER_DEFAULT:
        return "default";
    case RGN_LAYER_ENVIRONMENT:
        return "environment";
    case RGN_LAYER_RUNTIME:
        return "runtime";
    case RGN_LAYER_ACCOUNT:
        return "account";
    case RGN_LAYER_OPERATION:
        return "operation";
    case RGN_LAYER_OVERRIDE:
        return "override";
    }
    return "?";
}

/* OPT-5: the hedging specification and the driver gave one knob two names. */
const char *rgn_knob_second_variable(rgn_knob_id id)
{
    assert(id < RGN_KNOB_COUNT);
    return id == RGN_KNOB_breaker_consecutive_hedge_win_threshold ? "AZURE_COSMOS_CONSECUTIVE_HEDGE_WIN_THRESHOLD" : "";
}

rgn_knob_id rgn_knob_find(const char *name)
{
    unsigned id = 0;

    while (id < RGN_KNOB_COUNT && strcmp(knobs[id].name, name) != 0)
        id++;
    return (rgn_knob_id)id;
}

int64_t rgn_options_get(const rgn_options *options, rgn_knob_id id)
{
    int64_t value;

    assert(id < RGN_KNOB_COUNT);
    memcpy(&value, (const char *)options + offsets[id], sizeof value);
    return value;
}

void rgn_options_set(rgn_options *options, rgn_knob_id id, int64_t value)
{
    assert(id < RGN_KNOB_COUNT);
    memcpy((char *)options + offsets[id], &value, sizeof value);
}

void rgn_options_default(rgn_options *options)
{
    for (unsigned id = 0; id < RGN_KNOB_COUNT; id++)
        rgn_options_set(options, (rgn_knob_id)id, knobs[id].initial);
}

static bool is_in_range(const rgn_knob *knob, int64_t value)
{
    return value >= knob->min && value <= knob->max;
}

/* A sequential test needs two ratios to tell apart; a floor of 0 would let one success decide. */
static bool floor_fits(const rgn_options *options)
{
    if (options->failback_decide == RGN_DECIDE_SEQUENTIAL)
        return options->failback_retrip_floor > 0 &&
               options->failback_retrip_floor < options->failback_success_threshold;
    return options->failback_retrip_floor <= options->failback_success_threshold;
}

/* BRK-22: each region's machine counts failures in a row, and a region comes back on trial. */
static bool health_fits(const rgn_options *options)
{
    return options->breaker_health == RGN_HEALTH_PARTITION ||
           (options->breaker_rule == RGN_RULE_CONSECUTIVE && options->failback_strategy == RGN_STRATEGY_TENTATIVE &&
            options->breaker_tally == RGN_TALLY_PER_REGION);
}

/* OPT-2: every value within its range, the floor not above the threshold, the hedge threshold not 0, and a health of
 * each region only with what it is made of. */
rgn_status rgn_options_validate(const rgn_options *options, rgn_knob_id *wrong)
{
    unsigned bad = 0;

    while (bad < RGN_KNOB_COUNT && is_in_range(&knobs[bad], rgn_options_get(options, (rgn_knob_id)bad)))
        bad++;
    if (bad == RGN_KNOB_COUNT && !floor_fits(options))
        bad = RGN_KNOB_failback_retrip_floor;
    if (bad == RGN_KNOB_COUNT && options->hedging_threshold == 0)
        bad = RGN_KNOB_hedging_threshold;
    if (bad == RGN_KNOB_COUNT && !health_fits(options))
        bad = RGN_KNOB_breaker_health;
    if (bad == RGN_KNOB_COUNT)
        return RGN_OK;
    if (wrong != NULL)
        *wrong = (rgn_knob_id)bad;
    return RGN_ERR_RANGE;
}

/* Reads decimal digits; false without any, or where the number passes int64. `*end` is the first other character. */
static bool read_digits(const char *text, const char **end, int64_t *out)
{
    int64_t value = 0;
    const char *at = text;

    for (; *at >= '0' && *at <= '9'; at++) {
        int digit = *at - '0';
        if (value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *end = at;
    *out = value;
    return at != text;
}

/* A whole number with an optional minus sign, nothing around it. */
static bool parse_whole(const char *text, int64_t *out)
{
    bool is_negative = text[0] == '-';
    const char *end;

    if (!read_digits(text + is_negative, &end, out) || *end != '\0')
        return false;
    if (is_negative)
        *out = -*out;
    return true;
}

/* A decimal ratio such as 0.9 in parts per million: digits, then perhaps a point and up to six more. */
static bool parse_share(const char *text, int64_t *out)
{
    const char *end;
    int64_t scale = 1000000;

    if (!read_digits(text, &end, out) || *out > INT64_MAX / scale - 1)
        return false;
    *out *= scale;
    if (*end == '\0')
        return true;
    if (*end != '.' || end[1] == '\0')
        return false;
    for (end++; *end >= '0' && *end <= '9'; end++) {
        if (scale == 1)
            return false;
        scale /= 10;
        *out += (*end - '0') * scale;
    }
    return *end == '\0';
}

/* Index of `text` in a list such as "restart|dwell|judge". */
static bool parse_choice(const char *text, const char *choices, int64_t *out)
{
    size_t length = strlen(text);

    for (int64_t index = 0;; index++) {
        const char *bar = strchr(choices, '|');
        size_t size = bar == NULL ? strlen(choices) : (size_t)(bar - choices);
        if (size == length && memcmp(choices, text, length) == 0) {
            *out = index;
            return true;
        }
        if (bar == NULL)
            return false;
        choices = bar + 1;
    }
}

static bool parse_flag(const char *text, int64_t *out)
{
    *out = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    return *out || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

/* The two words that stand for reserved values, where the knob's range admits them. */
static bool parse_word(const char *text, const rgn_knob *knob, int64_t *out)
{
    if (strcmp(text, "never") == 0 && knob->max == RGN_TIME_NEVER) {
        *out = RGN_TIME_NEVER;
        return true;
    }
    *out = RGN_AUTO;
    return strcmp(text, "auto") == 0 && knob->min == RGN_AUTO;
}

/* OPT-3: the environment's spelling of a value. Reserved values have words only: -1 is no way to write `auto`. */
static bool parse_environment(const rgn_knob *knob, const char *text, int64_t *out)
{
    bool is_read = false;

    switch (knob->type) {
    case RGN_FLAG:
        return parse_flag(text, out) || parse_word(text, knob, out);
    case RGN_CHOICE:
        return parse_choice(text, knob->choices, out);
    case RGN_SHARE:
        is_read = parse_share(text, out);
        break;
    case RGN_DURATION:
        if (parse_word(text, knob, out))
            return true;
        is_read = parse_whole(text, out) && *out <= (RGN_TIME_NEVER - 1) / RGN_NS_PER_MS;
        if (is_read)
            *out *= RGN_NS_PER_MS;
        break;
    case RGN_COUNT:
    case RGN_PERCENT:
        if (parse_word(text, knob, out))
            return true;
        is_read = parse_whole(text, out);
        break;
    }
    return is_read && *out >= 0 && is_in_range(knob, *out);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Compares text[0..length) with a lower-case word, ignoring ASCII case. */
static bool is_word(const char *text, size_t length, const char *word)
{
    if (strlen(word) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != word[i])
            return false;
    }
    return true;
}

/* OPT-4: the kill switch is lenient; what it cannot read leaves it unset. */
static bool parse_override(const char *text, int64_t *out)
{
    static const char *const words[2][4] = {{"false", "0", "no", "off"}, {"true", "1", "yes", "on"}};
    size_t length;

    while (is_blank(*text))
        text++;
    for (length = strlen(text); length > 0 && is_blank(text[length - 1]); length--)
        continue;
    for (int64_t value = 0; value < 2; value++) {
        for (size_t i = 0; i < 4; i++) {
            if (is_word(text, length, words[value][i])) {
                *out = value;
                return true;
            }
        }
    }
    return false;
}

static const char *look_up(const rgn_environment *environment, const char *variable)
{
    return environment == NULL || variable[0] == '\0' ? NULL : environment->lookup(environment->context, variable);
}

static void take(rgn_effective_options *out, unsigned id, int64_t value, rgn_layer origin)
{
    rgn_options_set(&out->values, (rgn_knob_id)id, value);
    out->origin[id] = (uint8_t)origin;
}

static void take_layer(rgn_effective_options *out, unsigned id, const rgn_option_layer *layer, rgn_layer origin)
{
    if (layer != NULL && layer->is_set[id])
        take(out, id, rgn_options_get(&layer->values, (rgn_knob_id)id), origin);
}

/* Reads one variable into `*value`. `*text` is what it holds, NULL if it is not set. */
static bool read_variable(const rgn_environment *environment, unsigned id, const char *variable, const char **text,
                          int64_t *value, rgn_options_error *error)
{
    *text = look_up(environment, variable);
    if (*text == NULL || parse_environment(&knobs[id], *text, value))
        return true;
    *error = (rgn_options_error){(rgn_knob_id)id, variable, *text, NULL};
    return false;
}

/* OPT-5: takes the environment's value, under either name. */
static bool take_environment(rgn_effective_options *out, unsigned id, const rgn_environment *environment,
                             rgn_options_error *error)
{
    const char *names[] = {knobs[id].environment, rgn_knob_second_variable((rgn_knob_id)id)};
    const char *texts[2];
    int64_t values[2] = {0};

    for (unsigned i = 0; i < 2; i++)
        if (!read_variable(environment, id, names[i], &texts[i], &values[i], error))
            return false;
    if (texts[0] != NULL && texts[1] != NULL && values[0] != values[1]) {
        *error = (rgn_options_error){(rgn_knob_id)id, names[1], texts[1], names[0]};
        return false;
    }
    if (texts[0] != NULL || texts[1] != NULL)
        take(out, id, values[texts[0] == NULL], RGN_LAYER_ENVIRONMENT);
    return true;
}

/* OPT-1: layers from the weakest to the strongest, each knob on its own. A variable that does not parse is an error
 * even where a stronger layer hides it: it would surprise on the day that layer goes. */
rgn_status rgn_options_resolve(const rgn_option_layer *operation, const rgn_option_layer *account,
                               const rgn_option_layer *runtime, const rgn_environment *environment,
                               rgn_effective_options *out, rgn_options_error *error)
{
    rgn_knob_id wrong;
    int64_t value;

    for (unsigned id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = &knobs[id];
        const char *text;

        take(out, id, knob->initial, RGN_LAYER_DEFAULT);
        if (!take_environment(out, id, environment, error))
            return RGN_ERR_RANGE;
        take_layer(out, id, runtime, RGN_LAYER_RUNTIME);
        take_layer(out, id, account, RGN_LAYER_ACCOUNT);
        take_layer(out, id, operation, RGN_LAYER_OPERATION);
        if (knob->type == RGN_FLAG && knob->environment[0] != '\0') {
            text = look_up(environment, override_variables[id]);
            if (text != NULL && parse_override(text, &value))
                take(out, id, value, RGN_LAYER_OVERRIDE);
        }
    }
    if (rgn_options_validate(&out->values, &wrong) != RGN_OK) {
        bool is_from_environment = out->origin[wrong] == RGN_LAYER_ENVIRONMENT;
        const char *variable = is_from_environment ? knobs[wrong].environment : NULL;
        *error = (rgn_options_error){wrong, variable, variable == NULL ? NULL : look_up(environment, variable), NULL};
        return RGN_ERR_RANGE;
    }
    *error = (rgn_options_error){RGN_KNOB_COUNT, NULL, NULL, NULL};
    return RGN_OK;
}
