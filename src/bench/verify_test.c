// What is checked is what was timed: every set of buffers, and the inputs, which nobody may write. On the cpu device and
// on a GPU that is not there (tests/fake_cuda).
#include "bench/verify.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/base.h"
#include "bench/test_add.h"
#include "unit.h"

// ---- a family of one operation: z = x + y --------------------------------------------------------------

// A variant's idea is its kernel's name.
static kz_status plan(const kz_planner *p) {
    const kz_plan_launch launch = {.entry = kz_variant_idea(p->variant), .blocks = 1, .threads = 1};
    return kz_plan_add_launch(p, &launch);
}

static void add(const float *x, const float *y, float *z, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) z[i] = x[i] + y[i];
}

static void native_right(const kz_native_launch *l) {
    void *const *const *args = (void *const *const *)l->args;
    add(*args[0], *args[1], *args[2], *(const uint64_t *)l->args[3]);
}

static kz_ptr first_z; // of the kernel below, which works nowhere else
static void native_first(const kz_native_launch *l) {
    kz_ptr z = *(const kz_ptr *)l->args[2];
    if (!first_z) first_z = z;
    if (z == first_z) native_right(l);
}

static int lazy_runs, lazy_skips; // of the kernel below, which works only where its result is not there yet
static void native_lazy(const kz_native_launch *l) {
    void *const *const *args = (void *const *const *)l->args;
    const float *x = *args[0], *y = *args[1], *z = *args[2];
    lazy_runs++;
    if (z[7] == x[7] + y[7])
        lazy_skips++;
    else
        native_right(l);
}

static const kz_native_entry natives[] = {
    {"right", native_right}, {"first", native_first}, {"lazy", native_lazy}, {NULL, NULL}};
static const kz_variant variants[] = {{"01_right", 0, plan, "", .natives = natives},
                                      {"02_first", 0, plan, "", .natives = natives},
                                      {"03_lazy", 0, plan, "", .natives = natives}};
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

// A few samples: the clock is tested elsewhere.
static const bench_rule rule = {.least_samples = 3, .precision = 1e9, .most_seconds = 60};
static const bench_condition alone = {.mode = BENCH_LATENCY}, in_graphs = {.mode = BENCH_THROUGHPUT};

// As if its cache were small: few sets, and quick to flush.
static const kz_case misaligned = {.type = KZ_F32, .axes = {3001}, .misalign = 1};

static bench_outcome *run_on_cpu(bench_request request) {
    bench_outcome *o;
    kz_device *device;
    bench_probes *probes;
    assert_int_equal(kz_device_open("cpu", &device, NULL), KZ_OK);
    ((kz_device_info *)kz_device_get_info(device))->l2_bytes = 1 << 16;
    assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
    request.device = device;
    request.probes = probes;
    request.family = &family;
    if (!request.c) request.c = &the_case;
    request.rule = rule;
    request.seed = 5;
    assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
    assert_true(o->sets > 1);
    bench_probes_close(probes);
    kz_device_close(device);
    return o;
}

// ---- sets ------------------------------------------------------------------------------------------------

static void a_kernel_that_skips_sets_is_found(void **state) {
    (void)state;
    for (int graphs = 0; graphs < 2; graphs++) {
        first_z = 0;
        bench_outcome *o =
            run_on_cpu((bench_request){.variants = (const kz_variant *const[]){&variants[1], &variants[0]},
                                       .variant_count = 2,
                                       .conditions = graphs ? &in_graphs : &alone,
                                       .condition_count = 1});
        assert_int_equal(o->results[0].before.comparison.wrong, 0);
        assert_int_equal(o->results[0].status, KZ_WRONG);
        assert_has(o->results[0].error.message, "after timing, in set ");
        assert_int_equal(o->results[1].status, KZ_OK);
        assert_int_equal(o->results[1].after.sets, o->sets);
        bench_outcome_free(o);
    }
}

// Every sample finds its outputs blank, as the replay does.
static void a_result_that_is_there_already_spares_no_work(void **state) {
    static const bench_condition colds[] = {
        {.cache = BENCH_COLD}, {.cache = BENCH_DIRTY}, {.cache = BENCH_FRESH}};
    (void)state;
    lazy_runs = lazy_skips = 0;
    bench_outcome *o = run_on_cpu((bench_request){.variants = (const kz_variant *const[]){&variants[2]},
                                                  .variant_count = 1,
                                                  .conditions = colds,
                                                  .condition_count = BASE_COUNT(colds)});
    assert_int_equal(o->results[0].status, KZ_OK);
    assert_true(lazy_runs > 9);
    assert_int_equal(lazy_skips, 0);
    bench_outcome_free(o);
}

// ---- inputs ----------------------------------------------------------------------------------------------

enum { IN_REPLAY = -2 };
static int calls, write_at; // the call of the rival that writes an input; 0: each one does
static bool replayed;
static void note_replay(const char *what, void *context) {
    if (strcmp(what, "verifying again") == 0) replayed = true;
}

static const char *offers(const kz_peer_problem *p) { return "Add"; }
static const char *version(const char **why) { return "1.2"; }
static uint32_t alignment; // as the rival was told
static int prepare(const kz_peer_problem *p, kz_peer_plan *made, const char **why) {
    alignment = p->alignment;
    *made = (kz_peer_plan){.algorithms = write_at == 1 ? 2 : 1}; // two are timed, to choose one
    return 0;
}
static int run(const kz_peer_problem *p, const kz_peer_plan *made, const kz_peer_call *call,
               const char **why) {
    float *const *b = (float *const *)call->buffers;
    add(b[0], b[1], b[2], (uint64_t)p->axes[0]);
    if (++calls == write_at || !write_at || (write_at == IN_REPLAY && replayed)) b[1][2999] += 1;
    return 0;
}

// A variant of ours that runs after it gets the inputs that it should have, and is right.
static void who_writes_an_input_is_named(void **state) {
    static const struct {
        int at;
        const char *when;
    } rows[] = {{1, "Add, best of 2 wrote into its input \"y\" while it was prepared"},
                {0, "Add wrote into its input \"y\" before timing"},
                {4, "Add wrote into its input \"y\" while it was timed, or one that was timed beside it did"},
                {IN_REPLAY, "Add wrote into its input \"y\" when it was run again as it was timed"}};
    static const kz_peer peer = {KZ_PEER_INTERFACE, "writer", true, version, offers,
                                 prepare,           run,      NULL, NULL};
    static const bench_condition both[] = {{.mode = BENCH_LATENCY}, {.mode = BENCH_THROUGHPUT}};
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        calls = 0;
        replayed = false;
        write_at = rows[i].at;
        bench_outcome *o = run_on_cpu((bench_request){.progress = note_replay,
                                                      .variants = (const kz_variant *const[]){&variants[0]},
                                                      .variant_count = 1,
                                                      .peers = (const kz_peer *const[]){&peer},
                                                      .peer_count = 1,
                                                      .conditions = both,
                                                      .condition_count = 2});
        const bench_result *ours = &o->results[0], *rival = &o->results[1];
        if (ours->status) fail_msg("%s", ours->error.message);
        assert_true(ours->timings[1].taken && ours->after.done && ours->fresh.done && !ours->wrote_input);
        assert_int_equal(rival->status, KZ_WRONG);
        assert_true(rival->wrote_input);
        assert_has(rival->error.message, rows[i].when);
        bench_outcome_free(o);
    }
}

static size_t in_place(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    size_t count = buffers(c, list);
    list[1].role = KZ_INOUT;
    return count - 1;
}

// Otherwise whoever is restored from it next has the wrong result. On a CPU by its bytes, on a GPU by a digest.
static void who_writes_the_copy_of_an_inout_is_named(void **state) {
    static const char *const devices[] = {"cpu", "cuda"};
    kz_family altering = family;
    altering.buffers = in_place;
    (void)state;
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    for (size_t i = 0; i < BASE_COUNT(devices); i++) {
        kz_device *device;
        bench_probes *probes;
        bench_data data;
        bench_result result = {.candidate = bench_candidate_blank(BENCH_PEER, "rival", "Add")};
        char written[BENCH_WRITTEN];
        assert_int_equal(kz_device_open(devices[i], &device, NULL), KZ_OK);
        assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
        assert_int_equal(bench_data_open(device, probes, &altering, &misaligned, 5, 2, &data, NULL), KZ_OK);
        assert_int_equal(bench_verify_inputs(&data, 2, &result, "before timing", NULL), KZ_OK);
        assert_int_equal(result.status, KZ_OK);
        assert_int_equal(kz_memory_fill(device, NULL, data.pristine[1] + 4, 0, 4, NULL), KZ_OK);
        assert_int_equal(bench_verify_inputs(&data, 2, &result, "before timing", NULL), KZ_OK);
        assert_int_equal(result.status, KZ_WRONG);
        assert_has(result.error.message, "Add wrote into the copy that \"y\" is restored from before timing");
        assert_int_equal(bench_data_find_written(&data, 2, written, NULL), KZ_OK);
        assert_string_equal(written, ""); // it is as it was
        bench_data_close(&data);
        bench_probes_close(probes);
        kz_device_close(device);
    }
}

// Whether a library may read 16 bytes at once depends on it.
static void a_rival_is_told_how_buffers_are_aligned(void **state) {
    static const kz_peer peer = {KZ_PEER_INTERFACE, "told", true, version, offers, prepare, run, NULL, NULL};
    (void)state;
    for (int i = 0; i < 2; i++) {
        write_at = -1;
        bench_outcome *o = run_on_cpu((bench_request){.c = i ? &misaligned : &the_case,
                                                      .peers = (const kz_peer *const[]){&peer},
                                                      .peer_count = 1,
                                                      .conditions = &alone,
                                                      .condition_count = 1});
        assert_int_equal(o->results[0].status, KZ_OK);
        assert_int_equal(alignment, i ? sizeof(float) : 256);
        bench_outcome_free(o);
    }
}

// On a GPU by a digest, which a kernel computes there.
static void a_guest_that_writes_an_input_is_named(void **state) {
    static const char source[] = "// kz: block 32\n// kz: grid 1\n";
    static const char *const entries[] = {"toy_add_f32", "writes_add_f32"};
    (void)state;
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_STEP", "2e-6", 1);
    for (size_t i = 0; i < BASE_COUNT(entries); i++) {
        kz_device *device;
        bench_probes *probes;
        family_guest *guest;
        bench_outcome *o;
        char ptx[300];
        snprintf(ptx, sizeof ptx,
                 ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry %s(.param .u64 x, "
                 ".param .u64 y, .param .u64 z, .param .u64 n) {\n  ret;\n}\n",
                 entries[i]);
        assert_int_equal(kz_device_open("cuda", &device, NULL), KZ_OK);
        assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
        assert_int_equal(family_guest_open(&family, "mine.cu", source, ptx, &guest, NULL), KZ_OK);
        const bench_request request = {.device = device,
                                       .probes = probes,
                                       .family = &family,
                                       .c = &the_case,
                                       .rule = rule,
                                       .guest = guest,
                                       .conditions = &alone,
                                       .condition_count = 1};
        assert_int_equal(bench_run(&request, &o, NULL), KZ_OK);
        assert_int_equal(o->results[0].status, i ? KZ_WRONG : KZ_OK);
        assert_int_equal(o->results[0].wrote_input, i);
        if (i) assert_has(o->results[0].error.message, "wrote into its input \"x\" before timing");
        bench_outcome_free(o);
        family_guest_close(guest);
        bench_probes_close(probes);
        kz_device_close(device);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_that_skips_sets_is_found),
        cmocka_unit_test(a_result_that_is_there_already_spares_no_work),
        cmocka_unit_test(who_writes_an_input_is_named),
        cmocka_unit_test(who_writes_the_copy_of_an_inout_is_named),
        cmocka_unit_test(a_rival_is_told_how_buffers_are_aligned),
        cmocka_unit_test(a_guest_that_writes_an_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
