-- SPDX-License-Identifier: GPL-3.0-or-later
-- Each policy minus the first one, replication by replication: the same luck on both sides. `regionsim report` adds
-- intervals and verdicts to these.
SELECT b.scenario, b.metric, p.policy, b.replication, p.value - b.value AS difference, b.unit
FROM v_metric b
     JOIN v_metric p ON p.scenario = b.scenario AND p.metric = b.metric AND p.phase = b.phase
                    AND p.replication = b.replication AND p.policy <> b.policy
WHERE b.policy = (SELECT name FROM policy WHERE id = 1) AND b.phase = 'all'
  AND b.metric IN ('away_healthy_s', 'home_unhealthy_s', 'flap_count')
ORDER BY b.scenario, b.metric, p.policy, b.replication;
