// fails: result
// Takes elements t and t + 4 of a row instead of 2 t and 2 t + 1.
extern "C" __global__ void fragment_map(int *a, int *b, int *d, int k) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;

    for (int i = 0; i < k / 2; i++) { // elements of A: 4 or 8
        int row = g + i / 2 % 2 * 8;
        int column = t + i % 2 * 4 + i / 4 * 8;
        a[row * k + column] = 100 * lane + i;
    }
    for (int i = 0; i < k / 4; i++) { // of B: 2 or 4
        int row = 2 * t + i % 2 + i / 2 * 8;
        int column = g;
        b[row * 8 + column] = 100 * lane + i;
    }
    for (int i = 0; i < 4; i++) { // of D
        int row = g + i / 2 * 8;
        int column = 2 * t + i % 2;
        d[row * 8 + column] = 100 * lane + i;
    }
}
