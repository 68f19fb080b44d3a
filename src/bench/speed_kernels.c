// The kernels of `kz bench sim`: how they are launched, and what they compute. Inputs are small integers, so every
// sum is exact and the answer is known to the bit.

#include "bench/speed_kernels.h"

#include <string.h>

float bench_speed_input(size_t i) { return (float)(i % 7) - 3.0f; }

static bool is_vector_add(const void *out) {
    for (size_t i = 0; i < 1 << 20; i++)
        if (((const float *)out)[i] != 2.0f * bench_speed_input(i)) return false;
    return true;
}

static bool is_matmul(const void *out) {
    for (size_t i = 0; i < 1 << 16; i++) {
        float sum = 0;
        for (size_t k = 0; k < 256; k++)
            sum += bench_speed_input(i / 256 * 256 + k) * bench_speed_input(k * 256 + i % 256);
        if (((const float *)out)[i] != sum) return false;
    }
    return true;
}

static bool is_reduce(const void *out) {
    for (size_t i = 0; i < 4096; i++) {
        float sum = 0;
        for (size_t k = 0; k < 256; k++) sum += bench_speed_input(i * 256 + k);
        if (((const float *)out)[i] != sum) return false;
    }
    return true;
}

static bool is_local(const void *out) {
    for (size_t i = 0; i < 4096; i++)
        if (((const float *)out)[i] != 1024.0f * bench_speed_input(i) + 1023.0f * 512.0f) return false;
    return true;
}

static bool is_memset(const void *out) {
    for (size_t i = 0; i < 4096; i++)
        if (((const float *)out)[i] != (float)(i & 255)) return false;
    return true;
}

static uint32_t key_of(uint32_t i) { return (i * 2654435761u) >> 8; }

static bool is_histogram(const void *out) {
    uint32_t bins[1024] = {0};
    for (uint32_t i = 0; i < 1 << 20; i++) bins[key_of(i) & 1023]++;
    return !memcmp(out, bins, sizeof bins);
}

static bool is_insert(const void *out) { // each key is there once, wherever
    uint64_t count = 0, sum = 0, keys = 1 << 18;
    for (size_t i = 0; i < 1 << 20; i++) {
        count += ((const uint32_t *)out)[i] != 0;
        sum += ((const uint32_t *)out)[i];
    }
    return count == keys && sum == keys * (keys + 1) / 2;
}

static bool is_append(const void *out) {
    const uint32_t *words = out;
    uint64_t count = 0, sum = 0, found = 0;
    for (uint32_t i = 0; i < 1 << 20; i++)
        if (bench_speed_input(i) > 0) {
            sum += i;
            count++;
        }
    for (size_t i = 1; i <= words[0] && i < 1 << 20; i++) found += words[i];
    return words[0] == count && found == sum;
}

static bool is_calls(const void *out) {
    for (size_t i = 0; i < 1 << 16; i++)
        if (((const float *)out)[i] != bench_speed_input(i) + 32.0f) return false;
    return true;
}

static bool is_records(const void *out) {
    for (size_t i = 0; i < 1 << 20; i++)
        if (((const float *)out)[i] != bench_speed_input(i)) return false;
    return true;
}

static bool is_votes(const void *out) {
    for (uint32_t warp = 0; warp < 1 << 16; warp += 32) {
        int sums[32] = {0};
        for (uint32_t k = 0; k < 16; k++) {
            int yes = 0, equal[8] = {0};
            for (uint32_t i = warp; i < warp + 32; i++) {
                yes += i >> (k & 7) & 1;
                equal[i * k & 7]++;
            }
            for (uint32_t i = 0; i < 32; i++) sums[i] += yes + equal[(warp + i) * k & 7];
        }
        for (uint32_t i = 0; i < 32; i++)
            if (((const float *)out)[warp + i] != (float)sums[i]) return false;
    }
    return true;
}

static bool is_virtual(const void *out) { // half of the calls to each
    for (size_t i = 0; i < 1 << 16; i++)
        if (((const float *)out)[i] != bench_speed_input(i) * bench_speed_input(i) * 48.0f) return false;
    return true;
}

// ---- products of tensor cores ----------------------------------------------------------------------------

// Small whole numbers are exact in both types: the bits of -3 to 3.
static uint32_t f16_of(size_t i) {
    static const uint16_t codes[] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200};
    return codes[i % 7];
}
static uint32_t bf16_of(size_t i) {
    static const uint16_t codes[] = {0xc040, 0xc000, 0xbf80, 0, 0x3f80, 0x4000, 0x4040};
    return codes[i % 7];
}
static uint32_t two_f16(size_t i) { return f16_of(2 * i) | f16_of(2 * i + 1) << 16; }
static uint32_t two_bf16(size_t i) { return bf16_of(2 * i) | bf16_of(2 * i + 1) << 16; }

// c = a a^T; of a large product, some of its elements.
static bool is_square(const void *out, size_t n, size_t step) {
    for (size_t i = 0; i < n * n; i += step) {
        float sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += bench_speed_input(i / n * n + k) * bench_speed_input(i % n * n + k);
        if (((const float *)out)[i] != sum) return false;
    }
    return true;
}
static bool is_square_256(const void *out) { return is_square(out, 256, 1); }
static bool is_square_1024(const void *out) { return is_square(out, 1024, 257); }

#define PRODUCT(title, entry_name, n_, tile, threads, word_, right)                                          \
    {                                                                                                        \
        .name = title, .entry = entry_name,                                                                  \
        .launch = {.size = sizeof(kz_launch),                                                                \
                   .grid = {(n_) / (tile), (n_) / (tile), 1},                                                \
                   .block = {threads, 1, 1}},                                                                \
        .inputs = (n_) * (n_) / 2, .outputs = (n_) * (n_), .n = (n_), .is_right = right, .word = word_,      \
        .products = (uint64_t)(n_) * (n_) * (n_) / (16 * 8 * 16), .is_tensor = true,                         \
    }

#define LAUNCH(blocks)                                                                                       \
    {                                                                                                        \
        .size = sizeof(kz_launch), .grid = {blocks, 1, 1}, .block = { 256, 1, 1 }                            \
    }

// KERNEL(name, entry, launch, words of a and b, words of c, n, is_right)
#define KERNEL(title, entry_name, how, in, out, n_, right)                                                   \
    {                                                                                                        \
        .name = title, .entry = entry_name, .launch = how, .inputs = in, .outputs = out, .n = n_,            \
        .is_right = right                                                                                    \
    }
#define SQUARES                                                                                              \
    {                                                                                                        \
        .size = sizeof(kz_launch), .grid = {16, 16, 1}, .block = { 16, 16, 1 }                               \
    }

const bench_speed_kernel bench_speed_kernels[BENCH_SPEED_KERNELS] = {
    KERNEL("vector add, 2^20", "speed_vector_add", LAUNCH(4096), 1 << 20, 1 << 20, 1 << 20, is_vector_add),
    KERNEL("matmul, 256^3 in 16x16 tiles", "speed_matmul", SQUARES, 1 << 16, 1 << 16, 256, is_matmul),
    KERNEL("block reduction, 2^20", "speed_reduce", LAUNCH(4096), 1 << 20, 4096, 1 << 20, is_reduce),
    KERNEL("local memory, 4 KiB a thread", "speed_local", LAUNCH(16), 4096, 4096, 1024, is_local),
    KERNEL("memset, byte by byte", "speed_memset", LAUNCH(16), 4096, 4096, 1024, is_memset),
    KERNEL("calls", "speed_calls", LAUNCH(256), 1 << 16, 1 << 16, 32, is_calls),
    KERNEL("calls of virtual functions", "speed_virtual", LAUNCH(256), 1 << 16, 1 << 16, 16, is_virtual),
    KERNEL("votes and matches", "speed_votes", LAUNCH(256), 1, 1 << 16, 16, is_votes),
    KERNEL("records of 8-byte words", "speed_records", LAUNCH(256), 1 << 20, 1 << 20, 0, is_records),
    KERNEL("atomics: histogram, 1024 bins", "speed_histogram", LAUNCH(4096), 1, 1024, 1 << 20, is_histogram),
    KERNEL("atomics: hash table, 2^18 keys", "speed_insert", LAUNCH(2048), 1, 1 << 20, 1 << 20, is_insert),
    KERNEL("atomics: one counter, 2^20", "speed_append", LAUNCH(4096), 1 << 20, 1 << 20, (1 << 20) - 1,
           is_append),
    PRODUCT("mma f16, 256^3", "speed_mma_f16", 256, 128, 256, two_f16, is_square_256),
    PRODUCT("mma bf16, 256^3", "speed_mma_bf16", 256, 128, 256, two_bf16, is_square_256),
    PRODUCT("wgmma bf16, 256^3", "speed_wgmma_bf16", 256, 64, 128, two_bf16, is_square_256),
    PRODUCT("mma bf16, 1024^3", "speed_mma_bf16", 1024, 128, 256, two_bf16, is_square_1024),
    PRODUCT("wgmma bf16, 1024^3", "speed_wgmma_bf16", 1024, 64, 128, two_bf16, is_square_1024),
};
