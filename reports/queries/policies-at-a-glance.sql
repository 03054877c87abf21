-- SPDX-License-Identifier: GPL-3.0-or-later
-- Everything that an objective could be about, policy by policy: mean and range over replications, whole run.
SELECT scenario, metric, policy, mean, lowest, highest, replications, missing, unit
FROM v_metric_by_policy
WHERE phase = 'all' AND metric IN ('away_healthy_s', 'home_unhealthy_s', 'flap_count', 'latency_p99',
                                   'canary_blast_radius', 'availability', 'load_amplification')
ORDER BY scenario, metric, policy;
