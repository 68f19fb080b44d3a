// A scan with an operation of one's own: all products of the first 1, 2, ... n of n matrices, then products that
// begin anew at marked places. Products of matrices are associative and do not commute.
//
//     nvcc -arch=sm_90 -I $(pkg-config --variable=includedir kz) scan_own.cu -o scan_own && ./scan_own
//     kz run scan_own.cu
#include <cstdio>
#include <cstdlib>
#include <vector>

#define KZ_SCAN_WORDS 5 // the largest value: a matrix and its head
#include "kz/device/scan.cuh"

struct alignas(16) matrix {
    unsigned a, b, c, d; // a b over c d, modulo 2^32
};

struct product {
    typedef matrix value;
    static __host__ __device__ matrix identity(void) { return {1, 0, 0, 1}; }
    static __host__ __device__ matrix combine(matrix x, matrix y) { // x stands before y
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

KZ_SCAN_ENTRY(products, kz_scan_of<product>)
KZ_SCAN_ENTRY(products_by_heads, kz_scan_by_heads<kz_scan_of<product>>)

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "CUDA says: %s; a GPU of sm_90 or later, or `kz run`, is needed\n",
            cudaGetErrorString(error));
    exit(1);
}

// How many of the n results differ from those of a loop.
template <typename Kernel>
static size_t count_wrong(Kernel kernel, const std::vector<matrix> &in, const std::vector<uint8_t> &heads,
                          bool by_heads, bool exclusive) {
    size_t n = in.size(), bytes = n * sizeof(matrix), wrong = 0;
    int multiprocessors;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    kz_scan_shape shape = kz_scan_shape_of(n, sizeof(matrix), by_heads, multiprocessors);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shape.shared_bytes));

    matrix *d_in, *d_out;
    uint8_t *d_heads;
    check(cudaMalloc(&d_in, bytes));
    check(cudaMalloc(&d_out, bytes));
    check(cudaMalloc(&d_heads, n));
    check(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(d_heads, heads.data(), n, cudaMemcpyHostToDevice));
    kernel<<<shape.blocks, shape.threads, shape.shared_bytes>>>(d_in, by_heads ? d_heads : NULL, d_out, n,
                                                                exclusive);
    check(cudaGetLastError());
    std::vector<matrix> out(n);
    check(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    cudaFree(d_in), cudaFree(d_out), cudaFree(d_heads);

    matrix so_far = product::identity();
    for (size_t i = 0; i < n; i++) {
        if (by_heads && heads[i]) so_far = product::identity();
        matrix next = product::combine(so_far, in[i]), right = exclusive ? so_far : next;
        wrong += out[i].a != right.a || out[i].b != right.b || out[i].c != right.c || out[i].d != right.d;
        so_far = next;
    }
    printf("%zu products%s%s in %u blocks: %zu wrong\n", n, by_heads ? " by heads" : "",
           exclusive ? ", exclusive" : "", shape.blocks, wrong);
    return wrong;
}

int main(void) {
    size_t wrong = 0;
    for (size_t n : {(size_t)1, (size_t)20011}) {
        std::vector<matrix> in(n);
        std::vector<uint8_t> heads(n);
        unsigned random = 1;
        for (size_t i = 0; i < n; i++) {
            unsigned r[4];
            for (unsigned &x : r) x = random = random * 1664525u + 1013904223u;
            in[i] = {r[0] | 1, r[1], 2 * r[2], r[3] | 1}; // an odd determinant: no product forgets a factor
            heads[i] = r[3] % 997 == 0;
        }
        for (bool exclusive : {false, true}) {
            wrong += count_wrong(products, in, heads, false, exclusive);
            wrong += count_wrong(products_by_heads, in, heads, true, exclusive);
        }
    }
    printf(wrong ? "wrong\n" : "all right\n");
    return wrong != 0;
}
