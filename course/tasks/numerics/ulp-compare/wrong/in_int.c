// fails: undefined
// The distance in int: from one end of the row to the other it overflows.
#include <math.h>
#include <stdlib.h>
#include <string.h>
static int place(float value) {
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : -(bits & 0x7fffffff);
}
void compare(const float *got, const float *expected, const float *bound, long long *ulps, int *wrong, int n) {
    wrong[0] = 0;
    for (int i = 0; i < n; i++) {
        float g = got[i], e = expected[i];
        int equal = g == e || (isnan(g) && isnan(e));
        ulps[i] = equal ? 0 : isnan(g) || isnan(e) ? -1 : abs(place(g) - place(e));
        if (!equal && !(fabsf(g - e) <= bound[i])) wrong[0]++;
    }
}
