#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs scenarios full of ties and fault kinds in several ways and compares every deterministic table byte for byte.
# usage: same_bytes.sh [--all-ways|--builds] REGIONSIM DUMP_DB SOURCE_ROOT [REGIONSIM DUMP_DB ...]
# --all-ways adds those that take longer than they find, --builds leaves out all but other builds. SAME_BYTES_SCENARIOS
# names the scenarios; by default all, or three without an option. Further pairs are other builds (another compiler, another optimisation level): they must give the same bytes.
set -eu
ways=quick
case $1 in
--all-ways | --builds)
    ways=${1#--}
    shift
    ;;
esac
regionsim=$(realpath "$1") dump=$(realpath "$2") root=$(realpath "$3")
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0 failures=0

# One replication: two threads have four policies to share.
# play NAME PROGRAM DUMP SCENARIO_FILE [ARGUMENTS]: leaves $work/NAME.dump
play() {
    name=$1 program=$2 dumper=$3 file=$4
    shift 4
    "$program" run "$file" --db "$work/$name.db" --force --replications 1 \
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
        diff "$work/$2" "$work/$3" | head -5 | cut -c 1-200 || true
    fi
}

# The same program, its addresses always the same.
if setarch -R true 2>/dev/null; then
    printf '#!/bin/sh\nexec setarch -R "%s" "$@"\n' "$regionsim" >"$work/fixed_addresses"
else
    echo "NOTE: setarch -R is not allowed here; addresses that do not move are left out"
    cp -s "$regionsim" "$work/fixed_addresses"
fi
printf '#!/bin/sh\nGLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-FMA_Usable exec "%s" "$@"\n' "$regionsim" >"$work/no_fma"
chmod +x "$work/fixed_addresses" "$work/no_fma"
ln -s "$root/scenarios/data" "$work/data"

scenarios="ties mixed wide hedged capacity scopes"
if [ "$ways" = quick ]; then scenarios="ties hedged capacity"; fi
for scenario in ${SAME_BYTES_SCENARIOS:-$scenarios}; do
    file=$root/tests/determinism/$scenario.yaml
    play first "$regionsim" "$dump" "$file" --jobs 1
    [ "$(wc -l <"$work/first.dump")" -gt 1000 ] || { echo "FAILED: the dump of $scenario is nearly empty"; exit 1; }
    if [ "$ways" != builds ]; then
        play again "$regionsim" "$dump" "$file" --jobs 1
        expect same first.dump again.dump "$scenario: the same run twice"
        play threads "$regionsim" "$dump" "$file" --jobs 2
        expect same first.dump threads.dump "$scenario: one and two threads"
        play reference "$regionsim" "$dump" "$file" --jobs 2 --event-mode reference
        expect same first.dump reference.dump "$scenario: fast and reference event loop"
        play seed "$regionsim" "$dump" "$file" --jobs 2 --seed 2
        expect different first.dump seed.dump "$scenario: another seed"
    fi
    if [ "$ways" = all-ways ]; then
        (TZ=Asia/Kathmandu LC_ALL=C.UTF-8 PADDING=$(printf '%4096s' x) && export TZ LC_ALL PADDING && cd / &&
            play elsewhere "$regionsim" "$dump" "$file" --jobs 2)
        expect same first.dump elsewhere.dump "$scenario: another folder, time zone and environment"
        play fixed "$work/fixed_addresses" "$dump" "$file" --jobs 2
        expect same first.dump fixed.dump "$scenario: addresses that do not move"
        play no_fma "$work/no_fma" "$dump" "$file" --jobs 2
        expect same first.dump no_fma.dump "$scenario: a processor without fused multiply-add"
        "$root/tests/determinism/reorder_keys.py" "$file" >"$work/$scenario.yaml"
        play reordered "$regionsim" "$dump" "$work/$scenario.yaml" --jobs 2
        # The database keeps each file's text, which does differ here.
        for name in first reordered; do
            sed 's/|"[^"]*regionsim: 1\\n.*$//' "$work/$name.dump" >"$work/$name.textless"
        done
        expect same first.textless reordered.textless "$scenario: the file's keys in another order"
    fi
    build=0
    for argument in "$@"; do
        if [ $((build % 2)) = 0 ]; then
            other=$argument
        else
            play "build$build" "$other" "$argument" "$file" --jobs 2
            expect same first.dump "build$build.dump" "$scenario: $other"
        fi
        build=$((build + 1))
    done
done
echo "100%: Checks: $checks, Failures: $failures, Errors: 0"
[ "$failures" = 0 ]
