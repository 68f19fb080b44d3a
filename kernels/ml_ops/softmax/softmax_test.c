// softmax: the reference by hand and by finite differences, its bound against what must pass and what must fail; the choice of
// a variant and the frame's shapes; the public operation on the simulator: in place, at unequal alignments, twice.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kz/device/row_shape.h"
#include "kz/family.h"
#include "softmax.h"
#include "unit.h"

enum { MOST = 4096 };

static double expected[MOST], bound[MOST];

static double draw(uint32_t buffer, uint64_t i) {
    return (double)(kz_draw(7, buffer, i) >> 11) * 0x1p-52 - 1.0;
}

static void refer(const kz_case *c, const void *a, const void *b) {
    const kz_family *family = kz_family_find("softmax");
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t out = family->buffers(c, list) - 1;
    void *host[] = {(void *)a, (void *)b, NULL};
    assert_int_equal(family->reference(c, host, out, expected, bound, NULL), KZ_OK);
}

static void assert_near(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_true(values[i] == expected[i] || fabs(values[i] - expected[i]) < 1e-7);
}
#define EXPECT(...) assert_near((double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static void rows_by_hand(void **state) {
    const float log3 = logf(3.0f), none = -INFINITY;
    kz_case c = {.type = KZ_F32, .axes = {1, 2, 2}};
    refer(&c, (float[]){0, log3, none, none}, NULL);
    EXPECT(0.25, 0.75, 0, 0);
    refer(&c, (float[]){1000, 1000, none, 5}, NULL);
    EXPECT(0.5, 0.5, 0, 1);
    c.operation = KZ_SOFTMAX_LOG;
    refer(&c, (float[]){0, log3, none, none}, NULL);
    EXPECT(log(0.25), log(0.75), -INFINITY, -INFINITY);
    c.operation = KZ_SOFTMAX_MASKED;
    refer(&c, (float[]){0, 9, 3, 3}, (uint8_t[]){255, 0, 0, 0});
    EXPECT(1, 0, 0, 0);
    refer(&c, (float[]){NAN, 9, NAN, 3}, (uint8_t[]){0, 1, 1, 1});
    assert_true(expected[0] == 0 && expected[1] == 1 && isnan(expected[2]) && isnan(expected[3]));
    c.operation = KZ_SOFTMAX_CAUSAL; // the last row of each batch sees all of its columns
    refer(&c, (float[]){2, 2, 2, 2}, NULL);
    EXPECT(1, 0, 0.5, 0.5);
    c.axes[1] = 3;
    refer(&c, (float[]){2, 2, 2, 2, 2, 2}, NULL);
    EXPECT(0, 0, 1, 0, 0.5, 0.5);
    c.operation = KZ_SOFTMAX_BACKWARD, c.axes[1] = 1;
    refer(&c, (float[]){0.25f, 0.75f}, (float[]){4, 8}); // 1 + 6 = 7
    EXPECT(0.25 * -3, 0.75 * 1);
    c.operation = KZ_SOFTMAX_LOG_BACKWARD;
    refer(&c, (float[]){0, -log3}, (float[]){1, 3});
    EXPECT(1 - 4.0, 3 - 4.0 / 3);
}

// ---- gradients -------------------------------------------------------------------------------------------

enum { G_ROWS = 3, G_COLUMNS = 5, G = G_ROWS * G_COLUMNS };

// The sum of dy * y, for x with one element moved.
static double loss(kz_case *c, float *x, const uint8_t *mask, const float *dy, int i, float by) {
    double sum = 0.0;
    float before = x[i];
    x[i] += by;
    refer(c, x, mask);
    x[i] = before;
    for (int k = 0; k < G; k++) sum += isfinite(expected[k]) ? dy[k] * expected[k] : 0.0;
    return sum;
}

static void check_gradient(kz_softmax forward, kz_softmax backward) {
    const float h = 0x1p-10f; // x and x +- h are floats: multiples of h
    float x[G], y[G], dy[G];
    uint8_t mask[G];
    double numeric[G];
    kz_case c = {.operation = forward, .type = KZ_F32, .axes = {1, G_ROWS, G_COLUMNS}};
    for (int i = 0; i < G; i++) {
        x[i] = (float)(floor(draw(0, (uint64_t)i) * 128) / 64), dy[i] = (float)draw(1, (uint64_t)i);
        mask[i] = i % 3 != 1;
    }
    for (int i = 0; i < G; i++)
        numeric[i] = (loss(&c, x, mask, dy, i, h) - loss(&c, x, mask, dy, i, -h)) / (2.0 * (double)h);
    refer(&c, x, mask);
    for (int i = 0; i < G; i++) y[i] = (float)expected[i];
    c.operation = backward;
    refer(&c, y, dy);
    for (int i = 0; i < G; i++) assert_true(fabs(expected[i] - numeric[i]) < 2e-6);
}

static void gradients_are_slopes(void **state) {
    check_gradient(KZ_SOFTMAX_PLAIN, KZ_SOFTMAX_BACKWARD);
    check_gradient(KZ_SOFTMAX_MASKED, KZ_SOFTMAX_BACKWARD);
    check_gradient(KZ_SOFTMAX_CAUSAL, KZ_SOFTMAX_BACKWARD);
    check_gradient(KZ_SOFTMAX_LOG, KZ_SOFTMAX_LOG_BACKWARD);
}

// ---- bounds ----------------------------------------------------------------------------------------------

static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}

// Of a row of 1024 elements up to 16 apart, how many results are out of bounds: exponentials added in `sum`, their argument and
// value rounded to `middle`.
static int outside(kz_type type, kz_type sum, kz_type middle) {
    enum { N = 1024 };
    static double x[N];
    const kz_case c = {.type = type, .axes = {1, 1, N}};
    double max = -INFINITY, total = 0.0;
    int count = 0;
    for (uint64_t i = 0; i < N; i++) kz_element_set(type, x, i, draw(2, i) * 8.0);
    refer(&c, x, NULL);
    for (uint64_t i = 0; i < N; i++) max = fmax(max, kz_element_get(type, x, i));
    for (uint64_t i = 0; i < N; i++)
        total = in(sum, total + in(middle, exp(in(middle, kz_element_get(type, x, i) - max))));
    for (uint64_t i = 0; i < N; i++) {
        double power = in(middle, exp(in(middle, kz_element_get(type, x, i) - max)));
        count += !(fabs(in(type, in(KZ_F32, power / total)) - expected[i]) <= bound[i]);
    }
    return count;
}

static void float_passes_and_less_fails(void **state) {
    assert_int_equal(outside(KZ_F32, KZ_F32, KZ_F32), 0);
    assert_int_equal(outside(KZ_F16, KZ_F32, KZ_F32), 0);
    assert_int_equal(outside(KZ_BF16, KZ_F32, KZ_F32), 0);
    assert_true(outside(KZ_F32, KZ_F16, KZ_F32) > 0);
    assert_true(outside(KZ_F16, KZ_F16, KZ_F32) > 0);
    assert_true(outside(KZ_BF16, KZ_BF16, KZ_F32) > 0);
    assert_true(outside(KZ_F32, KZ_F32, KZ_F16) > 0);
    assert_true(outside(KZ_BF16, KZ_F32, KZ_BF16) > 0);
}

// ---- choice and shapes -----------------------------------------------------------------------------------

static const char *choose(const kz_device_info *device, kz_softmax function, kz_type type, int64_t columns) {
    const kz_case c = {.operation = function, .type = type, .axes = {1, 4096, columns}};
    const kz_variant *variant = kz_choose(kz_family_find("softmax"), &c, device, true, NULL);
    return variant ? variant->name : "none";
}

static void choice_by_the_bytes_of_a_row(void **state) {
    kz_device *sim = NULL;
    assert_int_equal(kz_device_open("sim:h200", &sim, NULL), KZ_OK);
    kz_device_info info = *kz_device_get_info(sim), cpu = {.size = sizeof cpu, .kind = KZ_DEVICE_CPU};
    assert_string_equal(choose(&info, KZ_SOFTMAX_PLAIN, KZ_F32, 512), "04_lanes");
    assert_string_equal(choose(&info, KZ_SOFTMAX_PLAIN, KZ_F32, 509), "04_lanes");
    assert_string_equal(choose(&info, KZ_SOFTMAX_PLAIN, KZ_BF16, 1023),
                        "05_registers"); // a pack more at worst
    assert_string_equal(choose(&info, KZ_SOFTMAX_LOG, KZ_F32, 513), "05_registers");
    assert_string_equal(choose(&info, KZ_SOFTMAX_PLAIN, KZ_F32, 4096), "03_online"); // timed on an H200
    assert_string_equal(choose(&info, KZ_SOFTMAX_PLAIN, KZ_BF16, 4096), "05_registers");
    assert_string_equal(choose(&info, KZ_SOFTMAX_BACKWARD, KZ_F32, 256), "04_lanes");
    assert_string_equal(choose(&info, KZ_SOFTMAX_BACKWARD, KZ_BF16, 4096), "03_online");
    assert_string_equal(choose(&info, KZ_SOFTMAX_PLAIN, KZ_F32, 131072), "06_cluster");
    assert_string_equal(choose(&info, KZ_SOFTMAX_PLAIN, KZ_F32, 1 << 20), "06_cluster");
    info.sm = 75, info.gpu[0] = 0;
    assert_string_equal(choose(&info, KZ_SOFTMAX_MASKED, KZ_F32, 131072), "03_online");
    assert_string_equal(choose(&info, KZ_SOFTMAX_PLAIN, KZ_F16, 64), "03_online");
    cpu.multiprocessors = 2;
    assert_string_equal(choose(&cpu, KZ_SOFTMAX_PLAIN, KZ_F32, 64), "00_native");
    kz_device_close(sim);
}

// Whatever a row's length and however many there are, its packs have room, and every row has a team that comes by.
static void shapes_have_room(void **state) {
    for (uint64_t columns = 1; columns < 200000; columns += 1 + columns / 7)
        for (uint64_t rows = 1; rows < 100000; rows = rows * 5 + 1) {
            kz_row_work w = {rows, columns, 2, 1, 132, 227 << 10, 0};
            uint64_t packs = kz_row_packs(&w);
            assert_true(packs * 8 >= columns);
            kz_row_shape lanes = kz_row_lanes(&w, 4), block = kz_row_block(&w, 4, 640),
                         stays = kz_row_staying(&w, 4, 640);
            kz_row_shape cluster = kz_row_cluster(&w);
            if (lanes.blocks)
                assert_true(lanes.lanes * 4ULL >= packs && lanes.lanes <= 32);
            else
                assert_true(packs > 128);
            if (block.blocks)
                assert_true(block.threads * 4ULL >= packs && block.threads <= 640);
            else
                assert_true(packs > 2560);
            assert_true(block.blocks == (packs > 2560 ? 0 : rows) && stays.blocks <= rows);
            assert_int_equal(stays.threads, block.threads);
            assert_true(cluster.blocks <= rows * cluster.cluster);
            assert_true(cluster.blocks > 0 && cluster.blocks % cluster.cluster == 0);
            assert_true(cluster.blocks <= (cluster.cluster > 2 ? 128 : 132));
            assert_true(kz_row_slice_stages(packs, cluster.cluster) <= cluster.stages);
        }
}

// ---- the operation ---------------------------------------------------------------------------------------

enum { R = 5, C = 700, N = R * C, ROOM = (N + 8) * 4 };

// Runs `variant` with arrays that begin `shift` bytes past an aligned address; the result in `out`.
static void run(kz_device *device, kz_softmax function, const char *variant, const float *a, const float *b,
                const unsigned shift[3], bool in_place, float *out) {
    kz_operation *operation = NULL;
    kz_ptr at[3];
    kz_error error = {0};
    for (int i = 0; i < 3; i++) assert_int_equal(kz_memory_alloc(device, ROOM, &at[i], NULL), KZ_OK);
    kz_ptr x = at[0] + shift[0], dy = at[1] + shift[1], y = in_place ? b ? dy : x : at[2] + shift[2];
    assert_int_equal(kz_copy_to_device(device, NULL, x, a, N * 4, NULL), KZ_OK);
    if (b) assert_int_equal(kz_copy_to_device(device, NULL, dy, b, N * 4, NULL), KZ_OK);
    assert_int_equal(kz_softmax_open(device, function, KZ_F32, 1, R, C, variant, &operation, &error), KZ_OK);
    assert_int_equal(b ? kz_softmax_run_backward(operation, NULL, x, dy, y, &error)
                       : kz_softmax_run(operation, NULL, x, y, &error),
                     KZ_OK);
    assert_int_equal(kz_copy_to_host(device, NULL, out, y, N * 4, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    kz_operation_close(operation);
    for (int i = 0; i < 3; i++) kz_memory_free(device, at[i], NULL);
}

static void in_place_and_at_any_alignment(void **state) {
    static const char *const names[] = {"01_thread", "02_block", "03_online", "05_registers", "06_cluster"};
    static float x[N], dy[N], once[N], again[N];
    static double wanted[N], far[N];
    kz_device *sim = NULL;
    assert_int_equal(kz_device_open("sim:h200", &sim, NULL), KZ_OK);
    for (uint64_t i = 0; i < N; i++) x[i] = (float)draw(3, i) * 50, dy[i] = (float)draw(4, i);
    for (int back = 0; back < 2; back++) {
        kz_softmax function = back ? KZ_SOFTMAX_BACKWARD : KZ_SOFTMAX_PLAIN;
        const kz_case c = {.operation = function, .type = KZ_F32, .axes = {1, R, C}};
        refer(&c, x, dy);
        memcpy(wanted, expected, sizeof wanted), memcpy(far, bound, sizeof far);
        for (size_t v = 0; v < sizeof names / sizeof names[0]; v++) {
            const float *b = back ? dy : NULL;
            run(sim, function, names[v], x, b, (unsigned[]){4, 8, 12}, false, once);
            for (int i = 0; i < N; i++) assert_true(fabs((double)once[i] - wanted[i]) <= far[i]);
            run(sim, function, names[v], x, b, (unsigned[]){4, 8, 12}, false, again);
            assert_memory_equal(once, again, sizeof once);
            run(sim, function, names[v], x, b, (unsigned[]){4, 8, 12}, true, again);
            assert_memory_equal(once, again, sizeof once);
        }
    }
    kz_device_close(sim);
}

// Half of each row is -Inf, so that some threads see nothing else, and the rest lies further below 0 than exp of float reaches
// above it.
static void threads_that_see_nothing(void **state) {
    static const char *const names[] = {"01_thread", "02_block", "03_online", "05_registers", "06_cluster"};
    static const unsigned aligned[3];
    static float x[N], y[N];
    kz_device *sim = NULL;
    assert_int_equal(kz_device_open("sim:h200", &sim, NULL), KZ_OK);
    for (uint64_t i = 0; i < N; i++) x[i] = i % C < C / 2 ? -INFINITY : -150.0f + (float)draw(5, i);
    const kz_case c = {.operation = KZ_SOFTMAX_PLAIN, .type = KZ_F32, .axes = {1, R, C}};
    refer(&c, x, NULL);
    for (size_t v = 0; v < sizeof names / sizeof names[0]; v++) {
        run(sim, KZ_SOFTMAX_PLAIN, names[v], x, NULL, aligned, false, y);
        for (int i = 0; i < N; i++) assert_true(fabs((double)y[i] - expected[i]) <= bound[i]);
    }
    kz_device_close(sim);
}

// More than a cluster holds: each pass reads the row anew.
static void a_row_for_no_cluster(void **state) {
    enum { LONG = 500001 };
    float *y = calloc(LONG, sizeof *y);
    kz_device *sim = NULL;
    kz_operation *operation = NULL;
    kz_ptr at;
    assert_non_null(y);
    assert_int_equal(kz_device_open("sim:h200", &sim, NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(sim, LONG * sizeof *y, &at, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_device(sim, NULL, at, y, LONG * sizeof *y, NULL), KZ_OK);
    assert_int_equal(kz_softmax_open(sim, KZ_SOFTMAX_PLAIN, KZ_F32, 1, 1, LONG, NULL, &operation, NULL),
                     KZ_OK);
    assert_string_equal(kz_operation_variant(operation), "06_cluster");
    assert_int_equal(kz_softmax_run(operation, NULL, at, at, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_host(sim, NULL, y, at, LONG * sizeof *y, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(sim, NULL), KZ_OK);
    for (int i = 0; i < LONG; i++) assert_true(fabs((double)y[i] * LONG - 1.0) < 1e-6);
    kz_operation_close(operation);
    kz_memory_free(sim, at, NULL);
    kz_device_close(sim);
    free(y);
}

static void refusals(void **state) {
    kz_device *sim = NULL;
    kz_operation *operation = NULL;
    kz_error error = {0};
    assert_int_equal(kz_device_open("sim:h200", &sim, NULL), KZ_OK);
    assert_int_equal(kz_softmax_open(sim, KZ_SOFTMAX_PLAIN, KZ_F64, 1, 4, 4, NULL, &operation, &error),
                     KZ_UNSUPPORTED);
    assert_int_equal(
        kz_softmax_open(sim, KZ_SOFTMAX_PLAIN, KZ_F16, 1, 1, 1ULL << 30, NULL, &operation, &error),
        KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "2^30"));
    assert_int_equal(
        kz_softmax_open(sim, KZ_SOFTMAX_PLAIN, KZ_F32, 1, 4, 5000, "04_lanes", &operation, &error),
        KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "03_online"));
    kz_device_close(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_hand),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(float_passes_and_less_fails),
        cmocka_unit_test(choice_by_the_bytes_of_a_row),
        cmocka_unit_test(shapes_have_room),
        cmocka_unit_test(in_place_and_at_any_alignment),
        cmocka_unit_test(threads_that_see_nothing),
        cmocka_unit_test(a_row_for_no_cluster),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
