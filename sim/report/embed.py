#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a C file of the report's assets: each file as text with its length, scripts also with the SHA-256 that the
page's content security policy admits them by.

usage: embed.py OUTPUT NAME=FILE..."""
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


def main(output, *assets):
    parts = ['/* Made by sim/report/embed.py. */\n#include "report/assets.h"\n']
    for asset in assets:
        name, _, path = asset.partition("=")
        with open(path, "rb") as file:
            data = file.read()
        if b"</script" in data.lower():
            sys.exit(f"{path}: would end the element that it stands in")
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode("ascii")
        parts.append(f'const rep_asset rep_asset_{name} = {{\n    {len(data)}, "sha256-{digest}",\n{literal(data)}}};\n')
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
