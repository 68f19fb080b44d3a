// layernorm and rmsnorm: gradients against finite differences of the forward reference; bounds against sums that must pass and
// sums that must fail; every variant with many rows for each block, its bits in every run, and in place.
#include <math.h>
#include <stdlib.h>

#include "kz/family.h"
#include "ml_ops/norm.h"
#include "unit.h"

enum { ROWS = 250, COLUMNS = 200, N = ROWS * COLUMNS, BUFFERS = 8 };

typedef struct problem {
    const kz_family *family;
    kz_case c;
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count;
    void *host[KZ_FAMILY_BUFFERS];
    double *expected, *bound;
} problem;

static uint64_t bytes_of(const problem *p, size_t i) {
    return p->list[i].count * kz_type_size(p->list[i].type);
}

static size_t named(const problem *p, const char *name) {
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->list[i].name, name) == 0) return i;
    return SIZE_MAX;
}

static void put(const problem *p, size_t i, uint64_t at, double value) {
    kz_element_set(p->list[i].type, p->host[i], at, value);
}
static double get(const problem *p, size_t i, uint64_t at) {
    return kz_element_get(p->list[i].type, p->host[i], at);
}

// x and the like are multiples of 2^-12 in [-1, 1), so that a step of 2^-10 from them is exact in a float; rstd is 1.5 to 2.5.
static void open_problem(problem *p, const char *family, uint32_t operation, kz_type type, int64_t rows,
                         int64_t columns) {
    *p = (problem){.family = kz_family_find(family)};
    p->c = (kz_case){.operation = operation, .type = type, .axes = {rows, columns}};
    p->count = p->family->buffers(&p->c, p->list);
    for (size_t i = 0; i < p->count; i++) {
        p->host[i] = calloc(p->list[i].count + 1, 8);
        bool rstd = strcmp(p->list[i].name, "rstd") == 0;
        for (uint64_t k = 0; p->list[i].role == KZ_INPUT && k < p->list[i].count; k++) {
            double value = (double)(kz_draw(5, (uint32_t)i, k) >> 51) * 0x1p-12 - 1.0;
            put(p, i, k, rstd ? 2.0 + value / 2.0 : value);
        }
    }
    size_t scale = named(p, "scale");
    if (scale != SIZE_MAX) put(p, scale, 0, 24.0);
    p->expected = calloc((size_t)(rows * columns) + 1, sizeof *p->expected);
    p->bound = calloc((size_t)(rows * columns) + 1, sizeof *p->bound);
}

static void close_problem(problem *p) {
    for (size_t i = 0; i < p->count; i++) free(p->host[i]);
    free(p->expected), free(p->bound);
}

static void refer(problem *p, const char *name) {
    assert_int_equal(p->family->reference(&p->c, p->host, named(p, name), p->expected, p->bound, NULL),
                     KZ_OK);
}

// ---- gradients ---------------------------------------------------------------------------------------------

enum { SMALL_ROWS = 3, SMALL_COLUMNS = 20, SMALL = SMALL_ROWS * SMALL_COLUMNS };

// The sum of dy y, whose slopes are the gradients. `weights`: dy.
static double loss(problem *forward, const double *weights) {
    double sum = 0.0;
    refer(forward, "y");
    for (int i = 0; i < SMALL; i++) sum += forward->expected[i] * weights[i];
    return sum;
}

static void check_slopes(problem *forward, const char *input, problem *backward, const char *gradient,
                         const double *weights) {
    const double step = 0x1p-10;
    size_t in = named(forward, input), out = named(backward, gradient);
    refer(backward, gradient);
    for (uint64_t i = 0; i < backward->list[out].count; i++) {
        double middle = get(forward, in, i);
        put(forward, in, i, middle + step);
        double above = loss(forward, weights);
        put(forward, in, i, middle - step);
        double slope = (above - loss(forward, weights)) / (2.0 * step);
        put(forward, in, i, middle);
        assert_float_equal(backward->expected[i], slope, 3e-5);
    }
}

static void gradients_are_slopes(void **state) {
    for (int layer = 0; layer < 2; layer++) {
        problem forward, backward;
        double weights[SMALL];
        const char *family = layer ? "layernorm" : "rmsnorm", *gamma = layer ? "gamma" : "weight";
        open_problem(&forward, family, NORM_FORWARD, KZ_F32, SMALL_ROWS, SMALL_COLUMNS);
        open_problem(&backward, family, NORM_BACKWARD, KZ_F32, SMALL_ROWS, SMALL_COLUMNS);
        for (uint64_t i = 0; i < SMALL; i++) {
            put(&backward, named(&backward, "x"), i, get(&forward, named(&forward, "x"), i));
            weights[i] = get(&backward, named(&backward, "dy"), i);
        }
        for (uint64_t i = 0; i < SMALL_COLUMNS; i++)
            put(&backward, named(&backward, gamma), i, get(&forward, named(&forward, gamma), i));
        for (int k = 0; layer && k < 2; k++) {
            refer(&forward, k ? "rstd" : "mean");
            for (uint64_t row = 0; row < SMALL_ROWS; row++)
                put(&backward, named(&backward, k ? "rstd" : "mean"), row, forward.expected[row]);
        }
        check_slopes(&forward, "x", &backward, "dx", weights);
        check_slopes(&forward, gamma, &backward, layer ? "dgamma" : "dweight", weights);
        if (layer) check_slopes(&forward, "beta", &backward, "dbeta", weights);
        close_problem(&forward), close_problem(&backward);
    }
}

// ---- bounds ------------------------------------------------------------------------------------------------

static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}

static int outside(const problem *p, uint64_t i, double value) {
    return p->bound[i] != KZ_ANYTHING && !(fabs(value - p->expected[i]) <= p->bound[i]);
}

// Elements outside of the bound of a layernorm whose sums are added in `sum`.
static int forward_outside(kz_type type, kz_type sum) {
    problem p;
    int count = 0;
    open_problem(&p, "layernorm", NORM_FORWARD, type, 2, 2000);
    refer(&p, "y");
    for (uint64_t row = 0; row < 2; row++) {
        double mean = 0.0, squares = 0.0;
        for (uint64_t c = 0; c < 2000; c++) mean = in(sum, mean + get(&p, 0, row * 2000 + c));
        mean = in(sum, mean / 2000.0);
        for (uint64_t c = 0; c < 2000; c++) {
            double d = in(sum, get(&p, 0, row * 2000 + c) - mean);
            squares = in(sum, squares + in(sum, d * d));
        }
        double rstd = in(KZ_F32, 1.0 / sqrt(squares / 2000.0 + 1e-5));
        for (uint64_t c = 0; c < 2000; c++) {
            double y = (get(&p, 0, row * 2000 + c) - mean) * rstd * get(&p, 1, c) + get(&p, 2, c);
            count += outside(&p, row * 2000 + c, in(type, y));
        }
    }
    close_problem(&p);
    return count;
}

static void forward_sums_in_float_pass_and_in_half_fail(void **state) {
    assert_int_equal(forward_outside(KZ_F32, KZ_F32), 0);
    assert_int_equal(forward_outside(KZ_BF16, KZ_F32), 0);
    assert_int_equal(forward_outside(KZ_F16, KZ_F32), 0);
    assert_true(forward_outside(KZ_F32, KZ_F16) > 1000);
    assert_true(forward_outside(KZ_F16, KZ_F16) > 1000);
    assert_true(forward_outside(KZ_BF16, KZ_BF16) > 1000);
}

// dx and dgamma with sums over a row, or over rows, in `sum`.
static int backward_outside(const char *family, kz_type type, kz_type sum, const char *which) {
    problem p;
    int count = 0;
    enum { R = 400, C = 100 };
    open_problem(&p, family, NORM_BACKWARD, type, R, C);
    refer(&p, which);
    bool layer = strcmp(family, "layernorm") == 0, dx = strcmp(which, "dx") == 0;
    double of_column[C] = {0};
    for (uint64_t row = 0; row < R; row++) {
        double mean = layer ? get(&p, 3, row) : 0.0, rstd = layer ? get(&p, 4, row) : 0.0;
        double squares = 0.0, g_sum = 0.0, gh_sum = 0.0;
        for (uint64_t c = 0; c < C; c++) squares += get(&p, 1, row * C + c) * get(&p, 1, row * C + c);
        if (!layer) rstd = in(KZ_F32, 1.0 / sqrt(squares / C + 1e-6));
        for (uint64_t c = 0; c < C; c++) {
            double dy = get(&p, 0, row * C + c), g = dy * get(&p, 2, c),
                   h = (get(&p, 1, row * C + c) - mean) * rstd;
            g_sum = layer ? in(sum, g_sum + in(sum, g)) : 0.0, gh_sum = in(sum, gh_sum + in(sum, g * h));
            of_column[c] = in(sum, of_column[c] + in(sum, dy * h));
        }
        for (uint64_t c = 0; dx && c < C; c++) {
            double g = get(&p, 0, row * C + c) * get(&p, 2, c), h = (get(&p, 1, row * C + c) - mean) * rstd;
            count += outside(&p, row * C + c, in(type, rstd * (g - (g_sum + h * gh_sum) / C)));
        }
    }
    for (uint64_t c = 0; !dx && c < C; c++) count += outside(&p, c, in(type, of_column[c]));
    close_problem(&p);
    return count;
}

static void backward_sums_in_float_pass_and_in_half_fail(void **state) {
    static const char *const families[] = {"layernorm", "rmsnorm"};
    for (int f = 0; f < 2; f++) {
        const char *family = families[f], *gamma = f ? "dweight" : "dgamma";
        assert_int_equal(backward_outside(family, KZ_F32, KZ_F32, "dx"), 0);
        assert_int_equal(backward_outside(family, KZ_BF16, KZ_F32, "dx"), 0);
        assert_int_equal(backward_outside(family, KZ_F32, KZ_F32, gamma), 0);
        assert_int_equal(backward_outside(family, KZ_F16, KZ_F32, gamma), 0);
        assert_true(backward_outside(family, KZ_F32, KZ_F16, "dx") > 1000);
        assert_true(backward_outside(family, KZ_BF16, KZ_BF16, "dx") > 1000);
        assert_true(backward_outside(family, KZ_F16, KZ_F16, gamma) > 20);
        assert_true(backward_outside(family, KZ_BF16, KZ_BF16, gamma) > 20);
    }
}

// Rows whose mean is 4096 times their deviation or more: mean of squares less square of the mean, and Welford's, in float.
static void a_large_mean_fails_differences_of_squares(void **state) {
    problem p;
    int differences = 0, welford = 0;
    open_problem(&p, "layernorm", NORM_FORWARD, KZ_F32, 1, 1000);
    for (uint64_t i = 0; i < 1000; i++) put(&p, 0, i, 4096.0 + get(&p, 0, i));
    refer(&p, "y");
    float sum = 0.0f, squares = 0.0f, mean = 0.0f, apart = 0.0f;
    for (uint64_t i = 0; i < 1000; i++) {
        float x = (float)get(&p, 0, i), before = x - mean;
        sum += x, squares += x * x;
        mean += before / (float)(i + 1), apart += before * (x - mean);
    }
    float variance = squares / 1000.0f - sum / 1000.0f * (sum / 1000.0f);
    for (uint64_t i = 0; i < 1000; i++) {
        double x = get(&p, 0, i), gamma = get(&p, 1, i), beta = get(&p, 2, i);
        differences +=
            outside(&p, i, (x - (double)sum / 1000.0) / sqrt((double)variance + 1e-5) * gamma + beta);
        welford += outside(&p, i, (x - (double)mean) / sqrt((double)apart / 1000.0 + 1e-5) * gamma + beta);
    }
    assert_int_equal(welford, 0);
    assert_true(differences > 500);
    close_problem(&p);
}

// A byte may be one code off only where a boundary is near; most have a bound of 0.
static void bytes_are_exact(void **state) {
    problem p;
    int exact = 0;
    open_problem(&p, "rmsnorm", NORM_FP8, KZ_BF16, 10, 100);
    refer(&p, "y");
    for (int i = 0; i < 1000; i++) exact += p.bound[i] == 0.0, assert_true(p.bound[i] <= 0.5);
    assert_true(exact > 980);
    close_problem(&p);
}

// ---- variants ----------------------------------------------------------------------------------------------

typedef struct runner {
    kz_device *device;
    kz_ptr at[BUFFERS], workspace;
} runner;

static void copy_all(runner *r, const problem *p, bool back) {
    for (size_t i = 0; i < p->count; i++) {
        if (back && p->list[i].role == KZ_INPUT) continue;
        assert_int_equal(back
                             ? kz_copy_to_host(r->device, NULL, p->host[i], r->at[i], bytes_of(p, i), NULL)
                             : kz_copy_to_device(r->device, NULL, r->at[i], p->host[i], bytes_of(p, i), NULL),
                         KZ_OK);
    }
    assert_int_equal(kz_device_synchronize(r->device, NULL), KZ_OK);
}

// As planned for a GPU of one multiprocessor: its blocks take many rows each. false: the variant does not do it. `over`: the
// buffer of that name lies where `under` does.
static bool run(problem *p, kz_device *device, const kz_variant *variant, const char *over,
                const char *under) {
    runner r = {.device = device};
    kz_device_info one = *kz_device_get_info(device);
    static kz_plan plan;
    kz_image image;
    kz_module *module = NULL;
    kz_error error;
    one.multiprocessors = 1;
    plan = (kz_plan){0};
    if (kz_variant_plan(p->family, variant, &p->c, &one, &plan, &error) != KZ_OK) return false;
    assert_int_equal(kz_variant_image(p->family, variant, &image, NULL), KZ_OK);
    assert_int_equal(kz_module_load(device, &image, &module, NULL), KZ_OK);
    for (size_t i = 0; i < p->count; i++)
        assert_int_equal(kz_memory_alloc(device, bytes_of(p, i) + 16, &r.at[i], NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, plan.workspace_bytes + 16, &r.workspace, NULL), KZ_OK);
    assert_int_equal(kz_memory_fill(device, NULL, r.workspace, 0xff, plan.workspace_bytes, NULL), KZ_OK);
    copy_all(&r, p, false);
    kz_ptr own[BUFFERS];
    memcpy(own, r.at, sizeof own);
    if (over) r.at[named(p, over)] = r.at[named(p, under)];
    if (kz_plan_run(device, NULL, module, &plan, r.at, p->count, r.workspace, &error) != KZ_OK)
        fail_msg("%s", error.message);
    copy_all(&r, p, true);
    kz_module_close(module);
    for (size_t i = 0; i < p->count; i++) kz_memory_free(device, own[i], NULL);
    kz_memory_free(device, r.workspace, NULL);
    return true;
}

static void check_outputs(problem *p, const char *variant) {
    for (size_t i = 0; i < p->count; i++) {
        if (p->list[i].role == KZ_INPUT) continue;
        refer(p, p->list[i].name);
        for (uint64_t k = 0; k < p->list[i].count; k++)
            if (outside(p, k, get(p, i, k)))
                fail_msg("%s %s: %s[%d] is %g and not %g", p->family->name, variant, p->list[i].name, (int)k,
                         get(p, i, k), p->expected[k]);
    }
}

static void check_variants(kz_device *device, const char *family, uint32_t operation, kz_type type) {
    problem p, again;
    int ran = 0;
    open_problem(&p, family, operation, type, ROWS, COLUMNS),
        open_problem(&again, family, operation, type, ROWS, COLUMNS);
    for (size_t v = 0; v < p.family->variant_count; v++) {
        const kz_variant *variant = &p.family->variants[v];
        if (variant->min_sm == 0 || !run(&p, device, variant, NULL, NULL)) continue;
        ran++;
        check_outputs(&p, variant->name);
        assert_true(run(&again, device, variant, NULL, NULL));
        if (p.family->nondeterministic(&p.c, variant)) continue;
        for (size_t i = 0; i < p.count; i++) assert_memory_equal(p.host[i], again.host[i], bytes_of(&p, i));
    }
    assert_true(ran >= 4);
    close_problem(&p), close_problem(&again);
}

static void many_rows_for_each_block(void **state) {
    kz_device *device = NULL;
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    for (uint32_t operation = NORM_FORWARD; operation <= NORM_BACKWARD; operation++) {
        check_variants(device, "layernorm", operation, KZ_BF16);
        check_variants(device, "rmsnorm", operation, KZ_F32);
    }
    check_variants(device, "layernorm", NORM_BACKWARD, KZ_F32);
    check_variants(device, "rmsnorm", NORM_BACKWARD, KZ_F16);
    kz_device_close(device);
}

// y where x is; the sum where the residual is. Two runs, one of them in place, give the same.
static void in_place(void **state) {
    kz_device *device = NULL;
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    for (int residual = 0; residual < 2; residual++) {
        problem p, in;
        uint32_t operation = residual ? NORM_RESIDUAL : NORM_FORWARD;
        open_problem(&p, "layernorm", operation, KZ_F16, 40, 70),
            open_problem(&in, "layernorm", operation, KZ_F16, 40, 70);
        for (size_t v = 0; v < p.family->variant_count; v++) {
            const kz_variant *variant = &p.family->variants[v];
            if (variant->min_sm == 0 || !run(&p, device, variant, NULL, NULL)) continue;
            assert_true(run(&in, device, variant, residual ? "sum" : "y", residual ? "residual" : "x"));
            for (size_t i = 0; i < p.count; i++)
                if (p.list[i].role == KZ_OUTPUT) assert_memory_equal(p.host[i], in.host[i], bytes_of(&p, i));
        }
        close_problem(&p), close_problem(&in);
    }
    kz_device_close(device);
}

static const char *chosen(const char *family, const char *gpu, uint32_t operation, kz_type type,
                          int64_t columns) {
    const kz_case c = {.operation = operation, .type = type, .axes = {4096, columns}};
    kz_device *device = NULL;
    assert_int_equal(kz_device_open(gpu, &device, NULL), KZ_OK);
    const kz_variant *variant = kz_choose(kz_family_find(family), &c, kz_device_get_info(device), true, NULL);
    kz_device_close(device);
    return variant ? variant->name : "none";
}

static void rows_choose_by_their_length(void **state) {
    assert_string_equal(chosen("layernorm", "sim:h200", NORM_FORWARD, KZ_BF16, 1024), "04_lanes");
    assert_string_equal(chosen("layernorm", "sim:h200", NORM_FORWARD, KZ_F32, 1024), "05_registers");
    assert_string_equal(chosen("layernorm", "sim:h200", NORM_RESIDUAL, KZ_BF16, 1024), "05_registers");
    assert_string_equal(chosen("layernorm", "sim:h200", NORM_BACKWARD, KZ_BF16, 8192), "05_registers");
    assert_string_equal(chosen("layernorm", "sim:h200", NORM_BACKWARD, KZ_F32, 8192), "03_welford");
    assert_string_equal(chosen("rmsnorm", "sim:h200", NORM_FORWARD, KZ_BF16, 40000), "03_packs");
    assert_string_equal(chosen("rmsnorm", "sim:t4", NORM_FORWARD, KZ_F16, 1024), "03_packs");
    for (uint32_t operation = NORM_FORWARD; operation <= NORM_BACKWARD; operation++)
        assert_string_equal(chosen("layernorm", "sim:t4", operation, KZ_F16, 1024), "03_welford");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(forward_sums_in_float_pass_and_in_half_fail),
        cmocka_unit_test(backward_sums_in_float_pass_and_in_half_fail),
        cmocka_unit_test(a_large_mean_fails_differences_of_squares),
        cmocka_unit_test(bytes_are_exact),
        cmocka_unit_test(many_rows_for_each_block),
        cmocka_unit_test(in_place),
        cmocka_unit_test(rows_choose_by_their_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
