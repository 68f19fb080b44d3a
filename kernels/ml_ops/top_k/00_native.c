// top_k 00: plain C on the `cpu` device
//
// Idea     the k best so far, in order: a new one is put where it belongs, and pushes out the last.
// Change   none: it stands before the ladder. Each block of the grid takes a run of neighbouring rows; the list is in the
//          results' own place.
// Expect   a comparison for most elements of a row: few of them still enter the list.
#include <math.h>

#include "private.h"

// Whether x comes before y, which has the lower index.
static bool is_before(double x, double y) { return isnan(x) ? !isnan(y) : !isnan(y) && x > y; }

static void select_rows(const kz_native_launch *launch, kz_type type) {
    const void *x = kz_native_pointer(launch, 0);
    void *values = kz_native_pointer(launch, 1);
    int32_t *index = kz_native_pointer(launch, 2);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 3));
    uint64_t columns = kz_native_u64(launch, 4), k = kz_native_u64(launch, 5);
    for (uint64_t row = own.begin; row < own.end; row++) {
        uint64_t first = row * k, count = 0;
        for (uint64_t i = 0; i < columns; i++) {
            double value = kz_element_get(type, x, row * columns + i);
            if (count == k && !is_before(value, kz_element_get(type, values, first + k - 1))) continue;
            uint64_t at = count < k ? count++ : k - 1;
            for (; at > 0 && is_before(value, kz_element_get(type, values, first + at - 1)); at--) {
                kz_element_set(type, values, first + at, kz_element_get(type, values, first + at - 1));
                index[first + at] = index[first + at - 1];
            }
            kz_element_set(type, values, first + at, value);
            index[first + at] = (int32_t)i;
        }
    }
}

static void select_f32(const kz_native_launch *launch) { select_rows(launch, KZ_F32); }
static void select_f16(const kz_native_launch *launch) { select_rows(launch, KZ_F16); }
static void select_bf16(const kz_native_launch *launch) { select_rows(launch, KZ_BF16); }

const kz_native_entry top_k_natives[] = {{"top_k_native_top_k_f32", select_f32},
                                         {"top_k_native_top_k_f16", select_f16},
                                         {"top_k_native_top_k_bf16", select_bf16},
                                         {0}};
