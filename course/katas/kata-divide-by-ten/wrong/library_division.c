// fails: source
// The C library divides.
#include <inttypes.h>
void digits(const unsigned *x, unsigned *quotient, unsigned *digit, int n) {
    for (int i = 0; i < n; i++) {
        imaxdiv_t parts = imaxdiv(x[i], 10);
        quotient[i] = (unsigned)parts.quot;
        digit[i] = (unsigned)parts.rem;
    }
}
