// fails: result
// Subtracts the bits as they are: wrong as soon as the signs differ.
#include <math.h>
#include <string.h>
void compare(const float *got, const float *expected, const float *bound, long long *ulps, int *wrong, int n) {
    wrong[0] = 0;
    for (int i = 0; i < n; i++) {
        unsigned g, e;
        memcpy(&g, &got[i], 4), memcpy(&e, &expected[i], 4);
        int equal = got[i] == expected[i] || (isnan(got[i]) && isnan(expected[i]));
        long long distance = (long long)g - (long long)e;
        ulps[i] = equal ? 0 : isnan(got[i]) || isnan(expected[i]) ? -1 : distance < 0 ? -distance : distance;
        if (!equal && !(fabsf(got[i] - expected[i]) <= bound[i])) wrong[0]++;
    }
}
