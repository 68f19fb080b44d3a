// The families of attention: what masks let queries see, sequences whatever offsets say, mistakes of kernels that go by tiles.
#include <math.h>
#include <stdlib.h>
// cmocka's header wants those before it

#include "kz/family.h"
#include "unit.h"

#include "attention/attention.h"
#include "attention_case.h"

static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}

// ---- mistakes of kernels that go by tiles -------------------------------------------------------------------------------

typedef struct mistake {
    int64_t window;               // that a query sees more
    bool keeps_sums, keeps_total; // a greater score does not rescale them
    kz_type products,
        sums; // to which factors of the scores and sums of the results are rounded; F32: they are not
} mistake;

enum { LENGTH = 140, COLUMNS = 64, TILE = 32 };

// One query by tiles of keys, as kernels do it, with a mistake.
static void attend(const attention_problem *p, void *const *host, uint64_t i, const mistake *m, double *out) {
    attention_sequence all = {0, LENGTH, 0, LENGTH};
    attention_span seen = attention_span_of(p, &all, i);
    int64_t first = (int64_t)seen.first - (seen.first ? m->window : 0);
    double greatest = (double)-INFINITY, total = 0.0, sums[COLUMNS] = {0};
    for (int64_t tile = first; tile < (int64_t)seen.end; tile += TILE) {
        double scores[TILE], most = greatest;
        int64_t count = (int64_t)seen.end - tile < TILE ? (int64_t)seen.end - tile : TILE;
        for (int64_t j = 0; j < count; j++) {
            scores[j] = 0.0;
            for (uint64_t d = 0; d < COLUMNS; d++)
                scores[j] +=
                    in(m->products, kz_element_get(p->type, host[0], i * COLUMNS + d)) *
                    in(m->products, kz_element_get(p->type, host[1], (uint64_t)(tile + j) * COLUMNS + d));
            scores[j] = in(KZ_F32, scores[j] * p->scale);
            most = fmax(most, scores[j]);
        }
        double rescale = exp(greatest - most);
        if (!m->keeps_total) total *= rescale;
        for (uint64_t d = 0; d < COLUMNS && !m->keeps_sums; d++) sums[d] *= rescale;
        for (int64_t j = 0; j < count; j++) {
            double weight = exp(scores[j] - most);
            total += weight;
            for (uint64_t d = 0; d < COLUMNS; d++)
                sums[d] = in(m->sums, sums[d] + weight * kz_element_get(p->type, host[2],
                                                                        (uint64_t)(tile + j) * COLUMNS + d));
        }
        greatest = most;
    }
    for (uint64_t d = 0; d < COLUMNS; d++) out[d] = in(p->type, sums[d] / total);
}

// How many results lie outside of the bound, of a case as small as those that the simulator checks, on its own numbers.
static int outside_by(kz_attention_operation operation, kz_type type, mistake m) {
    const kz_family *family = kz_family_find("attention");
    const kz_case c = {.operation = operation, .type = type, .axes = {1, 1, 1, LENGTH, LENGTH, COLUMNS}};
    attention_problem p = attention_problem_of(&c);
    static double answer[LENGTH * COLUMNS], allowed[LENGTH * COLUMNS], out[COLUMNS];
    void *host[4] = {NULL};
    int count = 0;
    for (size_t b = 0; b < 3; b++) {
        host[b] = malloc(LENGTH * COLUMNS * sizeof(float));
        if (family->fill(&c, b, 11, 0, LENGTH * COLUMNS, host[b])) continue;
        for (uint64_t i = 0; i < LENGTH * COLUMNS; i++)
            kz_element_set(type, host[b], i, (double)(kz_draw(11, 2, i) >> 11) * 0x1p-52 - 1.0);
    }
    assert_int_equal(family->reference(&c, host, 3, answer, allowed, NULL), KZ_OK);
    for (uint64_t i = 0; i < LENGTH; i++) {
        attend(&p, host, i, &m, out);
        for (uint64_t d = 0; d < COLUMNS; d++)
            count += !(fabs(out[d] - answer[i * COLUMNS + d]) <= allowed[i * COLUMNS + d]);
    }
    for (size_t b = 0; b < 3; b++) free(host[b]);
    return count;
}

static void mistakes_of_tiles_fail(void **state) {
    static const kz_type types[] = {KZ_F32, KZ_F16, KZ_BF16};
    for (int t = 0; t < 3; t++) {
        const mistake none = {.products = KZ_F32, .sums = KZ_F32};
        mistake m = none;
        assert_int_equal(outside_by(KZ_ATTENTION_CAUSAL, types[t], none), 0);
        assert_int_equal(outside_by(KZ_ATTENTION_WINDOW, types[t], none), 0);
        m = none, m.keeps_sums = true;
        assert_true(outside_by(KZ_ATTENTION_CAUSAL, types[t], m) > 0);
        m = none, m.keeps_total = true;
        assert_true(outside_by(KZ_ATTENTION_CAUSAL, types[t], m) > 0);
        m = none, m.window = 1;
        assert_true(outside_by(KZ_ATTENTION_WINDOW, types[t], m) > LENGTH);
        m = none, m.window = -1;
        assert_true(outside_by(KZ_ATTENTION_WINDOW, types[t], m) > LENGTH);
        m = none, m.sums = KZ_BF16;
        assert_true(outside_by(KZ_ATTENTION_FULL, types[t], m) > LENGTH);
        m = none, m.sums = KZ_F16; // bf16 has fewer bits than these sums
        assert_true(types[t] == KZ_BF16 || outside_by(KZ_ATTENTION_FULL, types[t], m) > LENGTH);
        m = none, m.products = KZ_F16;
        assert_true(types[t] != KZ_F32 || outside_by(KZ_ATTENTION_FULL, types[t], m) > LENGTH);
    }
}

// ---- spans, pairs and sequences ---------------------------------------------------------------------------------------

// Whether query i of n sees key j of m, as attention.h says it: the last query sees all keys, the one before it all but the last.
static bool sees(uint32_t operation, uint64_t window, int64_t i, int64_t n, int64_t j, int64_t m) {
    if (operation != KZ_ATTENTION_CAUSAL && operation != KZ_ATTENTION_WINDOW &&
        operation != KZ_ATTENTION_PACKED_CAUSAL)
        return true;
    int64_t own = m - n + i; // the last key that it sees
    return j <= own && (window == 0 || window > (uint64_t)own || j > own - (int64_t)window);
}

static void check_spans(uint32_t operation, uint64_t window, int64_t n, int64_t m) {
    const attention_detail detail = {.window = window};
    const kz_case c = {.operation = operation, .type = KZ_F32, .axes = {1, 1, 1, n, m, 8}, .detail = &detail};
    const int32_t queries[] = {0, (int32_t)n}, keys[] = {0, (int32_t)m};
    attention_problem p = attention_problem_of(&c);
    assert_true(p.reach <= UINT64_C(1) << 62); // kernels add a length to it
    attention_sequence sequence =
        attention_sequence_of(&p, queries, operation == KZ_ATTENTION_PADDED ? &keys[1] : keys, 0);
    double pairs = 0.0;
    for (int64_t i = 0; i < n; i++) {
        attention_span span = attention_span_of(&p, &sequence, (uint64_t)i);
        assert_true(span.first <= span.end && span.end <= (uint64_t)m);
        for (int64_t j = 0; j < m; j++) {
            bool is = (uint64_t)j >= span.first && (uint64_t)j < span.end;
            if (is != sees(operation, window, i, n, j, m))
                fail_msg("operation %u, window %llu: query %lld of %lld and key %lld of %lld", operation,
                         (unsigned long long)window, (long long)i, (long long)n, (long long)j, (long long)m);
            pairs += is;
        }
    }
    assert_true(attention_pairs(&p) == pairs);
}

static void spans_and_pairs_are_those_of_the_definition(void **state) {
    for (int64_t n = 0; n < 9; n++)
        for (int64_t m = 0; m < 9; m++) {
            check_spans(KZ_ATTENTION_FULL, 0, n, m);
            check_spans(KZ_ATTENTION_CAUSAL, 0, n, m);
            check_spans(KZ_ATTENTION_PADDED, 0, n, m);
            check_spans(KZ_ATTENTION_PACKED, 0, n, m);
            check_spans(KZ_ATTENTION_PACKED_CAUSAL, 0, n, m);
            for (uint64_t window = 1; window < 11; window++) {
                check_spans(KZ_ATTENTION_WINDOW, window, n, m);
                check_spans(KZ_ATTENTION_PACKED_CAUSAL, window, n, m);
            }
            check_spans(KZ_ATTENTION_WINDOW, UINT64_MAX, n, m);
        }
}

// Whatever offsets and lengths say, a sequence is inside of the arrays.
static void sequences_stay_inside(void **state) {
    static const int32_t odd[] = {0, 1, 5, 7, 8, -1, INT32_MAX, INT32_MIN};
    const kz_case packed = {.operation = KZ_ATTENTION_PACKED, .axes = {1, 1, 1, 7, 5, 8}},
                  padded = {.operation = KZ_ATTENTION_PADDED, .axes = {1, 1, 1, 7, 5, 8}};
    attention_problem p = attention_problem_of(&packed), lengths = attention_problem_of(&padded);
    for (size_t a = 0; a < 8; a++)
        for (size_t b = 0; b < 8; b++) {
            const int32_t offsets[] = {odd[a], odd[b]};
            attention_sequence s = attention_sequence_of(&p, offsets, offsets, 0);
            assert_true(s.query + s.queries <= 7 && s.key + s.keys <= 5);
            assert_true(s.queries == 0 || odd[a] < odd[b]);
            s = attention_sequence_of(&lengths, NULL, offsets, 0);
            assert_true(s.key == 0 && s.queries == 7 && s.keys <= 5);
        }
}

// ---- offsets that mean nothing, on a device -----------------------------------------------------------------------------

enum { TOKENS = 24, GUARD = 64, HEADS = 2, WIDTH = 16 };

// Runs the variant on memory of its own size between guards, with these offsets or lengths, and looks at the guards.
static void run_hostile(kz_device *device, const char *variant, kz_attention_operation operation,
                        const int32_t *numbers) {
    const kz_attention_shape shape = {.size = sizeof shape,
                                      .batch = 4,
                                      .heads = HEADS,
                                      .kv_heads = 1,
                                      .queries = TOKENS,
                                      .keys = TOKENS,
                                      .dimension = WIDTH,
                                      .lse = true};
    enum { BATCH = 4, OUT = BATCH * TOKENS * HEADS * WIDTH, ROWS = BATCH * TOKENS * HEADS };
    static float ones[OUT], out[OUT + 2 * GUARD], lse[ROWS + 2 * GUARD];
    kz_operation *attention;
    kz_ptr at[5], outs, rows, workspace; // each an allocation: the simulator stops what reads past one
    kz_error error = {0};
    bool is_packed = operation == KZ_ATTENTION_PACKED || operation == KZ_ATTENTION_PACKED_CAUSAL;
    uint64_t arrays = is_packed ? 1 : BATCH, count = arrays * TOKENS * HEADS * WIDTH, of_keys = count / HEADS,
             of_rows = arrays * TOKENS * HEADS;
    const uint64_t bytes[] = {count * 4, of_keys * 4, of_keys * 4, 5 * 4, 5 * 4};
    for (size_t i = 0; i < OUT; i++) ones[i] = 1.0f;
    if (kz_attention_open(device, operation, KZ_F32, &shape, variant, &attention, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < 5; i++) {
        uint64_t size = i < 3 || is_packed ? bytes[i] : BATCH * 4;
        assert_int_equal(kz_memory_alloc(device, size, &at[i], NULL), KZ_OK);
        assert_int_equal(
            kz_copy_to_device(device, NULL, at[i], i < 3 ? (const void *)ones : numbers, size, NULL), KZ_OK);
    }
    assert_int_equal(kz_memory_alloc(device, (count + 2 * GUARD) * 4, &outs, NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, (of_rows + 2 * GUARD) * 4, &rows, NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, kz_operation_workspace(attention), &workspace, NULL), KZ_OK);
    assert_int_equal(kz_memory_fill(device, NULL, outs, 0x5a, (count + 2 * GUARD) * 4, NULL), KZ_OK);
    assert_int_equal(kz_memory_fill(device, NULL, rows, 0x5a, (of_rows + 2 * GUARD) * 4, NULL), KZ_OK);
    kz_attention_buffers b = {.size = sizeof b, .q = at[0], .k = at[1], .v = at[2]};
    b.out = outs + GUARD * 4, b.lse = rows + GUARD * 4;
    if (is_packed)
        b.query_offsets = at[3], b.key_offsets = at[4];
    else
        b.key_lengths = at[3];
    if (kz_attention_run(attention, NULL, &b, workspace, kz_operation_workspace(attention), &error) ||
        kz_device_synchronize(device, &error))
        fail_msg("%s: %s", variant, error.message);
    assert_int_equal(kz_copy_to_host(device, NULL, out, outs, (count + 2 * GUARD) * 4, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_host(device, NULL, lse, rows, (of_rows + 2 * GUARD) * 4, NULL), KZ_OK);
    float untouched;
    memset(&untouched, 0x5a, sizeof untouched);
    for (uint64_t i = 0; i < GUARD; i++) {
        assert_memory_equal(&out[i], &untouched, 4);
        assert_memory_equal(&out[GUARD + count + i], &untouched, 4);
        assert_memory_equal(&lse[i], &untouched, 4);
        assert_memory_equal(&lse[GUARD + of_rows + i], &untouched, 4);
    }
    // The values are all ones, and so are their means; a query without a key gives 0, one of no sequence anything.
    for (uint64_t i = 0; i < count && !is_packed; i++)
        assert_true(fabsf(out[GUARD + i] - 1.0f) < 1e-6f || out[GUARD + i] == 0.0f);
    for (int i = 0; i < 5; i++) kz_memory_free(device, at[i], NULL);
    kz_memory_free(device, outs, NULL), kz_memory_free(device, rows, NULL);
    kz_memory_free(device, workspace, NULL);
    kz_operation_close(attention);
}

static void offsets_that_mean_nothing_do_no_harm(void **state) {
    static const int32_t lists[][5] = {{0, 5, 5, 17, TOKENS},        {9, 4, 30, -3, 8},
                                       {-7, -2, -9, -1, -4},         {INT32_MAX, INT32_MIN, INT32_MAX, 0, 3},
                                       {TOKENS, TOKENS, TOKENS, 99}, {3, 6, 9, 12, 15},
                                       {0, TOKENS, 0, TOKENS, 0},    {INT32_MIN, INT32_MAX, 1, 2, 1 << 20}};
    static const kz_attention_operation operations[] = {KZ_ATTENTION_PADDED, KZ_ATTENTION_PACKED,
                                                        KZ_ATTENTION_PACKED_CAUSAL};
    const char *const ids[] = {"sim", "cpu"};
    const kz_family *family = kz_family_find("attention");
    for (int d = 0; d < 2; d++) {
        kz_device *device;
        assert_int_equal(kz_device_open(ids[d], &device, NULL), KZ_OK);
        for (size_t i = 0; i < family->variant_count; i++)
            for (size_t o = 0; o < 3; o++) {
                const kz_case c = {.operation = operations[o], .axes = {4, HEADS, 1, TOKENS, TOKENS, WIDTH}};
                kz_plan *plan = malloc(sizeof *plan);
                kz_status status =
                    kz_variant_plan(family, &family->variants[i], &c, kz_device_get_info(device), plan, NULL);
                free(plan);
                for (size_t l = 0; l < sizeof lists / sizeof *lists && status == KZ_OK; l++)
                    run_hostile(device, family->variants[i].name, operations[o], lists[l]);
            }
        kz_device_close(device);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_of_tiles_fail),
        cmocka_unit_test(spans_and_pairs_are_those_of_the_definition),
        cmocka_unit_test(sequences_stay_inside),
        cmocka_unit_test(offsets_that_mean_nothing_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
