// The pages that the operation under way uses: a list, found by their numbers.
#ifndef OBSERVE_STREAMS_ENTRIES_H
#define OBSERVE_STREAMS_ENTRIES_H

#include "observe/streams.h"

enum { STREAMS_RECENT = 1024 };

typedef struct streams_entry {
    uint64_t number;
    streams_use use;
} streams_entry;

typedef struct streams_entries {
    streams_entry *all;
    uint32_t count, capacity;
    uint32_t *index; // hash of page numbers: entry + 1
    uint32_t index_capacity;
    uint32_t recent[STREAMS_RECENT]; // entry + 1, by the page number's lowest bits
} streams_entries;

static inline uint32_t observe_streams_hash(uint64_t number) {
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

// The page's, made for the operation if there is none; NULL when out of memory.
streams_entry *observe_entries_find(streams_entries *entries, uint64_t number, uint32_t operation);
void observe_entries_forget(streams_entries *entries); // all of them
void observe_entries_close(streams_entries *entries);

#endif
