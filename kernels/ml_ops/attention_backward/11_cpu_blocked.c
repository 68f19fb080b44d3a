// attention_backward 11: tiles that stay in the caches
//
// Idea     what tiles are to a block's shared memory, they are to a core's L2: keys that are near serve many queries.
// Change   64 keys and 32 queries at a time, copied as floats (cpu.c). All five products are c[i][j] += a[i][x] b[x][j]: k and v lie
//          as columns too, and p and ds are turned for dv and dk, so that the inner loop runs along memory.
// Expect   k, v, dk and dv come from memory once, q and dout once for every 64 keys.
// Limit    every multiply-add loads and stores its element of c, and powers come one by one (see 12). One core.
#include <math.h>

#include "private.h"

static void multiply(const float *a, uint64_t a_pitch, const float *b, uint64_t b_pitch, float *c,
                     uint64_t c_pitch, uint64_t rows, uint64_t columns, uint64_t depth) {
    for (uint64_t i = 0; i < rows; i++) {
        float *restrict to = c + i * c_pitch;
        for (uint64_t x = 0; x < depth; x++) {
            float left = a[i * a_pitch + x];
            const float *restrict right = b + x * b_pitch;
            for (uint64_t j = 0; j < columns; j++) to[j] += left * right[j];
        }
    }
}

static void powers(float *x, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) x[i] = exp2f(x[i]);
}

const backward_steps backward_steps_plain = {"plain C", multiply, powers};

static void f32(const kz_native_launch *launch) { backward_cpu(launch, KZ_F32, &backward_steps_plain); }
static void f16(const kz_native_launch *launch) { backward_cpu(launch, KZ_F16, &backward_steps_plain); }
static void bf16(const kz_native_launch *launch) { backward_cpu(launch, KZ_BF16, &backward_steps_plain); }
static void rows_f32(const kz_native_launch *launch) { backward_prepare(launch, KZ_F32); }
static void rows_f16(const kz_native_launch *launch) { backward_prepare(launch, KZ_F16); }
static void rows_bf16(const kz_native_launch *launch) { backward_prepare(launch, KZ_BF16); }

const kz_native_entry attention_backward_cpu_blocked_natives[] = {
    {"attention_backward_cpu_blocked_rows_any_f32", rows_f32},
    {"attention_backward_cpu_blocked_rows_any_f16", rows_f16},
    {"attention_backward_cpu_blocked_rows_any_bf16", rows_bf16},
    {"attention_backward_cpu_blocked_any_f32", f32},
    {"attention_backward_cpu_blocked_any_f16", f16},
    {"attention_backward_cpu_blocked_any_bf16", bf16},
    {0}};
