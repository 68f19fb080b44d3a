extern "C" __global__ void merge_into(float *o, float *lse,
                                      const float *part,
                                      const float *part_lse, int rows,
                                      int width) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    o += (size_t)row * width;
    part += (size_t)row * width;
    // kz: begin
    float mine = lse[row], other = part_lse[row];
    __syncwarp();             // all lanes have read it
    if (other == -INFINITY) { // no keys: at most, the zeros are missing
        for (int i = lane; i < width && mine == -INFINITY; i += 32)
            o[i] = 0.0f;
        return;
    }
    if (mine == -INFINITY) {
        for (int i = lane; i < width; i += 32) o[i] = part[i];
        if (lane == 0) lse[row] = other;
        return;
    }
    float high = fmaxf(mine, other), low = fminf(mine, other);
    float sum = high + log1pf(expf(low - high));
    float left = expf(mine - sum), right = expf(other - sum);
    for (int i = lane; i < width; i += 32)
        o[i] = left * o[i] + right * part[i];
    if (lane == 0) lse[row] = sum;
    // kz: starter
    //|     // As the formulas say. exp(200) is infinite, and what of rows without keys?
    //|     float sum = logf(expf(lse[row]) + expf(part_lse[row]));
    //|     float left = expf(lse[row] - sum), right = expf(part_lse[row] - sum);
    //|     for (int i = lane; i < width; i += 32)
    //|         o[i] = left * o[i] + right * part[i];
    //|     __syncwarp();
    //|     if (lane == 0) lse[row] = sum;
    // kz: end
}
