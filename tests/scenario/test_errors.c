/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Malformed input: each gets one error that says where, what was found and what would be right. */
#include <dirent.h>

#include "files.h"

enum { LINE_SIZE = 1024 };

static const char *const metrics[] = {"flap_count", "availability", "away_healthy_s"};

/* Loads a file that must not load; the error as it is printed. */
static void load_bad(const char *name, char *out, size_t size)
{
    char path[LINE_SIZE + sizeof BAD_FOLDER];
    sim_input_error error;
    snprintf(path, sizeof path, BAD_FOLDER "%.64s.yaml", name);
    if (strncmp(name, "policy_", strlen("policy_")) == 0)
        ck_assert_msg(sim_policy_load(path, NULL, NULL, 0, &error) == NULL, "%s loads", name);
    else {
        sim_scenario *scenario = sim_scenario_load(path, NULL, 0, &error);
        ck_assert_msg(scenario == NULL ||
                          !sim_scenario_metrics_are_among(scenario, metrics, sizeof metrics / sizeof *metrics, &error),
                      "%s loads", name);
        sim_scenario_destroy(scenario);
    }
    FILE *stream = fmemopen(out, size, "w");
    sim_input_error_print(&error, stream);
    fclose(stream);
}

static size_t count_files(void)
{
    size_t count = 0;
    DIR *folder = opendir(BAD_FOLDER);
    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += strstr(entry->d_name, ".yaml") != NULL;
    closedir(folder);
    return count;
}

START_TEST(every_malformed_file_gets_its_one_error)
{
    char line[LINE_SIZE];
    size_t count = 0;
    FILE *table = fopen(BAD_FOLDER "expected.txt", "rb");
    ck_assert_msg(table != NULL, "run from the project's root, or define SOURCE_ROOT");
    while (fgets(line, sizeof line, table) != NULL) {
        if (line[0] == '#')
            continue;
        char printed[LINE_SIZE + sizeof BAD_FOLDER];
        char expected[LINE_SIZE + sizeof BAD_FOLDER];
        char *bar = strstr(line, " | ");
        ck_assert_ptr_nonnull(bar);
        *bar = '\0';
        snprintf(expected, sizeof expected, BAD_FOLDER "%s", bar + 3);
        load_bad(line, printed, sizeof printed);
        ck_assert_str_eq(printed, expected);
        count++;
    }
    fclose(table);
    ck_assert_uint_eq(count, count_files());
}
END_TEST

static void check_unreadable(const char *path, const char *message)
{
    sim_input_error error;
    ck_assert_ptr_null(sim_scenario_load(path, NULL, 0, &error));
    ck_assert(error.is_io);
    ck_assert_int_eq(error.line, 0);
    ck_assert_str_eq(error.path, path);
    ck_assert_str_eq(error.message, message);
}

START_TEST(what_cannot_be_read_says_why)
{
    check_unreadable("no/such/file.yaml", "cannot be read: No such file or directory");
    check_unreadable(SOURCE_ROOT, "is a folder; expected a YAML file");
}
END_TEST

START_TEST(a_megabyte_is_the_limit)
{
    const size_t limit = (size_t)1 << 20;
    char *text = malloc(limit + 2);
    sim_input_error error;
    memset(text, ' ', limit + 1);
    memcpy(text, MINIMAL, strlen(MINIMAL));
    sim_scenario *scenario = sim_scenario_parse("test.yaml", text, limit, NULL, 0, &error);
    ck_assert_ptr_nonnull(scenario);
    sim_scenario_destroy(scenario);
    ck_assert_ptr_null(sim_scenario_parse("test.yaml", text, limit + 1, NULL, 0, &error));
    ck_assert_str_eq(error.message, "longer than 1 MiB");
    free(text);
}
END_TEST

/* Anything that can be cut off a good file is refused or read, but never crashes or goes without a message. */
START_TEST(every_beginning_of_the_flagship_is_read_or_refused)
{
    sim_scenario *whole = load_or_fail(FLAGSHIP);
    for (size_t length = 0; length < whole->text_length; length++) {
        sim_input_error error;
        sim_scenario *part = sim_scenario_parse("test.yaml", whole->text, length, NULL, 0, &error);
        if (part == NULL)
            ck_assert_msg(error.message[0] != '\0' && error.line > 0, "%zu bytes", length);
        sim_scenario_destroy(part);
    }
    sim_scenario_destroy(whole);
}
END_TEST

START_TEST(long_texts_are_cut_between_characters)
{
    char text[512] = "regionsim: 1\nscenario: ";
    sim_input_error error;
    for (int i = 0; i < 100; i++)
        strcat(text, "\xc3\xa9");
    ck_assert_ptr_null(sim_scenario_parse("test.yaml", text, strlen(text), NULL, 0, &error));
    const char *end = strstr(error.message, "...\"");
    ck_assert_ptr_nonnull(end);
    ck_assert_int_eq((unsigned char)end[-1], 0xa9);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("errors");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, every_malformed_file_gets_its_one_error);
    tcase_add_test(tests, what_cannot_be_read_says_why);
    tcase_add_test(tests, a_megabyte_is_the_limit);
    tcase_add_test(tests, every_beginning_of_the_flagship_is_read_or_refused);
    tcase_add_test(tests, long_texts_are_cut_between_characters);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
