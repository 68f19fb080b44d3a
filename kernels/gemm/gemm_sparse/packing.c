// gemm_sparse: a 2:4 sparse a on the host. gemm_sparse.h says how it is stored.
#include <math.h>
#include <string.h>

#include "private.h"

size_t kz_gemm_sparse_values(size_t m, size_t k) {
    return m * (size_t)gemm_sparse_steps(k) * GEMM_SPARSE_KEPT;
}
size_t kz_gemm_sparse_words(size_t m, size_t k) {
    return (size_t)(kz_ceil_div(m, GEMM_SPARSE_ROWS) * gemm_sparse_steps(k)) * GEMM_SPARSE_WORDS;
}

gemm_sparse_pair gemm_sparse_find(const uint32_t *metadata, uint64_t row, uint64_t group, uint64_t steps) {
    uint32_t code = metadata[GEMM_SPARSE_WORD(row, group, steps)] >> GEMM_SPARSE_BIT(row, group);
    return (gemm_sparse_pair){4 * group + (code & 3), 4 * group + (code >> 2 & 3)};
}

static bool is_larger(float x, float than) {
    return isnan(than) ? false : isnan(x) ? true : fabsf(x) > fabsf(than);
}

// Of four elements: the places of the two that are kept.
static void choose(const float *group, unsigned *first, unsigned *second) {
    unsigned most = 0, next = 4;
    for (unsigned i = 1; i < 4; i++)
        if (is_larger(group[i], group[most])) most = i;
    for (unsigned i = 0; i < 4; i++)
        if (i != most && (next == 4 || is_larger(group[i], group[next]))) next = i;
    *first = most < next ? most : next;
    *second = most < next ? next : most;
}

kz_status kz_gemm_sparse_pack(kz_type type, size_t m, size_t k, const float *a, void *values,
                              uint32_t *metadata, kz_error *error) {
    if (!a || !values || !metadata)
        return kz_fail(error, KZ_INVALID,
                       "kz_gemm_sparse_pack: a, the place for its values or that for its metadata is NULL\n"
                       "Pass the addresses of host memory.");
    if (type != KZ_F16 && type != KZ_BF16)
        return kz_fail(error, KZ_INVALID,
                       "kz_gemm_sparse_pack: values are f16 or bf16\nPass KZ_F16 or KZ_BF16.");
    uint64_t steps = gemm_sparse_steps(k), groups = steps * GEMM_SPARSE_GROUPS;
    uint64_t rows = kz_ceil_div(m, GEMM_SPARSE_ROWS) * GEMM_SPARSE_ROWS;
    memset(metadata, 0, kz_gemm_sparse_words(m, k) * sizeof *metadata);
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t g = 0; g < groups; g++) {
            float group[4] = {0}; // zeros past the end: the first two of such a group are kept
            for (uint64_t i = 0; i < 4 && row < m && 4 * g + i < k; i++) group[i] = a[row * k + 4 * g + i];
            unsigned first, second;
            choose(group, &first, &second);
            metadata[GEMM_SPARSE_WORD(row, g, steps)] |= (first | second << 2) << GEMM_SPARSE_BIT(row, g);
            if (row >= m) continue;
            kz_element_set(type, values, 2 * (row * groups + g), group[first]);
            kz_element_set(type, values, 2 * (row * groups + g) + 1, group[second]);
        }
    return KZ_OK;
}
