#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: planted.sh SOURCE_ROOT
# A test of the test: copies the sources, lets an address decide between events of the same instant, builds that, and
# expects same_bytes.sh to turn red on it.
set -eu
root=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for part in meson.build core sim scenarios tests tools reports; do
    cp -R "$root/$part" "$work/$part"
done
[ ! -f "$root/meson_options.txt" ] || cp "$root/meson_options.txt" "$work/"
queue=$work/sim/engine/queue.h
python3 - "$queue" <<'PYTHON'
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
key = re.compile(r"(static inline uint64_t sim_event_key\([^)]*\)\n\{\n)")
text, count = key.subn(
    r"\1    static char planted;\n    ordinal ^= (uint64_t)(uintptr_t)&planted >> 12 & 7;\n", text)
assert count == 1, "sim_event_key has moved: plant the fault elsewhere"
open(sys.argv[1], "w", encoding="utf-8").write(text)
PYTHON
meson setup "$work/build" "$work" --buildtype debugoptimized >"$work/log" 2>&1 || { cat "$work/log"; exit 70; }
ninja -C "$work/build" regionsim tests/dump_db >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 70; }
if SAME_BYTES_SCENARIOS=ties "$root/tests/determinism/same_bytes.sh" "$work/build/regionsim" "$work/build/tests/dump_db" "$root" >"$work/log"; then
    echo "FAILED: an address decides the order of events, and nobody notices"
    echo "100%: Checks: 1, Failures: 1, Errors: 0"
    exit 1
fi
grep -q '^FAILED: ties: .*expected same, found different' "$work/log" || { cat "$work/log"; exit 1; }
echo "100%: Checks: 1, Failures: 0, Errors: 0"
