// ldmatrix gives each lane two neighbours of a row (with .trans, of a column) of each 8 x 8 matrix, stmatrix takes them back. The rows
// lie in any order, addresses are generic or shared; the lanes check what they got and count what is wrong.
// kz: sm 90
// launch: block 32
// arg: wrong u32[4] = 0
// expect: wrong = 0 0 0 0
__shared__ unsigned short tile[32 * 8], back[32 * 8];

__device__ unsigned element(unsigned matrix, unsigned row, unsigned column) {
    return matrix * 64 + row * 8 + column;
}

// Matrix m, row r lies at row (r * 5 + m) % 8 of its own eighth, so that no order helps.
__device__ unsigned place(unsigned matrix, unsigned row) { return matrix * 64 + (row * 5 + matrix) % 8 * 8; }

__device__ void expect(unsigned *wrong, unsigned matrix, unsigned got, bool transposed) {
    unsigned row = threadIdx.x / 4, column = threadIdx.x % 4 * 2;
    unsigned low = transposed ? element(matrix, column, row) : element(matrix, row, column);
    unsigned high = transposed ? element(matrix, column + 1, row) : element(matrix, row, column + 1);
    if (got != (low | high << 16)) atomicAdd(wrong, 1);
}

extern "C" __global__ void ldmatrix(unsigned *wrong) {
    unsigned lane = threadIdx.x;
    for (unsigned c = 0; c < 8; c++)
        tile[place(lane / 8, lane % 8) + c] = (unsigned short)element(lane / 8, lane % 8, c);
    __syncthreads();
    unsigned short *row = &tile[place(lane / 8, lane % 8)];
    unsigned at = (unsigned)__cvta_generic_to_shared(row), r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
    for (int i = 0; i < 4; i++) expect(&wrong[0], i, r[i], false);
    asm volatile("ldmatrix.sync.aligned.x4.trans.m8n8.shared::cta.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
    for (int i = 0; i < 4; i++) expect(&wrong[0], i, r[i], true);
    // Only the first 16, or 8, lanes' addresses are looked at.
    unsigned short *two = lane < 16 ? row : (unsigned short *)0, *one = lane < 8 ? row : (unsigned short *)8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "l"(two)
                 : "memory");
    for (int i = 0; i < 2; i++) expect(&wrong[1], i, r[i], false);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.b16 {%0}, [%1];" : "=r"(r[0]) : "l"(one) : "memory");
    expect(&wrong[1], 0, r[0], true);
    // Into the address itself.
    unsigned same = at;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(same) : : "memory");
    expect(&wrong[1], 0, same, false);
    // Back to memory, by columns from what was read by columns.
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
    unsigned to = (unsigned)__cvta_generic_to_shared(&back[lane * 8]);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(r[0]),
                 "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    __syncwarp();
    for (unsigned c = 0; c < 8; c++)
        if (back[lane * 8 + c] != element(lane / 8, lane % 8, c)) atomicAdd(&wrong[2], 1);
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.x2.m8n8.shared.b16 [%0], {%1,%2};" ::"r"(to), "r"(r[2]), "r"(r[3])
                 : "memory");
    __syncwarp();
    for (unsigned c = 0; c < 8 && lane < 16; c++)
        if (back[lane * 8 + c] != element(lane / 8 + 2, c, lane % 8)) atomicAdd(&wrong[3], 1);
}
