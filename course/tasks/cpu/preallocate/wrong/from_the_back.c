// fails: result
// Fills each group from its end: the order within a group is reversed.
#include <stdlib.h>
#include <string.h>
void group(const int *key, const float *x, int *start, float *grouped, int n, int groups) {
    memset(start, 0, (size_t)(groups + 1) * sizeof *start);
    for (int i = 0; i < n; i++) start[key[i]]++;
    for (int g = 1; g <= groups; g++) start[g] += start[g - 1];
    for (int i = 0; i < n; i++) grouped[--start[key[i]]] = x[i];
}
