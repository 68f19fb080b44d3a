// Peers: what lies in their folder is opened, what is none is refused, no folder is no error. The real one,
// CUB, is opened where it was built: without a GPU it still says what it offers.
#include "bench/peers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    if (access(PEERS_FOLDER "/libkz_peer_cub.so", R_OK) != 0) skip();
    bench_peers peers;
    setenv("KZ_PEERS", PEERS_FOLDER, 1);
    assert_int_equal(bench_peers_open(&peers, NULL), KZ_OK);
    assert_int_equal(peers.count, 1);
    const kz_peer *cub = peers.items[0];
    assert_string_equal(cub->name, "cub");
    assert_true(cub->version[0] >= '2' && cub->version[0] <= '9');
    static const kz_type types[] = {KZ_F32, KZ_F16, KZ_BF16, KZ_F64, KZ_I32};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        assert_string_equal(offer(cub, "reduce", "sum", types[i], 1 << 20), "DeviceReduce");
    assert_string_equal(offer(cub, "vector_add", "add", KZ_F32, 1 << 20), "DeviceTransform");
    assert_string_equal(offer(cub, "saxpy", "saxpy", KZ_F32, 1 << 20), "DeviceTransform");
    assert_string_equal(offer(cub, "elementwise", "silu", KZ_BF16, 1 << 20), "DeviceTransform");
    assert_null(offer(cub, "transpose", "transpose", KZ_F32, 4096));
    assert_null(offer(cub, "reduce", "sum", KZ_U8, 1 << 20));
    assert_null(offer(cub, "reduce", "sum", KZ_F32, 0));
    assert_null(offer(cub, "reduce", "sum", KZ_F32, INT64_C(1) << 31)); // past its 32-bit indices
    bench_peers_close(&peers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_folder_is_no_peer),
        cmocka_unit_test(a_file_that_is_no_library_is_named),
        cmocka_unit_test(cub_says_what_it_offers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
