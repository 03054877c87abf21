#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_explain.sh REGIONSIM DUMP_DB SOURCE_ROOT
# explain and trace. Ends with "N passed, N failed".
root=$(realpath "$3")
tests=$(realpath "$(dirname "$0")")
. "$(dirname "$0")/claims.sh"

# The flagship until the first recoveries have been judged.
"$regionsim" run "$root/scenarios/flagship.yaml" --policy success-rate --policy shipped-rust --replications 1 \
    --db flagship.db --set 'scenario.duration=14 min' --set 'scenario.phases={before: 0 min, outage: 10 min}' \
    --set 'scenario.expect=[{metric: error_count, at_least: 0}]' >out 2>err || cat err
"$regionsim" run "$root/tests/determinism/hedged.yaml" --policy success-rate --replications 2 --db hedged.db \
    >out 2>err || cat err
"$regionsim" run "$small" --replications 1 \
    --set scenario.workload.shop.rate='100 /s' --db small.db >out 2>err || cat err
clients=$(sql flagship.db "SELECT clients FROM scenario")

begin "a partition's canaries are told with the tally that the database holds"
first="FROM transition WHERE run_id = 1 AND reason_name = 'retrip' ORDER BY n LIMIT 1"
client=$(sql flagship.db "SELECT client $first")
partition=$(sql flagship.db "SELECT partition $first")
run 0 "$regionsim" explain flagship.db --client "$client" --partition "$partition"
has out "flagship under success-rate, replication 0, seed 1 (run 1 of flagship.db)"
is_empty err
COLUMNS=10000 "$regionsim" explain flagship.db --client "$client" --partition "$partition" >out
python3 "$tests/compare_explained.py" flagship.db 1 "$client" "$partition" out || fault "the numbers are not the database's"
end

begin "as JSON the same lines come with the numbers of the database"
run 0 "$regionsim" explain flagship.db --client "$client" --partition "$partition" --format json
python3 - "$client" "$partition" <<'PYTHON' || fault "the transitions are not the database's"
import json, sqlite3, sys
told = json.load(open("out", encoding="utf-8"))
rows = sqlite3.connect("flagship.db").execute(
    "SELECT at, reason_name, phase_before, phase_after, failures, threshold, canary_success, canary_total, elapsed"
    " FROM transition WHERE run_id = 1 AND client = ? AND partition = ? ORDER BY n", sys.argv[1:]).fetchall()
lines = [line for line in told["lines"] if line["kind"] == "transition"]
assert told["run"]["policy"] == "success-rate" and told["client"] == int(sys.argv[1]), told["run"]
assert [(line["at_ns"], line["reason"], line["failures"], line["threshold"], line["canary_success"],
         line["canary_total"], line["elapsed_ns"]) for line in lines] == [row[:2] + row[4:] for row in rows]
assert len(lines) > 3 and any(line["kind"] == "evidence" for line in told["lines"])
PYTHON
run 0 "$regionsim" explain flagship.db --client "$client" --partition "$partition" --at '12 min' --format json
python3 -c 'import json; told = json.load(open("out")); assert told["at_ns"] == 720 * 10**9 and " is " in told["state"]' ||
    fault "no state"
run 0 "$regionsim" explain hedged.db --operation 1 --format json
python3 -c 'import json; told = json.load(open("out")); assert told["operation"] == 1 and told["lines"][-1]["kind"]' ||
    fault "no operation"
run 0 "$regionsim" explain --first-difference flagship.db:1 flagship.db:2 --format json
python3 - <<'PYTHON' || fault "no difference as JSON"
import json
told = json.load(open("out", encoding="utf-8"))
assert not told["is_same"] and [run["policy"] for run in told["runs"]] == ["success-rate", "shipped-rust"]
assert len(told["events"]) == len(told["lines"]) == 2 and any(told["events"]) and any(told["lines"])
assert any(option["knob"].startswith("failback.") for option in told["options"])
PYTHON
run 0 "$regionsim" explain --first-difference flagship.db:1 flagship.db:1 --format json
python3 -c 'import json; assert json.load(open("out"))["is_same"]' || fault "not the same"
end

begin "an operation of a closed loop is found, and one that is made anew is told each time"
"$regionsim" run "$root/tests/determinism/capacity.yaml" --policy no-breaker --replications 1 --db capacity.db \
    >out 2>err || cat err
run 0 "$regionsim" explain capacity.db --operation \
    "$(sql capacity.db "SELECT max(id) FROM operation_sample WHERE workload = 'users'")"
says "(users) starts: a read of client"
says "ends after"
run 2 "$regionsim" explain capacity.db --operation $(((2 << 30) + 999999999))
has err "the run has no such operation; those of a closed loop come as the ones before them end"
again=$(sql capacity.db "SELECT min(id) FROM operation_sample WHERE workload = 'tight' AND error AND NOT abandoned")
COLUMNS=10000 "$regionsim" explain capacity.db --operation "$again" >out || fault "it fails"
[ "$(grep -c ') starts: ' out)" -gt 1 ] || fault "later tries are not told"
[ "$(grep -c ') starts: ' out)" = "$(grep -c 'ends after' out)" ] || fault "a try has no end"
end

begin "an operation is told from start to end, with the attempts of the database"
for operation in $(python3 - <<'PYTHON'
import sqlite3
for row in sqlite3.connect("hedged.db").execute(
        "SELECT id FROM operation_sample WHERE run_id = 2 AND (hedges > 0 OR legs > 1) ORDER BY id LIMIT 3"):
    print(*row)
PYTHON
); do
    COLUMNS=10000 "$regionsim" explain hedged.db:success-rate/1 --operation "$operation" >out || fault "it fails"
    python3 "$tests/compare_explained.py" hedged.db 2 --operation "$operation" out || fault "the attempts differ"
    for words in "before: " "regions that apply: " "next clock: " "ends after " "race: its end is "; do
        has out "$words"
    done
done
end

begin "a moment: the state, and what was decided before and after"
run 0 "$regionsim" explain flagship.db --client "$client" --partition "$partition" --at '13 min'
says "780.000000000 s client $client, partition $partition is "
has out " earlier)"
run 0 "$regionsim" explain flagship.db --from 600 --to 601
says "created: a first failure was counted"
run 0 "$regionsim" explain flagship.db --from 1 --to 2
has out "nothing was decided there"
run 0 "$regionsim" explain flagship.db:shipped-rust --at 610
says "under shipped-rust"
end

begin "the first difference of two policies is found, and a run does not differ from itself"
run 0 "$regionsim" explain --first-difference flagship.db:success-rate flagship.db:shipped-rust
says "They are the same for "
says "The difference: the region for traffic that has tripped is no region in the first and northcentralus in the second."
says "failback.strategy: success_rate | probe"
says "Why, in the second:"
run 0 "$regionsim" explain --first-difference flagship.db:1 flagship.db:success-rate/0
says "no difference: run 1 of flagship.db and run 1 of flagship.db behave alike"
run 0 "$regionsim" explain --first-difference hedged.db:1 hedged.db:2
says "luck: seed 1, replication 0 | seed 1, replication 1"
end

begin "a trace keeps to its format, and is the same every time"
run 0 "$regionsim" trace hedged.db --from 30 --to 60 --output window.json
is_empty out
operations=$(sql hedged.db "SELECT sum(requests) FROM interval WHERE run_id = 1 AND start >= 30e9 AND start < 60e9")
run 0 python3 "$tests/check_trace.py" window.json
has out " operation=$operations "
run 0 "$regionsim" trace hedged.db:1 --from 30 --to 60 --output again.json
cmp -s window.json again.json || fault "two traces of one run differ"
run 0 "$regionsim" trace hedged.db --output whole.json
has err "one in 4 is in it"
run 0 python3 "$tests/check_trace.py" whole.json
has out "one_of=4"
run 0 "$regionsim" trace flagship.db --from 785 --to 787
mv out window.json
run 0 python3 "$tests/check_trace.py" window.json
has out "one_of=1"
has_not out "canary=0"
end

begin "bad arguments are bad usage and say what is right"
run 2 "$regionsim" explain
has err "expected one run, DB or DB:RUN"
run 2 "$regionsim" explain flagship.db
has err "expected --operation N, --client C with --partition P"
run 2 "$regionsim" explain flagship.db --client 1
has err "--client and --partition go together"
run 2 "$regionsim" explain flagship.db --client "$clients" --partition 0
has err "--client $clients: flagship has clients 0 to $((clients - 1))"
run 0 "$regionsim" explain flagship.db --client 3 --partition 49 --from '13 min' --to 781
run 2 "$regionsim" explain flagship.db --client 3 --partition 50
has err "--partition 50: flagship has partitions 0 to 49"
last=$(($(sql flagship.db "SELECT requests FROM run WHERE id = 1") - 1))
run 0 "$regionsim" explain flagship.db --operation $last
run 2 "$regionsim" explain flagship.db --operation $((last + 1))
has err "those of shop are 0 to $last"
run 2 "$regionsim" explain flagship.db:succes-rate --at 1
has err 'did you mean "success-rate"?'
run 2 "$regionsim" explain flagship.db:3 --at 1
has err "expected one from 1 to 2"
run 2 "$regionsim" explain flagship.db:success-rate/7 --at 1
has err "holds no replication 7 of success-rate"
run 2 "$regionsim" explain flagship.db:success-rate/x --at 1
has err "expected POLICY/REPLICATION"
run 2 "$regionsim" explain flagship.db --at 840
has err "ends at 840 s"
run 2 "$regionsim" explain flagship.db --at soon
has err 'such as "90 s", "12 min" or 312.5'
run 2 "$regionsim" explain flagship.db --from 5 --to 5
has err "--from must be before --to"
run 2 "$regionsim" explain flagship.db --operation 1 --at 5
run 2 "$regionsim" explain --first-difference flagship.db
has err "expected two runs"
run 2 "$regionsim" explain flagship.db --operatoin 1
has err "did you mean --operation?"
run 2 "$regionsim" trace flagship.db --from 840 --output x.json
run 2 "$regionsim" trace flagship.db --output hedged.db
has err "hedged.db: it is a database"
run 3 "$regionsim" trace flagship.db --from 1 --to 2 --output none/x.json
run 3 "$regionsim" explain nowhere.db --at 1
[ ! -e x.json ] || fault "half a trace is left behind"
end

# spoilt SQL: small.db with something changed, as spoilt.db.
spoilt() {
    cp small.db spoilt.db
    python3 -c 'import sqlite3, sys
db = sqlite3.connect("spoilt.db")
db.execute(sys.argv[1])
db.commit()' "$1"
}

begin "a database that was tampered with is refused, and nothing of it is told"
while read -r expected change; do
    spoilt "$change"
    run "$expected" "$regionsim" explain spoilt.db --at 60
    is_empty out
    run "$expected" "$regionsim" trace spoilt.db --output spoilt.json
    [ ! -e spoilt.json ] || fault "there is a trace after: $change"
done <<'SQL'
70 UPDATE run SET digest = substr(digest, 2) || substr(digest, 1, 1) WHERE id = 1
70 UPDATE checkpoint SET digest = substr(digest, 2) || substr(digest, 1, 1) WHERE run_id = 1 AND k = 60
70 UPDATE run SET luck_digest = '00000000000000000000000000000000'
70 UPDATE run SET seed = 2 WHERE id = 1
2 UPDATE experiment SET draw_version = 99
2 UPDATE experiment SET stream_version = 0
2 UPDATE experiment SET metric_version = -1
2 UPDATE run SET digest = 'nonsense' WHERE id = 1
2 UPDATE run SET replication = -1 WHERE id = 1
2 UPDATE scenario SET text = 'regionsim: [1'
2 UPDATE scenario SET text = ''
2 UPDATE scenario SET text = replace(text, 'duration: 2 min', 'duration: 3 min')
2 UPDATE option SET value = value + 1 WHERE knob = 'failback.min_sample'
2 UPDATE option SET value = -1 WHERE knob = 'failback.sweep_interval'
2 UPDATE option SET knob = 'no.knob' WHERE knob = 'failback.min_sample'
2 UPDATE option SET workload = 'nobody' WHERE workload <> '' AND knob = 'failback.min_sample'
2 DELETE FROM option
2 DELETE FROM checkpoint WHERE k = 5
2 DELETE FROM experiment
2 UPDATE run_timing SET command_line = ''
2 UPDATE run_timing SET command_line = '--set ''''''\'
SQL
spoilt "UPDATE policy SET name = 'x' || char(27) || '[31m' || char(10) || 'y\"}' WHERE id = 1"
run 0 "$regionsim" explain spoilt.db --at 60
grep -q "$(printf '\033')" out && fault "a control reaches the screen"
run 0 "$regionsim" trace spoilt.db --from 1 --to 2 --output spoilt.json
run 0 python3 "$tests/check_trace.py" spoilt.json
end

begin "a database can be explained from elsewhere, by the tables beside it"
mkdir -p elsewhere/data
cp flagship.db elsewhere/
cp "$root/scenarios/data/azure-rtt.csv" elsewhere/data/
python3 - <<'PYTHON'
import sqlite3
db = sqlite3.connect("elsewhere/flagship.db")
db.execute("UPDATE run_timing SET scenario_path = '/nowhere/flagship.yaml'")
db.commit()
PYTHON
run 0 "$regionsim" explain elsewhere/flagship.db --at 700
rm elsewhere/data/azure-rtt.csv
run 2 "$regionsim" explain elsewhere/flagship.db --at 700
has err "the scenario that elsewhere/flagship.db holds cannot be loaded"
end

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
