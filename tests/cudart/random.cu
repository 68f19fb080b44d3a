// Calls into our own cuRAND: numbers that are known, moments of the distributions, seeds, offsets, streams, graphs; Sobol's
// sequences.
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
int curandSetQuasiRandomGeneratorDimensions(generator *, unsigned);
int curandGenerateLongLong(generator *, unsigned long long *, size_t);
int curandGenerateNormalDouble(generator *, double *, size_t, double, double);
int curandGetDirectionVectors32(unsigned (**)[32], int);
int curandGetScrambleConstants32(unsigned **);
int curandGeneratePoissonMethod(void);
}
enum {
    DEFAULT = 100,
    PHILOX = 161,
    SOBOL = 201,
    SCRAMBLED,
    SOBOL64,
    TYPE_ERROR = 103,
    NOT_EVEN = 105,
    NOT_INITIALIZED = 101,
    RANGE = 104
};
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
    CHECK(curandGenerateNormal(g, (float *)p, n - 1, 3, 2) == 0);
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

// 64 points of 1111 dimensions, from an offset on: the digest is of the numbers that NVIDIA's cuRAND 10.4 gives.
static void sobol() {
    enum { DIMENSIONS = 1111, POINTS = 64, ALL = DIMENSIONS * POINTS };
    static unsigned words[ALL];
    static unsigned long long longs[ALL];
    generator *g, *wide;
    CHECK(curandCreateGeneratorHost(&g, SOBOL) == 0 && curandCreateGeneratorHost(&wide, SOBOL64) == 0);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 0) == RANGE);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS) == 0);
    CHECK(curandSetQuasiRandomGeneratorDimensions(wide, DIMENSIONS) == 0);
    CHECK(curandSetGeneratorOffset(g, 123456789) == 0 && curandSetGeneratorOffset(wide, 123456789) == 0);
    CHECK(curandGenerate(g, words, ALL) == 0 && curandGenerateLongLong(wide, longs, ALL) == 0);
    unsigned long long digest = 0xcbf29ce484222325;
    bool same = true;
    for (int i = 0; i < ALL; i++)
        digest = (digest ^ words[i]) * 0x100000001b3, same &= longs[i] >> 32 == words[i];
    CHECK(digest == 0x625624d3f6c19225 && same);
    CHECK(curandGenerate(g, words, ALL - 1) == NOT_EVEN &&
          curandSetPseudoRandomGeneratorSeed(g, 1) == TYPE_ERROR);
    CHECK(curandGenerate(wide, words, ALL) == TYPE_ERROR &&
          curandGenerateLongLong(g, longs, ALL) == TYPE_ERROR);
    // Three dimensions: the first points, and where a second call goes on. Uniform numbers are never 0.
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 3) == 0 && curandSetGeneratorOffset(g, 0) == 0);
    CHECK(curandGenerate(g, words, 6) == 0);
    CHECK(words[0] == 0 && words[1] == 0x80000000 && words[4] == 0 && words[5] == 0x80000000);
    CHECK(curandGenerate(g, words, 3) == 0);
    CHECK(words[0] == 0xc0000000 && words[1] == 0x40000000 && words[2] == 0x40000000);
    float zero[3];
    CHECK(curandSetGeneratorOffset(g, 0) == 0 && curandGenerateUniform(g, zero, 3) == 0 && zero[2] > 0);
    // By the inverse of the distribution: 0.5, 0.75, 0.25 of dimension 1.
    double normal[3];
    CHECK(curandSetQuasiRandomGeneratorDimensions(wide, 1) == 0 && curandSetGeneratorOffset(wide, 1) == 0);
    CHECK(curandGenerateNormalDouble(wide, normal, 3, 0, 1) == 0);
    CHECK(normal[0] == 0 && std::fabs(normal[1] - 0.67448975019608174) < 1e-15 &&
          std::fabs(normal[2] + normal[1]) < 1e-15);
    CHECK(curandDestroyGenerator(g) == 0 && curandDestroyGenerator(wide) == 0);
}

// A scrambled sequence is still one in base 2: of any 256 points that begin at a multiple of 256, each 256th part of
// (0, 1) has one, in every dimension, those after the table's last too.
static void scrambled() {
    enum { DIMENSIONS = 1500, POINTS = 256 };
    static unsigned words[DIMENSIONS * POINTS];
    generator *g;
    for (int type = SOBOL; type <= SCRAMBLED; type++) {
        CHECK(curandCreateGeneratorHost(&g, type) == 0 &&
              curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS) == 0);
        CHECK(curandSetGeneratorOffset(g, 3 * POINTS) == 0 &&
              curandGenerate(g, words, DIMENSIONS * POINTS) == 0);
        bool right = true;
        for (int d = 0; d < DIMENSIONS; d++) {
            bool seen[POINTS] = {};
            for (int i = 0; i < POINTS; i++) seen[words[d * POINTS + i] >> 24] = true;
            for (bool part : seen) right &= part;
        }
        CHECK(right);
        CHECK(curandDestroyGenerator(g) == 0);
    }
    unsigned *constants;
    CHECK(curandGetScrambleConstants32(&constants) == 0 && constants[0] != constants[1]);
    CHECK(curandGeneratePoissonMethod() == TYPE_ERROR); // not there
}

__global__ void points(unsigned (*vectors)[32], unsigned *out) {
    for (unsigned i = 0; i < 4; i++) {
        unsigned point = 5 + i, gray = point ^ point >> 1, x = 0;
        for (int bit = 0; bit < 32; bit++) x ^= gray >> bit & 1 ? vectors[threadIdx.x][bit] : 0;
        out[threadIdx.x * 4 + i] = x;
    }
}

// The same points by a kernel that has the host's direction numbers.
static void in_a_kernel() {
    unsigned(*vectors)[32], (*device)[32], *out, got[32], want[32];
    generator *g;
    CHECK(curandGetDirectionVectors32(&vectors, 101) == 0 &&
          curandGetDirectionVectors32(&vectors, 103) == RANGE);
    OK(cudaMalloc(&device, 8 * sizeof *vectors));
    OK(cudaMalloc(&out, sizeof got));
    OK(cudaMemcpy(device, vectors, 8 * sizeof *vectors, cudaMemcpyHostToDevice));
    points<<<1, 8>>>(device, out);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(curandCreateGeneratorHost(&g, SOBOL) == 0 && curandSetQuasiRandomGeneratorDimensions(g, 8) == 0);
    CHECK(curandSetGeneratorOffset(g, 5) == 0 && curandGenerate(g, want, 32) == 0);
    CHECK(!memcmp(got, want, sizeof got));
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
    CHECK(curandCreateGenerator(&g, DEFAULT) == 0); // by pairs, other than Philox
    CHECK(curandGenerateNormal(g, nullptr, 7, 3, 2) == NOT_EVEN && curandDestroyGenerator(g) == 0);
    CHECK(curandCreateGenerator(&g, 150) == TYPE_ERROR);
    sobol();
    scrambled();
    in_a_kernel();
    return finish();
}
