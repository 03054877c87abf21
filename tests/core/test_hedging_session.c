/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Races of sessions that a region lacks: the hub latch that both legs share, and whose budget a leg spends. Tests that
 * the published hedging specification lists keep the names it gives them. */
#include "hedge_script.h"

/* One region takes writes: region 0, the hub. */
static void single_write(void)
{
    hedge_teardown();
    hedge_init(false);
    fixture_start(&f);
}

static void is_hub(bool expected)
{
    ck_assert_int_eq((op.send_flags & RGN_SEND_HUB) != 0, expected);
}

static rgn_step give_up(rgn_time_ns at)
{
    return rgn_op_abandon(f.router, &op, at);
}

/* Either leg's first answer that lacks the session latches the operation: whichever leg is sent next says so. */
START_TEST(shared_hub_region_latch_initialized_when_eligible)
{
    for (unsigned seer = 0; seer < 2; seer++) {
        single_write();
        race(&a_read);
        is_hub(false);
        is_sent(answer(seer, 404, 1002, MS(210)), seer, (rgn_region)seer);
        is_hub(true);
        is_sent(answer(1 - seer, 503, 0, MS(211)), 1 - seer, (rgn_region)(1 - seer));
        is_hub(true);
        give_up(S(1));
    }
}
END_TEST

START_TEST(shared_hub_region_latch_none_on_zero_overhead_happy_path)
{
    single_write();
    is_sent(begin(&a_read, 0), 0, 0);
    is_hub(false);
    is_done(answer(0, 200, 0, MS(5)), 200, 0, RGN_HEDGE_PRIMARY_WON_PRE_THRESHOLD, 0);
    ck_assert_uint_eq((uint8_t)op.entry_generation, 0xa5); /* its second half was never touched */
}
END_TEST

START_TEST(shared_hub_region_latch_none_on_multi_master_or_metadata)
{
    rgn_request metadata = a_read;

    race(&a_read); /* of a multi-write account */
    is_sent(answer(0, 404, 1002, MS(210)), 0, 0);
    is_hub(false);
    is_sent(answer(1, 503, 0, MS(210)), 1, 1);
    is_hub(false);
    give_up(S(1));

    hedge_teardown();
    hedge_init(false);
    f.config.options.hedging_operations = RGN_HEDGED_FEEDS_AND_METADATA;
    f.config.options.hedging_metadata_threshold = MS(200);
    fixture_start(&f);
    metadata.is_container_level = true;
    race(&metadata);
    is_sent(answer(0, 404, 1002, MS(210)), 0, 0);
    is_hub(false);
    give_up(S(1));
    f.config.options.hedging_strategy = RGN_HEDGING_DISABLED;
    hedge_restart();
    is_sent(begin(&metadata, 0), 0, 0); /* nor outside a race */
    is_sent(answer(0, 404, 1002, MS(1)), 0, 0);
    is_hub(false);
    give_up(S(1));
}
END_TEST

START_TEST(shared_hub_region_latch_propagates_first_1002_across_hedges)
{
    single_write();
    race(&a_read);
    is_sent(answer(0, 404, 1002, MS(300)), 0, 0);
    is_sent(answer(1, 503, 0, MS(310)), 1, 1); /* it has seen no 1002 itself */
    is_hub(true);
    is_done(answer(1, 200, 0, MS(320)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 1);
    is_sent(begin(&a_read, S(1)), 0, 0); /* the latch is the operation's */
    is_hub(false);
    give_up(S(2));
}
END_TEST

START_TEST(shared_hub_region_latch_no_1002_emits_no_header)
{
    static const unsigned others[][2] = {{503, 0}, {410, 0}, {429, 3092}, {404, 1003}, {0, 0}};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        rgn_step step;
        single_write();
        race(&a_read);
        step = answer(0, others[i][0], others[i][1], MS(300));
        if (step == RGN_SEND)
            is_hub(false);
        if (answer(1, 503, 0, MS(310)) == RGN_SEND)
            is_hub(false);
        give_up(S(1));
    }
}
END_TEST

/* The primary lacks the session before the hedge is there; with the driver's early launch that launches it, latched. */
START_TEST(hedging_hub_region_header_propagates_across_hedges)
{
    hedge_teardown();
    hedge_init(false);
    f.config.options.hedging_early_transient = RGN_EARLY_LAUNCH;
    f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
    fixture_start(&f);
    is_sent(begin(&a_read, 0), 0, 0);
    is_sent(answer(0, 404, 1002, MS(3)), 1, 1);
    is_hub(true);
    is_done(answer(1, 200, 0, MS(9)), 200, 1, RGN_HEDGE_ALTERNATE_WON, 0);

    single_write();
    race(&a_read);
    is_sent(answer(0, 404, 1002, MS(210)), 0, 0);
    is_hub(true);
    is_sent(answer(1, 410, 0, MS(220)), 1, 1);
    is_hub(true);
    is_done(answer(0, 200, 0, MS(230)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 2);
}
END_TEST

/* Neither leg wins, and one of them has seen 1002: the operation's next attempt needs no answer of its own for that. */
START_TEST(both_transient_carries_the_latch_over)
{
    for (unsigned seer = 0; seer < 2; seer++) {
        hedge_teardown();
        hedge_init(false);
        f.config.options.hedging_leg_retries = RGN_LEG_RETRIES_NONE;
        fixture_start(&f);
        race(&a_read);
        ck_assert_int_eq(answer(seer, 404, 1002, MS(210)), RGN_WAIT);
        is_sent(answer(1 - seer, 503, 0, MS(220)), 0, 2);
        is_hub(true);
        give_up(S(1));
    }
}
END_TEST

/* Twice, in its own region: the session's budget, and not the failover's. Each leg has a copy. */
START_TEST(a_leg_spends_its_own_copy_of_the_sessions_budget)
{
    for (int limit = 0; limit <= 2; limit++) {
        hedge_teardown();
        hedge_init(false);
        f.config.options.retry_max_failover_retry_count = 0;
        f.config.options.retry_max_session_retry_count = limit;
        fixture_start(&f);
        race(&a_read);
        for (unsigned leg = 0; leg < 2; leg++) {
            for (int i = 0; i < limit; i++)
                is_sent(answer(leg, 404, 1002, MS(210)), leg, (rgn_region)leg);
            if (leg == 0)
                ck_assert_int_eq(answer(leg, 404, 1002, MS(210)), RGN_WAIT);
        }
        if (limit == 0) { /* nothing left for the operation either */
            is_done(answer(1, 404, 1002, MS(220)), 404, 1, RGN_HEDGE_BOTH_TRANSIENT, 0);
            continue;
        }
        is_sent(answer(1, 404, 1002, MS(220)), 0, 0); /* the operation's own retry: where writes go */
        is_hub(true);
        give_up(S(1));
    }
    hedge_teardown(); /* other failures do not touch it */
    hedge_init(false);
    fixture_start(&f);
    race(&a_read);
    for (int i = 0; i < 3; i++)
        is_sent(answer(1, 503, 0, MS(210)), 1, 1);
    for (int i = 0; i < 2; i++)
        is_sent(answer(1, 404, 1002, MS(210)), 1, 1);
    ck_assert_int_eq(answer(1, 404, 1002, MS(210)), RGN_WAIT);
    give_up(S(1));
}
END_TEST

/* 403/3 to a leg that looks for the hub: "not here", which is no answer to the caller; the driver takes it for one. */
START_TEST(a_refused_leg_leaves_the_race_to_the_other_one)
{
    f.account.automatic_failover = true;
    for (int is_final = 0; is_final < 2; is_final++) {
        hedge_teardown();
        hedge_init(false);
        f.account.automatic_failover = true;
        f.config.options.hedging_refused_hub = is_final;
        fixture_start(&f);
        race(&a_read);
        is_sent(answer(0, 404, 1002, MS(210)), 0, 0);
        is_sent(answer(1, 503, 0, MS(215)), 1, 1);
        is_hub(true);
        if (is_final) {
            is_done(answer(1, 403, 3, MS(220)), 403, 1, RGN_HEDGE_ALTERNATE_WON, 1);
            continue;
        }
        ck_assert_int_eq(answer(1, 403, 3, MS(220)), RGN_WAIT);
        ck_assert_uint_eq(op.open_legs, 1);
        is_done(answer(0, 200, 0, MS(230)), 200, 0, RGN_HEDGE_PRIMARY_WON_AFTER_HEDGE, 0);
        ck_assert_uint_eq(f.mark_count, 0); /* a refusal is no failure */
    }
}
END_TEST

/* To a leg that does not look for it, it is an answer like any: final, and charged where it happened. */
START_TEST(a_write_region_that_moved_ends_the_race_in_the_legs_own_region)
{
    hedge_teardown();
    hedge_init(false);
    f.account.automatic_failover = true;
    fixture_start(&f);
    race(&a_read);
    is_done(answer(1, 403, 3, MS(220)), 403, 1, RGN_HEDGE_ALTERNATE_WON, 1);
    ck_assert_uint_eq(op.attempts, 2);
    is_sent(begin(&a_read, S(1)), 0, 0);
    is_sent(ring(RGN_WAKE_HEDGE, S(1) + MS(200)), 1, 1);
    is_done(answer(1, 403, 1008, S(1) + MS(210)), 403, 1, RGN_HEDGE_ALTERNATE_WON, 1);
}
END_TEST

/* A retry that looks for the hub may race like another, and both legs say what they look for. */
START_TEST(a_latched_retry_races_with_the_latch_on_both_legs)
{
    hedge_teardown();
    hedge_init(false);
    f.config.options.hedging_races_per_operation = 2;
    fixture_start(&f);
    is_sent(begin(&a_read, 0), 0, 0);
    is_sent(answer(0, 404, 1002, MS(3)), 0, 0);
    is_hub(true);
    ck_assert_uint_eq(rgn_op_hedge(&op), RGN_HEDGE_WAITING);
    is_sent(answer(0, 403, 3, MS(4)), 0, 1); /* refused before the threshold: the search goes on */
    is_hub(true);
    give_up(S(1));
}
END_TEST

/* --- tokens ------------------------------------------------------------------------------------------------------ */

static uint64_t random_state = 20260611;

static rgn_lsn random_lsn(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (rgn_lsn)(random_state >> 60); /* few values, so that ties are common */
}

enum { COUNT = 3 };

static void merged(const rgn_lsn *a, const rgn_lsn *b, rgn_lsn *out)
{
    memcpy(out, a, COUNT * sizeof *a);
    rgn_session_merge(out, b, COUNT);
}

START_TEST(merging_tokens_is_commutative_associative_and_idempotent)
{
    unsigned broken = 0;

    for (int i = 0; i < 20000; i++) {
        rgn_lsn a[COUNT], b[COUNT], c[COUNT], ab[COUNT], ba[COUNT], left[COUNT], bc[COUNT], right[COUNT], aa[COUNT];
        for (int k = 0; k < COUNT; k++) {
            a[k] = random_lsn();
            b[k] = random_lsn();
            c[k] = random_lsn();
        }
        merged(a, b, ab);
        merged(b, a, ba);
        merged(ab, c, left);
        merged(b, c, bc);
        merged(a, bc, right);
        merged(a, a, aa);
        broken += memcmp(ab, ba, sizeof ab) != 0 || memcmp(left, right, sizeof left) != 0 ||
                  memcmp(aa, a, sizeof a) != 0 || !rgn_session_is_reached(ab, a, COUNT) ||
                  !rgn_session_is_reached(ab, b, COUNT);
    }
    ck_assert_msg(broken == 0, "seed 20260611: %u of 20000 triples", broken);
}
END_TEST

START_TEST(a_region_answers_for_a_token_that_it_has_reached)
{
    const rgn_lsn token[2] = {5, 7};

    for (rgn_lsn first = 4; first <= 6; first++)
        for (rgn_lsn second = 6; second <= 8; second++)
            ck_assert_int_eq(rgn_session_is_reached((const rgn_lsn[]){first, second}, token, 2),
                             first >= 5 && second >= 7);
    ck_assert(rgn_session_is_reached((const rgn_lsn[]){4, 0}, token, 0));
}
END_TEST

START_TEST(a_token_is_taken_from_answers_that_saw_the_data)
{
    static const struct {
        unsigned status, substatus;
        bool expected;
    } rows[] = {{200, 0, true},    {304, 0, true},     {409, 0, true},  {412, 0, true},  {404, 0, true},
                {404, 1003, true}, {404, 1002, false}, {403, 3, false}, {408, 0, false}, {429, 0, false},
                {503, 0, false},   {400, 0, false},    {399, 0, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const rgn_response response = {.status = (uint16_t)rows[i].status, .substatus = (uint16_t)rows[i].substatus};
        ck_assert_msg(rgn_session_captures(&response) == rows[i].expected, "%u/%u", rows[i].status, rows[i].substatus);
    }
    ck_assert(!rgn_session_captures(&(const rgn_response){.transport = RGN_TRANSPORT_SENT}));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {shared_hub_region_latch_initialized_when_eligible,
                                  shared_hub_region_latch_none_on_zero_overhead_happy_path,
                                  shared_hub_region_latch_none_on_multi_master_or_metadata,
                                  shared_hub_region_latch_propagates_first_1002_across_hedges,
                                  shared_hub_region_latch_no_1002_emits_no_header,
                                  hedging_hub_region_header_propagates_across_hedges,
                                  both_transient_carries_the_latch_over,
                                  a_leg_spends_its_own_copy_of_the_sessions_budget,
                                  a_refused_leg_leaves_the_race_to_the_other_one,
                                  a_write_region_that_moved_ends_the_race_in_the_legs_own_region,
                                  a_latched_retry_races_with_the_latch_on_both_legs,
                                  merging_tokens_is_commutative_associative_and_idempotent,
                                  a_region_answers_for_a_token_that_it_has_reached,
                                  a_token_is_taken_from_answers_that_saw_the_data};
    return run_hedge_suite("hedging_session", tests, sizeof tests / sizeof tests[0]);
}
