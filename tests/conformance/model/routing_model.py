# SPDX-License-Identifier: GPL-3.0-or-later
"""The Rust driver's breaker, failback, automatic failover, hedge feedback and endpoint choice, as a small model.

Written apart from the core, from descriptions of that driver only, so that the two can judge each other. Clear, not
fast. Times and durations are whole nanoseconds, regions are numbers, -1 is no region, region sets are bit masks.
"""

READ, WRITE = 0, 1
NO_REGION = -1
UNHEALTHY, PROBE_CANDIDATE = 0, 1
WRITE_FORBIDDEN = 0


def in_set(mask, region):
    """True if the region is in the bit mask; the global endpoint (-1) is in no set."""
    return region >= 0 and bool(mask >> region & 1)


def wrap32(number):
    """A signed 32-bit counter as the driver keeps it: it wraps."""
    return (number + 2**31) % 2**32 - 2**31


class Entry:
    """One partition's breaker entry, or its write-failover (hub) entry."""

    def __init__(self, failed, now, jitter, count=(0, 0)):
        self.current = self.first = failed
        self.failed = 0
        self.counts = list(count)
        self.health = UNHEALTHY
        self.first_failure = self.last_failure = now
        self.jitter = jitter

    def fail_at(self, region, read_list):
        """The region joins the failed ones; if it was current, current moves on. False: no region is left."""
        if region >= 0:
            self.failed |= 1 << region
        if region != self.current:
            return True
        for candidate in read_list:
            if candidate != self.current and not in_set(self.failed, candidate):
                self.current = candidate
                return True
        return False

    def as_vector(self):
        return {"cur": self.current, "first": self.first, "failed": self.failed, "rc": self.counts[READ],
                "wc": self.counts[WRITE], "hs": self.health, "ff": self.first_failure, "lf": self.last_failure,
                "jit": self.jitter}


class Topology:
    """The account's answer, ordered by the caller's preferences."""

    def __init__(self, generation, answer, preferred):
        self.generation = generation
        self.multi_write, self.failover = bool(answer["mw"]), bool(answer["paf"])
        self.read_list = self._ordered(answer["readable"], preferred)
        self.write_list = self._ordered(answer["writable"], preferred)

    @staticmethod
    def _ordered(regions, preferred):
        first = [r for r in preferred if r in regions]
        return first + [r for r in regions if r not in first] or [NO_REGION]

    def has(self, region):
        return region >= 0 and (region in self.read_list or region in self.write_list)


class RoutingModel:
    """One client. `draw` gives the jitter of an event that needs one; it is told nothing and asked at most once an
    event, since a draw holds for the whole event."""

    def __init__(self, start, draw):
        """start: the S line. draw: function without arguments that returns a jitter in nanoseconds."""
        self.cfg, self.preferred, self.partitions = start["cfg"], start["pref"], start["np"]
        self.thresholds = (self.cfg["rthr"], self.cfg["wthr"])
        self.draw, self.now = draw, start["t"]
        self.breaker, self.overrides, self.wins, self.down = {}, {}, {}, {}
        self.topology = Topology(1, start["topo"], self.preferred)

    # --- flags and eligibility ---

    @property
    def breaker_is_on(self):
        switch = self.cfg["ppcb_ovr"]
        return bool(switch) if switch >= 0 else self.topology.failover or bool(self.cfg["ppcb_opt"])

    def breaker_applies(self, direction, is_partitioned=True):
        return (self.breaker_is_on and is_partitioned and len(self.topology.read_list) > 1
                and (direction == READ or self.topology.multi_write))

    def failover_applies(self, direction, is_partitioned=True):
        return (self.topology.failover and is_partitioned and len(self.topology.read_list) > 1
                and direction == WRITE and not self.topology.multi_write)

    # --- events ---

    def apply(self, event):
        """Applies an E line's event."""
        self.now = event["t"]
        getattr(self, "on_" + event["ev"])(event)

    def on_adv(self, event):
        pass

    def on_fail(self, event):
        self.mark(event["p"], event["r"], event["rw"], event["part"])

    def mark(self, partition, region, direction, is_partitioned=True):
        """A failed attempt: the breaker counts it, or write failover moves at once, or nobody cares."""
        if not self.topology.has(region):
            return
        if self.breaker_applies(direction, is_partitioned):
            self.mark_breaker(partition, region, direction)
        elif self.failover_applies(direction, is_partitioned):
            self.mark_override(partition, region)

    def mark_breaker(self, partition, region, direction):
        entry = self.breaker.get(partition)
        if entry is None:
            entry = self.breaker[partition] = Entry(region, self.now, self.draw())
        elif entry.health == PROBE_CANDIDATE:  # the probe failed: all starts again, this failure is not counted
            self.breaker[partition] = Entry(entry.first, self.now, self.draw())
            return
        if self.now - entry.last_failure > self.cfg["crw"]:
            entry.counts = [0, 0]
        entry.counts[direction] = wrap32(entry.counts[direction] + 1)
        entry.last_failure = self.now
        if entry.counts[direction] >= self.thresholds[direction]:
            if not entry.fail_at(region, self.topology.read_list):
                del self.breaker[partition]

    def mark_override(self, partition, region):
        entry = self.overrides.setdefault(partition, Entry(region, self.now, 0))
        entry.last_failure = self.now
        if not entry.fail_at(region, self.topology.read_list):
            del self.overrides[partition]

    def on_wflush(self, event):
        partition = event["p"]
        marks = [r for r in event["rs"] if not self.is_overtaken(partition, r)]
        for region in marks:
            self.mark(partition, region, WRITE)

    def is_overtaken(self, partition, region):
        """True if the breaker's entry or the override, whichever applies to the write, sends traffic elsewhere."""
        entries = self.breaker.get(partition), self.overrides.get(partition)
        return any(entry is not None and entry.current != region for entry in entries)

    def on_sweep(self, event):
        for entry in self.breaker.values():
            if self.now - entry.first_failure >= self.cfg["dwell"] + entry.jitter:
                entry.health = PROBE_CANDIDATE

    def on_success(self, event):
        entry = self.breaker.get(event["p"])
        if entry is not None and entry.health == PROBE_CANDIDATE:
            del self.breaker[event["p"]]

    def on_probe_remove(self, event):
        self.breaker.pop(event["p"], None)

    def on_hedge_alt(self, event):
        partition, primary = event["p"], event["r"]
        key = (partition, primary)
        self.wins[key] = min(self.wins.get(key, 0) + 1, 2**32 - 1)
        if self.wins[key] < self.cfg["hthr"]:
            return
        entry = self.breaker.get(partition)
        if entry is not None and entry.health == UNHEALTHY:
            del self.wins[key]
            return
        if not self.topology.has(primary):
            return
        entry = Entry(primary, self.now, self.draw(), self.thresholds)
        if entry.fail_at(primary, self.topology.read_list):
            del self.wins[key]
            self.breaker[partition] = entry

    def on_hedge_pri(self, event):
        self.wins.pop((event["p"], event["r"]), None)

    def on_hub_ok(self, event):
        if not self.topology.failover or event["r"] < 0:
            return
        entry = self.overrides.setdefault(event["p"], Entry(event["r"], self.now, 0))
        entry.current = event["r"]

    def on_hub_403(self, event):
        if not self.topology.failover:
            return
        self.mark_override(event["p"], event["r"])

    def on_ep_down(self, event):
        self.down[event["r"]] = (self.now, event["why"])

    def on_ep_probe(self, event):
        for region, (at, why) in list(self.down.items()):
            if self.now - at < self.cfg["ttl"] or not self.topology.has(region):
                continue
            if in_set(event["up"], region):
                del self.down[region]
            else:
                self.down[region] = (self.now, why)

    def on_ep_expire(self, event):
        self.down = {r: mark for r, mark in self.down.items() if self.now - mark[0] < event["dur"]}

    def on_sync(self, event):
        flags = self.breaker_is_on, self.topology.failover
        self.topology = Topology(self.topology.generation + 1, event["topo"], self.preferred)
        if flags[0] != self.breaker_is_on:
            self.breaker.clear()
        if flags[1] != self.topology.failover:
            self.overrides.clear()

    # --- what the vectors say after an event ---

    def topology_vector(self, answer):
        """The full `topo` object for an account's answer that has just been applied."""
        return dict(answer, gen=self.topology.generation, rd=self.topology.read_list, wr=self.topology.write_list,
                    pcb=int(self.breaker_is_on),
                    el=[int(self.breaker_applies(READ)), int(self.breaker_applies(WRITE)),
                        int(self.failover_applies(WRITE))])

    def state(self):
        """`down` and `st`."""
        return {"down": [[r, *mark] for r, mark in sorted(self.down.items())],
                "st": [self.partition_state(p) for p in range(self.partitions)]}

    def partition_state(self, partition):
        entry, override = self.breaker.get(partition), self.overrides.get(partition)
        wins = sorted((r, n) for (p, r), n in self.wins.items() if p == partition)
        breaker = None
        if entry is not None:
            breaker = entry.as_vector()
            breaker["tr"] = [int(entry.counts[d] >= self.thresholds[d]) for d in (READ, WRITE)]
        return {"cb": breaker, "fo": override and override.as_vector(), "hw": [list(w) for w in wins]}

    # --- routing ---

    def route(self, query):
        """The region chosen for a row of `rt`, its last column left out."""
        partition, direction, excluded, base, stale, failed, hub, session, walk, part = query[:10]
        if direction == READ:
            failed = 0
        if partition >= 0:
            target = self.override_target(partition, direction, excluded, failed, hub, part)
            if target is not None:
                return target
        if direction == WRITE:
            regions = self.topology.read_list if walk else self.topology.write_list
        else:
            regions = self.topology.write_list if session else self.topology.read_list
        index = 0 if stale else base % len(regions)
        rotated = regions[index:] + regions[:index]
        for skip in (excluded | failed, excluded):
            left = [r for r in rotated if not in_set(skip, r)]
            for region in left:
                if self.is_available(region, direction):
                    return region
            if left:
                return left[0]
        return self.topology.write_list[0]

    def is_available(self, region, direction):
        if region not in self.down:
            return True
        at, why = self.down[region]
        return self.now - at >= self.cfg["ttl"] or (why == WRITE_FORBIDDEN and direction == READ)

    def override_target(self, partition, direction, excluded, failed, hub, part):
        entry, override = self.breaker.get(partition), self.overrides.get(partition)
        is_latched = hub and direction == READ and self.topology.failover
        if is_latched:
            if override is not None:
                target = override.current
                if not in_set(failed | excluded, target) and self.is_available(target, direction):
                    return target
            return None
        if self.breaker_applies(direction, part):
            if entry is None:
                return None
            candidates = []
            if entry.health == PROBE_CANDIDATE:
                candidates.append(entry.first)
            if entry.counts[direction] >= self.thresholds[direction]:
                candidates.append(entry.current)
            for target in candidates:
                if (not in_set(failed | excluded, target) and self.topology.has(target)
                        and self.is_available(target, direction)):
                    return target
            return None
        if self.failover_applies(direction, part) and override is not None:
            if not in_set(failed, override.current):
                return override.current
        return None
