// fails: result
// Raises start itself while filling: afterwards every entry is the end of its group.
#include <string.h>
void group(const int *key, const float *x, int *start, float *grouped, int n, int groups) {
    memset(start, 0, (size_t)(groups + 1) * sizeof *start);
    for (int i = 0; i < n; i++) start[key[i] + 1]++;
    for (int g = 0; g < groups; g++) start[g + 1] += start[g];
    for (int i = 0; i < n; i++) grouped[start[key[i]]++] = x[i];
}
