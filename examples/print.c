// Device printf and a module's variable: a kernel adds to `total` and prints; the simulator passes the text on, and a
// copy on the device saves the variable. ./print sim, or without a word on the best device there is.
//
//     cc print.c -o print $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/kz.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

// __device__ unsigned total;
// extern "C" __global__ void add(unsigned n) { printf("total was %u\n", atomicAdd(&total, n)); }
// as `nvcc -ptx` compiles it: vprintf takes the format and a struct of the values.
static const char ptx[] =
    ".version 7.0\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);\n"
    ".visible .global .align 4 .u32 total;\n"
    ".global .align 1 .b8 text[14] = {116,111,116,97,108,32,119,97,115,32,37,117,10,0};\n"
    ".visible .entry add(.param .u32 n) {\n"
    "    .local .align 8 .b8 values[8];\n"
    "    .reg .b32 %r<3>; .reg .b64 %rd<5>;\n"
    "    ld.param.u32 %r0, [n];\n"
    "    mov.u64 %rd0, total;\n"
    "    cvta.global.u64 %rd1, %rd0;\n"
    "    atom.add.u32 %r1, [%rd1], %r0;\n"
    "    mov.u64 %rd2, values;\n"
    "    st.local.u32 [%rd2], %r1;\n"
    "    cvta.local.u64 %rd2, %rd2;\n"
    "    mov.u64 %rd3, text;\n"
    "    cvta.global.u64 %rd4, %rd3;\n"
    "    {\n"
    "        .param .b64 format; st.param.b64 [format], %rd4;\n"
    "        .param .b64 list; st.param.b64 [list], %rd2;\n"
    "        .param .b32 result;\n"
    "        call.uni (result), vprintf, (format, list);\n"
    "        ld.param.b32 %r2, [result];\n"
    "    }\n"
    "    ret;\n"
    "}\n";

static void print(void *context, const char *text, size_t length) {
    printf("%s says: %.*s", (const char *)context, (int)length, text);
}

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_module *module = NULL;
    kz_kernel *add;
    kz_ptr total, saved = 0;
    size_t bytes;
    unsigned n = 21, result = 0;
    int code = 1;

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    char name[] = "the kernel";
    kz_status status = kz_device_set_print(device, print, name, &error);
    if (status != KZ_UNSUPPORTED) CHECK(status); // a GPU's driver prints by itself
    kz_image image = {.size = sizeof image, .name = "add.ptx", .ptx = ptx, .ptx_size = sizeof ptx - 1};
    CHECK(kz_module_load(device, &image, &module, &error));
    CHECK(kz_module_kernel(module, "add", &add, &error));
    CHECK(kz_module_global(module, "total", &total, &bytes, &error));
    CHECK(kz_memory_alloc(device, bytes, &saved, &error));

    kz_launch launch = {.size = sizeof launch, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    const void *args[] = {&n};
    CHECK(kz_memory_fill(device, NULL, total, 0, bytes, &error));
    for (int i = 0; i < 2; i++) CHECK(kz_launch_kernel(device, NULL, add, &launch, args, 1, &error));
    CHECK(kz_copy_on_device(device, NULL, saved, total, bytes, &error));
    CHECK(kz_copy_to_host(device, NULL, &result, saved, sizeof result, &error));
    CHECK(kz_device_synchronize(device, &error));
    printf("total is %u\n", result);
    code = 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    kz_memory_free(device, saved, NULL);
    kz_module_close(module);
    kz_device_close(device);
    return code;
}
