/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files in, nodes found, errors out. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "scenario/document.h"

bool sim_file_read(sim_arena *arena, const char *path, const char **text, size_t *length, sim_input_error *error)
{
    const sim_source source = {.path = path};
    FILE *file = fopen(path, "rb");
    struct stat facts;
    bool is_good = false;
    if (file == NULL || fstat(fileno(file), &facts) != 0) {
        sim_error_at(error, &source, NULL, "cannot be read: %s", strerror(errno));
    } else if (S_ISDIR(facts.st_mode)) {
        sim_error_at(error, &source, NULL, "is a folder; expected a YAML file");
    } else {
        char *buffer = sim_arena_alloc(arena, SIM_DOCUMENT_BYTES_MAX + 2);
        *length = fread(buffer, 1, SIM_DOCUMENT_BYTES_MAX + 1, file);
        *text = buffer;
        is_good = ferror(file) == 0;
        if (!is_good)
            sim_error_at(error, &source, NULL, "cannot be read: %s", strerror(errno));
    }
    if (file != NULL)
        fclose(file);
    error->is_io = !is_good;
    return is_good;
}

sim_node *sim_node_get(const sim_node *mapping, const char *key)
{
    if (mapping == NULL || mapping->type != SIM_NODE_MAPPING)
        return NULL;
    for (sim_node *child = mapping->first; child != NULL; child = child->next) {
        if (strcmp(child->key->text, key) == 0)
            return child;
    }
    return NULL;
}

void sim_node_put(sim_node *mapping, sim_node *key, sim_node *value)
{
    value->key = key;
    value->next = NULL;
    sim_node *before = NULL;
    for (sim_node *child = mapping->first; child != NULL; before = child, child = child->next) {
        if (strcmp(child->key->text, key->text) != 0)
            continue;
        value->next = child->next;
        if (before != NULL)
            before->next = value;
        else
            mapping->first = value;
        if (mapping->last == child)
            mapping->last = value;
        return;
    }
    if (mapping->last != NULL)
        mapping->last->next = value;
    else
        mapping->first = value;
    mapping->last = value;
    mapping->count++;
}

/* What messages about a setting begin with. */
static void name_setting(const sim_setting *setting, char *out, size_t size)
{
    char shown[SIM_SHOW_SIZE];
    snprintf(out, size, "--set %s=%s: ", setting->key, sim_text_show(setting->value, shown));
}

size_t sim_setting_blamed(const sim_setting *setting, const char *message)
{
    char name[sizeof((sim_input_error *)NULL)->message];
    name_setting(setting, name, sizeof name);
    return strncmp(message, name, strlen(name)) == 0 ? strlen(name) : 0;
}

bool sim_error_at(sim_input_error *error, const sim_source *source, const sim_node *node, const char *format, ...)
{
    *error = (sim_input_error){0};
    if (node != NULL)
        source = node->source;
    size_t used = 0;
    if (source->setting != NULL) {
        name_setting(source->setting, error->message, sizeof error->message);
        used = strlen(error->message);
    } else {
        snprintf(error->path, sizeof error->path, "%s", source->path != NULL ? source->path : "");
        error->line = node != NULL ? node->line : 0;
        error->column = node != NULL ? node->column : 0;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message + used, sizeof error->message - used, format, arguments);
    va_end(arguments);
    return false;
}

const char *sim_text_entity(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

size_t sim_text_unprintable(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < ' ')
        return c[0] != '\0';
    if (c[0] == 0x7f)
        return 1;
    if (c[0] == 0xc2)
        return c[1] >= 0x80 && c[1] <= 0x9f ? 2 : 0;
    if (c[0] == 0xe2 && c[1] == 0x80)
        return c[2] >= 0xa8 && c[2] <= 0xae ? 3 : 0;
    if (c[0] == 0xe2 && c[1] == 0x81)
        return c[2] >= 0xa6 && c[2] <= 0xa9 ? 3 : 0;
    return 0;
}

static void put_clean(const char *text, FILE *out)
{
    while (*text != '\0') {
        const size_t unprintable = sim_text_unprintable(text);
        fputc(unprintable > 0 ? ' ' : *text, out);
        text += unprintable > 0 ? unprintable : 1;
    }
}

void sim_input_error_print(const sim_input_error *error, FILE *out)
{
    put_clean(error->path, out);
    if (error->path[0] != '\0' && error->line > 0)
        fprintf(out, ":%d:%d", error->line, error->column);
    fputs(error->path[0] != '\0' ? ": " : "", out);
    put_clean(error->message, out);
    fputc('\n', out);
}

const char *sim_text_show(const char *text, char out[SIM_SHOW_SIZE])
{
    const char *const dots = "...";
    size_t used = 0;
    out[used++] = '"';
    size_t i = 0;
    while (text[i] != '\0' && used < SIM_SHOW_SIZE - 6) {
        const size_t unprintable = sim_text_unprintable(text + i);
        out[used++] = unprintable > 0 ? ' ' : text[i];
        i += unprintable > 0 ? unprintable : 1;
    }
    if (text[i] != '\0') {
        /* Never cut a character in two. What is no UTF-8 may have no beginning of one. */
        while (i > 0 && used > 1 && ((unsigned char)text[i] & 0xc0) == 0x80) {
            i--;
            used--;
        }
        memcpy(out + used, dots, strlen(dots));
        used += strlen(dots);
    }
    out[used++] = '"';
    out[used] = '\0';
    return out;
}

const char *sim_node_show(const sim_node *node, char out[SIM_SHOW_SIZE])
{
    if (node->type == SIM_NODE_MAPPING)
        return "a mapping";
    if (node->type == SIM_NODE_LIST)
        return "a list";
    return node->text[0] == '\0' ? "nothing" : sim_text_show(node->text, out);
}
