#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every query of reports/queries runs on a fresh database and finds something.
# usage: run_queries.sh REGIONSIM SOURCE_ROOT
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" run "$2/tests/determinism/mixed.yaml" --policy "$2/scenarios/policies/success-rate-due.yaml" \
    --policy "$2/scenarios/policies/spec-probe.yaml" --replications 2 --db "$work/a.db" >/dev/null 2>&1
exec python3 - "$work/a.db" "$2/reports" <<'PYTHON'
import pathlib, re, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
reports = pathlib.Path(sys.argv[2])
failures = 0
queries = sorted(reports.glob("queries/*.sql"))
for path in queries:
    rows = connection.execute(path.read_text(encoding="utf-8")).fetchall()
    if not rows or any(all(value is None for value in row) for row in rows):
        failures += 1
        print(f"FAILED: {path.name} found nothing")
named = set(re.findall(r"`([a-z-]+\.sql)`", (reports / "README.md").read_text(encoding="utf-8")))
if named != {path.name for path in queries}:
    failures += 1
    print(f"FAILED: reports/README.md names {sorted(named)}")
print(f"100%: Checks: {len(queries) + 1}, Failures: {failures}, Errors: 0")
sys.exit(failures > 0)
PYTHON
