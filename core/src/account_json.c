/* SPDX-License-Identifier: MIT */
/* One optional boolean out of the account's metadata. A reader of JSON that builds nothing: it finds one property and
 * checks no more of the rest than it takes to pass over it. */
#include <regioncore/account.h>

#include <string.h>

enum { DEPTH_MAX = 64 };

typedef struct {
    const char *at;
    const char *end;
} text;

static void skip_blanks(text *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\n' || *t->at == '\r'))
        t->at++;
}

static bool take(text *t, char c)
{
    skip_blanks(t);
    if (t->at == t->end || *t->at != c)
        return false;
    t->at++;
    return true;
}

/* A string, without its quotes; escapes stay as they are. */
static bool take_string(text *t, text *out)
{
    if (!take(t, '"'))
        return false;
    out->at = t->at;
    for (; t->at < t->end && *t->at != '"'; t->at++) {
        if (*t->at == '\\' && ++t->at == t->end)
            return false;
    }
    out->end = t->at;
    return take(t, '"');
}

/* A number or a word, up to what can follow one. */
static bool take_word(text *t, text *out)
{
    skip_blanks(t);
    out->at = t->at;
    while (t->at < t->end && strchr(",]}: \t\r\n\"[{", *t->at) == NULL)
        t->at++;
    out->end = t->at;
    return out->end > out->at;
}

static bool is(text word, const char *expected)
{
    size_t length = (size_t)(word.end - word.at);

    return length == strlen(expected) && memcmp(word.at, expected, length) == 0;
}

/* Passes over a list or an object from behind its bracket: brackets pair up, strings hide theirs. */
static bool skip_brackets(text *t, char first)
{
    char closing[DEPTH_MAX];
    unsigned depth = 0;
    text string;

    closing[depth++] = first == '{' ? '}' : ']';
    while (t->at < t->end && depth > 0) {
        char c = *t->at;
        if (c == '"') {
            if (!take_string(t, &string))
                return false;
            continue;
        }
        t->at++;
        if (c == closing[depth - 1]) {
            depth--;
        } else if (c == '{' || c == '[') {
            if (depth == DEPTH_MAX)
                return false;
            closing[depth++] = c == '{' ? '}' : ']';
        } else if (c == '}' || c == ']') {
            return false;
        }
    }
    return depth == 0;
}

static bool skip_value(text *t)
{
    text ignored;

    skip_blanks(t);
    if (t->at == t->end)
        return false;
    if (*t->at == '"')
        return take_string(t, &ignored);
    if (*t->at == '{' || *t->at == '[')
        return skip_brackets(t, *t->at++);
    return take_word(t, &ignored);
}

static bool take_signal(text *t, rgn_signal *signal)
{
    text word;

    if (!take_word(t, &word))
        return false;
    *signal = is(word, "true") ? RGN_SIGNAL_TRUE : is(word, "false") ? RGN_SIGNAL_FALSE : RGN_SIGNAL_ABSENT;
    return *signal != RGN_SIGNAL_ABSENT || is(word, "null");
}

/* GWY-14 */
static bool read(text *t, const char *property, rgn_signal *signal)
{
    text name;

    if (!take(t, '{'))
        return false;
    if (!take(t, '}')) {
        do {
            if (!take_string(t, &name) || !take(t, ':'))
                return false;
            if (!(is(name, property) ? take_signal(t, signal) : skip_value(t)))
                return false;
        } while (take(t, ','));
        if (!take(t, '}'))
            return false;
    }
    skip_blanks(t);
    return t->at == t->end;
}

rgn_status rgn_account_read_signal(const char *json, size_t length, const char *property, rgn_signal *signal)
{
    text t = {json, json + length};

    *signal = RGN_SIGNAL_ABSENT;
    if (read(&t, property, signal))
        return RGN_OK;
    *signal = RGN_SIGNAL_ABSENT;
    return RGN_ERR_RANGE;
}
