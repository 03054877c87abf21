#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_tune_kill.sh REGIONSIM DUMP_DB
# Kills searches at drawn moments, several in a row, goes on with --resume, and compares every row, the table and the
# policy with those of a search that nobody has disturbed.
set -u
regionsim=$(realpath "$1")
dump_db=$(realpath "$2")
fixtures=$(cd "$(dirname "$0")/scenarios" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
cp -r "$fixtures" scenarios
rounds=4
kills=8 # a round
seed=20261130
failed=0

fail() {
    echo "FAILED: $*"
    failed=$((failed + 1))
}

# play DB [ARGUMENTS]
play() {
    db=$1
    shift
    exec "$regionsim" tune scenarios/tiny.yaml --set failback.promote=sweep --vary breaker.read_failure_threshold=1..40 \
        --vary failback.min_sample=1..20 --objective away_healthy_s --objective home_unhealthy_s --budget 240 \
        --replications 10 --jobs 2 --format csv --db "$db" "$@"
}

begin=$(date +%s%N)
(play whole.db) >whole.csv 2>err || fail "the undisturbed search: $(cat err)"
span=$(($(date +%s%N) - begin))
"$dump_db" whole.db >whole.txt
[ "$(wc -l <whole.txt)" -gt 2000 ] || fail "the dump is nearly empty"
echo "seed $seed"
moments=$(python3 -c 'import random, sys
drawn = random.Random(int(sys.argv[1]))
print(*("%.4f" % (drawn.random() * int(sys.argv[3]) / 1e9 / 3) for _ in range(int(sys.argv[2]))))' $seed \
    $((rounds * kills)) "$span")
begun=0
partial=0
for moment in $moments; do
    [ $begun != 0 ] || rm -f a.db
    (play a.db --resume) >out 2>err &
    process=$!
    sleep "$moment"
    kill -KILL $process 2>err
    wait $process 2>err
    [ ! -e a.db ] || cmp -s whole.csv out || partial=$((partial + 1))
    begun=$((begun + 1))
    if [ $begun = $kills ]; then
        begun=0
        (play a.db --resume) >out 2>err || fail "--resume: $(cat err)"
        "$dump_db" a.db | cmp -s whole.txt - || fail "after kills --resume gives another content"
        cmp -s whole.csv out || fail "after kills --resume gives another table"
    fi
done
echo "$((rounds * kills)) kills, $partial of them with a database and before the end"
[ $partial -gt 0 ] || fail "no kill has hit a search under way"
echo "$failed failed"
[ $failed = 0 ]
