// Which of its algorithms a rival is timed with, and when its inputs are packed: on a GPU that is not there (tests/fake_cuda), where every operation takes
// the same time and so an algorithm is as many fills.
#include <dlfcn.h>
#include <stdlib.h>

#include "base/base.h"
#include "bench/candidate.h"
#include "fake_cuda/fake_cuda.h"
#include "unit.h"

enum { COUNT = 64, SETS = 3 };

// ---- a family of one output, all zeros -----------------------------------------------------------------

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[0] = (kz_buffer){"z", KZ_OUTPUT, KZ_F32, COUNT};
    return 1;
}

static kz_status reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                           kz_error *error) {
    for (int i = 0; i < COUNT; i++) expected[i] = bound[i] = 0;
    return KZ_OK;
}

static const kz_case the_case = {.type = KZ_F32, .axes = {COUNT}};
static const kz_family family = {.name = "toy",
                                 .operations = (const char *const[]){"zero", NULL},
                                 .axes = (const char *const[]){"n", NULL},
                                 .buffers = buffers,
                                 .reference = reference,
                                 .guest_signature = "float *z, size_t n"};

// ---- a rival -------------------------------------------------------------------------------------------

// What an algorithm costs, in fills.
typedef struct cost {
    int launch;  // of a run outside a graph, beside the work
    int work;    // 0: it does not run
    bool single; // it cannot be recorded
} cost;

static const cost *costs;
static int cost_count;
static fake_cuda_state *fake;
static int (*fill)(uint64_t to, unsigned char byte, size_t bytes, void *stream);

static const char *version(const char **why) { return "1.0"; }
static const char *offers(const kz_peer_problem *p) { return "Zero"; }
static int prepare(const kz_peer_problem *p, kz_peer_plan *plan, const char **why) {
    *plan = (kz_peer_plan){.workspace_bytes = 64, .algorithms = cost_count};
    return 0;
}
static int run(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    const cost *c = &costs[plan->algorithm];
    bool recording = fake->live_graphs > 0;
    int fills = c->work + (recording ? 0 : c->launch), failed = c->work == 0 || (recording && c->single);
    *why = "this algorithm does not";
    for (int i = 0; i < fills && !failed; i++)
        failed = fill(call->buffers[0], 0, COUNT * sizeof(float), call->stream);
    return failed;
}
static const kz_peer peer = {KZ_PEER_INTERFACE, "rival", false, version, offers, prepare, run, NULL, NULL};

// The fills of a run, outside a graph, of the algorithm that was chosen.
static size_t choose(const cost *list, int count, const char *name) {
    kz_device *device;
    kz_stream *stream;
    bench_probes *probes;
    bench_data data;
    bench_candidate candidate;
    costs = list;
    cost_count = count;
    assert_int_equal(kz_device_open("cuda", &device, NULL), KZ_OK);
    assert_int_equal(kz_stream_open(device, &stream, NULL), KZ_OK);
    assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
    assert_int_equal(bench_data_open(device, probes, &family, &the_case, 1, SETS, &data, NULL), KZ_OK);
    assert_int_equal(bench_candidate_peer(&data, &peer, &candidate, NULL), KZ_OK);
    assert_string_equal(candidate.name, name);
    fake->order[0] = 0;
    assert_int_equal(candidate.enqueue(candidate.self, stream, 0, NULL), KZ_OK);
    size_t fills = strspn(fake->order, "f");
    bench_candidate_close(&candidate);
    bench_data_close(&data);
    bench_probes_close(probes);
    kz_stream_close(stream);
    kz_device_close(device);
    return fills;
}

// A single run is mostly the launch. The second is the fastest in graphs, and slower alone than the first is there.
static void short_algorithms_are_compared_in_graphs(void **state) {
    static const cost list[] = {{8, 3, false}, {8, 2, false}, {8, 4, false}, {0, 0, false}};
    assert_int_equal(choose(list, BASE_COUNT(list), "Zero, best of 3"), 8 + 2);
}

// The last is the fastest alone, and is in no graph: where others are, it is not compared with them.
static void a_single_run_is_not_compared_with_a_graph(void **state) {
    static const cost list[] = {{8, 3, false}, {8, 2, false}, {0, 6, true}};
    assert_int_equal(choose(list, BASE_COUNT(list), "Zero, best of 3"), 8 + 2);
    static const cost none[] = {{8, 3, true}, {0, 9, true}, {8, 2, true}};
    assert_int_equal(choose(none, BASE_COUNT(none), "Zero, best of 3"), 9);
}

// ---- what a rival packs --------------------------------------------------------------------------------------

static struct {
    int packs, runs;
    kz_ptr packed[SETS], buffers[SETS]; // of the last round of packs
} seen;

static int packing_prepare(const kz_peer_problem *p, kz_peer_plan *plan, const char **why) {
    *plan = (kz_peer_plan){.algorithms = 1, .packed_bytes = 100};
    return 0;
}
static int pack(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                const char **why) {
    seen.packed[seen.packs % SETS] = call->packed, seen.buffers[seen.packs % SETS] = call->buffers[0];
    seen.packs++;
    return 0;
}
static int packed_run(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                      const char **why) {
    *why = "it was not packed";
    for (int i = 0; i < SETS; i++)
        if (call->buffers[0] == seen.buffers[i] && call->packed == seen.packed[i]) return seen.runs++, 0;
    return 1;
}
static int pack_fails(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                      const char **why) {
    return *why = "no room", 1;
}
static const kz_peer packer = {KZ_PEER_INTERFACE, "packer",   false, version, offers,
                               packing_prepare,   packed_run, NULL,  pack},
                     fails = {KZ_PEER_INTERFACE, "fails",    false, version,   offers,
                              packing_prepare,   packed_run, NULL,  pack_fails};

// Once for each set before anything runs, each with a place of its own; and again when inputs were drawn anew.
static void inputs_are_packed_once_for_each_set(void **state) {
    kz_device *device;
    bench_probes *probes;
    bench_data data;
    bench_candidate candidate;
    kz_error error = {0};
    seen.packs = seen.runs = 0;
    assert_int_equal(kz_device_open("cuda", &device, NULL), KZ_OK);
    assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
    assert_int_equal(bench_data_open(device, probes, &family, &the_case, 1, SETS, &data, NULL), KZ_OK);
    assert_int_equal(bench_candidate_peer(&data, &packer, &candidate, NULL), KZ_OK);
    assert_int_equal(seen.packs, SETS);
    assert_int_equal(candidate.workspace_bytes, 100);
    for (int i = 1; i < SETS; i++) assert_int_equal(seen.packed[i] - seen.packed[i - 1], 256);
    for (size_t run = 0; run < 2 * SETS; run++)
        assert_int_equal(candidate.enqueue(candidate.self, NULL, run % SETS, NULL), KZ_OK);
    assert_int_equal(seen.packs, SETS);
    assert_int_equal(bench_data_reseed(&data, 2, NULL), KZ_OK);
    assert_int_equal(candidate.enqueue(candidate.self, NULL, 0, NULL), KZ_OK);
    assert_int_equal(candidate.enqueue(candidate.self, NULL, 0, NULL), KZ_OK);
    assert_int_equal(seen.packs, 2 * SETS);
    assert_int_equal(seen.runs, 2 * SETS + 2);
    bench_candidate_close(&candidate);
    assert_int_equal(bench_candidate_peer(&data, &fails, &candidate, &error), KZ_DRIVER);
    assert_non_null(strstr(error.message, "could not pack its inputs for toy: no room"));
    bench_data_close(&data);
    bench_probes_close(probes);
    kz_device_close(device);
}

static int set_up(void **state) {
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_STEP", "2e-6", 1);
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    assert_non_null(library);
    fake = dlsym(library, "fake_cuda_now");
    fill = (int (*)(uint64_t, unsigned char, size_t, void *))dlsym(library, "cuMemsetD8Async");
    return !fake || !fill;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_algorithms_are_compared_in_graphs),
        cmocka_unit_test(a_single_run_is_not_compared_with_a_graph),
        cmocka_unit_test(inputs_are_packed_once_for_each_set),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
