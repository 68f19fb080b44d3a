// fails: fault
// Takes start for an array of `groups` entries and counts key k into k + 1: the last group is counted beyond it, in another's memory.
#include <stdlib.h>
#include <string.h>
void group(const int *key, const float *x, int *start, float *grouped, int n, int groups) {
    int *count = calloc((size_t)groups, sizeof *count);
    for (int i = 0; i < n; i++) count[key[i] + 1]++;
    for (int g = 0; g < groups; g++) count[g + 1] += count[g];
    memcpy(start, count, (size_t)(groups + 1) * sizeof *start);
    for (int i = 0; i < n; i++) grouped[count[key[i]]++] = x[i];
    free(count);
}
