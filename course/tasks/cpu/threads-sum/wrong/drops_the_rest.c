// fails: result
// Cuts n into four equal shares and loses the n modulo 4 last elements.
void sum(const float *x, float *total, int n) {
    float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma omp parallel for
    for (int t = 0; t < 4; t++)
        for (int i = t * (n / 4); i < (t + 1) * (n / 4); i++) part[t] += x[i];
    total[0] = part[0] + part[1] + part[2] + part[3];
}
