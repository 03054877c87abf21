/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The HTML page, section by section.
 *
 * Every chart is drawn from a table of the page, so a reader without scripts, a screen reader and a test see the same
 * numbers as the eye. A chart is a <figure data-chart=KIND>; its tables are inside, and reports/page/charts.js knows
 * the kinds. Tables that hold one policy carry data-p, its number in the scenario's key.
 *
 * A policy keeps its colour throughout the page: colours are given by name, in order of first appearance. */
#ifndef SIM_REPORT_PAGE_H
#define SIM_REPORT_PAGE_H

#include "report/html.h"
#include "report/source.h"

enum { REP_SOURCES_MAX = 64, REP_NAMES_MAX = REP_SOURCES_MAX * CLI_POLICIES_MAX };

typedef struct {
    const rep_source *source;
    size_t count;
    FILE *out;
    size_t policy_count; /* of all sources, by name */
    const char *policy[REP_NAMES_MAX];
    size_t scenario_count;   /* sections: scenarios of all sources, of sweeps their files */
    size_t tune_count;       /* searches, whose sections come before these */
    size_t compared_count;   /* of these, those that set policies side by side */
    const char *const *only; /* names of scenarios to show; none: all */
    size_t only_count;
    bool is_brief;         /* many scenarios: each has its answer, its verdicts and a coarse time line */
    size_t time_points;    /* at most so many points of a time line, so that the page stays small */
    size_t lane_rows;      /* about so many spans of lanes in a scenario */
    sim_store_error error; /* the first one; everything after it is dropped */
} rep_page;

/* One scenario of one source. */
typedef struct {
    rep_page *page;
    const rep_source *source;
    uint32_t scenario; /* of the source, from 0; of a sweep, the first one of its file */
    size_t number;     /* on the page, from 1 */
    FILE *out;
} rep_section;

/* Writes the page, of the scenarios named in `only` if any are. False with `*error`: a table could not be read. */
bool rep_page_write(const rep_source *source, size_t count, const char *const *only, size_t only_count, FILE *out,
                    sim_store_error *error);

/* Whether `only` names the source's scenario, or the one that a sweep has made it from. */
bool rep_is_named(const rep_source *source, uint32_t scenario, const char *name);

/* Whether the page shows it. */
bool rep_is_shown(const rep_page *page, const rep_source *source, uint32_t scenario);

static inline const sim_scenario *rep_scenario(const rep_section *section)
{
    return section->source->plan.scenario[section->scenario];
}

static inline uint32_t rep_policies(const rep_section *section)
{
    return section->source->plan.policy_count;
}

static inline const char *rep_policy_name(const rep_section *section, uint32_t policy)
{
    return section->source->plan.policy[policy]->name;
}

/* Colour of a policy of that name on this page, from 0. */
size_t rep_colour(const rep_page *page, const char *policy);

/* faults.c: when each fault is on, as a hidden list that charts shade by. */
void rep_put_faults(const rep_section *section);

/* answer.c: the answer in words, the key of colours, expectations; a table over all scenarios. */
void rep_put_answer(const rep_section *section);
void rep_put_expectations(const rep_section *section);
void rep_put_heading(const rep_page *page);
void rep_put_overview(const rep_page *page);

/* One item of the key; `note` is HTML. */
void rep_key_item(const rep_section *section, const char *policy, const char *about, const char *note);

/* sweep.c: in place of all that sets policies side by side; the scenario's name before the sweep changed it. */
void rep_put_sweep(const rep_section *section);
void rep_put_sweep_name(const rep_section *section);

/* tune.c: a section of its own for the search that led to the plan. */
void rep_put_tune(const rep_section *section);

/* numbers.c: objectives, values and comparisons. */
void rep_put_objectives(const rep_section *section);
void rep_put_values(const rep_section *section);
void rep_put_comparisons(const rep_section *section);

/* Regions of the section's scenario, in account order. */
typedef struct {
    size_t count;
    int64_t number[RGN_REGIONS_MAX];
    char *name[RGN_REGIONS_MAX];
} rep_regions;

/* regions.c: those with rows in `table`, of intervals by region, for which `condition` (on `i`) holds. */
rep_regions rep_find_regions(const rep_section *section, const char *table, const char *condition);

/* Figures. Each opens with rep_figure_open() and ends with rep_figure_close(). */
void rep_put_tail(const rep_section *section);   /* tail.c: latency percentiles */
void rep_put_series(const rep_section *section); /* series.c: the time line, and ... */
void rep_put_regions(const rep_section *section, int64_t length, int64_t together);  /* regions.c: ... what arrives */
void rep_put_stations(const rep_section *section, int64_t length, int64_t together); /* stations.c: what limits do */
void rep_put_lanes(const rep_section *section);   /* lanes.c: states of a few partitions */
void rep_put_phases(const rep_section *section);  /* breakdown.c: flaps and blast radius, phase by phase */
void rep_put_clients(const rep_section *section); /* breakdown.c: client by client */

/* A page's beginning and end, and a figure in it, for pages of other stages; as below. */
void rep_frame_open(FILE *out, const char *title);
void rep_frame_close(FILE *out);
void rep_figure_begin(FILE *out, const char *chart, const char *title, const char *note);
void rep_figure_end(FILE *out);

/* `title` and `note` are HTML. The tables that follow are folded away on screens. */
void rep_figure_open(const rep_section *section, const char *chart, const char *title, const char *note);
void rep_figure_close(const rep_section *section);

/* A table of one policy, with the id sN-WHAT-POLICY, its name as caption. */
void rep_policy_table_open(const rep_section *section, const char *what, uint32_t policy, const char *const *heading,
                           size_t count);

/* origin.c: scenario and policy texts, digests, seeds, versions, the command; the meanings of all metrics. */
void rep_put_origin(rep_page *page);
void rep_put_dictionary(FILE *out);

#endif
