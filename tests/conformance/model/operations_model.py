# SPDX-License-Identifier: GPL-3.0-or-later
"""One operation's life by the texts: classification, retries, deadline, and the hedge race.

Written from the public hedging specification and from a description of the shipped Rust driver, not from the core. The
knobs of `line["knobs"]` choose between the two where they differ. Times are whole nanoseconds.
"""

from operations_classify import TRANSPORT, is_error, mark_reason, retry_kind
from operations_race import Race
from operations_state import MS, NEVER, Leg, Partition, S, Topology, knob

# Ends of an operation, as the core numbers them.
SUCCESS, FINAL, EXHAUSTED, DEADLINE, ABANDONED = 64, 65, 66, 67, 68

# Bits of a send.
HEDGE_SEND, HUB_SEND = 2, 4

NOT_SENT = 1  # transport of a response: 0 an answer, 1 never sent, 2 sent and lost, 3 unknown

THROTTLE_FIRST, THROTTLE_CAP = 5 * MS, 15 * S
RETRY_WITH_FIRST, RETRY_WITH_CAP, RETRY_WITH_TOTAL, RETRY_WITH_SALT = 10 * MS, S, 30 * S, 5 * MS
BACKEND_FIRST, BACKEND_CAP, BACKEND_TOTAL, BACKEND_COUNT = S, 15 * S, 5 * S, 10
FORCED_LEAST = 100 * MS
HARVEST = 50 * MS


class OperationModel(Race):
    """Lives one line; `trace` and `remains()` are what the core must answer."""

    def __init__(self, line):
        self.line = line
        self.topology = Topology(line)
        self.state = Partition(line, self.topology)
        self.now = line["start"]
        self.timeout = line["timeout"]
        self.deadline = NEVER if self.timeout < 0 else self.now + self.timeout
        self.is_read = line["direction"] == 0
        self.is_known = bool(line["is_known"]) and not line["is_container_level"]
        self.is_single = not line["multi_write"]
        self.is_data = not line["is_container_level"]
        self.failovers = self.sessions = self.backends = self.backend_waited = 0
        self.withs, self.with_waited = 0, 0
        self.has_latch = self.saw_session = self.on_write_list = False
        self.failed = set()
        self.cursor = 0
        self.attempts = 0
        self.last_region = -1
        self.visits, self.draws = {}, 0
        self.legs = [None, None]
        self.race, self.races = "none", 0
        self.hedge_at = NEVER
        self.places, self.limit = [], 2
        self.harvest_at = NEVER
        self.delayed = NEVER  # the next attempt, after a back-off between regions
        self.trace, self.is_done, self.is_timeout = [], False, False

    def knob(self, name):
        return knob(self.line, name)

    def live(self):
        self.attempt()
        while not self.is_done:
            self.step()

    # --- clock ---

    def step(self):
        """What comes next; of one instant: answers, attempts' timeouts, back-offs, hedge, deadline, the caller."""
        events = []
        for index, leg in enumerate(self.legs):
            if leg is None:
                continue
            if leg.is_open:
                events.append((leg.answer[0], index, self.on_answer, index))
                events.append((leg.timeout_at, 10 + index, self.on_leg_timeout, index))
            if leg.wake_at != NEVER:
                events.append((leg.wake_at, 30 + index, self.on_backoff, index))
        if self.harvest_at == NEVER:
            events.append((self.hedge_at, 50, self.on_threshold, None))
            events.append((self.delayed, 40, self.on_delay, None))
            events.append((self.deadline, 20 if self.no_leg_open() else 60, self.on_deadline, None))
        else:
            events.append((self.harvest_at, 60, self.on_harvest, None))
        if self.line["abandon"] >= 0:
            events.append((self.line["abandon"], 70, self.on_abandon, None))
        at, _, act, argument = min(events, key=lambda event: event[:2])
        if at == self.deadline and act == self.on_threshold:
            act = self.on_deadline
        self.now = at
        if argument is None:
            act()
        else:
            act(argument)

    def no_leg_open(self):
        return not any(leg is not None and leg.is_open for leg in self.legs)

    def draw(self, bound):
        draws = self.line["draws"]
        if not draws:
            return 0
        word = draws[self.draws % len(draws)]
        self.draws += 1
        return (word * bound) >> 32

    def jittered(self, delay):
        return delay - delay // 4 + self.draw(delay // 2 + 1)

    # --- sending ---

    def attempt(self, has_waited=False):
        """The next attempt of the operation, hedged if it may be."""
        region = self.state.route(self)
        self.throttle_waited, self.was_forced = 0, False  # of both legs of a race together
        self.legs = [Leg(region), None]
        self.attempts += 1
        races = self.maybe_race(region, has_waited)
        self.send(0, is_racing=races)

    def send(self, index, is_racing=None):
        leg = self.legs[index]
        answers = self.line["answers"][str(leg.region)]
        visit = self.visits.get(leg.region, 0)
        self.visits[leg.region] = visit + 1
        after, status, sub, transport, retry_after, partition = answers[min(visit, len(answers) - 1)]
        leg.answer = (self.now + after, (status, sub, transport), retry_after, partition)
        leg.timeout_at = self.now + self.knob("retry.request_timeout")
        leg.wake_at = NEVER
        if is_racing is None:
            is_racing = self.race in ("waiting", "launched")
        is_silent = index == 0 and is_racing and self.knob("hedging.primary_hub") == 1
        says_hub = self.has_latch and self.is_read and not is_silent
        flags = (HEDGE_SEND if index > 0 else 0) | (HUB_SEND if says_hub else 0)
        self.trace.append(["send", self.now, index, leg.region, flags, leg.timeout_at])

    # --- what the clock brings ---

    def on_answer(self, index):
        leg = self.legs[index]
        _, response, retry_after, partition = leg.answer
        leg.answer = None
        if self.harvest_at != NEVER:
            self.finish_deadline()
            return
        self.last_region = leg.region
        if partition >= 0 and self.is_data:
            self.is_known = True
        self.end_attempt(index, response, retry_after)

    def on_leg_timeout(self, index):
        leg = self.legs[index]
        if self.harvest_at != NEVER:
            self.finish_deadline()
            return
        leg.answer = None
        self.trace.append(["cut", self.now, 1 << index])
        self.last_region = leg.region
        self.end_attempt(index, (0, 0, 3), -1, is_timeout=True)

    def on_backoff(self, index):
        self.send(index)

    def on_delay(self):
        self.delayed = NEVER
        self.attempt(has_waited=True)

    def on_threshold(self):
        if self.race == "launched":
            self.launch_next()
        else:
            self.launch()

    def on_deadline(self):
        self.is_timeout = False
        if self.race in ("waiting", "launched") and not self.no_leg_open():
            self.harvest_at = self.now + HARVEST
            return
        self.finish_deadline()

    def on_harvest(self):
        self.finish_deadline()

    def finish_deadline(self):
        self.stop_race()
        self.finish(408, 20008, DEADLINE, has_answer=False)

    def on_abandon(self):
        self.is_timeout = False
        self.stop_race()
        self.finish(0, 0, ABANDONED, has_answer=False)

    def finish(self, status, sub, reason, has_answer=True):
        cut = sum(1 << i for i, leg in enumerate(self.legs) if leg is not None and leg.is_open)
        if cut and self.is_timeout and self.trace[-1][:2] == ["cut", self.now]:
            self.trace[-1][2] |= cut  # one call: the primary's timeout ends the race
        elif cut:
            self.trace.append(["cut", self.now, cut])
        error = reason != ABANDONED and is_error(status, sub)
        success = has_answer and status < 400
        self.trace.append(["done", self.now, status, sub, reason, self.last_region, int(success), int(error)])
        self.is_done = True

    def finish_with(self, response, reason):
        status, sub, transport = response
        if transport:
            status, sub = 503, 20003
        if reason is None:
            reason = SUCCESS if status < 400 else FINAL
        self.finish(status, sub, reason)

    # --- one attempt has ended ---

    def end_attempt(self, index, response, retry_after, is_timeout=False):
        self.is_timeout = is_timeout
        if self.race == "waiting" and response[:2] == (429, 10003) and not response[2]:
            self.race, self.hedge_at = "ended_early", NEVER
        if self.backs_off(index, response, retry_after):
            return
        if self.race == "waiting":
            self.end_waiting(response)
        elif self.race == "launched":
            self.end_leg(index, response)
        else:
            self.end_plain(response)

    def leg_kind(self, response):
        kind = retry_kind(response)
        if kind == "failover" and response[:2] == (429, 3092) and not response[2]:
            return "busy"
        return kind

    def backs_off(self, index, response, retry_after):
        """429 and 449 wait in their region."""
        leg = self.legs[index]
        kind = self.leg_kind(response)
        if kind == "throttle" or (kind == "busy" and self.knob("retry.busy_region") == 1):
            return self.throttle(leg, retry_after)
        is_early = self.race == "waiting" and self.knob("hedging.early_transient") == 1 and self.now < self.deadline
        is_leg = self.race == "launched" or is_early
        if kind == "with" and not (is_leg and self.knob("hedging.leg_retries") == 1):
            delay = min(RETRY_WITH_CAP, RETRY_WITH_FIRST * 2 ** min(self.withs, 20) + self.draw(RETRY_WITH_SALT))
            if self.with_waited + delay > RETRY_WITH_TOTAL:
                return False
            self.withs += 1
            self.with_waited += delay
            leg.throttles = 0
            if self.race != "launched":
                self.throttle_waited, self.was_forced = 0, False
            self.wait(leg, delay)
            return True
        return False

    def throttle_budget(self):
        """Retries, total wait and longest wait: of metadata apart where they are given."""
        budget = [self.knob("retry.max_throttle_retry_count"), self.knob("retry.max_throttle_wait"), THROTTLE_CAP]
        if not self.is_data:
            own = [self.knob(f"retry.max_metadata_throttle_{what}") for what in ("retry_count", "wait", "delay")]
            budget = [mine if mine >= 0 else theirs for mine, theirs in zip(own, budget, strict=True)]
        return budget

    def throttle(self, leg, retry_after):
        retries, total, longest = self.throttle_budget()
        if leg.throttles >= retries:
            return False
        delay = retry_after
        if retry_after < 0:
            delay = self.jittered(THROTTLE_FIRST * 2 ** min(leg.throttles, 12))
        delay = min(delay, longest)
        if self.throttle_waited + delay <= total:
            leg.throttles += 1
            self.throttle_waited += delay
            self.wait(leg, delay)
            return True
        if self.was_forced or self.now >= self.deadline:
            return False
        self.was_forced = True
        half = 0 if self.deadline == NEVER else (self.deadline - self.now) // 2
        self.wait(leg, half if half >= FORCED_LEAST else 0)
        return True

    def wait(self, leg, delay):
        """A wait never passes the deadline; at no delay the leg is sent at once."""
        if self.now + delay >= self.deadline:
            leg.wake_at = NEVER
        elif delay == 0:
            self.send(self.legs.index(leg))
        else:
            leg.wake_at = self.now + delay

    # --- plain attempts ---

    def max_failovers(self):
        return self.knob("retry.max_failover_retry_count")

    def max_sessions(self):
        given = self.knob("retry.max_session_retry_count")
        if self.is_single:
            return 2 if given < 0 else min(given, 2)
        return len(self.topology.order(0 if self.is_read else 1)) if given < 0 else given

    def end_plain(self, response):
        region = self.legs[0].region
        kind = retry_kind(response)
        if kind == "none" or kind in ("throttle", "with"):
            exhausted = kind != "none"
            self.finish_with(response, EXHAUSTED if exhausted else None)
            return
        if kind == "backend" and response[1] == 3 and self.has_latch and self.is_read and self.is_single:
            self.end_not_hub(region, response)
        elif kind == "backend":
            self.end_backend(region, response)
        elif kind == "session":
            self.end_session(region, response)
        else:
            has_budget = self.failovers < self.max_failovers()
            self.charge(region, response, has_budget)
            if self.is_timeout and self.now >= self.deadline:
                self.finish_deadline()
                return
            if not has_budget:
                self.finish_with(response, EXHAUSTED)
                return
            self.failovers += 1
            self.on_write_list = False
            self.next_region(region)

    def end_not_hub(self, region, response):
        if self.failovers >= self.max_failovers():
            self.finish_with(response, EXHAUSTED)
            return
        self.failovers += 1
        self.on_write_list = False
        self.next_region(region)

    def has_backend_budget(self):
        return self.backend_waited < BACKEND_TOTAL and self.backends < BACKEND_COUNT

    def end_backend(self, region, response):
        has_budget = self.has_backend_budget()
        self.charge(region, response, has_budget)
        if not has_budget:
            self.finish_with(response, EXHAUSTED)
            return
        delay = 0
        if self.backends > 0:
            delay = min(BACKEND_CAP, BACKEND_FIRST * 2 ** (self.backends - 1))
            delay = min(self.jittered(delay), BACKEND_TOTAL - self.backend_waited)
            delay -= delay % 1000  # the core keeps whole microseconds
        self.backends += 1
        self.backend_waited += delay
        self.on_write_list = False
        self.next_region(region, delay)

    def end_session(self, region, response):
        if self.sessions >= self.max_sessions():
            self.finish_with(response, EXHAUSTED)
            return
        if self.is_data and self.is_single and self.sessions == 0:
            self.has_latch = True
        self.sessions += 1
        self.on_write_list = self.is_single
        self.next_region(region)

    def next_region(self, region, delay=0):
        self.failed.add(region)
        self.advance()
        self.legs = [None, None]
        if delay == 0:
            if self.now >= self.deadline:
                self.finish_deadline()
                return
            self.attempt()
        else:
            self.delayed = NEVER if self.now + delay >= self.deadline else self.now + delay

    def advance(self):
        length = len(self.state.routing_list(self))
        if length:
            self.cursor = (self.cursor + 1) % length

    # --- who pays ---

    def charge(self, region, response, has_budget):
        status, sub, transport = response
        if retry_kind(response) not in ("failover", "backend"):
            return
        if transport == NOT_SENT:
            self.state.mark(region, TRANSPORT, self.now)
            return
        if not transport and not has_budget and self.knob("retry.exhausted_failures") == 1:
            return
        direction = 1 if (status, sub) == (403, 3) and not transport else self.line["direction"]
        self.state.charge(self, region, direction, mark_reason(response), bool(transport), self.now)

    def remains(self):
        return self.state.remains()
