// A kernel of your own: loads its PTX, asks what parameters it takes, and launches it on the best device
// there is, or on the one named: ./kernel sim
//
//     cc kernel.c -o kernel $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/kz.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

// extern "C" __global__ void scale(float *x, float factor, unsigned n) {
//     unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < n) x[i] *= factor;
// }
// as `nvcc -ptx` compiles it.
static const char ptx[] = ".version 7.0\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .entry scale(.param .u64 x, .param .f32 factor, .param .u32 n) {\n"
                          "    .reg .pred %p; .reg .f32 %f<3>; .reg .b32 %r<5>; .reg .b64 %rd<4>;\n"
                          "    mov.u32 %r0, %ctaid.x;\n"
                          "    mov.u32 %r1, %ntid.x;\n"
                          "    mov.u32 %r2, %tid.x;\n"
                          "    mad.lo.s32 %r3, %r0, %r1, %r2;\n"
                          "    ld.param.u32 %r4, [n];\n"
                          "    setp.ge.u32 %p, %r3, %r4;\n"
                          "    @%p bra done;\n"
                          "    ld.param.u64 %rd0, [x];\n"
                          "    mul.wide.u32 %rd1, %r3, 4;\n"
                          "    add.s64 %rd2, %rd0, %rd1;\n"
                          "    ld.global.f32 %f0, [%rd2];\n"
                          "    ld.param.f32 %f1, [factor];\n"
                          "    mul.f32 %f2, %f0, %f1;\n"
                          "    st.global.f32 [%rd2], %f2;\n"
                          "done:\n"
                          "    ret;\n"
                          "}\n";

int main(int argc, char **argv) {
    enum { N = 1000 };
    kz_error error = {0};
    kz_device *device = NULL;
    kz_module *module = NULL;
    kz_kernel *scale;
    kz_ptr x = 0;
    float numbers[N], factor = 2;
    unsigned n = N;
    int code = 1;
    for (int i = 0; i < N; i++) numbers[i] = (float)i;

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    kz_image image = {.size = sizeof image, .name = "scale.ptx", .ptx = ptx, .ptx_size = sizeof ptx - 1};
    CHECK(kz_module_load(device, &image, &module, &error));
    CHECK(kz_module_kernel(module, "scale", &scale, &error));

    kz_kernel_info info = {.size = sizeof info};
    CHECK(kz_kernel_get_info(scale, &info, &error));
    for (int i = 0; i < info.param_count; i++) {
        size_t offset, bytes;
        CHECK(kz_kernel_get_param(scale, (size_t)i, &offset, &bytes, &error));
        printf("parameter %d: %zu bytes at %zu\n", i, bytes, offset);
    }

    CHECK(kz_memory_alloc(device, sizeof numbers, &x, &error));
    CHECK(kz_copy_to_device(device, NULL, x, numbers, sizeof numbers, &error));
    kz_launch launch = {.size = sizeof launch, .grid = {(N + 255) / 256, 1, 1}, .block = {256, 1, 1}};
    const void *args[] = {&x, &factor, &n};
    CHECK(kz_launch_kernel(device, NULL, scale, &launch, args, 3, &error));
    CHECK(kz_copy_to_host(device, NULL, numbers, x, sizeof numbers, &error));
    CHECK(kz_device_synchronize(device, &error));
    printf("%d times 2 is %g\n", N - 1, (double)numbers[N - 1]);
    code = 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    kz_memory_free(device, x, NULL);
    kz_module_close(module);
    kz_device_close(device);
    return code;
}
