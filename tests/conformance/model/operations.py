#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the life of single operations: the model in this folder against the core.

usage: operations.py make POLICY [--seed S] [--count N] [--first N]
       operations.py judge REPLAYER POLICY [--seed S] [--count N]

make   prints random lives as the program replay_operations reads them
judge  has REPLAYER live them, and prints where its answers differ from the model's

POLICY: spec (every knob of behaviour at its default), shipped-rust, mixed (each knob by lot), or fan (the same, with
several hedges, hedged writes and what else the .NET and Java clients do).
Exit status: 0 all equal, 1 a difference, 2 bad usage or input.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from operations_model import OperationModel
from operations_sequences import Lives

POLICIES = ("spec", "shipped-rust", "mixed", "fan")
SHOWN = 10


def life(policy, seed, number):
    return Lives(random.Random(f"operations {policy} {seed} {number}"), number, policy).line()


def expected(line):
    model = OperationModel(line)
    model.live()
    return {"id": line["id"], "trace": model.trace, "hedge": model.race, **model.remains()}


def difference(wanted, found):
    """The first difference of two answers, or None."""
    for index, (left, right) in enumerate(zip(wanted["trace"], found["trace"])):
        if left != right:
            return f"trace[{index}]: the model says {left}, the core {right}"
    if len(wanted["trace"]) != len(found["trace"]):
        return f"trace: the model has {len(wanted['trace'])} lines, the core {len(found['trace'])}"
    for key in wanted:
        if wanted[key] != found[key]:
            return f"{key}: the model says {wanted[key]}, the core {found[key]}"
    return None


def judge(options):
    lines = [life(options.policy, options.seed, number) for number in range(options.count)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "lives.jsonl")
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        result = subprocess.run([options.replayer, path], stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        return 2
    answers = [json.loads(text) for text in result.stdout.splitlines()]
    wrong = 0
    for line, answer in zip(lines, answers, strict=True):
        text = difference(expected(line), answer)
        if text is not None:
            wrong += 1
            if wrong <= SHOWN:
                print(f"life {line['id']} of {options.policy}, seed {options.seed}: {text}")
    print(f"{options.policy}: {options.count} lives of seed {options.seed}: {wrong} differ")
    return 1 if wrong else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0],
                                     epilog="example: operations.py judge build/tests/replay_operations spec --seed 7")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make", help="print random lives")
    against = commands.add_parser("judge", help="compare the core with the model")
    against.add_argument("replayer", metavar="REPLAYER")
    for command in (make, against):
        command.add_argument("policy", choices=POLICIES)
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("--count", type=int, default=100)
    make.add_argument("--first", type=int, default=0, help="number of the first life")
    return parser.parse_args()


def main():
    options = parse()
    if options.command == "judge":
        return judge(options)
    for number in range(options.first, options.first + options.count):
        print(json.dumps(life(options.policy, options.seed, number)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
