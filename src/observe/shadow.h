// What is known of every byte of memory: defined, or not. Used by undefined*.c.
//
// Global memory is a table of 64 KiB pages, one bit per byte (1: undefined). A page that is wholly defined or
// wholly undefined takes no memory, so a large allocation costs a few pointers. Memory that nobody told us of
// is defined. A byte counts as undefined if any of its bits is; where it is not all of them, or where the
// value came from elsewhere, a word in a table says more: the bits, who stored it, and where it came from.
#ifndef OBSERVE_SHADOW_H
#define OBSERVE_SHADOW_H

#include "base/base.h"

enum { SHADOW_PAGE_SHIFT = 16, SHADOW_PAGE = 1 << SHADOW_PAGE_SHIFT, SHADOW_PAGE_WORDS = SHADOW_PAGE / 64 };

typedef struct shadow_page {
    uint64_t bits[SHADOW_PAGE_WORDS + 1]; // one more, for what lies across the end
    uint32_t undefined;                   // bytes
    uint8_t widest;                       // of the stores to it, in bytes: how its elements may be aligned
} shadow_page;

// Eight bytes of memory that hold, or held, undefined bits. Only bits of bytes that are marked count.
typedef struct shadow_word {
    uint64_t key;  // address / 8 + 1; 0: free
    uint64_t bits; // 1: undefined
    uint32_t origin, writer;
} shadow_word;

typedef struct shadow_table {
    shadow_word *slots;
    size_t count, capacity; // a power of two
} shadow_table;

shadow_word *observe_shadow_find_word(const shadow_table *table,
                                      uint64_t address);                      // NULL where there is none
shadow_word *observe_shadow_make_word(shadow_table *table, uint64_t address); // NULL when out of memory
void observe_shadow_clear_table(shadow_table *table);
void observe_shadow_free_table(shadow_table *table);

// ---- global memory --------------------------------------------------------------------------------------

enum { SHADOW_TOP = 1 << 16, SHADOW_MIDDLE = 1 << 16 };

typedef struct shadow_memory {
    shadow_page ***top;     // [address >> 32][address >> 16 & 0xffff]: NULL for defined
    shadow_page *undefined; // what a wholly undefined page's entry points at; never changed
    uint64_t first, end;    // numbers of the pages (address >> 16) that were ever marked lie between
    shadow_table words;
} shadow_memory;

bool observe_shadow_memory_open(shadow_memory *memory);
void observe_shadow_memory_close(shadow_memory *memory);

static inline shadow_page *observe_shadow_page_at(const shadow_memory *memory, uint64_t address) {
    shadow_page **middle = memory->top[address >> 32 & (SHADOW_TOP - 1)];
    return middle ? middle[address >> SHADOW_PAGE_SHIFT & (SHADOW_MIDDLE - 1)] : NULL;
}

// Marks a range, of any length.
void observe_shadow_memory_mark(shadow_memory *memory, uint64_t address, uint64_t bytes, bool undefined);
// Whether a byte in the range is undefined; *first is the first of them.
bool observe_shadow_memory_has(const shadow_memory *memory, uint64_t address, uint64_t bytes,
                               uint64_t *first);
// The end of the run of bytes from `address` on that are all as the first is, up to `end`.
uint64_t observe_shadow_memory_run(const shadow_memory *memory, uint64_t address, uint64_t end);
void observe_shadow_memory_copy(shadow_memory *memory, uint64_t to, uint64_t from, uint64_t bytes);
// A page of its own that may be changed bit by bit; NULL when out of memory.
shadow_page *observe_shadow_memory_own(shadow_memory *memory, uint64_t address);
// After changes: a page that is wholly defined is given up.
void observe_shadow_memory_settle(shadow_memory *memory, uint64_t address);

// ---- bits -----------------------------------------------------------------------------------------------

// `bytes` (1..64) bits from `at` on, as a word.
static inline uint64_t observe_shadow_low(uint32_t bytes) {
    return bytes >= 64 ? UINT64_MAX : (UINT64_C(1) << bytes) - 1;
}
static inline uint64_t observe_shadow_get(const uint64_t *bits, uint64_t at, uint32_t bytes) {
    uint64_t word = bits[at / 64] >> (at % 64);
    if (at % 64 + bytes > 64) word |= bits[at / 64 + 1] << (64 - at % 64);
    return word & observe_shadow_low(bytes);
}
// Puts them; gives by how much the number of ones grew.
static inline int observe_shadow_put(uint64_t *bits, uint64_t at, uint32_t bytes, uint64_t value) {
    uint64_t mask = observe_shadow_low(bytes), old = observe_shadow_get(bits, at, bytes);
    value &= mask;
    if (old == value) return 0;
    bits[at / 64] = (bits[at / 64] & ~(mask << at % 64)) | value << at % 64;
    if (at % 64 + bytes > 64)
        bits[at / 64 + 1] = (bits[at / 64 + 1] & ~(mask >> (64 - at % 64))) | value >> (64 - at % 64);
    return __builtin_popcountll(value) - __builtin_popcountll(old);
}

#endif
