// gemm_sparse 00: plain C on the `cpu` device
//
// Idea     an element of c is a sum over what is kept, two of every four.
// Change   none: it stands before the ladder. Each block of the grid takes a run of rows.
// Expect   bound by the conversion of halves, one by one.
#include "private.h"

static void multiply(const kz_native_launch *launch, kz_type type) {
    const void *values = kz_native_pointer(launch, VALUES), *b = kz_native_pointer(launch, B);
    const uint32_t *metadata = kz_native_pointer(launch, METADATA);
    uint64_t m = kz_native_u64(launch, 4), n = kz_native_u64(launch, 5), k = kz_native_u64(launch, 6);
    uint64_t steps = gemm_sparse_steps(k);
    kz_share own = kz_native_share(launch, m);
    for (uint64_t row = own.begin; row < own.end; row++)
        for (uint64_t column = 0; column < n; column++) {
            float sum = 0.0f;
            for (uint64_t i = 0; i < steps * GEMM_SPARSE_KEPT; i++) {
                gemm_sparse_pair kept = gemm_sparse_find(metadata, row, i / 2, steps);
                uint64_t x = i % 2 ? kept.second : kept.first;
                if (x >= k) continue;
                sum += (float)kz_element_get(type, values, row * steps * GEMM_SPARSE_KEPT + i) *
                       (float)kz_element_get(type, b, column * k + x);
            }
            kz_element_set(type, kz_native_pointer(launch, C), row * n + column, sum);
        }
}

static void multiply_bf16(const kz_native_launch *launch) { multiply(launch, KZ_BF16); }
static void multiply_f16(const kz_native_launch *launch) { multiply(launch, KZ_F16); }

const kz_native_entry gemm_sparse_natives[] = {
    {"gemm_sparse_native_nt_bf16", multiply_bf16},
    {"gemm_sparse_native_nt_f16", multiply_f16},
    {0},
};
