// fails: result
// Writes no zeros: padded queries keep what lay there.
enum { TILE = 32, WARPS = 8 }; // keys of a tile; a warp has a query

extern "C" __global__ void
padded_attention(const float *scores, const int *lengths, const float *v,
                 float *out, int batch, int heads, int longest) {
    __shared__ float2 tile[TILE][32]; // 64 columns, two for each lane
    int lane = threadIdx.x % 32;
    int query = blockIdx.x * WARPS + threadIdx.x / 32;
    const float *row =
        scores + ((size_t)blockIdx.y * longest + query) * longest;
    const float2 *values =
        (const float2 *)v + (size_t)blockIdx.y * longest * 32;
    int length = lengths[blockIdx.y / heads];
    bool is_there = query < length;
    // Keys that the block has to visit: none, if all its queries are padding
    int end = (int)blockIdx.x * WARPS < length ? length : 0;

    // Finite, so that nothing minus nothing is 0
    float greatest = -1e38f, total = 0.0f;
    for (int j = lane; j < length && is_there; j += 32) {
        float larger = fmaxf(greatest, row[j]);
        total = total * expf(greatest - larger) + expf(row[j] - larger);
        greatest = larger;
    }
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, greatest, step);
        float more = __shfl_xor_sync(0xffffffffu, total, step);
        float larger = fmaxf(greatest, other);
        total =
            total * expf(greatest - larger) + more * expf(other - larger);
        greatest = larger;
    }

    float2 sum = make_float2(0.0f, 0.0f);
    for (int first = 0; first < end; first += TILE) {
        for (int i = threadIdx.x; i < TILE * 32; i += WARPS * 32) {
            bool inside = first + i / 32 < length;
            tile[0][i] =
                inside ? values[first * 32 + i] : make_float2(0.0f, 0.0f);
        }
        __syncthreads();
        float weight = 0.0f;
        if (is_there && first + lane < length)
            weight = expf(row[first + lane] - greatest) / total;
        for (int j = 0; j < TILE; j++) {
            float w = __shfl_sync(0xffffffffu, weight, j);
            sum.x += w * tile[j][lane].x;
            sum.y += w * tile[j][lane].y;
        }
        __syncthreads();
    }
    float2 *to = (float2 *)out + (size_t)blockIdx.y * longest * 32;
    if (is_there) to[query * 32 + lane] = sum;
}
