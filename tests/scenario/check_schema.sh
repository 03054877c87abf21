#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: check_schema.sh ROOT
# Runs check_schema.js; skipped where node, ajv or js-yaml is missing (Debian: node-ajv, node-js-yaml).
set -u
export NODE_PATH="${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs"
if ! node -e 'require("ajv"); require("js-yaml")' 2>/dev/null; then
    echo "skipped: node-ajv or node-js-yaml is missing"
    exit 77
fi
exec node "$(dirname "$0")/check_schema.js" "$1"
