/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings as a Markdown report, say for a pull request. */
#include <stdlib.h>
#include <string.h>

#include "cli/clean.h"
#include "cli/findings.h"
#include "cli/table.h"

static void put_line(FILE *out, const char *name, const char *text)
{
    char *clean = text == NULL || text[0] == '\0' ? NULL : cli_cleaned(text);
    if (clean != NULL)
        (void)fprintf(out, "- %s%s\n", name, clean);
    free(clean);
}

static void put_bad(const cli_finding *one, FILE *out)
{
    (void)fprintf(out, "\n### %s: %s%s%s\n\n", one->word, one->scenario, one->policy[0] == '\0' ? "" : " under ",
                  one->policy);
    put_line(out, "", one->text);
    put_line(out, "because ", one->because);
    put_line(out, "cause: ", one->cause);
    put_line(out, "when: ", one->moment);
    (void)fprintf(out, "- `%s:%d`\n", one->path == NULL ? "" : one->path, one->line);
    if (one->command != NULL)
        (void)fprintf(out, "\n```sh\n%s\n```\n", one->command);
}

static void put_table(const cli_findings *findings, FILE *out)
{
    static const cli_column COLUMNS[] = {{"outcome", false}, {"scenario", false}, {"policy", false}, {"rule", false}};
    cli_table table;
    cli_table_init(&table, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
    for (size_t i = 0; i < findings->count; i++) {
        const cli_finding *one = &findings->finding[i];
        const char *cells[] = {one->word, one->scenario, one->policy, one->rule == NULL ? "" : one->rule};
        if (!cli_table_add(&table, cells))
            break;
    }
    cli_table_print(&table, CLI_MD, out);
    cli_table_deinit(&table);
}

void cli_findings_put_markdown(void *context, FILE *out)
{
    const cli_findings *findings = context;
    const size_t failed = cli_findings_count(findings, CLI_FAILED);
    const size_t open = cli_findings_count(findings, CLI_UNJUDGED);
    (void)fprintf(out, "## regionsim check: %s\n\n%zu rules: %zu passed, %zu failed, %zu not judged\n",
                  failed > 0 ? "failed"
                  : open > 0 ? "not judged"
                             : "passed",
                  findings->count, findings->count - failed - open, failed, open);
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->finding[i].level != CLI_PASSED)
            put_bad(&findings->finding[i], out);
    }
    (void)fputs("\n<details><summary>All rules</summary>\n\n", out);
    put_table(findings, out);
    (void)fputs("\n</details>\n", out);
}
