/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/memory.h"

#include <unistd.h>

#include "cli/cli.h"
#include "engine/engine.h"

enum { SIZE = 32 };

static void put_bytes(uint64_t bytes, char out[SIZE])
{
    static const char *const UNITS[] = {"MB", "GB", "TB", "PB", "EB"};
    double amount = (double)bytes / 1e6;
    size_t unit = 0;
    for (; amount >= 999.95 && unit + 1 < sizeof UNITS / sizeof *UNITS; unit++)
        amount /= 1000;
    (void)snprintf(out, SIZE, "%.1f %s", amount, UNITS[unit]);
}

uint64_t cli_machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

bool cli_fits_memory(const sim_store_plan *plan, unsigned jobs, uint64_t machine)
{
    const uint32_t runs = plan->scenario_count * plan->policy_count * plan->replications;
    const uint64_t at_a_time = jobs < runs ? jobs : runs;
    for (uint32_t s = 0; machine > 0 && s < plan->scenario_count; s++) {
        const uint64_t one = sim_run_memory_estimate(plan->scenario[s]);
        if (one <= machine / at_a_time)
            continue;
        char needed[SIZE];
        char there[SIZE];
        put_bytes(one, needed);
        put_bytes(machine, there);
        if (one > machine)
            (void)cli_complain("%s: a run may need %s of memory, and this machine has %s; expected fewer clients or "
                               "partitions",
                               plan->scenario[s]->name, needed, there);
        else
            (void)cli_complain("%s: %llu runs at a time may need %s of memory each, and this machine has %s; expected "
                               "--jobs %llu, or fewer clients or partitions",
                               plan->scenario[s]->name, (unsigned long long)at_a_time, needed, there,
                               (unsigned long long)(machine / one));
        return false;
    }
    return true;
}
