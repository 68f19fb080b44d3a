// Dropout in a network: y = residual + dropout(x + bias), its backward pass with the same mask, and another mask for the next
// step. On the best device there is, or on the one named: ./dropout sim
//
//     cc dropout.c -o dropout $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/ops/dropout.h"
#include "kz/ops/fused_elementwise.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum { ROWS = 4, COLUMNS = 64, N = ROWS * COLUMNS, ROOM = 1 << 20 };

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *forward = NULL, *backward = NULL, *plain = NULL;
    kz_ptr memory = 0;
    static float ones[N], zeros[N], y[N], dx[N], dbias[COLUMNS], other[N];
    uint64_t state[2] = {42, 0}; // seed and offset
    int code = 1, kept = 0, same = 0, changed = 0;
    for (int i = 0; i < N; i++) ones[i] = 1.0f;

    // x and dy are ones; bias and residual are zeros.
    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, 5 * sizeof ones + 1024 + ROOM, &memory, &error));
    kz_ptr x = memory, zero = x + sizeof ones, out = zero + sizeof zeros, grad = out + sizeof y,
           sums = grad + sizeof dx, masked = sums + 256, state_at = masked + sizeof other,
           workspace = state_at + 256;
    CHECK(kz_copy_to_device(device, NULL, x, ones, sizeof ones, &error));
    CHECK(kz_copy_to_device(device, NULL, zero, zeros, sizeof zeros, &error));
    CHECK(kz_copy_to_device(device, NULL, state_at, state, sizeof state, &error));

    CHECK(kz_fused_elementwise_open(device, KZ_BIAS_DROPOUT_ADD, KZ_F32, ROWS, COLUMNS, 0.25, NULL, &forward,
                                    &error));
    CHECK(kz_fused_elementwise_open(device, KZ_BIAS_DROPOUT_ADD_BACKWARD, KZ_F32, ROWS, COLUMNS, 0.25, NULL,
                                    &backward, &error));
    kz_fused_elementwise_arrays arrays = {
        .x = x, .bias = zero, .residual = zero, .state = state_at, .y = out};
    CHECK(kz_fused_elementwise_run(forward, NULL, &arrays, workspace, ROOM, &error));
    arrays = (kz_fused_elementwise_arrays){.dy = x, .state = state_at, .dx = grad, .dbias = sums};
    CHECK(kz_fused_elementwise_run(backward, NULL, &arrays, workspace, ROOM, &error));

    // The next step: another offset. The same element of a plain dropout reads the same bits.
    CHECK(kz_dropout_open(device, KZ_DROPOUT_FORWARD, KZ_F32, N, 0.25, NULL, &plain, &error));
    state[1]++;
    CHECK(kz_copy_to_device(device, NULL, state_at, state, sizeof state, &error));
    CHECK(kz_dropout_run(plain, NULL, x, state_at, masked, workspace, ROOM, &error));

    CHECK(kz_copy_to_host(device, NULL, y, out, sizeof y, &error));
    CHECK(kz_copy_to_host(device, NULL, dx, grad, sizeof dx, &error));
    CHECK(kz_copy_to_host(device, NULL, dbias, sums, sizeof dbias, &error));
    CHECK(kz_copy_to_host(device, NULL, other, masked, sizeof other, &error));
    CHECK(kz_device_synchronize(device, &error));
    for (int i = 0; i < N; i++) {
        kept += y[i] > 0.0f;
        same += (y[i] > 0.0f) == (dx[i] > 0.0f);
        changed += (y[i] > 0.0f) != (other[i] > 0.0f);
    }
    printf(
        "%d of %d are kept, %d alike in the backward pass; the first bias has a gradient of %.2f; the next "
        "mask differs at %d\n",
        kept, N, same, (double)dbias[0], changed);
    code = 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    kz_operation_close(forward);
    kz_operation_close(backward);
    kz_operation_close(plain);
    if (device) kz_memory_free(device, memory, NULL);
    kz_device_close(device);
    return code;
}
