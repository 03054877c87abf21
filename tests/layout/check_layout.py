#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks what keeps the house in order: includes point to the left, every file names its licence, the core stays pure.

usage: check_layout.py SOURCE_ROOT CORE_ARCHIVE"""
import pathlib
import re
import shutil
import subprocess
import sys

STAGES = ["scenario", "world", "fleet", "engine", "metrics", "store", "experiment", "cli", "report", "explain", "import"]
# What a stage's header may be used by: its right neighbours, and everyone for the engine's tools.
ENGINE_TOOLS = {"random.h", "sampler.h", "digest.h", "wide.h", "gsl_inverse.h"}
CORE_HEADERS = {"stdbool.h", "stddef.h", "stdint.h", "stdatomic.h", "string.h", "assert.h"}
CORE_SYMBOLS = {"memcpy", "memset", "memmove", "memcmp", "strcmp", "strlen", "strncmp", "strchr", "__assert_fail",
                "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)
NO_LICENCE_LINE = {".csv", ".jsonl", ".png", ".gz"}
problems = []


def problem(path, text):
    problems.append(f"{path}: {text}")


def source_files(root):
    """What git tracks; without git or outside a checkout, every file that is not a build's or hidden."""
    if shutil.which("git") and (root / ".git").exists():
        names = subprocess.run(["git", "-c", "safe.directory=*", "-C", root, "ls-files"], check=True,
                               capture_output=True, text=True).stdout.splitlines()
        return [pathlib.Path(name) for name in names if (root / name).exists()]
    paths = (path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file())
    return [path for path in paths
            if not path.parts[0].startswith((".git", "build")) and path.suffix not in (".db", ".pyc")]


def check_licences(root, files):
    for path in files:
        if path.suffix in NO_LICENCE_LINE or path.parts[0] == "LICENSES" or path.name == "LICENSE":
            continue
        head = (root / path).read_text(encoding="utf-8", errors="replace")[:600]
        if "SPDX-License-Identifier" not in head and path.suffix != ".json" and "tests/scenario/bad" not in str(path):
            problem(path, "no SPDX line")
        if path.parts[0] == "core" and path.suffix in (".c", ".h") and "SPDX-License-Identifier: MIT" not in head:
            problem(path, "the core is MIT")


def check_includes(root, files):
    for path in files:
        if path.suffix not in (".c", ".h"):
            continue
        text = (root / path).read_text(encoding="utf-8")
        for style, name in INCLUDE.findall(text):
            if path.parts[0] == "core":
                if path.parts[1] == "examples":  # programs that embed it
                    continue
                if style == "<" and not name.startswith("regioncore/") and name not in CORE_HEADERS:
                    problem(path, f"the core may not include <{name}>")
                continue
            if path.parts[0] != "sim" or style == "<":
                continue
            stage, _, header = name.partition("/")
            if stage not in STAGES or (stage == "engine" and header in ENGINE_TOOLS):
                continue
            if STAGES.index(stage) > STAGES.index(path.parts[1]):
                problem(path, f"{path.parts[1]} may not include {name}: it lies to its right")


def check_floats(root, files):
    for path in files:
        if path.parts[0] != "core" or path.suffix not in (".c", ".h"):
            continue
        code = re.sub(r"/\*.*?\*/|//[^\n]*|\"(\\.|[^\"\\])*\"", "", (root / path).read_text(encoding="utf-8"), flags=re.S)
        if re.search(r"\b(double|float)\b|\b\d+\.\d", code):
            problem(path, "floating point in the core")


def check_symbols(archive):
    lines = subprocess.run(["nm", "-u", archive], check=True, capture_output=True, text=True).stdout.splitlines()
    undefined = {line.split()[-1] for line in lines if line.strip().startswith("U ")}
    for symbol in sorted(undefined):
        if not symbol.startswith(("rgn_", "rgni_", "__asan", "__ubsan", "__tsan", "__sanitizer", "__gcov")) \
                and symbol not in CORE_SYMBOLS:
            problem(archive, f"the core archive needs {symbol}")
    lines = subprocess.run(["objdump", "-t", archive], check=True, capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        match = re.match(r"^[0-9a-f]+ .{7} (\S+)\s+[0-9a-f]+\s+(?:\.hidden )?(\S+)$", line)
        if match and re.match(r"^(\.(data|bss|tdata|tbss)|\*COM\*)", match.group(1)) \
                and not match.group(1).startswith(".data.rel.ro") and not match.group(2).startswith((".", "__")):
            problem(archive, f"the core has a mutable global: {match.group(2)}")


def main(root, archive):
    root = pathlib.Path(root)
    files = source_files(root)
    check_licences(root, files)
    check_includes(root, files)
    check_floats(root, files)
    check_symbols(archive)
    for text in problems:
        print(text)
    print(f"{len(files)} files looked at, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
