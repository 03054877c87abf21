/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "Did you mean": edit distance with swaps of neighbours (optimal string alignment), upper and lower case alike. */
#include <string.h>

#include "scenario/scenario.h"

enum { WORD_MAX = 64 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Both words are at most WORD_MAX bytes long. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][WORD_MAX + 1];
    unsigned *before = rows[0];
    unsigned *last = rows[1];
    unsigned *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            const unsigned change = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = smaller(smaller(last[j] + 1, row[j - 1] + 1), last[j - 1] + change);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        unsigned *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b_length];
}

const char *sim_nearest(const char *word, const char *const *candidates, size_t count)
{
    const size_t length = strlen(word);
    if (length == 0 || length > WORD_MAX)
        return NULL;
    const char *nearest = NULL;
    /* A third of the letters may differ; a word of one letter is near nothing but its other case. */
    unsigned limit = (unsigned)(length + 1) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        const size_t candidate_length = strlen(candidates[i]);
        if (candidate_length > WORD_MAX)
            continue;
        const unsigned d = distance(word, length, candidates[i], candidate_length);
        if (d < limit && d < length) {
            nearest = candidates[i];
            limit = d;
        }
    }
    return nearest;
}
