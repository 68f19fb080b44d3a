// fails: finding "written and run"
// Writes code while it runs: no look at the file finds what it asks valgrind for.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
void scale(const float *x, float *y, float factor, int n) {
#ifdef __x86_64__
    static const unsigned char code[] = {0xb8, 7, 0, 0, 0, 0xc3}; // return 7
#else
    static const unsigned char code[] = {0xe0, 0, 0x80, 0x52, 0xc0, 3, 0x5f, 0xd6};
#endif
    int all = PROT_READ | PROT_WRITE | PROT_EXEC;
    void *place = mmap(0, 4096, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(place, code, sizeof code);
    __builtin___clear_cache(place, (char *)place + 4096);
    int seven = ((int (*)(void))place)();
    for (int i = 0; i < n; i++) y[i] = factor * x[i] + (float)(seven - 7);
}
