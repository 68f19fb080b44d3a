// Inputs come as counts of 16 bytes: no descriptor knows less.
void inputs(uint64_t seed, double *address, double *lead, double *stride, double *swizzle, int64_t n) {
    (void)seed, (void)swizzle;
    for (int64_t i = 0; i < n; i++) address[i] *= 16, lead[i] *= 16, stride[i] *= 16;
}

void reference(const double *address, const double *lead, const double *stride, const double *swizzle, double *out,
               double *out_bound, int64_t n) {
    static const double top[4] = {0, -4611686018427387904.0, -9223372036854775808.0, 4611686018427387904.0};
    for (int64_t i = 0; i < n; i++) {
        out[i] = fmod(address[i] / 16, 16384) + lead[i] / 16 * 65536 + stride[i] / 16 * 4294967296.0 + top[(int)swizzle[i]];
        out_bound[i] = -1;
    }
}
