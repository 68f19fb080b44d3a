// A libcuda over host memory, so that the cuda backend can be tested without a GPU.
//
// Several threads may call it: one call runs at a time, each thread has its current context.
// Operations run when they are enqueued; a captured stream collects them for graphs. It knows a handful of
// kernels by name (see `kernels`). A module's image is PTX text, or "CUBIN <sm>" for machine code; PTX with
// the word "broken" does not assemble. It is strict where a real driver would merely misbehave: wrong
// context, unknown handles and frees, too much shared memory.
// FAKE_CUDA_FAIL makes it fail: init, no_device, stub, context (no room for another one), lost (the GPU is gone at the next
// synchronisation).
// FAKE_CUDA_STEP is how many seconds an operation takes, FAKE_CUDA_MEMORY the GPU's memory in bytes,
// FAKE_CUDA_NAME its name, FAKE_CUDA_DEVICES how many there are.
#include "fake_cuda.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int CUresult;
typedef uint64_t pointer;
enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    STUB = 34,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    ALREADY_REGISTERED = 712,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_UNMATCHED = 903,
    CAPTURED_EVENT = 907,
    UNKNOWN = 999
};

extern fake_cuda_state fake_cuda_now;
fake_cuda_state fake_cuda_now;
#define STATE fake_cuda_now

static bool started;
static _Thread_local void *current; // context
static int context_object;          // the primary context's handle is its address
static int other_object;            // and that of the one other that there may be
static _Thread_local void *below;   // what was current when that one was made
static CUresult sticky;             // what a faulted context answers
static double clock_seconds;        // moves by a fixed amount per operation

static struct fake_stream *all_streams;

// What the context owns goes with it at a reset.
enum { MOST = 256 };
static void *objects[MOST];

static void *own(size_t bytes) {
    for (int i = 0; i < MOST; i++)
        if (!objects[i]) return objects[i] = calloc(1, bytes);
    abort(); // a test that needs more should raise MOST
}
static void disown(void *object) {
    for (int i = 0; i < MOST; i++)
        if (objects[i] == object) objects[i] = NULL;
    free(object);
}
static void disown_all(void) {
    for (int i = 0; i < MOST; i++) free(objects[i]), objects[i] = NULL;
    all_streams = NULL;
    STATE.live_modules = STATE.live_streams = STATE.live_events = 0;
}

static bool fails(const char *how) {
    const char *wanted = getenv("FAKE_CUDA_FAIL");
    return wanted && strcmp(wanted, how) == 0;
}
static size_t number(const char *variable, size_t otherwise) {
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}
static size_t memory_bytes(void) { return number("FAKE_CUDA_MEMORY", (size_t)150 << 30); }

static pthread_mutex_t one_at_a_time = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int hold(void) { return pthread_mutex_lock(&one_at_a_time); }
static void let_go(int *held) { pthread_mutex_unlock(&one_at_a_time); }
// Until the function returns.
#define HOLD() __attribute__((cleanup(let_go), unused)) int held = hold()

static CUresult enter(void) {
    if (!started) return NOT_INITIALIZED;
    if (current != &context_object) return INVALID_CONTEXT;
    return sticky;
}
// What the other context may do too.
static CUresult enter_any(void) { return current == &other_object && STATE.live_contexts ? sticky : enter(); }
#define ENTER_BY(who)                                                                                        \
    HOLD();                                                                                                  \
    CUresult entered = who();                                                                                \
    if (entered) return entered
#define ENTER()     ENTER_BY(enter)
#define ENTER_ANY() ENTER_BY(enter_any)

// ---- start, errors, devices ------------------------------------------------------------------------

CUresult cuInit(unsigned flags);
CUresult cuInit(unsigned flags) {
    HOLD();
    if (flags) return INVALID_VALUE;
    if (fails("init")) return UNKNOWN;
    if (fails("stub")) return STUB;
    if (fails("no_device")) return NO_DEVICE;
    started = true;
    return OK;
}

CUresult cuDriverGetVersion(int *version);
CUresult cuDriverGetVersion(int *version) {
    *version = 13000;
    return OK;
}

static const struct {
    CUresult code;
    const char *name, *text;
} texts[] = {
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static CUresult describe(CUresult code, const char **text, bool name) {
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].code != code) continue;
        *text = name ? texts[i].name : texts[i].text;
        return OK;
    }
    *text = NULL;
    return INVALID_VALUE;
}
CUresult cuGetErrorName(CUresult code, const char **text);
CUresult cuGetErrorName(CUresult code, const char **text) { return describe(code, text, true); }
CUresult cuGetErrorString(CUresult code, const char **text);
CUresult cuGetErrorString(CUresult code, const char **text) { return describe(code, text, false); }

CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGetCount(int *count) {
    HOLD();
    if (!started) return NOT_INITIALIZED;
    *count = (int)number("FAKE_CUDA_DEVICES", 1);
    return OK;
}
CUresult cuDeviceGet(int *device, int ordinal);
CUresult cuDeviceGet(int *device, int ordinal) {
    if (ordinal < 0 || ordinal >= (int)number("FAKE_CUDA_DEVICES", 1)) return INVALID_DEVICE;
    *device = 40 + ordinal; // not the ordinal, so that nobody takes one for the other
    return OK;
}
CUresult cuDeviceGetName(char *name, int length, int device);
CUresult cuDeviceGetName(char *name, int length, int device) {
    if (device < 40) return INVALID_DEVICE;
    const char *wanted = getenv("FAKE_CUDA_NAME");
    snprintf(name, (size_t)length, "%s", wanted ? wanted : "NVIDIA H200");
    return OK;
}
CUresult cuDeviceTotalMem_v2(size_t *bytes, int device);
CUresult cuDeviceTotalMem_v2(size_t *bytes, int device) {
    if (device < 40) return INVALID_DEVICE;
    *bytes = memory_bytes();
    return OK;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, int device);
CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
    static const int table[][2] = {{1, 1024},     {8, 49152},   {10, 32},      {13, 1980000}, {16, 132},
                                   {36, 3201000}, {37, 6144},   {38, 6291456}, {39, 2048},    {75, 9},
                                   {76, 0},       {81, 233472}, {82, 65536},   {97, 232448},  {106, 32}};
    if (device < 40) return INVALID_DEVICE;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i][0] == attribute) return *value = table[i][1], OK;
    return INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(void **context, int device);
CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
    HOLD();
    if (device < 40) return INVALID_DEVICE;
    STATE.retained++;
    *context = &context_object;
    return OK;
}
CUresult cuDevicePrimaryCtxRelease_v2(int device);
CUresult cuDevicePrimaryCtxRelease_v2(int device) {
    HOLD();
    if (device < 40 || !STATE.retained) return INVALID_CONTEXT;
    STATE.retained--;
    return OK;
}
CUresult cuDevicePrimaryCtxReset_v2(int device);
CUresult cuDevicePrimaryCtxReset_v2(int device) {
    HOLD();
    if (device < 40) return INVALID_DEVICE;
    STATE.resets++;
    disown_all();
    sticky = OK;
    return OK;
}
CUresult cuCtxSetCurrent(void *context);
CUresult cuCtxSetCurrent(void *context) {
    current = context;
    return OK;
}
static CUresult synchronize(void) {
    if (fails("lost")) sticky = NO_DEVICE;
    return enter_any();
}
CUresult cuCtxSynchronize(void);
CUresult cuCtxSynchronize(void) {
    HOLD();
    const struct timespec rest = {.tv_nsec = (long)(STATE.rest * 1e9)};
    if (STATE.rest > 0) nanosleep(&rest, NULL);
    STATE.rest = 0;
    return synchronize();
}

// ---- memory ----------------------------------------------------------------------------------------

static struct {
    char *data;
    size_t bytes;
    int serial;    // its ordinal
    void *context; // whose it is
} allocations[MOST];

// Which allocation an address lies in; 0: none.
static int serial_of(const void *at) {
    for (int i = 0; i < MOST; i++) {
        const char *from = allocations[i].data;
        if (from && (const char *)at >= from && (const char *)at < from + allocations[i].bytes)
            return allocations[i].serial;
    }
    return 0;
}

// Memory of another context is none.
static bool holds(pointer at, size_t bytes) {
    for (int i = 0; i < MOST; i++) {
        pointer from = (pointer)(uintptr_t)allocations[i].data;
        if (allocations[i].context != current) continue;
        if (from && at >= from && bytes <= allocations[i].bytes && at - from <= allocations[i].bytes - bytes)
            return true;
    }
    return false;
}
CUresult cuMemGetInfo_v2(size_t *available, size_t *total);
CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
    ENTER();
    *total = memory_bytes();
    *available = *total > STATE.live_bytes ? *total - STATE.live_bytes : 0;
    return OK;
}
CUresult cuMemAlloc_v2(pointer *address, size_t bytes);
CUresult cuMemAlloc_v2(pointer *address, size_t bytes) {
    ENTER_ANY();
    if (!bytes) return INVALID_VALUE;
    if (bytes > memory_bytes() - STATE.live_bytes) return OUT_OF_MEMORY;
    for (int i = 0; i < MOST; i++) {
        if (allocations[i].data) continue;
        allocations[i].data = malloc(bytes);
        if (!allocations[i].data) return OUT_OF_MEMORY;
        memset(allocations[i].data, 0xab, bytes);
        allocations[i].bytes = bytes;
        allocations[i].context = current;
        static int serials;
        allocations[i].serial = ++serials;
        STATE.live_allocations++;
        STATE.live_bytes += bytes;
        *address = (pointer)(uintptr_t)allocations[i].data;
        return OK;
    }
    return OUT_OF_MEMORY;
}
CUresult cuMemFree_v2(pointer address);
static void free_at(int i) {
    free(allocations[i].data);
    STATE.live_allocations--;
    STATE.live_bytes -= allocations[i].bytes;
    allocations[i].data = NULL;
}
CUresult cuMemFree_v2(pointer address) {
    ENTER();
    for (int i = 0; i < MOST; i++)
        if (address && (pointer)(uintptr_t)allocations[i].data == address) return free_at(i), OK;
    return INVALID_VALUE;
}

// One other context at a time; its memory goes with it.
CUresult cuCtxCreate_v2(void **context, unsigned flags, int device);
CUresult cuCtxCreate_v2(void **context, unsigned flags, int device) {
    HOLD();
    if (device < 40 || flags || STATE.live_contexts) return INVALID_VALUE;
    if (fails("context")) return OUT_OF_MEMORY;
    STATE.live_contexts++;
    below = current;
    *context = current = &other_object;
    return OK;
}
CUresult cuCtxPopCurrent_v2(void **context);
CUresult cuCtxPopCurrent_v2(void **context) {
    *context = current;
    current = below;
    below = NULL;
    return OK;
}
CUresult cuCtxDestroy_v2(void *context);
CUresult cuCtxDestroy_v2(void *context) {
    HOLD();
    if (context != &other_object || !STATE.live_contexts) return INVALID_CONTEXT;
    STATE.live_contexts--;
    for (int i = 0; i < MOST; i++)
        if (allocations[i].data && allocations[i].context == context) free_at(i);
    return OK;
}

// A handle names the allocation; the fake has one process, so what a real driver maps elsewhere is the memory itself.
typedef struct handle {
    char bytes[64];
} handle;
CUresult cuIpcGetMemHandle(handle *made, pointer address);
CUresult cuIpcGetMemHandle(handle *made, pointer address) {
    ENTER();
    for (int i = 0; i < MOST; i++) {
        if (!address || (pointer)(uintptr_t)allocations[i].data != address) continue;
        memset(made->bytes, 0x5e, sizeof made->bytes);
        memcpy(made->bytes, &address, sizeof address);
        return OK;
    }
    return INVALID_VALUE;
}
CUresult cuIpcOpenMemHandle_v2(pointer *address, handle given, unsigned flags);
CUresult cuIpcOpenMemHandle_v2(pointer *address, handle given, unsigned flags) {
    ENTER();
    if (flags != 1 || given.bytes[63] != 0x5e) return INVALID_HANDLE;
    memcpy(address, given.bytes, sizeof *address);
    STATE.live_imports++;
    return OK;
}
CUresult cuIpcCloseMemHandle(pointer address);
CUresult cuIpcCloseMemHandle(pointer address) {
    ENTER();
    if (!address || !STATE.live_imports) return INVALID_VALUE;
    STATE.live_imports--;
    return OK;
}

// ---- modules and functions ---------------------------------------------------------------------------

typedef struct fake_module {
    int sm;
    uint32_t global; // the variable `counter`
} fake_module;

static void add(void *const *p,
                const fake_cuda_launch *launch) { // (float *a, float *b, float *out, size_t n)
    const float *a = *(float *const *)p[0], *b = *(float *const *)p[1];
    float *out = *(float *const *)p[2];
    for (size_t i = 0; i < *(const size_t *)p[3]; i++) out[i] = a[i] + b[i];
}
static void add_small(void *const *p, const fake_cuda_launch *launch) { // forgets the last of many
    float *out = *(float *const *)p[2];
    size_t n = *(const size_t *)p[3];
    add(p, launch);
    if (n >= 1 << 20) out[n - 1] = 0;
}
static void scale(void *const *p, const fake_cuda_launch *launch) { // (float *x, float factor, uint32_t n)
    float *x = *(float *const *)p[0];
    for (uint32_t i = 0; i < *(const uint32_t *)p[2]; i++) x[i] *= *(const float *)p[1];
}
static void copy16(void *const *p, const fake_cuda_launch *launch) { // (void *to, void *from, size_t pieces)
    memcpy(*(void *const *)p[0], *(void *const *)p[1], 16 * *(const size_t *)p[2]);
}
static void nothing(void *const *p, const fake_cuda_launch *launch) {}
// Kernels of kz microbench: (char *data, uint32_t *values, uint64_t *cycles, uint64_t n, uint32_t turns, a, b). The
// words of the data are multiples of one number; each does what all its threads would leave.
enum { MICRO_WORD = 0x9e3779b1 };
static void micro_write(void *const *p, const fake_cuda_launch *launch) {
    uint32_t *words = *(uint32_t *const *)p[0], turns = *(const uint32_t *)p[4];
    uint32_t add = *(const uint32_t *)p[5] + turns - 1;
    for (uint64_t i = 0; turns && i < 4 * *(const uint64_t *)p[3]; i++)
        words[i] = (uint32_t)i * MICRO_WORD + add;
}
static void micro_copy(void *const *p, const fake_cuda_launch *launch) {
    size_t bytes = 16 * *(const uint64_t *)p[3];
    char *data = *(char *const *)p[0];
    memcpy(data + bytes, data, bytes);
}
static void micro_read(void *const *p, const fake_cuda_launch *launch) {
    const uint32_t *words = *(uint32_t *const *)p[0];
    uint32_t *values = *(uint32_t *const *)p[1], sum = 0;
    for (uint64_t i = 0; i < 4 * *(const uint64_t *)p[3]; i++) sum += words[i];
    values[0] += sum * *(const uint32_t *)p[4];
}
static void micro_clock(void *const *p, const fake_cuda_launch *launch) { // at 2 GHz
    uint64_t *cycles = *(uint64_t *const *)p[2];
    cycles[1] = *(const uint64_t *)p[3];
    cycles[0] = 2 * cycles[1];
}
static void work(void *const *p,
                 const fake_cuda_launch *launch) { // (float *x, size_t n, unsigned rounds, a, b)
    float *x = *(float *const *)p[0], sum = (float)*(const unsigned *)p[2] * *(const float *)p[4]; // a is 1
    for (size_t i = 0; i < *(const size_t *)p[1]; i++) x[i] += sum;
}
static void digest(void *const *p, const fake_cuda_launch *launch) {
    uint64_t *sum = *(uint64_t *const *)p[0];
    const uint64_t *words = *(const uint64_t *const *)p[1];
    for (uint64_t i = 0; i < 2 * *(const uint64_t *)p[2]; i++) *sum = *sum * 31 + words[i];
}
static void add_and_write(void *const *p, const fake_cuda_launch *launch) {
    add(p, launch);
    (*(float *const *)p[0])[1] = 0; // an input
}
static void fault(void *const *p, const fake_cuda_launch *launch) { sticky = ILLEGAL_ADDRESS; }
static void fault_late(void *const *p, const fake_cuda_launch *launch) {
    if (*(const size_t *)p[3] < 1 << 20)
        add(p, launch);
    else
        fault(p, launch);
}

enum { MOST_PARAMS = 7 };
typedef struct fake_function {
    const char *name;
    void (*run)(void *const *params, const fake_cuda_launch *launch);
    int param_count;
    size_t param_bytes[MOST_PARAMS];
    int max_threads, static_shared;
    int dynamic_allowed, large_clusters; // set by attributes
    int slow;                            // how many times longer than others it takes; 0 is 1
} fake_function;

static fake_function kernels[] = {
    {"add_f32", add, 4, {8, 8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"scale_f32", scale, 3, {8, 4, 4}, 1024, 0, 49152, 0, 0},
    {"shared_hungry", nothing, 0, {0}, 1024, 1024, 48128, 0, 0},
    {"few_threads", nothing, 0, {0}, 256, 0, 49152, 0, 0},
    {"fault", fault, 0, {0}, 1024, 0, 49152, 0, 0},
    {"fault_add_f32", fault, 4, {8, 8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"late_add_f32", fault_late, 4, {8, 8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"small_add_f32", add_small, 4, {8, 8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"writes_add_f32", add_and_write, 4, {8, 8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"toy_add_f32", add, 4, {8, 8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"vector_add_naive_add_f32", add, 4, {8, 8, 8, 8}, 1024, 0, 49152, 0, 3},
    {"vector_add_grid_stride_add_f32", add, 4, {8, 8, 8, 8}, 1024, 0, 49152, 0, 2},
    {"vector_add_vector_add_f32", add, 4, {8, 8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"vector_add_unrolled_add_f32", add, 4, {8, 8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"streams_synchronous_work_f32", work, 5, {8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"streams_one_stream_work_f32", work, 5, {8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"streams_two_buffers_work_f32", work, 5, {8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"streams_depth_first_work_f32", work, 5, {8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"streams_breadth_first_work_f32", work, 5, {8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"streams_events_work_f32", work, 5, {8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"streams_graph_work_f32", work, 5, {8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"bench_copy", copy16, 3, {8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"bench_read", nothing, 3, {8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"bench_digest", digest, 3, {8, 8, 8}, 1024, 0, 49152, 0, 0},
    {"bench_fma", nothing, 2, {8, 8}, 1024, 0, 49152, 0, 0},
    {"bench_empty", nothing, 0, {0}, 1024, 0, 49152, 0, 0},
    {"micro_write", micro_write, 7, {8, 8, 8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"micro_copy", micro_copy, 7, {8, 8, 8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 2},
    {"micro_read", micro_read, 7, {8, 8, 8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"micro_clock", micro_clock, 7, {8, 8, 8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"micro_empty", nothing, 7, {8, 8, 8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
    {"micro_banks", nothing, 7, {8, 8, 8, 8, 4, 4, 4}, 1024, 0, 49152, 0, 0},
};

CUresult cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values);
CUresult cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
    ENTER();
    int sm = 0;
    if (memcmp(image, "\177ELF", 4) == 0) // as ptxas writes it: the architecture is in the flags
        sm = ((const uint8_t *)image)[49];
    else if (sscanf(image, "CUBIN %d", &sm) != 1 && !strstr(image, ".version"))
        return INVALID_IMAGE;
    if (sm == 99) return INVALID_IMAGE; // a format this driver does not know
    if (!sm && strstr(image, "broken")) {
        char *log = NULL;
        size_t room = 0;
        for (unsigned i = 0; i < count; i++) {
            if (options[i] == 5) log = values[i];
            if (options[i] == 6) room = (size_t)(uintptr_t)values[i];
        }
        if (log && room) snprintf(log, room, "ptxas fatal : line 7; unknown thing 'broken'\n");
        return INVALID_PTX;
    }
    fake_module *made = own(sizeof *made);
    made->sm = STATE.loaded_sm = sm;
    STATE.loads++;
    STATE.compiled += !sm;
    STATE.live_modules++;
    *module = made;
    return OK;
}
CUresult cuModuleUnload(void *module);
CUresult cuModuleUnload(void *module) {
    ENTER();
    STATE.live_modules--;
    disown(module);
    return OK;
}
CUresult cuModuleGetFunction(void **function, void *module, const char *name);
CUresult cuModuleGetFunction(void **function, void *module, const char *name) {
    ENTER();
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (strcmp(kernels[i].name, name) == 0) return *function = &kernels[i], OK;
    return NOT_FOUND;
}
CUresult cuModuleGetGlobal_v2(pointer *address, size_t *bytes, void *module, const char *name);
CUresult cuModuleGetGlobal_v2(pointer *address, size_t *bytes, void *module, const char *name) {
    ENTER();
    if (strcmp(name, "counter") != 0) return NOT_FOUND;
    *address = (pointer)(uintptr_t) & ((fake_module *)module)->global;
    *bytes = sizeof(uint32_t);
    return OK;
}
CUresult cuFuncLoad(void *function);
CUresult cuFuncLoad(void *function) {
    ENTER();
    return OK;
}
CUresult cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes);
CUresult cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes) {
    ENTER();
    const fake_function *f = function;
    STATE.param_questions++;
    if (index >= (size_t)f->param_count) return INVALID_VALUE;
    *offset = 8 * index;
    *bytes = f->param_bytes[index];
    return OK;
}
// The rank and the address are enough to see what came.
CUresult cuTensorMapEncodeTiled(uint64_t *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                                const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                int interleave, int swizzle, int promotion, int fill);
CUresult cuTensorMapEncodeTiled(uint64_t *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                                const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                int interleave, int swizzle, int promotion, int fill) {
    ENTER();
    map[0] = (uint64_t)(uintptr_t)address;
    map[1] = rank;
    map[2] = dims[rank - 1] + box[rank - 1] + steps[rank - 1];
    map[3] = rank > 1 ? strides[rank - 2] : 0;
    map[4] = (uint64_t)(type + interleave + swizzle + promotion + fill);
    return OK;
}
CUresult cuTensorMapEncodeIm2col(uint64_t *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                                 const uint64_t *strides, const int *lower, const int *upper,
                                 uint32_t channels, uint32_t pixels, const uint32_t *steps, int interleave,
                                 int swizzle, int promotion, int fill);
CUresult cuTensorMapEncodeIm2col(uint64_t *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                                 const uint64_t *strides, const int *lower, const int *upper,
                                 uint32_t channels, uint32_t pixels, const uint32_t *steps, int interleave,
                                 int swizzle, int promotion, int fill) {
    ENTER();
    map[0] = (uint64_t)(uintptr_t)address;
    map[1] = rank;
    map[2] = channels + pixels + steps[rank - 1] + dims[rank - 1];
    map[3] = strides[rank - 2];
    map[4] = (uint64_t)(lower[0] + upper[0] + type + interleave + swizzle + promotion + fill);
    return OK;
}
CUresult cuFuncGetAttribute(int *value, int attribute, void *function);
CUresult cuFuncGetAttribute(int *value, int attribute, void *function) {
    ENTER();
    const fake_function *f = function;
    switch (attribute) {
    case 0: *value = f->max_threads; return OK;
    case 1: *value = f->static_shared; return OK;
    case 3: *value = 16; return OK;
    case 4: *value = 40; return OK;
    }
    return INVALID_VALUE;
}
CUresult cuFuncSetAttribute(void *function, int attribute, int value);
CUresult cuFuncSetAttribute(void *function, int attribute, int value) {
    ENTER();
    fake_function *f = function;
    if (attribute == 8)
        f->dynamic_allowed = STATE.dynamic_shared_allowed = value;
    else if (attribute == 14)
        f->large_clusters = STATE.large_clusters_allowed = value;
    else
        return INVALID_VALUE;
    return OK;
}

// Pinned memory is counted with the rest: it must be given back too.
CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags);
CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
    pointer at = 0;
    CUresult result = cuMemAlloc_v2(&at, bytes);
    *address = (void *)(uintptr_t)at;
    return flags ? INVALID_VALUE : result;
}
static void *registered[MOST];
CUresult cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags);
CUresult cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
    ENTER();
    if (!bytes || flags != 1) return INVALID_VALUE;
    for (int i = 0; i < MOST; i++)
        if (registered[i] == address) return ALREADY_REGISTERED;
    for (int i = 0; i < MOST; i++)
        if (!registered[i]) return registered[i] = address, STATE.live_registrations++, OK;
    return OUT_OF_MEMORY;
}
CUresult cuMemHostUnregister(void *address);
CUresult cuMemHostUnregister(void *address) {
    ENTER();
    for (int i = 0; i < MOST; i++)
        if (registered[i] == address) return registered[i] = NULL, STATE.live_registrations--, OK;
    return INVALID_VALUE;
}
CUresult cuMemFreeHost(void *address);
CUresult cuMemFreeHost(void *address) { return cuMemFree_v2((pointer)(uintptr_t)address); }

// ---- streams and what goes through them ----------------------------------------------------------------

typedef struct fake_op {
    enum { FILL, COPY, LAUNCH, MARK } kind;
    void *to;
    const void *from;
    size_t bytes;
    unsigned char byte;
    const fake_function *function;
    fake_cuda_launch launch;
    _Alignas(8) char params[MOST_PARAMS][8];
    struct fake_event *event;
    int to_serial, from_serial; // in a graph: the memory that it was recorded for
} fake_op;

typedef struct fake_graph {
    fake_op *ops;
    size_t count;
} fake_graph;

typedef struct fake_stream {
    fake_graph *capture; // what it is being captured into
    bool origin;
    struct fake_stream *next;
} fake_stream;

typedef struct fake_event {
    fake_graph *capture;
    bool recorded;
    double seconds;
} fake_event;

static void note(char what) {
    size_t used = strlen(STATE.order);
    if (used + 1 < sizeof STATE.order) STATE.order[used] = what, STATE.order[used + 1] = 0;
}

static void note_op(const fake_op *op) {
    if (op->kind == FILL) note('f');
    if (op->kind == COPY) note('m');
    if (op->kind != LAUNCH) return;
    const char *name = op->function->name;
    note(strcmp(name, "bench_read") == 0 ? 'r' : strcmp(name, "bench_copy") == 0 ? 'c' : 'k');
}

static void run(const fake_op *op) {
    note_op(op);
    if (op->kind == MARK) {
        op->event->recorded = true;
        op->event->seconds = clock_seconds;
        return;
    }
    const char *step = getenv("FAKE_CUDA_STEP");
    int slow = op->kind == LAUNCH && op->function->slow ? op->function->slow : 1;
    clock_seconds += slow * (step ? strtod(step, NULL) : 0.25);
    if (op->kind == FILL) memset(op->to, op->byte, op->bytes);
    if (op->kind == COPY) memmove(op->to, op->from, op->bytes);
    if (op->kind != LAUNCH) return;
    void *params[MOST_PARAMS];
    for (int i = 0; i < MOST_PARAMS; i++) params[i] = (void *)op->params[i];
    op->function->run(params, &op->launch);
    STATE.last = op->launch;
    STATE.launches++;
}

static void append(fake_graph *graph, const fake_op *op) {
    graph->ops = realloc(graph->ops, (graph->count + 1) * sizeof *op);
    graph->ops[graph->count] = *op;
    graph->ops[graph->count].to_serial = serial_of(op->to);
    graph->ops[graph->count++].from_serial = serial_of(op->from);
}

static CUresult enqueue(fake_stream *stream, const fake_op *op) {
    if (stream && stream->capture)
        append(stream->capture, op);
    else
        run(op);
    return OK;
}

CUresult cuMemsetD8Async(pointer to, unsigned char byte, size_t bytes, void *stream);
CUresult cuMemsetD8Async(pointer to, unsigned char byte, size_t bytes, void *stream) {
    ENTER_ANY();
    if (!holds(to, bytes)) return INVALID_VALUE;
    if (current == &other_object) return stream ? INVALID_HANDLE : (note('x'), OK);
    return enqueue(stream,
                   &(fake_op){.kind = FILL, .to = (void *)(uintptr_t)to, .byte = byte, .bytes = bytes});
}
CUresult cuMemcpyHtoDAsync_v2(pointer to, const void *from, size_t bytes, void *stream);
CUresult cuMemcpyHtoDAsync_v2(pointer to, const void *from, size_t bytes, void *stream) {
    ENTER();
    if (!holds(to, bytes)) return INVALID_VALUE;
    return enqueue(stream,
                   &(fake_op){.kind = COPY, .to = (void *)(uintptr_t)to, .from = from, .bytes = bytes});
}
CUresult cuMemcpyDtoHAsync_v2(void *to, pointer from, size_t bytes, void *stream);
CUresult cuMemcpyDtoHAsync_v2(void *to, pointer from, size_t bytes, void *stream) {
    ENTER();
    if (!holds(from, bytes)) return INVALID_VALUE;
    return enqueue(stream,
                   &(fake_op){.kind = COPY, .to = to, .from = (void *)(uintptr_t)from, .bytes = bytes});
}
CUresult cuMemcpyDtoDAsync_v2(pointer to, pointer from, size_t bytes, void *stream);
CUresult cuMemcpyDtoDAsync_v2(pointer to, pointer from, size_t bytes, void *stream) {
    ENTER();
    if (!holds(from, bytes) || !holds(to, bytes)) return INVALID_VALUE;
    return enqueue(stream, &(fake_op){.kind = COPY,
                                      .to = (void *)(uintptr_t)to,
                                      .from = (void *)(uintptr_t)from,
                                      .bytes = bytes});
}

typedef struct attribute { // CUlaunchAttribute, by its documented layout
    int id;
    char pad[4];
    unsigned value[16];
} attribute;
typedef struct config { // CUlaunchConfig
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void *stream;
    attribute *attributes;
    unsigned attribute_count;
} config;

CUresult cuLaunchKernelEx(const config *c, void *function, void **params, void **extra);
CUresult cuLaunchKernelEx(const config *c, void *function, void **params, void **extra) {
    ENTER();
    const fake_function *f = function;
    if (extra || (int)(c->block_x * c->block_y * c->block_z) > f->max_threads) return INVALID_VALUE;
    if ((int)c->shared_bytes > f->dynamic_allowed) return INVALID_VALUE;
    fake_op op = {.kind = LAUNCH, .function = f};
    op.launch = (fake_cuda_launch){.grid = {c->grid_x, c->grid_y, c->grid_z},
                                   .block = {c->block_x, c->block_y, c->block_z},
                                   .shared_bytes = c->shared_bytes,
                                   .attribute_count = c->attribute_count};
    snprintf(op.launch.name, sizeof op.launch.name, "%s", f->name);
    for (unsigned i = 0; i < c->attribute_count; i++) {
        if (c->attributes[i].id == 2) op.launch.cooperative = c->attributes[i].value[0];
        if (c->attributes[i].id == 6) op.launch.overlap = c->attributes[i].value[0];
        if (c->attributes[i].id == 4) memcpy(op.launch.cluster, c->attributes[i].value, 12);
    }
    if (op.launch.cluster[0] * op.launch.cluster[1] * op.launch.cluster[2] > 8 && !f->large_clusters)
        return INVALID_VALUE;
    for (int i = 0; i < f->param_count; i++) memcpy(op.params[i], params[i], f->param_bytes[i]);
    return enqueue(c->stream, &op);
}

CUresult cuStreamCreate(void **stream, unsigned flags);
CUresult cuStreamCreate(void **stream, unsigned flags) {
    ENTER();
    fake_stream *made = own(sizeof *made);
    made->next = all_streams;
    all_streams = made;
    *stream = made;
    STATE.live_streams++;
    return OK;
}
CUresult cuStreamDestroy_v2(void *stream);
CUresult cuStreamDestroy_v2(void *stream) {
    ENTER();
    for (fake_stream **at = &all_streams; *at; at = &(*at)->next)
        if (*at == stream) {
            *at = (*at)->next;
            break;
        }
    STATE.live_streams--;
    disown(stream);
    return OK;
}
CUresult cuStreamGetCtx(void *stream, void **context);
CUresult cuStreamGetCtx(void *stream, void **context) {
    ENTER();
    for (const fake_stream *s = all_streams; s; s = s->next)
        if (s == stream) return *context = &context_object, OK;
    return INVALID_HANDLE;
}
CUresult cuStreamSynchronize(void *stream);
CUresult cuStreamSynchronize(void *stream) {
    HOLD();
    if (stream && ((fake_stream *)stream)->capture) return CAPTURE_UNSUPPORTED;
    return synchronize();
}
CUresult cuStreamWaitEvent(void *stream, void *event, unsigned flags);
CUresult cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    ENTER();
    fake_graph *capture = ((fake_event *)event)->capture;
    if (capture && !stream) return CAPTURE_UNSUPPORTED;
    if (capture) ((fake_stream *)stream)->capture = capture;
    return OK;
}
CUresult cuStreamBeginCapture_v2(void *stream, int mode);
CUresult cuStreamBeginCapture_v2(void *stream, int mode) {
    ENTER();
    fake_stream *s = stream;
    if (!s || s->capture) return CAPTURE_UNSUPPORTED;
    STATE.capture_mode = (unsigned)mode;
    STATE.live_graphs++;
    s->capture = calloc(1, sizeof *s->capture);
    s->origin = true;
    return OK;
}
CUresult cuStreamEndCapture(void *stream, void **graph);
CUresult cuStreamEndCapture(void *stream, void **graph) {
    ENTER();
    fake_stream *s = stream;
    if (!s->capture || !s->origin) return CAPTURE_UNMATCHED;
    *graph = s->capture;
    for (fake_stream *other = all_streams; other; other = other->next) // those that joined in, too
        if (other->capture == *graph) other->capture = NULL;
    s->origin = false;
    return OK;
}

// ---- events and graphs -----------------------------------------------------------------------------------

CUresult cuEventCreate(void **event, unsigned flags);
CUresult cuEventCreate(void **event, unsigned flags) {
    ENTER();
    if (flags) return INVALID_VALUE; // without timing it would be of no use to us
    *event = own(sizeof(fake_event));
    STATE.live_events++;
    return OK;
}
CUresult cuEventDestroy_v2(void *event);
CUresult cuEventDestroy_v2(void *event) {
    ENTER();
    STATE.live_events--;
    disown(event);
    return OK;
}
CUresult cuEventRecord(void *event, void *stream);
CUresult cuEventRecord(void *event, void *stream) {
    ENTER();
    fake_event *e = event;
    e->capture = stream ? ((fake_stream *)stream)->capture : NULL;
    e->recorded = true;
    if (!e->capture) note('e');
    e->seconds = clock_seconds;
    return OK;
}
CUresult cuEventRecordWithFlags(void *event, void *stream, unsigned flags);
CUresult cuEventRecordWithFlags(void *event, void *stream, unsigned flags) {
    ENTER();
    if (flags != 1 || !stream || !((fake_stream *)stream)->capture) return INVALID_VALUE; // for graphs alone
    return enqueue(stream, &(fake_op){.kind = MARK, .event = event});
}
CUresult cuEventSynchronize(void *event);
CUresult cuEventSynchronize(void *event) {
    HOLD();
    if (((fake_event *)event)->capture) return CAPTURED_EVENT;
    size_t used = strlen(STATE.order);
    if (!used || STATE.order[used - 1] != '|') note('|');
    return synchronize();
}
CUresult cuEventElapsedTime(float *milliseconds, void *from, void *to);
CUresult cuEventElapsedTime(float *milliseconds, void *from, void *to) {
    ENTER();
    if (!((fake_event *)from)->recorded || !((fake_event *)to)->recorded) return INVALID_HANDLE;
    *milliseconds = (float)(1e3 * (((fake_event *)to)->seconds - ((fake_event *)from)->seconds));
    return OK;
}
CUresult cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
CUresult cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) {
    ENTER();
    const fake_graph *from = graph;
    fake_graph *made = calloc(1, sizeof *made);
    for (size_t i = 0; i < from->count; i++) append(made, &from->ops[i]);
    STATE.live_execs++;
    *exec = made;
    return OK;
}
CUresult cuGraphUpload(void *exec, void *stream);
CUresult cuGraphUpload(void *exec, void *stream) {
    ENTER();
    STATE.uploads++;
    return OK;
}
CUresult cuGraphLaunch(void *exec, void *stream);
CUresult cuGraphLaunch(void *exec, void *stream) {
    ENTER();
    const fake_graph *graph = exec;
    for (size_t i = 0; i < graph->count;
         i++) { // memory that was freed since, even if there is other memory now
        const fake_op *op = &graph->ops[i];
        if (op->to_serial != serial_of(op->to) || op->from_serial != serial_of(op->from))
            return INVALID_VALUE;
    }
    for (size_t i = 0; i < graph->count; i++) enqueue(stream, &graph->ops[i]);
    return OK;
}
static void free_graph(fake_graph *graph) {
    free(graph->ops);
    free(graph);
}
CUresult cuGraphDestroy(void *graph);
CUresult cuGraphDestroy(void *graph) {
    ENTER();
    STATE.live_graphs--;
    free_graph(graph);
    return OK;
}
CUresult cuGraphExecDestroy(void *exec);
CUresult cuGraphExecDestroy(void *exec) {
    ENTER();
    STATE.live_execs--;
    free_graph(exec);
    return OK;
}
