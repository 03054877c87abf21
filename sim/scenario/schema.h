/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schema table: one row for each key a scenario or policy file may have.
 *
 * Decoding, defaults, error texts, "did you mean", `--set scenario.<path>`, the canonical text and the JSON Schema all
 * read these rows. The targets are the plain structs of raw.h; resolve.c turns those into a sim_scenario. Keys of
 * policies are not here: they are the core's RGN_KNOBS. */
#ifndef SIM_SCHEMA_H
#define SIM_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a row's value is, and in brackets what its target holds. */
typedef enum {
    /* scalars with a range (int64_t) */
    SIM_FIELD_FLAG,
    SIM_FIELD_COUNT,
    SIM_FIELD_DURATION, /* ns */
    SIM_FIELD_SHARE,    /* ppb */
    SIM_FIELD_FACTOR,   /* ppm */
    SIM_FIELD_RATE,     /* mHz */
    SIM_FIELD_CHOICE,   /* index into `words` */
    SIM_FIELD_BUDGET,   /* "N per partition" */
    /* texts */
    SIM_FIELD_NUMBER, /* any decimal, duration or share, for comparison with a metric (sim_raw_number) */
    SIM_FIELD_NAME,   /* (const char *) */
    SIM_FIELD_TEXT,   /* (const char *) */
    SIM_FIELD_REGION, /* catalogue name (const char *) */
    /* lists (sim_raw_items); min and max are their lengths */
    SIM_FIELD_NAMES,
    SIM_FIELD_REGIONS,
    SIM_FIELD_RECORDS, /* of `record` */
    SIM_FIELD_NUMBERS, /* whole numbers as `record`'s only row describes, without repetition; sorted */
    SIM_FIELD_WORDS,   /* a set of `words` (int64_t, one bit each) */
    /* mappings from something to a value, which `record`'s only row describes (sim_raw_items) */
    SIM_FIELD_POINTS,      /* duration to scalar, in time order */
    SIM_FIELD_STATUSES,    /* error status to share; sorted, 100 % together */
    SIM_FIELD_WEIGHTS,     /* partition number to share; sorted */
    SIM_FIELD_PERCENTILES, /* percentage below 100 to scalar; sorted */
    SIM_FIELD_INSTANTS,    /* name to duration, in time order */
    SIM_FIELD_TEXTS,       /* environment variable to text; sorted */
    SIM_FIELD_MAP,         /* name to `record`; sorted */
    /* structures */
    SIM_FIELD_RECORD, /* the struct of `record` */
    SIM_FIELD_ONE_OF, /* one of `record`'s rows (a struct that begins with sim_raw_choice) */
    SIM_FIELD_WORD,   /* row of a ONE_OF: a bare word without a value */
    SIM_FIELD_KNOBS,  /* groups of core options (sim_raw_knobs); key "": they stand beside the record's other keys */
} sim_field_type;

enum {
    SIM_FIELD_REQUIRED = 1,
    SIM_FIELD_SET = 2,   /* a list whose order means nothing */
    SIM_FIELD_PROSE = 4, /* changes no result; left out of the canonical text */
    /* Of the record's rows with this flag just one must be there, or at least one; the resolver says so too. */
    SIM_FIELD_ONLY_ONE = 8,
    SIM_FIELD_AT_LEAST_ONE = 16,
};

/* The target of a scalar that has no default and is not in the file. */
#define SIM_ABSENT INT64_MIN

struct sim_record;

typedef struct sim_field {
    const char *key; /* "" in a ONE_OF: the value stands there bare */
    sim_field_type type;
    unsigned flags;
    int64_t initial;          /* scalars: the value if the key is absent */
    const char *initial_word; /* ONE_OF: the row if the key is absent; "": the bare one with its `initial` */
    int64_t min, max;         /* of scalars; of lists and mappings their length */
    const char *word;         /* scalars: a word that stands for a value ... */
    int64_t word_value;       /* ... and that value */
    const char *words;        /* "constant|poisson" */
    const struct sim_record *record;
    size_t offset;
    const char *meaning;
} sim_field;

typedef struct sim_record {
    const char *name; /* in the JSON Schema */
    const sim_field *field;
    size_t count;
    size_t size; /* of the struct that its rows fill */
} sim_record;

extern const sim_record sim_scenario_record;
extern const sim_record sim_policy_record;

static inline bool sim_field_is_scalar(const sim_field *field)
{
    return field->type <= SIM_FIELD_BUDGET;
}

/* The row of that key; NULL if there is none. */
const sim_field *sim_record_find(const sim_record *record, const char *key);

/* The nth word of "a|b|c" copied to `out`; false if there are fewer. */
bool sim_word_at(const char *words, size_t n, char *out, size_t size);
/* The index of `word` among them, or -1. */
int sim_word_find(const char *words, const char *word);

/* Nearest of "a|b|c"; NULL if none is close. Copied to `out`. */
const char *sim_word_nearest(const char *words, const char *word, char *out, size_t size);

enum { SIM_WORDS_MAX = 16, SIM_WORD_SIZE = 64 };

#endif
