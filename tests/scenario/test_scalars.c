/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "files.h"
#include "scenario/scalars.h"

#define MIN         INT64_C(60000000000)
#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

typedef struct {
    const char *text;
    sim_scalar_status status;
    int64_t value;
} scalar_case;

static const scalar_case durations[] = {
    {"0", SIM_SCALAR_OK, 0},
    {"0.0", SIM_SCALAR_OK, 0},
    {"0 s", SIM_SCALAR_OK, 0},
    {"1 ns", SIM_SCALAR_OK, 1},
    {"1 us", SIM_SCALAR_OK, 1000},
    {"1.5 ms", SIM_SCALAR_OK, 1500000},
    {"90 s", SIM_SCALAR_OK, INT64_C(90000000000)},
    {"90s", SIM_SCALAR_OK, INT64_C(90000000000)},
    {"10 min", SIM_SCALAR_OK, 10 * MIN},
    {"0.1 min", SIM_SCALAR_OK, MIN / 10},
    {"2 h", SIM_SCALAR_OK, 120 * MIN},
    {"0.000000001 s", SIM_SCALAR_OK, 1},
    {"1.0000000000 ns", SIM_SCALAR_OK, 1},
    {"9223372036.854775807 s", SIM_SCALAR_TOO_FINE, 0},
    {"0.0000000001 s", SIM_SCALAR_TOO_FINE, 0},
    {"0.5 ns", SIM_SCALAR_TOO_FINE, 0},
    {"2562048 h", SIM_SCALAR_TOO_LARGE, 0},
    {"9999999999999999999 ns", SIM_SCALAR_TOO_LARGE, 0},
    {"10", SIM_SCALAR_NO_UNIT, 0},
    {"", SIM_SCALAR_MALFORMED, 0},
    {"s", SIM_SCALAR_MALFORMED, 0},
    {"-1 s", SIM_SCALAR_MALFORMED, 0},
    {"+1 s", SIM_SCALAR_MALFORMED, 0},
    {"1e3 s", SIM_SCALAR_MALFORMED, 0},
    {"1 S", SIM_SCALAR_MALFORMED, 0},
    {"1  s", SIM_SCALAR_MALFORMED, 0},
    {"1 ", SIM_SCALAR_MALFORMED, 0},
    {" 1 s", SIM_SCALAR_MALFORMED, 0},
    {"1 s ", SIM_SCALAR_MALFORMED, 0},
    {"1. s", SIM_SCALAR_MALFORMED, 0},
    {".5 s", SIM_SCALAR_MALFORMED, 0},
    {"1.2.3 s", SIM_SCALAR_MALFORMED, 0},
    {"1,5 s", SIM_SCALAR_MALFORMED, 0},
    {"0x10 s", SIM_SCALAR_MALFORMED, 0},
    {"1 minute", SIM_SCALAR_MALFORMED, 0},
};

static const scalar_case shares[] = {
    {"40 %", SIM_SCALAR_OK, 400000000},
    {"40%", SIM_SCALAR_OK, 400000000},
    {"0.4", SIM_SCALAR_OK, 400000000},
    {"0.40", SIM_SCALAR_OK, 400000000},
    {"100 %", SIM_SCALAR_OK, 1000000000},
    {"1", SIM_SCALAR_OK, 1000000000},
    {"0", SIM_SCALAR_OK, 0},
    {"0.0000001 %", SIM_SCALAR_OK, 1},
    {"33.3333333 %", SIM_SCALAR_OK, 333333333},
    {"0.000000001", SIM_SCALAR_OK, 1},
    {"101 %", SIM_SCALAR_OK, 1010000000},
    {"0.00000001 %", SIM_SCALAR_TOO_FINE, 0},
    {"0.0000000001", SIM_SCALAR_TOO_FINE, 0},
    {"40 percent", SIM_SCALAR_MALFORMED, 0},
    {"%", SIM_SCALAR_MALFORMED, 0},
    {"-1 %", SIM_SCALAR_MALFORMED, 0},
};

static const scalar_case rates[] = {
    {"2400 /s", SIM_SCALAR_OK, 2400000},  {"2400/s", SIM_SCALAR_OK, 2400000},    {"0.001 /s", SIM_SCALAR_OK, 1},
    {"60 /min", SIM_SCALAR_OK, 1000},     {"100 /min", SIM_SCALAR_OK, 1667},     {"0.03 /min", SIM_SCALAR_OK, 1},
    {"0.029 /min", SIM_SCALAR_OK, 0},     {"0.0001 /s", SIM_SCALAR_TOO_FINE, 0}, {"2400", SIM_SCALAR_NO_UNIT, 0},
    {"2400 /h", SIM_SCALAR_MALFORMED, 0}, {"2400 s", SIM_SCALAR_MALFORMED, 0},
};

static const scalar_case factors[] = {
    {"2", SIM_SCALAR_OK, 2000000},
    {"1.5", SIM_SCALAR_OK, 1500000},
    {"0.000001", SIM_SCALAR_OK, 1},
    {"0.0000001", SIM_SCALAR_TOO_FINE, 0},
    {"2 x", SIM_SCALAR_MALFORMED, 0},
    {"2 %", SIM_SCALAR_MALFORMED, 0},
    {"99999999999999", SIM_SCALAR_TOO_LARGE, 0},
};

static const scalar_case counts[] = {
    {"7", SIM_SCALAR_OK, 7},
    {"007", SIM_SCALAR_OK, 7},
    {"7.0", SIM_SCALAR_OK, 7},
    {"999999999999999999", SIM_SCALAR_OK, INT64_C(999999999999999999)},
    {"1000000000000000000", SIM_SCALAR_TOO_LARGE, 0},
    {"7.5", SIM_SCALAR_TOO_FINE, 0},
    {"seven", SIM_SCALAR_MALFORMED, 0},
    {"7 s", SIM_SCALAR_MALFORMED, 0},
    {"1_000", SIM_SCALAR_MALFORMED, 0},
};

static const scalar_case percents[] = {
    {"10 %", SIM_SCALAR_OK, 10},     {"10", SIM_SCALAR_OK, 10},         {"100%", SIM_SCALAR_OK, 100},
    {"0.1", SIM_SCALAR_TOO_FINE, 0}, {"2.5 %", SIM_SCALAR_TOO_FINE, 0}, {"10 /s", SIM_SCALAR_MALFORMED, 0},
};

static sim_scalar_status share_of_all(const char *text, int64_t *value)
{
    return sim_scalar_share(text, SIM_SHARE_ONE, value);
}

static void check_cases(const scalar_case *cases, size_t count, sim_scalar_status (*parse)(const char *, int64_t *))
{
    for (size_t i = 0; i < count; i++) {
        int64_t value = -1;
        const sim_scalar_status status = parse(cases[i].text, &value);
        ck_assert_msg(status == cases[i].status, "\"%s\": status %d", cases[i].text, (int)status);
        if (status == SIM_SCALAR_OK)
            ck_assert_msg(value == cases[i].value, "\"%s\": %" PRId64, cases[i].text, value);
    }
}

START_TEST(every_scalar_is_exact_or_refused)
{
    check_cases(durations, COUNT_OF(durations), sim_scalar_duration);
    check_cases(shares, COUNT_OF(shares), share_of_all);
    check_cases(rates, COUNT_OF(rates), sim_scalar_rate);
    check_cases(factors, COUNT_OF(factors), sim_scalar_factor);
    check_cases(counts, COUNT_OF(counts), sim_scalar_count);
    check_cases(percents, COUNT_OF(percents), sim_scalar_percent);
}
END_TEST

START_TEST(public_parsers_refuse_what_lies_out_of_range)
{
    uint32_t share;
    int64_t ns;
    ck_assert(sim_parse_share("100 %", &share));
    ck_assert_uint_eq(share, SIM_SHARE_ONE);
    ck_assert(!sim_parse_share("100.0000001 %", &share));
    ck_assert(!sim_parse_share("1.000000001", &share));
    ck_assert(sim_parse_duration("1.5 ms", &ns));
    ck_assert_int_eq(ns, 1500000);
    ck_assert(!sim_parse_duration("1.5", &ns));
}
END_TEST

START_TEST(durations_are_written_in_the_unit_a_person_would_choose)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0 s"},
        {1, "1 ns"},
        {1500, "1.5 us"},
        {1500000, "1.5 ms"},
        {1000000000, "1 s"},
        {INT64_C(60000000000), "60 s"},
        {INT64_C(90000000000), "90 s"},
        {2 * MIN, "2 min"},
        {60 * MIN, "60 min"},
        {120 * MIN, "2 h"},
        {120 * MIN + 1, "7200.000000001 s"},
        {RGN_TIME_NEVER, "never"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[SIM_SCALAR_SIZE];
        sim_format_duration(cases[i].ns, text, sizeof text);
        ck_assert_str_eq(text, cases[i].text);
    }
}
END_TEST

/* xorshift64*, Vigna 2016. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

START_TEST(what_is_written_reads_back_the_same)
{
    uint64_t state = 20240611;
    printf("seed %" PRIu64 "\n", state);
    for (int i = 0; i < 20000; i++) {
        char text[SIM_SCALAR_SIZE];
        /* All magnitudes alike, at most 18 digits. */
        const uint64_t word = next_random(&state);
        const int64_t value = (int64_t)((next_random(&state) >> 1) % 100000000000000000 >> (word % 57));
        int64_t read = -1;
        sim_format_duration(value, text, sizeof text);
        ck_assert_msg(sim_parse_duration(text, &read) && read == value, "%" PRId64 " as %s", value, text);
        sim_format_share(value, SIM_SHARE_ONE, text, sizeof text);
        ck_assert_int_eq(share_of_all(text, &read), SIM_SCALAR_OK);
        ck_assert_int_eq(read, value);
        sim_format_factor(value, text, sizeof text);
        ck_assert_int_eq(sim_scalar_factor(text, &read), SIM_SCALAR_OK);
        ck_assert_int_eq(read, value);
        sim_format_rate(value, text, sizeof text);
        ck_assert_int_eq(sim_scalar_rate(text, &read), SIM_SCALAR_OK);
        ck_assert_int_eq(read, value);
    }
}
END_TEST

START_TEST(every_option_reads_back_its_default_and_its_bounds)
{
    for (int id = 0; id < RGN_KNOB_COUNT; id++) {
        const rgn_knob *knob = rgn_knob_at((rgn_knob_id)id);
        const int64_t values[] = {knob->initial, knob->min, knob->max};
        for (size_t i = 0; i < COUNT_OF(values); i++) {
            char text[64];
            char message[512] = "";
            int64_t read;
            sim_format_knob((rgn_knob_id)id, values[i], text, sizeof text);
            ck_assert_msg(sim_parse_knob((rgn_knob_id)id, text, &read, message, sizeof message), "%s", message);
            ck_assert_msg(read == values[i], "%s: %s", knob->name, text);
        }
    }
}
END_TEST

START_TEST(an_option_out_of_range_names_itself_and_its_range)
{
    char message[512];
    int64_t value;
    ck_assert(!sim_parse_knob(RGN_KNOB_failback_min_sample, "0", &value, message, sizeof message));
    ck_assert_str_eq(message, "failback.min_sample: found \"0\"; expected a whole number from 1 to 2147483647");
    ck_assert(!sim_parse_knob(RGN_KNOB_failback_promote, "duw", &value, message, sizeof message));
    ck_assert_str_eq(message, "failback.promote: found \"duw\"; expected one of sweep, due; did you mean \"due\"?");
    ck_assert(!sim_parse_knob(RGN_KNOB_retry_max_session_retry_count, "-1", &value, message, sizeof message));
    ck_assert(sim_parse_knob(RGN_KNOB_retry_max_session_retry_count, "auto", &value, message, sizeof message));
    ck_assert_int_eq(value, RGN_AUTO);
    ck_assert(sim_parse_knob(RGN_KNOB_failback_recovering_max, "never", &value, message, sizeof message));
    ck_assert_int_eq(value, RGN_TIME_NEVER);
    ck_assert(!sim_parse_knob(RGN_KNOB_failback_eval_window, "never", &value, message, sizeof message));
}
END_TEST

START_TEST(the_nearest_word_is_a_likely_slip)
{
    static const char *const words[] = {"rate", "arrivals", "clients", "partitions", "until"};
    ck_assert_str_eq(sim_nearest("rat", words, 5), "rate");
    ck_assert_str_eq(sim_nearest("RATE", words, 5), "rate");
    ck_assert_str_eq(sim_nearest("arrivlas", words, 5), "arrivals");
    ck_assert_str_eq(sim_nearest("client", words, 5), "clients");
    ck_assert_ptr_null(sim_nearest("colour", words, 5));
    ck_assert_ptr_null(sim_nearest("", words, 5));
    ck_assert_ptr_null(sim_nearest("x", words, 5));
    ck_assert_ptr_null(sim_nearest("rate", NULL, 0));
}
END_TEST

/* These values key the luck of every run: a change here makes old results incomparable. */
START_TEST(name_hashes_are_final)
{
    ck_assert_uint_eq(sim_name_hash(""), UINT64_C(0xefd01f60ba992926));
    ck_assert_uint_eq(sim_name_hash("shop"), UINT64_C(0xbd4ab54586fbfbcb));
    ck_assert_uint_eq(sim_name_hash("outage"), UINT64_C(0x6a3743454ffd71c8));
}
END_TEST

START_TEST(region_numbers_are_final)
{
    static const struct {
        const char *name;
        uint16_t number;
    } cases[] = {
        {"australiacentral", 0}, {"northcentralus", 30}, {"westus3", 54},  {"af-south-1", 55},
        {"us-west-2", 73},       {"asia-east1", 74},     {"us-west2", 93},
    };
    ck_assert_uint_eq(sim_catalogue_count(), 94);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ck_assert_uint_eq(sim_catalogue_find(cases[i].name), cases[i].number);
        ck_assert_str_eq(sim_catalogue_name(cases[i].number), cases[i].name);
    }
    ck_assert_uint_eq(sim_catalogue_find("North Central US"), 30);
    ck_assert_uint_eq(sim_catalogue_find("us-west1"), 92);
    ck_assert_uint_eq(sim_catalogue_find("us-west-1"), 72);
    ck_assert_uint_eq(sim_catalogue_find("atlantis"), SIM_CATALOGUE_NONE);
    ck_assert_uint_eq(sim_catalogue_find(""), SIM_CATALOGUE_NONE);
    ck_assert_ptr_null(sim_catalogue_name(94));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scalars");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, every_scalar_is_exact_or_refused);
    tcase_add_test(tests, public_parsers_refuse_what_lies_out_of_range);
    tcase_add_test(tests, durations_are_written_in_the_unit_a_person_would_choose);
    tcase_add_test(tests, what_is_written_reads_back_the_same);
    tcase_add_test(tests, every_option_reads_back_its_default_and_its_bounds);
    tcase_add_test(tests, an_option_out_of_range_names_itself_and_its_range);
    tcase_add_test(tests, the_nearest_word_is_a_likely_slip);
    tcase_add_test(tests, name_hashes_are_final);
    tcase_add_test(tests, region_numbers_are_final);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
