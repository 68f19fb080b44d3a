// What a language model does with its last layer's logits: the best three tokens, the best alone, and tokens drawn at random for
// several steps, by the best device there is, or by the one named: ./sampling sim
//
//     cc sampling.c -o sampling $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/ops/sampling.h"
#include "kz/ops/top_k.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum { TOKENS = 8, BEST = 3, STEPS = 6 };

int main(int argc, char **argv) {
    static const float logits[TOKENS] = {0.5f, 2.0f, -1.0f, 3.0f, 0.0f, 2.5f, 1.0f, -4.0f};
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *top_k = NULL, *greedy = NULL, *sampling = NULL;
    kz_ptr memory = 0;
    int code = 1, index[BEST], token;
    kz_sampling_params params = {.size = sizeof params, .temperature = 0.8f, .top_k = BEST, .seed = 7},
                       zero = {.size = sizeof zero};

    // One allocation: logits, the best values and their indices, a step, a token.
    kz_ptr values_at = sizeof logits, index_at = values_at + 16, step_at = index_at + 16,
           token_at = step_at + 16;
    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, token_at + sizeof token, &memory, &error));
    CHECK(kz_copy_to_device(device, NULL, memory, logits, sizeof logits, &error));
    CHECK(kz_top_k_open(device, KZ_F32, 1, TOKENS, BEST, NULL, &top_k, &error));
    CHECK(kz_sampling_open(device, KZ_F32, 1, TOKENS, &zero, NULL, &greedy, &error)); // temperature 0
    CHECK(kz_sampling_open(device, KZ_F32, 1, TOKENS, &params, NULL, &sampling, &error));

    CHECK(kz_top_k_run(top_k, NULL, memory, memory + values_at, memory + index_at, &error));
    CHECK(kz_copy_to_host(device, NULL, index, memory + index_at, sizeof index, &error));
    CHECK(kz_sampling_run(greedy, NULL, memory, 0, memory + token_at, 0, 0, &error));
    CHECK(kz_copy_to_host(device, NULL, &token, memory + token_at, sizeof token, &error));
    CHECK(kz_device_synchronize(device, &error));
    printf("best: %d %d %d, greedy: %d, drawn:", index[0], index[1], index[2], token);

    // The step is in the device's memory, so a recorded graph would do the same.
    for (int64_t step = 0; step < STEPS; step++) {
        CHECK(kz_copy_to_device(device, NULL, memory + step_at, &step, sizeof step, &error));
        CHECK(kz_sampling_run(sampling, NULL, memory, memory + step_at, memory + token_at, 0, 0, &error));
        CHECK(kz_copy_to_host(device, NULL, &token, memory + token_at, sizeof token, &error));
        CHECK(kz_device_synchronize(device, &error));
        printf(" %d", token);
    }
    printf(", by %s on %s\n", kz_operation_variant(sampling), kz_device_get_info(device)->name);
    code = 0;

failed:
    if (code != 0) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_operation_close(top_k);
        kz_operation_close(greedy);
        kz_operation_close(sampling);
        kz_memory_free(device, memory, NULL);
        kz_device_close(device);
    }
    return code;
}
