#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: expectations.sh REGIONSIM ROOT
# The scenarios that tools/ci/own-gate does not judge: all their expectations hold under the policies that they name.
# Then what scenarios' comments say of other settings. Ends with "N passed, N failed".
set -u
regionsim=$(realpath "$1")
root=$(realpath "$2")
[ -d /dev/shm ] && export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
passed=0
failed=0

# holds NAME FILE ARGUMENT...: the expectations hold with these arguments. Two replications: they are no close calls.
holds() {
    local name=$1 file=$2
    shift 2
    if "$regionsim" run "$root/scenarios/$file.yaml" --replications 2 --db x.db --force "$@" >out 2>err &&
        grep -q '^ *holds: ' out; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        grep -E '^ *(FAILS|no data): ' out
        cat err
    fi
}

warns() { # FILE WORDS: validate says so
    if "$regionsim" validate "$root/scenarios/$1.yaml" | grep -q "$2"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: validate does not say \"$2\" of $1"
    fi
}

for file in I01 I07 I08 I11 I14 I22; do
    holds "incident $file" "incidents/$file" --policy success-rate --policy spec-probe --policy shipped-rust \
        --policy no-breaker
done
holds "nothing to do, and nothing done" healthy --policy success-rate --policy spec-probe --policy shipped-rust \
    --policy dotnet --policy java --policy no-breaker --replications 1
holds "metadata: places, throttle budgets, feeds" metadata-crowd --policy success-rate --policy shipped-rust
for file in I02 I03 I04 I06 I09 I12 I13 I15 I16 I17 I18 I19 I20 I21 I23 I24 I25; do
    holds "incident $file" "incidents/$file" --policy success-rate --policy spec-probe --policy shipped-rust \
        --policy no-breaker --replications 1
done
for file in blips slow-brown-out rebuilt-in-steps zone-loss rolling-upgrade cold-start quiet-night flapping-line; do
    holds "operation $file" "operations/$file" --policy success-rate --policy spec-probe --policy no-breaker
done
holds "three tries do not keep a store down" incidents/I17 --policy no-breaker --replications 1 \
    --set scenario.clients.deployed.tries_again.count=3 \
    --set 'scenario.expect=[{metric: availability, phase: rolled_back, at_least: 80 %}]'
holds "at 25 % a breaker that looks at shares leaves for the dead partitions only" incidents/I20 \
    --set breaker.rule=share --set 'scenario.expect=[{metric: trip_count, at_most: 4}]'
holds "an outage shorter than the service's delay moves nothing" incidents/I15 --set 'scenario.expect=[{metric: latency_p99, phase: pinned, at_most: 30 ms}]' \
    --set 'scenario.account.failover_after=45 s'
holds "a breaker that looks at shares does not leave for 5 %" incidents/I22 --set breaker.rule=share \
    --set 'scenario.expect=[{metric: trip_count, equals: 0}]'
holds "a storm that feeds itself, and budgets that end it" metastable-retry-storm --policy no-breaker --policy success-rate \
    --policy budgets --replications 1
holds "a herd, and what spreads it" herd --policy shipped-rust --policy spec-probe --policy success-rate-due \
    --policy spec-probe-spread --replications 1
for file in grey-failure connects-but-fails; do
    holds "$file" "$file" --policy dotnet --policy java --policy success-rate
done
# Six and eleven writes of each of 40 pairs are cut, and those under way then: one a second, cut after three.
holds "cut writes move their partition" connects-but-fails --policy dotnet --policy java --policy success-rate \
    --set 'scenario.account={writes: single, regions: [northcentralus, centralus, westus], automatic_failover: true,
        failover_after: 1 s}' \
    --set 'scenario.workload.shop.operations={write: 100 %}' --set 'scenario.workload.shop.deadline=3 s' \
    --set 'scenario.objectives=[error_count]' --set 'scenario.expect=[
        {metric: error_count, policy: dotnet, at_least: 240}, {metric: error_count, policy: dotnet, at_most: 420},
        {metric: error_count, policy: java, at_least: 440}, {metric: error_count, policy: java, at_most: 640},
        {metric: error_count, policy: success-rate, at_least: 100000}]'
# part FILE COUNT: so many of the comparators and the default behave in ways of their own.
part() {
    holds "$1" "$1" --policy dotnet --policy java --policy no-breaker --policy no-hedging --policy success-rate
    local ways
    ways=$(python3 -c 'import sqlite3
print(sqlite3.connect("x.db").execute("SELECT count(DISTINCT digest) FROM run GROUP BY replication").fetchone()[0])')
    if [ "$ways" = "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: five policies behave in $ways ways under $1, expected $2"
    fi
}
holds "two regions fail: one health or two" two-failing-regions --policy java --policy java-one-health
part peers-slow-region 5
part peers-fast-failure 4 # without anything slow, no hedging is the default
part peers-low-traffic 4
probed() { # probed WHAT INTERVAL PROBES BOUND: marks of clients that meet refused connections once in two minutes
    holds "$1" connects-but-fails --policy no-breaker --set 'scenario.workload.shop.rate=2 /min' \
        --set 'scenario.faults.hung.errors.statuses={refused: 100 %}' --set "scenario.faults.hung.probes=$3" \
        --set "scenario.fleet.probe_interval=$2" --set "scenario.expect=[{metric: endpoint_mark_count, $4}]"
}
probed "without probes requests mark the endpoint again and again" never fail "at_least: 70"
probed "a probe that fails keeps requests away" "10 s" fail "equals: 4"
probed "a probe that succeeds where requests fail sends them there" "10 s" succeed "at_least: 70"
holds "without a connection nobody comes back" connects-but-fails --policy dotnet --policy java \
    --set scenario.faults.hung.probes=as_requests \
    --set 'scenario.expect=[{metric: return_count, equals: 0}]'
holds "a client that overrides the gateway does not follow the switch" gateway-toggle-soak --policy dotnet-hedging \
    --set gateway.client_override=true --set hedging.activation=always \
    --set 'scenario.expect=[{metric: strategy_change_count, equals: 0}, {metric: hedge_alternate_spawned, at_least: 8000}]'

holds "a breaker that looks at shares does not leave a region at 95 %" healed-95 --set breaker.rule=share \
    --set 'scenario.expect=[{metric: flap_count, equals: 0}, {metric: failback_count, equals: 80}]'
holds "a breaker that looks at shares leaves the swinging region alone" oscillating --set breaker.rule=share \
    --set 'scenario.expect=[{metric: trip_count, equals: 0}]'
holds "low_traffic_windows decides where there is little traffic" low-traffic --set failback.low_traffic_windows=5 \
    --set 'scenario.expect=[{metric: failback_count, at_least: 200}, {metric: failback_pending_count, equals: 0}]'
# fits FILE: a run takes no more memory than validate says, on top of what the program and a tiny run take.
fits() {
    "$regionsim" validate "$root/scenarios/$1.yaml" >said
    if python3 - "$regionsim" "$root/scenarios/$1.yaml" "$root/tests/cli/bad/good.yaml" <<'PYTHON'; then
import re, subprocess, sys, resource

def peak(scenario):
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], capture_output=True, check=True); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    run = [sys.argv[1], "run", scenario, "--replications", "1", "--jobs", "1", "--db", "y.db", "--force"]
    return int(subprocess.run([sys.executable, "-c", code] + run, capture_output=True, check=True).stdout) * 1024

said = sum(float(number) for number in re.findall(r"([0-9.]+) MB", open("said").read())) * 1e6
base = peak(sys.argv[3])
used = peak(sys.argv[2]) - base
print("validate says %.1f MB, the run takes %.1f MB more than a tiny one" % (said / 1e6, used / 1e6))
sys.exit(used > said)
PYTHON
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: a run of $1 needs more memory than validate says"
    fi
}

fits partition-storm
fits low-traffic
fits herd
warns hanging-canaries "hang bias"
warns low-traffic "cannot decide"
warns healed-95 "sweep dominates"
warns incidents/I14 "cannot decide on writes alone"
warns low-traffic "reads under outage, whose errors reach 100 %, trip a pair after about 300 s"
warns incidents/I10 "reads under diverted, whose errors reach 8 %, trip a pair after about 23.1 s"
# A threshold of half the deadline is too long, one nanosecond less is not said to be.
for threshold in 1500ms:0 1499999999ns:1; do
    "$regionsim" validate "$root/scenarios/flagship.yaml" --set "hedging.threshold=${threshold%:*}" >said
    if grep -q "late hedge" said; then found=0; else found=1; fi
    if [ $found = "${threshold#*:}" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: validate on a hedge threshold of ${threshold%:*} under a deadline of 3 s"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
