// A whole case, on the cpu device and on a GPU that is not there (tests/fake_cuda, whose clock moves by a
// fixed step per operation): who is timed, who is left out, what is checked, what the figures are.
#include "bench/bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "bench/test_add.h"
#include "unit.h"

// Where nothing is written in place: two copies and a read; on a CPU one copy, of all cores.
enum { GPU_PEAKS = 3, CPU_PEAKS = 2 };

// ---- a family of one operation: z = x + y --------------------------------------------------------------

// A variant's idea is its kernel's name.
static kz_status plan(const kz_planner *p) {
    const kz_plan_launch launch = {.entry = kz_variant_idea(p->variant), .blocks = 1, .threads = 1};
    return kz_plan_add_launch(p, &launch);
}
static kz_status plan_none(const kz_planner *p) { return kz_plan_refuse(p->error, "not this one"); }

static void add(const kz_native_launch *l, bool zeros) {
    const float *x = (float *)(uintptr_t) * (const kz_ptr *)l->args[0];
    const float *y = (float *)(uintptr_t) * (const kz_ptr *)l->args[1];
    float *z = (float *)(uintptr_t) * (const kz_ptr *)l->args[2];
    for (uint64_t i = 0; i < *(const uint64_t *)l->args[3]; i++) z[i] = zeros ? 0 : x[i] + y[i];
}
static int lazy_runs; // of the kernel below, which works only so often
static void native_right(const kz_native_launch *l) { add(l, false); }
static void native_zeros(const kz_native_launch *l) { add(l, true); }
static void native_lazy(const kz_native_launch *l) {
    if (lazy_runs-- > 0) add(l, false);
}
static const kz_native_entry natives[] = {
    {"right", native_right}, {"zeros", native_zeros}, {"lazy", native_lazy}, {NULL, NULL}};

static const kz_variant variants[] = {{"01_right", 0, plan, "", .natives = natives},
                                      {"02_zeros", 0, plan, "", .natives = natives},
                                      {"03_none", 0, plan_none, "", .natives = natives},
                                      {"04_lazy", 0, plan, "", .natives = natives}};
static const kz_case the_case = {.type = KZ_F32, .axes = {3001}};
static const kz_family family = {.name = "toy",
                                 .group = "tests",
                                 .operations = (const char *const[]){"add", NULL},
                                 .axes = (const char *const[]){"n", NULL},
                                 .variants = variants,
                                 .variant_count = BASE_COUNT(variants),
                                 .cases = &the_case,
                                 .case_count = 1,
                                 .buffers = buffers,
                                 .reference = reference,
                                 .elementwise = true,
                                 .work = work,
                                 .guest_signature = "const float *x, const float *y, float *z, size_t n"};

// Thirty samples and no more: the clock of the tests is not a clock.
static const bench_rule rule = {.least_samples = 30,
                                .least_seconds = 0,
                                .precision = 1e9,
                                .most_seconds = 60,
                                .warm_precision = 1e9,
                                .warm_seconds = 60};

enum { ALONE, IN_GRAPHS }; // the usual conditions
static const bench_condition one_launch = {.mode = BENCH_LATENCY};

static bench_request request_for(kz_device *device, bench_probes *probes) {
    return (bench_request){
        .device = device, .probes = probes, .family = &family, .c = &the_case, .seed = 5, .rule = rule};
}

// ---- cpu ------------------------------------------------------------------------------------------

// As if its cache were small: to flush a large one before each of some hundred samples takes seconds, and proves
// nothing here.
static void open_cpu(kz_device **device, bench_probes **probes) {
    assert_int_equal(kz_device_open("cpu", device, NULL), KZ_OK);
    ((kz_device_info *)kz_device_get_info(*device))->l2_bytes = 1 << 20;
    assert_int_equal(bench_probes_open(*device, probes, NULL), KZ_OK);
}

// Else a run would be timed with the page faults of its output: many times its own time.
static void pages_are_there_before_anything_is_timed(void **state) {
    (void)state;
    enum { SETS = 100, PAGES = 1 << 12 };
    static unsigned char there[PAGES];
    kz_device *device;
    bench_probes *probes;
    bench_data data = {0};
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    open_cpu(&device, &probes);
    assert_int_equal(bench_data_open(device, probes, &family, &the_case, 5, SETS, &data, NULL), KZ_OK);
    for (size_t b = 0; b < data.buffer_count; b++) {
        uintptr_t first = (uintptr_t)data.base[b] / page * page,
                  end = (uintptr_t)data.base[b] + SETS * data.stride[b];
        size_t pages = (end - first + page - 1) / page;
        assert_true(pages <= PAGES);
        assert_int_equal(mincore((void *)first, end - first, there), 0);
        for (size_t i = 0; i < pages; i++)
            if (!(there[i] & 1)) fail_msg("page %zu of %zu of buffer %zu", i, pages, b);
    }
    bench_data_close(&data);
    bench_probes_close(probes);
    kz_device_close(device);
}

static void wrong_kernels_are_never_timed(void **state) {
    (void)state;
    kz_device *device;
    bench_probes *probes;
    open_cpu(&device, &probes);
    bench_request request = request_for(device, probes);
    request.variants = (const kz_variant *const[]){&variants[0], &variants[1], &variants[2]};
    request.variant_count = 3;
    bench_outcome *o;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    assert_true(o->timed);
    assert_int_equal(o->count, 3 + CPU_PEAKS);
    const bench_result *right = &o->results[0], *zeros = &o->results[1], *none = &o->results[2];
    assert_int_equal(right->status, KZ_OK);
    for (size_t k = 0; k < o->condition_count; k++) {
        assert_true(right->timings[k].taken && right->timings[k].series.count >= 30);
        assert_true(right->timings[k].series.summary.median > 0);
        assert_false(zeros->timings[k].taken || none->timings[k].taken);
    }
    assert_true(right->before.done && right->after.done && right->fresh.done);
    assert_int_equal(right->fresh.seed, 6);
    assert_int_equal(right->fresh.comparison.wrong, 0);
    assert_int_equal(zeros->status, KZ_WRONG);
    assert_non_null(strstr(zeros->error.message, "zero"));
    assert_int_equal(none->status, KZ_UNSUPPORTED);
    assert_non_null(strstr(none->error.message, "not this one"));
    assert_true(o->copy[ALONE] > 0 && o->read[ALONE] > 0);
    assert_int_equal(bench_outcome_best(o, BENCH_ZOO), 0);
    assert_int_equal(bench_outcome_best(o, BENCH_PEER), -1);
    bench_outcome_free(o);
    bench_probes_close(probes);
    kz_device_close(device);
}

// Even a wrong one is timed: there is nothing to tell it by.
static void a_trial_compares_nothing(void **state) {
    (void)state;
    kz_device *device;
    bench_probes *probes;
    open_cpu(&device, &probes);
    bench_request request = request_for(device, probes);
    request.variants = (const kz_variant *const[]){&variants[0], &variants[1]};
    request.variant_count = 2;
    request.care = BENCH_UNCHECKED;
    bench_outcome *o;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    for (size_t i = 0; i < 2; i++) {
        const bench_result *r = &o->results[i];
        assert_int_equal(r->status, KZ_OK);
        assert_true(r->timings[ALONE].taken);
        assert_false(r->before.done || r->after.done || r->fresh.done);
    }
    bench_outcome_free(o);
    bench_probes_close(probes);
    kz_device_close(device);
}

static void a_search_checks_once_and_times_no_peaks(void **state) {
    (void)state;
    kz_device *device;
    bench_probes *probes;
    open_cpu(&device, &probes);
    bench_request request = request_for(device, probes);
    request.variants = (const kz_variant *const[]){&variants[0], &variants[1]};
    request.variant_count = 2;
    request.care = BENCH_CHECKED_ONCE;
    bench_outcome *o;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    assert_int_equal(o->count, 2);
    const bench_result *right = &o->results[0], *zeros = &o->results[1];
    assert_int_equal(right->status, KZ_OK);
    assert_true(right->before.done && right->timings[ALONE].taken);
    assert_false(right->after.done || right->fresh.done);
    assert_int_equal(zeros->status, KZ_WRONG);
    assert_false(zeros->timings[ALONE].taken);
    bench_outcome_free(o);
    bench_probes_close(probes);
    kz_device_close(device);
}

static void a_brief_look_takes_single_launches_alone(void **state) {
    (void)state;
    kz_device *device;
    bench_probes *probes;
    open_cpu(&device, &probes);
    bench_request request = request_for(device, probes);
    request.variants = (const kz_variant *const[]){&variants[0], &variants[3]};
    request.variant_count = 2;
    request.conditions = &one_launch;
    request.condition_count = 1;
    lazy_runs = 20;
    bench_outcome *o;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    assert_int_equal(o->figure, ALONE);
    assert_true(o->results[0].timings[ALONE].taken);
    assert_false(o->results[0].timings[IN_GRAPHS].taken);
    assert_true(o->results[0].after.done && o->results[0].fresh.done); // it is checked no less
    assert_int_equal(o->results[1].status, KZ_WRONG);
    bench_outcome_free(o);
    bench_probes_close(probes);
    kz_device_close(device);
}

static kz_work much_work(const kz_case *c) {
    return (kz_work){.bytes = 12.0 * (double)c->axes[0], .flops = 1e9};
}

// A case that computes is held against what the cores are known to do in its type; one that does not is not, and a
// known copy is not taken for what fits into the caches, nor where one was measured.
static void known_peaks_are_taken_where_they_fit(void **state) {
    (void)state;
    kz_device *device;
    bench_probes *probes;
    bench_peaks peaks = {
        .of = {[BENCH_PEAK_fma_f32] = {.value = 2e12, .origin = "nominal"},
               [BENCH_PEAK_dram_copy] = {.value = 1e9, .measured = true, .origin = "measured"}}};
    kz_family computing = family;
    computing.work = much_work;
    open_cpu(&device, &probes);
    for (int computes = 0; computes < 2; computes++) {
        bench_request request = request_for(device, probes);
        request.variants = (const kz_variant *const[]){&variants[0]};
        request.variant_count = 1;
        request.conditions = &one_launch;
        request.condition_count = 1;
        request.peaks = &peaks;
        if (computes) request.family = &computing;
        bench_outcome *o;
        assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
        const bench_timing *t = &o->results[0].timings[ALONE];
        assert_string_equal(o->known_compute.origin, computes ? "nominal" : "");
        assert_string_equal(o->known_copy.origin, "");
        assert_true(computes ? fabs(t->of_compute - t->flops_per_s / 2e12) < 1e-9 : isnan(t->of_compute));
        assert_true(t->of_copy > 0);
        bench_outcome_free(o);
    }
    bench_probes_close(probes);
    kz_device_close(device);
}

// A kernel that stops working once it is being timed: the check afterwards finds it out.
static void a_kernel_that_cheats_is_found_afterwards(void **state) {
    (void)state;
    kz_device *device;
    bench_probes *probes;
    open_cpu(&device, &probes);
    bench_request request = request_for(device, probes);
    request.variants = (const kz_variant *const[]){&variants[3]};
    request.variant_count = 1;
    lazy_runs = 20;
    bench_outcome *o;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    assert_int_equal(o->results[0].before.comparison.wrong, 0);
    assert_int_equal(o->results[0].status, KZ_WRONG);
    assert_non_null(strstr(o->results[0].error.message, "after timing"));
    assert_int_equal(bench_outcome_best(o, BENCH_ZOO), -1);
    bench_outcome_free(o);
    bench_probes_close(probes);
    kz_device_close(device);
}

// A rival whose memory is the host's: right, failing, and one that is for GPUs.
static const char *host_offers(const kz_peer_problem *p) {
    return strcmp(p->family, "toy") == 0 ? "Add" : NULL;
}
static const char *version(const char **why) { return "1.2"; }
static int host_prepare(const kz_peer_problem *p, kz_peer_plan *plan, const char **why) {
    *plan = (kz_peer_plan){.workspace_bytes = 64, .algorithms = 1};
    return 0;
}
static int host_run(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                    const char **why) {
    const kz_ptr *b = call->buffers;
    *why = "no workspace, or a stream";
    if (!call->workspace || plan->workspace_bytes != 64 || call->stream) return 1;
    const float *x = (const float *)(uintptr_t)b[0], *y = (const float *)(uintptr_t)b[1];
    for (int64_t i = 0; i < p->axes[0]; i++) ((float *)(uintptr_t)b[2])[i] = x[i] + y[i];
    return 0;
}
static int host_fails(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                      const char **why) {
    *why = "it was told to";
    return 1;
}

static int does_not(const kz_peer_problem *p, kz_peer_plan *plan, const char **why) {
    *why = "it was never meant to";
    return KZ_PEER_DOES_NOT;
}

static void rivals_run_on_the_cpu_too(void **state) {
    (void)state;
    static const kz_peer good = {KZ_PEER_INTERFACE, "good",   true, version, host_offers,
                                 host_prepare,      host_run, NULL, NULL};
    static const kz_peer bad = {KZ_PEER_INTERFACE, "bad",      true, version, host_offers,
                                host_prepare,      host_fails, NULL, NULL};
    static const kz_peer other = {KZ_PEER_INTERFACE, "gpus",   false, version, host_offers,
                                  host_prepare,      host_run, NULL,  NULL};
    kz_device *device;
    bench_probes *probes;
    open_cpu(&device, &probes);
    bench_request request = request_for(device, probes);
    request.variants = (const kz_variant *const[]){&variants[0]};
    request.variant_count = 1;
    static const kz_peer none = {KZ_PEER_INTERFACE, "none",   true, version, host_offers,
                                 does_not,          host_run, NULL, NULL};
    request.peers = (const kz_peer *const[]){&good, &bad, &other, &none};
    request.peer_count = 4;
    bench_outcome *o;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    // Ours, two rivals and the peaks: a GPU's rival is no candidate, nor one that does not do the case.
    assert_int_equal(o->count, 3 + CPU_PEAKS);
    assert_int_equal(bench_outcome_best(o, BENCH_PEER), 1);
    const bench_result *r = &o->results[1], *failed = &o->results[2];
    assert_string_equal(r->candidate.by, "good");
    assert_int_equal(r->status, KZ_OK);
    for (size_t k = 0; k < o->condition_count; k++) { // in a graph as well: there it must really run
        assert_true(r->timings[k].taken && r->timings[k].series.summary.median > 0);
        assert_true(bench_outcome_ratio(o, 0, 1, k).valid);
        assert_int_equal(r->timings[k].processes, 1); // this one
    }
    assert_true(r->after.done && r->fresh.done && r->fresh.comparison.wrong == 0);
    assert_int_equal(failed->status, KZ_TOOL);
    assert_non_null(strstr(failed->error.message, "it was told to"));
    bench_outcome_free(o);
    bench_probes_close(probes);
    kz_device_close(device);
}

// A rival of three algorithms: one takes long, one is quick, one does not run.
static int closed;
static int many_prepare(const kz_peer_problem *p, kz_peer_plan *plan, const char **why) {
    *plan = (kz_peer_plan){.workspace_bytes = 64, .kept_bytes = 36, .algorithms = 3, .state = &closed};
    return 0;
}
static int many_run(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                    const char **why) {
    *why = "this algorithm does not";
    if (plan->algorithm == 2 || plan->state != &closed) return 1;
    for (int i = 0; plan->algorithm == 0 && i < 200; i++) host_run(p, plan, call, why);
    return host_run(p, plan, call, why);
}
static int none_runs(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                     const char **why) {
    *why = "none does";
    return 1;
}
static void count_close(kz_peer_plan *plan) { ++*(int *)plan->state; }

static void the_fastest_algorithm_of_a_rival_is_timed(void **state) {
    (void)state;
    const kz_peer good = {KZ_PEER_INTERFACE, "good",   true,        version, host_offers,
                          many_prepare,      many_run, count_close, NULL};
    const kz_peer bad = {KZ_PEER_INTERFACE, "bad",     true,        version, host_offers,
                         many_prepare,      none_runs, count_close, NULL};
    kz_device *device;
    bench_probes *probes;
    open_cpu(&device, &probes);
    bench_request request = request_for(device, probes);
    request.peers = (const kz_peer *const[]){&good, &bad};
    request.peer_count = 2;
    bench_outcome *o;
    closed = 0;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    const bench_result *r = &o->results[0], *failed = &o->results[1];
    assert_int_equal(r->status, KZ_OK);
    assert_string_equal(r->candidate.name, "Add, best of 2");
    assert_int_equal(r->candidate.workspace_bytes, 100);
    // 200 times the work is not what was timed: a copy of the same bytes takes about as long as the quick one.
    assert_true(r->timings[BENCH_LATENCY].series.summary.median <
                50 * o->results[2].timings[BENCH_LATENCY].series.summary.median);
    assert_int_equal(failed->status, KZ_TOOL);
    assert_non_null(strstr(failed->error.message, "none does"));
    assert_int_equal(closed, 2);
    bench_outcome_free(o);
    bench_probes_close(probes);
    kz_device_close(device);
}

// All that a cpu can be asked for, the unusual conditions too; what is verified afterwards is right.
static void every_condition_is_timed_on_the_cpu(void **state) {
    (void)state;
    static const bench_condition all[] = {{.cache = BENCH_DIRTY},
                                          {.cache = BENCH_HOT},
                                          {.cache = BENCH_FRESH},
                                          {.mode = BENCH_THROUGHPUT, .cache = BENCH_HOT}};
    kz_device *device;
    bench_probes *probes;
    open_cpu(&device, &probes);
    bench_request request = request_for(device, probes);
    request.variants = (const kz_variant *const[]){&variants[0]};
    request.variant_count = 1;
    request.conditions = all;
    request.condition_count = BASE_COUNT(all);
    bench_outcome *o;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    assert_int_equal(o->condition_count, BASE_COUNT(all));
    assert_int_equal(o->figure, 0); // graphs of another cache are not its counterpart
    for (size_t k = 0; k < BASE_COUNT(all); k++) {
        assert_true(o->results[0].timings[k].taken && o->results[0].timings[k].series.summary.median > 0);
        assert_true(o->copy[k] > 0);
    }
    assert_true(o->results[0].after.done && o->results[0].fresh.done);
    assert_int_equal(o->results[0].status, KZ_OK);
    bench_outcome_free(o);
    kz_error error = {0};
    request.conditions = &(bench_condition){.stream = BENCH_FIRST_STREAM};
    request.condition_count = 1;
    assert_int_equal(bench_run(&request, &o, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "no first stream"));
    bench_outcome_free(o);
    request.conditions = &(bench_condition){.stream = BENCH_SWITCHED_STREAM};
    assert_int_equal(bench_run(&request, &o, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "no other context"));
    bench_outcome_free(o);
    bench_probes_close(probes);
    kz_device_close(device);
}

static bool at_once(void) { return true; }

static void an_interruption_leaves_an_outcome(void **state) {
    (void)state;
    kz_device *device;
    bench_probes *probes;
    open_cpu(&device, &probes);
    bench_request request = request_for(device, probes);
    request.variants = (const kz_variant *const[]){&variants[0]};
    request.variant_count = 1;
    request.interrupted = at_once;
    bench_outcome *o;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    assert_true(o->interrupted);
    assert_false(o->results[0].timings[ALONE].taken);
    bench_outcome_free(o);
    bench_probes_close(probes);
    kz_device_close(device);
}

// ---- a GPU, as far as a fake goes -------------------------------------------------------------------

static const char guest_source[] = "// kz: block 32\n// kz: grid 1\n";
static const char guest_ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                                ".visible .entry toy_add_f32(.param .u64 x, .param .u64 y, .param .u64 z, "
                                ".param .u64 n) {\n  ret;\n}\n";

typedef struct launch_config { // CUlaunchConfig
    unsigned grid[3], block[3], shared_bytes;
    void *stream, *attributes;
    unsigned attribute_count;
} launch_config;

// A peer launches through the driver, as a library would.
static int (*fake_function)(void **function, void *module, const char *name);
static int (*fake_launch)(const launch_config *config, void *function, void **params, void **extra);
static int (*fake_alloc)(kz_ptr *address, size_t bytes);
static kz_ptr peer_memory;

static const char *peer_offers(const kz_peer_problem *p) {
    return strcmp(p->family, "toy") == 0 && p->axes[0] == 3001 ? "Add" : NULL;
}
static int peer_run(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                    const char **why) {
    const kz_ptr *b = call->buffers;
    uint64_t x = b[0], y = b[1], z = b[2], n = (uint64_t)p->axes[0];
    void *params[] = {&x, &y, &z, &n}, *function;
    const launch_config config = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = call->stream};
    *why = "the fake refused";
    if (!call->workspace || plan->workspace_bytes != 64 || !call->stream) return p->arg_count != 4;
    return fake_function(&function, NULL, "add_f32") || fake_launch(&config, function, params, NULL);
}
static int peer_run_plain(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                          const char **why) {
    const kz_ptr *b = call->buffers;
    uint64_t x = b[0], y = b[1], z = b[2], n = (uint64_t)p->axes[0];
    void *params[] = {&x, &y, &z, &n}, *function;
    const launch_config config = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = call->stream};
    *why = "the fake refused";
    return fake_function(&function, NULL, "add_f32") || fake_launch(&config, function, params, NULL);
}
// Takes memory of its own at its first run, as libraries do.
static int peer_allocates(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                          const char **why) {
    if (!peer_memory && fake_alloc(&peer_memory, 3 << 20)) return 1;
    return peer_run_plain(p, plan, call, why);
}
static int peer_fails(const kz_peer_problem *p, const kz_peer_plan *plan, const kz_peer_call *call,
                      const char **why) {
    *why = "out of luck";
    return 1;
}

static kz_device *open_fake(const char *step) {
    kz_device *device = NULL;
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_STEP", step, 1);
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    assert_non_null(library);
    *(void **)&fake_function = dlsym(library, "cuModuleGetFunction");
    *(void **)&fake_launch = dlsym(library, "cuLaunchKernelEx");
    *(void **)&fake_alloc = dlsym(library, "cuMemAlloc_v2");
    assert_int_equal(kz_device_open("cuda", &device, NULL), KZ_OK);
    return device;
}

static bench_outcome *race(const char *step, const kz_peer *peer) {
    kz_device *device = open_fake(step);
    bench_probes *probes;
    family_guest *guest;
    assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
    assert_true(bench_probes_has_kernels(probes));
    kz_error error = {0};
    kz_status opened = family_guest_open(&family, "mine.cu", guest_source, guest_ptx, &guest, &error);
    if (opened) fail_msg("%s", error.message);
    bench_request request = request_for(device, probes);
    request.guest = guest;
    request.peers = &peer;
    request.peer_count = 1;
    bench_outcome *o;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    family_guest_close(guest);
    bench_probes_close(probes);
    kz_device_close(device);
    return o;
}

// Every operation of the fake takes 2 us: kernels of 2 us are told by their graph.
static void a_guest_races_a_peer(void **state) {
    (void)state;
    const kz_peer peer = {KZ_PEER_INTERFACE, "fast",         false, version, peer_offers,
                          host_prepare,      peer_run_plain, NULL,  NULL};
    bench_outcome *o = race("2e-6", &peer);
    assert_int_equal(o->count, 2 + GPU_PEAKS);
    assert_true(o->sets > 1);
    assert_int_equal(o->figure, IN_GRAPHS);
    for (size_t i = 0; i < o->count; i++) {
        const bench_timing *t = &o->results[i].timings[IN_GRAPHS];
        assert_int_equal(o->results[i].status, KZ_OK);
        assert_true(t->taken);
        assert_true((double)t->runs * 2e-6 >= 1e-3); // a graph of 1 ms or more
        assert_float_equal(t->series.summary.median, 2e-6, 2e-8);
        assert_float_equal(o->results[i].timings[ALONE].series.summary.median, 2e-6, 2e-8);
    }
    const bench_result *guest = &o->results[0], *rival = &o->results[1];
    assert_string_equal(rival->candidate.by, "fast");
    assert_string_equal(rival->candidate.version, "1.2");
    assert_int_equal(rival->candidate.workspace_bytes, 64);
    assert_true(guest->after.done && guest->fresh.done && rival->after.done && rival->fresh.done);
    bench_ratio ratio = bench_outcome_ratio(o, 0, 1, o->figure);
    assert_int_equal(bench_judge(&ratio, 0.02), BENCH_SAME);
    assert_false(guest->timings[IN_GRAPHS].over_peak);
    assert_float_equal(guest->timings[IN_GRAPHS].bytes_per_s, 12.0 * 3001 / 2e-6, 2e8);
    bench_outcome_free(o);
}

static void long_kernels_are_timed_by_single_launches(void **state) {
    (void)state;
    const kz_peer peer = {KZ_PEER_INTERFACE, "fast",         false, version, peer_offers,
                          host_prepare,      peer_run_plain, NULL,  NULL};
    bench_outcome *o = race("4e-4", &peer);
    assert_int_equal(o->figure, ALONE);
    assert_int_equal(o->results[0].timings[IN_GRAPHS].runs, 3);
    bench_outcome_free(o);
}

static void a_peer_that_fails_does_not_stop_the_others(void **state) {
    (void)state;
    const kz_peer peer = {KZ_PEER_INTERFACE, "slow",     false, version, peer_offers,
                          host_prepare,      peer_fails, NULL,  NULL};
    bench_outcome *o = race("2e-6", &peer);
    assert_int_equal(o->results[1].status, KZ_DRIVER);
    assert_non_null(strstr(o->results[1].error.message, "out of luck"));
    assert_true(o->results[0].timings[o->figure].taken);
    bench_outcome_free(o);
}

// This one cannot be recorded (it does nothing without a stream of its own): it is timed alone, not in
// graphs.
static void a_peer_that_does_nothing_is_wrong(void **state) {
    (void)state;
    const kz_peer peer = {KZ_PEER_INTERFACE, "lazy",   false, version, peer_offers,
                          host_prepare,      peer_run, NULL,  NULL};
    bench_outcome *o = race("2e-6", &peer);
    assert_int_equal(o->results[1].status, KZ_WRONG);
    assert_false(o->results[1].timings[ALONE].taken);
    bench_outcome_free(o);
}

static void graphs_hold_a_millisecond_in_whole_rounds(void **state) {
    (void)state;
    assert_int_equal(bench_graph_runs(1e-3, 4), 2);
    assert_int_equal(bench_graph_runs(1e-5, 4), 112); // 110 runs, in rounds of 4 sets
    assert_int_equal(bench_graph_runs(1.0, 4), 1);
    assert_int_equal(bench_graph_runs(0, 1), 2048);
}

static void what_a_peer_allocates_is_its_own(void **state) {
    (void)state;
    const kz_peer peer = {KZ_PEER_INTERFACE, "fast",         false, version, peer_offers,
                          host_prepare,      peer_allocates, NULL,  NULL};
    bench_outcome *o = race("2e-6", &peer);
    const bench_candidate *guest = &o->results[0].candidate, *rival = &o->results[1].candidate;
    assert_int_equal(rival->own_bytes, 3 << 20);
    assert_int_equal(bench_peak_bytes(o, rival), o->footprint_bytes + rival->workspace_bytes + (3 << 20));
    assert_true(guest->own_bytes == UINT64_MAX); // of ours all is known
    assert_int_equal(bench_peak_bytes(o, guest), o->footprint_bytes);
    bench_outcome_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_there_before_anything_is_timed),
        cmocka_unit_test(wrong_kernels_are_never_timed),
        cmocka_unit_test(a_trial_compares_nothing),
        cmocka_unit_test(a_search_checks_once_and_times_no_peaks),
        cmocka_unit_test(a_brief_look_takes_single_launches_alone),
        cmocka_unit_test(known_peaks_are_taken_where_they_fit),
        cmocka_unit_test(a_kernel_that_cheats_is_found_afterwards),
        cmocka_unit_test(rivals_run_on_the_cpu_too),
        cmocka_unit_test(the_fastest_algorithm_of_a_rival_is_timed),
        cmocka_unit_test(every_condition_is_timed_on_the_cpu),
        cmocka_unit_test(an_interruption_leaves_an_outcome),
        cmocka_unit_test(a_guest_races_a_peer),
        cmocka_unit_test(what_a_peer_allocates_is_its_own),
        cmocka_unit_test(long_kernels_are_timed_by_single_launches),
        cmocka_unit_test(a_peer_that_fails_does_not_stop_the_others),
        cmocka_unit_test(a_peer_that_does_nothing_is_wrong),
        cmocka_unit_test(graphs_hold_a_millisecond_in_whole_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
