/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#define PARTITIONS_MAX 65536
#define CLOCK_MAX      (INT64_C(1) << 53)

void vector_fail(const vector *v, const char *message, const char *key)
{
    fflush(stdout);
    fprintf(stderr, "%s:%ld: %s%s%s\n", v->file, v->line, message, key[0] != '\0' ? ": " : "", key);
    exit(2);
}

/* Reads one line of any length into `*line`. False at the end of the file. */
static bool read_line(gzFile input, const vector *where, char **line, size_t *capacity)
{
    size_t length = 0;
    for (;;) {
        if (*capacity - length < 4096) {
            *capacity = *capacity * 2 + 65536;
            *line = realloc(*line, *capacity);
            if (*line == NULL)
                vector_fail(where, "out of memory", "");
        }
        if (gzgets(input, *line + length, (int)(*capacity - length)) == NULL)
            break;
        length += strlen(*line + length);
        if (length > 0 && (*line)[length - 1] == '\n')
            return true;
    }
    return length > 0;
}

static struct json_object *parse(const vector *where, const char *line)
{
    enum json_tokener_error error;
    struct json_object *object = json_tokener_parse_verbose(line, &error);
    if (json_object_is_type(object, json_type_object))
        return object;
    json_object_put(object);
    vector_fail(where, "not a JSON object", error != json_tokener_success ? json_tokener_error_desc(error) : "");
}

void vector_read_file(const char *file, void (*use)(void *context, const vector *v), void *context)
{
    vector v = {.file = file};
    char *line = NULL;
    size_t capacity = 0;
    int error;
    gzFile input = gzopen(file, "rb");
    if (input == NULL)
        vector_fail(&v, "cannot be opened", "");
    while (read_line(input, &v, &line, &capacity)) {
        v.line++;
        if (line[strspn(line, " \t\r\n")] == '\0')
            continue;
        v.object = parse(&v, line);
        use(context, &v);
        json_object_put(v.object);
    }
    const char *message = gzerror(input, &error);
    if (error != Z_OK && error != Z_STREAM_END)
        vector_fail(&v, "cannot be read", message);
    if (gzclose_r(input) != Z_OK)
        vector_fail(&v, "ends too early", "");
    if (v.line == 0)
        vector_fail(&v, "is empty", "");
    free(line);
}

struct json_object *part_get(const vector *v, struct json_object *part, const char *key)
{
    struct json_object *value;
    if (!json_object_is_type(part, json_type_object))
        vector_fail(v, "not an object; it lacks", key);
    if (!json_object_object_get_ex(part, key, &value))
        vector_fail(v, "key is missing", key);
    return value;
}

static int64_t as_int(const vector *v, struct json_object *value, const char *key)
{
    if (!json_object_is_type(value, json_type_int))
        vector_fail(v, "not a whole number", key);
    return json_object_get_int64(value);
}

int64_t part_int(const vector *v, struct json_object *part, const char *key)
{
    return as_int(v, part_get(v, part, key), key);
}

int64_t part_at(const vector *v, struct json_object *array, size_t index)
{
    if (!json_object_is_type(array, json_type_array) || index >= json_object_array_length(array))
        vector_fail(v, "array is too short", "");
    return as_int(v, json_object_array_get_idx(array, index), "array element");
}

struct json_object *part_array(const vector *v, struct json_object *part, const char *key)
{
    struct json_object *value = part_get(v, part, key);
    if (!json_object_is_type(value, json_type_array))
        vector_fail(v, "not an array", key);
    return value;
}

bool vector_has(const vector *v, const char *key)
{
    return json_object_object_get_ex(v->object, key, NULL);
}

int64_t vector_int(const vector *v, const char *key)
{
    return part_int(v, v->object, key);
}

const char *part_text(const vector *v, struct json_object *part, const char *key)
{
    struct json_object *value = part_get(v, part, key);
    if (!json_object_is_type(value, json_type_string))
        vector_fail(v, "not a string", key);
    return json_object_get_string(value);
}

const char *vector_text(const vector *v, const char *key)
{
    return part_text(v, v->object, key);
}

struct json_object *vector_array(const vector *v, const char *key)
{
    return part_array(v, v->object, key);
}

int64_t vector_within(const vector *v, int64_t value, int64_t low, int64_t high, const char *key)
{
    if (value < low || value > high)
        vector_fail(v, "out of range", key);
    return value;
}

int64_t vector_flag(const vector *v, const char *key)
{
    return vector_within(v, vector_int(v, key), 0, 1, key);
}

int64_t vector_clock(const vector *v, int64_t before)
{
    return vector_within(v, vector_int(v, "t"), before, CLOCK_MAX, "t");
}

uint32_t vector_partitions(const vector *v)
{
    return (uint32_t)vector_within(v, vector_int(v, "np"), 1, PARTITIONS_MAX, "np");
}

rgn_region_list part_regions(const vector *v, struct json_object *array)
{
    rgn_region_list list = {0};
    size_t count = json_object_array_length(array);
    if (count > RGN_REGIONS_MAX)
        vector_fail(v, "too many regions", "");
    for (size_t i = 0; i < count; i++) {
        int64_t region = part_at(v, array, i);
        if (region == -1) /* the account's global endpoint, where a list has no region */
            continue;
        if (region < 0 || region >= RGN_REGIONS_MAX)
            vector_fail(v, "region out of range", "");
        list.region[list.count++] = (rgn_region)region;
    }
    return list;
}
