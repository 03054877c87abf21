/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for routers under test that neither counts nor fails. */
#ifndef TESTS_PLAIN_ALLOCATOR_H
#define TESTS_PLAIN_ALLOCATOR_H

#include <stdlib.h>

#include <regioncore/regioncore.h>

static void *plain_allocate(void *context, size_t size)
{
    (void)context;
    return calloc(1, size);
}

static void plain_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

static const rgn_allocator plain_allocator = {plain_allocate, plain_release, NULL};

#endif
