#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli.sh REGIONSIM DUMP_DB
# A test is a command, its exit status, and words that its output holds. Ends with "N passed, N failed".
set -u
regionsim=$(realpath "$1")
dump_db=$(realpath "$2")
fixtures=$(cd "$(dirname "$0")/scenarios" && pwd)
[ -d /dev/shm ] && export TMPDIR=/dev/shm # a disk would be waited for at every run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
unset NO_COLOR
passed=0
failed=0

# claim STATUS COMMAND...: runs it, keeps its output in out and err.
run() {
    expected=$1
    shift
    "$@" >out 2>err
    status=$?
    if [ "$status" != "$expected" ]; then
        fault "exit status $status, expected $expected: $*"
        cat err
    fi
}

fault() {
    echo "  $1"
    is_good=false
}

# has FILE WORDS: the file holds the words, or that is a fault.
has() {
    grep -qF -e "$2" "$1" || fault "$1 does not hold: $2"
}

has_not() {
    ! grep -qF -e "$2" "$1" || fault "$1 holds: $2"
}

is_empty() {
    [ ! -s "$1" ] || fault "$1 is not empty: $(head -c 200 "$1")"
}

# sql FILE QUERY: the first column of the first row.
sql() {
    python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$1" "$2"
}

begin() {
    is_good=true
    name=$1
}

end() {
    if $is_good; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
    fi
}

cp -r "$fixtures" scenarios
scenarios=$work/scenarios
small=$scenarios/small.yaml
# The same incident, cut after its first ten seconds.
quick=$scenarios/quick.yaml
sed 's/^scenario: .*/scenario: quick/; s/^duration: .*/duration: 30 s/; s/^phases: .*/phases: {before: 0 s}/' "$small" >"$quick"

begin "the program's help names every verb and every exit status"
run 0 "$regionsim" --help
for word in run validate schema list --version "130  interrupted" "70   internal error" "4    inconclusive"; do
    has out "$word"
done
is_empty err
end

begin "each verb's help shows usage, options and an example"
for verb in run validate schema list; do
    run 0 "$regionsim" $verb --help
    has out "usage: regionsim $verb"
    has out "--help"
    has out "Examples:"
    has out "Exit status:"
done
run 0 "$regionsim" run --help
for option in policy replications seed jobs db force set env event-mode format; do
    has out "--$option"
done
end

begin "the version is one line"
run 0 "$regionsim" --version
has out "regionsim "
[ "$(wc -l <out)" = 1 ] || fault "more than one line"
end

begin "no verb, a misspelt verb and an unknown one are bad usage"
run 2 "$regionsim"
has err "usage: regionsim VERB"
is_empty out
run 2 "$regionsim" valdate "$small"
has err 'unknown verb "valdate"; did you mean "validate"?'
run 2 "$regionsim" qqqqqq
has err "expected run, validate, schema or list"
end

begin "misspelt and misused options are bad usage and say what is right"
run 2 "$regionsim" run "$small" --polcy x
has err 'unknown option "--polcy"; did you mean --policy?'
run 2 "$regionsim" run "$small" --replicatons=3
has err "did you mean --replications?"
run 2 "$regionsim" run "$small" -z
has err 'unknown option "-z"'
run 2 "$regionsim" run "$small" --force=yes
has err "--force takes no value"
run 2 "$regionsim" run "$small" --db
has err "--db needs a value: FILE"
run 2 "$regionsim" schema --policy x
has err 'unknown option "--policy"'
run 2 "$regionsim" run "$small" --format jsn
has err 'did you mean "json"?'
run 2 "$regionsim" run "$small" --event-mode slow
has err "expected fast or reference"
run 2 "$regionsim" run "$small" --set failback.min_sample
has err "expected KEY=VALUE"
is_empty out
end

begin "numbers are checked at both ends of their range"
for value in 0 10001 -1 1x ""; do
    run 2 "$regionsim" run "$small" --replications "$value"
    has err "expected a whole number from 1 to 10000"
done
run 2 "$regionsim" run "$small" --seed 9223372036854775808
has err "expected a whole number from 0 to 9223372036854775807"
run 2 "$regionsim" run "$small" --jobs 0
has err "expected a whole number from 1 to 1024"
run 0 "$regionsim" run "$quick" --seed 9223372036854775807 --replications 1 --jobs 1024 --db ends.db
end

begin "missing operands and files are bad input"
run 2 "$regionsim" run
has err "expected at least one scenario file"
run 2 "$regionsim" validate
run 2 "$regionsim" list
run 2 "$regionsim" run no-such.yaml
has err "no-such.yaml"
run 2 "$regionsim" run "$small" --policy sucess-rate
has err 'did you mean "success-rate"?'
run 2 "$regionsim" run "$small" --set failback.min_smple=3
has err 'did you mean "failback.min_sample"?'
run 2 "$regionsim" run "$small" --set failback.min_sample=0
run 2 "$regionsim" run "$small" --policy probe --policy "$scenarios/policies/probe.yaml"
has err 'are both named "probe"'
[ ! -e regionsim.db ] || fault "a database was made"
end

begin "a misspelt metric is bad input, on the command line and in an expectation"
run 2 "$regionsim" list metrics latncy_p99
has err 'unknown metric "latncy_p99"; did you mean "latency_p99"?'
run 2 "$regionsim" list knobs failback.min_samples
has err 'did you mean "failback.min_sample"?'
run 2 "$regionsim" run "$small" --set 'scenario.expect=[{metric: flap_cout, at_most: 3}]'
has err 'unknown metric "flap_cout"; did you mean "flap_count"?'
run 2 "$regionsim" validate "$small" --set 'scenario.objectives=[flap_count, latency_p98]'
has err 'did you mean "latency_p9'
printf 'expect:\n  - {metric: retrip_cont, at_most: 1}\n' | cat "$small" - >scenarios/misspelt.yaml
run 2 "$regionsim" run scenarios/misspelt.yaml
has err 'scenarios/misspelt.yaml:'
has err 'did you mean "retrip_count"?'
rm scenarios/misspelt.yaml
end

begin "validate tells what follows from a scenario, and what a policy sets"
run 0 "$regionsim" validate "$small" --policy probe
has out "small.yaml: OK, scenario small"
has out "10 /s for each of 8 (client, partition) pairs"
has out "reads that all fail trip a pair after about 0.333 s"
has_not out "canaries of a pair"
run 0 "$regionsim" validate "$small" --set failback.min_sample=16 --set failback.promote=sweep
has out "15.0 canaries of a pair in a window of 5 s, failback.min_sample 16"
has out "cannot decide"
has out "sweep dominates"
run 0 "$regionsim" validate "$small" --set failback.min_sample=15
has_not out "cannot decide"
run 0 "$regionsim" validate "$scenarios/policies/probe.yaml"
has out "OK, policy probe"
has out "failback.strategy: probe"
printf 'regionsim: 1\nscenario: broken\n' >broken.yaml
run 2 "$regionsim" validate broken.yaml
has err "broken.yaml:"
printf 'regionsim: 1\n' >neither.yaml
run 2 "$regionsim" validate neither.yaml "$small"
has err "neither a scenario nor a policy"
has out "OK, scenario small"
end

begin "list shows scenarios, policies, metrics and knobs in every format"
run 0 "$regionsim" list scenarios "$scenarios"
has out "North Central US fails"
has_not out "success-rate"
run 0 "$regionsim" list policies "$scenarios"
has out "One request decides."
mkdir -p deep/deeper
cd deep/deeper || exit 3
run 0 "$regionsim" list policies --format csv
has out "probe,../../scenarios/policies/probe.yaml,One request decides."
cd "$work" || exit 3
run 0 "$regionsim" list metrics --format json
python3 -c 'import json; assert len(json.load(open("out"))) > 40' || fault "metrics are no JSON list"
run 0 "$regionsim" list knobs failback.decide --format md
has out "| failback.decide | every | every min_sample window_end | AZURE_COSMOS_PPCB_FAILBACK_DECIDE |"
[ "$(wc -l <out)" = 3 ] || fault "not one row"
run 2 "$regionsim" list metrcs
has err 'did you mean "metrics"?'
run 2 "$regionsim" list scenarios no-such-folder
end

begin "schema prints JSON"
run 0 "$regionsim" schema
python3 -c 'import json; json.load(open("out"))' || fault "no JSON"
end

begin "run compares policies, and only data goes to a pipe"
run 0 "$regionsim" run "$small" --policy success-rate --policy probe --db both.db
has out "success-rate"
has out "flaps least"
has out "costs:"
has out "Database: both.db"
[ "$(sed -n 5p out | cut -d' ' -f1)" = away_healthy_s ] || fault "the headline does not come first"
grep -q "$(printf '\033')" out err && fault "escape sequences in a pipe"
end

begin "with fewer than five replications there is no verdict"
run 0 "$regionsim" run "$small" --policy success-rate --policy probe --replications 4 --db four.db
has out "No verdict"
has_not out "flaps least"
end

begin "json, csv and md print the same values"
for format in json csv md; do
    run 0 "$regionsim" run "$small" --policy success-rate --policy probe --db format.db --force --format $format
    cp out "out.$format"
done
python3 - <<'PYTHON' || fault "formats differ"
import csv, json
table = {(row["metric"], row["policy"]): row["value"] for row in csv.DictReader(open("out.csv"))}
scenario = json.load(open("out.json"))["scenarios"][0]
count = 0
for metric in scenario["metrics"]:
    for policy, cell in metric["policies"].items():
        text = table[(metric["metric"], policy)]
        assert (text == "") == (cell["value"] is None)
        assert text == "" or float(text) == cell["value"]
        count += 1
assert count == len(table) > 40
assert scenario["verdict"].split()[1:3] == ["flaps", "least:"]
PYTHON
has out.md "| metric | unit | success-rate | probe |"
end

begin "an existing database is refused, kept, and replaced by force alone"
"$dump_db" both.db >before
run 2 "$regionsim" run "$quick" --replications 2 --db both.db
has err "both.db exists already"
"$dump_db" both.db >after
cmp -s before after || fault "the database has changed"
run 0 "$regionsim" run "$quick" --replications 2 --db both.db --force
"$dump_db" both.db >after
cmp -s before after && fault "the database was not replaced"
run 2 "$regionsim" run "$quick" --db "$small" --force
has err "is no database of this program"
end

begin "jobs and event mode leave no trace in the tables, seed and settings do"
for jobs in 1 2 5; do
    run 0 "$regionsim" run "$small" --policy success-rate --policy probe --replications 3 --jobs $jobs --db jobs$jobs.db
    "$dump_db" jobs$jobs.db >jobs$jobs.txt
done
run 0 "$regionsim" run "$small" --policy success-rate --policy probe --replications 3 --event-mode reference --db ref.db
"$dump_db" ref.db >ref.txt
for other in jobs2.txt jobs5.txt ref.txt; do
    cmp -s jobs1.txt $other || fault "$other differs"
done
run 0 "$regionsim" run "$small" --policy success-rate --policy probe --replications 3 --seed 2 --db seed.db
"$dump_db" seed.db >seed.txt
cmp -s jobs1.txt seed.txt && fault "another seed gives the same tables"
end

begin "policies meet the same luck"
[ "$(sql jobs1.db "SELECT count(DISTINCT luck_digest) || ' ' || count(DISTINCT digest) FROM run")" = "3 6" ] ||
    fault "luck or behaviour digests are wrong"
end

begin "expectations decide the exit status: 0 held, 1 failed, 4 without data"
run 0 "$regionsim" run "$quick" --replications 2 --db e.db --force --set 'scenario.expect=[{metric: trip_count, at_least: 1}]'
has out "holds: trip_count of success-rate"
run 1 "$regionsim" run "$quick" --replications 2 --db e.db --force \
    --set 'scenario.expect=[{metric: trip_count, at_most: 0, because: it must trip}]'
has out "FAILS: trip_count of success-rate"
has out "(it must trip)"
run 4 "$regionsim" run "$quick" --replications 2 --db e.db --force --set 'scenario.expect=[{metric: flap_rate, at_most: 1}]'
has out "no data: flap_rate"
run 0 "$regionsim" run "$quick" --replications 2 --db e.db --force \
    --set 'scenario.expect=[{metric: trip_count, policy: probe, at_most: 0}]'
run 1 "$regionsim" run "$quick" --replications 2 --db e.db --force --format json \
    --set 'scenario.expect=[{metric: trip_count, at_most: 0}]'
python3 -c 'import json; assert json.load(open("out"))["scenarios"][0]["expectations"][0]["verdict"] == "fails"' ||
    fault "the verdict is not in the JSON"
end

begin "the process's environment counts with --env alone, and wins over the scenario's"
option="SELECT text || ' ' || origin FROM option WHERE knob = 'breaker.failure_share' AND workload = ''"
export AZURE_COSMOS_PPCB_FAILURE_SHARE=0.75
run 0 "$regionsim" run "$quick" --replications 2 --db env.db
[ "$(sql env.db "$option")" = "90 % default" ] || fault "the process's variable took effect"
map='scenario.environment={AZURE_COSMOS_PPCB_FAILURE_SHARE: "0.5"}'
run 0 "$regionsim" run "$quick" --replications 2 --db env.db --force --set "$map"
[ "$(sql env.db "$option")" = "50 % environment" ] || fault "the scenario's variable took no effect"
run 0 "$regionsim" run "$quick" --replications 2 --db env.db --force --set "$map" --env
[ "$(sql env.db "$option")" = "75 % environment" ] || fault "--env took no effect"
export AZURE_COSMOS_PPCB_FAILURE_SHARE=2
run 2 "$regionsim" run "$quick" --replications 2 --db env.db --force --env
has err "AZURE_COSMOS_PPCB_FAILURE_SHARE"
unset AZURE_COSMOS_PPCB_FAILURE_SHARE
end

begin "the command line is recorded as it was typed"
run 0 "$regionsim" run "$quick" --replications 2 --db line.db --set 'failback.eval_window=10 s' --seed 3
line="$regionsim run $quick --replications 2 --db line.db --set 'failback.eval_window=10 s' --seed 3"
[ "$(sql line.db "SELECT command_line FROM run_timing LIMIT 1")" = "$line" ] ||
    fault "$(sql line.db "SELECT command_line FROM run_timing LIMIT 1")"
end

begin "full disks, full outputs and unwritable folders are status 3"
(
    ulimit -f 1200
    "$regionsim" run "$small" --replications 50 --db full.db >out 2>err
)
[ $? = 3 ] || fault "no status 3 on a full disk"
has err "cannot write the database full.db"
has err "of 50 runs are finished and kept in full.db"
[ "$(sql full.db "PRAGMA integrity_check")" = ok ] || fault "the database is damaged"
[ "$(sql full.db "SELECT count(*) > 0 FROM run WHERE state = 'done'")" = 1 ] || fault "no run was kept"
run 3 "$regionsim" run "$quick" --replications 2 --db /proc/no/a.db
has err "cannot create the database /proc/no/a.db"
"$regionsim" list metrics >/dev/full 2>err
[ $? = 3 ] || fault "no status 3 on a full output"
has err "cannot write the output"
end

begin "an interrupt keeps finished runs and is status 130"
for signal in INT TERM; do
    rm -f stop.db
    "$regionsim" run "$small" --replications 2000 --jobs 2 --db stop.db >out 2>err &
    process=$!
    while [ ! -e stop.db ] || [ "$(sql stop.db "SELECT sum(state = 'done') > 2 FROM run")" != 1 ]; do
        kill -0 $process || break
        sleep 0.05
    done
    kill -$signal $process
    wait $process
    [ $? = 130 ] || fault "no status 130 after $signal"
    has err "of 2000 runs are finished and kept in stop.db"
    is_empty out
    kept=$(sed -n 's/regionsim: \([0-9]*\) of 2000.*/\1/p' err)
    [ "$(sql stop.db "SELECT count(*) FROM run WHERE state = 'done'")" = "$kept" ] || fault "runs were lost"
done
end

echo "$passed passed, $failed failed"
[ $failed = 0 ]
