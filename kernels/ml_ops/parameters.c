// The table of a model's parameters: made for a caller's tensors (kz/parameters.h), and for the cases of the families.
#include "ml_ops/parameters.h"

#include <string.h>

// A tensor's number and a chunk's in the tensor, 32 bits each. The first bit stays 0: the type is int64_t.
static int64_t chunk_entry(uint64_t tensor, uint64_t chunk) { return (int64_t)(tensor << 32 | chunk); }
static uint64_t chunks_of(uint64_t count) { return kz_ceil_div(count, KZ_PARAMETER_CHUNK); }

uint64_t kz_parameters_chunks(const kz_parameter *parameters, size_t tensors) {
    uint64_t chunks = 0;
    for (size_t t = 0; parameters && t < tensors; t++) chunks += chunks_of(parameters[t].count);
    return chunks;
}

kz_status kz_parameters_pack(kz_parameter *parameters, size_t tensors, int64_t *chunks, uint64_t chunk_count,
                             kz_error *error) {
    if (!parameters || !chunks)
        return kz_fail(error, KZ_INVALID, "kz_parameters_pack: %s is NULL\npass %s, which it writes",
                       parameters ? "the list of chunks" : "the table",
                       parameters ? "kz_parameters_chunks entries of int64_t"
                                  : "an array of kz_parameter, one for each tensor");
    uint64_t needed = kz_parameters_chunks(parameters, tensors), at = 0, first = 0;
    if (needed != chunk_count || tensors > INT32_MAX)
        return kz_fail(error, KZ_INVALID,
                       "kz_parameters_pack: %zu tensors have %llu chunks, and the list has %llu entries\n"
                       "make it as long as kz_parameters_chunks says; a table has 2^31 - 1 tensors at most",
                       tensors, (unsigned long long)needed, (unsigned long long)chunk_count);
    for (size_t t = 0; t < tensors; t++) {
        parameters[t].first = first;
        first += parameters[t].count;
        for (uint64_t k = 0; k < chunks_of(parameters[t].count); k++) chunks[at++] = chunk_entry(t, k);
    }
    return KZ_OK;
}

kz_status parameters_check(const char *call, uint64_t n, uint64_t tensors, uint64_t chunks, kz_error *error) {
    uint64_t least = chunks_of(n);
    if (tensors > INT32_MAX)
        return kz_fail(error, KZ_INVALID,
                       "%s: %llu tensors\na table has 2^31 - 1 tensors at most: use more operations", call,
                       (unsigned long long)tensors);
    if (n >> 62 == 0 && chunks >= least && chunks - least <= tensors && (tensors || !n)) return KZ_OK;
    return kz_fail(error, KZ_INVALID,
                   "%s: %llu elements in %llu tensors are not %llu chunks of at most %d\n"
                   "pass as many chunks as kz_parameters_chunks says of the table",
                   call, (unsigned long long)n, (unsigned long long)tensors, (unsigned long long)chunks,
                   KZ_PARAMETER_CHUNK);
}

// ---- cases -------------------------------------------------------------------------------------------

uint64_t parameters_first(const kz_case *c, uint64_t tensor) {
    uint64_t n = (uint64_t)c->axes[PARAMETERS_N], tensors = (uint64_t)c->axes[PARAMETERS_TENSORS];
    if (tensor >= tensors) return n;
    if (c->axes[PARAMETERS_SPLIT] == PARAMETERS_EQUAL) return n / tensors * tensor;
    double part = (double)tensor / (double)tensors;
    return (uint64_t)((double)n * part * part * part * part);
}

static uint64_t count_of(const kz_case *c, uint64_t tensor) {
    return parameters_first(c, tensor + 1) - parameters_first(c, tensor);
}

uint64_t parameters_chunk_count(const kz_case *c) {
    uint64_t chunks = 0;
    for (uint64_t t = 0; t < (uint64_t)c->axes[PARAMETERS_TENSORS]; t++) chunks += chunks_of(count_of(c, t));
    return chunks;
}

// Decay and rate differ from tensor to tensor: biases and norms have no decay as a rule.
static kz_parameter tensor_of(const kz_case *c, parameters_sizes sizes, uint64_t tensor) {
    static const float decays[] = {0.1f, 0.0f, 0.01f}, rates[] = {1.0f, 0.5f};
    uint64_t first = parameters_first(c, tensor), bytes = first * sizes.weights;
    return (kz_parameter){.count = count_of(c, tensor),
                          .first = first,
                          .weights = bytes,
                          .gradients = first * sizes.gradients,
                          .m = bytes,
                          .v = bytes,
                          .copy = first * sizes.copy,
                          .weight_decay = decays[tensor % 3],
                          .rate = rates[tensor % 2]};
}

void parameters_fill_table(const kz_case *c, parameters_sizes sizes, uint64_t first, uint64_t count,
                           int64_t *host) {
    for (uint64_t i = 0; i < count; i++) {
        kz_parameter tensor = tensor_of(c, sizes, (first + i) / PARAMETERS_WORDS);
        memcpy(&host[i], (const char *)&tensor + (first + i) % PARAMETERS_WORDS * sizeof *host, sizeof *host);
    }
}

void parameters_fill_chunks(const kz_case *c, uint64_t first, uint64_t count, int64_t *host) {
    uint64_t at = 0;
    for (uint64_t t = 0; t < (uint64_t)c->axes[PARAMETERS_TENSORS] && at < first + count; t++) {
        uint64_t chunks = chunks_of(count_of(c, t)), k = at < first ? kz_min_u64(first - at, chunks) : 0;
        for (; k < chunks && at + k < first + count; k++) host[at + k - first] = chunk_entry(t, k);
        at += chunks;
    }
}
