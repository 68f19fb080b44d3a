// A mixture of experts: rows of x are divided among three experts, each with a matrix of its own. How many rows each has only
// the device knows; the plan is the same whatever they are. On the best device there is, or on the one named: ./gemm sim
//
//     cc gemm.c -o gemm $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/ops/gemm.h"

enum { ROWS = 100, IN = 64, OUT = 48, EXPERTS = 3 };
static unsigned short x[ROWS * IN], w[EXPERTS * OUT * IN], y[ROWS * OUT]; // bf16: the upper half of a float
static const unsigned offsets[EXPERTS + 1] = {0, 70, 70, 100};            // the second expert has no rows

static unsigned short bf16(float value) {
    union {
        float value;
        unsigned bits;
    } u = {value};
    return (unsigned short)(u.bits >> 16);
}
static float widen(unsigned short half) {
    union {
        unsigned bits;
        float value;
    } u = {(unsigned)half << 16};
    return u.value;
}

static kz_device *device;
static kz_error error;

// A copy of `bytes` bytes on the device.
static kz_status put(const void *from, size_t bytes, kz_ptr *to) {
    kz_status status = kz_memory_alloc(device, bytes, to, &error);
    return status ? status : kz_copy_to_device(device, NULL, *to, from, bytes, &error);
}

static kz_status multiply(void) {
    kz_gemm_problem problem = {.size = sizeof problem,
                               .type = KZ_BF16,
                               .b_transposed = true, // each expert's matrix is OUT x IN
                               .m = ROWS,
                               .n = OUT,
                               .k = IN,
                               .form = KZ_GEMM_GROUPED,
                               .count = EXPERTS};
    kz_gemm_buffers buffers = {.size = sizeof buffers};
    char why[1024];
    kz_operation *gemm = NULL;
    kz_ptr workspace = 0;
    kz_status status = put(x, sizeof x, &buffers.a);
    if (!status) status = put(w, sizeof w, &buffers.b);
    if (!status) status = put(offsets, sizeof offsets, &buffers.offsets);
    if (!status) status = kz_memory_alloc(device, sizeof y, &buffers.c, &error);
    if (!status) status = kz_gemm_explain(device, &problem, why, sizeof why, &error);
    if (!status) status = kz_gemm_open(device, &problem, NULL, &gemm, &error);
    uint64_t bytes = kz_operation_workspace(gemm);
    if (!status && bytes) status = kz_memory_alloc(device, bytes, &workspace, &error);
    if (!status) status = kz_gemm_run(gemm, NULL, &buffers, workspace, bytes, &error);
    if (!status) status = kz_copy_to_host(device, NULL, y, buffers.c, sizeof y, &error);
    if (!status) status = kz_device_synchronize(device, &error);
    if (!status)
        printf("row 69 is %g, row 70 is %g, by %s/%s\n%s\n", (double)widen(y[69 * OUT]),
               (double)widen(y[70 * OUT]), kz_operation_family(gemm), kz_operation_variant(gemm), why);
    kz_operation_close(gemm);
    return status;
}

int main(int argc, char **argv) {
    for (int i = 0; i < ROWS * IN; i++) x[i] = bf16(1);
    for (int i = 0; i < EXPERTS * OUT * IN; i++) w[i] = bf16((float)(i / (OUT * IN) + 1)); // 1, 2 and 3
    kz_status status = kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error);
    if (!status) status = multiply();
    if (status) fprintf(stderr, "%s\n", error.message);
    if (device) kz_device_close(device);
    return status != KZ_OK;
}
