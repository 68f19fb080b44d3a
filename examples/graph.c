// A graph: an operation's plan is recorded once and launched many times, for the price of one launch each. On
// the best device there is, or on the one named: ./graph sim
//
//     cc graph.c -o graph $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/ops/vector_add.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

int main(int argc, char **argv) {
    enum { N = 1000, TIMES = 10 };
    kz_error error = {0};
    kz_device *device = NULL;
    kz_stream *stream = NULL;
    kz_graph *graph = NULL;
    kz_operation *add = NULL;
    kz_ptr x = 0, sum = 0;
    float ones[N], result[N];
    int code = 1;
    for (int i = 0; i < N; i++) ones[i] = 1;

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_stream_open(device, &stream, &error)); // the default stream cannot be recorded
    CHECK(kz_memory_alloc(device, sizeof ones, &x, &error));
    CHECK(kz_memory_alloc(device, sizeof ones, &sum, &error));
    CHECK(kz_copy_to_device(device, stream, x, ones, sizeof ones, &error));
    CHECK(kz_memory_fill(device, stream, sum, 0, sizeof ones, &error));
    CHECK(kz_vector_add_open(device, KZ_F32, N, NULL, &add, &error));
    CHECK(kz_stream_synchronize(device, stream, &error));

    CHECK(kz_graph_begin(device, stream, &error));
    CHECK(kz_vector_add_run(add, stream, sum, x, sum, &error)); // recorded, not run
    CHECK(kz_graph_end(device, stream, &graph, &error));
    for (int i = 0; i < TIMES; i++) CHECK(kz_graph_launch(device, graph, stream, &error));
    CHECK(kz_copy_to_host(device, stream, result, sum, sizeof result, &error));
    CHECK(kz_stream_synchronize(device, stream, &error));
    printf("%d launches: %g\n", TIMES, (double)result[N - 1]);
    code = 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    kz_graph_close(graph);
    kz_operation_close(add);
    kz_memory_free(device, x, NULL);
    kz_memory_free(device, sum, NULL);
    kz_stream_close(stream);
    kz_device_close(device);
    return code;
}
