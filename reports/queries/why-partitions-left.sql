-- SPDX-License-Identifier: GPL-3.0-or-later
-- Why breakers changed state, how often in all replications, and how much of the run had passed the first time.
SELECT p.name AS policy, t.reason_name AS reason, count(*) AS transitions, round(min(t.at) / 1e9, 1) AS first_s,
       count(DISTINCT t.run_id) AS runs
FROM transition t JOIN run r ON r.id = t.run_id JOIN policy p ON p.id = r.policy_id
GROUP BY r.policy_id, t.reason
ORDER BY r.policy_id, transitions DESC, reason;
