// A right guest of attention, a thread per query: cases with strides or log-sum-exps are not given to it.
// kz: block 64
// kz: grid ceil(batch*heads*queries/64)
// family: attention
// exit: 0
// expect: checks passed
// expect: do not apply here

// The power of a score less the largest one so far; the sum is put right when a larger one comes.
extern "C" __global__ void right_full_f32(const float *q, const float *k, const float *v, float *out,
                                          size_t batch, size_t heads, size_t kv_heads, size_t queries,
                                          size_t keys, size_t dimension, float scale, size_t reach) {
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= batch * heads * queries) return;
    size_t head = at / queries % heads / (heads / kv_heads);
    size_t first = (at / queries / heads * kv_heads + head) * keys * dimension;
    float most = -INFINITY, sum = 0.0f;
    q += at * dimension, out += at * dimension;
    for (size_t d = 0; d < dimension; d++) out[d] = 0.0f;
    for (size_t j = 0; j < keys; j++) {
        float score = 0.0f;
        for (size_t d = 0; d < dimension; d++) score += q[d] * k[first + j * dimension + d];
        float larger = fmaxf(most, score * scale), factor = expf(most - larger);
        float weight = expf(score * scale - larger);
        for (size_t d = 0; d < dimension; d++)
            out[d] = out[d] * factor + weight * v[first + j * dimension + d];
        sum = sum * factor + weight;
        most = larger;
    }
    for (size_t d = 0; d < dimension; d++) out[d] = sum == 0.0f ? 0.0f : out[d] / sum;
}
