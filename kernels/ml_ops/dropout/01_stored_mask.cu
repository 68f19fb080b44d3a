// dropout 01: a mask in memory
//
// Idea     draw a byte for each element, then multiply: two plain kernels, as frameworks did, which kept the mask for the
//          backward pass. Here each pass draws it anew, into the workspace.
// Change   the first version.
// Expect   2 bytes more of traffic per element than it takes, a quarter of f32's 8 and half of f16's 4, and a launch more.
// Limit    the mask: nobody needs it but this operation, and it can be made wherever it is needed (see 02).

#include "dropout.cuh"

KZ_ENTRY(dropout_stored_mask_draw)(const long long *state, uint8_t *mask, size_t n, size_t drop) {
    size_t i = kz_thread();
    if (i < n) mask[i] = kz_dropout_keeps_at(kz_dropout_of(state, drop, 0.0f), i);
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(dropout_stored_mask_dropout_##type)                                                             \
    (const T *x, const uint8_t *mask, T *y, size_t n, float scale) {                                         \
        size_t i = kz_thread();                                                                              \
        if (i < n) kz_narrow(&y[i], mask[i] ? kz_widen(x[i]) * scale : 0.0f);                                \
    }
DROPOUT_TYPES(ENTRY)
