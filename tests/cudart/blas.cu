// Calls into our own cuBLAS, against sums written out; the library's header is not needed.
// flags: --nvcc-flag -lcublas
#include "check.h"

struct handle;
extern "C" {
int cublasCreate_v2(handle **);
int cublasDestroy_v2(handle *);
int cublasSetStream_v2(handle *, cudaStream_t);
int cublasSetPointerMode_v2(handle *, int);
int cublasSgemm_v2(handle *, int, int, int, int, int, const float *, const float *, int, const float *, int,
                   const float *, float *, int);
int cublasDgemmStridedBatched(handle *, int, int, int, int, int, const double *, const double *, int,
                              long long, const double *, int, long long, const double *, double *, int,
                              long long, int);
int cublasGemmEx(handle *, int, int, int, int, int, const void *, const void *, int, int, const void *, int,
                 int, const void *, void *, int, int, int, int);
int cublasSgemv_v2(handle *, int, int, int, const float *, const float *, int, const float *, int,
                   const float *, float *, int);
int cublasSdot_v2(handle *, int, const float *, int, const float *, int, float *);
int cublasSaxpy_v2(handle *, int, const float *, const float *, int, float *, int);
int cublasSnrm2_v2(handle *, int, const float *, int, float *);
int cublasIsamax_v2(handle *, int, const float *, int, int *);
int cublasDotEx(handle *, int, const void *, int, int, const void *, int, int, void *, int, int);
int cublasNrm2Ex(handle *, int, const void *, int, int, void *, int, int);
int cublasScalEx(handle *, int, const void *, int, void *, int, int, int);
int cublasAxpyEx(handle *, int, const void *, int, const void *, int, int, void *, int, int, int);
int cublasSgelsBatched(void);
}
enum { R32F = 0, R64F = 1, R8I = 3, R32I = 10, COMPUTE_32I = 72 };

template <class T> static T *to_device(const T *host, size_t n) {
    T *p;
    OK(cudaMalloc(&p, n * sizeof(T)));
    OK(cudaMemcpy(p, host, n * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

int main() {
    enum { M = 5, N = 4, K = 3, LD = 7 };
    float a[LD * LD], b[LD * LD], c[LD * LD], got[LD * LD];
    for (int i = 0; i < LD * LD; i++) a[i] = float(i % 11) - 5, b[i] = float(i % 7) - 3, c[i] = float(i % 5);
    float *da = to_device(a, LD * LD), *db = to_device(b, LD * LD), *dc = to_device(c, LD * LD);
    handle *h;
    CHECK(cublasCreate_v2(&h) == 0);
    float alpha = 2, beta = 3;
    for (int ta = 0; ta < 2; ta++)
        for (int tb = 0; tb < 2; tb++) {
            OK(cudaMemcpy(dc, c, sizeof c, cudaMemcpyHostToDevice));
            CHECK(cublasSgemm_v2(h, ta, tb, M, N, K, &alpha, da, LD, db, LD, &beta, dc, LD) == 0);
            OK(cudaMemcpy(got, dc, sizeof got, cudaMemcpyDeviceToHost));
            for (int j = 0; j < N; j++)
                for (int i = 0; i < M; i++) {
                    float sum = 0;
                    for (int k = 0; k < K; k++)
                        sum += (ta ? a[k + i * LD] : a[i + k * LD]) * (tb ? b[j + k * LD] : b[k + j * LD]);
                    CHECK(got[i + j * LD] == 2 * sum + 3 * c[i + j * LD]);
                }
            CHECK(got[M] == c[M]); // between the columns nothing changes
        }
    CHECK(cublasSgemm_v2(h, 0, 0, M, N, K, &alpha, da, M - 1, db, LD, &beta, dc, LD) == 7);
    CHECK(cublasSgemm_v2(nullptr, 0, 0, M, N, K, &alpha, da, LD, db, LD, &beta, dc, LD) == 1);

    double da2[8] = {1, 2, 3, 4, 5, 6, 7, 8}, one = 1, zero = 0, back[8];
    double *x2 = to_device(da2, 8), *y2 = to_device(da2, 8);
    CHECK(cublasDgemmStridedBatched(h, 0, 0, 2, 2, 2, &one, x2, 2, 4, x2, 2, 4, &zero, y2, 2, 4, 2) == 0);
    OK(cudaMemcpy(back, y2, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 1 * 1 + 3 * 2 && back[7] == 6 * 7 + 8 * 8);

    signed char bytes[16];
    int whole[16], ialpha = 1, ibeta = 0;
    for (int i = 0; i < 16; i++) bytes[i] = (signed char)(i - 8);
    signed char *dbytes = to_device(bytes, 16);
    int *dwhole;
    OK(cudaMalloc(&dwhole, sizeof whole));
    CHECK(cublasGemmEx(h, 1, 0, 4, 4, 4, &ialpha, dbytes, R8I, 4, dbytes, R8I, 4, &ibeta, dwhole, R32I, 4,
                       COMPUTE_32I, -1) == 0);
    OK(cudaMemcpy(whole, dwhole, sizeof whole, cudaMemcpyDeviceToHost));
    CHECK(whole[0] == 64 + 49 + 36 + 25);

    float v[4] = {1, -9, 3, 4}, dot, norm, out[4];
    int index;
    float *dv = to_device(v, 4), *dw = to_device(v, 4), *dresult;
    CHECK(cublasSdot_v2(h, 4, dv, 1, dw, 1, &dot) == 0 && dot == 1 + 81 + 9 + 16);
    CHECK(cublasSdot_v2(h, 2, dv, 2, dw, 1, &dot) == 0 && dot == 1 * 1 + 3 * -9);
    CHECK(cublasSnrm2_v2(h, 2, dv + 2, 1, &norm) == 0 && norm == 5);
    CHECK(cublasIsamax_v2(h, 4, dv, 1, &index) == 0 && index == 2);
    CHECK(cublasSaxpy_v2(h, 4, &alpha, dv, 1, dw, 1) == 0);
    OK(cudaMemcpy(out, dw, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(out[1] == -27 && out[3] == 12);
    CHECK(cublasSgemv_v2(h, 0, 2, 2, &alpha, da, LD, dv, 1, &beta, dw, 1) == 0);
    OK(cudaMemcpy(out, dw, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(out[0] == 2 * (a[0] * 1 + a[LD] * -9) + 3 * 3);

    double e[3] = {3, 4, 12}, wide;
    double half = 0.5;
    double *de = to_device(e, 3), *df = to_device(e, 3);
    CHECK(cublasDotEx(h, 3, de, R64F, 1, df, R64F, 1, &wide, R64F, R64F) == 0 && wide == 169);
    CHECK(cublasNrm2Ex(h, 3, de, R64F, 1, &wide, R64F, R64F) == 0 && wide == 13);
    CHECK(cublasScalEx(h, 3, &half, R64F, de, R64F, 1, R64F) == 0);
    CHECK(cublasAxpyEx(h, 3, &half, R64F, de, R64F, 1, df, R64F, 1, R64F) == 0);
    OK(cudaMemcpy(e, df, sizeof e, cudaMemcpyDeviceToHost));
    CHECK(e[0] == 3.75 && e[1] == 5 && e[2] == 15);
    CHECK(cublasDotEx(h, 3, de, R64F, 1, dv, R32F, 1, &wide, R64F, R64F) == 15); // of one type all
    CHECK(cublasScalEx(h, 3, &half, R64F, de, R32F, 1, R32F) == 15);
    OK(cudaMalloc(&dresult, sizeof(float)));
    CHECK(cublasSetPointerMode_v2(h, 1) == 0);
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    CHECK(cublasSetStream_v2(h, stream) == 0);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cublasSdot_v2(h, 4, dv, 1, dv, 1, dresult) == 0);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaMemset(dresult, 0, 4));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaMemcpy(&dot, dresult, 4, cudaMemcpyDeviceToHost));
    CHECK(dot == 107);
    CHECK(cublasSgelsBatched() == 15); // not there
    CHECK(cublasDestroy_v2(h) == 0);
    return finish();
}
