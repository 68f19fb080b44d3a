// Sets of the bytes of a page, one per way of using them. See streams.h.
#include <stdlib.h>
#include <string.h>

#include "observe/streams.h"

enum { SET_BYTES = STREAMS_WORDS * sizeof(uint64_t) };

static uint64_t mask_of(uint32_t first, uint32_t count) {
    return (count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

// Calls for each word that the range touches, with the bits of it.
#define EACH_WORD(first, count, word, mask, work)                                                            \
    for (uint32_t at_ = (first), left_ = (count); left_;) {                                                  \
        uint32_t word = at_ / 64, room_ = 64 - at_ % 64, part_ = left_ < room_ ? left_ : room_;              \
        uint64_t mask = mask_of(at_ % 64, part_);                                                            \
        work;                                                                                                \
        at_ += part_;                                                                                        \
        left_ -= part_;                                                                                      \
    }

bool observe_streams_put(streams_use *use, streams_class class, uint32_t first, uint32_t count) {
    if (use->full >> class & 1) return true;
    if (count == OBSERVE_STREAMS_PAGE) {
        use->full |= 1u << class;
        return true;
    }
    if (!use->bits[class]) use->bits[class] = calloc(1, SET_BYTES);
    if (!use->bits[class]) return false;
    EACH_WORD(first, count, word, mask, use->bits[class][word] |= mask)
    return true;
}

void observe_streams_clear(streams_use *use, uint32_t first, uint32_t count) {
    for (int class = 0; class < STREAMS_CLASSES; class ++) {
        if (use->full >> class & 1) {
            if (!use->bits[class]) use->bits[class] = malloc(SET_BYTES);
            if (use->bits[class]) memset(use->bits[class], 0xff, SET_BYTES);
            use->full &= ~(1u << class);
        }
        if (use->bits[class]) EACH_WORD(first, count, word, mask, use->bits[class][word] &= ~mask)
    }
}

void observe_streams_pack(streams_use *use) {
    for (int class = 0; class < STREAMS_CLASSES; class ++) {
        uint64_t all = UINT64_MAX, any = 0;
        if (use->bits[class])
            for (uint32_t i = 0; i < STREAMS_WORDS; i++)
                all &= use->bits[class][i], any |= use->bits[class][i];
        if (any && all == UINT64_MAX) use->full |= 1u << class;
        if (any && !(use->full >> class & 1)) continue;
        free(use->bits[class]);
        use->bits[class] = NULL;
    }
}

void observe_streams_drop(streams_use *use) {
    for (int class = 0; class < STREAMS_CLASSES; class ++) free(use->bits[class]);
    memset(use->bits, 0, sizeof use->bits);
    use->full = 0;
}

bool observe_streams_is_empty(const streams_use *use) {
    if (use->full) return false;
    for (int class = 0; class < STREAMS_CLASSES; class ++)
        if (use->bits[class]) return false;
    return true;
}

// Without sets of single bytes one word says it all.
static uint32_t words_of(const streams_use *a, const streams_use *b) {
    for (int class = 0; class < STREAMS_CLASSES; class ++)
        if (a->bits[class] || b->bits[class]) return STREAMS_WORDS;
    return 1;
}

typedef struct word_of_use {
    uint64_t read, write, strong_read, strong_write;
} word_of_use;

static inline word_of_use word_of(const streams_use *use, uint32_t word) {
    return (word_of_use){observe_streams_word(use, STREAMS_WEAK_READ, word),
                         observe_streams_word(use, STREAMS_WEAK_WRITE, word),
                         observe_streams_word(use, STREAMS_STRONG_READ, word),
                         observe_streams_word(use, STREAMS_STRONG_WRITE, word)};
}

uint32_t observe_streams_conflict(const streams_use *a, const streams_use *b, bool *a_writes,
                                  bool *b_writes) {
    for (uint32_t i = 0, count = words_of(a, b); i < count; i++) {
        word_of_use x = word_of(a, i), y = word_of(b, i);
        uint64_t found = (x.write & (y.read | y.write | y.strong_read | y.strong_write)) |
                         (x.strong_write & (y.read | y.write)) | (x.read & (y.write | y.strong_write)) |
                         (x.strong_read & y.write);
        if (!found) continue;
        uint32_t bit = (uint32_t)__builtin_ctzll(found);
        *a_writes = (x.write | x.strong_write) >> bit & 1;
        *b_writes = (y.write | y.strong_write) >> bit & 1;
        return i * 64 + bit;
    }
    return UINT32_MAX;
}

// Takes out of a set; a full one gets bits of its own first.
static void take_out(streams_use *use, streams_class class, uint32_t word, uint64_t bits) {
    if (!(observe_streams_word(use, class, word) & bits)) return;
    if (use->full >> class & 1) {
        uint64_t *own = malloc(SET_BYTES);
        if (!own) return; // more is remembered than must be
        memset(own, 0xff, SET_BYTES);
        use->bits[class] = own;
        use->full &= ~(1u << class);
    }
    use->bits[class][word] &= ~bits;
}

static void cover_whole(streams_use *earlier, uint32_t later) {
    uint32_t read = later >> STREAMS_WEAK_READ & 1, write = later >> STREAMS_WEAK_WRITE & 1,
             strong_write = later >> STREAMS_STRONG_WRITE & 1;
    if (read | write) earlier->full &= ~(1u << STREAMS_WEAK_READ);
    if (write) earlier->full &= ~(1u << STREAMS_WEAK_WRITE);
    if (later) earlier->full &= ~(1u << STREAMS_STRONG_READ);
    if (write | strong_write) earlier->full &= ~(1u << STREAMS_STRONG_WRITE);
}

void observe_streams_cover(streams_use *earlier, const streams_use *later) {
    if (words_of(earlier, later) == 1) {
        cover_whole(earlier, later->full);
        return;
    }
    for (uint32_t i = 0; i < STREAMS_WORDS; i++) {
        word_of_use x = word_of(later, i);
        take_out(earlier, STREAMS_WEAK_READ, i, x.read | x.write);
        take_out(earlier, STREAMS_WEAK_WRITE, i, x.write);
        take_out(earlier, STREAMS_STRONG_READ, i, x.read | x.write | x.strong_read | x.strong_write);
        take_out(earlier, STREAMS_STRONG_WRITE, i, x.write | x.strong_write);
    }
    observe_streams_pack(earlier);
}

bool observe_streams_meet(const streams_use *earlier, const streams_use *later) {
    for (uint32_t i = 0, count = words_of(earlier, later); i < count; i++)
        if (observe_streams_word(earlier, STREAMS_STRONG_WRITE, i) &
            (observe_streams_word(later, STREAMS_STRONG_READ, i) |
             observe_streams_word(later, STREAMS_STRONG_WRITE, i)))
            return true;
    return false;
}

observe_extent observe_streams_extent(const streams_use *use, uint64_t page) {
    observe_extent extent = {.first = page, .end = page};
    for (uint32_t i = 0; i < STREAMS_WORDS; i++) {
        uint64_t word = 0;
        for (streams_class class = 0; class < STREAMS_CLASSES; class ++)
            word |= observe_streams_word(use, class, i);
        if (!word) continue;
        if (!extent.bytes) extent.first = page + i * 64 + (uint32_t)__builtin_ctzll(word);
        extent.end = page + i * 64 + 64 - (uint32_t)__builtin_clzll(word);
        extent.bytes += (uint64_t)__builtin_popcountll(word);
    }
    return extent;
}
