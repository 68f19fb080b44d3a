#include <math.h>

void decode(const unsigned char *codes, float *x, int n) {
    for (int i = 0; i < n; i++) {
        // kz: begin
        int e = codes[i] >> 3 & 15, m = codes[i] & 7;
        float value =
            e ? ldexpf((float)(8 + m), e - 10) : ldexpf((float)m, -9);
        if (e == 15 && m == 7) value = NAN;
        x[i] = codes[i] & 128 ? -value : value;
        // kz: starter
        //|         x[i] = ldexpf(1, (codes[i] >> 3) - 7);
        // kz: end
    }
}
