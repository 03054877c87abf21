/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records under the behaviour digest, taken apart; see engine/README.md. */
#include <inttypes.h>

#include "experiment/records.h"

const char *sim_region_word(const sim_scenario *scenario, rgn_region region)
{
    return region < scenario->region_count ? scenario->region_name[region] : "no region";
}

void sim_put_ratio(FILE *out, uint64_t part, uint64_t whole)
{
    (void)fprintf(out, "%" PRIu64 "/%" PRIu64, part, whole);
    if (whole > 0)
        (void)fprintf(out, " = %.3f", (double)part / (double)whole);
}

const char *sim_phase_word(unsigned phase)
{
    static const char *const NAMES[] = {"healthy", "counting", "unhealthy", "recovering"};
    return phase < sizeof NAMES / sizeof *NAMES ? NAMES[phase] : "?";
}

const char *sim_evidence_word(unsigned evidence)
{
    static const char *const NAMES[] = {"evidence of health", "evidence of failure", "no evidence",
                                        "evidence of failure (a timeout)"};
    return evidence < sizeof NAMES / sizeof *NAMES ? NAMES[evidence] : "?";
}

void sim_put_operation(FILE *out, const sim_scenario *scenario, uint64_t ordinal)
{
    const uint64_t workload = ordinal >> 30;
    (void)fprintf(out, "operation %" PRIu64 " (%s)", ordinal,
                  workload < scenario->workload_count ? scenario->workload[workload].name : "?");
}

static unsigned bits(uint64_t word, unsigned shift, unsigned width)
{
    return (unsigned)(word >> shift & ((UINT64_C(1) << width) - 1));
}

sim_record_subject sim_record_subject_of(const sim_record_words *record)
{
    const uint64_t *word = record->word;
    const sim_record_subject of_operation = {
        .kind = (uint8_t)(word[1] >> 56), .has_operation = true, .ordinal = word[2]};
    sim_record_subject subject = {
        .kind = (uint8_t)(word[1] >> 56), .has_client = true, .client = (uint32_t)(word[2] >> 32)};
    switch (subject.kind) {
    case SIM_RECORD_SEND:
        subject = of_operation;
        subject.has_client = true;
        subject.has_partition = true;
        subject.client = (uint32_t)(word[3] >> 32);
        subject.partition = (uint32_t)word[3];
        return subject;
    case SIM_RECORD_LEG_FAILED:
    case SIM_RECORD_DONE:
        return of_operation;
    case SIM_RECORD_TRANSITION:
        subject.has_partition = true;
        subject.partition = (uint32_t)word[2];
        return subject;
    default:
        return subject;
    }
}

static void put_send(FILE *out, const sim_scenario *scenario, const uint64_t *word)
{
    static const char *const FLAGS[] = {" as a canary", " as a hedge", " to its hub"};
    sim_put_operation(out, scenario, word[2]);
    (void)fprintf(out, " of client %u, partition %u sends leg %u to %s", (unsigned)(word[3] >> 32), (uint32_t)word[3],
                  bits(word[1], 8, 8), sim_region_word(scenario, (rgn_region)bits(word[1], 0, 8)));
    for (unsigned i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++)
        (void)fputs(bits(word[1], 16 + i, 1) != 0 ? FLAGS[i] : "", out);
    (void)fprintf(out, ": %s", rgn_reason_sentence((rgn_reason)bits(word[1], 48, 8)));
}

static void put_failed_leg(FILE *out, const sim_scenario *scenario, const uint64_t *word)
{
    sim_put_operation(out, scenario, word[2]);
    (void)fprintf(out, ": its leg %u at %s ends with %u/%u, %s", (unsigned)word[3],
                  sim_region_word(scenario, (rgn_region)bits(word[1], 16, 8)), bits(word[1], 0, 16),
                  bits(word[1], 24, 16), sim_evidence_word(bits(word[1], 48, 8)));
}

static void put_done(FILE *out, const sim_scenario *scenario, const uint64_t *word)
{
    sim_put_operation(out, scenario, word[2]);
    (void)fprintf(out, " ends with %u/%u from %s after %u leg%s: %s", bits(word[1], 0, 16), bits(word[1], 16, 16),
                  sim_region_word(scenario, (rgn_region)bits(word[1], 40, 8)), (unsigned)(word[3] >> 32),
                  word[3] >> 32 == 1 ? "" : "s", rgn_reason_sentence((rgn_reason)bits(word[1], 48, 8)));
}

static void put_transition(FILE *out, const sim_scenario *scenario, const uint64_t *word)
{
    const rgn_region current = (rgn_region)bits(word[1], 8, 8);
    const rgn_reason reason = (rgn_reason)bits(word[1], 48, 8);
    (void)fprintf(out, "client %u, partition %u: %s (%s), now %s", (unsigned)(word[2] >> 32), (uint32_t)word[2],
                  rgn_reason_name(reason), rgn_reason_sentence(reason), sim_phase_word(bits(word[1], 40, 8)));
    if (bits(word[1], 32, 8) != 0)
        (void)fprintf(out, ", traffic to %s", sim_region_word(scenario, current));
    if ((uint32_t)(word[3] >> 32) > 0) {
        (void)fputs(", tally ", out);
        sim_put_ratio(out, (uint32_t)word[3], word[3] >> 32);
    }
}

void sim_put_record(FILE *out, const sim_scenario *scenario, const sim_record_words *record)
{
    const uint64_t *word = record->word;
    switch (word[1] >> 56) {
    case SIM_RECORD_SEND:
        put_send(out, scenario, word);
        return;
    case SIM_RECORD_LEG_FAILED:
        put_failed_leg(out, scenario, word);
        return;
    case SIM_RECORD_DONE:
        put_done(out, scenario, word);
        return;
    case SIM_RECORD_TRANSITION:
        put_transition(out, scenario, word);
        return;
    case SIM_RECORD_MARK:
        (void)fprintf(out, "client %u marks the endpoint of %s unavailable", (unsigned)(word[2] >> 32),
                      sim_region_word(scenario, (rgn_region)bits(word[1], 0, 8)));
        return;
    case SIM_RECORD_RESTART:
        (void)fprintf(out, "client %u's process starts anew", (unsigned)(word[2] >> 32));
        return;
    case SIM_RECORD_GATEWAY:
        (void)fprintf(out, "client %u learns of the account's switches: %s", (unsigned)(word[2] >> 32),
                      rgn_reason_sentence((rgn_reason)bits(word[1], 48, 8)));
        return;
    default:
        (void)fputs("a record of an unknown kind", out);
        return;
    }
}

/* A part of a record that can be named. */
typedef struct {
    uint8_t kind; /* SIM_RECORD_* */
    uint8_t word;
    uint8_t shift;
    uint8_t width;
    const char *name;
    enum {
        PART_NUMBER,
        PART_REGION,
        PART_REASON,
        PART_PHASE,
        PART_EVIDENCE,
        PART_SEND_FLAGS,
        PART_DIRECTIONS,
    } form;
} part;

static const part PARTS[] = {
    {SIM_RECORD_SEND, 1, 0, 8, "the region", PART_REGION},
    {SIM_RECORD_SEND, 1, 8, 8, "the leg", PART_NUMBER},
    {SIM_RECORD_SEND, 1, 16, 8, "what it is sent as", PART_SEND_FLAGS},
    {SIM_RECORD_SEND, 1, 48, 8, "the reason", PART_REASON},
    {SIM_RECORD_LEG_FAILED, 1, 0, 16, "the status", PART_NUMBER},
    {SIM_RECORD_LEG_FAILED, 1, 16, 8, "the region", PART_REGION},
    {SIM_RECORD_LEG_FAILED, 1, 24, 16, "the sub-status", PART_NUMBER},
    {SIM_RECORD_LEG_FAILED, 1, 48, 8, "the evidence", PART_EVIDENCE},
    {SIM_RECORD_LEG_FAILED, 3, 0, 8, "the leg", PART_NUMBER},
    {SIM_RECORD_DONE, 1, 0, 16, "the status", PART_NUMBER},
    {SIM_RECORD_DONE, 1, 16, 16, "the sub-status", PART_NUMBER},
    {SIM_RECORD_DONE, 1, 40, 8, "the region", PART_REGION},
    {SIM_RECORD_DONE, 1, 48, 8, "the reason", PART_REASON},
    {SIM_RECORD_DONE, 3, 32, 16, "the number of legs", PART_NUMBER},
    {SIM_RECORD_TRANSITION, 1, 0, 8, "the region", PART_REGION},
    {SIM_RECORD_TRANSITION, 1, 8, 8, "the region for traffic that has tripped", PART_REGION},
    {SIM_RECORD_TRANSITION, 1, 32, 8, "what has tripped", PART_DIRECTIONS},
    {SIM_RECORD_TRANSITION, 1, 40, 8, "the phase afterwards", PART_PHASE},
    {SIM_RECORD_TRANSITION, 1, 48, 8, "the reason", PART_REASON},
    {SIM_RECORD_TRANSITION, 3, 0, 32, "the canaries that succeeded", PART_NUMBER},
    {SIM_RECORD_TRANSITION, 3, 32, 32, "the canaries counted", PART_NUMBER},
    {SIM_RECORD_MARK, 1, 0, 8, "the region", PART_REGION},
    {SIM_RECORD_MARK, 1, 8, 8, "why it is marked", PART_NUMBER},
    {SIM_RECORD_GATEWAY, 1, 48, 8, "the reason", PART_REASON},
};

/* The words of the bits that are set; `none` where none is. */
static void put_bits(FILE *out, unsigned value, const char *const *words, unsigned count, const char *none)
{
    const char *between = "";
    for (unsigned i = 0; i < count; i++) {
        if ((value >> i & 1) == 0)
            continue;
        (void)fprintf(out, "%s%s", between, words[i]);
        between = " and ";
    }
    (void)fputs(value == 0 ? none : "", out);
}

static void put_part(FILE *out, const sim_scenario *scenario, const part *one, uint64_t word)
{
    static const char *const FLAGS[] = {"a canary", "a hedge", "a request to its hub"};
    static const char *const DIRECTIONS[] = {"reads", "writes"};
    const unsigned value = bits(word, one->shift, one->width);
    switch (one->form) {
    case PART_NUMBER:
        (void)fprintf(out, "%u", value);
        return;
    case PART_REGION:
        (void)fputs(sim_region_word(scenario, (rgn_region)value), out);
        return;
    case PART_REASON:
        (void)fputs(rgn_reason_name((rgn_reason)value), out);
        return;
    case PART_PHASE:
        (void)fputs(sim_phase_word(value), out);
        return;
    case PART_EVIDENCE:
        (void)fputs(sim_evidence_word(value), out);
        return;
    case PART_SEND_FLAGS:
        put_bits(out, value, FLAGS, sizeof FLAGS / sizeof *FLAGS, "an attempt like any other");
        return;
    case PART_DIRECTIONS:
        put_bits(out, value, DIRECTIONS, sizeof DIRECTIONS / sizeof *DIRECTIONS, "nothing");
        return;
    }
}

void sim_put_record_parts(FILE *out, const sim_scenario *const scenario[2], const sim_record_words *const record[2])
{
    const uint64_t *a = record[0]->word;
    const uint64_t *b = record[1]->word;
    bool is_first = true;
    if (a[0] != b[0] || a[1] >> 56 != b[1] >> 56 || a[2] != b[2]) {
        (void)fputs("they are different events", out);
        return;
    }
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        const part *one = &PARTS[i];
        if (one->kind != a[1] >> 56 ||
            bits(a[one->word], one->shift, one->width) == bits(b[one->word], one->shift, one->width))
            continue;
        (void)fprintf(out, "%s%s is ", is_first ? "" : "; ", one->name);
        put_part(out, scenario[0], one, a[one->word]);
        (void)fputs(" in the first and ", out);
        put_part(out, scenario[1], one, b[one->word]);
        (void)fputs(" in the second", out);
        is_first = false;
    }
    if (is_first)
        (void)fputs("they differ in whose they are", out);
}
