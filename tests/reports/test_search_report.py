#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a search, without a browser: recommendation, confirmation, points, sensitivity and worst cases, held
against the database.

usage: test_search_report.py REGIONSIM SOURCE_ROOT"""
import pathlib
import sqlite3
import sys
import tempfile

import page

failures, checks = [], 0


def check(what, holds):
    global checks
    checks += 1
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}")


def is_gain(cell, low, value, high):
    """ "+43.10 ±0.50", in percent."""
    text, _, half = cell.partition(" ±")
    width = 50 * (high - low)
    return text == f"{100 * value:+.2f}" and (half == f"{width:.2f}" if width > 0 else half == "")


def check_points(rows, connection):
    names = {0: "late"}
    names.update((point, f"late#{point:04d}") for point, in connection.execute("SELECT id FROM tune_point WHERE id > 0"))
    shown = {row[0]: row for row in rows[1:]}
    stored = connection.execute("SELECT DISTINCT point_id, standing, point_id = recommended_id FROM tune_gain"
                                " JOIN tune_point q ON q.id = point_id, tune").fetchall()
    check("every point with gains has a row", set(shown) == {names[point] for point, _, _ in stored})
    check("the base comes first, then the front", rows[1][:2] == ["late", "base"] and rows[2][1].startswith("front"))
    for point, standing, is_recommended in stored:
        row = shown[names[point]]
        if point > 0:
            check(f"{row[0]}: {row[1]}", row[1] == standing + (", recommended" if is_recommended else ""))
        for key, value in connection.execute("SELECT key, value FROM tune_value WHERE point_id = ?", [point]):
            check(f"{row[0]}: {key}", row[rows[0].index(key)] == value)
        for metric, low, gain, high in connection.execute(
                "SELECT metric, low, gain, high FROM tune_gain WHERE point_id = ? AND scenario_id = 0", [point]):
            check(f"{row[0]}: {metric}", is_gain(row[rows[0].index(f"{metric}, gain in %")], low, gain, high))


def check_sensitivity(rows, connection):
    stored = connection.execute("SELECT key, value, metric, low, effect, high FROM tune_sensitivity"
                                " WHERE scenario_id = 0").fetchall()
    shown = {tuple(row[:2]): row for row in rows[1:]}
    check("every knob has a row", len(shown) == len(rows) - 1 and set(shown) == {(one[0], one[1]) for one in stored})
    for key, value, metric, low, effect, high in stored:
        check(f"{key} to {value}: {metric}",
              is_gain(shown[key, value][rows[0].index(f"{metric}, gain in %")], low, effect, high))
    largest = [max(abs(one[4]) for one in stored if one[:2] == tuple(row[:2])) for row in rows[1:]]
    check("the largest effects come first", largest == sorted(largest, reverse=True))


def check_robustness(rows, connection):
    front = [point for point, in connection.execute(
        "SELECT id FROM tune_point WHERE standing = 'front' AND id > 0 ORDER BY id")]
    gains = {}
    for point, scenario, metric, gain in connection.execute(
            "SELECT g.point_id, s.name, g.metric, g.gain FROM tune_gain g JOIN scenario s ON s.id = g.scenario_id"
            " JOIN tune_point q ON q.id = g.point_id WHERE q.standing = 'front'"):
        gains.setdefault(metric, {}).setdefault(scenario, {})[point] = gain
    metrics = [metric for metric, in connection.execute("SELECT metric FROM tune_objective ORDER BY n")]
    check("a row for each point of the front and objective",
          [row[:2] for row in rows[1:]] == [[f"late#{point:04d}", metric] for point in front for metric in metrics])
    for row in rows[1:]:
        point, by = int(row[0].partition("#")[2]), gains[row[1]]
        least = min(by[scenario][point] for scenario in by)
        regret = max(max(by[scenario].values()) - by[scenario][point] for scenario in by)
        check(f"{row[:2]}: least gain", row[2] == f"{100 * least:+.2f}" and by[row[3]][point] == least)
        check(f"{row[:2]}: regret", row[4] == f"{100 * regret:.2f}" and
              max(by[row[5]].values()) - by[row[5]][point] == regret)


def check_confirmation(rows, connection):
    stored = connection.execute("SELECT scenarios, metric, gain, low, high, verdict, worst_scenario, worst_gain"
                                " FROM v_tune_confirmation").fetchall()
    check("both sets are confirmed", {row[0] for row in rows[1:]} == {"tuned", "held out"})
    check("as the view has it", rows[1:] == [
        [scenarios, metric, f"{100 * gain:+.2f}", f"{100 * low:+.2f} to {100 * high:+.2f}",
         {"better": "▲ ", "worse": "▼ "}.get(verdict, "") + verdict, f"{worst} ({100 * worst_gain:+.2f})"]
        for scenarios, metric, gain, low, high, verdict, worst, worst_gain in stored])


def main(regionsim, root):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        database, output = page.make_search(regionsim, root, folder), folder / "search.html"
        check("reported", page.report(regionsim, database, "--output", output).returncode == 0)
        reader = page.Reader(output.read_text(encoding="utf-8"))
        connection = sqlite3.connect(database)
        recommended, reason = connection.execute("SELECT recommended_id, reason FROM tune").fetchone()
        text = "".join(reader.text)
        check("the recommendation in words", f"late#{recommended:04d}" in text and reason in text)
        check("and what it sets", all(f"{key} = {value}" in text for key, value in connection.execute(
            "SELECT key, value FROM tune_value WHERE point_id = ?", [recommended])))
        comment = page.report(regionsim, database, "--format", "md").stdout.decode()
        check("the comment begins with it", comment.startswith(f"**Recommended: late\\#{recommended:04d}**"))
        check("and tells the reason to its end", reason.replace("_", "\\_").replace("#", "\\#") in comment)
        check_points(reader.tables["s1-points"], connection)
        check_sensitivity(reader.tables["s1-sensitivity"], connection)
        check_robustness(reader.tables["s1-robustness"], connection)
        check_confirmation(reader.tables["s1-confirmation"], connection)
        check("its scenarios follow", reader.headings[2:5] == ["tiny", "half", "long"])
        connection.close()
    print(f"{100 - 100 * len(failures) // checks}%: Checks: {checks}, Failures: {len(failures)}, Errors: 0")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
