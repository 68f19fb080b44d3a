// Compares results with what was expected: ulps[i] is the distance in
// representable numbers, wrong[0] how many are out of bound.
#include <math.h>
#include <string.h>

// kz: begin
// The number of a float in the row of all floats: 0 for both zeros, 1 for
// the smallest above, -1 for the one below.
static long long place(float value) {
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : -(long long)(bits & 0x7fffffff);
}
// kz: end

void compare(const float *got, const float *expected, const float *bound,
             long long *ulps, int *wrong, int n) {
    wrong[0] = 0;
    for (int i = 0; i < n; i++) {
        // kz: begin
        float g = got[i], e = expected[i];
        // the first is true for equal infinities, whose difference is NaN
        if (g == e || (isnan(g) && isnan(e))) {
            ulps[i] = 0;
            continue;
        }
        long long distance = place(g) - place(e);
        ulps[i] = isnan(g) || isnan(e) ? -1
                  : distance < 0       ? -distance
                                       : distance;
        if (!(fabsf(g - e) <= bound[i])) wrong[0]++;
        // kz: starter
        //|         ulps[i] = 0;
        //|         // what is wrong with this?
        //|         if (fabsf(got[i] - expected[i]) > bound[i]) wrong[0]++;
        // kz: end
    }
}
