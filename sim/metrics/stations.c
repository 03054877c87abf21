/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What regions with limits bore, by phases and by rows of the time series: sums of the pieces of time that neither
 * cuts. */
#include "metrics/internal.h"

#include <stdlib.h>

static void add_row(sim_station_row *into, const sim_station_row *from)
{
    into->busy_ns += from->busy_ns;
    into->arrivals += from->arrivals;
    into->turned_away += from->turned_away;
    into->throttled += from->throttled;
    if (from->waiting_peak > into->waiting_peak)
        into->waiting_peak = from->waiting_peak;
}

static sim_station_row sum_of(const sim_station_load *load, uint32_t region, int64_t from, int64_t until)
{
    sim_station_row sum = {0};
    for (size_t piece = 0; piece < load->pieces; piece++)
        if (load->start[piece] >= from && load->start[piece] < until)
            add_row(&sum, &load->row[piece * load->regions + region]);
    return sum;
}

double sim_station_utilisation(const sim_scenario *scenario, uint32_t region, uint64_t busy_ns, int64_t length)
{
    const sim_capacity *capacity = &scenario->capacity[region];
    const double stations = capacity->per_partition ? (double)scenario->partition_count : 1;
    const double all = (double)capacity->servers * stations * (double)length;
    return all > 0 ? (double)busy_ns / all : -1;
}

simi_bearing simi_station_bearing(const sim_scenario *scenario, const sim_station_load *load, int64_t from,
                                  int64_t until)
{
    simi_bearing all = {.utilisation = -1};
    for (uint32_t region = 0; region < load->regions && load->pieces > 0; region++) {
        const sim_station_row sum = sum_of(load, region, from, until);
        const double share = sim_station_utilisation(scenario, region, sum.busy_ns, until - from);
        add_row(&all.sum, &sum);
        if (share > all.utilisation)
            all.utilisation = share;
    }
    return all;
}

bool simi_station_rows(sim_metrics *m, const sim_station_load *load)
{
    if (load->pieces == 0)
        return true;
    m->station_row = calloc(m->interval_count * load->regions, sizeof *m->station_row);
    if (m->station_row == NULL)
        return false;
    for (size_t piece = 0; piece < load->pieces; piece++) {
        const size_t row = (size_t)(load->start[piece] / m->scenario->interval);
        for (uint32_t region = 0; region < load->regions; region++)
            add_row(&m->station_row[row * load->regions + region], &load->row[piece * load->regions + region]);
    }
    return true;
}
