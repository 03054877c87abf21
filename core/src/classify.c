/* SPDX-License-Identifier: MIT */
#include "classify_table.h"

#include <assert.h>

/* Short names keep a row on a line. Sub-status ranges: */
#define ANY     0, UINT16_MAX
#define ONLY(n) (n), (n)
/* evidence, retry, charge, mark, success, final, caller's error */
#define ROW(evidence, retry, charge, mark, success, final, error)                                               \
    {                                                                                                           \
        RGN_EVIDENCE_##evidence, RGN_RETRY_##retry, RGN_CHARGE_##charge, RGN_MARK_##mark, success, final, error \
    }
/* An answer that any region would give: it shows that this one works. */
#define APPLICATION_FINAL ROW(SUCCESS, NONE, NOTHING, SERVICE_UNAVAILABLE, false, true, false)
#define HTTP              RGN_TRANSPORT_NONE

enum { ROW_SUCCESS = 0, ROW_UNAVAILABLE = 23 }; /* the two answers that are worth no search */

/* CLS-1: one row for each kind of answer, first match wins. The sources are the shipped Rust driver's
 * retry_evaluation.rs (retry, charge) and cosmos_status.rs (final). `mark` means nothing where nothing is charged. */
static const rgni_class_row rows[] = {
    {HTTP, RGNI_SUCCESS_MIN, RGNI_SUCCESS_MAX, ANY,
     ROW(SUCCESS, NONE, NOTHING, SERVICE_UNAVAILABLE, true, true, false)},
    {HTTP, 400, 401, ANY, APPLICATION_FINAL},
    {HTTP, 403, 403, ONLY(3), ROW(NEUTRAL, BACKEND, PARTITION_WRITE, WRITE_FORBIDDEN, false, true, true)},
    {HTTP, 403, 403, ONLY(1008), ROW(FAILURE, BACKEND, PARTITION, ACCOUNT_NOT_FOUND, false, false, false)},
    {HTTP, 403, 403, ANY, APPLICATION_FINAL},
    {HTTP, 404, 404, ONLY(0), APPLICATION_FINAL},
    {HTTP, 404, 404, ONLY(1002), ROW(NEUTRAL, SESSION, NOTHING, SERVICE_UNAVAILABLE, false, false, true)},
    {HTTP, 405, 405, ANY, APPLICATION_FINAL},
    {HTTP, 408, 408, ANY, ROW(FAILURE, FAILOVER, PARTITION, REQUEST_TIMEOUT, false, false, true)},
    {HTTP, 409, 409, ANY, APPLICATION_FINAL},
    {HTTP, 410, 410, ONLY(1002), ROW(NEUTRAL, NONE, NOTHING, SERVICE_UNAVAILABLE, false, false, true)},
    {HTTP, 410, 410, 1007, 1008, ROW(NEUTRAL, NONE, NOTHING, SERVICE_UNAVAILABLE, false, false, true)},
    {HTTP, 410, 410, ANY, ROW(FAILURE, FAILOVER, PARTITION, SERVICE_UNAVAILABLE, false, false, true)},
    {HTTP, 412, 413, ANY, APPLICATION_FINAL},
    {HTTP, 422, 422, ANY, APPLICATION_FINAL},
    {HTTP, 429, 429, ONLY(3092), ROW(FAILURE, FAILOVER, PARTITION, SERVICE_UNAVAILABLE, false, false, true)},
    {HTTP, 429, 429, ONLY(3200), ROW(NEUTRAL, THROTTLE, NOTHING, SERVICE_UNAVAILABLE, false, true, true)},
    {HTTP, 429, 429, ONLY(3210), ROW(NEUTRAL, THROTTLE, NOTHING, SERVICE_UNAVAILABLE, false, true, true)},
    {HTTP, 429, 429, ONLY(3214), ROW(NEUTRAL, THROTTLE, NOTHING, SERVICE_UNAVAILABLE, false, true, true)},
    {HTTP, 429, 429, ANY, ROW(NEUTRAL, THROTTLE, NOTHING, SERVICE_UNAVAILABLE, false, false, true)},
    {HTTP, 449, 449, ANY, ROW(NEUTRAL, WITH, NOTHING, SERVICE_UNAVAILABLE, false, false, true)},
    {HTTP, 451, 451, ANY, APPLICATION_FINAL},
    {HTTP, 501, 501, ANY, ROW(FAILURE, FAILOVER, PARTITION, INTERNAL_ERROR, false, true, true)},
    [ROW_UNAVAILABLE] = {HTTP, 503, 503, ANY,
                         ROW(FAILURE, FAILOVER, PARTITION, SERVICE_UNAVAILABLE, false, false, true)},
    {HTTP, 505, 505, ANY, ROW(FAILURE, FAILOVER, PARTITION, INTERNAL_ERROR, false, true, true)},
    {HTTP, 500, 599, ANY, ROW(FAILURE, FAILOVER, PARTITION, INTERNAL_ERROR, false, false, true)},
    {HTTP, ANY, ANY, ROW(NEUTRAL, NONE, NOTHING, SERVICE_UNAVAILABLE, false, false, false)},
    /* CLS-2: below HTTP only one thing matters: could the service have seen the request? */
    {RGN_TRANSPORT_NOT_SENT, ANY, ANY, ROW(FAILURE, FAILOVER, ENDPOINT, TRANSPORT_ERROR, false, false, true)},
    {RGN_TRANSPORT_SENT, ANY, ANY, ROW(FAILURE, FAILOVER, PARTITION, TRANSPORT_ERROR, false, false, true)},
    {RGN_TRANSPORT_UNKNOWN, ANY, ANY, ROW(FAILURE, FAILOVER, PARTITION, TRANSPORT_ERROR, false, false, true)},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0], HTTP_ROW_COUNT = ROW_COUNT - RGN_TRANSPORT_UNKNOWN };

const rgni_class_row *rgni_class_rows(size_t *count)
{
    *count = ROW_COUNT;
    return rows;
}

static bool matches(const rgni_class_row *row, const rgn_response *response)
{
    return row->transport == response->transport && response->status >= row->status_min &&
           response->status <= row->status_max && response->substatus >= row->substatus_min &&
           response->substatus <= row->substatus_max;
}

/* The first row that may match: HTTP rows come first, and their upper bounds never fall. */
static size_t first_candidate(const rgn_response *response)
{
    size_t first = 0;
    size_t count = HTTP_ROW_COUNT;

    if (response->transport != RGN_TRANSPORT_NONE)
        return HTTP_ROW_COUNT;
    while (count > 1) {
        size_t half = count / 2;
        first += rows[first + half - 1].status_max < response->status ? half : 0;
        count -= half;
    }
    return first;
}

const rgn_class *rgni_class_of(const rgn_response *response)
{
    size_t i;

    assert(response->transport <= RGN_TRANSPORT_UNKNOWN);
    if (response->transport == RGN_TRANSPORT_NONE && rgni_status_is_success(response->status)) /* nearly always */
        return &rows[ROW_SUCCESS].class;
    if (matches(&rows[ROW_UNAVAILABLE], response)) /* most of the rest */
        return &rows[ROW_UNAVAILABLE].class;
    i = first_candidate(response);
    while (i < ROW_COUNT - 1 && !matches(&rows[i], response))
        i++;
    return &rows[i].class;
}

rgn_class rgn_classify(const rgn_response *response)
{
    return *rgni_class_of(response);
}

rgn_evidence rgn_evidence_of(const rgn_response *response)
{
    return (rgn_evidence)rgni_class_of(response)->evidence;
}
