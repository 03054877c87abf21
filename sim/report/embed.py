#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a C file of the report's assets: each as text with its length and the SHA-256 by which the page's content
security policy admits a script. An asset of several files is these in a row.

usage: embed.py OUTPUT (NAME= FILE...)..."""
import base64
import hashlib
import sys

PLAIN = set(range(0x20, 0x7F)) - {ord(c) for c in '"\\?'}  # a question mark may begin a trigraph


def literal(data):
    """The bytes as C string literals, one line each."""
    lines = []
    for start in range(0, len(data), 100):
        piece = data[start:start + 100]
        lines.append('    "' + "".join(chr(b) if b in PLAIN else f"\\{b:03o}" for b in piece) + '"')
    return "\n".join(lines)


def definition(name, data):
    """The asset as a C constant."""
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode("ascii")
    return f'const rep_asset rep_asset_{name} = {{\n    {len(data)}, "sha256-{digest}",\n{literal(data)}}};\n'


def main(output, *arguments):
    assets = {}
    for argument in arguments:
        if argument.endswith("="):
            data = assets.setdefault(argument[:-1], bytearray())
            continue
        with open(argument, "rb") as file:
            data += file.read()
        if b"</script" in data.lower():
            sys.exit(f"{argument}: would end the element that it stands in")
    parts = ['/* Made by sim/report/embed.py. */\n#include "report/assets.h"\n']
    parts += [definition(name, bytes(data)) for name, data in assets.items()]
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
