// Of equal values the one with the lower index comes first; this one takes the last.
// kz: block 32
// kz: grid rows
// family: top_k
// case: top_k-f32-rows2-columns300-k40-equal
// exit: 1
// expect: index[0] is 299, expected 0
// expect: the rule: of equal values the lower index comes first

#include <math.h>

extern "C" __global__ void last_top_k_f32(const float *x, float *values, int *index, size_t rows,
                                          size_t columns, size_t k) {
    if (threadIdx.x != 0) return;
    x += blockIdx.x * columns;
    values += blockIdx.x * k;
    index += blockIdx.x * k;
    for (size_t i = 0; i < k; i++) {
        int best = -1;
        for (int c = 0; c < (int)columns; c++) {
            bool taken = false;
            for (size_t j = 0; j < i; j++) taken = taken || index[j] == c;
            if (!taken && (best < 0 || x[c] >= x[best])) best = c;
        }
        values[i] = x[best];
        index[i] = best;
    }
}
