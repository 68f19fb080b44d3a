// top_k: the right answer. It is exact: values are those of the row, so the bound is 0.
//
// A heap of the k best so far, the worst of them on top: most elements of a row are compared with that one alone.
#include <math.h>
#include <stdlib.h>

#include "private.h"

typedef struct element {
    double value;
    uint64_t index;
} element;

// Whether a comes before b in the answer: NaN first, then the greater, then the lower index.
static bool is_before(element a, element b) {
    if (isnan(a.value) != isnan(b.value)) return isnan(a.value);
    if (!isnan(a.value) && a.value != b.value) return a.value > b.value;
    return a.index < b.index;
}

static int by_rank(const void *a, const void *b) {
    return is_before(*(const element *)a, *(const element *)b) ? -1 : 1;
}

// heap[0] is replaced; the worst comes to the top again.
static void sink(element *heap, uint64_t count, element e) {
    uint64_t at = 0;
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(heap[child], heap[child + 1])) child++;
        if (!is_before(e, heap[child])) break;
        heap[at] = heap[child];
    }
    heap[at] = e;
}

static void select_row(const kz_case *c, const void *x, uint64_t row, element *best) {
    uint64_t columns = (uint64_t)c->axes[COLUMNS], k = (uint64_t)c->axes[K];
    for (uint64_t i = 0; i < columns; i++) {
        element e = {kz_element_get(c->type, x, row * columns + i), i};
        if (i < k) {
            best[i] = e;
            // The first k, from the worst: a list in that order is a heap.
            if (i + 1 == k) {
                qsort(best, k, sizeof *best, by_rank);
                for (uint64_t l = 0, r = k - 1; l < r; l++, r--) {
                    element swapped = best[l];
                    best[l] = best[r], best[r] = swapped;
                }
            }
        } else if (is_before(e, best[0])) {
            sink(best, k, e);
        }
    }
    qsort(best, k, sizeof *best, by_rank);
}

kz_status top_k_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error) {
    uint64_t rows = (uint64_t)c->axes[ROWS], k = (uint64_t)c->axes[K];
    element *best = malloc((k + 1) * sizeof *best);
    if (!best)
        return kz_fail(error, KZ_NO_MEMORY,
                       "top_k: no host memory for the %llu best of a row\nfree some, or take a smaller case",
                       (unsigned long long)k);
    for (uint64_t row = 0; row < rows && k > 0; row++) {
        select_row(c, host[X], row, best);
        for (uint64_t i = 0; i < k; i++) {
            expected[row * k + i] = which == VALUES ? best[i].value : (double)best[i].index;
            bound[row * k + i] = 0.0;
        }
    }
    free(best);
    return KZ_OK;
}
