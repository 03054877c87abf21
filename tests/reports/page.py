# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as a program reads it: its tables, and what the database says of the same."""
import html.parser
import pathlib
import shutil
import sqlite3
import subprocess

HOSTILE = "</script><script>alert(1)</script>\"'&amp; <b>\u202Eneta\u202C \u0634\u0645\u0627\u0644 " + "x" * 10000
POLICIES = ("success-rate", "success-rate-due", "shipped-rust")


class Reader(html.parser.HTMLParser):
    """Tables by id, as rows of texts; scripts; all text."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.scripts, self.text, self.headings = {}, 0, [], []
        self.table, self.cell, self.is_script, self.is_heading = None, None, False, False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table":
            self.table = self.tables.setdefault(attributes["id"], [])
            self.cell = None
        elif tag == "tr" and self.table is not None:
            self.table.append([])
            self.cell = None
        elif tag in ("td", "th") and self.table:
            self.table[-1].append("")
            self.cell = True
        elif tag == "caption":
            self.cell = None
        elif tag == "script":
            self.scripts += 1
            self.is_script = True
        elif tag in ("h1", "h2"):
            self.headings.append("")
            self.is_heading = True

    def handle_endtag(self, tag):
        if tag == "table":
            self.table = None
        elif tag == "script":
            self.is_script = False
        elif tag in ("h1", "h2"):
            self.is_heading = False

    def handle_data(self, data):
        if self.is_script:
            return
        self.text.append(data)
        if self.is_heading:
            self.headings[-1] += data
        if self.table and self.cell and self.table[-1]:
            self.table[-1][-1] += data.strip("\n")


def run(regionsim, *arguments):
    return subprocess.run([regionsim, *map(str, arguments)], check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)


def make_database(regionsim, root, folder):
    """The flagship with little traffic, six replications of three policies."""
    root, path = pathlib.Path(root), pathlib.Path(folder) / "small.db"
    command = [regionsim, "run", root / "scenarios/flagship.yaml", "--replications", "6", "--db", path, "--set",
               "scenario.workload.shop.rate=400 /s"]
    for policy in POLICIES:
        command += ["--policy", policy]
    run(*command)
    return path


def make_sweep(regionsim, root, folder):
    """Two knobs and a field of the flagship with little traffic, under two policies: 24 points."""
    root, path = pathlib.Path(root), pathlib.Path(folder) / "sweep.db"
    command = [regionsim, "sweep", root / "scenarios/flagship.yaml", "--replications", "3", "--db", path,
               "--vary", "scenario.workload.shop.rate=20..60 /s:40",
               "--vary", "failback.canary_percentage=5,20,50", "--vary", "failback.min_sample=5,15"]
    for policy in ("success-rate", "shipped-rust"):
        command += ["--policy", policy]
    run(*command)
    return path


def make_search(regionsim, root, folder):
    """A search over two short scenarios, confirmed in them and in a third one."""
    root, folder = pathlib.Path(root), pathlib.Path(folder)
    path = folder / "search.db"
    tiny = (root / "tests/cli/scenarios/tiny.yaml").read_text(encoding="utf-8")
    texts = {"tiny": tiny, "half": tiny.replace("4 s: 0 %", "2 s: 50 %, 7 s: 0 %"),
             "long": tiny.replace("4 s: 0 %", "6 s: 0 %")}
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text.replace("scenario: tiny", f"scenario: {name}"), encoding="utf-8")
    shutil.copy(root / "scenarios/policies/success-rate.yaml", folder)
    shutil.copytree(root / "tests/cli/scenarios/data", folder / "data", dirs_exist_ok=True)
    (folder / "late.yaml").write_text("regionsim: 1\npolicy: late\nbased_on: success-rate\n"
                                      "breaker: {read_failure_threshold: 30}\n"
                                      "failback: {promote: sweep, sweep_interval: 1 min}\n", encoding="utf-8")
    run(regionsim, "tune", folder / "tiny.yaml", folder / "half.yaml", "--hold-out", folder / "long.yaml", "--policy",
        folder / "late.yaml", "--vary", "breaker.read_failure_threshold=1..40", "--vary", "failback.promote=sweep,due",
        "--vary", "failback.min_sample=2..20", "--objective", "away_healthy_s", "--objective", "home_unhealthy_s",
        "--objective", "load_amplification", "--budget", "260", "--replications", "10", "--db", path)
    return path


def make_fit(regionsim, root, folder):
    """An imported account; returns its fit as a page and as CSV."""
    root, folder = pathlib.Path(root), pathlib.Path(folder)
    shutil.copytree(root / "scenarios/data", folder / "data", dirs_exist_ok=True)
    paths = [folder / "fit.html", folder / "fit.csv"]
    for path in paths:
        run(regionsim, "import", root / "scenarios/data/shop-telemetry.csv", root / "scenarios/data/azure-rtt.csv",
            "--name", "shop", "--regions", "eastus,westeurope", "--output", folder / "shop.yaml", "--fit", path, "--force")
    return paths


def make_stations(path, folder):
    """A copy in which the first region has limits: rows made up, since the flagship has none."""
    copy = pathlib.Path(folder) / "stations.db"
    shutil.copy(path, copy)
    connection = sqlite3.connect(copy)
    connection.execute("CREATE TABLE IF NOT EXISTS interval_station (run_id INTEGER NOT NULL, n INTEGER NOT NULL, region"
                       " INTEGER NOT NULL, arrivals INTEGER NOT NULL, busy INTEGER NOT NULL, utilisation REAL, queue_peak"
                       " INTEGER NOT NULL, turned_away INTEGER NOT NULL, throttled INTEGER NOT NULL,"
                       " PRIMARY KEY (run_id, n, region)) STRICT, WITHOUT ROWID")
    connection.execute("INSERT INTO interval_station SELECT run_id, n, 0, 10, 5, (n % 10) / 10.0, n % 7 + run_id, n % 3, 0"
                       " FROM interval")
    connection.commit()
    connection.close()
    return copy


def make_hostile(path, folder):
    """A copy whose names and texts try to get out of the page."""
    copy = pathlib.Path(folder) / "hostile.db"
    shutil.copy(path, copy)
    connection = sqlite3.connect(copy)
    connection.execute("UPDATE scenario SET name = ?1 || id, about = ?1, text = ?1, notes = ?1", [HOSTILE])
    connection.execute("UPDATE policy SET name = ?1 || id, about = ?1, text = ?1", [HOSTILE])
    connection.execute("UPDATE tune SET base = ?1, reason = ?1", [HOSTILE])
    connection.execute("UPDATE tune_value SET value = ?1 || value", [HOSTILE])
    connection.execute("UPDATE tune_sensitivity SET value = ?1 || value", [HOSTILE])
    connection.execute("UPDATE sweep_point SET base = ?1 || base", [HOSTILE])
    connection.execute("UPDATE sweep_value SET key = ?1 || key, value = ?1 || value", [HOSTILE])
    connection.execute("UPDATE region SET name = ?1 || region", [HOSTILE])
    connection.execute("UPDATE run_timing SET command_line = ?1, system = ?1", [HOSTILE])
    connection.commit()
    connection.close()
    return copy


def report(regionsim, *arguments):
    return subprocess.run([regionsim, "report", *map(str, arguments)], capture_output=True, check=False)


# ---- the same numbers, from the database alone ----

def _numbers(blob):
    value = shift = 0
    for byte in blob:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def _highest(bucket):
    if bucket < 512:
        return bucket
    shift = (bucket >> 8) - 1
    return ((((bucket & 255) + 256) + 1) << shift) - 1


class Latency:
    """Merged histograms of a policy over all replications."""

    def __init__(self, connection, policy):
        self.count, self.max = {}, -1
        for blob, in connection.execute(
                "SELECT encoded FROM histogram JOIN run ON run.id = run_id WHERE phase = 'all' AND policy_id = ?",
                [policy]):
            numbers = list(_numbers(blob))
            self.max = max(self.max, numbers[0] - 1)
            bucket = -1
            for distance, count in zip(numbers[3::2], numbers[4::2]):
                bucket += distance
                self.count[bucket] = self.count.get(bucket, 0) + count
        self.total = sum(self.count.values())

    def at(self, percent):
        """Nearest rank, ns; None where fewer than ten lie beyond."""
        beyond = self.total * round((100 - percent) * 100000) // 10000000
        if beyond < 10:
            return None
        rank, seen = self.total - beyond, 0
        for bucket in sorted(self.count):
            seen += self.count[bucket]
            if seen >= rank:
                return min(_highest(bucket), self.max)
        return None
