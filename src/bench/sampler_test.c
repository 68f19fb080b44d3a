// What the sampler has a device do for a sample of each condition, in what order, on which set of buffers and in which
// stream: on a GPU that is not there (tests/fake_cuda), with buffers made by hand and no family.
#include "bench/sampler.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "fake_cuda/fake_cuda.h"
#include "unit.h"

enum { SETS = 3, COUNT = 64, STRIDE = 256, INPUT = 0, INOUT, OUTPUT, BUFFERS };

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add_f32(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 n) {\n"
    "  ret;\n}\n";

typedef struct lab {
    kz_device *device;
    kz_stream *first; // made before all others
    bench_probes *probes;
    kz_module *module;
    kz_kernel *kernel;
    bench_data data;
    fake_cuda_state *fake;
    size_t sets[64]; // that runs were on
    size_t runs;
    kz_stream *stream; // of the last run
} lab;

static kz_status run_add(void *self, kz_stream *stream, size_t set, kz_error *error) {
    lab *l = self;
    kz_ptr buffers[KZ_FAMILY_BUFFERS];
    uint64_t count = COUNT;
    bench_data_addresses(&l->data, set, buffers);
    const void *args[] = {&buffers[INPUT], &buffers[INOUT], &buffers[OUTPUT], &count};
    const kz_launch how = {.size = sizeof how, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    if (l->runs < BASE_COUNT(l->sets)) l->sets[l->runs] = set;
    l->runs++;
    l->stream = stream;
    return kz_launch_kernel(l->device, stream, l->kernel, &how, args, 4, error);
}

static int open_lab(void **state) {
    lab *l = *state = calloc(1, sizeof *l);
    const kz_image image = {.size = sizeof image, .name = "toy", .ptx = ptx, .ptx_size = sizeof ptx - 1};
    static const kz_role roles[] = {KZ_INPUT, KZ_INOUT, KZ_OUTPUT};
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_STEP", "1e-3", 1);
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    assert_non_null(library);
    l->fake = dlsym(library, "fake_cuda_now");
    assert_int_equal(kz_device_open("cuda", &l->device, NULL), KZ_OK);
    assert_int_equal(kz_stream_open(l->device, &l->first, NULL), KZ_OK);
    assert_int_equal(bench_probes_open(l->device, &l->probes, NULL), KZ_OK);
    assert_int_equal(kz_module_load(l->device, &image, &l->module, NULL), KZ_OK);
    assert_int_equal(kz_module_kernel(l->module, "add_f32", &l->kernel, NULL), KZ_OK);
    l->data = (bench_data){.device = l->device, .sets = SETS, .buffer_count = BUFFERS};
    for (int b = 0; b < BUFFERS; b++) {
        l->data.buffers[b] = (kz_buffer){"", roles[b], KZ_F32, COUNT};
        l->data.stride[b] = STRIDE;
        assert_int_equal(kz_memory_alloc(l->device, SETS * STRIDE, &l->data.base[b], NULL), KZ_OK);
        assert_int_equal(kz_memory_fill(l->device, NULL, l->data.base[b], 0x3f, SETS * STRIDE, NULL), KZ_OK);
    }
    assert_int_equal(kz_memory_alloc(l->device, STRIDE, &l->data.pristine[INOUT], NULL), KZ_OK);
    assert_int_equal(kz_memory_fill(l->device, NULL, l->data.pristine[INOUT], 0x3f, STRIDE, NULL), KZ_OK);
    return 0;
}

static int close_lab(void **state) {
    lab *l = *state;
    for (int b = 0; b < BUFFERS; b++) kz_memory_free(l->device, l->data.base[b], NULL);
    kz_memory_free(l->device, l->data.pristine[INOUT], NULL);
    kz_module_close(l->module);
    bench_probes_close(l->probes);
    kz_stream_close(l->first);
    kz_device_close(l->device);
    free(l);
    return 0;
}

static kz_status open_sampler(lab *l, bench_condition how, double seconds, bench_sampler **sampler,
                              kz_error *error) {
    static bench_candidate candidate, *list[] = {&candidate};
    static double of_one;
    candidate = (bench_candidate){.provider = BENCH_GUEST, .self = l, .enqueue = run_add};
    of_one = seconds;
    l->runs = 0;
    const bench_sampler_setup setup = {.data = &l->data,
                                       .probes = l->probes,
                                       .candidates = list,
                                       .count = 1,
                                       .condition = how,
                                       .stream = how.stream == BENCH_FIRST_STREAM ? l->first : NULL,
                                       .seconds = &of_one};
    return bench_sampler_open(&setup, sampler, error);
}

// One sample, and what the device was made to do for it.
static double sample(lab *l, bench_sampler *sampler) {
    bench_clock clock = bench_sampler_clock(sampler);
    double seconds = 0;
    l->runs = 0;
    l->fake->order[0] = 0;
    assert_int_equal(clock.sample(clock.self, 0, &seconds, NULL), KZ_OK);
    return seconds;
}

// The order of a sample after its head start, which is flushes.
static void expect_order(const lab *l, const char *order) {
    size_t all = strlen(l->fake->order), own = strlen(order);
    assert_true(all > own && all + 1 < sizeof l->fake->order);
    assert_true(strspn(l->fake->order, "r") >= all - own);
    assert_string_equal(l->fake->order + all - own, order);
}

static void caches_are_prepared_before_the_first_event(void **state) {
    static const struct {
        bench_cache cache;
        const char *order;
    } rows[] = {
        {BENCH_COLD,
         "fmreke|"}, // the output blanked, the inout restored, twice the cache read, then the run between two events
        {BENCH_DIRTY, "fmfeke|"}, // written in place of read
        {BENCH_HOT, "kmeke|"},    // a run that is not timed
        {BENCH_FRESH,
         "frmceke|"} // blanked, read, then the inputs written: the inout by restoring it, the input by a kernel
    };
    lab *l = *state;
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        bench_sampler *sampler;
        const bench_condition how = {.mode = BENCH_LATENCY, .cache = rows[i].cache};
        assert_int_equal(open_sampler(l, how, 0, &sampler, NULL), KZ_OK);
        for (size_t k = 0; k < 2; k++) {
            assert_float_equal(sample(l, sampler), 1e-3, 1e-6); // the preparation is not timed
            expect_order(l, rows[i].order);
            assert_int_equal(l->sets[l->runs - 1],
                             rows[i].cache == BENCH_HOT ? 0 : k); // hot: the same set again
        }
        bench_sampler_close(sampler);
    }
}

// In place: what the kernel writes is what was there.
static void a_producer_leaves_the_inputs_as_they_are(void **state) {
    lab *l = *state;
    float before[COUNT], after[COUNT];
    for (int i = 0; i < COUNT; i++) before[i] = (float)i;
    kz_ptr at = bench_data_address(&l->data, INPUT, 1);
    assert_int_equal(kz_copy_to_device(l->device, NULL, at, before, sizeof before, NULL), KZ_OK);
    l->fake->order[0] = 0;
    assert_int_equal(bench_data_produce(&l->data, l->probes, NULL, 1, NULL), KZ_OK);
    assert_string_equal(l->fake->order, "c");
    assert_int_equal(kz_copy_to_host(l->device, NULL, after, at, sizeof after, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(l->device, NULL), KZ_OK);
    assert_memory_equal(before, after, sizeof before);
}

static void graphs_rotate_and_hot_ones_stay(void **state) {
    lab *l = *state;
    bench_sampler *sampler;
    assert_int_equal(open_sampler(l, (bench_condition){.mode = BENCH_THROUGHPUT}, 0.5e-3, &sampler, NULL),
                     KZ_OK);
    assert_int_equal(bench_sampler_runs(sampler, 0), SETS);
    for (size_t i = 0; i < SETS; i++)
        assert_int_equal(l->sets[i + 1], i); // the first run was outside the graph
    sample(l, sampler);
    expect_order(l, "fmmmrekkke|"); // one fill for all sets
    bench_sampler_close(sampler);
    const bench_condition hot = {.mode = BENCH_THROUGHPUT, .cache = BENCH_HOT};
    assert_int_equal(open_sampler(l, hot, 0.5e-3, &sampler, NULL), KZ_OK);
    for (size_t i = 0; i < l->runs; i++) assert_int_equal(l->sets[i], 0);
    sample(l, sampler);
    expect_order(l, "kmekkke|");
    bench_sampler_close(sampler);
}

// Each wait comes when the next sample is under way; nothing is flushed.
static void sustained_samples_leave_no_gap(void **state) {
    lab *l = *state;
    bench_sampler *sampler;
    assert_int_equal(open_sampler(l, (bench_condition){.mode = BENCH_SUSTAINED}, 10e-3, &sampler, NULL),
                     KZ_OK);
    assert_int_equal(bench_sampler_runs(sampler, 0), 2); // 20 ms
    assert_float_equal(sample(l, sampler), 1e-3, 1e-6);
    assert_string_equal(l->fake->order, "mmekkemmekke|");
    for (int i = 0; i < 3; i++) {
        assert_float_equal(sample(l, sampler), 1e-3, 1e-6);
        assert_string_equal(l->fake->order, "mmekke|");
    }
    bench_sampler_close(sampler);
}

static void a_burst_comes_after_a_rest(void **state) {
    lab *l = *state;
    bench_sampler *sampler;
    assert_int_equal(open_sampler(l, (bench_condition){.mode = BENCH_BURST}, 1.2e-3, &sampler, NULL), KZ_OK);
    double start = base_seconds();
    sample(l, sampler);
    assert_true(base_seconds() - start >= 0.2);
    assert_int_equal(bench_sampler_runs(sampler, 0), 3); // 3 ms
    assert_string_equal(l->fake->order, "fmmmrekkke|");
    for (size_t i = 0; i < SETS; i++) assert_int_equal(l->sets[i], i); // they rotate without a graph too
    bench_sampler_close(sampler);
}

// What a candidate did at once, in another stream, is overwritten before its turn comes.
static void a_replay_comes_behind_other_work(void **state) {
    lab *l = *state;
    bench_sampler *sampler;
    assert_int_equal(open_sampler(l, (bench_condition){.mode = BENCH_LATENCY}, 0, &sampler, NULL), KZ_OK);
    assert_int_equal(bench_sampler_sets(sampler), SETS);
    assert_int_equal(bench_sampler_graph_sets(sampler, 0), 0);
    l->runs = 0;
    l->fake->order[0] = 0;
    assert_int_equal(bench_sampler_replay(sampler, 0, 2, NULL), KZ_OK);
    const char *order = l->fake->order, *last = strrchr(order, 'r');
    assert_int_equal(order[0], 'r');
    assert_string_equal(last + 1, "mfk"); // the inout restored, the output blanked
    assert_true(l->runs == 1 && l->sets[0] == 2);
    bench_sampler_close(sampler);
}

// A graph is replayed as the graph that was recorded, with no run enqueued anew. One that visits its set three times would
// alter the inout three times: another is replayed, of one run.
static void a_graph_is_replayed_as_a_graph(void **state) {
    static const struct {
        bench_cache cache;
        size_t inout, sets;
        const char *order;
    } rows[] = {
        {BENCH_COLD, 1, SETS, "mmmfkkk"},
        {BENCH_HOT, 1, 1, "mfk"},
        {BENCH_HOT, 0, 1, "fkkk"},
    };
    lab *l = *state;
    kz_ptr pristine = l->data.pristine[INOUT];
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        bench_sampler *sampler;
        const bench_condition how = {.mode = BENCH_THROUGHPUT, .cache = rows[i].cache};
        l->data.pristine[INOUT] = rows[i].inout ? pristine : 0;
        assert_int_equal(open_sampler(l, how, 0.5e-3, &sampler, NULL), KZ_OK);
        assert_int_equal(bench_sampler_runs(sampler, 0), 3);
        assert_int_equal(bench_sampler_graph_sets(sampler, 0), rows[i].sets);
        l->runs = 0;
        l->fake->order[0] = 0;
        assert_int_equal(bench_sampler_replay(sampler, 0, 0, NULL), KZ_OK);
        expect_order(l, rows[i].order);
        assert_int_equal(l->runs, 0);
        sample(l, sampler);
        assert_non_null(strstr(l->fake->order, "ekkke|")); // what is timed has them all
        bench_sampler_close(sampler);
    }
    l->data.pristine[INOUT] = pristine;
}

static void the_stream_is_the_one_that_was_asked_for(void **state) {
    lab *l = *state;
    for (int first = 0; first < 2; first++) {
        bench_sampler *sampler;
        const bench_condition how = {.stream = first ? BENCH_FIRST_STREAM : BENCH_LATER_STREAM};
        int streams = l->fake->live_streams;
        assert_int_equal(open_sampler(l, how, 0, &sampler, NULL), KZ_OK);
        assert_int_equal(l->fake->live_streams, streams + !first);
        sample(l, sampler);
        assert_int_equal(l->stream == l->first, first);
        bench_sampler_close(sampler);
        assert_int_equal(l->fake->live_streams, streams); // the first one stays
    }
}

// Before anything else of a sample, and before sustained ones once: nothing may come between them.
static void another_context_works_before_a_sample(void **state) {
    static const struct {
        bench_mode mode;
        size_t first, next; // how often it works for two samples in a row
    } rows[] = {
        {BENCH_LATENCY, 1, 1}, {BENCH_THROUGHPUT, 1, 1}, {BENCH_SUSTAINED, 1, 0}, {BENCH_BURST, 1, 1}};
    lab *l = *state;
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        bench_sampler *sampler;
        const bench_condition how = {.mode = rows[i].mode, .stream = BENCH_SWITCHED_STREAM};
        int streams = l->fake->live_streams;
        assert_int_equal(open_sampler(l, how, 0.5e-3, &sampler, NULL), KZ_OK);
        assert_int_equal(l->fake->live_streams, streams + 1); // a later one
        sample(l, sampler);
        assert_int_equal(strspn(l->fake->order, "x"), rows[i].first);
        assert_null(strchr(l->fake->order + rows[i].first, 'x'));
        sample(l, sampler);
        assert_int_equal(strspn(l->fake->order, "x"), rows[i].next);
        assert_null(strchr(l->fake->order + rows[i].next, 'x'));
        bench_sampler_close(sampler);
    }
    assert_int_equal(l->fake->live_contexts, 1); // the same for all
}

// By a graph of empty launches, in the state that samples of the condition find.
static void the_gap_between_launches_is_of_graphs(void **state) {
    static const struct {
        bench_condition how;
        double seconds;
        bool switches;
    } rows[] = {{{BENCH_LATENCY, BENCH_COLD, BENCH_LATER_STREAM}, 0, false},
                {{BENCH_THROUGHPUT, BENCH_COLD, BENCH_LATER_STREAM}, 1e-3, false},
                {{BENCH_THROUGHPUT, BENCH_COLD, BENCH_SWITCHED_STREAM}, 1e-3, true}};
    lab *l = *state;
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        bench_sampler *sampler;
        double seconds = NAN;
        assert_int_equal(open_sampler(l, rows[i].how, 0.5e-3, &sampler, NULL), KZ_OK);
        int graphs = l->fake->live_execs;
        l->fake->order[0] = 0;
        assert_int_equal(bench_sampler_launch_gap(sampler, &seconds, NULL), KZ_OK);
        assert_float_equal(seconds, rows[i].seconds, 0.02e-3); // the events take a step too
        assert_int_equal(l->fake->order[0], rows[i].switches ? 'x' : rows[i].seconds > 0 ? 'r' : 0);
        assert_int_equal(strchr(l->fake->order, 'x') != NULL, rows[i].switches);
        assert_int_equal(l->fake->live_execs, graphs);
        bench_sampler_close(sampler);
    }
}

static void what_means_nothing_is_refused(void **state) {
    lab *l = *state;
    bench_sampler *sampler;
    kz_error error = {0};
    const bench_condition dirty_graphs = {BENCH_THROUGHPUT, BENCH_DIRTY, BENCH_LATER_STREAM};
    assert_int_equal(open_sampler(l, dirty_graphs, 1e-3, &sampler, &error), KZ_INVALID);
    assert_null(sampler);
    assert_non_null(strstr(error.message, "use --mode latency"));
    kz_stream *first = l->first;
    l->first = NULL;
    assert_int_equal(open_sampler(l, (bench_condition){.stream = BENCH_FIRST_STREAM}, 0, &sampler, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "no first stream"));
    l->first = first;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_are_prepared_before_the_first_event),
        cmocka_unit_test(a_producer_leaves_the_inputs_as_they_are),
        cmocka_unit_test(graphs_rotate_and_hot_ones_stay),
        cmocka_unit_test(sustained_samples_leave_no_gap),
        cmocka_unit_test(a_burst_comes_after_a_rest),
        cmocka_unit_test(a_replay_comes_behind_other_work),
        cmocka_unit_test(a_graph_is_replayed_as_a_graph),
        cmocka_unit_test(the_stream_is_the_one_that_was_asked_for),
        cmocka_unit_test(another_context_works_before_a_sample),
        cmocka_unit_test(the_gap_between_launches_is_of_graphs),
        cmocka_unit_test(what_means_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, open_lab, close_lab);
}
