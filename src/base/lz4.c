// The LZ4 block format (lz4_Block_format.md of the LZ4 project): literals and matches in turn.
//
// A sequence is a token (literals << 4 | match - 4), more of the literals' length, the literals, the distance back in
// two bytes, and more of the match's length. Packing looks for the longest of the last few positions with the same four
// bytes; the format wants the last five bytes as literals, and no match to begin in the last twelve.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { SHORTEST = 4, LAST_LITERALS = 5, LAST_BEGIN = 12, WINDOW = 65535, HASH_BITS = 16, TRIES = 24 };

// ---- unpacking -----------------------------------------------------------------------------------------

// A length goes on in bytes of 255; false where the input ends.
static bool more(const uint8_t **at, const uint8_t *end, size_t *length) {
    uint8_t byte;
    do {
        if (*at == end) return false;
        byte = *(*at)++;
        *length += byte;
    } while (byte == 255);
    return true;
}

bool base_lz4_unpack(const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size) {
    const uint8_t *at = from, *end = from + from_size;
    size_t made = 0;
    while (at < end) {
        uint8_t token = *at++;
        size_t literals = token >> 4, match = token & 15;
        if (literals == 15 && !more(&at, end, &literals)) return false;
        if (literals > (size_t)(end - at) || literals > to_size - made) return false;
        memcpy(to + made, at, literals);
        at += literals;
        made += literals;
        if (at == end) break; // the last sequence has no match
        if (end - at < 2) return false;
        size_t distance = (size_t)(at[0] | at[1] << 8);
        at += 2;
        if (match == 15 && !more(&at, end, &match)) return false;
        match += SHORTEST;
        if (distance == 0 || distance > made || match > to_size - made) return false;
        if (distance >= match)
            memcpy(to + made, to + made - distance, match), made += match;
        else
            for (size_t i = 0; i < match; i++, made++) to[made] = to[made - distance]; // they overlap
    }
    return made == to_size;
}

// ---- packing -------------------------------------------------------------------------------------------

typedef struct packer {
    const uint8_t *from;
    size_t size;
    uint32_t *heads,
        *chain; // position + 1 of the last four bytes with a hash, and of those before each position; 0: none
    uint8_t *to;
    size_t made;
} packer;

static uint32_t hash_at(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word * 2654435761u >> (32 - HASH_BITS); // Knuth's multiplier
}

static void remember(packer *p, size_t position) {
    uint32_t *head = &p->heads[hash_at(p->from + position)];
    p->chain[position & WINDOW] = *head;
    *head = (uint32_t)position + 1;
}

static size_t match_length(const packer *p, size_t a, size_t b) {
    size_t length = 0, most = p->size - LAST_LITERALS - b;
    while (length < most && p->from[a + length] == p->from[b + length]) length++;
    return length;
}

// The longest match for what stands at `position`; 0 where there is none.
static size_t find_match(const packer *p, size_t position, size_t *distance) {
    size_t best = 0;
    uint32_t next = p->heads[hash_at(p->from + position)];
    for (int tries = 0; next && tries < TRIES; tries++) {
        size_t candidate = next - 1;
        if (position - candidate > WINDOW) break;
        size_t length = match_length(p, candidate, position);
        if (length >= SHORTEST && length > best) best = length, *distance = position - candidate;
        uint32_t before = p->chain[candidate & WINDOW];
        if (before >= next) break; // its position was taken by a later one
        next = before;
    }
    return best;
}

static void put_more(packer *p, size_t length) {
    for (; length >= 255; length -= 255) p->to[p->made++] = 255;
    p->to[p->made++] = (uint8_t)length;
}

static void put_sequence(packer *p, size_t begin, size_t literals, size_t match, size_t distance) {
    size_t rest = match ? match - SHORTEST : 0;
    p->to[p->made++] = (uint8_t)((literals < 15 ? literals : 15) << 4 | (rest < 15 ? rest : 15));
    if (literals >= 15) put_more(p, literals - 15);
    memcpy(p->to + p->made, p->from + begin, literals);
    p->made += literals;
    if (!match) return;
    p->to[p->made++] = (uint8_t)distance;
    p->to[p->made++] = (uint8_t)(distance >> 8);
    if (rest >= 15) put_more(p, rest - 15);
}

uint8_t *base_lz4_pack(const uint8_t *from, size_t size, size_t *packed_size) {
    packer p = {.from = from, .size = size};
    if (size > UINT32_MAX / 2) return NULL;
    p.heads = calloc((size_t)1 << HASH_BITS, sizeof *p.heads);
    p.chain = calloc(WINDOW + 1, sizeof *p.chain);
    p.to = malloc(size + size / 255 + 16); // what nothing repeats in
    if (p.heads && p.chain && p.to) {
        size_t begin = 0, at = 0, distance = 0;
        while (at + LAST_BEGIN < size) {
            size_t match = find_match(&p, at, &distance);
            if (match) put_sequence(&p, begin, at - begin, match, distance);
            for (size_t i = 0; i < (match ? match : 1) && at + i + SHORTEST <= size; i++)
                remember(&p, at + i);
            at += match ? match : 1;
            if (match) begin = at;
        }
        put_sequence(&p, begin, size - begin, 0, 0);
        *packed_size = p.made;
    } else {
        free(p.to);
        p.to = NULL;
    }
    free(p.heads);
    free(p.chain);
    return p.to;
}
