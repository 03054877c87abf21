#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every study of reports/studies, reduced: what it concludes still holds, its opposite does not, its page and the index
are current. Then the command itself: a swapped conclusion and bad definitions must not pass.

usage: test_studies.py REGIONSIM SOURCE_ROOT"""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

GOOD = """
title = "t"
question = "q"
method = "m"
answer = "a"
short = "s"
would_change = "w"
[policies.one-canary]
based_on = "success-rate-due"
"failback.low_traffic_windows" = 1
[[plays]]
name = "low"
scenarios = ["scenarios/low-traffic.yaml"]
policies = ["success-rate-due", "one-canary"]
replications = 2
metrics = ["away_healthy_s"]
[[conclusions]]
says = "Who takes one canary for an answer comes back."
policy = "one-canary"
metric = "away_healthy_s"
is = "below"
"""
sys.dont_write_bytecode = True
failures, checks = [], 0


def check(what, holds):
    global checks
    checks += 1
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}")


def load(path):
    loader = importlib.machinery.SourceFileLoader("study", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("study", loader))
    loader.exec_module(module)
    return module


def check_published(study, index):
    """The page was made from this very definition, and the index has the short answer."""
    name = study["name"]
    page = pathlib.Path(tool.FOLDER / f"{name}.md").read_text(encoding="utf-8")
    check(f"{name}.md was made from {name}.toml as it is (tools/study {name})", study["digest"] in page)
    check(f"README.md lists {name} with its short answer",
          f"| [{name}]({name}.md) |" in index and study["short"] in index)


def check_conclusions(study, results):
    for conclusion in study["conclusions"]:
        holds, holding = tool.judge(conclusion, results)
        check(f'{study["name"]}: {tool.told(conclusion, holding)[2:]}', holds)
        for opposite in tool.opposites(conclusion):
            check(f'{study["name"]}: the opposite of "{conclusion["says"]}" is noticed',
                  not tool.judge(opposite, results)[0])


def said(regionsim, folder, definition):
    path = pathlib.Path(folder) / "tried.toml"
    path.write_text(definition, encoding="utf-8")
    done = subprocess.run([root / "tools/study", "--reduced", "--regionsim", regionsim, path],
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check_command(regionsim):
    """By the command, as users call it: a conclusion that holds, the same swapped, and what is no definition."""
    with tempfile.TemporaryDirectory() as folder:
        for name, old, new, status, words in (
                ("as it is", "", "", 0, ": holds: "),
                ("swapped", '"below"', '"above"', 1, "DOES NOT HOLD"),
                ("over all scenarios", '"below"', '"gains"', 0, ": holds: "),
                ("over all scenarios, swapped", '"below"', '"loses"', 1, "DOES NOT HOLD"),
                ("within the limit", '"below"', '"keeps_limit"\nlimit = 0.1', 0, ": holds: "),
                ("beyond the limit", '"below"', '"breaks_limit"\nlimit = 0.1', 1, "DOES NOT HOLD"),
                ("a limit too few", '"below"', '"keeps_limit"', 2, '"limit" goes with'),
                ("counted where nothing is", '"below"', '"gains"\nin_at_least = 1', 2, "about all scenarios"),
                ("no such relation", '"below"', '"beneath"', 2, "not_below"),
                ("no such field", "question", "qestion", 2, '"qestion" is not a field'),
                ("a field too few", 'short = "s"', "", 2, '"short" is missing'),
                ("a limit without use", '"below"', '"below"\nlimit = 3', 2, '"limit" goes with'),
                ("no such scenario", "low-traffic.yaml", "no-traffic.yaml", 2, "no file is called"),
                ("no such knob", "low_traffic_windows", "low_traffic_doors", 2, "low_traffic_doors"),
                ("no such policy", 'policy = "one-canary"', 'policy = "two-canaries"', 2, "two-canaries"),
                ("no such metric", 'metric = "away_healthy_s"', 'metric = "away_s"', 2, "away_s"),
                ("no TOML", "[[plays]]", "[[plays", 2, "tried.toml")):
            returned, output = said(regionsim, folder, GOOD.replace(old, new, 1) if old else GOOD)
            check(f'{name}: status {returned}, expected {status} and "{words}": {output}',
                  returned == status and words in output)


regionsim, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
tool = load(root / "tools/study")
index_text = (tool.FOLDER / "README.md").read_text(encoding="utf-8")
definitions = sorted(tool.FOLDER.glob("*.toml"))
check("there are studies", len(definitions) > 0)
for definition_path in definitions:
    one = tool.read(definition_path)
    check_published(one, index_text)
    check_conclusions(one, tool.play_all(one, regionsim, True, 1))
check_command(regionsim)
print(f"{checks} checks, {len(failures)} failed")
sys.exit(1 if failures else 0)
