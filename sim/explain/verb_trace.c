/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace: a stored run, or a stretch of it, as a file for a trace viewer. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/work.h"
#include "explain/replay.h"
#include "explain/trace.h"

static int check_usage(const cli_arguments *arguments)
{
    if (arguments->operand_count != 1)
        return cli_complain("trace: expected one run, DB or DB:RUN, found %d operands", arguments->operand_count);
    if (arguments->from >= 0 && arguments->to >= 0 && arguments->from >= arguments->to)
        return cli_complain("trace: --from must be before --to");
    if (arguments->output == NULL && isatty(STDOUT_FILENO) == 1)
        return cli_complain("trace: a trace is no use on a terminal; add --output trace.json");
    return CLI_OK;
}

static int refuse_many(const exp_trace *trace)
{
    return cli_complain(
        "trace: breakers change and endpoints are marked more than %d times in this stretch; expected a "
        "shorter one, by --from and --to",
        trace->rare_events > EXP_TRACE_CHANGES ? EXP_TRACE_CHANGES : EXP_TRACE_HISTORY);
}

static int deliver(exp_trace *trace, const sim_run_output *output, const char *path)
{
    if (trace->is_too_many)
        return refuse_many(trace);
    if (trace->out_of_memory || !exp_trace_finish(trace, output)) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    if (!cli_output_write(path, exp_trace_write, trace))
        return CLI_IO;
    if (trace->halvings > 0)
        (void)fprintf(stderr,
                      "regionsim: trace: note: of %" PRIu64 " operations one in %" PRIu64
                      " is in it; a shorter stretch, by --from and --to, has more of them\n",
                      trace->operations, UINT64_C(1) << trace->halvings);
    return CLI_OK;
}

static int trace_run(const cli_arguments *arguments, const exp_stored *run)
{
    const int64_t from = arguments->from < 0 ? 0 : arguments->from;
    exp_trace trace;
    sim_run_output output;
    if (from >= run->scenario->duration)
        return cli_complain("trace: --from: the run of %s ends at %.9g s", run->scenario->name,
                            (double)run->scenario->duration / 1e9);
    exp_trace_init(&trace, run, from, arguments->to < 0 ? RGN_TIME_NEVER : arguments->to);
    int status = exp_replay(run, &trace.observer, &trace.recorder, &output);
    if (status == CLI_OK) {
        status = deliver(&trace, &output, arguments->output == NULL ? "-" : arguments->output);
        sim_run_output_deinit(&output);
    }
    exp_trace_deinit(&trace);
    return status;
}

int cli_trace(const cli_arguments *arguments)
{
    int status = check_usage(arguments);
    if (status != CLI_OK)
        return status;
    cli_catch_signals();
    exp_stored run;
    status = exp_stored_open(&run, arguments->operand[0]);
    if (status == CLI_OK)
        status = trace_run(arguments, &run);
    exp_stored_close(&run);
    return status;
}
