// A chained hash table whose entries live in an arena.
#include "ptx/map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 256 };

bool ptx_map_open(ptx_map *map, base_arena *arena) {
    *map = (ptx_map){.arena = arena, .mask = FIRST_BUCKETS - 1};
    map->buckets = calloc(FIRST_BUCKETS, sizeof *map->buckets);
    return map->buckets != NULL;
}

void ptx_map_close(ptx_map *map) {
    free(map->buckets);
    map->buckets = NULL;
}

uint32_t ptx_map_hash(const char *text, size_t length) {
    uint64_t hash = 0x9E3779B97F4A7C15u ^ length;
    while (length >= 8) {
        uint64_t part;
        memcpy(&part, text, 8);
        hash = (hash ^ part) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
        text += 8;
        length -= 8;
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < length; i++) rest = rest << 8 | (unsigned char)text[i];
    hash = (hash ^ rest) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93u;
    return (uint32_t)(hash >> 32);
}

static uint32_t bucket_of(const ptx_map *map, uint32_t hash, uint32_t tag) {
    uint32_t mixed = hash ^ tag * 0x9E3779B1u;
    mixed ^= mixed >> 15;
    return mixed & map->mask;
}

ptx_map_entry *ptx_map_find(const ptx_map *map, const char *text, size_t length, uint32_t hash,
                            uint32_t tag) {
    ptx_map_entry *entry = map->buckets[bucket_of(map, hash, tag)];
    for (; entry; entry = entry->next)
        if (entry->hash == hash && entry->tag == tag && entry->length == length &&
            memcmp(entry->text, text, length) == 0)
            return entry;
    return NULL;
}

// Failing to grow is harmless: chains get longer.
static void grow(ptx_map *map) {
    uint32_t buckets = (map->mask + 1) * 2;
    if (buckets == 0) return;
    ptx_map_entry **larger = calloc(buckets, sizeof *larger);
    if (!larger) return;
    ptx_map_entry **old = map->buckets;
    uint32_t old_count = map->mask + 1;
    map->mask = buckets - 1;
    for (uint32_t i = 0; i < old_count; i++) {
        for (ptx_map_entry *entry = old[i]; entry;) {
            ptx_map_entry *next = entry->next;
            ptx_map_entry **bucket = &larger[bucket_of(map, entry->hash, entry->tag)];
            entry->next = *bucket;
            *bucket = entry;
            entry = next;
        }
    }
    free(old);
    map->buckets = larger;
}

ptx_map_entry *ptx_map_add(ptx_map *map, const char *text, size_t length, uint32_t hash, uint32_t tag) {
    ptx_map_entry *entry = base_arena_alloc(map->arena, sizeof *entry);
    if (!entry) return NULL;
    if (map->count > map->mask) grow(map);
    ptx_map_entry **bucket = &map->buckets[bucket_of(map, hash, tag)];
    *entry =
        (ptx_map_entry){.next = *bucket, .text = text, .length = (uint32_t)length, .hash = hash, .tag = tag};
    *bucket = entry;
    map->count++;
    return entry;
}
