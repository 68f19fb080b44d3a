// A plan of your own: y = 2 x in steps over two streams, described once as data and run on any buffers. On the best
// device there is, or on the one named: ./plan sim
//
//     cc plan.c -o plan $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/plan.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

// extern "C" __global__ void axpy(float *y, const float *x, float a, unsigned n) {
//     unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < n) y[i] += a * x[i];
// }
// as `nvcc -ptx` compiles it.
static const char ptx[] =
    ".version 7.0\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry axpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n) {\n"
    "    .reg .pred %p; .reg .f32 %f<4>; .reg .b32 %r<5>; .reg .b64 %rd<5>;\n"
    "    mov.u32 %r0, %ctaid.x;\n"
    "    mov.u32 %r1, %ntid.x;\n"
    "    mov.u32 %r2, %tid.x;\n"
    "    mad.lo.s32 %r3, %r0, %r1, %r2;\n"
    "    ld.param.u32 %r4, [n];\n"
    "    setp.ge.u32 %p, %r3, %r4;\n"
    "    @%p bra done;\n"
    "    ld.param.u64 %rd0, [y];\n"
    "    ld.param.u64 %rd1, [x];\n"
    "    mul.wide.u32 %rd2, %r3, 4;\n"
    "    add.s64 %rd3, %rd0, %rd2;\n"
    "    add.s64 %rd4, %rd1, %rd2;\n"
    "    ld.global.f32 %f0, [%rd3];\n"
    "    ld.global.f32 %f1, [%rd4];\n"
    "    ld.param.f32 %f2, [a];\n"
    "    fma.rn.f32 %f3, %f2, %f1, %f0;\n"
    "    st.global.f32 [%rd3], %f3;\n"
    "done:\n"
    "    ret;\n"
    "}\n";

enum { N = 1000, X = 0, Y = 1, COPIED = 0 };

// Stream 1 copies x into the workspace while the caller's stream, 0, clears a region behind it; then 0 waits for the copy, and
// adds.
static kz_status build(kz_plan *plan, uint64_t bytes, kz_error *error) {
    kz_launch launch = {.size = sizeof launch, .grid = {(N + 255) / 256, 1, 1}, .block = {256, 1, 1}};
    kz_arg sums = kz_plan_add_region(plan, "sums", bytes);
    kz_arg args[] = {sums, kz_arg_workspace(0), kz_arg_f32(2), kz_arg_u64(N)};
    plan->workspace_bytes = bytes; // what is mine to place; regions come behind
    kz_plan_add_copy(plan, 1, kz_arg_workspace(0), kz_arg_buffer(X), bytes);
    kz_plan_add_record(plan, 1, COPIED);
    kz_plan_add_fill(plan, sums, 0, bytes);
    kz_plan_add_wait(plan, 0, COPIED);
    kz_plan_add_kernel(plan, 0, "axpy", &launch, args, 4);
    kz_plan_add_copy(plan, 0, kz_arg_buffer(Y), sums, bytes);
    kz_plan_add_synchronize(plan, 0);
    return kz_plan_place_regions(plan, error);
}

int main(int argc, char **argv) {
    static kz_plan plan; // zeroed: a plan that does nothing
    kz_error error = {0};
    kz_device *device = NULL;
    kz_module *module = NULL;
    kz_ptr buffers[2] = {0}, workspace = 0;
    float numbers[N];
    int code = 1;
    for (int i = 0; i < N; i++) numbers[i] = (float)i;
    CHECK(build(&plan, sizeof numbers, &error));
    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    kz_image image = {.size = sizeof image, .name = "axpy.ptx", .ptx = ptx, .ptx_size = sizeof ptx - 1};
    CHECK(kz_module_load(device, &image, &module, &error));
    for (int i = 0; i < 2; i++) CHECK(kz_memory_alloc(device, sizeof numbers, &buffers[i], &error));
    CHECK(kz_memory_alloc(device, kz_plan_workspace(&plan), &workspace, &error));
    CHECK(kz_copy_to_device(device, NULL, buffers[X], numbers, sizeof numbers, &error));
    CHECK(kz_plan_run(device, NULL, module, &plan, buffers, 2, workspace, &error));
    CHECK(kz_copy_to_host(device, NULL, numbers, buffers[Y], sizeof numbers, &error));
    CHECK(kz_device_synchronize(device, &error));
    printf("%zu steps: %d times 2 is %g\n", kz_plan_step_count(&plan), N - 1, (double)numbers[N - 1]);
    code = 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    kz_memory_free(device, workspace, NULL);
    for (int i = 0; i < 2; i++) kz_memory_free(device, buffers[i], NULL);
    kz_module_close(module);
    kz_device_close(device);
    return code;
}
