// A generation's attention: each step puts a key and a value into the cache and launches one and the same graph, which reads
// on the device how long the cache is. On the best device there is, or on the one named: ./decode sim
//
//     cc decode.c -o decode $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/ops/attention_decode.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum { STEPS = 10, KEYS = 64, D = 32 };

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_stream *stream = NULL;
    kz_graph *graph = NULL;
    kz_operation *decode = NULL;
    kz_ptr q = 0, k = 0, v = 0, out = 0, lengths = 0, workspace = 0;
    int code = 1;
    float row[D], result[D];
    const kz_attention_decode_shape shape = {.size = sizeof shape,
                                             .batch = 1,
                                             .heads = 1,
                                             .kv_heads = 1,
                                             .queries = 1,
                                             .keys = KEYS,
                                             .dimension = D};

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_stream_open(device, &stream, &error)); // the default stream cannot be recorded
    CHECK(kz_memory_alloc(device, sizeof row, &q, &error));
    CHECK(kz_memory_alloc(device, KEYS * sizeof row, &k, &error));
    CHECK(kz_memory_alloc(device, KEYS * sizeof row, &v, &error));
    CHECK(kz_memory_alloc(device, sizeof row, &out, &error));
    CHECK(kz_memory_alloc(device, sizeof(int), &lengths, &error));
    CHECK(kz_memory_fill(device, stream, q, 0, sizeof row, &error)); // all weights are equal

    CHECK(kz_attention_decode_open(device, KZ_ATTENTION_DECODE_CONTIGUOUS, KZ_F32, &shape, NULL, &decode,
                                   &error));
    uint64_t bytes = kz_operation_workspace(decode);
    if (bytes) CHECK(kz_memory_alloc(device, bytes, &workspace, &error));
    const kz_attention_decode_buffers buffers = {
        .size = sizeof buffers, .q = q, .k = k, .v = v, .lengths = lengths, .out = out};
    CHECK(kz_stream_synchronize(device, stream, &error));
    CHECK(kz_graph_begin(device, stream, &error));
    CHECK(kz_attention_decode_run(decode, stream, &buffers, workspace, bytes, &error)); // recorded, not run
    CHECK(kz_graph_end(device, stream, &graph, &error));

    for (int length = 1; length <= STEPS; length++) {
        size_t at = (size_t)(length - 1) * sizeof row;
        for (int d = 0; d < D; d++) row[d] = (float)length;
        CHECK(kz_copy_to_device(device, stream, k + at, row, sizeof row, &error));
        CHECK(kz_copy_to_device(device, stream, v + at, row, sizeof row, &error));
        CHECK(kz_copy_to_device(device, stream, lengths, &length, sizeof length, &error));
        CHECK(kz_graph_launch(device, graph, stream, &error));
        CHECK(kz_copy_to_host(device, stream, result, out, sizeof result, &error));
        CHECK(kz_stream_synchronize(device, stream, &error));
    }
    printf("step %d of one graph: the mean of 1 to %d is %g, by %s on %s\n", STEPS, STEPS,
           (double)result[D - 1], kz_operation_variant(decode), kz_device_get_info(device)->name);
    code = 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_graph_close(graph);
        kz_operation_close(decode);
        kz_memory_free(device, workspace, NULL);
        kz_memory_free(device, lengths, NULL);
        kz_memory_free(device, out, NULL);
        kz_memory_free(device, v, NULL);
        kz_memory_free(device, k, NULL);
        kz_memory_free(device, q, NULL);
        kz_stream_close(stream);
        kz_device_close(device);
    }
    return code;
}
