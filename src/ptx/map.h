// A map from (text, tag) to a value. The tag is a namespace or a scope, so nothing is ever removed.
#ifndef PTX_MAP_H
#define PTX_MAP_H

#include "base/base.h"

typedef struct ptx_map_entry {
    struct ptx_map_entry *next;
    const char *text; // not copied
    uint32_t length, hash, tag;
    uint32_t kind;   // the owner's
    uint32_t number; // the owner's
    void *pointer;   // the owner's
} ptx_map_entry;

typedef struct ptx_map {
    base_arena *arena;
    ptx_map_entry **buckets;
    uint32_t mask, count;
} ptx_map;

bool ptx_map_open(ptx_map *map, base_arena *arena); // false when out of memory
void ptx_map_close(ptx_map *map);
uint32_t ptx_map_hash(const char *text, size_t length);
// `hash` is ptx_map_hash of the text, so that one text can be sought under several tags.
ptx_map_entry *ptx_map_find(const ptx_map *map, const char *text, size_t length, uint32_t hash, uint32_t tag);
// NULL when out of memory.
ptx_map_entry *ptx_map_add(ptx_map *map, const char *text, size_t length, uint32_t hash, uint32_t tag);

#endif
