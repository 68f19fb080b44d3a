// A small pool of threads: they sleep until a grid comes, then take chunks of block indices in turn.
#include "device/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct device_pool {
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    uint64_t generation; // grows with each grid; under the lock
    unsigned busy;       // threads that have not finished this grid; under the lock
    bool closing;        // under the lock
    void (*work)(void *context, uint64_t index);
    void *context;
    uint64_t count, chunk;
    _Atomic uint64_t next;
    unsigned thread_count;
    pthread_t threads[];
};

static void take_chunks(device_pool *pool) {
    for (;;) {
        uint64_t from = atomic_fetch_add(&pool->next, pool->chunk);
        if (from >= pool->count) return;
        uint64_t to = pool->count - from < pool->chunk ? pool->count : from + pool->chunk;
        for (uint64_t i = from; i < to; i++) pool->work(pool->context, i);
    }
}

static void *serve(void *argument) {
    device_pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->generation == seen && !pool->closing) pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->closing) break;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->lock);
        take_chunks(pool);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

device_pool *device_pool_open(unsigned threads) {
    unsigned helpers = threads > 1 ? threads - 1 : 0;
    device_pool *pool = calloc(1, sizeof *pool + helpers * sizeof pool->threads[0]);
    if (!pool) return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->done, NULL);
    while (pool->thread_count < helpers &&
           pthread_create(&pool->threads[pool->thread_count], NULL, serve, pool) == 0)
        pool->thread_count++;
    return pool;
}

void device_pool_close(device_pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->thread_count; i++) pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void device_pool_run(device_pool *pool, uint64_t count, void (*work)(void *context, uint64_t index),
                     void *context) {
    if (count == 1) { // in the caller's own thread, as libraries that have threads of their own want it
        work(context, 0);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->context = context;
    pool->count = count;
    // Some chunks per thread even out unequal blocks; one at a time would fight over `next`.
    pool->chunk = count / (8 * (uint64_t)(pool->thread_count + 1)) + 1;
    atomic_store(&pool->next, 0);
    pool->busy = pool->thread_count;
    pool->generation++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    take_chunks(pool);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy) pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
