// POSIX threads that count into memory of their own, and write
// their row once at the end.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct share {
    const int *key;
    int *row;
    int keys, pitch;
};

static void *count_share(void *argument) {
    struct share *share = argument;
    size_t bytes = (size_t)share->pitch * sizeof(int);
    int *own = malloc(bytes);
    if (!own) abort();
    memset(own, 0, bytes);
    for (int i = 0; i < share->keys; i++) own[share->key[i]]++;
    memcpy(share->row, own, bytes);
    free(own);
    return NULL;
}

void count(const int *key, int *table, int *total, int n, int bins,
           int threads) {
    int pitch = (bins + 15) / 16 * 16;
    pthread_t thread[threads];
    struct share share[threads];
    for (int t = 0; t < threads; t++) {
        int first = (int)((long long)t * n / threads),
            end = (int)((long long)(t + 1) * n / threads);
        share[t] = (struct share){key + first, table + t * pitch,
                                  end - first, pitch};
        if (pthread_create(&thread[t], NULL, count_share, &share[t]))
            abort();
    }
    memset(total, 0, (size_t)bins * sizeof *total);
    for (int t = 0; t < threads; t++) {
        pthread_join(thread[t], NULL);
        for (int b = 0; b < bins; b++) total[b] += table[t * pitch + b];
    }
}
