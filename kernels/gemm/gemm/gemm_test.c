// gemm: whom kz_gemm_open gives a problem to, what it refuses, and results that no case of the table has: alpha 0, NaN in c,
// addresses, offsets that lie.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "tune.h"
#include "unit.h"

// ---- a problem on the simulator ------------------------------------------------------------------------------

static kz_device *open_device(const char *id) {
    kz_device *device;
    kz_error error = {0};
    assert_int_equal(kz_device_open(id, &device, &error), KZ_OK);
    return device;
}

static kz_ptr put(kz_device *device, const void *data, size_t bytes) {
    kz_ptr at;
    assert_int_equal(kz_memory_alloc(device, bytes, &at, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, at, data, bytes, NULL), KZ_OK);
    return at;
}

// Runs it, waits and closes.
static void run(kz_device *device, const kz_gemm_problem *p, const char *variant,
                const kz_gemm_buffers *buffers) {
    kz_operation *operation;
    kz_error error = {0};
    if (kz_gemm_open(device, p, variant, &operation, &error)) fail_msg("%s", error.message);
    kz_ptr workspace = 0;
    uint64_t bytes = kz_operation_workspace(operation);
    if (bytes) assert_int_equal(kz_memory_alloc(device, bytes, &workspace, NULL), KZ_OK);
    if (kz_gemm_run(operation, NULL, buffers, workspace, bytes, &error)) fail_msg("%s", error.message);
    if (kz_device_synchronize(device, &error)) fail_msg("%s", error.message);
    if (workspace) kz_memory_free(device, workspace, NULL);
    kz_operation_close(operation);
}

// ---- whom it is given to -------------------------------------------------------------------------------------

static void expect_route(const char *id, const kz_gemm_problem *p, const char *wanted) {
    kz_device *device = open_device(id);
    char text[1024];
    kz_error error = {0};
    if (kz_gemm_explain(device, p, text, sizeof text, &error)) fail_msg("%s", error.message);
    if (strncmp(text, wanted, strlen(wanted)) != 0) fail_msg("%s: wanted %s", text, wanted);
    kz_device_close(device);
}

// The shape is in the table of what was measured; with other rows it is another one.
static void gaps_are_not_taken_for_what_was_measured(void **state) {
    kz_gemm_problem p = {
        .size = sizeof p, .type = KZ_BF16, .b_transposed = true, .m = 4096, .n = 4096, .k = 4096};
    kz_device *device = open_device("sim:h200");
    char text[1024];
    kz_error error = {0};
    const struct {
        size_t lda, ldb, ldc, alignment;
        bool measured;
    } rows[] = {{0, 0, 0, 0, true},          {4097, 0, 0, 0, false}, {0, 4097, 0, 0, false},
                {0, 0, 4099, 0, false},      {4104, 0, 0, 0, false}, {0, 0, 0, 2, false},
                {4096, 4096, 4096, 16, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        p.lda = rows[i].lda, p.ldb = rows[i].ldb, p.ldc = rows[i].ldc, p.alignment = rows[i].alignment;
        if (kz_gemm_explain(device, &p, text, sizeof text, &error)) fail_msg("%s", error.message);
        bool measured = strstr(text, "measured:") && strstr(text, "us for");
        if (measured != rows[i].measured) fail_msg("%zu: %s", i, text);
    }
    kz_device_close(device);
}

static void each_problem_has_its_family(void **state) {
    kz_gemm_problem p = {.size = sizeof p, .type = KZ_F32, .m = 256, .n = 256, .k = 256};
    expect_route("sim:h200", &p, "sgemm/");
    p.lda = 260; // rows with gaps
    expect_route("sim:h200", &p, "gemm/01_universal");
    p.lda = 0, p.b_transposed = true;
    expect_route("sim:h200", &p, "gemm/01_universal");
    p.type = KZ_BF16;
    expect_route("sim:h200", &p, "gemm/");
    expect_route("sim:a100", &p, "hgemm/04_async_copy");
    p.beta = &(double){1};
    expect_route("sim:a100", &p, "gemm/01_universal");
    p.beta = NULL, p.m = 7;
    expect_route("sim:h200", &p, "gemv/");
    p.k = 255;
    expect_route("sim:h200", &p, "gemm/");
    p.k = 256, p.form = KZ_GEMM_POINTERS, p.count = 3;
    expect_route("sim:h200", &p, "gemm/01_universal");
    p.form = KZ_GEMM_STRIDED, p.type = KZ_F64;
    expect_route("sim:h200", &p, "gemm/01_universal");
    p = (kz_gemm_problem){.size = sizeof p, .numbers = KZ_GEMM_AS_TF32, .m = 64, .n = 64, .k = 64};
    expect_route("sim:h200", &p, "gemm_types/");
    p.beta = &(double){1}; // an exact kernel does it
    expect_route("sim:h200", &p, "gemm/01_universal");
    p.beta = NULL, p.numbers = KZ_GEMM_AS_E4M3;
    expect_route("sim:h200", &p, "gemm_types/");
    p = (kz_gemm_problem){
        .size = sizeof p, .type = KZ_F16, .m = 64, .n = 64, .k = 64, .epilogue = KZ_GEMM_BIAS_GELU};
    expect_route("sim:h200", &p, "gemm_fused/");
}

// ---- what it refuses -----------------------------------------------------------------------------------------

static void refuse(const kz_gemm_problem *p, kz_status wanted, const char *words) {
    kz_device *device = open_device("sim:h200");
    kz_operation *operation = NULL;
    kz_error error = {0};
    assert_int_equal(kz_gemm_open(device, p, NULL, &operation, &error), wanted);
    assert_null(operation);
    assert_has(error.message, words);
    assert_has(error.message, "\n"); // what to do
    kz_device_close(device);
}

static void impossible_problems_are_refused(void **state) {
    const kz_gemm_problem good = {.size = sizeof good, .type = KZ_BF16, .m = 8, .n = 8, .k = 8};
    kz_gemm_problem p = good;
    p.size = 0;
    refuse(&p, KZ_INVALID, "set it");
    p = good, p.lda = 7;
    refuse(&p, KZ_INVALID, "lda is 7");
    p = good, p.type = KZ_I32;
    refuse(&p, KZ_UNSUPPORTED, "no i32");
    p = good, p.type = KZ_F64, p.result = KZ_GEMM_TO_F32;
    refuse(&p, KZ_UNSUPPORTED, "f64");
    p = good, p.form = (kz_gemm_form)9;
    refuse(&p, KZ_INVALID, "no kz_gemm_form");
    p = good, p.form = KZ_GEMM_STRIDED, p.count = 2, p.stride_c = 63;
    refuse(&p, KZ_INVALID, "overlap");
    p.stride_c = KZ_GEMM_SHARED;
    refuse(&p, KZ_INVALID, "overlap");
    p = good, p.form = KZ_GEMM_GROUPED, p.count = 2, p.stride_a = 64;
    refuse(&p, KZ_INVALID, "have no strides");
    p = good, p.numbers = KZ_GEMM_AS_INT8, p.ldc = 16;
    refuse(&p, KZ_UNSUPPORTED, "8-bit numbers");
    p = good, p.numbers = KZ_GEMM_AS_TF32; // of bf16
    refuse(&p, KZ_INVALID, "a way to multiply f32");
    p = good, p.epilogue = KZ_GEMM_BIAS, p.a_transposed = true;
    refuse(&p, KZ_UNSUPPORTED, "epilogues are for");
    p = good, p.alignment = 3;
    refuse(&p, KZ_INVALID, "alignment");
    p = good, p.m = SIZE_MAX / 2, p.lda = SIZE_MAX / 2;
    refuse(&p, KZ_INVALID, "more than any memory");
    refuse(NULL, KZ_INVALID, "is NULL");
}

// ---- results ---------------------------------------------------------------------------------------------------

enum { SIDE = 4 };

// a = b = the identity times 2, so that a b is 4 on the diagonal; c holds `before`.
static void multiply_floats(const double *alpha, const double *beta, float in_a, float before,
                            float got[SIDE * SIDE]) {
    kz_device *device = open_device("sim:h200");
    float a[SIDE * SIDE] = {0}, b[SIDE * SIDE] = {0}, c[SIDE * SIDE];
    for (int i = 0; i < SIDE; i++) a[i * SIDE + i] = in_a, b[i * SIDE + i] = 2;
    for (int i = 0; i < SIDE * SIDE; i++) c[i] = before;
    kz_gemm_problem p = {.size = sizeof p, .m = SIDE, .n = SIDE, .k = SIDE, .alpha = alpha, .beta = beta};
    kz_gemm_buffers buffers = {.size = sizeof buffers,
                               .a = put(device, a, sizeof a),
                               .b = put(device, b, sizeof b),
                               .c = put(device, c, sizeof c)};
    run(device, &p, "01_universal", &buffers);
    assert_int_equal(kz_copy_to_host(device, NULL, got, buffers.c, sizeof c, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    kz_device_close(device);
}

static void zeros_are_not_multiplied(void **state) {
    float c[SIDE * SIDE];
    multiply_floats(NULL, NULL, 2, NAN, c); // beta 0 reads no c
    assert_true(c[0] == 4 && c[1] == 0 && c[5] == 4);
    multiply_floats(&(double){0}, &(double){3}, NAN, 5, c); // alpha 0 reads no a
    assert_true(c[0] == 15 && c[1] == 15);
    multiply_floats(&(double){0}, NULL, NAN, NAN, c);
    assert_true(c[0] == 0 && c[1] == 0);
    multiply_floats(&(double){-0.5}, &(double){2}, 2, 5, c);
    assert_true(c[0] == 8 && c[1] == 10);
}

static void addresses_lead_anywhere(void **state) {
    kz_device *device = open_device("sim:h200");
    double one[SIDE * SIDE], zeros[SIDE * SIDE] = {0}, got[SIDE * SIDE];
    kz_ptr a[3], b[3], c[3];
    for (int i = 0; i < 3; i++) {
        for (int x = 0; x < SIDE * SIDE; x++) one[x] = i + 1;
        a[2 - i] = b[i] = put(device, one, sizeof one);
        c[i] = put(device, zeros, sizeof zeros);
    }
    kz_gemm_problem p = {.size = sizeof p,
                         .type = KZ_F64,
                         .m = SIDE,
                         .n = SIDE,
                         .k = SIDE,
                         .a_transposed = true,
                         .form = KZ_GEMM_POINTERS,
                         .count = 3};
    kz_gemm_buffers buffers = {.size = sizeof buffers,
                               .a = put(device, a, sizeof a),
                               .b = put(device, b, sizeof b),
                               .c = put(device, c, sizeof c)};
    run(device, &p, NULL, &buffers);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kz_copy_to_host(device, NULL, got, c[i], sizeof got, NULL), KZ_OK);
        assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
        for (int x = 0; x < SIDE * SIDE; x++) assert_true(got[x] == SIDE * (3 - i) * (i + 1));
    }
    kz_device_close(device);
}

// Three products that share b, or a: by the kernel for everything, and by the frame.
static void a_shared_operand_is_one_matrix(void **state) {
    enum { WIDTH = 16, COUNT = 3 };
    static uint16_t many[COUNT * WIDTH * WIDTH], one[WIDTH * WIDTH], c[COUNT * WIDTH * WIDTH];
    static const char *const variants[] = {"01_universal", "05_tile_64x128", "08_few_rows"};
    for (uint64_t i = 0; i < COUNT * WIDTH * WIDTH; i++)
        kz_element_set(KZ_F16, many, i, 1 + (double)(i / (WIDTH * WIDTH)));
    for (uint64_t i = 0; i < WIDTH * WIDTH; i++) kz_element_set(KZ_F16, one, i, 0.5);
    for (int v = 0; v < 6; v++) {
        kz_device *device = open_device("sim:h200");
        bool shared_a = v % 2;
        kz_gemm_problem p = {.size = sizeof p,
                             .type = KZ_F16,
                             .m = WIDTH,
                             .n = WIDTH,
                             .k = WIDTH,
                             .form = KZ_GEMM_STRIDED,
                             .count = COUNT,
                             .stride_a = shared_a ? KZ_GEMM_SHARED : 0,
                             .stride_b = shared_a ? 0 : KZ_GEMM_SHARED};
        kz_gemm_buffers buffers = {
            .size = sizeof buffers,
            .a = shared_a ? put(device, one, sizeof one) : put(device, many, sizeof many),
            .b = shared_a ? put(device, many, sizeof many) : put(device, one, sizeof one),
            .c = put(device, c, sizeof c)};
        run(device, &p, variants[v / 2], &buffers);
        assert_int_equal(kz_copy_to_host(device, NULL, c, buffers.c, sizeof c, NULL), KZ_OK);
        assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
        for (uint64_t i = 0; i < COUNT * WIDTH * WIDTH; i++)
            assert_true(kz_element_get(KZ_F16, c, i) == 8 * (1 + (double)(i / (WIDTH * WIDTH))));
        kz_device_close(device);
    }
}

// The last row of the table of epilogues is still the one that is meant, c = gelu(a b + x) y as e4m3, and so is the last that
// folds: c = a b, and x the sums of columns.
static void epilogues_keep_their_order(void **state) {
    enum { WIDTH = 16 };
    kz_device *device = open_device("sim:h200");
    static uint16_t ones[WIDTH * WIDTH], c[WIDTH * WIDTH];
    uint8_t codes[WIDTH * WIDTH];
    float x[WIDTH] = {0}, half = 0.5f;
    for (uint64_t i = 0; i < WIDTH * WIDTH; i++) kz_element_set(KZ_F16, ones, i, 1);
    kz_gemm_problem p = {.size = sizeof p,
                         .type = KZ_F16,
                         .m = WIDTH,
                         .n = WIDTH,
                         .k = WIDTH,
                         .b_transposed = true,
                         .epilogue = KZ_GEMM_COLUMN_SUM};
    kz_gemm_buffers buffers = {.size = sizeof buffers,
                               .a = put(device, ones, sizeof ones),
                               .b = put(device, ones, sizeof ones),
                               .c = put(device, c, sizeof c),
                               .x = put(device, x, sizeof x)};
    run(device, &p, NULL, &buffers);
    assert_int_equal(kz_copy_to_host(device, NULL, x, buffers.x, sizeof x, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    for (int i = 0; i < WIDTH; i++) assert_true(x[i] == WIDTH * WIDTH);
    static uint16_t zeros[WIDTH];
    p.epilogue = KZ_GEMM_BIAS_GELU_E4M3;
    buffers.c = put(device, codes, sizeof codes);
    buffers.x = put(device, zeros, sizeof zeros), buffers.y = put(device, &half, sizeof half);
    run(device, &p, NULL, &buffers);
    assert_int_equal(kz_copy_to_host(device, NULL, codes, buffers.c, sizeof codes, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    for (int i = 0; i < WIDTH * WIDTH; i++) assert_int_equal(codes[i], 0x50); // 8
    p.epilogue++;
    refuse(&p, KZ_INVALID, "no kz_gemm_epilogue");
    kz_device_close(device);
}

// Offsets that go back or past the end: c is written inside its rows alone (the simulator watches), and rows in no group stay.
static void multiply_lies(const char *variant) {
    kz_device *device = open_device("sim:h200");
    enum { ROWS = 40, WIDTH = 16, GROUPS = 4 };
    static uint16_t a[ROWS * WIDTH], b[GROUPS * WIDTH * WIDTH], c[ROWS * WIDTH];
    for (uint64_t i = 0; i < ROWS * WIDTH; i++)
        kz_element_set(KZ_BF16, a, i, 1), kz_element_set(KZ_BF16, c, i, 7);
    for (uint64_t i = 0; i < GROUPS * WIDTH * WIDTH; i++) kz_element_set(KZ_BF16, b, i, 1);
    const uint32_t offsets[GROUPS + 1] = {8, 20, 12, 90, UINT32_MAX};
    kz_gemm_problem p = {.size = sizeof p,
                         .type = KZ_BF16,
                         .m = ROWS,
                         .n = WIDTH,
                         .k = WIDTH,
                         .form = KZ_GEMM_GROUPED,
                         .count = GROUPS};
    kz_gemm_buffers buffers = {.size = sizeof buffers,
                               .a = put(device, a, sizeof a),
                               .b = put(device, b, sizeof b),
                               .c = put(device, c, sizeof c),
                               .offsets = put(device, offsets, sizeof offsets)};
    run(device, &p, variant, &buffers);
    assert_int_equal(kz_copy_to_host(device, NULL, c, buffers.c, sizeof c, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    for (uint64_t i = 0; i < ROWS * WIDTH; i++)
        assert_true(kz_element_get(KZ_BF16, c, i) == (i / WIDTH < 8 ? 7 : 16));
    kz_device_close(device);
}
static void offsets_that_lie_stay_inside(void **state) {
    multiply_lies("01_universal");
    multiply_lies("09_grouped");
}

// ---- plans and the model ---------------------------------------------------------------------------------------

static kz_status plan(const char *name, const kz_case *c, kz_plan *plan) {
    kz_device *device = open_device("sim:h200");
    kz_error error = {0};
    const kz_variant *variant = kz_variant_find(&kz_family_gemm, name);
    assert_non_null(variant);
    kz_status status = kz_variant_plan(&kz_family_gemm, variant, c, kz_device_get_info(device), plan, &error);
    kz_device_close(device);
    return status;
}

static void odd_operands_are_padded(void **state) {
    static kz_plan p;
    enum { NT = 1, FLAGS = 11 };
    kz_case c = {.operation = NT, .type = KZ_BF16, .axes = {256, 264, 72, 1, 0}};
    assert_int_equal(plan("02_tile_128x256", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 1); // nothing to copy
    assert_int_equal(p.steps[0].args[FLAGS].scalar & GEMM_TENSOR_STORE, GEMM_TENSOR_STORE);
    c.axes[K] = 71; // rows of a and of b
    assert_int_equal(plan("02_tile_128x256", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 3);
    assert_int_equal(p.workspace_bytes, 256 * 72 * 2 + 264 * 72 * 2 + 128); // the second a multiple of 256
    c.axes[SLACK] = 1; // rows of 72 of a and b, of 265 of c
    assert_int_equal(plan("02_tile_128x256", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 1);
    assert_int_equal(p.steps[0].args[FLAGS].scalar & GEMM_TENSOR_STORE, 0);
    c.axes[BATCH] = 2; // matrices lie an odd number of elements apart
    assert_int_equal(plan("02_tile_128x256", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 3);
    c = (kz_case){.operation = NT, .type = KZ_BF16, .axes = {256, 264, 72, 2, 0}, .misalign = 1};
    assert_int_equal(plan("02_tile_128x256", &c, &p), KZ_OK); // copies begin at multiples of 16 bytes
    assert_int_equal(p.step_count, 3);
    c = (kz_case){
        .operation = NT, .type = KZ_BF16, .axes = {256, 261, 72, 1, 3}}; // c: rows of 264 that end at 261
    assert_int_equal(plan("02_tile_128x256", &c, &p), KZ_OK);
    assert_int_equal(p.steps[p.step_count - 1].args[FLAGS].scalar & GEMM_TENSOR_STORE, 0);
}

// As many parts of k as fill the multiprocessors; they are added by a second kernel, whatever c is.
static void parts_fill_the_multiprocessors(void **state) {
    static kz_plan p;
    enum { NT = 1, NT_F32 = 5, C_AT = 3, BATCH_ARG = 9, COUNT = 6 };
    kz_case c = {.operation = NT, .type = KZ_BF16, .axes = {208, 448, 16088, 1, 0}};
    assert_int_equal(plan("22_split_k", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 2);
    uint64_t parts = p.steps[0].args[BATCH_ARG].scalar;
    assert_true(8 * parts > 100 && 8 * parts <= 132); // eight tiles
    assert_int_equal(p.steps[0].launch.grid[0], 8 * parts);
    assert_int_equal(p.steps[0].args[C_AT].kind, KZ_ARG_WORKSPACE);
    assert_int_equal(p.workspace_bytes, parts * 208 * 448 * 4);
    assert_has(p.steps[1].entry, "gemm_add_parts_bf16");
    assert_int_equal(p.steps[1].args[COUNT].scalar, parts);
    c.operation = NT_F32;
    assert_int_equal(plan("22_split_k", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "gemm_split_k_nt_bf16");
    assert_has(p.steps[1].entry, "gemm_add_parts_f32");
    c.axes[BATCH] = 2;
    assert_int_equal(plan("22_split_k", &c, &p), KZ_UNSUPPORTED);
    c.axes[BATCH] = 1, c.axes[K] = 504; // eight chunks, of which a part has four
    assert_int_equal(plan("22_split_k", &c, &p), KZ_OK);
    assert_int_equal(p.steps[0].args[BATCH_ARG].scalar, 2);
    c.axes[K] = 448;
    assert_int_equal(plan("22_split_k", &c, &p), KZ_UNSUPPORTED);
    c.axes[M] = 8, c.axes[N] = 8872, c.axes[K] = 4016; // 139 tiles
    assert_int_equal(plan("23_split_k_few_rows", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "rows_16");
    c.axes[M] = 17;
    assert_int_equal(plan("23_split_k_few_rows", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "rows_64");
    c.operation = 2;
    assert_int_equal(plan("23_split_k_few_rows", &c, &p), KZ_UNSUPPORTED);
}

// Rows that begin anywhere are not copied; their sums are parts, though there may be one.
static void odd_rows_stay_where_they_are(void **state) {
    static kz_plan p;
    enum { NN, NT, TN, A_END = 8, B_END };
    kz_case c = {.operation = NT, .type = KZ_BF16, .axes = {765, 323, 3718, 1, 0}};
    assert_int_equal(plan("24_odd_rows", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 2);
    assert_int_equal(p.steps[0].args[0].kind, KZ_ARG_BUFFER);
    assert_int_equal(p.steps[0].args[A_END].scalar, 765 * 3718);
    assert_int_equal(p.steps[0].args[B_END].scalar, 323 * 3718);
    assert_has(p.steps[1].entry, "gemm_add_parts");
    c.axes[K] = 7;
    assert_int_equal(plan("24_odd_rows", &c, &p), KZ_OK);
    assert_int_equal(p.steps[0].launch.grid[0], 6 * 3);
    c.axes[M] = 4;
    assert_int_equal(plan("25_odd_few_rows", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "odd_few_rows_rows_16_nt");
    assert_int_equal(p.steps[0].args[A_END].scalar, 323 * 7); // b is the kernel's a
    c.misalign = 1;
    assert_int_equal(plan("25_odd_few_rows", &c, &p), KZ_UNSUPPORTED);
    c.misalign = 0, c.operation = TN;
    assert_int_equal(plan("24_odd_rows", &c, &p), KZ_UNSUPPORTED);
    c.operation = NN, c.axes[BATCH] = 2;
    assert_int_equal(plan("24_odd_rows", &c, &p), KZ_UNSUPPORTED);
}

static void the_frame_refuses_what_it_does_not_do(void **state) {
    static kz_plan p;
    kz_case c = {.type = KZ_F32, .axes = {64, 64, 64, 1}};
    assert_int_equal(plan("05_tile_64x128", &c, &p), KZ_UNSUPPORTED);
    c.type = KZ_BF16, c.axes[K] = 0;
    assert_int_equal(plan("05_tile_64x128", &c, &p), KZ_UNSUPPORTED);
    c.axes[K] = 64;
    assert_int_equal(plan("05_tile_64x128", &c, &p), KZ_OK);
    assert_int_equal(plan("06_cluster_split_k", &c, &p), KZ_UNSUPPORTED); // too short
    assert_int_equal(plan("09_grouped", &c, &p), KZ_UNSUPPORTED);
    c.axes[M] = 65;
    assert_int_equal(plan("08_few_rows", &c, &p), KZ_UNSUPPORTED);
    c.operation = GROUPED * ORDERS;
    assert_int_equal(plan("05_tile_64x128", &c, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("09_grouped", &c, &p), KZ_OK);
    c.axes[M] = (int64_t)1 << 32;
    assert_int_equal(plan("09_grouped", &c, &p), KZ_UNSUPPORTED);
}

// What the model takes on an H200, where no table knows better.
static void the_model_picks_by_shape(void **state) {
    static const struct {
        uint32_t operation;
        int64_t axes[5];
        const char *variant;
    } picks[] = {
        {1, {4096, 4096, 4096, 1}, "18_two_widths"},     // two wide tiles and a narrow one each
        {1, {8192, 8192, 8192, 1}, "19_two_widths_208"}, // nine and one
        {2, {4096, 4096, 4096, 1}, "02_tile_128x256"},   // a transposed: 4 rounds, nearly full
        {1, {500, 4096, 4096, 1}, "04_tile_128x128"},    // 128 tiles: one round
        {1, {1024, 1024, 1024, 1}, "05_tile_64x128"},    // likewise
        {1, {208, 448, 16088, 1}, "22_split_k"},         // eight tiles of 128 x 128, long sums
        {1, {432, 88, 8840, 1}, "17_cluster_split_8"},   // 14
        {1, {765, 323, 3719, 1}, "24_odd_rows"},
        {1, {4, 2358, 10199, 1}, "25_odd_few_rows"},
        {5, {16, 8192, 8192, 1}, "08_few_rows"},
        {1, {120, 12848, 5424, 1}, "13_tile_128x112"}, // clusters that fetch a once
        {12, {4096, 4096, 4096, 8}, "09_grouped"},
        {1, {64, 64, 0, 1}, "01_universal"}, // nothing to multiply
    };
    kz_device *device = open_device("sim:h200");
    const kz_device_info *info = kz_device_get_info(device);
    for (size_t i = 0; i < sizeof picks / sizeof picks[0]; i++) {
        kz_case c = {.operation = picks[i].operation, .type = KZ_BF16};
        memcpy(c.axes, picks[i].axes, sizeof picks[i].axes);
        const kz_variant *best = NULL;
        double least = INFINITY;
        static kz_plan p;
        for (size_t v = 0; v < kz_family_gemm.variant_count; v++) {
            const kz_variant *one = &kz_family_gemm.variants[v];
            char how[KZ_ESTIMATE_HOW];
            if (kz_variant_plan(&kz_family_gemm, one, &c, info, &p, NULL)) continue;
            double time = kz_family_gemm.estimate(&c, info, one, how);
            assert_true(time > 0 && isfinite(time));
            if (time < least) best = one, least = time;
        }
        assert_non_null(best);
        assert_string_equal(best->name, picks[i].variant);
    }
    kz_device_close(device);
}

// ---- the reference ---------------------------------------------------------------------------------------------

static void sums_in_half_precision_fail(void **state) {
    enum { DEPTH = 2048 };
    static uint16_t a[DEPTH], b[DEPTH];
    uint16_t half = 0, c[1] = {0};
    double expected, bound, single = 0;
    for (uint64_t i = 0; i < DEPTH; i++) {
        kz_element_set(KZ_F16, a, i, 0.5 + (double)(i * 37 % 64) / 64);
        kz_element_set(KZ_F16, b, i, 0.5);
        double term = kz_element_get(KZ_F16, a, i) * 0.5;
        kz_element_set(KZ_F16, &half, 0, kz_element_get(KZ_F16, &half, 0) + term);
        single = (float)(single + term);
    }
    kz_case x = {.operation = TO_F32 * ORDERS + 1, .type = KZ_F16, .axes = {1, 1, DEPTH, 1}};
    assert_int_equal(gemm_reference(&x, (void *[]){a, b, c}, C, &expected, &bound, NULL), KZ_OK);
    assert_true(fabs(single - expected) <= bound);
    assert_true(fabs(kz_element_get(KZ_F16, &half, 0) - expected) > bound);
    assert_true(fabs(expected) > bound); // zeros fail
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_problem_has_its_family),
        cmocka_unit_test(gaps_are_not_taken_for_what_was_measured),
        cmocka_unit_test(impossible_problems_are_refused),
        cmocka_unit_test(zeros_are_not_multiplied),
        cmocka_unit_test(addresses_lead_anywhere),
        cmocka_unit_test(a_shared_operand_is_one_matrix),
        cmocka_unit_test(epilogues_keep_their_order),
        cmocka_unit_test(offsets_that_lie_stay_inside),
        cmocka_unit_test(odd_operands_are_padded),
        cmocka_unit_test(parts_fill_the_multiprocessors),
        cmocka_unit_test(odd_rows_stay_where_they_are),
        cmocka_unit_test(the_frame_refuses_what_it_does_not_do),
        cmocka_unit_test(the_model_picks_by_shape),
        cmocka_unit_test(sums_in_half_precision_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
