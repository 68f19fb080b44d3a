// embedding: the reference by hand and against finite differences, its bound against what must fail and what must pass, and the
// public operation: orders of sums, the same bits in every run, denormals, padding, errors.
#include <math.h>

#include "kz/family.h"
#include "ml_ops/embedding/embedding.h"
#include "unit.h"

enum { GATHER, GRADIENT, MOST = 4096 };

static double noise(uint32_t buffer, uint64_t i) {
    return (double)(kz_draw(13, buffer, i) >> 11) * 0x1p-52 - 1.0;
}

static void refer(uint32_t operation, kz_type type, int64_t tokens, int64_t vocabulary, int64_t dim,
                  int64_t padding, void *from, void *ids, double *expected, double *bound) {
    const kz_case c = {
        .operation = operation, .type = type, .axes = {tokens, vocabulary, dim, 0, padding + 1}};
    void *host[] = {from, ids, NULL};
    assert_int_equal(kz_family_find("embedding")->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
}

// ---- the reference -----------------------------------------------------------------------------------------

static void rows_by_hand(void **state) {
    float table[] = {1, 2, 3, 4, 5, 6}; // three rows of two
    int32_t ids[] = {2, -1, 0, 3, 2};
    double y[10], bound[10];
    refer(GATHER, KZ_F32, 5, 3, 2, -1, table, ids, y, bound);
    const double rows[] = {5, 6, 0, 0, 1, 2, 0, 0, 5, 6};
    for (int i = 0; i < 10; i++) assert_true(y[i] == rows[i] && bound[i] == 0.0);
    float d_rows[] = {1, 2, 100, 100, 3, 4, 100, 100, 5, 6};
    refer(GRADIENT, KZ_F32, 5, 3, 2, -1, d_rows, ids, y, bound);
    const double sums[] = {3, 4, 0, 0, 6, 8};
    for (int i = 0; i < 6; i++) assert_true(y[i] == sums[i] && (bound[i] == 0.0) == (i < 4));
    refer(GRADIENT, KZ_F32, 5, 3, 2, 2, d_rows, ids, y, bound);
    assert_true(y[0] == 3.0 && y[4] == 0.0 && y[5] == 0.0);
}

// Of the sum of weights times gathered rows, by each element of the table.
static void backward_is_the_gradient(void **state) {
    enum { TOKENS = 9, VOCABULARY = 5, DIM = 3 };
    const double step = 1e-3;
    double table[VOCABULARY * DIM], weights[TOKENS * DIM], y[TOKENS * DIM], gradient[VOCABULARY * DIM],
        bound[MOST];
    int32_t ids[TOKENS];
    for (uint64_t i = 0; i < TOKENS; i++) ids[i] = (int32_t)(kz_draw(13, 2, i) % 7) - 1;
    for (uint64_t i = 0; i < VOCABULARY * DIM; i++) table[i] = noise(0, i);
    for (uint64_t i = 0; i < TOKENS * DIM; i++) weights[i] = noise(1, i);
    refer(GRADIENT, KZ_F64, TOKENS, VOCABULARY, DIM, -1, weights, ids, gradient, bound);
    for (int i = 0; i < VOCABULARY * DIM; i++) {
        double loss[2] = {0.0, 0.0}, x = table[i];
        for (int side = 0; side < 2; side++) {
            table[i] = side ? x + step : x - step;
            refer(GATHER, KZ_F64, TOKENS, VOCABULARY, DIM, -1, table, ids, y, bound);
            for (int k = 0; k < TOKENS * DIM; k++) loss[side] += weights[k] * y[k];
        }
        table[i] = x;
        assert_float_equal((loss[1] - loss[0]) / (2.0 * step), gradient[i], 1e-11);
    }
}

// How many sums of 500 rows of 8 lie outside of the bound when they are kept in `sum`.
static int outside(kz_type type, kz_type sum) {
    enum { TOKENS = 500, DIM = 8 };
    static uint32_t rows[TOKENS * DIM];
    static int32_t ids[TOKENS];
    double y[DIM], bound[DIM];
    int count = 0;
    for (uint64_t i = 0; i < TOKENS * DIM; i++) kz_element_set(type, rows, i, noise(3, i));
    refer(GRADIENT, type, TOKENS, 1, DIM, -1, rows, ids, y, bound);
    for (uint64_t k = 0; k < DIM; k++) {
        uint32_t kept = 0;
        for (uint64_t t = 0; t < TOKENS; t++)
            kz_element_set(sum, &kept, 0,
                           kz_element_get(sum, &kept, 0) + kz_element_get(type, rows, t * DIM + k));
        uint32_t result;
        kz_element_set(type, &result, 0, kz_element_get(sum, &kept, 0));
        count += !(fabs(kz_element_get(type, &result, 0) - y[k]) <= bound[k]);
    }
    return count;
}

static void float_sums_pass_and_less_fails(void **state) {
    assert_int_equal(outside(KZ_F32, KZ_F32), 0);
    assert_int_equal(outside(KZ_F16, KZ_F32), 0);
    assert_int_equal(outside(KZ_BF16, KZ_F32), 0);
    assert_true(outside(KZ_F16, KZ_F16) > 0);
    assert_true(outside(KZ_BF16, KZ_BF16) > 0);
}

// ---- the gradient on the device -----------------------------------------------------------------------------

enum { TOKENS = 3000, VOCABULARY = 7, DIM = 4, N = TOKENS * DIM, SUMS = VOCABULARY * DIM };

typedef struct fixture {
    kz_device *device;
    kz_ptr d_rows, ids, d_table;
} fixture;

static fixture open_device(const float *d_rows, const int64_t *ids) {
    fixture f = {0};
    kz_error error = {0};
    assert_int_equal(kz_device_open("sim:h200", &f.device, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(f.device, N * sizeof(float), &f.d_rows, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(f.device, TOKENS * sizeof *ids, &f.ids, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(f.device, SUMS * sizeof(float), &f.d_table, &error), KZ_OK);
    assert_int_equal(kz_copy_to_device(f.device, NULL, f.d_rows, d_rows, N * sizeof *d_rows, &error), KZ_OK);
    assert_int_equal(kz_copy_to_device(f.device, NULL, f.ids, ids, TOKENS * sizeof *ids, &error), KZ_OK);
    return f;
}

static void close_device(fixture *f) {
    kz_memory_free(f->device, f->d_rows, NULL);
    kz_memory_free(f->device, f->ids, NULL);
    kz_memory_free(f->device, f->d_table, NULL);
    kz_device_close(f->device);
}

static void run(fixture *f, const char *variant, int64_t padding, float *result) {
    kz_operation *operation;
    kz_error error = {0};
    kz_ptr workspace;
    if (kz_embedding_gradient_open(f->device, KZ_F32, KZ_I64, TOKENS, VOCABULARY, DIM, padding, variant,
                                   &operation, &error))
        fail_msg("%s", error.message);
    uint64_t bytes = kz_operation_workspace(operation);
    assert_int_equal(kz_memory_alloc(f->device, bytes ? bytes : 1, &workspace, &error), KZ_OK);
    if (kz_embedding_gradient_run(operation, NULL, f->d_rows, f->ids, f->d_table, workspace, bytes, &error))
        fail_msg("%s", error.message);
    assert_int_equal(kz_copy_to_host(f->device, NULL, result, f->d_table, SUMS * sizeof(float), &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(f->device, &error), KZ_OK);
    kz_memory_free(f->device, workspace, NULL);
    kz_operation_close(operation);
}

// Ids of which one has half of all tokens, and floats of the given size.
static void make_inputs(float *d_rows, int64_t *ids, double scale) {
    for (uint64_t i = 0; i < N; i++) d_rows[i] = (float)(noise(4, i) * scale);
    for (uint64_t t = 0; t < TOKENS; t++) {
        uint64_t bits = kz_draw(13, 5, t);
        ids[t] = bits % 2 ? 3 : (int64_t)(bits / 2 % (VOCABULARY + 1)); // VOCABULARY names no row
    }
}

// Sums in the order of the tokens, by float.
static void add_in_order(const float *d_rows, const int64_t *ids, float *sums) {
    for (int i = 0; i < SUMS; i++) sums[i] = 0.0f;
    for (int t = 0; t < TOKENS; t++)
        for (int k = 0; k < DIM && ids[t] < VOCABULARY; k++) sums[ids[t] * DIM + k] += d_rows[t * DIM + k];
}

static void sums_are_in_the_tokens_order(void **state) {
    static float d_rows[N], wanted[SUMS], got[SUMS], again[SUMS];
    static int64_t ids[TOKENS];
    make_inputs(d_rows, ids, 1.0);
    add_in_order(d_rows, ids, wanted);
    fixture f = open_device(d_rows, ids);
    run(&f, "04_sorted", -1, got);
    assert_memory_equal(got, wanted, sizeof got);
    run(&f, "05_batched_rows", -1, got);
    assert_memory_equal(got, wanted, sizeof got);
    run(&f, "06_split_heavy", -1, got); // in pieces: other bits, the same in every run
    run(&f, KZ_DETERMINISTIC, -1, again);
    assert_memory_equal(got, again, sizeof got);
    for (int i = 0; i < SUMS; i++) assert_float_equal((double)got[i], (double)wanted[i], 1e-3);
    run(&f, "07_empty_rows", 3, again); // the heavy id is for padding
    for (int i = 0; i < SUMS; i++) assert_true(i / DIM == 3 ? again[i] == 0.0f : again[i] == got[i]);
    close_device(&f);
}

// Sums of denormals are exact in any order. The atomics of 01 take them as zero.
static void denormals_are_kept(void **state) {
    static const char *const variants[] = {"04_sorted", "05_batched_rows", "06_split_heavy", "07_empty_rows"};
    static float d_rows[N], wanted[SUMS], got[SUMS];
    static int64_t ids[TOKENS];
    make_inputs(d_rows, ids, 0x1p-136);
    add_in_order(d_rows, ids, wanted);
    assert_true(wanted[0] != 0.0f);
    fixture f = open_device(d_rows, ids);
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        run(&f, variants[v], -1, got);
        assert_memory_equal(got, wanted, sizeof got);
    }
    close_device(&f);
}

// ---- choice and errors -------------------------------------------------------------------------------------------

static void the_choice_follows_the_operation(void **state) {
    kz_device *device;
    kz_error error = {0};
    kz_operation *operation;
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    assert_int_equal(kz_embedding_gather_open(device, KZ_F16, KZ_I32, 10, 10, 8, NULL, &operation, &error),
                     KZ_OK);
    assert_string_equal(kz_operation_variant(operation), "03_rows_in_flight");
    assert_int_equal(kz_operation_workspace(operation), 0);
    assert_int_equal(kz_embedding_gather_run(operation, NULL, 0, 0, 0, &error), KZ_INVALID);
    kz_operation_close(operation);
    assert_int_equal(
        kz_embedding_gradient_open(device, KZ_F16, KZ_I32, 10, 10, 8, -1, NULL, &operation, &error), KZ_OK);
    assert_string_equal(kz_operation_variant(operation), "07_empty_rows");
    kz_operation_close(operation);
    assert_int_equal(
        kz_embedding_gather_open(device, KZ_F16, KZ_I32, 10, 10, 8, "04_sorted", &operation, &error),
        KZ_UNSUPPORTED);
    assert_has(error.message, "03_rows_in_flight");
    assert_int_equal(
        kz_embedding_gradient_open(device, KZ_F16, KZ_I32, 10, 10, 8, -1, "02_vector", &operation, &error),
        KZ_UNSUPPORTED);
    assert_has(error.message, "07_empty_rows");
    kz_device_close(device);
}

static void wrong_arguments_are_refused(void **state) {
    kz_device *device;
    kz_error error = {0};
    kz_operation *operation;
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    assert_int_equal(kz_embedding_gather_open(device, KZ_F16, KZ_U8, 10, 10, 8, NULL, &operation, &error),
                     KZ_UNSUPPORTED);
    assert_has(error.message, "KZ_I32 or KZ_I64");
    assert_int_equal(
        kz_embedding_gradient_open(device, KZ_F16, KZ_I32, 10, 10, 8, 10, NULL, &operation, &error),
        KZ_INVALID);
    assert_has(error.message, "the table has 10 rows");
    assert_int_equal(
        kz_embedding_gradient_open(device, KZ_F16, KZ_I32, 10, 10, 8, -2, NULL, &operation, &error),
        KZ_INVALID);
    assert_has(error.message, "-1");
    assert_int_equal(
        kz_embedding_gather_open(device, KZ_F16, KZ_I32, 1ull << 31, 10, 8, "00_native", &operation, &error),
        KZ_UNSUPPORTED);
    assert_has(error.message, "2^31 - 1");
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_hand),
        cmocka_unit_test(backward_is_the_gradient),
        cmocka_unit_test(float_sums_pass_and_less_fails),
        cmocka_unit_test(sums_are_in_the_tokens_order),
        cmocka_unit_test(denormals_are_kept),
        cmocka_unit_test(the_choice_follows_the_operation),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
