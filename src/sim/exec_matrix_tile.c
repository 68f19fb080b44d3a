// Products of floats of 16 bits and of tf32, 16 rows by 8 columns at once, with the accumulator where it lies: in the registers of a warp.
//
// A register of the accumulator has 8 rows of four even columns, or of four odd ones. A vector is some of its lanes: two rows
// or four, of four columns. So B's columns are kept in that order, even before odd, and A's elements four times.
//
// The arithmetic is that of exec_matrix_fast.c. Exponents are bytes here: how far an element is below the greatest exponent of
// its side, at most SMALL, and NOTHING for a zero. A term's is the sum of two, and the least of a step's terms is its own.
// Left to the exact path: infinities and NaN, sums whose exponent is near the limits of f32, and those whose terms are all
// FAR below the greatest of both sides.
#include "sim/exec_matrix_tile.h"

#ifdef __AVX2__

// ---- products ----------------------------------------------------------------------------------------------

typedef struct tile_form {
    const matrix_rows *rows;
    const matrix_columns *columns;
    int fraction;
    int top;     // the exponent, with a bias of 127, that distances are below
    int rescale; // what values were multiplied by: 2^rescale
    bool wide;
    uint32_t *left; // [SUMS]: lanes
} tile_form;

// The least distance of the terms: of the even columns, then of the odd ones.
LANES_INLINE void find_nearest(const tile_form *form, int first, int count, uint8_t near[2][TILE_LANES]) {
    enum { BYTES = 4 * LANES, VECTORS = TILE_LANES / BYTES };
    words least[2][VECTORS];
#pragma GCC unroll 2
    for (int v = 0; v < VECTORS; v++) least[0][v] = least[1][v] = every_byte(NOTHING);
#pragma GCC unroll 4
    for (int k = first; k < first + count; k++) {
        int32_t even, odd;
        memcpy(&even, &form->columns->distance[k][0], sizeof even);
        memcpy(&odd, &form->columns->distance[k][4], sizeof odd);
#pragma GCC unroll 2
        for (int v = 0; v < VECTORS; v++) {
            words row = load(&form->rows->distance[k][BYTES * v]);
            least[0][v] = least_bytes(least[0][v], add_bytes(row, all(even)));
            least[1][v] = least_bytes(least[1][v], add_bytes(row, all(odd)));
        }
    }
#pragma GCC unroll 2
    for (int v = 0; v < VECTORS; v++) {
        store(&near[0][BYTES * v], least[0][v]);
        store(&near[1][BYTES * v], least[1][v]);
    }
}

typedef struct tile_step {
    words old, accumulator; // as it is, and as an integer
    words scale;            // of the accumulator
    floats product_scale;
    unsigned left;
} tile_step;

LANES_INLINE tile_step align(const tile_form *form, words old, const uint8_t *near, unsigned left) {
    tile_step step = {.old = old, .left = left};
    words distance = widen_bytes(near), exponent = shift_right(shift_left(old, 1), 24);
    truths far = exceeds(distance, FAR);
    words most = greater(exponent, zero_where(far, subtract(all(form->top), distance)));
    // Sums of at most 31 bits are normal numbers then, and the scales are too.
    truths outside = exceeds(magnitude(subtract(most, all(form->fraction + 112))), 111);
    unsigned rare = bits_of(far) | bits_of(outside);
    if (__builtin_expect(rare != 0, 0)) { // all right where there are no products, or nothing at all
        unsigned nothing = bits_of(equals(distance, NOTHING));
        unsigned zero = nothing & bits_of(equals(shift_left(old, 1), 0));
        step.left |= (bits_of(far) & ~nothing) | (bits_of(outside) & ~zero);
    }
    step.scale = shift_left(subtract(all(254 + form->fraction), most), 23);
    step.accumulator = truncate(times(as_floats(old), as_floats(step.scale)));
    step.product_scale = as_floats(step.scale);
    if (form->wide) {
        words field = subtract(all(127 + form->fraction + form->top - form->rescale), most);
        step.product_scale = as_floats(zero_where(far, shift_left(greater(field, all(0)), 23)));
    }
    return step;
}

LANES_INLINE words finish(tile_step *step, words products) {
    words sum = add(products, step->accumulator);
    step->left |= overflows(sum, products, step->accumulator);
    // The exponents of what the scale multiplied, taken away again.
    words result = subtract(add(cut_off(sum), all(127 << 23)), step->scale);
    result = zero_where(equals(sum, 0), result);
    if (__builtin_expect(step->left != 0, 0)) result = choose(step->left, step->old, result);
    return result;
}

// Two vectors of rows, the even and the odd columns of each.
LANES_INLINE void add_terms(const tile_form *form, int first, int count, int at, const tile_step step[4],
                            words sum[4]) {
#pragma GCC unroll 4
    for (int x = 0; x < 4; x++) sum[x] = all(0);
#pragma GCC unroll 4
    for (int k = first; k < first + count; k++) {
        floats even = four_floats(&form->columns->value[k][0]),
               odd = four_floats(&form->columns->value[k][4]);
        floats one = load_floats(&form->rows->value[k][at]),
               two = load_floats(&form->rows->value[k][at + LANES]);
        sum[0] = add(sum[0], truncate(times(times(one, even), step[0].product_scale)));
        sum[1] = add(sum[1], truncate(times(times(one, odd), step[1].product_scale)));
        sum[2] = add(sum[2], truncate(times(times(two, even), step[2].product_scale)));
        sum[3] = add(sum[3], truncate(times(times(two, odd), step[3].product_scale)));
    }
}

LANES_INLINE void add_step(const tile_form *form, int first, int count, const uint32_t *const from[SUMS],
                           uint32_t *const to[SUMS]) {
    uint8_t near[2][TILE_LANES];
    find_nearest(form, first, count, near);
    for (int at = 0; at < TILE_LANES; at += 2 * LANES) {
        tile_step step[4];
        words sum[4];
#pragma GCC unroll 4
        for (int x = 0; x < 4; x++) {
            int lane = at + x / 2 * LANES, pair = lane / 32 * 2 + x % 2;
            unsigned left = form->left[pair] >> lane % 32 & ((1u << LANES) - 1);
            step[x] = align(form, load(from[pair] + lane % 32), &near[x % 2][lane], left);
        }
        add_terms(form, first, count, at, step, sum);
#pragma GCC unroll 4
        for (int x = 0; x < 4; x++) {
            int lane = at + x / 2 * LANES, pair = lane / 32 * 2 + x % 2;
            store(to[pair] + lane % 32, finish(&step[x], sum[x]));
            form->left[pair] |= step[x].left << lane % 32;
        }
    }
}

// Not inlined, for nothing may move across a change of the rounding.
#define ADD_STEP(name, count, is_wide)                                                                       \
    static __attribute__((noinline)) void name(const tile_form *given, int first,                            \
                                               const uint32_t *const from[SUMS], uint32_t *const to[SUMS]) { \
        tile_form form = *given;                                                                             \
        form.wide = is_wide; /* known to the compiler */                                                     \
        add_step(&form, first, count, from, to);                                                             \
    }
ADD_STEP(add_16, 16, false)
ADD_STEP(add_16_wide, 16, true)
ADD_STEP(add_8, 8, false)
ADD_STEP(add_8_wide, 8, true)

// ---- what is left ------------------------------------------------------------------------------------------

// Rows and columns with infinities or NaN: element 2 t + e of row g is lane 4 g + t of register e.
static void leave_special(const matrix_rows *rows, const matrix_columns *columns, uint32_t left[SUMS]) {
    for (int pair = 0; pair < SUMS; pair++)
        for (int lane = 0; lane < 32; lane++)
            if (rows->special >> (pair / 2 * 8 + lane / 4) & 1 ||
                columns->special >> (lane % 4 * 2 + pair % 2) & 1)
                left[pair] |= 1u << lane;
}

static void finish_exactly(const matrix_product *product, const matrix_rows *rows,
                           const matrix_columns *columns, const uint32_t left[SUMS],
                           uint32_t *const sums[SUMS]) {
    matrix_side a, b;
    sim_unpack_floats_portable(product, true, columns->core, &b);
    for (int block = 0; block < 2; block++) {
        uint32_t sum[8][8];
        uint8_t lanes[8] = {0};
        for (int i = 0; i < 64; i++) {
            int pair = 2 * block + i % 2, lane = i / 2;
            sum[i / 8][i % 8] = sums[pair][lane];
            lanes[i / 8] |= (uint8_t)((left[pair] >> lane & 1) << i % 8);
        }
        if (!(left[2 * block] | left[2 * block + 1])) continue;
        sim_unpack_floats_portable(product, false, rows->core[block], &a);
        sim_multiply_exactly_portable(product, &a, &b, NULL, lanes, sum);
        for (int i = 0; i < 64; i++) sums[2 * block + i % 2][i / 2] = sum[i / 8][i % 8];
    }
}

// Several steps, in a copy: what is left must be as it was.
static void add_steps(const tile_form *form,
                      void (*step)(const tile_form *, int, const uint32_t *const *, uint32_t *const *),
                      int terms, int count, uint32_t *const sums[SUMS]) {
    uint32_t copies[SUMS][32];
    uint32_t *const to[SUMS] = {copies[0], copies[1], copies[2], copies[3]};
    for (int i = 0; i < SUMS; i++) memcpy(copies[i], sums[i], sizeof copies[i]);
    for (int first = 0; first < terms; first += count) step(form, first, (const uint32_t *const *)to, to);
    for (int i = 0; i < SUMS; i++)
        for (int lane = 0; lane < 32; lane++)
            if (!(form->left[i] >> lane & 1)) sums[i][lane] = copies[i][lane];
}

void SIM_NAME(sim_multiply_tile)(const matrix_product *product, const matrix_rows *rows,
                                 const matrix_columns *columns, uint32_t *const sums[SUMS]) {
    static void (*const steps[2][2])(const tile_form *, int, const uint32_t *const *,
                                     uint32_t *const *) = {{add_8, add_8_wide}, {add_16, add_16_wide}};
    bool wide = tile_is_wide(product);
    int terms = product->k, count = matrix_step(product);
    uint32_t left[SUMS] = {0};
    tile_form form = {.rows = rows,
                      .columns = columns,
                      .fraction = product->how.fraction,
                      .top = wide ? rows->top + columns->top - 127 : 2 * 15 + 127,
                      .rescale = 2,
                      .wide = wide,
                      .left = left};
    if (rows->special | columns->special) leave_special(rows, columns, left);
#ifndef __AVX512BW__
    unsigned saved = _mm_getcsr();
    _mm_setcsr(0x7f80); // towards zero; nothing traps, nothing is flushed
#endif
    if (count == terms)
        steps[count == 16][wide](&form, 0, (const uint32_t *const *)sums, sums);
    else
        add_steps(&form, steps[count == 16][wide], terms, count, sums);
#ifndef __AVX512BW__
    _mm_setcsr(saved);
#endif
    if (left[0] | left[1] | left[2] | left[3]) finish_exactly(product, rows, columns, left, sums);
}

#endif
