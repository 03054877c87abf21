#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds what `explain` has printed (on one line an event: COLUMNS=10000) against the tables.

usage: compare_explained.py DB RUN CLIENT PARTITION TEXT     the transitions of a partition
       compare_explained.py DB RUN --operation N TEXT        the attempts of an operation"""
import re
import sqlite3
import sys


def check(found, stored, what):
    if not stored or found != stored:
        sys.exit(f"{what}: explain says {found}, the database {stored}")


def check_partition(db, run, client, partition, text):
    wanted = "SELECT at, reason_name, canary_success, canary_total, failures FROM transition WHERE run_id = ?" \
             " AND client = ? AND partition = ? ORDER BY n"
    stored = [(f"{at // 10**9}.{at % 10**9:09d}", reason, f"{success}/{total}" if reason == "retrip" else "",
               str(failures) if reason in ("trip", "trip_also") else "")
              for at, reason, success, total, failures in db.execute(wanted, (run, client, partition))]
    found = []
    for line in text.splitlines():
        words = re.match(r"([\d.]+) s +([a-z_]+): ", line)
        if words is None:
            continue
        tally = re.search(r"tally (\d+/\d+)", line) if words[2] == "retrip" else None
        failures = re.search(r"(\d+) failures >= ", line)
        found.append((words[1], words[2], tally[1] if tally else "", failures[1] if failures else ""))
    check(found, stored, "transitions")
    check_tallies(db, run, client, partition, text)


def check_tallies(db, run, client, partition, text):
    """Each canary counts one more than the last, and the one that decides has the tally of the transition."""
    wanted = "SELECT canary_total FROM transition WHERE run_id = ? AND client = ? AND partition = ?" \
             " AND reason_name IN ('retrip', 'failback') ORDER BY n"
    stored = [row[0] for row in db.execute(wanted, (run, client, partition))]
    numbers = [(int(number), "; decides" in line)
               for line in text.splitlines() for number in re.findall(r" canary (\d+) of window", line)]
    check([number for number, decides in numbers if decides], stored, "deciding canaries")
    last = 0
    for number, decides in numbers:
        if number != last + 1:
            sys.exit(f"canary {number} comes after {last}")
        last = 0 if decides else number


def check_operation(db, run, operation, text):
    wanted = "SELECT a.leg, g.name, a.reason, a.sent FROM operation_attempt a JOIN run r ON r.id = a.run_id" \
             " JOIN region g ON g.scenario_id = r.scenario_id AND g.region = a.region WHERE a.run_id = ? AND a.id = ?" \
             " ORDER BY a.n"
    sample = "SELECT start, latency, status FROM operation_sample WHERE run_id = ? AND id = ?"
    start, latency, status = db.execute(sample, (run, operation)).fetchone()
    stored = [(leg, region, reason, f"{(sent - start) / 1e6:.3f} ms")
              for leg, region, reason, sent in db.execute(wanted, (run, operation))]
    found = []
    for line in text.splitlines():
        sent = re.search(r"\+([\d.]+ ms): .*sends leg (\d) to (\w+).* \((\w+)\)$", line)
        if sent:
            found.append((("primary", "alternate")[int(sent[2])], sent[3], sent[4], sent[1]))
    check(found, stored, "attempts")
    ends = re.search(r"ends after ([\d.]+) ms: .*the caller sees (\d+)/", text)
    check((ends[1], int(ends[2])), (f"{latency / 1e6:.3f}", status), "end")


def main():
    db = sqlite3.connect(sys.argv[1])
    with open(sys.argv[5], encoding="utf-8") as file:
        text = file.read()
    if sys.argv[3] == "--operation":
        check_operation(db, int(sys.argv[2]), int(sys.argv[4]), text)
    else:
        check_partition(db, int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), text)


main()
