// Peers: what lies in their folder is opened, what is none is refused, no folder is no error. The real one,
// CUB, is opened where it was built: without a GPU it still says what it offers. cuBLAS and OpenBLAS are
// small libraries that open others. How those are found is library.h's.
#include "bench/peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peers/library.h"
#include "unit.h"

static void no_folder_is_no_peer(void **state) {
    (void)state;
    bench_peers peers;
    setenv("KZ_PEERS", "/nowhere/at/all", 1);
    assert_int_equal(bench_peers_open(&peers, NULL), KZ_OK);
    assert_int_equal(peers.count, 0);
}

static void a_file_that_is_no_library_is_named(void **state) {
    (void)state;
    char folder[] = "/tmp/kz_peers_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libkz_peer_none.so", folder);
    FILE *file = fopen(path, "w");
    fputs("no library\n", file);
    fclose(file);
    setenv("KZ_PEERS", folder, 1);
    bench_peers peers;
    kz_error error = {0};
    assert_int_equal(bench_peers_open(&peers, &error), KZ_TOOL);
    assert_non_null(strstr(error.message, "libkz_peer_none.so"));
    assert_int_equal(peers.count, 0);
    unlink(path);
    rmdir(folder);
}

static const char *offer(const kz_peer *peer, const char *family, const char *operation, kz_type type,
                         int64_t n) {
    const kz_peer_problem problem = {.family = family, .operation = operation, .type = type, .axes = {n}};
    return peer->offers(&problem);
}

// Opens all that were built; NULL where that one was not.
static const kz_peer *open_peer(const char *name, bench_peers *peers) {
    setenv("KZ_PEERS", PEERS_FOLDER, 1);
    assert_int_equal(bench_peers_open(peers, NULL), KZ_OK);
    for (size_t i = 0; i < peers->count; i++)
        if (strcmp(peers->items[i]->name, name) == 0) return peers->items[i];
    return NULL;
}

static void cub_says_what_it_offers(void **state) {
    (void)state;
    bench_peers peers;
    const kz_peer *cub = open_peer("cub", &peers);
    if (!cub) skip();
    assert_false(cub->on_cpu);
    const char *why = "", *number = cub->version(&why);
    assert_true(number[0] >= '2' && number[0] <= '9');
    static const kz_type types[] = {KZ_F32, KZ_F16, KZ_BF16, KZ_F64, KZ_I32};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        assert_string_equal(offer(cub, "reduce", "sum", types[i], 1 << 20), "DeviceReduce");
    assert_string_equal(offer(cub, "vector_add", "add", KZ_F32, 1 << 20), "DeviceTransform");
    assert_string_equal(offer(cub, "saxpy", "saxpy", KZ_F32, 1 << 20), "DeviceTransform");
    assert_string_equal(offer(cub, "elementwise", "silu", KZ_BF16, 1 << 20), "DeviceTransform");
    assert_string_equal(offer(cub, "warp", "sum", KZ_I32, 1 << 20), "WarpReduce, WarpScan");
    assert_string_equal(offer(cub, "atomics", "count", KZ_U32, 1 << 20), "DeviceHistogram");
    assert_null(offer(cub, "transpose", "transpose", KZ_F32, 4096));
    assert_null(offer(cub, "reduce", "sum", KZ_U8, 1 << 20));
    assert_null(offer(cub, "reduce", "sum", KZ_F32, 0));
    assert_null(offer(cub, "reduce", "sum", KZ_F32, INT64_C(1) << 31)); // past its 32-bit indices
    bench_peers_close(&peers);
}

static const char *offer_product(const kz_peer *peer, int64_t m, int64_t n, int64_t k) {
    const kz_peer_problem problem = {
        .family = "sgemm", .operation = "gemm", .type = KZ_F32, .axes = {m, n, k}};
    return peer->offers(&problem);
}

// A library is opened once in a process: this one has its own. What it could not be used for is in the row.
static void check_library(const char *name, const char *variable, const char *file, bool there,
                          const char *text) {
    char path[256];
    snprintf(path, sizeof path, PEERS_FOLDER "/libkz_peer_%s.so", name);
    if (access(path, R_OK) != 0) return;
    pid_t child = fork();
    if (child == 0) {
        setenv(variable, file, 1);
        bench_peers peers;
        const kz_peer *peer = open_peer(name, &peers);
        kz_peer_problem problem = {.family = "sgemm", .type = KZ_F32, .axes = {64, 64, 64}};
        if (strcmp(name, "cusparse") == 0) problem.family = "pagerank";
        if (strcmp(name, "cusparselt") == 0)
            problem.family = "gemm_sparse", problem.operation = "nt", problem.type = KZ_BF16;
        const char *why = "";
        kz_peer_plan plan = {0};
        if (!peer || !peer->offers(&problem)) _exit(1);
        if ((peer->version(&why) != NULL) != there) _exit(2);
        if (peer->prepare(&problem, &plan, &why) == 0 || !strstr(why, text)) _exit(3);
        if (peer->close) peer->close(&plan);
        base_text hint = {0}; // where the variable is wrong, no package helps
        bool missing = bench_rival_missing(bench_rival_find(name), &peers, &hint);
        if (missing && strncmp(why, variable, strlen(variable)) == 0 && strstr(hint.data, "install"))
            _exit(4);
        base_text_free(&hint);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("%s with %s: status %d", name, file, status);
}

static const struct called {
    const char *name, *variable, *first; // of the functions that it looks for
} called[] = {
    {"cublas", "KZ_CUBLAS", "cublasCreate_v2"},    {"openblas", "KZ_OPENBLAS", "openblas_get_config"},
    {"cublaslt", "KZ_CUBLASLT", "cublasLtCreate"}, {"cudnn", "KZ_CUDNN", "cudnnGetVersion"},
    {"cusparse", "KZ_CUSPARSE", "cusparseCreate"}, {"cusparselt", "KZ_CUSPARSELT", "cusparseLtInit"},
};

static void a_library_that_is_not_there_is_named(void **state) {
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(called); i++)
        check_library(called[i].name, called[i].variable, "/nowhere/lib.so", false,
                      "names no library (/nowhere/lib.so");
}

// FAKE_NVML is a library, and none of theirs.
static void a_library_that_is_too_old_says_what_it_lacks(void **state) {
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(called); i++)
        check_library(called[i].name, called[i].variable, FAKE_NVML, true, called[i].first);
}

// As PyTorch's packages lie beside the interpreter, whose link is not followed.
static void libraries_are_found_among_python_packages(void **state) {
    (void)state;
    char folder[] = "/tmp/kz_python_XXXXXX", path[128], interpreter[128], link[160];
    static const char *const parts[] = {"",
                                        "/bin",
                                        "/lib",
                                        "/lib/python3.12",
                                        "/lib/python3.12/site-packages",
                                        "/lib/python3.12/site-packages/nvidia",
                                        "/lib/python3.12/site-packages/nvidia/cu13",
                                        "/lib/python3.12/site-packages/nvidia/cu13/lib"};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 1; i < BASE_COUNT(parts); i++) {
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(link, sizeof link, "%s/libkz_of_nobody.so.7", path);
    assert_int_equal(symlink(FAKE_CUBLAS, link), 0);
    snprintf(interpreter, sizeof interpreter, "%s/bin/python", folder);
    setenv("KZ_PYTHON", interpreter, 1);
    int (*property)(int, int *) = NULL;
    const peer_symbol symbols[] = {{"cublasGetProperty", &property}};
    const peer_wanted wanted = {"KZ_OF_NOBODY", {"libkz_of_nobody.so.8", "libkz_of_nobody.so.7"}, symbols, 1};
    peer_library library = {0}, without = {0};
    const char *why = "";
    peer_library_open(&library, &wanted);
    assert_true(library.handle && property && peer_library_usable(&library, &why));
    peer_library_require(&library, "9.0", false);
    assert_true(peer_library_version(&library, &why) && !peer_library_usable(&library, &why));
    assert_non_null(strstr(why, "needs 9.0 or later"));
    setenv("KZ_PYTHON", "/nowhere/bin/python", 1);
    peer_library_open(&without, &wanted);
    assert_null(peer_library_version(&without, &why));
    assert_non_null(strstr(why, "libkz_of_nobody.so.8"));
    unsetenv("KZ_PYTHON");
    unlink(link);
    for (size_t i = BASE_COUNT(parts); i-- > 0;) {
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        assert_int_equal(rmdir(path), 0);
    }
}

static const float left[] = {1, 2, 3, /**/ 4, 5, 6},
                   right[] = {1, 0, 7, 2, /**/ 0, 1, 0, 0, /**/ 10, 100, 0, 1};
static const float product[] = {31, 302, 7, 5, /**/ 64, 605, 28, 14}; // 2 x 3 times 3 x 4

// By the last of its `algorithms`.
static void run_last(const kz_peer *peer, const kz_peer_problem *problem, const kz_ptr *buffers,
                     int algorithms) {
    const char *why = "";
    kz_peer_plan plan = {0};
    if (peer->prepare(problem, &plan, &why) != 0) fail_msg("%s", why);
    assert_int_equal(plan.algorithms, algorithms);
    plan.algorithm = algorithms - 1;
    void *workspace = malloc(plan.workspace_bytes + 1);
    const kz_peer_call call = {.buffers = buffers, .workspace = (kz_ptr)(uintptr_t)workspace};
    if (peer->run(problem, &plan, &call, &why) != 0) fail_msg("%s", why);
    free(workspace);
    if (peer->close) peer->close(&plan);
}

static void run(const kz_peer *peer, const kz_peer_problem *problem, const kz_ptr *buffers) {
    run_last(peer, problem, buffers, 1);
}

static void run_product_aligned(const kz_peer *peer, uint32_t alignment, int algorithms) {
    const kz_peer_problem problem = {
        .family = "sgemm", .type = KZ_F32, .axes = {2, 4, 3}, .alignment = alignment};
    float c[8] = {-1};
    run_last(peer, &problem,
             (const kz_ptr[]){(kz_ptr)(uintptr_t)left, (kz_ptr)(uintptr_t)right, (kz_ptr)(uintptr_t)c},
             algorithms);
    assert_memory_equal(c, product, sizeof c);
}
static void run_product(const kz_peer *peer, int algorithms) { run_product_aligned(peer, 0, algorithms); }

// Two rows of x by four of W, in bf16; W is the transpose of `right`.
static void run_tokens(const kz_peer *peer, int algorithms) {
    const kz_peer_problem problem = {
        .family = "gemv", .operation = "dense", .type = KZ_BF16, .axes = {2, 4, 3}};
    uint16_t x[6], w[12], y[8];
    for (uint64_t i = 0; i < 6; i++) kz_element_set(KZ_BF16, x, i, left[i]);
    for (uint64_t i = 0; i < 12; i++) kz_element_set(KZ_BF16, w, i, right[i % 3 * 4 + i / 3]);
    run_last(peer, &problem,
             (const kz_ptr[]){(kz_ptr)(uintptr_t)w, 0, (kz_ptr)(uintptr_t)x, (kz_ptr)(uintptr_t)y},
             algorithms);
    for (uint64_t i = 0; i < 8; i++) // 605 is no bf16: the fakes cut off
        assert_true(kz_element_get(KZ_BF16, y, i) == (product[i] == 605 ? 604 : product[i]));
}

// Every order, c in bf16 and in floats.
static void run_halves(const kz_peer *peer, int algorithms) {
    static const char *const orders[] = {"nn", "nt", "tn", "tt", "nn_f32", "tt_f32"};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        const kz_peer_problem problem = {
            .family = "hgemm", .operation = orders[o], .type = KZ_BF16, .axes = {2, 4, 3}};
        bool turn_a = orders[o][0] == 't', turn_b = orders[o][1] == 't', floats = orders[o][2];
        uint16_t a[6], b[12], c[16];
        for (uint64_t i = 0; i < 6; i++) kz_element_set(KZ_BF16, a, i, left[turn_a ? i % 2 * 3 + i / 2 : i]);
        for (uint64_t i = 0; i < 12; i++)
            kz_element_set(KZ_BF16, b, i, right[turn_b ? i % 3 * 4 + i / 3 : i]);
        run_last(peer, &problem,
                 (const kz_ptr[]){(kz_ptr)(uintptr_t)a, (kz_ptr)(uintptr_t)b, (kz_ptr)(uintptr_t)c},
                 algorithms);
        for (uint64_t i = 0; i < 8; i++)
            assert_true(kz_element_get(floats ? KZ_F32 : KZ_BF16, c, i) ==
                        (product[i] == 605 && !floats ? 604 : product[i]));
    }
}

static void run_saxpy(const kz_peer *peer) {
    const kz_arg args[] = {kz_arg_f32(10.0f)};
    const kz_peer_problem problem = {
        .family = "saxpy", .type = KZ_F32, .axes = {3}, .args = args, .arg_count = 1};
    float y[] = {5, 6, 7, 8};
    run(peer, &problem, (const kz_ptr[]){(kz_ptr)(uintptr_t)left, (kz_ptr)(uintptr_t)y});
    assert_memory_equal(y, ((const float[]){15, 26, 37, 8}), sizeof y);
}

static void run_transpose(const kz_peer *peer) {
    const kz_peer_problem problem = {.family = "transpose", .type = KZ_F32, .axes = {2, 3}};
    float out[6] = {-1};
    run(peer, &problem, (const kz_ptr[]){(kz_ptr)(uintptr_t)left, (kz_ptr)(uintptr_t)out});
    assert_memory_equal(out, ((const float[]){1, 4, 2, 5, 3, 6}), sizeof out);
}

static const char *no_version(const char **why) {
    *why = "libopenblas.so.0 is nowhere";
    return NULL;
}
static const char *some_version(const char **why) { return "0.3.21"; }

static void what_is_missing_is_reported(void **state) {
    (void)state;
    const bench_rival *cub = bench_rival_find("cub"), *openblas = bench_rival_find("openblas");
    base_text why = {0};
    kz_peer deaf = {.name = "openblas", .version = no_version},
            fine = {.name = "openblas", .version = some_version};
    bench_peers none = {0}, without = {.count = 1, .items = {&deaf}}, with = {.count = 1, .items = {&fine}};
    assert_null(bench_rival_find("nobody"));
    const kz_family both = {.rivals = (const char *const[]){"openblas", "cub", NULL}}, alone = {0};
    assert_true(bench_rival_does(openblas, &both, true) && !bench_rival_does(openblas, &both, false));
    assert_true(bench_rival_does(cub, &both, false) && !bench_rival_does(cub, &alone, false));
    assert_true(bench_rival_missing(cub, &none, &why));
    assert_non_null(strstr(why.data, "not built: `make peers`"));
    base_text_free(&why);
    assert_true(bench_rival_missing(openblas, &without, &why));
    assert_non_null(strstr(why.data, "libopenblas.so.0 is nowhere"));
    assert_non_null(strstr(why.data, "apt-get install libopenblas0-pthread"));
    base_text_free(&why);
    assert_false(bench_rival_missing(openblas, &with, &why));
    base_text_free(&why);
}

static void rivals_are_chosen_by_name(void **state) {
    bench_peers peers;
    kz_error error = {0};
    const char *const none[] = {"none"}, *const unknown[] = {"nobody"}, *const cub[] = {"cub"};
    setenv("KZ_PEERS", "/nowhere/at/all", 1);
    assert_int_equal(bench_peers_open_named(&peers, none, 1, true, &error), KZ_OK);
    assert_int_equal(bench_peers_open_named(&peers, NULL, 0, true, &error), KZ_OK);
    assert_int_equal(peers.count, 0);
    assert_int_equal(bench_peers_open_named(&peers, cub, 1, false, &error), KZ_OK); // known, and not needed
    assert_int_equal(bench_peers_open_named(&peers, unknown, 1, false, &error), KZ_NOT_FOUND);
    assert_int_equal(bench_peers_open_named(&peers, cub, 1, true, &error), KZ_OK); // not here: told of later
    assert_true(peers.chosen && !peers.count);
    const char *const wrong[] = {"cub", "cubb"}, *const mixed[] = {"cub", "none"};
    assert_int_equal(bench_peers_open_named(&peers, wrong, 2, true, &error),
                     KZ_NOT_FOUND); // one of several too
    assert_non_null(
        strstr(error.message, "there is no rival \"cubb\"\ndid you mean cub?\nallowed: a list of cub "));
    assert_int_equal(bench_peers_open_named(&peers, mixed, 2, true, &error), KZ_NOT_FOUND);
    assert_non_null(strstr(error.message, "none stands alone"));
    const kz_peer *blas = open_peer("openblas", &peers);
    if (!blas) skip();
    const char *const named[] = {"openblas"};
    assert_int_equal(bench_peers_open_named(&peers, named, 1, true, &error), KZ_OK);
    assert_int_equal(peers.count, 1);
    assert_string_equal(peers.items[0]->name, "openblas");
}

static void tf32_is_for_families_that_are_of_it(void **state) {
    (void)state;
    const kz_family of_tf32 = {.operations = (const char *const[]){"int8_nt", "tf32_nt", NULL}},
                    other = {.operations = (const char *const[]){"gemm", "tf32x3_nt", NULL}};
    assert_true(bench_is_of_tf32(&of_tf32));
    assert_false(bench_is_of_tf32(&other));
    unsetenv("NVIDIA_TF32_OVERRIDE");
    bench_keep_single_precision();
    assert_string_equal(getenv("NVIDIA_TF32_OVERRIDE"), "0");
    setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
    bench_keep_single_precision();
    assert_string_equal(getenv("NVIDIA_TF32_OVERRIDE"), "1");
    unsetenv("NVIDIA_TF32_OVERRIDE");
}

static void those_in_python_run_for_families_that_name_them(void **state) {
    bench_peers peers;
    bench_remote *picked[BENCH_REMOTES];
    kz_error error = {0};
    const kz_family named = {.rivals = (const char *const[]){"torch", NULL}}, alone = {0};
    const char *const torch[] = {"torch"}, *const own[] = {"tests/python/fake.py"}, *const none[] = {"no.py"};
    setenv("KZ_PEERS", PEERS_FOLDER, 1);
    assert_int_equal(bench_peers_open_named(&peers, torch, 1, true, &error), KZ_OK);
    assert_int_equal(peers.count, 0);
    assert_int_equal(peers.remote_count, 1);
    assert_int_equal(bench_peers_remotes(&peers, &alone, picked), 1); // somebody chose it
    assert_string_equal(bench_remote_name(picked[0]), "torch");
    peers.chosen = false;
    assert_int_equal(bench_peers_remotes(&peers, &named, picked), 1);
    assert_int_equal(bench_peers_remotes(&peers, &alone, picked), 0);
    bench_peers_close(&peers);
    assert_int_equal(bench_peers_open_named(&peers, own, 1, true, &error), KZ_OK);
    assert_int_equal(peers.remote_count, 1);
    assert_string_equal(bench_remote_name(peers.remotes[0]), "fake.py"); // until it says its own
    bench_peers_close(&peers);
    assert_int_equal(bench_peers_open_named(&peers, none, 1, true, &error), KZ_NOT_FOUND);
    assert_non_null(strstr(error.message, "no.py cannot be read"));
    bench_peers_close(&peers);
    base_text why = {0};
    assert_true(bench_rival_does(bench_rival_find("torch"), &named, true)); // on both kinds of device
    assert_true(bench_rival_does(bench_rival_find("torch"), &named, false));
    assert_true(bench_rival_missing(bench_rival_find("torch"), &peers, &why));
    assert_non_null(strstr(why.data, "not installed"));
    base_text_free(&why);
}

static const char *offer_sparse(const kz_peer *peer, kz_type type, int64_t m, int64_t n, int64_t k,
                                uint32_t alignment) {
    const kz_peer_problem problem = {
        .family = "gemm_sparse", .operation = "nt", .type = type, .axes = {m, n, k}, .alignment = alignment};
    return peer->offers(&problem);
}

static void cusparselt_says_what_it_offers(void **state) {
    bench_peers peers;
    const kz_peer *peer = open_peer("cusparselt", &peers);
    if (!peer) skip();
    assert_string_equal(offer_sparse(peer, KZ_BF16, 16, 8, 32, 0), "cusparseLtMatmul, a packed before");
    assert_non_null(offer_sparse(peer, KZ_F16, 8192, 8192, 8192, 16));
    assert_null(offer_sparse(peer, KZ_F32, 16, 8, 32, 0));
    assert_null(offer_sparse(peer, KZ_BF16, 24, 8, 32, 0));
    assert_null(offer_sparse(peer, KZ_BF16, 16, 4, 32, 0));
    assert_null(offer_sparse(peer, KZ_BF16, 16, 8, 24, 0));
    assert_null(offer_sparse(peer, KZ_BF16, 16, 8, 0, 0));
    assert_null(offer_sparse(peer, KZ_BF16, 16, 8, 32, 2)); // addresses that are no multiples of 16 bytes
    assert_true(peer->pack != NULL && !peer->on_cpu);
    bench_peers_close(&peers);
}

static void cublas_goes_by_rows(void **state) {
    (void)state;
    bench_peers peers;
    const char *why = "";
    setenv("KZ_CUBLAS", FAKE_CUBLAS, 1);
    const kz_peer *cublas = open_peer("cublas", &peers);
    if (!cublas) skip();
    assert_false(cublas->on_cpu);
    assert_string_equal(offer_product(cublas, 2, 4, 3), "cublasSgemm");
    assert_null(offer_product(cublas, 2, 4, 0));
    assert_null(offer_product(cublas, INT64_C(1) << 31, 4, 3)); // past its 32-bit sizes
    assert_null(offer(cublas, "reduce", "sum", KZ_F32, 64));
    run_product(cublas, 1);
    run_tokens(cublas, 1);
    run_halves(cublas, 1);
    assert_null(cublas->offers(
        &(kz_peer_problem){.family = "gemv", .operation = "int4", .type = KZ_BF16, .axes = {1, 8, 128}}));
    run_saxpy(cublas);
    run_transpose(cublas);
    // This one has no products in groups, as those before 12.5.
    const kz_peer_problem groups = {
        .family = "gemm", .operation = "nt_grouped", .type = KZ_BF16, .axes = {16, 8, 8, 4}};
    kz_peer_plan plan = {0};
    assert_string_equal(cublas->offers(&groups), "cublasGemmGroupedBatchedEx, sizes read before");
    assert_int_equal(cublas->prepare(&groups, &plan, &why), KZ_PEER_DOES_NOT);
    assert_non_null(strstr(why, "came with cuBLAS 12.5"));
    cublas->close(&plan);
    assert_string_equal(cublas->version(&why), "13.1.7");
    bench_peers_close(&peers);
}

// Of four that the heuristics give, one is none. The first does nothing, here.
static void cublaslt_has_several_algorithms(void **state) {
    (void)state;
    bench_peers peers;
    const char *why = "";
    setenv("KZ_CUBLASLT", FAKE_CUBLASLT, 1);
    const kz_peer *lt = open_peer("cublaslt", &peers);
    if (!lt) skip();
    assert_string_equal(offer_product(lt, 2, 4, 3), "cublasLtMatmul");
    assert_null(offer(lt, "saxpy", "saxpy", KZ_F32, 64));
    run_product(lt, 3);
    run_tokens(lt, 3);
    run_halves(lt, 3);
    run_product_aligned(lt, 4, 2); // one of them needs 16 bytes
    assert_string_equal(lt->version(&why), "13.1.7");
    bench_peers_close(&peers);
}

static void cudnn_runs_graphs(void **state) {
    (void)state;
    bench_peers peers;
    const char *why = "";
    float sums[6];
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    run_product(cudnn, 1); // the engine for tensor cores is left out, and the one without a plan
    setenv("FAKE_CUDNN_NARROW", "1", 1);
    run_product(cudnn, 1); // where there is no other it is taken
    unsetenv("FAKE_CUDNN_NARROW");
    const kz_ptr buffers[] = {(kz_ptr)(uintptr_t)left, (kz_ptr)(uintptr_t)left, (kz_ptr)(uintptr_t)sums},
                 reduced[] = {(kz_ptr)(uintptr_t)left, (kz_ptr)(uintptr_t)sums};
    run(cudnn, &(kz_peer_problem){.family = "vector_add", .type = KZ_F32, .axes = {6}}, buffers);
    assert_memory_equal(sums, ((const float[]){2, 4, 6, 8, 10, 12}), sizeof sums);
    run(cudnn, &(kz_peer_problem){.family = "reduce", .operation = "sum", .type = KZ_F32, .axes = {6}},
        reduced);
    assert_true(sums[0] == 21);
    run(cudnn,
        &(kz_peer_problem){.family = "reduce_axis", .operation = "sum", .type = KZ_F32, .axes = {1, 2, 3}},
        reduced);
    assert_memory_equal(sums, ((const float[]){5, 7, 9}), 3 * sizeof *sums);
    run(cudnn,
        &(kz_peer_problem){.family = "reduce_axis", .operation = "sum", .type = KZ_F32, .axes = {2, 3, 1}},
        reduced);
    assert_memory_equal(sums, ((const float[]){6, 15}), 2 * sizeof *sums);
    assert_null(offer(cudnn, "reduce", "argmax", KZ_F32, 64));
    assert_null(offer(cudnn, "reduce", "sum", KZ_F64, 64));
    assert_string_equal(cudnn->version(&why), "9.19.0");
    bench_peers_close(&peers);
}

static void assert_near(const float *actual, const float *expected, size_t count) {
    for (size_t i = 0; i < count; i++) assert_float_equal(actual[i], expected[i], 1e-5);
}

// Two rows of three. The gradients are y (dy - sum of y dy), and dy - exp(y) sum of dy of logarithms.
static void cudnn_softens(void **state) {
    (void)state;
    bench_peers peers;
    float x[] = {0, logf(2), logf(5), /**/ 90, 90, 90 + logf(2)}, dy[] = {8, 0, 16, /**/ 4, 8, 0}, out[6];
    float y[] = {0.125f, 0.25f, 0.625f, /**/ 0.25f, 0.25f, 0.5f}, logs[6];
    for (int i = 0; i < 6; i++) logs[i] = logf(y[i]);
    const float *const inputs[] = {x, x, y, logs};
    const float expected[][6] = {
        {0.125f, 0.25f, 0.625f, 0.25f, 0.25f, 0.5f},
        {logs[0], logs[1], logs[2], logs[3], logs[4], logs[5]},
        {-0.375f, -2.75f, 3.125f, 0.25f, 1.25f, -1.5f},
        {5, -6, 1, 1, 5, -6},
    };
    static const char *const names[] = {"softmax", "log_softmax", "backward", "log_backward"};
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    for (int i = 0; i < 4; i++) {
        const kz_ptr in = (kz_ptr)(uintptr_t)inputs[i], to = (kz_ptr)(uintptr_t)out;
        const kz_ptr forward[] = {in, to}, back[] = {in, (kz_ptr)(uintptr_t)dy, to};
        const kz_peer_problem problem = {
            .family = "softmax", .operation = names[i], .type = KZ_F32, .axes = {2, 1, 3}};
        run_last(cudnn, &problem, i < 2 ? forward : back, 2);
        assert_near(out, expected[i], 6);
    }
    kz_peer_problem other = {.family = "softmax", .operation = "masked", .type = KZ_BF16, .axes = {1, 2, 3}};
    assert_null(cudnn->offers(&other));
    other.operation = "causal";
    assert_null(cudnn->offers(&other));
    other.operation = "softmax";
    assert_string_equal(cudnn->offers(&other), "cudnnSoftmax");
    other.axes[1] = 1 << 30; // its tensors have less than 2^31 elements
    assert_null(cudnn->offers(&other));
    bench_peers_close(&peers);
}

// Forward rows (1, 3) and (2, 6) with epsilon 0: layernorm's are -1 and 1, over deviations of 1 and 2.
static void cudnn_normalises(void **state) {
    (void)state;
    bench_peers peers;
    float x[] = {1, 3, /**/ 2, 6}, scale[] = {2, 3}, bias[] = {10, 20}, y[4], mean[2], rstd[2];
    float x3[] = {1, 2, 3, /**/ 2, 4, 8}, scale3[] = {2, 3, 1}, dy[] = {1, 0, 0, /**/ 0, 1, 1}, dx[6],
          dscale[3], dbias[3];
#define AT(buffer) (kz_ptr)(uintptr_t)(buffer)
    const kz_ptr forward[] = {AT(x), AT(scale), AT(bias), AT(y), AT(mean), AT(rstd)},
                 back[] = {AT(dy), AT(x3), AT(scale3), AT(mean), AT(rstd), AT(dx), AT(dscale), AT(dbias)},
                 rms[] = {AT(x), AT(scale), AT(y)};
#undef AT
    const kz_arg args[] = {kz_arg_u64(2), kz_arg_u64(2), kz_arg_f32(0.0f)};
    kz_peer_problem problem = {.family = "layernorm",
                               .operation = "forward",
                               .type = KZ_F32,
                               .axes = {2, 2},
                               .args = args,
                               .arg_count = 3};
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    run(cudnn, &problem, forward);
    assert_near(y, (const float[]){8, 23, 8, 23}, 4);
    assert_near(mean, (const float[]){2, 4}, 2);
    assert_near(rstd, (const float[]){1, 0.5f}, 2);
    // With those means and deviations h = (-1, 0, 1) and (-1, 0, 2), and g = dy scale = (2, 0, 0) and (0, 3, 1), from
    // which their means (2/3, 4/3) are taken, and h times the means of g h (-2/3, 2/3).
    problem.operation = "backward", problem.axes[1] = 3;
    run(cudnn, &problem, back);
    assert_near(dx, (const float[]){2.0f / 3, -2.0f / 3, 0, -1.0f / 3, 5.0f / 6, -5.0f / 6}, 6);
    assert_near(dscale, (const float[]){-1, 0, 2}, 3);
    assert_near(dbias, (const float[]){1, 1, 1}, 3);
    problem.axes[1] = 2;
    problem.family = "rmsnorm", problem.operation = "rmsnorm"; // means of squares 5 and 20
    run(cudnn, &problem, rms);
    float root = 1 / sqrtf(5);
    assert_near(y, (const float[]){2 * root, 9 * root, 2 * root, 9 * root}, 4);
    problem.operation = "residual";
    assert_null(cudnn->offers(&problem));
    problem.operation = "fp8";
    assert_null(cudnn->offers(&problem));
    bench_peers_close(&peers);
}

// cuDNN's gradients of an RMS norm want what its forward pass kept, which the family's buffers do not have.
static void cudnn_keeps_deviations_before(void **state) {
    (void)state;
    bench_peers peers;
    float x[] = {1, 3, /**/ 2, 6}, scale[] = {2, 3}, dy[] = {1, 0, /**/ 0, 1}, dx[4], dscale[2], packed[2];
    const kz_arg args[] = {kz_arg_f32(0.0f)};
    const kz_peer_problem problem = {.family = "rmsnorm",
                                     .operation = "backward",
                                     .type = KZ_F32,
                                     .axes = {2, 2},
                                     .args = args,
                                     .arg_count = 1};
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    const kz_ptr buffers[] = {(kz_ptr)(uintptr_t)dy, (kz_ptr)(uintptr_t)x, (kz_ptr)(uintptr_t)scale,
                              (kz_ptr)(uintptr_t)dx, (kz_ptr)(uintptr_t)dscale};
    const char *why = "";
    kz_peer_plan plan = {0};
    if (cudnn->prepare(&problem, &plan, &why) != 0) fail_msg("%s", why);
    assert_int_equal(plan.packed_bytes, sizeof packed);
    char workspace[64];
    assert_true(plan.workspace_bytes <= sizeof workspace);
    const kz_peer_call call = {
        .buffers = buffers, .workspace = (kz_ptr)(uintptr_t)workspace, .packed = (kz_ptr)(uintptr_t)packed};
    if (cudnn->pack(&problem, &plan, &call, &why) != 0) fail_msg("%s", why);
    assert_near(packed, (const float[]){1 / sqrtf(5), 1 / sqrtf(20)}, 2);
    if (cudnn->run(&problem, &plan, &call, &why) != 0) fail_msg("%s", why);
    // h = (1, 3) / root 5 in both rows; g = (2, 0) and (0, 3); the means of g h are 1 / root 5 and 4.5 / root 5.
    float first = 1 / sqrtf(5), second = 1 / sqrtf(20);
    assert_near(dscale, (const float[]){first, 3 * first}, 2);
    assert_near(
        dx,
        (const float[]){first * (2 - 1.0f / 5), first * -3 / 5, second * -4.5f / 5, second * (3 - 13.5f / 5)},
        4);
    cudnn->close(&plan);
    bench_peers_close(&peers);
}

// Two heads that share one of the keys: 2 queries, 3 keys, 8 numbers each.
enum { ATTENDING = 2, QUERIES = 2, KEYS = 3, NUMBERS = 8 };

typedef struct attention {
    const char *operation;
    bool decodes; // one query, and a length as one of several padded sequences has
    int queries;
    double mask[QUERIES][KEYS]; // added, whatever it stands for
    uint16_t q[ATTENDING * QUERIES * NUMBERS], k[KEYS * NUMBERS], v[KEYS * NUMBERS], numbers[QUERIES * KEYS];
} attention;

// By the definition, in double.
static void attend(const attention *a, double *out, double *lse) {
    for (int row = 0; row < ATTENDING * a->queries; row++) {
        double weights[KEYS], sum = 0;
        for (int key = 0; key < KEYS; key++) {
            double score = a->mask[row % a->queries][key];
            for (int d = 0; d < NUMBERS; d++)
                score += 0.25 * kz_element_get(KZ_BF16, a->q, (uint64_t)(row * NUMBERS + d)) *
                         kz_element_get(KZ_BF16, a->k, (uint64_t)(key * NUMBERS + d));
            sum += weights[key] = exp(score);
        }
        lse[row] = log(sum);
        for (int d = 0; d < NUMBERS; d++) {
            double mean = 0;
            for (int key = 0; key < KEYS; key++)
                mean += weights[key] / sum * kz_element_get(KZ_BF16, a->v, (uint64_t)(key * NUMBERS + d));
            out[row * NUMBERS + d] = mean;
        }
    }
}

// A window of 2 keys, a length of 2, numbers to add.
static double mask_of(const char *operation, int query, int key) {
    bool window = strcmp(operation, "window") == 0, hidden = false;
    if (window || strcmp(operation, "causal") == 0) hidden = key > query + KEYS - QUERIES;
    if (window) hidden = hidden || key <= query + KEYS - QUERIES - 2;
    if (strcmp(operation, "padded") == 0 || strcmp(operation, "contiguous") == 0) hidden = key >= 2;
    if (strcmp(operation, "additive") == 0) return 0.5 * (query - key);
    return hidden ? (double)-INFINITY : 0;
}

static void make_attention(attention *a, const char *operation) {
    *a = (attention){.operation = operation, .decodes = strcmp(operation, "contiguous") == 0};
    a->queries = a->decodes ? 1 : QUERIES;
    for (uint64_t i = 0; i < BASE_COUNT(a->q); i++)
        kz_element_set(KZ_BF16, a->q, i, 0.25 * (double)(i * 7 % 11) - 1);
    for (uint64_t i = 0; i < BASE_COUNT(a->k); i++) {
        kz_element_set(KZ_BF16, a->k, i, 0.25 * (double)(i * 5 % 13) - 1.5);
        kz_element_set(KZ_BF16, a->v, i, 0.5 * (double)(i * 3 % 7) - 1);
    }
    for (int i = 0; i < QUERIES * KEYS; i++) {
        a->mask[i / KEYS][i % KEYS] = mask_of(operation, i / KEYS, i % KEYS);
        kz_element_set(KZ_BF16, a->numbers, (uint64_t)i, a->mask[i / KEYS][i % KEYS]);
    }
}

static void run_attention(const kz_peer *cudnn, const char *operation, bool with_lse) {
    attention a;
    make_attention(&a, operation);
    static const int32_t lengths[] = {2};
    uint16_t out[ATTENDING * QUERIES * NUMBERS];
    float lse[ATTENDING * QUERIES] = {0};
    double expected[ATTENDING * QUERIES * NUMBERS], expected_lse[ATTENDING * QUERIES];
    bool additive = strcmp(operation, "additive") == 0;
    bool more = additive || a.decodes || strcmp(operation, "padded") == 0;
    attend(&a, expected, expected_lse);
    const void *const dense[] = {a.q, a.k, a.v, out, lse};
    const void *const masked[] = {a.q, a.k, a.v, additive ? (const void *)a.numbers : lengths, out, lse};
    const int64_t axes[] = {1, ATTENDING, 1, a.queries, KEYS, NUMBERS};
    kz_ptr buffers[6];
    kz_arg args[14];
    size_t count = 4 + more + with_lse, arg_count = 0;
    for (size_t i = 0; i < count; i++) {
        buffers[i] = (kz_ptr)(uintptr_t)(more ? masked[i] : dense[i]);
        args[arg_count++] = kz_arg_buffer((uint32_t)i);
    }
    for (size_t i = 0; i < BASE_COUNT(axes); i++) args[arg_count++] = kz_arg_u64((uint64_t)axes[i]);
    args[arg_count++] = kz_arg_f32(0.25f);
    if (!a.decodes) args[arg_count++] = kz_arg_u64(strcmp(operation, "window") == 0 ? 2 : UINT64_C(1) << 62);
    kz_peer_problem problem = {.family = a.decodes ? "attention_decode" : "attention",
                               .operation = operation,
                               .type = KZ_BF16,
                               .args = args,
                               .arg_count = arg_count};
    memcpy(problem.axes, axes, sizeof axes);
    run_last(cudnn, &problem, buffers, 2);                    // tensor cores too, in a half type
    for (int i = 0; i < ATTENDING * a.queries * NUMBERS; i++) // the fake cuts off
        assert_float_equal(kz_element_get(KZ_BF16, out, (uint64_t)i), expected[i], 0.016);
    for (int i = 0; i < ATTENDING * a.queries; i++)
        assert_float_equal(lse[i], with_lse ? expected_lse[i] : 0, 1e-5);
}

enum { OF_Q = ATTENDING * QUERIES * NUMBERS, OF_K = KEYS * NUMBERS };

static double number(const uint16_t *of, int i) { return kz_element_get(KZ_BF16, of, (uint64_t)i); }

// p = exp(scores - lse), ds = p (dout v^T - rowsum(dout out)).
static void attend_back(const attention *a, const uint16_t *out, const uint16_t *dout, const float *lse,
                        double *dq, double *dk, double *dv) {
    for (int i = 0; i < OF_Q; i++) dq[i] = 0;
    for (int i = 0; i < OF_K; i++) dk[i] = dv[i] = 0;
    for (int row = 0; row < ATTENDING * QUERIES; row++)
        for (int key = 0; key < KEYS; key++) {
            double score = a->mask[row % QUERIES][key], dp = 0, delta = 0;
            for (int d = 0; d < NUMBERS; d++) {
                score += 0.25 * number(a->q, row * NUMBERS + d) * number(a->k, key * NUMBERS + d);
                dp += number(dout, row * NUMBERS + d) * number(a->v, key * NUMBERS + d);
                delta += number(dout, row * NUMBERS + d) * number(out, row * NUMBERS + d);
            }
            double weight = exp(score - (double)lse[row]), ds = weight * (dp - delta);
            for (int d = 0; d < NUMBERS; d++) {
                dq[row * NUMBERS + d] += 0.25 * ds * number(a->k, key * NUMBERS + d);
                dk[key * NUMBERS + d] += 0.25 * ds * number(a->q, row * NUMBERS + d);
                dv[key * NUMBERS + d] += weight * number(dout, row * NUMBERS + d);
            }
        }
}

static void assert_close(const uint16_t *actual, const double *expected, int count) { // the fake cuts off
    for (int i = 0; i < count; i++) assert_float_equal(number(actual, i), expected[i], 0.02);
}

static void run_attention_back(const kz_peer *cudnn, const char *operation) {
    attention a;
    make_attention(&a, operation);
    static const int32_t lengths[] = {2};
    uint16_t out[OF_Q], dout[OF_Q], dq[OF_Q], dk[OF_K], dv[OF_K];
    double forward[OF_Q], log_sums[ATTENDING * QUERIES], of_q[OF_Q], of_k[OF_K], of_v[OF_K];
    float lse[ATTENDING * QUERIES];
    bool additive = strcmp(operation, "additive") == 0, more = additive || strcmp(operation, "padded") == 0;
    attend(&a, forward, log_sums);
    for (int i = 0; i < OF_Q; i++) {
        kz_element_set(KZ_BF16, out, (uint64_t)i, forward[i]);
        kz_element_set(KZ_BF16, dout, (uint64_t)i, 0.25 * (i * 3 % 8) - 1);
    }
    for (int i = 0; i < ATTENDING * QUERIES; i++) lse[i] = (float)log_sums[i];
    attend_back(&a, out, dout, lse, of_q, of_k, of_v);
    const void *list[10] = {a.q, a.k, a.v, additive ? (const void *)a.numbers : lengths};
    const void *const rest[] = {out, dout, lse, dq, dk, dv};
    kz_ptr buffers[10];
    kz_arg args[18];
    size_t count = 3 + more + BASE_COUNT(rest), arg_count = 0;
    for (size_t i = 0; i < BASE_COUNT(rest); i++) list[3 + more + i] = rest[i];
    for (size_t i = 0; i < count; i++) {
        buffers[i] = (kz_ptr)(uintptr_t)list[i];
        args[arg_count++] = kz_arg_buffer((uint32_t)i);
    }
    args[arg_count++] = kz_arg_f32(0.25f);
    args[arg_count++] = kz_arg_u64(strcmp(operation, "window") == 0 ? 2 : UINT64_C(1) << 62);
    run_last(cudnn,
             &(kz_peer_problem){.family = "attention_backward",
                                .operation = operation,
                                .type = KZ_BF16,
                                .axes = {1, ATTENDING, 1, QUERIES, KEYS, NUMBERS},
                                .args = args,
                                .arg_count = arg_count},
             buffers, 2);
    assert_close(dq, of_q, OF_Q);
    assert_close(dk, of_k, OF_K);
    assert_close(dv, of_v, OF_K);
}

static void cudnn_goes_back(void **state) {
    (void)state;
    static const char *const operations[] = {"full", "causal", "window", "padded", "additive"};
    bench_peers peers;
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    for (size_t i = 0; i < BASE_COUNT(operations); i++) run_attention_back(cudnn, operations[i]);
    const kz_peer_problem problem = {
        .family = "attention_backward", .operation = "full", .type = KZ_BF16, .axes = {1, 4, 4, 8, 8, 64}};
    const char *why = "";
    kz_peer_plan plan = {0};
    setenv("FAKE_CUDNN_9_15", "1", 1);
    assert_int_equal(cudnn->prepare(&problem, &plan, &why), KZ_PEER_DOES_NOT);
    assert_non_null(strstr(why, "9.16 and later"));
    unsetenv("FAKE_CUDNN_9_15");
    cudnn->close(&plan);
    bench_peers_close(&peers);
}

static void cudnn_attends(void **state) {
    (void)state;
    static const char *const operations[] = {"full", "causal", "window", "padded", "additive", "contiguous"};
    bench_peers peers;
    setenv("KZ_CUDNN", FAKE_CUDNN, 1);
    const kz_peer *cudnn = open_peer("cudnn", &peers);
    if (!cudnn) skip();
    for (size_t i = 0; i < 2 * BASE_COUNT(operations); i++) run_attention(cudnn, operations[i / 2], i % 2);
    kz_peer_problem other = {
        .family = "attention", .operation = "packed", .type = KZ_BF16, .axes = {1, 4, 2, 8, 8, 64}};
    assert_null(cudnn->offers(&other));
    other.operation = "causal";
    assert_non_null(cudnn->offers(&other));
    other.axes[3] = 9; // its first query would see nothing
    assert_null(cudnn->offers(&other));
    other.operation = "full", other.axes[2] = 3; // heads that are not shared evenly
    assert_null(cudnn->offers(&other));
    other = (kz_peer_problem){.family = "attention_decode",
                              .operation = "contiguous",
                              .type = KZ_BF16,
                              .axes = {1, 4, 2, 1, 8, 64}};
    assert_non_null(cudnn->offers(&other));
    other.axes[3] = 2; // of several the first do not see the whole length
    assert_null(cudnn->offers(&other));
    bench_peers_close(&peers);
}

static void an_older_version_is_reported(void **state) {
    (void)state;
    setenv("FAKE_CUDNN_OLD", "1", 1);
    setenv("FAKE_CUBLASLT_OLD", "1", 1);
    check_library("cudnn", "KZ_CUDNN", FAKE_CUDNN, true, "version 8.9.7 of the library is too old");
    check_library("cublaslt", "KZ_CUBLASLT", FAKE_CUBLASLT, true, "version 11.5.1 of the library is too old");
    unsetenv("FAKE_CUDNN_OLD");
    unsetenv("FAKE_CUBLASLT_OLD");
}

// cuDNN itself would abort.
static void a_part_of_a_library_that_is_broken_is_reported(void **state) {
    (void)state;
    char folder[] = "/tmp/kz_cudnn_XXXXXX", shell[64], part[64];
    assert_non_null(mkdtemp(folder));
    snprintf(shell, sizeof shell, "%s/libcudnn.so.9", folder);
    snprintf(part, sizeof part, "%s/libcudnn_graph.so.9", folder);
    assert_int_equal(symlink(FAKE_CUDNN, shell), 0);
    FILE *file = fopen(part, "w");
    assert_non_null(file);
    fputs("no library", file);
    fclose(file);
    check_library("cudnn", "KZ_CUDNN", shell, false, "a part of it cannot be opened");
    unlink(part), unlink(shell), rmdir(folder);
}

static void openblas_goes_by_rows(void **state) {
    (void)state;
    bench_peers peers;
    const char *why = "";
    const kz_peer *blas = open_peer("openblas", &peers);
    if (!blas) skip();
    assert_true(blas->on_cpu);
    assert_null(offer(blas, "reduce", "sum", KZ_F32, 64));
    assert_null(offer_product(blas, 0, 64, 64));
    if (!blas->version(&why)) skip(); // the library is an option
    run_product(blas, 1);
    run_saxpy(blas);
    run_transpose(blas);
    bench_peers_close(&peers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_folder_is_no_peer),
        cmocka_unit_test(a_file_that_is_no_library_is_named),
        cmocka_unit_test(cub_says_what_it_offers),
        cmocka_unit_test(a_library_that_is_not_there_is_named),
        cmocka_unit_test(a_library_that_is_too_old_says_what_it_lacks),
        cmocka_unit_test(libraries_are_found_among_python_packages),
        cmocka_unit_test(what_is_missing_is_reported),
        cmocka_unit_test(rivals_are_chosen_by_name),
        cmocka_unit_test(tf32_is_for_families_that_are_of_it),
        cmocka_unit_test(those_in_python_run_for_families_that_name_them),
        cmocka_unit_test(cusparselt_says_what_it_offers),
        cmocka_unit_test(cublas_goes_by_rows),
        cmocka_unit_test(openblas_goes_by_rows),
        cmocka_unit_test(an_older_version_is_reported), // before theirs is opened here
        cmocka_unit_test(a_part_of_a_library_that_is_broken_is_reported),
        cmocka_unit_test(cublaslt_has_several_algorithms),
        cmocka_unit_test(cudnn_runs_graphs),
        cmocka_unit_test(cudnn_softens),
        cmocka_unit_test(cudnn_normalises),
        cmocka_unit_test(cudnn_keeps_deviations_before),
        cmocka_unit_test(cudnn_attends),
        cmocka_unit_test(cudnn_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
