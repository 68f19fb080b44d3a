// Zstandard frames (RFC 8878), whole and in memory: no dictionaries, no checks of the checksum.
//
// A block has literals (Huffman, zstd_literals) and sequences (FSE, zstd_sequences) that say how many
// literals come and which earlier bytes are repeated after them. Most of it is read backwards, from the last
// bit on.
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"

enum {
    BLOCK = 128 << 10, // the largest
    HUFFMAN_BITS = 11,
    FSE_BITS = 9,
    LITERAL_CODES = 36,
    MATCH_CODES = 53,
    OFFSET_CODES = 32,
};

// ---- bits -----------------------------------------------------------------------------------------

// Read from the end: `left` bits are still unread, below zero where more was taken than there is.
typedef struct backward {
    const uint8_t *bytes;
    int64_t left;
} backward;

static bool backward_open(backward *b, const uint8_t *bytes, size_t size) {
    if (size == 0 || bytes[size - 1] == 0) return false;
    int unused = __builtin_clz((unsigned)bytes[size - 1]) - 24; // zeros before the bit that marks the end
    *b = (backward){.bytes = bytes, .left = (int64_t)size * 8 - unused - 1};
    return true;
}

// The next `count` bits (at most 32) without taking them; zeros where there are no more.
static uint32_t backward_peek(const backward *b, unsigned count) {
    uint64_t value = 0;
    int64_t low = b->left - (int64_t)count;
    if (count == 0) return 0;
    if (low < 0) {
        if (b->left <= 0) return 0;
        backward rest = *b;
        return backward_peek(&rest, (unsigned)b->left) << (unsigned)-low;
    }
    for (int64_t byte = low / 8; byte <= (low + count - 1) / 8; byte++)
        value |= (uint64_t)b->bytes[byte] << (8 * (byte - low / 8));
    return (uint32_t)(value >> (low % 8) & ((UINT64_C(1) << count) - 1));
}

static uint32_t backward_take(backward *b, unsigned count) {
    uint32_t value = backward_peek(b, count);
    b->left -= count;
    return value;
}

// ---- FSE ------------------------------------------------------------------------------------------

typedef struct fse_state {
    uint8_t symbol, bits;
    uint16_t base;
} fse_state;

typedef struct fse_table {
    unsigned log; // 2^log states
    bool valid;
    fse_state states[1 << FSE_BITS];
} fse_table;

static bool fse_build(fse_table *table, const int16_t *counts, unsigned symbols, unsigned log) {
    unsigned size = 1u << log, high = size, step = (size >> 1) + (size >> 3) + 3, at = 0;
    uint16_t next[256];
    table->log = log;
    for (unsigned s = 0; s < symbols; s++) {
        next[s] = counts[s] < 0 ? 1 : (uint16_t)counts[s];
        if (counts[s] < 0) {
            if (high == 0) return false;
            table->states[--high].symbol = (uint8_t)s;
        }
    }
    for (unsigned s = 0; s < symbols; s++)
        for (int i = 0; i < counts[s]; i++) {
            table->states[at].symbol = (uint8_t)s;
            do at = (at + step) & (size - 1);
            while (at >= high);
        }
    if (at != 0) return false;
    for (unsigned i = 0; i < size; i++) {
        fse_state *state = &table->states[i];
        unsigned x = next[state->symbol]++;
        if (x == 0) return false;
        state->bits = (uint8_t)(log - (31u - (unsigned)__builtin_clz(x)));
        state->base = (uint16_t)((x << state->bits) - size);
    }
    return table->valid = true;
}

// Counts as they stand before a table, low bits first. Gives the bytes they took, or 0.
static size_t fse_read(fse_table *table, const uint8_t *from, size_t size, unsigned most_symbols,
                       unsigned most_log) {
    int16_t counts[256] = {0};
    uint64_t at = 0, bits = (uint64_t)size * 8;
#define TAKE_AT(position, count)                                                                             \
    __extension__({                                                                                          \
        uint32_t value_ = 0;                                                                                 \
        for (unsigned i_ = 0; i_ < (count); i_++)                                                            \
            if ((position) + i_ < bits)                                                                      \
                value_ |= (uint32_t)(from[((position) + i_) / 8] >> (((position) + i_) % 8) & 1) << i_;      \
        value_;                                                                                              \
    })
    if (size == 0) return 0;
    unsigned log = TAKE_AT(at, 4) + 5, symbol = 0;
    at += 4;
    if (log > most_log) return 0;
    int32_t left = (1 << log) + 1;
    while (left > 1 && symbol < most_symbols && at < bits) {
        unsigned width = 32u - (unsigned)__builtin_clz((unsigned)left); // bits that hold 0 .. left
        uint32_t value = TAKE_AT(at, width);
        uint32_t short_values = (1u << width) - 1 - (uint32_t)left; // these take one bit less
        uint32_t low = value & ((1u << (width - 1)) - 1);
        if (low < short_values) {
            value = low;
            at += width - 1;
        } else {
            if (value >= 1u << (width - 1)) value -= short_values;
            at += width;
        }
        int16_t count = (int16_t)((int)value - 1);
        left -= count < 0 ? 1 : count;
        counts[symbol++] = count;
        if (count != 0) continue;
        for (uint32_t repeat = 3; repeat == 3;) {
            repeat = TAKE_AT(at, 2);
            at += 2;
            symbol += repeat;
            if (symbol > most_symbols || at > bits) return 0;
        }
    }
#undef TAKE_AT
    if (left != 1 || at > bits || symbol > most_symbols || !fse_build(table, counts, symbol, log)) return 0;
    return (size_t)((at + 7) / 8);
}

static void fse_single(fse_table *table, uint8_t symbol) {
    table->log = 0;
    table->states[0] = (fse_state){.symbol = symbol};
    table->valid = true;
}

// ---- Huffman --------------------------------------------------------------------------------------

typedef struct huffman_table {
    unsigned bits;
    bool valid;
    struct {
        uint8_t symbol, bits;
    } entries[1 << HUFFMAN_BITS];
} huffman_table;

static bool huffman_build(huffman_table *table, uint8_t *weights, unsigned count) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        if (weights[i] > HUFFMAN_BITS) return false;
        if (weights[i]) sum += 1u << (weights[i] - 1);
    }
    if (sum == 0 || count > 255) return false;
    unsigned bits = 32u - (unsigned)__builtin_clz(sum);
    uint32_t rest = (1u << bits) - sum; // belongs to the last symbol, whose weight is not written
    if (bits > HUFFMAN_BITS || (rest & (rest - 1))) return false;
    weights[count] = (uint8_t)(32 - __builtin_clz(rest));
    uint32_t at = 0;
    for (unsigned weight = 1; weight <= bits; weight++)
        for (unsigned s = 0; s <= count; s++) {
            if (weights[s] != weight) continue;
            for (uint32_t i = 0; i < 1u << (weight - 1); i++, at++) {
                if (at >= 1u << bits) return false;
                table->entries[at].symbol = (uint8_t)s;
                table->entries[at].bits = (uint8_t)(bits + 1 - weight);
            }
        }
    table->bits = bits;
    return table->valid = at == 1u << bits;
}

static bool huffman_weights_fse(const uint8_t *from, size_t size, uint8_t weights[256], unsigned *count) {
    fse_table table;
    size_t used = fse_read(&table, from, size, 256, 6);
    backward b;
    if (used == 0 || used >= size || !backward_open(&b, from + used, size - used)) return false;
    unsigned state[2] = {backward_take(&b, table.log), 0};
    state[1] = backward_take(&b, table.log);
    if (b.left < 0) return false;
    // Two states take turns; when the bits are used up, each has one symbol left to say.
    for (unsigned turn = 0;; turn ^= 1) {
        const fse_state *now = &table.states[state[turn]];
        if (*count >= 254) return false;
        weights[(*count)++] = now->symbol;
        uint32_t bits = backward_take(&b, now->bits);
        if (b.left < 0) {
            weights[(*count)++] = table.states[state[turn ^ 1]].symbol;
            return true;
        }
        state[turn] = now->base + bits;
    }
}

// Gives the bytes that the description took, or 0.
static size_t huffman_read(huffman_table *table, const uint8_t *from, size_t size) {
    uint8_t weights[257] = {0};
    unsigned count = 0;
    if (size == 0) return 0;
    size_t used = from[0];
    if (from[0] >= 128) {
        count = from[0] - 127u;
        used = (count + 1) / 2;
        if (used + 1 > size) return 0;
        for (unsigned i = 0; i < count; i++) weights[i] = i % 2 ? from[1 + i / 2] & 15 : from[1 + i / 2] >> 4;
    } else if (used + 1 > size || !huffman_weights_fse(from + 1, used, weights, &count)) {
        return 0;
    }
    return huffman_build(table, weights, count) ? used + 1 : 0;
}

static bool huffman_stream(const huffman_table *table, const uint8_t *from, size_t size, uint8_t *to,
                           size_t count) {
    backward b;
    if (!backward_open(&b, from, size)) return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t index = backward_peek(&b, table->bits);
        to[i] = table->entries[index].symbol;
        b.left -= table->entries[index].bits;
        if (b.left < 0) return false;
    }
    return b.left == 0;
}

// ---- a frame --------------------------------------------------------------------------------------

typedef struct frame {
    huffman_table huffman;
    fse_table literal_lengths, offsets, match_lengths;
    uint32_t repeats[3];
    uint8_t literals[BLOCK];
    size_t literal_count;
    uint8_t *to;
    size_t to_size, made;
} frame;

// Gives the bytes that the literals took, or 0.
static size_t zstd_literals(frame *f, const uint8_t *from, size_t size) {
    if (size == 0) return 0;
    unsigned type = from[0] & 3, format = from[0] >> 2 & 3;
    if (type < 2) { // raw, or one byte repeated
        size_t header = format == 1 ? 2 : format == 3 ? 3 : 1, count = from[0] >> 3;
        if (size < header) return 0;
        if (header == 2) count = (size_t)(from[0] >> 4) | (size_t)from[1] << 4;
        if (header == 3) count = (size_t)(from[0] >> 4) | (size_t)from[1] << 4 | (size_t)from[2] << 12;
        size_t taken = type == 0 ? count : 1;
        if (count > BLOCK || taken > size - header) return 0;
        if (type == 0)
            memcpy(f->literals, from + header, count);
        else
            memset(f->literals, from[header], count);
        f->literal_count = count;
        return header + taken;
    }
    size_t header = format < 2 ? 3 : format + 2;
    unsigned width = format < 2 ? 10 : format == 2 ? 14 : 18;
    if (size < header) return 0;
    uint64_t fields = 0;
    for (size_t i = 0; i < header; i++) fields |= (uint64_t)from[i] << (8 * i);
    size_t count = fields >> 4 & ((1u << width) - 1), packed = fields >> (4 + width) & ((1u << width) - 1);
    if (count > BLOCK || packed > size - header) return 0;
    const uint8_t *at = from + header;
    size_t rest = packed;
    if (type == 2) {
        size_t used = huffman_read(&f->huffman, at, rest);
        if (used == 0) return 0;
        at += used;
        rest -= used;
    }
    f->literal_count = count;
    if (!f->huffman.valid) return 0;
    if (format == 0) return huffman_stream(&f->huffman, at, rest, f->literals, count) ? header + packed : 0;
    if (rest < 6) return 0;
    size_t sizes[4], share = (count + 3) / 4, done = 0;
    for (int i = 0; i < 3; i++) sizes[i] = (size_t)(at[2 * i] | at[2 * i + 1] << 8);
    at += 6;
    rest -= 6;
    if (sizes[0] + sizes[1] + sizes[2] > rest || share * 3 > count) return 0;
    sizes[3] = rest - sizes[0] - sizes[1] - sizes[2];
    for (int i = 0; i < 4; i++) {
        size_t part = i < 3 ? share : count - done;
        if (!huffman_stream(&f->huffman, at, sizes[i], f->literals + done, part)) return 0;
        at += sizes[i];
        done += part;
    }
    return header + packed;
}

static const int16_t literal_defaults[LITERAL_CODES] = {4, 3, 2, 2, 2, 2, 2, 2, 2,  2,  2,  2,
                                                        2, 1, 1, 1, 2, 2, 2, 2, 2,  2,  2,  2,
                                                        2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
static const int16_t match_defaults[MATCH_CODES] = {
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
static const int16_t offset_defaults[29] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                            1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};
static const struct {
    uint32_t base;
    uint8_t bits;
} literal_codes[LITERAL_CODES] = {{0, 0},     {1, 0},     {2, 0},     {3, 0},      {4, 0},      {5, 0},
                                  {6, 0},     {7, 0},     {8, 0},     {9, 0},      {10, 0},     {11, 0},
                                  {12, 0},    {13, 0},    {14, 0},    {15, 0},     {16, 1},     {18, 1},
                                  {20, 1},    {22, 1},    {24, 2},    {28, 2},     {32, 3},     {40, 3},
                                  {48, 4},    {64, 6},    {128, 7},   {256, 8},    {512, 9},    {1024, 10},
                                  {2048, 11}, {4096, 12}, {8192, 13}, {16384, 14}, {32768, 15}, {65536, 16}},
  match_codes[MATCH_CODES] = {
      {3, 0},     {4, 0},     {5, 0},      {6, 0},      {7, 0},     {8, 0},   {9, 0},     {10, 0},
      {11, 0},    {12, 0},    {13, 0},     {14, 0},     {15, 0},    {16, 0},  {17, 0},    {18, 0},
      {19, 0},    {20, 0},    {21, 0},     {22, 0},     {23, 0},    {24, 0},  {25, 0},    {26, 0},
      {27, 0},    {28, 0},    {29, 0},     {30, 0},     {31, 0},    {32, 0},  {33, 0},    {34, 0},
      {35, 1},    {37, 1},    {39, 1},     {41, 1},     {43, 2},    {47, 2},  {51, 3},    {59, 3},
      {67, 4},    {83, 4},    {99, 5},     {131, 7},    {259, 8},   {515, 9}, {1027, 10}, {2051, 11},
      {4099, 12}, {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16}};

typedef struct coding {
    fse_table *table;
    const int16_t *defaults;
    unsigned default_count, default_log, symbols, most_log;
} coding;

// One of the three tables of a block. Gives the bytes that it took, or SIZE_MAX.
static size_t zstd_table(const coding *c, unsigned mode, const uint8_t *from, size_t size) {
    switch (mode) {
    case 0: return fse_build(c->table, c->defaults, c->default_count, c->default_log) ? 0 : SIZE_MAX;
    case 1:
        if (size == 0 || from[0] >= c->symbols) return SIZE_MAX;
        fse_single(c->table, from[0]);
        return 1;
    case 2: {
        size_t used = fse_read(c->table, from, size, c->symbols, c->most_log);
        return used ? used : SIZE_MAX;
    }
    default: return c->table->valid ? 0 : SIZE_MAX;
    }
}

// The distance that an offset's value means: above 3 itself, else one of the last three.
static uint32_t zstd_distance(uint32_t repeats[3], uint32_t value, bool no_literals) {
    uint32_t which = value + no_literals, distance;
    if (value > 3) {
        distance = value - 3;
        which = 3;
    } else {
        if (which == 1) return repeats[0];
        distance = which == 4 ? repeats[0] - 1 : repeats[which - 1];
    }
    if (which != 2) repeats[2] = repeats[1];
    repeats[1] = repeats[0];
    return repeats[0] = distance;
}

static bool zstd_emit(frame *f, size_t *taken, size_t literals, size_t match, uint32_t distance) {
    if (literals > f->literal_count - *taken || literals > f->to_size - f->made) return false;
    memcpy(f->to + f->made, f->literals + *taken, literals);
    f->made += literals;
    *taken += literals;
    if (match == 0) return true;
    if (distance == 0 || distance > f->made || match > f->to_size - f->made) return false;
    for (size_t i = 0; i < match; i++, f->made++) f->to[f->made] = f->to[f->made - distance];
    return true;
}

static bool zstd_sequences(frame *f, const uint8_t *from, size_t size) {
    if (size == 0) return false;
    size_t header = from[0] < 128 ? 1 : from[0] < 255 ? 2 : 3, count = from[0], taken = 0;
    if (size < header) return false;
    if (header == 2) count = ((size_t)(from[0] - 128) << 8) + from[1];
    if (header == 3) count = (size_t)from[1] + ((size_t)from[2] << 8) + 0x7f00;
    if (count == 0) return zstd_emit(f, &taken, f->literal_count, 0, 0);
    if (size == header) return false;
    unsigned modes = from[header++];
    const coding codings[3] = {
        {&f->literal_lengths, literal_defaults, LITERAL_CODES, 6, LITERAL_CODES, 9},
        {&f->offsets, offset_defaults, 29, 5, OFFSET_CODES, 8},
        {&f->match_lengths, match_defaults, MATCH_CODES, 6, MATCH_CODES, 9},
    };
    for (int i = 0; i < 3; i++) {
        size_t used = zstd_table(&codings[i], modes >> (6 - 2 * i) & 3, from + header, size - header);
        if (used == SIZE_MAX) return false;
        header += used;
    }
    backward b;
    if (!backward_open(&b, from + header, size - header)) return false;
    unsigned l = backward_take(&b, f->literal_lengths.log), o = backward_take(&b, f->offsets.log),
             m = backward_take(&b, f->match_lengths.log);
    for (size_t i = 0; i < count; i++) {
        const fse_state *ls = &f->literal_lengths.states[l], *os = &f->offsets.states[o],
                        *ms = &f->match_lengths.states[m];
        if (os->symbol >= OFFSET_CODES || ls->symbol >= LITERAL_CODES || ms->symbol >= MATCH_CODES)
            return false;
        uint32_t value = (1u << os->symbol) + backward_take(&b, os->symbol);
        size_t match = match_codes[ms->symbol].base + backward_take(&b, match_codes[ms->symbol].bits);
        size_t literals = literal_codes[ls->symbol].base + backward_take(&b, literal_codes[ls->symbol].bits);
        if (b.left < 0) return false;
        if (!zstd_emit(f, &taken, literals, match, zstd_distance(f->repeats, value, literals == 0)))
            return false;
        if (i + 1 == count) break;
        l = ls->base + backward_take(&b, ls->bits);
        m = ms->base + backward_take(&b, ms->bits);
        o = os->base + backward_take(&b, os->bits);
    }
    return b.left == 0 && zstd_emit(f, &taken, f->literal_count - taken, 0, 0);
}

// Gives the bytes that the frame's header took, or 0.
static size_t zstd_header(const uint8_t *from, size_t size) {
    static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    if (size < 5 || memcmp(from, magic, 4) != 0) return 0;
    unsigned descriptor = from[4], single = descriptor >> 5 & 1, content = descriptor >> 6;
    if (descriptor & 3) return 0; // a dictionary
    size_t header = 5 + !single + (content ? (size_t)1 << content : single);
    return header <= size ? header : 0;
}

static bool zstd_blocks(frame *f, const uint8_t *from, size_t size) {
    for (bool last = false; !last;) {
        if (size < 3) return false;
        uint32_t head = from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16;
        unsigned type = head >> 1 & 3;
        size_t length = head >> 3, taken = type == 1 ? 1 : length;
        last = head & 1;
        from += 3;
        size -= 3;
        if (type == 3 || taken > size || (type < 2 && length > f->to_size - f->made)) return false;
        if (type == 2) {
            size_t used = zstd_literals(f, from, length);
            if (used == 0 || !zstd_sequences(f, from + used, length - used)) return false;
        } else if (type == 0) {
            memcpy(f->to + f->made, from, length);
            f->made += length;
        } else {
            memset(f->to + f->made, from[0], length);
            f->made += length;
        }
        from += taken;
        size -= taken;
    }
    return true;
}

bool cudart_zstd_unpack(const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size) {
    size_t header = zstd_header(from, from_size);
    frame *f = header ? calloc(1, sizeof *f) : NULL;
    if (!f) return false;
    f->repeats[0] = 1, f->repeats[1] = 4, f->repeats[2] = 8;
    f->to = to;
    f->to_size = to_size;
    bool right = zstd_blocks(f, from + header, from_size - header) && f->made == to_size;
    free(f);
    return right;
}
