// pagerank: the graphs that cases are made with, the reference against a graph by hand, and the plans.
#include <math.h>
#include <stdlib.h>

#include "graph.h"
#include "pagerank.h"
#include "unit.h"

enum { N = 100, M = 700, SEED = 7 };

static const kz_family *family(void) { return kz_family_find("pagerank"); }

static kz_case graph_case(int64_t vertices, int64_t edges, graph_shape shape) {
    return (kz_case){.type = KZ_F32, .axes = {vertices, edges, shape}};
}

static void make(const kz_case *c, size_t which, uint64_t first, uint64_t count, uint32_t *to) {
    assert_true(family()->fill(c, which, SEED, first, count, to));
}

// Counts each edge of a CSR in counts[from][to]; `transposed`: the CSR is the transpose's.
static void count_edges(const kz_case *c, bool transposed, int counts[N][N]) {
    uint32_t offsets[N + 1], ends[M];
    make(c, transposed ? IN_OFFSETS : OUT_OFFSETS, 0, N + 1, offsets);
    make(c, transposed ? IN_SOURCES : OUT_TARGETS, 0, M, ends);
    assert_int_equal(offsets[0], 0);
    assert_int_equal(offsets[N], M);
    for (uint32_t v = 0; v < N; v++) {
        assert_true(offsets[v] <= offsets[v + 1]);
        for (uint32_t e = offsets[v]; e < offsets[v + 1]; e++) {
            assert_true(ends[e] < N);
            counts[transposed ? ends[e] : v][transposed ? v : ends[e]]++;
        }
    }
}

static void both_directions_have_the_same_edges(void **state) {
    for (int shape = 0; shape < GRAPH_SHAPES; shape++) {
        kz_case c = graph_case(N, M, shape);
        static int out[N][N], in[N][N];
        memset(out, 0, sizeof out);
        memset(in, 0, sizeof in);
        count_edges(&c, false, out);
        count_edges(&c, true, in);
        assert_memory_equal(out, in, sizeof out);
    }
}

static void any_part_is_as_in_the_whole(void **state) {
    for (int shape = 0; shape < GRAPH_SHAPES; shape++) {
        kz_case c = graph_case(N, M, shape);
        for (size_t which = 0; which < GRAPH_BUFFERS; which++) {
            uint32_t whole[M], part[20];
            make(&c, which, 0, N + 1, whole);
            make(&c, which, 50, 20, part);
            assert_memory_equal(part, whole + 50, sizeof part);
        }
    }
}

static uint32_t longest_row(graph_shape shape, size_t which, uint32_t *empty) {
    kz_case c = graph_case(1000, 16000, shape);
    uint32_t offsets[1001], longest = 0;
    make(&c, which, 0, 1001, offsets);
    *empty = 0;
    for (int v = 0; v < 1000; v++) {
        uint32_t length = offsets[v + 1] - offsets[v];
        longest = length > longest ? length : longest;
        *empty += length == 0;
    }
    return longest;
}

static void shapes_are_what_they_say(void **state) {
    for (size_t which = OUT_OFFSETS; which <= IN_OFFSETS; which += 2) {
        uint32_t empty, longest = longest_row(GRAPH_UNIFORM, which, &empty);
        assert_true(longest > 24 && longest <= 33);
        assert_true(longest_row(GRAPH_POWER, which, &empty) > 2000 && empty == 0);
        assert_true(longest_row(GRAPH_LATTICE, which, &empty) == 16);
        assert_true(longest_row(GRAPH_STAR, which, &empty) >= 8000);
        longest = longest_row(GRAPH_EMPTY, which, &empty);
        assert_true(empty >= 937 && longest <= 257);
    }
}

// 0 -> 1, 0 -> 2, 1 -> 2, 2 -> 2; nobody points at 0, and 3 stands alone.
static void a_step_by_hand(void **state) {
    uint32_t out[] = {0, 2, 3, 4, 4}, targets[] = {1, 2, 2, 2}, in[] = {0, 0, 1, 4, 4},
             sources[] = {0, 0, 1, 2};
    float rank[] = {0.5f, 0.25f, 1.0f, 8.0f};
    double expected[4], bound[4];
    void *host[] = {out, targets, in, sources, rank, NULL};
    kz_case c = graph_case(4, 4, GRAPH_UNIFORM);
    assert_int_equal(family()->reference(&c, host, 5, expected, bound, NULL), KZ_OK);
    double ground = 0.15 / 4;
    double sums[] = {0, 0.25, 0.25 + 0.25 + 1.0, 0};
    for (int v = 0; v < 4; v++) {
        assert_true(fabs(expected[v] - (ground + 0.85 * sums[v])) < 1e-12);
        assert_true(bound[v] > 0 && bound[v] < 1e-5);
    }
}

static kz_status plan(kz_case c, const char *variant, kz_plan *plan) {
    kz_device_info device = {.kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132, .gpu = "h200"};
    kz_error error;
    *plan = (kz_plan){0};
    return kz_variant_plan(family(), kz_variant_find(family(), variant), &c, &device, plan, &error);
}

static void lanes_follow_the_mean_degree(void **state) {
    static const struct {
        int64_t edges;
        uint64_t lanes;
    } rows[] = {{1000, 2}, {16000, 8}, {64000, 32}, {4000000, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kz_plan p;
        assert_int_equal(plan(graph_case(1000, rows[i].edges, GRAPH_UNIFORM), "06_pull_group", &p), KZ_OK);
        assert_int_equal(p.step_count, 2);
        assert_int_equal(p.steps[1].args[5].scalar, rows[i].lanes);
    }
}

static void what_is_not_done_is_refused(void **state) {
    kz_plan p;
    assert_int_equal(plan(graph_case(8, 8, GRAPH_SHAPES), "01_push_thread", &p), KZ_UNSUPPORTED);
    assert_int_equal(plan(graph_case(0, 8, GRAPH_UNIFORM), "01_push_thread", &p), KZ_UNSUPPORTED);
    assert_int_equal(plan(graph_case(8, 9, GRAPH_LATTICE), "07_pull_merge_path", &p), KZ_UNSUPPORTED);
    assert_int_equal(plan(graph_case(8, 1LL << 32, GRAPH_UNIFORM), "07_pull_merge_path", &p), KZ_UNSUPPORTED);
    assert_int_equal(plan((kz_case){.type = KZ_F16, .axes = {8, 8, 0}}, "05_pull_contributions", &p),
                     KZ_UNSUPPORTED);
    assert_int_equal(plan(graph_case(0, 0, GRAPH_UNIFORM), "07_pull_merge_path", &p), KZ_OK);
    assert_int_equal(p.step_count, 0);
}

// Two steps on the cpu, as a caller does it.
static void the_operation_runs(void **state) {
    kz_device *device;
    kz_operation *operation;
    kz_error error = {0};
    uint32_t out[] = {0, 1, 2}, targets[] = {1, 0}, in[] = {0, 1, 2}, sources[] = {1, 0};
    float rank[] = {1.0f, 0.0f}, next[2];
    kz_pagerank_graph graph = {(kz_ptr)(uintptr_t)out, (kz_ptr)(uintptr_t)targets, (kz_ptr)(uintptr_t)in,
                               (kz_ptr)(uintptr_t)sources};
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    assert_int_equal(kz_pagerank_open(device, 2, 2, NULL, &operation, &error), KZ_OK);
    assert_int_equal(kz_pagerank_run(operation, NULL, &graph, (kz_ptr)(uintptr_t)rank,
                                     (kz_ptr)(uintptr_t)next, 0, 0, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_true(fabsf(next[0] - 0.075f) < 1e-6f && fabsf(next[1] - 0.925f) < 1e-6f);
    kz_operation_close(operation);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_directions_have_the_same_edges),
        cmocka_unit_test(any_part_is_as_in_the_whole),
        cmocka_unit_test(shapes_are_what_they_say),
        cmocka_unit_test(a_step_by_hand),
        cmocka_unit_test(lanes_follow_the_mean_degree),
        cmocka_unit_test(what_is_not_done_is_refused),
        cmocka_unit_test(the_operation_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
