#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_sweep.sh REGIONSIM DUMP_DB
# Ends with "N passed, N failed".
. "$(dirname "$0")/claims.sh"

# sweep [ARGUMENTS]: six points of two knobs
sweep() {
    "$regionsim" sweep "$quick" --vary failback.canary_percentage=5,20 --vary failback.min_sample=5..15:5 \
        --replications 3 "$@"
}

# names DB TABLE: in the order of their ids
names() {
    sql "$1" "SELECT group_concat(name, ' ') FROM (SELECT name FROM $2 ORDER BY id)"
}

# forge DB SQL
forge() {
    python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as connection:
    connection.execute(sys.argv[2])' "$1" "$2"
}

# is WORDS FOUND WHAT
is() {
    [ "$1" = "$2" ] || fault "$3: $2"
}

begin "every point is a policy, and the tables say what it is"
run 0 sweep --db a.db
is "success-rate#0001 success-rate#0002 success-rate#0003 success-rate#0004 success-rate#0005 success-rate#0006" \
    "$(names a.db policy)" "other policies"
[ "$(sql a.db "SELECT count(*) FROM run WHERE state = 'done'")" = 18 ] || fault "runs are missing"
[ "$(sql a.db "SELECT group_concat(key || '=' || value || '/' || number, ' ') FROM sweep_value WHERE point_id = 5")" = \
    "failback.canary_percentage=20 %/20.0 failback.min_sample=10/10.0" ] || fault "point 5 has other values"
[ "$(sql a.db "SELECT count(*) FROM sweep_value v JOIN sweep_point p ON p.id = v.point_id
    JOIN option o ON o.policy_id = p.policy_id AND o.knob = v.key AND o.workload = ''
    WHERE o.text = v.value AND o.value = v.number AND o.origin = 'account'")" = 12 ] || fault "options differ"
[ "$(sql a.db "SELECT count(*) || ' ' || count(DISTINCT key) FROM v_sweep")" = "36 2" ] || fault "v_sweep is wrong"
end

begin "a point behaves as the same knobs do alone, and all points meet the same luck"
run 0 "$regionsim" run "$quick" --set failback.canary_percentage=20 --set failback.min_sample=10 --replications 3 \
    --db alone.db
digests="SELECT group_concat(digest) FROM (SELECT digest FROM run WHERE policy_id"
is "$(sql alone.db "$digests = 1 ORDER BY id)")" "$(sql a.db "$digests = 5 ORDER BY id)")" "another behaviour"
[ "$(sql a.db "SELECT count(DISTINCT luck_digest) FROM run")" = 3 ] || fault "the luck differs"
end

begin "jobs change nothing"
for jobs in 1 2; do
    run 0 sweep --jobs $jobs --db jobs.db --force --format csv
    mv out jobs$jobs.csv
    "$dump_db" jobs.db >jobs$jobs.txt
done
cmp -s jobs1.csv jobs2.csv || fault "the CSV differs"
cmp -s jobs1.txt jobs2.txt || fault "the database differs"
[ "$(wc -l <jobs1.txt)" -gt 1000 ] || fault "the dump is nearly empty"
end

begin "means, intervals and the front are those of the database"
run 0 sweep --db a.db --resume --format json --metric away_healthy_s,canary_blast_radius,canary_count
python3 - <<'PYTHON' || fault "the JSON is not what the database says"
import json, sqlite3, statistics
rows = json.load(open("out"))
assert len(rows) == 18, len(rows)
db = sqlite3.connect("a.db")
points = {}
for row in rows:
    values = [v for v, in db.execute("SELECT value FROM v_metric WHERE phase = 'all' AND policy = ? AND metric = ?",
                                     (row["policy"], row["metric"]))]
    mean, half = statistics.mean(values), 4.302652729696142 * statistics.stdev(values) / 3 ** 0.5
    assert abs(row["value"] - mean) <= 1e-9 * max(1, mean), row
    assert abs(row["high"] - mean - half) <= 1e-6 * max(1, half), (row, half)
    point = points.setdefault(row["policy"], {"standing": row["standing"]})
    point[row["metric"]] = row["value"]
judges = ["away_healthy_s", "canary_blast_radius"]
for name, point in points.items():
    beaten = any(all(o[j] <= point[j] for j in judges) and any(o[j] < point[j] for j in judges)
                 for o in points.values())
    assert point["standing"] == ("dominated" if beaten else "front"), (name, points)
assert len({p["standing"] for p in points.values()}) == 2, "all stand alike: this shows nothing"
order = list(points.values())
front = [p["away_healthy_s"] for p in order if p["standing"] == "front"]
assert [p["standing"] for p in order] == sorted((p["standing"] for p in order), reverse=True)
assert front == sorted(front)
PYTHON
end

begin "the table fits the screen and says what it leaves out"
LINES=28 COLUMNS=80 sweep --db a.db --resume >out 2>err || fault "$(cat err)"
[ "$(wc -l <out)" -le 28 ] || fault "$(wc -l <out) lines"
python3 -c 'assert max(len(line.rstrip("\n")) for line in open("out", encoding="utf-8")) <= 80' || fault "too wide"
says "3 of 6 points; --format csv has them all"
LINES=90 sweep --db a.db --resume >out 2>err
says "success-rate#0006"
says "front: no other policy of the scenario is as good"
run 0 sweep --db a.db --resume --format md
has out "| point | standing | canary_percentage | min_sample |"
end

begin "scenario fields make scenarios, crossed with knobs"
run 0 "$regionsim" sweep "$quick" --vary 'scenario.workload.shop.rate=40..80 /s:40' --vary failback.min_sample=5,10 \
    --policy success-rate --policy probe --replications 2 --db fields.db
is "quick#0001 quick#0002" "$(names fields.db scenario)" "other scenarios"
is "success-rate#0001 success-rate#0002 probe#0001 probe#0002" "$(names fields.db policy)" "other policies"
is "p1success-rate1 p2success-rate2 p3probe1 p4probe2 s1quick1 s2quick2" "$(sql fields.db "SELECT
    group_concat(coalesce('p' || policy_id, 's' || scenario_id) || base || number, ' ')
    FROM (SELECT * FROM sweep_point ORDER BY id)")" "other points"
[ "$(sql fields.db "SELECT sum(requests) FROM run WHERE scenario_id = 2")" -gt \
    "$(sql fields.db "SELECT 3 * sum(requests) / 2 FROM run WHERE scenario_id = 1")" ] || fault "the rate did nothing"
says "#0002 probe#0001"
end

begin "Sobol points: the first is in the middle, and what falls together counts once"
run 0 "$regionsim" sweep "$quick" --sobol 3 --vary failback.min_sample=1..8 --vary 'failback.eval_window=10 s..20 s' \
    --replications 1 --db sobol.db
[ "$(sql sobol.db "SELECT group_concat(value, ' ') FROM (SELECT value FROM sweep_value WHERE key = 'failback.min_sample'
    ORDER BY point_id)")" = "5 7 3" ] || fault "other points"
[ "$(sql sobol.db "SELECT value FROM sweep_value WHERE key = 'failback.eval_window' AND point_id = 1")" = "15 s" ] ||
    fault "$(sql sobol.db "SELECT group_concat(value) FROM sweep_value")"
says "One replication has no intervals."
run 0 "$regionsim" sweep "$quick" --sobol 9 --vary failback.min_sample=5,6 --replications 1 --db sobol.db --force
has err "note: 7 of 9 points fall on earlier ones and are left out"
end

begin "going on: the same sweep adds replications, another one is refused"
run 0 sweep --db grown.db --replications 1
run 0 sweep --db grown.db --resume
"$dump_db" grown.db | cmp -s - jobs1.txt || fault "another content"
run 2 "$regionsim" sweep "$quick" --vary failback.canary_percentage=5,20 --vary failback.min_sample=5..16:5,17 \
    --replications 3 --db grown.db --resume
has err "the number of policies is 6 there and 8 here"
run 2 "$regionsim" sweep "$quick" --vary failback.canary_percentage=5,20 --vary failback.min_sample=5,10,16 \
    --replications 3 --db grown.db --resume
has err "policy success-rate#0003"
# The same knobs by another way: only the points differ.
run 0 "$regionsim" sweep "$quick" --vary failback.min_sample=5,10 --set failback.canary_percentage=20 \
    --replications 1 --db other.db
run 2 "$regionsim" sweep "$quick" --vary failback.min_sample=5,10 --vary failback.canary_percentage=20 \
    --replications 1 --db other.db --resume
has err "a point of the sweep is success-rate 1: failback.min_sample = 5 there"
run 2 sweep --db a.db
has err "--resume to go on with it"
end

begin "a report tells a sweep as the sweep itself does, or as a page of any number of points"
for format in csv json md; do
    run 0 sweep --db a.db --resume --format $format
    cp out told
    run 0 "$regionsim" report a.db --format $format
    cmp -s out told || fault "--format $format differs from what sweep prints"
done
run 2 "$regionsim" report a.db a.db --format csv
has err "a.db holds a sweep, whose keys are columns of its own; expected no other database"
run 0 "$regionsim" report a.db a.db --format json
run 0 "$regionsim" report a.db --output a.html
has a.html "success-rate#0006"
run 0 "$regionsim" sweep "$quick" --set 'scenario.duration=25 s' --vary failback.min_sample=1..65 --replications 1 \
    --db wide.db
run 0 "$regionsim" report wide.db --output wide.html
has wide.html "success-rate#0065"
forge wide.db "DELETE FROM sweep_value WHERE point_id = 65"
run 2 "$regionsim" report wide.db --output wide.html
has err "wide.db does not hold the points of its sweep"
forge wide.db "DELETE FROM sweep_value"
run 2 "$regionsim" report wide.db --output wide.html
has err "wide.db holds 65 policies, and a page has room for 64; expected --format csv or json"
run 0 "$regionsim" report wide.db --format json
end

# refused WORDS ARGUMENT...: exit status 2, one line, no database
refused() {
    words=$1
    shift
    run 2 "$regionsim" sweep "$quick" "$@" --db none.db
    has err "$words"
    [ "$(wc -l <err)" = 1 ] || fault "$(wc -l <err) lines: $*"
    is_empty out
    [ ! -e none.db ] || fault "a database is left: $*"
}

begin "bad input is refused with option, column and what would be right"
refused 'expected --vary KEY=VALUES at least once'
refused '--vary "failback.min_sampl=5", column 1: unknown key' --vary failback.min_sampl=5
refused 'did you mean "failback.min_sample"?' --vary failback.min_sampl=5
refused 'column 23: failback.min_sample: found "0"; expected a whole number from 1' --vary failback.min_sample=5,0
refused '--vary "failback.canary_percentage=90..101", column 28: ' --vary failback.canary_percentage=90..101
refused 'column 21: the range is empty: 9 is above 5' --vary failback.min_sample=9..5
refused 'column 27: the step is 0' --vary failback.min_sample=5..50:0
refused 'column 1: expected KEY=VALUE' --vary failback.min_sample
refused 'column 23: found nothing' --vary failback.min_sample=5,
refused 'column 24: failback.window_expiry: found "jugde"' --vary failback.window_expiry=jugde,dwell
refused 'the grid has 4097 points, more than 4096' --vary failback.min_sample=1..4097
refused 'the grid has 100 x 50 points' --vary failback.min_sample=1..100 --vary failback.canary_percentage=1..50
refused 'for each scenario and policy' --vary failback.min_sample=1..2049 --policy success-rate --policy probe
refused 'the key has a --set too' --vary failback.min_sample=5 --set failback.min_sample=6
refused 'the key is varied twice' --vary failback.min_sample=5 --vary failback.min_sample=6
refused '--vary "scenario.duratoin=1 s", column 19: unknown key "duratoin"; did you mean "duration"?' \
    --vary 'scenario.duratoin=1 s'
refused '--vary "scenario.workload.shop.rate=40 /s,x", column 35: ' --vary 'scenario.workload.shop.rate=40 /s,x'
refused '--vary "failback.retrip_floor=10 %,95 %", column 28: failback.retrip_floor is 95 %; expected at most' \
    --vary 'failback.retrip_floor=10 %,95 %'
refused '--sobol takes knobs or scenario fields, not both' --sobol 4 --vary failback.min_sample=5..9 \
    --vary 'scenario.duration=30 s..40 s'
refused '--sobol "4097": expected a whole number from 1 to 4096' --sobol 4097 --vary failback.min_sample=5..9
refused 'unknown metric "flap_cuont"; did you mean "flap_count"?' --metric flap_cuont --vary failback.min_sample=5
refused 'give one of them' --vary failback.min_sample=5 --resume --force
end

begin "the help has examples"
run 0 "$regionsim" sweep --help
has out "--vary KEY=VALUES"
has out "regionsim sweep scenarios/flagship.yaml --vary failback.canary_percentage=5,10,20"
end

echo "$passed passed, $failed failed"
[ $failed = 0 ]
