/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Views for the usual questions, with names in place of numbers and seconds in place of nanoseconds. */
#include "store/schema.h"

static const char V_RUN[] =
    "CREATE VIEW v_run AS\n"
    "  -- Runs with names: which are done, and which behave alike.\n"
    "  SELECT r.id AS run_id, s.name AS scenario, p.name AS policy, r.replication, r.state, r.requests, r.legs,\n"
    "         r.digest, r.luck_digest, t.elapsed_s\n"
    "  FROM run r JOIN scenario s ON s.id = r.scenario_id JOIN policy p ON p.id = r.policy_id\n"
    "       LEFT JOIN run_timing t ON t.run_id = r.id\n"
    "  ORDER BY r.id";

static const char V_METRIC[] =
    "CREATE VIEW v_metric AS\n"
    "  -- Every value with names.\n"
    "  SELECT s.name AS scenario, p.name AS policy, r.replication, m.phase, m.name AS metric, m.value, m.more_than,\n"
    "         d.unit, m.samples\n"
    "  FROM metric m JOIN run r ON r.id = m.run_id JOIN scenario s ON s.id = r.scenario_id\n"
    "       JOIN policy p ON p.id = r.policy_id JOIN metric_definition d ON d.name = m.name\n"
    "  ORDER BY r.scenario_id, d.position, m.phase, r.policy_id, r.replication";

static const char V_METRIC_BY_POLICY[] =
    "CREATE VIEW v_metric_by_policy AS\n"
    "  -- Mean and range over the replications that have a value. For exact percentiles merge the histograms instead.\n"
    "  SELECT s.name AS scenario, m.phase, m.name AS metric, p.name AS policy, avg(m.value) AS mean,\n"
    "         min(m.value) AS lowest, max(m.value) AS highest, count(m.value) AS replications,\n"
    "         count(*) - count(m.value) AS missing, d.unit\n"
    "  FROM metric m JOIN run r ON r.id = m.run_id JOIN scenario s ON s.id = r.scenario_id\n"
    "       JOIN policy p ON p.id = r.policy_id JOIN metric_definition d ON d.name = m.name\n"
    "  GROUP BY r.scenario_id, d.position, m.phase, r.policy_id\n"
    "  ORDER BY r.scenario_id, d.position, m.phase, r.policy_id";

static const char V_INTERVAL[] =
    "CREATE VIEW v_interval AS\n"
    "  -- Time series with names, in seconds and milliseconds.\n"
    "  SELECT s.name AS scenario, p.name AS policy, r.replication, i.start / 1e9 AS start_s, i.requests, i.errors,\n"
    "         i.latency_p50 / 1e6 AS p50_ms, i.latency_p99 / 1e6 AS p99_ms, i.hedges, i.canaries, i.canary_failures,\n"
    "         i.departures, i.returns, i.retrips, i.pairs_away, i.pairs_recovering\n"
    "  FROM interval i JOIN run r ON r.id = i.run_id JOIN scenario s ON s.id = r.scenario_id\n"
    "       JOIN policy p ON p.id = r.policy_id\n"
    "  ORDER BY i.run_id, i.n";

static const char V_TRANSITION[] =
    "CREATE VIEW v_transition AS\n"
    "  -- Breaker history with names.\n"
    "  SELECT t.run_id, p.name AS policy, r.replication, t.n, t.at / 1e9 AS at_s, t.client, t.partition,\n"
    "         t.reason_name AS reason, h.name AS home, c.name AS current, t.canary_success, t.canary_total,\n"
    "         t.canary_in_flight, t.failures, t.threshold, t.elapsed / 1e9 AS elapsed_s\n"
    "  FROM transition t JOIN run r ON r.id = t.run_id JOIN policy p ON p.id = r.policy_id\n"
    "       LEFT JOIN region h ON h.scenario_id = r.scenario_id AND h.region = t.first_failed\n"
    "       LEFT JOIN region c ON c.scenario_id = r.scenario_id AND c.region = t.current_region\n"
    "  ORDER BY t.run_id, t.n";

static const char V_TRANSITION_COUNT[] =
    "CREATE VIEW v_transition_count AS\n"
    "  -- How often each thing happened, by policy, over all replications (as far as transitions were recorded).\n"
    "  SELECT s.name AS scenario, p.name AS policy, t.reason_name AS reason, count(*) AS transitions\n"
    "  FROM transition t JOIN run r ON r.id = t.run_id JOIN scenario s ON s.id = r.scenario_id\n"
    "       JOIN policy p ON p.id = r.policy_id\n"
    "  GROUP BY r.scenario_id, r.policy_id, t.reason\n"
    "  ORDER BY r.scenario_id, r.policy_id, t.reason";

static const char V_OPTION_SET[] =
    "CREATE VIEW v_option_set AS\n"
    "  -- Knobs that something other than the default decided.\n"
    "  SELECT s.name AS scenario, p.name AS policy, o.workload, o.knob, o.text, o.origin\n"
    "  FROM option o JOIN scenario s ON s.id = o.scenario_id JOIN policy p ON p.id = o.policy_id\n"
    "  WHERE o.origin <> 'default'\n"
    "  ORDER BY o.scenario_id, o.policy_id, o.workload, o.knob";

static const char V_SWEEP[] =
    "CREATE VIEW v_sweep AS\n"
    "  -- What the keys of a sweep are in each run, with the names of what they were swept over.\n"
    "  SELECT r.id AS run_id, s.name AS scenario, p.name AS policy, r.replication, q.base, q.number AS point, v.key,\n"
    "         v.value, v.number\n"
    "  FROM sweep_point q JOIN sweep_value v ON v.point_id = q.id\n"
    "       JOIN run r ON r.policy_id = q.policy_id OR r.scenario_id = q.scenario_id\n"
    "       JOIN scenario s ON s.id = r.scenario_id JOIN policy p ON p.id = r.policy_id\n"
    "  ORDER BY r.id, v.key";

static const char V_TUNE_POINT[] =
    "CREATE VIEW v_tune_point AS\n"
    "  -- Every point of a search, one row a knob.\n"
    "  SELECT q.id AS point, q.origin, q.round, q.parent_id AS parent, q.replications, q.standing,\n"
    "         q.against_id AS against, v.key, v.value, v.number\n"
    "  FROM tune_point q JOIN tune_value v ON v.point_id = q.id\n"
    "  ORDER BY q.id, v.key";

static const char V_TUNE_FRONT[] =
    "CREATE VIEW v_tune_front AS\n"
    "  -- Gains of the points that nothing beats, over all scenarios and in each, and the regret: how much less than "
    "the\n"
    "  -- best of them they gain there.\n"
    "  SELECT g.point_id AS point, g.point_id = t.recommended_id AS is_recommended,\n"
    "         coalesce(s.name, 'all') AS scenario, o.metric, g.gain, g.low, g.high, o.margin,\n"
    "         max(g.gain) OVER (PARTITION BY g.scenario_id, g.metric) - g.gain AS regret\n"
    "  FROM tune t JOIN tune_point q ON q.standing = 'front' JOIN tune_gain g ON g.point_id = q.id\n"
    "       JOIN tune_objective o ON o.metric = g.metric LEFT JOIN scenario s ON s.id = g.scenario_id\n"
    "  ORDER BY g.point_id, g.scenario_id, o.n";

static const char V_TUNE_SENSITIVITY[] =
    "CREATE VIEW v_tune_sensitivity AS\n"
    "  -- What each knob does by itself, the largest effects over all scenarios first.\n"
    "  SELECT e.key, e.value, coalesce(s.name, 'all') AS scenario, e.metric, e.effect, e.low, e.high\n"
    "  FROM tune_sensitivity e LEFT JOIN scenario s ON s.id = e.scenario_id\n"
    "  ORDER BY e.scenario_id, abs(e.effect) DESC, e.key, e.value, e.metric";

static const char V_TUNE_CONFIRMATION[] =
    "CREATE VIEW v_tune_confirmation AS\n"
    "  -- Whether the pick's gains hold in other replications and in scenarios held out.\n"
    "  SELECT c.scenarios, o.metric, c.gain, c.low, c.high, c.margin, c.p, c.verdict, s.name AS worst_scenario,\n"
    "         c.worst_gain\n"
    "  FROM tune_confirmation c JOIN tune_objective o ON o.metric = c.metric\n"
    "       LEFT JOIN scenario s ON s.id = c.worst_scenario_id\n"
    "  ORDER BY c.scenarios DESC, o.n";

const char *const sim_schema_views[] = {
    V_RUN,        V_METRIC, V_METRIC_BY_POLICY, V_INTERVAL,   V_TRANSITION,       V_TRANSITION_COUNT,
    V_OPTION_SET, V_SWEEP,  V_TUNE_POINT,       V_TUNE_FRONT, V_TUNE_SENSITIVITY, V_TUNE_CONFIRMATION,
};
const size_t sim_schema_view_count = sizeof sim_schema_views / sizeof *sim_schema_views;
