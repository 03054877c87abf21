/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applicable regions against the published table, the Java client's rules, and routing itself. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <regioncore/regioncore.h>

#ifndef SOURCE_ROOT
#define SOURCE_ROOT "."
#endif

enum { NCUS, WUS, CUS, REGIONS, NONE = RGN_REGION_NONE };
enum { ALL = 7, ROWS = 24, COLUMNS = 10 };
static const char *const names[REGIONS] = {"NCUS", "WUS", "CUS"};

static rgn_topology topology_of(bool multi_write, bool has_preferred)
{
    rgn_topology t = {.read_order = {3, {NCUS, WUS, CUS}},
                      .write_order = {1, {NCUS}},
                      .regions = ALL,
                      .hub = NCUS,
                      .multi_write = multi_write,
                      .automatic_failover = !multi_write,
                      .has_preferred = has_preferred,
                      .preferred_reads = has_preferred ? 3 : 0,
                      .generation = 1};
    if (multi_write)
        t.write_order = t.read_order;
    t.preferred_writes = has_preferred ? t.write_order.count : 0;
    return t;
}

static rgn_options rules_of(int64_t rules)
{
    rgn_options options;
    rgn_options_default(&options);
    options.routing_rules = rules;
    return options;
}

static const char *text_of(const rgn_applicable *answer)
{
    static char text[128];
    text[0] = '\0';
    for (unsigned i = 0; i < answer->count; i++) {
        if (i > 0)
            strcat(text, ";");
        strcat(text, names[answer->list[i]]);
    }
    return text;
}

/* --- the published table --- */

typedef struct {
    char cell[COLUMNS][64];
} table_row;
enum { ACCOUNT, OPERATION, PREFERRED, EXCLUDED, TRIPPED, HEDGED, MOVED_FROM, OVERRIDE, LIST, SHOWN_OVERRIDE };

static unsigned read_table(table_row *rows)
{
    const char *path = SOURCE_ROOT "/tests/conformance/region-augmentation.csv";
    FILE *file = fopen(path, "r");
    char line[512];
    unsigned count = 0;
    ck_assert_msg(file != NULL, "%s", path);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file)); /* names of the columns */
    while (fgets(line, sizeof line, file) != NULL) {
        const char *at = line;
        ck_assert_uint_lt(count, ROWS);
        for (unsigned column = 0; column < COLUMNS; column++) {
            size_t length = strcspn(at, ",\r\n");
            ck_assert_uint_lt(length, sizeof rows->cell[0]);
            memcpy(rows[count].cell[column], at, length);
            rows[count].cell[column][length] = '\0';
            at += length + (at[length] == ',');
        }
        count++;
    }
    fclose(file);
    return count;
}

/* "NCUS;WUS" in order; empty and "N/A" are no regions. */
static rgn_region_list regions_of(const char *cell)
{
    rgn_region_list list = {0};
    for (; *cell != '\0' && strcmp(cell, "N/A") != 0; cell += strcspn(cell, ";"), cell += *cell == ';')
        for (rgn_region region = 0; region < REGIONS; region++)
            if (strncmp(cell, names[region], strlen(names[region])) == 0)
                list.region[list.count++] = region;
    return list;
}

static rgn_applicable_query query_of(const table_row *row, const rgn_topology *topology)
{
    rgn_region_list excluded = regions_of(row->cell[EXCLUDED]), override = regions_of(row->cell[OVERRIDE]);
    return (rgn_applicable_query){
        .topology = topology,
        .excluded = rgn_region_list_set(&excluded),
        .tripped = regions_of(row->cell[TRIPPED]),
        .current = NONE,
        .override = override.count > 0 ? override.region[0] : NONE,
        .direction = strcmp(row->cell[OPERATION], "Wt") == 0 ? RGN_WRITE : RGN_READ,
        .is_hedge = strcmp(row->cell[HEDGED], "No") != 0,
    };
}

static rgn_topology topology_of_row(const table_row *row)
{
    return topology_of(strcmp(row->cell[ACCOUNT], "multi-write-3") == 0, row->cell[PREFERRED][0] != '\0');
}

START_TEST(documented_rules_give_every_row_of_the_published_table)
{
    table_row rows[ROWS];
    rgn_options options = rules_of(RGN_ROUTING_DOCUMENTED);
    ck_assert_uint_eq(read_table(rows), ROWS);
    for (unsigned i = 0; i < ROWS; i++) {
        rgn_topology topology = topology_of_row(&rows[i]);
        rgn_applicable_query query = query_of(&rows[i], &topology);
        rgn_applicable answer = rgn_applicable_regions(&query, &options);
        const char *override = answer.override == NONE ? "N/A" : names[answer.override];
        ck_assert_msg(strcmp(text_of(&answer), rows[i].cell[LIST]) == 0, "row %u: %s, not %s", i + 1, text_of(&answer),
                      rows[i].cell[LIST]);
        ck_assert_msg(strcmp(override, rows[i].cell[SHOWN_OVERRIDE]) == 0, "row %u: override %s", i + 1, override);
        ck_assert_uint_eq(answer.first, answer.list[0]);
        ck_assert_uint_eq(answer.uses_override, answer.override != NONE && answer.list[0] == answer.override);
    }
}
END_TEST

/* The override of row 15 is stored and not used: three regions are left without it. */
START_TEST(a_stored_override_is_not_a_used_one)
{
    table_row rows[ROWS];
    rgn_options options = rules_of(RGN_ROUTING_DOCUMENTED);
    read_table(rows);
    rgn_topology topology = topology_of_row(&rows[14]);
    rgn_applicable_query query = query_of(&rows[14], &topology);
    rgn_applicable answer = rgn_applicable_regions(&query, &options);
    ck_assert_uint_eq(answer.override, WUS);
    ck_assert(!answer.uses_override);
    ck_assert_uint_eq(answer.first, NCUS);
}
END_TEST

/* --- the Java client --- */

START_TEST(java_rules_give_its_own_list_and_route_for_the_table)
{
    static const struct {
        const char *list;
        rgn_region first;
    } expected[ROWS] = {
        {"NCUS;WUS;CUS", NCUS}, {"WUS;CUS", WUS}, {"NCUS", NCUS},    {"CUS;WUS", CUS}, {"CUS;WUS", CUS},
        {"NCUS;WUS;CUS", NCUS}, {"WUS;CUS", WUS}, {"NCUS", NCUS},    {"CUS;WUS", CUS}, {"CUS;WUS", CUS},
        {"NCUS;WUS;CUS", NCUS}, {"NCUS", NCUS},   {"CUS;WUS", CUS},  {"NCUS", WUS},    {"NCUS;WUS;CUS", NCUS},
        {"NCUS;WUS;CUS", NCUS}, {"NCUS", WUS},    {"NCUS;WUS", WUS}, {"NCUS", NCUS},   {"NCUS", NCUS},
        {"WUS", WUS},           {"WUS", WUS},     {"WUS", WUS},      {"CUS", CUS},
    };
    table_row rows[ROWS];
    rgn_options options = rules_of(RGN_ROUTING_JAVA);
    ck_assert_uint_eq(read_table(rows), ROWS);
    for (unsigned i = 0; i < ROWS; i++) {
        rgn_topology topology = topology_of_row(&rows[i]);
        rgn_applicable_query query = query_of(&rows[i], &topology);
        rgn_applicable answer = rgn_applicable_regions(&query, &options);
        ck_assert_msg(strcmp(text_of(&answer), expected[i].list) == 0, "row %u: %s, not %s", i + 1, text_of(&answer),
                      expected[i].list);
        ck_assert_msg(answer.first == expected[i].first, "row %u: first %u", i + 1, answer.first);
    }
}
END_TEST

typedef struct {
    const char *what;
    bool multi_write;
    uint8_t direction, named; /* named: regions that the caller prefers */
    bool has_preferred, is_regional, is_hedge, has_used;
    rgn_region_set excluded, marked;
    rgn_region_list tripped;
    rgn_region override;
    const char *list;
    rgn_region first;
} corner;

static void check_corners(const corner *corners, size_t count, int64_t rules)
{
    rgn_options options = rules_of(rules);
    for (size_t i = 0; i < count; i++) {
        const corner *c = &corners[i];
        rgn_topology topology = topology_of(c->multi_write, c->has_preferred);
        topology.preferred_reads = c->named;
        topology.preferred_writes = c->multi_write ? c->named : c->named > 0;
        rgn_applicable_query query = {.topology = &topology,
                                      .marked = c->marked,
                                      .excluded = c->excluded,
                                      .tripped = c->tripped,
                                      .current = NONE,
                                      .override = c->override,
                                      .direction = c->direction,
                                      .is_hedge = c->is_hedge,
                                      .is_endpoint_regional = c->is_regional,
                                      .has_used_override = c->has_used};
        rgn_applicable answer = rgn_applicable_regions(&query, &options);
        ck_assert_msg(strcmp(text_of(&answer), c->list) == 0, "%s: %s", c->what, text_of(&answer));
        ck_assert_msg(answer.first == c->first, "%s: first %u", c->what, answer.first);
    }
}

START_TEST(java_rules_decide_the_corners_that_the_table_leaves_out)
{
    static const corner corners[] = {
        {.what = "only named regions are in",
         .named = 2,
         .has_preferred = true,
         .override = NONE,
         .list = "NCUS;WUS",
         .first = NCUS},
        {.what = "no named region is the account's: the fallback",
         .has_preferred = true,
         .override = NONE,
         .list = "NCUS",
         .first = NCUS},
        {.what = "a regional endpoint without preference: the fallback",
         .is_regional = true,
         .override = NONE,
         .list = "NCUS",
         .first = NCUS},
        {.what = "a hedge is not augmented",
         .named = 3,
         .has_preferred = true,
         .is_hedge = true,
         .override = NONE,
         .excluded = 1u << NCUS,
         .tripped = {1, {WUS}},
         .list = "CUS",
         .first = CUS},
        {.what = "a trip of a base of one region goes to the fallback and is not augmented",
         .named = 1,
         .has_preferred = true,
         .override = NONE,
         .tripped = {1, {NCUS}},
         .list = "NCUS",
         .first = NCUS},
        {.what = "an override that was used: the fallback twice, so that the retry goes there",
         .has_used = true,
         .override = WUS,
         .excluded = 1u << NCUS,
         .tripped = {2, {WUS, CUS}},
         .list = "NCUS;NCUS;WUS",
         .first = NCUS},
        {.what = "the oldest trip comes back, not an excluded one",
         .named = 3,
         .has_preferred = true,
         .override = NONE,
         .excluded = 1u << WUS,
         .tripped = {2, {WUS, CUS}},
         .list = "NCUS;CUS",
         .first = NCUS},
        {.what = "a write's global fallback takes an excluded trip back too",
         .multi_write = true,
         .direction = RGN_WRITE,
         .named = 3,
         .has_preferred = true,
         .override = NONE,
         .excluded = 1u << WUS,
         .tripped = {3, {WUS, CUS, NCUS}},
         .list = "NCUS;WUS",
         .first = NCUS},
        {.what = "marked regions come last",
         .named = 3,
         .has_preferred = true,
         .override = NONE,
         .marked = 1u << NCUS,
         .list = "WUS;CUS;NCUS",
         .first = WUS},
    };
    check_corners(corners, sizeof corners / sizeof corners[0], RGN_ROUTING_JAVA);
}
END_TEST

START_TEST(documented_rules_decide_the_corners_that_the_table_leaves_out)
{
    static const corner corners[] = {
        {.what = "regions that are not named come after those that are",
         .named = 1,
         .has_preferred = true,
         .override = NONE,
         .list = "NCUS;WUS;CUS",
         .first = NCUS},
        {.what = "a hedge is not augmented",
         .named = 3,
         .has_preferred = true,
         .is_hedge = true,
         .override = NONE,
         .excluded = 1u << NCUS,
         .tripped = {1, {WUS}},
         .list = "CUS",
         .first = CUS},
        {.what = "two are left: nothing comes back",
         .named = 3,
         .has_preferred = true,
         .override = NONE,
         .tripped = {1, {NCUS}},
         .list = "WUS;CUS",
         .first = WUS},
        {.what = "all tripped: the fallback and the oldest trip beside it",
         .named = 3,
         .has_preferred = true,
         .override = NONE,
         .tripped = {3, {NCUS, CUS, WUS}},
         .list = "NCUS;CUS",
         .first = NCUS},
        {.what = "excluded and tripped: the exclusion alone counts, and the override is allowed",
         .named = 3,
         .has_preferred = true,
         .override = CUS,
         .excluded = ALL,
         .tripped = {1, {WUS}},
         .list = "CUS",
         .first = CUS},
        {.what = "a marked region is last, and still one of the list",
         .named = 3,
         .has_preferred = true,
         .override = NONE,
         .marked = 1u << NCUS,
         .list = "WUS;CUS;NCUS",
         .first = WUS},
        {.what = "an override at the hub is no second entry", .override = NCUS, .list = "NCUS", .first = NCUS},
    };
    check_corners(corners, sizeof corners / sizeof corners[0], RGN_ROUTING_DOCUMENTED);
}
END_TEST

START_TEST(driver_rules_take_nothing_back_and_redirect_instead)
{
    rgn_topology topology = topology_of(false, true);
    rgn_options options = rules_of(RGN_ROUTING_DRIVER);
    rgn_applicable_query query = {
        .topology = &topology, .excluded = 1u << WUS, .tripped = {1, {NCUS}}, .current = CUS, .override = NONE};
    rgn_applicable answer = rgn_applicable_regions(&query, &options);
    ck_assert_str_eq(text_of(&answer), "NCUS;CUS");
    ck_assert_uint_eq(answer.first, CUS);

    query.current = WUS; /* excluded: the list's head */
    ck_assert_uint_eq(rgn_applicable_regions(&query, &options).first, NCUS);

    query = (rgn_applicable_query){
        .topology = &topology, .excluded = ALL, .current = NONE, .override = WUS, .direction = RGN_WRITE};
    answer = rgn_applicable_regions(&query, &options);
    ck_assert_str_eq(text_of(&answer), "NCUS");
    ck_assert(answer.uses_override);
    ck_assert_uint_eq(answer.first, WUS);
}
END_TEST

/* --- reasons --- */

START_TEST(every_region_of_the_account_tells_why_it_is_in_or_out)
{
    rgn_topology topology = topology_of(false, true);
    rgn_options options = rules_of(RGN_ROUTING_DOCUMENTED);
    rgn_applicable_query query = {
        .topology = &topology, .excluded = 1u << NCUS, .tripped = {1, {WUS}}, .current = CUS, .override = NONE};
    rgn_applicable answer = rgn_applicable_regions(&query, &options);
    ck_assert_int_eq(answer.reason[NCUS], RGN_REGION_OUT_EXCLUDED);
    ck_assert_int_eq(answer.reason[WUS], RGN_REGION_IN_AGAIN);
    ck_assert_int_eq(answer.reason[CUS], RGN_REGION_IN_LIST);
    ck_assert_int_eq(answer.reason[REGIONS], RGN_REGION_OUT_ABSENT);
    ck_assert_str_eq(rgn_applicable_reason_name(RGN_REGION_IN_AGAIN), "augmented");
    ck_assert_str_eq(rgn_applicable_reason_name((rgn_applicable_reason)99), "?");
    ck_assert_str_eq(rgn_applicable_reason_sentence((rgn_applicable_reason)99), "?");

    query.is_hedge = true;
    ck_assert_int_eq(rgn_applicable_regions(&query, &options).reason[WUS], RGN_REGION_OUT_TRIPPED);

    query = (rgn_applicable_query){.topology = &topology, .current = NONE, .override = WUS, .direction = RGN_WRITE};
    answer = rgn_applicable_regions(&query, &options);
    ck_assert_int_eq(answer.reason[NCUS], RGN_REGION_OUT_OVERRIDDEN);
    ck_assert_int_eq(answer.reason[WUS], RGN_REGION_IN_OVERRIDE);
    ck_assert_int_eq(answer.reason[CUS], RGN_REGION_OUT_NOT_WRITABLE);

    topology.preferred_reads = 1;
    options.routing_rules = RGN_ROUTING_JAVA;
    query = (rgn_applicable_query){.topology = &topology, .current = NONE, .override = NONE};
    ck_assert_int_eq(rgn_applicable_regions(&query, &options).reason[CUS], RGN_REGION_OUT_NOT_PREFERRED);
}
END_TEST

/* --- agreement with routing --- */

enum { SEED = 20261129, ROUNDS = 30000 };

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static uint32_t below(uint64_t *state, uint32_t bound)
{
    return next_random(state) % bound;
}

/* A first attempt of a partition that may be tripped and overridden. */
static rgn_route_query random_query(uint64_t *state, const rgn_topology *topology, rgn_entry *entry,
                                    rgn_override *override)
{
    rgn_route_query query = {.topology = topology,
                             .excluded = below(state, 2) ? below(state, 8) : 0,
                             .marked = below(state, 4) == 0 ? below(state, 8) : 0,
                             .direction = (uint8_t)below(state, 2)};
    memset(entry, 0, sizeof *entry);
    if (below(state, 2) && (query.direction == RGN_READ || topology->multi_write)) {
        rgn_region first = (rgn_region)below(state, REGIONS);
        entry->phase = RGN_PHASE_UNHEALTHY;
        entry->tripped = (uint8_t)(1u << query.direction);
        entry->first_failed = first;
        for (unsigned i = 0, count = 1 + below(state, 2); i < count; i++) {
            entry->failed_order[i] = (rgn_region)((first + i) % REGIONS);
            entry->failed |= 1u << entry->failed_order[i];
            entry->failed_count++;
        }
        for (entry->current = 0; rgn_region_in(entry->failed, entry->current); entry->current++) {
        }
        query.entry = entry;
    }
    if (below(state, 2) && topology->automatic_failover) {
        *override = (rgn_override){.current = (rgn_region)below(state, REGIONS), .is_set = true};
        query.override = override;
    }
    query.may_walk_reads = query.direction == RGN_WRITE && topology->automatic_failover && !topology->multi_write;
    return query;
}

START_TEST(the_first_attempt_goes_to_the_first_target_under_every_rule_set)
{
    uint64_t state = SEED;
    printf("seed %d\n", SEED);
    for (unsigned round = 0; round < ROUNDS; round++) {
        rgn_topology topology = topology_of(below(&state, 2) != 0, below(&state, 2) != 0);
        rgn_options options = rules_of(below(&state, 3));
        rgn_entry entry;
        rgn_override override;
        rgn_route_query query = random_query(&state, &topology, &entry, &override);
        rgn_applicable_query question = {.topology = &topology,
                                         .marked = query.marked,
                                         .excluded = query.excluded,
                                         .current = query.entry != NULL ? entry.current : NONE,
                                         .override = query.override != NULL ? override.current : NONE,
                                         .direction = query.direction};
        for (unsigned i = 0; query.entry != NULL && i < entry.failed_count; i++)
            question.tripped.region[question.tripped.count++] = entry.failed_order[i];
        rgn_applicable answer = rgn_applicable_regions(&question, &options);
        rgn_route_answer route = rgn_route(&query, &options);
        ck_assert_msg(route.region == answer.first, "round %u rules %d: %u, not %u", round, (int)options.routing_rules,
                      route.region, answer.first);
        ck_assert_int_eq(route.reason == RGN_REASON_ROUTE_FAILOVER, answer.uses_override);
        if (rgn_region_in(query.excluded, route.region))
            ck_assert(route.reason == RGN_REASON_ROUTE_FALLBACK || route.reason == RGN_REASON_ROUTE_FAILOVER);
        for (rgn_region region = 0; region < RGN_REGIONS_MAX; region++) {
            bool is_listed = answer.uses_override && region == answer.first;
            for (unsigned i = 0; i < answer.count; i++)
                is_listed = is_listed || answer.list[i] == region;
            if (rgn_applicable_is_in(&answer, region) != is_listed)
                ck_abort_msg("round %u: region %u", round, region);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("applicable");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, documented_rules_give_every_row_of_the_published_table);
    tcase_add_test(tcase, a_stored_override_is_not_a_used_one);
    tcase_add_test(tcase, java_rules_give_its_own_list_and_route_for_the_table);
    tcase_add_test(tcase, java_rules_decide_the_corners_that_the_table_leaves_out);
    tcase_add_test(tcase, documented_rules_decide_the_corners_that_the_table_leaves_out);
    tcase_add_test(tcase, driver_rules_take_nothing_back_and_redirect_instead);
    tcase_add_test(tcase, every_region_of_the_account_tells_why_it_is_in_or_out);
    tcase_add_test(tcase, the_first_attempt_goes_to_the_first_target_under_every_rule_set);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
