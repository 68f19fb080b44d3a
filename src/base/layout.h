// Layouts: functions from coordinates to indices, given by shapes and strides that nest and compose.
//
// The notation and the algebra are CuTe's. "((2,4),8):((1,16),2)" has two modes; the first has two of its own. A flat index
// counts through a layout's domain, the first mode fastest, and past the end the last mode goes on, as in CuTe.
//
// All are plain values of fixed size. A result may be one of the operands. Operations give KZ_INVALID where there is no such
// layout, or none that fits: at most BASE_LAYOUT_NODES tuples and integers, sizes and cosizes up to BASE_LAYOUT_MOST.
//
// Refused: empty tuples, shapes below 1, strides that are no integers (CuTe's 1@0). Strides may be negative, as in CuTe, where
// only indices are made of them: in a layout that is coalesced, right-inverted, divided or composed on the left. On the right of
// a composition, in a tiler, a block, a complement and a left inverse they are refused: those would count outside of a domain.
#ifndef BASE_LAYOUT_H
#define BASE_LAYOUT_H

#include "base/base.h"

enum { BASE_LAYOUT_NODES = 48, BASE_TILER_MODES = 6 };
#define BASE_LAYOUT_MOST (INT64_C(1) << 48)

// A nested tuple of integers, in prefix order: a shape or a coordinate.
typedef struct base_tuple {
    uint8_t count;                   // nodes
    uint8_t span[BASE_LAYOUT_NODES]; // of a node: it and all below it; 1: an integer
    int64_t value[BASE_LAYOUT_NODES];
} base_tuple;

typedef struct base_layout {
    uint8_t count;
    uint8_t span[BASE_LAYOUT_NODES];
    int64_t shape[BASE_LAYOUT_NODES], stride[BASE_LAYOUT_NODES]; // of integers
} base_layout;

// ---- notation (layout.c) ------------------------------------------------------------------------------------

// "(1,(2,3))". A number may have CuTe's mark of a constant: "_8". The whole text is read, as in all of these.
kz_status base_tuple_parse(const char *text, base_tuple *tuple, kz_error *error);
void base_tuple_print(const base_tuple *tuple, base_text *text);
// "(4,8):(8,1)"; without strides the first mode is contiguous: "(4,8)" is (4,8):(1,4).
kz_status base_layout_parse(const char *text, base_layout *layout, kz_error *error);
void base_layout_print(const base_layout *layout, base_text *text);
bool base_layout_equal(const base_layout *a, const base_layout *b);
base_layout base_layout_of(int64_t shape, int64_t stride); // "shape:stride"

// ---- what a layout is (layout.c) ------------------------------------------------------------------------------

int64_t base_layout_size(const base_layout *layout); // of the domain
int64_t base_layout_cosize(
    const base_layout *layout); // the largest index and one; a negative stride counts as positive
unsigned base_layout_rank(const base_layout *layout);
unsigned base_layout_depth(const base_layout *layout);                  // 0: an integer
base_layout base_layout_mode(const base_layout *layout, unsigned mode); // 0 of an integer: itself
base_tuple base_layout_shape(const base_layout *layout);                //
int64_t base_layout_at(const base_layout *layout, int64_t index);       // of a flat index
// Of a coordinate, which may be less deep than the layout: an integer counts through its mode. KZ_INVALID where it is deeper,
// has another number of parts, or one that is outside.
kz_status base_layout_at_coordinate(const base_layout *layout, const base_tuple *coordinate, int64_t *index,
                                    kz_error *error);
// The coordinate of a flat index, as deep as the layout.
base_tuple base_layout_coordinate(const base_layout *layout, int64_t index);
// Back: the first flat index that has this value. False where none has.
bool base_layout_find(const base_layout *layout, int64_t value, int64_t *index);

// ---- algebra (layout_algebra.c) -------------------------------------------------------------------------------

base_layout base_layout_flatten(const base_layout *layout); // the same integers in one tuple
// The same function of a flat index inside the domain, with the fewest modes.
base_layout base_layout_coalesce(const base_layout *layout);
// (a, b): a layout of two modes.
kz_status base_layout_pair(const base_layout *a, const base_layout *b, base_layout *result, kz_error *error);
// result(i) = a(b(i)), with b's modes. Where no layout is that function, KZ_INVALID; CuTe demands less, and for some of
// those gives another function.
kz_status base_layout_compose(const base_layout *a, const base_layout *b, base_layout *result,
                              kz_error *error);
// What repeats the layout up to `size` indices, none of them twice: (layout, result) has every index, if the strides divide.
kz_status base_layout_complement(const base_layout *layout, int64_t size, base_layout *result,
                                 kz_error *error);
base_layout
base_layout_right_inverse(const base_layout *layout); // layout(result(i)) = i, as far as that goes
kz_status base_layout_left_inverse(const base_layout *layout, base_layout *result,
                                   kz_error *error); // result(layout(i)) = i, if the layout is injective

// A tile of a layout: one layout, or one for each of the first modes.
typedef struct base_tiler {
    bool by_mode;
    uint8_t count; // 1 unless by_mode
    base_layout modes[BASE_TILER_MODES];
} base_tiler;
// "4:1" is a layout; "<4:1,8:2>" has one for each mode, and "(4,8)", a shape, means "<4:1,8:1>", as in CuTe.
kz_status base_tiler_parse(const char *text, base_tiler *tiler, kz_error *error);

// How the modes of a quotient or a product are grouped. T: tile or block, R: rest, by mode of the tiler.
typedef enum base_grouping {
    BASE_LOGICAL, // ((T0,R0),(T1,R1)): of one layout (T,R)
    BASE_ZIPPED,  // ((T0,T1),(R0,R1))
    BASE_TILED,   // ((T0,T1),R0,R1)
    BASE_FLAT,    // (T0,T1,R0,R1)
} base_grouping;
kz_status base_layout_divide(const base_layout *layout, const base_tiler *tiler, base_grouping grouping,
                             base_layout *result, kz_error *error);
kz_status base_layout_product(const base_layout *block, const base_tiler *tiler, base_grouping grouping,
                              base_layout *result, kz_error *error);
// ((B0,T0),(B1,T1)): blocks side by side; raked ((T0,B0),(T1,B1)): interleaved.
kz_status base_layout_blocked_product(const base_layout *block, const base_layout *tiler, base_layout *result,
                                      kz_error *error);
kz_status base_layout_raked_product(const base_layout *block, const base_layout *tiler, base_layout *result,
                                    kz_error *error);

// ---- swizzles and tensors (layout_tensor.c) ----------------------------------------------------------------------

// Sw<bits,base,shift>: the `bits` bits from bit base + shift on are xor-ed into those from bit `base` on; below 0 the other way.
typedef struct base_swizzle {
    uint8_t bits, base;
    int8_t shift;
} base_swizzle;
int64_t base_swizzle_apply(base_swizzle swizzle, int64_t index);

// swizzle o offset o layout: i -> swizzle(offset + layout(i)).
typedef struct base_composed {
    base_swizzle swizzle; // bits 0: none
    int64_t offset;
    base_layout layout;
} base_composed;
// "Sw<3,4,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o (8,64)", or a layout alone.
kz_status base_composed_parse(const char *text, base_composed *composed, kz_error *error);
void base_composed_print(const base_composed *composed, base_text *text);
kz_status base_swizzle_parse(const char *text, base_swizzle *swizzle, kz_error *error); // "3,4,3"
int64_t base_composed_at(const base_composed *composed, int64_t index);
// The same memory in elements `count` times as large: indices of bytes become those of halves. `count` is a power of 2.
kz_status base_composed_upcast(const base_composed *composed, unsigned count, base_composed *result,
                               kz_error *error);
int64_t base_composed_cosize(const base_composed *composed); // the largest index and one

// Elements in memory; element i is at data + bytes * base_composed_at(&layout, i).
typedef struct base_tensor {
    void *data;
    size_t bytes; // of an element
    base_composed layout;
} base_tensor;
void *base_tensor_at(const base_tensor *tensor, int64_t index);
// Its tile at `coordinate` of those that the tiler cuts (CuTe's local_tile); its modes are the tiler's.
kz_status base_tensor_tile(const base_tensor *tensor, const base_tiler *tiler, const base_tuple *coordinate,
                           base_tensor *tile, kz_error *error);
// What a thread has where threads stand as `threads` says, (coordinate) -> thread, again and again (local_partition).
kz_status base_tensor_partition(const base_tensor *tensor, const base_layout *threads, int64_t thread,
                                base_tensor *part, kz_error *error);
// What a thread has by a thread-value layout: (thread, value) -> flat index of the tensor.
kz_status base_tensor_thread(const base_tensor *tensor, const base_layout *thread_value, int64_t thread,
                             base_tensor *part, kz_error *error);

#endif
