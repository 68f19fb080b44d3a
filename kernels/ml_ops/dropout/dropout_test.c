// dropout: known answers of Philox bit by bit, keep rates, one mask forward and backward and in all variants, p at its edges,
// gradients by finite differences, graphs whose state changes.
#include "dropout.h"

#include <math.h>

#include "kz/family.h"
#include "unit.h"

enum { MOST = 1 << 16 };

static int open_sim(void **state) { return kz_device_open("sim", (kz_device **)state, NULL); }
static int close_sim(void **state) {
    kz_device_close(*state);
    return 0;
}

// ---- by the reference ----------------------------------------------------------------------------------

static float x[MOST];
static double expected[MOST], bound[MOST];

static void refer(kz_dropout pass, uint64_t seed, uint64_t offset, int64_t n, int64_t drop) {
    const kz_case c = {.operation = pass, .type = KZ_F32, .axes = {n, drop}};
    uint64_t words[2] = {seed, offset};
    void *host[] = {x, words, NULL};
    assert_int_equal(kz_family_find("dropout")->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
}
static void set_all(float value) {
    for (int i = 0; i < MOST; i++) x[i] = value;
}
static int kept_of(int first, int count, int step) {
    int kept = 0;
    for (int i = first; i < first + count * step; i += step) kept += expected[i] != 0.0;
    return kept;
}

// Five standard deviations of a binomial distribution, and one.
static void assert_rate(int kept, int count, double p) {
    double mean = count * (1 - p), deviation = sqrt(count * p * (1 - p));
    if (fabs(kept - mean) > 5 * deviation + 1)
        fail_msg("%d of %d are kept with p = %g, not %.0f +- %.0f", kept, count, p, mean, 5 * deviation);
}

static void rates_are_those_of_p(void **state) {
    static const int drops[] = {1, 655, 6554, 16384, 32768, 58982, 65535};
    set_all(1.0f);
    for (uint64_t seed = 0; seed < 3; seed++)
        for (size_t d = 0; d < sizeof drops / sizeof *drops; d++) {
            double p = drops[d] / 65536.0;
            refer(KZ_DROPOUT_FORWARD, seed, 3 * seed, MOST, drops[d]);
            assert_rate(kept_of(0, MOST, 1), MOST, p);
            for (int at = 0; at < 64; at++) // each place among the 64 that share calls
                assert_rate(kept_of(at, MOST / 64, 64), MOST / 64, p);
        }
}

// Elements that share a word, a call or neither decide alone: both of a pair are kept as often as two draws say.
static void neighbours_are_independent(void **state) {
    static const int distances[] = {1, 2, 4, 32, 33, 64};
    set_all(1.0f);
    refer(KZ_DROPOUT_FORWARD, 11, 22, MOST, 32768);
    for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
        int both = 0, distance = distances[d];
        for (int i = 0; i + distance < MOST; i++) both += expected[i] != 0.0 && expected[i + distance] != 0.0;
        assert_rate(both, MOST - distance, 0.75);
    }
}

static void seeds_and_offsets_are_other_masks(void **state) {
    static double first[MOST];
    static const uint64_t words[][2] = {{2, 1}, {1, 2}, {1ull << 32 | 1, 1}, {1, 1ull << 32 | 1}};
    set_all(1.0f);
    refer(KZ_DROPOUT_FORWARD, 1, 1, MOST, 32768);
    memcpy(first, expected, sizeof first);
    for (int w = 0; w < 4; w++) {
        int differ = 0;
        refer(KZ_DROPOUT_FORWARD, words[w][0], words[w][1], MOST, 32768);
        for (int i = 0; i < MOST; i++) differ += expected[i] != first[i];
        assert_rate(differ, MOST, 0.5);
    }
}

static void the_mean_stays(void **state) {
    set_all(1.0f);
    refer(KZ_DROPOUT_FORWARD, 1, 1, 1, 16384);
    for (uint64_t seed = 2; expected[0] == 0.0; seed++) refer(KZ_DROPOUT_FORWARD, seed, 1, 1, 16384);
    assert_true(expected[0] == 65536.0 / 49152.0);
}

// dx is the derivative of y, element by element.
static void gradient_by_finite_differences(void **state) {
    static double above[1000], below[1000];
    const double h = 0x1p-10;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < 1000; i++) x[i] = (float)(round(sin(i) * 1024) / 1024 + sign * h); // exact
        refer(KZ_DROPOUT_FORWARD, 5, 6, 1000, 6554);
        memcpy(sign < 0 ? below : above, expected, sizeof below);
    }
    for (int i = 0; i < 1000; i++) x[i] = (float)cos(i); // dy
    refer(KZ_DROPOUT_BACKWARD, 5, 6, 1000, 6554);
    for (int i = 0; i < 1000; i++)
        assert_true(fabs((above[i] - below[i]) / (2 * h) * (double)x[i] - expected[i]) < 1e-9);
}

// ---- by the public operation, in the simulator -----------------------------------------------------------

typedef struct arrays {
    kz_device *device;
    kz_ptr memory, x, y, state, workspace;
} arrays;
enum { N = 1000, ROOM = 4 * (N + 8) };

static arrays allocate(kz_device *device) {
    arrays a = {.device = device};
    kz_error error = {0};
    if (kz_memory_alloc(device, 3 * ROOM + 64, &a.memory, &error)) fail_msg("%s", error.message);
    a.x = a.memory, a.y = a.memory + ROOM, a.workspace = a.memory + 2 * ROOM, a.state = a.memory + 3 * ROOM;
    return a;
}
static void set_state(const arrays *a, kz_stream *stream, uint64_t seed, uint64_t offset) {
    uint64_t words[2] = {seed, offset};
    assert_int_equal(kz_copy_to_device(a->device, stream, a->state, words, sizeof words, NULL), KZ_OK);
}

// y of n elements of `value`, `misalign` elements into the arrays.
static void drop(const arrays *a, kz_dropout pass, size_t n, double p, const char *variant, size_t misalign,
                 float value, float *y) {
    kz_error error = {0};
    kz_operation *operation;
    for (size_t i = 0; i < n; i++) x[i] = value;
    if (kz_dropout_open(a->device, pass, KZ_F32, n, p, variant, &operation, &error))
        fail_msg("%s", error.message);
    assert_true(kz_operation_workspace(operation) <= ROOM);
    kz_ptr from = a->x + 4 * misalign, to = a->y + 4 * misalign;
    assert_int_equal(kz_copy_to_device(a->device, NULL, from, x, 4 * n, NULL), KZ_OK);
    if (kz_dropout_run(operation, NULL, from, a->state, to, a->workspace, ROOM, &error))
        fail_msg("%s", error.message);
    assert_int_equal(kz_copy_to_host(a->device, NULL, y, to, 4 * n, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(a->device, &error), KZ_OK);
    kz_operation_close(operation);
}

static const char *const variants[] = {"01_stored_mask", "02_recomputed", "03_eight_per_call", "04_vector",
                                       "05_persistent"};

// The published answer to a counter and a key of 0 is 6627e8d5 e169c58d bc57ac4c 9b00dbd8. Each element's 16 bits lie exactly
// where it changes from kept to dropped.
static void known_answers_bit_by_bit(void **state) {
    static const struct {
        int element, bits;
    } known[] = {{0, 0xe8d5},  {1, 0xc58d},  {2, 0xac4c},  {3, 0xdbd8},
                 {32, 0x6627}, {33, 0xe169}, {34, 0xbc57}, {35, 0x9b00}};
    arrays a = allocate(*state);
    float y[64];
    set_state(&a, NULL, 0, 0);
    for (int v = 0; v < 5; v++)
        for (int k = 0; k < 8; k++) {
            drop(&a, KZ_DROPOUT_FORWARD, 64, known[k].bits / 65536.0, variants[v], 0, 1.0f, y);
            assert_true(y[known[k].element] != 0.0f);
            drop(&a, KZ_DROPOUT_FORWARD, 64, (known[k].bits + 1) / 65536.0, variants[v], 0, 1.0f, y);
            assert_true(y[known[k].element] == 0.0f);
        }
    kz_memory_free(*state, a.memory, NULL);
}

// Every variant, forward and backward, wherever the arrays begin, however many elements there are.
static void one_mask_for_all(void **state) {
    arrays a = allocate(*state);
    static float first[N], y[N];
    set_state(&a, NULL, 0x123456789abcdef0, 42);
    drop(&a, KZ_DROPOUT_FORWARD, N, 0.3, NULL, 0, 1.0f, first);
    for (int v = 0; v < 5; v++)
        for (size_t misalign = 0; misalign < 3; misalign++)
            for (size_t n = N - 40; n <= N; n += 40) {
                kz_dropout pass = v % 2 ? KZ_DROPOUT_FORWARD : KZ_DROPOUT_BACKWARD;
                drop(&a, pass, n, 0.3, variants[v], misalign, 2.0f, y);
                for (size_t i = 0; i < n; i++) assert_true(y[i] == 2.0f * first[i]);
            }
    kz_memory_free(*state, a.memory, NULL);
}

static void edges_of_p(void **state) {
    arrays a = allocate(*state);
    float y[64];
    set_state(&a, NULL, 1, 2);
    for (int v = 0; v < 5; v++) {
        drop(&a, KZ_DROPOUT_FORWARD, 64, 0.0, variants[v], 0, 0.1f, y);
        for (int i = 0; i < 64; i++) assert_true(y[i] == 0.1f);
        drop(&a, KZ_DROPOUT_FORWARD, 64, 1.0, variants[v], 0, NAN, y);
        for (int i = 0; i < 64; i++) assert_true(y[i] == 0.0f);
    }
    kz_memory_free(*state, a.memory, NULL);
}

static void what_is_no_probability_is_refused(void **state) {
    static const double wrong[] = {-0.1, 1.1, NAN, INFINITY};
    for (int w = 0; w < 4; w++) {
        kz_operation *operation = NULL;
        kz_error error = {0};
        assert_int_equal(
            kz_dropout_open(*state, KZ_DROPOUT_FORWARD, KZ_F32, 8, wrong[w], NULL, &operation, &error),
            KZ_INVALID);
        assert_has(error.message, "from 0 to 1");
    }
}

// A recorded graph draws another mask when its state has changed, and the same one when it has not.
static void a_graph_reads_its_state(void **state) {
    arrays a = allocate(*state);
    kz_stream *stream;
    kz_graph *graph;
    kz_operation *operation;
    static float y[3][N];
    set_all(1.0f);
    assert_int_equal(kz_stream_open(*state, &stream, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_device(*state, stream, a.x, x, 4 * N, NULL), KZ_OK);
    assert_int_equal(kz_dropout_open(*state, KZ_DROPOUT_FORWARD, KZ_F32, N, 0.5, NULL, &operation, NULL),
                     KZ_OK);
    assert_int_equal(kz_stream_synchronize(*state, stream, NULL), KZ_OK);
    assert_int_equal(kz_graph_begin(*state, stream, NULL), KZ_OK);
    assert_int_equal(kz_dropout_run(operation, stream, a.x, a.state, a.y, 0, 0, NULL), KZ_OK);
    assert_int_equal(kz_graph_end(*state, stream, &graph, NULL), KZ_OK);
    for (uint64_t run = 0; run < 3; run++) {
        set_state(&a, stream, 9, run < 2 ? run : 0);
        assert_int_equal(kz_graph_launch(*state, graph, stream, NULL), KZ_OK);
        assert_int_equal(kz_copy_to_host(*state, stream, y[run], a.y, sizeof y[run], NULL), KZ_OK);
        assert_int_equal(kz_stream_synchronize(*state, stream, NULL), KZ_OK);
    }
    assert_memory_not_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(y[0], y[2], sizeof y[0]);
    kz_graph_close(graph);
    kz_operation_close(operation);
    kz_stream_close(stream);
    kz_memory_free(*state, a.memory, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_p),
        cmocka_unit_test(neighbours_are_independent),
        cmocka_unit_test(seeds_and_offsets_are_other_masks),
        cmocka_unit_test(the_mean_stays),
        cmocka_unit_test(gradient_by_finite_differences),
        cmocka_unit_test_setup_teardown(known_answers_bit_by_bit, open_sim, close_sim),
        cmocka_unit_test_setup_teardown(one_mask_for_all, open_sim, close_sim),
        cmocka_unit_test_setup_teardown(edges_of_p, open_sim, close_sim),
        cmocka_unit_test_setup_teardown(what_is_no_probability_is_refused, open_sim, close_sim),
        cmocka_unit_test_setup_teardown(a_graph_reads_its_state, open_sim, close_sim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
