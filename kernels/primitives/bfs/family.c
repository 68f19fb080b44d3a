// bfs: levels of a breadth-first search. Cases, work, plans, the table of variants.
//
// Axes: vertices, edges, shape (pagerank/graph.h), source. Buffers: the graph's four, and a level per vertex.
#include "bfs.h"

#include "private.h"
#include "tune.h"

static const char *const operations[] = {"levels", NULL};

static uint64_t vertices(const kz_case *c) { return (uint64_t)c->axes[VERTICES]; }
static uint64_t edges(const kz_case *c) { return (uint64_t)c->axes[EDGES]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    graph_buffers(c, list);
    list[LEVELS] = (kz_buffer){"levels", KZ_OUTPUT, KZ_I32, vertices(c)};
    return LEVELS + 1;
}

// One CSR and the levels: what a search reads that looks at every edge once. The flops per second are edges per
// second. A search that pulls looks at fewer, so that it may seem to move more than the memory does.
static kz_work work(const kz_case *c) {
    double n = (double)vertices(c), m = (double)edges(c);
    return (kz_work){.bytes = 4.0 * (m + n + 1.0 + n), .flops = m};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    for (uint32_t i = 0; i <= LEVELS; i++) args[i] = kz_arg_buffer(i);
    args[LEVELS + 1] = kz_arg_u64(vertices(c));
    args[LEVELS + 2] = kz_arg_u64(edges(c));
    args[LEVELS + 3] = kz_arg_u64((uint64_t)c->axes[SOURCE]);
    return LEVELS + 4;
}

// ---- plans -----------------------------------------------------------------------------------------

// KZ_OK, and *done where there is no vertex.
static kz_status begin(const kz_planner *p, bool *done) {
    const kz_case *c = p->c;
    kz_status status = graph_supported("bfs", c, p->error);
    *done = vertices(c) == 0;
    if (status != KZ_OK || *done) return status;
    if (c->axes[SOURCE] < 0 || c->axes[SOURCE] >= c->axes[VERTICES])
        return kz_plan_refuse(p->error, "the source is %lld, and the vertices are 0 to %lld",
                              (long long)c->axes[SOURCE], (long long)c->axes[VERTICES] - 1);
    return KZ_OK;
}

// Room in the workspace, from a multiple of 64 bytes on; zeroed by a step where it must be.
static kz_arg take_room(kz_plan *plan, uint64_t bytes, bool zeros) {
    kz_arg at = kz_arg_workspace(plan->workspace_bytes);
    plan->workspace_bytes += kz_ceil_div(bytes, 64) * 64;
    if (zeros) kz_plan_add_fill(plan, at, 0, bytes);
    return at;
}
static kz_arg take_search(kz_plan *plan) { return take_room(plan, 64, true); } // bfs.cuh: 32 bytes
static kz_arg take_bits(const kz_case *c, kz_plan *plan, bool zeros) {
    return take_room(plan, kz_ceil_div(vertices(c), 32) * 4, zeros);
}

// Levels of -1, and one launch whose blocks are all resident: they wait for each other.
static kz_status add_search(const kz_planner *p, const kz_arg *args, size_t arg_count) {
    enum { SHARED = 12 * 1024 }; // more than any variant's block has
    const kz_device_info *device = p->device;
    uint64_t each =
        kz_min_u64(p->variant->blocks, (uint64_t)device->max_threads_per_multiprocessor / BFS_THREADS);
    each = kz_min_u64(each, device->shared_per_multiprocessor / SHARED);
    uint64_t full = (uint64_t)device->multiprocessors * (each ? each : 1);
    kz_plan_add_fill(p->plan, kz_arg_buffer(LEVELS), 0xff, 4 * vertices(p->c));
    return KZ_LAUNCH(p, .blocks = kz_min_u64(kz_ceil_div(vertices(p->c), BFS_THREADS), full),
                     .threads = BFS_THREADS, .cooperative = true, .args = args, .arg_count = arg_count);
}

static kz_arg source_arg(const kz_case *c) { return kz_arg_u64((uint64_t)c->axes[SOURCE]); }

static kz_status plan_native(const kz_planner *p) {
    bool done;
    kz_status status = begin(p, &done);
    if (status != KZ_OK || done) return status;
    uint64_t n = vertices(p->c);
    return KZ_LAUNCH(p, .blocks = 1, .threads = 1,
                     KZ_ARGS(kz_arg_buffer(OUT_OFFSETS), kz_arg_buffer(OUT_TARGETS), kz_arg_buffer(LEVELS),
                             take_room(p->plan, 4 * n, false), kz_arg_u64(n), source_arg(p->c)));
}

static kz_status plan_scan(const kz_planner *p) {
    bool done;
    kz_status status = begin(p, &done);
    if (status != KZ_OK || done) return status;
    const kz_arg args[] = {kz_arg_buffer(OUT_OFFSETS), kz_arg_buffer(OUT_TARGETS), kz_arg_buffer(LEVELS),
                           take_search(p->plan),       kz_arg_u64(vertices(p->c)), source_arg(p->c)};
    return add_search(p, args, 6);
}

// A queue with `bytes` for every vertex.
static kz_status add_queue(const kz_planner *p, uint64_t bytes) {
    bool done;
    kz_status status = begin(p, &done);
    if (status != KZ_OK || done) return status;
    kz_arg search = take_search(p->plan), queue = take_room(p->plan, bytes * vertices(p->c), false);
    const kz_arg args[] = {kz_arg_buffer(OUT_OFFSETS),
                           kz_arg_buffer(OUT_TARGETS),
                           kz_arg_buffer(LEVELS),
                           search,
                           queue,
                           source_arg(p->c)};
    return add_search(p, args, 6);
}
static kz_status plan_frontier_queue(const kz_planner *p) { return add_queue(p, 4); }
static kz_status plan_load_balanced(const kz_planner *p) { return add_queue(p, 8); }

static kz_status plan_bitmap(const kz_planner *p) {
    const kz_case *c = p->c;
    bool done;
    kz_status status = begin(p, &done);
    if (status != KZ_OK || done) return status;
    kz_arg s = take_search(p->plan), queue = take_room(p->plan, 8 * vertices(c), false),
           seen = take_bits(c, p->plan, true);
    kz_arg args[] = {kz_arg_buffer(OUT_OFFSETS),
                     kz_arg_buffer(OUT_TARGETS),
                     kz_arg_buffer(LEVELS),
                     s,
                     queue,
                     seen,
                     source_arg(c)};
    return add_search(p, args, 7);
}

static kz_status plan_pull(const kz_planner *p) {
    const kz_case *c = p->c;
    bool done;
    kz_status status = begin(p, &done);
    if (status != KZ_OK || done) return status;
    kz_arg s = take_search(p->plan), seen = take_bits(c, p->plan, true), next = take_bits(c, p->plan, false);
    kz_arg args[] = {kz_arg_buffer(IN_OFFSETS),
                     kz_arg_buffer(IN_SOURCES),
                     kz_arg_buffer(LEVELS),
                     s,
                     seen,
                     next,
                     kz_arg_u64(vertices(c)),
                     source_arg(c)};
    return add_search(p, args, 8);
}

static kz_status plan_direction_optimizing(const kz_planner *p) {
    const kz_case *c = p->c;
    bool done;
    kz_status status = begin(p, &done);
    if (status != KZ_OK || done) return status;
    kz_arg s = take_search(p->plan), queue = take_room(p->plan, 8 * vertices(c), false);
    kz_arg seen = take_bits(c, p->plan, true), next = take_bits(c, p->plan, false);
    kz_arg args[] = {kz_arg_buffer(OUT_OFFSETS),
                     kz_arg_buffer(OUT_TARGETS),
                     kz_arg_buffer(IN_OFFSETS),
                     kz_arg_buffer(IN_SOURCES),
                     kz_arg_buffer(LEVELS),
                     s,
                     queue,
                     seen,
                     next,
                     kz_arg_u64(vertices(c)),
                     kz_arg_u64(edges(c)),
                     source_arg(c)};
    return add_search(p, args, 12);
}

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on one core", bfs_natives},
    {"01_thread_per_vertex", 75, plan_scan, "all vertices at every level, a thread each",
     .blocks = BFS_BLOCKS},
    {"02_warp_per_row", 75, plan_scan, "rows by warps", .blocks = BFS_BLOCKS},
    {"03_frontier_queue", 75, plan_frontier_queue, "a queue of the vertices reached", .blocks = BFS_BLOCKS},
    {"04_load_balanced", 75, plan_load_balanced, "the frontier's edges divided evenly",
     .blocks = BFS_PUSH_BLOCKS},
    {"05_bitmap", 75, plan_bitmap, "a bit per vertex: reached or not", .blocks = BFS_PUSH_BLOCKS},
    {"06_pull", 75, plan_pull, "unreached vertices ask their sources (bottom-up)", .blocks = BFS_PULL_BLOCKS},
    {"07_direction_optimizing", 75, plan_direction_optimizing, "push or pull, level by level",
     .blocks = BFS_WIDE_BLOCKS},
};
// clang-format on

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(n, m, s, from, u, ...)                                                                          \
    {.type = KZ_I32, .axes = {n, m, GRAPH_##s, from}, .use = u, __VA_ARGS__}
#define CHECK(n, m, s, from, ...) CASE(n, m, s, from, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(n, m, s, from) CASE(n, m, s, from, KZ_USE_BENCH)
// clang-format on

static const kz_case cases[] = {
    CHECK(0, 0, UNIFORM, 0),
    CHECK(1, 0, UNIFORM, 0),
    CHECK(1, 1, LATTICE, 0), // a loop
    CHECK(33, 0, UNIFORM, 32),
    CHECK(31, 90, UNIFORM, 3),
    CHECK(33, 66, LATTICE, 32),    // a ring: 17 levels
    CHECK(300, 600, LATTICE, 299), // 150 levels
    CHECK(1023, 4096, POWER, 5),
    CHECK(1025, 4 * 1025, LATTICE, 512), // a grid
    CHECK(3000, 40000, UNIFORM, 1000),
    CHECK(1000, 36011, STAR, 500), // from the hub: several tiles for each block of 04
    CHECK(1000, 3000, STAR, 1),
    CHECK(1500, 2999, EMPTY, 15), // most are never reached
    CHECK(2000, 4000, EMPTY, 0),  // no edge out of the source
    CHECK(257, 2600, UNIFORM, 7, .misalign = 1),
    BENCH(1 << 16, 1 << 20, UNIFORM, 1),
    BENCH(1 << 20, 1 << 24, UNIFORM, 1),
    BENCH(1 << 22, 1 << 26, UNIFORM, 1),
    BENCH(1 << 22, 1 << 26, POWER, 1 << 20),
    BENCH(1 << 18, 1 << 20, STAR, 1),
    BENCH(1 << 18, 1 << 20, LATTICE, 1),
    BENCH(1 << 24, 1 << 26, UNIFORM, 1), // its levels are more than L2 holds
    CASE(1 << 20, KZ_PAST_2_31, UNIFORM, 1, KZ_USE_HUGE),
};

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"01_scan_thread", "01_thread_per_vertex"},  {"02_scan_warp", "02_warp_per_row"},
    {"03_queue", "03_frontier_queue"},           {"04_balanced", "04_load_balanced"},
    {"07_direction", "07_direction_optimizing"}, {0},
};

static const kz_worked worked[] = {
    {{.type = KZ_I32, .axes = {10, 30}}, {4 * (30 + 11 + 10), 30}},
};

const kz_family kz_family_bfs = {
    .name = "bfs",
    .group = "primitives",
    .summary = "breadth-first search: levels of a graph's vertices, in one launch",
    .operations = operations,
    .axes = (const char *const[]){"vertices", "edges", "shape", "source", NULL},
    .types = KZ_TYPE_BIT(I32),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_bfs,
    .buffers = buffers,
    .fill = graph_fill,
    .reference = bfs_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .guest_signature =
        "const unsigned *out_offsets, const unsigned *out_targets, const unsigned *in_offsets, "
        "const unsigned *in_sources, int *levels, size_t vertices, size_t edges, size_t source",
    .guest_args = guest_args,
    .size = edges,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_bfs_open(kz_device *device, size_t vertex_count, size_t edge_count, size_t source,
                      const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {.type = KZ_I32,
                 .axes = {(int64_t)vertex_count, (int64_t)edge_count, GRAPH_UNIFORM, (int64_t)source}};
    return kz_operation_open_family(device, &kz_family_bfs, &c, variant, operation, error);
}

kz_status kz_bfs_run(kz_operation *operation, kz_stream *stream, const kz_bfs_graph *graph, kz_ptr levels,
                     kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    if (!graph)
        return kz_fail(error, KZ_INVALID,
                       "kz_bfs_run: the graph is NULL\nfill a kz_bfs_graph with its four buffers");
    kz_ptr list[] = {graph->out_offsets, graph->out_targets, graph->in_offsets, graph->in_sources, levels};
    return kz_operation_run(operation, stream, list, LEVELS + 1, workspace, workspace_bytes, error);
}
