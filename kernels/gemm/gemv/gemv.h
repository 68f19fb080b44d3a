// Kernel Zoo, an operation: y = x W' for a few rows of x, as a linear layer does for each token that it decodes.
//
//     kz_operation *gemv;
//     kz_gemv_open(device, KZ_GEMV_INT4, KZ_BF16, m, n, k, NULL, &gemv, &error);
//     kz_gemv_run(gemv, NULL, w, scale, x, y, &error); // as often as one likes; needs no workspace
//     kz_operation_close(gemv);
//
// W has n rows of k elements, row-major ("out x in"); x has m of k, 1 to 16; y[i][j], m x n, is the sum over k of x[i][k] W[j][k].
// x, y and the scales have the type given, KZ_F16 or KZ_BF16. Sums are single precision, rounded once. y may overlap nothing.
//
// W's format is DENSE, of x's type, or packed: value times scale, and one scale for every KZ_GEMV_GROUP elements of a row:
// scale[j][k / KZ_GEMV_GROUP], n rows of k / KZ_GEMV_GROUP. k is then a multiple of KZ_GEMV_GROUP. The values:
//
//     INT8  a row is k bytes            the byte, signed
//     FP8            k bytes            the byte as e4m3: 1 sign, 4 exponent, 3 mantissa bits; 0x7f and 0xff are NaN
//     INT4           k / 2 bytes        4 bits less 8: element 2 i in the low half of byte i, element 2 i + 1 in the high half
//     INT3           k / 32 * 12 bytes  3 bits less 4: 32 elements in three little-endian words
//
// Of INT3's 32 elements, 2 p and 2 p + 1 for p up to 14 begin at bits 3 (p % 5) and 16 + 3 (p % 5) of word p / 5. Bits 15 of the three
// words are element 30 and bits 31 are element 31, each from its lowest bit in word 0 up.
//
// Where W, scale and x are aligned to 16 bytes and k is a multiple of 8 it is fastest. On a GPU of sm_90 the variant that is chosen
// may read W and the scales before the kernel in front of it in the stream has ended, if that kernel lets it
// (griddepcontrol.launch_dependents): a kernel that writes weights must not.
#ifndef KZ_OPS_GEMV_H
#define KZ_OPS_GEMV_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KZ_GEMV_GROUP = 128, KZ_GEMV_TOKENS = 16 }; // elements that share a scale; rows of x, at most

typedef enum kz_gemv_format {
    KZ_GEMV_DENSE,
    KZ_GEMV_INT8,
    KZ_GEMV_FP8,
    KZ_GEMV_INT4,
    KZ_GEMV_INT3,
} kz_gemv_format;

// `variant` NULL takes the best known for device, type and size; a name ("02_warp") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_gemv_open(kz_device *device, kz_gemv_format format, kz_type type, size_t m, size_t n,
                              size_t k, const char *variant, kz_operation **operation, kz_error *error);
// `scale` is 0 for DENSE.
KZ_API kz_status kz_gemv_run(kz_operation *operation, kz_stream *stream, kz_ptr w, kz_ptr scale, kz_ptr x,
                             kz_ptr y, kz_error *error);

// Bytes of W in a format: n rows of k elements; 0 where there is no such W.
KZ_API size_t kz_gemv_bytes(kz_gemv_format format, size_t n, size_t k);
// Packs n rows of k floats on the host: `w` gets kz_gemv_bytes bytes, `scale` n * k / KZ_GEMV_GROUP elements of the type (NULL for
// DENSE). A group's scale is its largest magnitude over the format's largest value (127, 448, 7 or 3), rounded to the
// type; each element is rounded to the nearest value. Numbers that are not finite are refused.
KZ_API kz_status kz_gemv_pack(kz_gemv_format format, kz_type type, size_t n, size_t k, const float *from,
                              void *w, void *scale, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif
