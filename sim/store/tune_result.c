/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows from the runs of a search: written anew as a whole. */
#include "store/rows.h"
#include "store/tune.h"

static bool write_objectives(sqlite3 *db, const sim_tune_result *result)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO tune_objective VALUES (?,?,?,?,?)");
    for (size_t i = 0; i < result->objective_count; i++) {
        const sim_tune_objective *one = &result->objective[i];
        sim_rows_int(&rows, (int64_t)i + 1);
        sim_rows_text(&rows, sim_metric_at(one->metric)->name);
        sim_rows_int(&rows, one->better);
        sim_rows_real(&rows, one->weight);
        sim_rows_real(&rows, one->margin);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static bool write_points(sqlite3 *db, const sim_tune_result *result)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO tune_point VALUES (?,?,?,?,?,?,?,?)");
    for (size_t i = 0; i < result->point_count; i++) {
        const sim_tune_point *one = &result->point[i];
        sim_rows_int(&rows, (int64_t)i);
        sim_rows_int_unless(&rows, one->policy, 0);
        sim_rows_text(&rows, one->origin);
        sim_rows_int(&rows, one->round);
        sim_rows_int_unless(&rows, one->parent, -1);
        sim_rows_int(&rows, one->replications);
        sim_rows_text(&rows, one->standing);
        sim_rows_int_unless(&rows, one->against, -1);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static bool write_values(sqlite3 *db, const sim_tune_result *result)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO tune_value VALUES (?,?,?,?)");
    for (size_t i = 0; i < result->point_count * result->axis_count; i++) {
        const sim_tune_value *one = &result->point[i / result->axis_count].value[i % result->axis_count];
        sim_rows_int(&rows, (int64_t)(i / result->axis_count));
        sim_rows_text(&rows, one->key);
        sim_rows_text(&rows, one->text);
        sim_rows_int(&rows, one->number);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static bool write_gains(sqlite3 *db, const sim_tune_result *result)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO tune_gain VALUES (?,?,?,?,?,?)");
    for (size_t i = 0; i < result->gain_count; i++) {
        const sim_tune_gain *one = &result->gain[i];
        sim_rows_int(&rows, one->point);
        sim_rows_int(&rows, one->scenario);
        sim_rows_text(&rows, sim_metric_at(one->metric)->name);
        sim_rows_real(&rows, one->gain);
        sim_rows_real(&rows, one->low);
        sim_rows_real(&rows, one->high);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static bool write_effects(sqlite3 *db, const sim_tune_result *result)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO tune_sensitivity VALUES (?,?,?,?,?,?,?)");
    for (size_t i = 0; i < result->effect_count; i++) {
        const sim_tune_effect *one = &result->effect[i];
        sim_rows_text(&rows, one->key);
        sim_rows_text(&rows, one->value);
        sim_rows_int(&rows, one->scenario);
        sim_rows_text(&rows, sim_metric_at(one->metric)->name);
        sim_rows_real(&rows, one->effect);
        sim_rows_real(&rows, one->low);
        sim_rows_real(&rows, one->high);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static void put_real_if(sim_rows *rows, bool is_there, double value)
{
    if (is_there)
        sim_rows_real(rows, value);
    else
        sim_rows_null(rows);
}

static bool write_confirmations(sqlite3 *db, const sim_tune_result *result)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "INSERT INTO tune_confirmation VALUES (?,?,?,?,?,?,?,?,?,?)");
    for (size_t i = 0; i < result->confirmation_count; i++) {
        const sim_tune_confirmation *one = &result->confirmation[i];
        sim_rows_text(&rows, one->scenarios);
        sim_rows_text(&rows, sim_metric_at(one->metric)->name);
        put_real_if(&rows, one->has_gain, one->gain);
        put_real_if(&rows, one->has_interval, one->low);
        put_real_if(&rows, one->has_interval, one->high);
        sim_rows_real(&rows, one->margin);
        sim_rows_real(&rows, one->p);
        sim_rows_text(&rows, one->verdict);
        sim_rows_int_unless(&rows, one->has_gain ? one->worst : 0, 0);
        put_real_if(&rows, one->has_gain, one->worst_gain);
        sim_rows_next(&rows);
    }
    return sim_rows_close(&rows);
}

static bool write_verdict(sqlite3 *db, const sim_tune_result *result)
{
    sim_rows rows;
    sim_rows_open(&rows, db, "UPDATE tune SET runs = ?, pick_id = ?, recommended_id = ?, verdict = ?, reason = ?");
    sim_rows_int(&rows, result->runs);
    sim_rows_int(&rows, result->pick);
    sim_rows_int(&rows, result->recommended);
    sim_rows_text(&rows, result->verdict);
    sim_rows_text(&rows, result->reason);
    sim_rows_next(&rows);
    return sim_rows_close(&rows);
}

static bool clear(sqlite3 *db)
{
    return sqlite3_exec(db,
                        "DELETE FROM tune_confirmation; DELETE FROM tune_sensitivity; DELETE FROM tune_gain;"
                        "DELETE FROM tune_value; DELETE FROM tune_point; DELETE FROM tune_objective",
                        NULL, NULL, NULL) == SQLITE_OK;
}

bool sim_tune_write_result(sim_store *store, const sim_tune_result *result, sim_store_error *error)
{
    sqlite3 *db = store->db;
    *error = (sim_store_error){0};
    if (sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK && clear(db) && write_objectives(db, result) &&
        write_points(db, result) && write_values(db, result) && write_gains(db, result) && write_effects(db, result) &&
        write_confirmations(db, result) && write_verdict(db, result) &&
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return true;
    (void)sim_store_fail(store, "write", error);
    (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}
