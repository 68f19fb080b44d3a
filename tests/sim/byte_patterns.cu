// Bytes, halves and 8-byte words of global memory in every pattern of lanes: side by side, all alike, rows of
// eight, apart, backwards; some lanes only; signed and unsigned.
// launch: grid 1 block 64
// arg: out u32[64] = 9
// arg: data u32[512] = 0
// expect: out = 0 ...
// expect: data = 50462976 117835012
template <class T> __device__ unsigned look(const T *data, unsigned t, unsigned keep) {
    unsigned at[5] = {t, 40, t % 8 + t / 8 * 13, t * 17 % 97, 63 - t}, bad = 0;
    for (int i = 0; i < 5; i++)
        if (keep >> (t % 8) & 1) {
            unsigned long long first = at[i] * sizeof(T), expected = 0;
            for (unsigned k = 0; k < sizeof(T); k++)
                expected |= (unsigned long long)((first + k) & 255) << 8 * k;
            bad += data[at[i]] != (T)expected;
        }
    return bad;
}

__global__ void byte_patterns(unsigned *out, unsigned char *data) {
    unsigned t = threadIdx.x, bad = 0;
    for (int i = 0; i < 2048; i += 64) data[i + t] = (unsigned char)(i + t); // side by side
    __syncthreads();
    for (int i = 0; i < 32; i++) data[t * 32 + i] ^= 0x55; // apart
    __syncthreads();
    for (int i = 31; i >= 0; i--)
        if (t != 5) data[(63 - t) * 32 + i] ^= 0x55; // backwards, but one lane
    __syncthreads();
    if (t == 5)
        for (int i = 0; i < 32; i++) data[(63 - t) * 32 + i] ^= 0x55;
    __syncthreads();
    for (unsigned keep = 0x5a; keep <= 0xff; keep += 0xa5) { // some lanes, then all
        bad += look((const unsigned char *)data, t, keep) + look((const signed char *)data, t, keep);
        bad += look((const unsigned short *)data, t, keep) + look((const short *)data, t, keep);
        bad += look((const unsigned *)data, t, keep) + look((const unsigned long long *)data, t, keep);
    }
    out[t] = bad;
}
