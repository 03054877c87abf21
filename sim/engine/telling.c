/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is told of few operations, or of all where a run is explained: stories, and the recorder's steps. */
#include "engine/run.h"

void sim_run_begin_story(sim_run_state *run, sim_slot *slot)
{
    run->story_place[slot - run->slot] = sim_stories_begin(run->input->stories, slot->ordinal);
    run->story_bound = sim_stories_bound(run->input->stories);
    slot->flags |= SIM_SLOT_STORY;
}

/* NULL once an operation that started later has taken its place. */
static sim_story *story_of(sim_run_state *run, sim_slot *slot)
{
    sim_story *story = sim_stories_at(run->input->stories, run->story_place[slot - run->slot], slot->ordinal);
    if (story == NULL)
        slot->flags &= (uint8_t)~SIM_SLOT_STORY;
    return story;
}

void sim_run_tell_sent(sim_run_state *run, sim_slot *slot, int64_t now)
{
    sim_story *story = story_of(run, slot);
    const rgn_op *op = &slot->op;
    if (story != NULL)
        sim_story_sent(story, &(sim_story_attempt){.sent = now,
                                                   .region = op->region,
                                                   .leg = op->leg,
                                                   .context = (uint8_t)rgn_op_context(op),
                                                   .reason = op->reason,
                                                   .send_flags = op->send_flags});
}

void sim_run_tell_step(sim_run_state *run, sim_slot *slot, rgn_step step, int64_t now)
{
    sim_story *story = story_of(run, slot);
    if (story == NULL)
        return;
    for (uint8_t leg = 0; slot->op.cancel_legs >> leg != 0; leg++)
        if (slot->op.cancel_legs >> leg & 1)
            sim_story_leg_ended(story, leg, run->is_timeout ? SIM_STORY_TIMED_OUT : SIM_STORY_CANCELLED, NULL, now);
    sim_story_observe(story, run->fleet.client[slot->client].router, &slot->op, step, run->answer, now);
}

void sim_run_tell_answer(sim_run_state *run, sim_slot *slot, uint32_t leg, const rgn_response *answer, int64_t now)
{
    sim_story *story = story_of(run, slot);
    if (story != NULL)
        sim_story_leg_ended(story, (uint8_t)leg, SIM_STORY_ANSWERED, answer, now);
}

void sim_run_tell_ended(sim_run_state *run, sim_slot *slot, const sim_ended *ended)
{
    sim_story *story = story_of(run, slot);
    if (story != NULL)
        story->ended = *ended;
}

void sim_run_record_step(const sim_run_state *run, sim_slot *slot, rgn_step step, int64_t now)
{
    const sim_recorder *recorder = run->input->recorder;
    int64_t sent[RGN_LEGS_MAX];
    rgn_region region[RGN_LEGS_MAX];
    for (uint32_t leg = 0; leg < (run->fan != NULL ? RGN_LEGS_MAX : SIM_SLOT_LEGS); leg++) {
        sent[leg] = sim_run_leg(run, slot, leg)->sent;
        region[leg] = sim_run_leg(run, slot, leg)->region;
    }
    const sim_recorded_step told = {.now = now,
                                    .start = slot->start,
                                    .ordinal = slot->ordinal,
                                    .client = slot->client,
                                    .partition = slot->partition,
                                    .kind = slot->kind,
                                    .form = (uint8_t)sim_run_form(slot),
                                    .workload = slot->workload,
                                    .is_timeout = run->is_timeout,
                                    .legs = slot->legs,
                                    .leg = run->answered_leg,
                                    .step = step,
                                    .op = &slot->op,
                                    .router = run->fleet.client[slot->client].router,
                                    .answer = run->answer,
                                    .leg_sent = sent,
                                    .leg_region = region};
    recorder->step(recorder->context, &told);
}
