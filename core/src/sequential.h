/* SPDX-License-Identifier: MIT */
/* failback.decide sequential: Wald's sequential probability ratio test over canary results, in whole numbers.
 *
 * It weighs two claims against each other: the region answers with the success threshold's ratio, or only with the
 * floor's. Every result moves the weight of evidence; the test ends as soon as that is enough for the error rates asked
 * for. A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945). */
#ifndef REGIONCORE_SRC_SEQUENTIAL_H
#define REGIONCORE_SRC_SEQUENTIAL_H

#include <regioncore/options.h>

typedef enum { RGNI_GOES_ON, RGNI_IS_HEALTHY, RGNI_IS_UNHEALTHY } rgni_sequential;

/* `waiting` canaries weigh against health as if they had failed, and never for ill health. The options are valid:
 * 0 < floor < threshold. */
rgni_sequential rgni_sequential_test(const rgn_options *options, uint32_t success, uint32_t failed, int64_t waiting);

/* log2(x) in units of 2^-24, rounded down, within 2 units; 1 <= x < 2^31. */
int64_t rgni_log2(uint32_t x);

#endif
