// Lanes a stride apart, upwards and downwards, of every width, and a word that all of them store to; lanes of one load
// in two arrays, in global and in local memory, in more arrays than are looked for at once; narrow values in wide
// registers.
// launch: grid 1 block 32
// arg: out u32[32] = 9
// arg: data u32[4096] = 0
// expect: out = 0 ...
template <class T> __device__ unsigned walk(T *data, int t, int stride) {
    unsigned bad = 0;
    T *mine = data + (stride < 0 ? 31 * -stride : 0) + t * stride;
    *mine = (T)(t + 1);
    __syncwarp();
    bad += *mine != (T)(t + 1) || mine[0 - t * stride] != (T)1;
    __syncwarp();
    if (t != 7) *mine = (T)(t + 2); // all but one
    __syncwarp();
    bad += *mine != (T)(t == 7 ? t + 1 : t + 2);
    *(volatile T *)data = (T)t; // all: one of them stays
    __syncwarp();
    bad += *(volatile T *)data > (T)31;
    return bad;
}

__device__ unsigned a[8], b[8], c[8], d[8], e[8], f[8], g[8], h[8], k[8], l[8];
__device__ unsigned *arrays[] = {a, b, c, d, e, f, g, h, k, l};
__device__ signed char small[32];

__global__ void strides(unsigned *out, unsigned *data) {
    int t = threadIdx.x;
    unsigned bad = 0, own[8];
    for (int stride = -15; stride <= 17; stride += 4) {
        bad += walk((unsigned char *)data, t, stride) + walk((signed char *)data, t, stride + 1);
        bad += walk((unsigned short *)data, t, stride) + walk(data, t, stride + 2);
        bad += walk((unsigned long long *)data, t, stride);
        __syncwarp();
    }
    for (int i = 0; i < 8; i++) own[i] = 100 * t + i;
    for (int i = t; i < 80; i += 32) arrays[i / 8][i % 8] = i;
    small[t] = (signed char)(t - 16);
    __syncwarp();
    for (int i = 0; i < 8; i++) {
        const unsigned *two = t & 1 ? own : arrays[3];
        bad += two[(i + t) & 7] != (t & 1 ? 100 * t + ((i + t) & 7) : 24 + ((i + t) & 7));
        unsigned *many = t % 5 ? t % 5 > 2 ? data + 64 * t : arrays[t % 10] : own;
        unsigned at = t / 10 * 2 + (i & 1), before = many[at]; // nobody else's
        many[at] = before + 1;
        bad += many[at] == before;
        many[at] = before;
        long long index = small[(t + i) & 31]; // into a register of 64 bits
        bad += index != ((t + i) & 31) - 16;
    }
    out[t] = bad;
}
