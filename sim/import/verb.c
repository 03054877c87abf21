/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import: tables of an account as a scenario, and how well it fits. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/clean.h"
#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/output.h"
#include "cli/work.h"
#include "import/fit.h"
#include "scenario/document.h"

enum { PATH_SIZE = 1024, NAME_SIZE = 63, PARTITIONS = 20, CLIENTS = 4, NEIGHBOURS = 2 };

typedef enum { KIND_TELEMETRY, KIND_PERCENTILES, KIND_HISTOGRAM, KIND_ROUND_TRIPS, KINDS_COUNT } table_kind;

static const char *const KIND_NAMES[KINDS_COUNT] = {"telemetry", "percentiles", "histogram", "round-trips"};

/* All that a command is about. */
typedef struct {
    const cli_arguments *arguments;
    sim_arena *arena;
    imp_account account;
    imp_series series;
    imp_levels levels;
    imp_distances distances;
    bool has_kind[KINDS_COUNT];
    char name[NAME_SIZE + 1];
    char output[PATH_SIZE];
    uint16_t home; /* SIM_CATALOGUE_NONE: not given */
} importer;

/* ---- reading ---- */

static int refuse(const sim_input_error *error)
{
    sim_input_error_print(error, stderr);
    return CLI_USAGE;
}

static const char *unit_of(const importer *self)
{
    return self->arguments->unit == NULL ? "ms" : self->arguments->unit;
}

/* KINDS_COUNT, after a complaint, if the header is none that is known. */
static table_kind kind_of(const importer *self, const imp_csv *csv)
{
    for (int k = 0; self->arguments->kind != NULL && k < KINDS_COUNT; k++) {
        if (strcmp(self->arguments->kind, KIND_NAMES[k]) == 0)
            return (table_kind)k;
    }
    if (imp_is_distances(csv))
        return KIND_ROUND_TRIPS;
    if (imp_is_telemetry(csv))
        return KIND_TELEMETRY;
    if (imp_is_histogram(csv, unit_of(self)))
        return KIND_HISTOGRAM;
    if (imp_is_percentiles(csv, unit_of(self)))
        return KIND_PERCENTILES;
    (void)imp_csv_refuse_header(csv, 0,
                                "a header of telemetry (time,region,operation,requests,errors_503,p50_ms,p99_ms), "
                                "percentiles (operation,p50_ms,p99_ms), a histogram (upper_ms,count) or round trips "
                                "(src,dst,p50_ms)");
    return KINDS_COUNT;
}

/* Columns that nobody asked for may be misspelt. */
static void warn_of_columns(const imp_csv *csv)
{
    const char *between = "";
    for (int i = 0; i < csv->header_count; i++) {
        if (csv->used[i])
            continue;
        if (between[0] == '\0')
            (void)fprintf(stderr, "%s: note: passed over: ", csv->path);
        char name[CLI_CLEAN_MAX + 8];
        (void)snprintf(name, sizeof name, "%s", csv->header[i]);
        imp_make_utf8(name);
        cli_clean(name);
        (void)fprintf(stderr, "%s%s", between, name);
        between = ", ";
    }
    (void)fputs(between[0] == '\0' ? "" : "\n", stderr);
}

static bool read_table(importer *self, imp_csv *csv, table_kind kind)
{
    switch (kind) {
    case KIND_TELEMETRY:
        if (!imp_series_read(csv, self->home, unit_of(self), &self->series))
            return false;
        warn_of_columns(csv);
        self->account.series = &self->series;
        return true;
    case KIND_PERCENTILES:
        return imp_percentiles_read(csv, unit_of(self), self->account.curve);
    case KIND_HISTOGRAM:
        return imp_histogram_read(csv, unit_of(self), self->account.curve);
    case KIND_ROUND_TRIPS:
        self->account.distances = &self->distances;
        return imp_distances_read(csv, unit_of(self), &self->distances);
    case KINDS_COUNT:
        break;
    }
    return false;
}

static int read_file(importer *self, const char *path)
{
    sim_input_error error = {0};
    const char *text;
    size_t length;
    imp_csv csv;
    if (!sim_file_read(self->arena, path, &text, &length, &error) ||
        !imp_csv_open(&csv, self->arena, path, text, length, &error))
        return refuse(&error);
    const table_kind kind = kind_of(self, &csv);
    if (kind == KINDS_COUNT)
        return refuse(&error);
    const bool is_second_curve = (kind == KIND_PERCENTILES && self->has_kind[KIND_HISTOGRAM]) ||
                                 (kind == KIND_HISTOGRAM && self->has_kind[KIND_PERCENTILES]);
    if (self->has_kind[kind] || is_second_curve)
        return cli_complain("import: %s is a second table of %s; expected one at most", path,
                            is_second_curve ? "latencies" : KIND_NAMES[kind]);
    self->has_kind[kind] = true;
    return read_table(self, &csv, kind) ? CLI_OK : refuse(&error);
}

/* ---- the account ---- */

static bool has_region(const imp_account *account, uint16_t region)
{
    for (uint32_t r = 0; r < account->region_count; r++) {
        if (account->region[r] == region)
            return true;
    }
    return false;
}

static bool add_region(imp_account *account, uint16_t region)
{
    if (has_region(account, region))
        return true;
    if (account->region_count == IMP_REGIONS_MAX) {
        (void)cli_complain("import: more than %d regions", IMP_REGIONS_MAX);
        return false;
    }
    account->region[account->region_count++] = region;
    return true;
}

/* A region of the command line; false after a complaint. */
static bool find_region(importer *self, const char *option, const char *name, uint16_t *region)
{
    *region = imp_region_find(name);
    if (*region != SIM_CATALOGUE_NONE)
        return true;
    const size_t count = sim_catalogue_count();
    const char **known = sim_arena_array(self->arena, count, sizeof *known);
    for (size_t i = 0; i < count; i++)
        known[i] = sim_catalogue_name((uint16_t)i);
    const char *nearest = sim_nearest(name, known, count);
    (void)cli_complain("--%s \"%s\": expected a region of Azure, AWS or Google Cloud%s%s%s", option, name,
                       nearest == NULL ? "" : "; did you mean \"", nearest == NULL ? "" : nearest,
                       nearest == NULL ? "" : "\"?");
    return false;
}

static bool add_named(importer *self)
{
    const char *text = self->arguments->regions;
    while (text != NULL && *text != '\0') {
        char name[64];
        uint16_t region;
        const size_t length = strcspn(text, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
        if (!find_region(self, "regions", name, &region) || !add_region(&self->account, region))
            return false;
        text += length + (text[length] == ',');
    }
    return true;
}

/* Nobody named any but home: the nearest regions that the table knows. */
static void add_neighbours(importer *self)
{
    imp_account *account = &self->account;
    while (account->region_count < 1 + NEIGHBOURS) {
        uint16_t nearest = SIM_CATALOGUE_NONE;
        double least = 0;
        for (size_t r = 0; r < self->distances.regions; r++) {
            const double ns = imp_distance(&self->distances, account->region[0], (uint16_t)r);
            bool is_near =
                ns >= 0 && !has_region(account, (uint16_t)r) && (nearest == SIM_CATALOGUE_NONE || ns < least);
            for (uint32_t other = 0; is_near && other < account->region_count; other++)
                is_near = imp_distance(&self->distances, account->region[other], (uint16_t)r) >= 0;
            if (is_near) {
                nearest = (uint16_t)r;
                least = ns;
            }
        }
        if (nearest == SIM_CATALOGUE_NONE)
            return;
        account->region[account->region_count++] = nearest;
    }
}

static int choose_regions(importer *self)
{
    imp_account *account = &self->account;
    if (account->series != NULL) {
        for (uint32_t r = 0; r < self->series.region_count; r++)
            account->region[account->region_count++] = self->series.region[r];
    } else if (self->home != SIM_CATALOGUE_NONE) {
        account->region[account->region_count++] = self->home;
    } else if (account->distances != NULL) {
        account->region[account->region_count++] = self->distances.first;
    } else {
        return cli_complain("import: the tables name no region; expected --home REGION");
    }
    if (!add_named(self))
        return CLI_USAGE;
    if (account->series == NULL && account->distances != NULL && account->region_count == 1)
        add_neighbours(self);
    for (uint32_t a = 0; account->distances != NULL && a < account->region_count; a++) {
        for (uint32_t b = 0; b < a; b++) {
            if (imp_distance(account->distances, account->region[a], account->region[b]) < 0)
                return cli_complain("import: %s has no round trip between %s and %s", account->distances->path,
                                    sim_catalogue_name(account->region[a]), sim_catalogue_name(account->region[b]));
        }
    }
    return CLI_OK;
}

/* Letters, digits, '-' and '_' of a file's name without its folder and what follows the dot; a letter comes first. */
static void make_name(const char *path, char out[NAME_SIZE + 1])
{
    const char *slash = strrchr(path, '/');
    const char *c = slash == NULL ? path : slash + 1;
    size_t used = 0;
    if (!isalpha((unsigned char)*c))
        used = (size_t)snprintf(out, NAME_SIZE + 1, "account-");
    for (; *c != '\0' && *c != '.' && used < NAME_SIZE - 4; c++) { /* room for "-rtt" */
        const bool is_good = isalnum((unsigned char)*c) || *c == '_';
        out[used++] = is_good ? *c : '-';
    }
    out[used] = '\0';
}

static int choose_names(importer *self)
{
    const cli_arguments *arguments = self->arguments;
    struct stat found;
    make_name(arguments->name == NULL ? arguments->operand[0] : arguments->name, self->name);
    if (arguments->name != NULL && strcmp(self->name, arguments->name) != 0)
        return cli_complain("--name \"%s\": expected a letter, then at most %d letters, digits, \"-\" and \"_\"",
                            arguments->name, NAME_SIZE - 5);
    self->account.name = self->name;
    if (arguments->output != NULL)
        (void)snprintf(self->output, sizeof self->output, "%s", arguments->output);
    else
        (void)snprintf(self->output, sizeof self->output, "%s.yaml", self->name);
    const char *const files[] = {self->output, arguments->fit};
    for (int i = 0; i < 2; i++) {
        if (files[i] != NULL && !arguments->force && stat(files[i], &found) == 0 && S_ISREG(found.st_mode))
            return cli_complain("%s exists; expected another --%s, or --force to replace it", files[i],
                                i == 0 ? "output" : "fit");
    }
    return CLI_OK;
}

/* ---- writing ---- */

static void put_distances(void *context, FILE *out)
{
    imp_distances_write(context, out);
}

/* The table of round trips, as data/NAME-rtt.csv beside the scenario. */
static int write_distances(importer *self)
{
    char path[PATH_SIZE + NAME_SIZE + 32];
    struct stat found;
    const char *slash = strrchr(self->output, '/');
    const int folder = slash == NULL ? 0 : (int)(slash - self->output) + 1;
    char *table = sim_arena_alloc(self->arena, NAME_SIZE + 8);
    const size_t length = strlen(self->name);
    const bool says_so = length >= 4 && strcmp(self->name + length - 4, "-rtt") == 0;
    (void)snprintf(table, NAME_SIZE + 8, "%s%s", self->name, says_so ? "" : "-rtt");
    self->account.table = table;
    (void)snprintf(path, sizeof path, "%.*sdata", folder, self->output);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        (void)cli_complain("cannot make the folder %s: %s", path, strerror(errno));
        return CLI_IO;
    }
    (void)snprintf(path, sizeof path, "%.*sdata/%s.csv", folder, self->output, table);
    if (!self->arguments->force && stat(path, &found) == 0)
        return cli_complain("%s exists; expected another --name, or --force to replace it", path);
    return cli_output_write(path, put_distances, &self->distances) ? CLI_OK : CLI_IO;
}

static void put_text(void *context, FILE *out)
{
    (void)fputs(context, out);
}

/* The scenario's text; NULL: no memory. */
static char *make_text(const importer *self)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    imp_account_write(&self->account, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* The text, and the scenario that it is, with the first of the tables of round trips that has all regions. */
static int make_scenario(importer *self, char **text, sim_scenario **scenario)
{
    static const char *const SHIPPED[] = {"azure-rtt", "aws-rtt"};
    const size_t count = self->account.distances != NULL ? 1 : sizeof SHIPPED / sizeof *SHIPPED;
    sim_input_error error = {0};
    for (size_t i = 0; i < count; i++) {
        self->account.table = self->account.distances != NULL ? self->account.table : SHIPPED[i];
        *text = make_text(self);
        if (*text == NULL) {
            (void)cli_complain("out of memory");
            return CLI_IO;
        }
        *scenario = sim_scenario_parse(self->output, *text, strlen(*text), NULL, 0, &error);
        if (*scenario == NULL)
            return refuse(&error);
        sim_world *world = sim_world_create(*scenario, &error);
        sim_world_destroy(world);
        if (world != NULL)
            return CLI_OK;
        sim_scenario_destroy(*scenario);
        free(*text);
        *scenario = NULL;
        *text = NULL;
    }
    if (self->account.distances != NULL)
        return refuse(&error);
    return cli_complain("import: no table azure-rtt or aws-rtt with all regions of the account was found from %s on: "
                        "expected one in data/ or scenarios/data/ there or above, or another among the tables to "
                        "import, with columns src,dst,p50_ms",
                        self->output);
}

static void say_what_was_found(const importer *self)
{
    (void)printf("%s: scenario %s\n", self->output, self->name);
    for (uint32_t r = 0; self->account.series != NULL && r < self->series.region_count; r++) {
        for (int k = 0; k < SIM_KINDS; k++) {
            const imp_line *line = &self->levels.line[r][k];
            if (line->is_there)
                (void)printf("  %s %s: %u healthy periods of %.9g s, p50 %.3f ms, p99 %.3f ms; %u departing, in %u "
                             "levels\n",
                             sim_catalogue_name(self->series.region[r]), imp_kind_name(k), line->healthy_periods,
                             (double)self->series.period / 1e9, line->healthy.p50 / 1e6, line->healthy.p99 / 1e6,
                             line->departing_periods, line->count);
            if (line->is_there && line->healthy_periods == 0)
                (void)fprintf(stderr,
                              "%s: note: no period of %s %s is like the others: their median stands for its "
                              "healthy state\n",
                              self->series.path, sim_catalogue_name(self->series.region[r]), imp_kind_name(k));
        }
    }
}

typedef struct {
    const imp_account *account;
    const imp_fit *fit;
} fit_file;

static void put_fit_csv(void *context, FILE *out)
{
    const fit_file *file = context;
    imp_fit_write_csv(file->account, file->fit, out);
}

static void put_fit_json(void *context, FILE *out)
{
    const fit_file *file = context;
    imp_fit_write_json(file->account, file->fit, out);
}

static void put_fit_page(void *context, FILE *out)
{
    const fit_file *file = context;
    imp_fit_write_page(file->account, file->fit, out);
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path);
    const size_t rest = strlen(ending);
    return length >= rest && strcmp(path + length - rest, ending) == 0;
}

static int show_fit(const importer *self, const sim_scenario *scenario)
{
    imp_fit fit;
    fit_file file = {&self->account, &fit};
    const char *path = self->arguments->fit;
    int status = imp_fit_make(self->arena, &self->account, scenario, &fit);
    if (status == CLI_OK)
        status = imp_fit_print(&self->account, &fit);
    if (status != CLI_OK || path == NULL)
        return status;
    return cli_output_write(path,
                            ends_in(path, ".csv")    ? put_fit_csv
                            : ends_in(path, ".html") ? put_fit_page
                                                     : put_fit_json,
                            &file)
               ? CLI_OK
               : CLI_IO;
}

static int write_and_fit(importer *self)
{
    char *text = NULL;
    sim_scenario *scenario = NULL;
    int status = self->account.distances == NULL ? CLI_OK : write_distances(self);
    if (status == CLI_OK)
        status = make_scenario(self, &text, &scenario);
    if (status == CLI_OK && !cli_output_write(self->output, put_text, text))
        status = CLI_IO;
    if (status == CLI_OK) {
        say_what_was_found(self);
        status = show_fit(self, scenario);
    }
    sim_scenario_destroy(scenario);
    free(text);
    return status;
}

static int import_all(importer *self)
{
    const cli_arguments *arguments = self->arguments;
    int status = CLI_OK;
    if (arguments->home != NULL && !find_region(self, "home", arguments->home, &self->home))
        return CLI_USAGE;
    for (int i = 0; status == CLI_OK && i < arguments->operand_count; i++)
        status = read_file(self, arguments->operand[i]);
    if (status == CLI_OK)
        status = choose_regions(self);
    if (status == CLI_OK)
        status = choose_names(self);
    if (status != CLI_OK)
        return status;
    if (self->account.series != NULL) {
        imp_levels_find(self->arena, &self->series, &self->levels);
        self->account.levels = &self->levels;
    }
    int most;
    const char *excess = imp_account_excess(&self->account, &most);
    if (excess != NULL)
        return cli_complain("import: %s has more than %d %s; expected fewer regions, longer periods or a shorter time",
                            self->series.path, most, excess);
    return write_and_fit(self);
}

int cli_import(const cli_arguments *arguments)
{
    if (arguments->operand_count == 0)
        return cli_complain("import: expected at least one CSV file");
    if (arguments->kind != NULL && arguments->operand_count > 1)
        return cli_complain("import: --kind is about one file, found %d", arguments->operand_count);
    cli_catch_signals();
    importer *self = calloc(1, sizeof *self);
    if (self == NULL) {
        (void)cli_complain("out of memory");
        return CLI_IO;
    }
    self->arguments = arguments;
    self->arena = sim_arena_create();
    self->home = SIM_CATALOGUE_NONE;
    self->account.partitions = arguments->partitions == 0 ? PARTITIONS : arguments->partitions;
    self->account.clients = arguments->clients == 0 ? CLIENTS : arguments->clients;
    const int status = import_all(self);
    sim_arena_destroy(self->arena);
    free(self);
    return status;
}
