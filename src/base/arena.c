// An arena: a chain of zeroed blocks, each larger than the last up to a limit.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { ARENA_ALIGN = 16, FIRST_BLOCK = 16 << 10, LARGEST_BLOCK = 4 << 20 };

typedef struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(ARENA_ALIGN) unsigned char data[];
} arena_block;

struct base_arena {
    arena_block *head; // the block that is being filled
    size_t next_size;
};

base_arena *base_arena_open(void) {
    base_arena *arena = calloc(1, sizeof *arena);
    if (arena) arena->next_size = FIRST_BLOCK;
    return arena;
}

void base_arena_close(base_arena *arena) {
    if (!arena) return;
    for (arena_block *block = arena->head; block;) {
        arena_block *next = block->next;
        free(block);
        block = next;
    }
    free(arena);
}

static arena_block *new_block(size_t size) {
    if (size > SIZE_MAX - sizeof(arena_block)) return NULL;
    arena_block *block = calloc(1, sizeof(arena_block) + size);
    if (block) block->size = size;
    return block;
}

void *base_arena_alloc(base_arena *arena, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    arena_block *head = arena->head;
    if (head && head->size - head->used >= bytes) {
        void *at = head->data + head->used;
        head->used += bytes;
        return at;
    }
    // A large request gets a block of its own behind the head, so that the head's rest is not lost.
    bool own = head && bytes > arena->next_size / 4;
    size_t size = own || bytes > arena->next_size ? bytes : arena->next_size;
    arena_block *block = new_block(size);
    if (!block) return NULL;
    block->used = bytes;
    if (own) {
        block->next = head->next;
        head->next = block;
        return block->data;
    }
    block->next = head;
    arena->head = block;
    if (arena->next_size < LARGEST_BLOCK) arena->next_size *= 2;
    return block->data;
}

char *base_arena_string(base_arena *arena, const char *text, size_t length) {
    if (length == SIZE_MAX) return NULL;
    char *copy = base_arena_alloc(arena, length + 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}
