// atomics 04: warp-aggregated atomics
//
// Idea     lanes that want the same word can agree among themselves, without memory, and send one.
// Change   match finds each lane's group, redux folds it, and the group's first lane makes the change. An append asks
//          for as many places as the warp has entries, and each lane counts those before it.
// Expect   one counter: a request of a warp has one lane in it and no longer 32. Many counters: a group is a lane, and
//          the question is paid for nothing.
// Limit    one request per warp and word remains (see 05).
// kz: sm 80

#include "group.cuh"

KZ_ENTRY(atomics_warp_aggregated_count_u32)
(const unsigned *keys, unsigned *out, size_t n, size_t k) {
    for (size_t i = kz_thread(); round_begins(i) < n; i += kz_threads()) {
        unsigned group = group_of(keys, i, n);
        if (leads(group)) atomicAdd(&out[keys[i]], __popc(group));
        __syncwarp();
    }
}

KZ_ENTRY(atomics_warp_aggregated_append_f32)
(const float *in, unsigned *queue, unsigned *length, size_t n) {
    for (size_t i = kz_thread(); round_begins(i) < n; i += kz_threads()) {
        bool mine = i < n && in[i] > 0.0f;
        unsigned entries = __ballot_sync(KZ_ALL_LANES, mine), first = 0;
        if (entries == 0) continue;
        if (kz_lane() == 0) first = atomicAdd(length, __popc(entries));
        first = __shfl_sync(KZ_ALL_LANES, first, 0);
        if (mine) queue[first + __popc(entries & ((1u << kz_lane()) - 1))] = (unsigned)i;
    }
}

// Floats as integers in the same order, as signed ones; NaN is below all.
KZ_ENTRY(atomics_warp_aggregated_max_f32)
(const unsigned *keys, unsigned *out, const float *values, size_t n, size_t k) {
    for (size_t i = kz_thread(); round_begins(i) < n; i += kz_threads()) {
        unsigned group = group_of(keys, i, n);
        if (group) {
            int bits = __float_as_int(values[i]);
            int ordered = bits ^ ((bits >> 31) & INT32_MAX);
            if (values[i] != values[i]) ordered = INT32_MIN;
            ordered = __reduce_max_sync(group, ordered);
            if (leads(group) && ordered != INT32_MIN)
                raise_to(&out[keys[i]], __int_as_float(ordered ^ ((ordered >> 31) & INT32_MAX)));
        }
        __syncwarp();
    }
}

KZ_ENTRY(atomics_warp_aggregated_update_i32)
(const unsigned *keys, int *out, const int *values, size_t n, size_t k) {
    for (size_t i = kz_thread(); round_begins(i) < n; i += kz_threads()) {
        unsigned group = group_of(keys, i, n);
        if (group) {
            parts p = fold_group(group, values[i]);
            if (leads(group)) add_parts(&out[4 * keys[i]], p);
        }
        __syncwarp();
    }
}

ATOMICS_CLEAR_UPDATE
ATOMICS_WORK_OFF
