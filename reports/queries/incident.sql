-- SPDX-License-Identifier: GPL-3.0-or-later
-- How did the incident go, half minute by half minute? First replication of each policy.
SELECT scenario, policy, start_s, requests, errors, round(p50_ms, 2) AS p50_ms, round(p99_ms, 2) AS p99_ms,
       pairs_away, pairs_recovering, canaries, canary_failures
FROM v_interval
WHERE replication = 0
ORDER BY scenario, policy, start_s;
