// Calls into our own cuRAND: numbers that are known, moments of the distributions, seeds, offsets, streams, graphs.
// flags: --nvcc-flag -lcurand
#include "check.h"

#include <cmath>

struct generator;
extern "C" {
int curandCreateGenerator(generator **, int);
int curandCreateGeneratorHost(generator **, int);
int curandDestroyGenerator(generator *);
int curandSetPseudoRandomGeneratorSeed(generator *, unsigned long long);
int curandSetGeneratorOffset(generator *, unsigned long long);
int curandSetStream(generator *, cudaStream_t);
int curandGenerate(generator *, unsigned *, size_t);
int curandGenerateUniform(generator *, float *, size_t);
int curandGenerateUniformDouble(generator *, double *, size_t);
int curandGenerateNormal(generator *, float *, size_t, float, float);
int curandGenerateLogNormalDouble(generator *, double *, size_t, double, double);
int curandGeneratePoisson(generator *, unsigned *, size_t, double);
}
enum { DEFAULT = 100, PHILOX = 161, SOBOL = 201, TYPE_ERROR = 103, NOT_EVEN = 105, NOT_INITIALIZED = 101 };
static const int n = 20000;

template <class T> static void moments(const T *device, double mean, double variance, double near_by) {
    static T host[n];
    OK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    double sum = 0, squares = 0;
    for (T x : host) sum += (double)x;
    for (T x : host) squares += ((double)x - sum / n) * ((double)x - sum / n);
    CHECK(std::fabs(sum / n - mean) < near_by);
    CHECK(std::fabs(squares / n - variance) < 4 * near_by);
}

static void distributions(generator *g) {
    void *p;
    OK(cudaMalloc(&p, n * 8));
    CHECK(curandGenerateUniform(g, (float *)p, n) == 0);
    moments((float *)p, 0.5, 1 / 12.0, 0.01);
    CHECK(curandGenerateUniformDouble(g, (double *)p, n) == 0);
    moments((double *)p, 0.5, 1 / 12.0, 0.01);
    CHECK(curandGenerateNormal(g, (float *)p, n, 3, 2) == 0);
    moments((float *)p, 3, 4, 0.06);
    CHECK(curandGenerateNormal(g, (float *)p, n - 1, 3, 2) == NOT_EVEN);
    CHECK(curandGenerateLogNormalDouble(g, (double *)p, n, 0, 0.25) == 0);
    moments((double *)p, std::exp(0.03125), (std::exp(0.0625) - 1) * std::exp(0.0625), 0.01);
    CHECK(curandGeneratePoisson(g, (unsigned *)p, n, 4) == 0);
    moments((unsigned *)p, 4, 4, 0.07);
    CHECK(curandGeneratePoisson(g, (unsigned *)p, n, 1000) == 0);
    moments((unsigned *)p, 1000, 1000, 20);
    OK(cudaFree(p));
}

// Philox's own test vector; an offset goes where the sequence would have got by itself.
static void sequence(generator *g) {
    unsigned *p, whole[8], part[3];
    OK(cudaMalloc(&p, sizeof whole));
    CHECK(curandSetPseudoRandomGeneratorSeed(g, 0) == 0);
    CHECK(curandGenerate(g, p, 8) == 0);
    OK(cudaMemcpy(whole, p, sizeof whole, cudaMemcpyDeviceToHost));
    CHECK(whole[0] == 0x6627e8d5 && whole[1] == 0xe169c58d && whole[2] == 0xbc57ac4c &&
          whole[3] == 0x9b00dbd8);
    CHECK(curandSetGeneratorOffset(g, 5) == 0 && curandGenerate(g, p, 3) == 0);
    OK(cudaMemcpy(part, p, sizeof part, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(part, whole + 5, sizeof part));
    OK(cudaFree(p));
}

static void in_a_graph(generator *g) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float *p, host[2] = {0, 0};
    OK(cudaMalloc(&p, 8));
    OK(cudaStreamCreate(&stream));
    CHECK(curandSetStream(g, stream) == 0);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(curandGenerateUniform(g, p, 2) == 0);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(host, p, 8, cudaMemcpyDeviceToHost));
    CHECK(host[0] > 0 && host[0] <= 1 && host[1] > 0 && host[1] <= 1);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(p));
}

int main() {
    generator *g, *host;
    CHECK(curandCreateGenerator(&g, PHILOX) == 0);
    CHECK(curandSetPseudoRandomGeneratorSeed(g, 1234) == 0);
    distributions(g);
    sequence(g);
    in_a_graph(g);
    CHECK(curandDestroyGenerator(g) == 0);
    CHECK(curandGenerateUniform(nullptr, nullptr, 1) == NOT_INITIALIZED);
    float values[4] = {0};
    CHECK(curandCreateGeneratorHost(&host, DEFAULT) == 0);
    CHECK(curandGenerateUniform(host, values, 4) == 0 && values[3] > 0);
    CHECK(curandDestroyGenerator(host) == 0);
    CHECK(curandCreateGenerator(&g, SOBOL) == TYPE_ERROR);
    return finish();
}
