// The kernels that `pages` runs for the figures of docs/concepts. Each does one thing, so that its counts
// are about that thing alone.

#define ENTRY extern "C" __global__ void

// ---- who takes which element ----------------------------------------------------------------------------

__device__ int who() { return blockIdx.x * 256 + threadIdx.x + 1; }

ENTRY owner_plain(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = who();
}

ENTRY owner_grid_stride(int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = who();
}

ENTRY owner_chunks(int *out, int n) {
    int each = (n + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = first; i < first + each && i < n; i++) out[i] = who();
}

// ---- lanes ----------------------------------------------------------------------------------------------

ENTRY divergence(const float *in, float *a, float *b, float *c, float *sum) {
    int lane = threadIdx.x;
    if (lane < 8)
        a[lane] = in[lane];
    else if (lane % 2 == 0)
        b[lane] = in[lane];
    else
        c[lane] = in[lane];
    __syncwarp();
    float total = 0;
#pragma unroll 1
    for (int i = 0; i <= lane / 8; i++)
        total += in[i];
    sum[lane] = total;
}

ENTRY tree_interleaved(float *out) {
    __shared__ float part[64];
    int t = threadIdx.x;
    part[t] = t;
    __syncthreads();
    for (int step = 1; step < 64; step *= 2) {
        if (t % (2 * step) == 0) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) *out = part[0];
}

ENTRY tree_sequential(float *out) {
    __shared__ float part[64];
    int t = threadIdx.x;
    part[t] = t;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) *out = part[0];
}

// ---- strides --------------------------------------------------------------------------------------------

ENTRY load_4(const float *in, float *out, int stride) { out[threadIdx.x] = in[threadIdx.x * stride]; }
ENTRY load_8(const float2 *in, float2 *out, int stride) { out[threadIdx.x] = in[threadIdx.x * stride]; }
ENTRY load_16(const float4 *in, float4 *out, int stride) { out[threadIdx.x] = in[threadIdx.x * stride]; }

ENTRY shared_stride(float *out, int stride) {
    __shared__ float words[33 * 32];
    for (int i = threadIdx.x; i < 33 * 32; i += 32) words[i] = i;
    __syncwarp();
    out[threadIdx.x] = words[threadIdx.x * stride];
}

// A column of a tile whose rows are swizzled: element (row, column) lies at column ^ row.
ENTRY shared_swizzled(float *out, int column) {
    __shared__ float words[32 * 32];
    for (int i = threadIdx.x; i < 32 * 32; i += 32) words[i] = i;
    __syncwarp();
    out[threadIdx.x] = words[threadIdx.x * 32 + (column ^ threadIdx.x)];
}

// The fragment of A that begins at piece `first` (16 bytes) of 16 rows, `stride` bytes apart: as it is, or with the pieces of a
// row exchanged by the row.
ENTRY load_matrices(unsigned *out, int stride, int swizzled, int first) {
    __shared__ __align__(128) unsigned char tile[16 * 160];
    for (int i = threadIdx.x; i < 16 * 160 / 4; i += 32) ((unsigned *)tile)[i] = i;
    __syncwarp();
    int row = threadIdx.x % 16, piece = first + threadIdx.x / 16;
    unsigned at = (unsigned)__cvta_generic_to_shared(tile) + row * stride + (swizzled ? piece ^ row % 8 : piece) * 16, r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
    out[threadIdx.x] = r[0] ^ r[1] ^ r[2] ^ r[3];
}

// ---- fusion: y = max(0, s x + b) in three kernels, and in one -----------------------------------------------

ENTRY scale(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}
ENTRY bias(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1.0f;
}
ENTRY cut(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
ENTRY fused(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(2.0f * x[i] + 1.0f, 0.0f);
}

// ---- work and traffic -----------------------------------------------------------------------------------

// A polynomial of degree DEGREE: one multiply-add for each, on eight bytes.
template <int DEGREE> __device__ void polynomial(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float at = x[i], value = 1.0f;
#pragma unroll
    for (int k = 0; k < DEGREE; k++) value = fmaf(value, at, 0.5f);
    y[i] = value;
}
ENTRY polynomial_8(const float *x, float *y, int n) { polynomial<8>(x, y, n); }
ENTRY polynomial_128(const float *x, float *y, int n) { polynomial<128>(x, y, n); }

// C (n x n) = A (n x depth) B (depth x n).
ENTRY product_naive(const float *a, const float *b, float *c, int n, int depth) {
    int column = blockIdx.x * 16 + threadIdx.x % 16, row = blockIdx.y * 16 + threadIdx.x / 16;
    float sum = 0;
    for (int k = 0; k < depth; k++) sum += a[row * depth + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// TILE x TILE results for a block of 256 threads, MANY in a column for each thread.
template <int TILE, int MANY>
__device__ void tiled(const float *a, const float *b, float *c, int n, int depth) {
    __shared__ float part_a[TILE][TILE], part_b[TILE][TILE];
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE * MANY;
    int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum[MANY] = {};
    for (int at = 0; at < depth; at += TILE) {
#pragma unroll
        for (int m = 0; m < MANY; m++) {
            part_a[y + m][x] = a[(row + m) * depth + at + x];
            part_b[y + m][x] = b[(at + y + m) * n + column];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
#pragma unroll
            for (int m = 0; m < MANY; m++) sum[m] += part_a[y + m][k] * part_b[k][x];
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < MANY; m++) c[(row + m) * n + column] = sum[m];
}
ENTRY product_tiled_16(const float *a, const float *b, float *c, int n, int depth) {
    tiled<16, 1>(a, b, c, n, depth);
}
ENTRY product_tiled_32(const float *a, const float *b, float *c, int n, int depth) {
    tiled<32, 4>(a, b, c, n, depth);
}
