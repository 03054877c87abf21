#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: plant.sh FAILBACK_C OUTPUT
# A copy of the core's recovery in which no sample is ever below the floor. Fails if there is no place to plant it.
set -eu
sed 's|return is_below_floor(l) ? FAILED : UNDECIDED;|return is_below_floor(l) ? SUCCEEDED : UNDECIDED;|' "$1" >"$2"
if cmp -s "$1" "$2"; then
    echo "plant.sh: $1 has changed; nothing was planted" >&2
    rm -f "$2"
    exit 1
fi
