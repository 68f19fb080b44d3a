// Looks up the rows of five tokens, and adds up the gradient of their table, on the best device there is, or on the one
// named: ./embedding sim
//
//     cc embedding.c -o embedding $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/ops/embedding.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum { TOKENS = 5, VOCABULARY = 1000, DIM = 64, PADDING = 0 };

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *gather = NULL, *gradient = NULL;
    kz_ptr table = 0, ids = 0, rows = 0, workspace = 0;
    int code = 1;
    static float weights[VOCABULARY * DIM];
    float looked_up[TOKENS * DIM];
    const int tokens[TOKENS] = {7, 999, 7, PADDING, -1}; // -1 names no row
    for (int i = 0; i < VOCABULARY * DIM; i++) weights[i] = (float)(i / DIM);

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, sizeof weights, &table, &error));
    CHECK(kz_memory_alloc(device, sizeof tokens, &ids, &error));
    CHECK(kz_memory_alloc(device, sizeof looked_up, &rows, &error));
    CHECK(kz_copy_to_device(device, NULL, table, weights, sizeof weights, &error));
    CHECK(kz_copy_to_device(device, NULL, ids, tokens, sizeof tokens, &error));

    CHECK(kz_embedding_gather_open(device, KZ_F32, KZ_I32, TOKENS, VOCABULARY, DIM, NULL, &gather, &error));
    CHECK(kz_embedding_gather_run(gather, NULL, table, ids, rows, &error));
    CHECK(kz_copy_to_host(device, NULL, looked_up, rows, sizeof looked_up, &error));

    // The rows stand for their own gradients here: the sum over the tokens of an id is so many times its row.
    CHECK(kz_embedding_gradient_open(device, KZ_F32, KZ_I32, TOKENS, VOCABULARY, DIM, PADDING,
                                     KZ_DETERMINISTIC, &gradient, &error));
    uint64_t workspace_bytes = kz_operation_workspace(gradient);
    CHECK(kz_memory_alloc(device, workspace_bytes, &workspace, &error));
    CHECK(kz_embedding_gradient_run(gradient, NULL, rows, ids, table, workspace, workspace_bytes, &error));
    CHECK(kz_copy_to_host(device, NULL, weights, table, sizeof weights, &error));
    CHECK(kz_device_synchronize(device, &error));
    printf("row 7 is %.0f, its gradient %.0f, by %s and %s on %s\n", (double)looked_up[0],
           (double)weights[7 * DIM], kz_operation_variant(gather), kz_operation_variant(gradient),
           kz_device_get_info(device)->name);
    code = 0;

failed:
    if (code != 0) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_operation_close(gradient);
        kz_operation_close(gather);
        kz_memory_free(device, workspace, NULL);
        kz_memory_free(device, rows, NULL);
        kz_memory_free(device, ids, NULL);
        kz_memory_free(device, table, NULL);
        kz_device_close(device);
    }
    return code;
}
