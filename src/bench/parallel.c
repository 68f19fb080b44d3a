// bench/parallel: see parallel.h.
#include "bench/parallel.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

enum { LEAST_PIECE = 1 << 16 }; // a thread costs more than it brings below this

typedef struct piece {
    bench_work work;
    void *context;
    unsigned part;
    uint64_t first, count;
} piece;

static void *run(void *argument) {
    const piece *p = argument;
    p->work(p->context, p->part, p->first, p->count);
    return NULL;
}

unsigned bench_host_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > BENCH_PARTS ? BENCH_PARTS : (unsigned)cores;
}

unsigned bench_parallel(uint64_t total, unsigned parts, bench_work work, void *context) {
    uint64_t most = total / LEAST_PIECE + 1;
    if (parts > most) parts = (unsigned)most;
    if (parts > BENCH_PARTS) parts = BENCH_PARTS;
    if (parts < 1) parts = 1;
    piece pieces[BENCH_PARTS];
    pthread_t threads[BENCH_PARTS];
    bool started[BENCH_PARTS] = {false};
    // Pieces start on multiples of 64 elements, so that no two threads write one cache line.
    uint64_t size = (total / parts + 63) / 64 * 64, first = 0;
    for (unsigned i = 0; i < parts; i++) {
        uint64_t left = total - first, count = i + 1 == parts || size > left ? left : size;
        pieces[i] = (piece){.work = work, .context = context, .part = i, .first = first, .count = count};
        first += count;
    }
    for (unsigned i = 1; i < parts; i++) started[i] = pthread_create(&threads[i], NULL, run, &pieces[i]) == 0;
    run(&pieces[0]);
    for (unsigned i = 1; i < parts; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            run(&pieces[i]);
    }
    return parts;
}
