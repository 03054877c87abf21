#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_trouble.sh REGIONSIM DUMP_DB
# What users, their files and other programs do to a run: too large fleets, policies that are not there, texts that would
# write on the terminal, locks, links, signals at any moment. Ends with "N passed, N failed".
. "$(dirname "$0")/claims.sh"
tiny=$scenarios/tiny.yaml

begin "a fleet that the machine cannot hold is refused at once"
run 2 "$regionsim" run "$small" --set scenario.clients.chicago.count=100000 \
    --set scenario.workload.shop.partitions.count=1000000 --db huge.db
has err "small: a run may need "
has err " of memory, and this machine has "
has err "expected fewer clients or partitions"
[ "$(wc -l <err)" = 1 ] || fault "more than one line"
[ -z "$(find . -name 'huge.db*')" ] || fault "files are left"
end

begin "a result takes the place of nothing that the command reads, and has a folder, or nothing is played"
cp "$small" read.yaml
cp "$scenarios/policies/probe.yaml" mine.yaml
ln -sf read.yaml also.yaml
for arguments in "read.yaml --json read.yaml" "read.yaml --json also.yaml" "read.yaml --json ./read.yaml" \
    "read.yaml --policy mine.yaml --json mine.yaml" "read.yaml --json out.db --db out.db"; do
    # shellcheck disable=SC2086
    run 2 "$regionsim" run $arguments
    has err "the command names it for something else"
done
run 2 "$regionsim" tune read.yaml --policy mine.yaml --vary failback.min_sample=3..30 --output mine.yaml
has err "cannot write mine.yaml: the command names it for something else"
run 2 "$regionsim" tune --scenario read.yaml --hold-out "$tiny" --vary failback.min_sample=3..30 --output read.yaml
has err "cannot write read.yaml: the command names it for something else"
run 2 "$regionsim" check read.yaml --junit one.txt --markdown one.txt
has err "cannot write one.txt: two options name it"
run 3 "$regionsim" tune read.yaml --vary failback.min_sample=3..30 --output no/where.yaml
has err "cannot write no/where.yaml: No such file or directory"
cmp -s "$small" read.yaml || fault "a scenario was replaced"
cmp -s "$scenarios/policies/probe.yaml" mine.yaml || fault "a policy was replaced"
[ -z "$(find . -name 'regionsim.db*' -o -name 'tune.db*' -o -name 'out.db*')" ] || fault "something was played"
run 0 "$regionsim" run "$tiny" --replications 1 --db null.db --json /dev/null
end

begin "expectations about policies that were not asked for are normal, and told"
expect='scenario.expect=[{metric: trip_count, at_least: 0}, {metric: trip_count, policy: probe, at_least: 0},
    {metric: flap_count, policy: probe, at_least: 0}]'
run 0 "$regionsim" run "$tiny" --replications 1 --db e.db --set "$expect"
says "holds: trip_count of success-rate in all is"
says "not judged: 2 expectations of probe: no policy of that name in this run One"
has_not err "not judged"
run 0 "$regionsim" run "$tiny" --replications 1 --db e.db --force --set "$expect" --policy probe
has_not out "not judged"
run 0 "$regionsim" run "$tiny" --replications 1 --db e.db --force --set "$expect" --format json
python3 - <<'PYTHON' || fault "the JSON does not say what is not judged"
import json
found = [(one["policy"], one["metric"], one["verdict"]) for one in
         json.load(open("out"))["scenarios"][0]["expectations"]]
assert found[0] == ("success-rate", "trip_count", "holds"), found
assert found[1:] == [("probe", "trip_count", "not judged"), ("probe", "flap_count", "not judged")], found
PYTHON
run 0 "$regionsim" validate "$tiny" --set "$expect"
has_not out "warning: tiny"
end

begin "an expectation about a policy that there is none of is a warning and no data"
run 4 "$regionsim" run "$tiny" --replications 1 --db e.db --force \
    --set 'scenario.expect=[{metric: trip_count, policy: sucess-rate, at_least: 0}]'
has err 'warning: tiny: not judged: 1 expectation of sucess-rate: no policy of that name in this run, nor in a file nearby'
has err 'did you mean "success-rate"?'
has err 'regionsim: 1 expectation could not be judged'
says 'not judged: 1 expectation of sucess-rate: no policy of that name in this run'
run 0 "$regionsim" validate "$tiny" --set 'scenario.expect=[{metric: trip_count, policy: sucess-rate, at_least: 0}]'
has out 'did you mean "success-rate"?'
run 1 "$regionsim" run "$tiny" --replications 1 --db e.db --force \
    --set 'scenario.expect=[{metric: trip_count, policy: nobody, at_least: 0}, {metric: requests, at_most: 1}]'
has err 'regionsim: 1 expectation failed'
mkdir -p mine/policies
sed 's/^policy: .*/policy: another-name/' "$scenarios/policies/probe.yaml" >mine/policies/file-name.yaml
cp -r scenarios/data mine
cp "$tiny" mine/tiny.yaml
for name in another-name file-name; do
    run 0 "$regionsim" run mine/tiny.yaml --policy "$scenarios/policies/success-rate.yaml" --replications 1 --db e.db \
        --force --set "scenario.expect=[{metric: trip_count, policy: $name, at_least: 0}]"
    says "not judged: 1 expectation of $name"
done
end

begin "verdicts carry units"
run 1 "$regionsim" run "$tiny" --replications 1 --db e.db --force --set 'scenario.expect=[
    {metric: latency_p50, at_most: 2 s}, {metric: availability, at_least: 99.9 %}, {metric: trip_count, at_most: 1},
    {metric: home_unhealthy_s, at_most: 36000}]'
grep -q "latency_p50 of success-rate in all is [0-9.]* ms; expected at most 2 s" out || fault "no unit of time"
grep -q "availability of success-rate in all is [0-9.]* %; expected at least 99.9 %" out || fault "no percentage"
grep -q "trip_count of success-rate in all is 2 departures; expected at most 1 departure$" out || fault "no departures"
grep -q "home_unhealthy_s of success-rate in all is [0-9.]* pair-s; expected at most 10 pair-h" out || fault "no pair-h"
end

begin "one of something is said in the singular"
run 1 "$regionsim" run "$tiny" --replications 1 --set scenario.workload.shop.partitions.count=1 --policy success-rate \
    --policy probe --db e.db --force --set 'scenario.expect=[{metric: requests, policy: probe, at_most: 1}]'
has out "12 s, 1 client, 1 partition; 1 replication, seed 1"
says "and there is 1."
has err "regionsim: 1 expectation failed"
end

begin "texts of files do not write on the terminal or into a report"
python3 - "$tiny" <<'PYTHON'
import sys
text = open(sys.argv[1], encoding="utf-8").read()
evil = r'"\e[31m red\a\b\n## Title\r\n\u202e turned \u2066 \u0085 \u2028 ' + "long " * 2000 + '"'
open("scenarios/evil.yaml", "w").write(
    text.replace("about: North Central US fails for four seconds.", "about: " + evil).replace("scenario: tiny",
    "scenario: evil") + "expect:\n  - {metric: trip_count, at_least: 0, because: " + evil + "}\n")
open("scenarios/policies/evil.yaml", "w").write("regionsim: 1\npolicy: evil\nabout: " + evil + "\n")
open("unfit.py", "w").write('''import sys
text = sys.stdin.buffer.read().decode()
unfit = [c for c in text if (ord(c) < 32 and c != "\\n") or 127 <= ord(c) < 160 or c in "\\u2028\\u2029"
         or "\\u202a" <= c <= "\\u202e" or "\\u2066" <= c <= "\\u2069"]
assert not unfit, unfit
assert "## Title" not in [line[:8] for line in text.split("\\n")]
assert len(text) < 20000, len(text)
''')
PYTHON
for format in text md; do
    run 0 "$regionsim" run scenarios/evil.yaml --policy evil --replications 1 --db e.db --force --format $format
    python3 unfit.py <out || fault "run --format $format"
    run 0 "$regionsim" list scenarios scenarios --format $format
    python3 unfit.py <out || fault "list scenarios --format $format"
    has out evil
    run 0 "$regionsim" list policies scenarios --format $format
    python3 unfit.py <out || fault "list policies --format $format"
done
run 0 "$regionsim" list policies scenarios --format json
python3 -c 'import json
about = [row["about"] for row in json.load(open("out")) if row["name"] == "evil"][0]
assert about.startswith("\033[31m red") and len(about) > 10000' || fault "programs do not get the whole text"
evil=$(printf '\033[31mred\nline \342\200\256turned')
for words in "run no-$evil.yaml" "run $tiny --policy no-$evil" "$evil" "run --no-$evil" "list metrics no-$evil" \
    "run $tiny --set no-$evil=1" "run $tiny --set scenario.about=$evil --seed $evil" "run $tiny --db no/$evil" \
    "run $tiny --set scenario.duration=$evil"; do
    # words of `evil` must stay together
    python3 - "$regionsim" "$words" "$evil" 2>err <<'PYTHON' || fault "no complaint about $words"
import subprocess, sys
words, evil = sys.argv[2], sys.argv[3]
arguments = [word.replace("EVIL", evil) for word in words.replace(evil, "EVIL").split(" ")]
result = subprocess.run([sys.argv[1]] + arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
sys.stderr.buffer.write(result.stderr)
sys.exit(result.returncode not in (2, 3))
PYTHON
    python3 unfit.py <err || fault "complaint about $words"
    [ "$(wc -l <err)" = 1 ] || fault "not one line about $words"
done
end

begin "a database may have any name but none"
for name in :memory: 'file:a.db?mode=ro' file::memory:; do
    run 0 "$regionsim" run "$tiny" --replications 1 --db "$name"
    [ -s "./$name" ] || fault "there is no file $name"
    [ "$(sql "$work/$name" "SELECT count(*) FROM run WHERE state = 'done'")" = 1 ] || fault "$name holds no run"
    rm -f "./$name"
done
run 2 "$regionsim" run "$tiny" --db ""
has err '--db "": expected the name of a file'
end

begin "a link stays a link, and one that leads nowhere leaves nothing"
mkdir elsewhere links
ln -s ../elsewhere/a.db links/a.db
for how in "" --force --resume; do
    # shellcheck disable=SC2086 # none or one word
    run 0 "$regionsim" run "$tiny" --replications 1 --db links/a.db $how
    [ -L links/a.db ] || fault "the link is gone after $how"
done
[ "$(ls links elsewhere | tr '\n' ' ')" = "elsewhere: a.db  links: a.db " ] || fault "$(ls links elsewhere)"
ln -s no/such/folder.db links/b.db
for how in "" --force --resume; do
    # shellcheck disable=SC2086 # none or one word
    run 3 "$regionsim" run "$tiny" --replications 1 --db links/b.db $how
    has err "cannot create the database links/no/such/folder.db: No such file or directory"
done
[ "$(ls links | tr '\n' ' ')" = "a.db b.db " ] || fault "$(ls links)"
end

# waits COMMAND...: until the command succeeds; ten seconds at most
waits() {
    for _ in $(seq 200); do
        "$@" && return 0
        sleep 0.05
    done
    return 1
}

begin "only one regionsim writes to a file"
"$regionsim" run "$small" --replications 2000 --jobs 1 --db one.db >first.out 2>first.err &
first=$!
waits test -e one.db || fault "no database"
for how in --force --resume "--resume --replications 2001"; do
    # shellcheck disable=SC2086 # one word an argument
    run 3 "$regionsim" run "$small" --replications 2000 --db one.db $how
    has err "regionsim: another regionsim is writing to one.db"
    [ "$(wc -l <err)" = 1 ] || fault "more than one line after $how"
done
kill -INT $first
wait $first
[ $? = 130 ] || fault "the first one was disturbed: $(cat first.err)"
[ "$(sql one.db "PRAGMA integrity_check")" = ok ] || fault "the database is damaged"
[ "$(ls one.db* | wc -l)" = 1 ] || fault "files are left: $(ls one.db*)"
end

cat >reader.py <<'PYTHON'
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN")
db.execute("SELECT * FROM run").fetchone()
open("reading", "w").close()
time.sleep(float(sys.argv[2]))
db.execute("COMMIT")
PYTHON

# read_while SECONDS: starts a run of many replications on read.db, and a reader that stays so long
read_while() {
    rm -f read.db reading
    "$regionsim" run "$tiny" --replications "$1" --jobs 2 --db read.db >out 2>err &
    process=$!
    waits test -e read.db || fault "no database"
    python3 reader.py read.db "$2" &
    reader=$!
    waits test -e reading || fault "no reader"
}

begin "a reader that stays is waited for, and that is said once"
read_while 400 11.5
waits grep -q "regionsim: another program holds read.db; waiting for it" err || fault "nothing is said"
wait $reader
wait $process
[ $? = 0 ] || fault "the run has ended: $(cat err)"
[ "$(grep -c "another program" err)" = 1 ] || fault "it is not said once"
[ "$(sql read.db "SELECT sum(state = 'done') FROM run")" = 400 ] || fault "runs are missing"
end

begin "who waits for a reader can be interrupted"
read_while 400 20
waits grep -q "waiting for it" err || fault "nothing is said"
kill -INT $process
wait $process
[ $? = 130 ] || fault "no status 130: $(cat err)"
has err "of 400 runs are finished and kept in read.db; --resume goes on"
has_not err "cannot write"
kill $reader
wait $reader 2>kill.err
run 0 "$regionsim" run "$tiny" --replications 400 --db read.db --resume
end

begin "a signal is heeded before the first file is read"
mkfifo "$scenarios/pipe.yaml"
for signal in INT TERM; do
    "$regionsim" run "$scenarios/pipe.yaml" --replications 1 --db pipe.db >out 2>err &
    process=$!
    exec 3>"$scenarios/pipe.yaml" # once it is opened at the other end
    kill -$signal $process
    cat "$tiny" >&3
    exec 3>&-
    wait $process
    [ $? = 130 ] || fault "no status 130 after $signal"
    has err "regionsim: interrupted"
    [ -z "$(find . -name 'pipe.db*')" ] || fault "files are left"
done
rm "$scenarios/pipe.yaml"
end

begin "a signal at any moment is status 130 and leaves no draft"
# Once the program has begun: before that the system ends it.
cat >moments.py <<'PYTHON'
import glob, os, random, signal, subprocess, sys, time
drawn = random.Random(20261130)

def begin():
    """A run whose handlers are in place: before that the system ends it."""
    for name in glob.glob("moment.db*"):
        os.unlink(name)
    process = subprocess.Popen([sys.argv[1], "run", sys.argv[2], "--policy", "success-rate", "--policy", "probe",
                                "--replications", "5000", "--jobs", "1", "--db", "moment.db"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    caught = 0
    while process.poll() is None and caught >> (signal.SIGTERM - 1) & 1 == 0:
        with open(f"/proc/{process.pid}/status") as status:
            caught = int([line for line in status if line.startswith("SigCgt")][0].split()[1], 16)
    return process

process = begin()
started = time.monotonic()
while not os.path.exists("moment.db"):
    time.sleep(0.001)
span = time.monotonic() - started
process.kill()
process.communicate()
early = after = 0
for i in range(50):
    process = begin()
    time.sleep(drawn.random() * 2 * span)
    process.send_signal([signal.SIGINT, signal.SIGTERM][i % 2])
    text = process.communicate()[1].decode()
    left = sorted(glob.glob("moment.db*"))
    assert process.returncode == 130, (i, process.returncode, text)
    assert "regionsim: interrupted\n" in text, (i, text)
    assert left in ([], ["moment.db"]), (i, left)
    kept = "of 10000 runs are finished and kept in moment.db" in text
    assert kept == (left != []), (i, text, left)
    early += "0 of 10000" in text or not kept
    after += "0 of 10000" not in text and kept
print(early, "before the first run,", after, "after")
assert early > 0 and after > 0
PYTHON
run 0 python3 moments.py "$regionsim" "$tiny"
end

echo "$passed passed, $failed failed"
[ $failed = 0 ]
