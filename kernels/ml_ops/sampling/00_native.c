// sampling 00: plain C on the `cpu` device
//
// Idea     the definition: weights, a sort, the filters one after the other, the draw.
// Change   none: it stands before the ladder. Each block of the grid takes a run of neighbouring rows.
// Expect   bound by the sort where top_k or top_p is on, else by the exponentials.
#include <math.h>
#include <stdlib.h>

#include "private.h"

typedef struct item { // in the workspace
    double value;
    uint64_t weight;
} item;

static int by_value(const void *a, const void *b) {
    double x = ((const item *)a)->value, y = ((const item *)b)->value;
    return x > y ? -1 : x < y;
}

static uint64_t weight_of(double value, double most, double scale) {
    if (value == most) return UINT64_C(1) << 31;
    return value > -INFINITY ? (uint64_t)(0x1p31 * exp2((value - most) * scale)) : 0;
}

static double greatest(kz_type type, const void *logits, uint64_t first, uint64_t vocabulary,
                       int32_t *token) {
    double most = -INFINITY;
    *token = -1;
    for (uint64_t i = 0; i < vocabulary; i++) {
        double value = kz_element_get(type, logits, first + i);
        if (value > most) most = value, *token = (int32_t)i;
    }
    return most;
}

// The least value that top_k and top_p keep, of items in descending order.
static double bound_of(const item *items, uint64_t count, uint64_t top_k, double top_p) {
    uint64_t all = 0, sum = 0, end = count;
    if (top_k > 0 && top_k < count)
        for (end = top_k; end < count && items[end].value == items[top_k - 1].value;) end++;
    if (!(top_p < 1.0)) return items[end - 1].value;
    for (uint64_t i = 0; i < end; i++) all += items[i].weight;
    for (uint64_t i = 0; i < end; i++)
        if ((double)(sum += items[i].weight) >= top_p * (double)all) return items[i].value;
    return items[end - 1].value;
}

static void sample_row(kz_type type, const kz_native_launch *launch, uint64_t row, item *items) {
    const void *logits = kz_native_pointer(launch, 0);
    int32_t *token = (int32_t *)kz_native_pointer(launch, 1) + row;
    uint64_t step = *(const uint64_t *)kz_native_pointer(launch, 2), vocabulary = kz_native_u64(launch, 4);
    float top_p = *(const float *)launch->args[6], min_p = *(const float *)launch->args[7];
    double scale = *(const float *)launch->args[8], most;
    uint64_t first = row * vocabulary, count = 0, all = 0, least = sampling_least(min_p);
    most = greatest(type, logits, first, vocabulary, token);
    if (*token < 0) return;
    for (uint64_t i = 0; i < vocabulary; i++) {
        double value = kz_element_get(type, logits, first + i);
        if (value > -INFINITY) items[count++] = (item){value, weight_of(value, most, scale)};
    }
    qsort(items, count, sizeof *items, by_value);
    double bound = bound_of(items, count, kz_native_u64(launch, 5), (double)top_p);
    for (uint64_t i = 0; i < count; i++)
        if (items[i].value >= bound && items[i].weight >= least) all += items[i].weight;
    uint64_t at =
        (uint64_t)((__extension__(unsigned __int128) sampling_random(kz_native_u64(launch, 9), row, step) *
                    all) >>
                   64);
    for (uint64_t i = 0; i < vocabulary; i++) {
        double value = kz_element_get(type, logits, first + i);
        uint64_t weight = value >= bound ? weight_of(value, most, scale) : 0;
        if (weight < least) continue;
        *token = (int32_t)i;
        if (at < weight) return;
        at -= weight;
    }
}

static void sample(const kz_native_launch *launch, kz_type type) {
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 3));
    item *items = (item *)kz_native_pointer(launch, 10) + launch->block_index[0] * kz_native_u64(launch, 4);
    for (uint64_t row = own.begin; row < own.end; row++) sample_row(type, launch, row, items);
}

static void take_greatest(const kz_native_launch *launch, kz_type type) {
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 2));
    uint64_t vocabulary = kz_native_u64(launch, 3);
    for (uint64_t row = own.begin; row < own.end; row++)
        greatest(type, kz_native_pointer(launch, 0), row * vocabulary, vocabulary,
                 (int32_t *)kz_native_pointer(launch, 1) + row);
}

#define NATIVE(type, TYPE)                                                                                   \
    static void sample_##type(const kz_native_launch *launch) { sample(launch, TYPE); }                      \
    static void greedy_##type(const kz_native_launch *launch) { take_greatest(launch, TYPE); }
NATIVE(f32, KZ_F32)
NATIVE(f16, KZ_F16)
NATIVE(bf16, KZ_BF16)

#define ENTRIES(type)                                                                                        \
    {"sampling_native_sample_" #type, sample_##type}, { "sampling_native_greedy_" #type, greedy_##type }
const kz_native_entry sampling_natives[] = {ENTRIES(f32), ENTRIES(f16), ENTRIES(bf16), {0}};
