// What tensor cores compute, whatever instruction asks for it: products of tiles, with the sums of the hardware.
//
// Operands are core matrices: 8 rows of 16 bytes, where a row of A runs along k, and so does a row of B, which is one of its
// columns. A register of an mma fragment is one as it lies in the frame: lane 4 r + t has bytes 4 t to 4 t + 3 of row r. What
// ldmatrix and wgmma read of shared memory is one too. A side is 8 rows of A, or 8 columns of B, unpacked for the unit;
// a product adds to an 8 x 8 block of the accumulator. The functions exist once per instruction set (exec_matrix.c).
#ifndef SIM_MATRIX_H
#define SIM_MATRIX_H

#include "sim/sim.h"

typedef struct matrix_core {
    uint8_t row[8][16];
} matrix_core;

// Of a sum: towards zero to an f32; towards zero to 14 significant bits with the exponents of f32; to the nearest f16.
typedef enum matrix_rounding { MATRIX_F32, MATRIX_E8M13, MATRIX_F16 } matrix_rounding;

// How the floating-point units add: so many terms at once, with the accumulator, aligned to the greatest exponent among
// them, or to `floor` where that is greater, with `fraction` bits below it; what is beyond is cut off. matrix_numerics.def
// has the rows.
typedef struct matrix_numerics {
    uint8_t terms, fraction;
    int16_t floor;
    matrix_rounding rounding;
    bool apart;    // what ptxas makes of fp8 for f16 units: see matrix_numerics.def
    bool compared; // with a GPU of that architecture, bit by bit
} matrix_numerics;

typedef enum matrix_bits { MATRIX_NO_BITS, MATRIX_XOR_POPC, MATRIX_AND_POPC } matrix_bits; // of b1

// At most: 16-byte pieces of a row (a sparse product's B), elements of it (b1), and of those that are floats.
enum { MATRIX_CHUNKS = 4, MATRIX_MOST_K = 256, MATRIX_MOST_FLOATS = 64 };

// A kind of product. Types of elements: F16 BF16 TF32 E4M3 E5M2 S8 U8 S4 U4 B1.
typedef struct matrix_product {
    ptx_type a, b;
    uint16_t k;    // of B, and of A where it is dense; a sparse A has half of it
    bool sparse;   // 2:4, 1:2 (TF32) or pairs of 4:8 (S4, U4): see matrix_select
    bool saturate; // integers
    matrix_bits bits;
    matrix_numerics how; // floats
} matrix_product;

// Which of B's rows along k each element of a sparse A's row goes with, in 8 rows.
typedef struct matrix_select {
    uint8_t at[8][64];
} matrix_select;

// Its content is the business of exec_matrix*.c.
typedef struct __attribute__((aligned(64))) matrix_side {
    union {
        struct { // floats: times 2^shift, and the exponents before that
            float value[MATRIX_MOST_FLOATS][8];
            int16_t exponent[MATRIX_MOST_FLOATS][8];
        };
        int16_t pair[MATRIX_MOST_K / 4][8][2]; // integers: neighbours along k,
        int16_t whole[MATRIX_MOST_K / 2][8];   // or one by one
        uint32_t bits[MATRIX_MOST_K / 32][8];
    };
    int shift;
    bool exact_only; // the exponents are too far apart for the fast path
} matrix_side;

// Rows of A, or columns of B: piece i of 16 bytes of all 8 is chunks[i].
typedef void matrix_unpack(const matrix_product *product, bool is_b, const matrix_core *const *chunks,
                           matrix_side *side);
// sum[i][j] += row i of a times column j of b. The words are f32, s32, or an f16 in the low half. `select`: of a sparse A.
typedef void matrix_multiply(const matrix_product *product, const matrix_side *a, const matrix_side *b,
                             const matrix_select *select, uint32_t sum[8][8]);

// The same for f16, bf16 and tf32 that are added to f32, dense, 16 rows by 8 columns at once: see exec_matrix_tile.c. Elements of a row
// are there four times. The core matrices, [block of 8 rows][piece along k], must stay as long as what was unpacked.
typedef struct __attribute__((aligned(64))) matrix_rows {
    float value[16][64];      // [k][4 * row + copy]
    uint8_t distance[16][64]; // of exponents, from the greatest down
    int top;                  // the greatest exponent, as it is in the code
    uint16_t special;         // rows with infinities or NaN
    const matrix_core *core[2][2];
} matrix_rows;

typedef struct __attribute__((aligned(64))) matrix_columns {
    float value[16][8]; // [k]: columns 0, 2, 4, 6, 1, 3, 5, 7
    uint8_t distance[16][8];
    int top;
    uint8_t special;
    const matrix_core *core[2];
} matrix_columns;

typedef void matrix_unpack_rows(const matrix_product *product, const matrix_core *const core[2][2],
                                matrix_rows *rows);
typedef void matrix_unpack_columns(const matrix_product *product, const matrix_core *const core[2],
                                   matrix_columns *columns);
// Adds to the accumulator as a warp holds it: registers 0 and 1 have the even and the odd columns of rows 0 to 7, 2 and 3 those
// of rows 8 to 15.
typedef void matrix_multiply_tile(const matrix_product *product, const matrix_rows *rows,
                                  const matrix_columns *columns, uint32_t *const sums[4]);

// Whether a product can be done so.
bool sim_matrix_is_tiled(const matrix_product *product);

// What ptxas makes of forms that the units lack, as plain arrays. Chains of fused operations:
// sum[i][j] += row i of a[rows][k] times column j of b[k][8], all f64. The rounding is PTX_MOD_RN, RZ, RM or RP.
typedef void matrix_multiply_f64(int rows, int k, ptx_mod rounding, const uint64_t *a, const uint64_t (*b)[8],
                                 uint64_t (*sum)[8]);
// m8n8k4 of f16, one of the four tiles of a warp. The sums are f32, or f16 in the low half.
typedef void matrix_multiply_m8n8k4(bool f16_sums, const uint16_t a[8][4], const uint16_t b[4][8],
                                    uint32_t sum[8][8]);

// The row of matrix_numerics.def for an architecture; false where it has no such unit. `wgmma`: for a warpgroup.
bool sim_matrix_numerics(int sm, bool wgmma, ptx_type a, ptx_type d, matrix_numerics *how);

#endif
