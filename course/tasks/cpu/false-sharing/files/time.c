// What false sharing costs on this machine. Two threads, each adding to a counter of its own; the counters lie side by side, or a
// line apart. Build and run it with:
//     cc -O1 -pthread files/time.c -o time && ./time
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { ADDITIONS = 50000000, LINE = 64 };

static _Alignas(LINE) volatile int counters[2 * LINE / sizeof(int)];

static void *add(void *counter) {
    volatile int *own = counter;
    for (int i = 0; i < ADDITIONS; i++) (*own)++;
    return NULL;
}

static double seconds(int distance) {
    struct timespec began, ended;
    pthread_t threads[2];
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (int t = 0; t < 2; t++) pthread_create(&threads[t], NULL, add, (void *)&counters[t * distance]);
    for (int t = 0; t < 2; t++) pthread_join(threads[t], NULL);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    return (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec);
}

int main(void) {
    printf("in one line:   %.3f s\n", seconds(1));
    printf("a line apart:  %.3f s\n", seconds(LINE / sizeof(int)));
    return 0;
}
