#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_tune.sh REGIONSIM DUMP_DB
# Ends with "N passed, N failed".
. "$(dirname "$0")/claims.sh"
tiny=$scenarios/tiny.yaml
# The outage of tiny heals by half first, and late; another one lasts longer.
half=$scenarios/half.yaml
long=$scenarios/long.yaml
sed 's/^scenario: .*/scenario: half/; s/share: .*/share: {step: {0 s: 100 %, 2 s: 50 %, 7 s: 0 %}}}/' "$tiny" >"$half"
sed 's/^scenario: .*/scenario: long/; s/4 s: 0 %/6 s: 0 %/' "$tiny" >"$long"
# A base that can be beaten: it trips late, and comes back by a sweep that is longer than the run.
base=$scenarios/policies/late.yaml
cat >"$base" <<'YAML'
regionsim: 1
policy: late
based_on: success-rate
breaker: {read_failure_threshold: 30}
failback: {promote: sweep, sweep_interval: 1 min}
YAML

# tune [ARGUMENTS]: two knobs over two scenarios
tune() {
    "$regionsim" tune "$tiny" "$half" --policy late --vary breaker.read_failure_threshold=1..40 \
        --vary failback.promote=sweep,due --vary failback.min_sample=2..20 --objective away_healthy_s \
        --objective home_unhealthy_s --objective load_amplification --budget 260 --replications 10 "$@"
}

begin "a better policy is found, confirmed, and written so that it can be used"
run 0 tune --hold-out "$long" --db a.db --output tuned.yaml --json a.json
says "beats late. In 10 other replications of the 2 scenarios it is better in away_healthy_s"
says "In the 1 scenario held out it is better in"
says "No single scenario loses more than 10 % of an objective (or its margin) beyond doubt."
! uniq -c out | grep -q '^ *[2-9][0-9]* *$' || fault "blank lines in a row"
says "Policy: tuned.yaml Database: a.db"
is_empty err
[ "$(sql a.db "SELECT verdict FROM tune")" = confirmed ] || fault "not confirmed"
[ "$(sql a.db "SELECT runs <= budget AND runs > 100 FROM tune")" = 1 ] || fault "the budget does not hold"
[ "$(sql a.db "SELECT count(*) = runs FROM tune_run, tune")" = 1 ] || fault "runs and rows differ"
[ "$(sql a.db "SELECT group_concat(DISTINCT replication >= 10 AND replication < 26) FROM tune_run")" = 1 ] ||
    fault "the search has seen the replications that confirm it"
[ "$(sql a.db "SELECT count(*) FROM run WHERE state = 'done' AND replication < 10")" = 60 ] || fault "other runs"
[ "$(sql a.db "SELECT group_concat(name, ' ') FROM policy")" = \
    "late late#$(printf %04d "$(sql a.db "SELECT pick_id FROM tune")")" ] || fault "other policies"
head -1 tuned.yaml | grep -q "^# Made by: .*regionsim tune" || fault "$(head -1 tuned.yaml)"
has tuned.yaml "# searched over tiny, half; held out long"
has tuned.yaml "policy: tuned"
run 0 "$regionsim" validate tuned.yaml
end

begin "the file is the policy that was confirmed, and compare gives its numbers again"
run 0 "$regionsim" compare "$tiny" "$half" "$long" --policy late --policy tuned.yaml --replications 10 --db b.db \
    --format csv
digests="SELECT group_concat(digest) FROM (SELECT digest FROM run ORDER BY id)"
[ "$(sql a.db "$digests")" = "$(sql b.db "$digests")" ] || fault "another behaviour"
end

begin "gains, front, effects and confirmation are those of the rows"
python3 - <<'PYTHON' || fault "the tables are not what the runs say"
import json, sqlite3, statistics
T15, T9 = 2.131449545559323, 2.2621571627409915
db = sqlite3.connect("a.db")
metrics = [m for m, in db.execute("SELECT metric FROM tune_objective ORDER BY n")]
scenarios = [s for s, in db.execute("SELECT id FROM scenario ORDER BY id LIMIT 2")]
value = {tuple(row[:4]): row[4] for row in db.execute("SELECT * FROM tune_metric")}
full = [p for p, in db.execute("SELECT id FROM tune_point WHERE replications = 16")]
scale = {(s, m): statistics.mean(value[0, s, r, m] for r in range(10, 26)) for s in scenarios for m in metrics}
for s, m in [k for k in scale if not scale[k]]:  # then it is that of the points of the start, at their first look
    start = [p for p, in db.execute("SELECT id FROM tune_point WHERE origin = 'start'")]
    scale[s, m] = statistics.mean(statistics.mean(value[p, s, r, m] for r in range(10, 14)) for p in start) or 1
gain = {}
for p in full:
    for m in metrics:
        each = [statistics.mean((value[0, s, r, m] - value[p, s, r, m]) / scale[s, m] for s in scenarios)
                for r in range(10, 26)]
        mean, half = statistics.mean(each), T15 * statistics.stdev(each) / 4
        row = db.execute("SELECT gain, low, high FROM tune_gain WHERE point_id = ? AND scenario_id = 0 AND metric = ?",
                         (p, m)).fetchone()
        assert abs(row[0] - mean) < 1e-9 and abs(row[1] - mean + half) < 1e-9 and abs(row[2] - mean - half) < 1e-9, (p, m)
        gain[p, m] = mean
left = [p for p, in db.execute("SELECT id FROM tune_point WHERE standing IN ('front', 'open') OR id = 0")]
front = {p for p, in db.execute("SELECT id FROM tune_point WHERE standing = 'front'")}
beats = lambda q, p: all(gain[q, m] >= gain[p, m] for m in metrics) and any(gain[q, m] > gain[p, m] for m in metrics)
assert front == {p for p in left if not any(beats(q, p) for q in left)}, front
assert len(front) >= 1 and db.execute("SELECT count(*) FROM tune_point WHERE standing = 'beaten'").fetchone()[0] >= 1
pick, first = db.execute("SELECT pick_id, first_replication FROM tune").fetchone()
assert pick in front and first == 10
held = {tuple(r[:3]) + (r[3],): r[4] for r in db.execute(
    "SELECT r.scenario_id, r.policy_id, r.replication, m.name, m.value FROM run r JOIN metric m ON m.run_id = r.id"
    " WHERE m.phase = 'all'")}
for group, ids in (("tuned", [1, 2]), ("held out", [3])):
    for m in metrics:
        base = {s: statistics.mean(held[s, 1, r, m] for r in range(10)) or
                   statistics.mean(held[s, 2, r, m] for r in range(10)) for s in ids}
        each = [statistics.mean((held[s, 1, r, m] - held[s, 2, r, m]) / base[s] for s in ids) for r in range(10)]
        row = db.execute("SELECT gain, low, high, verdict, margin FROM tune_confirmation WHERE scenarios = ? AND metric = ?",
                         (group, m)).fetchone()
        assert abs(row[0] - statistics.mean(each)) < 1e-9, (group, m, row)
        assert abs(row[1] - row[0] + T9 * statistics.stdev(each) / 10 ** 0.5) < 1e-9, (group, m, row)
        assert (row[3] == "better") <= (row[1] > row[4]), row
assert db.execute("SELECT count(*) FROM tune_confirmation WHERE verdict = 'worse'").fetchone()[0] == 0
regret = list(db.execute("SELECT min(regret), max(is_recommended) FROM v_tune_front"))
assert regret == [(0.0, 1)], regret
effects = db.execute("SELECT count(*), count(DISTINCT key) FROM v_tune_sensitivity").fetchone()
assert effects == (3 * 3 * 3, 3), effects
assert db.execute("SELECT count(*) FROM v_tune_confirmation").fetchone()[0] == 6
assert db.execute("SELECT count(*) = 3 * max(point + 1) FROM v_tune_point").fetchone()[0] == 1
rows = json.load(open("a.json"))
kinds = [row["kind"] for row in rows]
assert rows[-1]["kind"] == "recommended" and rows[-1]["point"] == pick and kinds.count("confirmation") == 6
assert kinds.count("gain") == db.execute("SELECT count(*) FROM tune_gain").fetchone()[0]
PYTHON
end

begin "jobs change nothing, and going on changes nothing"
run 0 tune --hold-out "$long" --jobs 1 --db jobs.db --format csv
mv out jobs.csv
"$dump_db" jobs.db >jobs.txt
"$dump_db" a.db | cmp -s jobs.txt - || fault "the database differs"
run 0 tune --hold-out "$long" --db a.db --resume --format csv
cmp -s jobs.csv out || fault "the CSV differs"
"$dump_db" a.db | cmp -s jobs.txt - || fault "the database differs after going on"
[ "$(wc -l <jobs.txt)" -gt 1000 ] || fault "the dump is nearly empty"
end

begin "another search is refused, by what differs"
run 2 tune --hold-out "$long" --db a.db
has err "--resume to go on with it, or --force"
run 2 tune --db a.db --resume
has err 'another search: "hold-out long '
run 2 tune --hold-out "$long" --db a.db --resume --seed 2
has err '"seed 1" there, "seed 2" here'
run 2 tune --hold-out "$long" --db b.db --resume
has err "another experiment"
run 2 tune --hold-out "$long" --db a.db --resume --budget 261
has err '"budget 260" there, "budget 261" here'
end

begin "a knob that does nothing recommends the base"
run 0 "$regionsim" tune "$tiny" --policy late --vary 'hedging.quantile=60 %..99 %' --budget 80 --replications 6 --db null.db \
    --output null.yaml
says "late. Nothing beats late"
[ "$(sql null.db "SELECT recommended_id || ' ' || verdict FROM tune")" = "0 nothing beats the base" ] || fault "other row"
[ "$(sql null.db "SELECT group_concat(DISTINCT standing || ' ' || against_id) FROM tune_point WHERE id > 0")" = "alike 0" ] ||
    fault "not all are alike to the base"
has null.yaml "tuning found nothing that beats it"
run 0 "$regionsim" compare "$tiny" --policy late --policy null.yaml --replications 1 --db c.db
[ "$(sql c.db "SELECT count(DISTINCT digest) FROM run")" = 1 ] || fault "the base's file is another policy"
end

begin "run adds replications to a confirmation, and keeps the search"
before=$(sql null.db "SELECT count(*) || verdict FROM tune, tune_metric")
run 0 "$regionsim" run "$tiny" --policy late --replications 8 --db null.db --resume
[ "$(sql null.db "SELECT count(*) || verdict FROM tune, tune_metric")" = "$before" ] || fault "the search is gone"
[ "$(sql null.db "SELECT count(*) FROM run WHERE state = 'done'")" = 8 ] || fault "other runs"
run 2 "$regionsim" tune "$tiny" --policy late --vary 'hedging.quantile=60 %..99 %' --budget 80 --replications 6 \
    --db null.db --resume
has err "holds 8 replications of the confirmation, not the 6 of the search"
end

begin "a mean over scenarios does not hide what one of them loses"
for n in 2 3; do
    sed "s/^scenario: .*/scenario: long-$n/" "$long" >"$scenarios/long-$n.yaml"
done
sed 's/^scenario: .*/scenario: few/; s/share: .*/share: 4 %}/' "$tiny" >"$scenarios/few.yaml" # the base never trips
with_few() {
    tune --hold-out "$long" --hold-out "$scenarios/long-2.yaml" --hold-out "$scenarios/long-3.yaml" \
        --hold-out "$scenarios/few.yaml" "$@"
}
run 0 with_few --db all.db --loss-limit off
says "away_healthy_s loses 100.0 % in few."
run 4 with_few --db all.db --force --json all.json
says "away_healthy_s loses 100.0 % in few. A single scenario loses more than is allowed: away_healthy_s in few (-100.0 %"
[ "$(sql all.db "SELECT verdict FROM tune")" = "not confirmed" ] || fault "confirmed"
python3 - <<'PYTHON' || fault "the rows do not say which scenario"
import json
rows = [row for row in json.load(open("all.json")) if row["kind"] == "confirmation in scenario"]
assert len(rows) == 6 * 3, len(rows)
beyond = [(row["scenario"], row["metric"]) for row in rows if row["verdict"] == "beyond the limit"]
assert beyond == [("few", "away_healthy_s")], beyond
PYTHON
run 2 with_few --db all.db --resume --loss-limit '11 %'
has err '"loss-limit 0.1" there, "loss-limit 0.11" here'
python3 -c 'import sqlite3
db = sqlite3.connect("all.db")
db.execute("UPDATE tune SET settings = replace(settings, ?, ?)", ("loss-limit 0.1\n", ""))
db.commit()'
run 2 with_few --db all.db --resume
has err 'of a version without "loss-limit 0.1"'
end

begin "constraints forbid"
run 0 tune --db limit.db --constraint 'home_unhealthy_s<=0'
says "break a constraint. late itself breaks a constraint: no point may be able to keep them all."
[ "$(sql limit.db "SELECT count(*) FROM tune_point WHERE standing = 'forbidden'")" -gt 5 ] || fault "nothing is forbidden"
end

begin "bad words are named"
refuses() {
    words=$1
    shift
    run 2 "$regionsim" tune "$@"
    has err "$words"
    is_empty out
}
refuses "expected at least one scenario file" --vary failback.min_sample=1..9
refuses "tune: expected --vary KEY=VALUES at least once" "$tiny"
refuses "expected one --policy" "$tiny" --policy late --policy success-rate --vary failback.min_sample=1..9
refuses 'did you mean "away_healthy_s"' "$tiny" --vary failback.min_sample=1..9 --objective away_helthy_s
refuses "a weight above 0" "$tiny" --vary failback.min_sample=1..9 --objective away_healthy_s:0
refuses "a direction, /min or /max" "$tiny" --vary failback.min_sample=1..9 --objective canary_count
refuses "no direction: lower is better" "$tiny" --vary failback.min_sample=1..9 --objective flap_count/min
refuses "each metric once" "$tiny" --vary failback.min_sample=1..9 --objective flap_count --objective flap_count
refuses "METRIC>=VALUE or METRIC<=VALUE" "$tiny" --vary failback.min_sample=1..9 --constraint availability=0.9
refuses "a share from 0 % to 100 %" "$tiny" --vary failback.min_sample=1..9 --constraint 'availability>=2'
refuses "a duration such as 50 ms" "$tiny" --vary failback.min_sample=1..9 --constraint 'latency_p99 <= 50'
refuses "a share such as 10 %, or off" "$tiny" --vary failback.min_sample=1..9 --loss-limit -1
refuses "takes at least 80 runs" "$tiny" --vary failback.min_sample=1..9 --budget 79
refuses "fewer confirm nothing" "$tiny" --vary failback.min_sample=1..9 --replications 5
refuses "a field of the scenario" "$tiny" --vary 'scenario.duration=10 s,20 s'
refuses "did you mean" "$tiny" --vary failback.min_samples=1..9
[ ! -e tune.db ] || fault "a database is left"
end

echo "$passed passed, $failed failed"
[ $failed = 0 ]
