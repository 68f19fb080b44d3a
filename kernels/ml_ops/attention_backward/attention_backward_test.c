// attention_backward: the reference against a case worked out by hand and against slopes of the forward pass; its bound against what
// must fail and what must pass; the operation as a user calls it.
#include "attention_backward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kz/family.h"
#include "unit.h"

#include "private.h"

static const char *const gpu_variants[] = {"01_unfused",     "02_recompute", "03_two_passes",    "04_mma",
                                           "05_mma_ordered", "06_wgmma",     "07_wgmma_ordered", NULL};
enum { MOST = 1 << 17 };

static double draw(uint32_t buffer, uint64_t i) {
    return (double)(kz_draw(11, buffer, i) >> 11) * 0x1p-52 - 1.0;
}

// ---- a case and its buffers --------------------------------------------------------------------------------

typedef struct problem {
    kz_case c;
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count;
    void *host[KZ_FAMILY_BUFFERS];
} problem;

static const kz_family *family(void) { return kz_family_find("attention_backward"); }

// All inputs uniform in [-1, 1), what a mask needs as the family fills it.
static problem open_problem(kz_case c) {
    problem p = {.c = c};
    p.count = family()->buffers(&c, p.list);
    for (size_t i = 0; i < p.count; i++) {
        p.host[i] = calloc(p.list[i].count + 1, kz_type_size(p.list[i].type));
        assert_non_null(p.host[i]);
        if (strchr("qkv", p.list[i].name[0]) == NULL || strlen(p.list[i].name) > 1)
            if (family()->fill(&c, i, 3, 0, p.list[i].count, p.host[i])) continue;
        for (uint64_t x = 0; x < p.list[i].count; x++)
            kz_element_set(p.list[i].type, p.host[i], x, draw((uint32_t)i, x));
    }
    family()->derive(&c, p.host);
    return p;
}

static void close_problem(problem *p) {
    for (size_t i = 0; i < p->count; i++) free(p->host[i]);
}

static size_t find(const problem *p, const char *name) {
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->list[i].name, name) == 0) return i;
    fail();
    return 0;
}

static void refer(const problem *p, const char *name, double *expected, double *bound) {
    assert_int_equal(family()->reference(&p->c, p->host, find(p, name), expected, bound, NULL), KZ_OK);
}

// ---- by hand ---------------------------------------------------------------------------------------------

static void by_hand(void **state) {
    // One query, two keys of one number, scores 0 and log 3: p is 1/4 and 3/4.
    problem p = open_problem((kz_case){.type = KZ_F32, .axes = {1, 1, 1, 1, 2, 1}});
    double result[2], bound[2];
    float *q = p.host[0], *k = p.host[1], *v = p.host[2], *dout = p.host[find(&p, "dout")];
    q[0] = 1.0f, k[0] = 0.0f, k[1] = logf(3.0f), v[0] = 8.0f, v[1] = 16.0f, dout[0] = 2.0f;
    family()->derive(&p.c, p.host); // out is 14
    refer(&p, "dv", result, bound);
    assert_float_equal(result[0], 0.5, 1e-6);
    assert_float_equal(result[1], 1.5, 1e-6);
    refer(&p, "dk", result, bound); // ds: 1/4 (16 - 28) and 3/4 (32 - 28)
    assert_float_equal(result[0], -3.0, 1e-5);
    assert_float_equal(result[1], 3.0, 1e-5);
    refer(&p, "dq", result, bound);
    assert_float_equal(result[0], 3.0 * log(3.0), 1e-5);
    close_problem(&p);
}

// ---- slopes ----------------------------------------------------------------------------------------------

// The sum of dout times attention's result, in double.
static double loss(const problem *p) {
    static double out[MOST], bound[MOST];
    const kz_family *forward = kz_family_find("attention");
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count = forward->buffers(&p->c, list), at = count - 1;
    assert_string_equal(list[at].name, "out");
    const float *dout = p->host[find(p, "dout")];
    double sum = 0.0;
    assert_int_equal(forward->reference(&p->c, p->host, at, out, bound, NULL),
                     KZ_OK); // the same inputs come first
    for (uint64_t i = 0; i < list[at].count; i++)
        if (bound[i] != KZ_ANYTHING) sum += (double)dout[i] * out[i];
    return sum;
}

static void check_slopes(const problem *p, const char *input, const char *gradient) {
    static double expected[MOST], bound[MOST];
    const float h = 0x1p-10f;
    size_t at = find(p, input);
    float *x = p->host[at];
    refer(p, gradient, expected, bound);
    for (uint64_t i = 0; i < p->list[at].count; i++) {
        if (bound[i] == KZ_ANYTHING) continue;
        float before = x[i];
        x[i] = before + h;
        double above = loss(p);
        x[i] = before - h;
        double below = loss(p);
        x[i] = before;
        assert_true(fabs((above - below) / (2.0 * (double)h) - expected[i]) < 1e-5);
    }
}

static void gradients_are_slopes(void **state) {
    for (uint32_t operation = 0; operation < KZ_ATTENTION_OPERATIONS; operation++) {
        problem p =
            open_problem((kz_case){.operation = operation, .type = KZ_F32, .axes = {2, 4, 2, 9, 11, 3}});
        for (size_t i = 0; i < 3; i++) // multiples of h: then x and x +- h are floats
            for (uint64_t x = 0; x < p.list[i].count; x++)
                ((float *)p.host[i])[x] = (float)(floor(draw((uint32_t)i, x) * 512) / 512);
        family()->derive(&p.c, p.host);
        check_slopes(&p, "q", "dq");
        check_slopes(&p, "k", "dk");
        check_slopes(&p, "v", "dv");
        close_problem(&p);
    }
}

// ---- bounds ----------------------------------------------------------------------------------------------

static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}
static double tf32(double x) { // 11 bits of the mantissa
    int exponent;
    double mantissa = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(mantissa, 11)), exponent - 11);
}
static double whole(double x) { return x; }

enum { SIDE = 192, D = 16, PAIRS = SIDE * SIDE, ALL = SIDE * D };

typedef struct rounding {
    kz_type type;
    double (*factor)(double); // of the scores
    kz_type pair, sum;        // of p and ds, of the sums of dq, dk and dv
} rounding;

static double weights[PAIRS], slopes[PAIRS];

static void weigh(const problem *p, const rounding *r) {
    double q[ALL], k[ALL], v[ALL], g[ALL], out[ALL];
    for (uint64_t i = 0; i < ALL; i++) {
        q[i] = kz_element_get(r->type, p->host[0], i), k[i] = kz_element_get(r->type, p->host[1], i);
        v[i] = kz_element_get(r->type, p->host[2], i), out[i] = kz_element_get(r->type, p->host[3], i);
        g[i] = kz_element_get(r->type, p->host[4], i);
    }
    const float *lse = p->host[5];
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            double score = 0.0, dp = 0.0, delta = 0.0;
            for (int d = 0; d < D; d++) {
                score = in(KZ_F32, score + r->factor(q[i * D + d]) * r->factor(k[j * D + d]));
                dp = in(KZ_F32, dp + g[i * D + d] * v[j * D + d]);
                delta = in(KZ_F32, delta + g[i * D + d] * out[i * D + d]);
            }
            double weight = in(KZ_F32, exp(in(KZ_F32, score / sqrt(D) - (double)lse[i])));
            weights[i * SIDE + j] = in(r->pair, weight);
            slopes[i * SIDE + j] = in(r->pair, weight * (dp - delta));
        }
}

// How many elements of a gradient lie outside of the bound.
static int outside_of(const problem *p, const rounding *r, const char *name) {
    static double expected[ALL], bound[ALL];
    bool is_dq = name[1] == 'q', is_dv = name[1] == 'v';
    const double *pairs = is_dv ? weights : slopes;
    const void *rows = p->host[is_dq ? 1 : is_dv ? 4 : 0];
    int count = 0;
    refer(p, name, expected, bound);
    for (int x = 0; x < SIDE; x++)
        for (int d = 0; d < D; d++) {
            double sum = 0.0;
            for (int y = 0; y < SIDE; y++)
                sum = in(r->sum, sum + pairs[is_dq ? x * SIDE + y : y * SIDE + x] *
                                           kz_element_get(r->type, rows, (uint64_t)(y * D + d)));
            double result = in(r->type, is_dv ? sum : sum / sqrt(D));
            count += !(fabs(result - expected[x * D + d]) <= bound[x * D + d]);
        }
    return count;
}

static void count_outside(rounding r, int count[3]) {
    problem p = open_problem((kz_case){.type = r.type, .axes = {1, 1, 1, SIDE, SIDE, D}});
    weigh(&p, &r);
    count[0] = outside_of(&p, &r, "dq"), count[1] = outside_of(&p, &r, "dk");
    count[2] = outside_of(&p, &r, "dv");
    close_problem(&p);
}

static void assert_passes(rounding r) {
    int count[3];
    count_outside(r, count);
    for (int i = 0; i < 3; i++) assert_int_equal(count[i], 0);
}
static void assert_fails(rounding r) {
    int count[3];
    count_outside(r, count);
    for (int i = 0; i < 3; i++) assert_true(count[i] > 0);
}

static void float_and_tensor_cores_pass(void **state) {
    assert_passes((rounding){KZ_F32, whole, KZ_F32, KZ_F32});
    assert_passes((rounding){KZ_F16, whole, KZ_F16, KZ_F32});
    assert_passes((rounding){KZ_BF16, whole, KZ_BF16, KZ_F32});
}

static void less_than_float_fails(void **state) {
    assert_fails((rounding){KZ_F32, tf32, KZ_F32, KZ_F32});
    assert_fails((rounding){KZ_F32, whole, KZ_F16, KZ_F32}); // f32 has no such excuse
    assert_fails((rounding){KZ_F16, whole, KZ_F16, KZ_F16});
    assert_fails((rounding){KZ_BF16, whole, KZ_BF16, KZ_BF16});
}

// ---- the operation ---------------------------------------------------------------------------------------

static int open_device(void **state) { return kz_device_open("sim:h200", (kz_device **)state, NULL); }
static int close_device(void **state) {
    kz_device_close(*state);
    return 0;
}

static kz_attention_shape shape_of(const kz_case *c) {
    const int64_t *n = c->axes;
    return (kz_attention_shape){.size = sizeof(kz_attention_shape),
                                .batch = (size_t)n[0],
                                .heads = (size_t)n[1],
                                .kv_heads = (size_t)n[2],
                                .queries = (size_t)n[3],
                                .keys = (size_t)n[4],
                                .dimension = (size_t)n[5],
                                .window = c->operation == KZ_ATTENTION_WINDOW ? (size_t)(n[4] + 1) / 2 : 0};
}

static kz_ptr address(const problem *p, const kz_ptr *at, const char *name) {
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->list[i].name, name) == 0) return at[i];
    return 0;
}

// Runs it by kz_attention_backward_run, outputs into p->host. False where the variant does not do the case.
static bool run(kz_device *device, const problem *p, const char *variant) {
    kz_operation *operation = NULL;
    kz_ptr at[KZ_FAMILY_BUFFERS], workspace;
    kz_error error = {0};
    kz_attention_shape shape = shape_of(&p->c);
    kz_status status = kz_attention_backward_open(device, (kz_attention_operation)p->c.operation, p->c.type,
                                                  &shape, variant, &operation, &error);
    if (status == KZ_UNSUPPORTED) return false;
    assert_int_equal(status, KZ_OK);
    uint64_t bytes = kz_operation_workspace(operation);
    assert_int_equal(kz_memory_alloc(device, bytes, &workspace, NULL), KZ_OK);
    for (size_t i = 0; i < p->count; i++) {
        uint64_t size = p->list[i].count * kz_type_size(p->list[i].type);
        assert_int_equal(kz_memory_alloc(device, size, &at[i], NULL), KZ_OK);
        assert_int_equal(kz_copy_to_device(device, NULL, at[i], p->host[i], size, NULL), KZ_OK);
    }
    const kz_attention_backward_buffers buffers = {.size = sizeof buffers,
                                                   .q = at[0],
                                                   .k = at[1],
                                                   .v = at[2],
                                                   .out = address(p, at, "out"),
                                                   .dout = address(p, at, "dout"),
                                                   .lse = address(p, at, "lse"),
                                                   .key_lengths = address(p, at, "key_lengths"),
                                                   .query_offsets = address(p, at, "query_offsets"),
                                                   .key_offsets = address(p, at, "key_offsets"),
                                                   .mask = address(p, at, "mask"),
                                                   .dq = address(p, at, "dq"),
                                                   .dk = address(p, at, "dk"),
                                                   .dv = address(p, at, "dv")};
    status = kz_attention_backward_run(operation, NULL, &buffers, workspace, bytes, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, KZ_OK);
    for (size_t i = p->count - 3; i < p->count; i++)
        assert_int_equal(kz_copy_to_host(device, NULL, p->host[i], at[i],
                                         p->list[i].count * kz_type_size(p->list[i].type), NULL),
                         KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    kz_operation_close(operation);
    for (size_t i = 0; i < p->count; i++) kz_memory_free(device, at[i], NULL);
    kz_memory_free(device, workspace, NULL);
    return true;
}

static void assert_right(const problem *p) {
    static double expected[MOST], bound[MOST];
    static const char *const names[] = {"dq", "dk", "dv"};
    for (int n = 0; n < 3; n++) {
        size_t at = find(p, names[n]);
        refer(p, names[n], expected, bound);
        for (uint64_t i = 0; i < p->list[at].count; i++)
            assert_true(bound[i] == KZ_ANYTHING ||
                        fabs(kz_element_get(p->list[at].type, p->host[at], i) - expected[i]) <= bound[i]);
    }
}

static void every_operation_by_its_buffers(void **state) {
    for (uint32_t operation = 0; operation < KZ_ATTENTION_OPERATIONS; operation++)
        for (int half = 0; half < 2; half++) {
            problem p = open_problem((kz_case){
                .operation = operation, .type = half ? KZ_BF16 : KZ_F32, .axes = {2, 2, 1, 19, 37, 16}});
            assert_true(run(*state, &p, NULL));
            assert_right(&p);
            close_problem(&p);
        }
}

// Other bits in k and v behind padded lengths, which are NaN as well.
static void spoil(problem *p, const int *lengths, int byte) {
    uint64_t tokens = (uint64_t)p->c.axes[4], d = (uint64_t)p->c.axes[5];
    for (uint64_t array = 1; array < 3; array++)
        for (int64_t b = 0; b < p->c.axes[0]; b++)
            for (uint64_t j = (uint64_t)lengths[b]; j < tokens; j++)
                memset((char *)p->host[array] + ((uint64_t)b * tokens + j) * d * kz_type_size(p->c.type),
                       byte, d * kz_type_size(p->c.type));
}

static void padding_has_no_influence(void **state) {
    static const int lengths[] = {0, 70, 141};
    for (int half = 0; half < 2; half++) {
        problem p = open_problem((kz_case){.operation = KZ_ATTENTION_PADDED,
                                           .type = half ? KZ_F16 : KZ_F32,
                                           .axes = {3, 1, 1, 20, 150, 64}});
        uint64_t bytes = p.list[p.count - 1].count * kz_type_size(p.c.type);
        memcpy(p.host[find(&p, "key_lengths")], lengths, sizeof lengths);
        family()->derive(&p.c, p.host);
        for (size_t v = 0; gpu_variants[v]; v++) {
            if (!run(*state, &p, gpu_variants[v])) continue;
            assert_right(&p);
            char *before = malloc(2 * bytes);
            assert_non_null(before);
            memcpy(before, p.host[p.count - 2], bytes), memcpy(before + bytes, p.host[p.count - 1], bytes);
            spoil(&p, lengths, 0xff - (int)v); // NaN in halves, in f32 now and then
            assert_true(run(*state, &p, gpu_variants[v]));
            assert_memory_equal(before, p.host[p.count - 2], bytes);
            assert_memory_equal(before + bytes, p.host[p.count - 1], bytes);
            assert_right(&p); // 0 behind the lengths
            free(before);
        }
        close_problem(&p);
    }
}

// ---- the CPU's ladder --------------------------------------------------------------------------------------

static void check_steps(const backward_steps *steps) {
    enum { ROWS = 8, COLUMNS = 48, DEPTH = 19, POWERS = 4096 };
    static float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS], x[POWERS];
    for (uint64_t i = 0; i < ROWS * DEPTH; i++) a[i] = (float)draw(20, i);
    for (uint64_t i = 0; i < DEPTH * COLUMNS; i++) b[i] = (float)draw(21, i);
    for (uint64_t i = 0; i < ROWS * COLUMNS; i++) c[i] = (float)i;
    steps->multiply(a, DEPTH, b, COLUMNS, c, COLUMNS, ROWS, COLUMNS, DEPTH);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        double sum = i;
        for (int k = 0; k < DEPTH; k++)
            sum += (double)a[i / COLUMNS * DEPTH + k] * (double)b[k * COLUMNS + i % COLUMNS];
        assert_true(fabs((double)c[i] - sum) < 1e-4);
    }
    for (uint64_t i = 0; i < POWERS; i++) x[i] = (float)(-62.5 + 63.5 * draw(22, i));
    x[0] = -INFINITY, x[1] = NAN, x[2] = 0.0f, x[3] = -125.0f, x[4] = -1000.0f;
    float before[POWERS];
    memcpy(before, x, sizeof x);
    steps->powers(x, POWERS);
    assert_true(x[0] == 0.0f && isnan(x[1]) && x[2] == 1.0f && x[4] == 0.0f);
    for (int i = 5; i < POWERS; i++) {
        double wanted = exp2((double)before[i]);
        assert_true(fabs((double)x[i] - wanted) < 3e-7 * wanted);
    }
}

static void steps_multiply_and_take_powers(void **state) {
    check_steps(&backward_steps_plain);
    check_steps(&backward_steps_vectors);
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) check_steps(&backward_steps_avx2);
#endif
}

// ---- choice and refusals -----------------------------------------------------------------------------------

static const char *choose(const kz_device_info *device, kz_type type, int64_t dimension, bool deterministic) {
    const kz_case c = {.type = type, .axes = {1, 2, 2, 512, 512, dimension}};
    const kz_variant *variant = kz_choose(family(), &c, device, deterministic, NULL);
    return variant ? variant->name : "none";
}

static void choices(void **state) {
    kz_device_info info = *kz_device_get_info(*state), cpu = {.size = sizeof cpu, .kind = KZ_DEVICE_CPU};
    assert_string_equal(choose(&info, KZ_BF16, 96, false), "08_overlap");
    assert_string_equal(choose(&info, KZ_BF16, 96, true), "07_wgmma_ordered");
    assert_string_equal(choose(&info, KZ_BF16, 256, false), "04_mma");
    assert_string_equal(choose(&info, KZ_F16, 20, true), "05_mma_ordered");
    assert_string_equal(choose(&info, KZ_F32, 64, false), "02_recompute");
    assert_string_equal(choose(&info, KZ_F32, 64, true), "03_two_passes");
    assert_string_equal(choose(&info, KZ_F32, 300, true), "01_unfused");
    info.sm = 75, info.gpu[0] = 0;
    assert_string_equal(choose(&info, KZ_F16, 128, false), "02_recompute");
    cpu.multiprocessors = 2;
    assert_string_equal(choose(&cpu, KZ_F16, 64, false), "13_cpu_threads");
}

static void refusals(void **state) {
    kz_operation *operation = (kz_operation *)*state;
    kz_error error = {0};
    kz_attention_shape shape = {sizeof shape, 1, 3, 2, 4, 4, 8, .scale = 0.0f};
    assert_int_equal(
        kz_attention_backward_open(*state, KZ_ATTENTION_FULL, KZ_F32, &shape, NULL, &operation, &error),
        KZ_UNSUPPORTED); // 3 heads share 2
    assert_null(operation);
    shape.kv_heads = 3;
    assert_int_equal(
        kz_attention_backward_open(*state, KZ_ATTENTION_WINDOW, KZ_F32, &shape, NULL, &operation, &error),
        KZ_INVALID);
    assert_non_null(strstr(error.message, "kz_attention_backward_open"));
    assert_int_equal(
        kz_attention_backward_open(*state, KZ_ATTENTION_FULL, KZ_F32, &shape, "04_mma", &operation, &error),
        KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "02_recompute"));
    assert_int_equal(
        kz_attention_backward_open(*state, KZ_ATTENTION_FULL, KZ_F32, &shape, NULL, &operation, &error),
        KZ_OK);
    assert_int_equal(kz_attention_backward_run(operation, NULL, NULL, 0, 0, &error), KZ_INVALID);
    kz_operation_close(operation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(float_and_tensor_cores_pass),
        cmocka_unit_test(less_than_float_fails),
        cmocka_unit_test(every_operation_by_its_buffers),
        cmocka_unit_test(padding_has_no_influence),
        cmocka_unit_test(steps_multiply_and_take_powers),
        cmocka_unit_test(choices),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
