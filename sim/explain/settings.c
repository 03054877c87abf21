/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of an earlier command line. */
#include <string.h>

#include "explain/stored.h"

/* Takes the next word off, without its quotes; false at the end. `word` has room for the whole text. */
static bool next_word(const char **text, char *word)
{
    bool is_quoted = false;
    const char *c = *text + strspn(*text, " ");
    if (*c == '\0')
        return false;
    for (; *c != '\0' && (is_quoted || *c != ' '); c++) {
        if (*c == '\'')
            is_quoted = !is_quoted;
        else if (*c == '\\' && !is_quoted && c[1] != '\0')
            *word++ = *++c;
        else
            *word++ = *c;
    }
    *word = '\0';
    *text = c;
    return true;
}

/* "KEY=VALUE" */
static bool take(sim_arena *arena, const char *text, sim_setting *out)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return false;
    *out = (sim_setting){sim_arena_copy(arena, text, (size_t)(equals - text)), sim_arena_string(arena, equals + 1)};
    return true;
}

size_t exp_settings_read(sim_arena *arena, const char *command_line, sim_setting *out, size_t max)
{
    static const char OPTION[] = "--set";
    const size_t length = sizeof OPTION - 1;
    char *word = sim_arena_alloc(arena, strlen(command_line) + 1);
    size_t count = 0;
    bool is_value = false;
    while (count < max && next_word(&command_line, word)) {
        const bool is_joined = strncmp(word, OPTION, length) == 0 && word[length] == '=';
        if (is_value || is_joined)
            count += take(arena, is_value ? word : word + length + 1, &out[count]);
        is_value = !is_value && strcmp(word, OPTION) == 0;
    }
    return count;
}
