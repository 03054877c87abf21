# SPDX-License-Identifier: GPL-3.0-or-later
"""Random lives of one operation: accounts, knobs, and what the regions answer, on limits and 1 ns beside them."""

from operations_state import MS, NEVER, S

# Knobs as the policy shipped-rust sets them, in the core's numbers.
SHIPPED_RUST = {
    "breaker.tally": 1, "breaker.untripped_entries": 1, "failback.strategy": 1, "failback.probe_admission": 1,
    "failback.failed_probe": 1, "hedging.early_transient": 1, "hedging.leg_retries": 1, "hedging.secondary": 1,
    "hedging.refused_hub": 1, "hedging.account_not_found": 1, "hedging.early_final": 1, "hedging.both_transient": 1,
    "hedging.exhausted_race": 1, "hedging.session_race": 1, "hedging.metadata_error": 1, "hedging.operations": 2,
    "hedging.preferred_regions": 1, "hedging.budget_metadata": 32, "hedging.later_race": 1, "hedging.primary_hub": 1,
    "retry.max_metadata_throttle_retry_count": 9, "retry.max_metadata_throttle_wait": 30 * S,
    "retry.max_metadata_throttle_delay": 5 * S, "routing.rules": 1, "retry.exhausted_failures": 1, "retry.busy_region": 1,
}

# (status, sub-status, transport), and how often
ANSWERS = [
    ((200, 0, 0), 30), ((304, 0, 0), 1), ((503, 0, 0), 14), ((404, 1002, 0), 10), ((408, 0, 0), 3), ((410, 0, 0), 3),
    ((429, 3092, 0), 4), ((429, 0, 0), 4), ((429, 3200, 0), 2), ((429, 3210, 0), 1), ((429, 3214, 0), 1),
    ((429, 10003, 0), 1), ((449, 0, 0), 4), ((403, 3, 0), 4), ((403, 1008, 0), 3), ((403, 0, 0), 1), ((404, 0, 0), 3),
    ((404, 1003, 0), 1), ((410, 1002, 0), 1), ((410, 1007, 0), 1), ((410, 1008, 0), 1), ((409, 0, 0), 1),
    ((412, 0, 0), 1), ((500, 0, 0), 3), ((501, 0, 0), 1), ((502, 0, 0), 1), ((505, 0, 0), 1), ((418, 0, 0), 1),
    ((0, 0, 1), 5), ((0, 0, 2), 4), ((0, 0, 3), 2),
]


class Lives:
    """Line `number` of a seed."""

    def __init__(self, random, number, policy):
        self.r, self.number, self.policy = random, number, policy

    def pick(self, *values):
        return self.r.choice(values)

    def chance(self, share):
        return self.r.random() < share

    def near(self, time):
        """A limit, or 1 ns beside it."""
        return max(0, time + self.pick(-1, 0, 1))

    def line(self):
        is_fan = self.policy == "fan"
        regions = list(range(self.pick(2, 3, 3, 4, 5, 6, 9) if is_fan else self.pick(1, 2, 2, 3, 3, 3, 4)))
        multi = self.chance(0.5)
        is_read = self.chance(0.8)
        knobs = dict(SHIPPED_RUST) if self.policy == "shipped-rust" else {}
        timeout = self.pick(-1, -1, 1, 40 * MS, 1000 * MS, 1999 * MS, 2000 * MS, 3 * S, 10 * S, 40 * S)
        self.knobs(knobs)
        threshold = knobs.get("hedging.threshold", S if timeout < 0 else max(1, min(S, timeout // 2)))
        limits = [threshold, knobs.get("retry.request_timeout", 6 * S)]
        if is_fan:
            step = knobs["hedging.threshold_step"]
            limits += [threshold + step, threshold + 2 * step] if step < NEVER else []
        if timeout >= 0:
            limits += [timeout, timeout - threshold, timeout + 50 * MS]
        preferred = self.r.sample(regions, self.r.randint(0, len(regions))) if self.chance(0.3) else regions
        readable = self.r.sample(regions, len(regions))
        writable = readable[:] if multi else [self.pick(*regions)]
        return {
            "id": self.number, "knobs": knobs, "readable": readable, "writable": writable, "multi_write": int(multi),
            "automatic_failover": 0, "preferred": preferred,
            "excluded": self.r.sample(regions, self.pick(0, 0, 0, 0, 0, 1, 1, len(regions))),
            "switch": self.pick(0, 0, 0, 0, 1, 2), "start": 1000 * S, "timeout": timeout,
            "direction": 0 if is_read else 1, "is_known": int(self.chance(0.85)),
            "is_container_level": int(self.chance(0.1)), "is_feed": int(self.chance(0.05)),
            "abandon": 1000 * S + self.time(limits) if self.chance(0.08) else -1,
            "draws": [self.pick(0, (1 << 32) - 1, self.r.getrandbits(32)) for _ in range(5)],
            "marks": self.marks(regions), "failures": self.failures(regions, multi),
            "wins": [[self.pick(*regions), 999 * S]] * self.pick(0, 0, 0, 1, 3),
            "answers": {str(region): self.answers(limits) for region in regions},
        }

    def knobs(self, knobs):
        if self.chance(0.5):
            knobs["hedging.threshold"] = self.pick(1, 100 * MS, 500 * MS, 6 * S)
        if self.chance(0.3):
            knobs["retry.max_failover_retry_count"] = self.pick(0, 1, 2, 4)
        if self.chance(0.2):
            knobs["retry.max_session_retry_count"] = self.pick(0, 1, 2, 4)
        if self.chance(0.15):
            knobs["retry.max_throttle_retry_count"] = self.pick(0, 1, 2)
        if self.chance(0.15):
            knobs["retry.max_throttle_wait"] = self.pick(0, 5 * MS, 20 * MS, 2 * S)
        if self.chance(0.1):
            knobs["hedging.strategy"] = 1
        if self.chance(0.1):
            knobs["hedging.enabled"] = self.pick(0, 1)
        if self.chance(0.1):
            knobs["hedging.operations"] = self.pick(0, 1, 2)
        if self.chance(0.1):
            knobs["hedging.budget_metadata"] = self.pick(0, 1)
        if self.chance(0.1):
            knobs["hedging.races_per_operation"] = self.pick(2, 3)
        if self.chance(0.15):
            knobs["retry.max_metadata_throttle_retry_count"] = self.pick(-1, 0, 1, 2)
        if self.chance(0.15):
            knobs["retry.max_metadata_throttle_wait"] = self.pick(-1, 0, 5 * MS, 20 * MS, 2 * S)
        if self.chance(0.15):
            knobs["retry.max_metadata_throttle_delay"] = self.pick(-1, 0, 4 * MS, S)
        if self.chance(0.1):
            knobs["retry.request_timeout"] = self.pick(100 * MS, 500 * MS, 500 * MS + 1)
        knobs["breaker.read_failure_threshold"] = knobs["breaker.write_failure_threshold"] = 100
        if self.policy in ("mixed", "fan"):
            for name, top in (("hedging.early_transient", 1), ("hedging.leg_retries", 1), ("hedging.secondary", 2),
                              ("hedging.refused_hub", 1), ("retry.exhausted_failures", 1), ("retry.busy_region", 1),
                              ("hedging.account_not_found", 1), ("hedging.early_final", 1),
                              ("hedging.both_transient", 1), ("hedging.exhausted_race", 1),
                              ("hedging.session_race", 1), ("hedging.metadata_error", 1),
                              ("hedging.preferred_regions", 1), ("hedging.later_race", 1),
                              ("hedging.primary_hub", 1)):
                knobs[name] = self.r.randint(0, top)
            knobs["hedging.races_per_operation"] = self.pick(1, 1, 2, 3)
        if self.policy == "fan":
            knobs["hedging.max_alternates"] = self.pick(1, 2, 2, 3, 7)
            knobs["hedging.threshold_step"] = self.pick(0, 1, 50 * MS, 100 * MS, 500 * MS, 500 * MS, NEVER)
            knobs["hedging.writes"], knobs["hedging.leg_exclusions"] = self.pick(0, 1), self.pick(0, 1)
            knobs["hedging.primary_failure"], knobs["hedging.both_transient"] = self.pick(0, 1), self.pick(0, 1, 2)
            if self.chance(0.2):
                knobs["hedging.budget_concurrent"] = self.pick(1, 2, 3)

    def time(self, limits):
        if self.chance(0.4):
            return self.near(self.pick(*limits))
        return self.pick(0, 1, 5 * MS, 50 * MS, 300 * MS, 1500 * MS, self.r.randrange(0, 2 * S), 7 * S)

    def answers(self, limits):
        results, weights = zip(*ANSWERS)
        count = self.pick(1, 1, 2, 3, 5)
        return [[self.time(limits), *self.r.choices(results, weights)[0],
                 self.pick(-1, -1, -1, 0, 1 * MS, 100 * MS, 16 * S), self.pick(-1, 0, 0)] for _ in range(count)]

    def marks(self, regions):
        if not self.chance(0.2):
            return []
        return sorted(([region, self.pick(0, 2, 5), 1000 * S - self.pick(60 * S, 60 * S - 1, 30 * S, 60 * S + 1)]
                       for region in self.r.sample(regions, self.r.randint(1, len(regions)))), key=lambda m: m[2])

    def failures(self, regions, multi):
        if not self.chance(0.25):
            return []
        region, direction = self.pick(*regions), self.pick(0, 0, 1)
        return [[region, direction, 999 * S]] * self.pick(1, 2, 5, 10)
