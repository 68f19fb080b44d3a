// Streams: a sum in one stream, a second one in another once an event says that the first is there, and a stream
// of somebody else's. On the best device there is, or on the one named: ./streams sim
//
//     cc streams.c -o streams $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/ops/vector_add.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

// A library that brings its own CUstream (cuDNN, PyTorch, ...) hands it over like this; what is enqueued in
// ours then runs in order with what it enqueues. Here the stream is one of kz's own, seen by its handle.
static kz_status use_theirs(kz_device *device, void *their_stream, kz_ptr x, kz_error *error) {
    kz_stream *ours;
    kz_status status = kz_stream_wrap(device, their_stream, &ours, error);
    if (status == KZ_UNSUPPORTED) {
        printf("no foreign streams here: %s\n", error->message);
        return KZ_OK;
    }
    if (status != KZ_OK) return status;
    status = kz_memory_fill(device, ours, x, 0, sizeof(float), error);
    kz_stream_close(ours); // theirs stays open
    return status;
}

int main(int argc, char **argv) {
    enum { N = 1000 };
    kz_error error = {0};
    kz_device *device = NULL;
    kz_stream *first = NULL, *second = NULL;
    kz_event *summed = NULL;
    kz_operation *one = NULL, *two = NULL; // an operation is in one stream at a time
    kz_ptr x = 0, y = 0, z = 0;
    float numbers[N];
    int code = 1;
    for (int i = 0; i < N; i++) numbers[i] = (float)i;

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_stream_open(device, &first, &error));
    CHECK(kz_stream_open(device, &second, &error));
    CHECK(kz_event_open(device, &summed, &error));
    CHECK(kz_memory_alloc(device, sizeof numbers, &x, &error));
    CHECK(kz_memory_alloc(device, sizeof numbers, &y, &error));
    CHECK(kz_memory_alloc(device, sizeof numbers, &z, &error));
    CHECK(kz_vector_add_open(device, KZ_F32, N, NULL, &one, &error));
    CHECK(kz_vector_add_open(device, KZ_F32, N, NULL, &two, &error));

    CHECK(kz_copy_to_device(device, first, x, numbers, sizeof numbers, &error));
    CHECK(kz_vector_add_run(one, first, x, x, y, &error)); // y = x + x
    CHECK(kz_event_record(device, summed, first, &error));
    CHECK(kz_stream_wait(device, second, summed, &error));  // what follows there reads y
    CHECK(kz_vector_add_run(two, second, y, y, z, &error)); // z = y + y
    CHECK(kz_event_synchronize(device, summed, &error));    // the host waits for y alone
    CHECK(kz_copy_to_host(device, second, numbers, z, sizeof numbers, &error));
    CHECK(kz_stream_synchronize(device, second, &error));
    printf("%d times 4 is %g\n", N - 1, (double)numbers[N - 1]);
    CHECK(use_theirs(device, kz_stream_handle(first), x, &error));
    CHECK(kz_device_synchronize(device, &error));
    code = 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    kz_operation_close(one);
    kz_operation_close(two);
    kz_event_close(summed);
    kz_stream_close(first);
    kz_stream_close(second);
    kz_memory_free(device, x, NULL);
    kz_memory_free(device, y, NULL);
    kz_memory_free(device, z, NULL);
    kz_device_close(device);
    return code;
}
