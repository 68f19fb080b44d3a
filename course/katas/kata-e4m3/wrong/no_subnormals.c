// fails: result
// Takes the hidden bit for e = 0, too.
#include <math.h>

void decode(const unsigned char *codes, float *x, int n) {
    for (int i = 0; i < n; i++) {
        int e = codes[i] >> 3 & 15, m = codes[i] & 7;
        float value = ldexpf((float)(8 + m), e - 10);
        if (e == 15 && m == 7) value = NAN;
        x[i] = codes[i] & 128 ? -value : value;
    }
}
