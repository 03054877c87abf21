#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks a file against the Chrome trace event format, as far as a viewer relies on it.

usage: check_trace.py TRACE.json [TEXT...]     each TEXT must be in the file's sums, say operation=12"""
import collections
import json
import sys

REQUIRED = {"ph", "cat", "name", "pid", "tid", "ts", "args"}
PHASES = {"b", "e", "i", "X", "C", "M"}


def fault(text):
    sys.exit(f"{sys.argv[1]}: {text}")


def check_fields(event):
    missing = REQUIRED - event.keys()
    if missing or event["ph"] not in PHASES:
        fault(f"{event}: lacks {sorted(missing)} or has an unknown phase")
    if not all(isinstance(event[key], int) and event[key] >= 0 for key in ("pid", "tid")) or event["ts"] < 0:
        fault(f"{event}: pid, tid and ts must be numbers from 0 on")
    if event["ph"] in "be" and not event.get("id", "").startswith("0x"):
        fault(f"{event}: a span needs an id")
    if event["ph"] == "X" and not event.get("dur", -1) > 0:
        fault(f"{event}: a complete event needs a duration")
    if event["ph"] == "i" and event.get("s") != "p":
        fault(f"{event}: an instant needs a scope")
    if event["ph"] == "C" and not all(isinstance(value, int) for value in event["args"].values()):
        fault(f"{event}: a counter needs numbers")


def check_order(event, last):
    track = (event["pid"], event["tid"])
    if event["ts"] < last[track]:
        fault(f"{event}: time goes back on its track")
    last[track] = event["ts"]


def check_span(event, open_spans):
    key = (event["cat"], event["id"], event["pid"])
    if event["ph"] == "b":
        if key in open_spans:
            fault(f"{event}: begins twice")
        open_spans[key] = event["name"]
    elif open_spans.pop(key, None) is None and event["ph"] == "e":
        fault(f"{event}: ends without having begun")


def check_flight(trace):
    """Where the trace has every operation of its stretch, no more legs are open than the counter says."""
    if trace["otherData"]["one_operation_of"] != 1:
        return
    steps = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["cat"] == "in flight":
            steps[event["pid"]].append((event["ts"], event["args"]["legs"]))
    open_legs, place = collections.Counter(), collections.Counter()
    end = max(event["ts"] for event in trace["traceEvents"] if event["cat"] == "operation" and event["ph"] == "b")
    for event in trace["traceEvents"]:
        if event["cat"] != "leg" or event["ts"] > end:
            continue
        pid = event["pid"]
        open_legs[pid] += 1 if event["ph"] == "b" else -1
        while place[pid] + 1 < len(steps[pid]) and steps[pid][place[pid] + 1][0] <= event["ts"]:
            place[pid] += 1
        if open_legs[pid] > steps[pid][place[pid]][1]:
            fault(f"{event}: {open_legs[pid]} legs are open, and the counter says {steps[pid][place[pid]]}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file)
    last = collections.defaultdict(float)
    open_spans = {}
    sums = collections.Counter()
    named = set()
    for event in trace["traceEvents"]:
        check_fields(event)
        sums[event["cat"] + ("_end" if event["ph"] == "e" else "")] += 1
        if event["ph"] == "M":
            named.add(event["pid"])
            continue
        if event["pid"] not in named:
            fault(f"{event}: a process without a name")
        check_order(event, last)
        if event["ph"] in "be":
            check_span(event, open_spans)
    check_flight(trace)
    if open_spans:
        fault(f"{len(open_spans)} spans never end, such as {next(iter(open_spans))}")
    sums["canary"] = sum(bool(event["args"].get("canary")) for event in trace["traceEvents"])
    sums["hedge"] = sum(bool(event["args"].get("hedge")) for event in trace["traceEvents"])
    told = " ".join(f"{name}={count}" for name, count in sorted(sums.items()))
    for text in sys.argv[2:]:
        if text not in told.split():
            fault(f"expected {text} in: {told}")
    print(told, "one_of=" + str(trace["otherData"]["one_operation_of"]))


main()
