/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking things up in the schema table. */
#include <stdio.h>
#include <string.h>

#include "scenario/scenario.h"
#include "scenario/schema.h"

const sim_field *sim_record_find(const sim_record *record, const char *key)
{
    for (size_t i = 0; i < record->count; i++) {
        if (strcmp(record->field[i].key, key) == 0)
            return &record->field[i];
    }
    return NULL;
}

bool sim_word_at(const char *words, size_t n, char *out, size_t size)
{
    for (; n > 0; n--) {
        words = strchr(words, '|');
        if (words == NULL)
            return false;
        words++;
    }
    snprintf(out, size, "%.*s", (int)strcspn(words, "|"), words);
    return true;
}

int sim_word_find(const char *words, const char *word)
{
    char candidate[SIM_WORD_SIZE];
    for (int n = 0; sim_word_at(words, (size_t)n, candidate, sizeof candidate); n++) {
        if (strcmp(candidate, word) == 0)
            return n;
    }
    return -1;
}

const char *sim_word_nearest(const char *words, const char *word, char *out, size_t size)
{
    char text[SIM_WORDS_MAX][SIM_WORD_SIZE];
    const char *candidate[SIM_WORDS_MAX];
    size_t count = 0;
    for (; count < SIM_WORDS_MAX && sim_word_at(words, count, text[count], SIM_WORD_SIZE); count++)
        candidate[count] = text[count];
    const char *nearest = sim_nearest(word, candidate, count);
    if (nearest == NULL)
        return NULL;
    snprintf(out, size, "%s", nearest);
    return out;
}
