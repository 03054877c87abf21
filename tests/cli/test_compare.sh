#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_compare.sh REGIONSIM DUMP_DB
# Ends with "N passed, N failed".
. "$(dirname "$0")/claims.sh"
gated=$scenarios/gated.yaml
cat "$small" - >"$gated" <<'YAML'
objectives: [home_unhealthy_s, trip_count]
margins: {home_unhealthy_s: {absolute: 4}, trip_count: {absolute: 8}, away_healthy_s: {absolute: 20}}
YAML

begin "a comparison shows both values, difference, interval, verdict and what pairing gains"
run 0 "$regionsim" compare "$gated" --policy success-rate --policy probe --replications 6 --format md
has out "| metric | success-rate | probe | difference | 95 % interval | unit | relative | verdict | pairing |"
grep -q '^| away_healthy_s ' out || fault "the headline pair is missing"
says "a seed of its own"
[ ! -e regionsim.db ] || fault "a database is left behind"
run 0 "$regionsim" compare "$gated" --policy success-rate --policy probe --replications 6 --format json --db kept.db
python3 - <<'PYTHON' || fault "the JSON does not hold it all"
import json
metrics = {m["metric"]: m for m in json.load(open("out"))["scenarios"][0]["metrics"]}
assert len(metrics) > 70
assert list(metrics)[:2] == ["away_healthy_s", "home_unhealthy_s"]
assert metrics["home_unhealthy_s"]["policies"]["probe"]["margin"] == 4
assert metrics["home_unhealthy_s"]["policies"]["probe"]["objective"]
assert not metrics["error_count"]["policies"]["probe"]["objective"]
assert any(m["policies"]["probe"].get("pairing_gain", 0) > 1 for m in metrics.values())
PYTHON
[ "$(sql kept.db "SELECT count(*) FROM run WHERE state = 'done'")" = 12 ] || fault "the database does not hold the runs"
end

begin "pairing does gain: with independent seeds the difference varies more"
run 0 "$regionsim" run "$gated" --policy success-rate --policy probe --replications 20 --db one.db
run 0 "$regionsim" run "$gated" --policy probe --replications 20 --seed 99 --db two.db
run 0 "$regionsim" compare "$gated" --policy success-rate --policy probe --replications 20 --json -
python3 - <<'PYTHON' || fault "the gain that is told is not the gain that there is"
import json, sqlite3, statistics
def values(db, policy):
    rows = sqlite3.connect(db).execute("SELECT value FROM v_metric WHERE policy = ? AND phase = 'all'"
        " AND metric = 'requests' ORDER BY replication", (policy,))
    return [row[0] for row in rows]
first, paired, alone = values("one.db", "success-rate"), values("one.db", "probe"), values("two.db", "probe")
assert statistics.pvariance([b - a for a, b in zip(first, paired)]) == 0
assert statistics.pvariance([b - a for a, b in zip(first, alone)]) > 0
metrics = {m["metric"]: m["policies"]["probe"] for m in json.load(open("out"))["scenarios"][0]["metrics"]}
def by_metric(metric, db, policy):
    rows = sqlite3.connect(db).execute("SELECT value FROM v_metric WHERE policy = ? AND phase = 'all'"
        " AND metric = ? ORDER BY replication", (policy, metric))
    return [row[0] for row in rows]
a, b, c = by_metric("latency_mean", "one.db", "success-rate"), by_metric("latency_mean", "one.db", "probe"), \
    by_metric("latency_mean", "two.db", "probe")
told = metrics["latency_mean"]["pairing_gain"]
there = statistics.variance(y - x for x, y in zip(a, c)) / statistics.variance(y - x for x, y in zip(a, b))
assert told > 1.5 and there > 1.5 and 1 / 4 < told / there < 4, (told, there)
PYTHON
end

begin "--until-precise adds replications, and says when it has to give up"
run 0 "$regionsim" compare "$gated" --policy success-rate --policy probe --replications 5 --until-precise \
    --set 'scenario.margins={home_unhealthy_s: {absolute: 0.9}, trip_count: {absolute: 4}, away_healthy_s: {absolute: 20}}'
has err "going on to"
says "Precise enough after"
run 4 "$regionsim" compare "$gated" --policy success-rate --policy probe --replications 5 --until-precise \
    --max-replications 7 --set 'scenario.margins={home_unhealthy_s: {absolute: 0.001}}'
says "Not precise enough after 7 replications"
run 2 "$regionsim" compare "$gated" --policy success-rate --policy probe --until-precise --max-replications 7
has err "is less than --replications 20"
end

begin "margins are read and checked"
run 2 "$regionsim" validate "$gated" --set 'scenario.margins={flap_cont: {absolute: 1}}'
has err 'margins: unknown metric "flap_cont"; did you mean "flap_count"?'
run 2 "$regionsim" validate "$gated" --set 'scenario.margins={flap_count: {absolute: 1, relative: 1 %}}'
has err "found both of relative and absolute; expected exactly one"
run 2 "$regionsim" validate "$gated" --set 'scenario.margins={flap_count: {}}'
run 2 "$regionsim" validate "$gated" --set 'scenario.margins={latency_p99: {absolute: 5}}'
has err 'expected a duration such as "50 ms" for latency_p99'
run 2 "$regionsim" validate "$gated" --set 'scenario.margins={flap_count: {absolute: -1}}'
run 0 "$regionsim" validate "$gated" --set 'scenario.margins={availability: {absolute: 0.01 %}, latency_p99: {absolute: 5 ms}}'
end

begin "one policy, or none, is bad usage"
run 2 "$regionsim" compare "$gated" --policy probe
has err "at least two policies"
run 2 "$regionsim" compare --policy probe --policy success-rate
end

begin "a run draws p99 over time and marks the faults"
run 0 "$regionsim" run "$small" --replications 2 --db x.db
has out "p99 over time"
grep -qE "success-rate  (▁|▂|▃|▄|▅|▆|▇|█)" out || fault "no bars"
grep -q "outage  .*━" out || fault "the fault is not marked"
for columns in 60 80 120; do
    COLUMNS=$columns run 0 "$regionsim" compare "$gated" --policy success-rate --policy probe --replications 2
    python3 -c "assert max(len(line.rstrip()) for line in open('out', encoding='utf-8')) <= $columns" || fault "wider than $columns"
done
end

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
