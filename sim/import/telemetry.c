/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/series.h"

#define LONGEST_NS 3.6e12 /* of a latency: an hour */

/* How a column of errors counts, and what of. */
typedef struct {
    int column;
    uint32_t status;
    bool is_share;
} error_column;

/* Where things stand in a row. */
typedef struct {
    imp_csv *csv;
    imp_series *out;
    int time, region, operation, load, p50, p99, share, status; /* -1: no such column */
    double time_ns;                                             /* of one unit; 0: ISO 8601 or seconds */
    double load_per_s; /* requests a second of one unit; 0: requests in the period */
    double p50_ns, p99_ns;
    uint32_t error_count;
    error_column error[IMP_STATUSES_MAX];
    uint16_t home;
} reader;

/* A row before its period is known. */
typedef struct {
    int64_t time;
    uint16_t region; /* of the catalogue */
    uint8_t kind;
    double load;
    double share[IMP_STATUSES_MAX]; /* negative: a count, turned round */
    double p50, p99;
    int line;
} row;

const char *imp_kind_name(int kind)
{
    return kind == SIM_KIND_READ ? "read" : "write";
}

/* ---- the header ---- */

static const struct {
    const char *name;
    double ns;
} TIMES[] = {{"time", 0},   {"timestamp", 0},   {"time_s", 1e9}, {"t_s", 1e9},
             {"t_ms", 1e6}, {"time_min", 6e10}, {"minute", 6e10}};

static const struct {
    const char *name;
    double per_s;
} LOADS[] = {{"requests", 0}, {"count", 0}, {"rate", 1}, {"rate_per_s", 1}, {"rate_per_min", 1.0 / 60}};

static int find_time(const imp_csv *csv, double *ns)
{
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES; i++) {
        const int column = imp_csv_find(csv, TIMES[i].name);
        *ns = TIMES[i].ns;
        if (column >= 0)
            return column;
    }
    return -1;
}

static int find_load(const imp_csv *csv, double *per_s)
{
    for (size_t i = 0; i < sizeof LOADS / sizeof *LOADS; i++) {
        const int column = imp_csv_find(csv, LOADS[i].name);
        *per_s = LOADS[i].per_s;
        if (column >= 0)
            return column;
    }
    return -1;
}

bool imp_is_telemetry(const imp_csv *csv)
{
    double unit;
    return find_time(csv, &unit) >= 0 && find_load(csv, &unit) >= 0;
}

static bool is_digits(const char *text, size_t least, size_t most)
{
    const size_t length = strspn(text, "0123456789");
    return length >= least && length <= most;
}

/* "503", "429/3092", "refused", "no_reply": what the errors of a scenario may be. */
static bool is_status(const char *text)
{
    if (strcmp(text, "refused") == 0 || strcmp(text, "no_reply") == 0)
        return true;
    if (!is_digits(text, 3, 3) || (text[0] != '4' && text[0] != '5'))
        return false;
    return text[3] == '\0' ||
           (text[3] == '/' && is_digits(text + 4, 1, 5) && strlen(text + 4) == strspn(text + 4, "0123456789") &&
            strtoul(text + 4, NULL, 10) <= UINT16_MAX);
}

/* The number of a status, taken in if it is new; false if there are too many. */
static bool take_status(imp_series *out, const char *text, uint32_t *number)
{
    for (*number = 0; *number < out->status_count; ++*number) {
        if (strcmp(out->status[*number], text) == 0)
            return true;
    }
    if (out->status_count == IMP_STATUSES_MAX)
        return false;
    (void)snprintf(out->status[out->status_count++], IMP_LABEL_SIZE, "%s", text);
    return true;
}

static bool take_error_column(reader *self, int column)
{
    const char *name = self->csv->header[column];
    const bool is_share = strncmp(name, "error_share_", 12) == 0;
    if (!is_share && strncmp(name, "errors_", 7) != 0)
        return true;
    const char *status = name + (is_share ? 12 : 7);
    error_column *error = &self->error[self->error_count];
    if (!is_status(status))
        return imp_csv_refuse_header(self->csv, column,
                                     "errors_ or error_share_ and a status such as 503, 429/3092, refused or no_reply");
    if (self->error_count == IMP_STATUSES_MAX)
        return imp_csv_refuse_header(self->csv, column, "at most %d columns of errors", IMP_STATUSES_MAX);
    *error = (error_column){.column = column, .is_share = is_share};
    self->error_count++;
    self->csv->used[column] = true;
    return take_status(self->out, status, &error->status);
}

static bool read_header(reader *self, const char *unit)
{
    const imp_csv *csv = self->csv;
    self->time = find_time(csv, &self->time_ns);
    self->load = find_load(csv, &self->load_per_s);
    self->region = imp_csv_find(csv, "region");
    self->operation = imp_csv_find(csv, "operation");
    self->share = imp_csv_find(csv, "error_share");
    self->status = imp_csv_find(csv, "status");
    self->p50 = self->p99 = -1;
    for (int i = 0; i < csv->header_count; i++) {
        if (imp_is_measured(csv->header[i], "p50", unit, &self->p50_ns))
            self->p50 = i;
        else if (imp_is_measured(csv->header[i], "p99", unit, &self->p99_ns))
            self->p99 = i;
        else
            continue;
        csv->used[i] = true;
    }
    for (int i = 0; i < csv->header_count; i++) {
        if (!take_error_column(self, i))
            return false;
    }
    if (self->time < 0 || self->load < 0)
        return imp_csv_refuse_header(csv, 0, "columns time and requests (or rate) in the header");
    if (self->p50 < 0 || self->p99 < 0)
        return imp_csv_refuse_header(csv, 0, "columns p50 and p99 in the header, with their unit, such as p50_ms");
    if ((self->share < 0) != (self->status < 0))
        return imp_csv_refuse_header(csv, self->share < 0 ? self->status : self->share,
                                     "columns error_share and status, both or neither");
    if (self->region < 0 && self->home == SIM_CATALOGUE_NONE)
        return imp_csv_refuse_header(csv, 0, "a column region, or the option --home");
    return true;
}

/* ---- a row ---- */

/* Days from 1970 to a date of the Gregorian calendar (Howard Hinnant's days_from_civil). */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400;
    const int64_t year_of_era = year - era * 400;
    const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

/* "2026-03-01T12:00[:30[.5]][Z|+01:00]", or a blank for the T. */
static bool parse_iso(const char *text, int64_t *ns)
{
    int part[6] = {0}; /* year to seconds */
    int used = 0;
    if (sscanf(text, "%4d-%2d-%2d%*1[T ]%2d:%2d%n", &part[0], &part[1], &part[2], &part[3], &part[4], &used) != 5 ||
        used != 16)
        return false;
    text += used;
    int64_t fraction = 0;
    if (*text == ':') {
        if (!is_digits(text + 1, 2, 2))
            return false;
        part[5] = (text[1] - '0') * 10 + (text[2] - '0');
        text += 3;
        if (*text == '.') {
            int64_t scale = RGN_NS_PER_S;
            if (!is_digits(++text, 1, 9))
                return false;
            for (; *text >= '0' && *text <= '9'; text++)
                fraction += (*text - '0') * (scale /= 10);
        }
    }
    int hours = 0;
    int minutes = 0;
    if (*text == '+' || *text == '-') {
        const int sign = *text == '-' ? -1 : 1;
        if (!is_digits(text + 1, 2, 2) || text[3] != ':' || !is_digits(text + 4, 2, 2))
            return false;
        hours = sign * ((text[1] - '0') * 10 + (text[2] - '0'));
        minutes = sign * ((text[4] - '0') * 10 + (text[5] - '0'));
        text += 6;
    } else if (*text == 'Z') {
        text++;
    }
    const bool is_date =
        part[0] >= 1970 && part[1] >= 1 && part[1] <= 12 && part[2] >= 1 && part[2] <= 31 && part[0] <= 2200;
    if (*text != '\0' || !is_date || part[3] < 0 || part[3] > 23 || part[4] < 0 || part[4] > 59 || part[5] > 59)
        return false;
    const int64_t seconds =
        days_of(part[0], part[1], part[2]) * 86400 + (part[3] - hours) * 3600 + (part[4] - minutes) * 60 + part[5];
    *ns = seconds * RGN_NS_PER_S + fraction;
    return true;
}

static bool read_time(const reader *self, int64_t *time)
{
    const char *text = self->csv->field[self->time].text;
    double number;
    if (self->time_ns == 0 && parse_iso(text, time))
        return true;
    if (self->time_ns == 0 && (text[0] == '\0' || strspn(text, "0123456789.eE+-") != strlen(text)))
        return imp_csv_refuse(self->csv, self->time, "a time such as 2026-03-01T12:00:00Z, or seconds");
    const double unit = self->time_ns == 0 ? 1e9 : self->time_ns;
    if (!imp_csv_number(self->csv, self->time, 0, 8e18 / unit, "a time", &number))
        return false;
    *time = (int64_t)(number * unit + 0.5);
    return true;
}

static bool read_kind(const reader *self, uint8_t *kind)
{
    static const char *const KINDS[] = {"read", "write"};
    *kind = SIM_KIND_READ;
    if (self->operation < 0)
        return true;
    const char *text = self->csv->field[self->operation].text;
    for (int k = 0; k < SIM_KINDS; k++) {
        if (strcmp(text, KINDS[k]) == 0) {
            *kind = (uint8_t)k;
            return true;
        }
    }
    const char *nearest = sim_nearest(text, KINDS, SIM_KINDS);
    return imp_csv_refuse(self->csv, self->operation, "read or write%s%s%s", nearest == NULL ? "" : "; did you mean \"",
                          nearest == NULL ? "" : nearest, nearest == NULL ? "" : "\"?");
}

static bool read_errors(const reader *self, row *out)
{
    for (uint32_t i = 0; i < self->error_count; i++) {
        const error_column *from = &self->error[i];
        double value;
        if (!imp_csv_number(self->csv, from->column, 0, from->is_share ? 1 : 1e12,
                            from->is_share ? "a share of the requests" : "a number of errors", &value))
            return false;
        out->share[from->status] = from->is_share ? value : -value;
    }
    if (self->share < 0)
        return true;
    double share;
    uint32_t status;
    const char *text = self->csv->field[self->status].text;
    if (!imp_csv_number(self->csv, self->share, 0, 1, "a share of the requests", &share))
        return false;
    if (share == 0)
        return true;
    if (!is_status(text))
        return imp_csv_refuse(self->csv, self->status, "a status such as 503, 429/3092, refused or no_reply");
    if (!take_status(self->out, text, &status))
        return imp_csv_refuse(self->csv, self->status, "at most %d statuses", IMP_STATUSES_MAX);
    out->share[status] = share;
    return true;
}

/* A percentile in ns; an empty field of a period without requests is none. */
static bool read_percentile(const reader *self, int column, double unit_ns, double load, double *out)
{
    *out = 0;
    if (load == 0 && self->csv->field[column].text[0] == '\0')
        return true;
    if (!imp_csv_number(self->csv, column, 0, LONGEST_NS / unit_ns, "a latency", out))
        return false;
    *out *= unit_ns;
    return true;
}

static bool read_row(const reader *self, row *out)
{
    *out = (row){.region = self->home, .line = self->csv->line};
    if (!read_time(self, &out->time) || !read_kind(self, &out->kind) ||
        (self->region >= 0 && !imp_csv_region(self->csv, self->region, &out->region)) ||
        !imp_csv_number(self->csv, self->load, 0, 1e12, "requests", &out->load) ||
        !read_percentile(self, self->p50, self->p50_ns, out->load, &out->p50) ||
        !read_percentile(self, self->p99, self->p99_ns, out->load, &out->p99) || !read_errors(self, out))
        return false;
    if (out->p99 < out->p50)
        return imp_csv_refuse(self->csv, self->p99, "a p99 that is not below the p50");
    return true;
}

/* ---- the grid ---- */

static int compare_times(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a;
    const int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static bool refuse_line(const reader *self, int line, const char *message)
{
    sim_input_error *error = self->csv->error;
    *error = (sim_input_error){.line = line, .column = 1};
    (void)snprintf(error->path, sizeof error->path, "%s", self->csv->path);
    (void)snprintf(error->message, sizeof error->message, "%s", message);
    return false;
}

/* The period is the least distance of two times, and every time lies on its grid. */
static bool find_period(const reader *self, const row *rows, size_t count, int64_t *first)
{
    int64_t *time = sim_arena_array(self->csv->arena, count, sizeof *time);
    int64_t period = 0;
    char message[200];
    for (size_t i = 0; i < count; i++)
        time[i] = rows[i].time;
    qsort(time, count, sizeof *time, compare_times);
    for (size_t i = 1; i < count; i++) {
        const int64_t gap = time[i] - time[i - 1];
        if (gap > 0 && (period == 0 || gap < period))
            period = gap;
    }
    if (period == 0)
        return refuse_line(self, rows[0].line, "all rows have the same time, expected at least two periods");
    if (period < RGN_NS_PER_S)
        return refuse_line(self, rows[0].line, "two times are less than a second apart, expected a row a minute or so");
    *first = time[0];
    for (size_t i = 0; i < count; i++) {
        if ((rows[i].time - *first) % period == 0)
            continue;
        (void)snprintf(message, sizeof message,
                       "the time lies between two periods of %.9g s from the first time on, expected one of them",
                       (double)period / 1e9);
        return refuse_line(self, rows[i].line, message);
    }
    if ((time[count - 1] - *first) / period >= IMP_PERIODS_MAX) {
        (void)snprintf(message, sizeof message, "the rows span more than %d periods of %.9g s, expected fewer",
                       IMP_PERIODS_MAX, (double)period / 1e9);
        return refuse_line(self, rows[0].line, message);
    }
    self->out->period = period;
    self->out->periods = (uint32_t)((time[count - 1] - *first) / period) + 1;
    return true;
}

/* Regions in the order of their requests, home first. */
static bool order_regions(const reader *self, const row *rows, size_t count)
{
    imp_series *out = self->out;
    const size_t known = sim_catalogue_count();
    double *load = sim_arena_array(self->csv->arena, known, sizeof *load);
    bool *is_there = sim_arena_array(self->csv->arena, known, sizeof *is_there);
    for (size_t i = 0; i < count; i++) {
        load[rows[i].region] += rows[i].load;
        is_there[rows[i].region] = true;
    }
    if (self->home != SIM_CATALOGUE_NONE && !is_there[self->home])
        return refuse_line(self, rows[0].line, "no row is about the region that --home names, expected one");
    for (;;) {
        uint16_t best = SIM_CATALOGUE_NONE;
        for (size_t r = 0; r < known; r++) {
            if (is_there[r] &&
                (best == SIM_CATALOGUE_NONE || r == self->home || (best != self->home && load[r] > load[best])))
                best = (uint16_t)r;
        }
        if (best == SIM_CATALOGUE_NONE)
            return true;
        if (out->region_count == IMP_REGIONS_MAX)
            return refuse_line(self, rows[0].line, "there are more than 32 regions, expected fewer");
        is_there[best] = false;
        out->region[out->region_count++] = best;
    }
}

/* What of a row is not yet in its cell. A further row of a cell may tell of a further status. */
static bool fill_cell(const reader *self, const row *from, imp_cell *cell)
{
    char message[120];
    const double requests =
        self->load_per_s == 0 ? from->load : from->load * self->load_per_s * ((double)self->out->period / 1e9);
    bool is_more = cell->line == 0;
    double errors = 0;
    for (uint32_t s = 0; s < self->out->status_count; s++) {
        if (from->share[s] != 0 && cell->errors[s] == 0) {
            cell->errors[s] = from->share[s] < 0 ? -from->share[s] : from->share[s] * requests;
            is_more = is_more || self->status >= 0;
        }
        errors += cell->errors[s];
    }
    if (!is_more) {
        (void)snprintf(message, sizeof message,
                       "line %d tells of the same time, region and operation, expected one row for each", cell->line);
        return refuse_line(self, from->line, message);
    }
    if (errors > requests * (1 + 1e-9)) {
        (void)snprintf(message, sizeof message, "found %.9g errors of %.9g requests, expected no more than all", errors,
                       requests);
        return refuse_line(self, from->line, message);
    }
    cell->requests = requests;
    cell->p50 = from->p50;
    cell->p99 = from->p99;
    cell->line = from->line;
    return true;
}

static bool fill(const reader *self, const row *rows, size_t count, int64_t first)
{
    imp_series *out = self->out;
    out->cell =
        sim_arena_array(self->csv->arena, (size_t)out->periods * out->region_count * SIM_KINDS, sizeof *out->cell);
    double all = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t region = 0;
        while (out->region[region] != rows[i].region)
            region++;
        const uint32_t period = (uint32_t)((rows[i].time - first) / out->period);
        if (!fill_cell(self, &rows[i], imp_cell_at(out, period, region, rows[i].kind)))
            return false;
        out->has_kind[rows[i].kind] = true;
        all += rows[i].load;
    }
    return all > 0 || refuse_line(self, rows[0].line, "there is not one request, expected some");
}

bool imp_series_read(imp_csv *csv, uint16_t home, const char *unit, imp_series *out)
{
    *out = (imp_series){.path = csv->path};
    reader self = {.csv = csv, .out = out, .home = home};
    if (!read_header(&self, unit))
        return false;
    size_t room = 1;
    for (const char *c = csv->rest; c < csv->end; c++)
        room += *c == '\n';
    row *rows = sim_arena_array(csv->arena, room, sizeof *rows);
    size_t count = 0;
    int64_t first = 0;
    for (; imp_csv_next(csv); count++) {
        if (!read_row(&self, &rows[count]))
            return false;
    }
    if (csv->error->message[0] != '\0')
        return false;
    if (count == 0)
        return refuse_line(&self, csv->line, "the table has no rows, expected at least two periods");
    return find_period(&self, rows, count, &first) && order_regions(&self, rows, count) &&
           fill(&self, rows, count, first);
}
