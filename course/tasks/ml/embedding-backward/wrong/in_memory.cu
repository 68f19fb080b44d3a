// fails: gate store_sectors
// The sum is kept in the table.
extern "C" __global__ void
embedding_backward(const float *dy, const int *order, const int *starts,
                   float *dtable, int tokens, int words, int columns) {
    int word = blockIdx.x;
    int first = starts[word], end = starts[word + 1];
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        volatile float *sum = &dtable[(size_t)word * columns + c];
        *sum = 0.0f;
        for (int k = first; k < end; k++)
            *sum += dy[(size_t)order[k] * columns + c];
    }
}
