// A small cuRAND for whole programs: its host calls, on the CPU. All pseudo-random generators are Philox
// 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3, 2011), so that sequences
// have the distribution, the seeds and the offsets of NVIDIA's library, but not its numbers. The quasi-random
// ones are Sobol's sequences (sobol.c).
//
// As in our cuBLAS, every call is a job on the generator's stream, so that it also works in graphs.
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>

#include "cudart/library_call.h"
#include "curand.h"

#define MAGIC UINT32_C(0x6b7a726e)
#define PI    3.14159265358979323846

typedef struct curand_generator {
    uint32_t magic;
    cudaStream_t stream;
    bool pairs;        // its normal numbers come by two
    curand_task place; // what tasks begin with: seed or dimensions, and the offset of the next word or point
} curand_generator;

typedef struct curand_job {
    curand_task task;
    void *to;
    const char *routine; // that the program called
    curand_status status;
} curand_job;

// ---- numbers --------------------------------------------------------------------------------------------

void curand_philox(uint64_t seed, uint64_t counter, uint32_t out[4]) {
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

static uint32_t word_at(const curand_task *j, uint64_t index) {
    uint32_t four[4];
    curand_philox(j->seed, index / 4, four);
    return four[index % 4];
}

static uint64_t words_each(const curand_task *j) { return j->wide || j->kind == POISSON ? 2 : 1; }

// Element i, in (0, 1].
static double uniform_at(const curand_task *j, uint64_t i) {
    uint64_t at = j->offset + i * words_each(j), word = word_at(j, at);
    if (words_each(j) == 1) return ((double)word + 1) * 0x1p-32;
    word = word << 32 | word_at(j, at + 1);
    return ((double)(word >> 11) + 1) * 0x1p-53;
}

// Box and Muller: two elements from two.
static double normal_at(const curand_task *j, uint64_t i) {
    double radius = sqrt(-2 * log(uniform_at(j, i & ~UINT64_C(1)))), angle = 2 * PI * uniform_at(j, i | 1);
    return j->mean + j->deviation * radius * (i & 1 ? cos(angle) : sin(angle));
}

uint32_t curand_poisson(double lambda, double left, double normal) {
    if (lambda > 500) { // near enough to a normal distribution, by Wilson and Hilferty's cube
        double root = 1 - 1 / (9 * lambda) + normal / (3 * sqrt(lambda));
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

static uint32_t poisson_at(const curand_task *j, uint64_t i) {
    double left = uniform_at(j, i);
    double angle = 2 * PI * (word_at(j, ~(j->offset + i)) + 0.5) * 0x1p-32;
    return curand_poisson(j->mean, left, sqrt(-2 * log(left)) * sin(angle));
}

static void put(const curand_task *j, void *to, size_t i) {
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
    const curand_task *t = &j->task;
    size_t bytes = t->count * (t->wide || t->kind == LONG_WORDS ? 8 : 4);
    void *values = malloc(bytes + 1);
    j->status = CURAND_ALLOCATION_FAILED;
    if (values && (!t->dimensions || curand_fill_quasi(t, values))) {
        for (size_t i = 0; i < t->count && !t->dimensions; i++) put(t, values, i);
        __cudaLibraryCall(j->routine);
        bool right = cudaMemcpy(j->to, values, bytes, cudaMemcpyDefault) == cudaSuccess;
        __cudaLibraryCall(NULL);
        j->status = right ? CURAND_SUCCESS : CURAND_LAUNCH_FAILURE;
    }
    free(values);
}

static bool is_generator(const curand_generator *g) { return g && g->magic == MAGIC; }

// Words of 32 bits are not for the generators of 64, and the other way round.
static curand_status check(const curand_generator *g, const curand_task *task, const void *to) {
    const curand_task *place = &g->place;
    bool pairs = g->pairs && (task->kind == NORMAL || task->kind == LOG_NORMAL);
    if (task->kind == (place->of_64_bits ? WORDS : LONG_WORDS)) return CURAND_TYPE_ERROR;
    if (pairs && task->count % 2) return CURAND_LENGTH_NOT_MULTIPLE;
    if (place->dimensions && task->count % place->dimensions) return CURAND_LENGTH_NOT_MULTIPLE;
    if (task->count && !to) return CURAND_OUT_OF_RANGE;
    return task->kind == POISSON && !(task->mean > 0) ? CURAND_OUT_OF_RANGE : CURAND_SUCCESS;
}

static curand_status generate_as(const char *routine, curand_generator *g, void *to, curand_task task) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    curand_status status = check(g, &task, to);
    if (status || task.count == 0) return status;
    curand_job *kept = malloc(sizeof *kept);
    if (!kept) return CURAND_ALLOCATION_FAILED;
    const curand_task *place = &g->place;
    task.seed = place->seed;
    task.offset = place->offset;
    task.dimensions = place->dimensions;
    task.scrambled = place->scrambled;
    task.of_64_bits = place->of_64_bits;
    *kept = (curand_job){.task = task, .to = to, .routine = routine};
    size_t even = task.count + task.count % 2 * (task.kind == NORMAL || task.kind == LOG_NORMAL);
    g->place.offset += task.dimensions ? task.count / task.dimensions : even * words_each(&task);
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(g->stream, &capture);
    bool failed = cudaLaunchHostFunc(g->stream, run, kept) != cudaSuccess;
    status = failed ? CURAND_LAUNCH_FAILURE : CURAND_SUCCESS;
    if (capture != cudaStreamCaptureStatusNone) return status; // the graph runs it, as often as it likes
    if (!failed) status = kept->status;
    free(kept);
    return status;
}
#define generate(...) generate_as(__func__, __VA_ARGS__)

// ---- the calls ------------------------------------------------------------------------------------------

// The types of generators: 100 to 199 are pseudo-random, and all Philox here.
enum { DEFAULT_QUASI = 200, SOBOL32, SCRAMBLED_SOBOL32, SOBOL64, SCRAMBLED_SOBOL64 };

static curand_status create(curand_generator **generator, int type) {
    static const int pseudo[] = {100, 101, 121, 141, 142, 161};
    bool quasi = type >= DEFAULT_QUASI && type <= SCRAMBLED_SOBOL64, known = quasi;
    if (!generator) return CURAND_OUT_OF_RANGE;
    for (size_t i = 0; i < sizeof pseudo / sizeof *pseudo; i++) known |= pseudo[i] == type;
    if (!known) return CURAND_TYPE_ERROR;
    *generator = malloc(sizeof **generator);
    if (!*generator) return CURAND_ALLOCATION_FAILED;
    **generator = (curand_generator){.magic = MAGIC, .pairs = type < 142};
    (*generator)->place.dimensions = quasi;
    (*generator)->place.scrambled = type == SCRAMBLED_SOBOL32 || type == SCRAMBLED_SOBOL64;
    (*generator)->place.of_64_bits = type == SOBOL64 || type == SCRAMBLED_SOBOL64;
    return CURAND_SUCCESS;
}

CURAND_FUNCTION(curandCreateGenerator, curand_generator **generator, int type) {
    return create(generator, type);
}
CURAND_FUNCTION(curandCreateGeneratorHost, curand_generator **generator, int type) {
    return create(generator, type);
}

CURAND_FUNCTION(curandDestroyGenerator, curand_generator *g) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    g->magic = 0;
    free(g);
    return CURAND_SUCCESS;
}

CURAND_FUNCTION(curandSetPseudoRandomGeneratorSeed, curand_generator *g, unsigned long long seed) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    if (g->place.dimensions) return CURAND_TYPE_ERROR;
    g->place.seed = seed;
    g->place.offset = 0;
    return CURAND_SUCCESS;
}

CURAND_FUNCTION(curandSetGeneratorOffset, curand_generator *g, unsigned long long offset) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    g->place.offset = offset;
    return CURAND_SUCCESS;
}

CURAND_FUNCTION(curandSetGeneratorOrdering, curand_generator *g, int order) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    bool right = g->place.dimensions ? order == 201 : order >= 100 && order <= 104;
    return right ? CURAND_SUCCESS : CURAND_OUT_OF_RANGE;
}

CURAND_FUNCTION(curandSetQuasiRandomGeneratorDimensions, curand_generator *g, unsigned dimensions) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    if (!g->place.dimensions) return CURAND_TYPE_ERROR;
    if (dimensions == 0 || dimensions > SOBOL_DIMENSIONS) return CURAND_OUT_OF_RANGE;
    g->place.dimensions = dimensions;
    return CURAND_SUCCESS;
}

CURAND_FUNCTION(curandGenerateSeeds, curand_generator *g) {
    return is_generator(g) ? CURAND_SUCCESS : CURAND_NOT_INITIALIZED;
}

CURAND_FUNCTION(curandSetStream, curand_generator *g, cudaStream_t stream) {
    if (!is_generator(g)) return CURAND_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_SUCCESS;
}

CURAND_FUNCTION(curandGetVersion, int *version) {
    if (!version) return CURAND_OUT_OF_RANGE;
    *version = 10400;
    return CURAND_SUCCESS;
}

CURAND_FUNCTION(curandGetProperty, int which, int *value) { // major, minor, patch
    static const int parts[] = {10, 4, 0};
    if (!value || which < 0 || which > 2) return CURAND_OUT_OF_RANGE;
    *value = parts[which];
    return CURAND_SUCCESS;
}

CURAND_FUNCTION(curandGenerate, curand_generator *g, unsigned *to, size_t count) {
    return generate(g, to, (curand_task){.kind = WORDS, .count = count});
}

CURAND_FUNCTION(curandGenerateLongLong, curand_generator *g, unsigned long long *to, size_t count) {
    return generate(g, to, (curand_task){.kind = LONG_WORDS, .count = count});
}

CURAND_FUNCTION(curandGeneratePoisson, curand_generator *g, unsigned *to, size_t count, double lambda) {
    return generate(g, to, (curand_task){.kind = POISSON, .count = count, .mean = lambda});
}

#define DISTRIBUTIONS(suffix, type, is_wide)                                                                 \
    CURAND_FUNCTION(curandGenerateUniform##suffix, curand_generator *g, type *to, size_t count) {            \
        return generate(g, to, (curand_task){.kind = UNIFORM, .wide = is_wide, .count = count});             \
    }                                                                                                        \
    CURAND_FUNCTION(curandGenerateNormal##suffix, curand_generator *g, type *to, size_t n, type mean,        \
                    type deviation) {                                                                        \
        return generate(g, to,                                                                               \
                        (curand_task){NORMAL, is_wide, .count = n, .mean = mean, .deviation = deviation});   \
    }                                                                                                        \
    CURAND_FUNCTION(curandGenerateLogNormal##suffix, curand_generator *g, type *to, size_t n, type mean,     \
                    type deviation) {                                                                        \
        return generate(                                                                                     \
            g, to, (curand_task){LOG_NORMAL, is_wide, .count = n, .mean = mean, .deviation = deviation});    \
    }
DISTRIBUTIONS(, float, false)
DISTRIBUTIONS(Double, double, true)
