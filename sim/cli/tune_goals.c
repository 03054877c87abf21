/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objectives and constraints as people write them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/tune.h"

enum { NAME_SIZE = 128 };

static const sim_metric_id USUAL[] = {
    SIM_METRIC_away_healthy_s, SIM_METRIC_home_unhealthy_s,    SIM_METRIC_flap_count,
    SIM_METRIC_latency_p99,    SIM_METRIC_canary_blast_radius,
};

static const char USUAL_LOSS_LIMIT[] = "10 %";

static bool find_metric(const char *name, sim_metric_id *metric)
{
    const char *names[SIM_METRIC_COUNT];
    *metric = sim_metric_find(name);
    if (*metric != SIM_METRIC_COUNT)
        return true;
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++)
        names[i] = sim_metric_at((sim_metric_id)i)->name;
    (void)cli_complain_of_word("metric", name, names, SIM_METRIC_COUNT);
    return false;
}

static bool refuse(const char *option, const char *text, const char *expected)
{
    (void)cli_complain("--%s \"%s\": expected %s", option, text, expected);
    return false;
}

/* Cuts what is behind `mark` off the text; NULL: it has none. */
static char *cut(char *text, char mark)
{
    char *at = strchr(text, mark);
    if (at != NULL)
        *at++ = '\0';
    return at;
}

static bool read_direction(const char *whole, const char *direction, sim_metric_id metric, bool *is_higher_better)
{
    const sim_better better = sim_metric_at(metric)->better;
    *is_higher_better = better == SIM_HIGHER_IS_BETTER;
    if (direction == NULL)
        return better != SIM_NEITHER ||
               refuse("objective", whole, "a direction, /min or /max: it is better neither way");
    if (better != SIM_NEITHER)
        return refuse("objective", whole,
                      *is_higher_better ? "no direction: higher is better" : "no direction: lower is better");
    *is_higher_better = strcmp(direction, "max") == 0;
    return *is_higher_better || strcmp(direction, "min") == 0 || refuse("objective", whole, "/min or /max");
}

static bool read_weight(const char *whole, const char *text, double *weight)
{
    char *end = NULL;
    *weight = text == NULL ? 1 : strtod(text, &end);
    const bool ok = text == NULL || (*text >= '0' && *text <= '9' && *end == '\0');
    return (ok && *weight > 0 && *weight <= 1e6) ||
           refuse("objective", whole, "a weight above 0 and at most 1000000, such as away_healthy_s:2");
}

static bool is_taken(const cli_goals *goals, sim_metric_id metric)
{
    bool found = false;
    for (size_t i = 0; i < goals->objective_count; i++)
        found = found || goals->metric[i] == metric;
    return found;
}

static bool read_objective(cli_goals *goals, const char *text)
{
    char name[NAME_SIZE];
    const size_t o = goals->objective_count;
    if (strlen(text) >= sizeof name)
        return refuse("objective", text, "METRIC[:WEIGHT][/DIRECTION]");
    (void)snprintf(name, sizeof name, "%s", text);
    const char *direction = cut(name, '/');
    const char *weight = cut(name, ':');
    if (!find_metric(name, &goals->metric[o]) || !read_weight(text, weight, &goals->weight[o]) ||
        !read_direction(text, direction, goals->metric[o], &goals->is_higher_better[o]))
        return false;
    if (is_taken(goals, goals->metric[o]))
        return refuse("objective", text, "each metric once");
    goals->objective_count++;
    return true;
}

static bool read_limit(const char *text, const char *unit, double *limit)
{
    int64_t ns = 0;
    uint32_t ppb = 0;
    char *end = NULL;
    if (strcmp(unit, "ns") == 0) {
        const bool ok = sim_parse_duration(text, &ns);
        *limit = (double)ns;
        return ok;
    }
    if (strcmp(unit, "share") == 0) {
        const bool ok = sim_parse_share(text, &ppb);
        *limit = (double)ppb / 1e9;
        return ok;
    }
    *limit = strtod(text, &end);
    return *text >= '0' && *text <= '9' && *end == '\0' && isfinite(*limit);
}

static bool read_constraint(cli_goals *goals, const char *text)
{
    char name[NAME_SIZE];
    const size_t c = goals->constraint_count;
    sim_search_constraint *constraint = &goals->constraint[c];
    sim_metric_id *metric = &goals->metric[goals->objective_count + c];
    const size_t length = strcspn(text, "<> ");
    const char *sign = text + length + strspn(text + length, " ");
    constraint->is_at_least = *sign == '>';
    if (length >= sizeof name || (*sign != '>' && *sign != '<') || sign[1] != '=')
        return refuse("constraint", text, "METRIC>=VALUE or METRIC<=VALUE");
    (void)snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (!find_metric(name, metric))
        return false;
    const char *unit = sim_metric_at(*metric)->unit;
    const char *value = sign + 2 + strspn(sign + 2, " ");
    if (!read_limit(value, unit, &constraint->limit))
        return refuse("constraint", text,
                      strcmp(unit, "ns") == 0      ? "a duration such as 50 ms behind the sign"
                      : strcmp(unit, "share") == 0 ? "a share from 0 % to 100 % behind the sign"
                                                   : "a number behind the sign");
    goals->constraint_count++;
    return true;
}

static bool read_loss_limit(cli_goals *goals, const char *text)
{
    uint32_t ppb = 0;
    goals->loss_limit = (double)INFINITY;
    if (strcmp(text, "off") == 0)
        return true;
    if (!sim_parse_share(text, &ppb))
        return refuse("loss-limit", text, "a share such as 10 %, or off");
    goals->loss_limit = (double)ppb / 1e9;
    return true;
}

bool cli_goals_read(cli_goals *goals, const cli_arguments *arguments)
{
    bool ok = true;
    *goals = (cli_goals){0};
    for (size_t i = 0; ok && i < arguments->objective_count; i++)
        ok = read_objective(goals, arguments->objective[i]);
    for (size_t i = 0; arguments->objective_count == 0 && i < sizeof USUAL / sizeof *USUAL; i++)
        ok = ok && read_objective(goals, sim_metric_at(USUAL[i])->name);
    for (size_t i = 0; ok && i < arguments->constraint_count; i++)
        ok = read_constraint(goals, arguments->constraint[i]);
    return ok && read_loss_limit(goals, arguments->loss_limit == NULL ? USUAL_LOSS_LIMIT : arguments->loss_limit);
}
