// Races between operations of streams, and between them and the host.
//
// Kernels, copies and fills run here one after the other, but a GPU may run those side by side that nothing orders:
// no stream, no event, no waiting host. Each operation has a place in a chain of operations, of which each comes
// after the one before, and an order: how far of each chain must have ended before it begins (a vector clock). The
// bytes that operations read and wrote are kept as long as the host has not waited for them. Two uses of a byte,
// one of them a write, race where neither operation comes after the other, unless both are strong (atomics,
// volatile). An operation that reads by strong accesses what another wrote so, both with fences, comes after it.
#ifndef OBSERVE_STREAMS_H
#define OBSERVE_STREAMS_H

#include "observe/observe.h"

// ---- order (streams_order.c) ------------------------------------------------------------------------------

enum { OBSERVE_CHAINS = 128 };
typedef struct observe_order {
    uint32_t ended[OBSERVE_CHAINS]; // of each chain: up to and with this number
} observe_order;

typedef struct observe_turn {
    uint32_t chain, number; // number from 1; 0: there were too many chains, and it counts as ordered with all
} observe_turn;

typedef struct observe_chains {
    uint32_t last[OBSERVE_CHAINS];
    uint64_t unplaced; // operations without a chain
} observe_chains;

void observe_order_join(observe_order *to, const observe_order *from);
bool observe_order_covers(const observe_order *order, const observe_order *other); // all of it has ended
static inline bool observe_order_has(const observe_order *order, observe_turn turn) {
    return order->ended[turn.chain] >= turn.number;
}
// A place for an operation that comes after `before`.
observe_turn observe_chains_next(observe_chains *chains, const observe_order *before);
// Adds it to what has ended.
static inline void observe_order_add(observe_order *order, observe_turn turn) {
    if (order->ended[turn.chain] < turn.number) order->ended[turn.chain] = turn.number;
}

// ---- operations (streams.c) -------------------------------------------------------------------------------

typedef enum observe_stream_trait {
    OBSERVE_STREAM_LEGACY = 1,         // the default stream
    OBSERVE_STREAM_NON_BLOCKING = 2,   // does not wait for it
    OBSERVE_STREAM_WAITED_IN_VAIN = 4, // for an event that was not recorded
    OBSERVE_STREAM_OF_GRAPH = 8,       // a node of one
    OBSERVE_STREAM_OF_THREAD = 16,     // a thread's default stream
    OBSERVE_STREAM_ALLOCATES = 32,     // cudaMallocAsync
    OBSERVE_STREAM_FREES = 64,         // cudaFreeAsync
    OBSERVE_STREAM_OVERLAPS = 128,     // a kernel that may begin before the one before it has ended
} observe_stream_trait;

typedef struct observe_operation {
    char what[96]; // "kernel fill", "cudaMemcpyAsync"
    unsigned long long stream;
    unsigned traits;
    observe_turn turn;
    const observe_order *before;
} observe_operation;

typedef struct observe_streams observe_streams;
observe_streams *observe_streams_open(observe_findings *findings); // NULL when out of memory
void observe_streams_close(observe_streams *streams);
sim_listener *observe_streams_listener(observe_streams *streams); // what kernels use
// Around each operation. What a kernel uses comes from the listener, what others use from `range`.
void observe_streams_begin(observe_streams *streams, const observe_operation *operation);
void observe_streams_range(observe_streams *streams, uint64_t address, uint64_t bytes, bool is_write);
void observe_streams_end(observe_streams *streams);
// The host has waited for these; their uses are forgotten.
void observe_streams_ended(observe_streams *streams, const observe_order *host);

// ---- the host's own accesses ------------------------------------------------------------------------------

enum { OBSERVE_STREAMS_PAGE = 4096 };
typedef enum observe_in_flight { OBSERVE_IDLE, OBSERVE_IS_READ, OBSERVE_IS_WRITTEN } observe_in_flight;
// What operations that have not ended for `host` do with the page that holds the address.
observe_in_flight observe_streams_page(const observe_streams *streams, uint64_t address,
                                       const observe_order *host);
// Calls `page` for each page that the operation that ended last has used.
void observe_streams_each(const observe_streams *streams, void (*page)(void *context, uint64_t address),
                          void *context);
// Bytes of one page, from the first that is used to the last.
typedef struct observe_extent {
    uint64_t first, end;
    uint64_t bytes; // of them, that are used
} observe_extent;
// Calls `page` for each page that the operation under way has used.
void observe_streams_used(const observe_streams *streams,
                          void (*page)(void *context, const observe_extent *extent), void *context);
// Who knows which function of the program the host is in: asked where it races. Leaves `name` alone where nobody does.
void observe_streams_name_host(observe_streams *streams, void (*name_of_host)(char *name, size_t capacity));
// The host, who has waited for `host`, reads or writes a byte: a finding where that races. SEES: an operation wrote it by
// a strong access, which the host may poll; it has waited for *seen then: the operation where all it wrote was
// published by a system fence before that access, else what came before the operation.
typedef enum observe_host_access {
    OBSERVE_HOST_FREE,
    OBSERVE_HOST_RACES,
    OBSERVE_HOST_SEES
} observe_host_access;
observe_host_access observe_streams_host(observe_streams *streams, uint64_t address, bool is_write,
                                         const observe_order *host, observe_turn *seen);

// ---- sets of bytes (streams_bytes.c) ----------------------------------------------------------------------

// How a byte is used, by weak and by strong accesses.
typedef enum streams_class {
    STREAMS_WEAK_READ,
    STREAMS_WEAK_WRITE,
    STREAMS_STRONG_READ,
    STREAMS_STRONG_WRITE,
    STREAMS_CLASSES
} streams_class;
enum { STREAMS_WORDS = OBSERVE_STREAMS_PAGE / 64 };

// What one operation does with a page: a bit per byte and class.
typedef struct streams_use {
    uint32_t operation;              // its index
    uint32_t full;                   // classes that every byte is in
    uint64_t *bits[STREAMS_CLASSES]; // NULL: no byte, or every one
    observe_site reader, writer;     // one of each
    uint32_t begun;     // of its weak writes: the number of the last system fence before the first
    uint32_t published; // of its strong writes: the latest system fence that the writer's block had made
} streams_use;

// False when out of memory.
bool observe_streams_put(streams_use *use, streams_class class, uint32_t first, uint32_t count);
void observe_streams_clear(streams_use *use, uint32_t first, uint32_t count);
void observe_streams_pack(streams_use *use); // full and empty sets take no memory
void observe_streams_drop(streams_use *use);
bool observe_streams_is_empty(const streams_use *use);
observe_extent observe_streams_extent(const streams_use *use, uint64_t page); // at the page's address
// The first byte by which the two conflict, or UINT32_MAX; and whether each writes it.
uint32_t observe_streams_conflict(const streams_use *a, const streams_use *b, bool *a_writes, bool *b_writes);
// `later` comes after `earlier`: forgets of that what whoever races with it would race with in `later` too.
void observe_streams_cover(streams_use *earlier, const streams_use *later);
// Whether the later one reads a byte that the earlier one wrote, both by strong accesses; a strong write counts as
// reading, for an atomic does.
bool observe_streams_meet(const streams_use *earlier, const streams_use *later);

static inline uint64_t observe_streams_word(const streams_use *use, streams_class class, uint32_t word) {
    if (use->full >> class & 1) return UINT64_MAX;
    return use->bits[class] ? use->bits[class][word] : 0;
}

#endif
