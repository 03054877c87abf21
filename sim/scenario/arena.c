/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sim_arena_block {
    struct sim_arena_block *next;
    size_t size;
    size_t used;
    alignas(max_align_t) unsigned char data[];
} sim_arena_block;

struct sim_arena {
    sim_arena_block *block;
};

enum { BLOCK_SIZE = 16384, EXIT_INTERNAL = 70 };

static void *must_allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL) {
        fputs("regionsim: out of memory\n", stderr);
        exit(EXIT_INTERNAL);
    }
    return memory;
}

sim_arena *sim_arena_create(void)
{
    return must_allocate(sizeof(sim_arena));
}

void sim_arena_destroy(sim_arena *arena)
{
    if (arena == NULL)
        return;
    sim_arena_block *block = arena->block;
    while (block != NULL) {
        sim_arena_block *next = block->next;
        free(block);
        block = next;
    }
    free(arena);
}

void *sim_arena_alloc(sim_arena *arena, size_t size)
{
    const size_t unit = alignof(max_align_t);
    const size_t rounded = (size + unit - 1) / unit * unit;
    sim_arena_block *block = arena->block;
    if (block == NULL || block->size - block->used < rounded) {
        const size_t room = rounded > BLOCK_SIZE ? rounded : BLOCK_SIZE;
        block = must_allocate(sizeof *block + room);
        block->size = room;
        block->next = arena->block;
        arena->block = block;
    }
    void *memory = block->data + block->used;
    block->used += rounded;
    return memory;
}

void *sim_arena_array(sim_arena *arena, size_t count, size_t size)
{
    return sim_arena_alloc(arena, count * size);
}

char *sim_arena_copy(sim_arena *arena, const char *text, size_t length)
{
    char *copy = sim_arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *sim_arena_string(sim_arena *arena, const char *text)
{
    return sim_arena_copy(arena, text, strlen(text));
}
