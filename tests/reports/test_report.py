#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `regionsim report` writes, without a browser: the same bytes twice, the database's values, hostile texts as
text, every format, and what it refuses.

usage: test_report.py REGIONSIM SOURCE_ROOT"""
import csv
import hashlib
import io
import json
import pathlib
import re
import shutil
import sqlite3
import sys
import tempfile

import page

FACTORS = {"%": 100, "ns": 1, "µs": 1e-3, "ms": 1e-6, "s": 1e-9, "min": 1e-9 / 60, "pair-h": 1 / 3600}
MEGABYTE = 1000000
PERCENTILES = {"latency_p50": 50, "latency_p99": 99, "latency_p999": 99.9}
failures, checks = [], 0


def check(what, holds):
    global checks
    checks += 1
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}")


def near(text, value):
    """Whether a printed number is that value, as far as its digits go."""
    digits = len(text.partition(".")[2])
    return abs(float(text) - value) <= 0.5 * 10 ** -digits * 1.0001 + 1e-12


def near4(text, value):
    """The same for four significant digits."""
    return abs(float(text) - value) <= max(5.01e-4 * abs(value), 5e-10)


def check_values(reader, connection):
    rows = reader.tables["s1-values-0"]
    check("the table of values has a column for each policy", rows[0] == ["metric", *page.POLICIES, "unit"])
    check("and a row for each metric of the summary", len(rows) > 25)
    for metric, *values, unit in rows[1:]:
        for policy, text in enumerate(values, 1):
            if metric in PERCENTILES:
                value = page.Latency(connection, policy).at(PERCENTILES[metric])
            else:
                value, censored = connection.execute(
                    "SELECT avg(value), count(more_than) FROM metric JOIN run ON run.id = run_id"
                    " WHERE phase = 'all' AND name = ? AND policy_id = ?", [metric, policy]).fetchone()
                if censored:
                    check(f"{metric}: a value known in part says so", text.startswith("> "))
                    continue
            if value is None:
                check(f"{metric}: none is a dash", text == "–")
            else:
                check(f"{metric} of policy {policy}: {text} {unit} is {value}", 
                      near(text, FACTORS.get(unit, 1) * value))


def check_tail(reader, connection):
    rows = reader.tables["s1-tail"][1:]
    check("the tail reaches the 99.9th percentile", any(row[0] == "99.9" for row in rows))
    latency = [page.Latency(connection, policy + 1) for policy in range(len(page.POLICIES))]
    for percent, *values in rows:
        for policy, text in enumerate(values):
            value = latency[policy].at(float(percent))
            check(f"p{percent} of policy {policy}", text == "–" if value is None else near4(text, value / 1e6))


def check_time(reader, connection):
    for policy in range(len(page.POLICIES)):
        rows = reader.tables[f"s1-time-{policy}"][1:]
        expected = connection.execute(
            "SELECT min(start) / 6e10, avg(latency_p99) / 1e6, 100.0 * sum(errors) / sum(i.requests),"
            " sum(hedges) / 180.0, sum(canaries) / 180.0, sum(canary_failures) / 180.0, avg(pairs_away) / 4, avg(pairs_recovering) / 4,"
            " sum(i.requests) / 180.0 FROM interval i JOIN run ON run.id = run_id WHERE policy_id = ?"
            " GROUP BY n ORDER BY n",
            [policy + 1]).fetchall()
        check(f"a row for each interval of policy {policy}", len(rows) == len(expected) == 120)
        for row, values in zip(rows, expected):
            check(f"time line of policy {policy} at {row[0]}", all(map(near4, row, values)))
        regions = reader.tables[f"s1-regions-{policy}"]
        sums = connection.execute("SELECT sum(i.legs) / 180.0 FROM interval_region i JOIN run ON run.id = run_id"
                                  " WHERE policy_id = ? GROUP BY n, region ORDER BY n, region", [policy + 1]).fetchall()
        width = len(regions[0]) - 1
        check("regions", width == 3 and all(near4(text, sums[width * i + k][0]) for i, row in enumerate(regions[1:])
                                            for k, text in enumerate(row[1:])))


def check_rest(reader, connection):
    """Lanes, phases and clients of each policy, each from another side than the report takes them."""
    for policy in range(len(page.POLICIES)):
        for phase, flaps, *_ in reader.tables[f"s1-phases-{policy}"][1:]:
            value, = connection.execute("SELECT mean FROM v_metric_by_policy WHERE phase = ? AND metric = 'flap_count'"
                                        " AND policy = ?", [phase, page.POLICIES[policy]]).fetchone()
            check(f"flaps in {phase}", near4(flaps, value))
        events = {}
        for run, client, partition, at, after in connection.execute(
                "SELECT run_id, client, partition, at, phase_after FROM transition JOIN run ON run.id = run_id"
                " WHERE policy_id = ? ORDER BY run_id, n", [policy + 1]):
            events.setdefault((run, client, partition), []).append((at, after))
        away = {}
        for (_, client, _), list_ in events.items():
            ends = [at for at, _ in list_[1:]] + [3600 * 10 ** 9]
            away[client] = away.get(client, 0) + sum(end - at for (at, state), end in zip(list_, ends) if state >= 2)
        clients = reader.tables[f"s1-clients-{policy}"][1:]
        check("every client", [row[0] for row in clients] == [str(i) for i in range(8)])
        for client, _, minutes in clients:
            check(f"client {client} away", near4(minutes, away.get(int(client), 0) / 6e10 / 6))
        lanes = reader.tables[f"s1-lanes-{policy}"][1:]
        check("lanes show something", len(lanes) > 3 and {row[3] for row in lanes} <= {"away", "recovering"})


def check_formats(regionsim, database, folder):
    listed = json.loads(page.report(regionsim, database, "--format", "json").stdout)
    check("JSON: a scenario and its policies", listed["scenarios"][0]["scenario"] == "flagship")
    check("JSON: several databases are a list", len(json.loads(
        page.report(regionsim, database, database, "--format", "json").stdout)) == 2)
    rows = list(csv.reader(io.StringIO(page.report(regionsim, database, database, "--format", "csv").stdout.decode())))
    check("CSV: one header, equal columns", len({len(row) for row in rows}) == 1
          and sum(row[0] == "scenario" for row in rows) == 1)
    comment = page.report(regionsim, database, "--format", "md").stdout.decode()
    check("Markdown: small, with a table of objectives", len(comment) < 6000 and "| objective" in comment)
    output = folder / "named.json"
    check("the format follows the output's name", page.report(regionsim, database, "--output", output).returncode == 0
          and json.loads(output.read_text(encoding="utf-8")))


def check_refusals(regionsim, database, folder):
    before = database.read_bytes()
    cases = [(2, ["--format", "html"], b"at least one database"), (2, [database, "--format", "text"], b"html"),
             (2, [database, "--output", database], b"is a database"),
             (2, [database, "--output", ""], b"name of a file"),
             (3, [folder / "none.db"], b"none.db"),
             (3, [database, "--output", folder / "no/where.html"], b"cannot write"),
             (3, [database, "--output", "/dev/full"], b"cannot write")]
    for status, arguments, word in cases:
        answer = page.report(regionsim, *arguments)
        check(f"report {arguments}: status {answer.returncode}, {answer.stderr}",
              answer.returncode == status and word in answer.stderr)
    check("nothing is left behind, and the database is whole",
          not list(folder.glob("*.new-*")) and database.read_bytes() == before)


def check_forged(regionsim, database, folder):
    """Databases that no run has written: refused with a reason, or reported, but never the end of the program."""
    cases = [(2, "UPDATE experiment SET replications = 1000000000", b"of its plan"),
             (2, "UPDATE experiment SET replications = 0", b"of its plan"),
             (2, "UPDATE experiment SET replications = -1", b"of its plan"),
             (2, "DELETE FROM experiment", b"holds no experiment"),
             (0, "UPDATE metric SET value = 9e999 WHERE value IS NOT NULL", b"")]
    copy = folder / "forged.db"
    for status, sql, word in cases:
        shutil.copyfile(database, copy)
        connection = sqlite3.connect(copy)
        with connection:
            connection.execute(sql)
        connection.close()
        answer = page.report(regionsim, copy, "--output", folder / "forged.html")
        check(f"{sql}: status {answer.returncode}, {answer.stderr}",
              answer.returncode == status and word in answer.stderr)


def check_stations(regionsim, database, folder):
    """What regions with limits bear, point by point."""
    copy, output = page.make_stations(database, folder), folder / "stations.html"
    check("stations reported", page.report(regionsim, copy, "--output", output).returncode == 0)
    tables = page.Reader(output.read_text(encoding="utf-8")).tables
    connection = sqlite3.connect(copy)
    starts = [start for start, in connection.execute("SELECT start FROM interval WHERE run_id = 1 ORDER BY n")]
    for policy in range(len(page.POLICIES)):
        rows = tables[f"s1-stations-{policy}-0"][1:]
        together = -(-len(starts) // len(rows))
        for k, (minute, busy, waiting, away, throttled) in enumerate(rows):
            value = connection.execute(
                "SELECT 100 * avg(utilisation), max(queue_peak), 1.0 * sum(turned_away) / count(DISTINCT run_id)"
                " FROM interval_station JOIN run ON run.id = run_id WHERE policy_id = ? AND n / ? = ?",
                [policy + 1, together, k]).fetchone()
            end = starts[(k + 1) * together] if (k + 1) * together < len(starts) else 3600 * 10 ** 9
            check(f"station {policy} at {minute}", near4(minute, starts[k * together] / 6e10) and near4(busy, value[0]) and
                  near4(waiting, value[1]) and near4(away, value[2] * 1e9 / (end - starts[k * together])) and
                  throttled == "0")
    connection.close()


def check_many(regionsim, root, folder):
    """Many scenarios on one page: told briefly, each still with its answer; one of them alone with everything."""
    database, output = folder / "many.db", folder / "many.html"
    tiny = (pathlib.Path(root) / "tests/cli/scenarios/tiny.yaml").read_text(encoding="utf-8")
    shutil.copytree(pathlib.Path(root) / "tests/cli/scenarios/data", folder / "data", dirs_exist_ok=True)
    names = [f"tiny{n:02}" for n in range(26)]
    for name in names:
        (folder / f"{name}.yaml").write_text(tiny.replace("scenario: tiny", f"scenario: {name}"), encoding="utf-8")
    policies = pathlib.Path(root) / "scenarios/policies"
    page.run(regionsim, "run", *(folder / f"{name}.yaml" for name in names), "--policy", policies / "success-rate.yaml",
             "--policy", policies / "shipped-rust.yaml", "--replications", "1", "--db", database)
    check("many reported", page.report(regionsim, database, "--output", output).returncode == 0)
    reader = page.Reader(output.read_text(encoding="utf-8"))
    check("every scenario has a section", reader.headings[1:27] == names)
    check("with a coarse time line, and no lanes", all(
        1 < len(reader.tables[f"s{n + 1}-time-1"]) <= 13 and f"s{n + 1}-lanes-0" not in reader.tables
        for n in range(26)))
    check("page of many says how to see one", "--scenario NAME" in "".join(reader.text))
    check("a scenario costs less than 7 kB", len(output.read_bytes()) < 350000 + 26 * 7000)
    check("one reported", page.report(regionsim, database, "--scenario", "tiny07", "--output", output).returncode == 0)
    alone = page.Reader(output.read_text(encoding="utf-8"))
    check("one alone has all charts", alone.headings[0] == "tiny07" and "s1-values-0" in alone.tables and
          "s1-clients-1" in alone.tables and "requests/s" in alone.tables["s1-time-1"][0])
    for arguments, word in (["--scenario", "tinny07"], b'expected one such as "tiny07"'), (
            ["--scenario", "tiny07", "--format", "md"], b"is for pages"):
        answer = page.report(regionsim, database, *arguments, "--output", folder / "none.html")
        check(f"{arguments}: {answer.stderr}", answer.returncode == 2 and word in answer.stderr)


def check_vendored(root):
    vendor = pathlib.Path(root) / "reports/vendor"
    digest = hashlib.sha256((vendor / "plot.min.js").read_bytes()).hexdigest()
    check("the bundle is the one that its README names", digest in (vendor / "README.md").read_text(encoding="utf-8"))
    lock = (vendor / "package-lock.json").read_text(encoding="utf-8")
    check("the lock file pins by checksum and names no host", '"integrity"' in lock and "://" not in lock)


def check_hostile(regionsim, database, folder):
    copy, output = page.make_hostile(database, folder), folder / "hostile.html"
    check("hostile texts are reported", page.report(regionsim, copy, "--output", output).returncode == 0)
    reader = page.Reader(output.read_text(encoding="utf-8"))
    check("no text becomes a script", reader.scripts == 2)
    check("the name is text", reader.headings[0].startswith("</script><script>alert(1)</script>\"'&amp; <b>"))
    check("no mark turns the direction", not set("".join(reader.text)) & set("\u202a\u202b\u202d\u202e\u2066\u2067"))
    comment = page.report(regionsim, copy, "--format", "md").stdout.decode()
    check("Markdown stays Markdown", re.search(r"(?<!\\)<(?!/?details|/?summary)", comment) is None)


def main(regionsim, root):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        database = page.make_database(regionsim, root, folder)
        first, second = folder / "first.html", folder / "second.html"
        for output in (first, second):
            check("report", page.report(regionsim, database, "--output", output).returncode == 0)
        check("the same bytes twice", first.read_bytes() == second.read_bytes())
        check("below a megabyte", len(first.read_bytes()) < MEGABYTE)
        reader = page.Reader(first.read_text(encoding="utf-8"))
        connection = sqlite3.connect(database)
        check("a meaning for each metric", all(
            meaning in " ".join(reader.text) for meaning, in connection.execute("SELECT name FROM metric_definition")))
        check("the command", "--set" in " ".join(reader.text))
        check_values(reader, connection)
        check_tail(reader, connection)
        check_time(reader, connection)
        check_rest(reader, connection)
        connection.close()
        check_vendored(root)
        check_stations(regionsim, database, folder)
        check_many(regionsim, root, folder)
        check_formats(regionsim, database, folder)
        check_refusals(regionsim, database, folder)
        check_hostile(regionsim, database, folder)
        check_forged(regionsim, database, folder)
    print(f"{100 - 100 * len(failures) // checks}%: Checks: {checks}, Failures: {len(failures)}, Errors: 0")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
