// rope: angles against long double, the reference against what rotations must keep and against finite differences, and the
// public operation in place, forward and backward.
#include <math.h>
#include <stddef.h>

#include "kz/family.h"
#include "ml_ops/rope/rope.h"
#include "ml_ops/rope/turns.h"
#include "unit.h"

enum { MOST = 512 };

static const double u = 0x1p-24;
static const long double two_pi = 6.283185307179586476925286766559L;

static double noise(uint32_t buffer, uint64_t i) {
    return (double)(kz_draw(11, buffer, i) >> 11) * 0x1p-52 - 1.0;
}

// ---- angles ----------------------------------------------------------------------------------------------

static void cosine_and_sine_keep_their_bound(void **state) {
    long double worst = 0.0L;
    for (uint64_t i = 0; i < 1 << 20; i++) {
        // Even steps through the turn, random bits, and what lies near the ends of quarters.
        uint64_t phase = i % 4 == 0   ? i << 44
                         : i % 4 == 1 ? kz_draw(3, 0, i)
                                      : ((i >> 2 & 7) << 61) +
                                            (kz_draw(3, 1, i) >> (i % 61)) * (i % 4 == 2 ? 1 : UINT64_MAX);
        long double angle = two_pi * 0x1p-64L * (long double)(int64_t)phase;
        float c, s;
        rope_cos_sin(phase, &c, &s);
        worst = fmaxl(worst, fmaxl(fabsl((long double)c - cosl(angle)), fabsl((long double)s - sinl(angle))));
    }
    assert_true(worst <= 3.0L * (long double)u);
    assert_true(worst > 0.4L * (long double)u); // it is a float's
}

// How far the angle of a position is from the true one, in radians.
static long double angle_error(int32_t position, double theta, int pair, int rotary) {
    double turns = exp2((double)pair * (-2.0 * log2(theta) / rotary)) * 0.15915494309189535;
    uint64_t phase = rope_phase(position, rope_frequency(turns));
    long double angle = (long double)position * powl((long double)theta, -2.0L * pair / rotary);
    return fabsl(remainderl(two_pi * 0x1p-64L * (long double)(int64_t)phase - angle, two_pi));
}

static void angles_are_exact_at_large_positions(void **state) {
    static const int32_t positions[] = {0,          1,       -1,        4095,     1 << 20, (1 << 20) - 1,
                                        -(1 << 20), 1 << 24, INT32_MAX, INT32_MIN};
    static const double thetas[] = {1.0, 10000.0, 500000.0};
    for (size_t p = 0; p < sizeof positions / sizeof positions[0]; p++)
        for (size_t t = 0; t < 3; t++)
            for (int pair = 0; pair < 64; pair++) {
                long double size = fabsl((long double)positions[p]);
                assert_true(angle_error(positions[p], thetas[t], pair, 128) <= 0x1p-60L + size * 0x1p-50L);
            }
}

// ---- the reference -----------------------------------------------------------------------------------------

// Queries and positions of one case in double, and what the reference makes of them.
typedef struct problem {
    kz_case c;
    double x[MOST], y[MOST], bound[MOST];
    int32_t positions[16];
} problem;

static uint64_t count_of(const kz_case *c) {
    return (uint64_t)(c->axes[0] * c->axes[1] * c->axes[2] * c->axes[4]);
}

static problem make(kz_rope_operation operation, int64_t sequence, int64_t heads, int64_t dim, int64_t rotary,
                    int32_t first) {
    problem p = {.c = {.operation = operation, .type = KZ_F64, .axes = {1, sequence, heads, 0, dim, rotary}}};
    assert_true(count_of(&p.c) <= MOST && sequence <= 16);
    for (uint64_t i = 0; i < count_of(&p.c); i++) p.x[i] = noise(0, i);
    for (int i = 0; i < sequence; i++) p.positions[i] = first + i;
    return p;
}

static void refer(problem *p) {
    void *host[] = {p->x, NULL, p->positions, NULL, NULL};
    assert_int_equal(kz_family_find("rope")->reference(&p->c, host, 3, p->y, p->bound, NULL), KZ_OK);
}

static void a_pair_by_hand(void **state) {
    problem p = make(KZ_ROPE_HALVES, 1, 1, 5, 4,
                     3); // pairs (0, 2) and (1, 3), by 3 and 3 / 100 radians; 4 is passed on
    refer(&p);
    assert_float_equal(p.y[0], p.x[0] * cos(3.0) - p.x[2] * sin(3.0), 1e-15);
    assert_float_equal(p.y[2], p.x[2] * cos(3.0) + p.x[0] * sin(3.0), 1e-15);
    assert_float_equal(p.y[3], p.x[3] * cos(0.03) + p.x[1] * sin(0.03), 1e-15);
    assert_true(p.y[4] == p.x[4] && p.bound[4] == 0.0);
    p.c.operation = KZ_ROPE_INTERLEAVED; // pairs (0, 1) and (2, 3)
    refer(&p);
    assert_float_equal(p.y[1], p.x[1] * cos(3.0) + p.x[0] * sin(3.0), 1e-15);
    assert_float_equal(p.y[2], p.x[2] * cos(0.03) - p.x[3] * sin(0.03), 1e-15);
}

static void lengths_are_kept_and_backward_undoes(void **state) {
    for (int operation = KZ_ROPE_INTERLEAVED; operation <= KZ_ROPE_HALVES; operation++) {
        problem p = make((kz_rope_operation)operation, 4, 3, 20, 12, 1000000), back = p;
        refer(&p);
        for (uint64_t row = 0; row < 12; row++) {
            double before = 0.0, after = 0.0;
            for (uint64_t i = row * 20; i < (row + 1) * 20; i++)
                before += p.x[i] * p.x[i], after += p.y[i] * p.y[i];
            assert_float_equal(before, after, 1e-14);
        }
        memcpy(back.x, p.y, sizeof back.x);
        back.c.operation += 2; // the layout's backward pass
        refer(&back);
        for (uint64_t i = 0; i < count_of(&p.c); i++) assert_float_equal(back.y[i], p.x[i], 1e-14);
    }
}

// A query at m and a key at n: their product depends on m - n alone.
static double score(kz_rope_operation operation, int32_t m, int32_t n) {
    problem q = make(operation, 1, 1, 64, 64, m), k = make(operation, 1, 1, 64, 64, n);
    for (uint64_t i = 0; i < 64; i++) k.x[i] = noise(1, i);
    refer(&q);
    refer(&k);
    double sum = 0.0;
    for (int i = 0; i < 64; i++) sum += q.y[i] * k.y[i];
    return sum;
}

static void scores_depend_on_the_distance(void **state) {
    for (int operation = KZ_ROPE_INTERLEAVED; operation <= KZ_ROPE_HALVES; operation++) {
        double near = score((kz_rope_operation)operation, 12, 5);
        assert_float_equal(score((kz_rope_operation)operation, 1048575, 1048568), near, 1e-8);
        assert_float_equal(score((kz_rope_operation)operation, -3, -10), near, 1e-12);
        assert_true(fabs(score((kz_rope_operation)operation, 12, 6) - near) > 1e-3);
    }
}

// Of the sum of weights times results, by each input: what the backward pass makes of the weights.
static void backward_is_the_gradient(void **state) {
    const double step = 1e-3;
    for (int operation = KZ_ROPE_INTERLEAVED; operation <= KZ_ROPE_HALVES; operation++) {
        problem forward = make((kz_rope_operation)operation, 2, 2, 14, 12, 77), back = forward;
        uint64_t count = count_of(&forward.c);
        back.c.operation += 2;
        for (uint64_t i = 0; i < count; i++) back.x[i] = noise(5, i);
        refer(&back);
        for (uint64_t i = 0; i < count; i++) {
            double loss[2] = {0.0, 0.0}, x = forward.x[i];
            for (int side = 0; side < 2; side++) {
                forward.x[i] = side ? x + step : x - step;
                refer(&forward);
                for (uint64_t k = 0; k < count; k++) loss[side] += back.x[k] * forward.y[k];
            }
            forward.x[i] = x;
            assert_float_equal((loss[1] - loss[0]) / (2.0 * step), back.y[i], 1e-10);
        }
    }
}

// How many results lie outside of f32's bound where the angle is a float, or cosine and sine are a half type's.
static int outside(int32_t first, bool float_angle, kz_type trigonometry) {
    problem p = make(KZ_ROPE_HALVES, 4, 1, 64, 64, first);
    static float x[MOST];
    int count = 0;
    for (int i = 0; i < 256; i++) x[i] = (float)p.x[i], p.x[i] = (double)x[i];
    p.c.type = KZ_F32;
    void *host[] = {x, NULL, p.positions, NULL, NULL};
    assert_int_equal(kz_family_find("rope")->reference(&p.c, host, 3, p.y, p.bound, NULL), KZ_OK);
    for (int i = 0; i < 256; i++) {
        int pair = i % 32, other = i % 64 < 32 ? i + 32 : i - 32, sign = i % 64 < 32 ? -1 : 1;
        double angle = p.positions[i / 64] * pow(10000.0, -pair / 32.0);
        if (float_angle) angle = (double)((float)p.positions[i / 64] * (float)pow(10000.0, -pair / 32.0));
        double c = cos(angle), s = sin(angle), stored[1];
        kz_element_set(trigonometry, stored, 0, c), c = kz_element_get(trigonometry, stored, 0);
        kz_element_set(trigonometry, stored, 0, s), s = kz_element_get(trigonometry, stored, 0);
        float y = x[i] * (float)c + (float)sign * x[other] * (float)s;
        count += !(fabs((double)y - p.y[i]) <= p.bound[i]);
    }
    return count;
}

static void float_passes_and_less_fails(void **state) {
    assert_int_equal(outside(0, false, KZ_F32), 0);
    assert_int_equal(outside(1 << 20, false, KZ_F32), 0);
    assert_true(outside(1 << 20, true, KZ_F32) > 100);
    assert_true(outside(4000, true, KZ_F32) > 10);
    assert_true(outside(0, false, KZ_F16) > 10);
}

// ---- the public operation ----------------------------------------------------------------------------------

static void turn_in_place(kz_device *device, kz_rope_operation operation, const kz_rope_shape *shape,
                          const char *variant, kz_ptr q, kz_ptr k, kz_ptr positions) {
    kz_error error = {0};
    kz_operation *rope;
    kz_ptr workspace = 0;
    if (kz_rope_open(device, operation, KZ_F32, shape, variant, &rope, &error)) fail_msg("%s", error.message);
    uint64_t bytes = kz_operation_workspace(rope);
    assert_int_equal(kz_memory_alloc(device, bytes ? bytes : 1, &workspace, &error), KZ_OK);
    if (kz_rope_run(rope, NULL, q, k, positions, q, k, workspace, bytes, &error))
        fail_msg("%s", error.message);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    kz_memory_free(device, workspace, NULL);
    kz_operation_close(rope);
}

static void in_place_and_back(void **state) {
    static const char *const variants[] = {"01_naive", "02_table", "03_vector", "04_heads", "05_fixed_point"};
    enum { TOKENS = 6, DIM = 24, HEADS = 3, N = TOKENS * DIM * HEADS };
    const kz_rope_shape shape = {.size = sizeof shape,
                                 .batch = 2,
                                 .sequence = 3,
                                 .q_heads = 2,
                                 .k_heads = 1,
                                 .dim = DIM,
                                 .rotary = 16,
                                 .theta = 500000.0f};
    kz_device *device;
    kz_error error = {0};
    kz_ptr memory, at;
    static float before[N], turned[N], after[N];
    int32_t positions[TOKENS] = {0, 1, 2, 1048573, 1048574, 1048575};
    for (uint64_t i = 0; i < N; i++) before[i] = (float)noise(9, i);
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof before + sizeof positions, &memory, &error), KZ_OK);
    at = memory + sizeof before;
    assert_int_equal(kz_copy_to_device(device, NULL, at, positions, sizeof positions, &error), KZ_OK);
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++)
        for (int operation = KZ_ROPE_INTERLEAVED; operation <= KZ_ROPE_HALVES; operation++) {
            kz_ptr k = memory + sizeof(float) * TOKENS * DIM * 2;
            assert_int_equal(kz_copy_to_device(device, NULL, memory, before, sizeof before, &error), KZ_OK);
            turn_in_place(device, (kz_rope_operation)operation, &shape, variants[v], memory, k, at);
            assert_int_equal(kz_copy_to_host(device, NULL, turned, memory, sizeof turned, &error), KZ_OK);
            turn_in_place(device, (kz_rope_operation)(operation + 2), &shape, variants[v], memory, k, at);
            assert_int_equal(kz_copy_to_host(device, NULL, after, memory, sizeof after, &error), KZ_OK);
            assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
            double moved = 0.0;
            for (int i = 0; i < N; i++) {
                moved = fmax(moved, fabs((double)turned[i] - (double)before[i]));
                assert_float_equal((double)after[i], (double)before[i], 2.0 * 2.0 * 7.0 * u);
            }
            assert_true(moved > 0.5);
        }
    kz_memory_free(device, memory, NULL);
    kz_device_close(device);
}

// ---- room between tokens ---------------------------------------------------------------------------------------------

// q, k and values in one array, turned in place, against the same heads in arrays of their own.
enum { BOTH = 6, QH = 3, KH = 2, HEAD = 16, TOKEN = (QH + 2 * KH) * HEAD };

static void run_heads(kz_device *device, const kz_rope_shape *shape, kz_rope_operation operation,
                      const char *variant, float *host, size_t bytes, size_t k_at, kz_ptr memory,
                      kz_ptr positions) {
    kz_error error = {0};
    assert_int_equal(kz_copy_to_device(device, NULL, memory, host, bytes, &error), KZ_OK);
    turn_in_place(device, operation, shape, variant, memory, memory + k_at * sizeof *host, positions);
    assert_int_equal(kz_copy_to_host(device, NULL, host, memory, bytes, &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
}

// Token t's heads of q and k, out of one array or into arrays of their own.
static void part(const float *one, float *q, float *k) {
    for (int t = 0; t < BOTH; t++) {
        memcpy(q + t * QH * HEAD, one + t * TOKEN, QH * HEAD * sizeof *q);
        memcpy(k + t * KH * HEAD, one + t * TOKEN + QH * HEAD, KH * HEAD * sizeof *k);
    }
}

static void heads_in_one_array(void **state) {
    static const char *const variants[] = {"01_naive", "02_table", "03_vector", "04_heads", "05_fixed_point"};
    static float before[BOTH * TOKEN], one[BOTH * TOKEN], apart[BOTH * (QH + KH) * HEAD],
        from_one[BOTH * (QH + KH) * HEAD];
    const size_t k_apart = BOTH * QH * HEAD;
    const int32_t positions[BOTH] = {0, 1, 2, 1048573, 1048574, -7};
    kz_rope_shape shape = {.size = sizeof shape,
                           .batch = 2,
                           .sequence = 3,
                           .q_heads = QH,
                           .k_heads = KH,
                           .dim = HEAD,
                           .rotary = 8};
    kz_device *device;
    kz_error error = {0};
    kz_ptr memory, at;
    for (uint64_t i = 0; i < BOTH * TOKEN; i++) before[i] = (float)noise(4, i);
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof before, &memory, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof positions, &at, &error), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, at, positions, sizeof positions, &error), KZ_OK);
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++)
        for (int operation = KZ_ROPE_INTERLEAVED; operation <= KZ_ROPE_HALVES_BACKWARD; operation++) {
            memcpy(one, before, sizeof one);
            part(before, apart, apart + k_apart);
            shape.q_stride = shape.k_stride = 0;
            run_heads(device, &shape, (kz_rope_operation)operation, variants[v], apart, sizeof apart, k_apart,
                      memory, at);
            shape.q_stride = shape.k_stride = TOKEN;
            run_heads(device, &shape, (kz_rope_operation)operation, variants[v], one, sizeof one, QH * HEAD,
                      memory, at);
            part(one, from_one, from_one + k_apart);
            assert_memory_equal(from_one, apart, sizeof apart);
            for (int t = 0; t < BOTH; t++) { // the values
                int values = t * TOKEN + (QH + KH) * HEAD;
                assert_memory_equal(one + values, before + values, KH * HEAD * sizeof *one);
            }
            assert_true(memcmp(one, before, sizeof one) != 0);
        }
    kz_memory_free(device, at, NULL);
    kz_memory_free(device, memory, NULL);
    kz_device_close(device);
}

// A program that was compiled before there were strides has a struct that ends where they begin.
static void an_older_shape_is_dense(void **state) {
    kz_device *device;
    kz_operation *rope;
    kz_error error = {0};
    float x[4] = {1, 0, 1, 0}; // two tokens of a pair
    int32_t positions[2] = {0, 1};
    kz_rope_shape shape = {.size = offsetof(kz_rope_shape, q_stride),
                           .batch = 1,
                           .sequence = 2,
                           .q_heads = 1,
                           .dim = 2,
                           .rotary = 2,
                           .q_stride = 1000,
                           .k_stride = 3}; // behind its end
    assert_int_equal(offsetof(kz_rope_shape, q_stride), 64);
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    assert_int_equal(kz_rope_open(device, KZ_ROPE_HALVES, KZ_F32, &shape, NULL, &rope, &error), KZ_OK);
    kz_ptr at = (kz_ptr)(uintptr_t)x;
    assert_int_equal(kz_rope_run(rope, NULL, at, 0, (kz_ptr)(uintptr_t)positions, at, 0, 0, 0, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_true(x[0] == 1.0f && x[1] == 0.0f);
    assert_float_equal(x[2], cos(1.0), 1e-7);
    assert_float_equal(x[3], sin(1.0), 1e-7);
    kz_operation_close(rope);
    kz_device_close(device);
}

static void expect_refused(kz_device *device, const kz_rope_shape *shape, const char *word) {
    kz_operation *rope = NULL;
    kz_error error = {0};
    assert_true(kz_rope_open(device, KZ_ROPE_HALVES, KZ_F32, shape, NULL, &rope, &error) != KZ_OK);
    if (!strstr(error.message, word)) fail_msg("no \"%s\" in: %s", word, error.message);
}

static void wrong_shapes_are_refused(void **state) {
    kz_device *device;
    kz_error error = {0};
    const kz_rope_shape right = {
        .size = sizeof right, .batch = 1, .sequence = 1, .q_heads = 1, .dim = 8, .rotary = 8};
    kz_rope_shape shape = right;
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    expect_refused(device, NULL, "the shape is NULL");
    shape.size = 0;
    expect_refused(device, &shape, "{.size = sizeof x}");
    shape = right, shape.rotary = 7;
    expect_refused(device, &shape, "even");
    shape = right, shape.rotary = 10;
    expect_refused(device, &shape, "at most dim");
    shape = right, shape.theta = 0.5f;
    expect_refused(device, &shape, "theta");
    shape = right, shape.theta = NAN;
    expect_refused(device, &shape, "theta");
    shape = right, shape.q_heads = 1 << 21;
    expect_refused(device, &shape, "2^20 at most");
    shape = right, shape.q_stride = 7;
    expect_refused(device, &shape, "q_stride is 7, and a token's heads have 8 elements");
    shape = right, shape.k_heads = 2, shape.k_stride = 15;
    expect_refused(device, &shape, "k_stride is 15");
    shape = right, shape.q_stride = (size_t)1 << 32;
    expect_refused(device, &shape, "below 2^32");
    struct {
        kz_rope_shape shape;
        size_t unknown;
    } newer = {right, 1};
    newer.shape.size = sizeof newer;
    expect_refused(device, &newer.shape, "a field that this library does not know");
    shape = right, shape.batch = (size_t)1 << 40, shape.sequence = (size_t)1 << 40;
    expect_refused(device, &shape, "batch 1099511627776");
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cosine_and_sine_keep_their_bound),
        cmocka_unit_test(angles_are_exact_at_large_positions),
        cmocka_unit_test(a_pair_by_hand),
        cmocka_unit_test(lengths_are_kept_and_backward_undoes),
        cmocka_unit_test(scores_depend_on_the_distance),
        cmocka_unit_test(backward_is_the_gradient),
        cmocka_unit_test(float_passes_and_less_fails),
        cmocka_unit_test(in_place_and_back),
        cmocka_unit_test(heads_in_one_array),
        cmocka_unit_test(an_older_shape_is_dense),
        cmocka_unit_test(wrong_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
