/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run from the source root: the shipped table is read from scenarios/data. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64]; /* a new temporary one for each test */
static fixture world_input;
static sim_input_error error;

static void path_in(char out[160], const char *name)
{
    snprintf(out, 160, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text, size_t size)
{
    char path[160];
    path_in(path, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void make_folder(const char *name)
{
    char path[160];
    path_in(path, name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void set_up(void)
{
    strcpy(folder, "/tmp/regionsim-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    make_folder("data");
    fixture_init(&world_input);
}

static void tear_down(void)
{
    static const char *const names[] = {"data/table.csv", "data", "a/data/table.csv", "a/data", "a/b/data", "a/b", "a"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[160];
        path_in(path, names[i]);
        remove(path);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

/* A world over `table` in the temporary folder, for a scenario there at `scenario`. */
static sim_world *load(const char *scenario)
{
    static char path[160];
    path_in(path, scenario);
    world_input.scenario.path = path;
    world_input.scenario.round_trip_table = "table";
    return sim_world_create(&world_input.scenario, &error);
}

#define HEADER "src,dst,p50_ms_2026_03,p95_ms_2026_07\n"
#define OTHERS "northcentralus,westus,50,60\nwestus,centralus,38,40\n"
#define BACK   "westus,northcentralus,51,61\n"

static const struct {
    const char *text;
    int line;
    int column;
    const char *message;
} bad_tables[] = {
    {"", 1, 1, "the file is empty, expected a table src,dst,p50_ms,p95_ms"},
    {"from,dst,p50_ms,p95_ms\n", 1, 1, "found 'from', expected the header's first column, src"},
    {"src,to,p50_ms,p95_ms\n", 1, 5, "found 'to', expected the header's second column, dst"},
    {"src,dst,p95_ms,p50_ms\n", 1, 9, "found 'p95_ms', expected the header's third column, p50_ms..."},
    {"src,dst,p50_ms,p99_ms\n", 1, 16, "found 'p99_ms', expected the header's fourth column, p95_ms..."},
    {"src,dst,p50_ms\n", 1, 15, "the line ends after 3 of 4 fields: src,dst,p50,p95"},
    {HEADER "westus,centralus,38\n", 2, 20, "the line ends after 3 of 4 fields: src,dst,p50,p95"},
    {HEADER "westus,centralus,38,40,1\n", 2, 24, "the line goes on, expected 4 fields: src,dst,p50,p95"},
    {HEADER "westus,centralus,38,40\n\n", 3, 1, "the line ends after 1 of 4 fields: src,dst,p50,p95"},
    {HEADER "westus,centralus,3x,40\n", 2, 18,
     "found '3x', expected milliseconds (at most 9 digits and 6 decimals) or nothing"},
    {HEADER "westus,centralus,38,-4\n", 2, 21,
     "found '-4', expected milliseconds (at most 9 digits and 6 decimals) or nothing"},
    {HEADER "westus,centralus,38, 4\n", 2, 21,
     "found ' 4', expected milliseconds (at most 9 digits and 6 decimals) or nothing"},
    {HEADER "westus,centralus,38.,40\n", 2, 18,
     "found '38.', expected milliseconds (at most 9 digits and 6 decimals) or nothing"},
    {HEADER "westus,centralus,.5,40\n", 2, 18,
     "found '.5', expected milliseconds (at most 9 digits and 6 decimals) or nothing"},
    {HEADER "westus,centralus,1.1234567,40\n", 2, 18,
     "found '1.1234567', expected milliseconds (at most 9 digits and 6 decimals) or nothing"},
    {HEADER "westus,centralus,1234567890,40\n", 2, 18,
     "found '1234567890', expected milliseconds (at most 9 digits and 6 decimals) or nothing"},
    {HEADER "westus,centralus,38,40\r\n", 2, 21,
     "found '40\\x0d', expected milliseconds (at most 9 digits and 6 decimals) or nothing"},
    {HEADER OTHERS "westus,northcentralus,51,61\nwestus,centralus,38,40\n", 5, 1,
     "the pair westus -> centralus was already listed in line 3"},
    {HEADER "westus,centralsu,38,40\n", 2, 8,
     "found 'centralsu', expected a region of the catalogue; did you mean 'centralus'?"},
    {HEADER "atlantis,centralus,38,40\n", 2, 1, "found 'atlantis', expected a region of the catalogue"},
    {HEADER "westus,westus,38,40\n", 2, 8,
     "found 'westus', expected another region than the first: the scenario says what a region's own round trip is"},
};

START_TEST(bad_table_is_refused_where_it_is_wrong)
{
    char path[160];
    write_file("data/table.csv", bad_tables[_i].text, strlen(bad_tables[_i].text));
    ck_assert_ptr_null(load("scenario.yaml"));
    path_in(path, "data/table.csv");
    ck_assert_str_eq(error.path, path);
    ck_assert_str_eq(error.message, bad_tables[_i].message);
    ck_assert_int_eq(error.line, bad_tables[_i].line);
    ck_assert_int_eq(error.column, bad_tables[_i].column);
    ck_assert(!error.is_io);
}
END_TEST

START_TEST(zero_byte_is_no_part_of_a_number)
{
    static const char text[] = HEADER "westus,centralus,3\0,40\n";
    write_file("data/table.csv", text, sizeof text - 1);
    ck_assert_ptr_null(load("scenario.yaml"));
    ck_assert_int_eq(error.line, 2);
    ck_assert_int_eq(error.column, 18);
}
END_TEST

static void write_table(const char *name, const char *rows)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s", HEADER, rows);
    write_file(name, text, strlen(text));
}

START_TEST(values_are_exact_to_the_ns_and_the_p95_stands_in_with_a_note)
{
    /* No newline at the end of the last line. */
    write_table("data/table.csv", "northcentralus,centralus,8.5,9\nnorthcentralus,westus,0.000001,60\n"
                                  "westus,centralus,,40.25\nwestus,northcentralus,123456789.123456,");
    sim_world *world = load("scenario.yaml");
    ck_assert_ptr_nonnull(world);
    const int64_t *chicago = sim_world_round_trips(world, sim_catalogue_find("northcentralus"));
    ck_assert_int_eq(chicago[NORTHCENTRALUS], MS); /* the scenario's local round trip */
    ck_assert_int_eq(chicago[CENTRALUS], 8500000);
    ck_assert_int_eq(chicago[WESTUS], 1);
    const int64_t *seattle = sim_world_round_trips(world, sim_catalogue_find("westus"));
    ck_assert_int_eq(seattle[NORTHCENTRALUS], 123456789123456);
    ck_assert_int_eq(seattle[CENTRALUS], 40250000);
    ck_assert_int_eq(seattle[WESTUS], MS);
    ck_assert_str_eq(sim_world_notes(world), "westus -> centralus: no median published, the p95 is used\n");
    ck_assert_ptr_null(sim_world_round_trips(world, sim_catalogue_find("centralus")));
    sim_world_destroy(world);
}
END_TEST

static const char *const lacking[] = {OTHERS BACK, OTHERS BACK "northcentralus,centralus,,\n"};

START_TEST(missing_pair_names_scenario_pair_and_file)
{
    char want[512];
    char path[160];
    write_table("data/table.csv", lacking[_i]);
    ck_assert_ptr_null(load("scenario.yaml"));
    snprintf(want, sizeof want,
             "scenario 'fixture' needs a round trip northcentralus -> centralus, and %s/data/table.csv has none; "
             "expected a line 'northcentralus,centralus,...' there with a median or a p95",
             folder);
    path_in(path, "scenario.yaml");
    ck_assert_str_eq(error.message, want);
    ck_assert_str_eq(error.path, path);
    ck_assert_int_eq(error.line, 0);
}
END_TEST

START_TEST(nearest_data_folder_wins)
{
    make_folder("a");
    make_folder("a/b");
    make_folder("a/b/data"); /* without the table: the search goes on */
    make_folder("a/data");
    write_table("data/table.csv", OTHERS BACK "northcentralus,centralus,1,1\n");
    write_table("a/data/table.csv", OTHERS BACK "northcentralus,centralus,2,2\n");
    static const struct {
        const char *scenario;
        int64_t want;
    } cases[] = {{"scenario.yaml", MS}, {"a/scenario.yaml", 2 * MS}, {"a/b/scenario.yaml", 2 * MS}};
    for (size_t i = 0; i < 3; i++) {
        sim_world *world = load(cases[i].scenario);
        ck_assert_ptr_nonnull(world);
        ck_assert_int_eq(sim_world_round_trips(world, sim_catalogue_find("northcentralus"))[CENTRALUS], cases[i].want);
        sim_world_destroy(world);
    }
}
END_TEST

START_TEST(relative_path_is_climbed_above_the_working_folder)
{
    char path[160];
    make_folder("a");
    make_folder("a/b");
    write_table("data/table.csv", OTHERS BACK "northcentralus,centralus,7,7\n");
    path_in(path, "a/b");
    char *before = getcwd(NULL, 0);
    ck_assert_int_eq(chdir(path), 0);
    world_input.scenario.round_trip_table = "table";
    static const char *const paths[] = {"scenario.yaml", "./scenario.yaml", "../scenario.yaml", "../b/scenario.yaml"};
    for (size_t i = 0; i < 4; i++) {
        world_input.scenario.path = paths[i];
        sim_world *world = sim_world_create(&world_input.scenario, &error);
        ck_assert_msg(world != NULL, "%s: %s", paths[i], error.message);
        ck_assert_int_eq(sim_world_round_trips(world, sim_catalogue_find("northcentralus"))[CENTRALUS], 7 * MS);
        sim_world_destroy(world);
    }
    ck_assert_int_eq(chdir(before), 0);
    free(before);
}
END_TEST

START_TEST(missing_table_says_where_it_was_expected)
{
    ck_assert_ptr_null(load("scenario.yaml"));
    ck_assert_str_eq(error.message, "the round-trip table 'table' was not found: expected a file data/table.csv beside "
                                    "the scenario, or data/ or scenarios/data/ in a folder above it");
    ck_assert(error.is_io);
}
END_TEST

START_TEST(folder_in_place_of_a_table_cannot_be_read)
{
    make_folder("data/table.csv");
    ck_assert_ptr_null(load("scenario.yaml"));
    ck_assert_str_eq(error.message, "the round-trip table cannot be read");
    ck_assert(error.is_io);
}
END_TEST

START_TEST(one_region_needs_no_table)
{
    world_input.scenario.region_count = 1;
    world_input.scenario.group_count = 1;
    world_input.scenario.round_trip_table = NULL;
    sim_world *world = sim_world_create(&world_input.scenario, &error);
    ck_assert_ptr_nonnull(world);
    ck_assert_int_eq(sim_world_round_trips(world, sim_catalogue_find("northcentralus"))[0], MS);
    sim_world_destroy(world);
}
END_TEST

START_TEST(service_time_beyond_73_years_is_refused)
{
    world_input.scenario.service[SIM_KIND_WRITE] = (sim_dist){.type = SIM_DIST_LOGNORMAL, .a = 3600 * S, .b = 4000000};
    ck_assert_ptr_null(sim_world_create(&world_input.scenario, &error));
    ck_assert_str_eq(error.message, "service.write: one in 2^46 would take longer than 73 years; expected a "
                                    "distribution with a shorter tail (for a lognormal, a p99 nearer to its p50)");
}
END_TEST

/* Another reading of the file than the loader's: sscanf, line by line. */
START_TEST(flagship_round_trips_are_those_of_the_shipped_table)
{
    sim_world *world = sim_world_create(&world_input.scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    ck_assert_str_eq(sim_world_notes(world), "");
    FILE *file = fopen("scenarios/data/azure-rtt.csv", "r");
    ck_assert_ptr_nonnull(file);
    char line[256];
    int seen = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char src[64];
        char dst[64];
        double p50;
        if (sscanf(line, "%63[^,],%63[^,],%lf,", src, dst, &p50) != 3)
            continue;
        const int64_t *from = sim_world_round_trips(world, sim_catalogue_find(src));
        for (uint32_t r = 0; from != NULL && r < world_input.scenario.region_count; r++)
            if (world_input.scenario.region[r] == sim_catalogue_find(dst)) {
                ck_assert_int_eq(from[r], (int64_t)(p50 * 1e6));
                seen++;
            }
    }
    fclose(file);
    ck_assert_int_eq(seen, 4); /* two homes, each to two other regions */
    sim_world_destroy(world);
}
END_TEST

START_TEST(shipped_pair_without_a_median_is_noted)
{
    world_input.group[0].home = sim_catalogue_find("australiacentral");
    world_input.scenario.region[CENTRALUS] = sim_catalogue_find("austriaeast");
    world_input.group[1].home = sim_catalogue_find("australiacentral");
    sim_world *world = sim_world_create(&world_input.scenario, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    ck_assert_int_eq(sim_world_round_trips(world, sim_catalogue_find("australiacentral"))[CENTRALUS], 262 * MS);
    ck_assert_str_eq(sim_world_notes(world), "australiacentral -> austriaeast: no median published, the p95 is used\n");
    sim_world_destroy(world);
}
END_TEST

static uint64_t hash_now(void)
{
    sim_world *world = sim_world_create(&world_input.scenario, &error);
    ck_assert_ptr_nonnull(world);
    const uint64_t hash = sim_world_tables_hash(world);
    sim_world_destroy(world);
    return hash;
}

START_TEST(tables_hash_sees_every_table_and_no_fault)
{
    const uint64_t before = hash_now();
    fixture_add_fault(&world_input);
    ck_assert_uint_eq(before, hash_now());
    world_input.scenario.local_round_trip++;
    const uint64_t local = hash_now();
    ck_assert_uint_ne(before, local);
    world_input.scenario.service[SIM_KIND_READ].a++;
    const uint64_t service = hash_now();
    ck_assert_uint_ne(local, service);
    world_input.scenario.jitter_sigma = 100000;
    const uint64_t jitter = hash_now();
    ck_assert_uint_ne(service, jitter);
    world_input.scenario.jitter_sigma++;
    ck_assert_uint_ne(jitter, hash_now());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("round_trips");
    TCase *tests = tcase_create("tables");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, bad_table_is_refused_where_it_is_wrong, 0, sizeof bad_tables / sizeof bad_tables[0]);
    tcase_add_test(tests, zero_byte_is_no_part_of_a_number);
    tcase_add_test(tests, values_are_exact_to_the_ns_and_the_p95_stands_in_with_a_note);
    tcase_add_loop_test(tests, missing_pair_names_scenario_pair_and_file, 0, 2);
    tcase_add_test(tests, nearest_data_folder_wins);
    tcase_add_test(tests, relative_path_is_climbed_above_the_working_folder);
    tcase_add_test(tests, missing_table_says_where_it_was_expected);
    tcase_add_test(tests, folder_in_place_of_a_table_cannot_be_read);
    tcase_add_test(tests, one_region_needs_no_table);
    tcase_add_test(tests, service_time_beyond_73_years_is_refused);
    tcase_add_test(tests, flagship_round_trips_are_those_of_the_shipped_table);
    tcase_add_test(tests, shipped_pair_without_a_median_is_noted);
    tcase_add_test(tests, tables_hash_sees_every_table_and_no_fault);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
