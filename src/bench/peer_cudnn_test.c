// The peer cudnn with a cuDNN for tests (tests/fake_cudnn.c): what it does of the machine-learning families, by numbers that were
// worked out by hand or by the definition in double. The older operations are in peers_test.c.
#include <math.h>
#include <stdlib.h>

#include "bench/peers_test.h"
#include "kz/family.h"
#include "unit.h"

static void assert_near(const float *actual, const float *expected, size_t count) {
    for (size_t i = 0; i < count; i++) assert_float_equal(actual[i], expected[i], 1e-5);
}

// Two rows of three. The gradients are y (dy - sum of y dy), and dy - exp(y) sum of dy of logarithms.
static void cudnn_softens(void **state) {
    (void)state;
    bench_peers peers;
    float x[] = {0, logf(2), logf(5), /**/ 90, 90, 90 + logf(2)}, dy[] = {8, 0, 16, /**/ 4, 8, 0}, out[6];
    float y[] = {0.125f, 0.25f, 0.625f, /**/ 0.25f, 0.25f, 0.5f}, logs[6];
    for (int i = 0; i < 6; i++) logs[i] = logf(y[i]);
    const float *const inputs[] = {x, x, y, logs};
    const float expected[][6] = {
        {0.125f, 0.25f, 0.625f, 0.25f, 0.25f, 0.5f},
        {logs[0], logs[1], logs[2], logs[3], logs[4], logs[5]},
        {-0.375f, -2.75f, 3.125f, 0.25f, 1.25f, -1.5f},
        {5, -6, 1, 1, 5, -6},
    };
    static const char *const names[] = {"softmax", "log_softmax", "backward", "log_backward"};
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    for (int i = 0; i < 4; i++) {
        const kz_ptr in = (kz_ptr)(uintptr_t)inputs[i], to = (kz_ptr)(uintptr_t)out;
        const kz_ptr forward[] = {in, to}, back[] = {in, (kz_ptr)(uintptr_t)dy, to};
        const kz_peer_problem problem = {
            .family = "softmax", .operation = names[i], .type = KZ_F32, .axes = {2, 1, 3}};
        run_last(cudnn, &problem, i < 2 ? forward : back, 2);
        assert_near(out, expected[i], 6);
    }
    kz_peer_problem other = {.family = "softmax", .operation = "masked", .type = KZ_BF16, .axes = {1, 2, 3}};
    assert_null(cudnn->offers(&other));
    other.operation = "causal";
    assert_null(cudnn->offers(&other));
    other.operation = "softmax";
    assert_string_equal(cudnn->offers(&other), "cudnnSoftmax");
    other.axes[1] = 1 << 30; // its tensors have less than 2^31 elements
    assert_null(cudnn->offers(&other));
    bench_peers_close(&peers);
}

// Forward rows (1, 3) and (2, 6) with epsilon 0: layernorm's are -1 and 1, over deviations of 1 and 2.
static void cudnn_normalises(void **state) {
    (void)state;
    bench_peers peers;
    float x[] = {1, 3, /**/ 2, 6}, scale[] = {2, 3}, bias[] = {10, 20}, y[4], mean[2], rstd[2];
    float x3[] = {1, 2, 3, /**/ 2, 4, 8}, scale3[] = {2, 3, 1}, dy[] = {1, 0, 0, /**/ 0, 1, 1}, dx[6],
          dscale[3], dbias[3];
#define AT(buffer) (kz_ptr)(uintptr_t)(buffer)
    const kz_ptr forward[] = {AT(x), AT(scale), AT(bias), AT(y), AT(mean), AT(rstd)},
                 back[] = {AT(dy), AT(x3), AT(scale3), AT(mean), AT(rstd), AT(dx), AT(dscale), AT(dbias)},
                 rms[] = {AT(x), AT(scale), AT(y)};
#undef AT
    const kz_arg args[] = {kz_arg_u64(2), kz_arg_u64(2), kz_arg_f32(0.0f)};
    kz_peer_problem problem = {.family = "layernorm",
                               .operation = "forward",
                               .type = KZ_F32,
                               .axes = {2, 2},
                               .args = args,
                               .arg_count = 3};
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    run_last(cudnn, &problem, forward, 1);
    assert_near(y, (const float[]){8, 23, 8, 23}, 4);
    assert_near(mean, (const float[]){2, 4}, 2);
    assert_near(rstd, (const float[]){1, 0.5f}, 2);
    // With those means and deviations h = (-1, 0, 1) and (-1, 0, 2), and g = dy scale = (2, 0, 0) and (0, 3, 1), from
    // which their means (2/3, 4/3) are taken, and h times the means of g h (-2/3, 2/3).
    problem.operation = "backward", problem.axes[1] = 3;
    run_last(cudnn, &problem, back, 1);
    assert_near(dx, (const float[]){2.0f / 3, -2.0f / 3, 0, -1.0f / 3, 5.0f / 6, -5.0f / 6}, 6);
    assert_near(dscale, (const float[]){-1, 0, 2}, 3);
    assert_near(dbias, (const float[]){1, 1, 1}, 3);
    problem.axes[1] = 2;
    problem.family = "rmsnorm", problem.operation = "rmsnorm"; // means of squares 5 and 20
    run_last(cudnn, &problem, rms, 1);
    float root = 1 / sqrtf(5);
    assert_near(y, (const float[]){2 * root, 9 * root, 2 * root, 9 * root}, 4);
    problem.operation = "residual";
    assert_null(cudnn->offers(&problem));
    problem.operation = "fp8";
    assert_null(cudnn->offers(&problem));
    bench_peers_close(&peers);
}

// cuDNN's gradients of an RMS norm want what its forward pass kept, which the family's buffers do not have.
static void cudnn_keeps_deviations_before(void **state) {
    (void)state;
    bench_peers peers;
    float x[] = {1, 3, /**/ 2, 6}, scale[] = {2, 3}, dy[] = {1, 0, /**/ 0, 1}, dx[4], dscale[2], packed[2];
    const kz_arg args[] = {kz_arg_f32(0.0f)};
    const kz_peer_problem problem = {.family = "rmsnorm",
                                     .operation = "backward",
                                     .type = KZ_F32,
                                     .axes = {2, 2},
                                     .args = args,
                                     .arg_count = 1};
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    const kz_ptr buffers[] = {(kz_ptr)(uintptr_t)dy, (kz_ptr)(uintptr_t)x, (kz_ptr)(uintptr_t)scale,
                              (kz_ptr)(uintptr_t)dx, (kz_ptr)(uintptr_t)dscale};
    const char *why = "";
    kz_peer_plan plan = {0};
    if (cudnn->prepare(&problem, &plan, &why) != 0) fail_msg("%s", why);
    assert_int_equal(plan.packed_bytes, sizeof packed);
    char workspace[64];
    assert_true(plan.workspace_bytes <= sizeof workspace);
    const kz_peer_call call = {
        .buffers = buffers, .workspace = (kz_ptr)(uintptr_t)workspace, .packed = (kz_ptr)(uintptr_t)packed};
    if (cudnn->pack(&problem, &plan, &call, &why) != 0) fail_msg("%s", why);
    assert_near(packed, (const float[]){1 / sqrtf(5), 1 / sqrtf(20)}, 2);
    if (cudnn->run(&problem, &plan, &call, &why) != 0) fail_msg("%s", why);
    // h = (1, 3) / root 5 in both rows; g = (2, 0) and (0, 3); the means of g h are 1 / root 5 and 4.5 / root 5.
    float first = 1 / sqrtf(5), second = 1 / sqrtf(20);
    assert_near(dscale, (const float[]){first, 3 * first}, 2);
    assert_near(
        dx,
        (const float[]){first * (2 - 1.0f / 5), first * -3 / 5, second * -4.5f / 5, second * (3 - 13.5f / 5)},
        4);
    cudnn->close(&plan);
    bench_peers_close(&peers);
}

// Two heads that share one of the keys: 2 queries, 3 keys, 8 numbers each.
enum { ATTENDING = 2, QUERIES = 2, KEYS = 3, NUMBERS = 8, PAGES = 3, PAGE = 2 };
static const int32_t lengths[] = {2}, table[] = {2, 0};

typedef struct attention {
    const char *operation;
    bool decodes; // one query, and a length as one of several padded sequences has
    bool paged;
    int queries;
    double mask[QUERIES][KEYS]; // added, whatever it stands for
    uint16_t q[ATTENDING * QUERIES * NUMBERS], k[KEYS * NUMBERS], v[KEYS * NUMBERS], numbers[QUERIES * KEYS];
    uint16_t pool_k[PAGES * PAGE * NUMBERS], pool_v[PAGES * PAGE * NUMBERS];
} attention;

// By the definition, in double.
static void attend(const attention *a, double *out, double *lse) {
    for (int row = 0; row < ATTENDING * a->queries; row++) {
        double weights[KEYS], sum = 0;
        for (int key = 0; key < KEYS; key++) {
            double score = a->mask[row % a->queries][key];
            for (int d = 0; d < NUMBERS; d++)
                score += 0.25 * kz_element_get(KZ_BF16, a->q, (uint64_t)(row * NUMBERS + d)) *
                         kz_element_get(KZ_BF16, a->k, (uint64_t)(key * NUMBERS + d));
            sum += weights[key] = exp(score);
        }
        lse[row] = log(sum);
        for (int d = 0; d < NUMBERS; d++) {
            double mean = 0;
            for (int key = 0; key < KEYS; key++)
                mean += weights[key] / sum * kz_element_get(KZ_BF16, a->v, (uint64_t)(key * NUMBERS + d));
            out[row * NUMBERS + d] = mean;
        }
    }
}

// A window of 2 keys, a length of 2, numbers to add.
static double mask_of(const char *operation, int query, int key) {
    bool window = strcmp(operation, "window") == 0, hidden = false;
    if (window || strcmp(operation, "causal") == 0) hidden = key > query + KEYS - QUERIES;
    if (window) hidden = hidden || key <= query + KEYS - QUERIES - 2;
    if (strcmp(operation, "padded") == 0 || strcmp(operation, "contiguous") == 0 ||
        strcmp(operation, "paged") == 0)
        hidden = key >= lengths[0];
    if (strcmp(operation, "additive") == 0) return 0.5 * (query - key);
    return hidden ? (double)-INFINITY : 0;
}

static void make_attention(attention *a, const char *operation) {
    *a = (attention){.operation = operation, .paged = strcmp(operation, "paged") == 0};
    a->decodes = a->paged || strcmp(operation, "contiguous") == 0;
    a->queries = a->decodes ? 1 : QUERIES;
    for (uint64_t i = 0; i < BASE_COUNT(a->q); i++)
        kz_element_set(KZ_BF16, a->q, i, 0.25 * (double)(i * 7 % 11) - 1);
    for (uint64_t i = 0; i < BASE_COUNT(a->k); i++) {
        kz_element_set(KZ_BF16, a->k, i, 0.25 * (double)(i * 5 % 13) - 1.5);
        kz_element_set(KZ_BF16, a->v, i, 0.5 * (double)(i * 3 % 7) - 1);
    }
    for (int token = 0; token < KEYS; token++) {
        int at = (table[token / PAGE] * PAGE + token % PAGE) * NUMBERS;
        memcpy(a->pool_k + at, a->k + token * NUMBERS, NUMBERS * sizeof *a->k);
        memcpy(a->pool_v + at, a->v + token * NUMBERS, NUMBERS * sizeof *a->v);
    }
    for (int i = 0; i < QUERIES * KEYS; i++) {
        a->mask[i / KEYS][i % KEYS] = mask_of(operation, i / KEYS, i % KEYS);
        kz_element_set(KZ_BF16, a->numbers, (uint64_t)i, a->mask[i / KEYS][i % KEYS]);
    }
}

static void run_attention(const kz_peer *cudnn, const char *operation, bool with_lse) {
    attention a;
    make_attention(&a, operation);
    uint16_t out[ATTENDING * QUERIES * NUMBERS];
    float lse[ATTENDING * QUERIES] = {0};
    double expected[ATTENDING * QUERIES * NUMBERS], expected_lse[ATTENDING * QUERIES];
    bool additive = strcmp(operation, "additive") == 0;
    bool more = additive || a.decodes || strcmp(operation, "padded") == 0;
    attend(&a, expected, expected_lse);
    const void *const dense[] = {a.q, a.k, a.v, out, lse};
    const void *const masked[] = {a.q, a.k, a.v, additive ? (const void *)a.numbers : lengths, out, lse};
    const void *const in_pages[] = {a.q, a.pool_k, a.pool_v, lengths, table, out, lse};
    const int64_t axes[] = {1, ATTENDING, 1, a.queries, KEYS, NUMBERS};
    const void *const *list = a.paged ? in_pages : more ? masked : dense;
    kz_ptr buffers[7];
    kz_arg args[16];
    size_t count = 4 + more + a.paged + with_lse, arg_count = 0;
    for (size_t i = 0; i < count; i++) {
        buffers[i] = (kz_ptr)(uintptr_t)list[i];
        args[arg_count++] = kz_arg_buffer((uint32_t)i);
    }
    for (size_t i = 0; i < BASE_COUNT(axes); i++) args[arg_count++] = kz_arg_u64((uint64_t)axes[i]);
    args[arg_count++] = kz_arg_f32(0.25f);
    if (a.paged) args[arg_count++] = kz_arg_u64(PAGE), args[arg_count++] = kz_arg_u64(PAGES);
    if (!a.decodes) args[arg_count++] = kz_arg_u64(strcmp(operation, "window") == 0 ? 2 : UINT64_C(1) << 62);
    kz_peer_problem problem = {.family = a.decodes ? "attention_decode" : "attention",
                               .operation = operation,
                               .type = KZ_BF16,
                               .args = args,
                               .arg_count = arg_count};
    memcpy(problem.axes, axes, sizeof axes);
    run_last(cudnn, &problem, buffers, 2);                    // tensor cores too, in a half type
    for (int i = 0; i < ATTENDING * a.queries * NUMBERS; i++) // the fake cuts off
        assert_float_equal(kz_element_get(KZ_BF16, out, (uint64_t)i), expected[i], 0.016);
    for (int i = 0; i < ATTENDING * a.queries; i++)
        assert_float_equal(lse[i], with_lse ? expected_lse[i] : 0, 1e-5);
}

enum { OF_Q = ATTENDING * QUERIES * NUMBERS, OF_K = KEYS * NUMBERS };

static double number(const uint16_t *of, int i) { return kz_element_get(KZ_BF16, of, (uint64_t)i); }

// p = exp(scores - lse), ds = p (dout v^T - rowsum(dout out)).
static void attend_back(const attention *a, const uint16_t *out, const uint16_t *dout, const float *lse,
                        double *dq, double *dk, double *dv) {
    for (int i = 0; i < OF_Q; i++) dq[i] = 0;
    for (int i = 0; i < OF_K; i++) dk[i] = dv[i] = 0;
    for (int row = 0; row < ATTENDING * QUERIES; row++)
        for (int key = 0; key < KEYS; key++) {
            double score = a->mask[row % QUERIES][key], dp = 0, delta = 0;
            for (int d = 0; d < NUMBERS; d++) {
                score += 0.25 * number(a->q, row * NUMBERS + d) * number(a->k, key * NUMBERS + d);
                dp += number(dout, row * NUMBERS + d) * number(a->v, key * NUMBERS + d);
                delta += number(dout, row * NUMBERS + d) * number(out, row * NUMBERS + d);
            }
            double weight = exp(score - (double)lse[row]), ds = weight * (dp - delta);
            for (int d = 0; d < NUMBERS; d++) {
                dq[row * NUMBERS + d] += 0.25 * ds * number(a->k, key * NUMBERS + d);
                dk[key * NUMBERS + d] += 0.25 * ds * number(a->q, row * NUMBERS + d);
                dv[key * NUMBERS + d] += weight * number(dout, row * NUMBERS + d);
            }
        }
}

static void assert_close(const uint16_t *actual, const double *expected, int count) { // the fake cuts off
    for (int i = 0; i < count; i++) assert_float_equal(number(actual, i), expected[i], 0.02);
}

static void run_attention_back(const kz_peer *cudnn, const char *operation) {
    attention a;
    make_attention(&a, operation);
    uint16_t out[OF_Q], dout[OF_Q], dq[OF_Q], dk[OF_K], dv[OF_K];
    double forward[OF_Q], log_sums[ATTENDING * QUERIES], of_q[OF_Q], of_k[OF_K], of_v[OF_K];
    float lse[ATTENDING * QUERIES];
    bool additive = strcmp(operation, "additive") == 0, more = additive || strcmp(operation, "padded") == 0;
    attend(&a, forward, log_sums);
    for (int i = 0; i < OF_Q; i++) {
        kz_element_set(KZ_BF16, out, (uint64_t)i, forward[i]);
        kz_element_set(KZ_BF16, dout, (uint64_t)i, 0.25 * (i * 3 % 8) - 1);
    }
    for (int i = 0; i < ATTENDING * QUERIES; i++) lse[i] = (float)log_sums[i];
    attend_back(&a, out, dout, lse, of_q, of_k, of_v);
    const void *list[10] = {a.q, a.k, a.v, additive ? (const void *)a.numbers : lengths};
    const void *const rest[] = {out, dout, lse, dq, dk, dv};
    kz_ptr buffers[10];
    kz_arg args[18];
    size_t count = 3 + more + BASE_COUNT(rest), arg_count = 0;
    for (size_t i = 0; i < BASE_COUNT(rest); i++) list[3 + more + i] = rest[i];
    for (size_t i = 0; i < count; i++) {
        buffers[i] = (kz_ptr)(uintptr_t)list[i];
        args[arg_count++] = kz_arg_buffer((uint32_t)i);
    }
    args[arg_count++] = kz_arg_f32(0.25f);
    args[arg_count++] = kz_arg_u64(strcmp(operation, "window") == 0 ? 2 : UINT64_C(1) << 62);
    run_last(cudnn,
             &(kz_peer_problem){.family = "attention_backward",
                                .operation = operation,
                                .type = KZ_BF16,
                                .axes = {1, ATTENDING, 1, QUERIES, KEYS, NUMBERS},
                                .args = args,
                                .arg_count = arg_count},
             buffers, 2);
    assert_close(dq, of_q, OF_Q);
    assert_close(dk, of_k, OF_K);
    assert_close(dv, of_v, OF_K);
}

static void cudnn_goes_back(void **state) {
    (void)state;
    static const char *const operations[] = {"full", "causal", "window", "padded", "additive"};
    bench_peers peers;
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    for (size_t i = 0; i < BASE_COUNT(operations); i++) run_attention_back(cudnn, operations[i]);
    const kz_peer_problem problem = {
        .family = "attention_backward", .operation = "full", .type = KZ_BF16, .axes = {1, 4, 4, 8, 8, 64}};
    const char *why = "";
    kz_peer_plan plan = {0};
    setenv("FAKE_CUDNN_9_15", "1", 1);
    assert_int_equal(cudnn->prepare(&problem, &plan, &why), KZ_PEER_DOES_NOT);
    assert_non_null(strstr(why, "9.16 and later"));
    unsetenv("FAKE_CUDNN_9_15");
    cudnn->close(&plan);
    bench_peers_close(&peers);
}

static void cudnn_attends(void **state) {
    (void)state;
    static const char *const operations[] = {"full",     "causal",     "window", "padded",
                                             "additive", "contiguous", "paged"};
    bench_peers peers;
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    for (size_t i = 0; i < 2 * BASE_COUNT(operations); i++) run_attention(cudnn, operations[i / 2], i % 2);
    kz_peer_problem other = {
        .family = "attention", .operation = "packed", .type = KZ_BF16, .axes = {1, 4, 2, 8, 8, 64}};
    assert_null(cudnn->offers(&other));
    other.operation = "causal";
    assert_non_null(cudnn->offers(&other));
    other.axes[3] = 9; // its first query would see nothing
    assert_null(cudnn->offers(&other));
    other.operation = "full", other.axes[2] = 3; // heads that are not shared evenly
    assert_null(cudnn->offers(&other));
    other = (kz_peer_problem){.family = "attention_decode",
                              .operation = "contiguous",
                              .type = KZ_BF16,
                              .axes = {1, 4, 2, 1, 8, 64}};
    assert_non_null(cudnn->offers(&other));
    other.axes[3] = 2; // of several the first do not see the whole length
    assert_null(cudnn->offers(&other));
    bench_peers_close(&peers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cudnn_softens),
        cmocka_unit_test(cudnn_normalises),
        cmocka_unit_test(cudnn_keeps_deviations_before),
        cmocka_unit_test(cudnn_attends),
        cmocka_unit_test(cudnn_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
