# SPDX-License-Identifier: GPL-3.0-or-later
"""Random sequences of the recovery format, with the model's states and answers.

Biased to what goes wrong: clocks at a limit and one nanosecond on either side, small samples and thresholds, results
that come late, ratios that are just met, windows without traffic, regions beyond the fourth and the twelfth.
"""

from recovery_model import RECOVERING, UNHEALTHY, RecoveryModel

SECOND = 10**9
NEVER = -1


class RecoverySequence:
    """Makes one sequence: `lines` gives its S line and its E lines as dictionaries."""

    def __init__(self, rng, number, events):
        self.rng, self.number, self.length = rng, number, events
        self.regions = rng.choice([1, 2, 2, 3, 3, 3, 4, 5, 6, 7, 14])
        self.partitions = rng.choice([1, 1, 1, 2, 3])
        self.open = []  # ids
        self.last_id = 0
        self.events = 0
        self.health = {}  # region: probability that an attempt fails

    # --- start ---

    def knobs(self):
        rng = self.rng
        share = rng.choice([1, 333333, 500000, 666667, 750000, 900000, 999999, 1000000])
        threshold = rng.choice([1, 333333, 500000, 666667, 750000, 800000, 900000, 1000000])
        floor = rng.choice([0, 1, 250000, 333333, 500000, 666667, threshold])
        window = rng.choice([10**6, SECOND, 3 * SECOND, 10 * SECOND, 60 * SECOND, 60 * SECOND])
        dwell = rng.choice([1, 1, 2, 2, 5, 5, 60]) * SECOND + rng.choice([0, 0, 1])
        if rng.random() < 0.04:
            dwell = rng.choice([0, 1, 2, 3])
        return {
            "breaker.rule": rng.choice(["windowed", "windowed", "consecutive", "share"]),
            "breaker.read_failure_threshold": rng.choice([1, 2, 3, 5]),
            "breaker.write_failure_threshold": rng.choice([1, 2, 3, 4]),
            "breaker.counter_reset_window": rng.choice([1, 5, 30, 300]) * SECOND,
            "breaker.alternate_failures": rng.choice([1, 1, 2, 3, 5]),
            "breaker.failure_share": share,
            "failback.strategy": rng.choice(["success_rate"] * 5 + ["probe"]),
            "failback.probe_admission": "one",
            "failback.sampler": "counter",
            "failback.canary_percentage": rng.choice([1, 10, 33, 50, 75, 90, 99, 100, 100, 100]),
            "failback.min_sample": rng.choice([1, 1, 2, 3, 4, 7, 10]),
            "failback.success_threshold": threshold,
            "failback.retrip_floor": min(floor, threshold),
            "failback.eval_window": window,
            "failback.decide": rng.choice(["every", "every", "min_sample", "window_end"]),
            "failback.pending": rng.choice(["completed", "counted"]),
            "failback.window_expiry": rng.choice(["restart", "restart", "dwell", "judge"]),
            "failback.low_traffic_windows": rng.choice([0, 0, 1, 2, 3]),
            "failback.recovering_max": rng.choice([NEVER] * 12 + [0, window - 1, window, window + 1, 2 * window + 1,
                                                           70 * SECOND]),
            "failback.promote": rng.choice(["sweep", "due"]),
            "failback.dwell_from": rng.choice(["first_failure", "trip", "last_failure"]),
            "failback.partition_unavailability_duration": dwell,
            "failback.sweep_interval": rng.choice([1, 5, 30, 60, 300, 300]) * SECOND,
        }

    def start(self):
        rng = self.rng
        preferred = list(range(self.regions))
        rng.shuffle(preferred)
        self.now = rng.choice([0, rng.randrange(10**15)])
        knobs = self.knobs()
        self.interval = knobs["failback.sweep_interval"]
        self.tick = self.now + 1 + rng.randrange(self.interval)
        line = {"k": "S", "seq": self.number, "name": "random", "about": "", "seed": self.number, "t": self.now,
                "pref": preferred, "hub": rng.choice(preferred), "mw": int(rng.random() < 0.7),
                "np": self.partitions, "grid": self.tick, "knobs": knobs}
        self.model = RecoveryModel(line, self.draw_jitter, self.draw_phase)
        self.draw_health()
        return line

    def draw_health(self):
        self.health = {r: self.rng.choice([0.0, 0.0, 0.1, 0.3, 0.5, 0.9, 1.0]) for r in range(self.regions)}

    def draw_jitter(self, partition):
        half = max(1, self.model.knob("partition_unavailability_duration") // 2)
        jitter = self.rng.choice([0, half // 2, half - 1, self.rng.randrange(half)])
        self.jitters.append([partition, jitter])
        return jitter

    def draw_phase(self, partition):
        phase = self.rng.choice([0, 99, self.rng.randrange(100)])
        self.phases.append([partition, phase])
        return phase

    # --- time ---

    def next_background(self):
        """(instant, event) of the next background work, or None: ticks while there are entries, and expiries."""
        entries = self.model.entries.values()
        works = []
        if entries:
            works.append((self.tick, "sweep"))
        if self.model.knob("promote") == "due":
            dues = [max(self.now, self.model.due(e)) for e in entries if e.phase == UNHEALTHY]
            if dues and (min(dues) < self.tick):
                works.append((min(dues), "expiry"))
        return min(works, default=None)

    def limits(self):
        """Instants at which something changes, those of all entries."""
        model, out = self.model, [self.tick]
        for entry in model.entries.values():
            out.append(entry.last_failure + model.knobs["breaker.counter_reset_window"])
            out.append(entry.share_start + model.knobs["breaker.counter_reset_window"])
            if entry.phase == UNHEALTHY:
                out.append(model.due(entry))
            elif entry.phase == RECOVERING:
                out.append(entry.window_start + model.knob("eval_window"))
                out.append(entry.since + max(0, model.knob("recovering_max")))
        return out

    def next_instant(self):
        rng, kind = self.rng, self.rng.random()
        if kind < 0.85:
            return self.now
        if kind < 0.96:
            limits = sorted(i for i in self.limits() if i + 1 >= self.now)
            return max(self.now, rng.choice(limits[:3]) + rng.choice([-1, 0, 1])) if limits else self.now
        return self.now + rng.choice([1, rng.randrange(SECOND), rng.randrange(SECOND), rng.randrange(10 * SECOND)])

    def skip_idle_ticks(self, until):
        """Ticks up to `until` that nobody is there to see."""
        while self.tick <= until:
            self.tick += self.interval

    # --- events ---

    def emit(self, event, touched):
        """Applies the event and completes its line."""
        self.jitters, self.phases = [], []
        line = {"k": "E", "i": self.events, "t": self.now, **event}
        answer = self.model.apply(line)
        if answer is not None:
            line["to"], line["can"] = answer
        if self.jitters:
            line["jit"] = self.jitters
        if self.phases:
            line["acc"] = self.phases
        line["st"] = [self.model.state(p) for p in touched]
        line["late"] = list(self.model.late)
        self.events += 1
        return line

    def background(self, until):
        """The background work up to and at `until`."""
        while True:
            work = self.next_background()
            if work is None or work[0] > until:
                break
            self.skip_idle_ticks(work[0] - 1)
            self.now = work[0]
            if work[1] == "sweep":
                self.tick += self.interval
            yield self.emit({"ev": work[1]}, range(self.partitions))
            self.heal_recovering()
        self.skip_idle_ticks(until)
        self.now = until

    def heal_recovering(self):
        """Every second recovery begins at a region that has just become healthy."""
        for entry in self.model.entries.values():
            if entry.phase == RECOVERING and entry.since == self.now and self.rng.random() < 0.5:
                self.health[entry.first] = self.rng.choice([0.0, 0.1])

    def traffic(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.02:
            return self.emit({"ev": "adv"}, [])
        if not self.open or kind < 0.5 and len(self.open) < 12:
            return self.start_operation()
        number = self.open.pop(rng.randrange(len(self.open)))
        partition, _, region, _ = self.model.open[number]
        if rng.random() < 0.04:
            return self.emit({"ev": "cancel", "id": number}, [partition])
        outcome = "ok"
        if rng.random() < self.health[region]:
            outcome = rng.choice(["fail", "fail", "fail", "timeout"])
        elif rng.random() < 0.08:
            outcome = "neutral"
        return self.emit({"ev": "res", "id": number, "c": outcome}, [partition])

    def start_operation(self):
        rng = self.rng
        self.last_id += 1
        partition = rng.randrange(self.partitions)
        excluded = self.mask() if rng.random() < 0.12 else 0
        down = self.mask() if rng.random() < 0.12 else 0
        event = {"ev": "op", "id": self.last_id, "p": partition, "w": int(rng.random() < 0.4), "ex": excluded,
                 "dn": down}
        self.open.append(self.last_id)
        return self.emit(event, [partition])

    def mask(self):
        rng = self.rng
        return rng.choice([1 << rng.randrange(self.regions), rng.randrange(2**self.regions), 2**self.regions - 1,
                           rng.randrange(2**31)])

    def lines(self):
        yield self.start()
        while self.events < self.length:
            yield from self.background(self.next_instant())
            if self.rng.random() < 0.03:
                self.draw_health()
            yield self.traffic()
            yield from self.background(self.now)
