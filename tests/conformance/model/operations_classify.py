# SPDX-License-Identifier: GPL-3.0-or-later
"""What one answer means, by the texts: whether it is final, what may be tried next, which mark it leaves."""

# Endpoint marks.
WRITE_FORBIDDEN, NOT_FOUND, UNAVAILABLE, TIMEOUT, INTERNAL, TRANSPORT = range(6)

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
