/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the observer is told of an operation that ended, but for most successes, which operation.h tells. */
#include "engine/operation.h"

static unsigned count_legs(unsigned legs)
{
    unsigned count = 0;
    for (; legs != 0; legs &= legs - 1)
        count++;
    return count;
}

/* The operation's race for the observer. Every hedge that was launched must have come to an end, and none other. */
static void report_race(sim_run_state *run, const sim_slot *slot, sim_ended *ended)
{
    const rgn_hedge hedge = rgn_op_hedge(&slot->op);
    const bool is_end = sim_is_end_of_race(hedge);
    if (is_end ? slot->hedges == 0
               : slot->hedges != 0 && hedge != RGN_HEDGE_LAUNCHED && slot->op.options->hedging_races_per_operation == 1)
        sim_run_break(run, "a hedge was launched without an end, or ended without having been launched");
    ended->hedge = (uint8_t)hedge;
    if (is_end && slot->hedges != 0)
        ended->hedge_cancelled = (uint16_t)count_legs(slot->op.cancel_legs);
}

static uint8_t ended_flags(const sim_slot *slot)
{
    const rgn_op *op = &slot->op;
    unsigned flags = slot->flags & ~(unsigned)(SIM_SLOT_CANARY_LEG | SIM_SLOT_CANARY_FAILED | SIM_SLOT_STORY |
                                               SIM_SLOT_FEED | SIM_SLOT_METADATA);
    flags |= slot->flags & SIM_SLOT_FEED ? SIM_ENDED_FEED : 0;
    flags |= slot->flags & SIM_SLOT_METADATA ? SIM_ENDED_METADATA : 0;
    flags |= op->result.is_success ? SIM_ENDED_SUCCESS : 0;
    flags |= op->result.is_error ? SIM_ENDED_ERROR : 0;
    flags |= op->result.reason == RGN_REASON_DONE_ABANDONED ? SIM_ENDED_ABANDONED : 0;
    const bool is_final = op->result.reason == RGN_REASON_DONE_FINAL && !op->result.is_error;
    flags |= op->result.is_success || is_final ? SIM_ENDED_SERVED : 0;
    return (uint8_t)flags;
}

/* All there may be to tell. */
static void report_all(sim_run_state *run, sim_slot *slot, sim_ended *ended)
{
    ended->flags = ended_flags(slot);
    ended->unserved_legs = slot->unserved_legs;
    if (run->sessions != NULL)
        ended->session_misses = sim_sessions_misses(run->sessions, (uint32_t)(slot - run->slot));
    const bool is_sent_again =
        (slot->flags & SIM_SLOT_CANARY_FAILED) != 0 && slot->op.canary_failed_at != RGN_TIME_NEVER;
    ended->canary_retry = is_sent_again ? slot->op.canary_failed_at - slot->start : -1;
    report_race(run, slot, ended);
    if ((slot->flags & SIM_SLOT_STORY) != 0)
        sim_run_tell_ended(run, slot, ended);
}

static uint64_t outcome_of(const rgn_result *result)
{
    return sim_ended_outcome(result->status, result->substatus, result->reason, result->region);
}

void sim_run_report_told(sim_run_state *run, sim_slot *slot, int64_t now)
{
    const uint64_t outcome = outcome_of(&slot->op.result);
    const sim_record_words record = sim_run_done_record(slot, outcome, now);
    run->told_ends++;
    report_all(run, slot, sim_run_begin_report(run, slot, outcome, now));
    sim_run_tell_record(run, &record);
}

/* Of an answer that has ended the operation: what sim_run_follow() would have counted, and all else. */
static __attribute__((noinline)) void report_otherwise(sim_run_state *run, sim_slot *slot, sim_ended *ended)
{
    sim_run_count_cut_legs(run, slot);
    report_all(run, slot, ended);
}

void sim_run_report_failure(sim_run_state *run, sim_slot *slot, int64_t now)
{
    report_otherwise(run, slot, sim_run_begin_report(run, slot, outcome_of(&slot->op.result), now));
}

/* Nearly always the operation has won a race of two legs, of which at most the other one is cut; or it succeeded at its
 * second attempt, or as a canary; and nothing else is to be told. */
static inline void report_success(sim_run_state *run, sim_slot *slot, sim_ended *ended)
{
    enum { NO_MORE = SIM_ENDED_AWAY | SIM_ENDED_CANARY };
    const unsigned cut = slot->op.cancel_legs;
    const rgn_hedge hedge = rgn_op_hedge_at_end(&slot->op);
    if (!SIM_LIKELY((slot->flags & ~(unsigned)NO_MORE) == 0 && sim_is_end_of_race(hedge) == (slot->hedges != 0) &&
                    cut <= 2 && slot->leg[cut >> 1].status == 200)) {
        report_otherwise(run, slot, ended);
        return;
    }
    run->cut_legs += cut != 0;
    ended->canary_retry = -1;
    ended->hedge_cancelled = cut != 0;
}

void sim_run_report_rest(sim_run_state *run, sim_slot *slot, sim_ended *ended)
{
    report_success(run, slot, ended);
}

void sim_run_report_answered(sim_run_state *run, sim_slot *slot, int64_t now)
{
    sim_ended *ended = sim_run_begin_report(run, slot, outcome_of(&slot->op.result), now);
    if (SIM_LIKELY(slot->op.result.status == 200 && slot->op.result.reason == RGN_REASON_DONE_SUCCESS))
        report_success(run, slot, ended);
    else
        report_otherwise(run, slot, ended);
}
