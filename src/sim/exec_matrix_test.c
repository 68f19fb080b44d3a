// Products of tensor cores: every type and path against sums in integers, and against examples worked out by hand.
#include "base/base.h"
#include "sim/exec_matrix_oracle.h"
#include "sim/exec_oracle.h"
#include "unit.h"

// ---- a tile: 8 rows of A, 8 columns of B, as codes ------------------------------------------------------------------------

typedef struct test_tile {
    matrix_product product;
    uint32_t a[8][MATRIX_MOST_K], b[8][MATRIX_MOST_K];
    matrix_select select;
    uint32_t sum[8][8];
} test_tile;

static int terms_of(const test_tile *tile) {
    return tile->product.sparse ? tile->product.k / 2 : tile->product.k;
}

// A pattern of 2:4, 1:2 or pairs of 4:8, in order.
static void choose(test_tile *tile) {
    ptx_type type = tile->product.a;
    for (int i = 0; i < 8; i++)
        for (int t = 0; t < terms_of(tile); t++) {
            uint8_t *at = tile->select.at[i];
            if (type == PTX_TF32)
                at[t] = (uint8_t)(2 * t + random_in(0, 1));
            else if (type == PTX_S4 || type == PTX_U4)
                at[t] = (uint8_t)(t % 2   ? at[t - 1] + 1
                                  : t % 4 ? t / 4 * 8 + random_in(2, 3) * 2
                                          : t / 4 * 8 + random_in(0, 1) * 2);
            else
                at[t] = (uint8_t)(t / 2 * 4 + (t % 2 ? random_in(2, 3) : random_in(0, 1)));
        }
}

static void pack(const uint32_t codes[8][MATRIX_MOST_K], int count, unsigned bits,
                 matrix_core cores[MATRIX_CHUNKS]) {
    memset(cores, 0xff, MATRIX_CHUNKS * sizeof *cores); // what is past k must not matter
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < count; k++)
            for (unsigned bit = 0; bit < bits; bit++) {
                unsigned at = (unsigned)k * bits + bit;
                uint8_t *byte = &cores[at / 128].row[i][at % 128 / 8], mask = (uint8_t)(1 << at % 8);
                *byte = (uint8_t)(codes[i][k] >> bit & 1 ? *byte | mask : *byte & ~mask);
            }
}

static void unpack(const test_tile *tile, const sim_isa *set, matrix_side *a, matrix_side *b) {
    matrix_core cores[MATRIX_CHUNKS];
    const matrix_core *const chunks[MATRIX_CHUNKS] = {&cores[0], &cores[1], &cores[2], &cores[3]};
    pack(tile->a, terms_of(tile), ptx_type_bits(tile->product.a), cores);
    set->unpack_side(&tile->product, false, chunks, a);
    pack(tile->b, tile->product.k, ptx_type_bits(tile->product.b), cores);
    set->unpack_side(&tile->product, true, chunks, b);
}

// The same rows twice, as a tile of 16. `fast`: the exact path, which looks at the operands themselves, finds NaN.
static void multiply_twice(const test_tile *tile, const sim_isa *set, bool fast, uint32_t sum[8][8]) {
    matrix_core a[MATRIX_CHUNKS], b[MATRIX_CHUNKS];
    const matrix_core *const rows_of[2][2] = {{&a[0], &a[1]}, {&a[0], &a[1]}}, *const columns_of[] = {&b[0],
                                                                                                      &b[1]};
    matrix_rows rows;
    matrix_columns columns;
    uint32_t sums[4][32];
    uint32_t *const at[] = {sums[0], sums[1], sums[2], sums[3]};
    pack(tile->a, tile->product.k, ptx_type_bits(tile->product.a), a);
    pack(tile->b, tile->product.k, ptx_type_bits(tile->product.b), b);
    for (int i = 0; i < 128; i++) sums[i / 64 * 2 + i % 2][i / 2 % 32] = tile->sum[i / 8 % 8][i % 8];
    set->unpack_rows(&tile->product, rows_of, &rows);
    set->unpack_columns(&tile->product, columns_of, &columns);
    if (fast) memset(a, 0xff, sizeof a), memset(b, 0xff, sizeof b);
    set->multiply_tile(&tile->product, &rows, &columns, at);
    assert_memory_equal(sums[0], sums[2], sizeof sums[0]);
    assert_memory_equal(sums[1], sums[3], sizeof sums[1]);
    for (int i = 0; i < 64; i++) sum[i / 8][i % 8] = sums[i % 2][i / 2];
}

static void multiply(const test_tile *tile, const sim_isa *set, uint32_t sum[8][8]) {
    matrix_side a, b;
    unpack(tile, set, &a, &b);
    memcpy(sum, tile->sum, sizeof tile->sum);
    set->multiply_sides(&tile->product, &a, &b, tile->product.sparse ? &tile->select : NULL, sum);
    if (!set->multiply_tile || !sim_matrix_is_tiled(&tile->product)) return;
    uint32_t tiled[8][8];
    multiply_twice(tile, set, false, tiled);
    for (int i = 0; i < 64; i++)
        if (sum[i / 8][i % 8] != tiled[i / 8][i % 8])
            fail_msg("%s, %s, k %d: row %d, column %d is %08x, in a tile of 16 rows %08x", set->name,
                     ptx_type_name(tile->product.a), tile->product.k, i / 8, i % 8, sum[i / 8][i % 8],
                     tiled[i / 8][i % 8]);
}

static void check_tile(const test_tile *tile, uint32_t (*oracle)(const test_tile *, int, int),
                       const char *what) {
    for (const sim_isa *const *set = all_sets(); *set; set++) {
        uint32_t sum[8][8];
        multiply(tile, *set, sum);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                uint32_t wanted = oracle(tile, i, j);
                if (sum[i][j] != wanted)
                    fail_msg(
                        "%s, %s of %s by %s, k %d: row %d, column %d, %08x plus products is %08x, not %08x",
                        (*set)->name, what, ptx_type_name(tile->product.a), ptx_type_name(tile->product.b),
                        tile->product.k, i, j, tile->sum[i][j], sum[i][j], wanted);
            }
    }
}

// ---- floats ---------------------------------------------------------------------------------------------------------------

// An ordinary addition, to nearest.
static uint32_t add_apart(uint32_t x, uint32_t y, matrix_rounding rounding) {
    if (rounding != MATRIX_F16) {
        volatile float sum = oracle_f32(x) + oracle_f32(y);
        return (uint32_t)oracle_bits_f32(sum);
    }
    double sum = oracle_value(x, &oracle_f16) + oracle_value(y, &oracle_f16); // exact
    return oracle_code(sum, 0, &oracle_f16, TO_NEAREST, false);
}

static uint32_t float_dot(const test_tile *tile, int i, int j) {
    const matrix_product *product = &tile->product;
    const matrix_numerics *how = &product->how;
    int terms = terms_of(tile), steps = how->apart ? 2 : terms > how->terms ? terms / how->terms : 1;
    uint32_t sum = how->apart ? 0 : tile->sum[i][j];
    for (int step = 0; step < steps; step++) {
        oracle_terms add = {0};
        for (int t = 0; t < terms; t++) {
            if (how->apart ? t % 4 / 2 != step : t / (terms / steps) != step) continue;
            oracle_number *a = &add.a[add.count], *b = &add.b[add.count];
            *a = oracle_read(product->a, tile->a[i][t]);
            *b = oracle_read(product->b, tile->b[j][product->sparse ? tile->select.at[i][t] : t]);
            if (how->apart) oracle_normalise(a), oracle_normalise(b);
            add.count++;
        }
        sum = oracle_step(how, &add, sum);
    }
    return how->apart ? add_apart(tile->sum[i][j], sum, how->rounding) : sum;
}

// What a class of inputs is made of: ranges of exponents (clamped to the format's), and one in so many that is something else.
typedef struct inputs {
    const char *name;
    int low, high, sum_low, sum_high;
    int zero, zero_sum, special, subnormal;
    enum { ANY, FEW_BITS, ALL_ONES } fraction;
    bool cancels, one_sign, at_floor, at_limit;
} inputs;

static const inputs classes[] = {
    {"narrow", -2, 2, -4, 4, .zero = 50, .zero_sum = 20},
    {"mid", -8, 8, -20, 20, .zero = 50, .zero_sum = 20},
    {"full range", -140, 140, -150, 140, .zero = 20, .zero_sum = 10},
    {"far below 1", -140, -90, -150, -100, .zero = 20, .zero_sum = 3},
    {"subnormals", -20, 2, -150, 2, .zero = 10, .zero_sum = 4, .subnormal = 2},
    {"mostly zeros", -6, 6, -12, 12, .zero = -4, .zero_sum = 3},
    {"signed zeros", -1, 1, -1, 1, .zero = 2, .zero_sum = 2},
    {"only zeros", 0, 0, -149, -120, .zero = 1, .zero_sum = 2},
    {"cancellation", -4, 4, -30, 2, .zero = 50, .zero_sum = 3, .cancels = true},
    {"ties", -14, 2, -14, 2, .zero = -4, .zero_sum = 2, .fraction = FEW_BITS},
    {"the greatest sums", 0, 0, -1, 1, .fraction = ALL_ONES, .one_sign = true},
    {"near the floor", -8, 8, -16, 16, .zero = 3, .zero_sum = 3, .at_floor = true},
    {"overflow", -3, 3, -2, 0, .zero_sum = 4, .at_limit = true},
    {"infinities and NaN", -4, 4, -4, 4, .zero = 8, .zero_sum = 8, .special = 40},
};

static uint32_t infinity_or_nan(ptx_type type, uint32_t sign) {
    bool nan = one_in(3);
    switch (type) {
    case PTX_F16: return sign << 15 | 0x7c00 | (nan ? 1 + random_bits() % 0x3ff : 0);
    case PTX_BF16: return sign << 15 | 0x7f80 | (nan ? 1 + random_bits() % 0x7f : 0);
    case PTX_E4M3: return sign << 7 | 0x7f;
    case PTX_E5M2: return sign << 7 | 0x7c | (nan ? 1 + random_bits() % 3 : 0);
    default:
        return sign << 31 | 0x7f800000 | (nan ? random_bits() & 0x7fffff : type == PTX_TF32 ? 0x1fff : 0);
    }
}

// Widths of exponent and fraction, and where the code's bits begin.
typedef struct layout {
    int width, fraction, unused;
} layout;

static layout layout_of(ptx_type type) {
    switch (type) {
    case PTX_F16: return (layout){5, 10, 0};
    case PTX_BF16: return (layout){8, 7, 0};
    case PTX_TF32: return (layout){8, 10, 13};
    case PTX_E4M3: return (layout){4, 3, 0};
    case PTX_E5M2: return (layout){5, 2, 0};
    default: return (layout){8, 23, 0};
    }
}

static uint32_t draw_number(ptx_type type, const inputs *from, uint32_t sign, int exponent) {
    layout format = layout_of(type);
    int bias = (1 << (format.width - 1)) - 1, field = exponent + bias;
    int most = (1 << format.width) - (type == PTX_E4M3 ? 1 : 2);
    uint32_t ones = (1u << format.fraction) - 1, fraction = random_bits() & ones;
    if (from->fraction == FEW_BITS) fraction &= random_bits() & random_bits() & random_bits();
    if (from->fraction == ALL_ONES) fraction = ones;
    if (one_in(from->subnormal)) field = 0;
    if (field > most) field = most;
    if (field < -format.fraction) field = -format.fraction;
    if (field < 0) fraction = (fraction | 1u << format.fraction) >> (1 - field), field = 0;
    if (type == PTX_E4M3 && field == most && fraction == ones) fraction--;
    uint32_t code = sign << (format.width + format.fraction) | (uint32_t)field << format.fraction | fraction;
    return code << format.unused | (random_bits() & ((1u << format.unused) - 1));
}

static uint32_t draw(ptx_type type, const inputs *from, uint32_t sign, int zero, int low, int high) {
    layout format = layout_of(type);
    if (one_in(from->special)) return infinity_or_nan(type, sign);
    if (zero < 0 ? !one_in(-zero) : one_in(zero))
        return sign << (format.width + format.fraction + format.unused);
    return draw_number(type, from, sign, random_in(low, high));
}

static int offset_of(const test_tile *tile, const inputs *from) {
    const matrix_numerics *how = &tile->product.how;
    if (from->at_floor) return how->floor / 2;
    return !from->at_limit ? 0 : how->rounding == MATRIX_F16 ? 6 : 62;
}

static void fill(test_tile *tile, const inputs *from) {
    ptx_type sums = tile->product.how.rounding == MATRIX_F16 ? PTX_F16 : PTX_F32;
    int offset = offset_of(tile, from), terms = terms_of(tile);
    int of_sums = from->at_limit ? (sums == PTX_F16 ? 15 : 127) : 2 * offset;
    for (int i = 0; i < 8; i++) {
        uint32_t row_sign = random_bits() & 1, column_sign = random_bits() & 1;
        for (int k = 0; k < tile->product.k; k++) {
            uint32_t a = from->one_sign ? row_sign : random_bits() & 1,
                     b = from->one_sign ? column_sign : random_bits() & 1;
            tile->a[i][k] =
                draw(tile->product.a, from, a, from->zero, offset + from->low, offset + from->high);
            tile->b[i][k] =
                draw(tile->product.b, from, b, from->zero, offset + from->low, offset + from->high);
        }
        for (int j = 0; j < 8; j++)
            tile->sum[i][j] = draw(sums, from, random_bits() & 1, from->zero_sum, of_sums + from->sum_low,
                                   of_sums + from->sum_high);
        uint32_t minus = 1u << (ptx_type_bits(tile->product.a) - 1);
        if (from->cancels && !tile->product.sparse)
            for (int k = 0; k < terms / 2; k++) {
                tile->a[i][terms / 2 + k] = tile->a[i][k] ^ minus;
                tile->b[i][terms / 2 + k] = tile->b[i][k];
            }
        if (from->cancels) tile->a[i][random_in(0, terms - 1)] ^= random_bits() & 1 ? minus : 1;
    }
    choose(tile);
}

// Forms of instructions: their numerics are those of an architecture.
typedef struct test_form {
    int sm;
    bool wgmma;
    ptx_type a, b, d;
    uint16_t k;
    bool sparse;
} test_form;

static const test_form forms[] = {
    {90, false, PTX_F16, PTX_F16, PTX_F32, 16, false},   {90, false, PTX_F16, PTX_F16, PTX_F32, 8, false},
    {90, false, PTX_F16, PTX_F16, PTX_F16, 16, false},   {90, false, PTX_F16, PTX_F16, PTX_F16, 8, false},
    {90, false, PTX_BF16, PTX_BF16, PTX_F32, 16, false}, {90, false, PTX_BF16, PTX_BF16, PTX_F32, 8, false},
    {90, false, PTX_TF32, PTX_TF32, PTX_F32, 8, false},  {90, false, PTX_TF32, PTX_TF32, PTX_F32, 4, false},
    {90, false, PTX_E4M3, PTX_E4M3, PTX_F32, 32, false}, {90, false, PTX_E5M2, PTX_E4M3, PTX_F32, 16, false},
    {90, false, PTX_E4M3, PTX_E5M2, PTX_F16, 32, false}, {90, false, PTX_E5M2, PTX_E5M2, PTX_F16, 16, false},
    {90, false, PTX_F16, PTX_F16, PTX_F32, 32, true},    {90, false, PTX_F16, PTX_F16, PTX_F32, 16, true},
    {90, false, PTX_F16, PTX_F16, PTX_F16, 32, true},    {90, false, PTX_BF16, PTX_BF16, PTX_F32, 32, true},
    {90, false, PTX_TF32, PTX_TF32, PTX_F32, 16, true},  {90, false, PTX_TF32, PTX_TF32, PTX_F32, 8, true},
    {90, false, PTX_E4M3, PTX_E4M3, PTX_F32, 64, true},  {90, false, PTX_E4M3, PTX_E5M2, PTX_F16, 64, true},
    {90, true, PTX_E4M3, PTX_E4M3, PTX_F32, 32, false},  {90, true, PTX_E5M2, PTX_E4M3, PTX_F32, 32, false},
    {90, true, PTX_E4M3, PTX_E4M3, PTX_F16, 32, false},  {90, true, PTX_E5M2, PTX_E5M2, PTX_F16, 32, false},
    {90, true, PTX_E4M3, PTX_E4M3, PTX_F32, 64, true},   {90, true, PTX_BF16, PTX_BF16, PTX_F32, 16, false},
    {90, true, PTX_TF32, PTX_TF32, PTX_F32, 8, false},   {90, true, PTX_F16, PTX_F16, PTX_F16, 16, false},
    {89, false, PTX_E4M3, PTX_E5M2, PTX_F32, 32, false}, {89, false, PTX_E5M2, PTX_E5M2, PTX_F16, 32, false},
    {80, false, PTX_F16, PTX_F16, PTX_F32, 16, false},   {80, false, PTX_F16, PTX_F16, PTX_F16, 16, false},
    {86, false, PTX_BF16, PTX_BF16, PTX_F32, 16, false}, {80, false, PTX_TF32, PTX_TF32, PTX_F32, 8, false},
    {80, false, PTX_BF16, PTX_BF16, PTX_F32, 32, true},  {75, false, PTX_F16, PTX_F16, PTX_F32, 8, false},
    {75, false, PTX_F16, PTX_F16, PTX_F16, 8, false},    {70, false, PTX_F16, PTX_F16, PTX_F32, 4, false},
};

static void begin(test_tile *tile, const test_form *form) {
    tile->product = (matrix_product){.a = form->a, .b = form->b, .k = form->k, .sparse = form->sparse};
    assert_true(sim_matrix_numerics(form->sm, form->wgmma, form->a, form->d, &tile->product.how));
}

static void floats_add_as_integers_do(void **state) {
    static test_tile tile;
    for (size_t f = 0; f < BASE_COUNT(forms); f++)
        for (size_t c = 0; c < BASE_COUNT(classes); c++)
            for (int repeat = 0; repeat < 12; repeat++) {
                begin(&tile, &forms[f]);
                fill(&tile, &classes[c]);
                check_tile(&tile, float_dot, classes[c].name);
            }
}

// ---- integers ---------------------------------------------------------------------------------------------------------------

static int64_t integer_of(ptx_type type, uint32_t code) {
    switch (type) {
    case PTX_S8: return (int8_t)code;
    case PTX_S4: return code < 8 ? (int64_t)code : (int64_t)code - 16;
    default: return code;
    }
}

static uint32_t integer_dot(const test_tile *tile, int i, int j) {
    const matrix_product *product = &tile->product;
    int64_t sum = (int32_t)tile->sum[i][j];
    for (int t = 0; t < terms_of(tile); t++) {
        uint32_t a = tile->a[i][t], b = tile->b[j][product->sparse ? tile->select.at[i][t] : t];
        if (product->bits == MATRIX_XOR_POPC)
            sum += a ^ b;
        else
            sum += integer_of(product->a, a) * integer_of(product->b, b);
    }
    if (product->saturate && sum > INT32_MAX) sum = INT32_MAX;
    if (product->saturate && sum < INT32_MIN) sum = INT32_MIN;
    return (uint32_t)(uint64_t)sum;
}

static uint32_t draw_integer(uint32_t ones, bool extreme) {
    if (!extreme) return random_bits() & ones;
    return one_in(3) ? ones : ones / 2 + one_in(2);
}

// Elements are the extremes at times, and accumulators near the limits.
static void fill_integers(test_tile *tile) {
    uint32_t ones = (1u << ptx_type_bits(tile->product.a)) - 1;
    bool extreme = one_in(3);
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < tile->product.k; k++) {
            tile->a[i][k] = draw_integer(ones, extreme);
            tile->b[i][k] = draw_integer(ones, extreme);
        }
        for (int j = 0; j < 8; j++) {
            uint32_t small = random_bits() & 0xffff;
            tile->sum[i][j] = one_in(2) ? random_bits() : one_in(2) ? INT32_MAX - small : 0x80000000u + small;
        }
    }
    choose(tile);
}

static void check_integers(ptx_type a, ptx_type b, uint16_t k, bool sparse, matrix_bits bits) {
    static test_tile tile;
    for (int repeat = 0; repeat < 12; repeat++) {
        tile.product =
            (matrix_product){.a = a, .b = b, .k = k, .sparse = sparse, .saturate = repeat % 2, .bits = bits};
        fill_integers(&tile);
        check_tile(&tile, integer_dot, repeat % 2 ? "saturated sums" : "sums");
    }
}

static void integers_are_exact(void **state) {
    static const ptx_type eight[] = {PTX_S8, PTX_U8}, four[] = {PTX_S4, PTX_U4};
    for (int mix = 0; mix < 4; mix++) {
        ptx_type a8 = eight[mix % 2], b8 = eight[mix / 2], a4 = four[mix % 2], b4 = four[mix / 2];
        check_integers(a8, b8, 16, false, MATRIX_NO_BITS);
        check_integers(a8, b8, 32, false, MATRIX_NO_BITS);
        check_integers(a8, b8, 32, true, MATRIX_NO_BITS);
        check_integers(a8, b8, 64, true, MATRIX_NO_BITS);
        check_integers(a4, b4, 32, false, MATRIX_NO_BITS);
        check_integers(a4, b4, 64, false, MATRIX_NO_BITS);
        check_integers(a4, b4, 64, true, MATRIX_NO_BITS);
        check_integers(a4, b4, 128, true, MATRIX_NO_BITS);
    }
}

// Bits have no saturation.
static void bits_are_counted(void **state) {
    static test_tile tile;
    static const uint16_t lengths[] = {128, 256};
    for (int i = 0; i < 8; i++) {
        tile.product = (matrix_product){.a = PTX_B1,
                                        .b = PTX_B1,
                                        .k = lengths[i / 2 % 2],
                                        .bits = i % 2 ? MATRIX_XOR_POPC : MATRIX_AND_POPC};
        fill_integers(&tile);
        check_tile(&tile, integer_dot, "counts");
    }
}

// ---- examples worked out by hand --------------------------------------------------------------------------------------------

// Up to three terms a * b, as doubles, and an accumulator; all else is zero.
typedef struct test_example {
    const char *why;
    test_form form;
    double a[3], b[3];
    uint32_t sum, wanted;
} test_example;

#define F16_F32                                                                                              \
    { 90, false, PTX_F16, PTX_F16, PTX_F32, 16, false }
#define F16_F16                                                                                              \
    { 90, false, PTX_F16, PTX_F16, PTX_F16, 16, false }
#define BF16_F32                                                                                             \
    { 90, false, PTX_BF16, PTX_BF16, PTX_F32, 16, false }
#define AMPERE                                                                                               \
    { 80, false, PTX_F16, PTX_F16, PTX_F32, 8, false }
#define FP8_WGMMA                                                                                            \
    { 90, true, PTX_E5M2, PTX_E5M2, PTX_F32, 32, false }
#define MIXED_WGMMA                                                                                          \
    { 90, true, PTX_E4M3, PTX_E5M2, PTX_F32, 32, false }
#define MIXED_MMA                                                                                            \
    { 90, false, PTX_E4M3, PTX_E5M2, PTX_F32, 32, false }
#define FP8_MMA                                                                                              \
    { 90, false, PTX_E5M2, PTX_E5M2, PTX_F32, 32, false }

static const test_example examples[] = {
    {"1 + 2", F16_F32, {1}, {2}, 0x3f800000, 0x40400000},
    {"25 bits below the greatest are kept: 1 + 2^-25 - 1",
     F16_F32,
     {1, 0x1p-12},
     {1, 0x1p-13},
     0xbf800000,
     0x33000000},
    {"a 26th is not: 1 + 2^-26 - 1", F16_F32, {1, 0x1p-13}, {1, 0x1p-13}, 0xbf800000, 0},
    {"Ampere keeps 24", AMPERE, {1, 0x1p-12}, {1, 0x1p-12}, 0xbf800000, 0x33800000},
    {"and no 25th", AMPERE, {1, 0x1p-12}, {1, 0x1p-13}, 0xbf800000, 0},
    {"towards zero: 1 + 2^-23 - 2^-25", F16_F32, {0x1p-12}, {-0x1p-13}, 0x3f800001, 0x3f800000},
    {"a sum of -0 is +0", F16_F32, {-0.0}, {1}, 0x80000000, 0},
    {"what is cut off to nothing is +0",
     F16_F32,
     {0x1p8, -0x1p8, -0x1p-9},
     {0x1p8, 0x1p8, 0x1p-9},
     0x80000000,
     0x00000000},
    {"an accumulator alone", F16_F32, {0}, {1}, 0x80000001, 0x80000001},
    {"the largest f32, and more", BF16_F32, {0x1p100}, {0x1p27}, 0x7f7fffff, 0x7f800000},
    {"infinite terms that are not: 2^128 - 2^127", BF16_F32, {0x1p64}, {0x1p64}, 0xff000000, 0x7f000000},
    {"f32's subnormals", BF16_F32, {0x1p-75, 0x1p-76}, {0x1p-76, 0x1p-74}, 0, 0x00000000},
    {"and more of them", BF16_F32, {0x1p-75, 0x1p-75}, {0x1p-75, 0x1p-75}, 0, 0x00000001},
    {"f16: to nearest even, up", F16_F16, {0x1p-11}, {1}, 0x3c01, 0x3c02},
    {"and down", F16_F16, {0x1p-11}, {1}, 0x3c00, 0x3c00},
    {"with a term far below the tie", F16_F16, {0x1p-11, 0x1p-12}, {1, 0x1p-12}, 0x3c00, 0x3c01},
    {"f16 overflows at a tie", F16_F16, {16}, {1}, 0x7bff, 0x7c00},
    {"and below it does not", F16_F16, {15}, {1}, 0x7bff, 0x7bff},
    {"the floor of f16 is 2^-21: 2^-46 still counts",
     F16_F16,
     {0x1p-12, 0x1p-23},
     {0x1p-13, 0x1p-23},
     0,
     0x0001},
    {"2^-47 does not", F16_F16, {0x1p-12, 0x1p-23}, {0x1p-13, 0x1p-24}, 0, 0x0000},
    {"fp8 keeps 13 bits: 1 + 2^-13 - 1", FP8_WGMMA, {1, 0x1p-6}, {1, 0x1p-7}, 0xbf800000, 0x39000000},
    {"and no 14th", FP8_WGMMA, {1, 0x1p-7}, {1, 0x1p-7}, 0xbf800000, 0},
    {"and of the result 14", FP8_WGMMA, {0}, {0}, 0x3f800600, 0x3f800400},
    {"fp8 of mma adds the accumulator to nearest", FP8_MMA, {0x1p-12}, {0x1p-12}, 0x3f800001, 0x3f800002},
    {"and its products in two steps: 2^-25 is lost between them",
     FP8_MMA,
     {1, 0x1p-12, -1},
     {1, 0x1p-13, 1},
     0,
     0},
    {"and e4m3's subnormals are normal there", MIXED_MMA, {0x1p-9, 0x1p-3}, {0x1p15, 0x1p-14}, 0, 0x42800001},
    {"which they are not for a warpgroup", MIXED_WGMMA, {0x1p-9, 0x1p-3}, {0x1p8, 0x1p-9}, 0, 0x3f000000},
};

static uint32_t code_of(ptx_type type, double x) {
    switch (type) {
    case PTX_F16: return oracle_code(x, 0, &oracle_f16, TO_NEAREST, false);
    case PTX_BF16: return oracle_code(x, 0, &oracle_bf16, TO_NEAREST, false);
    case PTX_E4M3: return oracle_code(x, 0, &oracle_e4m3, TO_NEAREST, false);
    default: return oracle_code(x, 0, &oracle_e5m2, TO_NEAREST, false);
    }
}

static void examples_by_hand(void **state) {
    static test_tile tile;
    for (size_t e = 0; e < BASE_COUNT(examples); e++) {
        const test_example *example = &examples[e];
        memset(&tile, 0, sizeof tile);
        begin(&tile, &example->form);
        for (int t = 0; t < 3; t++) {
            tile.a[2][t] = code_of(example->form.a, example->a[t]);
            tile.b[5][t] = code_of(example->form.b, example->b[t]);
        }
        tile.sum[2][5] = example->sum;
        for (const sim_isa *const *set = all_sets(); *set; set++) {
            uint32_t sum[8][8];
            multiply(&tile, *set, sum);
            if (sum[2][5] != example->wanted)
                fail_msg("%s: %s: %08x, not %08x", (*set)->name, example->why, sum[2][5], example->wanted);
        }
        assert_int_equal(float_dot(&tile, 2, 5), example->wanted);
    }
}

// ---- the fast path ----------------------------------------------------------------------------------------------------------

// Whether it computed all of it.
static bool is_fast(const test_tile *tile, const sim_isa *set) {
    matrix_multiply_some *fast = sim_multiply_fast_portable;
    matrix_side a, b;
    uint8_t left[8];
    uint64_t any;
    uint32_t sum[8][8];
#ifdef SIM_HAS_AVX2
    if (set == &sim_isa_avx2 || set == &sim_isa_avx512) fast = sim_multiply_fast_avx2;
#endif
    unpack(tile, set, &a, &b);
    memcpy(sum, tile->sum, sizeof sum);
    memset(left, 0xff, sizeof left);
    if (!a.exact_only && !b.exact_only) fast(&tile->product, &a, &b, &tile->select, left, sum);
    memcpy(&any, left, sizeof any);
    return any == 0;
}

static bool is_fast_in_tiles(const test_tile *tile, const sim_isa *set) {
    uint32_t sum[8][8], tiled[8][8];
    if (!set->multiply_tile || !sim_matrix_is_tiled(&tile->product)) return true;
    multiply(tile, set, sum);
    multiply_twice(tile, set, true, tiled);
    return !memcmp(sum, tiled, sizeof sum);
}

static void check_fast(const test_form *form, const inputs *from) {
    static test_tile tile;
    begin(&tile, form);
    fill(&tile, from);
    for (const sim_isa *const *set = all_sets(); *set; set++)
        if (!is_fast(&tile, *set) || !is_fast_in_tiles(&tile, *set))
            fail_msg("%s: %s of %s, k %d", (*set)->name, from->name, ptx_type_name(form->a), form->k);
}

// Otherwise the others would compare the exact path with itself.
static void usual_values_take_the_fast_path(void **state) {
    static const char *const usual[] = {"narrow", "signed zeros", "cancellation", "mid", "mostly zeros"};
    for (size_t f = 0; f < BASE_COUNT(forms); f++)
        for (size_t c = 0; c < BASE_COUNT(classes); c++)
            for (size_t u = 0; u < BASE_COUNT(usual); u++) {
                if (forms[f].d == PTX_F16 && u > 2) continue; // f16 overflows
                if (!strcmp(classes[c].name, usual[u])) check_fast(&forms[f], &classes[c]);
            }
}

static void the_rounding_stays_as_it_was(void **state) {
    static test_tile tile;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD};
    for (const sim_isa *const *set = all_sets(); *set; set++)
        for (size_t m = 0; m < BASE_COUNT(modes); m++) {
            uint32_t sum[8][8];
            begin(&tile, &forms[0]);
            fill(&tile, &classes[0]);
            fesetround(modes[m]);
            multiply(&tile, *set, sum);
            int after = fegetround();
            fesetround(FE_TONEAREST);
            assert_int_equal(after, modes[m]);
        }
}

static void only_what_there_is_has_numerics(void **state) {
    matrix_numerics how;
    assert_false(sim_matrix_numerics(60, false, PTX_F16, PTX_F32, &how));
    assert_false(sim_matrix_numerics(75, false, PTX_BF16, PTX_F32, &how));
    assert_false(sim_matrix_numerics(80, true, PTX_F16, PTX_F32, &how));
    assert_false(sim_matrix_numerics(86, false, PTX_E4M3, PTX_F32, &how));
    assert_false(sim_matrix_numerics(90, false, PTX_BF16, PTX_F16, &how));
    assert_false(sim_matrix_numerics(100, false, PTX_F16, PTX_F32, &how));
    assert_true(sim_matrix_numerics(87, false, PTX_TF32, PTX_F32, &how));
    assert_int_equal(how.terms, 4);
    assert_true(sim_matrix_numerics(90, false, PTX_E5M2, PTX_F32, &how));
    assert_true(how.apart);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_by_hand),
        cmocka_unit_test(floats_add_as_integers_do),
        cmocka_unit_test(usual_values_take_the_fast_path),
        cmocka_unit_test(the_rounding_stays_as_it_was),
        cmocka_unit_test(only_what_there_is_has_numerics),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(bits_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
