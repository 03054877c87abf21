#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What replay_vectors takes and what it refuses: the samples written otherwise, and spoilt.

usage: test_format.py REPLAYER SAMPLE...

Written otherwise (other key order, spaces, unknown keys, blank lines, gzip) they must replay all the same. Spoilt ones
must be refused with status 2 and FILE:LINE, or differ with status 1, never end in a signal.
"""

import copy
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

SPOILT_SEED, SPOILT_COUNT = 1, 80
VALUES = [None, True, -2, -1, 0, 1, 2, 8, 32, 64, 255, 256, 2**31, 2**32, 2**53 + 1, 2**63, 2**64, 1.5, "", "x", [],
          [-1], [99], [None], {}]


def reordered(value):
    """The same JSON value with the keys of every object the other way round."""
    if isinstance(value, dict):
        return {key: reordered(item) for key, item in reversed(value.items())}
    return [reordered(item) for item in value] if isinstance(value, list) else value


def without_null_draw(line):
    return {key: item for key, item in line.items() if key != "js" or item is not None}


def write_lines(make_line):
    return lambda lines: "".join(make_line(line) for line in lines).encode()


VARIATIONS = {
    "key order": write_lines(lambda line: json.dumps(reordered(line)) + "\n"),
    "spaces": write_lines(lambda line: "  " + json.dumps(line, separators=(" ,\t", " : ")) + " \r\n"),
    "unknown keys": write_lines(lambda line: json.dumps({**line, "note": {"t": [1.5]}}) + "\n"),
    "blank lines": write_lines(lambda line: "\n" + json.dumps(line) + "\n  \n"),
    "no js for no draw": write_lines(lambda line: json.dumps(without_null_draw(line)) + "\n"),
    "gzip": lambda lines: gzip.compress(write_lines(lambda line: json.dumps(line) + "\n")(lines)),
    "no last newline": lambda lines: write_lines(lambda line: json.dumps(line) + "\n")(lines)[:-1],
}

# What one line becomes, and the message. The line is the sample's second unless it starts a sequence.
REFUSED = {
    "not JSON": (lambda line: "{", "not a JSON object"),
    "an array": (lambda line: "[]", "not a JSON object"),
    "unknown line": (lambda line: {**line, "k": "X"}, "unknown kind of line: X"),
    "unknown event": (lambda line: {**line, "ev": "explode"}, "unknown event: explode"),
    "no event": (lambda line: {**line, "ev": 7}, "not a string: ev"),
    "gap": (lambda line: {**line, "i": 5}, "event out of order"),
    "time goes back": (lambda line: {**line, "t": -1}, "out of range: t"),
    "time beyond 53 bits": (lambda line: {**line, "t": 2**53 + 1}, "out of range: t"),
    "no clock": (lambda line: {key: item for key, item in line.items() if key != "t"}, "key is missing: t"),
    "fraction": (lambda line: {**line, "t": 0.5}, "not a whole number: t"),
}


class Replayer:
    def __init__(self, program, folder):
        self.program, self.path = program, pathlib.Path(folder, "lines.jsonl")

    def run(self, data):
        """(status, standard output, standard error) for a file of these bytes."""
        self.path.write_bytes(data)
        result = subprocess.run([self.program, self.path], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout, result.stderr


def as_text(lines):
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines).encode()


def check_variations(replayer, lines):
    expected = replayer.run(as_text(lines))
    if expected[0] != 0:
        yield f"the sample itself ends with {expected}"
    for name, write in VARIATIONS.items():
        found = replayer.run(write(lines))
        if found != expected:
            yield f"{name}: {found} instead of {expected}"


def check_refusals(replayer, lines):
    for name, (spoil, message) in REFUSED.items():
        spoilt = [lines[0], spoil(lines[1])] + lines[2:]
        status, _, error = replayer.run(as_text(spoilt))
        if status != 2 or error.strip() != f"{replayer.path}:2: {message}" and name != "not JSON":
            yield f"{name}: status {status}, {error.strip()!r}"
    status, _, error = replayer.run(as_text(lines[1:]))
    if status != 2 or "an event before the first sequence" not in error:
        yield f"no start: status {status}, {error.strip()!r}"
    if replayer.run(b"")[0] != 2:
        yield "an empty file is taken"


def places(value, path=()):
    """Paths to all parts of a JSON value, but only the first rows of long lists."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:4]) if isinstance(value, list) else ()
    for key, item in items:
        yield path + (key,)
        yield from places(item, path + (key,))


def check_spoilt(replayer, sequences):
    rng = random.Random(SPOILT_SEED)
    for _ in range(SPOILT_COUNT):
        lines = copy.deepcopy(rng.choice(sequences))
        index = rng.choice([0, rng.randrange(len(lines))])
        path = rng.choice(list(places(lines[index])))
        part = lines[index]
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = rng.choice(VALUES)
        status, _, error = replayer.run(as_text(lines))
        if status not in (0, 1, 2) or status == 2 and not error.startswith(f"{replayer.path}:"):
            yield f"seed {SPOILT_SEED}: line {index + 1} with {path} = {part[path[-1]]}: status {status}, {error}"


def read_sequences(path):
    sequences = []
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        line = json.loads(line)
        if line["k"] == "S":
            sequences.append([])
        sequences[-1].append(line)
    return sequences


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        replayer = Replayer(sys.argv[1], folder)
        for sample in sys.argv[2:]:
            sequences = read_sequences(sample)
            lines = [line for sequence in sequences for line in sequence]
            problems += check_variations(replayer, lines)
            problems += check_refusals(replayer, lines)
            problems += check_spoilt(replayer, [s for s in sequences if len(s) < 60])
    for text in problems:
        print(text)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
