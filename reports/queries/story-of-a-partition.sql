-- SPDX-License-Identifier: GPL-3.0-or-later
-- What happened to the (client, partition) with the most transitions in the first run, and why?
WITH busiest AS (
    SELECT run_id, client, partition
    FROM transition
    WHERE run_id = (SELECT min(id) FROM run)
    GROUP BY run_id, client, partition
    ORDER BY count(*) DESC, client, partition
    LIMIT 1)
SELECT v.policy, v.client, v.partition, round(v.at_s, 3) AS at_s, v.reason, v.home, v.current,
       v.canary_success || '/' || v.canary_total AS tally, v.failures, v.threshold
FROM v_transition v JOIN busiest b ON b.run_id = v.run_id AND b.client = v.client AND b.partition = v.partition
ORDER BY v.n;
