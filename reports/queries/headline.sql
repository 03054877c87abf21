-- SPDX-License-Identifier: GPL-3.0-or-later
-- Which policy comes back too late, which too early? Means over replications, whole run.
SELECT scenario, policy,
       round(max(CASE WHEN metric = 'away_healthy_s' THEN mean END), 1)   AS away_from_healthy_home_s,
       round(max(CASE WHEN metric = 'home_unhealthy_s' THEN mean END), 1) AS at_unhealthy_home_s,
       round(max(CASE WHEN metric = 'flap_count' THEN mean END), 1)       AS flaps,
       max(replications)                                                  AS replications
FROM v_metric_by_policy
WHERE phase = 'all' AND metric IN ('away_healthy_s', 'home_unhealthy_s', 'flap_count')
GROUP BY scenario, policy
ORDER BY scenario, away_from_healthy_home_s, policy;
