#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: run.sh SECONDS [FOLDER]
# Fuzzes each target for so many seconds under the address and undefined-behaviour sanitizers. Starts from the good and
# the malformed files of this project and keeps what it finds of interest in FOLDER (default build-fuzz). A finding is a
# file crash-*, leak-* or timeout-* there, and exit status 1.
set -u
cd "$(dirname "$0")/../.." || exit 3
seconds=${1:?seconds for each target}
folder=${2:-build-fuzz}
mkdir -p "$folder/scenario" "$folder/round_trips" "$folder/recordings" "$folder/import" || exit 3

# Whole files make slow tables: the first lines of one hold all there is to a row.
for table in scenarios/data/*.csv tests/cli/bad/data/*.csv tests/cli/import/bad/*.csv; do
    head -n 20 "$table" >"$folder/round_trips/$(basename "$table")"
    head -n 20 "$table" >"$folder/recordings/$(basename "$table")"
    head -n 20 "$table" >"$folder/import/$(basename "$table")"
done
find scenarios tests/scenario/bad tests/cli -name '*.yaml' -exec cp {} "$folder/scenario" \;

sources="$(find core/src sim/scenario -name '*.c') sim/world/round_trip_table.c"
for part in csv telemetry levels curves distances; do sources="$sources sim/import/$part.c"; done
flags="-std=c11 -g -O1 -fno-sanitize-recover=undefined -DWITH_LIBFUZZER -D_POSIX_C_SOURCE=200809L -Icore/include
    -Isim -Itests"
mkdir -p "$folder/objects" || exit 3
# shellcheck disable=SC2016 # for the inner shell
echo "$sources" | tr ' ' '\n' | folder=$folder flags=$flags xargs -P "$(nproc)" -I '{}' sh -c '
    clang $flags -fsanitize=fuzzer-no-link,address,undefined -c "{}" \
        -o "$folder/objects/$(echo "{}" | tr / _).o"' || exit 3
status=0
for target in scenario round_trips recordings import; do
    # shellcheck disable=SC2086 # one word a flag
    clang $flags -fsanitize=fuzzer,address,undefined "tests/fuzz/fuzz_$target.c" "$folder"/objects/*.o \
        -lyaml -lm -o "$folder/fuzz_$target" || exit 3
    echo "fuzz_$target: $seconds s"
    "$folder/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
        -verbosity=0 -print_final_stats=1 -artifact_prefix="$folder/" "$folder/$target" 2>"$folder/$target.log" ||
        status=1
    grep -E 'number_of_executed_units|ERROR|SUMMARY|runtime error|Test unit written' "$folder/$target.log"
done
exit $status
