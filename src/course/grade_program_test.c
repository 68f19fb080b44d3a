// Form program: a host function on the simulator's runtime library: results, findings, CUDA errors, ends, and gates on
// what the host asked for.
#include "grade_fixture.h"

#include "base/emulated_fixture.h"

#define HEAD                                                                                                 \
    "kind = \"cuda\"\nform = \"program\"\ntitle = \"t\"\nlevel = 1\nminutes = 1\nteaches = \"x\"\n"          \
    "skills = [\"indexing\"]\nsignature = \"twice(const float *x, float *y, int n)\"\n[buffers]\nx = "       \
    "\"n\"\ny = \"n\"\n"                                                                                     \
    "[reference]\ny = \"2 * x[i]\"\n[limits]\nseconds = 10\n[[case]]\nn = [1, 300]\n"                        \
    "[[gate]]\nmetric = \"launches\"\nmax = 1\nn = 1000\nwhy = \"One launch does.\"\n"                       \
    "[[gate]]\nmetric = \"overlap\"\nmax = 0\nn = 1000\nwhy = \"Nothing can overlap here.\"\n"               \
    "[[gate]]\nmetric = \"copied_bytes\"\nmax = \"8*n\"\nn = 1000\nwhy = \"In once, out once.\"\n"           \
    "[[gate]]\nmetric = \"synchronisations\"\nmax = 0\nn = 1000\nwhy = \"The copies wait.\"\n"

#define KERNEL                                                                                               \
    "__global__ void work(const float *x, float *y, int n) {\n"                                              \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"                   \
    "extern \"C\" void twice(const float *x, float *y, int n) {\n  float *a, *b;\n  size_t bytes = n * "     \
    "sizeof(float);\n"
#define ALLOCATE "  cudaMalloc(&a, bytes);\n  cudaMalloc(&b, bytes);\n"
#define COPY_IN  "  cudaMemcpy(a, x, bytes, cudaMemcpyHostToDevice);\n"
#define LAUNCH   "  work<<<(n + 255) / 256, 256>>>(a, b, n);\n"
#define COPY_OUT "  cudaMemcpy(y, b, bytes, cudaMemcpyDeviceToHost);\n"
#define FREE     "  cudaFree(a);\n  cudaFree(b);\n"

static const char solution[] = KERNEL ALLOCATE COPY_IN LAUNCH COPY_OUT FREE "}\n";

static void test_results(void **state) {
    fixture f = open_task(HEAD, "cu", solution);
    expect_pass(&f, solution);
    assert_true(row(&f, "copied_bytes")->value == 8000);
    expect_fail(
        &f, KERNEL ALLOCATE COPY_IN LAUNCH "  cudaMemcpy(y, a, bytes, cudaMemcpyDeviceToHost);\n" FREE "}\n",
        COURSE_WRONG, NULL, "wrong on n=1");
    expect_fail(&f, KERNEL ALLOCATE COPY_IN LAUNCH COPY_IN COPY_OUT FREE "}\n", COURSE_GATE_MISSED,
                "copied_bytes", "In once, out once.");
    close_task(&f);
}

static void test_findings(void **state) {
    fixture f = open_task(HEAD, "cu", solution);
    expect_fail(&f, KERNEL ALLOCATE COPY_IN LAUNCH COPY_OUT "  cudaFree(a);\n}\n", COURSE_FINDING, "leak",
                "memory that was never freed");
    expect_fail(
        &f, KERNEL ALLOCATE COPY_IN "  work<<<(n + 255) / 256, 256>>>(a, b, n + 100);\n" COPY_OUT FREE "}\n",
        COURSE_FAULT, "out-of-bounds", "tried.cu:3");
    expect_fail(&f, KERNEL ALLOCATE COPY_IN LAUNCH COPY_OUT FREE "  cudaSetDevice(99);\n}\n", COURSE_FINDING,
                "unchecked-error", "CUDA error");
    expect_fail(&f, KERNEL ALLOCATE COPY_IN LAUNCH COPY_OUT FREE "  cudaMemset(0, 0, 4);\n}\n",
                COURSE_FINDING, "invalid-call", "an allocation that failed");
    close_task(&f);
}

static void test_ends(void **state) {
    fixture f = open_task(HEAD, "cu", solution);
    expect_fail(&f, "extern \"C\" void twice(const float *x, float *y, int n) { y[0] = 1 }\n", COURSE_COMPILE,
                NULL, "tried.cu");
    expect_fail(&f, "extern \"C\" void thrice(const float *x, float *y, int n) { y[0] = 1; }\n",
                COURSE_SIGNATURE, NULL, "extern \"C\" void twice(const float *x, float *y, int n)");
    expect_fail(
        &f, "#include <stdlib.h>\nextern \"C\" void twice(const float *x, float *y, int n) { exit(0); }\n",
        COURSE_FAULT, "exit", "instead of returning");
    // What it could not free any more is not what is wrong with it.
    expect_fail(&f, "#include <stdlib.h>\n" KERNEL ALLOCATE COPY_IN "  exit(1);\n}\n", COURSE_FAULT, "exit",
                "exit code 1");
    close_task(&f);
}

// ---- whose work the results are ------------------------------------------------------------------------------------

#define ON_DEVICE                                                                                            \
    "kind = \"cuda\"\nform = \"program\"\ntitle = \"t\"\nlevel = 1\nminutes = 1\nteaches = \"x\"\n"          \
    "skills = [\"indexing\"]\nsignature = \"twice(const float *x, float *y, int *status, int n)\"\n"         \
    "[buffers]\nx = \"n\"\ny = \"n\"\nstatus = 1\n[reference]\ny = \"2 * x[i]\"\nstatus = \"0\"\n"           \
    "[limits]\nseconds = 10\n[[case]]\nn = [1, 384]\n"

// Every way in which data comes to a kernel and results come back, 64 elements by each: managed, mapped, registered and
// constant memory, a variable, a parameter, a texture, a bulk copy, a second kernel.
static const char all_ways[] =
    "#include <string.h>\nenum { PART = 64 };\nstruct part { float v[PART]; };\n"
    "__constant__ float table[PART];\n__device__ float results[PART];\n"
    "__global__ void plain(const float *x, float *y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }\n"
    "__global__ void halves(const float *x, float *y) { y[threadIdx.x] = 0.5f * x[threadIdx.x]; }\n"
    "__global__ void by_table() { results[threadIdx.x] = 2 * table[threadIdx.x]; }\n"
    "__global__ void by_parameter(part p, float *y) { y[threadIdx.x] = 8 * p.v[threadIdx.x]; }\n"
    "__global__ void by_texture(cudaTextureObject_t t, float *y) {\n"
    "  __shared__ __align__(128) float tile[PART];\n"
    "  tile[threadIdx.x] = 2 * tex1Dfetch<float>(t, threadIdx.x);\n"
    "  asm volatile(\"fence.proxy.async;\");\n  __syncthreads();\n  if (threadIdx.x == 0) {\n"
    "    asm volatile(\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\" :: \"l\"(y),\n"
    "                 \"r\"((unsigned)__cvta_generic_to_shared(tile)) : \"memory\");\n"
    "    asm volatile(\"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\" ::: \"memory\");\n  }\n}\n"
    "extern \"C\" void twice(const float *x, float *y, int *status, int n) {\n"
    "  static float own[PART];\n  float *a, *b, *c;\n  size_t bytes = sizeof(part);\n  *status = 0;\n"
    "  if (n < 384) { for (int i = 0; i < n; i++) y[i] = 2 * x[i]; return; }\n"
    "  cudaMallocManaged(&a, bytes);\n  memcpy(a, x, bytes);\n  plain<<<1, PART>>>(a, a);\n"
    "  cudaDeviceSynchronize();\n  memcpy(y, a, bytes);\n  cudaFree(a);\n  x += PART, y += PART;\n"
    "  cudaHostAlloc(&a, bytes, cudaHostAllocMapped);\n  memcpy(a, x, bytes);\n  plain<<<1, PART>>>(a, a);\n"
    "  cudaDeviceSynchronize();\n  memcpy(y, a, bytes);\n  cudaFreeHost(a);\n  x += PART, y += PART;\n"
    "  memcpy(own, x, bytes);\n  cudaHostRegister(own, bytes, cudaHostRegisterMapped);\n"
    "  cudaHostGetDevicePointer((void **)&a, own, 0);\n  plain<<<1, PART>>>(a, a);\n  "
    "cudaDeviceSynchronize();\n"
    "  memcpy(y, own, bytes);\n  cudaHostUnregister(own);\n  x += PART, y += PART;\n"
    "  cudaMemcpyToSymbol(table, x, bytes);\n  by_table<<<1, PART>>>();\n"
    "  cudaMemcpyFromSymbol(y, results, bytes);\n  x += PART, y += PART;\n"
    "  part p;\n  memcpy(&p, x, bytes);\n  cudaMalloc(&a, bytes);\n  cudaMalloc(&b, bytes);\n"
    "  cudaMallocHost(&c, bytes);\n  by_parameter<<<1, PART>>>(p, a);\n  halves<<<1, PART>>>(a, b);\n"
    "  halves<<<1, PART>>>(b, a);\n  cudaMemcpyAsync(c, a, bytes, cudaMemcpyDeviceToHost);\n"
    "  cudaDeviceSynchronize();\n  memcpy(y, c, bytes);\n  x += PART, y += PART;\n"
    "  cudaMemcpy(a, x, bytes, cudaMemcpyHostToDevice);\n  cudaResourceDesc r = {};\n"
    "  r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = a, r.res.linear.sizeInBytes = bytes;\n"
    "  r.res.linear.desc = cudaCreateChannelDesc<float>();\n  cudaTextureDesc d = {};\n"
    "  cudaTextureObject_t t;\n  cudaCreateTextureObject(&t, &r, &d, 0);\n  by_texture<<<1, PART>>>(t, b);\n"
    "  cudaMemcpy(y, b, bytes, cudaMemcpyDeviceToHost);\n  cudaDestroyTextureObject(t);\n"
    "  cudaFree(a), cudaFree(b), cudaFreeHost(c);\n}\n";

static void test_device_work(void **state) {
    // x and y are looked at first. What the task does not leave to the host, a kernel must make.
    fixture f = open_task(ON_DEVICE, "cu", all_ways);
    expect_fail(&f, all_ways, COURSE_FINDING, "device", "kernels wrote 0 of 1 elements of status");
    close_task(&f);
}

// The record needs no disk, and no help of the program's: neither a limit on files nor an early end keeps it back.
static void test_record_needs_no_disk(void **state) {
    fixture f = open_task(HEAD, "cu", solution);
    expect_pass(
        &f, "#include <signal.h>\n#include <sys/resource.h>\n" KERNEL ALLOCATE COPY_IN LAUNCH COPY_OUT FREE
            "  struct rlimit none = {100, 100};\n  setrlimit(RLIMIT_FSIZE, &none);\n"
            "  signal(SIGXFSZ, SIG_IGN);\n}\n");
    expect_fail(&f, "#include <unistd.h>\n" KERNEL ALLOCATE COPY_IN LAUNCH COPY_OUT FREE "  _exit(0);\n}\n",
                COURSE_FAULT, "exit", "instead of returning");
    close_task(&f);
}

int main(void) {
    toolchain tools;
    char folder[TOOLCHAIN_PATH];
    kz_error why = {0};
    // A build with sanitizers has no such library: nvcc's programs could not load one that is instrumented. The test
    // list then says "Skipped", and the release build runs it.
    if (toolchain_find_for_programs(&tools, &why) || toolchain_cudart_folder(folder, &why)) {
        print_message("skipped: %s\n", why.message);
        return 77;
    }
    if (is_emulated()) {
        print_message("skipped: nvcc builds programs for the machine, and they cannot load a library that is "
                      "emulated\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_device_work),
        cmocka_unit_test(test_record_needs_no_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
