// Accesses that are neither 4 bytes wide nor side by side: bytes, vectors in shared memory, local arrays,
// 16-bit values, and pointers of which nothing is known; with all lanes and with some.
// launch: grid 2 block 96 shared 2048
// arg: out u32[384] = 7
// expect: out = 0 ...
struct pair {
    double a;
    short b;
    signed char c;
    unsigned char d;
};

__device__ __noinline__ unsigned take(const volatile unsigned char *bytes, int at) { return bytes[at]; }

__global__ void odd_accesses(unsigned *out) {
    extern __shared__ float4 quads[];
    __shared__ pair pairs[96];
    unsigned t = threadIdx.x, bad = 0;
    quads[t] = make_float4(t, t + 0.5f, t * 2.0f, -1.0f);
    pair mine;
    mine.a = t * 0.25;
    mine.b = (short)-(int)(t * 3);
    mine.c = (signed char)(t - 48);
    mine.d = (unsigned char)(t * 5);
    pairs[t] = mine;
    __syncthreads();

    unsigned other = (t * 7 + 3) % 96;
    float4 q = quads[other];
    bad += q.x != other || q.y != other + 0.5f || q.z != other * 2.0f || q.w != -1.0f;
    float2 h = *(const float2 *)&quads[other].z;
    bad += h.x != other * 2.0f || h.y != -1.0f;
    pair p = pairs[other];
    bad += p.a != other * 0.25 || p.b != (short)-(int)(other * 3);
    bad += p.c != (signed char)(other - 48) || p.d != (unsigned char)(other * 5);

    unsigned char local[64];
    short steps[32];
    for (int i = 0; i < 64; i++) local[i] = (unsigned char)(i * t);
    for (int i = 0; i < 32; i++) steps[i] = (short)(i - (int)t);
    for (unsigned i = t % 5; i < 32; i += 1 + t % 3) { // lanes leave one after the other
        local[(i * t) & 63]++;
        steps[(i + t) & 31] -= 100;
        unsigned char *some = t & 1 ? local : (unsigned char *)pairs; // local here, shared there
        bad += take(some, t & 1 ? (i * t) & 63 : 8) > 255;
        local[(i * t) & 63]--;
        steps[(i + t) & 31] += 100;
    }
    for (int i = 0; i < 64; i++) bad += take(local, i) != (unsigned char)(i * t);
    for (int i = 0; i < 32; i++) bad += steps[i] != (short)(i - (int)t);

    out[blockIdx.x * 96 + t] = bad;
    __syncthreads();
    unsigned char *bytes = (unsigned char *)(out + 192) + (blockIdx.x * 96 + t) * 4;
    for (int i = 3; i >= 0; i--)
        if ((t + i) % 3) bytes[i] = 0;
    for (int i = 0; i < 4; i++)
        if ((t + i) % 3 == 0) bytes[i] = (unsigned char)(bytes[i] >> 3);
}
