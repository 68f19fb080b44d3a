// Ten ways to load, one kernel each. Every kernel is launched with exactly one warp.

struct point {
    float x, y, z;
};

__global__ void neighbours(const float *a, float *out) { out[threadIdx.x] = a[threadIdx.x]; }
__global__ void shifted(const float *a, float *out) { out[threadIdx.x] = a[threadIdx.x + 1]; }
__global__ void backwards(const float *a, float *out) { out[threadIdx.x] = a[31 - threadIdx.x]; }
__global__ void every_second(const float *a, float *out) { out[threadIdx.x] = a[2 * threadIdx.x]; }
__global__ void column(const float *a, float *out) { out[threadIdx.x] = a[64 * threadIdx.x]; }
__global__ void same(const float *a, float *out) { out[threadIdx.x] = a[7]; }
__global__ void doubles(const double *b, float *out) { out[threadIdx.x] = (float)b[threadIdx.x]; }
__global__ void quads(const float4 *q, float *out) {
    float4 v = q[threadIdx.x];
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void member(const point *p, float *out) { out[threadIdx.x] = p[threadIdx.x].x; }
__global__ void bytes(const unsigned char *c, float *out) { out[threadIdx.x] = c[threadIdx.x]; }

int main(void) {
    void *a;
    float *out;
    cudaMalloc(&a, 16384);
    cudaMalloc(&out, 128);
    cudaMemset(a, 0, 16384);
    neighbours<<<1, 32>>>((const float *)a, out);
    shifted<<<1, 32>>>((const float *)a, out);
    backwards<<<1, 32>>>((const float *)a, out);
    every_second<<<1, 32>>>((const float *)a, out);
    column<<<1, 32>>>((const float *)a, out);
    same<<<1, 32>>>((const float *)a, out);
    doubles<<<1, 32>>>((const double *)a, out);
    quads<<<1, 32>>>((const float4 *)a, out);
    member<<<1, 32>>>((const point *)a, out);
    bytes<<<1, 32>>>((const unsigned char *)a, out);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(out);
    return 0;
}
