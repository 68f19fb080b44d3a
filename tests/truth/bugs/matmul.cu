// A product of matrices through tiles in shared memory; the sizes are no multiples of the tile.
//
// bug 1 race: no barrier between loading the tiles and using them
// bug 2 race: the next tiles are loaded while these are used
// bug 3 out-of-bounds: the edges are not guarded
// bug 4 undefined-output: the product is added to what was never set
// bug 5 out-of-bounds: the tiles are one row short
// bug 6 misaligned: pairs from an odd row
#define BUGS 6
#include "bugs.cuh"

enum { M = 37, N = 41, K = 45, TILE = 16 };

template <int bug> __global__ void matmul(const float *a, const float *b, float *c) {
    __shared__ float tiles[2 * TILE - (BUG(5) ? 1 : 0)][TILE];
    float(*left)[TILE] = tiles, (*right)[TILE] = tiles + TILE;
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < K; k += TILE) {
        if (BUG(3) || (row < M && k + x < K))
            left[y][x] = a[row * K + k + x]; // <- 1 2 3
        else
            left[y][x] = 0;
        if (BUG(3) || (column < N && k + y < K))
            right[y][x] = b[(k + y) * N + column]; // <- 1 2 3 5
        else
            right[y][x] = 0; // <- 5
        if (!BUG(1)) __syncthreads();
        for (int i = 0; i < TILE; i++) sum += left[y][i] * right[i][x]; // <- 1 2 5
        if (!BUG(2)) __syncthreads();
    }
    if (row < M && column < N) c[row * N + column] = BUG(4) ? c[row * N + column] + sum : sum; // <- 4
}

template <int bug> __global__ void rows(const float *a, float2 *out) {
    const float *row = a + threadIdx.x * (BUG(6) ? K : K - 1);
    out[threadIdx.x] = *reinterpret_cast<const float2 *>(row); // <- 6
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static float a[M * K], b[K * N], c[M * N];
    for (int i = 0; i < M * K; i++) a[i] = (float)(i % 5);
    for (int i = 0; i < K * N; i++) b[i] = (float)(i % 3);
    float *device_a = device(M * K, a), *device_b = device(K * N, b), *device_c = which == 4 ? device<float>(M * N) : zeros<float>(M * N);
    float2 *pairs = zeros<float2>(32);
    PICK(matmul)<<<dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), dim3(TILE, TILE)>>>(device_a, device_b, device_c);
    launched();
    PICK(rows)<<<1, 32>>>(device_a, pairs);
    launched();
    fetch(c, device_c, M * N);
    float want = 0;
    for (int i = 0; i < K; i++) want += a[36 * K + i] * b[i * N + 40];
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    CHECK(cudaFree(pairs));
    return finish(c[36 * N + 40] == want);
}
