#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The library as a driver team meets it: installed into a scratch folder, found by pkg-config, its example compiled and
# run, each public header compiled alone.
# usage: embed.sh BUILD_DIR SOURCE_ROOT
set -eu
build=$(realpath "$1") source=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cc=${CC:-cc}
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Werror)

fail() {
    echo "embed: $*" >&2
    exit 1
}

meson install -C "$build" --no-rebuild --tags devel,runtime --destdir "$scratch" >"$scratch/install.log" 2>&1 ||
    { cat "$scratch/install.log" >&2; fail "meson install failed"; }
pc=$(find "$scratch" -name regioncore.pc)
[ -n "$pc" ] || fail "no regioncore.pc was installed"
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$scratch
read -ra cflags <<<"$(pkg-config --cflags regioncore)"
read -ra libs <<<"$(pkg-config --libs regioncore)"
installed() { # VARIABLE: some releases of pkg-config put the scratch folder in front themselves
    local folder
    folder=$(pkg-config --variable="$1" regioncore)
    echo "$scratch${folder#"$scratch"}"
}
library_folder=$(installed libdir)
includes=$(installed includedir)
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$source/meson.build")
[ "$(pkg-config --modversion regioncore)" = "$version" ] || fail "regioncore.pc does not say version $version"

# Every header of the source is installed, and each compiles alone.
diff -r "$source/core/include/regioncore" "$includes/regioncore" || fail "the installed headers differ"
for header in "$includes"/regioncore/*.h; do
    name=regioncore/${header##*/}
    printf '#include <%s>\n#include <%s>\nint main(void)\n{\n    return 0;\n}\n' "$name" "$name" >"$scratch/alone.c"
    "$cc" -std=c11 "${warnings[@]}" "${cflags[@]}" -fsyntax-only "$scratch/alone.c" || fail "$name does not compile as C11"
done
if command -v g++ >/dev/null; then
    for header in "$includes"/regioncore/*.h; do
        name=regioncore/${header##*/}
        printf '#include <%s>\nint main()\n{\n    return 0;\n}\n' "$name" >"$scratch/alone.cpp"
        g++ -std=c++17 -Wall -Wextra -Werror "${cflags[@]}" -fsyntax-only "$scratch/alone.cpp" ||
            fail "$name does not compile as C++17"
    done
else
    echo "no g++: the headers were not compiled as C++17"
fi

# The shared library: its name, and nothing offered but what the headers declare.
readelf -d "$library_folder/libregioncore.so" | grep -q 'SONAME.*\[libregioncore\.so\.0\]' || fail "soname is not .so.0"
nm -D --defined-only "$library_folder/libregioncore.so" | awk '{print $3}' | sort >"$scratch/offered"
grep -rhoE '^RGN_API [^(]*[ *]rgn_[a-z0-9_]+\(' "$includes/regioncore" | grep -oE 'rgn_[a-z0-9_]+\($' | tr -d '(' |
    sort >"$scratch/declared"
[ -s "$scratch/declared" ] || fail "no function is declared"
diff "$scratch/declared" "$scratch/offered" || fail "the library offers (>) other functions than its headers declare (<)"

run_example() { # NAME PROGRAM: a trip, canaries, failback and no error
    LD_LIBRARY_PATH=$library_folder "$2" >"$scratch/output" || { cat "$scratch/output"; fail "$1: the example failed"; }
    [ "$(tail -n 1 "$scratch/output")" = "failed back: yes, errors: 0" ] ||
        { cat "$scratch/output"; fail "$1: unexpected end"; }
    local reasons
    reasons=$(sed -n 's/.*"reason":"\([a-z_]*\)".*/\1/p' "$scratch/output" | tr '\n' ' ')
    [[ $reasons =~ ^"created trip promote "((retrip" "|window_restart" "|promote" ")*)"failback "$ ]] ||
        fail "$1: transitions were: $reasons"
    grep -q '"reason":"trip".*"failed":\[0\].*"failures":3,"threshold":3,"threshold_unit":"count"' "$scratch/output" ||
        fail "$1: the trip does not tell its numbers"
}

example=$source/core/examples/two_regions.c
"$cc" -std=c11 "${warnings[@]}" "${cflags[@]}" "$example" -o "$scratch/shared" "${libs[@]}"
readelf -d "$scratch/shared" | grep -q 'NEEDED.*libregioncore\.so\.0' || fail "the example does not use the shared library"
run_example shared "$scratch/shared"
"$cc" -std=c11 "${warnings[@]}" "${cflags[@]}" "$example" -o "$scratch/static" -Wl,-Bstatic "${libs[@]}" -Wl,-Bdynamic
if readelf -d "$scratch/static" | grep -q 'NEEDED.*regioncore'; then
    fail "the static example still needs the shared library"
fi
run_example static "$scratch/static"
# Without any build system, straight from the sources.
"$cc" -std=c11 -O2 -I"$source/core/include" "$example" "$source"/core/src/*.c -o "$scratch/sources"
run_example sources "$scratch/sources"
echo "embedded: shared, static and from sources; $(wc -l <"$scratch/declared") functions offered"
