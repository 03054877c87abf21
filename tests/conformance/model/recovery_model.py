# SPDX-License-Identifier: GPL-3.0-or-later
"""Trip, dwell, recovery, failback and re-trip of one client's breaker, by the specification, as a small model.

Written apart from the core, from the rules only, so that the two can judge each other. Times and durations are whole
nanoseconds, ratios parts per million, regions numbers, -1 is never or no region, region sets are bit masks.
"""

READ, WRITE = 0, 1
ABSENT, COUNTING, UNHEALTHY, RECOVERING = 0, 1, 2, 3
COUNTED_REGIONS = 4
FAILED_IN_ORDER = 12
MILLION = 10**6


class Count:
    """What one region has counted, [reads, writes] each."""

    def __init__(self):
        self.failures = [0, 0]
        self.successes = [0, 0]


class Entry:
    """One partition's breaker entry; there is none while the phase is absent."""

    def __init__(self, now, jitter, generation):
        self.phase = COUNTING
        self.tripped = 0
        self.first = self.current = -1
        self.failed = []
        self.counts = {}  # region: Count, in the order in which the regions joined
        self.first_failure = self.last_failure = self.share_start = now
        self.trip_time = -1
        self.jitter, self.generation = jitter, generation
        self.low_windows = 0
        self.cause = 0
        self.clear_recovery()

    def clear_recovery(self):
        self.total = self.success = self.in_flight = 0
        self.since = self.window_start = -1
        self.window = self.accumulator = 0

    def is_tripped(self, direction):
        return bool(self.tripped >> direction & 1)


class RecoveryModel:
    """One client. `draw_jitter(partition)` and `draw_phase(partition)` give its draws: a jitter in nanoseconds, and a
    sampler's first accumulator, 0..99."""

    def __init__(self, start, draw_jitter, draw_phase):
        self.knobs, self.preferred, self.hub = start["knobs"], start["pref"], start["hub"]
        self.multi_write, self.partitions = bool(start["mw"]), start["np"]
        self.draw_jitter, self.draw_phase = draw_jitter, draw_phase
        self.thresholds = (self.knobs["breaker.read_failure_threshold"], self.knobs["breaker.write_failure_threshold"])
        self.is_probe = self.knobs["failback.strategy"] == "probe"
        self.rule = self.knobs["breaker.rule"]
        self.entries, self.reasons, self.open = {}, {}, {}
        self.late = [0, 0]
        self.generation = 0
        self.now = start["t"]

    def knob(self, name):
        return self.knobs["failback." + name]

    # --- events ---

    def apply(self, event):
        """Applies an E line's event; returns (target, is canary) for an operation, else None."""
        self.now = event["t"]
        return getattr(self, "on_" + event["ev"])(event)

    def on_adv(self, event):
        pass

    def on_op(self, event):
        partition, direction = event["p"], event["w"]
        entry = self.entries.get(partition)
        is_canary = entry is not None and self.admits_canary(partition, entry, direction, event["ex"] | event["dn"])
        if is_canary:
            target = entry.first
            entry.in_flight += 1
        else:
            target = self.route(self.entries.get(partition), direction, event["ex"], event["dn"])
        proof = (entry.generation, entry.window) if is_canary else None
        self.open[event["id"]] = (partition, direction, target, proof)
        return target, int(is_canary)

    def admits_canary(self, partition, entry, direction, closed):
        """Samples the operation. A canary has its window looked at first, which may end the recovery instead."""
        if entry.phase != RECOVERING or not entry.is_tripped(direction) or closed >> entry.first & 1:
            return False
        if self.is_probe:
            if entry.in_flight > 0:
                return False
        else:
            entry.accumulator += self.knob("canary_percentage")
            if entry.accumulator < 100:
                return False
            entry.accumulator -= 100
        self.look_at_window(partition, entry)
        return self.entries.get(partition) is entry and entry.phase == RECOVERING

    def route(self, entry, direction, excluded, down):
        """First attempts: marked regions last, then without exclusions and, if tripped, without the failed ones."""
        regions = self.preferred if direction == READ or self.multi_write else [self.hub]
        regions = sorted(regions, key=lambda r: down >> r & 1)
        barred = excluded
        if entry is not None and entry.is_tripped(direction):
            for region in entry.failed:
                barred |= 1 << region
        for region in regions:
            if not barred >> region & 1:
                return region
        return self.preferred[0] if direction == READ and self.multi_write else self.hub

    def on_cancel(self, event):
        self.end_operation(event["id"], "neutral")

    def on_res(self, event):
        self.end_operation(event["id"], event["c"])

    def end_operation(self, number, outcome):
        partition, direction, region, proof = self.open.pop(number)
        if proof is not None:
            self.end_canary(partition, proof, outcome)
        elif direction == WRITE and not self.multi_write or len(self.preferred) < 2:
            pass  # the breaker does not apply
        elif outcome == "ok":
            self.count_success(partition, direction, region)
        elif outcome in ("fail", "timeout"):
            self.count_failure(partition, direction, region)

    def on_sweep(self, event):
        for partition in range(self.partitions):
            entry = self.entries.get(partition)
            if entry is None:
                continue
            if entry.phase == COUNTING:
                if self.now - entry.last_failure > self.knobs["breaker.counter_reset_window"]:
                    self.drop(partition, "stale")
            elif entry.phase == UNHEALTHY:
                self.promote_if_due(partition, entry)
            else:
                self.look_at_window(partition, entry)

    def on_expiry(self, event):
        for partition in range(self.partitions):
            entry = self.entries.get(partition)
            if entry is not None and entry.phase == UNHEALTHY:
                self.promote_if_due(partition, entry)

    # --- counting ---

    def drop(self, partition, reason):
        del self.entries[partition]
        self.reasons[partition] = reason

    def new_generation(self):
        self.generation += 1
        return self.generation

    def next_region(self, failed):
        return next((r for r in self.preferred if r not in failed), -1)

    def clear_old_counts(self, entry):
        """True if the counting window was over and a new one has begun."""
        begin = entry.share_start if self.rule == "share" else entry.last_failure
        if self.now - begin <= self.knobs["breaker.counter_reset_window"]:
            return False
        entry.counts.clear()
        entry.share_start = self.now
        return True

    def count_failure(self, partition, direction, region):
        entry = self.entries.get(partition)
        if entry is None:
            entry = self.entries[partition] = Entry(self.now, self.draw_jitter(partition), self.new_generation())
            self.reasons[partition] = "created"
        self.clear_old_counts(entry)
        entry.last_failure = self.now
        if entry.is_tripped(direction) and region == entry.first:
            return
        count = self.join_counts(entry, region)
        count.failures[direction] += 1
        if entry.tripped == 0:
            if self.suffices(count, direction):
                self.trip(partition, entry, direction, region)
            return
        if region not in entry.failed and not self.joins_failed(partition, entry, region, count):
            return
        if not entry.is_tripped(direction) and self.suffices(count, direction):
            entry.tripped |= 1 << direction
            self.reasons[partition] = "trip_also"

    @staticmethod
    def join_counts(entry, region):
        """The region's count; a fifth region takes the place of the one with the fewest failures, the oldest first."""
        if region not in entry.counts:
            if len(entry.counts) == COUNTED_REGIONS:
                del entry.counts[min(entry.counts, key=lambda r: sum(entry.counts[r].failures))]
            entry.counts[region] = Count()
        return entry.counts[region]

    def suffices(self, count, direction):
        failures = count.failures[direction]
        if failures < self.thresholds[direction]:
            return False
        results = failures + count.successes[direction]
        return self.rule != "share" or failures * MILLION >= self.knobs["breaker.failure_share"] * results

    def trip(self, partition, entry, direction, region):
        entry.phase, entry.tripped, entry.cause = UNHEALTHY, 1 << direction, 1
        entry.first, entry.failed, entry.trip_time = region, [region], self.now
        entry.current = self.next_region(entry.failed)
        self.reasons[partition] = "trip"

    def joins_failed(self, partition, entry, region, count):
        """True if the region is among the failed ones now and the entry still stands."""
        if sum(count.failures) < self.knobs["breaker.alternate_failures"]:
            return False
        entry.failed.append(region)
        if entry.current == region:
            entry.current = self.next_region(entry.failed)
            if entry.current < 0:
                self.drop(partition, "exhausted")
                return False
            self.reasons[partition] = "move"
        return True

    def count_success(self, partition, direction, region):
        entry = self.entries.get(partition)
        if entry is None or region not in entry.counts or self.rule == "windowed":
            return
        count = entry.counts[region]
        if self.rule == "consecutive":
            count.failures[direction] = 0
            if count.failures == [0, 0]:
                del entry.counts[region]
        elif entry.is_tripped(direction) and region == entry.first:
            return
        elif not self.clear_old_counts(entry):
            count.successes[direction] += 1
        if entry.tripped == 0 and not entry.counts:
            self.drop(partition, "cleared")

    # --- recovery ---

    def due(self, entry):
        begin = {"first_failure": entry.first_failure, "trip": entry.trip_time, "last_failure": entry.last_failure}
        return begin[self.knob("dwell_from")] + self.knob("partition_unavailability_duration") + entry.jitter

    def promote_if_due(self, partition, entry):
        if self.now < self.due(entry):
            return
        entry.clear_recovery()
        entry.phase, entry.since, entry.window_start = RECOVERING, self.now, self.now
        if not self.is_probe:
            entry.accumulator = self.draw_phase(partition)
        self.reasons[partition] = "promote"

    def retrip(self, partition, entry, reason):
        entry.clear_recovery()
        entry.phase = UNHEALTHY
        entry.first_failure = entry.last_failure = entry.trip_time = self.now
        entry.jitter, entry.generation = self.draw_jitter(partition), self.new_generation()
        entry.counts.clear()
        entry.failed = [entry.first]
        entry.current = self.next_region(entry.failed)
        if reason != "window_dwell":
            entry.low_windows = 0
        self.reasons[partition] = reason

    def is_good(self, entry):
        """The success threshold, against what is in flight too if that counts."""
        total = entry.total + (entry.in_flight if self.knob("pending") == "counted" else 0)
        return entry.success * MILLION >= self.knob("success_threshold") * total

    def judge_sample(self, partition, entry):
        """Threshold and floor. True if the recovery has ended."""
        if self.is_good(entry):
            self.drop(partition, "failback")
        elif entry.success * MILLION < self.knob("retrip_floor") * entry.total:
            self.retrip(partition, entry, "retrip")
        else:
            return False
        return True

    def look_at_window(self, partition, entry):
        maximum = self.knob("recovering_max")
        is_too_long = maximum >= 0 and self.now - entry.since > maximum
        if self.is_probe:
            if is_too_long:
                self.retrip(partition, entry, "retrip_max")
            return
        is_over = self.now - entry.window_start > self.knob("eval_window")
        is_sample = entry.total >= self.knob("min_sample")
        if is_over:
            entry.low_windows = 0 if is_sample else entry.low_windows + 1
            if self.knob("decide") == "window_end" and is_sample and self.judge_sample(partition, entry):
                return
        if is_too_long:
            self.retrip(partition, entry, "retrip_max")
        elif is_over:
            self.end_window(partition, entry)

    def end_window(self, partition, entry):
        expiry = self.knob("window_expiry")
        if expiry == "dwell":
            self.retrip(partition, entry, "window_dwell")
        elif expiry == "judge" and not self.is_good(entry):
            self.retrip(partition, entry, "retrip_judge")
        else:
            entry.total = entry.success = entry.in_flight = 0
            entry.window_start = self.now
            entry.window += 1
            self.reasons[partition] = "window_restart"

    def end_canary(self, partition, proof, outcome):
        entry = self.entries.get(partition)
        if entry is not None and entry.phase == RECOVERING:
            self.look_at_window(partition, entry)
            entry = self.entries.get(partition)
        is_ok = outcome == "ok"
        if entry is None or entry.phase != RECOVERING or proof != (entry.generation, entry.window):
            if outcome != "neutral":
                self.late[0 if is_ok else 1] += 1
            return
        entry.in_flight -= 1
        if outcome == "neutral":
            return
        if self.is_probe:
            self.decide_at_once(partition, entry, is_ok, "_probe")
            return
        entry.total += 1
        entry.success += is_ok
        limit = self.knob("low_traffic_windows")
        if 0 < limit <= entry.low_windows:
            self.decide_at_once(partition, entry, is_ok, "_single")
        elif (self.knob("decide") == "every" and entry.total >= self.knob("min_sample")
              or self.knob("decide") == "min_sample" and entry.total == self.knob("min_sample")):
            self.judge_sample(partition, entry)

    def decide_at_once(self, partition, entry, is_ok, kind):
        if is_ok:
            self.drop(partition, "failback" + kind)
        else:
            self.retrip(partition, entry, "retrip" + kind)

    # --- what the vectors say after an event ---

    def state(self, partition):
        entry, why = self.entries.get(partition), self.reasons.get(partition, "none")
        if entry is None:
            return {"p": partition, "ph": ABSENT, "why": why}
        return {"p": partition, "ph": entry.phase, "tr": entry.tripped, "first": entry.first, "cur": entry.current,
                "failed": entry.failed[:FAILED_IN_ORDER], "fm": sum(1 << r for r in entry.failed),
                "cnt": [[r, *c.failures] for r, c in sorted(entry.counts.items()) if any(c.failures)],
                "good": [[r, *c.successes] for r, c in sorted(entry.counts.items()) if any(c.successes)],
                "ff": entry.first_failure, "lf": entry.last_failure, "tt": entry.trip_time, "jit": entry.jitter,
                "due": self.due(entry) if entry.phase == UNHEALTHY else -1, "tot": entry.total,
                "suc": entry.success, "inf": entry.in_flight, "since": entry.since, "ws": entry.window_start,
                "wid": entry.window, "gen": entry.generation, "ew": entry.low_windows, "acc": entry.accumulator,
                "cause": entry.cause, "why": why}
