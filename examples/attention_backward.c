// A training step's attention: forward with log-sum-exps, then backward. 4 query heads share 2 heads of keys and values. On the best
// device there is, or on the one named: ./attention_backward sim
//
//     cc attention_backward.c -o attention_backward $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/ops/attention.h"
#include "kz/ops/attention_backward.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum {
    HEADS = 4,
    KV_HEADS = 2,
    TOKENS = 9,
    DIM = 64,
    Q = HEADS * TOKENS * DIM,
    KV = KV_HEADS * TOKENS * DIM,
    LSE = HEADS * TOKENS,
    ALL = 4 * Q + 4 * KV + LSE // q, k, v, dout; out, lse; dq, dk, dv
};

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *forward = NULL, *backward = NULL;
    kz_ptr memory = 0, workspace = 0;
    int code = 1;
    static float host[ALL];
    // Keys are alike, so that a token's weights are too; each result has the gradient 1.
    for (int i = 0; i < Q; i++) host[i] = (float)(i % 5) - 2.0f, host[Q + 2 * KV + i] = 1.0f;
    for (int i = 0; i < KV; i++) host[Q + KV + i] = (float)(i % 7);
    const kz_attention_shape shape = {.size = sizeof shape,
                                      .batch = 1,
                                      .heads = HEADS,
                                      .kv_heads = KV_HEADS,
                                      .queries = TOKENS,
                                      .keys = TOKENS,
                                      .dimension = DIM,
                                      .lse = true};

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, sizeof host, &memory, &error));
    CHECK(kz_copy_to_device(device, NULL, memory, host, sizeof host, &error));
    kz_attention_backward_buffers buffers = {.size = sizeof buffers, .q = memory};
    buffers.k = buffers.q + Q * sizeof(float);
    buffers.v = buffers.k + KV * sizeof(float);
    buffers.dout = buffers.v + KV * sizeof(float);
    buffers.out = buffers.dout + Q * sizeof(float);
    buffers.lse = buffers.out + Q * sizeof(float);
    buffers.dq = buffers.lse + LSE * sizeof(float);
    buffers.dk = buffers.dq + Q * sizeof(float);
    buffers.dv = buffers.dk + KV * sizeof(float);
    const kz_attention_buffers first = {.size = sizeof first,
                                        .q = buffers.q,
                                        .k = buffers.k,
                                        .v = buffers.v,
                                        .out = buffers.out,
                                        .lse = buffers.lse};

    CHECK(kz_attention_open(device, KZ_ATTENTION_CAUSAL, KZ_F32, &shape, NULL, &forward, &error));
    CHECK(kz_attention_backward_open(device, KZ_ATTENTION_CAUSAL, KZ_F32, &shape, KZ_DETERMINISTIC, &backward,
                                     &error));
    uint64_t bytes = kz_operation_workspace(forward), needed = kz_operation_workspace(backward);
    if (bytes < needed) bytes = needed; // one after the other they may share it
    CHECK(kz_memory_alloc(device, bytes, &workspace, &error));
    CHECK(kz_attention_run(forward, NULL, &first, workspace, bytes, &error));
    CHECK(kz_attention_backward_run(backward, NULL, &buffers, workspace, bytes, &error));
    CHECK(kz_copy_to_host(device, NULL, host, memory, sizeof host, &error));
    CHECK(kz_device_synchronize(device, &error));

    // Weights of a token add up to 1: so do its parts of dv, and a column of dv to the tokens of the heads that share it. Keys are 0,
    // and so is dq.
    const float *dq = host + ALL - Q - 2 * KV, *dv = host + ALL - KV;
    float column = 0.0f, largest = 0.0f;
    for (int token = 0; token < TOKENS; token++) column += dv[token * DIM];
    for (int i = 0; i < Q; i++) largest = dq[i] > largest ? dq[i] : largest;
    printf("a column of dv adds up to %.3f, dq's largest is %.3f; by %s on %s\n", (double)column,
           (double)largest, kz_operation_variant(backward), kz_device_get_info(device)->name);
    code = 0;

failed:
    if (code != 0) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_operation_close(backward);
        kz_operation_close(forward);
        kz_memory_free(device, workspace, NULL);
        kz_memory_free(device, memory, NULL);
        kz_device_close(device);
    }
    return code;
}
