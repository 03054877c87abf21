/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain: a stored run, played again and told. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/work.h"
#include "explain/difference.h"
#include "explain/replay.h"
#include "explain/tell.h"

static int check_pair(const exp_stored *run, const cli_arguments *arguments)
{
    const sim_scenario *scenario = run->scenario;
    if (arguments->client >= scenario->client_count)
        return cli_complain("--client %u: %s has clients 0 to %u", arguments->client, scenario->name,
                            scenario->client_count - 1);
    if (arguments->partition >= scenario->partition_count)
        return cli_complain("--partition %u: %s has partitions 0 to %u", arguments->partition, scenario->name,
                            scenario->partition_count - 1);
    return CLI_OK;
}

static int check_times(const exp_stored *run, const cli_arguments *arguments)
{
    const struct {
        const char *name;
        int64_t time;
    } times[] = {{"at", arguments->at}, {"from", arguments->from}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (times[i].time >= run->scenario->duration)
            return cli_complain("--%s: the run of %s ends at %.9g s", times[i].name, run->scenario->name,
                                (double)run->scenario->duration / 1e9);
    }
    return CLI_OK;
}

/* What the command line asks for. */
static int focus_of(const exp_stored *run, const cli_arguments *arguments, exp_focus *focus)
{
    *focus = (exp_focus){.has_pair = arguments->has_client,
                         .client = arguments->client,
                         .partition = arguments->partition,
                         .from = arguments->from < 0 ? 0 : arguments->from,
                         .until = arguments->to < 0 ? RGN_TIME_NEVER : arguments->to,
                         .has_at = arguments->at >= 0,
                         .at = arguments->at};
    int status = check_times(run, arguments);
    if (status == CLI_OK && arguments->has_client)
        status = check_pair(run, arguments);
    if (status == CLI_OK && arguments->has_operation)
        status = exp_find_operation(run, arguments->operation, focus);
    return status;
}

static int explain_one(const cli_arguments *arguments)
{
    exp_stored run;
    exp_focus focus;
    int status = exp_stored_open(&run, arguments->operand[0]);
    if (status == CLI_OK)
        status = focus_of(&run, arguments, &focus);
    if (status == CLI_OK) {
        exp_narrator narrator;
        exp_narrator_init(&narrator, &run, &focus);
        status = exp_replay(&run, &narrator.observer, &narrator.recorder, NULL);
        if (status == CLI_OK && narrator.out_of_memory) {
            (void)cli_complain("out of memory");
            status = CLI_IO;
        }
        if (status == CLI_OK && focus.has_operation && !narrator.is_started)
            status = cli_complain("--operation %" PRIu64 ": the run has no such operation; those of a closed loop come "
                                  "as the ones before them end",
                                  focus.ordinal);
        if (status == CLI_OK && arguments->format == CLI_JSON) {
            exp_put_json(stdout, &narrator);
        } else if (status == CLI_OK) {
            exp_print_title(&run);
            exp_print_lines(&narrator);
        }
        exp_narrator_deinit(&narrator);
    }
    exp_stored_close(&run);
    return status;
}

static int explain_two(const cli_arguments *arguments)
{
    exp_stored left;
    exp_stored right = {0};
    int status = exp_stored_open(&left, arguments->operand[0]);
    if (status == CLI_OK)
        status = exp_stored_open(&right, arguments->operand[1]);
    if (status == CLI_OK)
        status = exp_first_difference(&left, &right, arguments->format == CLI_JSON);
    exp_stored_close(&left);
    exp_stored_close(&right);
    return status;
}

static int check_usage(const cli_arguments *arguments)
{
    const int wanted = arguments->first_difference ? 2 : 1;
    const bool has_window = arguments->from >= 0 || arguments->to >= 0 || arguments->at >= 0;
    const bool has_subject = arguments->has_operation || arguments->has_client || has_window;
    if (arguments->operand_count != wanted)
        return cli_complain(
            "explain%s: expected %s, found %d operands", arguments->first_difference ? " --first-difference" : "",
            wanted == 2 ? "two runs, DB:RUN DB:RUN" : "one run, DB or DB:RUN", arguments->operand_count);
    if (arguments->first_difference && (has_subject || arguments->has_partition))
        return cli_complain("explain: --first-difference finds out by itself where to look; expected no other option");
    if (arguments->has_client != arguments->has_partition)
        return cli_complain("explain: --client and --partition go together");
    if (arguments->has_operation && (arguments->has_client || has_window))
        return cli_complain("explain: --operation says by itself whose and when; expected no other option");
    if (arguments->at >= 0 && (arguments->from >= 0 || arguments->to >= 0))
        return cli_complain("explain: --at is one moment, --from and --to a stretch; give one of them");
    if (arguments->from >= 0 && arguments->to >= 0 && arguments->from >= arguments->to)
        return cli_complain("explain: --from must be before --to");
    if (!arguments->first_difference && !has_subject)
        return cli_complain("explain: expected --operation N, --client C with --partition P, --at T, --from T or "
                            "--first-difference");
    return CLI_OK;
}

int cli_explain(const cli_arguments *arguments)
{
    const int status = check_usage(arguments);
    if (status != CLI_OK)
        return status;
    cli_catch_signals();
    return arguments->first_difference ? explain_two(arguments) : explain_one(arguments);
}
