// SHA-256 as FIPS 180-4 writes it.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned by) { return x >> by | x << (32 - by); }

static void fold_block(base_sha256 *hash) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++) {
        const uint8_t *b = hash->block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t near = w[i - 2], far = w[i - 15];
        w[i] = w[i - 16] + (rotate(far, 7) ^ rotate(far, 18) ^ far >> 3) + w[i - 7] +
               (rotate(near, 17) ^ rotate(near, 19) ^ near >> 10);
    }
    // In registers: headers of some megabytes are hashed for every compilation.
    uint32_t *state = hash->state;
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
        uint32_t choose = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
        uint32_t one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choose + constants[i] + w[i];
        uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
        h = g, g = f, f = e, e = d + one;
        d = c, c = b, b = a, a = one + two;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void base_sha256_begin(base_sha256 *hash) {
    *hash = (base_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                                    0x1f83d9ab, 0x5be0cd19}};
}

void base_sha256_add(base_sha256 *hash, const void *data, size_t size) {
    const uint8_t *bytes = data;
    while (size > 0) {
        size_t used = hash->length % 64, take = size < 64 - used ? size : 64 - used;
        memcpy(hash->block + used, bytes, take);
        hash->length += take;
        bytes += take;
        size -= take;
        if (hash->length % 64 == 0) fold_block(hash);
    }
}

void base_sha256_add_field(base_sha256 *hash, const char *text) {
    uint64_t length = strlen(text);
    base_sha256_add(hash, &length, sizeof length);
    base_sha256_add(hash, text, length);
}

void base_sha256_end(base_sha256 *hash, char key[BASE_SHA256]) {
    uint64_t bits = hash->length * 8;
    uint8_t tail[8];
    for (int i = 0; i < 8; i++) tail[i] = (uint8_t)(bits >> (56 - 8 * i));
    base_sha256_add(hash, "\x80", 1);
    while (hash->length % 64 != 56) base_sha256_add(hash, "", 1);
    base_sha256_add(hash, tail, sizeof tail);
    for (int i = 0; i < 8; i++) snprintf(key + 8 * i, 9, "%08x", hash->state[i]);
}

kz_status base_sha256_file(const char *path, char key[BASE_SHA256], kz_error *error) {
    char *data = NULL;
    size_t size = 0;
    kz_status status = base_file_read(path, &data, &size, error);
    if (status) return status;
    base_sha256 hash;
    base_sha256_begin(&hash);
    base_sha256_add(&hash, data, size);
    base_sha256_end(&hash, key);
    free(data);
    return KZ_OK;
}
