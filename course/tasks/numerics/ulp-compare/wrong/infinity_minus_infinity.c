// fails: result
// Does not look for equal ones first: infinity minus infinity is NaN and counts as wrong.
#include <math.h>
#include <string.h>
static long long place(float value) {
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : -(long long)(bits & 0x7fffffff);
}
void compare(const float *got, const float *expected, const float *bound, long long *ulps, int *wrong, int n) {
    wrong[0] = 0;
    for (int i = 0; i < n; i++) {
        float g = got[i], e = expected[i];
        int both = isnan(g) && isnan(e);
        long long distance = place(g) - place(e);
        ulps[i] = both ? 0 : isnan(g) || isnan(e) ? -1 : distance < 0 ? -distance : distance;
        if (!both && !(fabsf(g - e) <= bound[i])) wrong[0]++;
    }
}
