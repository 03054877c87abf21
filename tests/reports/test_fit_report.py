#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of an imported account's fit, without a browser, against the same fit as CSV.

usage: test_fit_report.py REGIONSIM SOURCE_ROOT"""
import csv
import pathlib
import sys
import tempfile

import page

FACTORS = {"error share": 100}
UNITS = {"rate": "/s", "error share": "%", "p50": "ms", "p99": "ms"}
failures, checks = [], 0


def check(what, holds):
    global checks
    checks += 1
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}")


def near4(text, value):
    """Whether a printed number is that value to four significant digits."""
    return abs(float(text) - value) <= max(5.01e-4 * abs(value), 5e-10)


def check_periods(reader, rows):
    captions = [f"{region} {operation}" for region, operation in dict.fromkeys(
        (row["region"], row["operation"]) for row in rows if row["time_s"])]
    tables = [table for name, table in reader.tables.items() if name.startswith("fit-") and table[0][0] == "min"]
    check("a table for each region and kind", len(tables) == len(captions))
    for caption, table in zip(captions, tables):
        region, _, operation = caption.rpartition(" ")
        for row in rows:
            if row["time_s"] == "" or (row["region"], row["operation"]) != (region, operation):
                continue
            found = next(line for line in table[1:] if near4(line[0], float(row["time_s"]) / 60))
            for side in ("observed", "simulated"):
                column = table[0].index(f"{row['curve']}, {UNITS[row['curve']]}: {side}")
                check(f"{caption} {row['time_s']} {row['curve']} {side}",
                      near4(found[column], float(row[side]) * FACTORS.get(row["curve"], 1)))


def check_trips(table, rows):
    trips = [row for row in rows if row["curve"].startswith("round trip to ")]
    check("every round trip", len(trips) == len(table) - 1 > 0)
    for row, line in zip(trips, table[1:]):
        check(f"{line[:2]}", line[:2] == [row["region"], row["curve"].removeprefix("round trip to ")] and
              near4(line[2], float(row["observed"])) and near4(line[3], float(row["simulated"])))


def main(regionsim, root):
    with tempfile.TemporaryDirectory() as name:
        html, table = page.make_fit(regionsim, root, pathlib.Path(name))
        reader = page.Reader(html.read_text(encoding="utf-8"))
        with table.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        check("the scenario's name", reader.headings[0] == "shop")
        check("a line for each curve in the summary", len(reader.tables["fit-summary"]) - 1 == len(
            {(row["region"], row["operation"], row["curve"]) for row in rows if row["time_s"]}))
        check_periods(reader, rows)
        check_trips(reader.tables["fit-trips"], rows)
    print(f"{100 - 100 * len(failures) // checks}%: Checks: {checks}, Failures: {len(failures)}, Errors: 0")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
