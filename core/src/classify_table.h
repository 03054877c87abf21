/* SPDX-License-Identifier: MIT */
/* The classification table, open to the pipeline and to the test that compares it with RULES.md. */
#ifndef REGIONCORE_SRC_CLASSIFY_TABLE_H
#define REGIONCORE_SRC_CLASSIFY_TABLE_H

#include <regioncore/classify.h>

/* A row matches if the transport is the same and status and sub-status lie in its closed ranges. */
typedef struct {
    uint8_t transport;
    uint16_t status_min, status_max;
    uint16_t substatus_min, substatus_max;
    rgn_class class;
} rgni_class_row;

/* First match wins; the rows cover every answer. `*count` rows. */
const rgni_class_row *rgni_class_rows(size_t *count);

/* The row's class, in place: rgn_classify() without the copy. */
const rgn_class *rgni_class_of(const rgn_response *response);

#endif
