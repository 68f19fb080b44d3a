// The cuda backend against tests/fake_cuda: modules, launches, streams, events, graphs, and how it fails.

#include <dlfcn.h>
#include <stdlib.h>

#include "base/base.h"
#include "device/context.h"
#include "device/gpus.h"
#include "device/test_cubin.h"
#include "device/test_expect.h"
#include "device/trace.h"
#include "fake_cuda.h"
#include "unit.h"

static fake_cuda_state *fake(void) {
    void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    fake_cuda_state *state = dlsym(library, "fake_cuda_now");
    assert_non_null(state);
    dlclose(library);
    return state;
}

static const char ptx[] = ".version 8.0\n.target sm_75\n";
static const kz_machine_code codes[] = {
    {80, false, "CUBIN 80", 9, 0},
    {89, false, "CUBIN 89", 9, 0},
    {90, false, "CUBIN 90", 9, 0},
};
static const kz_image image = {.size = sizeof(kz_image),
                               .name = "fake/all",
                               .ptx = ptx,
                               .ptx_size = sizeof ptx - 1,
                               .machine_code = codes,
                               .machine_code_count = 3};

static int set_up(void **state) {
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    unsetenv("FAKE_CUDA_FAIL");
    unsetenv("FAKE_CUDA_MEMORY");
    unsetenv("FAKE_CUDA_NAME");
    unsetenv("FAKE_CUDA_DEVICES");
    return 0;
}

static int open_device(void **state) {
    set_up(state);
    return kz_device_open("cuda", (kz_device **)state, NULL);
}

// Everything that was opened is closed again.
static int close_device(void **state) {
    kz_device_close(*state);
    const fake_cuda_state *s = fake();
    assert_int_equal(s->retained, 0);
    return set_up(state);
}

static void expect_nothing_left(void) {
    const fake_cuda_state *s = fake();
    assert_int_equal(s->live_allocations, 0);
    assert_int_equal(s->live_modules, 0);
    assert_int_equal(s->live_streams, 0);
    assert_int_equal(s->live_events, 0);
    assert_int_equal(s->live_graphs, 0);
    assert_int_equal(s->live_execs, 0);
}

// ---- devices ---------------------------------------------------------------------------------------

// The simulated GPUs are listed as gpus/ is.
static void assert_first_simulated(const char *id) {
    device_gpu best;
    assert_true(device_gpu_list(&best, 1) > 0);
    assert_int_equal(strncmp(id, "sim:", 4), 0);
    assert_string_equal(id + 4, best.key);
}

static void listed_first(void **state) {
    kz_device_info infos[64] = {{.size = sizeof infos[0]}};
    size_t count;
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    GOOD(kz_device_list(infos, BASE_COUNT(infos), &count, trouble));
    assert_int_equal(count, 2 + device_gpu_file_count + 1);
    assert_string_equal(infos[0].id, "cuda:0");
    assert_string_equal(infos[1].id, "cuda:1");
    assert_first_simulated(infos[2].id);
    assert_string_equal(infos[count - 1].id, "cpu");
    assert_string_equal(infos[0].gpu, "h200");
    assert_true(infos[0].peak_bytes_per_s == 4.8e12);
    assert_int_equal(infos[0].sm, 90);
    assert_int_equal(infos[0].multiprocessors, 132);
    assert_int_equal(infos[0].shared_per_block_optin, 227 * 1024);
    assert_int_equal(infos[0].l2_bytes, 6291456);
    assert_true(infos[0].has_clock && !infos[0].has_memory_guards);
    size_t whole = count;
    GOOD(kz_device_list(infos, 1, &count, trouble)); // a short list tells how many there are
    assert_int_equal(count, whole);
    GOOD(kz_device_list(NULL, 0, &count, trouble));
    assert_int_equal(count, whole);
}

static void unknown_gpu(void **state) { // peaks from the clocks the driver reports
    kz_device_info info = {.size = sizeof info};
    size_t count;
    setenv("FAKE_CUDA_NAME", "NVIDIA X1000", 1);
    GOOD(kz_device_list(&info, 1, &count, trouble));
    assert_string_equal(info.gpu, "");
    assert_true(info.peak_bytes_per_s > 4.9e12 && info.peak_bytes_per_s < 4.95e12);
    assert_true(info.peak_flops_f32 > 66e12 && info.peak_flops_f32 < 68e12);
}

static void the_best_is_the_gpu(void **state) {
    kz_device *device;
    GOOD(kz_device_open(NULL, &device, trouble));
    assert_string_equal(kz_device_get_info(device)->id, "cuda:0");
    kz_device_close(device);
}

static void expect_absent(const char *id, kz_status status, const char *says) {
    kz_device *device = (kz_device *)1;
    kz_error error = {0};
    assert_int_equal(kz_device_open(id, &device, &error), status);
    assert_null(device);
    assert_has(error.message, says);
    assert_has(error.message, "cpu"); // and what is there
}

static void absent_devices(void **state) {
    expect_absent("cuda:1", KZ_NO_DEVICE, "the driver shows 1 GPU");
    expect_absent("cuda:x", KZ_NO_DEVICE, "'cuda:x'");
    expect_absent("cuda:-1", KZ_NO_DEVICE, "'cuda:-1'");
    expect_absent("cuda:", KZ_NO_DEVICE, "'cuda:'");
    expect_absent("tpu", KZ_NO_DEVICE, "'tpu'");
    setenv("FAKE_CUDA_FAIL", "no_device", 1);
    expect_absent("cuda", KZ_NO_DEVICE, "CUDA_ERROR_NO_DEVICE");
    setenv("FAKE_CUDA_FAIL", "stub", 1);
    expect_absent("cuda", KZ_NO_DEVICE, "LD_LIBRARY_PATH");
    setenv("FAKE_CUDA_FAIL", "init", 1);
    expect_absent("cuda", KZ_DRIVER, "CUDA_ERROR_UNKNOWN");
    unsetenv("FAKE_CUDA_FAIL");
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    expect_absent("cuda", KZ_NO_DEVICE, "the driver shows 0 GPUs");
    setenv("KZ_LIBCUDA", "/nowhere/libcuda.so.1", 1);
    expect_absent("cuda", KZ_NO_DEVICE, "/nowhere/libcuda.so.1");
    kz_device_info info = {.size = sizeof info};
    size_t count;
    GOOD(kz_device_list(&info, 1, &count, trouble)); // no driver is no error here
    assert_first_simulated(info.id);
}

static void not_a_driver(void **state) {
    kz_device *device;
    kz_error error = {0};
    setenv("KZ_LIBCUDA", "libm.so.6", 1);
    assert_int_equal(kz_device_open("cuda", &device, &error), KZ_DRIVER);
    assert_has(error.message, "cuInit");
}

// ---- memory ----------------------------------------------------------------------------------------

static void memory(void **state) {
    kz_device *device = *state;
    kz_ptr a, b;
    uint32_t there[64], back[64] = {0};
    for (uint32_t i = 0; i < 64; i++) there[i] = i * 7;
    GOOD(kz_memory_alloc(device, sizeof there, &a, trouble));
    GOOD(kz_memory_alloc(device, sizeof there, &b, trouble));
    GOOD(kz_copy_to_device(device, NULL, a, there, sizeof there, trouble));
    GOOD(kz_copy_on_device(device, NULL, b, a, sizeof there, trouble));
    GOOD(kz_memory_fill(device, NULL, b, 0xff, 4, trouble));
    GOOD(kz_copy_to_host(device, NULL, back, b, sizeof back, trouble));
    GOOD(kz_device_synchronize(device, trouble));
    assert_int_equal(back[0], 0xffffffff);
    assert_memory_equal(back + 1, there + 1, sizeof there - 4);
    size_t available;
    GOOD(kz_memory_available(device, &available, trouble));
    assert_int_equal(available, ((size_t)150 << 30) - 2 * sizeof there);
    kz_error error = {0};
    assert_int_equal(kz_copy_to_host(device, NULL, back, b, 1000, &error), KZ_INVALID);
    assert_has(error.message, "copying 1000 bytes");
    assert_has(error.message, "cuda:0 (NVIDIA H200)");
    GOOD(kz_memory_free(device, a, trouble));
    GOOD(kz_memory_free(device, b, trouble));
    assert_int_equal(kz_memory_free(device, b, &error), KZ_INVALID); // twice
    GOOD(kz_memory_free(device, 0, trouble));
    GOOD(kz_memory_alloc(device, 0, &a, trouble));
    assert_int_equal(a, 0);
    GOOD(kz_memory_fill(device, NULL, 0, 1, 0, trouble));
    assert_int_equal(kz_memory_fill(device, NULL, 0, 1, 8, &error), KZ_INVALID);
    expect_nothing_left();
}

static void out_of_memory(void **state) {
    kz_device *device = *state;
    setenv("FAKE_CUDA_MEMORY", "1048576", 1);
    kz_ptr address = 5;
    kz_error error = {0};
    assert_int_equal(kz_memory_alloc(device, 3 << 20, &address, &error), KZ_NO_MEMORY);
    assert_int_equal(address, 0);
    assert_has(error.message, "no room for 3 MiB: 1 MiB of its 150 GiB are free");
    assert_has(error.message, "smaller case");
    setenv("FAKE_CUDA_MEMORY", "16777216", 1);
    GOOD(kz_memory_alloc(device, 3 << 20, &address, trouble)); // the device lives on
    GOOD(kz_memory_free(device, address, trouble));
}

// ---- another context ----------------------------------------------------------------------------------

static void another_context_works_and_the_device_goes_on(void **state) {
    kz_device *device = *state;
    kz_ptr address;
    assert_true(device_has_contexts(device));
    assert_int_equal(fake()->live_contexts, 0); // nobody asked
    fake()->order[0] = 0;
    for (int i = 0; i < 2; i++) {
        GOOD(device_switch_context(device, trouble));
        assert_int_equal(fake()->live_contexts, 1); // the same again
        GOOD(kz_memory_alloc(device, 100, &address, trouble));
        GOOD(kz_memory_fill(device, NULL, address, 1, 100, trouble)); // by the device's own context
        GOOD(kz_memory_free(device, address, trouble));
    }
    assert_string_equal(fake()->order, "xfxf");
    kz_device_close(device);
    assert_int_equal(fake()->live_contexts, 0);
    expect_nothing_left();
    assert_int_equal(kz_device_open("cuda", (kz_device **)state, NULL), KZ_OK); // to be closed again
}

static void without_room_for_another_context(void **state) {
    kz_device *device = *state;
    kz_error error = {0};
    setenv("FAKE_CUDA_FAIL", "context", 1);
    assert_int_equal(device_switch_context(device, &error), KZ_NO_MEMORY);
    assert_has(error.message, "letting another context work on cuda:0");
    setenv("FAKE_CUDA_FAIL", "", 1);
    setenv("FAKE_CUDA_MEMORY", "1024", 1); // for the context, not for its memory
    assert_int_equal(device_switch_context(device, &error), KZ_NO_MEMORY);
    assert_int_equal(fake()->live_contexts, 0);
    unsetenv("FAKE_CUDA_MEMORY");
    GOOD(device_switch_context(device, trouble)); // the device lives on
}

static void devices_without_contexts(void **state) {
    static const char *const ids[] = {"cpu", "sim"};
    for (size_t i = 0; i < BASE_COUNT(ids); i++) {
        kz_device *device;
        kz_error error = {0};
        GOOD(kz_device_open(ids[i], &device, trouble));
        assert_false(device_has_contexts(device));
        assert_int_equal(device_switch_context(device, &error), KZ_UNSUPPORTED);
        assert_has(error.message, "no other to switch to");
        kz_device_close(device);
    }
}

// ---- modules and launches ----------------------------------------------------------------------------

static void code_for_the_gpu(void **state) {
    kz_device *device = *state;
    kz_module *module;
    GOOD(kz_module_load(device, &image, &module, trouble));
    assert_int_equal(fake()->loaded_sm, 90);
    kz_module_close(module);

    kz_image other = image;
    other.machine_code_count = 2; // for sm_80 and sm_89 alone: another generation, so PTX it is
    GOOD(kz_module_load(device, &other, &module, trouble));
    assert_int_equal(fake()->loaded_sm, 0);
    kz_module_close(module);

    const kz_machine_code newer[] = {{91, false, "CUBIN 91", 9, 0}, {90, true, "CUBIN 90", 9, 0}};
    other.machine_code = newer;
    GOOD(kz_module_load(device, &other, &module, trouble)); // sm_90a is the GPU's own
    assert_int_equal(fake()->loaded_sm, 90);
    kz_module_close(module);

    const kz_machine_code strange[] = {{90, false, "CUBIN 99", 9, 0}}; // a format the driver does not know
    other.machine_code = strange;
    other.machine_code_count = 1;
    GOOD(kz_module_load(device, &other, &module, trouble));
    assert_int_equal(fake()->loaded_sm, 0);
    kz_module_close(module);

    size_t size;
    uint8_t *packed = base_lz4_pack((const uint8_t *)"CUBIN 90", 9, &size);
    const kz_machine_code tight[] = {{90, false, packed, 9, size}};
    other.machine_code = tight;
    GOOD(kz_module_load(device, &other, &module, trouble));
    assert_int_equal(fake()->loaded_sm, 90);
    kz_module_close(module);
    free(packed);

    kz_error error = {0};
    other.machine_code = strange;
    other.ptx = NULL;
    assert_int_equal(kz_module_load(device, &other, &module, &error), KZ_INVALID);
    other.machine_code_count = 0;
    assert_int_equal(kz_module_load(device, &other, &module, &error), KZ_UNSUPPORTED);
    assert_has(error.message, "fake/all");
    assert_has(error.message, "sm_90");
    expect_nothing_left();
}

static void bad_ptx(void **state) {
    kz_module *module;
    kz_error error = {0};
    kz_image broken = {
        .size = sizeof(kz_image), .name = "my.cu", .ptx = ".version 8.0\nbroken", .ptx_size = 19};
    assert_int_equal(kz_module_load(*state, &broken, &module, &error), KZ_SYNTAX);
    assert_has(error.message, "my.cu");
    assert_has(error.message, "CUDA_ERROR_INVALID_PTX");
    assert_has(error.message, "ptxas fatal : line 7; unknown thing 'broken'"); // the assembler's own words
    assert_null(module);
}

static void names(void **state) {
    kz_module *module;
    kz_kernel *kernel, *again;
    kz_kernel_info info = {.size = sizeof info};
    kz_error error = {0};
    GOOD(kz_module_load(*state, &image, &module, trouble));
    GOOD(kz_module_kernel(module, "shared_hungry", &kernel, trouble));
    GOOD(kz_module_kernel(module, "shared_hungry", &again, trouble));
    assert_ptr_equal(kernel, again);
    GOOD(kz_kernel_get_info(kernel, &info, trouble));
    assert_int_equal(info.registers, 40);
    assert_int_equal(info.static_shared_bytes, 1024);
    assert_int_equal(info.local_bytes_per_thread, 16);
    assert_int_equal(info.max_threads_per_block, 1024);
    assert_int_equal(kz_module_kernel(module, "nobody", &kernel, &error), KZ_NOT_FOUND);
    assert_has(error.message, "nobody");
    assert_has(error.message, "fake/all");
    kz_ptr address;
    size_t bytes;
    GOOD(kz_module_global(module, "counter", &address, &bytes, trouble));
    assert_int_equal(bytes, 4);
    assert_int_equal(kz_module_global(module, "nobody", &address, &bytes, &error), KZ_NOT_FOUND);
    kz_module_close(module);
}

static kz_kernel *kernel_of(kz_module *module, const char *name) {
    kz_kernel *kernel;
    GOOD(kz_module_kernel(module, name, &kernel, trouble));
    return kernel;
}

// PTX says how many parameters there are; the driver says it of machine code that is none of ptxas's files.
static void parameters(void **state) {
    kz_device *device = *state;
    kz_module *module;
    kz_error error = {0};
    static const char text[] = ".version 8.0\n.entry add_f32(.param .u64 a, .param .u64 b) { ret; }\n";
    kz_image one = {.size = sizeof(kz_image), .name = "one", .ptx = text, .ptx_size = sizeof text - 1};
    const kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    uint64_t value = 0;
    const void *args[] = {&value, &value, &value};
    for (int ptx_too = 1; ptx_too >= 0; ptx_too--) {
        if (!ptx_too) one.ptx = NULL;
        int before = fake()->param_questions;
        GOOD(kz_module_load(device, &one, &module, trouble));
        kz_kernel *kernel = kernel_of(module, "add_f32");
        assert_true((fake()->param_questions == before) == ptx_too);
        assert_int_equal(kz_launch_kernel(device, NULL, kernel, &launch, args, 3, &error), KZ_INVALID);
        assert_has(error.message, ptx_too ? "3 arguments: it takes 2" : "3 arguments: it takes 4");
        kz_module_close(module);
        one.machine_code = codes;
        one.machine_code_count = 3;
    }
    expect_nothing_left();
}

// Loading machine code takes no PTX: what no GPU here would need may be anything, and takes no time to unpack or read.
static void machine_code_alone_is_read(void **state) {
    kz_device *device = *state;
    kz_module *module;
    kz_error error = {0};
    static test_cubin cubin;
    static const uint8_t damaged[] = {0xf0, 0xff};
    test_cubin_make(&cubin, (const char *const[]){"add_f32", "nothing"}, (unsigned[]){2, 0});
    const kz_machine_code code = {90, false, &cubin, sizeof cubin, 0};
    kz_image one = {.size = sizeof(kz_image),
                    .name = "one",
                    .machine_code = &code,
                    .machine_code_count = 1,
                    .ptx_size = 1000,
                    .packed_ptx = damaged,
                    .packed_ptx_size = sizeof damaged};
    const kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    uint64_t value = 0;
    const void *args[] = {&value, &value, &value};
    const fake_cuda_state before = *fake();
    GOOD(kz_module_load(device, &one, &module, trouble));
    assert_int_equal(fake()->loads, before.loads + 1);
    assert_int_equal(fake()->compiled, before.compiled);
    kz_kernel *kernel = kernel_of(module, "add_f32");
    assert_int_equal(fake()->param_questions, before.param_questions); // the machine code's notes say it
    assert_int_equal(kz_launch_kernel(device, NULL, kernel, &launch, args, 3, &error), KZ_INVALID);
    assert_has(error.message, "3 arguments: it takes 2");
    kz_module_close(module);
    one.machine_code_count = 0;
    assert_int_equal(kz_module_load(device, &one, &module, &error), KZ_INTERNAL); // now it is wanted
    assert_has(error.message, "damaged");
    expect_nothing_left();
}

static void launches(void **state) {
    kz_device *device = *state;
    kz_module *module;
    GOOD(kz_module_load(device, &image, &module, trouble));
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {10, 20, 30, 40, 50, 60, 70, 80}, out[8];
    kz_ptr buffers[3];
    for (int i = 0; i < 3; i++) GOOD(kz_memory_alloc(device, sizeof a, &buffers[i], trouble));
    GOOD(kz_copy_to_device(device, NULL, buffers[0], a, sizeof a, trouble));
    GOOD(kz_copy_to_device(device, NULL, buffers[1], b, sizeof b, trouble));
    size_t n = 8;
    const void *args[] = {&buffers[0], &buffers[1], &buffers[2], &n};
    kz_launch launch = {
        .size = sizeof(kz_launch), .grid = {2, 3, 4}, .block = {32, 2, 1}, .dynamic_shared_bytes = 64};
    GOOD(kz_launch_kernel(device, NULL, kernel_of(module, "add_f32"), &launch, args, 4, trouble));
    float factor = 0.5f;
    uint32_t narrow = 8;
    const void *scale_args[] = {&buffers[2], &factor, &narrow};
    kz_launch plain = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {8, 1, 1}};
    GOOD(kz_launch_kernel(device, NULL, kernel_of(module, "scale_f32"), &plain, scale_args, 3, trouble));
    GOOD(kz_copy_to_host(device, NULL, out, buffers[2], sizeof out, trouble));
    GOOD(kz_device_synchronize(device, trouble));
    for (int i = 0; i < 8; i++) assert_true(out[i] == 0.5f * (a[i] + b[i]));
    assert_string_equal(fake()->last.name, "scale_f32");
    assert_int_equal(fake()->last.attribute_count, 0);
    for (int i = 0; i < 3; i++) GOOD(kz_memory_free(device, buffers[i], trouble));
    kz_module_close(module);
    expect_nothing_left();
}

static void launch_attributes(void **state) {
    kz_device *device = *state;
    kz_module *module;
    GOOD(kz_module_load(device, &image, &module, trouble));
    kz_kernel *kernel = kernel_of(module, "shared_hungry");
    kz_launch launch = {.size = sizeof(kz_launch),
                        .grid = {32, 2, 2},
                        .block = {128, 1, 1},
                        .cluster = {16, 1, 1},
                        .cooperative = true,
                        .overlap = true};
    launch.dynamic_shared_bytes = 200 << 10; // more than the 48 KiB that need no asking
    GOOD(kz_launch_kernel(device, NULL, kernel, &launch, NULL, 0, trouble));
    assert_int_equal(fake()->dynamic_shared_allowed, 200 << 10);
    assert_int_equal(fake()->large_clusters_allowed, 1);
    assert_int_equal(fake()->last.attribute_count, 3);
    assert_int_equal(fake()->last.cooperative, 1);
    assert_int_equal(fake()->last.overlap, 1);
    assert_int_equal(fake()->last.cluster[0], 16);
    assert_int_equal(fake()->last.cluster[2], 1);
    assert_int_equal(fake()->last.grid[0], 32);
    assert_int_equal(fake()->last.block[0], 128);
    assert_int_equal(fake()->last.shared_bytes, 200 << 10);
    launch.dynamic_shared_bytes = 100 << 10; // what was allowed stays so
    GOOD(kz_launch_kernel(device, NULL, kernel, &launch, NULL, 0, trouble));
    assert_int_equal(fake()->dynamic_shared_allowed, 200 << 10);
    kz_module_close(module);
}

static void expect_bad_launch(kz_device *device, kz_kernel *kernel, kz_launch launch, kz_status status,
                              const char *says) {
    kz_error error = {0};
    int before = fake()->launches;
    assert_int_equal(kz_launch_kernel(device, NULL, kernel, &launch, NULL, 0, &error), status);
    assert_has(error.message, says);
    assert_int_equal(fake()->launches, before);
}

static void bad_launches(void **state) {
    kz_device *device = *state;
    kz_module *module;
    GOOD(kz_module_load(device, &image, &module, trouble));
    kz_kernel *kernel = kernel_of(module, "shared_hungry"), *few = kernel_of(module, "few_threads");
    const kz_launch good = {.size = sizeof(kz_launch), .grid = {4, 1, 1}, .block = {32, 1, 1}};
    kz_launch bad = good;
    bad.grid[1] = 0;
    expect_bad_launch(device, kernel, bad, KZ_INVALID, "the grid 4 x 0 x 1 is empty");
    bad.grid[1] = 65536;
    expect_bad_launch(device, kernel, bad, KZ_LIMIT, "too large");
    bad = good, bad.block[2] = 0;
    expect_bad_launch(device, kernel, bad, KZ_INVALID, "is empty");
    bad = good, bad.block[0] = 1025;
    expect_bad_launch(device, kernel, bad, KZ_LIMIT, "1024 in all");
    bad = good, bad.block[2] = 65, bad.block[0] = 1;
    expect_bad_launch(device, kernel, bad, KZ_LIMIT, "64 along z");
    bad = good, bad.block[0] = 512;
    expect_bad_launch(device, few, bad, KZ_LIMIT, "this kernel allows 256");
    bad = good, bad.dynamic_shared_bytes = 227 << 10; // 1 KiB of static memory is too much with it
    expect_bad_launch(device, kernel, bad, KZ_LIMIT, "232448 bytes of dynamic and 1024 of static");
    bad = good, bad.cluster[0] = 3, bad.cluster[1] = bad.cluster[2] = 1;
    expect_bad_launch(device, kernel, bad, KZ_INVALID, "does not divide");
    bad.grid[0] = 17, bad.cluster[0] = 17;
    expect_bad_launch(device, kernel, bad, KZ_LIMIT, "16 is the most");
    kz_error error = {0};
    const void *args[] = {&bad};
    assert_int_equal(kz_launch_kernel(device, NULL, kernel, &good, args, 1, &error), KZ_INVALID);
    assert_has(error.message, "1 arguments: it takes 0");
    kz_module_close(module);
}

// ---- streams, events, graphs ----------------------------------------------------------------------------

static void streams_and_events(void **state) {
    kz_device *device = *state;
    kz_stream *one, *two;
    kz_event *from, *to;
    kz_ptr buffer;
    GOOD(kz_stream_open(device, &one, trouble));
    GOOD(kz_stream_open(device, &two, trouble));
    assert_non_null(kz_stream_handle(one));
    assert_null(kz_stream_handle(NULL));
    GOOD(kz_event_open(device, &from, trouble));
    GOOD(kz_event_open(device, &to, trouble));
    GOOD(kz_memory_alloc(device, 64, &buffer, trouble));
    double seconds;
    kz_error error = {0};
    assert_int_equal(kz_event_elapsed(device, from, to, &seconds, &error), KZ_INVALID); // never recorded
    GOOD(kz_event_record(device, from, one, trouble));
    GOOD(kz_memory_fill(device, one, buffer, 1, 64, trouble)); // a quarter of a second each, in the fake
    GOOD(kz_memory_fill(device, one, buffer, 2, 64, trouble));
    GOOD(kz_event_record(device, to, one, trouble));
    GOOD(kz_stream_wait(device, two, to, trouble));
    GOOD(kz_event_synchronize(device, to, trouble));
    GOOD(kz_event_elapsed(device, from, to, &seconds, trouble));
    assert_true(seconds == 0.5);
    GOOD(kz_stream_synchronize(device, one, trouble));
    GOOD(kz_stream_synchronize(device, NULL, trouble));
    kz_event_close(from);
    kz_event_close(to);
    kz_stream_close(one);
    kz_stream_close(two);
    GOOD(kz_memory_free(device, buffer, trouble));
    expect_nothing_left();
}

static void graphs(void **state) {
    kz_device *device = *state;
    kz_module *module;
    kz_stream *stream, *side;
    kz_event *forked, *joined;
    kz_graph *graph;
    kz_ptr x;
    float start[4] = {1, 2, 3, 4}, out[4];
    GOOD(kz_module_load(device, &image, &module, trouble));
    kz_kernel *scale = kernel_of(module, "scale_f32");
    GOOD(kz_stream_open(device, &stream, trouble));
    GOOD(kz_stream_open(device, &side, trouble));
    GOOD(kz_event_open(device, &forked, trouble));
    GOOD(kz_event_open(device, &joined, trouble));
    GOOD(kz_memory_alloc(device, sizeof start, &x, trouble));
    GOOD(kz_copy_to_device(device, NULL, x, start, sizeof start, trouble));

    int before = fake()->launches;
    GOOD(kz_graph_begin(device, stream, trouble));
    assert_int_equal(fake()->capture_mode, 2);
    float factor = 2;
    uint32_t n = 4;
    const void *args[] = {&x, &factor, &n};
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {4, 1, 1}};
    GOOD(kz_launch_kernel(device, stream, scale, &launch, args, 3, trouble));
    factor = 100; // the graph has its own copy
    GOOD(kz_event_record(device, forked, stream, trouble));
    GOOD(kz_stream_wait(device, side, forked, trouble)); // the other stream joins in
    factor = 5;
    GOOD(kz_launch_kernel(device, side, scale, &launch, args, 3, trouble));
    GOOD(kz_event_record(device, joined, side, trouble));
    GOOD(kz_stream_wait(device, stream, joined, trouble));
    assert_int_equal(fake()->launches, before);
    GOOD(kz_graph_end(device, stream, &graph, trouble));
    assert_true(fake()->uploads > 0);
    assert_int_equal(fake()->launches, before); // recorded, not run

    GOOD(kz_graph_launch(device, graph, stream, trouble));
    GOOD(kz_graph_launch(device, graph, stream, trouble));
    GOOD(kz_stream_synchronize(device, stream, trouble));
    assert_int_equal(fake()->launches, before + 4);
    GOOD(kz_copy_to_host(device, NULL, out, x, sizeof out, trouble));
    for (int i = 0; i < 4; i++) assert_true(out[i] == 100 * start[i]);

    kz_error error = {0};
    assert_int_equal(kz_graph_begin(device, NULL, &error), KZ_INVALID);
    assert_has(error.message, "default stream");
    kz_graph *none;
    assert_int_equal(kz_graph_end(device, stream, &none, &error), KZ_INVALID); // nothing is being recorded
    assert_int_equal(kz_event_synchronize(device, forked, &error), KZ_INVALID);
    kz_graph_close(graph);
    kz_event_close(forked);
    kz_event_close(joined);
    kz_stream_close(side);
    kz_stream_close(stream);
    GOOD(kz_memory_free(device, x, trouble));
    kz_module_close(module);
    expect_nothing_left();
}

// Host to device, a kernel, and back, in two streams with an event between; buffers 0 and 1 are the host's.
static kz_plan pipeline(bool graph) {
    float factor = 2;
    uint32_t bits;
    memcpy(&bits, &factor, sizeof bits);
    kz_plan plan = {.workspace_bytes = 16, .step_count = 5, .graph = graph};
    plan.steps[0] = (kz_step){.kind = KZ_STEP_COPY, .stream = 1, .bytes = 16};
    plan.steps[0].args[0].kind = KZ_ARG_WORKSPACE;
    plan.steps[0].args[1] = (kz_arg){.kind = KZ_ARG_BUFFER, .buffer = 0};
    plan.steps[1] = (kz_step){.kind = KZ_STEP_RECORD, .stream = 1, .event = 3};
    plan.steps[2] = (kz_step){.kind = KZ_STEP_WAIT, .stream = 2, .event = 3};
    plan.steps[3] = (kz_step){.kind = KZ_STEP_LAUNCH,
                              .entry = "scale_f32",
                              .stream = 2,
                              .launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {4, 1, 1}},
                              .arg_count = 3,
                              .args = {{.kind = KZ_ARG_WORKSPACE},
                                       {.kind = KZ_ARG_SCALAR, .scalar = bits},
                                       {.kind = KZ_ARG_SCALAR, .scalar = 4}}};
    plan.steps[4] = (kz_step){.kind = KZ_STEP_COPY, .stream = 2, .bytes = 16};
    plan.steps[4].args[0] = (kz_arg){.kind = KZ_ARG_BUFFER, .buffer = 1};
    plan.steps[4].args[1].kind = KZ_ARG_WORKSPACE;
    return plan;
}

static void expect_trace(const device_trace *trace) {
    assert_int_equal(trace->count, 3);
    assert_false(trace->modelled);
    const device_engine engines[] = {DEVICE_ENGINE_TO_DEVICE, DEVICE_ENGINE_COMPUTE, DEVICE_ENGINE_TO_HOST};
    for (size_t i = 0; i < 3; i++) { // 0.25 s each, one after the other
        assert_int_equal(trace->spans[i].engine, engines[i]);
        assert_true(trace->spans[i].start == 0.25 * (double)i &&
                    trace->spans[i].end == 0.25 * (double)(i + 1));
    }
    assert_true(trace->seconds == 0.75);
}

static void host_memory_and_pipelines(void **state) {
    kz_module *module;
    kz_device *device;
    device_trace *trace = malloc(sizeof *trace);
    GOOD(kz_device_open("cuda", &device, trouble)); // its own: what plans open is closed with it
    GOOD(kz_module_load(device, &image, &module, trouble));
    for (int way = 0; way < 4; way++) {
        bool pinned = way % 2, graph = way / 2;
        kz_plan plan = pipeline(graph);
        kz_ptr buffers[2], workspace;
        float x[4] = {1, 2, 3, 4}, y[4];
        for (int i = 0; i < 2; i++) GOOD(kz_memory_alloc_host(device, 16, pinned, &buffers[i], trouble));
        GOOD(kz_memory_alloc(device, 16, &workspace, trouble));
        GOOD(kz_copy_to_device(device, NULL, buffers[0], x, 16, trouble));
        GOOD(kz_memory_fill(device, NULL, buffers[1], 0xff, 16, trouble));
        for (int again = 0; again < 2; again++)
            GOOD(kz_plan_run(device, NULL, module, &plan, buffers, 2, workspace, trouble));
        GOOD(kz_device_synchronize(device, trouble));
        GOOD(kz_copy_to_host(device, NULL, y, buffers[1], 16, trouble));
        for (int i = 0; i < 4; i++) assert_true(y[i] == 2 * x[i]);
        assert_int_equal(fake()->live_execs,
                         graph); // one for both runs on these buffers; older ones are gone
        const device_plan_call call = {device, NULL, module, &plan, buffers, 2, workspace};
        GOOD(device_plan_trace(&call, trace, trouble));
        expect_trace(trace);
        GOOD(kz_copy_on_device(device, NULL, buffers[1], buffers[0], 16, trouble)); // within the host
        GOOD(kz_copy_to_host(device, NULL, y, buffers[1], 16, trouble));
        assert_memory_equal(x, y, 16);
        GOOD(kz_memory_free(device, workspace, trouble));
        for (int i = 0; i < 2; i++) GOOD(kz_memory_free(device, buffers[i], trouble));
    }
    kz_module_close(module);
    kz_device_close(device);
    free(trace);
    expect_nothing_left();
}

// The graph of a plan whose kernel is in a part of the module: what is closed together leaves nothing.
static void graphs_of_parts(void **state) {
    kz_module *module;
    kz_device *device;
    const kz_image_set code = {&image, 1}, *const others[] = {&code, NULL};
    const kz_image whole = {
        .size = sizeof whole, .name = "whole", .ptx = ptx, .ptx_size = sizeof ptx - 1, .others = others};
    GOOD(kz_device_open("cuda", &device, trouble));
    GOOD(kz_module_load(device, &whole, &module, trouble));
    assert_int_equal(fake()->live_modules, 1);
    kz_plan plan = pipeline(true);
    plan.steps[3].image = image.name;
    GOOD(device_plan_load(module, &plan, trouble));
    assert_int_equal(fake()->live_modules, 2); // before anything is recorded
    kz_ptr buffers[2], workspace;
    for (int i = 0; i < 2; i++) GOOD(kz_memory_alloc_host(device, 16, true, &buffers[i], trouble));
    GOOD(kz_memory_alloc(device, 16, &workspace, trouble));
    for (int again = 0; again < 2; again++)
        GOOD(kz_plan_run(device, NULL, module, &plan, buffers, 2, workspace, trouble));
    GOOD(kz_device_synchronize(device, trouble));
    assert_int_equal(fake()->live_execs, 1);
    kz_module_close(module);
    assert_int_equal(fake()->live_execs, 0);
    GOOD(kz_memory_free(device, workspace, trouble));
    for (int i = 0; i < 2; i++) GOOD(kz_memory_free(device, buffers[i], trouble));
    kz_device_close(device);
    expect_nothing_left();
}

// ---- parameters, foreign streams, registered memory ---------------------------------------------------

static void parameters_are_reported(void **state) {
    kz_module *module;
    size_t offset, bytes;
    kz_error error = {0};
    GOOD(kz_module_load(*state, &image, &module, trouble));
    kz_kernel *scale = kernel_of(module, "scale_f32");
    kz_kernel_info about = {.size = sizeof about};
    GOOD(kz_kernel_get_info(scale, &about, trouble));
    assert_int_equal(about.param_count, 3);
    GOOD(kz_kernel_get_param(scale, 1, &offset, &bytes, trouble));
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 4);
    assert_int_equal(kz_kernel_get_param(scale, 3, &offset, &bytes, &error), KZ_INVALID);
    assert_has(error.message, "scale_f32 has no parameter 3");
    kz_module_close(module);
}

static void foreign_streams(void **state) {
    kz_device *device = *state;
    kz_stream *theirs, *ours = NULL;
    kz_ptr at;
    char byte = 0;
    kz_error error = {0};
    GOOD(kz_stream_open(device, &theirs, trouble)); // stands for one that a library made
    GOOD(kz_stream_wrap(device, kz_stream_handle(theirs), &ours, trouble));
    assert_ptr_equal(kz_stream_handle(ours), kz_stream_handle(theirs));
    GOOD(kz_memory_alloc(device, 1, &at, trouble));
    GOOD(kz_memory_fill(device, ours, at, 42, 1, trouble));
    GOOD(kz_copy_to_host(device, ours, &byte, at, 1, trouble));
    GOOD(kz_stream_synchronize(device, ours, trouble));
    assert_int_equal(byte, 42);
    kz_stream_close(ours);
    assert_int_equal(fake()->live_streams, 1); // it is still theirs
    GOOD(kz_memory_fill(device, theirs, at, 43, 1, trouble));
    kz_stream_close(theirs);
    GOOD(kz_memory_free(device, at, trouble));
    assert_int_equal(kz_stream_wrap(device, NULL, &ours, &error), KZ_INVALID);
    assert_has(error.message, "the default stream needs no wrapping");
    assert_int_equal(kz_stream_wrap(device, &error, &ours, &error),
                     KZ_INVALID); // no stream of this context's
    expect_nothing_left();
}

static void registered_memory(void **state) {
    kz_device *device = *state;
    char memory[64];
    kz_error error = {0};
    GOOD(kz_memory_register(device, memory, sizeof memory, trouble));
    assert_int_equal(fake()->live_registrations, 1);
    assert_int_equal(kz_memory_register(device, memory, 1, &error), KZ_INVALID);
    GOOD(kz_memory_unregister(device, memory, trouble));
    assert_int_equal(fake()->live_registrations, 0);
    GOOD(kz_memory_register(device, memory, sizeof memory, trouble));
    kz_device_close(device); // ends it
    assert_int_equal(fake()->live_registrations, 0);
    GOOD(kz_device_open("cuda:0", (kz_device **)state, trouble));
}

// ---- when it breaks -----------------------------------------------------------------------------------

static void a_kernel_faults(void **state) {
    kz_device *device = *state, *fresh;
    kz_module *module;
    kz_stream *stream;
    kz_error error = {0};
    GOOD(kz_module_load(device, &image, &module, trouble));
    GOOD(kz_stream_open(device, &stream, trouble));
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    GOOD(kz_launch_kernel(device, stream, kernel_of(module, "fault"), &launch, NULL, 0, trouble));
    assert_int_equal(kz_stream_synchronize(device, stream, &error), KZ_FAULT);
    assert_has(error.message, "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_has(error.message, "an illegal memory access was encountered");
    assert_has(error.message, "launched last was fault");
    assert_has(error.message, "--device sim");
    kz_ptr address;
    assert_int_equal(kz_memory_alloc(device, 16, &address, &error), KZ_FAULT); // from now on
    assert_has(error.message, "stopped earlier");
    assert_has(error.message, "CUDA_ERROR_ILLEGAL_ADDRESS");
    kz_stream_close(stream);
    kz_module_close(module);
    int resets = fake()->resets;
    kz_device_close(device);
    assert_int_equal(fake()->resets, resets + 1);
    GOOD(kz_device_open("cuda:0", &fresh, trouble)); // a new context
    GOOD(kz_memory_alloc(fresh, 16, &address, trouble));
    GOOD(kz_memory_free(fresh, address, trouble));
    *state = fresh;
}

static void the_gpu_vanishes(void **state) {
    kz_device *device = *state;
    kz_error error = {0};
    setenv("FAKE_CUDA_FAIL", "lost", 1);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_LOST);
    assert_has(error.message, "waiting for the GPU on cuda:0");
    assert_has(error.message, "CUDA_ERROR_NO_DEVICE");
    size_t bytes;
    assert_int_equal(kz_memory_available(device, &bytes, &error), KZ_LOST);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_LOST); // nobody need listen
}

static void no_counters_here(void **state) {
    kz_error error = {0};
    kz_counters counters = {.size = sizeof counters, .valid = true};
    assert_int_equal(kz_counters_enable(*state, true, &error), KZ_UNSUPPORTED);
    assert_has(error.message, "--device sim");
    GOOD(kz_counters_enable(*state, false, trouble));
    GOOD(kz_counters_read(*state, &counters, true, trouble));
    assert_false(counters.valid);
    assert_int_equal(kz_device_set_print(*state, NULL, NULL, &error), KZ_UNSUPPORTED);
    assert_int_equal(kz_device_set_threads(*state, 1, &error), KZ_UNSUPPORTED);
}

// ---- tensor maps -----------------------------------------------------------------------------------

// The rules are checked before the driver is asked; what it writes is the map.
static void tensor_maps(void **state) {
    kz_device *device;
    kz_error error = {0};
    _Alignas(KZ_TENSOR_MAP_ALIGN) uint64_t map[KZ_TENSOR_MAP_BYTES / 8] = {0};
    kz_tensor tensor = {.size = sizeof tensor,
                        .type = KZ_TENSOR_F16,
                        .rank = 2,
                        .address = 4096,
                        .dims = {64, 8},
                        .strides = {0, 128},
                        .box = {16, 4}};
    GOOD(kz_device_open("cuda", &device, trouble));
    GOOD(kz_tensor_map_encode(device, &tensor, map, trouble));
    assert_int_equal(map[0], 4096);
    assert_int_equal(map[1], 2);
    assert_int_equal(map[2], 8 + 4 + 1);
    assert_int_equal(map[3], 128);
    tensor = (kz_tensor){.size = sizeof tensor,
                         .type = KZ_TENSOR_F16,
                         .rank = 3,
                         .address = 4096,
                         .dims = {64, 8, 2},
                         .strides = {0, 128, 1024},
                         .im2col = true,
                         .channels = 16,
                         .pixels = 5};
    GOOD(kz_tensor_map_encode(device, &tensor, map, trouble));
    assert_int_equal(map[2], 16 + 5 + 1 + 2);
    tensor.pixels = 2000;
    assert_int_equal(kz_tensor_map_encode(device, &tensor, map, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "pixelsPerColumn is 2000"));
    kz_device_close(device);
}

int main(void) {
#define ALONE(test) cmocka_unit_test_setup_teardown(test, set_up, set_up)
#define OPEN(test)  cmocka_unit_test_setup_teardown(test, open_device, close_device)
    const struct CMUnitTest tests[] = {
        ALONE(listed_first),
        ALONE(unknown_gpu),
        ALONE(the_best_is_the_gpu),
        ALONE(absent_devices),
        ALONE(not_a_driver),
        ALONE(tensor_maps),
        OPEN(memory),
        OPEN(out_of_memory),
        OPEN(another_context_works_and_the_device_goes_on),
        OPEN(without_room_for_another_context),
        ALONE(devices_without_contexts),
        OPEN(code_for_the_gpu),
        OPEN(bad_ptx),
        OPEN(names),
        OPEN(launches),
        OPEN(launch_attributes),
        OPEN(parameters),
        OPEN(machine_code_alone_is_read),
        OPEN(bad_launches),
        OPEN(streams_and_events),
        OPEN(graphs),
        ALONE(host_memory_and_pipelines),
        ALONE(graphs_of_parts),
        OPEN(a_kernel_faults),
        OPEN(the_gpu_vanishes),
        OPEN(no_counters_here),
        OPEN(parameters_are_reported),
        OPEN(foreign_streams),
        OPEN(registered_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
