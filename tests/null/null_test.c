// NULL for each pointer that a public call takes, the others being good: a call that gives a status refuses it, with what
// to pass instead; no call crashes. Nor does one with a number that cannot be: all bits set, 99, 2^62. calls.def is made from the headers (calls.awk), for every KZ_API function there is.
#include "unit.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "headers.h"

KZ_DECLARE_FAMILY(vector_add);

// Where NULL has a meaning of its own: a pattern for the call, and the parameter.
static const char *const allowed[][2] = {
    {"kz_*", "error"},
    {"kz_*_open*", "variant"}, // the one that the family chooses
    {"kz_plan_add_operation", "variant"},
    {"kz_device_open", "id"}, // the best device
    {"kz_device_set_print", "print"},
    {"kz_device_set_print", "context"},
    {"kz_copy_*", "stream"}, // the default stream, here and below
    {"kz_memory_fill", "stream"},
    {"kz_launch_kernel", "stream"},
    {"kz_stream_synchronize", "stream"},
    {"kz_stream_wait", "stream"},
    {"kz_event_record", "stream"},
    {"kz_graph_launch", "stream"},
    {"kz_*_run*", "stream"},
    {"kz_stream_wrap", "handle"}, // these devices wrap none
    {"kz_memory_unregister", "memory"},
    {"kz_module_global", "address"}, // not wanted, here and below
    {"kz_module_global", "bytes"},
    {"kz_kernel_get_param", "offset"},
    {"kz_kernel_get_param", "bytes"},
    {"kz_plan_run", "module"}, // a plan of fills and copies needs none
    {"kz_plan_refuse", "format"},
    {"kz_fail", "format"},
};

// What a call has to believe, for C has no way to check it: patterns for the device, the call, and the parameter.
static const char *const believed[][3] = {
    {"*", "kz_element_*", "index damaged, ?"}, // of an array whose length is not passed
    {"*", "kz_plan_run", "buffer_count damaged, 2"},
    {"*", "kz_device_list", "capacity damaged, ?"}, // of the caller's array, here and below
    {"*", "kz_plan_add_kernel", "arg_count damaged, ?"},
    {"*", "kz_gemv_pack", "n damaged, ?"},
    {"*", "kz_gemv_pack", "k damaged, ?"},
    {"*", "kz_parameters_*", "tensors damaged, ?"},
    {"*", "kz_gemm_sparse_pack", "m damaged, ?"},
    {"*", "kz_gemm_sparse_pack", "k damaged, ?"},
    {"cpu", "kz_*_run*", "* damaged, ?"}, // native kernels: no memory guards, an address is the process's own
};

// ---- good arguments -----------------------------------------------------------------------------------

static void print_nothing(void *context, const char *text, size_t length) {}

// What the calls are made with, new for each.
static struct {
    kz_device *device;
    kz_module *module;
    kz_kernel *kernel;
    kz_stream *stream;
    kz_event *event;
    kz_graph *graph;
    kz_operation *operation;
    const kz_variant *variant;
    kz_case c;
    kz_image image;
    kz_plan plan;
    kz_ptr address;
    kz_error error;
    // What calls fill.
    kz_device *new_device;
    kz_module *new_module;
    kz_stream *new_stream;
    kz_event *new_event;
    kz_graph *new_graph;
    kz_operation *new_operation;
    char *new_text;
    kz_device_info info;
    kz_counters counters;
    kz_kernel_info kernel_info;
    _Alignas(16) char memory[sizeof(kz_plan)];
} its;

static kz_ptr good_address(void) { return its.address; }

// A pointer of the type; what is not listed is memory that holds zeros.
static void *good(const char *type) {
    static const kz_launch launch = {.size = sizeof launch, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    static const kz_plan_launch plan_launch = {.blocks = 1, .threads = 1};
    static kz_planner planner;
    planner = (kz_planner){&kz_family_vector_add,          its.variant,           &its.c,
                           kz_device_get_info(its.device), (kz_plan *)its.memory, &its.error};
    const struct {
        const char *type;
        const void *pointer;
    } rows[] = {
        {"kz_device *", its.device},
        {"const kz_device *", its.device},
        {"const kz_device_info *", kz_device_get_info(its.device)},
        {"kz_module *", its.module},
        {"kz_kernel *", its.kernel},
        {"kz_stream *", its.stream},
        {"const kz_stream *", its.stream},
        {"kz_event *", its.event},
        {"kz_graph *", its.graph},
        {"kz_operation *", its.operation},
        {"const kz_operation *", its.operation},
        {"const kz_family *", &kz_family_vector_add},
        {"const struct kz_family *", &kz_family_vector_add},
        {"const kz_variant *", its.variant},
        {"const kz_case *", &its.c},
        {"const struct kz_case *", &its.c},
        {"const kz_image *", &its.image},
        {"const kz_launch *", &launch},
        {"const kz_plan_launch *", &plan_launch},
        {"const kz_planner *", &planner},
        {"const kz_plan *", &its.plan},
        {"const char *", "vector_add"},
        {"kz_error *", &its.error},
        {"kz_print", (const void *)(uintptr_t)print_nothing},
        {"kz_device **", &its.new_device},
        {"kz_module **", &its.new_module},
        {"kz_stream **", &its.new_stream},
        {"kz_event **", &its.new_event},
        {"kz_graph **", &its.new_graph},
        {"kz_operation **", &its.new_operation},
        {"char **", &its.new_text},
        {"kz_device_info *", &its.info},
        {"kz_counters *", &its.counters},
        {"kz_kernel_info *", &its.kernel_info},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (strcmp(rows[i].type, type) == 0) return (void *)(uintptr_t)rows[i].pointer;
    return its.memory;
}

#define GOOD(call) assert_int_equal(call, KZ_OK)

enum { DEVICES = 2 };
static const char *const device_ids[DEVICES] = {"sim", "cpu"};
static kz_device *devices[DEVICES]; // of all tests: one that is simulated reserves gigabytes of addresses

static int open_devices(void **state) {
    for (size_t d = 0; d < DEVICES; d++) GOOD(kz_device_open(device_ids[d], &devices[d], NULL));
    return 0;
}

static int close_devices(void **state) {
    for (size_t d = 0; d < DEVICES; d++) kz_device_close(devices[d]);
    return 0;
}

static int set_up(void **state) {
    const kz_family *family = &kz_family_vector_add;
    memset(&its, 0, sizeof its);
    its.c = (kz_case){.type = KZ_F32, .axes = {8}};
    its.info.size = sizeof its.info;
    its.counters.size = sizeof its.counters;
    its.kernel_info.size = sizeof its.kernel_info;
    its.device = *(kz_device **)*state;
    const kz_device_info *info = kz_device_get_info(its.device);
    its.variant = kz_choose(family, &its.c, info, false, NULL);
    GOOD(kz_variant_plan(family, its.variant, &its.c, info, &its.plan, NULL));
    GOOD(kz_variant_image(family, its.variant, &its.image, NULL));
    GOOD(kz_module_load(its.device, &its.image, &its.module, NULL));
    GOOD(kz_module_kernel(its.module, its.plan.steps[0].entry, &its.kernel, NULL));
    GOOD(kz_stream_open(its.device, &its.stream, NULL));
    GOOD(kz_event_open(its.device, &its.event, NULL));
    GOOD(kz_graph_begin(its.device, its.stream, NULL));
    GOOD(kz_graph_end(its.device, its.stream, &its.graph, NULL));
    GOOD(kz_operation_open_family(its.device, family, &its.c, NULL, &its.operation, NULL));
    GOOD(kz_memory_alloc(its.device, 4096, &its.address, NULL));
    return 0;
}

static int tear_down(void **state) {
    free(its.new_text);
    kz_operation_close(its.new_operation);
    kz_graph_close(its.new_graph);
    kz_event_close(its.new_event);
    kz_stream_close(its.new_stream);
    kz_module_close(its.new_module);
    kz_device_close(its.new_device);
    kz_memory_free(its.device, its.address, NULL);
    kz_operation_close(its.operation);
    kz_graph_close(its.graph);
    kz_event_close(its.event);
    kz_stream_close(its.stream);
    kz_module_close(its.module);
    return 0;
}

// ---- the calls ----------------------------------------------------------------------------------------

static void *volatile nothing; // NULL, and the compiler cannot tell

static bool is_allowed(const char *function, const char *parameter) {
    for (size_t i = 0; i < BASE_COUNT(allowed); i++)
        if (fnmatch(allowed[i][0], function, 0) == 0 && strcmp(allowed[i][1], parameter) == 0) return true;
    return false;
}

static bool is_believed(const char *device, const char *function, const char *what) {
    for (size_t i = 0; i < BASE_COUNT(believed); i++)
        if (fnmatch(believed[i][0], device, 0) == 0 && fnmatch(believed[i][1], function, 0) == 0 &&
            fnmatch(believed[i][2], what, 0) == 0)
            return true;
    return false;
}

// A planner, which is what the error would be in, can be missing.
static void check(const char *function, const char *parameter, kz_status status) {
    if (is_allowed(function, parameter)) return;
    if (status != KZ_INVALID)
        fail_msg("%s: NULL for %s gives %s", function, parameter, kz_status_name(status));
    if (strcmp(parameter, "p") == 0) return;
    assert_has(its.error.message, "NULL");
    assert_has(its.error.message, "\n"); // what to do
}

#define REFUSES(function, parameter, call)                                                                   \
    static void function##_without_##parameter(void **state) { check(#function, #parameter, call); }
#define SURVIVES(function, parameter, call)                                                                  \
    static void function##_without_##parameter(void **state) { call; }
#define DAMAGED(function, parameter, value, call)                                                            \
    static void function##_with_##parameter##_##value(void **state) { call; }
#include "calls.def"
#undef REFUSES
#undef SURVIVES
#undef DAMAGED

#define REFUSES(function, parameter, call) {#function, #parameter " NULL", function##_without_##parameter},
#define SURVIVES                           REFUSES
#define DAMAGED(function, parameter, value, call)                                                            \
    {#function, #parameter " damaged, " #value, function##_with_##parameter##_##value},
static const struct {
    const char *function, *parameter;
    void (*test)(void **state);
} calls[] = {
#include "calls.def"
};
#undef REFUSES
#undef SURVIVES
#undef DAMAGED

static void calls_were_found(void **state) { assert_true(BASE_COUNT(calls) > 800); }

static void bad_ranges_are_not_registered(void **state) {
    kz_error error = {0};
    assert_int_equal(kz_memory_register(its.device, (void *)16, SIZE_MAX, &error), KZ_INVALID);
    assert_has(error.message, "not all memory of this process");
    assert_int_equal(kz_memory_register(its.device, (void *)16, 64, &error), KZ_INVALID);
    assert_int_equal(kz_memory_register(its.device, its.memory, SIZE_MAX, &error), KZ_INVALID);
    GOOD(kz_memory_register(its.device, its.memory, sizeof its.memory, &error));
    GOOD(kz_memory_unregister(its.device, its.memory, &error));
}

static void a_hint_fits_its_argument(void **state) {
    kz_operation *operation;
    kz_error error = {0};
    assert_int_equal(
        kz_operation_open_family(its.device, &kz_family_vector_add, NULL, NULL, &operation, &error),
        KZ_INVALID);
    assert_has(error.message, "the case is NULL\nfill a kz_case");
    assert_int_equal(kz_operation_open_family(NULL, &kz_family_vector_add, &its.c, NULL, &operation, &error),
                     KZ_INVALID);
    assert_has(error.message, "the device is NULL\nkz_device_open");
}

int main(void) {
    enum { CALLS = BASE_COUNT(calls), OTHERS = 2 };
    static struct CMUnitTest tests[DEVICES * (CALLS + OTHERS) + 1];
    static char names[DEVICES * CALLS][128];
    size_t count = 0;
    for (size_t d = 0; d < DEVICES; d++) {
        void *device = &devices[d];
        for (size_t i = 0; i < CALLS; i++) {
            if (is_believed(device_ids[d], calls[i].function, calls[i].parameter)) continue;
            char *name = names[d * CALLS + i];
            snprintf(name, sizeof names[0], "%s: %s, %s", device_ids[d], calls[i].function,
                     calls[i].parameter);
            tests[count++] = (struct CMUnitTest){name, calls[i].test, set_up, tear_down, device};
        }
        tests[count++] =
            (struct CMUnitTest){"bad ranges", bad_ranges_are_not_registered, set_up, tear_down, device};
        tests[count++] = (struct CMUnitTest){"hints", a_hint_fits_its_argument, set_up, tear_down, device};
    }
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(calls_were_found);
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
