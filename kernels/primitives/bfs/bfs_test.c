// bfs: the reference against a graph by hand, the levels of a ring, and the plans.

#include "bfs.h"
#include "kz/family.h"
#include "unit.h"

enum { RING = 101 };
enum { OUT_OFFSETS, OUT_TARGETS, LEVELS = 4 }; // buffers
enum { LATTICE = 2 };                          // a shape

static const kz_family *family(void) { return kz_family_find("bfs"); }

static kz_case graph_case(int64_t vertices, int64_t edges, int64_t shape, int64_t source) {
    return (kz_case){.type = KZ_I32, .axes = {vertices, edges, shape, source}};
}

// 0 -> 1 -> 2 -> 0, 0 -> 2 twice, 3 -> 0: from 0 nobody comes to 3.
static void levels_by_hand(void **state) {
    uint32_t out[] = {0, 3, 4, 5, 6}, targets[] = {1, 2, 2, 2, 0, 0};
    double expected[4], bound[4];
    void *host[] = {out, targets, NULL, NULL, NULL};
    kz_case c = graph_case(4, 6, 0, 0);
    assert_int_equal(family()->reference(&c, host, LEVELS, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 0 && expected[1] == 1 && expected[2] == 1 && expected[3] == -1);
    c.axes[3] = 3;
    assert_int_equal(family()->reference(&c, host, LEVELS, expected, bound, NULL), KZ_OK);
    assert_true(expected[3] == 0 && expected[0] == 1 && expected[1] == 2 && expected[2] == 2 &&
                bound[0] == 0);
}

// Two neighbours each: levels rise by one on both sides of the source.
static void a_ring_has_half_its_length_in_levels(void **state) {
    static uint32_t out[RING + 1], targets[2 * RING];
    kz_case c = graph_case(RING, 2 * RING, LATTICE, 7);
    assert_true(family()->fill(&c, OUT_OFFSETS, 1, 0, RING + 1, out));
    assert_true(family()->fill(&c, OUT_TARGETS, 1, 0, 2 * RING, targets));
    double expected[RING], bound[RING];
    assert_int_equal(
        family()->reference(&c, (void *[]){out, targets, 0, 0, 0}, LEVELS, expected, bound, NULL), KZ_OK);
    for (int v = 0; v < RING; v++) {
        int away = v < 7 ? 7 - v : v - 7;
        assert_true(expected[v] == (away <= RING / 2 ? away : RING - away));
    }
}

static kz_status plan(kz_case c, const char *variant, int threads, size_t shared, kz_plan *plan) {
    kz_device_info device = {.kind = KZ_DEVICE_CUDA,
                             .sm = 90,
                             .multiprocessors = 132,
                             .max_threads_per_multiprocessor = threads,
                             .shared_per_multiprocessor = shared};
    kz_error error;
    *plan = (kz_plan){0};
    return kz_variant_plan(family(), kz_variant_find(family(), variant), &c, &device, plan, &error);
}

// Blocks wait for each other: no more than fit at once, on a small GPU too.
static void all_blocks_are_resident(void **state) {
    kz_case c = graph_case(1 << 22, 1 << 26, 0, 0);
    for (size_t i = 1; i < family()->variant_count; i++) {
        const char *variant = family()->variants[i].name;
        kz_plan p;
        assert_int_equal(plan(c, variant, 2048, 228 << 10, &p), KZ_OK);
        const kz_launch *launch = &p.steps[p.step_count - 1].launch;
        assert_true(launch->cooperative && launch->grid[0] % 132 == 0);
        assert_true(launch->grid[0] / 132 * launch->block[0] <= 2048);
        assert_int_equal(plan(c, variant, 1024, 64 << 10, &p), KZ_OK);
        assert_true(p.steps[p.step_count - 1].launch.grid[0] / 132 <= 4);
    }
}

static void what_is_not_done_is_refused(void **state) {
    kz_plan p;
    assert_int_equal(plan(graph_case(8, 8, 0, 8), "03_frontier_queue", 2048, 1 << 16, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan(graph_case(8, 8, 0, -1), "06_pull", 2048, 1 << 16, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan(graph_case(8, 8, 9, 0), "07_direction_optimizing", 2048, 1 << 16, &p),
                     KZ_UNSUPPORTED);
    kz_case floats = graph_case(8, 8, 0, 0);
    floats.type = KZ_F32;
    assert_int_equal(plan(floats, "05_bitmap", 2048, 1 << 16, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan(graph_case(0, 0, 0, 0), "07_direction_optimizing", 2048, 1 << 16, &p), KZ_OK);
    assert_int_equal(p.step_count, 0);
}

// A search on the cpu, as a caller does it.
static void the_operation_runs(void **state) {
    kz_device *device;
    kz_operation *operation;
    kz_error error = {0};
    uint32_t out[] = {0, 1, 2, 2}, targets[] = {1, 2}, in[] = {0, 0, 1, 2}, sources[] = {0, 1};
    int32_t levels[3];
    _Alignas(KZ_WORKSPACE_ALIGNMENT) uint64_t workspace[16];
    kz_bfs_graph graph = {(kz_ptr)(uintptr_t)out, (kz_ptr)(uintptr_t)targets, (kz_ptr)(uintptr_t)in,
                          (kz_ptr)(uintptr_t)sources};
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    assert_int_equal(kz_bfs_open(device, 3, 2, 1, NULL, &operation, &error), KZ_OK);
    assert_true(kz_operation_workspace(operation) <= sizeof workspace);
    assert_int_equal(kz_bfs_run(operation, NULL, &graph, (kz_ptr)(uintptr_t)levels,
                                (kz_ptr)(uintptr_t)workspace, sizeof workspace, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_true(levels[0] == -1 && levels[1] == 0 && levels[2] == 1);
    kz_operation_close(operation);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_by_hand),          cmocka_unit_test(a_ring_has_half_its_length_in_levels),
        cmocka_unit_test(all_blocks_are_resident), cmocka_unit_test(what_is_not_done_is_refused),
        cmocka_unit_test(the_operation_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
