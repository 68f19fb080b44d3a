// The simulator as a device: limits from gpus/, modules, launches, streams, graphs, counters, printf.

#include <stdlib.h>

#include "base/base.h"
#include "device/plan.h"
#include "device/test_device.h"
#include "unit.h"

// add_f32(const float *a, const float *b, float *out, unsigned n): 19 instructions on the way without the
// branch. bump(): every thread adds 1 to `counter`, then all meet at a barrier; at most 64 threads, 128 bytes
// shared. say(unsigned x): every thread prints "x=<x>\n".
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 values);\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".global .align 1 .b8 text[6] = {120, 61, 37, 117, 10, 0};\n"
    ".visible .entry add_f32(.param .u64 a, .param .u64 b, .param .u64 out, .param .u32 n) {\n"
    "    .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<11>;\n"
    "    ld.param.u64 %rd1, [a];\n    ld.param.u64 %rd2, [b];\n    ld.param.u64 %rd3, [out];\n"
    "    ld.param.u32 %r2, [n];\n    mov.u32 %r3, %ctaid.x;\n    mov.u32 %r4, %ntid.x;\n"
    "    mov.u32 %r5, %tid.x;\n    mad.lo.s32 %r1, %r3, %r4, %r5;\n    setp.ge.u32 %p1, %r1, %r2;\n"
    "    @%p1 bra done;\n    mul.wide.u32 %rd5, %r1, 4;\n    add.s64 %rd6, %rd1, %rd5;\n"
    "    add.s64 %rd8, %rd2, %rd5;\n    ld.global.f32 %f1, [%rd8];\n    ld.global.f32 %f2, [%rd6];\n"
    "    add.f32 %f3, %f2, %f1;\n    add.s64 %rd10, %rd3, %rd5;\n    st.global.f32 [%rd10], %f3;\n"
    "done:\n    ret;\n}\n"
    ".visible .entry bump() .maxntid 64, 1, 1 {\n"
    "    .reg .b32 %r<3>; .reg .b64 %rd<2>; .shared .align 4 .b8 tile[128];\n"
    "    mov.u64 %rd1, counter;\n    atom.global.add.u32 %r1, [%rd1], 1;\n"
    "    mov.u32 %r2, tile;\n    st.shared.u32 [%r2], %r1;\n    bar.sync 0;\n    ret;\n}\n"
    ".visible .entry say(.param .u32 x) {\n"
    "    .local .align 8 .b8 depot[8]; .reg .b64 %rd<5>; .reg .b32 %r<4>;\n"
    "    ld.param.u32 %r1, [x];\n    mov.u64 %rd1, depot;\n    cvta.local.u64 %rd2, %rd1;\n"
    "    st.local.u32 [%rd1], %r1;\n    mov.u64 %rd3, text;\n    cvta.global.u64 %rd4, %rd3;\n    {\n"
    "    .param .b64 p0; .param .b64 p1; .param .b32 r0;\n"
    "    st.param.b64 [p0], %rd4;\n    st.param.b64 [p1], %rd2;\n    call.uni (r0), vprintf, (p0, p1);\n"
    "    ld.param.b32 %r2, [r0];\n    }\n    ret;\n}\n";
static const kz_image image = {
    .size = sizeof(kz_image), .name = "test.ptx", .ptx = ptx, .ptx_size = sizeof ptx - 1};

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    setenv("KZ_LIBCUDA", "/nowhere/libcuda.so.1", 1); // a real GPU has no part in this
    unsetenv("KZ_GPU");
    GOOD(kz_device_open("sim:h200", &f->device, trouble));
    GOOD(kz_module_load(f->device, &image, &f->module, trouble));
    return 0;
}

// ---- which GPU ---------------------------------------------------------------------------------------

static void expect_open(const char *id, const char *opens, int sm) {
    kz_device *device;
    GOOD(kz_device_open(id, &device, trouble));
    const kz_device_info *info = kz_device_get_info(device);
    assert_string_equal(info->id, opens);
    assert_int_equal(info->sm, sm);
    kz_device_close(device);
}

static void which_gpu(void **state) {
    expect_open("sim", "sim:h200", 90);
    expect_open("sim:t4", "sim:t4", 75);
    expect_open(NULL, "sim:h200", 90); // the best there is without a GPU
    setenv("KZ_GPU", "a100", 1);
    expect_open("sim", "sim:a100", 80);
    expect_open("sim:t4", "sim:t4", 75);
    setenv("KZ_GPU", "voodoo2", 1);
    kz_device *device;
    kz_error error = {0};
    assert_int_equal(kz_device_open("sim", &device, &error), KZ_NO_DEVICE);
    assert_has(error.message, "voodoo2");
    assert_has(error.message, "KZ_GPU");
    assert_int_equal(kz_device_open("sim:", &device, &error), KZ_NO_DEVICE);
    assert_int_equal(kz_device_open("sim:/nowhere/my.gpu", &device, &error), KZ_NO_DEVICE);
    assert_has(error.message, "/nowhere/my.gpu");
    setenv("KZ_SEED", "abc", 1); // nobody is to search a schedule that is never drawn
    assert_int_equal(kz_device_open("sim:t4", &device, &error), KZ_INVALID);
    assert_has(error.message, "KZ_SEED is \"abc\"");
    unsetenv("KZ_SEED");
}

static void info(void **state) {
    fixture *f = *state;
    const kz_device_info *i = kz_device_get_info(f->device);
    assert_int_equal(i->kind, KZ_DEVICE_SIM);
    assert_string_equal(i->name, "simulated NVIDIA H200");
    assert_string_equal(i->gpu, "h200");
    assert_int_equal(i->multiprocessors, 132);
    assert_false(i->has_clock);
    assert_true(i->has_memory_guards);
    kz_device_info cpu[16] = {{.size = sizeof cpu[0]}};
    size_t count;
    GOOD(kz_device_list(cpu, 16, &count, trouble));
    assert_true(i->memory_bytes > 0 &&
                i->memory_bytes <= 2 * cpu[count - 1].memory_bytes); // the host's at most
}

static void memory_is_what_the_host_can_back(void **state) {
    fixture *f = *state;
    size_t available;
    kz_ptr address;
    kz_error error = {0};
    GOOD(kz_memory_available(f->device, &available, trouble));
    assert_true(available <= kz_device_get_info(f->device)->memory_bytes);
    kz_device *fresh = NULL; // has all that it says, whatever others take or give back meanwhile
    size_t all;
    GOOD(kz_device_open("sim:h200", &fresh, trouble));
    GOOD(kz_memory_available(fresh, &all, trouble));
    assert_int_equal(all, kz_device_get_info(fresh)->memory_bytes);
    kz_device_close(fresh);
    assert_int_equal(kz_memory_alloc(f->device, available + (1 << 20), &address, &error), KZ_NO_MEMORY);
    assert_has(error.message, "sim:h200 has no room for");
    assert_has(error.message, "smaller case");
    GOOD(kz_memory_alloc(f->device, 4096, &address, trouble));
    GOOD(kz_memory_free(f->device, address, trouble));
    assert_int_not_equal(kz_memory_free(f->device, address, &error), KZ_OK);
}

// ---- modules -------------------------------------------------------------------------------------------

static void modules(void **state) {
    fixture *f = *state;
    kz_error error = {0};
    kz_module *module;
    kz_kernel *kernel;
    kz_kernel_info kernel_info = {.size = sizeof kernel_info};
    GOOD(kz_kernel_get_info(kernel_of(f, "bump"), &kernel_info, trouble));
    assert_int_equal(kernel_info.registers, -1);
    assert_int_equal(kernel_info.static_shared_bytes, 128);
    assert_int_equal(kernel_info.max_threads_per_block, 64);
    assert_int_equal(kz_module_kernel(f->module, "nobody", &kernel, &error), KZ_NOT_FOUND);
    assert_has(error.message, "test.ptx has no kernel nobody");
    assert_has(error.message, "add_f32");
    kz_ptr address;
    size_t bytes;
    uint32_t value;
    GOOD(kz_module_global(f->module, "counter", &address, &bytes, trouble));
    assert_int_equal(bytes, 4);
    GOOD(kz_copy_to_host(f->device, NULL, &value, address, 4, trouble));
    assert_int_equal(value, 5);
    kz_image broken = {.size = sizeof(kz_image), .name = "my.ptx", .ptx = "not ptx at all", .ptx_size = 14};
    assert_int_equal(kz_module_load(f->device, &broken, &module, &error), KZ_SYNTAX);
    assert_has(error.message, "my.ptx");
    broken.ptx_size = SIZE_MAX;
    assert_int_equal(kz_module_load(f->device, &broken, &module, &error), KZ_INVALID);
    assert_has(error.message, "ends after 14 bytes");
    kz_image tight = {.size = sizeof(kz_image), .name = "tight.ptx", .ptx_size = image.ptx_size};
    uint8_t *packed = base_lz4_pack((const uint8_t *)ptx, image.ptx_size, &tight.packed_ptx_size);
    tight.packed_ptx = packed;
    GOOD(kz_module_load(f->device, &tight, &module, trouble));
    GOOD(kz_module_kernel(module, "add_f32", &kernel, trouble));
    kz_module_close(module);
    char *text;
    GOOD(kz_image_ptx(&tight, &text, trouble));
    assert_string_equal(text, ptx);
    free(text);
    tight.packed_ptx_size--;
    assert_int_equal(kz_module_load(f->device, &tight, &module, &error), KZ_INTERNAL);
    assert_has(error.message, "the packed code of tight.ptx is damaged");
    tight.ptx_size = SIZE_MAX;
    assert_int_equal(kz_module_load(f->device, &tight, &module, &error), KZ_NO_MEMORY);
    free(packed);
    kz_image none = {.size = sizeof(kz_image), .name = "nothing"};
    assert_int_equal(kz_module_load(f->device, &none, &module, &error), KZ_UNSUPPORTED);
    const char *newer = ".version 8.0\n.target sm_90a\n.address_size 64\n";
    kz_image hopper = {
        .size = sizeof(kz_image), .name = "hopper.ptx", .ptx = newer, .ptx_size = strlen(newer)};
    GOOD(kz_module_load(f->device, &hopper, &module, trouble));
    kz_module_close(module);
    kz_device *t4;
    GOOD(kz_device_open("sim:t4", &t4, trouble));
    assert_int_equal(kz_module_load(t4, &hopper, &module, &error), KZ_UNSUPPORTED);
    assert_has(error.message, "hopper.ptx is compiled for sm_90a; sim:t4 is sm_75");
    kz_device_close(t4);
}

// ---- launches ------------------------------------------------------------------------------------------

enum { N = 1000 };

typedef struct addition {
    kz_ptr a, b, out;
    uint32_t n;
    float host_a[N], host_b[N];
} addition;

static void prepare(fixture *f, addition *sum) {
    sum->n = N;
    for (int i = 0; i < N; i++) sum->host_a[i] = (float)i, sum->host_b[i] = 0.25f;
    GOOD(kz_memory_alloc(f->device, 4 * N, &sum->a, trouble));
    GOOD(kz_memory_alloc(f->device, 4 * N, &sum->b, trouble));
    GOOD(kz_memory_alloc(f->device, 4 * N, &sum->out, trouble));
    GOOD(kz_copy_to_device(f->device, NULL, sum->a, sum->host_a, 4 * N, trouble));
    GOOD(kz_copy_to_device(f->device, NULL, sum->b, sum->host_b, 4 * N, trouble));
    GOOD(kz_memory_fill(f->device, NULL, sum->out, 0xff, 4 * N, trouble));
}

static const kz_launch four_blocks = {.size = sizeof(kz_launch), .grid = {4, 1, 1}, .block = {256, 1, 1}};

static kz_status launch_add(fixture *f, kz_stream *stream, const addition *sum, kz_error *error) {
    const void *args[] = {&sum->a, &sum->b, &sum->out, &sum->n};
    return kz_launch_kernel(f->device, stream, kernel_of(f, "add_f32"), &four_blocks, args, 4, error);
}

static void expect_sum(fixture *f, const addition *sum) {
    float out[N];
    GOOD(kz_copy_to_host(f->device, NULL, out, sum->out, 4 * N, trouble));
    GOOD(kz_device_synchronize(f->device, trouble));
    for (int i = 0; i < N; i++) assert_true(out[i] == (float)i + 0.25f);
}

static void drop(fixture *f, addition *sum) {
    GOOD(kz_memory_free(f->device, sum->a, trouble));
    GOOD(kz_memory_free(f->device, sum->b, trouble));
    GOOD(kz_memory_free(f->device, sum->out, trouble));
}

static void runs(void **state) {
    fixture *f = *state;
    addition sum;
    for (unsigned threads = 0; threads < 3; threads++) {
        GOOD(kz_device_set_threads(f->device, threads, trouble));
        prepare(f, &sum);
        GOOD(launch_add(f, NULL, &sum, trouble));
        expect_sum(f, &sum);
        drop(f, &sum);
    }
}

static void limits(void **state) {
    fixture *f = *state;
    kz_error error = {0};
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {65, 1, 1}};
    assert_int_equal(kz_launch_kernel(f->device, NULL, kernel_of(f, "bump"), &launch, NULL, 0, &error),
                     KZ_LIMIT);
    assert_has(error.message, "this kernel allows 64");
    launch.block[0] = 1, launch.dynamic_shared_bytes = 227 * 1024;
    assert_int_equal(kz_launch_kernel(f->device, NULL, kernel_of(f, "bump"), &launch, NULL, 0, &error),
                     KZ_LIMIT);
    assert_int_equal(
        kz_launch_kernel(f->device, NULL, kernel_of(f, "add_f32"), &four_blocks, NULL, 0, &error),
        KZ_INVALID);
    assert_has(error.message, "0 arguments: it takes 4");
}

static void out_of_bounds_stops_and_the_device_lives(void **state) {
    fixture *f = *state;
    addition sum;
    kz_error error = {0};
    prepare(f, &sum);
    sum.n = 1024; // 24 past the end of every buffer
    assert_int_equal(launch_add(f, NULL, &sum, &error), KZ_FAULT);
    sum.n = N;
    GOOD(launch_add(f, NULL, &sum, trouble));
    expect_sum(f, &sum);
    drop(f, &sum);
}

static void graphs(void **state) {
    fixture *f = *state;
    addition sum;
    kz_stream *stream;
    kz_graph *graph;
    float out[2];
    prepare(f, &sum);
    GOOD(kz_stream_open(f->device, &stream, trouble));
    GOOD(kz_graph_begin(f->device, stream, trouble));
    GOOD(launch_add(f, stream, &sum, trouble));
    GOOD(kz_graph_end(f->device, stream, &graph, trouble));
    GOOD(kz_copy_to_host(f->device, NULL, out, sum.out, 8, trouble));
    assert_true(out[0] != out[0]); // still filled with NaN
    addition wiped = sum;
    memset(&sum, 0, sizeof sum); // the graph has its own arguments
    GOOD(kz_graph_launch(f->device, graph, stream, trouble));
    expect_sum(f, &wiped);
    kz_graph_close(graph);
    kz_stream_close(stream);
    drop(f, &wiped);
}

static void no_clock(void **state) {
    fixture *f = *state;
    kz_event *from, *to;
    double seconds;
    kz_error error = {0};
    GOOD(kz_event_open(f->device, &from, trouble));
    GOOD(kz_event_open(f->device, &to, trouble));
    GOOD(kz_event_record(f->device, from, NULL, trouble));
    GOOD(kz_event_record(f->device, to, NULL, trouble));
    GOOD(kz_event_synchronize(f->device, to, trouble));
    assert_int_equal(kz_event_elapsed(f->device, from, to, &seconds, &error), KZ_UNSUPPORTED);
    assert_has(error.message, "no clock");
    kz_event_close(from);
    kz_event_close(to);
}

// ---- parameters, foreign streams, registered memory ---------------------------------------------------

static void parameters(void **state) {
    fixture *f = *state;
    kz_kernel *add = kernel_of(f, "add_f32");
    kz_kernel_info about = {.size = sizeof about};
    GOOD(kz_kernel_get_info(add, &about, trouble));
    assert_int_equal(about.param_count, 4);
    for (size_t i = 0; i < 4; i++) {
        size_t offset, bytes;
        GOOD(kz_kernel_get_param(add, i, &offset, &bytes, trouble));
        assert_int_equal(offset, 8 * i);
        assert_int_equal(bytes, i < 3 ? 8 : 4);
    }
    GOOD(kz_kernel_get_param(add, 0, NULL, NULL, trouble));
    kz_error error = {0};
    assert_int_equal(kz_kernel_get_param(add, 4, NULL, NULL, &error), KZ_INVALID);
    assert_has(error.message, "add_f32 has no parameter 4: it takes 4, counted from 0");
    assert_int_equal(kz_kernel_get_param(kernel_of(f, "bump"), 0, NULL, NULL, &error), KZ_INVALID);
}

static void foreign_streams(void **state) {
    fixture *f = *state;
    kz_stream *stream = (kz_stream *)f;
    kz_error error = {0};
    assert_int_equal(kz_stream_wrap(f->device, f, &stream, &error), KZ_UNSUPPORTED);
    assert_has(error.message, "sim:h200 has no streams but its own");
    assert_has(error.message, "kz_stream_open");
    assert_null(stream);
}

static void registered_memory(void **state) {
    fixture *f = *state;
    static char memory[256], back[256];
    kz_ptr there;
    kz_error error = {0};
    memset(memory, 7, sizeof memory);
    GOOD(kz_memory_register(f->device, memory, sizeof memory, trouble));
    assert_int_equal(kz_memory_register(f->device, memory + 255, 1, &error), KZ_INVALID);
    assert_has(error.message, "overlap 256 bytes");
    GOOD(kz_memory_alloc(f->device, sizeof memory, &there, trouble));
    GOOD(kz_copy_to_device(f->device, NULL, there, memory, sizeof memory, trouble));
    GOOD(kz_copy_to_host(f->device, NULL, back, there, sizeof back, trouble));
    assert_memory_equal(back, memory, sizeof back);
    GOOD(kz_memory_free(f->device, there, trouble));
    assert_int_equal(kz_memory_unregister(f->device, memory + 1, &error), KZ_INVALID);
    assert_has(error.message, "an address inside a buffer");
    GOOD(kz_memory_unregister(f->device, memory, trouble));
    assert_int_equal(kz_memory_unregister(f->device, memory, &error), KZ_INVALID);
    GOOD(kz_memory_register(f->device, memory, 0, trouble)); // nothing
    GOOD(kz_memory_register(f->device, memory, 1, trouble)); // the device's close ends it
}

// ---- counters and printf -------------------------------------------------------------------------------

static void counters(void **state) {
    fixture *f = *state;
    addition sum;
    kz_counters c = {.size = sizeof c}, again = c;
    prepare(f, &sum);
    GOOD(kz_counters_read(f->device, &c, false, trouble));
    assert_false(c.valid); // nobody asked
    GOOD(kz_counters_enable(f->device, true, trouble));
    GOOD(launch_add(f, NULL, &sum, trouble));
    GOOD(kz_counters_read(f->device, &c, true, trouble));
    assert_true(c.valid);
    assert_int_equal(c.launches, 1);
    assert_int_equal(c.blocks, 4);
    assert_int_equal(c.warps, 32);
    assert_int_equal(c.global_requests, 3 * 32);
    assert_int_equal(c.global_sectors, 3 * 125); // 4000 bytes each
    assert_int_equal(c.global_ideal_sectors, 3 * 125);
    assert_int_equal(c.shared_requests, 0);
    // 19 instructions for the 1000 that add, 11 for the other 24 threads; the last warp issues both ways.
    assert_int_equal(c.thread_instructions, 19 * 1000 + 11 * 24);
    assert_true(c.warp_instructions >= 19 * 32 && c.warp_instructions <= 19 * 32 + 1);

    for (unsigned threads = 1; threads < 4; threads++) { // the same for any number of host threads
        GOOD(kz_device_set_threads(f->device, threads, trouble));
        GOOD(launch_add(f, NULL, &sum, trouble));
        GOOD(kz_counters_read(f->device, &again, true, trouble));
        assert_memory_equal(&again, &c, sizeof c);
    }
    GOOD(kz_counters_enable(f->device, false, trouble));
    GOOD(launch_add(f, NULL, &sum, trouble));
    GOOD(kz_counters_read(f->device, &again, true, trouble));
    assert_int_equal(again.launches + again.warp_instructions, 0);
    drop(f, &sum);
}

static void counters_of_atomics_and_barriers(void **state) {
    fixture *f = *state;
    kz_counters c = {.size = sizeof c};
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {3, 1, 1}, .block = {64, 1, 1}};
    GOOD(kz_counters_enable(f->device, true, trouble));
    GOOD(kz_launch_kernel(f->device, NULL, kernel_of(f, "bump"), &launch, NULL, 0, trouble));
    GOOD(kz_counters_read(f->device, &c, true, trouble));
    assert_int_equal(c.atomic_requests, 6);
    assert_int_equal(c.atomic_lane_conflicts, 6 * 31);
    assert_int_equal(c.barriers, 6);
    assert_int_equal(c.shared_requests, 6);
    assert_int_equal(c.shared_wavefronts, 6);
    kz_ptr address;
    uint32_t value;
    GOOD(kz_module_global(f->module, "counter", &address, NULL, trouble));
    GOOD(kz_copy_to_host(f->device, NULL, &value, address, 4, trouble));
    assert_int_equal(value, 5 + 3 * 64);
}

static void collect(void *context, const char *text, size_t length) {
    base_text_add_bytes(context, text, length);
}

static void device_printf(void **state) {
    fixture *f = *state;
    uint32_t x = 42;
    const void *args[] = {&x};
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {2, 1, 1}};
    GOOD(kz_launch_kernel(f->device, NULL, kernel_of(f, "say"), &launch, args, 1, trouble)); // dropped
    base_text text = {0};
    GOOD(kz_device_set_print(f->device, collect, &text, trouble));
    GOOD(kz_launch_kernel(f->device, NULL, kernel_of(f, "say"), &launch, args, 1, trouble));
    assert_string_equal(text.data, "x=42\nx=42\n");
    base_text_free(&text);
}

// ---- tensor maps ---------------------------------------------------------------------------------------

static void tensor_maps(void **state) {
    const fixture *f = *state;
    kz_device *other;
    kz_error error = {0};
    _Alignas(KZ_TENSOR_MAP_ALIGN) uint8_t map[KZ_TENSOR_MAP_BYTES];
    kz_tensor tensor = {.size = sizeof tensor,
                        .type = KZ_TENSOR_F16,
                        .rank = 2,
                        .address = 4096,
                        .dims = {64, 8},
                        .strides = {0, 128},
                        .box = {16, 4}};
    GOOD(kz_tensor_map_encode(f->device, &tensor, map, trouble));
    assert_int_equal(kz_tensor_map_encode(f->device, &tensor, map + 8, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "multiple of 64"));
    tensor.box[0] = 5;
    assert_int_equal(kz_tensor_map_encode(f->device, &tensor, map, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "multiple of 16"));
    tensor.size = 8;
    assert_int_equal(kz_tensor_map_encode(f->device, &tensor, map, &error), KZ_INVALID);
    tensor.size = sizeof tensor;
    GOOD(kz_device_open("sim:t4", &other, trouble));
    assert_int_equal(kz_tensor_map_encode(other, &tensor, map, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "sm_90"));
    kz_device_close(other);
    GOOD(kz_device_open("cpu", &other, trouble));
    assert_int_equal(kz_tensor_map_encode(other, &tensor, map, &error), KZ_UNSUPPORTED);
    kz_device_close(other);
}

// ---- modules with the code of several families -----------------------------------------------------------

#define HEAD        ".version 7.0\n.target sm_75\n.address_size 64\n"
#define EMPTY(name) ".visible .entry " name "() { ret; }\n"
#define PART(its, text)                                                                                      \
    { .size = sizeof(kz_image), .name = its, .ptx = HEAD text, .ptx_size = sizeof(HEAD text) - 1 }
static const kz_image toys[] = {PART("toy/01_one", EMPTY("toy_one_go") EMPTY("toy_pad")),
                                PART("toy/02_two", EMPTY("toy_two_go") EMPTY("toy_pad")),
                                PART("toy/03_two_wide", EMPTY("toy_two_wide_go"))};
static const kz_image pets[] = {PART("pet/01_own", EMPTY("pet_own_go"))};
static const kz_image_set toy_code = {toys, 3}, pet_code = {pets, 1};
static const kz_image_set *const both[] = {&toy_code, &pet_code, NULL};

static const char *module_of(kz_module *module, const char *its_image, const char *name) {
    kz_kernel *kernel = NULL;
    GOOD(device_module_kernel(module, its_image, name, &kernel, trouble));
    return kernel->module->name;
}

static void a_module_has_the_kernels_of_others(void **state) {
    fixture *f = *state;
    kz_module *module;
    kz_kernel *kernel;
    kz_image own = pets[0];
    kz_error error = {0};
    own.others = both;
    GOOD(kz_module_load(f->device, &own, &module, trouble));
    assert_string_equal(module_of(module, NULL, "pet_own_go"), "pet/01_own");
    assert_null(module->parts); // its own code is not loaded a second time
    assert_string_equal(module_of(module, NULL, "toy_one_go"), "toy/01_one");
    assert_string_equal(module_of(module, NULL, "toy_two_wide_go"), "toy/03_two_wide"); // not 02_two's
    // A kernel that several images have, whose name says none of them.
    assert_string_equal(module_of(module, toys[1].name, "toy_pad"), "toy/02_two");
    assert_string_equal(module_of(module, toys[0].name, "toy_pad"), "toy/01_one");
    assert_int_equal(kz_module_kernel(module, "toy_pad", &kernel, &error), KZ_NOT_FOUND);
    assert_int_equal(kz_module_kernel(module, "toy_one_stay", &kernel, &error), KZ_NOT_FOUND);
    assert_has(error.message, "toy/01_one has no kernel toy_one_stay");
    assert_int_equal(device_module_kernel(module, "zoo/01_far", "zoo_far_go", &kernel, &error), KZ_NOT_FOUND);
    assert_has(error.message, "zoo_far_go is of zoo/01_far, whose code pet/01_own has not");
    size_t count = 0;
    for (const kz_module *part = module->parts; part; part = part->next_part) count++;
    assert_int_equal(count, 3); // each once

    kz_plan plan = {.step_count = 2};
    for (int i = 0; i < 2; i++)
        plan.steps[i] =
            (kz_step){.kind = KZ_STEP_LAUNCH,
                      .entry = "toy_pad",
                      .image = toys[i].name,
                      .launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}}};
    GOOD(device_plan_load(module, &plan, trouble));
    GOOD(kz_plan_run(f->device, NULL, module, &plan, NULL, 0, 0, trouble));
    GOOD(kz_plan_run(f->device, NULL, f->module, &(kz_plan){0}, NULL, 0, 0, trouble));
    // A module without any others says whose kernel it lacks.
    assert_int_equal(kz_plan_run(f->device, NULL, f->module, &plan, NULL, 0, 0, &error), KZ_NOT_FOUND);
    assert_has(error.message, "toy_pad is of toy/01_one, whose code test.ptx has not");
    kz_module_close(module);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(which_gpu),
        TEST(info),
        TEST(memory_is_what_the_host_can_back),
        TEST(modules),
        TEST(runs),
        TEST(limits),
        TEST(out_of_bounds_stops_and_the_device_lives),
        TEST(graphs),
        TEST(no_clock),
        TEST(counters),
        TEST(counters_of_atomics_and_barriers),
        TEST(device_printf),
        TEST(parameters),
        TEST(foreign_streams),
        TEST(registered_memory),
        TEST(tensor_maps),
        TEST(a_module_has_the_kernels_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
