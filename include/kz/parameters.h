// Kernel Zoo: the table of a model's parameters, for kz/ops/adamw.h and kz/ops/grad_norm.h. One launch covers all tensors.
//
//     kz_parameter table[TENSORS] = {{.count = 4096, .weights = 0, .gradients = 0, ...}, ...};
//     uint64_t chunks = kz_parameters_chunks(table, TENSORS);
//     kz_parameters_pack(table, TENSORS, list, chunks, &error); // list: chunks int64_t; then copy both to the device
//
// A run takes an address for each kind of array: weights, gradients, moments. A tensor's array begins so many bytes past it,
// modulo 2^64: with all tensors in one buffer these are offsets; tensors that are anywhere have the difference of two addresses.
// Where arrays begin at any element, results are right. It is fastest where all of a tensor's arrays begin equally many
// elements past a multiple of 16 bytes. Arrays must not overlap.
//
// The list has one entry per chunk of KZ_PARAMETER_CHUNK elements: blocks of a launch take chunks, so that a tensor of one
// element and one of 2^32 are alike to them. Table and list change only with the model: they are made once, on the host.
#ifndef KZ_PARAMETERS_H
#define KZ_PARAMETERS_H

#include "kz/kz.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KZ_PARAMETER_CHUNK = 8192 };

// One tensor. What an operation does not use is not looked at: kz/ops/grad_norm.h takes `count` and `gradients` alone.
typedef struct kz_parameter {
    uint64_t count; // elements; may be 0
    uint64_t first; // elements of the tensors before it: kz_parameters_pack writes it
    // Where its arrays begin, in bytes from the addresses that a run is given.
    uint64_t weights, gradients, m, v, copy;
    float weight_decay, rate; // rate: what the learning rate is multiplied by, 1 as a rule
} kz_parameter;

// Entries of the list of chunks.
KZ_API uint64_t kz_parameters_chunks(const kz_parameter *parameters, size_t tensors);
// Writes `first` of every tensor, and the list of chunks. `chunk_count` is what kz_parameters_chunks says.
KZ_API kz_status kz_parameters_pack(kz_parameter *parameters, size_t tensors, int64_t *chunks,
                                    uint64_t chunk_count, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif
