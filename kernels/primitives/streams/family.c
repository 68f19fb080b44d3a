// streams: from the host, through a kernel, and back. Cases, work, plans and the table of variants.
//
// Axes: n, rounds. Buffers: x, y of n elements in the host's memory, pinned or pageable as the operation says;
// pieces of them are worked on in the workspace, in place.
#include "streams.h"

#include "private.h"
#include "tune.h"

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, (uint64_t)c->axes[N]};
    list[Y] = (kz_buffer){"y", KZ_OUTPUT, c->type, (uint64_t)c->axes[N]};
    return 2;
}

static kz_location location(const kz_case *c) {
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

// The kernel is the same wherever the buffers are.
static kz_entry entry(const kz_case *c) { return (kz_entry){"work", c->type}; }

// ---- pieces -----------------------------------------------------------------------------------------

typedef struct pipeline {
    const kz_planner *p;
    uint64_t piece, count; // elements of one; how many
    uint64_t stride;       // bytes from buffer to buffer in the workspace
} pipeline;

static pipeline begin(const kz_planner *p, uint64_t pieces, uint64_t slots) {
    uint64_t n = (uint64_t)p->c->axes[N];
    pipeline line = {.p = p};
    line.piece = kz_ceil_div(kz_ceil_div(n, pieces), STREAMS_LEAST) * STREAMS_LEAST;
    line.count = n ? kz_ceil_div(n, line.piece) : 0;
    line.stride = line.piece * kz_type_size(p->c->type);
    p->plan->workspace_bytes = line.stride * kz_min_u64(slots, line.count);
    return line;
}

static uint64_t elements(const pipeline *line, uint64_t index) {
    uint64_t n = (uint64_t)line->p->c->axes[N], first = index * line->piece;
    return kz_min_u64(line->piece, n - first);
}

static kz_arg piece_of(const pipeline *line, uint32_t buffer, uint64_t index) {
    kz_arg arg = kz_arg_buffer(buffer);
    arg.offset = index * line->stride;
    return arg;
}

static uint64_t piece_bytes(const pipeline *line, uint64_t index) {
    return elements(line, index) * kz_type_size(line->p->c->type);
}

static kz_status copy_in(const pipeline *line, uint64_t index, uint64_t slot, uint32_t stream) {
    kz_plan_add_copy(line->p->plan, stream, kz_arg_workspace(slot * line->stride), piece_of(line, X, index),
                     piece_bytes(line, index));
    return KZ_OK;
}

static kz_status copy_out(const pipeline *line, uint64_t index, uint64_t slot, uint32_t stream) {
    kz_plan_add_copy(line->p->plan, stream, piece_of(line, Y, index), kz_arg_workspace(slot * line->stride),
                     piece_bytes(line, index));
    return KZ_OK;
}

static kz_status run_work(const pipeline *line, uint64_t index, uint64_t slot, uint32_t stream) {
    const kz_planner *p = line->p;
    uint64_t n = elements(line, index), full = (uint64_t)p->device->multiprocessors * STREAMS_BLOCKS;
    return KZ_LAUNCH(p, .blocks = kz_min_u64(kz_ceil_div(n, STREAMS_THREADS * 4), full),
                     .threads = STREAMS_THREADS, .stream = stream,
                     KZ_ARGS(kz_arg_workspace(slot * line->stride), kz_arg_u64(n),
                             kz_arg_u64((uint64_t)p->c->axes[ROUNDS]), kz_arg_f32(streams_a),
                             kz_arg_f32(streams_b)));
}

// ---- plans ------------------------------------------------------------------------------------------

static kz_status plan_synchronous(const kz_planner *p) {
    pipeline line = begin(p, 1, 1);
    if (!line.count) return KZ_OK;
    copy_in(&line, 0, 0, 0);
    kz_plan_add_synchronize(p->plan, 0);
    kz_status status = run_work(&line, 0, 0, 0);
    kz_plan_add_synchronize(p->plan, 0);
    copy_out(&line, 0, 0, 0);
    kz_plan_add_synchronize(p->plan, 0);
    return status;
}

static kz_status plan_one_stream(const kz_planner *p) {
    pipeline line = begin(p, 1, 1);
    if (!line.count) return KZ_OK;
    copy_in(&line, 0, 0, 0);
    kz_status status = run_work(&line, 0, 0, 0);
    copy_out(&line, 0, 0, 0);
    return status;
}

// `streams` streams with a buffer each; `at_once` pieces are issued stage by stage.
static kz_status plan_streams(const kz_planner *p, uint64_t streams, uint64_t at_once) {
    static kz_status (*const stages[])(const pipeline *, uint64_t, uint64_t, uint32_t) = {copy_in, run_work,
                                                                                          copy_out};
    pipeline line = begin(p, STREAMS_CHUNKS, streams);
    kz_status status = KZ_OK;
    for (uint64_t first = 0; first < line.count; first += at_once)
        for (int stage = 0; stage < 3; stage++)
            for (uint64_t i = first; !status && i < first + at_once && i < line.count; i++)
                status = stages[stage](&line, i, i % streams, 1 + (uint32_t)(i % streams));
    return status;
}

static kz_status plan_two_buffers(const kz_planner *p) { return plan_streams(p, 2, 1); }
static kz_status plan_depth_first(const kz_planner *p) { return plan_streams(p, STREAMS_WIDE, 1); }
static kz_status plan_breadth_first(const kz_planner *p) {
    return plan_streams(p, STREAMS_WIDE, STREAMS_WIDE);
}

// Piece i has the events 3 * i behind its copy in, one more behind its kernel, one more behind its copy out.
static kz_status plan_events(const kz_planner *p) {
    enum { IN = 1, WORK, OUT };
    pipeline line = begin(p, STREAMS_CHUNKS, STREAMS_WIDE);
    kz_status status = KZ_OK;
    for (uint64_t i = 0; !status && i < line.count; i++) {
        uint32_t event = 3 * (uint32_t)i;
        if (i >= STREAMS_WIDE)
            kz_plan_add_wait(p->plan, IN, event - 3 * STREAMS_WIDE + 2); // the buffer is free
        copy_in(&line, i, i % STREAMS_WIDE, IN);
        kz_plan_add_record(p->plan, IN, event);
        kz_plan_add_wait(p->plan, WORK, event);
        status = run_work(&line, i, i % STREAMS_WIDE, WORK);
        kz_plan_add_record(p->plan, WORK, event + 1);
        kz_plan_add_wait(p->plan, OUT, event + 1);
        copy_out(&line, i, i % STREAMS_WIDE, OUT);
        kz_plan_add_record(p->plan, OUT, event + 2);
    }
    return status;
}

static kz_status plan_graph(const kz_planner *p) {
    if (p->c->operation == PAGEABLE) return kz_plan_refuse(p->error, "a graph's copies need pinned memory");
    p->plan->graph = true;
    return plan_events(p);
}

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, kz_plan_tiles, "plain C on all cores: no copies", streams_natives,
     .threads = 1, .tile = 4096, .blocks = 1},
    {"01_synchronous", 75, plan_synchronous, "copy, kernel, copy, and the host waits for each"},
    {"02_one_stream", 75, plan_one_stream, "asynchronous, in one stream"},
    {"03_two_buffers", 75, plan_two_buffers, "pieces, two streams with a buffer each"},
    {"04_depth_first", 75, plan_depth_first, "four streams, issued piece by piece"},
    {"05_breadth_first", 75, plan_breadth_first, "four streams, issued stage by stage"},
    {"06_events", 75, plan_events, "a stream per engine, events between them"},
    {"07_graph", 75, plan_graph, "the same, recorded as a graph"},
};
// clang-format on

// ---- cases ------------------------------------------------------------------------------------------

// clang-format off
#define CHECK(n, rounds, ...) {.type = KZ_F32, .axes = {n, rounds}, .use = KZ_USE_CHECK, __VA_ARGS__}
#define FOUR_ROUNDS(t, n) CHECK(n, 4)
#define BENCH(where, n, rounds) {.operation = where, .type = KZ_F32, .axes = {n, rounds}, .use = KZ_USE_BENCH}
// clang-format on

static const kz_case cases[] = {
    CHECK(0, 4),
    CHECK(1, 4),
    CHECK(3, 1),
    KZ_AROUND_1024(FOUR_ROUNDS, F32),
    CHECK(7919, 3),   // a prime: the last piece is short, its length no multiple of 4
    CHECK(65536, 16), // 8 pieces, two rounds over four buffers
    CHECK(4099, 4, .misalign = 3),
    KZ_NOT_FINITE(CHECK, 2000, 4),
    CHECK(2000, 4, .data = KZ_DATA_DENORMAL),
    CHECK(2000, 4, .data = KZ_DATA_LARGE),
    CHECK(0, 4, .operation = PAGEABLE),
    CHECK(9001, 4, .operation = PAGEABLE),
    BENCH(PINNED, 1 << 24, 2048), // on an H200 about as long as each of the copies
    BENCH(PAGEABLE, 1 << 24, 2048),
    BENCH(PINNED, 1 << 24, 64),   // the copies bind
    BENCH(PINNED, 1 << 20, 2048), // the same, small enough for the simulator
    BENCH(PINNED, 1 << 18, 512),  // the calls do
    {.type = KZ_F32, .axes = {KZ_PAST_2_31, 1}, .use = KZ_USE_HUGE},
};

static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {1000, 8}}, {8000, 16000}},
};

const kz_family kz_family_streams = {
    .name = "streams",
    .group = "primitives",
    .summary = "from the host through a kernel and back: copies hidden behind work",
    .operations = (const char *const[]){"pinned", "pageable", NULL},
    .axes = (const char *const[]){"n", "rounds", NULL},
    .types = KZ_TYPE_BIT(F32),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_streams,
    .entry = entry,
    .buffers = buffers,
    .location = location,
    .reference = streams_reference,
    .elementwise = true,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
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
