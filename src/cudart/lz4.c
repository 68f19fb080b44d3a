// The LZ4 block format (lz4_Block_format.md of the LZ4 project): literals and matches in turn.
#include "fatbin.h"

#include <string.h>

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

bool cudart_lz4_unpack(const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size) {
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
        match += 4;
        if (distance == 0 || distance > made || match > to_size - made) return false;
        for (size_t i = 0; i < match; i++, made++) to[made] = to[made - distance]; // they may overlap
    }
    return made == to_size;
}
