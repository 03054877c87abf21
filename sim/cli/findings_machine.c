/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings for machines: JUnit XML, GitHub annotations, JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/findings.h"
#include "cli/table.h"
#include "scenario/scenario.h"

static const char *known(const char *text)
{
    return text == NULL ? "" : text;
}

/* Everything about a finding, a fact a line. The caller frees it. */
static char *tell(const cli_finding *one)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    (void)fprintf(out, "%s:%d: %s\n", known(one->path), one->line, known(one->text));
    const char *const parts[][2] = {
        {"because: ", one->because}, {"cause: ", one->cause}, {"when: ", one->moment}, {"replay:\n", one->command}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (known(parts[i][1])[0] != '\0')
            (void)fprintf(out, "%s%s\n", parts[i][0], parts[i][1]);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- JUnit ---- */

/* Ends of lines are kept; other controls may not stand in XML at all. */
static void put_xml(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *entity = *text == '\n' ? "&#10;" : sim_text_entity(*text);
        if (entity != NULL)
            (void)fputs(entity, out);
        else
            (void)fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
}

static void put_case(const cli_finding *one, FILE *out)
{
    (void)fputs("    <testcase classname=\"", out);
    put_xml(out, one->scenario);
    (void)fputs(one->policy[0] == '\0' ? "" : ".", out);
    put_xml(out, one->policy);
    (void)fputs("\" name=\"", out);
    put_xml(out, known(one->rule));
    (void)fputs("\" file=\"", out);
    put_xml(out, known(one->path));
    (void)fprintf(out, "\" line=\"%d\"", one->line);
    if (one->level == CLI_PASSED) {
        (void)fputs("/>\n", out);
        return;
    }
    const char *element = one->level == CLI_FAILED ? "failure" : "error";
    char *all = tell(one);
    (void)fprintf(out, ">\n      <%s type=\"%s\" message=\"", element, one->word);
    put_xml(out, known(one->text));
    (void)fputs("\">", out);
    put_xml(out, known(all));
    (void)fprintf(out, "</%s>\n    </testcase>\n", element);
    free(all);
}

typedef struct {
    size_t tests, failures, errors;
} tally;

/* Of those with that scenario; NULL: of all. */
static tally count(const cli_findings *findings, const char *scenario)
{
    tally of = {0};
    for (size_t i = 0; i < findings->count; i++) {
        if (scenario != NULL && strcmp(findings->finding[i].scenario, scenario) != 0)
            continue;
        of.tests++;
        of.failures += findings->finding[i].level == CLI_FAILED;
        of.errors += findings->finding[i].level == CLI_UNJUDGED;
    }
    return of;
}

/* Findings of a scenario stand together. */
void cli_findings_put_junit(void *context, FILE *out)
{
    const cli_findings *findings = context;
    const tally all = count(findings, NULL);
    (void)fprintf(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuites name=\"regionsim check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
                  all.tests, all.failures, all.errors);
    for (size_t i = 0; i < findings->count; i++) {
        const char *scenario = findings->finding[i].scenario;
        if (i == 0 || strcmp(findings->finding[i - 1].scenario, scenario) != 0) {
            const tally of = count(findings, scenario);
            (void)fputs("  <testsuite name=\"", out);
            put_xml(out, scenario);
            (void)fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\">\n", of.tests,
                          of.failures, of.errors);
        }
        put_case(&findings->finding[i], out);
        if (i + 1 == findings->count || strcmp(findings->finding[i + 1].scenario, scenario) != 0)
            (void)fputs("  </testsuite>\n", out);
    }
    (void)fputs("</testsuites>\n", out);
}

/* ---- GitHub ---- */

/* As workflow commands are escaped; properties need two characters more. */
static void put_escaped(FILE *out, const char *text, bool is_property)
{
    for (; *text != '\0'; text++) {
        if (*text == '%' || *text == '\r' || *text == '\n' || (is_property && (*text == ':' || *text == ',')))
            (void)fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
        else
            (void)fputc(*text, out);
    }
}

void cli_findings_put_github(const cli_findings *findings, FILE *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        const cli_finding *one = &findings->finding[i];
        if (one->level == CLI_PASSED)
            continue;
        char *all = tell(one);
        (void)fputs("::error file=", out);
        put_escaped(out, known(one->path), true);
        (void)fprintf(out, ",line=%d,title=", one->line);
        put_escaped(out, one->scenario, true);
        (void)fputs(one->policy[0] == '\0' ? "" : " under ", out);
        put_escaped(out, one->policy, true);
        (void)fprintf(out, "%%3A %s::", one->word);
        put_escaped(out, known(all), false);
        (void)fputc('\n', out);
        free(all);
    }
}

/* ---- JSON ---- */

static void put_text(FILE *out, const char *key, const char *text)
{
    (void)fprintf(out, ", \"%s\": ", key);
    cli_json_text(out, text);
}

static void put_number(FILE *out, const char *key, double value)
{
    (void)fprintf(out, ", \"%s\": %.17g", key, value);
}

static void put_finding(const cli_finding *one, FILE *out)
{
    static const char *const LEVEL[] = {"passed", "not judged", "failed"};
    static const char *const KIND[] = {"expectation", "baseline", "none"};
    (void)fprintf(out, "  {\"kind\": \"%s\", \"level\": \"%s\", \"outcome\": \"%s\"", KIND[one->kind],
                  LEVEL[one->level], one->word);
    const char *const texts[][2] = {{"scenario", one->scenario}, {"policy", one->policy}, {"metric", one->metric},
                                    {"phase", one->phase},       {"rule", one->rule},     {"text", one->text},
                                    {"because", one->because},   {"cause", one->cause},   {"when", one->moment},
                                    {"command", one->command},   {"file", one->path}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (known(texts[i][1])[0] != '\0')
            put_text(out, texts[i][0], texts[i][1]);
    }
    (void)fprintf(out, ", \"line\": %d", one->line);
    if (one->has_value)
        put_number(out, "value", one->value);
    if (one->has_limit)
        put_number(out, "limit", one->limit);
    if (one->kind == CLI_RULE_BASELINE && one->has_value)
        put_number(out, "baseline", one->then);
    if (one->has_interval && isfinite(one->interval.low) && isfinite(one->interval.high))
        (void)fprintf(out, ", \"interval\": [%.17g, %.17g]", one->interval.low, one->interval.high);
    if (one->replications > 0)
        (void)fprintf(out, ", \"seed\": %llu, \"replications\": %u", (unsigned long long)one->seed, one->replications);
    if (one->has_replication)
        (void)fprintf(out, ", \"replication\": %u", one->replication);
    (void)fputc('}', out);
}

void cli_findings_put_json(void *context, FILE *out)
{
    const cli_findings *findings = context;
    const tally all = count(findings, NULL);
    (void)fprintf(out, "{\"rules\": %zu, \"failed\": %zu, \"not_judged\": %zu, \"findings\": [", all.tests,
                  all.failures, all.errors);
    for (size_t i = 0; i < findings->count; i++) {
        (void)fputs(i == 0 ? "\n" : ",\n", out);
        put_finding(&findings->finding[i], out);
    }
    (void)fputs("]}\n", out);
}
