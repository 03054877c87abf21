-- SPDX-License-Identifier: GPL-3.0-or-later
-- The slowest sampled operations, what they went through and how they ended.
SELECT p.name AS policy, o.workload, o.client, o.partition, o.kind, round(o.start / 1e9, 3) AS start_s,
       round(o.latency / 1e6, 2) AS latency_ms, o.legs, o.hedges, o.hedge, o.status, o.reason, g.name AS last_region
FROM operation_sample o JOIN run r ON r.id = o.run_id JOIN policy p ON p.id = r.policy_id
     LEFT JOIN region g ON g.scenario_id = r.scenario_id AND g.region = o.last_region
ORDER BY o.latency DESC, o.run_id, o.id
LIMIT 20;
