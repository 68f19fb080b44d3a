// pagerank: a step of the power iteration. Cases, work, plans, the table of variants.
//
// Axes: vertices, edges, shape (graph.h). Buffers: the graph's four, rank and next of a float per vertex.
#include "pagerank.h"

#include "private.h"
#include "tune.h"

static const char *const operations[] = {"step", NULL};

static uint64_t vertices(const kz_case *c) { return (uint64_t)c->axes[VERTICES]; }
static uint64_t edges(const kz_case *c) { return (uint64_t)c->axes[EDGES]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    graph_buffers(c, list);
    list[RANK] = (kz_buffer){"rank", KZ_INPUT, KZ_F32, vertices(c)};
    list[NEXT] = (kz_buffer){"next", KZ_OUTPUT, KZ_F32, vertices(c)};
    return NEXT + 1;
}

// The graph; and ranks of the size that they have, about 1 / vertices, so that the ground is a part of the sums that
// shows. Other kinds of data are the harness's.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (which != RANK || c->data != KZ_DATA_UNIFORM) return graph_fill(c, which, seed, first, count, host);
    for (uint64_t i = 0; i < count; i++) {
        double unit = (double)(kz_draw(seed, RANK, first + i) >> 11) * 0x1p-53;
        ((float *)host)[i] = (float)((0.5 + unit) / (double)vertices(c));
    }
    return true;
}

// One CSR, both offsets, the ranks twice. An edge is one addition: the flops per second are edges per second.
static kz_work work(const kz_case *c) {
    double n = (double)vertices(c), m = (double)edges(c);
    return (kz_work){.bytes = 4.0 * (m + 2.0 * (n + 1.0) + 2.0 * n), .flops = m};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    for (uint32_t i = 0; i <= NEXT; i++) args[i] = kz_arg_buffer(i);
    args[NEXT + 1] = kz_arg_u64(vertices(c));
    args[NEXT + 2] = kz_arg_u64(edges(c));
    return NEXT + 3;
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_status supported(const kz_planner *p) { return graph_supported("pagerank", p->c, p->error); }

// Blocks where `threads` threads take each vertex.
static uint64_t blocks_for(const kz_planner *p, uint64_t threads) {
    uint64_t full = (uint64_t)p->device->multiprocessors * PAGERANK_BLOCKS;
    return kz_min_u64(kz_ceil_div(vertices(p->c) * threads, PAGERANK_THREADS), full);
}

// A launch that sets the sums to the ground, and one that adds; `by_edges` it is told how many there are.
static kz_status add_push(const kz_planner *p, uint64_t blocks, bool by_edges) {
    kz_arg next = kz_arg_buffer(NEXT), count = kz_arg_u64(vertices(p->c));
    kz_status status = supported(p);
    if (status) return status;
    status = KZ_LAUNCH(p, .operation = "start", .blocks = kz_ceil_div(vertices(p->c), PAGERANK_THREADS),
                       .threads = PAGERANK_THREADS, KZ_ARGS(next, count));
    if (status || vertices(p->c) == 0) return status;
    const kz_arg args[] = {
        kz_arg_buffer(OUT_OFFSETS), kz_arg_buffer(OUT_TARGETS), kz_arg_buffer(RANK), next, count,
        kz_arg_u64(edges(p->c))};
    return KZ_LAUNCH(p, .blocks = blocks, .threads = PAGERANK_THREADS, .args = args,
                     .arg_count = by_edges ? 6 : 5);
}

// As many threads for each vertex as the row says.
static kz_status plan_push(const kz_planner *p) {
    return add_push(p, blocks_for(p, p->variant->threads), false);
}

static kz_status plan_push_edges(const kz_planner *p) {
    return add_push(p, kz_ceil_div(edges(p->c), PAGERANK_THREADS * PAGERANK_EDGES), true);
}

// A pull that takes shares by itself.
static kz_status add_pull(const kz_planner *p, uint64_t blocks, uint32_t threads) {
    kz_status status = supported(p);
    if (status) return status;
    return KZ_LAUNCH(p, .blocks = blocks, .threads = threads,
                     KZ_ARGS(kz_arg_buffer(OUT_OFFSETS), kz_arg_buffer(IN_OFFSETS), kz_arg_buffer(IN_SOURCES),
                             kz_arg_buffer(RANK), kz_arg_buffer(NEXT), kz_arg_u64(vertices(p->c))));
}

static kz_status plan_native(const kz_planner *p) {
    return add_pull(p, kz_min_u64(vertices(p->c), (uint64_t)p->device->multiprocessors), 1);
}

static kz_status plan_pull_thread(const kz_planner *p) {
    return add_pull(p, blocks_for(p, 1), PAGERANK_THREADS);
}

// The launch that writes the shares to the workspace's start.
static kz_status add_contributions(const kz_planner *p) {
    uint64_t n = vertices(p->c);
    kz_status status = supported(p);
    if (status) return status;
    p->plan->workspace_bytes = 4 * n;
    return KZ_LAUNCH(
        p, .operation = "shares", .blocks = kz_ceil_div(n, PAGERANK_THREADS), .threads = PAGERANK_THREADS,
        KZ_ARGS(kz_arg_buffer(OUT_OFFSETS), kz_arg_buffer(RANK), kz_arg_workspace(0), kz_arg_u64(n)));
}

// A pull of shares, with `lanes` lanes for each vertex.
static kz_status add_pull_lanes(const kz_planner *p, uint64_t lanes) {
    kz_status status = add_contributions(p);
    if (status) return status;
    const kz_arg args[] = {kz_arg_buffer(IN_OFFSETS), kz_arg_buffer(IN_SOURCES),  kz_arg_workspace(0),
                           kz_arg_buffer(NEXT),       kz_arg_u64(vertices(p->c)), kz_arg_u64(lanes)};
    return KZ_LAUNCH(p, .blocks = blocks_for(p, lanes), .threads = PAGERANK_THREADS, .args = args,
                     .arg_count = lanes > 1 ? 6 : 5);
}

static kz_status plan_pull_contributions(const kz_planner *p) { return add_pull_lanes(p, 1); }

static kz_status plan_pull_group(const kz_planner *p) {
    uint64_t lanes = 2;
    while (lanes < 32 && edges(p->c) >= 2 * lanes * PAGERANK_PER_LANE * vertices(p->c)) lanes *= 2;
    return add_pull_lanes(p, lanes);
}

// Whole tiles for every block. The workspace: the shares, then 12 bytes that each block leaves; the one that comes last
// has 8 of them in its tile's place.
static kz_status plan_pull_merge_path(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = add_contributions(p);
    if (status || vertices(c) == 0) return status;
    uint64_t tiles = kz_ceil_div(vertices(c) + edges(c), PAGERANK_MERGE_TILE);
    uint64_t blocks_at_once = (uint64_t)p->device->multiprocessors * PAGERANK_MERGE_BLOCKS;
    uint64_t full = kz_min_u64(blocks_at_once * PAGERANK_MERGE_WAVES, PAGERANK_MERGE_TILE / 2);
    uint64_t each = kz_ceil_div(tiles, full), blocks = kz_ceil_div(tiles, each), shares = 4 * vertices(c);
    p->plan->workspace_bytes = shares + 12 * blocks;
    return KZ_LAUNCH(p, .blocks = blocks, .threads = PAGERANK_MERGE_THREADS,
                     KZ_ARGS(kz_arg_buffer(IN_OFFSETS), kz_arg_buffer(IN_SOURCES), kz_arg_workspace(0),
                             kz_arg_buffer(NEXT), kz_arg_workspace(shares), kz_arg_u64(vertices(c)),
                             kz_arg_u64(edges(c)), kz_arg_u64(each * PAGERANK_MERGE_TILE)));
}

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on all cores", pagerank_natives},
    {"01_push_thread", 75, plan_push, "a thread per vertex, atomics to its targets",
     .threads = 1, .unordered = true},
    {"02_push_warp", 75, plan_push, "a warp per vertex", .threads = 32, .unordered = true},
    {"03_push_edges", 75, plan_push_edges, "edges divided evenly", .unordered = true},
    {"04_pull_thread", 75, plan_pull_thread, "a thread gathers for its vertex: no atomics"},
    {"05_pull_contributions", 75, plan_pull_contributions, "contributions divided once per vertex"},
    {"06_pull_group", 75, plan_pull_group, "as many lanes as a mean row feeds"},
    {"07_pull_merge_path", 75, plan_pull_merge_path, "edges and ends of rows divided evenly"},
};
// clang-format on

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(n, m, s, u, ...) {.type = KZ_F32, .axes = {n, m, GRAPH_##s}, .use = u, __VA_ARGS__}
#define CHECK(n, m, s, ...) CASE(n, m, s, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(n, m, s) CASE(n, m, s, KZ_USE_BENCH)
// clang-format on

static const kz_case cases[] = {
    CHECK(0, 0, UNIFORM),
    CHECK(1, 0, UNIFORM),
    CHECK(1, 1, LATTICE), // a loop
    CHECK(33, 1, UNIFORM),
    CHECK(1000, 0, UNIFORM), // no edge anywhere
    CHECK(31, 320, UNIFORM),
    CHECK(1023, 4096, POWER),
    CHECK(1025, 3 * 1025, LATTICE), // a ring, and loops
    CHECK(600, 9001, STAR),
    CHECK(3, 12011, STAR), // open through several blocks of 07
    CHECK(5000, 3001, EMPTY),
    CHECK(9001, 1000, EMPTY), // tiles of ends alone
    CHECK(3000, 40000, UNIFORM),
    CHECK(257, 9000, UNIFORM, .misalign = 1),
    CHECK(100, 900, UNIFORM, .data = KZ_DATA_POSITIVE),
    CHECK(300, 900, POWER, .data = KZ_DATA_NAN),
    CHECK(300, 900, UNIFORM, .data = KZ_DATA_INF),
    CHECK(100, 900, UNIFORM, .data = KZ_DATA_ZEROS),
    BENCH(1 << 16, 1 << 20, UNIFORM),
    BENCH(1 << 20, 1 << 24, UNIFORM),
    BENCH(1 << 22, 1 << 26, UNIFORM),
    BENCH(1 << 22, 1 << 26, POWER),
    BENCH(1 << 18, 1 << 20, STAR),
    BENCH(1 << 22, 1 << 24, LATTICE),
    BENCH(1 << 24, 1 << 26, UNIFORM), // its shares are more than L2 holds
    CASE(1 << 20, KZ_PAST_2_31, UNIFORM, KZ_USE_HUGE),
};

// Those that push add shares by atomics, in the order in which they come.
static bool nondeterministic(const kz_case *c, const kz_variant *variant) { return variant->unordered; }

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"05_pull_shares", "05_pull_contributions"},
    {"07_pull_merge", "07_pull_merge_path"},
    {0},
};

static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {10, 30}}, {4 * (30 + 22 + 20), 30}},
};

const kz_family kz_family_pagerank = {
    .name = "pagerank",
    .group = "primitives",
    .summary = "a step of PageRank: edges pushed by atomics or pulled without",
    .operations = operations,
    .axes = (const char *const[]){"vertices", "edges", "shape", NULL},
    .types = KZ_TYPE_BIT(F32),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_pagerank,
    .buffers = buffers,
    .fill = fill,
    .reference = pagerank_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cusparse", "torch", NULL},
    .guest_signature =
        "const unsigned *out_offsets, const unsigned *out_targets, const unsigned *in_offsets, "
        "const unsigned *in_sources, const float *rank, float *next, size_t vertices, size_t edges",
    .guest_args = guest_args,
    .size = edges,
    .nondeterministic = nondeterministic,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_pagerank_open(kz_device *device, size_t vertex_count, size_t edge_count, const char *variant,
                           kz_operation **operation, kz_error *error) {
    kz_case c = {.type = KZ_F32, .axes = {(int64_t)vertex_count, (int64_t)edge_count, GRAPH_UNIFORM}};
    return kz_operation_open_family(device, &kz_family_pagerank, &c, variant, operation, error);
}

kz_status kz_pagerank_run(kz_operation *operation, kz_stream *stream, const kz_pagerank_graph *graph,
                          kz_ptr rank, kz_ptr next, kz_ptr workspace, uint64_t workspace_bytes,
                          kz_error *error) {
    if (!graph)
        return kz_fail(error, KZ_INVALID,
                       "kz_pagerank_run: the graph is NULL\nfill a kz_pagerank_graph with its four buffers");
    kz_ptr list[] = {
        graph->out_offsets, graph->out_targets, graph->in_offsets, graph->in_sources, rank, next};
    return kz_operation_run(operation, stream, list, NEXT + 1, workspace, workspace_bytes, error);
}
