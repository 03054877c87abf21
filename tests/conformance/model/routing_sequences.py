# SPDX-License-Identifier: GPL-3.0-or-later
"""Random sequences of the routing format, with the model's states and answers.

Biased to what goes wrong: clocks at a limit and one nanosecond on either side, thresholds of one, regions that the
account lacks, lists that differ, flags that flip, everything excluded, counters at the end of their range.
"""

import bisect

from routing_model import NO_REGION, READ, WRITE, RoutingModel

SECOND = 10**9
REGIONS = 8  # the numbers in use; an account has fewer
JITTER_HASH = 18187302216140149989  # of a partition's name; only the driver's own jitter formula uses it
PARTITION_NAMES = ["0", "1", "42", "pk-1", "9ab3"]

EVENTS = {"adv": 2, "fail": 40, "wflush": 7, "sweep": 12, "success": 10, "probe_remove": 1, "hedge_alt": 12,
          "hedge_pri": 3, "hub_ok": 5, "hub_403": 6, "ep_down": 6, "ep_probe": 4, "ep_expire": 2, "sync": 5}


def weighted(rng, weights):
    """One key of a table of weights."""
    keys, totals, total = list(weights), [], 0
    for key in keys:
        total += weights[key]
        totals.append(total)
    return keys[bisect.bisect_right(totals, rng.randrange(total))]


class RoutingSequence:
    """Makes one sequence: `lines` gives its S line and its E lines as dictionaries."""

    def __init__(self, rng, number, events):
        self.rng, self.number, self.events = rng, number, events
        self.regions = rng.choice([1, 2, 2, 3, 3, 3, 4, 5, 6])
        self.partitions = rng.choice([1, 1, 2, 3])
        self.jitter = None
        self.paf_flips = rng.random() < 0.5

    # --- start ---

    def threshold(self):
        if self.rng.random() < 0.03:
            return self.rng.choice([2**31 - 1, 2**31 - 2, 2**31 - 3])
        return self.rng.choice([1, 1, 2, 2, 3, 3, 4, 5, 10])

    def config(self):
        rng = self.rng
        return {"ppcb_opt": int(rng.random() < 0.8), "ppcb_ovr": rng.choice([-1] * 8 + [0, 1]),
                "rthr": self.threshold(), "wthr": self.threshold(), "hthr": rng.choice([1, 2, 2, 3, 5, 5, 2**32 - 1]),
                "crw": rng.choice([1 * SECOND, 2 * SECOND + 1, 10 * SECOND, 60 * SECOND, 300 * SECOND]),
                "dwell": rng.choice([0, 1, 2, SECOND, SECOND, SECOND + 1, 3 * SECOND + 333, 5 * SECOND, 60 * SECOND]),
                "ttl": rng.choice([0, SECOND, SECOND, 5 * SECOND, 60 * SECOND, 300 * SECOND])}

    def some_regions(self, least):
        regions = list(range(self.regions))
        self.rng.shuffle(regions)
        if self.rng.random() < 0.3:
            regions = regions[:self.rng.randrange(min(least, len(regions)), len(regions) + 1)]
        return regions

    def answer(self):
        """The account's lists and flags, as its service would send them or nearly so."""
        rng = self.rng
        multi_write = int(rng.random() < 0.5)
        readable = self.some_regions(1)
        writable = list(readable) if multi_write else readable[:1]
        if multi_write and rng.random() < 0.5:
            rng.shuffle(writable)
        if rng.random() < 0.15:  # lists that have little to do with each other
            writable = self.some_regions(1)[:1 if not multi_write else None]
        paf = rng.random() < 0.5
        return {"readable": readable, "writable": writable, "mw": multi_write, "paf": int(paf)}

    def preferences(self):
        rng = self.rng
        regions = list(range(self.regions))
        rng.shuffle(regions)
        kind = rng.randrange(4)
        if kind == 0:
            return []
        if kind == 1:
            return regions
        regions = regions[:rng.randrange(1, len(regions) + 1)]
        regions.insert(rng.randrange(len(regions) + 1), rng.choice([6, 7]))
        return regions

    def start(self):
        self.now = 10**12 + self.rng.randrange(3 * 10**11)
        self.current_answer = self.answer()
        names = self.rng.sample(PARTITION_NAMES, self.partitions)
        line = {"k": "S", "seq": self.number, "name": "random", "huge": 0, "seed": self.number, "t": self.now,
                "nreg": self.regions, "np": self.partitions, "pk": names, "pkh": [JITTER_HASH] * self.partitions,
                "cfg": self.config(), "pref": self.preferences(), "topo": self.current_answer}
        self.cfg = line["cfg"]
        self.model = RoutingModel(line, self.draw)
        line["topo"] = self.model.topology_vector(self.current_answer)
        return line

    def draw(self):
        if self.jitter is None:
            half = max(1, self.cfg["dwell"] // 2)
            self.jitter = self.rng.choice([0, half // 2, half - 1, self.rng.randrange(half), self.rng.randrange(half)])
        return self.jitter

    # --- time ---

    def limits(self):
        """Instants at which something changes, those of all entries and marks."""
        model = self.model
        instants = []
        for entry in model.breaker.values():
            instants += [entry.first_failure + self.cfg["dwell"] + entry.jitter,
                         entry.last_failure + self.cfg["crw"]]
        instants += [at + self.cfg["ttl"] for at, _ in model.down.values()]
        return instants

    def step(self):
        rng, kind = self.rng, self.rng.random()
        if kind < 0.45:
            return
        if kind < 0.8:
            limits = sorted(i for i in self.limits() if i + 1 >= self.now)
            if limits:
                self.now = max(self.now, rng.choice(limits[:3]) + rng.choice([-1, 0, 1]))
                return
        self.now += rng.choice([1, rng.randrange(SECOND), rng.randrange(10 * SECOND), self.cfg["dwell"],
                                self.cfg["crw"], self.cfg["ttl"]])

    # --- events ---

    def region(self, odd=0.06):
        """A region of the sequence; with probability `odd` one that the account lacks or none at all."""
        if self.rng.random() < odd:
            return self.rng.choice([NO_REGION, 6, 7])
        return self.rng.randrange(self.regions)

    def likely_region(self, partition):
        """Mostly the region that the partition's traffic goes to now."""
        rng = self.rng
        entry = self.model.breaker.get(partition) or self.model.overrides.get(partition)
        if entry is not None and rng.random() < 0.6:
            return rng.choice([entry.current, entry.first])
        return self.region() if rng.random() < 0.5 else self.model.topology.read_list[0]

    def event(self):
        rng = self.rng
        kind = weighted(rng, EVENTS)
        partition = rng.randrange(self.partitions)
        event = {"k": "E", "i": 0, "t": self.now, "ev": kind}
        if kind in ("fail", "wflush", "success", "probe_remove", "hedge_alt", "hedge_pri", "hub_ok", "hub_403"):
            event["p"] = partition
        if kind == "fail":
            event.update(r=self.likely_region(partition), rw=rng.randrange(2), part=int(rng.random() < 0.96))
        elif kind == "wflush":
            event["rs"] = [self.likely_region(partition) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4]))]
        elif kind in ("hedge_alt", "hedge_pri"):
            event["r"] = self.likely_region(partition)
        elif kind in ("hub_ok", "hub_403"):
            event["r"] = self.likely_region(partition)
            if kind == "hub_403":  # only a region can answer
                event["r"] = max(event["r"], 0)
        elif kind == "ep_down":
            event.update(r=max(self.region(), 0), why=rng.randrange(6))
        elif kind == "ep_probe":
            event["up"] = rng.choice([0, 255, rng.randrange(256)])
        elif kind == "ep_expire":
            event["dur"] = rng.choice([0, 1, SECOND, self.cfg["ttl"]] + [self.now - at for at, _ in
                                                                        self.model.down.values()])
        elif kind == "sync":
            event["topo"] = self.next_answer()
        return event

    def next_answer(self):
        """Sometimes one flag flips, sometimes nothing changes, sometimes all is new."""
        rng, answer = self.rng, dict(self.current_answer)
        kind = rng.randrange(4)
        if kind == 0:
            answer["paf"] ^= 1
        elif kind == 1:
            answer["mw"] ^= 1
        elif kind == 2:
            answer = self.answer()
        self.current_answer = answer
        return answer

    # --- queries ---

    def queries(self, partition):
        regions = self.model.topology
        walk = int(regions.failover and not regions.multi_write)
        rows = [[partition, d, 0, 0, 0, 0, 0, 0, walk, 1] for d in (READ, WRITE)]
        rows += [[partition, d, 1 << r, 0, 0, 0, 0, 0, walk, 1] for r in range(self.regions) for d in (READ, WRITE)]
        rows += [[partition, READ, 0, 0, 0, 0, 1, 0, walk, 1], [partition, WRITE, 0, 0, 0, 1, 0, 0, walk, 1]]
        rows += [[partition, d, 2**self.regions - 1, 0, 0, 0, 0, 0, walk, 1] for d in (READ, WRITE)]
        return rows + [self.random_query(walk) for _ in range(3)]

    def random_query(self, walk):
        """A row of `rt` without its answer: p, op, ex, base, stale, inf, hub, sess, pwr, part."""
        rng = self.rng
        partition, base = rng.randrange(-1, self.partitions), rng.choice([0, 1, 2, 3, 5, 7, 2**40])
        return [partition, rng.randrange(2), self.mask(), base, self.chance(0.3), self.mask(), self.chance(0.5),
                self.chance(0.3), walk ^ self.chance(0.2), self.chance(0.8)]

    def chance(self, probability):
        return int(self.rng.random() < probability)

    def mask(self):
        return self.rng.choice([0, 0, 1 << self.rng.randrange(REGIONS), self.rng.randrange(2**REGIONS),
                                self.rng.randrange(2**self.regions)])

    def lines(self):
        yield self.start()
        for index in range(self.events):
            self.step()
            event = self.event()
            event["i"], event["t"] = index, self.now
            self.jitter = None
            self.model.apply(event)
            if event["ev"] == "sync":
                event["topo"] = self.model.topology_vector(event["topo"])
            event["js"] = None if self.jitter is None else [event["t"], self.jitter]
            event.update(self.model.state())
            touched = event.get("p", self.rng.randrange(self.partitions))
            event["rt"] = [row + [self.model.route(row)] for row in self.queries(touched)]
            yield event
