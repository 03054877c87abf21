#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: replay.sh FUZZ_PROGRAM NAME_PATTERN FOLDER...
# Gives a fuzz target every file of that name below the folders, without libFuzzer.
set -eu
program=$1
pattern=$2
shift 2
find "$@" -type f -name "$pattern" -exec "$program" {} +
