// Kernel Zoo: the operations that fold many elements into one, for kz/ops/reduce.h, reduce_axis.h and
// reduce_segments.h.
//
// A number means the same to all three; what one of them does not do is refused at open, with the reason. f16
// and bf16 are accumulated in float and rounded once; i32 sums wrap modulo 2^32, and there is no mean of i32.
// MIN and MAX are NaN where any element is. ARGMIN and ARGMAX give the value and its index: among equals the
// least one; NaN counts as the extreme, and the first wins. Of no elements the sum is 0, the least +Inf
// (INT32_MAX), the greatest -Inf (INT32_MIN), the mean NaN, an index -1.
#ifndef KZ_REDUCE_OPERATION_H
#define KZ_REDUCE_OPERATION_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_reduce_operation {
    KZ_REDUCE_SUM,
    KZ_REDUCE_MIN,
    KZ_REDUCE_MAX,
    KZ_REDUCE_MEAN,
    KZ_REDUCE_ARGMIN,
    KZ_REDUCE_ARGMAX,
    KZ_REDUCE_COUNT
} kz_reduce_operation;

#ifdef __cplusplus
}
#endif
#endif
