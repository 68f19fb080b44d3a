// fails: result
// Divides by the total of one lane's keys.
// kz: grid ceil(queries/64)
// kz: block 256
// A block has 64 queries. As in a matrix product with tiles in registers,
// thread (y, x) of 16 x 16 has the scores of queries 4 y to 4 y + 3 with
// keys x and x + 16 of a tile, and columns 4 x to 4 x + 3 of their results.
enum { D = 64, QUERIES = 64, TILE = 32, STEP = D / 4 + 1 };

static __device__ float dot(float4 a, float4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static __device__ void add(float4 *sum, float weight, float4 value) {
    sum->x += weight * value.x, sum->y += weight * value.y;
    sum->z += weight * value.z, sum->w += weight * value.w;
}

extern "C" __global__ void attention(const float *q, const float *k,
                                     const float *v, float *out,
                                     int queries, int keys) {
    // Rows of 17 float4: what a warp reads together lies in other banks.
    __shared__ float4 tile_q[QUERIES][STEP], tile_k[TILE][STEP];
    __shared__ float4 tile_v[TILE][D / 4], weights[QUERIES][TILE / 4];
    int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.x * QUERIES;
    const float4 none = {};
    for (int i = t; i < QUERIES * D / 4; i += 256) {
        float4 part = none;
        if (top + i / 16 < queries)
            part = ((const float4 *)q)[top * 16 + i];
        tile_q[i / 16][i % 16] =
            make_float4(part.x / 8, part.y / 8, part.z / 8, part.w / 8);
    }
    float greatest[4], total[4];
    float4 o[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        greatest[i] = -INFINITY, total[i] = 0.0f, o[i] = none;

    for (int first = 0; first < keys; first += TILE) {
        for (int i = t; i < TILE * D / 4; i += 256) {
            bool inside = first + i / 16 < keys;
            int at = first * 16 + i;
            tile_k[i / 16][i % 16] =
                inside ? ((const float4 *)k)[at] : none;
            tile_v[i / 16][i % 16] =
                inside ? ((const float4 *)v)[at] : none;
        }
        __syncthreads();
        float scores[4][2] = {};
        for (int c = 0; c < D / 4; c++) {
            float4 left = tile_k[x][c], right = tile_k[x + 16][c];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float4 mine = tile_q[4 * y + i][c];
                scores[i][0] += dot(mine, left);
                scores[i][1] += dot(mine, right);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (first + x >= keys) scores[i][0] = -INFINITY;
            if (first + x + 16 >= keys) scores[i][1] = -INFINITY;
            // The greatest of the row: 16 lanes have it
            float larger = fmaxf(scores[i][0], scores[i][1]);
            for (int step = 8; step > 0; step /= 2)
                larger = fmaxf(larger,
                               __shfl_xor_sync(0xffffffffu, larger, step));
            larger = fmaxf(larger, greatest[i]);
            float correction = expf(greatest[i] - larger);
            greatest[i] = larger;
            float one = expf(scores[i][0] - larger);
            float other = expf(scores[i][1] - larger);
            // Of this lane's keys; the lanes meet after the last tile.
            total[i] = total[i] * correction + one + other;
            o[i].x *= correction, o[i].y *= correction;
            o[i].z *= correction, o[i].w *= correction;
            float *to = (float *)weights[4 * y + i];
            to[x] = one, to[x + 16] = other;
        }
        __syncwarp(); // a row's weights come from lanes of the same warp
        for (int j = 0; j < TILE / 4; j++) {
            float4 value[4];
#pragma unroll
            for (int i = 0; i < 4; i++) value[i] = tile_v[4 * j + i][x];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float4 four = weights[4 * y + i][j];
                add(&o[i], four.x, value[0]), add(&o[i], four.y, value[1]);
                add(&o[i], four.z, value[2]), add(&o[i], four.w, value[3]);
            }
        }
        __syncthreads(); // nobody reads the tiles any more
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int query = top + 4 * y + i;
        if (query < queries)
            ((float4 *)out)[query * 16 + x] =
                make_float4(o[i].x / total[i], o[i].y / total[i],
                            o[i].z / total[i], o[i].w / total[i]);
    }
}
