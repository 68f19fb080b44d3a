extern "C" __global__ void fragment_map(int *a, int *b, int *d, int k) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;

    for (int i = 0; i < k / 2; i++) { // elements of A: 4 or 8
        // kz: begin
        int row = g + i / 2 % 2 * 8;
        int column = 2 * t + i % 2 + i / 4 * 8;
        // kz: starter
        //|         int row = 0;    // g and i decide
        //|         int column = 0; // t and i decide
        // kz: end
        a[row * k + column] = 100 * lane + i;
    }
    for (int i = 0; i < k / 4; i++) { // of B: 2 or 4
        // kz: begin
        int row = 2 * t + i % 2 + i / 2 * 8;
        int column = g;
        // kz: starter
        //|         int row = 0;
        //|         int column = 0;
        // kz: end
        b[row * 8 + column] = 100 * lane + i;
    }
    for (int i = 0; i < 4; i++) { // of D
        // kz: begin
        int row = g + i / 2 * 8;
        int column = 2 * t + i % 2;
        // kz: starter
        //|         int row = 0;
        //|         int column = 0;
        // kz: end
        d[row * 8 + column] = 100 * lane + i;
    }
}
