/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/arrivals.h"
#include "engine/stories.h"

#include <stdlib.h>
#include <string.h>

/* ppb as a bound on a 32-bit word: word < bound has that probability; all of it gives 2^32. */
static uint64_t bound32(uint64_t ppb)
{
    return (ppb << 32) / SIM_SHARE_ONE;
}

static uint32_t saturate32(uint64_t bound)
{
    return bound > UINT32_MAX ? UINT32_MAX : (uint32_t)bound;
}

/* The block holds `count` arrivals, all still to come. */
static void fill_block(sim_stream *stream, uint32_t count)
{
    stream->position = 0;
    stream->count = count;
    stream->time[count] = RGN_TIME_NEVER;
}

static bool list_clients(sim_stream *stream, const sim_scenario *scenario)
{
    const sim_workload *workload = stream->workload;
    stream->client_of = calloc(workload->clients, sizeof *stream->client_of);
    if (stream->client_of == NULL)
        return false;
    uint32_t next = 0;
    for (uint32_t i = 0; i < workload->group_count; i++) {
        const sim_client_group *group = &scenario->group[workload->groups[i]];
        for (uint32_t k = 0; k < group->count; k++)
            stream->client_of[next++] = group->first_client + k;
    }
    return true;
}

/* A table of at least as many places as partitions, so that a pick looks at two partitions or so, however uneven. */
static bool guide_partitions(sim_stream *stream)
{
    const uint32_t count = stream->workload->partition_count;
    uint32_t bits = 1;
    while (bits < 31 && (UINT32_C(1) << bits) < count)
        bits++;
    const uint32_t places = UINT32_C(1) << bits;
    stream->guide_shift = 32 - bits;
    stream->partition_guide = malloc(places * sizeof *stream->partition_guide);
    if (stream->partition_guide == NULL)
        return false;
    uint32_t partition = 0;
    for (uint32_t place = 0; place < places; place++) {
        const uint32_t word = place << stream->guide_shift;
        while (partition + 1 < count && word >= stream->partition_bound[partition])
            partition++;
        stream->partition_guide[place] = partition;
    }
    return true;
}

static bool bound_partitions(sim_stream *stream)
{
    const sim_workload *workload = stream->workload;
    if (workload->partition_weight == NULL)
        return true;
    stream->partition_bound = calloc(workload->partition_count, sizeof *stream->partition_bound);
    if (stream->partition_bound == NULL)
        return false;
    uint64_t sum = 0;
    for (uint32_t p = 0; p < workload->partition_count; p++) {
        sum += workload->partition_weight[p];
        stream->partition_bound[p] = saturate32(bound32(sum));
    }
    return guide_partitions(stream);
}

/* A recording does not begin with its first arrival in every replication. */
static void open_clock(sim_stream *stream, const sim_luck *luck)
{
    const sim_workload *workload = stream->workload;
    stream->has_clock = workload->rate_step_count > 0 || workload->arrivals == SIM_ARRIVALS_RECORDED;
    stream->pace = (sim_pace){.rate_mhz = workload->rate_mhz};
    if (workload->rate_step_count > 0) {
        stream->pace.rate_mhz = workload->rate_step[0].rate_mhz;
        stream->next_step = 1;
    }
    if (workload->arrivals == SIM_ARRIVALS_RECORDED)
        stream->first_recorded = (uint32_t)sim_below(
            sim_draw_words(luck, SIM_DRAW_RECORD_PHASE, workload->name_hash, 0).word[0], workload->recording.count);
}

static bool init_stream(sim_stream *stream, const sim_scenario *scenario, const sim_workload *workload,
                        const sim_luck *luck, const uint64_t *first_place)
{
    *stream = (sim_stream){
        .workload = workload,
        .index = (uint8_t)(workload - scenario->workload),
        .luck_base = workload->name_hash >> SIM_ORDINAL_LUCK_BITS << SIM_ORDINAL_LUCK_BITS,
        .read_bound = saturate32(bound32(workload->kind_share[SIM_KIND_READ])),
        .has_forms = workload->form_share[SIM_FORM_FEED] + workload->form_share[SIM_FORM_METADATA] > 0,
        .point_bound = saturate32(bound32(workload->form_share[SIM_FORM_POINT])),
        .feed_bound =
            saturate32(bound32((uint64_t)workload->form_share[SIM_FORM_POINT] + workload->form_share[SIM_FORM_FEED]))};
    if (!list_clients(stream, scenario) || !bound_partitions(stream))
        return false;
    memset(stream->kind, SIM_KIND_READ, sizeof stream->kind);
    memset(stream->form, SIM_FORM_POINT, sizeof stream->form);
    memset(stream->elsewhere_region, RGN_REGION_NONE, sizeof stream->elsewhere_region);
    for (uint32_t i = 0; i < SIM_ARRIVALS_BLOCK; i++)
        stream->place[i] = first_place[stream->client_of[0]];
    open_clock(stream, luck);
    if (workload->arrivals != SIM_ARRIVALS_POISSON && workload->arrivals != SIM_ARRIVALS_CLOSED)
        return true;
    stream->gap = malloc(sizeof *stream->gap);
    if (stream->gap == NULL)
        return false;
    if (workload->arrivals == SIM_ARRIVALS_CLOSED) {
        sim_sampler_build(stream->gap, &workload->think);
        return sim_queue_reserve(&stream->ready, workload->users);
    }
    const sim_dist gap = {.type = SIM_DIST_EXPONENTIAL,
                          .a = stream->has_clock ? SIM_RATE_NS
                                                 : (SIM_RATE_NS + workload->rate_mhz / 2) / workload->rate_mhz};
    sim_sampler_build(stream->gap, &gap);
    return true;
}

/* The first region of each client's list. A wrong guess costs the time of a draw and nothing else. */
static bool guess_places(sim_arrivals_merge *merge)
{
    const sim_scenario *scenario = merge->scenario;
    merge->first_place = calloc(scenario->client_count, sizeof *merge->first_place);
    merge->elsewhere = calloc(scenario->client_count, sizeof *merge->elsewhere);
    if (merge->first_place == NULL || merge->elsewhere == NULL)
        return false;
    for (uint32_t g = 0; g < scenario->group_count; g++) {
        const sim_client_group *group = &scenario->group[g];
        for (uint32_t k = 0; k < group->count; k++)
            merge->first_place[group->first_client + k] = sim_leg_place(scenario->region[sim_first_region(group)], 1);
    }
    return true;
}

static void open_loop_of_users(const sim_arrivals_merge *merge, sim_stream *stream);

bool sim_arrivals_init(sim_arrivals_merge *merge, const sim_scenario *scenario, const sim_luck *luck)
{
    *merge = (sim_arrivals_merge){.scenario = scenario, .luck = *luck, .way = sim_draw_block_fastest()};
    const size_t bytes = ((size_t)scenario->workload_count + 1) * sizeof *merge->stream;
    merge->stream = aligned_alloc(_Alignof(sim_stream), bytes);
    if (merge->stream != NULL)
        memset(merge->stream, 0, bytes);
    if (merge->stream == NULL || !guess_places(merge)) {
        sim_arrivals_deinit(merge);
        return false;
    }
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        merge->stream_count = w + 1;
        if (!init_stream(&merge->stream[w], scenario, &scenario->workload[w], luck, merge->first_place)) {
            sim_arrivals_deinit(merge);
            return false;
        }
        if (scenario->workload[w].arrivals == SIM_ARRIVALS_CLOSED)
            open_loop_of_users(merge, &merge->stream[w]);
        else
            sim_arrivals_refill(merge, &merge->stream[w]);
    }
    fill_block(&merge->stream[merge->stream_count], 0);
    merge->stream_count += scenario->has_callers; /* the last one holds the extras, and none yet */
    sim_arrivals_find_first(merge);
    return true;
}

void sim_arrivals_deinit(sim_arrivals_merge *merge)
{
    for (uint32_t w = 0; w < merge->stream_count; w++) {
        free(merge->stream[w].client_of);
        free(merge->stream[w].partition_bound);
        free(merge->stream[w].partition_guide);
        free(merge->stream[w].gap);
        sim_queue_deinit(&merge->stream[w].ready);
    }
    free(merge->stream);
    free(merge->first_place);
    free(merge->elsewhere);
    free(merge->extras.arrival);
    free(merge->extras.free_place);
    *merge = (sim_arrivals_merge){.next_time = RGN_TIME_NEVER};
}

/* Draws a block, or if it holds one operation only, that one's. */
static void draw_words(const sim_arrivals_merge *merge, sim_draw purpose, const sim_draw_counters *counters,
                       sim_draw_block *block, uint32_t count)
{
    if (count != 1) {
        merge->way->fill(&merge->luck, purpose, counters, block);
        return;
    }
    const sim_words words = sim_draw_words(&merge->luck, purpose, counters->base[0] + counters->offset[0][0],
                                           counters->base[1] + counters->offset[1][0]);
    block->word[0][0] = words.word[0];
    block->word[1][0] = words.word[1];
}

/* Where operation i of the block falls on the stream's clock. */
static sim_u128 clock_of(sim_stream *stream, const sim_draw_block *gaps, uint32_t i)
{
    const sim_recording *recording = &stream->workload->recording;
    const uint64_t n = stream->first_n + i;
    if (stream->gap != NULL) {
        stream->clock += sim_sampler_draw(stream->gap, gaps->word[0][i]);
        return stream->clock;
    }
    if (stream->workload->arrivals != SIM_ARRIVALS_RECORDED)
        return (sim_u128)n * (uint64_t)SIM_RATE_NS;
    const uint64_t place = stream->first_recorded + n;
    const sim_u128 rounds = (sim_u128)(place / recording->count) * recording->count * (uint64_t)SIM_RATE_NS;
    return rounds + recording->at[place % recording->count] - recording->at[stream->first_recorded];
}

/* When the stream's clock shows `clock`, which never falls from call to call; `end` if not before that. */
static int64_t time_of(sim_stream *stream, sim_u128 clock, int64_t end)
{
    const sim_workload *workload = stream->workload;
    sim_pace *pace = &stream->pace;
    for (; stream->next_step < workload->rate_step_count; stream->next_step++) {
        const sim_rate_step *step = &workload->rate_step[stream->next_step];
        const sim_u128 start = pace->start + (sim_u128)(uint64_t)(step->at - pace->from) * (uint64_t)pace->rate_mhz;
        if (start > clock)
            break;
        *pace = (sim_pace){.from = step->at, .rate_mhz = step->rate_mhz, .start = start};
    }
    if (pace->rate_mhz == 0 || pace->from >= end)
        return end;
    const sim_u128 since = (clock - pace->start) / (uint64_t)pace->rate_mhz;
    return since < (sim_u128)(uint64_t)(end - pace->from) ? pace->from + (int64_t)since : end;
}

/* Times of a block's operations from stream->first_n on, the end or later for all that lie beyond it. */
static void draw_times_by_clock(sim_stream *stream, const sim_draw_block *gaps, int64_t end)
{
    for (uint32_t i = 0; i < SIM_ARRIVALS_BLOCK; i++)
        stream->time[i] = time_of(stream, clock_of(stream, gaps, i), end);
}

static void draw_constant_times(sim_stream *stream)
{
    const uint64_t rate_mhz = (uint64_t)stream->workload->rate_mhz;
    for (uint32_t i = 0; i < SIM_ARRIVALS_BLOCK; i++)
        stream->time[i] = (int64_t)((sim_u128)(stream->first_n + i) * (uint64_t)SIM_RATE_NS / rate_mhz);
}

static void draw_poisson_times(sim_stream *stream, const sim_draw_block *gaps)
{
    const sim_sampler *gap = stream->gap;
    int64_t time = stream->last_time;
    for (uint32_t i = 0; i < SIM_ARRIVALS_BLOCK; i++) {
        time += (int64_t)sim_sampler_draw(gap, gaps->word[0][i]);
        stream->time[i] = time;
    }
}

/* How many of the block's operations come before the end, and have an ordinal. */
static uint32_t count_before(const sim_stream *stream, int64_t end)
{
    uint32_t count = SIM_ARRIVALS_BLOCK;
    while (count > 0 && (stream->time[count - 1] >= end || stream->first_n + count > (uint64_t)SIM_OPERATIONS_MAX))
        count--;
    return count;
}

/* Fills in the times of a block; returns how many of them lie before the end of the run. */
static uint32_t draw_times(const sim_arrivals_merge *merge, sim_stream *stream)
{
    const int64_t end = merge->scenario->duration;
    sim_draw_block gaps;
    if (stream->gap != NULL) {
        const sim_draw_counters counters = {{stream->workload->name_hash, stream->first_n},
                                            {sim_draw_all_alike, sim_draw_one_by_one}};
        merge->way->fill(&merge->luck, SIM_DRAW_GAP, &counters, &gaps);
    }
    if (stream->has_clock)
        draw_times_by_clock(stream, &gaps, end);
    else if (stream->gap == NULL)
        draw_constant_times(stream);
    else
        draw_poisson_times(stream, &gaps);
    const uint32_t count = count_before(stream, end);
    stream->last_time = count < SIM_ARRIVALS_BLOCK ? end : stream->time[count - 1];
    return count;
}

static uint32_t pick_partition(const sim_stream *stream, uint32_t word)
{
    const uint32_t count = stream->workload->partition_count;
    if (stream->partition_bound == NULL)
        return (uint32_t)(((uint64_t)word * count) >> 32);
    uint32_t partition = stream->partition_guide[word >> stream->guide_shift];
    while (partition + 1 < count && word >= stream->partition_bound[partition])
        partition++;
    return partition;
}

static void pick_kinds(sim_stream *stream)
{
    for (uint32_t i = 0; i < stream->count; i++)
        stream->kind[i] = (uint32_t)stream->drawn.word[0][i] < stream->read_bound ? SIM_KIND_READ : SIM_KIND_WRITE;
}

/* The word that makes an operation a read says what it reads, so that the kinds of others stay. */
static void pick_forms(sim_stream *stream)
{
    const bool has_metadata = stream->workload->form_share[SIM_FORM_METADATA] > 0;
    for (uint32_t i = 0; i < stream->count; i++) {
        const uint32_t word = (uint32_t)stream->drawn.word[0][i];
        const bool is_feed = word < stream->feed_bound || !has_metadata;
        stream->form[i] = stream->kind[i] == SIM_KIND_WRITE || word < stream->point_bound ? SIM_FORM_POINT
                          : is_feed                                                       ? SIM_FORM_FEED
                                                                                          : SIM_FORM_METADATA;
    }
}

static void pick_clients_and_partitions(const sim_arrivals_merge *merge, sim_stream *stream)
{
    const sim_workload *workload = stream->workload;
    for (uint32_t i = 0; i < stream->count; i++) {
        const uint32_t client = stream->client_of[((stream->drawn.word[1][i] >> 32) * workload->clients) >> 32];
        const uint32_t partition = pick_partition(stream, (uint32_t)(stream->drawn.word[0][i] >> 32));
        stream->ids[i] = sim_pack_ids(client, workload->first_partition + partition);
        stream->place[i] = merge->first_place[client];
    }
}

/* All but the times and the luck of legs. */
static void draw_requests(const sim_arrivals_merge *merge, sim_stream *stream)
{
    stream->first_ordinal = (uint64_t)stream->index << 30 | stream->first_n;
    stream->first_key = stream->luck_base | stream->first_n;
    const sim_draw_counters counters = {{stream->first_key, 0}, {sim_draw_one_by_one, sim_draw_all_alike}};
    draw_words(merge, SIM_DRAW_REQUEST, &counters, &stream->drawn, stream->count);
    if (stream->count == 1)
        stream->story_hash[0] = sim_story_hash(stream->first_ordinal);
    else
        merge->way->mix(stream->first_ordinal + 1, stream->story_hash);
    if (stream->count > 1 && stream->workload->clients == 1 && stream->partition_bound == NULL)
        merge->way->pick(stream->drawn.word[0], stream->workload->partition_count,
                         sim_pack_ids(stream->client_of[0], stream->workload->first_partition), stream->ids);
    else
        pick_clients_and_partitions(merge, stream);
    if (stream->workload->kind_share[SIM_KIND_READ] != SIM_SHARE_ONE)
        pick_kinds(stream);
    if (stream->has_forms)
        pick_forms(stream);
}

static void draw_legs(const sim_arrivals_merge *merge, sim_stream *stream)
{
    const sim_draw_counters counters = {{stream->first_key, 0}, {sim_draw_one_by_one, stream->place}};
    draw_words(merge, SIM_DRAW_LEG, &counters, &stream->leg, stream->count);
}

/* ---- luck of legs that go elsewhere ---- */

void sim_arrivals_note_miss(sim_arrivals_merge *merge, uint8_t workload, uint32_t client, rgn_region region)
{
    sim_elsewhere *elsewhere = &merge->elsewhere[client];
    merge->asks_elsewhere[workload]++;
    elsewhere->misses = (uint16_t)(elsewhere->misses + (elsewhere->misses < UINT16_MAX));
    elsewhere->missed = region;
}

/* A client's region stays while it serves most of the legs that ask. */
static rgn_region choose_elsewhere(sim_elsewhere *elsewhere)
{
    if (elsewhere->misses > elsewhere->hits)
        elsewhere->region = elsewhere->missed;
    elsewhere->hits = elsewhere->misses = 0;
    return elsewhere->region;
}

/* What legs have asked for since the stream's last block says whether it pays: a block costs as much as a dozen legs
 * drawn one by one, or as three dozen where registers are narrow. */
static void draw_elsewhere(sim_arrivals_merge *merge, sim_stream *stream)
{
    const bool pays = merge->asks_elsewhere[stream->index] > SIM_ARRIVALS_BLOCK / 4;
    merge->asks_elsewhere[stream->index] = 0;
    if (!pays) {
        memset(stream->elsewhere_region, RGN_REGION_NONE, sizeof stream->elsewhere_region);
        return;
    }
    const bool is_alone = stream->workload->clients == 1;
    if (!is_alone || choose_elsewhere(&merge->elsewhere[stream->client_of[0]]) != stream->elsewhere_region[0])
        for (uint32_t i = 0; i < SIM_ARRIVALS_BLOCK; i++) {
            const rgn_region region = choose_elsewhere(&merge->elsewhere[stream->ids[i] >> 32]);
            stream->elsewhere_region[i] = region;
            stream->elsewhere_place[i] = sim_leg_place(merge->scenario->region[region], 1);
        }
    const sim_draw_counters counters = {{stream->first_key, 0}, {sim_draw_one_by_one, stream->elsewhere_place}};
    merge->way->fill(&merge->luck, SIM_DRAW_LEG, &counters, &stream->elsewhere);
}

/* ---- closed loops ---- */

/* A user begins operation n a drawn time after `now`, unless the run is over by then. */
static void think(const sim_arrivals_merge *merge, sim_stream *stream, uint32_t n, int64_t now)
{
    const sim_words words = sim_draw_words(&merge->luck, SIM_DRAW_GAP, stream->workload->name_hash, n);
    const int64_t at = rgn_time_add(now, (int64_t)sim_sampler_draw(stream->gap, words.word[0]));
    if (at < merge->scenario->duration)
        sim_queue_push(&stream->ready, (sim_event){(uint64_t)at, sim_event_key(SIM_CLASS_ARRIVAL, n, 0, 0)});
}

/* The block holds operation n, but for its time. */
static void draw_operation_of_user(const sim_arrivals_merge *merge, sim_stream *stream, uint64_t n)
{
    stream->first_n = n;
    fill_block(stream, 1);
    draw_requests(merge, stream);
    const uint32_t client = stream->client_of[n % stream->workload->users % stream->workload->clients];
    stream->ids[0] = sim_pack_ids(client, (uint32_t)stream->ids[0]);
    stream->place[0] = merge->first_place[client];
    draw_legs(merge, stream);
}

/* The block holds the user's operation that comes first. */
static void take_first_user(const sim_arrivals_merge *merge, sim_stream *stream)
{
    fill_block(stream, stream->ready.count > 0);
    if (stream->count == 0)
        return;
    const sim_event first = stream->ready.heap[0];
    draw_operation_of_user(merge, stream, first.key >> (SIM_LEG_BITS + SIM_SLOT_BITS) & (SIM_OPERATIONS_MAX - 1));
    stream->time[0] = (int64_t)first.time;
}

sim_arrival sim_arrivals_of_user(sim_arrivals_merge *merge, uint8_t workload, uint32_t n)
{
    sim_stream *stream = &merge->stream[workload];
    draw_operation_of_user(merge, stream, n);
    const sim_arrival drawn = sim_arrivals_of_stream(stream);
    take_first_user(merge, stream);
    return drawn;
}

static void open_loop_of_users(const sim_arrivals_merge *merge, sim_stream *stream)
{
    for (uint32_t user = 0; user < stream->workload->users; user++)
        think(merge, stream, user, 0);
    take_first_user(merge, stream);
}

bool sim_arrivals_go_on(sim_arrivals_merge *merge, uint8_t workload, uint32_t n, int64_t now)
{
    sim_stream *stream = &merge->stream[workload];
    if (n >= SIM_OPERATIONS_MAX - stream->workload->users)
        return false;
    think(merge, stream, n + stream->workload->users, now);
    take_first_user(merge, stream);
    sim_arrivals_find_first(merge);
    return true;
}

/* ---- extras ---- */

static void take_first_extra(const sim_arrivals_merge *merge, sim_stream *stream)
{
    fill_block(stream, stream->ready.count > 0);
    if (stream->count == 0)
        return;
    const sim_arrival *first = &merge->extras.arrival[sim_event_slot(stream->ready.heap[0].key)];
    stream->index = first->workload;
    stream->beginning = merge->stream[first->workload].beginning;
    stream->first_n = first->n;
    stream->first_ordinal = (uint64_t)first->workload << 30 | first->n;
    stream->first_key = first->luck_key;
    stream->time[0] = first->time;
    stream->ids[0] = sim_pack_ids(first->client, first->partition);
    stream->kind[0] = first->kind;
    stream->form[0] = first->form;
    stream->elsewhere_region[0] = RGN_REGION_NONE;
    stream->drawn.word[1][0] = first->chance;
    stream->leg.word[0][0] = first->leg.word[0];
    stream->leg.word[1][0] = first->leg.word[1];
    stream->story_hash[0] = first->tries == 0 ? sim_story_hash(stream->first_ordinal) : UINT64_MAX;
    stream->tries = first->tries;
    stream->has_waited = first->has_waited;
    stream->due = first->due;
}

static bool grow_extras(sim_extras *extras, sim_queue *ready)
{
    const uint32_t capacity = extras->capacity == 0 ? SIM_ARRIVALS_BLOCK : 2 * extras->capacity;
    sim_arrival *arrival = capacity <= SIM_PENDING_MAX ? realloc(extras->arrival, capacity * sizeof *arrival) : NULL;
    if (arrival != NULL)
        extras->arrival = arrival;
    uint32_t *place = realloc(extras->free_place, capacity * sizeof *place);
    if (place != NULL)
        extras->free_place = place;
    if (arrival == NULL || place == NULL || !sim_queue_reserve(ready, capacity))
        return false;
    extras->capacity = capacity;
    return true;
}

bool sim_arrivals_add(sim_arrivals_merge *merge, const sim_arrival *arrival)
{
    sim_extras *extras = &merge->extras;
    sim_stream *stream = &merge->stream[merge->stream_count - 1];
    if (extras->free_count == 0 && extras->count == extras->capacity && !grow_extras(extras, &stream->ready))
        return false;
    const uint32_t place = extras->free_count > 0 ? extras->free_place[--extras->free_count] : extras->count++;
    const uint64_t ordinal = (uint64_t)arrival->workload << 30 | arrival->n;
    extras->arrival[place] = *arrival;
    sim_queue_push(&stream->ready,
                   (sim_event){(uint64_t)arrival->time, sim_event_key(SIM_CLASS_ARRIVAL, ordinal, 0, place)});
    take_first_extra(merge, stream);
    sim_arrivals_find_first(merge);
    return true;
}

void sim_arrivals_refill(sim_arrivals_merge *merge, sim_stream *stream)
{
    if (stream->workload == NULL) {
        const sim_event taken = sim_queue_pop(&stream->ready);
        merge->extras.free_place[merge->extras.free_count++] = sim_event_slot(taken.key);
        take_first_extra(merge, stream);
        return;
    }
    if (stream->workload->arrivals == SIM_ARRIVALS_CLOSED) {
        (void)sim_queue_pop(&stream->ready);
        take_first_user(merge, stream);
        return;
    }
    stream->first_n += stream->count;
    fill_block(stream, 0);
    if (stream->last_time >= merge->scenario->duration)
        return;
    fill_block(stream, draw_times(merge, stream));
    draw_requests(merge, stream);
    draw_legs(merge, stream);
    draw_elsewhere(merge, stream);
}

void sim_arrivals_find_first(sim_arrivals_merge *merge)
{
    merge->first = merge->stream;
    merge->next_time = RGN_TIME_NEVER;
    for (uint32_t w = 0; w < merge->stream_count; w++) {
        sim_stream *stream = &merge->stream[w];
        const int64_t time = stream->time[stream->position];
        if (time < merge->next_time) {
            merge->next_time = time;
            merge->first = stream;
        }
    }
}
