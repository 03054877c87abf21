#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli.sh REGIONSIM DUMP_DB
# A test is a command, its exit status, and words that its output holds. Ends with "N passed, N failed".
. "$(dirname "$0")/claims.sh"

begin "the program's help names every verb and every exit status"
run 0 "$regionsim" --help
for word in run validate schema list compare check explain trace --version "130  interrupted" "70   internal error" "4    inconclusive"; do
    has out "$word"
done
is_empty err
end

begin "each verb's help shows usage, options and an example"
for verb in run validate schema list compare check report explain trace import export tune; do
    run 0 "$regionsim" $verb --help
    has out "usage: regionsim $verb"
    has out "--help"
    has out "Examples:"
    has out "Exit status:"
done
run 0 "$regionsim" run --help
for option in policy replications seed jobs db force resume set env event-mode format; do
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
has err "expected run, validate, schema, list, compare, check, report, sweep, explain, trace, import, export or tune"
end

begin "lists and help keep to a narrow screen"
COLUMNS=70 "$regionsim" list metrics >out
python3 -c 'assert max(map(len, open("out", encoding="utf-8").read().splitlines())) <= 70' || fault "metrics are too wide"
COLUMNS=60 "$regionsim" --help >out
sed '/^Examples:/,/^$/d; /^usage/d' out | awk 'length > 60 { exit 1 }' || fault "help is too wide: $(cat out)"
end

begin "on a terminal messages are wrapped, in a file each is one line"
cat >wrapped.py <<'PYTHON'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.environ["COLUMNS"] = "60"
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
try:
    while piece := os.read(terminal, 4096):
        text += piece
except OSError:
    pass
os.waitpid(child, 0)
lines = text.decode().splitlines()
assert len(lines) > 1 and max(map(len, lines)) <= 60, lines
PYTHON
run 0 python3 wrapped.py "$regionsim" qqqqqq
run 2 "$regionsim" qqqqqq
[ "$(wc -l <err)" = 1 ] || fault "a message takes several lines in a file"
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
has_not out "cannot decide:"
has out "cannot decide on reads alone: a pair of which nothing else has tripped sends 13.5 canaries"
has out "cannot decide on writes alone: a pair of which nothing else has tripped sends 1.5 canaries"
# 100 canaries a second and pair: 500 in a window, ten in flight. 98 % of 510 are reached by 500 successes, 98.1 % are not.
for threshold in 98.1 98; do
    run 0 "$regionsim" validate "$small" --set failback.pending=counted --set failback.success_threshold="$threshold %" \
        --set failback.canary_percentage=100 --set failback.eval_window=5s --set scenario.workload.shop.rate=800/s
    if [ $threshold = 98 ]; then has_not out "overlap bias"; else has out "overlap bias"; fi
done
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
has out "| failback.decide | every | every min_sample window_end sequential | AZURE_COSMOS_PPCB_FAILBACK_DECIDE |"
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
has out "probe against success-rate"
has out "95 % interval"
says "Differences are taken within replications"
says "Against success-rate, probe has"
has out "It costs"
says "more flaps (95"
has out "Database: both.db"
[ "$(sed -n 5p out | cut -d' ' -f1)" = away_healthy_s ] || fault "the headline does not come first"
grep -q "$(printf '\033')" out err && fault "escape sequences in a pipe"
end

begin "with fewer than five replications there is no verdict"
run 0 "$regionsim" run "$small" --policy success-rate --policy probe --replications 4 --db four.db
has out "No verdict"
has_not out "Against"
has out "Too few replications"
end

begin "json, csv and md print the same values"
for format in json csv md; do
    run 0 "$regionsim" run "$small" --policy success-rate --policy probe --db format.db --force --format $format
    cp out "out.$format"
done
python3 - <<'PYTHON' || fault "formats differ"
import csv, json
table = {(row["metric"], row["policy"]): row for row in csv.DictReader(open("out.csv"))}
scenario = json.load(open("out.json"))["scenarios"][0]
count = 0
words = set()
for metric in scenario["metrics"]:
    for policy, cell in metric["policies"].items():
        row = table[(metric["metric"], policy)]
        assert (row["value"] == "") == (cell["value"] is None)
        assert row["value"] == "" or float(row["value"]) == cell["value"]
        assert row["verdict"] == cell.get("verdict", "")
        assert row["baseline"] == ("" if policy == "success-rate" else "success-rate")
        assert (row["difference"] == "") == ("difference" not in cell)
        assert row["difference"] == "" or float(row["difference"]) == cell["difference"]
        if "interval" in cell:
            assert [float(row["low"]), float(row["high"])] == cell["interval"] and row["method"] == cell["method"]
            assert cell["interval"][0] <= cell["difference"] <= cell["interval"][1]
        words.add(row["verdict"])
        count += 1
assert count == len(table) > 40
assert {"better", "worse", "higher", "inconclusive", "equal"} <= words, words
assert scenario["verdict"].startswith("Against success-rate, probe has")
PYTHON
has out.md "| metric | unit | success-rate | probe |"
has out.md "### probe against success-rate"
has out.md "| metric | verdict | difference | 95 % interval | unit | relative |"
end

begin "a policy compared with itself differs by exactly zero everywhere"
sed 's/^policy: .*/policy: twin/' scenarios/policies/probe.yaml >scenarios/policies/twin.yaml
objectives='scenario.objectives=[away_healthy_s, flap_count, latency_p99]'
run 0 "$regionsim" run "$small" --policy probe --policy twin --replications 6 --db twin.db --format json --set "$objectives"
python3 - <<'PYTHON' || fault "a twin differs"
import json
metrics = json.load(open("out"))["scenarios"][0]["metrics"]
compared = [metric["policies"]["twin"] for metric in metrics]
assert {cell["verdict"] for cell in compared} == {"equal", "no data"}
assert all(cell["verdict"] == "no data" for cell in compared if cell["value"] is None)
equal = [cell for cell in compared if cell["verdict"] == "equal"]
assert len(equal) > 20
assert all(cell["difference"] == 0 and cell["interval"] == [0, 0] for cell in equal)
unseen = [cell["at_most"] for cell in compared if "at_most" in cell]
assert unseen and all(bound == 0.5 for bound in unseen)
PYTHON
run 0 "$regionsim" run "$small" --policy probe --policy twin --replications 6 --db twin.db --resume --set "$objectives"
says "as good as probe: twin"
says "twin does as well as probe."
says "probe do not differ by more than the margin"
end

begin "objectives are judged and named, and what is worse is no better"
run 0 "$regionsim" run "$small" --policy success-rate --policy probe --replications 8 --db goals.db \
    --set 'scenario.objectives=[home_unhealthy_s, canary_failure_count]'
says "a trade with success-rate: probe."
says "probe is a trade against success-rate: better on canary_failure_count; worse on home_unhealthy_s."
run 0 "$regionsim" run "$small" --policy success-rate --policy probe --replications 8 --db goals.db --force \
    --set 'scenario.objectives=[canary_failure_count]'
says "better than success-rate: probe."
run 0 "$regionsim" run "$small" --policy probe --policy success-rate --replications 8 --db goals.db --force \
    --set 'scenario.objectives=[canary_failure_count]'
says "no policy is better than probe; worse than probe: success-rate."
end

begin "where the sweep dominates the time to return, the summary says so once, and the warning too"
sed 's/^policy: .*/policy: twin/' scenarios/policies/success-rate.yaml >scenarios/policies/twin.yaml
run 0 "$regionsim" run "$small" --policy success-rate --policy twin --db sweep.db --set failback.promote=sweep \
    --set 'failback.sweep_interval=40 s'
says "The sweep dominates the median time to return of success-rate ("
says "failback.sweep_interval, 40 s"
has_not out "there is no such wait"
has err "warning: small under success-rate, twin: shop: sweep dominates"
[ "$(grep -c "sweep dominates" err)" = 1 ] || fault "the warning is repeated"
run 0 "$regionsim" run "$small" --policy success-rate --policy probe --db sweep.db --force
has_not out "The sweep dominates"
end

begin "the text fits a narrow screen, and NO_COLOR is honoured"
COLUMNS=60 run 0 "$regionsim" run "$small" --policy success-rate --policy probe --db both.db --resume
python3 -c 'assert max(len(line.rstrip("\n")) for line in open("out", encoding="utf-8")) <= 60' || fault "too wide"
cat >terminal.py <<'PYTHON'
import fcntl, os, pty, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 70, 0, 0))
    os.environ.pop("COLUMNS", None)
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
try:
    while block := os.read(terminal, 65536):
        text += block
except OSError:
    pass
sys.stdout.buffer.write(text)
PYTHON
# A bare root without /dev/pts has no pseudo-terminals to try colours on.
if python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
python3 terminal.py "$regionsim" run "$small" --policy success-rate --policy probe --db both.db --resume >out
grep -q "$(printf '\033\[32m')" out || fault "no colour on a terminal"
NO_COLOR=1 python3 terminal.py "$regionsim" run "$small" --policy success-rate --policy probe --db both.db --resume >out
grep -q "$(printf '\033\[[0-9]*m')" out && fault "colour in spite of NO_COLOR"
grep -q "flap_count" out || fault "no summary"
python3 -c 'import re
lines = re.sub("\033\\[[0-9;]*[A-Za-z]", "", open("out", encoding="utf-8", newline="").read()).split("\n")
table = [line for line in lines if not line.startswith("warning: ")]
assert max(len(line.rstrip("\r").split("\r")[-1]) for line in table) <= 70' || fault "wider than the terminal"
else
    echo "  no pseudo-terminals here: colours were not looked at"
fi
end

begin "an existing database is refused, kept, and replaced by force alone"
"$dump_db" both.db >before
run 2 "$regionsim" run "$quick" --replications 2 --db both.db
has err "both.db exists already"
has err "--resume to go on with it"
"$dump_db" both.db >after
cmp -s before after || fault "the database has changed"
run 0 "$regionsim" run "$quick" --replications 2 --db both.db --force
"$dump_db" both.db >after
cmp -s before after && fault "the database was not replaced"
run 2 "$regionsim" run "$quick" --db "$small" --force
has err "is no database of this program"
end

begin "resume goes on with the same experiment and refuses another"
run 0 "$regionsim" run "$quick" --replications 2 --db part.db --resume
run 0 "$regionsim" run "$quick" --replications 5 --db part.db --resume
run 0 "$regionsim" run "$quick" --replications 5 --db whole.db
"$dump_db" part.db >part.txt
"$dump_db" whole.db >whole.txt
cmp -s part.txt whole.txt || fault "the extended database differs"
for other in "--replications 4" "--seed 2" "--policy probe" "--policy success-rate --policy probe" \
    "--set failback.min_sample=7" "--set scenario.duration=31s"; do
    run 2 "$regionsim" run "$quick" --db part.db --resume $other
    has err "the database part.db holds"
done
run 2 "$regionsim" run "$quick" --db part.db --resume --force
has err "give one of them"
run 2 "$regionsim" run "$quick" --db "$small" --resume
run 3 "$regionsim" run "$quick" --db /proc/no/a.db --resume
"$dump_db" part.db >part.txt
cmp -s part.txt whole.txt || fault "a refusal has changed the database"
end

begin "jobs and event mode leave no trace in the tables, seed and settings do"
for jobs in 1 2 5; do
    run 0 "$regionsim" run "$small" --policy success-rate --policy probe --replications 3 --jobs $jobs --db jobs$jobs.db
    "$dump_db" jobs$jobs.db >jobs$jobs.txt
done
run 0 "$regionsim" run "$small" --policy success-rate --policy probe --replications 3 --event-mode reference --verify \
    --db ref.db
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
says "(it must trip)"
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
    ulimit -f 1600
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
