#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: reorder_keys.py FILE.yaml
Prints the file with the keys of its two outer levels in reverse order: another text of the same meaning. Understands
block mappings as the project writes them: two spaces a level. `regionsim: 1` stays first."""
import re
import sys


def blocks(lines, indent):
    """Splits lines into what stands before the first key of that indent, and one list of lines for each key."""
    key = re.compile(" " * indent + r"[\w/-]+:")
    head, found = [], []
    for line in lines:
        if key.match(line):
            found.append([line])
        elif found:
            found[-1].append(line)
        else:
            head.append(line)
    return head, found


def reversed_level(lines, indent):
    head, found = blocks(lines, indent)
    return head + [line for block in reversed(found) for line in block]


text = [line for line in open(sys.argv[1], encoding="utf-8").read().splitlines() if not line.lstrip().startswith("#")]
head, found = blocks(text, 0)
first = [block for block in found if block[0].startswith("regionsim:")]
rest = [block for block in found if not block[0].startswith("regionsim:")]
for block in first + rest[::-1]:
    print("\n".join([block[0]] + reversed_level(block[1:], 2)))
