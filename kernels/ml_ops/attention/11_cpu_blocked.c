// attention 11: tiles that stay in the caches
//
// Idea     what tiles are to a block's shared memory, they are to a core's L1 and L2: keys and values that are near serve many
//          queries. An online softmax needs no row of scores.
// Change   32 queries and 64 keys at a time, copied as floats (native.c). Keys lie a column each, so both products add a row times
//          a number, which the compiler vectorises: c[i][j] += a[i][x] b[x][j].
// Expect   keys and values come from memory once for every 32 queries.
// Limit    every multiply-add loads and stores its element of c, and exponentials come one by one (see 12). One core.
#include <math.h>

#include "private.h"
#include "tune.h"

enum { QUERIES = ATTENTION_CPU_QUERIES, KEYS = ATTENTION_CPU_KEYS };

static void multiply(const float *a, uint64_t a_pitch, const float *b, uint64_t b_pitch, float *c,
                     uint64_t c_pitch, uint64_t columns, uint64_t depth, bool add) {
    for (uint64_t i = 0; i < QUERIES; i++) {
        float *restrict to = c + i * c_pitch;
        for (uint64_t j = 0; j < columns && !add; j++) to[j] = 0.0f;
        for (uint64_t x = 0; x < depth; x++) {
            float left = a[i * a_pitch + x];
            const float *right = b + x * b_pitch;
            for (uint64_t j = 0; j < columns; j++) to[j] += left * right[j];
        }
    }
}

static float soften(float *scores, float base) {
    float sum = 0.0f;
    for (int j = 0; j < KEYS; j++) sum += scores[j] = expf(scores[j] - base);
    return sum;
}

const attention_steps attention_steps_plain = {"plain C", multiply, soften};

static void f32(const kz_native_launch *l) { attention_native_attend(l, KZ_F32, &attention_steps_plain); }
static void f16(const kz_native_launch *l) { attention_native_attend(l, KZ_F16, &attention_steps_plain); }
static void bf16(const kz_native_launch *l) { attention_native_attend(l, KZ_BF16, &attention_steps_plain); }

const kz_native_entry attention_cpu_blocked_natives[] = {{"attention_cpu_blocked_any_f32", f32},
                                                         {"attention_cpu_blocked_any_f16", f16},
                                                         {"attention_cpu_blocked_any_bf16", bf16},
                                                         {0}};
