// permute: boxes, for 07 and 09. A box is a piece of all four axes, so chosen by the plan that what it
// touches is contiguous for a while on both sides of memory, however short the axes are.
//
// In shared memory a box lies in the order of one side, the straight one: there it goes in and out as it
// lies. The other side is the crossed one: what is contiguous there lies apart in shared memory, by the same
// step from element to element. After every 128 bytes of a box 16 are left out, so that steps of powers of
// two meet more banks.
#ifndef PERMUTE_BOX_CUH
#define PERMUTE_BOX_CUH

#include "kz/device/tile_transpose.cuh"
#include "permute.cuh"
#include "tune.h"

enum { BOX_AXES = 4, BOX_THREADS = PERMUTE_BOX_THREADS, BOX_FLIGHT = PERMUTE_BOX_FLIGHT };

// n / d for n and d of a box: n * d < 2^31.
static __device__ __forceinline__ divider small_divider(uint32_t d) {
    return divider{d, (0x80000000u + d - 1) / d, 31};
}

// What a kernel knows of its tensor. Axes are the input's; there are always four, the first ones may be 1.
struct box_shape {
    uint64_t n01, n23;  // the axes, two in a word
    uint64_t extents;   // of a box, 16 bits each, axis 0 in the lowest
    uint64_t order;     // the output's axis p is order >> 8 p; bit 32: the output is the straight side
    uint64_t counts[3]; // boxes along axes 1, 2 and 3, as dividers

    __device__ __forceinline__ uint32_t n(unsigned axis) const {
        return (uint32_t)((axis < 2 ? n01 : n23) >> 32 * (axis & 1));
    }
    __device__ __forceinline__ uint32_t extent(unsigned axis) const {
        return (uint32_t)(extents >> 16 * axis) & 0xffff;
    }
    __device__ __forceinline__ unsigned axis(bool output, int position) const {
        return output ? (unsigned)(order >> 8 * position) & 0xff : (unsigned)position;
    }
    __device__ __forceinline__ bool output_is_straight(void) const { return order >> 32 & 1; }
};

// A box as one side of memory sees it, the contiguous axis last.
template <int SIZE> struct box_side {
    typedef typename kz_uint_of<SIZE>::bits bits;
    bits *at;                     // of the box's first element
    uint64_t stride[BOX_AXES];    // in memory
    uint32_t extent[BOX_AXES];    // of the box
    uint32_t valid[BOX_AXES];     // of it, what the tensor has
    uint32_t step[BOX_AXES], all; // in shared memory; elements of a whole box
    uint32_t inner;               // 0, or the length of the last axis where it is paired with the one before

    __device__ __forceinline__ box_side(const box_shape &shape, bits *memory, const uint32_t (&box)[BOX_AXES],
                                        bool output) {
        uint64_t product = 1;
        at = memory;
        all = 1;
#pragma unroll
        for (int p = BOX_AXES - 1; p >= 0; p--) {
            unsigned axis = shape.axis(output, p);
            extent[p] = shape.extent(axis);
            // A variable index would put the array into local memory.
            uint32_t number = axis < 2 ? (axis == 0 ? box[0] : box[1]) : (axis == 2 ? box[2] : box[3]);
            uint32_t first = number * extent[p], left = shape.n(axis) - first;
            valid[p] = left < extent[p] ? left : extent[p];
            stride[p] = product;
            at += first * product;
            product *= shape.n(axis);
            all *= extent[p];
        }
        bool straight = shape.output_is_straight() == output;
#pragma unroll
        for (int p = 0; p < BOX_AXES; p++) {
            step[p] = 1; // the product of the extents behind this axis in the straight side's order
            bool behind = false;
#pragma unroll
            for (int q = 0; q < BOX_AXES; q++) {
                unsigned other = shape.axis(shape.output_is_straight(), q);
                if (behind) step[p] *= shape.extent(other);
                if (other == shape.axis(output, p)) behind = true;
            }
        }
        inner = 0;
        if (straight)
            merge();
        else
            pair();
    }

    // Axes whose boxes follow one another in memory become one: the last, which may then be longer than a
    // row.
    __device__ __forceinline__ void merge(void) {
        bool goes_on = true;
#pragma unroll
        for (int p = BOX_AXES - 2; p >= 0; p--) {
            goes_on = goes_on && stride[p] == extent[BOX_AXES - 1];
            if (!goes_on) continue;
            valid[BOX_AXES - 1] = valid[p] * extent[BOX_AXES - 1];
            extent[BOX_AXES - 1] *= extent[p];
            extent[p] = valid[p] = 1;
        }
    }

    // On the crossed side the last two axes at most, where the last alone gives no whole packs: a pack then
    // has elements of several of its rows.
    __device__ __forceinline__ void pair(void) {
        const int PACK = 16 / SIZE;
        if (extent[3] % PACK == 0 || stride[2] != extent[3] || extent[2] * extent[3] % PACK != 0) return;
        inner = extent[3];
        valid[3] = valid[2] * inner;
        extent[3] *= extent[2];
        extent[2] = valid[2] = 1;
    }

    // Packs begin at multiples of 16 bytes, and the last one of a row is whole.
    __device__ __forceinline__ bool has_packs(void) const {
        const int PACK = 16 / SIZE, LAST = BOX_AXES - 1;
        bool packs = kz_aligned(at, 16) && extent[LAST] % PACK == 0 && valid[LAST] % PACK == 0;
#pragma unroll
        for (int p = 0; p < LAST; p++) packs = packs && (extent[p] == 1 || stride[p] % PACK == 0);
        return packs;
    }
};

// Where byte b of a box lies in shared memory.
static __device__ __forceinline__ unsigned box_byte(unsigned b) { return b + b / 128 * 16; }

// UNIT elements per access.
template <int SIZE, int UNIT> struct box_mover {
    typedef typename kz_uint_of<SIZE>::bits bits;
    const box_side<SIZE> &side;
    char *shared;
    uint32_t units; // in the box
    divider d1, d2, d3, by_inner;

    __device__ __forceinline__ box_mover(const box_side<SIZE> &side, char *shared)
        : side(side), shared(shared), units(side.all / UNIT) {
        d1 = small_divider(side.extent[1]);
        d2 = small_divider(side.extent[2]);
        d3 = small_divider(side.extent[3] / UNIT);
        by_inner = small_divider(side.inner ? side.inner : 1);
    }

    // A position in the box: the element's number, and its column in the row where the last two axes are paired.
    struct position {
        uint32_t element, column;
    };

    // Unit u of the side's order: where it is in memory and in the box; false where the tensor has ended.
    __device__ __forceinline__ bool find(uint32_t u, bits **memory, position *at) const {
        uint32_t x1, x2, x3, x0;
        if (u >= units) return false;
        uint32_t rest = divide(u, d3, &x3);
        rest = divide(rest, d2, &x2);
        x0 = divide(rest, d1, &x1);
        x3 *= UNIT;
        *memory = side.at + x0 * side.stride[0] + x1 * side.stride[1] + x2 * side.stride[2] + x3;
        at->element = x0 * side.step[0] + x1 * side.step[1];
        if (side.inner) x2 = divide(x3, by_inner, &at->column);
        at->element += x2 * side.step[2] + (side.inner ? at->column : x3) * side.step[3];
        if (side.inner) x2 = 0; // it was a part of the offset
        return x0 < side.valid[0] && x1 < side.valid[1] && x2 < side.valid[2] && x3 < side.valid[3];
    }
    __device__ __forceinline__ bits *element_pointer(uint32_t element) const {
        return (bits *)(shared + box_byte(element * SIZE));
    }

    // The next element of a unit lies step[3] further in the box, or in the next row of a pair.
    __device__ __forceinline__ void advance(position *at) const {
        at->element += side.step[3];
        if (side.inner == 0 || ++at->column < side.inner) return;
        at->column = 0;
        at->element += side.step[2] - side.inner * side.step[3];
    }

    // On the straight side a unit's elements lie side by side, and are taken at once.
    __device__ __forceinline__ kz_pack<bits> take(position at) const {
        kz_pack<bits> pack;
        if (UNIT > 1 && side.inner == 0 && side.step[3] == 1) {
            pack.raw = *(const uint4 *)element_pointer(at.element);
            return pack;
        }
#pragma unroll
        for (int e = 0; e < UNIT; e++, advance(&at)) pack.at[e] = *element_pointer(at.element);
        return pack;
    }
    __device__ __forceinline__ void put(position at, kz_pack<bits> pack) const {
        if (UNIT > 1 && side.inner == 0 && side.step[3] == 1) {
            *(uint4 *)element_pointer(at.element) = pack.raw;
            return;
        }
#pragma unroll
        for (int e = 0; e < UNIT; e++, advance(&at)) *element_pointer(at.element) = pack.at[e];
    }

    __device__ __forceinline__ void load(void) const {
        for (uint32_t first = threadIdx.x; first < units; first += BOX_THREADS * BOX_FLIGHT) {
            kz_pack<bits> pack[BOX_FLIGHT];
            position at[BOX_FLIGHT];
            bool is_there[BOX_FLIGHT];
#pragma unroll
            for (int s = 0; s < BOX_FLIGHT; s++) {
                bits *from;
                is_there[s] = find(first + s * BOX_THREADS, &from, &at[s]);
                if (is_there[s] && UNIT == 1) pack[s].at[0] = *from;
                if (is_there[s] && UNIT > 1) pack[s] = kz_load_pack<KZ_CACHE>(from);
            }
#pragma unroll
            for (int s = 0; s < BOX_FLIGHT; s++)
                if (is_there[s]) put(at[s], pack[s]);
        }
    }
    __device__ __forceinline__ void store(void) const {
#pragma unroll 1
        for (uint32_t u = threadIdx.x; u < units; u += BOX_THREADS) {
            bits *to;
            position at;
            if (!find(u, &to, &at)) continue;
            if (UNIT == 1)
                *to = take(at).at[0];
            else
                kz_store_pack<KZ_CACHE>(to, take(at));
        }
    }
};

template <int SIZE>
static __device__ __forceinline__ void permute_box(void *in, void *out, const box_shape &shape) {
    typedef typename kz_uint_of<SIZE>::bits bits;
    const int PACK = 16 / SIZE;
    extern __shared__ uint4 shared[];
    uint32_t box[BOX_AXES];
    uint32_t rest = divide(blockIdx.x, divider_unpack(shape.counts[2]), &box[3]);
    rest = divide(rest, divider_unpack(shape.counts[1]), &box[2]);
    box[0] = divide(rest, divider_unpack(shape.counts[0]), &box[1]);
    box_side<SIZE> from(shape, (bits *)in, box, false);
    if (from.has_packs())
        box_mover<SIZE, PACK>(from, (char *)shared).load();
    else
        box_mover<SIZE, 1>(from, (char *)shared).load();
    __syncthreads();
    box_side<SIZE> to(shape, (bits *)out, box, true);
    if (to.has_packs())
        box_mover<SIZE, PACK>(to, (char *)shared).store();
    else
        box_mover<SIZE, 1>(to, (char *)shared).store();
}

#define BOX_ENTRY(type, size)                                                                                \
    KZ_ENTRY_BOUNDS(permute_tile_4d_permute_##type, BOX_THREADS, 1)                                          \
    (void *in, void *out, uint64_t n01, uint64_t n23, uint64_t extents, uint64_t order, uint64_t count1,     \
     uint64_t count2, uint64_t count3) {                                                                     \
        permute_box<size>(in, out, box_shape{n01, n23, extents, order, {count1, count2, count3}});           \
    }
#define BOX_ENTRIES() BOX_ENTRY(u8, 1) BOX_ENTRY(u16, 2) BOX_ENTRY(u32, 4) BOX_ENTRY(i64, 8)

#endif
