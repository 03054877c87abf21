# SPDX-License-Identifier: GPL-3.0-or-later
"""One operation's life by the texts: classification, retries, deadline, and the hedge race.

Written from the public hedging specification and from a description of the shipped Rust driver, not from the core. The
knobs of `line["knobs"]` choose between the two where they differ. Times are whole nanoseconds.
"""

from operations_state import NEVER, Partition, Topology, knob

MS = 1_000_000
S = 1000 * MS

# Ends of an operation, as the core numbers them.
SUCCESS, FINAL, EXHAUSTED, DEADLINE, ABANDONED = 64, 65, 66, 67, 68

# Bits of a send.
HEDGE_SEND, HUB_SEND = 2, 4

# Endpoint marks.
WRITE_FORBIDDEN, NOT_FOUND, UNAVAILABLE, TIMEOUT, INTERNAL, TRANSPORT = range(6)

NOT_SENT = 1  # transport of a response: 0 an answer, 1 never sent, 2 sent and lost, 3 unknown

THROTTLE_FIRST, THROTTLE_CAP = 5 * MS, 15 * S
RETRY_WITH_FIRST, RETRY_WITH_CAP, RETRY_WITH_TOTAL, RETRY_WITH_SALT = 10 * MS, S, 30 * S, 5 * MS
BACKEND_FIRST, BACKEND_CAP, BACKEND_TOTAL, BACKEND_COUNT = S, 15 * S, 5 * S, 10
FORCED_LEAST = 100 * MS
HARVEST = 50 * MS

FINAL_CODES = {400, 401, 403, 405, 409, 412, 413, 422, 451, 501, 505}
BUDGET_THROTTLES = {3200, 3210, 3214}


def is_final(response):
    """Whether another region cannot change the answer (specification, section 7)."""
    status, sub, transport = response
    if transport:
        return False
    return (status < 400 or status in FINAL_CODES or (status == 404 and sub == 0)
            or (status == 429 and sub in BUDGET_THROTTLES))


def retry_kind(response):
    """First row of the retry table that fits, without its budget."""
    status, sub, transport = response
    if transport:
        return "failover"
    if status == 403 and sub in (3, 1008):
        return "backend"
    if status == 404 and sub == 1002:
        return "session"
    if status == 449:
        return "with"
    if status == 429:
        return "failover" if sub == 3092 else "throttle"
    if status == 410 and sub in (1002, 1007, 1008):
        return "none"
    if status in (408, 410) or 500 <= status <= 599:
        return "failover"
    return "none"


def mark_reason(response):
    status, _, transport = response
    if transport:
        return TRANSPORT
    return {403: NOT_FOUND if response[1] == 1008 else WRITE_FORBIDDEN, 408: TIMEOUT, 410: UNAVAILABLE,
            429: UNAVAILABLE, 503: UNAVAILABLE}.get(status, INTERNAL)


def is_error(status, sub):
    return (500 <= status <= 599 or status in (408, 410, 429, 449) or (status, sub) in ((403, 3), (404, 1002)))


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


class OperationModel:
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
        self.secondary = None
        self.harvest_at = NEVER
        self.delayed = NEVER  # the next attempt, after a back-off between regions
        self.trace, self.is_done = [], False

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
                events.append((leg.timeout_at, 2 + index, self.on_leg_timeout, index))
            if leg.wake_at != NEVER:
                events.append((leg.wake_at, 5 + index, self.on_backoff, index))
        if self.harvest_at == NEVER:
            events.append((self.hedge_at, 8, self.on_threshold, None))
            events.append((self.delayed, 7, self.on_delay, None))
            events.append((self.deadline, 4 if self.no_leg_open() else 9, self.on_deadline, None))
        else:
            events.append((self.harvest_at, 9, self.on_harvest, None))
        if self.line["abandon"] >= 0:
            events.append((self.line["abandon"], 10, self.on_abandon, None))
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

    def attempt(self):
        """The next attempt of the operation, hedged if it may be."""
        region = self.state.route(self)
        self.throttle_waited, self.was_forced = 0, False  # of both legs of a race together
        self.legs = [Leg(region), None]
        self.send(0)
        self.attempts += 1
        self.maybe_race(region)

    def send(self, index):
        leg = self.legs[index]
        answers = self.line["answers"][str(leg.region)]
        visit = self.visits.get(leg.region, 0)
        self.visits[leg.region] = visit + 1
        after, status, sub, transport, retry_after, partition = answers[min(visit, len(answers) - 1)]
        leg.answer = (self.now + after, (status, sub, transport), retry_after, partition)
        leg.timeout_at = self.now + self.knob("retry.request_timeout")
        leg.wake_at = NEVER
        flags = (HEDGE_SEND if index == 1 else 0) | (HUB_SEND if self.has_latch and self.is_read else 0)
        self.trace.append(["send", self.now, index, leg.region, flags, leg.timeout_at])

    def maybe_race(self, primary):
        if not self.is_read or not self.may_hedge() or self.races >= self.knob("hedging.races_per_operation"):
            return
        secondary = self.choose_secondary(primary)
        if secondary is None:
            return
        self.secondary = secondary
        self.races += 1
        self.race = "waiting"
        since = self.line["start"] if self.attempts == 1 else self.now
        self.hedge_at = since + self.threshold()

    def threshold(self):
        if not self.is_data:
            return self.knob("hedging.metadata_threshold")
        given = self.knob("hedging.threshold")
        if given >= 0:
            return given
        # Of a later race the core takes half of the time that is left.
        left = self.deadline - self.now
        return S if self.timeout < 0 else min(S, max(left // 2, 1))

    def may_hedge(self):
        switch = self.knob("hedging.enabled")
        is_on = switch == 1 or (switch == -1 and self.knob("hedging.strategy") == 0)
        is_point = self.is_data and not self.line["is_feed"]
        is_covered = is_point or self.knob("hedging.operations") == 1
        if self.knob("hedging.activation") == 1 and not self.line["automatic_failover"]:
            return False
        return is_on and is_covered and bool(self.line["preferred"]) and len(self.topology.allowed()) >= 2

    def choose_secondary(self, primary):
        allowed = self.topology.allowed()
        rule = self.knob("hedging.secondary")
        if rule == 0:
            second = allowed[1]
            return second if second != primary and second not in self.failed else None
        for region in allowed:
            if region == primary or (rule == 2 and (region in self.failed or self.state.has_tripped(region, 0))):
                continue
            return region
        return None

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
        self.attempt()

    def on_threshold(self):
        self.launch()

    def launch(self):
        self.hedge_at = NEVER
        self.race = "launched"
        self.legs[1] = Leg(self.secondary)
        self.send(1)

    def on_deadline(self):
        if self.race in ("waiting", "launched") and not self.no_leg_open():
            self.harvest_at = self.now + HARVEST
            return
        self.finish_deadline()

    def on_harvest(self):
        self.finish_deadline()

    def stop_race(self):
        """The state of a race that the deadline or the caller ends."""
        if self.race == "waiting":
            self.race = "deadline_pre_threshold"
        elif self.race == "launched":
            some_over = any(leg is not None and leg.is_over for leg in self.legs)
            self.race = "cancelled_awaiting_partner" if some_over else "both_transient_deadline"

    def finish_deadline(self):
        self.stop_race()
        self.finish(408, 20008, DEADLINE, has_answer=False)

    def on_abandon(self):
        self.stop_race()
        self.finish(0, 0, ABANDONED, has_answer=False)

    def finish(self, status, sub, reason, has_answer=True):
        cut = sum(1 << i for i, leg in enumerate(self.legs) if leg is not None and leg.is_open)
        if cut:
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
            self.wait(leg, delay)
            return True
        return False

    def throttle(self, leg, retry_after):
        if leg.throttles >= self.knob("retry.max_throttle_retry_count"):
            return False
        delay = retry_after
        if retry_after < 0:
            delay = self.jittered(THROTTLE_FIRST * 2 ** min(leg.throttles, 12))
        delay = min(delay, THROTTLE_CAP)
        if self.throttle_waited + delay <= self.knob("retry.max_throttle_wait"):
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

    def end_waiting(self, response):
        """The primary has ended before the threshold."""
        is_early_retry = self.knob("hedging.early_transient") == 0
        is_retryable = retry_kind(response) in ("failover", "backend")
        if self.ends_race(response) and is_retryable and self.knob("hedging.early_final") == 0:
            is_backend = retry_kind(response) == "backend"
            has_budget = self.has_backend_budget() if is_backend else self.failovers < self.max_failovers()
            self.race, self.hedge_at = "ended_early" if has_budget else "primary_won_pre_threshold", NEVER
            self.state.primary_win(self, self.legs[0].region)
            self.end_plain(response)
            return
        if self.ends_race(response):
            self.race = "primary_won_pre_threshold"
            self.hedge_at = NEVER
            self.state.primary_win(self, self.legs[0].region)
            self.finish_with(response, EXHAUSTED if retry_kind(response) == "throttle" else None)
            return
        if is_early_retry or self.now >= self.deadline:
            self.race, self.hedge_at = "ended_early", NEVER
            self.end_plain(response)
            return
        is_again = self.leg_retry(0, response, sends=False)
        self.launch()
        if is_again:
            self.legs[0].wake_at = self.now
        else:
            self.legs[0].is_over = True

    def ends_race(self, response):
        if response == (403, 1008, 0) and self.knob("hedging.account_not_found") == 1:
            return False
        return is_final(response)

    def leg_effects(self, index, response):
        region = self.legs[index].region
        if response[:2] == (404, 1002) and not response[2]:
            if (self.is_data and self.is_single and self.sessions == 0
                    and self.sessions + self.legs[index].sessions < self.max_sessions()):
                self.saw_session |= not self.has_latch
                self.has_latch = True
            return
        has_budget = self.failovers + self.legs[index].retries < self.max_failovers()
        if retry_kind(response) == "backend" and (self.knob("hedging.leg_retries") == 1 or self.ends_race(response)):
            has_budget = self.has_backend_budget()
        self.charge(region, response, has_budget)

    def end_leg(self, index, response):
        leg, other = self.legs[index], self.legs[1 - index]
        is_set_aside = (index == 1 and not self.is_data and self.knob("hedging.metadata_error") == 1
                        and not (response[0] < 400 and not response[2]))
        if self.ends_race(response) and not self.is_refused_hub(response) and not is_set_aside:
            self.win(index, response)
            return
        if self.leg_retry(index, response):
            return
        leg.is_over = True
        if other.is_over:
            self.both_transient(response)

    def is_refused_hub(self, response):
        return (response == (403, 3, 0) and self.has_latch and self.is_read and self.is_single
                and self.knob("hedging.refused_hub") == 0)

    def leg_retry(self, index, response, sends=True):
        """Charges the failed leg; sends it to its own region again if it may be."""
        leg = self.legs[index]
        kind = retry_kind(response)
        is_local = self.knob("hedging.leg_retries") == 0
        if self.is_refused_hub(response):
            return False
        self.leg_effects(index, response)
        if not is_local or self.ends_race(response):
            return False
        if kind == "session":
            if self.sessions + leg.sessions >= self.max_sessions():
                return False
            leg.sessions += 1
        elif kind in ("failover", "backend"):
            if self.failovers + leg.retries >= self.max_failovers():
                return False
            leg.retries += 1
        else:
            return False
        leg.throttles = 0
        if sends and self.now < self.deadline:
            self.send(index)
        return True

    def win(self, index, response):
        primary = self.legs[0].region
        is_refusal = response == (403, 3, 0) and self.has_latch and self.is_single
        if response[0] >= 400 and not is_refusal:
            self.leg_effects(index, response)
        if index == 0:
            self.race = "primary_won_after_hedge"
            self.state.primary_win(self, primary)
        else:
            self.race = "alternate_won"
            self.state.hedge_win(self, primary)
        self.finish_with(response, None)

    def both_transient(self, response):
        """The race counts as one failed attempt: that of the answer that came last."""
        if self.now >= self.deadline:
            self.race = "both_transient_deadline"
            self.finish(408, 20008, DEADLINE, has_answer=False)
            return
        self.race = "both_transient"
        if retry_kind(response) == "none" and self.knob("hedging.both_transient") == 0:
            self.finish_with(response, None)
            return
        if not self.pay_for_race(retry_kind(response) == "session"):
            self.finish_with((0, 0, 3) if self.knob("hedging.exhausted_race") == 1 else response, EXHAUSTED)
            return
        raced = {leg.region for leg in self.legs}
        self.failed |= raced
        self.advance()
        order = self.topology.order(0)
        for _ in order[1:]:
            if order[self.cursor % len(order)] in raced:
                self.advance()
        self.attempt()

    def pay_for_race(self, is_session):
        """The race's cost from the operation's budgets; False if they do not hold it."""
        if self.knob("hedging.both_transient") == 1:
            if self.saw_session and self.sessions < self.max_sessions():
                self.sessions += 1
            if self.failovers + 2 > self.max_failovers():
                return False
            self.failovers += 2
        elif is_session:
            if self.sessions >= self.max_sessions():
                return False
            self.sessions += 1
        else:
            if self.failovers >= self.max_failovers():
                return False
            self.failovers += 1
        self.on_write_list = is_session and self.is_single and self.knob("hedging.session_race") == 0
        return True

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
