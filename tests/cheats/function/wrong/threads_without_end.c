// fails: fault "threads"
// Starts threads by the thousand.
#include <pthread.h>
#include <unistd.h>
static void *wait_long(void *at) { return sleep(10), at; }
void scale(const float *x, float *y, float factor, int n) {
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int i = 0; i < 3000 && pthread_create(&thread, &small, wait_long, 0) == 0; i++) {}
    sleep(10);
}
