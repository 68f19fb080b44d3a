// total[0] = the sum of x, by several threads.

void sum(const float *x, float *total, int n) {
    // kz: begin
    float all = 0.0f;
#pragma omp parallel for reduction(+ : all)
    for (int i = 0; i < n; i++) all += x[i];
    total[0] = all;
    // kz: starter
    //|     float all = 0.0f;
    //| #pragma omp parallel for
    //|     for (int i = 0; i < n; i++) all += x[i];
    //|     total[0] = all;
    // kz: end
}
