// Matrices, copies and mbarriers to look at: a product of a warp, one of a warpgroup, copies under way.
#include <cuda_fp16.h>
#include <cstdint>
#include <cstdio>

__device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__global__ void warp_product(const int4 *in, float *out) {
    __shared__ __align__(128) half tile[2][16 * 16];
    uint32_t a[4], b[2], lane = threadIdx.x;
    float d[4] = {0.5f, 1.5f, 2.5f, 3.5f};
    for (int i = 0; i < 2; i++) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at(&tile[i][8 * lane])),
                     "l"(in + lane));
        asm volatile("cp.async.commit_group;");
    }
    asm volatile("cp.async.wait_group 1;");
    __syncwarp();
    uint32_t row = at(&tile[0][lane % 16 * 16 + lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(row));
    b[0] = a[0], b[1] = a[2];
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    out[lane] = d[0] + d[1] + d[2] + d[3];
}

__device__ uint64_t descriptor(const void *p, int leading, int stride) {
    return (at(p) >> 4 & 0x3fff) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32;
}

__global__ void group_product(const int4 *in, float *out) {
    __shared__ __align__(128) half a[64 * 16], b[8 * 16];
    __shared__ __align__(8) uint64_t full;
    float d[4] = {};
    uint32_t thread = threadIdx.x;
    for (int i = thread; i < 64 * 16; i += 128) a[i] = __int2half_rn(i % 16);
    if (thread == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&full)));
    __syncthreads();
    if (thread == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(at(&full)));
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                at(b)),
            "l"(in), "r"(at(&full)));
    }
    __syncthreads();
    asm volatile(
        "{.reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again;}" ::"r"(
            at(&full)));
    asm volatile("fence.proxy.async;\nwgmma.fence.sync.aligned;");
    asm volatile("{.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;}\nwgmma.commit_group.sync.aligned;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(descriptor(a, 1024, 128)), "l"(descriptor(b, 128, 256)));
    out[32] = 0;
    asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]));
    out[thread] = d[0] + d[1] + d[2] + d[3];
}

__global__ void other_types(float *out) {
    uint32_t lane = threadIdx.x, bits = 0x76543210u + lane, bytes[6], s[4] = {}, h[4] = {};
    double e = lane, sums[2] = {};
    float f[4] = {};
    for (int i = 0; i < 6; i++) bytes[i] = 0x38393a3bu + lane * 0x01010101u;
    asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(s[0]), "+r"(s[1])
                 : "r"(bits), "r"(bits));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};"
                 : "+d"(sums[0]), "+d"(sums[1])
                 : "d"(e));
    asm volatile(
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
        : "+r"(h[0]), "+r"(h[1]), "+r"(h[2]), "+r"(h[3])
        : "r"(bytes[0] & 0x00ff00ffu));
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%4,%5,%6,%7}, {%0,%1,%2,%3}, %8, 0x0;"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
                 : "r"(bytes[0]), "r"(bytes[1]), "r"(bytes[2]), "r"(bytes[3]), "r"(0x44444444));
    out[lane] = f[0] + s[0] + h[0] + sums[0];
}

int main() {
    half host[256];
    float *out;
    int4 *in;
    for (int i = 0; i < 256; i++) host[i] = __float2half(i / 4.f);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 512);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    warp_product<<<1, 32>>>(in, out);
    group_product<<<1, 128>>>(in, out);
    other_types<<<1, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
