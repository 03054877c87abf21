#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_kill.sh REGIONSIM DUMP_DB
# Kills runs at 50 drawn moments, goes on with --resume after each, and compares what is there in the end with a run
# that nobody has disturbed. Runs are tiny, so that many moments fall into a transaction: those leave a journal. Where its
# first byte is set the commit itself was under way, and the next one who opens the file must roll back: on a disk, where
# commits take long, that is often so, in memory seldom. Then the same for a disk that is full.
set -u
regionsim=$(realpath "$1")
dump_db=$(realpath "$2")
fixtures=$(cd "$(dirname "$0")/scenarios" && pwd)
work=$(mktemp -d)
mounted=
trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$work"' EXIT
cd "$work" || exit 3
cp -r "$fixtures" scenarios
kills=50
rounds=5
seed=20261129
failed=0

fail() {
    echo "FAILED: $*"
    failed=$((failed + 1))
}

# play DB [ARGUMENTS]: 2 policies, 20 replications of each
play() {
    db=$1
    shift
    exec "$regionsim" run scenarios/tiny.yaml --policy success-rate --policy probe --replications 20 --jobs 2 \
        --db "$db" "$@"
}

drafts() {
    find . -name '*.new-*' | wc -l
}

(play whole.db) >whole.out 2>err || fail "the undisturbed run: $(cat err)"
"$dump_db" whole.db >whole.txt
[ "$(wc -l <whole.txt)" -gt 5000 ] || fail "the dump is nearly empty"
sed '/^Database: /d' whole.out >whole.said

# When the database appears and how long the undisturbed run takes, driven from here, so that the moments fit fast machines
# and slow ones: from shortly before it appears to an eighth of the rest.
echo "seed $seed"
begin=$(date +%s%N)
(play measure.db) >out 2>err &
while [ ! -e measure.db ] && kill -0 $! 2>/dev/null; do
    sleep 0.002
done
appears=$(($(date +%s%N) - begin))
wait
span=$(($(date +%s%N) - begin))
moments=$(python3 -c 'import random, sys
seed, kills, appears, span = map(int, sys.argv[1:])
drawn = random.Random(seed)
print(*("%.4f" % ((0.8 * appears + drawn.random() * (0.4 * appears + (span - appears) / 8)) / 1e9)
        for _ in range(kills)))' $seed $kills "$appears" "$span")

inside=0
hot=0
early=0
late=0
begun=0
for moment in $moments; do
    if [ $begun = 0 ]; then
        rm -f a.db
    fi
    (play a.db --resume) >out 2>err &
    process=$!
    sleep "$moment"
    kill -KILL $process 2>err || late=$((late + 1))
    wait $process 2>err
    if [ -s a.db-journal ]; then
        inside=$((inside + 1))
        [ "$(head -c 1 a.db-journal | od -An -tx1)" = " 00" ] || hot=$((hot + 1))
    fi
    [ -e a.db ] || early=$((early + 1))
    begun=$((begun + 1))
    if [ $begun = $((kills / rounds)) ]; then
        begun=0
        (play a.db --resume) >out 2>err || fail "--resume: $(cat err)"
        "$dump_db" a.db >a.txt
        cmp -s whole.txt a.txt || fail "after kills --resume gives another content"
        sed '/^Database: /d' out | cmp -s whole.said - || fail "after kills --resume says something else"
        [ "$(drafts)" = 0 ] || fail "drafts are left: $(ls)"
    fi
done
echo "$kills kills: $inside inside a transaction, of these $hot inside its commit; $early before there was a database," \
    "$late after the end"
[ $inside -gt 0 ] || fail "no kill has hit a transaction"
[ $late -lt $((kills / 2)) ] || fail "most kills came too late"
[ $early -lt $((kills * 4 / 5)) ] || fail "nearly all kills came too early"

# A kill while more replications are added leaves the smaller database or the larger one.
(exec "$regionsim" run scenarios/tiny.yaml --policy success-rate --policy probe --replications 5 --db b.db) >out 2>err
for moment in 0.01 0.02 0.03 0.05; do
    (play b.db --resume) >out 2>err &
    process=$!
    sleep $moment
    kill -KILL $process 2>err
    wait $process 2>err
done
(play b.db --resume) >out 2>err || fail "--resume with more replications: $(cat err)"
"$dump_db" b.db >b.txt
cmp -s whole.txt b.txt || fail "added replications give another content"
[ "$(drafts)" = 0 ] || fail "drafts are left: $(ls)"

# full WHAT DB WORDS: checks what a run into a full disk has said and left
full() {
    [ $status = 3 ] || fail "$1: status $status instead of 3"
    grep -q "^regionsim: cannot write the database .*c.db: .*$3" err || fail "$1: $(cat err)"
    grep -q "^regionsim: [0-9]* of 40 runs are finished and kept in .*c.db; --resume goes on" err || fail "$1: $(cat err)"
    [ "$(wc -l <err)" -le 3 ] || fail "$1: $(cat err)"
    "$dump_db" "$2" >c.txt || fail "$1: the database cannot be read"
    kept=$(sed -n 's/^regionsim: \([0-9]*\) of 40.*/\1/p' err)
    [ "${kept:-0}" -gt 0 ] || fail "$1: nothing was kept"
}

# Half of what the whole needs, in blocks of 512 bytes.
size=$(stat -c %s whole.db)
rm -f c.db
(
    ulimit -f $((size / 1024))
    play c.db
) >out 2>err
status=$?
full "file size limit" c.db "disk I/O error"
(play c.db --resume) >out 2>err || fail "--resume after a full disk: $(cat err)"
"$dump_db" c.db >c.txt
cmp -s whole.txt c.txt || fail "after a full disk --resume gives another content"

mkdir small
if mount -t tmpfs -o size=$((size * 2 / 3)) none small 2>err; then
    mounted=$work/small
    (play small/c.db) >out 2>err
    status=$?
    full "small disk" small/c.db "full"
    [ "$(find small -name 'c.db?*' | wc -l)" = 0 ] || fail "files are left: $(ls small)"
    mount -o remount,size=64m small
    (play small/c.db --resume) >out 2>err || fail "--resume on a larger disk: $(cat err)"
    "$dump_db" small/c.db >c.txt
    cmp -s whole.txt c.txt || fail "after a small disk --resume gives another content"
else
    echo "no right to mount: the small disk is left out, the file size limit stands for it"
fi

echo "$failed failed"
[ $failed = 0 ]
