// What kz_case.detail of rope points at.
#ifndef ROPE_DETAIL_H
#define ROPE_DETAIL_H

#include <stdint.h>

// NULL: theta is 10000, and no room between tokens.
typedef struct rope_detail {
    float theta;
    uint64_t q_stride, k_stride; // elements; 0: a token's own
} rope_detail;

#endif
