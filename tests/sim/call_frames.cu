// Parameters and results of calls: structs that cross the pieces in which local memory lies, bytes, some lanes
// only; frames of different sizes one after the other at the same depth, with the constants of each.
// launch: grid 2 block 64
// arg: out u32[128] = 9
// expect: out = 0 ...
struct odd {
    char tag;
    short half;
    double wide;
    int words[5];
    char last[3];
};

__device__ __noinline__ odd change(odd in, unsigned char by, double factor) {
    in.tag += by;
    in.half -= by;
    in.wide *= factor;
    for (int i = 0; i < 5; i++) in.words[i] += by * i;
    in.last[2] = in.last[0];
    return in;
}

__device__ __noinline__ float leaf(float x) { return x * 3.0f + 7.0f; }
__device__ __noinline__ float small(float x) { return leaf(x) + 11.0f; }

__device__ __noinline__ float large(float x, const volatile float *table) { // its frame lies over leaf's
    float a[6], sum = 0;
    for (int i = 0; i < 6; i++) a[i] = table[i] * 5.0f + x * 13.0f;
    for (int i = 0; i < 6; i++) sum += a[i] * a[5 - i] + 17.0f * i;
    return sum;
}

__global__ void call_frames(unsigned *out) {
    unsigned t = threadIdx.x, bad = 0;
    float table[6] = {1, 2, 3, 4, 5, 6};
    for (unsigned round = 0; round < 3 + t % 2; round++) {
        odd in = {(char)t, (short)(t * 100), t * 0.5, {1, 2, 3, 4, (int)t}, {(char)round, 5, 6}};
        odd now = change(in, (unsigned char)round, 2.0);
        bad += now.tag != (char)(t + round) || now.half != (short)(t * 100 - round) || now.wide != t;
        for (int i = 0; i < 5; i++) bad += now.words[i] != (int)(in.words[i] + round * i);
        bad += now.last[0] != (char)round || now.last[1] != 5 || now.last[2] != (char)round;
        bad += small((float)t) != t * 3.0f + 18.0f;
        float sum = 0, x = (float)t;
        for (int i = 0; i < 6; i++)
            sum += (table[i] * 5.0f + x * 13.0f) * (table[5 - i] * 5.0f + x * 13.0f) + 17.0f * i;
        bad += large(x, table) != sum;
        bad += leaf((float)round) != round * 3.0f + 7.0f;
    }
    out[blockIdx.x * 64 + t] = bad;
}
