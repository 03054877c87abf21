-- SPDX-License-Identifier: GPL-3.0-or-later
-- Which runs behaved identically, event for event? And did each pair of policies meet the same luck?
SELECT s.name AS scenario, r.replication, r.digest, count(*) AS runs, group_concat(p.name, ' ') AS policies,
       count(DISTINCT r.luck_digest) AS lucks
FROM run r JOIN scenario s ON s.id = r.scenario_id JOIN policy p ON p.id = r.policy_id
GROUP BY r.scenario_id, r.replication, r.digest
ORDER BY r.scenario_id, r.replication, r.digest;
