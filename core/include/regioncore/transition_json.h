/* SPDX-License-Identifier: MIT */
/* A transition as one line of JSON, for logs: the same shape from every driver. core/README.md lists the fields. */
#ifndef REGIONCORE_TRANSITION_JSON_H
#define REGIONCORE_TRANSITION_JSON_H

#include <regioncore/export.h>
#include <regioncore/partition.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for any transition, the final NUL included. */
enum { RGN_TRANSITION_JSON_MAX = 1024 };

/* Writes the object, without a line end, and a final NUL. Returns the length of the whole text without the NUL; if
 * that is `size` or more, `out` holds its first `size - 1` bytes, which are no JSON. `out` may be NULL if `size` is 0.
 */
RGN_API size_t rgn_transition_json(const rgn_transition *transition, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
