#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_check.sh REGIONSIM DUMP_DB PLANTED
# The gate: what passes, what does not, and what it says. Ends with "N passed, N failed".
planted=$(realpath "$3")
schema=$(cd "$(dirname "$0")" && pwd)/junit.xsd
. "$(dirname "$0")/claims.sh"

# A smaller incident with objectives, and one that has nothing to judge by.
gated=scenarios/gated.yaml
cat "$small" - >"$gated" <<'YAML'
objectives: [home_unhealthy_s, flap_count, latency_p99, canary_failure_count]
margins: {flap_count: {absolute: 3}, latency_p99: {relative: 5 %}, canary_failure_count: {relative: 3 %}}
expect:
  - {metric: trip_count, at_least: 8, because: every pair sees the outage}
  - {metric: trip_count, policy: success-rate, at_most: 40}
YAML
sed -i 's/^scenario: .*/scenario: gated/; s/^duration: .*/duration: 90 s/' "$gated"
line_of() { grep -n "$1" "$gated" | head -n 1 | cut -d: -f1; }

check() { # STATUS ARGUMENT...: against the baseline
    expected_status=$1
    shift
    run "$expected_status" "$regionsim" check "$gated" --baseline baseline.yaml "$@"
}

begin "--update writes a small file that it can read back, sorted, with the comment at its top kept"
printf '# our gate\n# of two lines\nregionsim_baseline: 0\nwhatever: else\n' >baseline.yaml
check 0 --policy success-rate --policy probe --update --max-replications 10
head -n 3 baseline.yaml | grep -q '^# our gate' || fault "the comment is gone"
has baseline.yaml "regionsim_baseline: 1"
has_not baseline.yaml "whatever"
has baseline.yaml "tolerance: 5 %"
has baseline.yaml "tolerance: 3"
[ "$(grep -c '^      [a-z-]*:$' baseline.yaml)" = 2 ] || fault "not two policies"
grep '^      [a-z-]*:$' baseline.yaml | sort -C || fault "policies are not sorted"
cp baseline.yaml first.yaml
check 0 --policy probe --policy success-rate --update --max-replications 10 --jobs 1
cmp -s first.yaml baseline.yaml || fault "the same runs give another file"
[ "$(wc -c <baseline.yaml)" -lt 20000 ] || fault "the file is not small"
end

begin "without a change everything is identical, and nothing but the result is printed"
check 0
has out "ok     gated under success-rate: 2 expectations hold; identical to the baseline"
has out "11 rules, baseline baseline.yaml: 11 passed, 0 failed, 0 not judged"
is_empty err
end

begin "a threshold of a half with a floor of a tenth turns it red, and both are named"
check 1 --set failback.success_threshold=0.5 --set failback.retrip_floor=0.1
says "options changed: failback.retrip_floor 50 % -> 10 %, failback.success_threshold 90 % -> 50 %"
says "flap_count: worse"
says "behaviour first differs between"
has out "regionsim run"
has out "--set failback.success_threshold=0.5"
grep -q "gated.yaml:$(line_of objectives): success-rate: flap_count" out || fault "the objective's line is not named"
# The command that it prints does show the moment.
sed -n 's/^    regionsim run /run /p' out | head -n 1 | sed 's/--db moment.db/--db moment.db --jobs 1/' >command
eval "\"$regionsim\" $(cat command)" >replay.out 2>&1
[ -f moment.db ] || fault "the replay makes no database"
sed -n 's/^    regionsim explain /explain /p' out | head -n 1 >command
xargs "$regionsim" <command >told || fault "the moment cannot be explained"
grep -q "^[0-9.]* s  *client [0-9]*, partition [0-9]*: " told || fault "nothing happened at that moment"
end

begin "all traffic as canaries turns it red, and is named"
check 1 --set failback.canary_percentage=100
says "options changed: failback.canary_percentage 30 % -> 100 %"
end

begin "a planted bug in a reducer turns it red: no input has changed, so the program has"
run 1 "$planted" check "$gated" --baseline baseline.yaml
says "neither options nor scenario changed: the program did"
says "transitions by reason: "
says "retrip "
says "flap_count: worse"
end

begin "an expectation that fails names rule, value, limit, moment, seed and the command"
run 1 "$regionsim" check "$gated" --policy success-rate --set 'scenario.expect=[{metric: trip_count, at_most: 9, because: we say so}]'
says "trip_count of success-rate in all is"
says "expected at most 9 departures"
says "because: we say so"
says "replication 1, seed 1: kept until 57 s, broken at 1 min"
has out "--seed 1 --replications 2"
run 1 "$regionsim" check "$gated" --policy success-rate --set 'scenario.expect=[{metric: trip_count, at_least: 999}]'
says "from its beginning on"
end

begin "annotations stand at the expectation's line, and are escaped"
sed 's/at_least: 8, because/at_least: 999, because/' "$gated" >scenarios/annotated.yaml
run 1 "$regionsim" check scenarios/annotated.yaml --policy success-rate --github
has out "::error file=scenarios/annotated.yaml,line=$(line_of 'at_least: 8'),title=gated under success-rate%3A FAILS::"
grep '^::error' out | grep -q '%0Abecause: every pair sees the outage%0A' || fault "line ends are not escaped"
end

begin "improvements pass and say how to keep them"
run 0 "$regionsim" check "$gated" --policy success-rate --baseline bad.yaml --update --max-replications 10 \
    --set 'scenario.objectives=[flap_count, canary_count]' --set failback.success_threshold=0.5 --set failback.retrip_floor=0.1
sed -i '/canary_count:/,/values/s/tolerance: .*/tolerance: 100 %/' bad.yaml
run 0 "$regionsim" check "$gated" --policy success-rate --baseline bad.yaml --set 'scenario.objectives=[flap_count, canary_count]'
says "better than the baseline (--update keeps it)"
end

begin "a change that changes too little passes: within tolerance"
sed 's/tolerance: .*/tolerance: 100 %/' baseline.yaml >wide.yaml
run 0 "$regionsim" check "$gated" --baseline wide.yaml --policy success-rate --set failback.canary_percentage=31
says "within tolerance of the baseline"
end

begin "what cannot be told apart is inconclusive, after more replications, and does not pass"
sed 's/tolerance: .*/tolerance: 0.001 %/' baseline.yaml >narrow.yaml
run 4 "$regionsim" check "$gated" --baseline narrow.yaml --policy success-rate --set failback.canary_percentage=29
says "inconclusive"
end

begin "other luck is compared all the same, unpaired, and says why"
check 4 --seed 2 --policy success-rate
says "the seed is 2, the baseline's 1"
grep -q "regression" out && fault "other luck is no regression"
run 1 "$regionsim" check "$gated" --baseline baseline.yaml --policy success-rate --seed 2 \
    --set failback.success_threshold=0.5 --set failback.retrip_floor=0.1
says "flap_count: worse"
check 4 --policy success-rate --set 'scenario.workload.shop.rate=60 /s'
says "the scenario changed: "
says "workload"
end

begin "a stale baseline does not pass, and says what to do"
sed 's/^stream_version: .*/stream_version: 0/' baseline.yaml >stale.yaml
run 4 "$regionsim" check "$gated" --baseline stale.yaml
says "its behaviour records have version 0, those of this program 2; make it anew with --update"
sed 's/^metric_version: 1/metric_version: 0/' baseline.yaml >stale.yaml
run 4 "$regionsim" check "$gated" --baseline stale.yaml
says "its metrics have version 0"
cp "$scenarios/policies/probe.yaml" "$scenarios/policies/other.yaml"
sed -i 's/^policy: .*/policy: other/' "$scenarios/policies/other.yaml"
check 4 --policy other
says "the baseline does not hold it"
check 4 --set 'scenario.objectives=[flap_count, latency_p999]'
says "latency_p999: the baseline or the scenario does not gate it"
end

begin "a gate without samples never passes, and a misspelt one is bad input"
sed 's/^objectives: .*/objectives: [hedge_refused, failback_lag_p50, canary_delay_p99]/; /^margins/d' "$gated" >scenarios/empty.yaml
run 0 "$regionsim" check scenarios/empty.yaml --policy success-rate --baseline empty.yaml --update --max-replications 2 \
    --set breaker.enabled=false
has err "failback_lag_p50 has no data; its gate will not pass"
run 4 "$regionsim" check scenarios/empty.yaml --policy success-rate --baseline empty.yaml --set breaker.enabled=false \
    --set 'scenario.expect=[{metric: canary_delay_p99, at_most: 1 s}]'
says "such a gate never passes"
says "canary_delay_p99 of success-rate in all is –"
sed 's/latency_p99:/latency_p98:/' baseline.yaml >misspelt.yaml
run 2 "$regionsim" check "$gated" --baseline misspelt.yaml
has err "misspelt.yaml:"
has err 'unknown metric "latency_p98"; did you mean "latency_p9'
sed 's/tolerance: 5 %/tolerance: 5 seconds/' baseline.yaml >misspelt.yaml
run 2 "$regionsim" check "$gated" --baseline misspelt.yaml
has err 'found "5 seconds"; expected a tolerance'
sed 's/tolerance:/tolerence:/' baseline.yaml >misspelt.yaml
run 2 "$regionsim" check "$gated" --baseline misspelt.yaml
has err 'did you mean "tolerance"?'
run 2 "$regionsim" check "$gated" --baseline nowhere.yaml
run 2 "$regionsim" check "$gated" --set 'scenario.expect=[{metric: trip_cout, at_most: 3}]'
has err 'did you mean "trip_count"?'
sed '/^expect:/,$d; /^objectives/d; /^margins/d' "$gated" >scenarios/nothing.yaml
run 4 "$regionsim" check scenarios/nothing.yaml
says "nothing was checked"
run 2 "$regionsim" check "$gated" --update
has err "--update needs the name of the file"
end

begin "--update and result files replace nothing that they should not, and follow links"
update() { # STATUS FILE: writes a baseline of one run there
    run "$1" "$regionsim" check "$gated" --policy success-rate --replications 1 --max-replications 1 --update --baseline "$2"
}
cp "$gated" kept.yaml
update 2 kept.yaml
has err "kept.yaml is no baseline; --update must not replace it"
cmp -s "$gated" kept.yaml || fault "a scenario was overwritten"
run 0 "$regionsim" run "$small" --replications 1 --db kept.db
cp kept.db same.db
update 2 kept.db
run 2 "$regionsim" check "$gated" --json kept.db
has err "kept.db: it is a database"
cmp -s same.db kept.db || fault "a database was overwritten"
ln -s linked.yaml link.yaml
update 0 link.yaml
[ -L link.yaml ] && [ -f linked.yaml ] || fault "the link was replaced"
printf '# no line end' >short.yaml
update 0 short.yaml
run 0 "$regionsim" check "$gated" --policy success-rate --replications 1 --max-replications 1 --baseline short.yaml
if [ -c /dev/full ]; then
    update 3 /dev/full
    has err "cannot write /dev/full"
fi
end

begin "JUnit, Markdown and JSON tell the same; JUnit is valid"
check 1 --set failback.success_threshold=0.5 --set failback.retrip_floor=0.1 --junit out.xml --markdown out.md --json out.json
if command -v xmllint >/dev/null; then
    xmllint --noout --schema "$schema" out.xml 2>xml.err || fault "$(cat xml.err)"
else
    python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("out.xml")' || fault "JUnit is no XML"
    echo "  no xmllint here: JUnit was not held against its schema"
fi
python3 - <<'PYTHON' || fault "the forms do not agree"
import json, xml.dom.minidom
findings = json.load(open("out.json"))
suites = xml.dom.minidom.parse("out.xml").documentElement
assert int(suites.getAttribute("tests")) == findings["rules"] == len(findings["findings"])
assert int(suites.getAttribute("failures")) == findings["failed"] > 0
assert len(suites.getElementsByTagName("failure")) == findings["failed"]
text = open("out.md", encoding="utf-8").read()
assert text.count("### regression") == sum(f["outcome"] == "regression" for f in findings["findings"])
assert all(f["line"] > 0 and f["file"] for f in findings["findings"])
PYTHON
check 0 --json -
python3 -c 'import json; assert json.load(open("out"))["failed"] == 0' || fault "standard output is not JSON alone"
check 3 --junit /nowhere/out.xml
has err "cannot write /nowhere/out.xml"
[ ! -e out.xml.draft ] || fault "a draft is left behind"
end

begin "the self-test notices a planted regression, and a gate that notices none fails"
check 0 --self-test
says "planted: any evidence returns; noticed by"
sed 's/^objectives: .*/objectives: [requests]/; s/^expect:/expect: [{metric: requests, at_least: 1}]/; /^margins/d; /^  - {metric: trip_count/d' \
    "$gated" >scenarios/blind.yaml
run 1 "$regionsim" check scenarios/blind.yaml --policy success-rate --self-test
says "noticed none of 2 planted regressions"
end

begin "it fits a narrow terminal, and leaves nothing behind"
COLUMNS=60 check 1 --set failback.canary_percentage=100
python3 -c 'import sys
lines = [line.rstrip("\n") for line in open("out", encoding="utf-8")]
wide = [line for line in lines if "moment.db" not in line and len(line) > 60]
assert not wide, wide' || fault "too wide"
mkdir -p scratch
TMPDIR=$work/scratch check 0
[ -z "$(ls scratch)" ] || fault "the scratch folder is left behind"
end

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
