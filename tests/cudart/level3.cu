// BLAS level 3 of our own cuBLAS, every operation in every type, against sums written out. Elements are small whole numbers,
// so that all results are exact.
// flags: --nvcc-flag -lcublas
#include "check.h"

#include <complex>

struct handle;
typedef const void *in;
enum { N, T, C, LEFT = 0, RIGHT, LOWER = 0, UPPER, LD = 7, CELLS = LD * LD };
extern "C" {
int cublasCreate_v2(handle **);
int cublasDestroy_v2(handle *);
int cublasSetPointerMode_v2(handle *, int);
int cublasSgemv_v2(handle *, int, int, int, in, in, int, in, int, in, void *, int);
int cublasScopy_v2(handle *, int, in, int, void *, int);
#define TYPE(S)                                                                                              \
    int cublas##S##gemm_v2(handle *, int, int, int, int, int, in, in, int, in, int, in, void *, int);        \
    int cublas##S##gemmBatched(handle *, int, int, int, int, int, in, in, int, in, int, in, void *, int,     \
                               int);                                                                         \
    int cublas##S##gemmStridedBatched_64(handle *, int, int, int64_t, int64_t, int64_t, in, in, int64_t,     \
                                         long long, in, int64_t, long long, in, void *, int64_t, long long,  \
                                         int64_t);                                                           \
    int cublas##S##symm_v2(handle *, int, int, int, int, in, in, int, in, int, in, void *, int);             \
    int cublas##S##syrk_v2(handle *, int, int, int, int, in, in, int, in, void *, int);                      \
    int cublas##S##syr2k_v2(handle *, int, int, int, int, in, in, int, in, int, in, void *, int);            \
    int cublas##S##syrkx(handle *, int, int, int, int, in, in, int, in, int, in, void *, int);               \
    int cublas##S##trmm_v2(handle *, int, int, int, int, int, int, in, in, int, in, int, void *, int);       \
    int cublas##S##trsm_v2(handle *, int, int, int, int, int, int, in, in, int, void *, int);                \
    int cublas##S##trsmBatched(handle *, int, int, int, int, int, int, in, in, int, void *, int, int);       \
    int cublas##S##geam(handle *, int, int, int, int, in, in, int, in, in, int, void *, int);                \
    int cublas##S##dgmm(handle *, int, int, int, in, int, in, int, void *, int);
TYPE(S)
TYPE(D)
TYPE(C)
TYPE(Z)
#define COMPLEX(C)                                                                                           \
    int cublas##C##gemm3m(handle *, int, int, int, int, int, in, in, int, in, int, in, void *, int);         \
    int cublas##C##hemm_v2(handle *, int, int, int, int, in, in, int, in, int, in, void *, int);             \
    int cublas##C##herk_v2(handle *, int, int, int, int, in, in, int, in, void *, int);                      \
    int cublas##C##her2k_v2(handle *, int, int, int, int, in, in, int, in, int, in, void *, int);            \
    int cublas##C##herkx(handle *, int, int, int, int, in, in, int, in, int, in, void *, int);
COMPLEX(C)
COMPLEX(Z)
int cublasCherkEx(handle *, int, int, int, int, in, in, int, int, in, void *, int, int);
int cublasSgemmGroupedBatched(handle *, const int *, const int *, const int *, const int *, const int *, in,
                              in, const int *, in, const int *, in, in, const int *, int, const int *);
int cublasGemmEx(handle *, int, int, int, int, int, in, in, int, int, in, int, int, in, void *, int, int, int,
                 int);
}

static handle *h;
static unsigned state = 1;
static int small() { return (int)((state = state * 1664525u + 1013904223u) >> 24) % 7 - 3; }

template <class V> static void set(V &x, int re, int) { x = (V)re; }
template <class V> static void set(std::complex<V> &x, int re, int im) { x = std::complex<V>((V)re, (V)im); }
template <class V> static V conj_of(V x) { return x; }
template <class V> static std::complex<V> conj_of(std::complex<V> x) { return std::conj(x); }
template <class V> static V real_of(V x) { return x; }
template <class V> static std::complex<V> real_of(std::complex<V> x) { return x.real(); }

// A matrix on the host and on the device, column by column in steps of LD.
template <class V> struct Matrix {
    V x[CELLS];
    V *device;
    Matrix() {
        for (V &e : x) set(e, small(), small());
        OK(cudaMalloc(&device, sizeof x));
        push();
    }
    Matrix(const Matrix &other) {
        memcpy(x, other.x, sizeof x);
        OK(cudaMalloc(&device, sizeof x));
        push();
    }
    ~Matrix() { OK(cudaFree(device)); }
    void push() { OK(cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice)); }
    void pull() { OK(cudaMemcpy(x, device, sizeof x, cudaMemcpyDeviceToHost)); }
    V &at(int i, int j) { return x[i + j * LD]; }
    V op(int how, int i, int j) { return how == N ? at(i, j) : how == T ? at(j, i) : conj_of(at(j, i)); }
    // Element (i, j) of what its triangle stands for.
    V symmetric(int fill, int i, int j) {
        return (fill == LOWER) == (i >= j) || i == j ? at(i, j) : at(j, i);
    }
    V hermitian(int fill, int i, int j) {
        if (i == j) return real_of(at(i, i));
        return (fill == LOWER) == (i > j) ? at(i, j) : conj_of(at(j, i));
    }
    V triangular(int fill, int unit, int how, int i, int j) {
        int r = how == N ? i : j, c = how == N ? j : i;
        if (r == c && unit) return V(1);
        if (r != c && (fill == LOWER) != (r > c)) return V(0);
        return how == C ? conj_of(at(r, c)) : at(r, c);
    }
};

// What is in `got` inside of m by n (of a triangle, if fill is one) is as `want` says; all else is as before.
template <class V, class F>
static bool same(Matrix<V> &before, Matrix<V> &got, int m, int n, int fill, F want) {
    bool right = true;
    for (int j = 0; j < LD; j++)
        for (int i = 0; i < LD; i++) {
            bool inside = i < m && j < n && (fill < 0 || i == j || (fill == LOWER) == (i > j));
            right &= got.at(i, j) == (inside ? want(i, j) : before.at(i, j));
        }
    return right;
}

template <class V> struct Calls {
    decltype(&cublasSgemm_v2) gemm;
    decltype(&cublasSgemmBatched) batched;
    decltype(&cublasSgemmStridedBatched_64) strided;
    decltype(&cublasSsymm_v2) symm, hemm;
    decltype(&cublasSsyrk_v2) syrk, herk;
    decltype(&cublasSsyr2k_v2) syr2k, syrkx, her2k, herkx;
    decltype(&cublasStrmm_v2) trmm;
    decltype(&cublasStrsm_v2) trsm;
    decltype(&cublasStrsmBatched) trsm_batched;
    decltype(&cublasSgeam) geam;
    decltype(&cublasSdgmm) dgmm;
};
enum { M = 5, K = 3, W = 4 }; // rows, depth, columns

template <class V> static void products(const Calls<V> &f, bool is_complex) {
    Matrix<V> a, b, c;
    V alpha, beta;
    set(alpha, 2, 1), set(beta, -1, 3);
    for (int ta = 0; ta < 3; ta++)
        for (int tb = 0; tb < 3; tb++) {
            Matrix<V> got(c);
            CHECK(f.gemm(h, ta, tb, M, W, K, &alpha, a.device, LD, b.device, LD, &beta, got.device, LD) == 0);
            got.pull();
            CHECK(same(c, got, M, W, -1, [&](int i, int j) {
                V sum(0);
                for (int k = 0; k < K; k++) sum += a.op(ta, i, k) * b.op(tb, k, j);
                return alpha * sum + beta * c.at(i, j);
            }));
        }
    for (int form = 0; form <= (is_complex ? 1 : 0); form++)
        for (int side = 0; side < 2; side++)
            for (int fill = 0; fill < 2; fill++) {
                Matrix<V> got(c);
                CHECK((form ? f.hemm : f.symm)(h, side, fill, M, W, &alpha, a.device, LD, b.device, LD, &beta,
                                               got.device, LD) == 0);
                got.pull();
                auto square = [&](int i, int j) {
                    return form ? a.hermitian(fill, i, j) : a.symmetric(fill, i, j);
                };
                CHECK(same(c, got, M, W, -1, [&](int i, int j) {
                    V sum(0);
                    for (int k = 0; k < (side == LEFT ? M : W); k++)
                        sum += side == LEFT ? square(i, k) * b.at(k, j) : b.at(i, k) * square(k, j);
                    return alpha * sum + beta * c.at(i, j);
                }));
            }
}

// which: 0 syrk, 1 syrkx, 2 syr2k; Hermitian: herk, herkx, her2k, where C's diagonal is real.
template <class V> static void updates(const Calls<V> &f, bool is_complex) {
    Matrix<V> a, b, c;
    V alpha, beta, real_beta;
    for (int form = 0; form <= (is_complex ? 1 : 0); form++)
        for (int which = 0; which < 3; which++)
            for (int fill = 0; fill < 2; fill++)
                for (int how = 0; how < 2; how++) {
                    int turned = form ? C : T, op = how ? turned : N;
                    set(alpha, 2, form && which == 0 ? 0 : 1), set(beta, -1, 3), set(real_beta, -1, 0);
                    Matrix<V> got(c);
                    const void *pb = form ? &real_beta : &beta; // its first part is the real number
                    int status =
                        which == 0
                            ? (form ? f.herk : f.syrk)(h, fill, op, M, K, &alpha, a.device, LD, pb,
                                                       got.device, LD)
                            : (which == 1 ? (form ? f.herkx : f.syrkx) : (form ? f.her2k : f.syr2k))(
                                  h, fill, op, M, K, &alpha, a.device, LD, b.device, LD, pb, got.device, LD);
                    CHECK(status == 0);
                    got.pull();
                    Matrix<V> &second = which ? b : a;
                    auto product = [&](int i, int j) {
                        V sum(0);
                        for (int k = 0; k < K; k++) {
                            V right = how ? second.at(k, j) : second.at(j, k);
                            V left = how ? (form ? conj_of(a.at(k, i)) : a.at(k, i)) : a.at(i, k);
                            sum += left * (!how && form ? conj_of(right) : right);
                        }
                        return alpha * sum;
                    };
                    CHECK(same(c, got, M, M, fill, [&](int i, int j) {
                        V sum = product(i, j);
                        if (which == 2) sum += form ? conj_of(product(j, i)) : product(j, i);
                        V old = form && i == j ? real_of(c.at(i, j)) : c.at(i, j);
                        V result = sum + (form ? real_beta : beta) * old;
                        return form && i == j ? real_of(result) : result;
                    }));
                }
    CHECK(f.syrk(h, 0, 3, M, K, &alpha, a.device, LD, &beta, c.device, LD) == 7);
}

// B' = alpha op(A) B or alpha B op(A); then A X = B' with the same alpha's inverse gives B back.
template <class V> static void triangles(const Calls<V> &f, bool is_complex) {
    Matrix<V> a, b, c;
    V two, half;
    set(two, 2, 0), half = V(0.5);
    for (int i = 0; i < LD; i++) set(a.at(i, i), i % 2 ? 1 : -2, 0);
    a.push();
    for (int side = 0; side < 2; side++)
        for (int fill = 0; fill < 2; fill++)
            for (int op = 0; op < 3; op++)
                for (int unit = 0; unit < 2; unit++) {
                    Matrix<V> got(c);
                    CHECK(f.trmm(h, side, fill, op, unit, M, W, &two, a.device, LD, b.device, LD, got.device,
                                 LD) == 0);
                    got.pull();
                    CHECK(same(c, got, M, W, -1, [&](int i, int j) {
                        V sum(0);
                        for (int k = 0; k < (side == LEFT ? M : W); k++)
                            sum += side == LEFT ? a.triangular(fill, unit, op, i, k) * b.at(k, j)
                                                : b.at(i, k) * a.triangular(fill, unit, op, k, j);
                        return two * sum;
                    }));
                    CHECK(f.trsm(h, side, fill, op, unit, M, W, &half, a.device, LD, got.device, LD) == 0);
                    got.pull();
                    CHECK(same(c, got, M, W, -1, [&](int i, int j) { return b.at(i, j); }));
                }
}

template <class V> static void sums_and_batches(const Calls<V> &f) {
    Matrix<V> a, b, c;
    V alpha, beta, zero(0), one(1);
    set(alpha, 2, 1), set(beta, -1, 3);
    Matrix<V> got(c);
    CHECK(f.geam(h, T, C, M, W, &alpha, a.device, LD, &beta, b.device, LD, got.device, LD) == 0);
    got.pull();
    CHECK(same(c, got, M, W, -1, [&](int i, int j) { return alpha * a.op(T, i, j) + beta * b.op(C, i, j); }));
    got.push();
    Matrix<V> d(got);
    CHECK(f.dgmm(h, RIGHT, M, W, a.device, LD, b.device, 2, d.device, LD) == 0);
    d.pull();
    CHECK(same(got, d, M, W, -1, [&](int i, int j) { return a.at(i, j) * b.x[2 * j]; }));
    CHECK(f.dgmm(h, LEFT, M, W, a.device, LD, b.device, -1, d.device, LD) == 0);
    d.pull();
    CHECK(same(got, d, M, W, -1, [&](int i, int j) { return a.at(i, j) * b.x[M - 1 - i]; }));
    // Two products of 2 by 2, by pointers and by strides.
    V *lists[6] = {a.device, a.device + 4, b.device, b.device + 4, got.device, got.device + 4}, **on_device;
    OK(cudaMalloc(&on_device, sizeof lists));
    OK(cudaMemcpy(on_device, lists, sizeof lists, cudaMemcpyHostToDevice));
    CHECK(f.batched(h, N, N, 2, 2, 2, &one, on_device, 2, on_device + 2, 2, &zero, on_device + 4, 2, 2) == 0);
    CHECK(f.strided(h, N, N, 2, 2, 2, &one, a.device, 2, 4, b.device, 2, 4, &zero, d.device, 2, 4, 2) == 0);
    got.pull(), d.pull();
    for (int i = 0; i < 8; i++) {
        int at = i & 4, row = i & 1, column = i >> 1 & 1;
        V sum = a.x[at + row] * b.x[at + 2 * column] + a.x[at + row + 2] * b.x[at + 1 + 2 * column];
        CHECK(got.x[i] == sum && d.x[i] == sum);
    }
    // The same unit triangle twice: X = A^-1 B, and A X is B.
    CHECK(f.trsm_batched(h, LEFT, LOWER, N, 1, 2, 2, &one, on_device, 2, on_device + 4, 2, 2) == 0);
    V before[8];
    for (int i = 0; i < 8; i++) before[i] = got.x[i];
    got.pull();
    for (int i = 0; i < 8; i++) {
        V product = got.x[i];
        if (i & 1) product += a.x[(i & 4) + 1] * got.x[i - 1];
        CHECK(product == before[i]);
    }
    OK(cudaFree(on_device));
}

// Scalars on the device; groups of different sizes; types that go together.
static void others() {
    Matrix<std::complex<float>> c, column;
    float scalars[2] = {1, 0}, *on_device;
    OK(cudaMalloc(&on_device, sizeof scalars));
    OK(cudaMemcpy(on_device, scalars, sizeof scalars, cudaMemcpyHostToDevice));
    CHECK(cublasSetPointerMode_v2(h, 1) == 0);
    CHECK(cublasCherkEx(h, LOWER, N, 2, 1, on_device, column.device, 4, LD, on_device + 1, c.device, 4, LD) ==
          0);
    CHECK(cublasCherkEx(h, LOWER, N, 2, 1, on_device, column.device, 7, LD, on_device + 1, c.device, 4, LD) ==
          15);
    CHECK(cublasSetPointerMode_v2(h, 0) == 0);
    c.pull();
    CHECK(c.x[0] == std::norm(column.x[0]) && c.x[1] == column.x[1] * std::conj(column.x[0]));
    Matrix<float> a, d;
    int n[2] = {N, N}, m[2] = {2, 1}, ld[2] = {2, 1}, sizes[2] = {1, 2};
    float ones[2] = {1, 2}, zeros[2] = {0, 0};
    float *lists[6] = {a.device, a.device, a.device + 1, d.device, d.device + 4, d.device + 5}, **at;
    OK(cudaMalloc(&at, sizeof lists));
    OK(cudaMemcpy(at, lists, sizeof lists, cudaMemcpyHostToDevice));
    CHECK(cublasSgemmGroupedBatched(h, n, n, m, m, m, ones, at, ld, at, ld, zeros, at + 3, ld, 2, sizes) ==
          0);
    d.pull();
    CHECK(d.x[3] == a.x[1] * a.x[2] + a.x[3] * a.x[3]);
    CHECK(d.x[4] == 2 * a.x[0] * a.x[0] && d.x[5] == 2 * a.x[1] * a.x[1]);
    // Bytes to sums of floats; 8-bit floats are cuBLASLt's alone, and types that do not go together are refused.
    signed char bytes[4] = {1, -3, 5, 7}, *db;
    float one = 1, zero = 0;
    OK(cudaMalloc(&db, 4));
    OK(cudaMemcpy(db, bytes, 4, cudaMemcpyHostToDevice));
    CHECK(cublasGemmEx(h, T, N, 1, 1, 4, &one, db, 3, 4, db, 3, 4, &zero, d.device, 0, 1, 68, -1) == 0);
    d.pull();
    CHECK(d.x[0] == 1 + 9 + 25 + 49);
    CHECK(cublasGemmEx(h, T, N, 1, 1, 4, &one, db, 28, 4, db, 28, 4, &zero, d.device, 0, 1, 68, -1) == 7);
    CHECK(cublasGemmEx(h, T, N, 1, 1, 4, &one, db, 3, 4, db, 3, 4, &zero, d.device, 14, 1, 68, -1) == 15);
    CHECK(cublasGemmEx(h, T, N, 1, 1, 4, &one, db, 1, 4, db, 1, 4, &zero, d.device, 1, 1, 68, -1) == 15);
}

// What an operation has no use for may hold nothing yet: of a triangle the rest, of a sum that is replaced all, of a vector
// what is between its elements. `kz sanitize` has no finding here.
static void unused_memory() {
    enum { SIDE = 4 };
    float triangle[SIDE * SIDE], one = 1, zero = 0, got[SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) triangle[i] = (float)(i % 5 + 1);
    float *a, *c, *x, *y;
    OK(cudaMalloc(&a, sizeof triangle));
    OK(cudaMalloc(&c, sizeof triangle));
    OK(cudaMalloc(&x, 2 * sizeof got));
    OK(cudaMalloc(&y, sizeof got));
    for (int j = 0; j < SIDE; j++) // the lower triangle alone, and every other element
        OK(cudaMemcpy(a + j * SIDE + j, triangle + j * SIDE + j, (SIDE - j) * sizeof(float),
                      cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(x, 8, triangle, 4, 4, SIDE, cudaMemcpyHostToDevice));
    CHECK(cublasSsymm_v2(h, LEFT, LOWER, SIDE, 1, &one, a, SIDE, a, SIDE, &zero, c, SIDE) == 0);
    OK(cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 1 * 1 + 2 * 2 + 3 * 3 + 4 * 4);
    CHECK(cublasSsyrk_v2(h, LOWER, N, SIDE, 1, &one, a, SIDE, &zero, c, SIDE) == 0);
    OK(cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[3] == 4 * 1);
    CHECK(cublasSgemv_v2(h, N, SIDE, 1, &one, a, SIDE, x, 2, &zero, y, 1) == 0);
    OK(cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[2] == 3 * 1);
    CHECK(cublasScopy_v2(h, SIDE, x, 2, y, 1) == 0);
    OK(cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[3] == 4);
    float *all[] = {a, c, x, y};
    for (float *p : all) OK(cudaFree(p));
}

#define REAL(S)                                                                                              \
    {                                                                                                        \
        cublas##S##gemm_v2, cublas##S##gemmBatched, cublas##S##gemmStridedBatched_64, cublas##S##symm_v2,    \
            nullptr, cublas##S##syrk_v2, nullptr, cublas##S##syr2k_v2, cublas##S##syrkx, nullptr, nullptr,   \
            cublas##S##trmm_v2, cublas##S##trsm_v2, cublas##S##trsmBatched, cublas##S##geam, cublas##S##dgmm \
    }
#define BOTH_PARTS(S)                                                                                        \
    {                                                                                                        \
        cublas##S##gemm3m, cublas##S##gemmBatched, cublas##S##gemmStridedBatched_64, cublas##S##symm_v2,     \
            cublas##S##hemm_v2, cublas##S##syrk_v2, cublas##S##herk_v2, cublas##S##syr2k_v2,                 \
            cublas##S##syrkx, cublas##S##her2k_v2, cublas##S##herkx, cublas##S##trmm_v2, cublas##S##trsm_v2, \
            cublas##S##trsmBatched, cublas##S##geam, cublas##S##dgmm                                         \
    }

template <class V> static void all(const Calls<V> &f, bool is_complex) {
    products(f, is_complex);
    updates(f, is_complex);
    triangles(f, is_complex);
    sums_and_batches(f);
}

int main() {
    CHECK(cublasCreate_v2(&h) == 0);
    all(Calls<float> REAL(S), false);
    all(Calls<double> REAL(D), false);
    all(Calls<std::complex<float>> BOTH_PARTS(C), true);
    all(Calls<std::complex<double>> BOTH_PARTS(Z), true);
    others();
    unused_memory();
    CHECK(cublasDestroy_v2(h) == 0);
    return finish();
}
