# SPDX-License-Identifier: GPL-3.0-or-later
"""The hedge race of one operation: who may race, what a leg's end does, how the race ends and what it costs.

Further hedges, hedged writes and hedges that forget exclusions are those of the .NET and Java clients.
"""

from operations_classify import is_final, retry_kind
from operations_state import NEVER, Leg, S

DEADLINE, EXHAUSTED = 67, 66


class Race:
    """The part of OperationModel that races."""

    def maybe_race(self, primary, has_waited):
        """Whether the attempt that is being sent races. One whose races are over keeps the last one's end."""
        if not self.may_hedge() or self.races >= self.knob("hedging.races_per_operation"):
            return False
        if self.knob("hedging.later_race") == 1 and (self.failovers or self.sessions):
            if has_waited or self.failovers + 2 > self.max_failovers():
                return False
        if self.choose_secondary(primary) is None:
            return False
        if not self.is_data and self.knob("hedging.budget_metadata") == 0:
            self.race = "refused"
            return False
        self.places = [primary]
        self.limit = 1 + self.knob("hedging.max_alternates")
        self.saw_session = False
        self.races += 1
        self.race = "waiting"
        since = self.line["start"] if self.attempts == 1 else self.now
        self.hedge_at = since + self.threshold()
        return True

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
        kinds = self.knob("hedging.operations")
        is_covered = is_point or kinds == 1 or (kinds == 2 and not self.is_data)
        if not self.is_read:
            is_covered = self.knob("hedging.writes") == 1 and not self.is_single and self.is_data
        if self.knob("hedging.activation") == 1 and not self.line["automatic_failover"]:
            return False
        has_order = bool(self.line["preferred"]) or self.knob("hedging.preferred_regions") == 1
        return is_on and is_covered and has_order and len(self.allowed()) >= 2

    def allowed(self):
        return self.topology.allowed(self.line["direction"])

    def choose_secondary(self, primary):
        allowed = self.allowed()
        rule = self.knob("hedging.secondary")
        if rule == 0:
            second = allowed[1]
            return second if second != primary and second not in self.failed else None
        for region in allowed:
            if region == primary or (rule == 2 and self.is_avoided(region)):
                continue
            return region
        return None

    def is_avoided(self, region):
        return region in self.failed or self.state.has_tripped(region, self.line["direction"])

    def choose_next(self):
        """The place of a further hedge, or None."""
        rule = self.knob("hedging.secondary")
        for region in self.allowed()[1 if rule == 0 else 0:]:
            is_barred = region in self.failed if rule == 0 else rule == 2 and self.is_avoided(region)
            if region not in self.places and not is_barred:
                return region
        return None

    def region_of(self, place):
        """With its own exclusions, all other places of the race, in place of the caller's."""
        if self.knob("hedging.leg_exclusions") == 0:
            return place
        order = self.topology.order(self.line["direction"])
        return next(region for region in order if region == place or region in self.line["excluded"])

    def launch(self):
        self.race = "launched"
        self.legs = self.legs[:1]
        self.add_leg(self.choose_secondary(self.places[0]))

    def add_leg(self, place):
        self.places.append(place)
        self.legs.append(Leg(self.region_of(place)))
        step = self.knob("hedging.threshold_step")
        if self.choose_next() is None:
            self.limit = len(self.legs)
        self.hedge_at = NEVER if len(self.legs) == self.limit or step == NEVER else self.now + step
        self.send(len(self.legs) - 1)

    def launch_next(self):
        """A further hedge; False, and never again in this race, where there is no region or no budget for one."""
        place = self.choose_next()
        if place is None or len(self.legs) > self.knob("hedging.budget_concurrent"):
            self.limit, self.hedge_at = len(self.legs), NEVER
            return False
        self.add_leg(place)
        return True

    def launches_next(self):
        is_alone = all(leg.is_over for leg in self.legs)
        return (len(self.legs) < self.limit and self.now < self.deadline
                and (is_alone or self.knob("hedging.early_transient") == 1))

    def stop_race(self):
        """The state of a race that the deadline or the caller ends."""
        if self.race == "waiting":
            self.race = "deadline_pre_threshold"
        elif self.race == "launched":
            some_over = any(leg is not None and leg.is_over for leg in self.legs)
            self.race = "cancelled_awaiting_partner" if some_over else "both_transient_deadline"

    def end_waiting(self, response):
        """The primary has ended before the threshold."""
        is_early_retry = self.knob("hedging.early_transient") == 0
        is_retryable = retry_kind(response) in ("failover", "backend")
        if self.is_refused_hub(response):
            self.race, self.hedge_at = "ended_early", NEVER
            self.end_plain(response)
            return
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
        is_op_budget = (self.knob("hedging.leg_retries") == 1 or self.ends_race(response) or self.race == "waiting")
        has_budget = self.failovers + (0 if is_op_budget else self.legs[index].retries) < self.max_failovers()
        if retry_kind(response) == "backend" and is_op_budget:
            has_budget = self.has_backend_budget()
        self.charge(region, response, has_budget)

    def end_leg(self, index, response):
        leg = self.legs[index]
        is_set_aside = (index > 0 and not self.is_data and self.knob("hedging.metadata_error") == 1
                        and not (response[0] < 400 and not response[2]))
        if self.ends_race(response) and not self.is_refused_hub(response) and not is_set_aside:
            self.win(index, response)
            return
        if self.leg_retry(index, response):
            return
        if index == 0 and self.knob("hedging.primary_failure") == 1 and not self.is_refused_hub(response):
            self.win(index, response, is_charged=True)
            return
        leg.is_over = True
        if self.launches_next() and self.launch_next():
            return
        if all(one.is_over for one in self.legs):
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

    def win(self, index, response, is_charged=False):
        primary = self.legs[0].region
        is_refusal = response == (403, 3, 0) and self.has_latch and self.is_single
        if response[0] >= 400 and not is_refusal and not is_charged:
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
        if self.knob("hedging.both_transient") == 2:
            self.finish_with(response, None if retry_kind(response) == "none" else EXHAUSTED)
            return
        if retry_kind(response) == "none" and self.knob("hedging.both_transient") == 0:
            self.finish_with(response, None)
            return
        if not self.pay_for_race(retry_kind(response) == "session"):
            self.finish_with((0, 0, 3) if self.knob("hedging.exhausted_race") == 1 else response, EXHAUSTED)
            return
        raced = {leg.region for leg in self.legs}
        self.failed |= raced
        self.advance()
        order = self.topology.order(self.line["direction"])
        for _ in order[1:]:
            if order[self.cursor % len(order)] in raced:
                self.advance()
        self.attempt()

    def pay_for_race(self, is_session):
        """The race's cost from the operation's budgets; False if they do not hold it."""
        if self.knob("hedging.both_transient") == 1:
            if self.saw_session and self.sessions < self.max_sessions():
                self.sessions += 1
            if self.failovers + len(self.legs) > self.max_failovers():
                return False
            self.failovers += len(self.legs)
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
