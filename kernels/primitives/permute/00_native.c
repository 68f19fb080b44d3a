// permute 00: plain C on the `cpu` device
//
// Idea     go through the output in order, row by row; only the last axis is left to the inner loop.
// Change   none: it stands before the ladder. Blocks of the grid share the output's rows.
// Expect   a row's start costs three divisions, an element an addition; far from memory's speed where the
//          last axis changes, for then every read opens another line of the cache.
#include "private.h"

// Arguments as those of 01: in, out, total, m1, m2, m3, s0, s1, s2, s3.
#define PERMUTE(name, T)                                                                                     \
    static void name(const kz_native_launch *launch) {                                                       \
        const T *in = *(const T *const *)launch->args[0];                                                    \
        T *out = *(T *const *)launch->args[1];                                                               \
        uint64_t value[8]; /* total, m1, m2, m3, s0, s1, s2, s3 */                                           \
        for (int i = 0; i < 8; i++) value[i] = *(const uint64_t *)launch->args[2 + i];                       \
        uint64_t m1 = value[1], m2 = value[2], m3 = value[3], rows = value[0] / m3;                          \
        for (uint64_t row = launch->block_index[0]; row < rows; row += launch->grid[0]) {                    \
            const T *from = in + row / m2 / m1 * value[4] + row / m2 % m1 * value[5] + row % m2 * value[6];  \
            for (uint64_t i = 0; i < m3; i++) out[row * m3 + i] = from[i * value[7]];                        \
        }                                                                                                    \
    }

PERMUTE(permute_1, uint8_t)
PERMUTE(permute_2, uint16_t)
PERMUTE(permute_4, uint32_t)
PERMUTE(permute_8, uint64_t)

const kz_native_entry permute_natives[] = {{"permute_native_permute_u8", permute_1},
                                           {"permute_native_permute_u16", permute_2},
                                           {"permute_native_permute_u32", permute_4},
                                           {"permute_native_permute_i64", permute_8},
                                           {0}};
