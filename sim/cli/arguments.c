/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs, and the reading of a command line. */
#include "cli/arguments.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"

const cli_verb cli_verbs[] = {
    {"run", "SCENARIO...", "run scenarios under policies, write a database, print a comparison",
     "Runs every scenario under every policy, N replications each. Replication r meets the same arrivals and faults "
     "under every policy. Everything is written to one SQLite file, each run as soon as it has finished; the "
     "comparison is printed at the end.",
     "regionsim run scenarios/flagship.yaml\n"
     "regionsim run scenarios/flagship.yaml --policy success-rate --policy spec-probe --replications 20\n"
     "regionsim run scenarios/flagship.yaml --set failback.min_sample=20 --set 'scenario.duration=30 min'\n",
     cli_run, 5, 0, "regionsim.db"},
    {"validate", "FILE...", "check scenarios and policies, say what follows from them",
     "Reads each file and reports the first error with file, line and column. For a scenario it prints what the "
     "traffic allows each policy to find out.",
     "regionsim validate scenarios/flagship.yaml\n"
     "regionsim validate scenarios/flagship.yaml --policy spec-probe\n"
     "regionsim validate scenarios/policies/*.yaml\n",
     cli_validate, 0, 0, NULL},
    {"schema", "", "print the JSON Schema of scenario and policy files",
     "Editors use it to complete and check YAML files.", "regionsim schema > regionsim.schema.json\n", cli_schema, 0, 0,
     NULL},
    {"list", "scenarios|policies|metrics|knobs [NAME...]", "list what there is",
     "Scenarios and policies are looked for under the folder given as NAME, or else under the nearest scenarios/ "
     "folder, here or above. Metrics and knobs can be picked by name.",
     "regionsim list scenarios\n"
     "regionsim list knobs failback.min_sample\n"
     "regionsim list knobs --effective scenarios/flagship.yaml --policy spec-probe\n"
     "regionsim list metrics --format csv\n",
     cli_list, 0, 0, NULL},
    {"compare", "SCENARIO...", "compare policies in pairs, with intervals and verdicts",
     "Runs two or more policies under the same luck and compares each with the first: estimate, paired difference, "
     "its 95 % interval over replications, and a verdict by the margin that matters. Verdicts on the scenario's "
     "objectives hold for all of them together (Holm); all others, in brackets, are descriptive. The column 'pairing' "
     "says how many times as many replications it would take with a seed of its own for each policy.",
     "regionsim compare scenarios/flagship.yaml --policy success-rate --policy spec-probe\n"
     "regionsim compare scenarios/flagship.yaml --policy success-rate --policy mine.yaml --until-precise\n"
     "regionsim compare scenarios/*.yaml --policy success-rate --policy mine.yaml --format md\n",
     cli_compare, 20, 100, NULL},
    {"check", "SCENARIO...", "a gate: expectations and a committed baseline",
     "Runs scenarios and says whether their expectations hold and, with --baseline, whether anything has become "
     "worse. A run that behaves as the baseline says is identical; where one differs, replications are added before "
     "the gate decides, in pairs, by each metric's tolerance. Without --policy each scenario runs under the policies "
     "that its expectations and the baseline name. Nothing passes that could not be judged.",
     "regionsim check scenarios/*.yaml\n"
     "regionsim check scenarios/*.yaml --baseline baseline.yaml --update\n"
     "regionsim check scenarios/*.yaml --baseline baseline.yaml --junit check.xml --github\n"
     "regionsim check scenarios/*.yaml --baseline baseline.yaml --self-test\n",
     cli_check, 5, 20, NULL},
    {"report", "DB...", "make a report of databases: HTML, Markdown, CSV or JSON",
     "Writes one self-contained page: the answer in words, every comparison with its interval, charts of the incident, "
     "and how to get the same numbers again. It needs no network, and without scripts it reads as tables. Policies are "
     "compared within their database.",
     "regionsim report flagship.db --output flagship.html\n"
     "regionsim report a.db b.db --output both.html\n"
     "regionsim report flagship.db --format md > comment.md\n",
     cli_report, 0, 0, NULL},
    {"sweep", "SCENARIO...", "try many values of knobs or scenario fields, say which are worth a look",
     "Runs every scenario under every policy at every point of a grid, or of a Sobol sequence, all under the same "
     "luck. Each point is a policy of its own in the database (success-rate#0007), and the tables sweep_point and "
     "sweep_value say what it is; values of scenario fields make scenarios in the same way. The summary sorts the "
     "points: mean and half of its 95 % interval, and which points another one beats in every metric. After a kill "
     "--resume goes on. Every run keeps its time series and transitions: some 200 kB of database, and more for a "
     "large fleet.",
     "regionsim sweep scenarios/flagship.yaml --vary failback.canary_percentage=5,10,20 --vary "
     "failback.min_sample=5..50:15\n"
     "regionsim sweep scenarios/flagship.yaml --sobol 64 --vary failback.min_sample=5..100 --vary "
     "'failback.eval_window=10 s..2 min'\n"
     "regionsim sweep scenarios/flagship.yaml --vary scenario.workload.shop.rate='200..1000 /s:200' --metric "
     "failback_lag_p50,flap_count\n"
     "regionsim sweep scenarios/flagship.yaml --vary failback.min_sample=5..50:5 --resume --format csv\n",
     cli_sweep, 5, 0, "sweep.db"},
    {"explain", "DB[:RUN]...", "play a stored run again and say why: an operation, a partition, a moment",
     "Plays a run of a database again, from the texts and options in it, and tells each decision with the numbers that "
     "were compared. RUN is its number, POLICY, or POLICY/REPLICATION (see v_run); without it, the first. Nothing is "
     "told unless the run behaves as the database says. Times are virtual: 90 s, 12 min, or 312.5 for seconds.",
     "regionsim explain a.db --operation 44251\n"
     "regionsim explain a.db:success-rate/2 --client 3 --partition 17 --at '12 min'\n"
     "regionsim explain a.db:1 --from 600 --to 660 --format json\n"
     "regionsim explain --first-difference a.db:success-rate a.db:shipped-rust\n",
     cli_explain, 0, 0, NULL},
    {"trace", "DB[:RUN]", "write a run, or part of it, as a trace for ui.perfetto.dev",
     "Plays a run again, as explain does, and writes the Chrome trace event format: regions as processes, partitions "
     "as threads, operations and their legs as spans, states of breakers, faults and counters. Of more operations "
     "than a viewer can hold an even sample is taken; the file says how many.",
     "regionsim trace a.db --from 600 --to 660 --output incident.json\n"
     "regionsim trace a.db:shipped-rust --output whole.json\n",
     cli_trace, 0, 0, NULL},
    {"import", "CSV...", "make a scenario of your own account's telemetry, latencies and round trips",
     "Reads tables, one of each kind at most, and writes a scenario that has what they say: rates, latency, errors by "
     "status. The header says what a table is. Telemetry: time (ISO 8601 or seconds; time_min), region, operation "
     "(read or write), requests or rate (per second), errors_503 (a count) or error_share_503 (0 to 1) for any "
     "status, or error_share and status, p50_ms, p99_ms. Percentiles: operation, p50_ms, p99.9_ms and so on. "
     "Histogram: upper_ms, count. Round trips: src, dst, p50_ms or avg_ms. Stretches in which a region departs from "
     "its own healthy state become faults: p50 off by more than 25 %, p99 by more than 50 %, or the share of a status "
     "higher by more than half a percentage point and than chance. The file's comments say which figures are observed "
     "and which are assumed. The scenario is then played once without any policy, and each curve compared with what "
     "was observed.",
     "regionsim import telemetry.csv\n"
     "regionsim import telemetry.csv --home westeurope --regions northeurope --partitions 50 --output shop.yaml\n"
     "regionsim import telemetry.csv rtt.csv --fit fit.json\n"
     "regionsim import histogram.csv --unit us --home eastus --regions westus\n",
     cli_import, 0, 0, NULL},
    {"export", "DB[:RUN]", "write a run as telemetry, as import reads it",
     "Plays a run again, as explain does, and writes a CSV row for each minute, region and kind of operation: answered "
     "attempts, those that failed by status, p50 and p99. What got no answer is not in it.",
     "regionsim export a.db --output telemetry.csv\n"
     "regionsim export a.db:success-rate/2 > telemetry.csv\n",
     cli_export, 0, 0, NULL},
    {"tune", "SCENARIO...", "search for knobs that beat a policy in several scenarios at once, and confirm them",
     "Searches over the values of --vary for points that are better than --policy in the objectives, on average over "
     "the scenarios, under the same luck: points that fill the space, a race in which what is beaten leaves early, "
     "then steps around the front. The point picked is confirmed against the policy in replications that the search "
     "has not seen, and in the scenarios held out. It is recommended if an objective is better there, none is worse, "
     "and no single scenario loses more than --loss-limit; otherwise the policy is, as it is (status 4 if something "
     "was picked and not confirmed). After a kill --resume goes on; with the same arguments the result is the same.",
     "regionsim tune scenarios/flagship.yaml scenarios/grey-failure.yaml --policy success-rate --vary "
     "failback.min_sample=5..50 --vary failback.promote=sweep,due --output tuned.yaml\n"
     "regionsim tune --scenario scenarios/flagship.yaml --scenario scenarios/low-traffic.yaml --policy success-rate "
     "--vary 'failback.eval_window=10 s..2 min' --objective away_healthy_s:2 --objective home_unhealthy_s --constraint "
     "'availability>=0.99' --budget 400 --hold-out scenarios/oscillating.yaml --db tune.db --output tuned.yaml\n"
     "regionsim compare scenarios/*.yaml --policy success-rate --policy tuned.yaml\n",
     cli_tune, 20, 0, "tune.db"},
};
const size_t cli_verb_count = sizeof cli_verbs / sizeof *cli_verbs;

enum { VERBS_MAX = 16, OPTIONS_MAX = 64, FIRST_OPTION = 256 }; /* options have numbers that no letter has */

unsigned cli_verb_bit(const cli_verb *verb)
{
    return 1U << (unsigned)(verb - cli_verbs);
}

const cli_verb *cli_verb_find(const char *name)
{
    const char *names[VERBS_MAX];
    for (size_t i = 0; i < cli_verb_count; i++) {
        if (strcmp(cli_verbs[i].name, name) == 0)
            return &cli_verbs[i];
        names[i] = cli_verbs[i].name;
    }
    (void)cli_complain_of_word("verb", name, names, cli_verb_count);
    return NULL;
}

static size_t fill_long_options(const cli_verb *verb, struct option *out)
{
    size_t count = 0;
    for (size_t i = 0; i < cli_option_count; i++) {
        if ((cli_options[i].verbs & cli_verb_bit(verb)) == 0)
            continue;
        const int takes = cli_options[i].argument == NULL ? no_argument : required_argument;
        out[count++] = (struct option){cli_options[i].name, takes, NULL, (int)i + FIRST_OPTION};
    }
    out[count] = (struct option){0};
    return count;
}

/* Complains about the word that getopt has just refused. */
static void refuse(const char *word, int known, const struct option *options, size_t count)
{
    if (known >= FIRST_OPTION) {
        (void)cli_complain("--%s takes no value", cli_options[known - FIRST_OPTION].name);
        return;
    }
    char bare[64];
    const char *names[OPTIONS_MAX];
    for (size_t i = 0; i < count; i++)
        names[i] = options[i].name;
    (void)snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word + strspn(word, "-"), "="), word + strspn(word, "-"));
    const char *nearest = sim_nearest(bare, names, count);
    if (nearest != NULL)
        (void)cli_complain("unknown option \"%s\"; did you mean --%s?", word, nearest);
    else
        (void)cli_complain("unknown option \"%s\"; --help lists those of this verb", word);
}

/* As it was typed: getopt moves operands behind options. NULL: no memory. */
static char *command_line(int argc, char **argv)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    for (int i = 0; i < argc; i++) {
        (void)fputs(i == 0 ? "" : " ", out);
        cli_quote(out, argv[i]);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

bool cli_arguments_parse(const cli_verb *verb, int argc, char **argv, cli_arguments *arguments)
{
    *arguments = (cli_arguments){.replications = verb->replications,
                                 .max_replications = verb->max_replications,
                                 .seed = 1,
                                 .db = verb->db,
                                 .at = -1,
                                 .from = -1,
                                 .to = -1};
    arguments->command_line = command_line(argc, argv);
    struct option options[OPTIONS_MAX + 1];
    const size_t count = fill_long_options(verb, options);
    opterr = 0;
    optind = 2;
    for (;;) {
        const int found = getopt_long(argc, argv, ":", options, NULL);
        if (found == -1)
            break;
        if (found == ':') {
            (void)cli_complain("--%s needs a value: %s", cli_options[optopt - FIRST_OPTION].name,
                               cli_options[optopt - FIRST_OPTION].argument);
            return false;
        }
        if (found == '?') {
            const char letter[] = {'-', (char)optopt, '\0'};
            const bool is_letter = optopt > 0 && optopt < FIRST_OPTION;
            refuse(is_letter ? letter : argv[optind - 1], is_letter ? 0 : optopt, options, count);
            return false;
        }
        if (!cli_options[found - FIRST_OPTION].apply(arguments, optarg))
            return false;
    }
    arguments->operand_count = argc - optind;
    arguments->operand = argv + optind;
    return true;
}

void cli_arguments_deinit(cli_arguments *arguments)
{
    for (size_t i = 0; i < arguments->setting_count; i++)
        free((char *)arguments->setting[i].key);
    free(arguments->command_line);
    *arguments = (cli_arguments){0};
}
