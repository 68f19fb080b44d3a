// Inputs: every element is made from the seed, its buffer's number and its index alone, so that
// any part of any input can be made again anywhere, and every provider gets the same bytes.
//
// Floats: UNIFORM fills the mantissa; NAN and INF put one in the middle and one in 64 elsewhere.
// Integers: UNIFORM is [-2^20, 2^20) (a double holds the sum of 2^33 of them exactly), POSITIVE [1, 2^20],
// LARGE within 2^20 of the extremes (i64: of 2^53), SMALL [-4, 4]; NAN, INF and DENORMAL are UNIFORM.
// Unsigned types take the absolute value; u8 and u16 keep the low bits. BIASED spreads over [0, 2^20), u8 and u16
// over all of the type. A run never crosses a multiple of 16, so that it can be made from its index.
#ifndef FAMILY_INPUTS_H
#define FAMILY_INPUTS_H

#include "kz/family.h"

// Fills host memory for elements [first, first + count) of a buffer that has `total` elements.
void family_fill_input(kz_type type, kz_data data, uint64_t seed, uint32_t buffer, uint64_t first,
                       uint64_t count, uint64_t total, void *host);

// The same for input `which` of a case, whose family may have its own way.
void family_make_input(const kz_family *family, const kz_case *c, size_t which, const kz_buffer *buffer,
                       uint64_t seed, uint64_t first, uint64_t count, void *host);

// Fills memory with what no correct kernel writes: NaN with a mark in it for floats, 0xa5 for integers.
void family_poison(kz_type type, uint64_t count, void *host);
bool family_is_poison(kz_type type, const void *element);

#endif
