/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export: a stored run as telemetry. */
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/work.h"
#include "explain/replay.h"
#include "import/observe.h"

#define PERIOD (60 * RGN_NS_PER_S)

static void put(void *context, FILE *out)
{
    const imp_watch *watch = context;
    imp_series_write(&watch->series, out);
}

static int export_run(const cli_arguments *arguments, const exp_stored *run)
{
    imp_watch watch;
    int status = CLI_IO;
    if (run->scenario->duration < PERIOD)
        return cli_complain("export: the run of %s ends within its first minute", run->scenario->name);
    if (run->scenario->duration / PERIOD > IMP_PERIODS_MAX)
        return cli_complain("export: the run of %s has more than %d minutes", run->scenario->name, IMP_PERIODS_MAX);
    if (imp_watch_init(&watch, run->arena, run->scenario, PERIOD))
        status = exp_replay(run, &exp_deaf, &watch.recorder, NULL);
    else
        (void)cli_complain("out of memory");
    if (status == CLI_OK) {
        imp_watch_finish(&watch);
        if (watch.too_many > 0)
            (void)fprintf(stderr,
                          "regionsim: export: note: there are more than %d statuses; %u errors of others are "
                          "not in it\n",
                          IMP_STATUSES_MAX, watch.too_many);
        status = cli_output_write(arguments->output == NULL ? "-" : arguments->output, put, &watch) ? CLI_OK : CLI_IO;
    }
    imp_watch_deinit(&watch);
    return status;
}

int cli_export(const cli_arguments *arguments)
{
    if (arguments->operand_count != 1)
        return cli_complain("export: expected one run, DB or DB:RUN, found %d operands", arguments->operand_count);
    cli_catch_signals();
    exp_stored run;
    int status = exp_stored_open(&run, arguments->operand[0]);
    if (status == CLI_OK)
        status = export_run(arguments, &run);
    exp_stored_close(&run);
    return status;
}
