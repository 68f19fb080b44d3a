// Threads: four of them sum numbers on one device, each with a stream and an operation of its own. On the
// best device there is, or on the one named: ./threads sim
//
//     cc threads.c -o threads $(pkg-config --cflags --libs kz) -lpthread
#include <pthread.h>
#include <stdio.h>

#include "kz/ops/reduce.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto done

enum { THREADS = 4, N = 10000 };

typedef struct job {
    kz_device *device; // of all threads: they need no lock of their own
    int factor;
    double sum;
    kz_status status;
    kz_error error;
} job;

static void *work(void *context) {
    job *j = context;
    kz_stream *stream = NULL;
    kz_operation *sum = NULL;
    kz_ptr in = 0, out = 0, workspace = 0;
    double numbers[N];
    for (int i = 0; i < N; i++) numbers[i] = (i + 1) * j->factor;

    CHECK(j->status = kz_stream_open(j->device, &stream, &j->error));
    CHECK(j->status = kz_memory_alloc(j->device, sizeof numbers, &in, &j->error));
    CHECK(j->status = kz_memory_alloc(j->device, sizeof j->sum, &out, &j->error));
    CHECK(j->status = kz_reduce_open(j->device, KZ_REDUCE_SUM, KZ_F64, N, NULL, &sum, &j->error));
    uint64_t bytes = kz_operation_workspace(sum);
    CHECK(j->status = kz_memory_alloc(j->device, bytes, &workspace, &j->error));
    CHECK(j->status = kz_copy_to_device(j->device, stream, in, numbers, sizeof numbers, &j->error));
    CHECK(j->status = kz_reduce_run(sum, stream, in, out, workspace, bytes, &j->error));
    CHECK(j->status = kz_copy_to_host(j->device, stream, &j->sum, out, sizeof j->sum, &j->error));
    CHECK(j->status = kz_stream_synchronize(j->device, stream, &j->error));

done:
    kz_operation_close(sum);
    kz_stream_close(stream);
    kz_memory_free(j->device, workspace, NULL);
    kz_memory_free(j->device, out, NULL);
    kz_memory_free(j->device, in, NULL);
    return NULL;
}

int main(int argc, char **argv) {
    static job jobs[THREADS];
    pthread_t threads[THREADS];
    kz_error error = {0};
    kz_device *device = NULL;
    int code = 0, started = 0;
    if (kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error) != KZ_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    for (; started < THREADS; started++) {
        jobs[started] = (job){.device = device, .factor = started + 1};
        if (pthread_create(&threads[started], NULL, work, &jobs[started]) != 0) break;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        if (jobs[i].status == KZ_OK)
            printf("%d times 1 + ... + %d is %.0f\n", jobs[i].factor, N, jobs[i].sum);
        else
            code = fprintf(stderr, "%s\n", jobs[i].error.message) > 0;
    }
    kz_device_close(device);
    return code || started < THREADS;
}
