/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sessions.h"

#include <stdlib.h>
#include <string.h>

enum { COMMITS_FIRST = 16 };

/* The latest commits of a partition in one region, rising. Of those that every region has, one is kept. */
typedef struct {
    int64_t *at;
    uint32_t count;
    uint32_t room;
} commit_log;

struct sim_sessions {
    const sim_scenario *scenario;
    const sim_world_run *world;
    const sim_luck *luck;
    uint32_t regions;
    uint32_t legs; /* of an operation, at most */
    int64_t lag_max;
    rgn_lsn *token;  /* [(client * partitions + partition) * regions + region] */
    commit_log *log; /* [partition * regions + region] */
    rgn_lsn *seen;   /* what comes with an answer: [(slot * legs + leg) * regions + region] */
    uint8_t *misses; /* by slot */
    bool is_out_of_memory;
};

sim_sessions *sim_sessions_create(const sim_scenario *scenario, const sim_world_run *world, const sim_luck *luck,
                                  uint32_t legs)
{
    sim_sessions *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    const size_t partitions = (size_t)scenario->partition_count * scenario->region_count;
    self->scenario = scenario;
    self->world = world;
    self->luck = luck;
    self->regions = scenario->region_count;
    self->legs = legs;
    self->lag_max = sim_world_lag_max(world->world);
    self->token = calloc(partitions * scenario->client_count, sizeof *self->token);
    self->log = calloc(partitions, sizeof *self->log);
    if (self->token != NULL && self->log != NULL)
        return self;
    sim_sessions_destroy(self);
    return NULL;
}

void sim_sessions_destroy(sim_sessions *sessions)
{
    if (sessions == NULL)
        return;
    const size_t logs = (size_t)sessions->scenario->partition_count * sessions->regions;
    for (size_t i = 0; sessions->log != NULL && i < logs; i++)
        free(sessions->log[i].at);
    free(sessions->log);
    free(sessions->token);
    free(sessions->seen);
    free(sessions->misses);
    free(sessions);
}

bool sim_sessions_reserve(sim_sessions *sessions, uint32_t capacity)
{
    const size_t seen = (size_t)capacity * sessions->legs * sessions->regions;
    rgn_lsn *grown_seen = realloc(sessions->seen, seen * sizeof *grown_seen);
    uint8_t *grown_misses = realloc(sessions->misses, capacity);
    if (grown_seen != NULL)
        sessions->seen = grown_seen;
    if (grown_misses != NULL)
        sessions->misses = grown_misses;
    return grown_seen != NULL && grown_misses != NULL && !sessions->is_out_of_memory;
}

void sim_sessions_begin(sim_sessions *sessions, uint32_t slot)
{
    sessions->misses[slot] = 0;
}

/* ---- commits ---- */

static commit_log *log_of(sim_sessions *self, uint32_t partition, uint32_t region)
{
    return &self->log[(size_t)partition * self->regions + region];
}

/* How many commits lie at or before `at`. */
static uint32_t count_until(const commit_log *log, int64_t at)
{
    uint32_t low = 0, high = log->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (log->at[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Drops what nobody can ask for any more: whoever asks from now on has reached `horizon`. */
static void prune(commit_log *log, int64_t horizon)
{
    const uint32_t old = count_until(log, horizon);
    if (old < 2)
        return;
    memmove(log->at, log->at + old - 1, (log->count - old + 1) * sizeof *log->at);
    log->count -= old - 1;
}

static bool make_room(commit_log *log, int64_t horizon)
{
    if (log->count < log->room)
        return true;
    prune(log, horizon);
    if (log->count <= log->room / 2 && log->room > 0)
        return true;
    const uint32_t room = log->room == 0 ? COMMITS_FIRST : 2 * log->room;
    int64_t *grown = realloc(log->at, room * sizeof *grown);
    if (grown == NULL)
        return false;
    log->at = grown;
    log->room = room;
    return true;
}

/* Writes are sent in time order, but may arrive in another. */
static void commit(sim_sessions *self, uint32_t partition, uint32_t region, int64_t now, int64_t at)
{
    commit_log *log = log_of(self, partition, region);
    if (!make_room(log, now - self->lag_max)) {
        self->is_out_of_memory = true;
        return;
    }
    uint32_t i = log->count++;
    for (; i > 0 && log->at[i - 1] > at; i--)
        log->at[i] = log->at[i - 1];
    log->at[i] = at;
}

/* ---- serving ---- */

/* What the region has of each region's writes at `arrival`; false if that is less than the token asks for. */
static bool read_from(sim_sessions *self, rgn_lsn *seen, const sim_attempt *attempt, int64_t arrival)
{
    const rgn_lsn *token =
        &self->token[((size_t)attempt->client * self->scenario->partition_count + attempt->partition) * self->regions];
    rgn_lsn reached[RGN_REGIONS_MAX] = {0};
    for (uint32_t region = 0; region < self->regions; region++) {
        const commit_log *log = log_of(self, attempt->partition, region);
        seen[region] = 0;
        if (log->count == 0)
            continue;
        const int64_t until = sim_world_replicated_until(self->world, self->luck, attempt->partition,
                                                         (rgn_region)region, attempt->region, arrival);
        const uint32_t count = count_until(log, until);
        reached[region] = until + 1;
        seen[region] = count > 0 ? log->at[count - 1] + 1 : 0;
    }
    return rgn_session_is_reached(reached, token, self->regions);
}

bool sim_sessions_serve(sim_sessions *sessions, uint32_t slot, uint32_t leg, const sim_attempt *attempt,
                        bool is_hub_read, int64_t now, int64_t arrival, uint16_t *status, uint16_t *substatus)
{
    rgn_lsn *seen = &sessions->seen[((size_t)slot * sessions->legs + leg) * sessions->regions];
    if (attempt->kind == SIM_KIND_WRITE) {
        memset(seen, 0, sessions->regions * sizeof *seen);
        seen[attempt->region] = arrival + 1;
        commit(sessions, attempt->partition, attempt->region, now, arrival);
        return true;
    }
    if (is_hub_read && attempt->region != sessions->scenario->writable.region[0]) {
        *status = 403;
        *substatus = 3;
        return false;
    }
    if (read_from(sessions, seen, attempt, arrival))
        return true;
    *status = 404;
    *substatus = 1002;
    sessions->misses[slot] = (uint8_t)(sessions->misses[slot] + (sessions->misses[slot] < UINT8_MAX));
    return false;
}

void sim_sessions_answered(sim_sessions *sessions, uint32_t slot, uint32_t leg, uint32_t client, uint32_t partition,
                           const rgn_response *response)
{
    if (response->status != 200 || !rgn_session_captures(response))
        return; /* what faults answer comes with no token */
    rgn_session_merge(
        &sessions->token[((size_t)client * sessions->scenario->partition_count + partition) * sessions->regions],
        &sessions->seen[((size_t)slot * sessions->legs + leg) * sessions->regions], sessions->regions);
}

uint8_t sim_sessions_misses(const sim_sessions *sessions, uint32_t slot)
{
    return sessions->misses[slot];
}

void sim_sessions_forget(sim_sessions *sessions, uint32_t client)
{
    const size_t each = (size_t)sessions->scenario->partition_count * sessions->regions;
    memset(&sessions->token[client * each], 0, each * sizeof *sessions->token);
}
