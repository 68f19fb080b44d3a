// permute: what the variants share.
//
// Bits are moved, whatever they mean: there is an entry for each size of element, named by one type of that
// size.
#ifndef PERMUTE_CUH
#define PERMUTE_CUH

#include "kz/kernel.cuh"
#include "divide.h"

#define PERMUTE_SIZES(ENTRY)                                                                                 \
    ENTRY(u8, uint8_t)                                                                                       \
    ENTRY(u16, uint16_t)                                                                                     \
    ENTRY(u32, uint32_t)                                                                                     \
    ENTRY(i64, uint64_t)

#endif
