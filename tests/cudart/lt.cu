// Calls into our own cuBLASLt, against sums written out. All but gelu's results are exact.
// flags: --nvcc-flag -lcublasLt
#include "check.h"

#include <cmath>
#include <cuda_fp16.h>

struct handle;
struct layout;
struct matmul;
struct preference;
struct transform;
struct algorithm {
    unsigned long long opaque[8];
};
struct heuristic {
    algorithm algo;
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};
extern "C" {
int cublasLtCreate(handle **);
int cublasLtDestroy(handle *);
int cublasLtMatrixLayoutCreate(layout **, int, unsigned long long, unsigned long long, long long);
int cublasLtMatrixLayoutInit_internal(layout *, size_t, int, unsigned long long, unsigned long long,
                                      long long);
int cublasLtMatrixLayoutDestroy(layout *);
int cublasLtMatrixLayoutSetAttribute(layout *, int, const void *, size_t);
int cublasLtMatrixLayoutGetAttribute(layout *, int, void *, size_t, size_t *);
int cublasLtMatmulDescCreate(matmul **, int, int);
int cublasLtMatmulDescDestroy(matmul *);
int cublasLtMatmulDescSetAttribute(matmul *, int, const void *, size_t);
int cublasLtMatmulDescGetAttribute(matmul *, int, void *, size_t, size_t *);
int cublasLtMatmulPreferenceCreate(preference **);
int cublasLtMatmulPreferenceDestroy(preference *);
int cublasLtMatmulPreferenceSetAttribute(preference *, int, const void *, size_t);
int cublasLtMatmulAlgoGetHeuristic(handle *, matmul *, layout *, layout *, layout *, layout *, preference *,
                                   int, heuristic *, int *);
int cublasLtMatmulAlgoCapGetAttribute(const algorithm *, int, void *, size_t, size_t *);
int cublasLtMatmulAlgoConfigGetAttribute(const algorithm *, int, void *, size_t, size_t *);
int cublasLtMatmul(handle *, matmul *, const void *, const void *, layout *, const void *, layout *,
                   const void *, const void *, layout *, void *, layout *, const algorithm *, void *, size_t,
                   cudaStream_t);
int cublasLtMatrixTransformDescCreate(transform **, int);
int cublasLtMatrixTransformDescSetAttribute(transform *, int, const void *, size_t);
int cublasLtMatrixTransform(handle *, transform *, const void *, const void *, layout *, const void *,
                            const void *, layout *, void *, layout *, cudaStream_t);
}
enum { F32 = 0, F64 = 1, F16 = 2, BF16 = 14, E4M3 = 28, E5M2 = 29, COMPUTE_32F = 68, COMPUTE_64F = 70 };
enum {
    TRANSA = 3,
    TRANSB = 4,
    EPILOGUE = 7,
    BIAS = 8,
    AUX = 11,
    AUX_LD = 12,
    A_SCALE = 17,
    B_SCALE,
    C_SCALE,
    D_SCALE
};
enum { POINTER_MODE = 2, AMAX = 21, ORDER = 1, BATCH = 5, STRIDE = 6, INVALID = 7, NOT_SUPPORTED = 15 };

static handle *h;

template <class V> static V *to_device(const V *from, size_t n) {
    V *p;
    OK(cudaMalloc(&p, n * sizeof(V)));
    OK(cudaMemcpy(p, from, n * sizeof(V), cudaMemcpyHostToDevice));
    return p;
}

template <class V> static void set(matmul *m, int which, V value) {
    CHECK(cublasLtMatmulDescSetAttribute(m, which, &value, sizeof value) == 0);
}
template <class V> static void set(layout *l, int which, V value) {
    CHECK(cublasLtMatrixLayoutSetAttribute(l, which, &value, sizeof value) == 0);
}

static layout *make(int type, int rows, int columns, int ld) {
    layout *l;
    CHECK(cublasLtMatrixLayoutCreate(&l, type, rows, columns, ld) == 0);
    return l;
}

static void attributes() {
    matmul *m;
    long long stride = 5;
    int value = -1;
    size_t bytes = 0;
    CHECK(cublasLtMatmulDescCreate(&m, COMPUTE_32F, F32) == 0);
    CHECK(cublasLtMatmulDescGetAttribute(m, EPILOGUE, &value, sizeof value, &bytes) == 0);
    CHECK(value == 1 && bytes == 4);
    CHECK(cublasLtMatmulDescGetAttribute(m, BIAS, nullptr, 0, &bytes) == 0 && bytes == 8);
    CHECK(cublasLtMatmulDescSetAttribute(m, EPILOGUE, &stride, sizeof stride) == INVALID);
    CHECK(cublasLtMatmulDescSetAttribute(m, 1000, &value, sizeof value) == INVALID);
    CHECK(cublasLtMatmulDescDestroy(m) == 0);
    unsigned long long own[8]; // a descriptor that the program has itself
    CHECK(cublasLtMatrixLayoutInit_internal((layout *)own, sizeof own, F16, 3, 4, 5) == 0);
    CHECK(cublasLtMatrixLayoutGetAttribute((layout *)own, 4, &stride, sizeof stride, nullptr) == 0);
    CHECK(stride == 5);
}

// Two products of float, A by rows, D apart from C; the algorithm is the heuristic's.
static void floats() {
    enum { M = 8, N = 4, K = 12, CELLS = 2 * M * K };
    float a[CELLS], b[CELLS], c[CELLS], d[CELLS];
    for (int i = 0; i < CELLS; i++)
        a[i] = float(i % 11 - 5), b[i] = float(i % 7 - 3), c[i] = float(i % 5), d[i] = 0;
    float *da = to_device(a, CELLS), *db = to_device(b, CELLS), *dc = to_device(c, CELLS),
          *dd = to_device(d, CELLS);
    layout *la = make(F32, M, K, K), *lb = make(F32, N, K, N), *lc = make(F32, M, N, M),
           *ld = make(F32, M, N, M);
    set(la, ORDER, 1);
    layout *all[] = {la, lb, lc, ld};
    for (layout *l : all) set(l, BATCH, 2);
    set(la, STRIDE, (long long)M * K), set(lb, STRIDE, (long long)N * K);
    set(lc, STRIDE, (long long)M * N), set(ld, STRIDE, (long long)M * N);
    matmul *m;
    preference *p;
    heuristic found[3];
    int count = 0;
    size_t workspace = 1 << 20;
    CHECK(cublasLtMatmulDescCreate(&m, COMPUTE_32F, F32) == 0);
    set(m, TRANSB, 1);
    CHECK(cublasLtMatmulPreferenceCreate(&p) == 0);
    CHECK(cublasLtMatmulPreferenceSetAttribute(p, 1, &workspace, sizeof workspace) == 0);
    CHECK(cublasLtMatmulAlgoGetHeuristic(h, m, la, lb, lc, ld, p, 3, found, &count) == 0);
    CHECK(count >= 1 && found[0].state == 0 && found[0].workspace <= workspace);
    float alpha = 2, beta = 3;
    void *work;
    OK(cudaMalloc(&work, workspace));
    CHECK(cublasLtMatmul(h, m, &alpha, da, la, db, lb, &beta, dc, lc, dd, ld, &found[0].algo, work, workspace,
                         0) == 0);
    OK(cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost));
    for (int z = 0; z < 2; z++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++) {
                float sum = 0;
                for (int k = 0; k < K; k++) sum += a[z * M * K + i * K + k] * b[z * N * K + j + k * N];
                CHECK(d[z * M * N + i + j * M] == 2 * sum + 3 * c[z * M * N + i + j * M]);
            }
    // With a beta of 0, C is not read; what contradicts itself, and types that do not go together, are refused.
    beta = 0;
    CHECK(cublasLtMatmul(h, m, &alpha, da, la, db, lb, &beta, nullptr, lc, dd, ld, nullptr, work, workspace,
                         0) == 0);
    layout *wrong = make(F32, M + 1, N, M + 1), *wide = make(F64, M, N, M);
    set(wrong, BATCH, 2), set(wide, BATCH, 2);
    CHECK(cublasLtMatmul(h, m, &alpha, da, la, db, lb, &beta, dc, lc, dd, wrong, nullptr, work, 0, 0) ==
          INVALID);
    CHECK(cublasLtMatmulAlgoGetHeuristic(h, m, la, lb, wide, wide, p, 1, found, &count) == NOT_SUPPORTED);
    CHECK(cublasLtMatmul(nullptr, m, &alpha, da, la, db, lb, &beta, dc, lc, dd, ld, nullptr, work, 0, 0) !=
          0);
    CHECK(cublasLtMatmulPreferenceDestroy(p) == 0);
    OK(cudaFree(work));
}

static double gelu(double x) {
    return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}
static double slope(double x) { return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5; }

// D of half, 16 by 8, with every epilogue; A and B are of eighths, so that sums are small and exact.
static void epilogues() {
    enum { M = 16, N = 8, K = 8, LD = 128 };
    __half a[M * K], b[K * N], bias[M], aux[LD * N], d[M * N];
    for (int i = 0; i < M * K; i++) a[i] = __float2half(float(i % 9 - 4) / 8);
    for (int i = 0; i < K * N; i++) b[i] = __float2half(float(i % 5 - 2));
    for (int i = 0; i < M; i++) bias[i] = __float2half(float(i - 8) / 4);
    for (int i = 0; i < LD * N; i++) aux[i] = __float2half(0);
    __half turned[K * N]; // the sum of B's columns is there for op T alone
    for (int i = 0; i < K * N; i++) turned[i] = b[i / N + i % N * K];
    __half *da = to_device(a, M * K), *db = to_device(b, K * N), *dbt = to_device(turned, K * N);
    __half *dbias = to_device(bias, M);
    __half *daux = to_device(aux, LD * N), *dd = to_device(aux, M * N);
    layout *la = make(F16, M, K, M), *lb = make(F16, K, N, K), *ld = make(F16, M, N, M);
    static double plain[M * N];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int k = 0; k < K; k++) sum += __half2float(a[i + k * M]) * __half2float(b[k + j * K]);
            plain[i + j * M] = sum;
        }
    float alpha = 1, beta = 0;
    // relu's bits and gelu's inputs of a forward pass are what the backward pass after it reads.
    static const unsigned kinds[] = {4, 2, 6, 134, 136, 152, 32, 36, 164, 192, 208, 256, 512};
    void *work;
    size_t workspace = 1 << 20;
    OK(cudaMalloc(&work, workspace));
    for (unsigned kind : kinds) {
        bool summed = kind & (16 | 256 | 512);
        matmul *m;
        CHECK(cublasLtMatmulDescCreate(&m, COMPUTE_32F, F32) == 0);
        set(m, EPILOGUE, kind);
        if (kind & 4 || summed) set(m, BIAS, (void *)dbias);
        if (kind & 128) set(m, AUX, (void *)daux), set(m, AUX_LD, (long long)LD);
        if (kind == 512) set(m, TRANSB, 1);
        OK(cudaMemcpy(dbias, bias, sizeof bias, cudaMemcpyHostToDevice));
        const __half *from = kind == 512 ? dbt : db;
        CHECK(cublasLtMatmul(h, m, &alpha, da, la, from, lb, &beta, dd, ld, dd, ld, nullptr, work, workspace,
                             0) == 0);
        // Sums of D's rows need a workspace.
        if (kind & 16)
            CHECK(cublasLtMatmul(h, m, &alpha, da, la, from, lb, &beta, dd, ld, dd, ld, nullptr, nullptr, 0,
                                 0) == NOT_SUPPORTED);
        OK(cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost));
        __half sums[M];
        OK(cudaMemcpy(sums, dbias, sizeof sums, cudaMemcpyDeviceToHost));
        double row[M] = {0};
        bool right = true;
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++) {
                double before = plain[i + j * M] + __half2float(bias[i]),
                       x = kind & 4 ? before : plain[i + j * M];
                if (kind & 2) x = x > 0 ? x : 0;
                if (kind & 32) x = gelu(x);
                if (kind & 8) x = before >= 0 ? x : 0; // the bits of 134 were of the biased ones
                if (kind & 64) x *= slope(before);
                row[i] += x;
                right &=
                    std::fabs(__half2float(d[i + j * M]) - x) <= (kind & 96 ? 2e-3 * (1 + std::fabs(x)) : 0);
            }
        if (!right) printf("epilogue %u\n", kind);
        CHECK(right);
        for (int i = 0; kind & 16 && i < M; i++) CHECK(std::fabs(__half2float(sums[i]) - row[i]) < 0.02);
        for (int i = 0; kind == 256 && i < M; i++) {
            double sum = 0;
            for (int k = 0; k < K; k++) sum += __half2float(a[i + k * M]);
            CHECK(__half2float(sums[i]) == sum);
        }
        for (int j = 0; kind == 512 && j < N; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++) sum += __half2float(b[k + j * K]);
            CHECK(__half2float(sums[j]) == sum);
        }
        CHECK(cublasLtMatmulDescDestroy(m) == 0);
    }
    matmul *m;
    CHECK(cublasLtMatmulDescCreate(&m, COMPUTE_32F, F32) == 0);
    set(m, EPILOGUE, 130u), set(m, AUX, (void *)daux), set(m, AUX_LD, (long long)M); // no multiple of 128
    CHECK(cublasLtMatmul(h, m, &alpha, da, la, db, lb, &beta, dd, ld, dd, ld, nullptr, nullptr, 0, 0) != 0);
}

// 8-bit floats with a factor for each matrix, and the greatest result.
static void bytes() {
    enum { M = 16, N = 16, K = 32 };
    static const unsigned char codes[] = {0x38, 0xb8, 0x40, 0x30}; // 1, -1, 2, 0.5 of e4m3
    static const float values[] = {1, -1, 2, 0.5f};
    unsigned char a[K * M], b[K * N], d[M * N];
    for (int i = 0; i < K * M; i++) a[i] = codes[i * 7 / 3 % 4], b[i] = codes[i * 5 / 2 % 4];
    unsigned char *da = to_device(a, K * M), *db = to_device(b, K * N), *dd;
    float scales[16] = {2, 0, 0, 0, 0.5f, 0, 0, 0, 0.125f}, *ds = to_device(scales, 16), alpha = 1, beta = 0;
    void *work, *dc;
    size_t workspace = 1 << 25;
    OK(cudaMalloc(&work, workspace));
    OK(cudaMalloc(&dc, 4 * M * N));
    OK(cudaMalloc(&dd, 4 * M * N));
    layout *la = make(E4M3, K, M, K), *lb = make(E4M3, K, N, K), *lc = make(BF16, M, N, M),
           *ld = make(E4M3, M, N, M);
    matmul *m;
    CHECK(cublasLtMatmulDescCreate(&m, COMPUTE_32F, F32) == 0);
    set(m, TRANSA, 1);
    set(m, A_SCALE, (void *)ds), set(m, B_SCALE, (void *)(ds + 4)), set(m, D_SCALE, (void *)(ds + 8));
    set(m, AMAX, (void *)(ds + 12));
    CHECK(cublasLtMatmul(h, m, &alpha, da, la, db, lb, &beta, dc, lc, dd, ld, nullptr, work, workspace, 0) ==
          0);
    OK(cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(scales, ds, sizeof scales, cudaMemcpyDeviceToHost));
    float most = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += values[(k + i * K) * 7 / 3 % 4] * values[(k + j * K) * 5 / 2 % 4];
            most = std::fmax(most, std::fabs(sum));
            float got = d[i + j * M] & 0x78
                            ? std::ldexp(float(8 | (d[i + j * M] & 7)), (d[i + j * M] >> 3 & 15) - 10)
                            : std::ldexp(float(d[i + j * M] & 7), -9);
            if (d[i + j * M] & 0x80) got = -got;
            CHECK(std::fabs(got - sum / 8) <= std::fabs(sum / 8) / 16); // three bits of fraction
        }
    CHECK(scales[12] == most);
    set(m, A_SCALE, (void *)(ds + 1)); // not at a multiple of 16 bytes
    CHECK(cublasLtMatmul(h, m, &alpha, da, la, db, lb, &beta, dc, lc, dd, ld, nullptr, work, workspace, 0) ==
          NOT_SUPPORTED);
    set(m, A_SCALE, (void *)ds);
    set(m, TRANSA, 0); // on no GPU before Blackwell
    layout *plain = make(E4M3, M, K, M);
    CHECK(cublasLtMatmul(h, m, &alpha, da, plain, db, lb, &beta, dc, lc, dd, ld, nullptr, work, workspace,
                         0) == NOT_SUPPORTED);
    set(m, TRANSA, 1);
    layout *la5 = make(E5M2, K, M, K), *lb5 = make(E5M2, K, N, K);
    CHECK(cublasLtMatmul(h, m, &alpha, da, la5, db, lb5, &beta, dc, lc, dd, ld, nullptr, work, workspace,
                         0) == NOT_SUPPORTED);
}

// alpha and beta on the device; a capture; orders of tiles.
static void others() {
    enum { M = 32, N = 64, CELLS = M * N };
    static float a[CELLS], back[CELLS];
    for (int i = 0; i < CELLS; i++) a[i] = float(i % 13 - 6);
    float *da = to_device(a, CELLS), *db = to_device(a, CELLS), *dd = to_device(a, CELLS),
          *alphas = to_device(a, M);
    layout *la = make(F32, M, 8, M), *lb = make(F32, 8, 16, 8), *ld = make(F32, M, 16, M);
    matmul *m;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cublasLtMatmulDescCreate(&m, COMPUTE_32F, F32) == 0);
    set(m, POINTER_MODE, 1); // on the device
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cublasLtMatmul(h, m, alphas, da, la, db, lb, alphas + 6, dd, ld, dd, ld, nullptr, nullptr, 0,
                         stream) == 0);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(back, dd, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < M * 16; i++) {
        float sum = 0;
        for (int k = 0; k < 8; k++) sum += a[i % M + k * M] * a[k + i / M * 8];
        CHECK(back[i] == a[0] * sum + a[6] * a[i]);
    }
    static signed char bytes[CELLS], there[CELLS];
    for (int i = 0; i < CELLS; i++) bytes[i] = (signed char)(i * 7 % 251 - 125);
    signed char *dx = to_device(bytes, CELLS), *dy = to_device(bytes, CELLS), *dz = to_device(there, CELLS);
    transform *t;
    float one = 1, zero = 0;
    CHECK(cublasLtMatrixTransformDescCreate(&t, F32) == 0);
    // From columns to every order, and back from those of one row after the other.
    // Where element (row 5, column 37) goes: the second group of 32 columns, by each order's rule.
    static const int orders[] = {1, 2, 3, 4}, steps[] = {N, 32 * M, 32 * M, 32 * M};
    static const int at[] = {5 * N + 37, 32 * M + 5 * 32 + 5, 32 * M + 4 * 32 + 6 * 4 + 1,
                             32 * M + 17 * 32 + 5};
    for (int i = 0; i < 4; i++) {
        layout *columns = make(3, M, N, M), *other = make(3, M, N, steps[i]);
        set(other, ORDER, orders[i]);
        CHECK(cublasLtMatrixTransform(h, t, &one, dx, columns, &zero, nullptr, nullptr, dy, other, 0) == 0);
        OK(cudaMemcpy(there, dy, sizeof there, cudaMemcpyDeviceToHost));
        CHECK(there[at[i]] == bytes[5 + 37 * M]);
        int status = cublasLtMatrixTransform(h, t, &one, dy, other, &zero, nullptr, nullptr, dz, columns, 0);
        CHECK(status == (orders[i] <= 2 ? 0 : NOT_SUPPORTED));
        if (status) continue;
        OK(cudaMemcpy(there, dz, sizeof there, cudaMemcpyDeviceToHost));
        CHECK(memcmp(there, bytes, sizeof there) == 0);
    }
}

int main() {
    CHECK(cublasLtCreate(&h) == 0);
    attributes();
    floats();
    epilogues();
    bytes();
    others();
    CHECK(cublasLtDestroy(h) == 0);
    return finish();
}
