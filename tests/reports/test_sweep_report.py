#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a sweep, without a browser: every point, its standing, what each key and each pair of keys does, held
against the database.

usage: test_sweep_report.py REGIONSIM SOURCE_ROOT"""
import math
import pathlib
import sqlite3
import sys
import tempfile

import page

METRICS = ("away_healthy_s", "home_unhealthy_s", "flap_count", "latency_p99", "canary_blast_radius")
FACTORS = {"%": 100, "ms": 1e-6, "µs": 1e-3, "s": 1e-9, "min": 1e-9 / 60, "pair-h": 1 / 3600}
STUDENT = {3: 4.302652729911275}  # 97.5 % of Student's t with 2 degrees of freedom
failures, checks = [], 0


def check(what, holds):
    global checks
    checks += 1
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}")


def read(connection):
    """Points: (scenario, policy, keys, values by metric, one list over replications)."""
    points = []
    for scenario, policy, scenario_name, policy_name in connection.execute(
            "SELECT r.scenario_id, r.policy_id, s.name, p.name FROM run r JOIN scenario s ON s.id = r.scenario_id"
            " JOIN policy p ON p.id = r.policy_id WHERE r.replication = 0"):
        keys = dict(connection.execute("SELECT key, value FROM v_sweep WHERE scenario = ? AND policy = ?",
                                       [scenario_name, policy_name]))
        values = {metric: [value for value, in connection.execute(
            "SELECT value FROM metric JOIN run ON run.id = run_id WHERE scenario_id = ? AND policy_id = ? AND"
            " phase = 'all' AND name = ? ORDER BY replication", [scenario, policy, metric])] for metric in METRICS}
        points.append({"scenario": scenario_name, "policy": policy_name, "keys": keys, "values": values})
    return points


def mean(values):
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def shown(text, value, factor):
    """Whether a cell is that value, as far as its digits go."""
    if value is None:
        return text == "–"
    digits = len(text.partition(".")[2])
    return abs(float(text) - value * factor) <= 0.5 * 10 ** -digits * 1.0001 + 1e-12


def near(cell, values, factor):
    """A cell "12.3 ±0.4" of values over replications: their mean, and half of its interval by Student's t."""
    text, _, half = cell.partition(" ±")
    if not shown(text, mean(values), factor):
        return False
    if None in values:
        return half == ""
    middle = mean(values)
    error = math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values))
    return shown(half, STUDENT[len(values)] * error, factor)


def factors(heading):
    return {metric: FACTORS.get(unit, 1) for metric, _, unit in (text.partition(", ") for text in heading) if unit}


def check_points(rows, points):
    heading = rows[0]
    by = {(one["scenario"].partition("#")[2], one["policy"]): one for one in points}
    check("every point has a row", len(rows) - 1 == len(points))
    for row in rows[1:]:
        scenario, _, policy = row[0].lstrip("#").partition(" ")
        point = by[scenario, policy]
        for column, key in enumerate(("canary_percentage", "min_sample", "rate"), 2):
            check(f"{row[0]}: {key}", heading[column] == key and row[column] ==
                  next(value for name, value in point["keys"].items() if name.endswith(key)))
        for metric, factor in factors(heading).items():
            if metric != "latency_p99":  # from merged histograms; test_report.py has those
                cell = row[[text.partition(",")[0] for text in heading].index(metric)]
                check(f"{row[0]}: {metric} is {cell}", near(cell, point["values"][metric], factor))


def check_front(rows, points):
    judges = ("away_healthy_s", "home_unhealthy_s", "flap_count", "canary_blast_radius")
    merit = {(one["scenario"].partition("#")[2], one["policy"]): [mean(one["values"][metric]) for metric in judges]
             for one in points}
    latency = [text.partition(",")[0] for text in rows[0]].index("latency_p99")
    for row in rows[1:]:  # latency as the page has it
        scenario, _, policy = row[0].lstrip("#").partition(" ")
        merit[scenario, policy].append(float(row[latency].partition(" ")[0]))
    for row in rows[1:]:
        scenario, _, policy = row[0].lstrip("#").partition(" ")
        own = merit[scenario, policy]
        beaten = any(all(a <= b for a, b in zip(other, own)) and any(a < b for a, b in zip(other, own))
                     for (where, _), other in merit.items() if where == scenario)
        if row[1] == "front":
            check(f"{row[0]}: nothing beats it", not beaten)
        else:
            check(f"{row[0]}: {row[1]}", row[1] == "dominated" and beaten)


def averaged(points, metric):
    """By replication, over points that all have a value there; a mean alone where one is missing."""
    lists = [one["values"][metric] for one in points]
    if any(None in values for values in lists):
        return None
    return [mean(values) for values in zip(*lists)]


def check_keys(reader, points, names):
    """Effects of one key and of pairs."""
    bases = ("success-rate", "shipped-rust")
    tables = {name: rows for name, rows in reader.tables.items() if "-effect-" in name or "-heat-" in name}
    check("a table for each key and policy, and for each pair", sorted(tables) == sorted(
        [f"s1-effect-{k}-{b}" for k in range(3) for b in range(2)] +
        [name for name in tables if "-heat-" in name]) and len(tables) == 12)
    for name, rows in tables.items():
        base = bases[int(name.rpartition("-")[2])]
        keys = [next(full for full in names if full.endswith(short)) for short in rows[0][:rows[0].index("points")]]
        own = [one for one in points if one["policy"].startswith(base + "#")]
        combinations = {tuple(one["keys"][key] for key in keys) for one in own}
        check(f"{name}: every value", {tuple(row[:len(keys)]) for row in rows[1:]} == combinations)
        for row in rows[1:]:
            meant = [one for one in own if all(one["keys"][key] == row[k] for k, key in enumerate(keys))]
            check(f"{name} {row[:2]}: points", int(row[len(keys)]) == len(meant))
            for metric, factor in factors(rows[0]).items():
                if metric == "latency_p99":
                    continue
                cell = row[[text.partition(",")[0] for text in rows[0]].index(metric)]
                check(f"{name} {row[:2]}: {metric} is {cell}", near(cell, averaged(meant, metric), factor))


def check_many(regionsim, root, folder):
    """Neighbouring values of a key with many are put together."""
    path, output = folder / "many.db", folder / "many.html"
    page.run(regionsim, "sweep", pathlib.Path(root) / "scenarios/flagship.yaml", "--db", path, "--replications", "1",
             "--set", "scenario.duration=20 s", "--vary", "failback.min_sample=1..30",
             "--set", "scenario.phases={all_of_it: 0 s}", "--set", "scenario.workload.shop.rate=10 /s")
    check("reported", page.report(regionsim, path, "--output", output).returncode == 0)
    rows = page.Reader(output.read_text(encoding="utf-8")).tables["s1-effect-0-0"][1:]
    check(f"eight levels: {[row[:2] for row in rows]}", len(rows) == 8 and rows[0][0] == "1 … 3"
          and rows[-1][0] == "27 … 30" and sum(int(row[1]) for row in rows) == 30)


def main(regionsim, root):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        database = page.make_sweep(regionsim, root, folder)
        first, second = folder / "first.html", folder / "second.html"
        for output in (first, second):
            check("report", page.report(regionsim, database, "--output", output).returncode == 0)
        check("the same bytes twice", first.read_bytes() == second.read_bytes())
        reader = page.Reader(first.read_text(encoding="utf-8"))
        connection = sqlite3.connect(database)
        points = read(connection)
        names = sorted({key for one in points for key in one["keys"]})
        connection.close()
        check("24 points of three keys", len(points) == 24 and len(names) == 3)
        check("the scenario's own name", reader.headings[0] == "flagship")
        rows = reader.tables["s1-points"]
        check_points(rows, points)
        check_front(rows, points)
        check_keys(reader, points, names)
        check_many(regionsim, root, folder)
    print(f"{100 - 100 * len(failures) // checks}%: Checks: {checks}, Failures: {len(failures)}, Errors: 0")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
