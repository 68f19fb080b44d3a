// Peers: what lies in their folder is opened, what is none is refused, no folder is no error. The real one,
// CUB, is opened where it was built: without a GPU it still says what it offers. cuBLAS and OpenBLAS are
// small libraries that open others. How those are found is library.h's.
#include "bench/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/peers_test.h"
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
