// A product with pruned weights: packs a on the host, two of every four, and multiplies on the best device there is, or on
// the one named: ./gemm_sparse sim
//
//     cc gemm_sparse.c -o gemm_sparse $(pkg-config --cflags --libs kz)
#include <stdio.h>
#include <stdlib.h>

#include "kz/ops/gemm_sparse.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum { M = 16, N = 32, K = 64 };

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *product = NULL;
    kz_ptr memory = 0;
    int code = 1;
    static float weights[M * K];
    static uint16_t b[N * K], c[M * N];
    size_t value_bytes = kz_gemm_sparse_values(M, K) * 2, word_bytes = kz_gemm_sparse_words(M, K) * 4;
    uint16_t *values = malloc(value_bytes);
    uint32_t *metadata = malloc(word_bytes);
    if (!values || !metadata) return 1;
    for (int i = 0; i < M * K; i++) weights[i] = (float)(i % 4); // 0 1 2 3: 2 and 3 are kept
    for (int i = 0; i < N * K; i++) b[i] = 0x3f80;               // 1 in bf16

    // One allocation: values, metadata, b and c, each aligned to 16 bytes.
    kz_ptr metadata_at = value_bytes, b_at = metadata_at + word_bytes, c_at = b_at + sizeof b;
    CHECK(kz_gemm_sparse_pack(KZ_BF16, M, K, weights, values, metadata, &error));
    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, c_at + sizeof c, &memory, &error));
    CHECK(kz_copy_to_device(device, NULL, memory, values, value_bytes, &error));
    CHECK(kz_copy_to_device(device, NULL, memory + metadata_at, metadata, word_bytes, &error));
    CHECK(kz_copy_to_device(device, NULL, memory + b_at, b, sizeof b, &error));

    CHECK(kz_gemm_sparse_open(device, KZ_BF16, M, N, K, NULL, &product, &error));
    CHECK(kz_gemm_sparse_run(product, NULL, memory, memory + metadata_at, memory + b_at, memory + c_at, 0, 0,
                             &error));
    CHECK(kz_copy_to_host(device, NULL, c, memory + c_at, sizeof c, &error));
    CHECK(kz_device_synchronize(device, &error));
    union {
        uint32_t bits;
        float value;
    } result = {(uint32_t)c[0] << 16}; // a bf16 is the high half of a float
    printf("each element is %.0f, by %s on %s\n", (double)result.value, kz_operation_variant(product),
           kz_device_get_info(device)->name);
    code = 0;

failed:
    if (code != 0) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_operation_close(product);
        kz_memory_free(device, memory, NULL);
        kz_device_close(device);
    }
    free(values), free(metadata);
    return code;
}
