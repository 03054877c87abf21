#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: field.sh [--mutations] REGIONSIM ROOT [SEED...]
# The scenarios of scenarios/field, one replication each: all their expectations hold, with each seed (default: 1), each
# has a mutation, and what their README names exists. With --mutations: under the settings of field_mutations.txt they do
# not hold. Ends with "N passed, N failed".
set -u
mutations=false
if [ "$1" = --mutations ]; then
    mutations=true
    shift
fi
regionsim=$(realpath "$1")
root=$(realpath "$2")
shift 2
[ -d /dev/shm ] && export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
passed=0
failed=0

verdict() { # STATUS WANTED NAME: counts; what was said if it is not what was wanted
    if [ "$1" = "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $3: status $1, expected $2"
        cat out err
    fi
}

judge() { # FILE ARGUMENT...: one replication, neither more where it is close
    local file=$1
    shift
    "$regionsim" check "$root/scenarios/field/$file.yaml" --replications 1 --max-replications 1 "$@" >out 2>err
}

files_hold() {
    for path in "$root"/scenarios/field/B*.yaml; do
        file=$(basename "$path" .yaml)
        for seed in "${@:-1}"; do
            judge "$file" --seed "$seed"
            verdict $? 0 "$file with seed $seed"
        done
        grep -q "^$file " "$root/tests/cli/field_mutations.txt"
        verdict $? 0 "$file has a mutation that turns it red"
    done
}

mutations_fail() {
    while read -r file settings; do
        arguments=()
        while [ -n "$settings" ]; do
            arguments+=(--set "${settings%% | *}")
            case $settings in
            *" | "*) settings=${settings#* | } ;;
            *) settings= ;;
            esac
        done
        judge "$file" "${arguments[@]}"
        verdict $? 1 "$file with ${arguments[*]}"
    done < <(grep -v '^#' "$root/tests/cli/field_mutations.txt")
}

# Names of tests, and of metrics, are in code and tell themselves by an underscore.
names_exist() {
    : >out
    : >err
    for name in $(grep -o '`[a-z0-9]*_[a-z0-9_]*`' "$root/scenarios/field/README.md" | tr -d '`' | sort -u); do
        grep -rqE "START_TEST\($name\)|^ *test\('$name'" "$root/tests" || "$regionsim" list metrics "$name" >/dev/null 2>&1
        verdict $? 0 "scenarios/field/README.md names $name"
    done
}

if $mutations; then
    mutations_fail
else
    files_hold "$@"
    names_exist
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
