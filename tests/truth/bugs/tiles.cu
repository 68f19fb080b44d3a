// A transposition through tiles in shared memory, several tiles per block.
//
// bug 1 race: no barrier between writing the tile and reading it
// bug 2 out-of-bounds: the tile lacks a column
// bug 3 out-of-bounds: the edge is not guarded
// bug 4 misaligned: pairs are read from an odd element
// bug 5 race: the next tile is written while this one is read
// bug 6 undefined-output: the last row is not read, and is written all the same
#define BUGS 6
#include "bugs.cuh"

enum { ROWS = 60, COLUMNS = 70, TILE = 16 };

template <int bug> __global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[TILE - (BUG(2) ? 1 : 0)][TILE];
    int x = threadIdx.x, y = threadIdx.y, top = blockIdx.x * TILE;
    for (int left = 0; left < columns; left += TILE) {
        int r = top + y, c = left + x;
        if (BUG(3) || (r < rows - (BUG(6) ? 1 : 0) && c < columns)) tile[y][x] = in[r * columns + c]; // <- 1 2 3 5
        if (!BUG(1)) __syncthreads();
        r = top + x, c = left + y;
        if (r < rows && c < columns) out[c * rows + r] = tile[x][y]; // <- 1 2 5 6
        if (!BUG(5)) __syncthreads();
    }
}

template <int bug> __global__ void pairs(const float *in, float2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *from = in + (BUG(4) ? 1 : 0);
    if (i < n) out[i] = reinterpret_cast<const float2 *>(from)[i]; // <- 4
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static float in[ROWS * COLUMNS], out[ROWS * (COLUMNS + 2)];
    for (int i = 0; i < ROWS * COLUMNS; i++) in[i] = (float)i;
    float *device_in = device(ROWS * COLUMNS, in), *device_out = zeros<float>(ROWS * (COLUMNS + 2));
    float2 *halves = zeros<float2>(64);
    PICK(transpose)<<<(ROWS + TILE - 1) / TILE, dim3(TILE, TILE)>>>(device_in, device_out, ROWS, COLUMNS);
    launched();
    PICK(pairs)<<<1, 64>>>(device_in, halves, 64);
    launched();
    fetch(out, device_out, ROWS * (COLUMNS + 2));
    bool right = true;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) right = right && out[c * ROWS + r] == in[r * COLUMNS + c];
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    CHECK(cudaFree(halves));
    return finish(right);
}
