# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by tests of the program: `. claims.sh`, with the arguments REGIONSIM and DUMP_DB. It goes to a folder of its own
# with the scenarios and defines what a test consists of: begin NAME, run and has, end.
set -u
regionsim=$(realpath "$1")
dump_db=$(realpath "$2")
fixtures=$(cd "$(dirname "$0")/scenarios" && pwd)
[ -d /dev/shm ] && export TMPDIR=/dev/shm # a disk would be waited for at every run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
unset NO_COLOR
passed=0
failed=0

# run STATUS COMMAND...: runs it, keeps its output in out and err.
run() {
    expected=$1
    shift
    "$@" >out 2>err
    status=$?
    if [ "$status" != "$expected" ]; then
        fault "exit status $status, expected $expected: $*"
        cat err
    fi
}

fault() {
    echo "  $1"
    is_good=false
}

# has FILE WORDS: the file holds the words, or that is a fault.
has() {
    grep -qF -e "$2" "$1" || fault "$1 does not hold: $2"
}

has_not() {
    ! grep -qF -e "$2" "$1" || fault "$1 holds: $2"
}

# says WORDS: as has out, wherever its lines are broken.
says() {
    tr '\n' ' ' <out | tr -s ' ' | grep -qF -e "$1" || fault "the output does not say: $1"
}

is_empty() {
    [ ! -s "$1" ] || fault "$1 is not empty: $(head -c 200 "$1")"
}

# sql FILE QUERY: the first column of the first row.
sql() {
    python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$1" "$2"
}

begin() {
    is_good=true
    name=$1
}

end() {
    if $is_good; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
    fi
}

cp -r "$fixtures" scenarios
scenarios=$work/scenarios
small=$scenarios/small.yaml
# The same incident, cut after its first ten seconds.
quick=$scenarios/quick.yaml
sed 's/^scenario: .*/scenario: quick/; s/^duration: .*/duration: 30 s/; s/^phases: .*/phases: {before: 0 s}/' "$small" >"$quick"
