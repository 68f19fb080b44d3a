// fails: gate instructions
// Right, but an atomic addition for every element. (For float it is a loop around compare-and-swap.)
void sum(const float *x, float *total, int n) {
    float all = 0.0f;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
#pragma omp atomic
        all += x[i];
    total[0] = all;
}
