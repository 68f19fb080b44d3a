// fails: finding "keeps memory"
// What is never freed is kept in a list: LeakSanitizer finds that somebody still has it.
#include <stdlib.h>
static void *kept[1000];
static int count;
void scale(const float *x, float *y, float factor, int n) {
    float *all = kept[count++ % 1000] = malloc(sizeof *all * (size_t)n);
    for (int i = 0; i < n; i++) ((volatile float *)all)[i] = factor * x[i];
    for (int i = 0; i < n; i++) y[i] = ((volatile float *)all)[i];
}
