// fails: gate flops
// Right, with a product that is below the last bit.
// kz: sm 80
// d += a b, for the whole warp: D 16 x 8, A 16 x 8, B 8 x 8, of tf32
__device__ void mma(float d[4], const unsigned a[4], const unsigned b[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The nearest tf32 number, as the bits of a float.
__device__ unsigned to_tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

enum { K = 64 };

extern "C" __global__ void tile_products(const float *a, const float *b,
                                         float *d, int n) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    a += blockIdx.x * 16 * K;
    b += blockIdx.x * 8 * K;
    float sums[4] = {0, 0, 0, 0};
    float rest[4] = {0, 0, 0, 0};
    for (int i = 0; i < K; i += 8) {
        unsigned a_big[4], a_small[4], b_big[2], b_small[2];
        for (int r = 0; r < 4; r++) {
            float x = a[(g + r % 2 * 8) * K + i + t + r / 2 * 4];
            a_big[r] = to_tf32(x);
            a_small[r] = to_tf32(x - __uint_as_float(a_big[r]));
        }
        for (int r = 0; r < 2; r++) {
            float x = b[g * K + i + t + r * 4];
            b_big[r] = to_tf32(x);
            b_small[r] = to_tf32(x - __uint_as_float(b_big[r]));
        }
        mma(rest, a_small, b_big);
        mma(rest, a_big, b_small);
        mma(rest, a_small, b_small);
        mma(sums, a_big, b_big);
    }
    for (int i = 0; i < 4; i++) sums[i] += rest[i];
    float2 *to = (float2 *)(d + blockIdx.x * 128); // a row is 4 pairs
    to[g * 4 + t] = make_float2(sums[0], sums[1]);
    to[(g + 8) * 4 + t] = make_float2(sums[2], sums[3]);
}
