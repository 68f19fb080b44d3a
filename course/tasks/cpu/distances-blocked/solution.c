// d[i * n + j] = the squared distance of point i of x and point j of y; m
// and n points of k coordinates.

void distances(const float *x, const float *y, float *d, int m, int n,
               int k) {
    // kz: begin
    // points of y in a piece: at most 16 KiB, half of the cache
    int rows = 4096 / k > 0 ? 4096 / k : 1;
    for (int j0 = 0; j0 < n; j0 += rows) {
        int j1 = j0 + rows < n ? j0 + rows : n;
        for (int i = 0; i < m; i++)
            for (int j = j0; j < j1; j++) {
                float sum = 0.0f;
                for (int p = 0; p < k; p++)
                    sum += (x[i * k + p] - y[j * k + p]) *
                           (x[i * k + p] - y[j * k + p]);
                d[i * n + j] = sum;
            }
    }
    // kz: starter
    //|     for (int i = 0; i < m; i++)
    //|         for (int j = 0; j < n; j++) {
    //|             float sum = 0.0f;
    //|             for (int p = 0; p < k; p++)
    //|                 sum += (x[i * k + p] - y[j * k + p]) *
    //|                        (x[i * k + p] - y[j * k + p]);
    //|             d[i * n + j] = sum;
    //|         }
    // kz: end
}
