// Attention of a prompt: 4 query heads share 2 heads of keys and values, and each token sees itself and those before it. On the
// best device there is, or on the one named: ./attention sim
//
//     cc attention.c -o attention $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/ops/attention.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum {
    HEADS = 4,
    KV_HEADS = 2,
    TOKENS = 9,
    DIM = 64,
    Q = HEADS * TOKENS * DIM,
    KV = KV_HEADS * TOKENS * DIM,
    LSE = HEADS * TOKENS
};

// All keys are alike, so a token's result is the mean of the values up to its own; a value says its head and its token.
static int count_wrong(const float *out) {
    int wrong = 0;
    for (int i = 0; i < Q; i++) {
        int head = i / (TOKENS * DIM), token = i / DIM % TOKENS;
        float off = out[i] - (float)(100 * (head / (HEADS / KV_HEADS))) - 0.5f * (float)token;
        wrong += !(off < 1e-4f && off > -1e-4f);
    }
    return wrong;
}

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *attention = NULL;
    kz_ptr memory = 0, workspace = 0;
    int code = 1;
    static float host[Q + 2 * KV], out[Q + LSE]; // q, k, v
    for (int i = 0; i < Q + KV; i++) host[i] = i < Q ? (float)(i % 5) - 2.0f : 0.0f;
    for (int i = 0; i < KV; i++) host[Q + KV + i] = (float)(100 * (i / (TOKENS * DIM)) + i / DIM % TOKENS);
    const kz_attention_shape shape = {.size = sizeof shape,
                                      .batch = 1,
                                      .heads = HEADS,
                                      .kv_heads = KV_HEADS,
                                      .queries = TOKENS,
                                      .keys = TOKENS,
                                      .dimension = DIM,
                                      .lse = true};

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, sizeof host + sizeof out, &memory, &error));
    CHECK(kz_copy_to_device(device, NULL, memory, host, sizeof host, &error));
    kz_attention_buffers buffers = {.size = sizeof buffers, .q = memory};
    buffers.k = buffers.q + Q * sizeof(float);
    buffers.v = buffers.k + KV * sizeof(float);
    buffers.out = buffers.v + KV * sizeof(float);
    buffers.lse = buffers.out + Q * sizeof(float);

    CHECK(kz_attention_open(device, KZ_ATTENTION_CAUSAL, KZ_F32, &shape, NULL, &attention, &error));
    uint64_t bytes = kz_operation_workspace(attention);
    CHECK(kz_memory_alloc(device, bytes, &workspace, &error));
    CHECK(kz_attention_run(attention, NULL, &buffers, workspace, bytes, &error));
    CHECK(kz_copy_to_host(device, NULL, out, buffers.out, sizeof out, &error));
    CHECK(kz_device_synchronize(device, &error));
    int wrong = count_wrong(out);

    // The same by the buffers' names, as they are called in `kz info attention`: for programs that know them at run time.
    const kz_named_buffer named[] = {
        {"q", buffers.q}, {"k", buffers.k}, {"v", buffers.v}, {"out", buffers.out}, {"lse", buffers.lse}};
    CHECK(kz_operation_run_named(attention, NULL, named, sizeof named / sizeof *named, workspace, bytes,
                                 &error));
    CHECK(kz_copy_to_host(device, NULL, out, buffers.out, sizeof out, &error));
    CHECK(kz_device_synchronize(device, &error));
    wrong += count_wrong(out);
    printf("%d wrong; the last token sees e^%.3f = 9 keys; by %s on %s\n", wrong, (double)out[Q + LSE - 1],
           kz_operation_variant(attention), kz_device_get_info(device)->name);
    code = wrong != 0;

failed:
    if (code != 0) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_operation_close(attention);
        kz_memory_free(device, workspace, NULL);
        kz_memory_free(device, memory, NULL);
        kz_device_close(device);
    }
    return code;
}
