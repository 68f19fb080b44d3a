// The matrix instructions: shapes and types (matrix.def), and which lane holds which element.
//
// A product is d = a b + c, where a is m x k, b is k x n, c and d are m x n. Every lane holds a fragment of each: a few
// registers. A register of A or B, seen across the 32 lanes, is 8 rows (of A; of B, 8 columns) of 16 bytes along k: lane 4 g + t
// has bytes 4 t to 4 t + 3 of row g. An f64 has a register of its own, so there a row is 4 elements. Two neighbouring elements
// of an accumulator are a row's columns 2 t and 2 t + 1 of an 8 x 8 block. So a fragment is told by where its registers' blocks
// lie, and that holds for mma, wmma and wgmma alike; mma.m8n8k4 of f16, whose quarters of a warp work apart, is the exception.
// fragment.def has it all.
#ifndef PTX_MATRIX_H
#define PTX_MATRIX_H

#include "base/layout.h"
#include "ptx/ptx.h"

typedef enum ptx_matrix_part { PTX_MATRIX_A, PTX_MATRIX_B, PTX_MATRIX_C, PTX_MATRIX_D } ptx_matrix_part;

// What a matrix instruction does: multiplies, or (wmma) moves one fragment.
typedef struct ptx_matrix {
    ptx_op op;
    uint16_t m, n, k;  // k of B; a sparse A has half
    ptx_type types[4]; // of the elements, by part
    bool moves;        // wmma.load, wmma.store: `part` alone
    ptx_matrix_part part;
    bool sparse, ordered;
    bool a_by_column, b_by_row; // the layouts, where an instruction has a choice
    bool quarters;              // mma.m8n8k4 of f16
    uint16_t sm;
} ptx_matrix;

// Of a warp's part: the 64 rows of a warpgroup's product are 16 of each of its four warps.
unsigned ptx_matrix_rows(const ptx_matrix *matrix); // m, or 16

// Takes the instruction apart; false, with the reason, where matrix.def has no such form.
bool ptx_matrix_of(const ptx_inst *inst, ptx_matrix *matrix, const char **why);

// The same without an instruction: of op, sparse, m, n, k and A's type (0: the first there is) the rest. False where there is none.
bool ptx_matrix_find(ptx_matrix *matrix);

// The registers of a thread's fragment: how many, and of how many bits each.
unsigned ptx_matrix_registers(const ptx_matrix *matrix, ptx_matrix_part part, unsigned *bits);
unsigned ptx_matrix_elements(const ptx_matrix *matrix, ptx_matrix_part part); // of them, in a fragment

// The fragment of a part as its row of fragment.def has it: (thread, element) -> index, which counts rows of A and of the
// accumulators first, of B columns. False where there is none: of no form that ptx_matrix_of takes.
bool ptx_matrix_layout(const ptx_matrix *matrix, ptx_matrix_part part, base_layout *layout);

// The same for many questions. What a thread and what an element add to the index.
enum { PTX_FRAGMENT_THREADS = 128, PTX_FRAGMENT_ELEMENTS = 128 };
typedef struct ptx_fragment {
    bool by_row;     // B: the index counts columns first
    uint16_t across; // of the matrix: how many rows (B: columns)
    uint16_t thread[PTX_FRAGMENT_THREADS], element[PTX_FRAGMENT_ELEMENTS];
} ptx_fragment;
void ptx_fragment_of(const ptx_matrix *matrix, ptx_matrix_part part, ptx_fragment *fragment);
// Row and column, in the whole matrix of its part, of an element that a thread holds; of a sparse A, column among those that
// are stored. A lane is a thread of a warpgroup's first warp, which has its first 16 rows.
static inline void ptx_fragment_at(const ptx_fragment *f, unsigned thread, unsigned element, unsigned *row,
                                   unsigned *column) {
    unsigned index = (unsigned)f->thread[thread] + f->element[element];
    *row = f->by_row ? index / f->across : index % f->across;
    *column = f->by_row ? index % f->across : index / f->across;
}

// Where a register of A or B lies: its 8 rows (or columns) begin at 8 * block, its 16 bytes are piece `chunk` of them.
typedef struct ptx_matrix_place {
    uint8_t block, chunk;
} ptx_matrix_place;
ptx_matrix_place ptx_fragment_place(const ptx_fragment *fragment, unsigned bits, unsigned index);

// Whether blocks of an accumulator are held by columns: lane 4 g + t at column g, rows 2 t and 2 t + 1, not at row g.
bool ptx_fragment_is_turned(const ptx_fragment *accumulator);

// The lane and the nibble of its metadata register that say which two of a chunk of four (of two, of eight) elements row
// `row` of a sparse A holds; `selector` is the instruction's.
void ptx_matrix_metadata(const ptx_matrix *matrix, unsigned row, unsigned chunk, unsigned selector,
                         unsigned *lane, unsigned *nibble);
unsigned ptx_matrix_chunk(const ptx_matrix *matrix);     // elements of a chunk: 4, 2 for tf32, 8 for 4 bits
unsigned ptx_matrix_selectors(const ptx_matrix *matrix); // selectors that there are: 4, 2 or 1

// The rows of the table, for documents and tests: false past the end. n is 8 where a row has many.
typedef struct ptx_matrix_row {
    ptx_matrix matrix; // without types
    const char *a, *b, *sums;
    bool many_n;
} ptx_matrix_row;
bool ptx_matrix_row_at(unsigned index, ptx_matrix_row *row);

#endif
