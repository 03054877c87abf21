/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Races of metadata reads: which reads they are, and the places that they take. */
#include "hedge_script.h"

static const rgn_request metadata = {.is_container_level = true, .timeout = RGN_TIME_NEVER};

/* A router of whose metadata reads `places` may race at a time, beyond 200 ms. */
static void use(int64_t places)
{
    hedge_teardown();
    hedge_init(true);
    f.config.options.hedging_operations = RGN_HEDGED_POINT_READS_AND_METADATA;
    f.config.options.hedging_metadata_threshold = MS(200);
    f.config.options.hedging_budget_metadata = places;
    fixture_start(&f);
}

static bool has_begun_to_race(const rgn_op *one)
{
    return rgn_op_hedge(one) == RGN_HEDGE_WAITING && one->wake_kind == RGN_WAKE_HEDGE;
}

START_TEST(feeds_of_documents_need_more_than_the_drivers_value)
{
    static const struct {
        bool is_container_level, is_feed;
        bool races[3]; /* by hedging.operations */
    } rows[] = {
        {false, false, {true, true, true}},
        {false, true, {false, true, false}},
        {true, false, {false, true, true}},
        {true, true, {false, true, true}},
    };

    for (int value = 0; value < 3; value++) {
        use(1);
        f.config.options.hedging_operations = value;
        hedge_restart();
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            rgn_request request = a_read;
            request.is_container_level = rows[i].is_container_level;
            request.is_feed = rows[i].is_feed;
            is_sent(begin(&request, 0), 0, 0);
            ck_assert_int_eq(has_begun_to_race(&op), rows[i].races[value]);
            ck_assert_int_eq(rgn_op_abandon(f.router, &op, MS(1)), RGN_DONE);
        }
    }
}
END_TEST

/* One below the budget, at it, and one beyond. */
START_TEST(metadata_reads_beyond_their_places_do_not_race)
{
    enum { PLACES = 2 };
    const rgn_response found = {.status = 200};
    rgn_op ops[PLACES + 1];

    use(PLACES);
    for (int i = 0; i <= PLACES; i++) {
        ck_assert_int_eq(rgn_op_start(f.router, &ops[i], &metadata, 0), RGN_SEND);
        ck_assert_int_eq(has_begun_to_race(&ops[i]), i < PLACES);
        ck_assert_uint_eq(rgn_router_open_metadata_races(f.router), i < PLACES ? (unsigned)i + 1 : PLACES);
        ck_assert_uint_eq(rgn_router_refused_hedges(f.router), i == PLACES);
    }
    ck_assert_int_eq(rgn_op_hedge(&ops[PLACES]), RGN_HEDGE_REFUSED);
    ck_assert_uint_eq(ops[PLACES].wake_kind, RGN_WAKE_LEG_TIMEOUT);
    race(&a_read); /* data reads take none of these places */
    ck_assert_uint_eq(rgn_router_open_metadata_races(f.router), PLACES);
    is_done(answer(1, 200, 0, MS(210)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);

    ck_assert_int_eq(rgn_op_on_leg(f.router, &ops[PLACES], 0, &found, MS(300)), RGN_DONE);
    ck_assert_int_eq(rgn_op_hedge(&ops[PLACES]), RGN_HEDGE_REFUSED);
    ck_assert_uint_eq(rgn_router_open_metadata_races(f.router), PLACES);
    ck_assert_int_eq(rgn_op_on_leg(f.router, &ops[0], 0, &found, MS(300)), RGN_DONE);
    ck_assert_int_eq(rgn_op_hedge(&ops[0]), RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD);
    is_sent(begin(&metadata, MS(300)), 0, 0); /* the place is free again */
    ck_assert(has_begun_to_race(&op));
    ck_assert_int_eq(rgn_op_abandon(f.router, &op, MS(301)), RGN_DONE);
    ck_assert_int_eq(rgn_op_abandon(f.router, &ops[1], MS(301)), RGN_DONE);
}
END_TEST

START_TEST(without_places_no_metadata_read_races)
{
    use(0);
    is_sent(begin(&metadata, 0), 0, 0);
    is_done(answer(0, 200, 0, MS(500)), 200, 0, RGN_HEDGE_REFUSED, 0);
    ck_assert_uint_eq(rgn_router_refused_hedges(f.router), 1);
}
END_TEST

/* A read that found no place may race later in its life. */
START_TEST(a_refused_metadata_read_asks_again_with_its_next_attempt)
{
    rgn_op other;

    use(1);
    ck_assert_int_eq(rgn_op_start(f.router, &other, &metadata, 0), RGN_SEND);
    is_sent(begin(&metadata, 0), 0, 0);
    ck_assert_int_eq(rgn_op_abandon(f.router, &other, MS(10)), RGN_DONE);
    is_sent(answer(0, 503, 0, MS(20)), 0, 1);
    ck_assert_int_eq(rgn_op_hedge(&op), RGN_HEDGE_REFUSED); /* region 1 is the second of the list itself */
    is_done(answer(0, 200, 0, MS(30)), 200, 1, RGN_HEDGE_REFUSED, 0);

    f.config.options.hedging_secondary = RGN_SECONDARY_FIRST_DISTINCT;
    hedge_restart();
    ck_assert_int_eq(rgn_op_start(f.router, &other, &metadata, 0), RGN_SEND);
    is_sent(begin(&metadata, 0), 0, 0);
    ck_assert_int_eq(rgn_op_abandon(f.router, &other, MS(10)), RGN_DONE);
    is_sent(answer(0, 503, 0, MS(20)), 0, 1);
    is_sent(ring(RGN_WAKE_HEDGE, MS(220)), 1, 0);
    is_done(answer(1, 200, 0, MS(230)), 200, 0, RGN_HEDGE_ALTERNATE_WON, 1);
}
END_TEST

static rgn_step win_early(void)
{
    return answer(0, 200, 0, MS(100));
}

static rgn_step end_early(void)
{
    return answer(0, 503, 0, MS(100)); /* the ordinary retries take over, in the region that has no other beside it */
}

static rgn_step throttle_locally(void)
{
    return answer(0, 429, RGN_SUBSTATUS_LOCAL_THROTTLE, MS(100));
}

static rgn_step win_by_hedge(void)
{
    ring(RGN_WAKE_HEDGE, MS(200));
    return answer(1, 200, 0, MS(250));
}

static rgn_step lose_both(void)
{
    ring(RGN_WAKE_HEDGE, MS(200));
    answer(0, 410, 1002, MS(250));
    return answer(1, 410, 1002, MS(260));
}

static rgn_step harvest(void)
{
    ring(RGN_WAKE_HEDGE, MS(200));
    ck_assert_int_eq(ring(RGN_WAKE_DEADLINE, S(1)), RGN_WAIT);
    ck_assert_uint_eq(rgn_router_open_metadata_races(f.router), 1); /* the harvest is part of the race */
    return ring(RGN_WAKE_HARVEST, S(1) + RGN_HARVEST_WINDOW);
}

static rgn_step give_up(void)
{
    return rgn_op_abandon(f.router, &op, MS(100));
}

START_TEST(every_end_of_a_race_gives_its_place_back)
{
    static rgn_step (*const ends[])(void) = {win_early, end_early, throttle_locally, win_by_hedge,
                                             lose_both, harvest,   give_up};
    rgn_request request = metadata;

    request.timeout = S(1);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        use(1);
        is_sent(begin(&request, 0), 0, 0);
        ck_assert_uint_eq(rgn_router_open_metadata_races(f.router), 1);
        (void)ends[i]();
        ck_assert_uint_eq(rgn_router_open_metadata_races(f.router), 0);
        ck_assert_uint_eq(rgn_router_open_hedges(f.router), 0);
    }
}
END_TEST

/* The hedge itself is refused; the race is over then. */
START_TEST(a_race_that_goes_on_alone_gives_its_place_back)
{
    use(1);
    f.config.options.hedging_budget_concurrent = 0;
    hedge_restart();
    is_sent(begin(&metadata, 0), 0, 0);
    ck_assert_int_eq(ring(RGN_WAKE_HEDGE, MS(200)), RGN_WAIT);
    ck_assert_uint_eq(rgn_router_open_metadata_races(f.router), 0);
    is_done(answer(0, 200, 0, S(1)), 200, 0, RGN_HEDGE_REFUSED, 0);
}
END_TEST

/* What a client does to read the later pages of a feed where the first came from: it excludes all other regions. */
START_TEST(later_pages_of_a_feed_stay_in_the_region_of_the_first)
{
    rgn_request page = metadata;

    use(1);
    is_sent(begin(&page, 0), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, MS(200)), 1, 1);
    is_done(answer(1, 200, 0, MS(210)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);
    page.has_excluded = true;
    page.excluded = (rgn_region_set)~SET(1);
    is_sent(begin(&page, MS(300)), 0, 1);
    ck_assert_int_eq(rgn_op_hedge(&op), RGN_HEDGE_NONE);
    is_sent(answer(0, 503, 0, MS(310)), 0, 1);
    is_sent(answer(0, 0, 0, MS(320)), 0, 1);
    is_done(answer(0, 200, 0, MS(330)), 200, 1, RGN_HEDGE_NONE, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {feeds_of_documents_need_more_than_the_drivers_value,
                                  metadata_reads_beyond_their_places_do_not_race,
                                  without_places_no_metadata_read_races,
                                  a_refused_metadata_read_asks_again_with_its_next_attempt,
                                  every_end_of_a_race_gives_its_place_back,
                                  a_race_that_goes_on_alone_gives_its_place_back,
                                  later_pages_of_a_feed_stay_in_the_region_of_the_first};
    return run_hedge_suite("hedging_metadata", tests, sizeof tests / sizeof tests[0]);
}
