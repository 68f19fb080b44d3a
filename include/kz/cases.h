// Kernel Zoo, for people who add a kernel family: the edges that families share, as lists of cases.
//
// A list takes the family's macro for a case, and what stands before the size or the data in it:
// KZ_AROUND_WARP(CHECK, SUM, F32) is CHECK(SUM, F32, 31), CHECK(SUM, F32, 32), CHECK(SUM, F32, 33), and
// KZ_NOT_FINITE(CHECK, SUM, F32, 1000) is CHECK(SUM, F32, 1000, .data = KZ_DATA_NAN) and the same with KZ_DATA_INF.
#ifndef KZ_CASES_H
#define KZ_CASES_H

// ---- sizes ----------------------------------------------------------------------------------------

#define KZ_FEW(X, ...)         X(__VA_ARGS__, 0), X(__VA_ARGS__, 1), X(__VA_ARGS__, 2), X(__VA_ARGS__, 3)
#define KZ_AROUND_WARP(X, ...) X(__VA_ARGS__, 31), X(__VA_ARGS__, 32), X(__VA_ARGS__, 33)
#define KZ_AROUND_1024(X, ...) X(__VA_ARGS__, 1023), X(__VA_ARGS__, 1024), X(__VA_ARGS__, 1025)
#define KZ_EDGE_SIZES(X, ...)                                                                                \
    KZ_FEW(X, __VA_ARGS__), KZ_AROUND_WARP(X, __VA_ARGS__), KZ_AROUND_1024(X, __VA_ARGS__)
// Both begin between two packs of 16 bytes; the second ends there as well.
#define KZ_MISALIGNED(X, ...) X(__VA_ARGS__, 4096, .misalign = 1), X(__VA_ARGS__, 4099, .misalign = 3)
#define KZ_PRIME              7919
#define KZ_PAST_2_31          ((1LL << 31) + 4099) // more elements than an int counts, and no multiple of anything

// Sizes to time: a power of two each.
#define KZ_POWERS_20_TO_28(X, ...)                                                                           \
    X(__VA_ARGS__, 1 << 20), X(__VA_ARGS__, 1 << 24), X(__VA_ARGS__, 1 << 26), X(__VA_ARGS__, 1 << 28)
#define KZ_POWERS_18_TO_29(X, ...)                                                                           \
    X(__VA_ARGS__, 1 << 18), X(__VA_ARGS__, 1 << 20), X(__VA_ARGS__, 1 << 22), X(__VA_ARGS__, 1 << 24),      \
        X(__VA_ARGS__, 1 << 26), X(__VA_ARGS__, 1 << 28), X(__VA_ARGS__, 1 << 29)

// ---- data -----------------------------------------------------------------------------------------

#define KZ_NOT_FINITE(X, ...) X(__VA_ARGS__, .data = KZ_DATA_NAN), X(__VA_ARGS__, .data = KZ_DATA_INF)
#define KZ_CONSTANT(X, ...)   X(__VA_ARGS__, .data = KZ_DATA_ZEROS), X(__VA_ARGS__, .data = KZ_DATA_ONES)
#define KZ_TINY(X, ...)       X(__VA_ARGS__, .data = KZ_DATA_DENORMAL), X(__VA_ARGS__, .data = KZ_DATA_SMALL)
#define KZ_MAGNITUDES(X, ...) X(__VA_ARGS__, .data = KZ_DATA_LARGE), KZ_TINY(X, __VA_ARGS__)

#endif
