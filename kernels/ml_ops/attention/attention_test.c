// attention: the reference against cases worked out by hand and against itself, its bound against what must fail and what must
// pass, what masks let a query see against brute force, and the CPU's steps against each other. attention_run_test.c runs
// variants.
#include <math.h>
#include <stdlib.h>
// cmocka's header wants those before it

#include "kz/family.h"
#include "unit.h"

#include "private.h"
#include "tune.h"

enum { KEYS = 1024, DIMENSION = 64 };

static float q[DIMENSION], k[KEYS * DIMENSION], v[KEYS * DIMENSION];
static double expected[DIMENSION], bound[DIMENSION];

static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}

// Stores the numbers in the type; they are then what was stored.
static void *store(kz_type type, float *numbers, uint64_t count) {
    void *memory = malloc(count * kz_type_size(type));
    assert_non_null(memory);
    for (uint64_t i = 0; i < count; i++) {
        kz_element_set(type, memory, i, (double)numbers[i]);
        numbers[i] = (float)kz_element_get(type, memory, i);
    }
    return memory;
}

static void refer(kz_attention_operation operation, kz_type type, int64_t queries, int64_t keys,
                  int64_t dimension, double *result, double *result_bound) {
    const kz_case c = {.operation = operation, .type = type, .axes = {1, 1, 1, queries, keys, dimension}};
    void *host[] = {store(type, q, (uint64_t)(queries * dimension)),
                    store(type, k, (uint64_t)(keys * dimension)),
                    store(type, v, (uint64_t)(keys * dimension)), NULL};
    assert_int_equal(kz_family_find("attention")->reference(&c, host, 3, result, result_bound, NULL), KZ_OK);
    for (int i = 0; i < 3; i++) free(host[i]);
}

static void by_hand(void **state) {
    // Two queries of one number, two keys: scores 0 and log 3 for the first query, 0 and 0 for the second.
    double out[2], out_bound[2];
    q[0] = 1.0f, q[1] = 0.0f, k[0] = 0.0f, k[1] = logf(3.0f), v[0] = 8.0f, v[1] = 16.0f;
    refer(KZ_ATTENTION_FULL, KZ_F32, 2, 2, 1, out, out_bound);
    assert_float_equal(out[0], 14.0, 1e-6); // weights 1/4 and 3/4
    assert_float_equal(out[1], 12.0, 1e-12);
    refer(KZ_ATTENTION_CAUSAL, KZ_F32, 2, 2, 1, out, out_bound);
    assert_float_equal(out[0], 8.0, 1e-12); // its own key alone
    assert_float_equal(out[1], 12.0, 1e-12);
    refer(KZ_ATTENTION_CAUSAL, KZ_F32, 1, 2, 1, out, out_bound); // the last query attends to all
    assert_float_equal(out[0], 14.0, 1e-6);
}

static void fill(float *numbers, uint32_t which, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = (float)((double)(kz_draw(7, which, i) >> 11) * 0x1p-52 - 1.0);
}

static double tf32(double x) { // 11 bits of the mantissa
    int exponent;
    double mantissa = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(mantissa, 11)), exponent - 11);
}
static double whole(double x) { return x; }

// How many results of one query lie outside of the bound: factors of the scores as `factor` leaves them, weights rounded
// to `weight`, sums to `sum`.
static int outside(kz_type type, double (*factor)(double), kz_type weight, kz_type sum) {
    static double weights[KEYS];
    double total = 0.0;
    int count = 0;
    fill(q, 0, DIMENSION), fill(k, 1, KEYS * DIMENSION), fill(v, 2, KEYS * DIMENSION);
    refer(KZ_ATTENTION_FULL, type, 1, KEYS, DIMENSION, expected, bound);
    for (int j = 0; j < KEYS; j++) {
        double score = 0.0;
        for (int d = 0; d < DIMENSION; d++)
            score = in(KZ_F32, score + factor((double)q[d]) * factor((double)k[j * DIMENSION + d]));
        weights[j] = in(KZ_F32, exp(in(KZ_F32, score / sqrt(DIMENSION))));
        total = in(KZ_F32, total + weights[j]);
        weights[j] = in(weight, weights[j]);
    }
    for (int d = 0; d < DIMENSION; d++) {
        double out = 0.0;
        for (int j = 0; j < KEYS; j++) out = in(sum, out + weights[j] * (double)v[j * DIMENSION + d]);
        count += !(fabs(in(type, out / total) - expected[d]) <= bound[d]);
    }
    return count;
}

static void float_passes(void **state) {
    assert_int_equal(outside(KZ_F32, whole, KZ_F32, KZ_F32), 0);
    assert_int_equal(outside(KZ_F16, whole, KZ_F32, KZ_F32), 0);
    assert_int_equal(outside(KZ_BF16, whole, KZ_F32, KZ_F32), 0);
}

static void weights_of_tensor_cores_pass(void **state) {
    assert_int_equal(outside(KZ_F16, whole, KZ_F16, KZ_F32), 0);
    assert_int_equal(outside(KZ_BF16, whole, KZ_BF16, KZ_F32), 0);
    assert_true(outside(KZ_F32, whole, KZ_F16, KZ_F32) > 0); // f32 has no such excuse
}

static void less_than_float_fails(void **state) {
    assert_true(outside(KZ_F32, tf32, KZ_F32, KZ_F32) > 0);
    assert_true(outside(KZ_F16, whole, KZ_F32, KZ_F16) > 0);
    assert_true(outside(KZ_BF16, whole, KZ_F32, KZ_BF16) > 0);
}

// ---- the reference of more than one head ------------------------------------------------------------------------

// A case of f32 with buffers of its own; lists end with NULL. Returns output `which` (0: out, 1: lse).
static void refer_case(const kz_case *c, void *const *inputs, int which, double *result) {
    static double result_bound[4096];
    void *host[KZ_FAMILY_BUFFERS] = {NULL};
    size_t count = 0;
    while (inputs[count]) host[count] = inputs[count], count++;
    assert_int_equal(
        kz_family_find("attention")->reference(c, host, count + (size_t)which, result, result_bound, NULL),
        KZ_OK);
}

static void lse_by_hand(void **state) {
    const attention_detail detail = {.lse = true, .scale = 1.0f};
    float query[] = {1, 1, 1}, key[] = {0, logf(3.0f)}, value[] = {8, 16};
    const kz_case c = {
        .operation = KZ_ATTENTION_CAUSAL, .type = KZ_F32, .axes = {1, 1, 1, 3, 2, 1}, .detail = &detail};
    void *inputs[] = {query, key, value, NULL};
    double out[3], sums[3];
    refer_case(&c, inputs, 0, out);
    refer_case(&c, inputs, 1, sums);
    assert_true(out[0] == 0.0 &&
                sums[0] == (double)-INFINITY);   // three queries, two keys: the first sees none
    assert_float_equal(sums[1], 0.0, 1e-12);     // e^0
    assert_float_equal(sums[2], log(4.0), 1e-6); // e^0 + 3
    assert_float_equal(out[2], 14.0, 1e-6);
}

enum { B = 2, H = 4, G = 2, Q = 3, K = 5, D = 2, OUT = B * H * Q * D };

static void heads_share_keys_in_groups(void **state) {
    double all[OUT], one[Q * D];
    fill(q, 0, OUT), fill(k, 1, B * G * K * D), fill(v, 2, B * G * K * D);
    const kz_case c = {.operation = KZ_ATTENTION_CAUSAL, .type = KZ_F32, .axes = {B, H, G, Q, K, D}};
    const kz_case single = {.operation = KZ_ATTENTION_CAUSAL, .type = KZ_F32, .axes = {1, 1, 1, Q, K, D}};
    refer_case(&c, (void *[]){q, k, v, NULL}, 0, all);
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++) {
            int from = (b * G + h / 2) * K * D, to = (b * H + h) * Q * D;
            refer_case(&single, (void *[]){q + to, k + from, v + from, NULL}, 0, one);
            assert_memory_equal(one, all + to, sizeof one);
        }
}

// Tokens before heads, and 3 numbers between tokens that belong to nobody.
static void strides_say_where_elements_are(void **state) {
    enum { TOKEN_Q = H * D + 3, TOKEN_K = G * D + 3 };
    const attention_detail detail = {.q = {TOKEN_Q, D, Q * TOKEN_Q}, .kv = {TOKEN_K, D, K * TOKEN_K}};
    static float apart[3][B * K * TOKEN_Q];
    double dense[OUT], strided[OUT];
    fill(q, 0, OUT), fill(k, 1, B * G * K * D), fill(v, 2, B * G * K * D);
    for (int i = 0; i < OUT; i++)
        apart[0][i / (H * Q * D) * Q * TOKEN_Q + i / D % Q * TOKEN_Q + i / (Q * D) % H * D + i % D] = q[i];
    for (int i = 0; i < B * G * K * D; i++) {
        int to = i / (G * K * D) * K * TOKEN_K + i / D % K * TOKEN_K + i / (K * D) % G * D + i % D;
        apart[1][to] = k[i], apart[2][to] = v[i];
    }
    kz_case c = {.operation = KZ_ATTENTION_FULL, .type = KZ_F32, .axes = {B, H, G, Q, K, D}};
    refer_case(&c, (void *[]){q, k, v, NULL}, 0, dense);
    c.detail = &detail;
    refer_case(&c, (void *[]){apart[0], apart[1], apart[2], NULL}, 0, strided);
    assert_memory_equal(dense, strided, sizeof dense);
}

// ---- the CPU's steps -----------------------------------------------------------------------------------------------

static void steps_multiply_and_soften(void **state) {
    enum { ROWS = ATTENTION_CPU_QUERIES, COLUMNS = 32, DEPTH = 19, A = DEPTH + 2, WIDTH = COLUMNS + 5 };
    static float a[ROWS * A], b[DEPTH * WIDTH], c[ROWS * WIDTH];
    attention_steps list[3];
    size_t count = attention_list_steps(list);
    assert_true(count > 0 && !list[count].name);
    assert_string_equal(list[count - 1].name, "plain C");
    fill(a, 0, ROWS * A), fill(b, 1, DEPTH * WIDTH);
    for (size_t s = 0; s < count; s++) {
        for (int i = 0; i < ROWS * WIDTH; i++) c[i] = 1.0f;
        for (int add = 0; add < 2; add++) // twice the product in the end
            list[s].multiply(a, A, b, WIDTH, c, WIDTH, COLUMNS, DEPTH, add);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < WIDTH; j++) {
                double sum = 0.0;
                for (int x = 0; x < DEPTH; x++) sum += 2.0 * (double)a[i * A + x] * (double)b[x * WIDTH + j];
                assert_float_equal((double)c[i * WIDTH + j], j < COLUMNS ? sum : 1.0, 1e-5);
            }
        float scores[ATTENTION_CPU_KEYS];
        double wanted = 0.0;
        for (int j = 0; j < ATTENTION_CPU_KEYS; j++) {
            scores[j] = 3.0f - (float)(j * j) / 32.0f;
            if (j % 9 == 5) scores[j] = -INFINITY;
            wanted += exp((double)scores[j] - 3.0);
        }
        assert_float_equal((double)list[s].soften(scores, 3.0f), wanted, 1e-5);
        for (int j = 0; j < ATTENTION_CPU_KEYS; j++) {
            double below = (double)(j * j) / 32.0, weight = j % 9 == 5 || below > 87.0 ? 0.0 : exp(-below);
            assert_true(fabs((double)scores[j] - weight) <= 3e-7 * weight + 2e-38);
        }
        scores[7] = NAN;
        assert_true(isnan(list[s].soften(scores, 1.0f)) && isnan(scores[7]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(float_passes),
        cmocka_unit_test(weights_of_tensor_cores_pass),
        cmocka_unit_test(less_than_float_fails),
        cmocka_unit_test(lse_by_hand),
        cmocka_unit_test(heads_share_keys_in_groups),
        cmocka_unit_test(strides_say_where_elements_are),
        cmocka_unit_test(steps_multiply_and_soften),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
