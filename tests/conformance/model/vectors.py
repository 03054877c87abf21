#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the core by the models in this folder.

usage: vectors.py make KIND [--seed S] [--count N] [--events N]
       vectors.py check FILE...
       vectors.py replay REPLAYER KIND [--seed S] [--count N] [--events N]

make    prints random sequences of KIND, routing or recovery, with the model's states and answers
check   compares the model with the sequences of files, as replay_vectors does with the core
replay  makes sequences and has REPLAYER, the program replay_vectors, replay them

Exit status: 0 all equal, 1 a difference, 2 bad usage or input. Sequence N of a seed is the same whatever the count;
another version of Python may draw other ones.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from recovery_model import RecoveryModel
from recovery_sequences import RecoverySequence
from routing_model import RoutingModel
from routing_sequences import RoutingSequence

KINDS = {"routing": RoutingSequence, "recovery": RecoverySequence}
BATCH = 250  # sequences of one file for the replayer, some megabytes


def sequence_text(kind, seed, number, events):
    """One sequence as JSON lines."""
    sequence = KINDS[kind](random.Random(f"{kind} {seed} {number}"), number, events)
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in sequence.lines())


# --- check ---


class RoutingCheck:
    """Compares a routing sequence's lines with the model, one by one."""

    ANSWER = ("readable", "writable", "mw", "paf")

    def __init__(self, start):
        self.jitter, self.has_drawn = None, False
        self.model = RoutingModel(start, self.draw)
        self.start_differences = list(self.topology(start["topo"]))

    def draw(self):
        self.has_drawn = True
        return self.jitter

    def topology(self, expected):
        found = self.model.topology_vector({key: expected[key] for key in self.ANSWER})
        if found != expected:
            yield "topo", expected, found

    def differences(self, event):
        """(what, expected, found) for each difference."""
        draw = event.get("js")
        self.jitter, self.has_drawn = (draw[1] if draw else None), False
        self.model.apply(event)
        if event["ev"] == "sync":
            yield from self.topology(event["topo"])
        if self.has_drawn != (draw is not None):
            yield "js", draw, self.has_drawn
        for key, found in self.model.state().items():
            if found != event[key]:
                yield key, event[key], found
        for index, row in enumerate(event["rt"]):
            found = self.model.route(row)
            if found != row[-1]:
                yield f"rt[{index}]", row, found


class RecoveryCheck:
    """Compares a recovery sequence's lines with the model, one by one."""

    start_differences = ()

    def __init__(self, start):
        self.generations, self.draws = {}, {}
        self.model = RecoveryModel(start, lambda p: self.draw("jit", p), lambda p: self.draw("acc", p))

    def draw(self, key, partition):
        return self.draws[key].pop(partition, None)

    def touched(self, event):
        kind = event["ev"]
        if kind in ("sweep", "expiry"):
            return range(self.model.partitions)
        if kind in ("res", "cancel"):
            return [self.model.open[event["id"]][0]]
        return [event["p"]] if kind == "op" else []

    def differences(self, event):
        """(what, expected, found) for each difference."""
        self.draws = {key: dict(event.get(key, [])) for key in ("jit", "acc")}
        touched = self.touched(event)
        answer = self.model.apply(event)
        if answer is not None and answer != (event["to"], event["can"]):
            yield "to, can", (event["to"], event["can"]), answer
        if any(self.draws.values()):
            yield "draws", self.draws, "not drawn"
        found = [self.model.state(p) for p in touched]
        if len(found) != len(event["st"]):
            yield "st", len(event["st"]), len(found)
        for expected, state in zip(event["st"], found):
            if "gen" in expected and "gen" in state:
                state["gen"] = self.generations.setdefault(state["gen"], expected["gen"])
            for key in expected.keys() | state.keys():
                if expected.get(key) != state.get(key):
                    yield key, expected.get(key), state.get(key)
        if self.model.late != event["late"]:
            yield "late", event["late"], self.model.late


def check_file(path):
    """Prints each sequence's first difference. Returns (sequences, differing ones)."""
    sequences = wrong = 0
    check = None  # None: the sequence differs already
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = json.loads(line)
            if line["k"] == "S":
                start = line
                check = (RecoveryCheck if "knobs" in line else RoutingCheck)(line)
                found = list(check.start_differences)
                sequences += 1
            elif check is not None:
                found = list(check.differences(line))
            if check is not None and found:
                what, expected, model = found[0]
                print(f"{path}: seq {start['seq']} ({start['name']}) event {line.get('i', -1)} {what}: "
                      f"expected {expected}, the model says {model}")
                wrong += 1
                check = None
    return sequences, wrong


def check_files(paths):
    results = [check_file(path) for path in paths]
    sequences, wrong = (sum(column) for column in zip(*results))
    print(f"{sequences} sequences checked: {wrong} differ from the model")
    return 1 if wrong else 0


# --- replay ---


def replay(options):
    """Batches of sequences through the replayer; on a difference the batch's file is kept out of harm's way by its
    seed: `make` prints the same sequence again."""
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, options.kind + ".jsonl")
        for first in range(0, options.count, BATCH):
            numbers = range(first, min(first + BATCH, options.count))
            path.write_text("".join(sequence_text(options.kind, options.seed, n, options.events) for n in numbers),
                            encoding="utf-8")
            result = subprocess.run([options.replayer, path], stdout=subprocess.PIPE, text=True, check=False)
            if result.returncode != 0:
                print(result.stdout, end="")
                status = 1 if result.returncode == 1 else 2
    verdict = "all equal" if status == 0 else "differences"
    print(f"{options.kind}: {options.count} sequences of seed {options.seed} replayed: {verdict}")
    return status


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0],
                                     epilog="example: vectors.py replay build/tests/replay_vectors routing --seed 7")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="compare the model with files")
    check.add_argument("files", nargs="+", metavar="FILE")
    make = commands.add_parser("make", help="print random sequences")
    against = commands.add_parser("replay", help="replay random sequences through the core")
    against.add_argument("replayer", metavar="REPLAYER")
    for command in (make, against):
        command.add_argument("kind", choices=KINDS)
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("--count", type=int, default=100)
        command.add_argument("--events", type=int, default=60, help="events of a sequence, at least")
    return parser.parse_args()


def main():
    options = parse()
    if options.command == "check":
        return check_files(options.files)
    if options.command == "replay":
        return replay(options)
    for number in range(options.count):
        sys.stdout.write(sequence_text(options.kind, options.seed, number, options.events))
    return 0


if __name__ == "__main__":
    sys.exit(main())
