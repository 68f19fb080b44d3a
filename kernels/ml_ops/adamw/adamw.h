// Kernel Zoo, an operation: a step of AdamW, for all tensors of a model in one launch.
//
//     kz_adamw_options options = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
//     kz_operation *adamw;
//     kz_adamw_open(device, KZ_ADAMW_UPDATE, KZ_F32, &options, n, tensors, chunks, NULL, &adamw, &error);
//     kz_adamw_buffers buffers = {weights, gradients, m, v, .parameters = table, .chunks = list};
//     for (uint32_t step = 1; step <= steps; step++) // m and v are zeros before the first
//         kz_adamw_run(adamw, NULL, learning_rate, step, &buffers, &error);
//     kz_operation_close(adamw);
//
// kz/parameters.h makes the table, which has each tensor's place, weight decay and factor of the learning rate, and the list of
// chunks. With g the gradient times *scale, r the learning rate times the tensor's factor, and t the step:
//
//     m = beta1 m + (1 - beta1) g               v = beta2 v + (1 - beta2) g^2
//     weight = weight (1 - r decay) - r (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
// UPDATE has one type for all arrays, KZ_F32 or KZ_BF16. UPDATE_STOCHASTIC is UPDATE in KZ_BF16, whose results are rounded by
// chance: up with the probability that makes the mean right. UPDATE_MASTER has weights, m and v in f32, gradients in the type given,
// KZ_F16 or KZ_BF16, and writes the new weights in that type to `copy` too. Arithmetic is float; m, v, weights and the copy
// are rounded once, to nearest even, and the weight is computed from m and v before they are. In bf16 a v that is large beside
// (1 - beta2) g^2 does not move: for such training keep f32 moments, or round by chance. A square past float's largest makes v infinite, and the
// weight then gets its decay alone; NaN in a gradient makes weight, m and v NaN.
//
// Element i, counted through all tensors in the table's order, is rounded by Philox4x32-10, its key the seed, its counter i / 2
// and above it the step: word 0 is for the weight, 1 for m, 2 for v, the low 16 bits of each where i is even, the high ones where
// it is odd. They are added below bf16's last bit, and what is below is cut off; what is finite stays finite. So the same seed
// and step give the same bits on every device, and with another step each element has others.
//
// The plan is fixed, nothing is allocated, and the host waits for nothing: a step can be recorded as a graph. Which of the learning rate
// and the step a graph keeps is the caller's choice: kz_adamw_run passes both by value, so a replay has the recorded
// ones; kz_adamw_run_from reads both from device memory at each replay.
#ifndef KZ_OPS_ADAMW_H
#define KZ_OPS_ADAMW_H

#include "kz/operation.h"
#include "kz/parameters.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_adamw {
    KZ_ADAMW_UPDATE,
    KZ_ADAMW_UPDATE_MASTER,
    KZ_ADAMW_UPDATE_STOCHASTIC,
} kz_adamw;

typedef struct kz_adamw_options {
    double beta1, beta2; // 0 or more, below 1
    double epsilon;      // 0 or more
    uint64_t seed;       // UPDATE_STOCHASTIC: of its random bits
} kz_adamw_options;

// What a run works on; all that the operation does not use is 0.
typedef struct kz_adamw_buffers {
    kz_ptr weights, gradients, m, v; // what the table's offsets are added to
    kz_ptr copy;                     // UPDATE_MASTER: the weights, rounded
    kz_ptr parameters, chunks;       // the table and the list of kz/parameters.h
    kz_ptr
        scale; // 0, or a float that gradients are multiplied by: what kz/ops/grad_norm.h writes, or 1 over a loss's scale
    kz_ptr skip; // 0, or a uint32_t: where it is not 0 the run changes nothing, and the step does not count
} kz_adamw_buffers;

// What kz_adamw_run_from reads, from a multiple of 8 bytes.
typedef struct kz_adamw_now {
    float learning_rate;
    uint32_t step; // the first is 1; below 2^31
} kz_adamw_now;

// n elements in all tensors together, and as many chunks as kz_parameters_chunks says. `variant` NULL takes the best known for
// device, type and size; a name ("03_vector") overrides it. KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_adamw_open(kz_device *device, kz_adamw which, kz_type type,
                               const kz_adamw_options *options, size_t n, size_t tensors, size_t chunks,
                               const char *variant, kz_operation **operation, kz_error *error);
// Steps count from 1.
KZ_API kz_status kz_adamw_run(kz_operation *operation, kz_stream *stream, float learning_rate, uint32_t step,
                              const kz_adamw_buffers *buffers, kz_error *error);
// The same, with the address of a kz_adamw_now in device memory, which is read when the launch runs.
KZ_API kz_status kz_adamw_run_from(kz_operation *operation, kz_stream *stream, kz_ptr now,
                                   const kz_adamw_buffers *buffers, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif
