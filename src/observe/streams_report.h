// Two operations, or an operation and the host, that race: in words.
#ifndef OBSERVE_STREAMS_REPORT_H
#define OBSERVE_STREAMS_REPORT_H

#include "observe/streams.h"

typedef struct streams_operation {
    observe_operation given;  // `before` while it runs
    const ptx_module *module; // of a kernel
    const ptx_function *entry;
    uint32_t grid[3], block[3];
    uint64_t serial;
    uint64_t ordinal; // among operations
    uint64_t uses;    // pages of the history that have it
    bool has_ended, has_fence;
    bool was_polled;            // by the host,
    uint32_t published;         // who has seen this much of it
    bool was_met, was_reported; // by the operation that has just ended
} streams_operation;

typedef struct streams_conflict {
    const streams_operation *earlier, *later; // later NULL: the host
    const observe_site *earlier_site, *later_site;
    bool earlier_writes, later_writes;
    bool was_polled; // the host has seen another of its writes
    uint64_t address;
    char host[128]; // the host's function; "": not known
} streams_conflict;

// Pairs that were reported.
typedef struct streams_reported {
    uint64_t *keys; // hash
    uint32_t count, capacity;
} streams_reported;
bool observe_streams_is_known(streams_reported *set, const streams_conflict *c);
void observe_streams_report(observe_findings *findings, const streams_conflict *conflict);

#endif
