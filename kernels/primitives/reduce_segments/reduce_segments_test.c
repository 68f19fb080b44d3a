// reduce_segments: the offsets that cases are made with, the reference against folds by hand, and the plans.
#include <math.h>
#include <stdlib.h>

#include "kz/family.h"
#include "reduce_segments.h"
#include "unit.h"

enum { SEGMENTS = 1000, N = 54321, SEED = 7 };

static const kz_family *family(void) { return kz_family_find("reduce_segments"); }

static void make_offsets(int64_t skew, uint64_t first, uint64_t count, uint32_t *offsets) {
    kz_case c = {.type = KZ_F32, .axes = {N, SEGMENTS, skew}};
    assert_true(family()->fill(&c, 1, SEED, first, count, offsets));
}

static void offsets_rise_from_0_to_n(void **state) {
    static uint32_t offsets[SEGMENTS + 1], part[100];
    for (int64_t skew = 0; skew < 4; skew++) {
        make_offsets(skew, 0, SEGMENTS + 1, offsets);
        assert_int_equal(offsets[0], 0);
        assert_int_equal(offsets[SEGMENTS], N);
        uint32_t longest = 0, empty = 0;
        for (int s = 0; s < SEGMENTS; s++) {
            assert_true(offsets[s] <= offsets[s + 1]);
            uint32_t length = offsets[s + 1] - offsets[s];
            longest = length > longest ? length : longest;
            empty += length == 0;
        }
        if (skew == 0) assert_true(longest == N / SEGMENTS + 1 && empty == 0);
        if (skew == 1) assert_true(longest > N / SEGMENTS * 3 / 2 && longest < 2 * N / SEGMENTS + 2);
        if (skew == 2) assert_true(longest >= N / 2);
        if (skew == 3) assert_true(empty >= SEGMENTS / 16 * 15);
        make_offsets(skew, 500, 100, part); // any part is the same as in the whole
        for (int i = 0; i < 100; i++) assert_int_equal(part[i], offsets[500 + i]);
    }
}

static void segments_by_hand(void **state) {
    float in[] = {1, 2, 3, NAN, 5};
    uint32_t offsets[] = {0, 2, 2, 3, 5};
    double expected[4], bound[4];
    void *host[] = {in, offsets, NULL};
    kz_case c = {.operation = KZ_REDUCE_SUM, .type = KZ_F32, .axes = {5, 4, 0}};
    assert_int_equal(family()->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 3 && expected[1] == 0 && expected[2] == 3 && isnan(expected[3]));
    c.operation = KZ_REDUCE_MAX;
    assert_int_equal(family()->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 2 && expected[1] == -INFINITY && isnan(expected[3]) && bound[0] == 0);
    c.operation = KZ_REDUCE_ARGMAX; // counted from each segment's first; of an empty one there is none
    assert_int_equal(family()->reference(&c, host, 3, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 1 && expected[1] == -1 && expected[2] == 0 && expected[3] == 0);
    c.operation = KZ_REDUCE_MEAN;
    assert_int_equal(family()->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 1.5 && isnan(expected[1]) && expected[2] == 3);
}

static kz_status plan_of(const char *variant, kz_case c, kz_plan *plan) {
    kz_device_info device = {.kind = KZ_DEVICE_CUDA,
                             .sm = 90,
                             .multiprocessors = 132,
                             .gpu = "h200",
                             .shared_per_block_optin = 232448};
    kz_error error;
    *plan = (kz_plan){0};
    return kz_variant_plan(family(), kz_variant_find(family(), variant), &c, &device, plan, &error);
}
static kz_status plan(kz_case c, kz_plan *plan) { return plan_of("04_merge_path", c, plan); }

// Even shares: no block has more than a tile above the mean, whatever the skew.
static void shares_are_even(void **state) {
    kz_plan p;
    kz_case c = {.type = KZ_F32, .axes = {1 << 28, 1 << 20, 2}};
    assert_int_equal(plan(c, &p), KZ_OK);
    assert_int_equal(p.step_count, 1);
    uint64_t blocks = p.steps[0].launch.grid[0], chunk = p.steps[0].args[8].scalar;
    uint64_t items = (1ull << 28) + (1ull << 20);
    assert_true(blocks * chunk >= items && (blocks - 1) * chunk < items);
    assert_true(chunk - items / blocks < 2 * 4096);
}

// 06's ranges hold all elements, up to 15 bytes before the input included; every block has a tile status; small
// inputs are spread.
static void the_front_is_whole(void **state) {
    const kz_type types[] = {KZ_F32, KZ_F64, KZ_F16};
    for (int t = 0; t < 3; t++)
        for (int64_t n = 1; n <= UINT32_MAX; n = n * 5 + 1) {
            kz_plan p;
            kz_case c = {.type = types[t], .axes = {n, 1000, 0}};
            assert_int_equal(plan_of("06_in_order_blocks", c, &p), KZ_OK);
            uint64_t blocks = p.steps[0].launch.grid[0];
            uint64_t share = p.steps[0].args[5].scalar * (p.steps[0].launch.block[0] / 32);
            uint64_t positions = (uint64_t)n + 16 / kz_type_size(types[t]) - 1;
            assert_true(blocks * share >= positions && (blocks - 1) * share < positions && blocks <= 16384);
            assert_true(share * kz_type_size(types[t]) % 16 == 0); // a share begins with a pack
            if (n > 10000 && n < 1 << 20) assert_true(blocks >= (uint64_t)n / 8192);
        }
}

// ---- 07's ring ---------------------------------------------------------------------------------------

// Offsets whose lengths come round: `length` of them, and then one of `last`.
static size_t make_round(uint32_t n, uint32_t length, size_t round, uint32_t last, uint32_t *offsets) {
    size_t count = 0;
    offsets[0] = 0;
    while (offsets[count] < n) {
        uint32_t next = offsets[count] + (count % (round + 1) == round ? last : length);
        offsets[++count] = next < n ? next : n;
    }
    return count;
}

typedef struct ring_test {
    kz_device *device;
    kz_module *sums, *indices; // of 07 and 08
    kz_ptr in, offsets, out, index;
} ring_test;
enum { RING_N = 70001, RING_SEGMENTS = 200000 };

// With so many blocks; few have many tiles each: stages and offsets come round.
static void run_ring(ring_test *t, const char *variant, kz_module *module, kz_reduce_operation operation,
                     size_t blocks, size_t segments) {
    kz_error error = {0};
    kz_plan p = {0};
    kz_case c = {.operation = operation, .type = KZ_I32, .axes = {RING_N, (int64_t)segments, 0}};
    assert_int_equal(kz_variant_plan(family(), kz_variant_find(family(), variant), &c,
                                     kz_device_get_info(t->device), &p, &error),
                     KZ_OK);
    p.steps[0].launch.grid[0] = (uint32_t)blocks;
    kz_ptr buffers[] = {t->in, t->offsets, t->out, t->index};
    assert_int_equal(kz_plan_run(t->device, NULL, module, &p, buffers, 4, 0, &error), KZ_OK);
}

// All sums are exact, and so are the indices of the greatest, of which there are many equal ones.
static void check_ring(ring_test *t, size_t blocks, size_t segments, const int32_t *in,
                       const uint32_t *offsets) {
    kz_error error = {0};
    static int32_t out[RING_SEGMENTS];
    static int64_t index[RING_SEGMENTS];
    kz_copy_to_device(t->device, NULL, t->offsets, offsets, (segments + 1) * sizeof *offsets, &error);
    run_ring(t, "07_ring_buffer", t->sums, KZ_REDUCE_SUM, blocks, segments);
    kz_copy_to_host(t->device, NULL, out, t->out, segments * sizeof *out, &error);
    assert_int_equal(kz_device_synchronize(t->device, &error), KZ_OK);
    for (size_t s = 0; s < segments; s++) {
        uint32_t sum = 0; // it wraps
        for (uint32_t k = offsets[s]; k < offsets[s + 1]; k++) sum += (uint32_t)in[k];
        assert_int_equal((uint32_t)out[s], sum);
    }
    run_ring(t, "08_shared_index", t->indices, KZ_REDUCE_ARGMAX, blocks, segments);
    kz_copy_to_host(t->device, NULL, out, t->out, segments * sizeof *out, &error);
    kz_copy_to_host(t->device, NULL, index, t->index, segments * sizeof *index, &error);
    assert_int_equal(kz_device_synchronize(t->device, &error), KZ_OK);
    for (size_t s = 0; s < segments; s++) {
        int64_t best = -1;
        for (uint32_t k = offsets[s]; k < offsets[s + 1]; k++)
            if (best < 0 || in[k] > in[offsets[s] + best]) best = k - offsets[s];
        assert_int_equal(index[s], best);
        assert_int_equal(out[s], best < 0 ? INT32_MIN : in[offsets[s] + best]);
    }
}

static kz_module *load_variant(kz_device *device, const char *name) {
    kz_error error = {0};
    kz_image image;
    kz_module *module;
    assert_int_equal(kz_variant_image(family(), kz_variant_find(family(), name), &image, &error), KZ_OK);
    assert_int_equal(kz_module_load(device, &image, &module, &error), KZ_OK);
    return module;
}

static void check_rounds(ring_test *t, const int32_t *in) {
    static uint32_t offsets[RING_SEGMENTS + 1];
    check_ring(t, 1, make_round(RING_N, 16, 40, 333, offsets), in, offsets);
    check_ring(t, 2, make_round(RING_N, 5000, 1, 20000, offsets), in, offsets);
    check_ring(t, 3, make_round(RING_N, 2, 3000, 30000, offsets), in,
               offsets); // the ring of offsets is full
    check_ring(t, 2, make_round(RING_N, 1, 20000, 7, offsets), in,
               offsets); // a tile's ends are too many for it
    check_ring(t, 2, make_round(RING_N, 0, 6000, 3000, offsets), in, offsets); // as many empty ones in a row
}

// Elements of 4096 kinds; and such of which most are the identity, whole segments of them.
static void the_ring_comes_round(void **state) {
    static int32_t in[RING_N];
    static uint32_t offsets[RING_SEGMENTS + 1];
    kz_error error = {0};
    ring_test t;
    assert_int_equal(kz_device_open("sim:h200", &t.device, &error), KZ_OK);
    t.sums = load_variant(t.device, "07_ring_buffer");
    t.indices = load_variant(t.device, "08_shared_index");
    assert_int_equal(kz_memory_alloc(t.device, sizeof in, &t.in, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(t.device, sizeof offsets, &t.offsets, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(t.device, sizeof offsets, &t.out, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(t.device, 2 * sizeof offsets, &t.index, &error), KZ_OK);
    for (uint32_t k = 0; k < RING_N; k++) in[k] = (int32_t)(k * 2654435761u >> 20);
    kz_copy_to_device(t.device, NULL, t.in, in, sizeof in, &error);
    check_rounds(&t, in);
    for (uint32_t k = 0; k < RING_N; k++) in[k] = k * 2654435761u >> 19 == 7 ? 0 : INT32_MIN;
    kz_copy_to_device(t.device, NULL, t.in, in, sizeof in, &error);
    check_ring(&t, 2, make_round(RING_N, 16, 40, 3333, offsets), in, offsets);
    kz_memory_free(t.device, t.in, &error);
    kz_memory_free(t.device, t.offsets, &error);
    kz_memory_free(t.device, t.out, &error);
    kz_memory_free(t.device, t.index, &error);
    kz_module_close(t.sums);
    kz_module_close(t.indices);
    kz_device_close(t.device);
}

// Nothing beats the identity, empty segments come first, and the input does not begin with a pack: the first element
// is the greatest, and no index before it.
static void what_equals_the_identity_has_an_index(void **state) {
    enum { LENGTH = 20, COUNT = 4 };
    const uint32_t offsets[COUNT + 1] = {0, 0, 0, 13, LENGTH};
    const char *variants[] = {"01_thread", "04_merge_path", "08_shared_index"};
    int32_t in[LENGTH + 3];
    for (int i = 0; i < LENGTH + 3; i++) in[i] = INT32_MIN;
    kz_device *device;
    kz_error error = {0};
    kz_ptr elements, ends, out, index, workspace;
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof in, &elements, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof offsets, &ends, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, 4 * COUNT, &out, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, 8 * COUNT, &index, &error), KZ_OK);
    kz_copy_to_device(device, NULL, elements, in, sizeof in, &error);
    kz_copy_to_device(device, NULL, ends, offsets, sizeof offsets, &error);
    for (size_t v = 0; v < 3; v++)
        for (unsigned misalign = 0; misalign < 4; misalign++) {
            kz_operation *operation;
            int64_t at[COUNT] = {7, 7, 7, 7};
            assert_int_equal(kz_reduce_segments_open(device, KZ_REDUCE_ARGMAX, KZ_I32, LENGTH, COUNT,
                                                     variants[v], &operation, &error),
                             KZ_OK);
            uint64_t bytes = kz_operation_workspace(operation);
            assert_int_equal(kz_memory_alloc(device, bytes ? bytes : 1, &workspace, &error), KZ_OK);
            assert_int_equal(kz_reduce_segments_run_index(operation, NULL, elements + 4 * misalign, ends, out,
                                                          index, workspace, bytes, &error),
                             KZ_OK);
            kz_copy_to_host(device, NULL, at, index, sizeof at, &error);
            for (int s = 0; s < COUNT; s++) assert_int_equal(at[s], s < 2 ? -1 : 0);
            kz_memory_free(device, workspace, &error);
            kz_operation_close(operation);
        }
    kz_memory_free(device, elements, &error);
    kz_memory_free(device, ends, &error);
    kz_memory_free(device, out, &error);
    kz_memory_free(device, index, &error);
    kz_device_close(device);
}

// Where segments begin: some empty, some at the edges of pieces (4096 elements, of 09), some giants.
static void draw_cuts(uint32_t *seed, uint32_t length, size_t count, uint32_t *cuts) {
    for (size_t s = 0; s <= count; s++) {
        *seed = *seed * 1664525u + 1013904223u;
        uint32_t at = (uint32_t)((uint64_t)*seed * length >> 32);
        cuts[s] = s == 0 ? 0 : s == count ? length : s % 3 == 0 ? at / 4096 * 4096 : at;
        for (size_t k = s; k > 0 && s < count && cuts[k - 1] > cuts[k]; k--) { // in order
            uint32_t swap = cuts[k];
            cuts[k] = cuts[k - 1];
            cuts[k - 1] = swap;
        }
    }
}

// 09: each run's giants have other elements and other helpers, and must wait for those of this run.
static void helpers_flags_are_taken_back(void **state) {
    enum { LENGTH = 60000, COUNT = 40 };
    static int32_t in[LENGTH];
    uint32_t cuts[COUNT + 1], seed = 7;
    kz_device *device;
    kz_operation *operation;
    kz_error error = {0};
    kz_ptr elements, ends, out;
    setenv("KZ_SEED", "1", 1); // blocks in another order than their indices'
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    unsetenv("KZ_SEED");
    assert_int_equal(kz_memory_alloc(device, sizeof in, &elements, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof cuts, &ends, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, 4 * COUNT, &out, &error), KZ_OK);
    for (int32_t run = 0; run < 9; run++) {
        size_t count = run < 5 ? 5 : COUNT;
        int32_t sums[COUNT], expected[COUNT] = {0};
        if (run == 0 || run == 5)
            assert_int_equal(kz_reduce_segments_open(device, KZ_REDUCE_SUM, KZ_I32, LENGTH, count,
                                                     "09_split_giants", &operation, &error),
                             KZ_OK);
        draw_cuts(&seed, LENGTH, count, cuts);
        for (size_t s = 0; s < count; s++)
            for (uint32_t i = cuts[s]; i < cuts[s + 1]; i++)
                expected[s] += in[i] = run + 1 + (int32_t)(i * 2654435761u >> 20);
        kz_copy_to_device(device, NULL, elements, in, sizeof in, &error);
        kz_copy_to_device(device, NULL, ends, cuts, sizeof cuts, &error);
        assert_int_equal(kz_reduce_segments_run(operation, NULL, elements, ends, out, 0, 0, &error), KZ_OK);
        kz_copy_to_host(device, NULL, sums, out, 4 * count, &error);
        assert_memory_equal(sums, expected, 4 * count);
        if (run == 4 || run == 8) kz_operation_close(operation);
    }
    kz_memory_free(device, elements, &error);
    kz_memory_free(device, ends, &error);
    kz_memory_free(device, out, &error);
    kz_device_close(device);
}

// 09: a helper for each piece where there is more than one, never more than there are statuses.
static void pieces_have_helpers(void **state) {
    static const int64_t lengths[] = {0, 1, 4096, 4097, 16385, 1 << 20, 1 << 28, UINT32_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        kz_plan p;
        assert_int_equal(
            plan_of("09_split_giants", (kz_case){.type = KZ_F32, .axes = {lengths[i], 7, 0}}, &p), KZ_OK);
        uint64_t piece = p.steps[0].args[5].scalar, helpers = p.steps[0].args[6].scalar;
        assert_true(piece >= 4096 && helpers <= 4096);
        assert_true(helpers ? helpers * piece >= (uint64_t)lengths[i] : piece >= (uint64_t)lengths[i]);
        assert_int_equal(p.steps[0].launch.grid[0], helpers + 7);
    }
}

// 04 has one kernel for all three: of negated elements for the least, without indices where none are
// wanted.
static void what_finds_is_one_kernel(void **state) {
    const struct {
        kz_reduce_operation operation;
        bool index, negated;
    } rows[] = {
        {KZ_REDUCE_MIN, false, true}, {KZ_REDUCE_ARGMIN, true, true}, {KZ_REDUCE_ARGMAX, true, false}};
    for (size_t i = 0; i < 3; i++) {
        kz_plan p;
        kz_case c = {.operation = rows[i].operation, .type = KZ_F32, .axes = {1000, 10, 0}};
        assert_int_equal(plan(c, &p), KZ_OK);
        assert_string_equal(p.steps[0].entry, "reduce_segments_merge_path_argmax_f32");
        assert_int_equal(p.steps[0].args[9].kind == KZ_ARG_BUFFER, rows[i].index);
        assert_int_equal(p.steps[0].args[10].scalar, rows[i].negated);
        assert_int_equal(plan_of("07_ring_buffer", c, &p), KZ_UNSUPPORTED);
        assert_int_equal(plan_of("06_in_order_blocks", c, &p), i == 0 ? KZ_OK : KZ_UNSUPPORTED);
        assert_int_equal(plan_of("08_shared_index", c, &p), i == 0 ? KZ_UNSUPPORTED : KZ_OK);
        assert_int_equal(plan_of("01_thread", c, &p), KZ_OK);
    }
}

// By the mean length, on a GPU of the table and on one that it does not know.
static void the_mean_length_decides(void **state) {
    static const struct {
        int64_t n, segments;
        const char *variant;
        const char *finds; // argmax
    } rows[] = {{1000, 1000000, "04_merge_path", "04_merge_path"},
                {4000, 1000, "06_in_order_blocks", "04_merge_path"},
                {100000, 1000, "07_ring_buffer", "08_shared_index"},
                {1024000, 1000, "09_split_giants", "08_shared_index"}};
    const kz_device_info unknown = {.kind = KZ_DEVICE_CUDA,
                                    .id = "cuda:0",
                                    .sm = 100,
                                    .multiprocessors = 148,
                                    .shared_per_block_optin = 232448};
    const kz_device_info known = {.kind = KZ_DEVICE_CUDA,
                                  .id = "cuda:0",
                                  .gpu = "h200",
                                  .sm = 90,
                                  .multiprocessors = 132,
                                  .shared_per_block_optin = 232448};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kz_case c = {.operation = KZ_REDUCE_SUM, .type = KZ_F32, .axes = {rows[i].n, rows[i].segments, 0}};
        assert_string_equal(kz_choose(family(), &c, &known, false, NULL)->name, rows[i].variant);
        assert_string_equal(kz_choose(family(), &c, &unknown, false, NULL)->name, rows[i].variant);
        c.operation = KZ_REDUCE_ARGMAX;
        assert_string_equal(kz_choose(family(), &c, &known, false, NULL)->name, rows[i].finds);
        assert_string_equal(kz_choose(family(), &c, &unknown, false, NULL)->name, rows[i].finds);
    }
}

static void what_is_not_done_is_refused(void **state) {
    kz_plan p;
    assert_int_equal(plan((kz_case){.type = KZ_F32, .axes = {1LL << 33, 8, 0}}, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan((kz_case){.type = KZ_F32, .axes = {8, 8, 4}}, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan((kz_case){.type = KZ_F32, .axes = {8, 0, 0}}, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan((kz_case){.type = KZ_U8, .axes = {8, 8, 0}}, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan((kz_case){.type = KZ_F32, .axes = {0, 0, 0}}, &p), KZ_OK);
    assert_int_equal(p.step_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_rise_from_0_to_n),
        cmocka_unit_test(segments_by_hand),
        cmocka_unit_test(shares_are_even),
        cmocka_unit_test(the_front_is_whole),
        cmocka_unit_test(the_ring_comes_round),
        cmocka_unit_test(what_is_not_done_is_refused),
        cmocka_unit_test(what_finds_is_one_kernel),
        cmocka_unit_test(the_mean_length_decides),
        cmocka_unit_test(what_equals_the_identity_has_an_index),
        cmocka_unit_test(helpers_flags_are_taken_back),
        cmocka_unit_test(pieces_have_helpers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
