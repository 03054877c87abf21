/* SPDX-License-Identifier: MIT */
#include <regioncore/session.h>

enum {
    STATUS_NOT_FOUND = 404,
    STATUS_CONFLICT = 409,
    STATUS_PRECONDITION = 412,
    SUBSTATUS_SESSION_NOT_AVAILABLE = 1002,
};

/* SES-1 */
void rgn_session_merge(rgn_lsn *token, const rgn_lsn *seen, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (seen[i] > token[i])
            token[i] = seen[i];
}

/* SES-2 */
bool rgn_session_is_reached(const rgn_lsn *reached, const rgn_lsn *token, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (reached[i] < token[i])
            return false;
    return true;
}

/* SES-3 */
bool rgn_session_captures(const rgn_response *response)
{
    if (response->transport != RGN_TRANSPORT_NONE)
        return false;
    if (response->status < 400 || response->status == STATUS_CONFLICT || response->status == STATUS_PRECONDITION)
        return true;
    return response->status == STATUS_NOT_FOUND && response->substatus != SUBSTATUS_SESSION_NOT_AVAILABLE;
}
