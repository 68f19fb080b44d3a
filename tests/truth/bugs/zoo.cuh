// The host's part of the programs that are mutated from the zoo: one launch, with sizes that leave an uneven end.
//
// FAMILY_<name>, KERNEL, BLOCKS, THREADS_ and, for reduce, ARGUMENTS are defined before; a program takes no
// arguments.
#include "bugs.cuh"

#ifdef FAMILY_reduce
int main() {
    enum { N = 5000 };
    static float in[N];
    float got, want = 0;
    for (int i = 0; i < N; i++) want += in[i] = (float)(i % 7);
    float *device_in = device(N, in), *partial = zeros<float>(1024);
#ifdef UNSET
    float *out = device<float>(1);
#else
    float *out = zeros<float>(1);
#endif
    size_t n = N;
    KERNEL<<<BLOCKS, THREADS_>>> ARGUMENTS;
    launched();
    fetch(&got, out, 1);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(out));
    return finish(got == want);
}
#endif

#ifdef FAMILY_transpose
int main() {
    enum { ROWS = 100, COLUMNS = 70, COUNT = ROWS * COLUMNS };
    static float in[COUNT], back[COUNT];
    for (int i = 0; i < COUNT; i++) in[i] = (float)i;
    float *device_in = device(COUNT, in), *out = zeros<float>(COUNT);
    KERNEL<<<((ROWS + SIDE_ - 1) / SIDE_) * ((COLUMNS + SIDE_ - 1) / SIDE_), 256>>>(device_in, out, ROWS, COLUMNS);
    launched();
    fetch(back, out, COUNT);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(out));
    return finish(back[69 * ROWS + 99] == in[99 * COLUMNS + 69]);
}
#endif

#if defined FAMILY_vector_add || defined FAMILY_saxpy
int main() {
    enum { N = 3001 };
    static float x[N + 1], y[N], back[N];
    for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1.0f;
    float *device_x = device(N + 1, x), *device_y = device(N, y), *z = zeros<float>(N);
#ifdef FAMILY_saxpy
    KERNEL<<<BLOCKS, THREADS_>>>(2.0f, device_x, device_y, (size_t)N);
#else
    KERNEL<<<BLOCKS, THREADS_>>>(device_x + SHIFT, device_y, z, (size_t)N);
#endif
    launched();
    fetch(back, z, N);
    fetch(y, device_y, N);
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_y));
    CHECK(cudaFree(z));
    return finish(true);
}
#endif
