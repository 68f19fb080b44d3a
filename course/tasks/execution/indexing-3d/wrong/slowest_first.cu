// fails: result
// Takes the remainders in the wrong order: z runs fastest.
extern "C" __global__ void pad_volume(const float *in, float *out, int depth, int height, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (depth + 2) * (height + 2) * (width + 2)) return;
    int z = i % (depth + 2), y = i / (depth + 2) % (height + 2), x = i / (depth + 2) / (height + 2);
    bool inside = x > 0 && x <= width && y > 0 && y <= height && z > 0 && z <= depth;
    out[i] = inside ? in[((z - 1) * height + (y - 1)) * width + (x - 1)] : 0.0f;
}
