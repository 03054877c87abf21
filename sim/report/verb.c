/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report: databases in, one file out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "report/markdown.h"
#include "report/page.h"
#include "store/lock.h"

typedef struct {
    size_t count;
    rep_source *source;
    const cli_arguments *arguments;
} sources;

/* Asked for, or what the output's name ends in, or HTML. */
static cli_format format_of(const cli_arguments *arguments)
{
    static const struct {
        const char *ending;
        cli_format format;
    } ENDINGS[] = {{".md", CLI_MD}, {".csv", CLI_CSV}, {".json", CLI_JSON}};
    if (arguments->format != CLI_TEXT)
        return arguments->format;
    const char *dot = arguments->output == NULL ? NULL : strrchr(arguments->output, '.');
    for (size_t i = 0; dot != NULL && i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        if (strcmp(dot, ENDINGS[i].ending) == 0)
            return ENDINGS[i].format;
    }
    return CLI_HTML;
}

/* As `run` or `sweep` prints it. */
static bool write_one(const rep_source *source, cli_format format, FILE *out)
{
    return source->is_sweep ? cli_sweep_print(&source->sweep, format, out)
                            : cli_summary_print(&source->summary, format, out);
}

/* A list where there are several; the header of a table once. */
static bool write_summaries(const sources *in, cli_format format, FILE *out)
{
    bool ok = true;
    if (format == CLI_JSON && in->count > 1)
        (void)fputs("[\n", out);
    for (size_t i = 0; ok && i < in->count; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *one = open_memstream(&text, &size);
        if (one == NULL)
            return false;
        ok = write_one(&in->source[i], format, one);
        ok = fclose(one) == 0 && ok;
        const char *start = format == CLI_CSV && i > 0 ? text + strcspn(text, "\n") + 1 : text;
        (void)fputs(format == CLI_JSON && i > 0 ? "," : "", out);
        (void)fputs(ok ? start : "", out);
        free(text);
    }
    if (format == CLI_JSON && in->count > 1)
        (void)fputs("]\n", out);
    return ok;
}

/* CLI_OK, or an exit status after a complaint. */
static int write_report(const sources *in, cli_format format, FILE *out)
{
    sim_store_error error = {0};
    bool ok = true;
    if (format == CLI_HTML) {
        if (!rep_page_write(in->source, in->count, (const char *const *)in->arguments->scenario,
                            in->arguments->scenario_count, out, &error))
            return cli_report_store(&error);
    } else if (format == CLI_MD) {
        for (size_t i = 0; ok && i < in->count; i++)
            ok = in->source[i].is_sweep ? write_one(&in->source[i], format, out)
                                        : rep_markdown_write(&in->source[i], out);
    } else {
        ok = write_summaries(in, format, out);
    }
    if (!ok)
        (void)cli_complain("out of memory");
    return ok ? CLI_OK : CLI_IO;
}

static int complain_of_output(const char *path)
{
    (void)cli_complain("cannot write %s: %s", path, strerror(errno));
    return CLI_IO;
}

/* True if everything that was written has arrived; else errno says why. Closes. */
static bool finish(FILE *out)
{
    const bool is_written = fflush(out) == 0 && ferror(out) == 0;
    const int why = errno;
    const bool is_closed = fclose(out) == 0;
    if (!is_written)
        errno = why;
    return is_written && is_closed;
}

/* A device or a pipe: there is nothing to take the place of. */
static int write_straight(const sources *in, cli_format format, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (out == NULL)
        return complain_of_output(path);
    const int status = write_report(in, format, out);
    return finish(out) || status != CLI_OK ? status : complain_of_output(path);
}

/* Writes beside the final name and renames at the end: there is never half a report of that name. */
static int write_beside(const sources *in, cli_format format, const char *path)
{
    const size_t size = strlen(path) + 32;
    char *draft = malloc(size);
    if (draft == NULL) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    (void)snprintf(draft, size, "%s.new-%ld", path, (long)getpid());
    FILE *out = fopen(draft, "wb");
    int status = CLI_IO;
    if (out == NULL) {
        (void)complain_of_output(path);
    } else {
        status = write_report(in, format, out);
        const bool is_whole = finish(out);
        if (status == CLI_OK && !(is_whole && rename(draft, path) == 0))
            status = complain_of_output(path);
        if (status != CLI_OK)
            (void)unlink(draft);
    }
    free(draft);
    return status;
}

static int write_file(const sources *in, cli_format format, const char *path)
{
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return write_straight(in, format, path);
    char target[SIM_STORE_PATH_SIZE]; /* the file at the end of a symbolic link */
    sim_store_error error = {0};
    if (!sim_store_locate(path, target, &error))
        return cli_report_store(&error);
    return write_beside(in, format, target);
}

/* Pages set all policies side by side, unless a sweep has made them; tables of a sweep have columns of their own. */
static bool fits(const rep_source *source, cli_format format, size_t count)
{
    if (source->is_sweep && format == CLI_CSV && count > 1)
        return cli_complain("report: %s holds a sweep, whose keys are columns of its own; expected no other database "
                            "beside it in CSV",
                            source->path) == CLI_OK;
    if (source->is_sweep || source->plan.policy_count <= CLI_POLICIES_MAX || format == CLI_CSV || format == CLI_JSON)
        return true;
    (void)cli_complain("report: %s holds %u policies, and a page has room for %d; expected --format csv or json",
                       source->path, source->plan.policy_count, CLI_POLICIES_MAX);
    return false;
}

static int open_sources(const cli_arguments *arguments, cli_format format, sources *in)
{
    sim_store_error error;
    for (int i = 0; i < arguments->operand_count; i++) {
        const bool ok = rep_source_open(&in->source[in->count++], arguments->operand[i], &error);
        if (!ok)
            return cli_report_store(&error);
        const rep_source *source = &in->source[in->count - 1];
        if (source->about.runs_done == 0)
            return cli_complain("report: the database %s holds no finished run", arguments->operand[i]);
        if (!fits(source, format, (size_t)arguments->operand_count))
            return CLI_USAGE;
    }
    return CLI_OK;
}

/* NULL: none is near. */
static const char *nearest_name(const sources *in, const char *name)
{
    const char *near = NULL;
    for (size_t d = 0; d < in->count && near == NULL; d++) {
        const sim_store_plan *plan = &in->source[d].plan;
        const char **names = sim_arena_array(in->source[d].arena, plan->scenario_count, sizeof *names);
        for (uint32_t s = 0; s < plan->scenario_count; s++)
            names[s] = plan->scenario[s]->name;
        near = sim_nearest(name, names, plan->scenario_count);
    }
    return near;
}

/* Every --scenario names one; CLI_OK, or an exit status after a complaint. */
static int check_names(const sources *in)
{
    for (size_t i = 0; i < in->arguments->scenario_count; i++) {
        const char *name = in->arguments->scenario[i];
        const char *first = in->source[0].plan.scenario[0]->name;
        bool is_there = false;
        for (size_t d = 0; d < in->count; d++) {
            for (uint32_t s = 0; s < in->source[d].plan.scenario_count; s++)
                is_there = is_there || rep_is_named(&in->source[d], s, name);
        }
        const char *nearest = is_there ? NULL : nearest_name(in, name);
        if (!is_there)
            return cli_complain("report: no database has a scenario \"%s\"; expected one such as \"%s\"", name,
                                nearest == NULL ? first : nearest);
    }
    return CLI_OK;
}

int cli_report(const cli_arguments *arguments)
{
    if (arguments->operand_count == 0)
        return cli_complain("report: expected at least one database");
    if (arguments->operand_count > REP_SOURCES_MAX)
        return cli_complain("report: more than %d databases", REP_SOURCES_MAX);
    const cli_format format = format_of(arguments);
    if (arguments->scenario_count > 0 && format != CLI_HTML)
        return cli_complain("report: --scenario is for pages; md, csv and json hold all scenarios");
    if (format == CLI_HTML && arguments->output == NULL && isatty(STDOUT_FILENO) == 1)
        return cli_complain("report: a page of HTML is no use on a terminal; add --output report.html");
    sources in = {0, calloc((size_t)arguments->operand_count, sizeof *in.source), arguments};
    int status = CLI_IO;
    if (in.source == NULL)
        (void)cli_complain("out of memory");
    else
        status = open_sources(arguments, format, &in);
    if (status == CLI_OK)
        status = check_names(&in);
    if (status == CLI_OK)
        status =
            arguments->output == NULL ? write_report(&in, format, stdout) : write_file(&in, format, arguments->output);
    for (size_t i = 0; i < in.count; i++)
        rep_source_close(&in.source[i]);
    free(in.source);
    return status;
}
