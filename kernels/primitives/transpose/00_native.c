// transpose 00: plain C on the `cpu` device
//
// Idea     go by square tiles, so that the lines of the cache that a tile touches on either side stay there.
// Change   none: it stands before the ladder. Blocks of the grid share the rows of tiles.
// Expect   a few times faster than two plain loops, whose every write opens a new line.
#include "private.h"

enum { TILE = 32 };

#define TRANSPOSE(name, T)                                                                                   \
    static void name##_tile(const T *in, T *out, uint64_t rows, uint64_t columns, uint64_t row,              \
                            uint64_t column) {                                                               \
        for (uint64_t c = column; c < column + TILE && c < columns; c++)                                     \
            for (uint64_t r = row; r < row + TILE && r < rows; r++) out[c * rows + r] = in[r * columns + c]; \
    }                                                                                                        \
    static void name(const kz_native_launch *launch) {                                                       \
        const T *in = *(const T *const *)launch->args[0];                                                    \
        T *out = *(T *const *)launch->args[1];                                                               \
        uint64_t rows = *(const uint64_t *)launch->args[2], columns = *(const uint64_t *)launch->args[3];    \
        uint64_t step = (uint64_t)launch->grid[0] * TILE;                                                    \
        for (uint64_t row = (uint64_t)launch->block_index[0] * TILE; row < rows; row += step)                \
            for (uint64_t column = 0; column < columns; column += TILE)                                      \
                name##_tile(in, out, rows, columns, row, column);                                            \
    }

TRANSPOSE(transpose_1, uint8_t)
TRANSPOSE(transpose_2, uint16_t)
TRANSPOSE(transpose_4, uint32_t)
TRANSPOSE(transpose_8, uint64_t)

const kz_native_entry transpose_natives[] = {{"transpose_native_transpose_u8", transpose_1},
                                             {"transpose_native_transpose_u16", transpose_2},
                                             {"transpose_native_transpose_u32", transpose_4},
                                             {"transpose_native_transpose_i64", transpose_8},
                                             {0}};
