#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: build_aarch64.sh DIRECTORY
# Builds regionsim and dump_db for another processor, 64-bit Arm, linked statically, so that qemu-user can run them here.
# The libraries are Debian's for that architecture, unpacked under DIRECTORY: installing them would push out this
# machine's own. Needs gcc-aarch64-linux-gnu, qemu-user-static and, to fetch the libraries, root or sudo once.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$1"
directory=$(realpath "$1") root=$(realpath "$1")/root
libraries=$root/usr/lib/aarch64-linux-gnu
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"

if [ ! -f "$libraries/libgsl.a" ]; then
    dpkg --print-foreign-architectures | grep -qx arm64 || {
        $as_root dpkg --add-architecture arm64
        $as_root apt-get update -qq
    }
    (cd "$directory" && for library in libgsl-dev libyaml-dev libsqlite3-dev libjson-c-dev zlib1g-dev check libsubunit-dev; do
        apt-get download -qq "$library:arm64" 2>fetch.log || { cat fetch.log; exit 3; }
        dpkg -x "$library"_*_arm64.deb root
    done)
fi
cat >"$directory/cross.ini" <<INI
[binaries]
c = ['aarch64-linux-gnu-gcc', '-idirafter', '$root/usr/include', '-idirafter', '$root/usr/include/aarch64-linux-gnu']
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = 'qemu-aarch64-static'

[built-in options]
c_link_args = ['-static', '-L$libraries']

[properties]
sys_root = '$root'
pkg_config_libdir = ['$libraries/pkgconfig', '$root/usr/share/pkgconfig']

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
INI
[ -f "$directory/build.ninja" ] || meson setup "$directory" --cross-file "$directory/cross.ini" \
    --default-library static >"$directory/setup.log" 2>&1 || { cat "$directory/setup.log"; exit 70; }
ninja -C "$directory" regionsim tests/dump_db >"$directory/build.log" 2>&1 || { tail -n 40 "$directory/build.log"; exit 70; }
for program in regionsim tests/dump_db; do
    printf '#!/bin/sh\nexec qemu-aarch64-static "%s" "$@"\n' "$directory/$program" >"$directory/$program-here"
    chmod +x "$directory/$program-here"
done
