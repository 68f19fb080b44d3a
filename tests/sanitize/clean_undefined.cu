// Undefined values that nobody minds: copied, masked off, shifted out, chosen against, cut to a byte.
// launch: grid 2 block 64
// arg: in u32[128] = scratch
// arg: known u32[128] = 3
// arg: out u32[128] = undefined
// arg: ends u32[384] = undefined
struct mixed { // with gaps: three bytes after `small`, four after `last`
    double wide;
    char small;
    int last;
};
struct ended { // with gaps after the first member and after the last, copied as they are
    char first;
    int middle;
    short last;
};
static __device__ __noinline__ mixed pass(mixed m, int by) {
    m.last += by;
    return m;
}
extern "C" __global__ void clean_undefined(unsigned *in, const unsigned *known, unsigned *out, ended *ends) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned tile[64];
    __shared__ mixed structs[64];
    __shared__ ended others[64];
    unsigned junk = in[i];
    unsigned part = (junk & 0xffff0000u) | (known[i] & 0xffffu); // low half defined
    unsigned low = (part << 16) >> 16;
    if ((part & 0xffu) == 3) low++;
    if (__byte_perm(part, 0, 0x4410) == 3) low++;
    unsigned chosen = known[i] == 3 ? low : junk;
    unsigned zero = (junk ^ junk) + junk * 0u;
    unsigned long long wide = (unsigned long long)junk << 32 | known[i];
    if ((unsigned)wide == 3) zero++;
    bool both = known[i] == 4 && junk == 5;
    if (both) zero += 100;
    bool either = known[i] == 3 | junk == 5;
    if (either) zero++;
    if (threadIdx.x < 32) tile[threadIdx.x] = chosen + zero;
    __syncthreads();
    unsigned tail = tile[threadIdx.x]; // the upper half is undefined, and not used
    unsigned vote = __ballot_sync(0xffffffffu, threadIdx.x < 32 ? tail > 1 : junk > 1);
    ended e;
    e.first = 1;
    e.middle = (int)i;
    e.last = 2;
    others[threadIdx.x] = e;
    __syncthreads();
    ends[i] = others[63 - threadIdx.x];
    mixed m;
    m.wide = known[i];
    m.small = 1;
    m.last = 2;
    structs[threadIdx.x] = pass(m, (int)known[i]);
    mixed back = structs[threadIdx.x];
    in[i] = junk; // copied, still undefined
    unsigned held = threadIdx.x < 32 ? tail : 7;
    out[i] =
        held + back.small + (unsigned)back.last + (unsigned)back.wide + (threadIdx.x < 32 ? (vote & 1) : 0);
}
// expect: known = 3
