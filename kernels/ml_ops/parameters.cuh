// The table of a model's parameters in kernels: the chunk that a block has, and where its arrays are.
//
// A chunk's first element is one that begins a pack of 16 bytes, but for a tensor's first chunk: what lies before the first
// aligned address belongs to that one, so that only a tensor's two ends are done element by element.
#ifndef ML_OPS_PARAMETERS_CUH
#define ML_OPS_PARAMETERS_CUH

#include "kz/kernel.cuh"
#include "kz/parameters.h"

// An array of the tensor, so many bytes past the address that the launch was given.
template <typename T> static __device__ __forceinline__ T *parameter_array(T *base, uint64_t bytes) {
    return (T *)((size_t)base + bytes);
}

// Elements before the first multiple of 16 bytes. An address that is no multiple of the element's size has none.
template <typename T> static __device__ __forceinline__ unsigned parameter_head(const T *array) {
    return (unsigned)((0 - (size_t)array) % 16 / sizeof(T));
}

// A chunk: elements [begin, begin + count) of a tensor.
typedef struct parameter_range {
    size_t begin;
    unsigned count;
} parameter_range;

// Entry `entry` of the list, of a tensor of `elements` whose first `head` elements come before an aligned address.
static __device__ __forceinline__ parameter_range parameter_chunk(long long entry, size_t elements,
                                                                  unsigned head) {
    size_t chunk = (unsigned)entry, begin = chunk ? chunk * KZ_PARAMETER_CHUNK + head : 0,
           end = (chunk + 1) * KZ_PARAMETER_CHUNK + head;
    if (begin > elements) begin = elements; // the head may have taken all that the last one had
    if (end > elements) end = elements;
    return {begin, (unsigned)(end - begin)};
}
static __device__ __forceinline__ const kz_parameter *parameter_tensor(const kz_parameter *table,
                                                                       long long entry) {
    return &table[entry >> 32];
}

#endif
