// streams: from the host, through a kernel, and back. Cases, work, plans and the table of variants.
//
// Axes: n, rounds. Buffers: x, y of n elements in the host's memory, pinned or pageable as the operation says;
// pieces of them are worked on in the workspace, in place. Where choice.csv does not know the GPU, the last
// variant that the device can run is taken.
#include "streams.h"

#include "private.h"
#include "tune.h"

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, (uint64_t)c->axes[N]};
    list[Y] = (kz_buffer){"y", KZ_OUTPUT, c->type, (uint64_t)c->axes[N]};
    return 2;
}

static kz_place place(const kz_case *c) {
    return c->operation == PAGEABLE ? KZ_ON_HOST_PAGEABLE : KZ_ON_HOST_PINNED;
}

// What must cross the bus, not DRAM: that is what binds here.
static kz_work work(const kz_case *c) {
    double n = (double)c->axes[N];
    return (kz_work){.bytes = 2.0 * n * (double)kz_type_size(c->type),
                     .flops = 2.0 * n * (double)c->axes[ROUNDS]};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    args[0] = kz_arg_buffer(X);
    args[1] = kz_arg_buffer(Y);
    args[2] = kz_arg_u64((uint64_t)c->axes[N]);
    args[3] = kz_arg_u64((uint64_t)c->axes[ROUNDS]);
    args[4] = kz_arg_f32(streams_a);
    args[5] = kz_arg_f32(streams_b);
    return 6;
}

// ---- pieces -----------------------------------------------------------------------------------------

typedef struct pipeline {
    const kz_case *c;
    const kz_device_info *device;
    kz_plan *plan;
    char entry[KZ_ENTRY_NAME];
    uint64_t piece, count; // elements of one; how many
    uint64_t stride;       // bytes from buffer to buffer in the workspace
} pipeline;

static kz_status begin(const kz_case *c, const kz_device_info *device, kz_plan *plan, const char *idea,
                       uint64_t pieces, uint64_t slots, pipeline *p, kz_error *error) {
    if (c->type != KZ_F32) return kz_plan_refuse(error, "streams has no %s", kz_type_name(c->type));
    uint64_t n = (uint64_t)c->axes[N];
    *p = (pipeline){.c = c, .device = device, .plan = plan};
    kz_entry_name(p->entry, "streams", idea, "work", c->type);
    p->piece = kz_ceil_div(kz_ceil_div(n, pieces), STREAMS_LEAST) * STREAMS_LEAST;
    p->count = n ? kz_ceil_div(n, p->piece) : 0;
    p->stride = p->piece * kz_type_size(c->type);
    plan->workspace_bytes = p->stride * kz_min_u64(slots, p->count);
    return KZ_OK;
}

static uint64_t elements(const pipeline *p, uint64_t index) {
    uint64_t n = (uint64_t)p->c->axes[N], first = index * p->piece;
    return kz_min_u64(p->piece, n - first);
}

static kz_arg piece_of(const pipeline *p, uint32_t buffer, uint64_t index) {
    kz_arg arg = kz_arg_buffer(buffer);
    arg.offset = index * p->stride;
    return arg;
}

static void copy_in(const pipeline *p, uint64_t index, uint64_t slot, uint32_t stream) {
    kz_plan_add_copy(p->plan, kz_arg_workspace(slot * p->stride), piece_of(p, X, index),
                     elements(p, index) * kz_type_size(p->c->type))
        ->stream = stream;
}

static void copy_out(const pipeline *p, uint64_t index, uint64_t slot, uint32_t stream) {
    kz_plan_add_copy(p->plan, piece_of(p, Y, index), kz_arg_workspace(slot * p->stride),
                     elements(p, index) * kz_type_size(p->c->type))
        ->stream = stream;
}

static void run_work(const pipeline *p, uint64_t index, uint64_t slot, uint32_t stream) {
    uint64_t n = elements(p, index), full = (uint64_t)p->device->multiprocessors * STREAMS_BLOCKS;
    const kz_arg args[] = {kz_arg_workspace(slot * p->stride), kz_arg_u64(n),
                           kz_arg_u64((uint64_t)p->c->axes[ROUNDS]), kz_arg_f32(streams_a),
                           kz_arg_f32(streams_b)};
    uint64_t blocks = kz_min_u64(kz_ceil_div(n, STREAMS_THREADS * 4), full);
    kz_plan_add_launch(p->plan, p->entry, blocks, STREAMS_THREADS, args, 5)->stream = stream;
}

// ---- plans ------------------------------------------------------------------------------------------

static kz_status plan_native(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    pipeline p;
    kz_status status = begin(c, device, plan, "native", 1, 0, &p, error);
    if (status || !p.count) return status;
    kz_arg args[KZ_PLAN_ARGS];
    uint64_t blocks = kz_min_u64(kz_ceil_div((uint64_t)c->axes[N], 4096), (uint64_t)device->multiprocessors);
    kz_plan_add_launch(plan, p.entry, blocks, 1, args, guest_args(c, args));
    return KZ_OK;
}

static kz_status plan_synchronous(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                  kz_error *error) {
    pipeline p;
    kz_status status = begin(c, device, plan, "synchronous", 1, 1, &p, error);
    if (status || !p.count) return status;
    copy_in(&p, 0, 0, 0);
    kz_plan_add_synchronize(plan, 0);
    run_work(&p, 0, 0, 0);
    kz_plan_add_synchronize(plan, 0);
    copy_out(&p, 0, 0, 0);
    kz_plan_add_synchronize(plan, 0);
    return KZ_OK;
}

static kz_status plan_one_stream(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                 kz_error *error) {
    pipeline p;
    kz_status status = begin(c, device, plan, "one_stream", 1, 1, &p, error);
    if (status || !p.count) return status;
    copy_in(&p, 0, 0, 0);
    run_work(&p, 0, 0, 0);
    copy_out(&p, 0, 0, 0);
    return KZ_OK;
}

// `streams` streams with a buffer each; `at_once` pieces are issued stage by stage.
static kz_status plan_streams(const kz_case *c, const kz_device_info *device, kz_plan *plan, const char *idea,
                              uint64_t streams, uint64_t at_once, kz_error *error) {
    pipeline p;
    kz_status status = begin(c, device, plan, idea, STREAMS_CHUNKS, streams, &p, error);
    if (status) return status;
    static void (*const stages[])(const pipeline *, uint64_t, uint64_t, uint32_t) = {copy_in, run_work,
                                                                                     copy_out};
    for (uint64_t first = 0; first < p.count; first += at_once)
        for (int stage = 0; stage < 3; stage++)
            for (uint64_t i = first; i < first + at_once && i < p.count; i++)
                stages[stage](&p, i, i % streams, 1 + (uint32_t)(i % streams));
    return KZ_OK;
}

static kz_status plan_two_buffers(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                  kz_error *error) {
    return plan_streams(c, device, plan, "two_buffers", 2, 1, error);
}

static kz_status plan_depth_first(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                  kz_error *error) {
    return plan_streams(c, device, plan, "depth_first", STREAMS_WIDE, 1, error);
}

static kz_status plan_breadth_first(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                    kz_error *error) {
    return plan_streams(c, device, plan, "breadth_first", STREAMS_WIDE, STREAMS_WIDE, error);
}

// Piece i has the events 3 * i behind its copy in, one more behind its kernel, one more behind its copy out.
static kz_status plan_engines(const kz_case *c, const kz_device_info *device, kz_plan *plan, const char *idea,
                              kz_error *error) {
    enum { IN = 1, WORK, OUT };
    pipeline p;
    kz_status status = begin(c, device, plan, idea, STREAMS_CHUNKS, STREAMS_WIDE, &p, error);
    if (status) return status;
    for (uint64_t i = 0; i < p.count; i++) {
        uint32_t event = 3 * (uint32_t)i;
        if (i >= STREAMS_WIDE) kz_plan_add_wait(plan, IN, event - 3 * STREAMS_WIDE + 2); // the buffer is free
        copy_in(&p, i, i % STREAMS_WIDE, IN);
        kz_plan_add_record(plan, IN, event);
        kz_plan_add_wait(plan, WORK, event);
        run_work(&p, i, i % STREAMS_WIDE, WORK);
        kz_plan_add_record(plan, WORK, event + 1);
        kz_plan_add_wait(plan, OUT, event + 1);
        copy_out(&p, i, i % STREAMS_WIDE, OUT);
        kz_plan_add_record(plan, OUT, event + 2);
    }
    return KZ_OK;
}

static kz_status plan_events(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    return plan_engines(c, device, plan, "events", error);
}

static kz_status plan_graph(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    if (c->type == KZ_F32 && c->operation == PAGEABLE)
        return kz_plan_refuse(error, "a graph's copies need pinned memory");
    plan->graph = true;
    return plan_engines(c, device, plan, "graph", error);
}

static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on all cores: no copies", streams_natives},
    {"01_synchronous", 75, plan_synchronous, "copy, kernel, copy, and the host waits for each", NULL},
    {"02_one_stream", 75, plan_one_stream, "asynchronous, in one stream", NULL},
    {"03_two_buffers", 75, plan_two_buffers, "pieces, two streams with a buffer each", NULL},
    {"04_depth_first", 75, plan_depth_first, "four streams, issued piece by piece", NULL},
    {"05_breadth_first", 75, plan_breadth_first, "four streams, issued stage by stage", NULL},
    {"06_events", 75, plan_events, "a stream per engine, events between them", NULL},
    {"07_graph", 75, plan_graph, "the same, recorded as a graph", NULL},
};

// ---- cases ------------------------------------------------------------------------------------------

// clang-format off
#define CHECK(n, rounds, ...) {.type = KZ_F32, .axes = {n, rounds}, .use = KZ_USE_CHECK, __VA_ARGS__}
#define BENCH(where, n, rounds) {.operation = where, .type = KZ_F32, .axes = {n, rounds}, .use = KZ_USE_BENCH}
// clang-format on

static const kz_case cases[] = {
    CHECK(0, 4),
    CHECK(1, 4),
    CHECK(3, 1),
    CHECK(1023, 4),
    CHECK(1024, 4),
    CHECK(1025, 4),
    CHECK(7919, 3),   // a prime: the last piece is short, its length no multiple of 4
    CHECK(65536, 16), // 8 pieces, two rounds over four buffers
    CHECK(4099, 4, .misalign = 3),
    CHECK(2000, 4, .data = KZ_DATA_NAN),
    CHECK(2000, 4, .data = KZ_DATA_INF),
    CHECK(2000, 4, .data = KZ_DATA_DENORMAL),
    CHECK(2000, 4, .data = KZ_DATA_LARGE),
    CHECK(0, 4, .operation = PAGEABLE),
    CHECK(9001, 4, .operation = PAGEABLE),
    BENCH(PINNED, 1 << 24, 2048), // on an H200 about as long as each of the copies
    BENCH(PAGEABLE, 1 << 24, 2048),
    BENCH(PINNED, 1 << 24, 64),   // the copies bind
    BENCH(PINNED, 1 << 20, 2048), // the same, small enough for the simulator
    BENCH(PINNED, 1 << 18, 512),  // the calls do
    {.type = KZ_F32, .axes = {(1LL << 31) + 4099, 1}, .use = KZ_USE_HUGE},
};

const kz_family kz_family_streams = {
    .name = "streams",
    .group = "primitives",
    .summary = "from the host through a kernel and back: copies hidden behind work",
    .operations = (const char *const[]){"pinned", "pageable", NULL},
    .axes = (const char *const[]){"n", "rounds", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_streams,
    .buffers = buffers,
    .place = place,
    .reference = streams_reference,
    .elementwise = true,
    .work = work,
    .guest_signature = "const float *x, float *y, size_t n, size_t rounds, float a, float b",
    .guest_args = guest_args,
};

// ---- the public operation -----------------------------------------------------------------------------

kz_status kz_streams_open(kz_device *device, kz_type type, size_t n, size_t rounds, bool pinned,
                          const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {
        .operation = pinned ? PINNED : PAGEABLE, .type = type, .axes = {(int64_t)n, (int64_t)rounds}};
    return kz_operation_open_family(device, &kz_family_streams, &c, variant, operation, error);
}

kz_status kz_streams_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y, kz_ptr workspace,
                         uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, y}, 2, workspace, workspace_bytes, error);
}
