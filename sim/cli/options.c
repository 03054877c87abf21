/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every option once: name, argument, verbs, help line and what it does. */
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* A whole number in [min, max]; complains in the option's name. */
static bool read_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    const bool is_number = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
    if (is_number && number >= min && number <= max) {
        *value = number;
        return true;
    }
    (void)cli_complain("--%s \"%s\": expected a whole number from %llu to %llu", option, text, (unsigned long long)min,
                       (unsigned long long)max);
    return false;
}

/* The words that options choose from, each list ended by NULL. */
static const char *const EVENT_MODES[] = {"fast", "reference", NULL};
static const char *const FORMATS[] = {"text", "json", "csv", "md", NULL};
static const char *const KINDS[] = {"telemetry", "percentiles", "histogram", "round-trips", NULL};
static const char *const UNITS[] = {"ns", "us", "ms", "s", NULL};
static const char *const REPORT_FORMATS[] = {"html", "md", "csv", "json", NULL};
static const char *const EXPLAIN_FORMATS[] = {"text", "json", NULL};

/* The index of `text` among `names`, which NULL ends, or -1 after a complaint. */
static int read_choice(const char *option, const char *text, const char *const *names)
{
    char kind[64];
    size_t count = 0;
    for (; names[count] != NULL; count++) {
        if (strcmp(text, names[count]) == 0)
            return (int)count;
    }
    (void)snprintf(kind, sizeof kind, "value for --%s", option);
    (void)cli_complain_of_word(kind, text, names, count);
    return -1;
}

static bool apply_policy(cli_arguments *arguments, const char *text)
{
    if (arguments->policy_count == CLI_POLICIES_MAX) {
        (void)cli_complain("more than %d policies", CLI_POLICIES_MAX);
        return false;
    }
    arguments->policy[arguments->policy_count++] = text;
    return true;
}

static bool apply_replications(cli_arguments *arguments, const char *text)
{
    uint64_t value = 0;
    if (!read_number("replications", text, 1, CLI_REPLICATIONS_MAX, &value))
        return false;
    arguments->replications = (uint32_t)value;
    return true;
}

static bool apply_max_replications(cli_arguments *arguments, const char *text)
{
    uint64_t value = 0;
    if (!read_number("max-replications", text, 1, CLI_REPLICATIONS_MAX, &value))
        return false;
    arguments->max_replications = (uint32_t)value;
    return true;
}

static bool apply_until_precise(cli_arguments *arguments, const char *text)
{
    (void)text;
    arguments->until_precise = true;
    return true;
}

static bool apply_seed(cli_arguments *arguments, const char *text)
{
    arguments->has_seed = true;
    return read_number("seed", text, 0, INT64_MAX, &arguments->seed);
}

static bool apply_jobs(cli_arguments *arguments, const char *text)
{
    uint64_t value = 0;
    if (!read_number("jobs", text, 1, CLI_JOBS_MAX, &value))
        return false;
    arguments->jobs = (unsigned)value;
    return true;
}

/* The name of a file that an option takes. */
static bool read_file(const char *option, const char *text, const char **file)
{
    if (text[0] == '\0')
        (void)cli_complain("--%s \"\": expected the name of a file", option);
    *file = text;
    return text[0] != '\0';
}

static bool apply_db(cli_arguments *arguments, const char *text)
{
    return read_file("db", text, &arguments->db);
}

static bool apply_json(cli_arguments *arguments, const char *text)
{
    return read_file("json", text, &arguments->json);
}

static bool apply_junit(cli_arguments *arguments, const char *text)
{
    return read_file("junit", text, &arguments->junit);
}

static bool apply_markdown(cli_arguments *arguments, const char *text)
{
    return read_file("markdown", text, &arguments->markdown);
}

static bool apply_github(cli_arguments *arguments, const char *text)
{
    (void)text;
    arguments->github = true;
    return true;
}

static bool apply_baseline(cli_arguments *arguments, const char *text)
{
    return read_file("baseline", text, &arguments->baseline);
}

static bool apply_update(cli_arguments *arguments, const char *text)
{
    (void)text;
    arguments->update = true;
    return true;
}

static bool apply_self_test(cli_arguments *arguments, const char *text)
{
    (void)text;
    arguments->self_test = true;
    return true;
}

static bool apply_force(cli_arguments *arguments, const char *text)
{
    (void)text;
    arguments->force = true;
    return true;
}

static bool apply_verify(cli_arguments *arguments, const char *text)
{
    (void)text;
    arguments->is_verified = true;
    return true;
}

static bool apply_resume(cli_arguments *arguments, const char *text)
{
    (void)text;
    arguments->resume = true;
    return true;
}

static bool apply_set(cli_arguments *arguments, const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        (void)cli_complain("--set \"%s\": expected KEY=VALUE, such as failback.min_sample=20", text);
        return false;
    }
    if (arguments->setting_count == CLI_SETTINGS_MAX) {
        (void)cli_complain("more than %d settings", CLI_SETTINGS_MAX);
        return false;
    }
    char *key = strndup(text, (size_t)(equals - text));
    if (key == NULL) {
        (void)cli_complain("out of memory");
        return false;
    }
    arguments->setting[arguments->setting_count++] = (sim_setting){key, equals + 1};
    return true;
}

static bool apply_vary(cli_arguments *arguments, const char *text)
{
    if (arguments->vary_count == CLI_VARY_MAX) {
        (void)cli_complain("--vary \"%s\": more than %d keys", text, CLI_VARY_MAX);
        return false;
    }
    arguments->vary[arguments->vary_count++] = text;
    return true;
}

static bool apply_sobol(cli_arguments *arguments, const char *text)
{
    uint64_t value = 0;
    const bool ok = read_number("sobol", text, 1, SIM_POINTS_MAX, &value);
    arguments->sobol = (size_t)value;
    return ok;
}

static bool add_metric(cli_arguments *arguments, const char *text, size_t length)
{
    char name[128];
    const char *known[SIM_METRIC_COUNT];
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    const sim_metric_id id = sim_metric_find(name);
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++)
        known[i] = sim_metric_at((sim_metric_id)i)->name;
    if (id == SIM_METRIC_COUNT) {
        (void)cli_complain_of_word("metric", name, known, SIM_METRIC_COUNT);
        return false;
    }
    for (size_t i = 0; i < arguments->metric_count; i++) {
        if (arguments->metric[i] == id)
            return true;
    }
    arguments->metric[arguments->metric_count++] = id;
    return true;
}

static bool apply_metric(cli_arguments *arguments, const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (!add_metric(arguments, text, length))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

static bool apply_env(cli_arguments *arguments, const char *text)
{
    (void)text;
    arguments->env = true;
    return true;
}

static bool apply_effective(cli_arguments *arguments, const char *text)
{
    arguments->effective = text;
    return true;
}

static bool apply_event_mode(cli_arguments *arguments, const char *text)
{
    const int choice = read_choice("event-mode", text, EVENT_MODES);
    arguments->mode = choice == 1 ? SIM_MODE_REFERENCE : SIM_MODE_FAST;
    return choice >= 0;
}

static bool apply_format(cli_arguments *arguments, const char *text)
{
    const int choice = read_choice("format", text, FORMATS);
    if (choice >= 0)
        arguments->format = (cli_format)choice;
    return choice >= 0;
}

static bool apply_report_format(cli_arguments *arguments, const char *text)
{
    static const cli_format MEANT[] = {CLI_HTML, CLI_MD, CLI_CSV, CLI_JSON};
    const int choice = read_choice("format", text, REPORT_FORMATS);
    if (choice >= 0)
        arguments->format = MEANT[choice];
    return choice >= 0;
}

static bool apply_explain_format(cli_arguments *arguments, const char *text)
{
    const int choice = read_choice("format", text, EXPLAIN_FORMATS);
    if (choice >= 0)
        arguments->format = (cli_format)choice;
    return choice >= 0;
}

static bool apply_output(cli_arguments *arguments, const char *text)
{
    if (text[0] == '\0') {
        (void)cli_complain("--output \"\": expected the name of a file");
        return false;
    }
    arguments->output = text;
    return true;
}

/* A time of the run: "90 s", "12 min", or a bare number of seconds. */
static bool read_time(const char *option, const char *text, int64_t *time)
{
    char seconds[64];
    (void)snprintf(seconds, sizeof seconds, "%.60s s", text);
    if ((sim_parse_duration(text, time) || sim_parse_duration(seconds, time)) && *time >= 0 && *time < RGN_TIME_NEVER)
        return true;
    (void)cli_complain("--%s \"%s\": expected a time of the run, such as \"90 s\", \"12 min\" or 312.5", option, text);
    return false;
}

static bool apply_at(cli_arguments *arguments, const char *text)
{
    return read_time("at", text, &arguments->at);
}

static bool apply_from(cli_arguments *arguments, const char *text)
{
    return read_time("from", text, &arguments->from);
}

static bool apply_to(cli_arguments *arguments, const char *text)
{
    return read_time("to", text, &arguments->to);
}

static bool apply_operation(cli_arguments *arguments, const char *text)
{
    arguments->has_operation = true;
    return read_number("operation", text, 0, INT64_MAX, &arguments->operation);
}

static bool apply_client(cli_arguments *arguments, const char *text)
{
    uint64_t value = 0;
    arguments->has_client = read_number("client", text, 0, UINT32_MAX, &value);
    arguments->client = (uint32_t)value;
    return arguments->has_client;
}

static bool apply_partition(cli_arguments *arguments, const char *text)
{
    uint64_t value = 0;
    arguments->has_partition = read_number("partition", text, 0, UINT32_MAX, &value);
    arguments->partition = (uint32_t)value;
    return arguments->has_partition;
}

static bool apply_first_difference(cli_arguments *arguments, const char *text)
{
    (void)text;
    arguments->first_difference = true;
    return true;
}

static bool apply_kind(cli_arguments *arguments, const char *text)
{
    arguments->kind = text;
    return read_choice("kind", text, KINDS) >= 0;
}

static bool apply_unit(cli_arguments *arguments, const char *text)
{
    arguments->unit = text;
    return read_choice("unit", text, UNITS) >= 0;
}

static bool apply_home(cli_arguments *arguments, const char *text)
{
    arguments->home = text;
    return true;
}

static bool apply_regions(cli_arguments *arguments, const char *text)
{
    arguments->regions = text;
    return true;
}

static bool apply_name(cli_arguments *arguments, const char *text)
{
    arguments->name = text;
    return true;
}

static bool apply_partitions(cli_arguments *arguments, const char *text)
{
    uint64_t value = 0;
    if (!read_number("partitions", text, 1, 100000, &value))
        return false;
    arguments->partitions = (uint32_t)value;
    return true;
}

static bool apply_clients(cli_arguments *arguments, const char *text)
{
    uint64_t value = 0;
    if (!read_number("clients", text, 1, 10000, &value))
        return false;
    arguments->clients = (uint32_t)value;
    return true;
}

static bool apply_fit(cli_arguments *arguments, const char *text)
{
    return read_file("fit", text, &arguments->fit);
}

/* One more of what may be given several times. */
static bool add_text(const char *option, const char *text, const char **list, size_t *count, size_t room)
{
    if (*count == room) {
        (void)cli_complain("--%s is given more than %zu times", option, room);
        return false;
    }
    list[(*count)++] = text;
    return true;
}

static bool apply_scenario(cli_arguments *arguments, const char *text)
{
    return add_text("scenario", text, (const char **)arguments->scenario, &arguments->scenario_count,
                    CLI_SCENARIOS_MAX);
}

static bool apply_hold_out(cli_arguments *arguments, const char *text)
{
    return add_text("hold-out", text, (const char **)arguments->hold_out, &arguments->hold_out_count,
                    CLI_SCENARIOS_MAX);
}

static bool apply_objective(cli_arguments *arguments, const char *text)
{
    return add_text("objective", text, arguments->objective, &arguments->objective_count, CLI_GOALS_MAX);
}

static bool apply_constraint(cli_arguments *arguments, const char *text)
{
    return add_text("constraint", text, arguments->constraint, &arguments->constraint_count, CLI_GOALS_MAX);
}

static bool apply_loss_limit(cli_arguments *arguments, const char *text)
{
    arguments->loss_limit = text;
    return true;
}

static bool apply_budget(cli_arguments *arguments, const char *text)
{
    uint64_t value = 0;
    if (!read_number("budget", text, 1, 10000000, &value))
        return false;
    arguments->budget = (uint32_t)value;
    return true;
}

static bool apply_help(cli_arguments *arguments, const char *text)
{
    (void)text;
    arguments->help = true;
    return true;
}

const cli_option cli_options[] = {
    {"policy", "FILE_OR_NAME", CLI_FOR_RUNNING | CLI_FOR_VALIDATE | CLI_FOR_LIST,
     "a policy file, or the name of one in policies/ near the scenario; once for each policy (default of all but "
     "compare and check: success-rate)",
     apply_policy},
    {"replications", "N", CLI_FOR_RUNNING,
     "runs of each scenario under each policy (default: 5; compare: 20; tune, to confirm: 20); check adds more where "
     "it must",
     apply_replications},
    {"max-replications", "N", CLI_FOR_COMPARE | CLI_FOR_CHECK,
     "most runs of each scenario under each policy (default: compare --until-precise 100; check and its baseline 20)",
     apply_max_replications},
    {"until-precise", NULL, CLI_FOR_COMPARE,
     "add replications until the intervals of objectives and headline pair reach no further than the margin, or than a "
     "tenth of the difference",
     apply_until_precise},
    {"baseline", "FILE", CLI_FOR_CHECK, "compare with what this file says of earlier runs", apply_baseline},
    {"update", NULL, CLI_FOR_CHECK, "write --baseline anew instead: the scenarios given, and no others", apply_update},
    {"self-test", NULL, CLI_FOR_CHECK,
     "plant regressions and fail if the gate of a scenario does not notice: a breaker that is off, and a return on any "
     "evidence",
     apply_self_test},
    {"seed", "S", CLI_FOR_RUNNING,
     "the luck that all policies share, 0 to 2^63 - 1 (default: 1; check --baseline: the baseline's)", apply_seed},
    {"jobs", "N", CLI_FOR_RUNNING, "runs at a time; results do not depend on it (default: one for each CPU)",
     apply_jobs},
    {"scenario", "NAME", CLI_FOR_REPORT, "a scenario to show, of pages; may be repeated (default: all)",
     apply_scenario},
    {"scenario", "FILE", CLI_FOR_TUNE, "a scenario to search over, as an operand is; may be repeated", apply_scenario},
    {"hold-out", "FILE", CLI_FOR_TUNE,
     "a scenario that the search does not see, in which the pick must not lose; may be repeated", apply_hold_out},
    {"objective", "METRIC[:WEIGHT][/DIRECTION]", CLI_FOR_TUNE,
     "what to improve, up to eight; WEIGHT (default 1) counts where one point has to be picked; DIRECTION, min or "
     "max, is for metrics that are better neither way (default: headline pair, flap_count, latency_p99, "
     "canary_blast_radius)",
     apply_objective},
    {"constraint", "METRIC>=VALUE", CLI_FOR_TUNE,
     "what must hold in every scenario, on average over replications; or METRIC<=VALUE. Values as in expectations: "
     "0.999, '99.9 %', '50 ms'",
     apply_constraint},
    {"loss-limit", "SHARE", CLI_FOR_TUNE,
     "what a point may lose of an objective in any single scenario, or the objective's margin where that is more "
     "(default: 10 %); off: as much as the others make up for",
     apply_loss_limit},
    {"budget", "RUNS", CLI_FOR_TUNE,
     "runs that the search may take (default: 300 for each scenario); the confirmation comes on top: --replications of "
     "each scenario, twice",
     apply_budget},
    {"vary", "KEY=VALUES", CLI_FOR_SWEEP | CLI_FOR_TUNE,
     "a knob or scenario.PATH and its values: a,b,c, or a range LOW..HIGH:STEP, or both; several --vary make a grid. "
     "Whole numbers and percentages need no step",
     apply_vary},
    {"sobol", "N", CLI_FOR_SWEEP,
     "instead of the grid N points of a Sobol sequence over the values; ranges need no step. Points that fall together "
     "count once",
     apply_sobol},
    {"metric", "NAME,...", CLI_FOR_SWEEP,
     "metrics to show and to judge by, the first one sorts (default: headline pair, flap_count, latency_p99, "
     "canary_blast_radius, and the scenario's objectives, which then judge)",
     apply_metric},
    {"db", "FILE", CLI_FOR_RUN | CLI_FOR_COMPARE | CLI_FOR_SWEEP | CLI_FOR_TUNE,
     "the database to make (default: run regionsim.db, sweep sweep.db, tune tune.db, compare one that goes at the end)",
     apply_db},
    {"force", NULL, CLI_FOR_RUN | CLI_FOR_COMPARE | CLI_FOR_SWEEP | CLI_FOR_TUNE,
     "replace an earlier database of that name", apply_force},
    {"resume", NULL, CLI_FOR_RUN | CLI_FOR_SWEEP | CLI_FOR_TUNE,
     "go on with an earlier database of that name, where there is one: the same scenarios, policies, settings and "
     "seed, and at least as many replications",
     apply_resume},
    {"set", "KEY=VALUE", CLI_FOR_RUNNING | CLI_FOR_VALIDATE | CLI_FOR_LIST,
     "override what files say: a knob (see 'list knobs') in every policy, or scenario.PATH in every scenario; may be "
     "repeated",
     apply_set},
    {"env", NULL, CLI_FOR_RUNNING | CLI_FOR_LIST,
     "let this process's AZURE_COSMOS_* variables take effect; they win over a scenario's environment", apply_env},
    {"effective", "SCENARIO", CLI_FOR_LIST,
     "list knobs: the value that each has in this scenario under each policy, and the layer it comes from",
     apply_effective},
    {"event-mode", "MODE", CLI_FOR_RUNNING,
     "fast, or reference: queue every timer, slower, same results (default: fast)", apply_event_mode},
    {"verify", NULL, CLI_FOR_RUNNING,
     "play each run again in the other event mode; any difference ends all with status 70 and names the first event "
     "that is not the same",
     apply_verify},
    {"format", "FORMAT", CLI_FOR_RUN | CLI_FOR_COMPARE | CLI_FOR_LIST | CLI_FOR_SWEEP | CLI_FOR_TUNE,
     "text, json, csv or md (default: text)", apply_format},
    {"json", "FILE", CLI_FOR_RUNNING, "also write the results as JSON; - is standard output, then without the text",
     apply_json},
    {"junit", "FILE", CLI_FOR_CHECK, "also write JUnit XML, one test case for each rule", apply_junit},
    {"markdown", "FILE", CLI_FOR_CHECK, "also write a Markdown report", apply_markdown},
    {"github", NULL, CLI_FOR_CHECK, "also print annotations for GitHub, at the lines of the rules that are not met",
     apply_github},
    {"operation", "N", CLI_FOR_EXPLAIN, "an operation by its id, as in the table operation_sample", apply_operation},
    {"client", "C", CLI_FOR_EXPLAIN, "a client by its number; with --partition", apply_client},
    {"partition", "P", CLI_FOR_EXPLAIN, "a partition by its number: what --client's breaker made of it",
     apply_partition},
    {"at", "T", CLI_FOR_EXPLAIN, "the state at this time, and what was decided before and after", apply_at},
    {"from", "T", CLI_FOR_EXPLAIN | CLI_FOR_TRACE,
     "nothing that happened earlier; trace: no operation that started earlier", apply_from},
    {"to", "T", CLI_FOR_EXPLAIN | CLI_FOR_TRACE,
     "nothing that happened then or later; trace: no operation that started then or later", apply_to},
    {"first-difference", NULL, CLI_FOR_EXPLAIN, "the first event in which two runs part, and why",
     apply_first_difference},
    {"output", "FILE", CLI_FOR_REPORT | CLI_FOR_TRACE | CLI_FOR_EXPORT, "the file to write (default: standard output)",
     apply_output},
    {"kind", "KIND", CLI_FOR_IMPORT,
     "what the one file given holds: telemetry, percentiles, histogram or round-trips (default: what its header says)",
     apply_kind},
    {"home", "REGION", CLI_FOR_IMPORT,
     "the home region, first of the account (default: the region with most requests, or the first of the round trips)",
     apply_home},
    {"regions", "REGION,...", CLI_FOR_IMPORT, "further regions of the account, in its order", apply_regions},
    {"partitions", "N", CLI_FOR_IMPORT, "partitions of each region's workload (default: 20)", apply_partitions},
    {"clients", "N", CLI_FOR_IMPORT, "clients in each region that has requests (default: 4)", apply_clients},
    {"unit", "UNIT", CLI_FOR_IMPORT, "of latencies whose column names none: ns, us, ms or s (default: ms)", apply_unit},
    {"name", "NAME", CLI_FOR_IMPORT, "the scenario's name (default: that of the first file)", apply_name},
    {"output", "FILE", CLI_FOR_IMPORT,
     "the scenario to write (default: NAME.yaml here); a table of round trips goes to data/ beside it", apply_output},
    {"fit", "FILE", CLI_FOR_IMPORT,
     "also write the fit, period by period: CSV if the name ends in .csv, a page of charts if in .html, else JSON",
     apply_fit},
    {"force", NULL, CLI_FOR_IMPORT, "replace earlier files of these names", apply_force},
    {"output", "FILE", CLI_FOR_TUNE, "a policy file to write: what is recommended, ready to use", apply_output},
    {"format", "FORMAT", CLI_FOR_REPORT,
     "html, md, csv or json (default: what the name of --output ends in, else html)", apply_report_format},
    {"format", "FORMAT", CLI_FOR_EXPLAIN, "text or json (default: text)", apply_explain_format},
    {"help", NULL, CLI_FOR_ALL, "print this help", apply_help},
};
const size_t cli_option_count = sizeof cli_options / sizeof *cli_options;

const char *const *cli_option_choices(const cli_option *option)
{
    static const struct {
        bool (*apply)(cli_arguments *arguments, const char *text);
        const char *const *choices;
    } CHOICES[] = {
        {apply_event_mode, EVENT_MODES},         {apply_format, FORMATS}, {apply_report_format, REPORT_FORMATS},
        {apply_explain_format, EXPLAIN_FORMATS}, {apply_kind, KINDS},     {apply_unit, UNITS}};
    for (size_t i = 0; i < sizeof CHOICES / sizeof *CHOICES; i++) {
        if (CHOICES[i].apply == option->apply)
            return CHOICES[i].choices;
    }
    return NULL;
}
