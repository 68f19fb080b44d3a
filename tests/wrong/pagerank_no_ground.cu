// What every vertex has, whoever points at it, is forgotten: it is small, and must not be lost in the error bound.
// family: pagerank
// case: step-f32-vertices1023-edges4096-shape1-uniform
// exit: 1
// expect: 1023 of 1023 are wrong
// kz: grid ceil(vertices/256)
// kz: block 256

extern "C" __global__ void no_ground_step_f32(const unsigned *out_offsets, const unsigned *out_targets,
                                              const unsigned *in_offsets, const unsigned *in_sources,
                                              const float *rank, float *next, size_t vertices, size_t edges) {
    size_t v = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    float sum = 0.0f;
    for (unsigned e = in_offsets[v]; e < in_offsets[v + 1]; e++) {
        unsigned u = in_sources[e];
        sum += rank[u] / (float)(out_offsets[u + 1] - out_offsets[u]);
    }
    next[v] = 0.85f * sum;
}
