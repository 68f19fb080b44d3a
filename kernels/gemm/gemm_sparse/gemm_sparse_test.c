// gemm_sparse: what packing keeps and where it puts it, the reference over what is kept alone, and the plans: when b is copied, who
// stores c, which tiles are taken.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "unit.h"

enum { ROWS = 70, DEPTH = 131, STEPS = 3, GROUPS = STEPS * GEMM_SPARSE_GROUPS }; // more than a slab; odd

typedef struct packed {
    uint16_t values[ROWS * STEPS * GEMM_SPARSE_KEPT];
    uint32_t metadata[2 * STEPS * GEMM_SPARSE_WORDS];
} packed;

static void pack(const float *a, size_t m, size_t k, packed *to) {
    kz_error error = {0};
    assert_true(kz_gemm_sparse_values(m, k) <= sizeof to->values / sizeof to->values[0]);
    assert_true(kz_gemm_sparse_words(m, k) <= sizeof to->metadata / sizeof to->metadata[0]);
    memset(to, 0xff, sizeof *to);
    assert_int_equal(kz_gemm_sparse_pack(KZ_F16, m, k, a, to->values, to->metadata, &error), KZ_OK);
}

static void largest_two_of_four_are_kept(void **state) {
    static const struct {
        float group[4];
        unsigned first, second;
    } rows[] = {
        {{1, 2, 3, 4}, 2, 3},         {{4, -3, 2, 1}, 0, 1},
        {{0, 5, 0, -6}, 1, 3},        {{7, 7, 7, 7}, 0, 1},
        {{0, 0, 0, 0}, 0, 1},         {{0, 0, 9, 0}, 0, 2},
        {{1, 2, NAN, 3}, 2, 3},       {{NAN, INFINITY, NAN, 1}, 0, 2},
        {{1, -INFINITY, 2, 3}, 1, 3},
    };
    static packed p;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        pack(rows[i].group, 1, 4, &p);
        gemm_sparse_pair kept = gemm_sparse_find(p.metadata, 0, 0, 1);
        assert_int_equal(kept.first, rows[i].first);
        assert_int_equal(kept.second, rows[i].second);
        double first = kz_element_get(KZ_F16, p.values, 0), second = kz_element_get(KZ_F16, p.values, 1);
        assert_true(first == (double)rows[i].group[kept.first] || isnan(first));
        assert_true(second == (double)rows[i].group[kept.second] || isnan(second));
        assert_int_equal(isnan(first), isnan(rows[i].group[kept.first]));
    }
}

// An a that is 2:4 sparse already comes back as it was, and behind its end are zeros whose metadata is in order.
static void sparse_matrices_lose_nothing(void **state) {
    static float a[ROWS * DEPTH], back[ROWS * DEPTH];
    static packed p;
    for (unsigned i = 0; i < ROWS * DEPTH; i++) {
        unsigned row = i / DEPTH, x = i % DEPTH, first = (row + x / 4) % 4,
                 second = (first + 1 + row % 3) % 4;
        a[i] = x % 4 == first || x % 4 == second ? (float)(1 + i % 1000) : 0.0f;
    }
    pack(a, ROWS, DEPTH, &p);
    for (uint64_t row = 0; row < 2 * GEMM_SPARSE_ROWS; row++)
        for (uint64_t g = 0; g < GROUPS; g++) {
            gemm_sparse_pair kept = gemm_sparse_find(p.metadata, row, g, STEPS);
            assert_true(4 * g <= kept.first && kept.first < kept.second && kept.second < 4 * g + 4);
            for (uint64_t i = 0; row < ROWS && i < 2; i++) {
                double value = kz_element_get(KZ_F16, p.values, 2 * (row * GROUPS + g) + i);
                uint64_t x = i ? kept.second : kept.first;
                if (x < DEPTH)
                    back[row * DEPTH + x] = (float)value;
                else
                    assert_true(value == 0);
            }
        }
    assert_memory_equal(a, back, sizeof a);
}

// As the header says it, by hand: row 64 + 16 + 9, group 16 + 7.
static void words_are_where_the_header_says(void **state) {
    assert_int_equal(GEMM_SPARSE_WORD(89, 23, 3), (1 * 3 + 1) * 128 + 32 * 1 + 4 * 1 + 1);
    assert_int_equal(GEMM_SPARSE_BIT(89, 23), 16 + 12);
    assert_int_equal(GEMM_SPARSE_DEPTH, KZ_GEMM_SPARSE_STEP);
}

static void packing_refuses(void **state) {
    static packed p;
    kz_error error = {0};
    float a[4] = {0};
    assert_int_equal(kz_gemm_sparse_pack(KZ_F32, 1, 4, a, p.values, p.metadata, &error), KZ_INVALID);
    assert_has(error.message, "f16 or bf16");
    assert_int_equal(kz_gemm_sparse_pack(KZ_F16, 1, 4, a, NULL, p.metadata, &error), KZ_INVALID);
    assert_has(error.message, "NULL");
}

// c = 2 b[1] + 3 b[3]; b's NaN and Inf are elsewhere, and in a second column not.
static void what_is_pruned_meets_no_infinity(void **state) {
    const float a[4] = {0, 2, 0, 3};
    const double b[8] = {NAN, 10, INFINITY, 100, 0, 1, 0, INFINITY};
    static packed p;
    uint16_t right[8];
    double expected[2], bound[2];
    pack(a, 1, 4, &p);
    for (uint64_t i = 0; i < 8; i++) kz_element_set(KZ_F16, right, i, b[i]);
    kz_case c = {.type = KZ_F16, .axes = {1, 2, 4}};
    void *host[] = {p.values, p.metadata, right, NULL};
    assert_int_equal(gemm_sparse_reference(&c, host, C, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 320 && bound[0] > 0 && bound[0] < 1);
    assert_true(expected[1] == (double)INFINITY);
}

// What cases are made of: of every group any two, and all six pairs come.
static void drawn_metadata_is_in_order(void **state) {
    static uint32_t metadata[2 * STEPS * GEMM_SPARSE_WORDS];
    kz_case c = {.type = KZ_F16, .axes = {ROWS, 8, DEPTH}};
    unsigned seen = 0;
    assert_true(gemm_sparse_fill(&c, METADATA, 1, 0, 2 * STEPS * GEMM_SPARSE_WORDS, metadata));
    for (uint64_t row = 0; row < ROWS; row++)
        for (uint64_t g = 0; g < GROUPS; g++) {
            gemm_sparse_pair kept = gemm_sparse_find(metadata, row, g, STEPS);
            assert_true(kept.first < kept.second);
            if (4 * (g + 1) > DEPTH) assert_int_equal(kept.second % 4, 1);
            seen |= 1u << (kept.first % 4 * 4 + kept.second % 4);
        }
    assert_int_equal(seen, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7 | 1 << 11);
}

// ---- plans -------------------------------------------------------------------------------------------------

static kz_status plan(const char *name, const kz_case *c, kz_plan *plan) {
    kz_device *device;
    kz_error error = {0};
    *plan = (kz_plan){0};
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    const kz_variant *variant = kz_variant_find(&kz_family_gemm_sparse, name);
    assert_non_null(variant);
    kz_status status =
        kz_variant_plan(&kz_family_gemm_sparse, variant, c, kz_device_get_info(device), plan, &error);
    kz_device_close(device);
    return status;
}

static void plans_fit_the_matrix(void **state) {
    static kz_plan p;
    kz_case c = {.type = KZ_BF16, .axes = {8192, 8192, 8192}};
    assert_int_equal(plan("02_wgmma", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 1);
    assert_int_equal(p.workspace_bytes, 0);
    assert_has(p.steps[0].entry, "wgmma_large_nt");
    assert_int_equal(p.steps[0].launch.grid[0], 132);
    assert_int_equal(p.steps[0].launch.cluster[0], 2);
    c.axes[M] = c.axes[N] = 1024; // 64 tiles of 128 x 128, 32 of 128 x 256
    assert_int_equal(plan("02_wgmma", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "wgmma_small_nt");
    c.axes[N] = 1023, c.axes[K] = 8191; // rows of c, and of b
    assert_int_equal(plan("02_wgmma", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 2);
    assert_int_equal(p.workspace_bytes, 1023 * 8192 * 2);
    assert_has(p.steps[1].entry, "small_direct");
    c.misalign = 1;
    assert_int_equal(plan("02_wgmma", &c, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("01_cuda_cores", &c, &p), KZ_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_two_of_four_are_kept),
        cmocka_unit_test(sparse_matrices_lose_nothing),
        cmocka_unit_test(words_are_where_the_header_says),
        cmocka_unit_test(packing_refuses),
        cmocka_unit_test(what_is_pruned_meets_no_infinity),
        cmocka_unit_test(drawn_metadata_is_in_order),
        cmocka_unit_test(plans_fit_the_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
