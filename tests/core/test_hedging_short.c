/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What races mostly come to is told in short: it must be what is told in full. */
#include "op_begin.h"

#include "hedge_script.h"

typedef enum { WON_EARLY, WON_LATE, LOST, TALES } tale;

/* The operation, but for what keeps it on the short ways. */
static rgn_op told_op(void)
{
    rgn_op told = op;

    told.flags &= (uint16_t)~RGNI_OP_PLAIN;
    return told;
}

/* What the operation looks like after each call. */
static void tell(tale what, rgn_dur_ns timeout, rgn_op told[3])
{
    rgn_request request = a_read;

    request.timeout = timeout;
    request.options = &f.config.options;
    begin(&request, S(1));
    told[0] = told_op();
    if (what == WON_EARLY)
        answer(0, 200, 0, S(1) + MS(100));
    else
        ring(RGN_WAKE_HEDGE, S(1) + MS(200));
    told[1] = told_op();
    if (what != WON_EARLY)
        answer(what == LOST ? 1 : 0, 200, 0, S(1) + MS(300));
    told[2] = told_op();
}

/* The usual course has short ways of its own. What keeps an operation off one of them without a say in its course
 * leaves every byte of the operation as it is, and the same row of hedge wins. Some go by a partition that has tripped
 * at home. */
START_TEST(a_race_is_the_same_told_in_short_and_in_full)
{
    static const rgn_dur_ns timeouts[] = {RGN_TIME_NEVER, S(60), S(6), MS(1500)};

    for (unsigned i = 0; i < TALES * 4 * 6; i++) {
        rgn_dur_ns timeout = timeouts[i / TALES % 4];
        int64_t rule = i / TALES / 4 % 3;
        bool is_tripped = i / TALES / 4 >= 3;
        rgn_op told[3][3];
        if (is_tripped && rule == RGN_SECONDARY_SECOND)
            continue; /* that is where the primary goes */
        for (int obstacle = 0; obstacle < 3; obstacle++) {
            rgn_region primary = is_tripped ? 1 : 0;
            unsigned failures = is_tripped ? 1000 : 0;
            if (obstacle == 2 && is_tripped)
                continue; /* a second region would have failed, which is another course */
            hedge_teardown();
            hedge_init(true);
            f.config.options.hedging_secondary = rule;
            if (obstacle == 1)
                f.config.options.hedging_budget_concurrent--; /* all of them */
            fixture_start(&f);
            if (obstacle == 2)
                rgn_router_record_failure(f.router, 0, 2, RGN_READ, 0); /* an entry */
            for (unsigned k = 0; k < failures; k++)
                rgn_router_record_failure(f.router, 0, 0, RGN_READ, 0);
            rgn_router_record_hedge_win(f.router, 0, primary, 0);
            tell((tale)(i % TALES), timeout, told[obstacle]);
            ck_assert_uint_eq(told[obstacle][0].region, primary);
            ck_assert_msg(memcmp(told[obstacle], told[0], sizeof told[0]) == 0, "tale %u, obstacle %d", i, obstacle);
            ck_assert_uint_eq(rgn_router_hedge_wins(f.router, 0, primary), i % TALES == LOST ? 2 : 0);
        }
    }
}
END_TEST

/* The same for the region that a hedge goes to. */
START_TEST(a_short_look_finds_the_region_that_the_search_finds)
{
    const rgn_topology *topology = rgn_router_topology(f.router);
    rgn_options options = f.config.options;

    memset(&op, 0, sizeof op);
    op.options = &options;
    for (rgn_region_set excluded = 0; excluded < 8; excluded++) {
        for (int64_t rule = RGN_SECONDARY_SECOND; rule <= RGN_SECONDARY_UNTRIPPED; rule++) {
            for (rgn_region primary = 0; primary < 4; primary++) {
                op.excluded = excluded;
                op.region = primary;
                options.hedging_secondary = rule;
                ck_assert_uint_eq(rgni_race_secondary(f.router, &op, topology),
                                  rgni_race_search_secondary(f.router, &op, topology));
            }
        }
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_race_is_the_same_told_in_short_and_in_full,
                                  a_short_look_finds_the_region_that_the_search_finds};
    return run_hedge_suite("hedging_short", tests, sizeof tests / sizeof tests[0]);
}
