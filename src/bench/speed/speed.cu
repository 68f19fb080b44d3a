// The kernels by which the simulator's own speed is measured; see bench/speed.c.
// Plain code, as a learner writes it: what counts is how fast such code is simulated.

extern "C" __global__ void speed_vector_add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void speed_matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[16][16], tile_b[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int t = 0; t < n / 16; t++) {
        tile_a[y][x] = a[row * n + t * 16 + x];
        tile_b[y][x] = b[(t * 16 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void speed_reduce(const float *in, const float *, float *out, int n) {
    __shared__ float partial[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

// What costs simulators most: memory of a thread's own, single bytes, atomics, calls, words that lie apart.

extern "C" __global__ void speed_local(const float *a, const float *, float *c, int n) {
    float table[1024]; // 4 KiB a thread
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) table[k] = a[i] + k;
    for (int k = 0; k < n; k++) sum += table[(k * 7 + i) & 1023];
    c[i] = sum;
}

extern "C" __global__ void speed_memset(const float *, const float *, float *c, int n) {
    unsigned char bytes[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    memset(bytes, i & 255, n);
    c[i] = bytes[i & 1023];
}

static __device__ unsigned speed_key(unsigned i) { return (i * 2654435761u) >> 8; }

extern "C" __global__ void speed_histogram(const float *, const float *, float *c, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd((unsigned *)c + (speed_key(i) & 1023), 1u);
}

// Keys into a table of n slots, the next free one where theirs is taken.
extern "C" __global__ void speed_insert(const float *, const float *, float *c, int n) {
    unsigned key = (blockIdx.x * blockDim.x + threadIdx.x) / 2 + 1, *table = (unsigned *)c; // each key twice
    for (unsigned slot = speed_key(key);; slot++) {
        unsigned old = atomicCAS(&table[slot & (n - 1)], 0u, key);
        if (old == 0 || old == key) return;
    }
}

// The indices of the positive elements, in any order: one counter for all.
extern "C" __global__ void speed_append(const float *a, const float *, float *c, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, *out = (unsigned *)c;
    if (a[i] > 0.0f) out[1 + atomicAdd(out, 1u) % n] = i;
}

static __device__ __noinline__ float speed_step(float x, float by) { return x + by; }

extern "C" __global__ void speed_calls(const float *a, const float *, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    for (int k = 0; k < n; k++) x = speed_step(x, 1.0f);
    c[i] = x;
}

// Records of eight 8-byte words, a thread each.
extern "C" __global__ void speed_records(const float *a, const float *, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double *from = (const double *)a + (size_t)i * 8;
    double *to = (double *)c + (size_t)i * 8;
    for (int k = 0; k < 8; k++) to[k] = from[k];
}

// Votes and matches among the lanes of a warp.
extern "C" __global__ void speed_votes(const float *, const float *, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++) {
        sum += __popc(__ballot_sync(0xffffffffu, i >> (k & 7) & 1));
        sum += __popc(__match_any_sync(0xffffffffu, i * k & 7));
    }
    c[i] = sum;
}

struct speed_shape {
    __device__ virtual float area(float x) const = 0;
};
struct speed_square : speed_shape {
    __device__ float area(float x) const { return x * x; }
};
struct speed_cross : speed_shape {
    __device__ float area(float x) const { return x * x * 5.0f; }
};

// Neighbours call different functions: half of a warp waits for the other half.
extern "C" __global__ void speed_virtual(const float *a, const float *, float *c, int n) {
    speed_square square;
    speed_cross cross;
    const speed_shape *shapes[2] = {&square, &cross};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += shapes[(i + k) & 1]->area(a[i]);
    c[i] = sum;
}
