extern "C" __global__ void
embedding_backward(const float *dy, const int *order, const int *starts,
                   float *dtable, int tokens, int words, int columns) {
    int word = blockIdx.x;
    // kz: begin
    int first = starts[word], end = starts[word + 1];
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        float sum = 0.0f;
        for (int k = first; k < end; k++)
            sum += dy[(size_t)order[k] * columns + c];
        dtable[(size_t)word * columns + c] = sum;
    }
    // kz: starter
    //|     // The word's first token alone. What if it has several, or none?
    //|     int token = order[min(starts[word], tokens - 1)];
    //|     for (int c = threadIdx.x; c < columns; c += blockDim.x)
    //|         dtable[(size_t)word * columns + c] = dy[(size_t)token * columns + c];
    // kz: end
}
