/* SPDX-License-Identifier: MIT */
/* The classification table, open to the pipeline and to the test that compares it with RULES.md. */
#ifndef REGIONCORE_SRC_CLASSIFY_TABLE_H
#define REGIONCORE_SRC_CLASSIFY_TABLE_H

#include <regioncore/classify.h>

enum { RGNI_SUCCESS_MIN = 100, RGNI_SUCCESS_MAX = 399 }; /* of the first row */

/* A row matches if the transport is the same and status and sub-status lie in its closed ranges. */
typedef struct {
    uint8_t transport;
    uint16_t status_min, status_max;
    uint16_t substatus_min, substatus_max;
    rgn_class class;
} rgni_class_row;

/* First match wins; the rows cover every answer. `*count` rows. */
const rgni_class_row *rgni_class_rows(size_t *count);

/* The first row's range: below 400 the answer is a success, whatever the sub-status. */
static inline bool rgni_status_is_success(uint16_t status)
{
    return status >= RGNI_SUCCESS_MIN && status <= RGNI_SUCCESS_MAX;
}

/* The row's class, in place: rgn_classify() without the copy. */
const rgn_class *rgni_class_of(const rgn_response *response);

#endif
