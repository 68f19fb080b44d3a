// A small cuRAND for whole programs: its host calls, on the CPU. All pseudo-random generators are Philox
// 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3, 2011), so that sequences
// have the distribution, the seeds and the offsets of NVIDIA's library, but not its numbers. Quasi-random
// ones are not there.
//
// As in our cuBLAS, every call is a job on the generator's stream, so that it also works in graphs. The types
// and values are those that programs are compiled with; cuRAND's header is not on every machine that has a
// CUDA compiler.
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MAGIC UINT32_C(0x6b7a726e)
#define PI    3.14159265358979323846

typedef enum curand_status {
    CURAND_SUCCESS = 0,
    CURAND_NOT_INITIALIZED = 101,
    CURAND_ALLOCATION_FAILED = 102,
    CURAND_TYPE_ERROR = 103,
    CURAND_OUT_OF_RANGE = 104,
    CURAND_LENGTH_NOT_MULTIPLE = 105,
    CURAND_LAUNCH_FAILURE = 201,
} curand_status;

typedef struct curand_generator {
    uint32_t magic;
    cudaStream_t stream;
    uint64_t seed, offset; // the number of the next 32-bit word
} curand_generator;

typedef enum curand_kind { WORDS, UNIFORM, NORMAL, LOG_NORMAL, POISSON } curand_kind;

typedef struct curand_job {
    curand_kind kind;
    bool wide; // doubles
    uint64_t seed, offset;
    double mean, deviation;
    void *to;
    size_t count;
    curand_status status;
} curand_job;

// ---- numbers --------------------------------------------------------------------------------------------

static void philox(uint64_t seed, uint64_t counter, uint32_t out[4]) {
    uint32_t c[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), 0, 0};
    uint32_t k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)UINT32_C(0xd2511f53) * c[0], b = (uint64_t)UINT32_C(0xcd9e8d57) * c[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                            (uint32_t)a};
        for (int i = 0; i < 4; i++) c[i] = next[i];
        k[0] += UINT32_C(0x9e3779b9);
        k[1] += UINT32_C(0xbb67ae85);
    }
    for (int i = 0; i < 4; i++) out[i] = c[i];
}

static uint32_t word_at(const curand_job *j, uint64_t index) {
    uint32_t four[4];
    philox(j->seed, index / 4, four);
    return four[index % 4];
}

static uint64_t words_each(const curand_job *j) { return j->wide || j->kind == POISSON ? 2 : 1; }

// Element i, in (0, 1].
static double uniform_at(const curand_job *j, uint64_t i) {
    uint64_t at = j->offset + i * words_each(j), word = word_at(j, at);
    if (words_each(j) == 1) return ((double)word + 1) * 0x1p-32;
    word = word << 32 | word_at(j, at + 1);
    return ((double)(word >> 11) + 1) * 0x1p-53;
}

// Box and Muller: two elements from two.
static double normal_at(const curand_job *j, uint64_t i) {
    double radius = sqrt(-2 * log(uniform_at(j, i & ~UINT64_C(1)))), angle = 2 * PI * uniform_at(j, i | 1);
    return j->mean + j->deviation * radius * (i & 1 ? cos(angle) : sin(angle));
}

static uint32_t poisson_at(const curand_job *j, uint64_t i) {
    double lambda = j->mean, left = uniform_at(j, i);
    if (lambda > 500) { // near enough to a normal distribution, by Wilson and Hilferty's cube
        double z = sqrt(-2 * log(left)) * sin(2 * PI * (word_at(j, ~(j->offset + i)) + 0.5) * 0x1p-32);
        double root = 1 - 1 / (9 * lambda) + z / (3 * sqrt(lambda));
        return (uint32_t)fmax(0, floor(lambda * root * root * root + 0.5));
    }
    double chance = exp(-lambda);
    uint32_t n = 0;
    while (left > chance && chance > 0) {
        left -= chance;
        chance *= lambda / ++n;
    }
    return n;
}

static void put(const curand_job *j, void *to, size_t i) {
    double value;
    switch (j->kind) {
    case WORDS: ((uint32_t *)to)[i] = word_at(j, j->offset + i); return;
    case POISSON: ((uint32_t *)to)[i] = poisson_at(j, i); return;
    case UNIFORM: value = uniform_at(j, i); break;
    case NORMAL: value = normal_at(j, i); break;
    default: value = exp(normal_at(j, i)); break;
    }
    if (j->wide)
        ((double *)to)[i] = value;
    else
        ((float *)to)[i] = (float)value;
}

static void CUDART_CB run(void *data) {
    curand_job *j = data;
    size_t bytes = j->count * (j->wide ? 8 : 4);
    void *values = malloc(bytes + 1);
    j->status = CURAND_ALLOCATION_FAILED;
    if (!values) return;
    for (size_t i = 0; i < j->count; i++) put(j, values, i);
    bool ok = cudaMemcpy(j->to, values, bytes, cudaMemcpyDefault) == cudaSuccess;
    free(values);
    j->status = ok ? CURAND_SUCCESS : CURAND_LAUNCH_FAILURE;
}

static bool is_generator(const curand_generator *g) { return g && g->magic == MAGIC; }

static curand_status generate(curand_generator *g, curand_job job) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    bool pairs = job.kind == NORMAL || job.kind == LOG_NORMAL;
    if (pairs && job.count % 2) return CURAND_LENGTH_NOT_MULTIPLE;
    if (job.count == 0) return CURAND_SUCCESS;
    if (!job.to || (job.kind == POISSON && !(job.mean > 0))) return CURAND_OUT_OF_RANGE;
    curand_job *kept = malloc(sizeof *kept);
    if (!kept) return CURAND_ALLOCATION_FAILED;
    job.seed = g->seed;
    job.offset = g->offset;
    *kept = job;
    g->offset += job.count * words_each(&job);
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(g->stream, &capture);
    bool failed = cudaLaunchHostFunc(g->stream, run, kept) != cudaSuccess;
    curand_status status = failed ? CURAND_LAUNCH_FAILURE : CURAND_SUCCESS;
    if (capture != cudaStreamCaptureStatusNone) return status; // the graph runs it, as often as it likes
    if (!failed) status = kept->status;
    free(kept);
    return status;
}

// ---- the calls ------------------------------------------------------------------------------------------

#define API(name, ...)                                                                                       \
    curand_status name(__VA_ARGS__);                                                                         \
    curand_status name(__VA_ARGS__)

static curand_status create(curand_generator **generator, int type) {
    if (!generator) return CURAND_OUT_OF_RANGE;
    if (type < 100 || type >= 200) { // 100: the default, 101 and on: by name, 200 and on: quasi-random
        fprintf(stderr,
                "kz: curandCreateGenerator: the simulator's cuRAND has no quasi-random generators; it "
                "returns CURAND_STATUS_TYPE_ERROR\n");
        return CURAND_TYPE_ERROR;
    }
    *generator = malloc(sizeof **generator);
    if (!*generator) return CURAND_ALLOCATION_FAILED;
    **generator = (curand_generator){.magic = MAGIC};
    return CURAND_SUCCESS;
}

API(curandCreateGenerator, curand_generator **generator, int type) { return create(generator, type); }
API(curandCreateGeneratorHost, curand_generator **generator, int type) { return create(generator, type); }

API(curandDestroyGenerator, curand_generator *g) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    g->magic = 0;
    free(g);
    return CURAND_SUCCESS;
}

API(curandSetPseudoRandomGeneratorSeed, curand_generator *g, unsigned long long seed) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    g->seed = seed;
    g->offset = 0;
    return CURAND_SUCCESS;
}

API(curandSetGeneratorOffset, curand_generator *g, unsigned long long offset) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    g->offset = offset;
    return CURAND_SUCCESS;
}

API(curandSetGeneratorOrdering, curand_generator *g, int order) {
    return is_generator(g) ? CURAND_SUCCESS : CURAND_NOT_INITIALIZED;
}

API(curandSetQuasiRandomGeneratorDimensions, curand_generator *g, unsigned dimensions) {
    return is_generator(g) ? CURAND_TYPE_ERROR : CURAND_NOT_INITIALIZED;
}

API(curandGenerateSeeds, curand_generator *g) {
    return is_generator(g) ? CURAND_SUCCESS : CURAND_NOT_INITIALIZED;
}

API(curandSetStream, curand_generator *g, cudaStream_t stream) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_SUCCESS;
}

API(curandGetVersion, int *version) {
    if (!version) return CURAND_OUT_OF_RANGE;
    *version = 10400;
    return CURAND_SUCCESS;
}

API(curandGetProperty, int which, int *value) { // major, minor, patch
    static const int parts[] = {10, 4, 0};
    if (!value || which < 0 || which > 2) return CURAND_OUT_OF_RANGE;
    *value = parts[which];
    return CURAND_SUCCESS;
}

API(curandGenerate, curand_generator *g, unsigned *to, size_t count) {
    return generate(g, (curand_job){.kind = WORDS, .to = to, .count = count});
}

API(curandGenerateLongLong, curand_generator *g, unsigned long long *to, size_t count) {
    return is_generator(g) ? CURAND_TYPE_ERROR : CURAND_NOT_INITIALIZED; // for quasi-random ones of 64 bits
}

API(curandGenerateUniform, curand_generator *g, float *to, size_t count) {
    return generate(g, (curand_job){.kind = UNIFORM, .to = to, .count = count});
}

API(curandGenerateUniformDouble, curand_generator *g, double *to, size_t count) {
    return generate(g, (curand_job){.kind = UNIFORM, .wide = true, .to = to, .count = count});
}

API(curandGenerateNormal, curand_generator *g, float *to, size_t count, float mean, float deviation) {
    return generate(
        g, (curand_job){.kind = NORMAL, .to = to, .count = count, .mean = mean, .deviation = deviation});
}

API(curandGenerateNormalDouble, curand_generator *g, double *to, size_t count, double mean,
    double deviation) {
    return generate(
        g, (curand_job){
               .kind = NORMAL, .wide = true, .to = to, .count = count, .mean = mean, .deviation = deviation});
}

API(curandGenerateLogNormal, curand_generator *g, float *to, size_t count, float mean, float deviation) {
    return generate(
        g, (curand_job){.kind = LOG_NORMAL, .to = to, .count = count, .mean = mean, .deviation = deviation});
}

API(curandGenerateLogNormalDouble, curand_generator *g, double *to, size_t count, double mean,
    double deviation) {
    return generate(g, (curand_job){.kind = LOG_NORMAL,
                                    .wide = true,
                                    .to = to,
                                    .count = count,
                                    .mean = mean,
                                    .deviation = deviation});
}

API(curandGeneratePoisson, curand_generator *g, unsigned *to, size_t count, double lambda) {
    return generate(g, (curand_job){.kind = POISSON, .to = to, .count = count, .mean = lambda});
}
