// Which lane holds which element? One element of a matrix in shared memory is 1, the others are 0. ldmatrix brings the matrix
// to the lanes, mma multiplies it; the lane whose register is not 0 says so. Change the elements in main, and look.
// kz: sm 80
#include <cstdio>

struct holder {
    int lane, slot;
};

__device__ void tell(holder *found, unsigned word, int slot) {
    if (word) *found = {(int)threadIdx.x, slot};
}

// Matrix A, 16 rows of 32 bytes: rows 0-7, rows 8-15; then the same with bytes 16-31.
__device__ void load_a(unsigned r[4], const unsigned char *tile) {
    int lane = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(tile + lane % 16 * 32 + lane / 16 * 16);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

// Matrix B, 8 columns of 32 bytes along k.
__device__ void load_b(unsigned r[2], const unsigned char *tile) {
    int lane = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(tile + lane % 8 * 32 + lane / 8 % 2 * 16);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1]) : "r"(at) : "memory");
}

// `bytes` at `offset` of the tile are set to `bits`, the rest to 0.
__device__ void one(unsigned char *tile, int size, int offset, int bytes, unsigned bits) {
    for (int i = threadIdx.x; i < size; i += 32)
        tile[i] = i >= offset && i < offset + bytes ? (unsigned char)(bits >> 8 * (i - offset)) : 0;
    __syncwarp();
}

// Element (row, k) of A, `bytes` wide.
__global__ void holds_a(holder *found, int row, int k, int bytes) {
    __shared__ __align__(16) unsigned char tile[512];
    unsigned r[4];
    one(tile, 512, row * 32 + k * bytes, bytes, 1);
    load_a(r, tile);
    for (int i = 0; i < 4; i++) tell(found, r[i], i);
}

// Element (k, column) of B, of halves.
__global__ void holds_b(holder *found, int k, int column) {
    __shared__ __align__(16) unsigned char tile[256];
    unsigned r[2];
    one(tile, 256, column * 32 + k * 2, 2, 1);
    load_b(r, tile);
    for (int i = 0; i < 2; i++) tell(found, r[i], i);
}

// Element (row, column) of D: A has a 1 at (row, 0), B at (0, column), so D has its only 1 there.
__global__ void holds_d(holder *found, int row, int column) {
    __shared__ __align__(16) unsigned char a[512], b[256];
    unsigned fa[4], fb[2];
    float d[4] = {0, 0, 0, 0};
    one(a, 512, row * 32, 2, 0x3c00); // 1.0 as a half
    one(b, 256, column * 32, 2, 0x3c00);
    load_a(fa, a);
    load_b(fb, b);
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    for (int i = 0; i < 4; i++) tell(found, d[i] != 0, i);
}

static void print(const char *what, const holder *found) {
    holder h;
    cudaMemcpy(&h, found, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s: lane %d, register %d\n", what, h.lane, h.slot);
}

int main() {
    holder *found;
    cudaMalloc(&found, sizeof *found);
    holds_a<<<1, 32>>>(found, 13, 6, 2), print("A(13,6) f16", found);
    holds_a<<<1, 32>>>(found, 2, 9, 2), print("A(2,9) f16", found);
    holds_b<<<1, 32>>>(found, 11, 2), print("B(11,2) f16", found);
    holds_d<<<1, 32>>>(found, 12, 7), print("D(12,7) f32", found);
    holds_a<<<1, 32>>>(found, 3, 21, 1), print("A(3,21) s8", found);
    holds_a<<<1, 32>>>(found, 9, 6, 4), print("A(9,6) tf32", found);
    cudaFree(found);
}
