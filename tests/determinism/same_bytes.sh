#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs scenarios full of ties and fault kinds in several ways and compares every deterministic table byte for byte.
# usage: same_bytes.sh REGIONSIM DUMP_DB SOURCE_ROOT [REGIONSIM DUMP_DB ...]
# Further pairs are other builds (another compiler, another optimisation level): they must give the same bytes.
set -eu
regionsim=$(realpath "$1") dump=$(realpath "$2") root=$(realpath "$3")
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0 failures=0

# play NAME PROGRAM DUMP SCENARIO [ARGUMENTS]: leaves $work/NAME.dump
play() {
    name=$1 program=$2 dumper=$3 scenario=$4
    shift 4
    "$program" run "$root/tests/determinism/$scenario.yaml" --db "$work/$name.db" --force --replications 3 \
        --policy "$root/scenarios/policies/success-rate-due.yaml" --policy "$root/scenarios/policies/shipped-rust.yaml" \
        --policy "$root/scenarios/policies/spec-probe.yaml" --policy "$root/scenarios/policies/hedging-adaptive.yaml" \
        "$@" >"$work/$name.out" 2>"$work/$name.err" || { cat "$work/$name.err"; exit 1; }
    "$dumper" "$work/$name.db" >"$work/$name.dump"
}

expect() { # same|different A B TEXT
    checks=$((checks + 1))
    if cmp -s "$work/$2" "$work/$3"; then found=same; else found=different; fi
    if [ "$found" != "$1" ]; then
        failures=$((failures + 1))
        echo "FAILED: $4: expected $1, found $found"
        diff "$work/$2" "$work/$3" | head -5 || true
    fi
}

for scenario in ties mixed wide hedged; do
    play first "$regionsim" "$dump" "$scenario" --jobs 1
    [ "$(wc -l <"$work/first.dump")" -gt 1000 ] || { echo "FAILED: the dump of $scenario is nearly empty"; exit 1; }
    play again "$regionsim" "$dump" "$scenario" --jobs 1
    expect same first.dump again.dump "$scenario: the same run twice"
    play threads "$regionsim" "$dump" "$scenario" --jobs 2
    expect same first.dump threads.dump "$scenario: one and two threads"
    play reference "$regionsim" "$dump" "$scenario" --jobs 2 --event-mode reference
    expect same first.dump reference.dump "$scenario: fast and reference event loop"
    (TZ=Asia/Kathmandu LC_ALL=C.UTF-8 PADDING=$(printf '%4096s' x) && export TZ LC_ALL PADDING && cd / &&
        play elsewhere "$regionsim" "$dump" "$scenario" --jobs 2)
    expect same first.dump elsewhere.dump "$scenario: another folder, time zone and environment"
    play seed "$regionsim" "$dump" "$scenario" --jobs 2 --seed 2
    expect different first.dump seed.dump "$scenario: another seed"
    build=0
    for argument in "$@"; do
        if [ $((build % 2)) = 0 ]; then
            other=$argument
        else
            play "build$build" "$other" "$argument" "$scenario" --jobs 2
            expect same first.dump "build$build.dump" "$scenario: $other"
        fi
        build=$((build + 1))
    done
done
echo "100%: Checks: $checks, Failures: $failures, Errors: 0"
[ "$failures" = 0 ]
