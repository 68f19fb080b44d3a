// The end of a training step: the norm of all gradients, clipping, and AdamW, with nothing read back in between. On the best device
// there is, or on the one named: ./training_step sim
//
//     cc training_step.c -o training_step $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/ops/adamw.h"
#include "kz/ops/grad_norm.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

// Two tensors, one behind the other in each of four arrays: a matrix, which decays, and a bias, which does not.
enum { MATRIX = 10000, BIAS = 3, N = MATRIX + BIAS, TENSORS = 2, CHUNKS = 3 };

typedef struct results { // of the norm, and what the second step reads
    float norm, coefficient;
    uint32_t not_finite, unused;
    kz_adamw_now now;
} results;

static float weights[N], gradients[N], zeros[N];
static kz_parameter table[TENSORS] = {
    {.count = MATRIX, .weight_decay = 0.1f, .rate = 1.0f},
    {.count = BIAS,
     .weights = sizeof(float) * MATRIX,
     .gradients = sizeof(float) * MATRIX,
     .m = sizeof(float) * MATRIX,
     .v = sizeof(float) * MATRIX,
     .rate = 1.0f},
};

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *norm = NULL, *clip = NULL, *adamw = NULL;
    kz_ptr memory = 0, workspace = 0;
    int64_t list[CHUNKS];
    results got = {.now = {.learning_rate = 0.01f, .step = 2}}, clipped;
    int code = 1;
    weights[MATRIX] = 1, gradients[MATRIX] = 3, gradients[0] = 4; // a norm of 5

    CHECK(kz_parameters_chunks(table, TENSORS) == CHUNKS ? KZ_OK : KZ_INVALID);
    CHECK(kz_parameters_pack(table, TENSORS, list, CHUNKS, &error));
    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, 4 * sizeof weights + 1024, &memory, &error));
    kz_ptr end = memory + 4 * sizeof weights, at = (end + 15) / 16 * 16 + 512; // of the results
    const kz_adamw_options options = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    kz_adamw_buffers buffers = {.weights = memory,
                                .gradients = memory + sizeof weights,
                                .m = memory + 2 * sizeof weights,
                                .v = memory + 3 * sizeof weights,
                                .parameters = at - 512,
                                .chunks = at - 256};
    CHECK(kz_copy_to_device(device, NULL, buffers.weights, weights, sizeof weights, &error));
    CHECK(kz_copy_to_device(device, NULL, buffers.gradients, gradients, sizeof gradients, &error));
    CHECK(kz_copy_to_device(device, NULL, buffers.m, zeros, sizeof zeros, &error));
    CHECK(kz_copy_to_device(device, NULL, buffers.v, zeros, sizeof zeros, &error));
    CHECK(kz_copy_to_device(device, NULL, buffers.parameters, table, sizeof table, &error));
    CHECK(kz_copy_to_device(device, NULL, buffers.chunks, list, sizeof list, &error));
    CHECK(kz_copy_to_device(device, NULL, at, &got, sizeof got, &error));

    CHECK(kz_grad_norm_open(device, KZ_F32, 1.0f, N, TENSORS, CHUNKS, NULL, &norm, &error));
    CHECK(kz_grad_norm_open_clip(device, KZ_F32, N, TENSORS, CHUNKS, NULL, &clip, &error));
    CHECK(kz_adamw_open(device, KZ_ADAMW_UPDATE, KZ_F32, &options, N, TENSORS, CHUNKS, NULL, &adamw, &error));
    uint64_t bytes = kz_operation_workspace(norm);
    CHECK(kz_memory_alloc(device, bytes, &workspace, &error));

    // The first step: AdamW multiplies the gradients by the coefficient, and does nothing where the norm is not finite.
    CHECK(kz_grad_norm_run(norm, NULL, buffers.gradients, buffers.parameters, buffers.chunks, 0, at, at + 4,
                           at + 8, workspace, bytes, &error));
    buffers.scale = at + 4, buffers.skip = at + 8;
    CHECK(kz_adamw_run(adamw, NULL, 0.01f, 1, &buffers, &error));
    CHECK(kz_copy_to_host(device, NULL, &got, at, sizeof got, &error));

    // The second: the same gradients, clipped in place; rate and step are read on the device, as a graph would have it.
    CHECK(kz_grad_norm_run_clip(clip, NULL, buffers.gradients, buffers.parameters, buffers.chunks, at + 4,
                                &error));
    CHECK(kz_grad_norm_run(norm, NULL, buffers.gradients, buffers.parameters, buffers.chunks, 0, at, at + 4,
                           at + 8, workspace, bytes, &error));
    CHECK(kz_adamw_run_from(adamw, NULL, at + 16, &buffers, &error));
    CHECK(kz_copy_to_host(device, NULL, &clipped, at, sizeof clipped, &error));
    CHECK(kz_copy_to_host(device, NULL, weights, buffers.weights, sizeof weights, &error));
    CHECK(kz_device_synchronize(device, &error));
    printf("a norm of %.2f, then %.2f; after two steps a weight of 1 is %.3f, by %s and %s\n",
           (double)got.norm, (double)clipped.norm, (double)weights[MATRIX], kz_operation_variant(norm),
           kz_operation_variant(adamw));
    code = 0;

failed:
    if (code != 0) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_operation_close(adamw);
        kz_operation_close(clip);
        kz_operation_close(norm);
        kz_memory_free(device, workspace, NULL);
        kz_memory_free(device, memory, NULL);
        kz_device_close(device);
    }
    return code;
}
