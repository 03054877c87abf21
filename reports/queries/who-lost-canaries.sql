-- SPDX-License-Identifier: GPL-3.0-or-later
-- How far failed canaries reach: their share of all operations, and the share of clients and partitions they touched.
SELECT scenario, policy, phase,
       round(100 * max(CASE WHEN metric = 'canary_blast_radius' THEN mean END), 4)      AS blast_radius_percent,
       round(100 * max(CASE WHEN metric = 'clients_touched_share' THEN mean END), 1)    AS clients_percent,
       round(100 * max(CASE WHEN metric = 'partitions_touched_share' THEN mean END), 1) AS partitions_percent
FROM v_metric_by_policy
WHERE metric IN ('canary_blast_radius', 'clients_touched_share', 'partitions_touched_share')
GROUP BY scenario, policy, phase
ORDER BY scenario, policy, phase;
