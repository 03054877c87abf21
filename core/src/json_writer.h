/* SPDX-License-Identifier: MIT */
/* Writes one JSON object into a buffer of the caller's, without allocation; keeps counting where there is no room. */
#ifndef REGIONCORE_SRC_JSON_WRITER_H
#define REGIONCORE_SRC_JSON_WRITER_H

#include <string.h>

#include <regioncore/types.h>

typedef struct {
    char *out;
    size_t size;
    size_t length; /* of the whole text, also of what found no room */
} writer;

static inline void put_text(writer *w, const char *text)
{
    size_t length = strlen(text);
    if (w->length < w->size) {
        size_t room = w->size - w->length;
        memcpy(w->out + w->length, text, length < room ? length : room);
    }
    w->length += length;
}

static inline void put_number(writer *w, int64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits - 1;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    *at = '\0';
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0)
        *--at = '-';
    put_text(w, at);
}

static inline void put_key(writer *w, const char *key)
{
    put_text(w, w->length == 1 ? "\"" : ",\"");
    put_text(w, key);
    put_text(w, "\":");
}

static inline void put_word(writer *w, const char *key, const char *word)
{
    put_key(w, key);
    put_text(w, word == NULL ? "null" : "\"");
    if (word != NULL) {
        put_text(w, word);
        put_text(w, "\"");
    }
}

static inline void put_integer(writer *w, const char *key, int64_t value)
{
    put_key(w, key);
    put_number(w, value);
}

static inline void put_region(writer *w, const char *key, rgn_region region)
{
    if (region == RGN_REGION_NONE)
        put_word(w, key, NULL);
    else
        put_integer(w, key, region);
}

/* Ends the text with its NUL. Returns its whole length. */
static inline size_t put_end(writer *w)
{
    put_text(w, "}");
    if (w->size > 0)
        w->out[w->length < w->size ? w->length : w->size - 1] = '\0';
    return w->length;
}

#endif
