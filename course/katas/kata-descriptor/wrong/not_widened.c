// fails: result
// The stride loses its upper bits.
// Matrix descriptors, in 64 bits.

void descriptors(const unsigned *address, const unsigned *lead,
                 const unsigned *stride, const int *swizzle, long long *out,
                 int n) {
    for (int i = 0; i < n; i++) {
        static const unsigned long long fields[4] = {0, 3, 2, 1};
        unsigned long long at = address[i] >> 4 & 0x3fff;
        at |= (unsigned long long)(lead[i] >> 4) << 16;
        at |= (unsigned)(stride[i] >> 4) << 16 << 16;
        out[i] = (long long)(at | fields[swizzle[i]] << 62);
    }
}
