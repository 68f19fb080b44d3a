// d[i * n + j] = the squared distance of points i and j. x has n points of
// k coordinates, row by row.

void distances(const float *x, float *d, int n, int k) {
    // kz: begin
    for (int i = 0; i < n; i++) {
        d[i * n + i] = 0.0f;
        for (int j = 0; j < i; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) {
                float difference = x[i * k + p] - x[j * k + p];
                sum += difference * difference;
            }
            d[i * n + j] = d[j * n + i] = sum;
        }
    }
    // kz: starter
    //|     // For every pair: go over the k coordinates, add up the squared
    //|     // differences.
    // kz: end
}
