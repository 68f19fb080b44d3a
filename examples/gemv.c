// A linear layer for one token, with weights of 4 bits: packs W on the host, multiplies on the best device there is, or on the
// one named: ./gemv sim
//
//     cc gemv.c -o gemv $(pkg-config --cflags --libs kz)
#include <stdio.h>
#include <stdlib.h>

#include "kz/ops/gemv.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum { N = 64, K = 256, SCALES = N * K / KZ_GEMV_GROUP };

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *gemv = NULL;
    kz_ptr memory = 0;
    int code = 1;
    static float weights[N * K];
    static uint16_t scale[SCALES], x[K], y[N];
    size_t bytes = kz_gemv_bytes(KZ_GEMV_INT4, N, K);
    uint8_t *w = malloc(bytes);
    if (!w) return 1;
    for (int i = 0; i < N * K; i++) weights[i] = (float)(i / K % 7 + 1); // row j is j % 7 + 1 everywhere
    for (int i = 0; i < K; i++) x[i] = 0x3f80;                           // 1 in bf16

    // One allocation: W, its scales, x and y, each aligned to 16 bytes.
    kz_ptr scale_at = bytes, x_at = scale_at + sizeof scale, y_at = x_at + sizeof x;
    CHECK(kz_gemv_pack(KZ_GEMV_INT4, KZ_BF16, N, K, weights, w, scale, &error));
    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, y_at + sizeof y, &memory, &error));
    CHECK(kz_copy_to_device(device, NULL, memory, w, bytes, &error));
    CHECK(kz_copy_to_device(device, NULL, memory + scale_at, scale, sizeof scale, &error));
    CHECK(kz_copy_to_device(device, NULL, memory + x_at, x, sizeof x, &error));

    CHECK(kz_gemv_open(device, KZ_GEMV_INT4, KZ_BF16, 1, N, K, NULL, &gemv, &error));
    CHECK(kz_gemv_run(gemv, NULL, memory, memory + scale_at, memory + x_at, memory + y_at, &error));
    CHECK(kz_copy_to_host(device, NULL, y, memory + y_at, sizeof y, &error));
    CHECK(kz_device_synchronize(device, &error));
    union {
        uint32_t bits;
        float value;
    } result = {(uint32_t)y[6] << 16}; // a bf16 is the high half of a float
    printf("row 6 is %.0f, by %s on %s\n", (double)result.value, kz_operation_variant(gemv),
           kz_device_get_info(device)->name);
    code = 0;

failed:
    if (code != 0) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_operation_close(gemv);
        kz_memory_free(device, memory, NULL);
        kz_device_close(device);
    }
    free(w);
    return code;
}
