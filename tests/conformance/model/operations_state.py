# SPDX-License-Identifier: GPL-3.0-or-later
"""What one operation's life leans on: the account's lists, the partition's counts and trips, the endpoints' marks.

Only as much of breaker and routing as one operation can show: no dwell and no recovery happens within it.
"""

NEVER = (1 << 63) - 1
MS = 1_000_000
S = 1000 * MS
RESET_WINDOW = 300 * S
COUNTED_REGIONS = 4  # the region with the fewest failures, of several the first, makes room for a fifth

DEFAULTS = {
    "breaker.enabled": 1, "breaker.read_failure_threshold": 10, "breaker.write_failure_threshold": 5,
    "breaker.tally": 0, "breaker.alternate_failures": 1, "routing.rules": 0, "endpoint.unavailability_ttl": 60 * S,
    "retry.max_failover_retry_count": 3, "retry.max_session_retry_count": -1, "retry.request_timeout": 6 * S,
    "retry.max_throttle_retry_count": 18, "retry.max_throttle_wait": 270 * S, "retry.exhausted_failures": 0,
    "retry.max_metadata_throttle_retry_count": -1, "retry.max_metadata_throttle_wait": -1,
    "retry.max_metadata_throttle_delay": -1, "retry.busy_region": 0,
    "hedging.enabled": -1, "hedging.strategy": 0, "hedging.threshold": -1,
    "hedging.metadata_threshold": 1500 * MS, "hedging.early_transient": 0, "hedging.leg_retries": 0,
    "hedging.refused_hub": 0, "hedging.races_per_operation": 1, "hedging.secondary": 0, "hedging.activation": 0,
    "hedging.operations": 0, "hedging.account_not_found": 0, "hedging.early_final": 0, "hedging.both_transient": 0,
    "hedging.exhausted_race": 0, "hedging.session_race": 0, "hedging.metadata_error": 0,
    "hedging.preferred_regions": 0, "hedging.later_race": 0, "hedging.primary_hub": 0,
    "hedging.budget_metadata": (1 << 31) - 1,
    "hedging.primary_failure": 0, "hedging.max_alternates": 1, "hedging.threshold_step": 500 * MS,
    "hedging.writes": 0, "hedging.leg_exclusions": 0,
    "hedging.budget_concurrent": (1 << 31) - 1,
}


def knob(line, name):
    return line["knobs"].get(name, DEFAULTS[name])


class Leg:
    """One leg: the attempts it makes in one region."""

    def __init__(self, region):
        self.region = region
        self.answer = None  # (at, response, retry after, partition named) while it is open
        self.timeout_at = NEVER
        self.wake_at = NEVER  # end of a back-off
        self.throttles = 0
        self.retries, self.sessions = 0, 0
        self.is_over = False

    @property
    def is_open(self):
        return self.answer is not None


class Topology:
    """Routing lists: preferred regions first."""

    def __init__(self, line):
        self.line = line

    def order(self, direction):
        account = self.line["writable" if direction else "readable"]
        named = [region for region in self.line["preferred"] if region in account]
        return named + [region for region in account if region not in named]

    def allowed(self, direction):
        return [region for region in self.order(direction) if region not in self.line["excluded"]]


class Partition:
    """Counts, trips, hedge wins of the partition, and marks of endpoints."""

    def __init__(self, line, topology):
        self.line, self.topology = line, topology
        self.is_driver = knob(line, "routing.rules") == 1
        self.is_shared = knob(line, "breaker.tally") == 1
        self.marks, self.wins = {}, {}
        self.clear()
        for region, why, at in line["marks"]:
            self.mark(region, why, at)
        for region, direction, at in line["failures"]:
            if self.covers(direction, True):
                self.fail(region, direction, at)
        for region, _ in line["wins"]:
            if self.is_driver or self.covers(0, True):
                self.wins[region] = self.wins.get(region, 0) + 1

    def clear(self):
        self.last = 0
        self.counts = {}  # region (shared: the creator): [reads, writes]
        self.tripped, self.first, self.failed, self.current = 0, None, [], None

    # --- marks ---

    def mark(self, region, why, at):
        self.marks[region] = (why, at)

    def is_marked(self, region, direction, now):
        if region not in self.marks:
            return False
        why, at = self.marks[region]
        return now - at < knob(self.line, "endpoint.unavailability_ttl") and not (why == 0 and direction == 0)

    # --- failures ---

    def is_on(self):
        return {0: knob(self.line, "breaker.enabled") == 1, 1: False, 2: True}[self.line["switch"]]

    def covers(self, direction, is_known):
        return (is_known and self.is_on()
                and len(self.line["readable"]) > 1 and (direction == 0 or self.line["multi_write"]))

    def charge(self, op, region, direction, why, is_transport, now):
        """Partition or endpoint; the breaker manages the operation's direction, not the failure's."""
        if self.covers(op.line["direction"], op.is_known):
            if self.covers(direction, op.is_known):
                self.fail(region, direction, now)
        elif not is_transport:
            self.mark(region, why, now)

    def threshold(self, direction):
        return knob(self.line, "breaker.write_failure_threshold" if direction else "breaker.read_failure_threshold")

    def fail(self, region, direction, now):
        if now - self.last > RESET_WINDOW:
            self.counts = {first: [0, 0] for first in self.counts} if self.is_shared else {}
        self.last = now
        if self.is_shared:
            self.fail_shared(region, direction)
            return
        if self.tripped >> direction & 1 and region == self.first:
            return
        if region not in self.counts and len(self.counts) == COUNTED_REGIONS:
            del self.counts[min(self.counts, key=lambda other: sum(self.counts[other]))]
        row = self.counts.setdefault(region, [0, 0])
        row[direction] += 1
        if not self.tripped:
            if row[direction] >= self.threshold(direction):
                self.tripped = 1 << direction
                self.first, self.failed = region, [region]
                self.move()
            return
        if region not in self.failed and sum(row) >= knob(self.line, "breaker.alternate_failures"):
            self.failed.append(region)
            if self.move():
                return
        if region in self.failed and row[direction] >= self.threshold(direction):
            self.tripped |= 1 << direction

    def move(self):
        """The next current region; True if there is none, and the entry is gone."""
        rest = [region for region in self.topology.order(0) if region not in self.failed]
        if not rest:
            self.clear()
            return True
        self.current = rest[0]
        return False

    def fail_shared(self, region, direction):
        """The driver's count of all regions together."""
        if self.first is None:
            self.first = self.current = region
            self.counts = {region: [0, 0]}
        row = self.counts[self.first]
        row[direction] += 1
        if row[direction] < self.threshold(direction):
            return
        self.tripped |= 1 << direction
        if region not in self.failed:
            self.failed.append(region)
        if region == self.current:
            rest = [r for r in self.topology.order(0) if r not in self.failed and r != self.current]
            if rest:
                self.current = rest[0]
            else:
                self.clear()

    def has_tripped(self, region, direction):
        return bool(self.tripped >> direction & 1) and region in self.failed

    # --- wins ---

    def primary_win(self, op, region):
        if op.is_known and op.is_read:
            self.wins.pop(region, None)

    def hedge_win(self, op, region):
        if op.is_known and op.is_read and (self.is_driver or self.covers(0, True)):
            self.wins[region] = self.wins.get(region, 0) + 1

    # --- routing ---

    def routing_list(self, op):
        if not op.is_read or op.on_write_list:
            return self.topology.order(1)
        return self.topology.order(0)

    def route(self, op):
        return self.route_driver(op) if self.is_driver else self.route_documented(op)

    def route_documented(self, op):
        direction = op.line["direction"]
        order = self.routing_list(op)
        if op.is_single and (not op.is_read or op.on_write_list):
            order = self.line["writable"][:1]
        tripped = self.failed if self.covers(direction, op.is_known) and self.tripped >> direction & 1 else []
        left = [region for region in order if region not in self.line["excluded"] and region not in tripped]
        if op.attempts > 0 and len(left) == 1 and left[0] in op.failed:
            back = [region for region in tripped if region in order and region not in self.line["excluded"]]
            left += back[:1]
        if not left:
            if op.is_read and not op.is_single:
                return self.topology.order(1)[0]
            return self.line["writable"][0]
        left.sort(key=lambda region: self.is_marked(region, direction, op.now))
        fresh = [region for region in left if region not in op.failed]
        if not fresh:
            op.failed = set()
            fresh = [region for region in left if region != op.last_region] or left
        return fresh[0]

    def route_driver(self, op):
        direction = op.line["direction"]

        def is_usable(region):
            return region not in self.line["excluded"] and not self.is_marked(region, direction, op.now)

        if self.covers(direction, op.is_known):
            if self.tripped >> direction & 1 and is_usable(self.current):
                return self.current
        order = self.routing_list(op)
        walk = order[op.cursor:] + order[:op.cursor]
        walk = [region for region in walk if region not in self.line["excluded"]]
        if not walk:
            return self.topology.order(1)[0]
        return next((region for region in walk if not self.is_marked(region, direction, op.now)), walk[0])

    def remains(self):
        return {
            "tripped": self.tripped,
            "failed": sum(1 << region for region in self.failed),
            "counts": [[region, *row] for region, row in self.counts.items() if any(row)],
            "marks": [[region, why, at] for region, (why, at) in sorted(self.marks.items())],
            "wins": [[region, count] for region, count in sorted(self.wins.items()) if count],
            "open_hedges": 0,
            "open_metadata_races": 0,
        }
