// adamw: the reference against steps worked out by hand and its bound against what must fail; the operation as a user calls it, for
// several steps, for tensors that are anywhere, with a step by value and by address.
#include "adamw.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kz/family.h"
#include "unit.h"

// The order of the family's buffers.
enum { WEIGHTS, GRADIENTS, M, V, TABLE, LIST, NOW, SCALE, SKIP, COPY, BUFFERS };

static const kz_adamw_options options = {0.9, 0.999, 1e-8, 0};

// ---- the reference -----------------------------------------------------------------------------------

// One element and its step: what the reference of `which` says. Control 1 has a scale.
typedef struct problem {
    double weight, gradient, m, v;
    float rate, scale;
    uint32_t step;
    kz_adamw_options options;
} problem;

static double refer(kz_type type, const problem *p, size_t which, double *bound) {
    uint8_t element[4][8];
    const double values[] = {p->weight, p->gradient, p->m, p->v};
    for (int i = 0; i < 4; i++) kz_element_set(type, element[i], 0, values[i]);
    kz_parameter table = {.count = 1, .weight_decay = 0.1f, .rate = 1.0f};
    kz_adamw_now now = {p->rate, p->step};
    int64_t list = 0;
    uint32_t skip = 0;
    void *host[BUFFERS] = {element[0], element[1], element[2],        element[3], &table,
                           &list,      &now,       (void *)&p->scale, &skip};
    const kz_case c = {.type = type, .axes = {1, 1, 0, p->step, 1}, .detail = &p->options};
    double expected;
    assert_int_equal(kz_family_find("adamw")->reference(&c, host, which, &expected, bound, NULL), KZ_OK);
    return expected;
}

// The first step by hand: m = 0.1 g and v = 0.001 g^2 are corrected to g and g^2, so that the weight moves by the rate alone.
static void the_first_step_by_hand(void **state) {
    const problem p = {2.0, -3.0, 0.0, 0.0, 0.01f, 1.0f, 1, {0.9, 0.999, 0.0, 0}};
    double bound;
    assert_true(fabs(refer(KZ_F32, &p, M, &bound) - -0.3) < 1e-7 && bound < 1e-6);
    assert_true(fabs(refer(KZ_F32, &p, V, &bound) - 0.009) < 1e-7 && bound < 1e-6);
    assert_true(fabs(refer(KZ_F32, &p, WEIGHTS, &bound) - (2.0 * (1.0 - 0.001) + 0.01)) < 1e-6);
    assert_true(bound > 0 && bound < 1e-6);
}

// And the second, whose moments are given.
static void the_second_step_by_hand(void **state) {
    const problem p = {1.0, 4.0, 0.5, 0.25, 0.1f, 0.5f, 2, {0.5, 0.75, 0.25, 0}};
    double bound, m = 0.5 * 0.5 + 0.5 * 2.0, v = 0.75 * 0.25 + 0.25 * 4.0;
    double quotient = m / 0.75 / (sqrt(v / 0.4375) + 0.25);
    assert_true(fabs(refer(KZ_F32, &p, M, &bound) - m) < 1e-12);
    assert_true(fabs(refer(KZ_F32, &p, V, &bound) - v) < 1e-12);
    assert_true(fabs(refer(KZ_F32, &p, WEIGHTS, &bound) - (1.0 * 0.99 - 0.1 * quotient)) < 1e-8);
}

static void what_is_not_finite(void **state) {
    double bound;
    problem p = {1.0, NAN, 0.5, 0.25, 0.1f, 1.0f, 3, options};
    assert_true(isnan(refer(KZ_F32, &p, WEIGHTS, &bound)) && isnan(refer(KZ_F32, &p, V, &bound)));
    p.gradient = 1e30; // its square is past float: v is infinite, and only the decay is left
    assert_true(refer(KZ_F32, &p, V, &bound) == INFINITY);
    assert_true(fabs(refer(KZ_F32, &p, WEIGHTS, &bound) - 0.99) < 1e-8 && bound < 1e-6);
    p.gradient = 1e-30; // its square vanishes
    p.m = p.v = 0.0;
    assert_true(fabs(refer(KZ_F32, &p, WEIGHTS, &bound) - 0.99) < 1e-8 && bound < 1e-6);
    p.gradient = 0.0; // 0 over epsilon
    assert_true(fabs(refer(KZ_F32, &p, WEIGHTS, &bound) - 0.99) < 1e-8 && bound < 1e-6);
}

static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}

// Of many elements, how many weights of `type` lie outside of the bound, where m and v are rounded to `middle` before they are used,
// and the bias is corrected by `steps` steps.
static int outside(kz_type type, kz_type middle, double steps) {
    int count = 0;
    for (uint64_t i = 0; i < 500; i++) {
        double d[4], bound;
        for (uint32_t k = 0; k < 4; k++) d[k] = in(type, (double)(kz_draw(3, k, i) >> 11) * 0x1p-52 - 1.0);
        d[3] = in(type, d[3] * d[3]);
        const problem p = {d[0], d[1], d[2], d[3], 0.25f, 1.0f, 5, options};
        double b1 = options.beta1, b2 = options.beta2;
        double m = in(middle, b1 * d[2] + (1 - b1) * d[1]),
               v = in(middle, b2 * d[3] + (1 - b2) * d[1] * d[1]);
        double quotient = m / (1 - pow(b1, steps)) / (sqrt(v / (1 - pow(b2, steps))) + 1e-8);
        double weight = in(type, in(KZ_F32, d[0] * (1 - 0.25 * (double)0.1f) - 0.25 * quotient));
        double expected = refer(type, &p, WEIGHTS, &bound);
        count += !(fabs(weight - expected) <= bound);
    }
    return count;
}

static void float_passes_and_less_fails(void **state) {
    assert_int_equal(outside(KZ_F32, KZ_F32, 5), 0);
    assert_int_equal(outside(KZ_BF16, KZ_F32, 5), 0);
    assert_true(outside(KZ_F32, KZ_BF16, 5) > 400);
    assert_true(outside(KZ_BF16, KZ_BF16, 5) > 20);
    assert_true(outside(KZ_F32, KZ_F32, 4) > 400); // the step before
    assert_true(outside(KZ_BF16, KZ_F32, 4) > 20);
}

// ---- rounding by chance ------------------------------------------------------------------------------

// An element of update_stochastic: what is expected of `which`, and how far it may be off.
static double refer_by_chance(const problem *p, size_t which, double *bound) {
    uint16_t element[4];
    const double values[] = {p->weight, p->gradient, p->m, p->v};
    for (int i = 0; i < 4; i++) kz_element_set(KZ_BF16, &element[i], 0, values[i]);
    kz_parameter table = {.count = 1, .weight_decay = 0.1f, .rate = 1.0f};
    kz_adamw_now now = {p->rate, p->step};
    void *host[BUFFERS] = {&element[0], &element[1], &element[2], &element[3],
                           &table,      NULL,        &now,        (void *)&p->scale};
    const kz_case c = {.operation = KZ_ADAMW_UPDATE_STOCHASTIC,
                       .type = KZ_BF16,
                       .axes = {1, 1, 0, p->step, 1},
                       .detail = &p->options};
    double expected;
    assert_int_equal(kz_family_find("adamw")->reference(&c, host, which, &expected, bound, NULL), KZ_OK);
    return expected;
}

// Over seeds and steps: a neighbour of the exact value each time, known but for what float may be off by, and on average the
// exact value. The nearest one is always the same, and so are the draws of a kernel that forgets the seed or the step.
static void the_reference_knows_the_bits(void **state) {
    enum { DRAWS = 4096 };
    problem p = {1.0, 0.75, 0.5, 0.25, 0.015625f, 1.0f, 0, {0.9, 0.999, 1e-8, 0}};
    double b1 = 0.9, b2 = 0.999, exact = b2 * 0.25 + (1 - b2) * 0.75 * 0.75, ulp = 0x1p-9, bound, sum = 0.0;
    double before = 0.0;
    int ups = 0, others = 0, loose = 0;
    for (int i = 0; i < DRAWS; i++) {
        p.options.seed = (uint64_t)i / 2, p.step = 7 + (uint32_t)i % 2;
        double v = refer_by_chance(&p, V, &bound);
        assert_true(v == floor(exact / ulp) * ulp || v == ceil(exact / ulp) * ulp);
        if (i % 2) others += v != before;
        before = v;
        sum += v, ups += v > exact, loose += bound > 0;
    }
    double share = exact / ulp - floor(exact / ulp); // with which it goes up
    assert_true(share > 0.05 && share < 0.3);        // to nearest, v would stay at 0.25
    assert_true(fabs(sum / DRAWS - exact) < 5 * ulp * sqrt(share * (1 - share) / DRAWS));
    assert_true(ups > 0 && others > 0 && loose < DRAWS / 100);
    double m = refer_by_chance(&p, M, &bound);
    assert_true(fabs(m - (b1 * 0.5 + (1 - b1) * 0.75)) < 0x1p-8 && bound <= 0x1p-8);
}

static void extremes_by_chance(void **state) {
    double bound;
    problem p = {1.0, NAN, 0.5, 0.25, 0.1f, 1.0f, 3, options};
    assert_true(isnan(refer_by_chance(&p, WEIGHTS, &bound)) && isnan(refer_by_chance(&p, V, &bound)));
    p.gradient = 1e30; // past float
    assert_true(refer_by_chance(&p, V, &bound) == INFINITY && bound == 0.0);
    p.gradient = 1.0, p.v = 0x1.fep127; // the largest: it shrinks, by chance to itself
    assert_true(refer_by_chance(&p, V, &bound) <= 0x1.fep127);
    p.v = 0.0, p.gradient = 1e-30;
    assert_true(refer_by_chance(&p, V, &bound) == 0.0);
}

// ---- the operation -----------------------------------------------------------------------------------

// Tensors of a model in one buffer, whose arrays are `apart` elements further on in each array than in the one before: 0 for
// arrays that begin alike.
enum { TENSORS = 5, SPACE = 24000, ROUNDS = 4 };
static const uint64_t counts[TENSORS] = {1, 8200, 0, 77, 12345};

typedef struct model {
    kz_device *device;
    kz_operation *adamw;
    kz_adamw_buffers at;
    kz_ptr memory, now, flag, factor;
    float weights[SPACE], gradients[SPACE], m[SPACE], v[SPACE];
    double expected[3][SPACE]; // weights, m, v
    double magnitude[SPACE];   // of the gradients that m is made of: they may cancel
    kz_parameter table[TENSORS];
} model;

static void lay_out(model *x, uint64_t apart) {
    uint64_t at = 3;
    for (int t = 0; t < TENSORS; t++) {
        x->table[t] = (kz_parameter){
            .count = counts[t], .weight_decay = t % 2 ? 0.1f : 0.0f, .rate = 1.0f / (float)(t + 1)};
        uint64_t *offsets[] = {&x->table[t].weights, &x->table[t].gradients, &x->table[t].m, &x->table[t].v};
        for (uint64_t k = 0; k < 4; k++) *offsets[k] = (at + k * apart) * sizeof(float);
        at += counts[t] + t;
    }
}

static void fill(model *x) {
    for (uint64_t i = 0; i < SPACE; i++) {
        x->weights[i] = (float)((double)(kz_draw(9, 0, i) >> 11) * 0x1p-52 - 1.0);
        x->m[i] = x->v[i] = 0.0f;
        x->expected[0][i] = (double)x->weights[i];
        x->expected[1][i] = x->expected[2][i] = 0.0;
    }
}

static kz_ptr put(model *x, kz_ptr to, const void *from, size_t bytes) {
    assert_int_equal(kz_copy_to_device(x->device, NULL, to, from, bytes, NULL), KZ_OK);
    return to;
}
static void get(model *x, void *to, kz_ptr from, size_t bytes) {
    assert_int_equal(kz_copy_to_host(x->device, NULL, to, from, bytes, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(x->device, NULL), KZ_OK);
}

static model *open_model(const char *device, const char *variant, uint64_t apart) {
    static int64_t list[64];
    model *x = calloc(1, sizeof *x);
    kz_error error = {0};
    assert_non_null(x);
    assert_int_equal(kz_device_open(device, &x->device, &error), KZ_OK);
    lay_out(x, apart);
    fill(x);
    uint64_t n = 0, chunks = kz_parameters_chunks(x->table, TENSORS);
    for (int t = 0; t < TENSORS; t++) n += counts[t];
    assert_int_equal(kz_parameters_pack(x->table, TENSORS, list, chunks, &error), KZ_OK);
    if (kz_adamw_open(x->device, KZ_ADAMW_UPDATE, KZ_F32, &options, n, TENSORS, chunks, variant, &x->adamw,
                      &error))
        fail_msg("%s", error.message);
    size_t array = SPACE * sizeof(float);
    assert_int_equal(kz_memory_alloc(x->device, 4 * array + 8192, &x->memory, &error), KZ_OK);
    kz_ptr end = x->memory + 4 * array;
    x->at = (kz_adamw_buffers){.weights = put(x, x->memory, x->weights, array),
                               .gradients = x->memory + array,
                               .m = put(x, x->memory + 2 * array, x->m, array),
                               .v = put(x, x->memory + 3 * array, x->v, array),
                               .parameters = put(x, end, x->table, sizeof x->table),
                               .chunks = put(x, end + 1024, list, chunks * sizeof list[0])};
    x->now = end + 4096, x->factor = end + 4104, x->flag = end + 4112;
    return x;
}

static void close_model(model *x) {
    kz_operation_close(x->adamw);
    kz_memory_free(x->device, x->memory, NULL);
    kz_device_close(x->device);
    free(x);
}

// The gradients of a step: huge, tiny and zero ones among others.
static void make_gradients(model *x, uint32_t step) {
    for (uint64_t i = 0; i < SPACE; i++) {
        double unit = (double)(kz_draw(step, 1, i) >> 11) * 0x1p-52 - 1.0;
        x->gradients[i] = (float)(unit * (i % 7 == 0 ? 1e15 : i % 7 == 1 ? 1e-25 : i % 7 == 2 ? 0.0 : 1.0));
    }
    put(x, x->at.gradients, x->gradients, sizeof x->gradients);
}

// A step in double, onto what is expected.
static void expect_step(model *x, double rate, uint32_t step, double scale) {
    double b1 = options.beta1, b2 = options.beta2;
    for (int t = 0; t < TENSORS; t++) {
        const kz_parameter *p = &x->table[t];
        double own = rate * (double)p->rate;
        for (uint64_t i = 0; i < p->count; i++) {
            double *weight = &x->expected[0][p->weights / 4 + i], *m = &x->expected[1][p->m / 4 + i],
                   *v = &x->expected[2][p->v / 4 + i], g = scale * (double)x->gradients[p->gradients / 4 + i];
            double *magnitude = &x->magnitude[p->m / 4 + i];
            *m = b1 * *m + (1 - b1) * g;
            *magnitude = b1 * *magnitude + (1 - b1) * fabs(g);
            *v = b2 * *v + (1 - b2) * g * g;
            *weight = *weight * (1 - own * (double)p->weight_decay) -
                      own * (*m / (1 - pow(b1, step))) / (sqrt(*v / (1 - pow(b2, step))) + options.epsilon);
        }
    }
}

// Within some roundings of a step each; what lies between the tensors is as it was.
static void compare(model *x) {
    get(x, x->weights, x->at.weights, sizeof x->weights);
    get(x, x->m, x->at.m, sizeof x->m);
    get(x, x->v, x->at.v, sizeof x->v);
    const float *got[] = {x->weights, x->m, x->v};
    for (int k = 0; k < 3; k++)
        for (uint64_t i = 0; i < SPACE; i++) {
            double expected = x->expected[k][i], off = fabs((double)got[k][i] - expected);
            double tolerance = 4e-6 * (k == 0 ? 1.0 : k == 1 ? x->magnitude[i] : expected);
            if (!(off <= tolerance + 1e-37))
                fail_msg("array %d, element %llu: %g, not %g", k, (unsigned long long)i, (double)got[k][i],
                         expected);
        }
}

// All of a step's ways: by value, by address; with a scale; and one that is skipped, which does not count.
static void run_steps(model *x) {
    kz_error error = {0};
    for (uint32_t step = 1; step <= ROUNDS; step++) {
        float rate = 0.01f / (float)step, scale = step == 3 ? 0.25f : 1.0f;
        uint32_t skip = 0;
        make_gradients(x, step);
        x->at.scale = step == 3 ? put(x, x->factor, &scale, sizeof scale) : 0;
        x->at.skip = step > 2 ? put(x, x->flag, &skip, sizeof skip) : 0;
        kz_adamw_now now = {rate, step};
        put(x, x->now, &now, sizeof now);
        assert_int_equal(step % 2 ? kz_adamw_run(x->adamw, NULL, rate, step, &x->at, &error)
                                  : kz_adamw_run_from(x->adamw, NULL, x->now, &x->at, &error),
                         KZ_OK);
        expect_step(x, (double)rate, step, (double)scale);
    }
    uint32_t skip = 7;
    x->at.skip = put(x, x->flag, &skip, sizeof skip);
    assert_int_equal(kz_adamw_run(x->adamw, NULL, 1.0f, ROUNDS + 1, &x->at, &error), KZ_OK);
}

static void steps_on(const char *device, const char *variant, uint64_t apart) {
    model *x = open_model(device, variant, apart);
    run_steps(x);
    compare(x);
    close_model(x);
}

static void several_steps(void **state) {
    const kz_family *family = kz_family_find("adamw");
    steps_on("cpu", NULL, 0);
    for (size_t v = 1; v < family->variant_count; v++) steps_on("sim", family->variants[v].name, 0);
}

static void arrays_that_begin_unlike_each_other(void **state) {
    steps_on("cpu", NULL, 1);
    steps_on("sim", "02_chunks", 1);
    steps_on("sim", "05_fast_math", 1);
    steps_on("sim", "06_persistent", 2);
    steps_on("sim", "06_persistent", 8); // alike again
    steps_on("sim", "07_bulk_copy", 1);
    steps_on("sim", "07_bulk_copy", 4);
}

// A graph of one step that reads the rate and the step at each replay.
static void a_graph_counts_its_steps(void **state) {
    model *x = open_model("sim", NULL, 0);
    kz_stream *stream;
    kz_graph *graph;
    kz_error error = {0};
    make_gradients(x, 1);
    assert_int_equal(kz_stream_open(x->device, &stream, &error), KZ_OK);
    assert_int_equal(kz_graph_begin(x->device, stream, &error), KZ_OK);
    assert_int_equal(kz_adamw_run_from(x->adamw, stream, x->now, &x->at, &error), KZ_OK);
    assert_int_equal(kz_graph_end(x->device, stream, &graph, &error), KZ_OK);
    for (uint32_t step = 1; step <= 3; step++) {
        kz_adamw_now now = {0.01f / (float)step, step};
        put(x, x->now, &now, sizeof now);
        assert_int_equal(kz_device_synchronize(x->device, &error), KZ_OK);
        assert_int_equal(kz_graph_launch(x->device, graph, stream, &error), KZ_OK);
        assert_int_equal(kz_stream_synchronize(x->device, stream, &error), KZ_OK);
        expect_step(x, (double)now.learning_rate, step, 1.0);
    }
    compare(x);
    kz_graph_close(graph);
    kz_stream_close(stream);
    close_model(x);
}

// ---- the operation, rounded by chance ------------------------------------------------------------------

enum { MANY = 3000, ODD = 5 };

typedef struct many {
    uint16_t weights[MANY + ODD], m[MANY + ODD], v[MANY + ODD];
} many;

// Equal elements, in two tensors that begin at an odd place; what a step by `seed` makes of them.
static void step_by_chance(const char *device_name, const char *variant, kz_adamw which, uint64_t seed,
                           uint32_t step, many *x) {
    static uint16_t gradients[MANY + ODD];
    const kz_adamw_options own = {0.9, 0.999, 1e-8, seed};
    kz_parameter table[2] = {{.count = 1001, .rate = 1.0f}, {.count = MANY - 1001, .rate = 1.0f}};
    for (int t = 0; t < 2; t++)
        table[t].weights = table[t].gradients = table[t].m = table[t].v = 2 * (uint64_t)(ODD + 1001 * t);
    int64_t list[4];
    kz_device *device;
    kz_operation *adamw;
    kz_error error = {0};
    kz_ptr memory;
    for (uint64_t i = 0; i < MANY + ODD; i++) {
        kz_element_set(KZ_BF16, x->weights, i, 1.0);
        kz_element_set(KZ_BF16, gradients, i, 0.75);
        kz_element_set(KZ_BF16, x->m, i, 0.5);
        kz_element_set(KZ_BF16, x->v, i, 0.25);
    }
    assert_int_equal(kz_parameters_pack(table, 2, list, 2, &error), KZ_OK);
    assert_int_equal(kz_device_open(device_name, &device, &error), KZ_OK);
    if (kz_adamw_open(device, which, KZ_BF16, &own, MANY, 2, 2, variant, &adamw, &error))
        fail_msg("%s", error.message);
    assert_int_equal(kz_memory_alloc(device, sizeof *x + sizeof gradients + 1024, &memory, &error), KZ_OK);
    kz_ptr at_gradients = memory + sizeof *x, at_table = (at_gradients + sizeof gradients + 63) / 64 * 64;
    const kz_adamw_buffers at = {.weights = memory,
                                 .gradients = at_gradients,
                                 .m = memory + offsetof(many, m),
                                 .v = memory + offsetof(many, v),
                                 .parameters = at_table,
                                 .chunks = at_table + sizeof table};
    assert_int_equal(kz_copy_to_device(device, NULL, memory, x, sizeof *x, &error), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, at_gradients, gradients, sizeof gradients, &error),
                     KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, at_table, table, sizeof table, &error), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, at.chunks, list, 2 * sizeof *list, &error), KZ_OK);
    assert_int_equal(kz_adamw_run(adamw, NULL, 0.015625f, step, &at, &error), KZ_OK);
    assert_int_equal(kz_copy_to_host(device, NULL, x, memory, sizeof *x, &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    kz_operation_close(adamw);
    kz_memory_free(device, memory, NULL);
    kz_device_close(device);
}

static double sum_of(const uint16_t *array) {
    double sum = 0.0;
    for (uint64_t i = ODD; i < MANY + ODD; i++) sum += kz_element_get(KZ_BF16, array, i);
    return sum;
}

// Over seeds and elements the mean is what is exact, where the nearest number is off by a good part of a unit.
static void the_mean_is_right(void **state) {
    enum { SEEDS = 24, DRAWS = SEEDS * MANY };
    static many x;
    const double m = 0.9 * 0.5 + 0.1 * 0.75, v = 0.999 * 0.25 + 0.001 * 0.5625;
    const double weight = 1.0 - 0.015625 * (m / (1 - pow(0.9, 5))) / (sqrt(v / (1 - pow(0.999, 5))) + 1e-8);
    const double exact[] = {weight, m, v}, ulp[] = {0x1p-8, 0x1p-8, 0x1p-9};
    double sums[3] = {0.0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        step_by_chance("cpu", NULL, KZ_ADAMW_UPDATE_STOCHASTIC, seed << 40 | 3, 5, &x);
        sums[0] += sum_of(x.weights), sums[1] += sum_of(x.m), sums[2] += sum_of(x.v);
    }
    step_by_chance("cpu", NULL, KZ_ADAMW_UPDATE, 0, 5, &x);
    const double nearest[] = {sum_of(x.weights) / MANY, sum_of(x.m) / MANY, sum_of(x.v) / MANY};
    for (int k = 0; k < 3; k++) {
        double off = fabs(sums[k] / DRAWS - exact[k]) / ulp[k];
        if (!(off < 5 * 0.5 / sqrt(DRAWS))) fail_msg("array %d: the mean is off by %g units", k, off);
        assert_true(fabs(nearest[k] - exact[k]) / ulp[k] > 0.02);
    }
}

// All variants draw as plain C does: their results differ where float's last bits tip the scale, if anywhere. Another seed, and
// another step, give others.
static int count_others(const many *a, const many *b) {
    int count = 0;
    for (int i = ODD; i < MANY + ODD; i++)
        count += a->weights[i] != b->weights[i] || a->m[i] != b->m[i] || a->v[i] != b->v[i];
    return count;
}

static void all_variants_draw_the_same(void **state) {
    static many plain, x;
    const kz_family *family = kz_family_find("adamw");
    step_by_chance("cpu", NULL, KZ_ADAMW_UPDATE_STOCHASTIC, 17, 5, &plain);
    for (size_t v = 1; v < family->variant_count; v++) {
        step_by_chance("sim", family->variants[v].name, KZ_ADAMW_UPDATE_STOCHASTIC, 17, 5, &x);
        assert_true(count_others(&plain, &x) < MANY / 300);
    }
    step_by_chance("cpu", NULL, KZ_ADAMW_UPDATE_STOCHASTIC, 17, 6, &x);
    assert_true(count_others(&plain, &x) > MANY / 3);
    step_by_chance("cpu", NULL, KZ_ADAMW_UPDATE_STOCHASTIC, (uint64_t)17 << 32, 5, &x);
    assert_true(count_others(&plain, &x) > MANY / 3);
    for (int i = 0; i < ODD; i++) assert_true(x.weights[i] == 0x3f80); // what is nobody's
}

static void what_cannot_be_is_refused(void **state) {
    kz_device *device;
    kz_operation *adamw;
    kz_error error = {0};
    kz_adamw_options bad = {1.0, 0.999, 1e-8, 0};
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    assert_int_equal(kz_adamw_open(device, KZ_ADAMW_UPDATE, KZ_F32, &bad, 10, 1, 1, NULL, &adamw, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "below 1"));
    assert_int_equal(kz_adamw_open(device, KZ_ADAMW_UPDATE, KZ_F16, &options, 10, 1, 1, NULL, &adamw, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "f32 and bf16"));
    assert_int_equal(
        kz_adamw_open(device, KZ_ADAMW_UPDATE_STOCHASTIC, KZ_F32, &options, 10, 1, 1, NULL, &adamw, &error),
        KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "update_stochastic has no f32: it has bf16"));
    assert_int_equal(
        kz_adamw_open(device, KZ_ADAMW_UPDATE, KZ_F32, &options, 10000, 1, 1, NULL, &adamw, &error),
        KZ_INVALID);
    assert_non_null(strstr(error.message, "kz_parameters_chunks"));
    assert_int_equal(
        kz_adamw_open(device, KZ_ADAMW_UPDATE_MASTER, KZ_F16, &options, 10, 1, 1, NULL, &adamw, &error),
        KZ_OK);
    kz_adamw_buffers at = {64, 64, 64, 64, 0, 64, 64, 0, 0}; // without a copy
    assert_int_equal(kz_adamw_run(adamw, NULL, 0.1f, 1, &at, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "copy is missing"));
    assert_int_equal(kz_adamw_run(adamw, NULL, 0.1f, 0, &at, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "the first step is 1"));
    assert_int_equal(kz_adamw_run_from(adamw, NULL, 12, &at, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "multiple of 8"));
    kz_operation_close(adamw);
    kz_device_close(device);
}

static void the_list_of_chunks(void **state) {
    kz_parameter table[] = {
        {.count = KZ_PARAMETER_CHUNK + 1}, {.count = 0}, {.count = KZ_PARAMETER_CHUNK}, {.count = 1}};
    int64_t list[5];
    kz_error error = {0};
    assert_int_equal(kz_parameters_chunks(table, 4), 4);
    assert_int_equal(kz_parameters_pack(table, 4, list, 5, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "kz_parameters_chunks"));
    assert_int_equal(kz_parameters_pack(table, 4, list, 4, &error), KZ_OK);
    assert_true(list[0] == 0 && list[1] == 1 && list[2] == 2LL << 32 && list[3] == 3LL << 32);
    assert_int_equal(table[1].first, KZ_PARAMETER_CHUNK + 1);
    assert_int_equal(table[3].first, 2 * KZ_PARAMETER_CHUNK + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_by_hand),
        cmocka_unit_test(the_second_step_by_hand),
        cmocka_unit_test(what_is_not_finite),
        cmocka_unit_test(float_passes_and_less_fails),
        cmocka_unit_test(the_reference_knows_the_bits),
        cmocka_unit_test(extremes_by_chance),
        cmocka_unit_test(the_mean_is_right),
        cmocka_unit_test(all_variants_draw_the_same),
        cmocka_unit_test(several_steps),
        cmocka_unit_test(arrays_that_begin_unlike_each_other),
        cmocka_unit_test(a_graph_counts_its_steps),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(the_list_of_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
