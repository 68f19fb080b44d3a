// The LZ4 block format (lz4_Block_format.md of the LZ4 project): literals and matches in turn.
//
// A sequence is a token (literals << 4 | match - 4), more of the literals' length, the literals, the distance back in
// two bytes, and more of the match's length. Packing looks for the longest match at every position, among the last few
// with the same four bytes, and then takes the cheapest way through them; the format wants the last five bytes as
// literals, and no match to begin in the last twelve.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { SHORTEST = 4, LAST_LITERALS = 5, LAST_BEGIN = 12, WINDOW = 65535, HASH_BITS = 16 };
enum { TRIES = 64, LONG_ENOUGH = 256 };    // of a match: more cost more time than they save bytes
enum { LONGEST_OF_TOKEN = SHORTEST + 14 }; // a match whose length the token holds

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

// What can begin at a position, and what does.
typedef struct step {
    uint32_t length; // of the longest match that was found here, then of the one that is taken; 0: a literal
    uint32_t cost;   // bytes from here to the end
    uint32_t run;    // literals from here to the next match
    uint16_t distance;
} step;

typedef struct packer {
    const uint8_t *from;
    size_t size;
    uint32_t *heads,
        *chain; // position + 1 of the last four bytes with a hash, and of those before each position; 0: none
    step *steps;
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

// The longest match for what stands at `position`, into its step, which may have one already.
static void find_match(const packer *p, size_t position) {
    const uint8_t *at = p->from + position;
    size_t most = p->size - LAST_LITERALS - position, best = p->steps[position].length;
    uint32_t next = p->heads[hash_at(at)];
    for (int tries = 0; next && tries < TRIES && best < LONG_ENOUGH && best < most; tries++) {
        size_t candidate = next - 1, length = 0;
        if (position - candidate > WINDOW) break;
        const uint8_t *other = p->from + candidate;
        // A longer one has the last bytes of the best, and one more.
        if (best < SHORTEST || memcmp(other + best - 3, at + best - 3, SHORTEST) == 0)
            while (length < most && other[length] == at[length]) length++;
        if (length >= SHORTEST && length > best) {
            best = length;
            p->steps[position].distance = (uint16_t)(position - candidate);
        }
        uint32_t before = p->chain[candidate & WINDOW];
        if (before >= next) break; // its position was taken by a later one
        next = before;
    }
    p->steps[position].length = (uint32_t)best;
}

static void find_matches(packer *p) {
    for (size_t at = 0; at + LAST_BEGIN < p->size; at++) {
        step *here = &p->steps[at];
        if (at > 0 && here[-1].length > SHORTEST) // the one before, less its first byte
            *here = (step){.length = here[-1].length - 1, .distance = here[-1].distance};
        find_match(p, at);
        remember(p, at);
    }
}

// Bytes that a length takes beyond the token.
static uint32_t bytes_of_length(uint32_t length) { return length < 15 ? 0 : 1 + (length - 15) / 255; }

// The next shorter length that is worth a try: one of several bytes only gets cheaper where it fits the token.
static uint32_t cut(uint32_t length) { return length > LONGEST_OF_TOKEN ? LONGEST_OF_TOKEN : length - 1; }

// Takes the cheapest way to the end for every position, the last first. Each distance costs the same, so of the matches at
// a position only the longest counts; it may be cut.
static void choose(packer *p) {
    p->steps[p->size].cost = 1; // the last token
    for (size_t at = p->size; at-- > 0;) {
        step *here = &p->steps[at], *next = here + 1;
        uint32_t longest = here->length;
        here->length = 0;
        here->run = next->run + 1;
        here->cost = next->cost + 1 + bytes_of_length(here->run) - bytes_of_length(next->run);
        for (uint32_t length = longest; length >= SHORTEST; length = cut(length)) {
            uint32_t cost = here[length].cost + 3 + bytes_of_length(length - SHORTEST);
            if (cost < here->cost) here->cost = cost, here->length = length, here->run = 0;
        }
    }
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

static void put_all(packer *p) {
    size_t begin = 0;
    for (size_t at = 0; at < p->size;) {
        const step *here = &p->steps[at];
        if (here->length) put_sequence(p, begin, at - begin, here->length, here->distance);
        at += here->length ? here->length : 1;
        if (here->length) begin = at;
    }
    put_sequence(p, begin, p->size - begin, 0, 0);
}

uint8_t *base_lz4_pack(const uint8_t *from, size_t size, size_t *packed_size) {
    packer p = {.from = from, .size = size};
    if (size > UINT32_MAX / 2) return NULL;
    p.heads = calloc((size_t)1 << HASH_BITS, sizeof *p.heads);
    p.chain = calloc(WINDOW + 1, sizeof *p.chain);
    p.steps = calloc(size + 1, sizeof *p.steps);
    p.to = malloc(size + size / 255 + 16); // what nothing repeats in
    if (p.heads && p.chain && p.steps && p.to) {
        find_matches(&p);
        choose(&p);
        put_all(&p);
        *packed_size = p.made;
    } else {
        free(p.to);
        p.to = NULL;
    }
    free(p.heads);
    free(p.chain);
    free(p.steps);
    return p.to;
}
