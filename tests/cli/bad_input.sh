#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: bad_input.sh REGIONSIM
# Malformed input of every kind, given to the real program: one line on stderr, nothing on stdout, exit status 2, no
# database left behind and an older one untouched. Ends with "N passed, N failed".
set -u
regionsim=$(realpath "$1")
tests=$(cd "$(dirname "$0")/.." && pwd)
[ -d /dev/shm ] && export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
cp "$tests"/scenario/bad/* "$work"
cp -r "$tests"/cli/bad/. "$work"
cd "$work" || exit 3
passed=0
failed=0

# refused NAME EXPECTED ARGUMENT...: `run` with these arguments says exactly EXPECTED, or, where that ends in "...",
# begins so.
refused() {
    local name=$1 expected=$2 fault="" status line
    shift 2
    echo "an older experiment" >older.db
    "$regionsim" run "$@" --db new.db >out 2>err
    status=$?
    line=$(<err)
    [ $status = 2 ] || fault="exit status $status"
    [ "$(wc -l <err)" = 1 ] || fault="$(wc -l <err) lines"
    [ ! -s out ] || fault="output"
    [ -z "$(find . -newer older.db -name 'new.db*')" ] || fault="a database is left"
    case $expected in
    *...) [ "${line:0:${#expected}-3}" = "${expected%...}" ] || fault="other words" ;;
    *) [ "$line" = "$expected" ] || fault="other words" ;;
    esac
    "$regionsim" run "$@" --db older.db --force >/dev/null 2>&1
    [ "$(<older.db)" = "an older experiment" ] || fault="--force has lost an older file"
    rm -f new.db*
    if [ -z "$fault" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: %s\n  expected: %s\n  found:    %s\n' "$name" "$fault" "$expected" "$line"
    fi
}

table() { # NAME EXPECTED: the good scenario with that table
    case $1 in
    arrivals_*) refused "table $1" "$2" good.yaml --set "scenario.workload.shop.arrivals={recorded: $1}" ;;
    *) refused "table $1" "$2" good.yaml --set "scenario.network.round_trip=$1" ;;
    esac
}

while IFS= read -r row; do
    name=${row%% | *}
    expected=${row#* | }
    case $row in
    '#'*) ;;
    policy_*) refused "$name" "$expected" good.yaml --policy "$name.yaml" ;;
    *) refused "$name" "$expected" "$name.yaml" ;;
    esac
done <"$tests/scenario/bad/expected.txt"

while IFS= read -r row; do
    case $row in
    '#'*) ;;
    *) table "${row%% | *}" "${row#* | }" ;;
    esac
done <"$tests/cli/bad/expected.txt"

mkdir folder.yaml data/folder.csv
ln -s loop.yaml loop.yaml
head -c 1100000 /dev/zero | tr '\0' ' ' >long.yaml
refused "missing file" "missing.yaml: cannot be read: No such file or directory" missing.yaml
refused "folder" "folder.yaml: is a folder; expected a YAML file" folder.yaml
refused "endless link" "loop.yaml: cannot be read: Too many levels of symbolic links" loop.yaml
refused "too long" "long.yaml: longer than 1 MiB" long.yaml
refused "unreadable" "/proc/self/mem: cannot be read: Input/output error" /proc/self/mem
refused "file for a folder" "good.yaml/x.yaml: cannot be read: Not a directory" good.yaml/x.yaml
refused "missing policy" 'no policy "missing"; expected a file, or the name of one in ...' good.yaml --policy missing
refused "missing policy file" "missing.yaml: cannot be read: No such file or directory" good.yaml --policy missing.yaml
refused "folder for a policy" "folder.yaml: is a folder; expected a YAML file" good.yaml --policy folder.yaml
refused "scenario for a policy" "good.yaml:4:1: this is a scenario; expected a policy" good.yaml --policy good.yaml
table missing "good.yaml: the round-trip table 'missing' was not found: expected a file data/missing.csv beside ..."
refused "missing recording" '--set scenario.workload.shop.arrivals="{recorded: x}": workload.shop.arrivals: the recording "x" was ...' \
    good.yaml --set 'scenario.workload.shop.arrivals={recorded: x}'
table folder "data/folder.csv: the round-trip table cannot be read"
if [ "$(id -u)" != 0 ]; then # root may read anything
    cp good.yaml locked.yaml
    cp data/good.csv data/locked.csv
    chmod 000 locked.yaml data/locked.csv
    refused "locked file" "locked.yaml: cannot be read: Permission denied" locked.yaml
    table locked "data/locked.csv: the round-trip table cannot be opened: Permission denied"
fi
refused "setting of a bad value" '--set scenario.duration="0 s": duration: found "0 s"; expected ...' good.yaml \
    --set 'scenario.duration=0 s'
refused "setting of an unknown key" '--set scenario.duratoin="1 s": unknown key "duratoin"; did you mean ...' good.yaml \
    --set 'scenario.duratoin=1 s'
refused "setting that is no YAML" '--set scenario.account="{": ...' good.yaml --set 'scenario.account={'

# What is not malformed must run, or all of the above would prove nothing.
if "$regionsim" run good.yaml --set "scenario.workload.shop.arrivals={recorded: arrivals}" --db new.db --replications 1 >out 2>err && [ -s new.db ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: the good scenario does not run: $(<err)"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
