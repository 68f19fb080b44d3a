// Turns queries and keys in place by the angles of their positions, and back, on the best device there is, or on the one
// named: ./rope sim
//
//     cc rope.c -o rope $(pkg-config --cflags --libs kz) -lm
#include <stdio.h>

#include "kz/ops/rope.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum {
    TOKENS = 4,
    Q_HEADS = 2,
    K_HEADS = 1,
    DIM = 8,
    Q = TOKENS * Q_HEADS * DIM,
    K = TOKENS * K_HEADS * DIM
};

static float larger(float most, float difference) {
    float size = difference < 0.0f ? -difference : difference;
    return size > most ? size : most;
}

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *forward = NULL, *backward = NULL;
    kz_ptr q = 0, k = 0, at = 0, workspace = 0;
    int code = 1;
    static float heads[Q + K], turned[Q + K], back[Q + K];
    const int positions[TOKENS] = {0, 1, 1000000, 1000001}; // of two sequences
    const kz_rope_shape shape = {.size = sizeof shape,
                                 .batch = 2,
                                 .sequence = 2,
                                 .q_heads = Q_HEADS,
                                 .k_heads = K_HEADS,
                                 .dim = DIM,
                                 .rotary = DIM,
                                 .theta = 10000.0f};
    for (int i = 0; i < Q + K; i++) heads[i] = (float)(i % 7) - 3.0f;

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, sizeof heads, &q, &error));
    CHECK(kz_memory_alloc(device, sizeof positions, &at, &error));
    k = q + Q * sizeof(float);
    CHECK(kz_copy_to_device(device, NULL, q, heads, sizeof heads, &error));
    CHECK(kz_copy_to_device(device, NULL, at, positions, sizeof positions, &error));

    CHECK(kz_rope_open(device, KZ_ROPE_HALVES, KZ_F32, &shape, NULL, &forward, &error));
    CHECK(kz_rope_open(device, KZ_ROPE_HALVES_BACKWARD, KZ_F32, &shape, NULL, &backward, &error));
    uint64_t bytes = kz_operation_workspace(forward); // the backward pass is the same kernels
    CHECK(kz_memory_alloc(device, bytes, &workspace, &error));
    CHECK(kz_rope_run(forward, NULL, q, k, at, q, k, workspace, bytes, &error));
    CHECK(kz_copy_to_host(device, NULL, turned, q, sizeof turned, &error));
    CHECK(kz_rope_run(backward, NULL, q, k, at, q, k, workspace, bytes, &error));
    CHECK(kz_copy_to_host(device, NULL, back, q, sizeof back, &error));
    CHECK(kz_device_synchronize(device, &error));
    float moved = 0.0f, off = 0.0f;
    for (int i = 0; i < Q + K; i++) {
        moved = larger(moved, turned[i] - heads[i]);
        off = larger(off, back[i] - heads[i]);
    }
    printf("turned by up to %.1f, and %s, by %s on %s\n", (double)moved,
           off < 1e-5f ? "back again" : "not back", kz_operation_variant(forward),
           kz_device_get_info(device)->name);
    code = 0;

failed:
    if (code != 0) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_operation_close(backward);
        kz_operation_close(forward);
        kz_memory_free(device, workspace, NULL);
        kz_memory_free(device, at, NULL);
        kz_memory_free(device, q, NULL);
        kz_device_close(device);
    }
    return code;
}
