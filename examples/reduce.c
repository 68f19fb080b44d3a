// Sums 1 + 2 + ... + 1000000 on the best device there is, or on the one named: ./reduce sim
//
//     cc reduce.c -o reduce $(pkg-config --cflags --libs kz)
#include <stdio.h>
#include <stdlib.h>

#include "kz/ops/reduce.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

int main(int argc, char **argv) {
    enum { N = 1000000 };
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *sum = NULL;
    kz_ptr in = 0, out = 0, workspace = 0;
    int code = 1;
    double result = 0, *numbers = malloc(N * sizeof *numbers);
    if (!numbers) return 1;
    for (int i = 0; i < N; i++) numbers[i] = i + 1;

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, N * sizeof *numbers, &in, &error));
    CHECK(kz_memory_alloc(device, sizeof result, &out, &error));
    CHECK(kz_copy_to_device(device, NULL, in, numbers, N * sizeof *numbers, &error));

    // The operation takes the variant that is best for this device, type and size; the workspace is ours.
    CHECK(kz_reduce_open(device, KZ_REDUCE_SUM, KZ_F64, N, NULL, &sum, &error));
    uint64_t workspace_bytes = kz_operation_workspace(sum);
    CHECK(kz_memory_alloc(device, workspace_bytes, &workspace, &error));
    CHECK(kz_reduce_run(sum, NULL, in, out, workspace, workspace_bytes, &error));
    CHECK(kz_copy_to_host(device, NULL, &result, out, sizeof result, &error));
    CHECK(kz_device_synchronize(device, &error));
    printf("%.0f on %s, by %s\n", result, kz_device_get_info(device)->name, kz_operation_variant(sum));
    code = 0;

failed:
    if (code != 0) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_operation_close(sum);
        kz_memory_free(device, workspace, NULL);
        kz_memory_free(device, out, NULL);
        kz_memory_free(device, in, NULL);
        kz_device_close(device);
    }
    free(numbers);
    return code;
}
