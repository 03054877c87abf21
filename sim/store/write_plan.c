/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that are known before the first run. */
#include <string.h>

#include "store/rows.h"

static void digest_text(const char *text, char out[33])
{
    sim_digest digest = sim_digest_start();
    sim_digest_add_bytes(&digest, text, strlen(text));
    sim_digest_format(&digest, out);
}

static bool write_experiment(sqlite3 *db, const sim_store_plan *plan)
{
    sim_digest inputs = sim_digest_start();
    sim_digest_add(&inputs, plan->seed, plan->replications, plan->scenario_count, plan->policy_count);
    for (uint32_t i = 0; i < plan->scenario_count * plan->policy_count; i++)
        sim_digest_add_bytes(&inputs, plan->pair[i].input_digest, 32);
    char digest[33];
    sim_digest_format(&inputs, digest);

    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO experiment VALUES (?,?,?,?,?,?,?,?,?,?)");
    sim_rows_int(&rows, 1);
    sim_rows_text(&rows, REGIONSIM_VERSION);
    sim_rows_int(&rows, SIM_DRAW_VERSION);
    sim_rows_int(&rows, SIM_STORE_STREAM_VERSION);
    sim_rows_int(&rows, SIM_METRIC_VERSION);
    sim_rows_int(&rows, (int64_t)plan->seed);
    sim_rows_int(&rows, plan->replications);
    sim_rows_int(&rows, plan->scenario_count);
    sim_rows_int(&rows, plan->policy_count);
    sim_rows_text(&rows, digest);
    sim_rows_next(&rows);
    return sim_rows_close(&rows);
}

static bool write_metric_definitions(sqlite3 *db)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO metric_definition VALUES (?,?,?,?,?,?)");
    for (int i = 0; i < (int)SIM_METRIC_COUNT; i++) {
        const sim_metric_definition *definition = sim_metric_at((sim_metric_id)i);
        sim_rows_text(&rows, definition->name);
        sim_rows_int(&rows, i);
        sim_rows_text(&rows, definition->unit);
        sim_rows_int(&rows, definition->better);
        sim_rows_int(&rows, definition->margin_ppm);
        sim_rows_text(&rows, definition->meaning);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static bool write_regions(sqlite3 *db, uint32_t id, const sim_scenario *scenario)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO region VALUES (?,?,?,?)");
    const rgn_region_set writable = rgn_region_list_set(&scenario->writable);
    for (uint32_t r = 0; r < scenario->region_count; r++) {
        sim_rows_int(&rows, id);
        sim_rows_int(&rows, r);
        sim_rows_text(&rows, scenario->region_name[r]);
        sim_rows_int(&rows, rgn_region_in(writable, (rgn_region)r));
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static bool write_phases(sqlite3 *db, uint32_t id, const sim_scenario *scenario)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO phase VALUES (?,?,?,?,?)");
    for (uint32_t i = 0; i <= scenario->phase_count; i++) {
        const bool is_all = i == 0;
        const bool is_last = is_all || i == scenario->phase_count;
        sim_rows_int(&rows, id);
        sim_rows_int(&rows, i);
        sim_rows_text(&rows, is_all ? "all" : scenario->phase[i - 1].name);
        sim_rows_int(&rows, is_all ? 0 : scenario->phase[i - 1].start);
        sim_rows_int(&rows, is_last ? scenario->duration : scenario->phase[i].start);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static bool write_scenarios(sqlite3 *db, const sim_store_plan *plan)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO scenario VALUES (?,?,?,?,?,?,?,?,?,?)");
    for (uint32_t i = 0; i < plan->scenario_count; i++) {
        const sim_scenario *scenario = plan->scenario[i];
        char digest[33];
        digest_text(scenario->canonical, digest);
        sim_rows_int(&rows, i + 1);
        sim_rows_text(&rows, scenario->name);
        sim_rows_text(&rows, scenario->about);
        sim_rows_text(&rows, digest);
        sim_rows_int(&rows, scenario->duration);
        sim_rows_int(&rows, scenario->client_count);
        sim_rows_int(&rows, scenario->partition_count);
        sim_rows_text(&rows, plan->notes[i]);
        sim_rows_text(&rows, scenario->canonical);
        sim_rows_text(&rows, scenario->text);
        sim_rows_next(&rows);
    }
    bool ok = sim_rows_close(&rows);
    for (uint32_t i = 0; ok && i < plan->scenario_count; i++)
        ok = write_regions(db, i + 1, plan->scenario[i]) && write_phases(db, i + 1, plan->scenario[i]);
    return ok;
}

static bool write_policies(sqlite3 *db, const sim_store_plan *plan)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO policy VALUES (?,?,?,?,?,?)");
    for (uint32_t i = 0; i < plan->policy_count; i++) {
        const sim_policy *policy = plan->policy[i];
        char digest[33];
        digest_text(policy->canonical, digest);
        sim_rows_int(&rows, i + 1);
        sim_rows_text(&rows, policy->name);
        sim_rows_text(&rows, policy->about);
        sim_rows_text(&rows, digest);
        sim_rows_text(&rows, policy->canonical);
        sim_rows_text(&rows, policy->text);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static void add_options(sim_rows *rows, uint32_t scenario, uint32_t policy, const char *workload,
                        const rgn_effective_options *options)
{
    for (int i = 0; i < (int)RGN_KNOB_COUNT; i++) {
        const rgn_knob_id knob = (rgn_knob_id)i;
        const int64_t value = rgn_options_get(&options->values, knob);
        char text[64];
        sim_format_knob(knob, value, text, sizeof text);
        sim_rows_int(rows, scenario + 1);
        sim_rows_int(rows, policy + 1);
        sim_rows_text(rows, workload);
        sim_rows_text(rows, rgn_knob_at(knob)->name);
        sim_rows_int(rows, value);
        sim_rows_text(rows, text);
        sim_rows_text(rows, rgn_layer_name((rgn_layer)options->origin[i]));
        sim_rows_next(rows);
    }
}

static bool write_options(sqlite3 *db, const sim_store_plan *plan)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO option VALUES (?,?,?,?,?,?,?)");
    for (uint32_t s = 0; s < plan->scenario_count; s++) {
        for (uint32_t p = 0; p < plan->policy_count; p++) {
            const sim_store_pair *pair = &plan->pair[s * plan->policy_count + p];
            add_options(&rows, s, p, "", pair->clients);
            for (uint32_t w = 0; w < plan->scenario[s]->workload_count; w++)
                add_options(&rows, s, p, plan->scenario[s]->workload[w].name, &pair->workloads[w]);
        }
    }
    return sim_rows_close(&rows);
}

static bool write_sweep_points(sqlite3 *db, const sim_store_sweep *sweep)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO sweep_point VALUES (?,?,?,?,?)");
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        const sim_store_sweep_point *point = &sweep->point[i];
        const int64_t id = (int64_t)point->index + 1;
        sim_rows_int(&rows, (int64_t)i + 1);
        sim_rows_int_unless(&rows, point->is_scenario ? 0 : id, 0);
        sim_rows_int_unless(&rows, point->is_scenario ? id : 0, 0);
        sim_rows_text(&rows, point->base);
        sim_rows_int(&rows, point->number);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static bool write_sweep_values(sqlite3 *db, const sim_store_sweep *sweep)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO sweep_value VALUES (?,?,?,?)");
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        for (uint32_t k = 0; k < sweep->point[i].value_count; k++) {
            const sim_store_sweep_value *value = &sweep->point[i].value[k];
            sim_rows_int(&rows, (int64_t)i + 1);
            sim_rows_text(&rows, value->key);
            sim_rows_text(&rows, value->text);
            if (value->has_number)
                sim_rows_real(&rows, value->number);
            else
                sim_rows_null(&rows);
            sim_rows_next(&rows);
        }
    }
    return sim_rows_close(&rows);
}

static bool write_sweep(sqlite3 *db, const sim_store_plan *plan)
{
    return plan->sweep == NULL || (write_sweep_points(db, plan->sweep) && write_sweep_values(db, plan->sweep));
}

static bool write_planned_runs(sqlite3 *db, const sim_store_plan *plan)
{
    sim_rows rows;
    sim_rows_open(&rows, db,
                  "INSERT INTO run (id, scenario_id, policy_id, replication, seed, state, input_digest)"
                  " VALUES (?,?,?,?,?,'planned',?)");
    for (uint32_t s = 0; s < plan->scenario_count; s++) {
        for (uint32_t p = 0; p < plan->policy_count; p++) {
            for (uint32_t r = 0; r < plan->replications; r++) {
                sim_rows_int(&rows, sim_store_run_id(plan, s, p, r));
                sim_rows_int(&rows, s + 1);
                sim_rows_int(&rows, p + 1);
                sim_rows_int(&rows, r);
                sim_rows_int(&rows, (int64_t)plan->seed);
                sim_rows_text(&rows, plan->pair[s * plan->policy_count + p].input_digest);
                sim_rows_next(&rows);
            }
        }
    }
    return sim_rows_close(&rows);
}

bool sim_store_write_plan(sqlite3 *db, const sim_store_plan *plan)
{
    return write_experiment(db, plan) && write_metric_definitions(db) && write_scenarios(db, plan) &&
           write_policies(db, plan) && write_options(db, plan) && write_sweep(db, plan) && write_planned_runs(db, plan);
}
