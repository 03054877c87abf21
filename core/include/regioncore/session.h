/* SPDX-License-Identifier: MIT */
/* Session consistency: what a client has seen of a partition, and whether a region has caught up with it.
 *
 * A token is an array of log sequence numbers (LSNs), one for each region that takes writes. Tokens only ever merge by
 * the greater LSN, so it does not matter in which order answers come in, how often, or whether the loser of a hedge
 * race adds its own late: a token never goes back. The arrays are the caller's; a caller with several threads guards
 * them, or raises each number with a compare-and-swap of its own. */
#ifndef REGIONCORE_SESSION_H
#define REGIONCORE_SESSION_H

#include <regioncore/classify.h>
#include <regioncore/export.h>
#include <regioncore/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t rgn_lsn; /* 0: nothing written yet */

/* Raises each of `count` LSNs of `token` to the one of `seen`. */
RGN_API void rgn_session_merge(rgn_lsn *token, const rgn_lsn *seen, unsigned count);

/* Whether a region that has reached `reached` may answer for `token`; if not, its answer is 404/1002. */
RGN_API bool rgn_session_is_reached(const rgn_lsn *reached, const rgn_lsn *token, unsigned count);

/* Whether the token that came with the answer counts: of answers that saw the data, also where they refused. */
RGN_API bool rgn_session_captures(const rgn_response *response);

#ifdef __cplusplus
}
#endif
#endif
