// fails: result
// The starter: one token for each word.
extern "C" __global__ void
embedding_backward(const float *dy, const int *order, const int *starts,
                   float *dtable, int tokens, int words, int columns) {
    int word = blockIdx.x;
    int first = starts[word], end = starts[word + 1];
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        float sum = 0.0f;
        for (int k = first; k < min(end, first + 1); k++)
            sum += dy[(size_t)order[k] * columns + c];
        dtable[(size_t)word * columns + c] = sum;
    }
}
