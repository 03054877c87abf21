/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One event a line; times are microseconds with three decimals. */
#include <inttypes.h>
#include <stdlib.h>

#include "explain/trace.h"

/* Names of scenarios and policies are plain words; whatever a database holds instead must not end the string. */
static void put_string(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        const bool is_plain = *text >= ' ' && *text <= '~' && *text != '"' && *text != '\\';
        (void)fputc(is_plain ? *text : '?', out);
    }
    (void)fputc('"', out);
}

static void put_time(FILE *out, const char *key, int64_t ns)
{
    (void)fprintf(out, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static const char *name_of(const exp_trace *self, const exp_trace_event *event, char out[64])
{
    const sim_scenario *scenario = self->run->scenario;
    switch ((exp_trace_kind)event->kind) {
    case EXP_TRACE_OPERATION:
    case EXP_TRACE_LEG:
        (void)snprintf(out, 64, "partition %u", event->partition);
        return out;
    case EXP_TRACE_BREAKER:
        return sim_phase_word(event->what);
    case EXP_TRACE_MARK:
        return "endpoint marked";
    case EXP_TRACE_RESTART:
        return "client restarts";
    case EXP_TRACE_FAULT:
        return scenario->fault[event->id].name;
    case EXP_TRACE_PHASE:
        return scenario->phase[event->id].name;
    case EXP_TRACE_LEGS:
        return "legs a second";
    case EXP_TRACE_FLIGHT:
        return "legs in flight";
    case EXP_TRACE_PAIRS:
        return "partitions of clients";
    }
    return "?";
}

static const char *category_of(const exp_trace_event *event)
{
    static const char *const NAMES[] = {"operation", "leg",   "breaker", "mark",      "restart",
                                        "fault",     "phase", "legs",    "in flight", "pairs"};
    return NAMES[event->kind];
}

static void put_arguments(const exp_trace_event *event, FILE *out)
{
    const bool is_end = event->phase == 'e';
    const char *reason = rgn_reason_name((rgn_reason)event->reason);
    switch ((exp_trace_kind)event->kind) {
    case EXP_TRACE_OPERATION:
        if (is_end)
            (void)fprintf(out, "\"status\":%u,\"substatus\":%u,\"reason\":\"%s\"", event->status, event->substatus,
                          reason);
        else
            (void)fprintf(out, "\"operation\":%" PRIu64 ",\"client\":%u,\"kind\":\"%s\"", event->id, event->client,
                          event->what == SIM_KIND_READ ? "read" : "write");
        return;
    case EXP_TRACE_LEG:
        if (!is_end)
            (void)fprintf(out, "\"operation\":%" PRIu64 ",\"leg\":%u,\"why\":\"%s\",\"canary\":%s,\"hedge\":%s",
                          event->id >> EXP_LEG_BITS, event->leg, reason,
                          (event->flags & RGN_SEND_CANARY) != 0 ? "true" : "false", event->leg != 0 ? "true" : "false");
        else if (event->is_cut)
            (void)fputs("\"cut\":true", out);
        else
            (void)fprintf(out, "\"status\":%u,\"substatus\":%u", event->status, event->substatus);
        return;
    case EXP_TRACE_BREAKER:
        (void)fprintf(out, "\"client\":%u,\"partition\":%u,\"reason\":\"%s\"", event->client, event->partition, reason);
        return;
    case EXP_TRACE_MARK:
    case EXP_TRACE_RESTART:
        (void)fprintf(out, "\"client\":%u", event->client);
        return;
    case EXP_TRACE_LEGS:
    case EXP_TRACE_FLIGHT:
        (void)fprintf(out, "\"legs\":%" PRIu64, event->id);
        return;
    case EXP_TRACE_PAIRS:
        (void)fprintf(out, "\"unhealthy\":%" PRIu64 ",\"recovering\":%" PRIu64, event->id >> 32,
                      event->id & UINT32_MAX);
        return;
    case EXP_TRACE_FAULT:
    case EXP_TRACE_PHASE:
        return;
    }
}

static bool is_of_partition(const exp_trace_event *event)
{
    return event->kind == EXP_TRACE_OPERATION || event->kind == EXP_TRACE_LEG || event->kind == EXP_TRACE_BREAKER;
}

static void put_event(const exp_trace *self, const exp_trace_event *event, FILE *out)
{
    char name[64];
    (void)fprintf(out, ",\n{\"ph\":\"%c\",\"cat\":\"%s\",\"name\":", event->phase, category_of(event));
    put_string(out, name_of(self, event, name));
    (void)fprintf(out, ",\"pid\":%u,\"tid\":%u", event->pid,
                  is_of_partition(event) ? event->partition + 1 : event->partition);
    put_time(out, "ts", event->at);
    if (event->phase == 'b' || event->phase == 'e')
        (void)fprintf(out, ",\"id\":\"0x%" PRIx64 "\"", event->id);
    if (event->phase == 'X')
        put_time(out, "dur", event->span);
    if (event->phase == 'i')
        (void)fputs(",\"s\":\"p\"", out);
    (void)fputs(",\"args\":{", out);
    put_arguments(event, out);
    (void)fputs("}}", out);
}

static void put_process(FILE *out, uint32_t pid, const char *name, bool is_first)
{
    (void)fprintf(out,
                  "%s\n{\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":\"process_name\",\"pid\":%u,\"tid\":0,\"ts\":0,"
                  "\"args\":{\"name\":",
                  is_first ? "" : ",", pid);
    put_string(out, name);
    (void)fprintf(out,
                  "}},\n{\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":\"process_sort_index\",\"pid\":%u,\"tid\":0,"
                  "\"ts\":0,\"args\":{\"sort_index\":%u}}",
                  pid, pid);
}

/* Names the tracks of partitions that something happens on; without memory they go by their numbers. */
static void put_tracks(const exp_trace *self, FILE *out)
{
    const size_t partitions = self->run->scenario->partition_count;
    bool *is_named = calloc(self->run->scenario->region_count * partitions, sizeof *is_named);
    for (size_t i = 0; is_named != NULL && i < self->count; i++) {
        const exp_trace_event *event = &self->event[i];
        const size_t track =
            is_of_partition(event) ? (event->pid - EXP_PID_REGIONS) * partitions + event->partition : 0;
        if (!is_of_partition(event) || is_named[track])
            continue;
        is_named[track] = true;
        (void)fprintf(out,
                      ",\n{\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"ts\":0,"
                      "\"args\":{\"name\":\"partition %u\"}}",
                      event->pid, event->partition + 1, event->partition);
    }
    free(is_named);
}

static void put_about(const exp_trace *self, FILE *out)
{
    const exp_stored *run = self->run;
    (void)fputs("{\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"scenario\":", out);
    put_string(out, run->scenario->name);
    (void)fputs(",\"policy\":", out);
    put_string(out, run->policy);
    (void)fprintf(out,
                  ",\"seed\":\"%" PRIu64 "\",\"replication\":%u,\"digest\":\"%s\",\"operations\":%" PRIu64
                  ",\"one_operation_of\":%" PRIu64 ",\"version\":\"" REGIONSIM_VERSION "\"},\n\"traceEvents\":[",
                  run->luck.seed, run->luck.replication, run->digest, self->operations, UINT64_C(1) << self->halvings);
}

void exp_trace_write(void *context, FILE *out)
{
    const exp_trace *self = context;
    put_about(self, out);
    put_process(out, EXP_PID_FAULTS, "phases and faults", true);
    put_process(out, EXP_PID_FLEET, "fleet", false);
    for (rgn_region r = 0; r < self->run->scenario->region_count; r++)
        put_process(out, EXP_PID_REGIONS + r, sim_region_word(self->run->scenario, r), false);
    put_tracks(self, out);
    for (size_t i = 0; i < self->count; i++)
        put_event(self, &self->event[i], out);
    (void)fputs("\n]}\n", out);
}
