// Kernel Zoo: the operations of kz/ops/reduce.h, reduce_axis.h and reduce_segments.h. Each combines many elements into one.
//
// | operation | result | for no elements |
// |---|---|---|
// | `KZ_REDUCE_SUM` | the sum | 0 |
// | `KZ_REDUCE_MIN` | the minimum | +Inf, or INT32_MAX |
// | `KZ_REDUCE_MAX` | the maximum | -Inf, or INT32_MIN |
// | `KZ_REDUCE_MEAN` | the sum divided by the number of elements | NaN |
// | `KZ_REDUCE_ARGMIN` | the minimum and its index | as `MIN`, and -1 |
// | `KZ_REDUCE_ARGMAX` | the maximum and its index | as `MAX`, and -1 |
//
// f16 and bf16 are added in float and rounded once. i32 sums wrap modulo 2^32; i32 has no mean. If any element is NaN, so is
// the result; ARGMIN and ARGMAX then give the index of the first NaN. Of equal elements they give the lowest index. What an
// operation does not do, its open call refuses with the reason.
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
