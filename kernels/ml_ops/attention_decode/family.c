// attention_decode: softmax(scale q k^T) v of a few new queries over a cache of keys and values. Cases, work, plans and the table
// of variants.
//
// Axes: batch, heads, kv_heads, queries, keys (what the cache has room for), dimension. problem.c has the buffers.
#include "attention_decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "tune.h"

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    decode_problem p = decode_problem_of(c);
    size_t count;
    decode_list(&p, list, &count);
    return count;
}

// ---- inputs ----------------------------------------------------------------------------------------

static double unit(uint64_t seed, uint32_t which, uint64_t index) {
    return (double)(kz_draw(seed, which, index) >> 11) * 0x1p-53;
}

// Small caches have lengths of all kinds and garbage in what they do not use; large ones are full, as their work says.
static bool is_small(const decode_problem *p) {
    return p->batch * p->kv_heads * p->keys * p->dimension <= 1 << 20;
}

// The first sequence is whole, the second one empty, one of those behind past an end.
static int32_t length(const decode_problem *p, uint64_t seed, uint64_t b) {
    if (!is_small(p) || b == 0) return (int32_t)p->keys;
    if (b == 1) return 0;
    if (b % 5 == 4) return b % 2 ? -3 : (int32_t)p->keys + 5;
    return (int32_t)(unit(seed, 91, b) * ((double)p->keys + 1.0));
}

// Pages in an order of their own, each once where the pool has as many as there are entries; a few entries are outside of it.
static int32_t page(const decode_problem *p, uint64_t index) {
    uint64_t step = p->pages % 7919 ? 7919 : 7907;
    if (is_small(p) && index % 11 == 7) return index % 2 ? -1 : (int32_t)p->pages + 3;
    return (int32_t)((index * step + 3) % p->pages);
}

// Any byte is a number but two, which are NaN and for cases that ask for them.
static uint8_t draw_byte(const kz_case *c, size_t which, uint64_t seed, uint64_t index) {
    uint64_t draw = kz_draw(seed, (uint32_t)which, index);
    if (c->data == KZ_DATA_ZEROS) return 0;
    if (c->data == KZ_DATA_NAN && (draw >> 8) % 997 == 0) return 0x7f;
    return (draw & 0x7f) == 0x7f ? (uint8_t)draw ^ 1 : (uint8_t)draw;
}

static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    decode_problem p = decode_problem_of(c);
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t buffer_count;
    decode_arrays at = decode_list(&p, list, &buffer_count);
    int w = (int)which;
    bool bytes = p.fp8 && (w == at.k || w == at.v);
    bool wide = (w == at.q || w == at.k) && !bytes && c->data == KZ_DATA_UNIFORM && is_small(&p);
    if (!bytes && !wide && w != at.lengths && w != at.page_table && w != at.k_scale && w != at.v_scale)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (bytes)
            ((uint8_t *)host)[i] = draw_byte(c, which, seed, first + i);
        else if (wide) // scores far apart
            kz_element_set(c->type, host, i, 16.0 * unit(seed, (uint32_t)which, first + i) - 8.0);
        else if (w == at.lengths)
            ((int32_t *)host)[i] = length(&p, seed, first + i);
        else if (w == at.page_table)
            ((int32_t *)host)[i] = page(&p, first + i);
        else // brings the largest number of e4m3 near 1
            ((float *)host)[i] = (float)((0.5 + unit(seed, (uint32_t)which, first + i)) * 0x1p-8);
    }
    return true;
}

// What no query sees is NaN, entries of the page table are behind all pages.
static void derive(const kz_case *c, void *const *host) {
    decode_problem p = decode_problem_of(c);
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count, size = p.fp8 ? 1 : kz_type_size(c->type);
    decode_arrays at = decode_list(&p, list, &count);
    uint64_t elements = list[at.k].count;
    bool *used = is_small(&p) ? calloc(elements + 1, 1) : NULL;
    if (!used) return;
    int32_t *table = at.page_table < 0 ? NULL : host[at.page_table];
    for (uint64_t b = 0; b < p.batch; b++) {
        uint64_t tokens = decode_length(&p, host[at.lengths], b);
        for (uint64_t token = 0; token < tokens; token++)
            for (uint64_t head = 0; head < p.kv_heads; head++)
                memset(used + decode_cache_row(&p, table, b, head, token), true, p.dimension);
        for (uint64_t e = p.paged ? kz_ceil_div(tokens, p.page) : p.table; e < p.table; e++)
            table[b * p.table + e] = e % 2 ? INT32_MAX : INT32_MIN;
    }
    for (uint64_t i = 0; i < elements; i++) {
        if (used[i]) continue;
        memset((char *)host[at.k] + i * size, 0xff, size);
        memset((char *)host[at.v] + i * size, 0xff, size);
    }
    free(used);
}

// The cache once, q and out; two products of 2 flops for each pair of a query and a key that it sees. All lengths count as whole.
static kz_work work(const kz_case *c) {
    decode_problem p = decode_problem_of(c);
    double d = (double)p.dimension, size = (double)kz_type_size(c->type), seen = 0.0;
    double rows = (double)(p.batch * p.heads) * (double)p.queries;
    for (uint64_t i = 0; i < p.queries; i++) seen += (double)decode_seen(&p, p.keys, i);
    return (kz_work){.bytes =
                         2.0 * (double)(p.batch * p.kv_heads) * (double)p.keys * d * (p.fp8 ? 1.0 : size) +
                         2.0 * rows * d * size,
                     .flops = 4.0 * (double)(p.batch * p.heads) * seen * d,
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_arg buffer_or_null(int index) { return index < 0 ? kz_arg_u64(0) : kz_arg_buffer((uint32_t)index); }

// The arguments of DECODE_PARAMETERS.
static size_t arguments(const decode_problem *p, kz_arg args[KZ_PLAN_ARGS]) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t buffer_count, count = 0;
    decode_arrays at = decode_list(p, list, &buffer_count);
    const int arrays[] = {at.q,       at.k,       at.v,   at.lengths, at.page_table,
                          at.k_scale, at.v_scale, at.out, at.lse};
    const uint64_t sizes[] = {p->batch, p->heads, p->kv_heads, p->queries, p->keys, p->dimension};
    const kz_attention_decode_strides *strides[] = {&p->q, &p->kv, &p->out};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) args[count++] = buffer_or_null(arrays[i]);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) args[count++] = kz_arg_u64(sizes[i]);
    args[count++] = kz_arg_f32(p->scale);
    args[count++] = kz_arg_u64(p->page);
    args[count++] = kz_arg_u64(p->pages);
    args[count++] = kz_arg_u64(p->table);
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        args[count++] = kz_arg_u64(strides[i]->token);
        args[count++] = kz_arg_u64(strides[i]->head);
        args[count++] = kz_arg_u64(strides[i]->batch);
    }
    return count;
}

static kz_status supported(const kz_planner *planner, const decode_problem *p) {
    kz_error *error = planner->error;
    if (p->kv_heads ? p->heads % p->kv_heads : p->heads)
        return kz_plan_refuse(error,
                              "%llu heads cannot share %llu heads of keys evenly: kv_heads must divide heads",
                              (unsigned long long)p->heads, (unsigned long long)p->kv_heads);
    if (p->queries > MOST_QUERIES)
        return kz_plan_refuse(
            error, "%llu queries per sequence: a cache is for 1 to %d new ones; attention takes more",
            (unsigned long long)p->queries, MOST_QUERIES);
    if (p->dimension > MOST_DIMENSION)
        return kz_plan_refuse(error, "heads of %llu numbers: %d at most", (unsigned long long)p->dimension,
                              MOST_DIMENSION);
    if (p->keys >= 1u << 31 || p->pages >= 1u << 31 || p->page >= 1u << 31)
        return kz_plan_refuse(error, "a cache of %llu keys and %llu pages of %llu: all are below 2^31",
                              (unsigned long long)p->keys, (unsigned long long)p->pages,
                              (unsigned long long)p->page);
    return KZ_OK;
}

static bool has_rows(const decode_problem *p) { return p->batch && p->heads && p->queries && p->dimension; }

static kz_status plan_native(const kz_planner *planner) {
    decode_problem p = decode_problem_of(planner->c);
    kz_status status = supported(planner, &p);
    if (status || !has_rows(&p)) return status;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = arguments(&p, args);
    uint64_t blocks = kz_min_u64(p.batch * p.heads * p.queries, (uint64_t)planner->device->multiprocessors);
    args[count++] = kz_arg_workspace(0); // a row of weights for each block
    planner->plan->workspace_bytes = blocks * p.keys * sizeof(double) + sizeof(double);
    return KZ_LAUNCH(planner, .operation = p.fp8 ? "fp8" : "any", .blocks = blocks, .threads = 1,
                     .args = args, .arg_count = count);
}

static kz_status plan_row(const kz_planner *planner) {
    decode_problem p = decode_problem_of(planner->c);
    kz_status status = supported(planner, &p);
    if (status || !has_rows(&p)) return status;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = arguments(&p, args);
    return KZ_LAUNCH(planner, .operation = p.fp8 ? "fp8" : "any", .blocks = p.batch * p.heads * p.queries,
                     .threads = DECODE_THREADS, .args = args, .arg_count = count);
}

// ---- plans of tiles ----------------------------------------------------------------------------------

// Rows that share keys, in tiles: of 1, 4 or 8 on CUDA cores, of 16 on tensor cores.
typedef struct tiling {
    uint32_t rows; // of a tile
    uint64_t tiles, splits;
} tiling;

static uint64_t rows_of(const decode_problem *p) { return p->heads / p->kv_heads * p->queries; }

// Blocks that share a cache: what takes the fewest rounds of blocks over the device, each as long as its share of the keys and what
// a block costs besides.
static uint64_t splits_for(const decode_problem *p, uint64_t tiles, uint64_t room) {
    uint64_t best = 1, least = UINT64_MAX;
    uint64_t most = kz_min_u64(kz_ceil_div(p->keys, DECODE_LEAST), DECODE_MOST_SPLITS(p->dimension));
    if (tiles > DECODE_TICKETS || most == 0) return 1;
    if (p->splits) return kz_min_u64(p->splits, most);
    most = kz_min_u64(most, kz_ceil_div(2 * room, tiles));
    for (uint64_t splits = 1; splits <= most; splits++) {
        uint64_t cost =
            kz_ceil_div(tiles * splits, room) * (kz_ceil_div(p->keys, splits) + DECODE_BLOCK_COST);
        if (cost < least) best = splits, least = cost;
    }
    return best;
}

static tiling tiling_of(const kz_planner *planner, const decode_problem *p, uint32_t rows,
                        uint64_t resident) {
    uint64_t tiles = p->batch * p->kv_heads * kz_ceil_div(rows_of(p), rows);
    return (tiling){rows, tiles, splits_for(p, tiles, (uint64_t)planner->device->multiprocessors * resident)};
}

static uint32_t few_rows(const decode_problem *p) { return rows_of(p) == 1 ? 1 : rows_of(p) <= 4 ? 4 : 8; }

static uint64_t part_bytes(const decode_problem *p, uint32_t rows) {
    return DECODE_PART(rows, p->dimension) * sizeof(float);
}

// The arguments of a kernel whose blocks share caches: the workspace for their parts, where there are any.
static size_t split_arguments(const kz_planner *planner, const decode_problem *p, const tiling *t,
                              bool always, kz_arg args[KZ_PLAN_ARGS]) {
    size_t count = arguments(p, args);
    if (t->splits > 1 || always)
        planner->plan->workspace_bytes = t->tiles * t->splits * part_bytes(p, t->rows);
    args[count++] = t->splits > 1 || always ? kz_arg_workspace(0) : kz_arg_u64(0);
    args[count++] = kz_arg_u64(t->splits);
    return count;
}

static const char *rows_name(uint32_t rows) { return rows == 1 ? "1" : rows == 4 ? "4" : "8"; }

static kz_status plan_grouped(const kz_planner *planner) {
    decode_problem p = decode_problem_of(planner->c);
    kz_status status = supported(planner, &p);
    if (status || !has_rows(&p)) return status;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = arguments(&p, args);
    uint32_t rows = few_rows(&p);
    return KZ_LAUNCH(planner, .part = rows_name(rows), .operation = p.fp8 ? "fp8" : "any",
                     .blocks = p.batch * p.kv_heads * kz_ceil_div(rows_of(&p), rows),
                     .threads = DECODE_THREADS,
                     .shared_bytes = (uint32_t)(DECODE_THREADS / 32 * part_bytes(&p, rows)), .args = args,
                     .arg_count = count);
}

static kz_status plan_split(const kz_planner *planner) {
    decode_problem p = decode_problem_of(planner->c);
    kz_status status = supported(planner, &p);
    if (status || !has_rows(&p)) return status;
    kz_arg args[KZ_PLAN_ARGS];
    tiling t = tiling_of(planner, &p, few_rows(&p), DECODE_RESIDENT);
    size_t count = split_arguments(planner, &p, &t, true, args);
    char add[8] = "add_";
    strcat(add, rows_name(t.rows));
    status = KZ_LAUNCH(planner, .part = rows_name(t.rows), .operation = p.fp8 ? "fp8" : "any",
                       .blocks = t.tiles * t.splits, .threads = DECODE_THREADS,
                       .shared_bytes = (uint32_t)(DECODE_THREADS / 32 * part_bytes(&p, t.rows)), .args = args,
                       .arg_count = count);
    if (status) return status;
    return KZ_LAUNCH(planner, .part = add, .operation = p.fp8 ? "fp8" : "any", .blocks = t.tiles * t.rows,
                     .shared_bytes = (uint32_t)(DECODE_THREADS / 32 * part_bytes(&p, t.rows)),
                     .threads = DECODE_THREADS, .args = args, .arg_count = count);
}

static kz_status plan_one_launch(const kz_planner *planner) {
    decode_problem p = decode_problem_of(planner->c);
    kz_status status = supported(planner, &p);
    if (status || !has_rows(&p)) return status;
    kz_arg args[KZ_PLAN_ARGS];
    tiling t = tiling_of(planner, &p, few_rows(&p), DECODE_RESIDENT);
    size_t count = split_arguments(planner, &p, &t, false, args);
    return KZ_LAUNCH(planner, .part = rows_name(t.rows), .operation = p.fp8 ? "fp8" : "any",
                     .blocks = t.tiles * t.splits, .threads = DECODE_THREADS,
                     .shared_bytes = (uint32_t)(DECODE_THREADS / 32 * part_bytes(&p, t.rows)), .args = args,
                     .arg_count = count);
}

// ---- plans of tensor cores -----------------------------------------------------------------------------

static kz_status does_tensor(const kz_planner *planner, const decode_problem *p) {
    uint64_t d = p->dimension;
    if (p->type == KZ_F32)
        return kz_plan_refuse(planner->error,
                              "tensor cores have no products of full floats: 04_one_launch does f32");
    if (d != 64 && d != 96 && d != 128 && d != 256)
        return kz_plan_refuse(planner->error,
                              "heads of %llu numbers: 64, 96, 128 or 256 by tensor cores, 04_one_launch does "
                              "the rest",
                              (unsigned long long)d);
    return KZ_OK;
}

static uint32_t tensor_bytes(const decode_problem *p) {
    uint64_t d = p->dimension, row = d * (p->fp8 ? 1 : 2), stage = DECODE_STAGE(row, p->fp8);
    return (uint32_t)(DECODE_TENSOR_ROWS * DECODE_Q_ROW(d) + stage * DECODE_STAGES(stage));
}

static kz_status add_tensor(const kz_planner *planner, uint32_t more_threads) {
    decode_problem p = decode_problem_of(planner->c);
    kz_status status = supported(planner, &p);
    if (status || !has_rows(&p)) return status;
    status = does_tensor(planner, &p);
    if (status) return status;
    kz_arg args[KZ_PLAN_ARGS];
    uint64_t resident = p.dimension > 128 ? 1 : DECODE_TENSOR_RESIDENT;
    tiling t = tiling_of(planner, &p, DECODE_TENSOR_ROWS, resident);
    size_t count = split_arguments(planner, &p, &t, false, args);
    const char *part = p.dimension == 64    ? "64"
                       : p.dimension == 96  ? "96"
                       : p.dimension == 128 ? "128"
                                            : "256";
    return KZ_LAUNCH(planner, .part = part, .operation = p.fp8 ? "fp8" : "any", .blocks = t.tiles * t.splits,
                     .threads = DECODE_THREADS + more_threads, .shared_bytes = tensor_bytes(&p), .args = args,
                     .arg_count = count);
}

static kz_status plan_async(const kz_planner *planner) { return add_tensor(planner, 0); }
// A warp more, which fetches.
static kz_status plan_bulk(const kz_planner *planner) { return add_tensor(planner, 32); }

static const kz_variant variants[] = {
    // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", attention_decode_natives},
    {"01_row", 75, plan_row, "a block per row of q, one pass over its cache"},
    {"02_grouped", 75, plan_grouped, "rows that share keys together, 16-byte loads"},
    {"03_split", 75, plan_split, "a cache for several blocks, parts added by a second launch"},
    {"04_one_launch", 75, plan_one_launch, "the last block of a row adds its parts"},
    {"05_async", 80, plan_async, "tiles by cp.async, rows of a group by tensor cores"},
    {"06_bulk", 90, plan_bulk, "rows by bulk copies, a warp of its own sends for them"},
};

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(o, t, b, h, g, q, k, d, u, ...)                                                                 \
    {.operation = KZ_ATTENTION_DECODE_##o, .type = KZ_##t, .axes = {b, h, g, q, k, d}, .use = u, __VA_ARGS__}
#define CHECK(o, t, b, h, g, q, k, d, ...) CASE(o, t, b, h, g, q, k, d, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, b, h, g, q, k, d, ...) CASE(o, t, b, h, g, q, k, d, KZ_USE_BENCH, __VA_ARGS__)
// Groups of 4, 8, 7 and 1; tiles and a bit; several queries, a share of a cache for more than one block.
#define EDGES(o, t)                                                                                          \
    CHECK(o, t, 3, 4, 1, 1, 70, 64), CHECK(o, t, 1, 8, 1, 1, 390, 128, .detail = &lse), CHECK(o, t, 2, 7, 1, 3, 65, 96), \
    CHECK(o, t, 1, 2, 2, 8, 130, 64, .misalign = 1)
#define TYPES(list, o) list(o, F32), list(o, F16), list(o, BF16)
#define SPECIALS(o, t)                                                                                       \
    KZ_NOT_FINITE(CHECK, o, t, 3, 2, 1, 2, 40, 64), CHECK(o, t, 1, 1, 1, 1, 33, 40, .data = KZ_DATA_ZEROS),  \
    CHECK(o, t, 1, 2, 1, 1, 140, 256)
#define GOALS(o, ...)                                                                                        \
    BENCH(o, BF16, 1, 32, 8, 1, 8192, 128, __VA_ARGS__), BENCH(o, BF16, 1, 32, 8, 1, 131072, 128, __VA_ARGS__), \
    BENCH(o, BF16, 16, 32, 8, 1, 8192, 128, __VA_ARGS__), BENCH(o, BF16, 64, 32, 8, 1, 8192, 128, __VA_ARGS__)
// clang-format on

static const decode_detail lse = {.lse = true};
static const decode_detail small_pages = {.page = 16, .lse = true};
static const decode_detail odd_pages = {.page = 7, .pages = 9, .scale = 0.25f};
static const decode_detail unsplit = {.splits = 1};
// Tokens first: batch x tokens x heads x dimension, of 2 sequences of 100 keys, 4 heads that share 2 of 64 numbers.
static const decode_detail tokens_first = {
    .q = {256, 64, 512}, .kv = {128, 64, 12800}, .out = {256, 64, 512}, .lse = true};
// Pages by head: page x kv_head x token x dimension.
static const decode_detail heads_first = {.page = 32, .kv = {64, 2048, 4096}};

static const kz_case cases[] = {
    CHECK(CONTIGUOUS, F32, 0, 2, 2, 1, 4, 8),
    CHECK(CONTIGUOUS, F32, 2, 2, 2, 0, 4, 8),
    CHECK(CONTIGUOUS, BF16, 2, 2, 1, 2, 0, 8, .detail = &lse), // no keys: zeros
    CHECK(PAGED, F16, 2, 2, 1, 2, 0, 8, .detail = &lse),
    CHECK(CONTIGUOUS, F32, 1, 1, 1, 1, 1, 1),
    CHECK(PAGED_FP8, BF16, 1, 1, 1, 1, 1, 64),
    CHECK(CONTIGUOUS, BF16, 1, 1, 1, 1, 1, 128),
    CHECK(CONTIGUOUS, F16, 3, 3, 1, 1, 37, 33), // a dimension of no packs
    CHECK(FP8, F32, 3, 3, 1, 2, 37, 90),
    CHECK(CONTIGUOUS, BF16, 2, 1, 1, 8, 5, 64, .detail = &lse), // more queries than keys: the first see none
    CHECK(CONTIGUOUS, BF16, 7, 4, 2, 1, 80, 64, .detail = &lse),
    CHECK(PAGED_FP8, F16, 7, 4, 2, 2, 80, 128, .detail = &small_pages),
    CHECK(CONTIGUOUS, F16, 1, 20, 1, 1, 150, 64), // more rows than a tile of them
    CHECK(CONTIGUOUS, BF16, 2, 4, 2, 2, 100, 64, .detail = &tokens_first),
    CHECK(PAGED, BF16, 2, 4, 2, 1, 100, 64, .detail = &heads_first),
    CHECK(PAGED, F32, 3, 4, 2, 1, 50, 24, .detail = &odd_pages),
    CHECK(PAGED, BF16, 3, 4, 2, 1, 50, 128, .detail = &odd_pages),
    TYPES(EDGES, CONTIGUOUS),
    TYPES(EDGES, PAGED),
    EDGES(FP8, F32),
    EDGES(FP8, BF16),
    EDGES(PAGED_FP8, F16),
    TYPES(SPECIALS, CONTIGUOUS),
    SPECIALS(PAGED, BF16),
    SPECIALS(FP8, F16),
    SPECIALS(PAGED_FP8, BF16),
    CHECK(CONTIGUOUS, BF16, 1, 4, 1, 1, 4500, 128), // many blocks for one sequence, many tiles for some
    CHECK(FP8, BF16, 1, 8, 1, 1, 1100, 128, .detail = &unsplit),
    GOALS(CONTIGUOUS),
    GOALS(PAGED),
    GOALS(FP8),
    GOALS(PAGED_FP8),
    BENCH(CONTIGUOUS, F16, 16, 32, 8, 1, 8192, 128),
    BENCH(CONTIGUOUS, F32, 16, 32, 8, 1, 8192, 128),
    BENCH(CONTIGUOUS, BF16, 16, 32, 32, 1, 8192, 128),
    BENCH(CONTIGUOUS, BF16, 16, 64, 8, 1, 8192, 128),
    BENCH(CONTIGUOUS, BF16, 16, 32, 8, 4, 8192, 128),
    BENCH(CONTIGUOUS, BF16, 16, 32, 8, 1, 8192, 64),
    BENCH(CONTIGUOUS, BF16, 16, 32, 8, 1, 8192, 256),
    BENCH(CONTIGUOUS, BF16, 256, 32, 8, 1, 1024, 128),
    BENCH(CONTIGUOUS, BF16, 1, 32, 8, 1, 1 << 20, 128),
    CASE(PAGED, BF16, 64, 32, 8, 1, 1 << 17, 128, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return (uint64_t)c->axes[KEYS]; }

// Strides and log-sum-exps are more than a guest is told.
static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    const decode_detail *d = c->detail;
    decode_problem p = decode_problem_of(c);
    if (d && (d->lse || d->q.token || d->kv.token || d->out.token)) return 0;
    size_t count = buffers(c, (kz_buffer[KZ_FAMILY_BUFFERS]){{0}});
    for (size_t i = 0; i < count; i++) args[i] = kz_arg_buffer((uint32_t)i);
    for (size_t i = 0; i < KZ_CASE_AXES; i++) args[count++] = kz_arg_u64((uint64_t)c->axes[i]);
    args[count++] = kz_arg_f32(p.scale);
    if (p.paged) args[count++] = kz_arg_u64(p.page), args[count++] = kz_arg_u64(p.pages);
    return count;
}

// By hand: 2 sequences of 3 queries and 7 keys; 4 heads of 8 numbers share 2 of the cache. 2 x (2 x 2 x 7 x 8) numbers of the cache,
// 2 x (2 x 4 x 3 x 8) of q and out; the queries see 5, 6 and 7 keys.
static const kz_worked worked[] = {
    {{.operation = KZ_ATTENTION_DECODE_CONTIGUOUS, .type = KZ_F16, .axes = {2, 4, 2, 3, 7, 8}},
     {448 * 2 + 384 * 2, 8 * 18 * 32}},
    {{.operation = KZ_ATTENTION_DECODE_PAGED_FP8, .type = KZ_F32, .axes = {2, 4, 2, 3, 7, 8}},
     {448 + 384 * 4, 8 * 18 * 32}},
};

#define GUEST_AXES                                                                                           \
    "size_t batch, size_t heads, size_t kv_heads, size_t queries, size_t keys, size_t dimension, float "     \
    "scale"

const kz_family kz_family_attention_decode = {
    .name = "attention_decode",
    .group = "ml_ops",
    .summary =
        "a few new queries over a cache of keys and values: contiguous, paged, 8 bits, lengths on the device",
    .operations = (const char *const[]){"contiguous", "paged", "fp8", "paged_fp8", NULL},
    .axes = (const char *const[]){"batch", "heads", "kv_heads", "queries", "keys", "dimension", NULL},
    .axes_note =
        "queries: new ones of each sequence, 8 at most; keys: the cache's room, of which lengths say "
        "how much is used",
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_attention_decode,
    .buffers = buffers,
    .fill = fill,
    .derive = derive,
    .reference = attention_decode_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cudnn", "torch", "torch_compile", "sdpa", NULL},
    .guest_signature =
        "const T *q, const T *k, const T *v, const int *lengths, T *out, " GUEST_AXES "\n"
        "paged-*: const T *q, const T *k, const T *v, const int *lengths, const int *page_table, "
        "T *out, " GUEST_AXES ", size_t page, size_t pages\n"
        "fp8-*: const T *q, const unsigned char *k, const unsigned char *v, const int *lengths, const float "
        "*k_scale, const float *v_scale, T *out, " GUEST_AXES "\n"
        "paged_fp8-*: const T *q, const unsigned char *k, const unsigned char *v, const int *lengths, const "
        "int "
        "*page_table, const float *k_scale, const float *v_scale, T *out, " GUEST_AXES
        ", size_t page, size_t pages",
    .guest_args = guest_args,
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

static kz_status check_shape(const kz_attention_decode_shape *shape, bool paged, kz_error *error) {
    if (!shape)
        return kz_fail(
            error, KZ_INVALID,
            "kz_attention_decode_open: the shape is NULL\nfill a kz_attention_decode_shape with its size, "
            "batch, heads, kv_heads, queries, keys and dimension");
    if (shape->size != sizeof *shape)
        return kz_fail(
            error, KZ_INVALID,
            "kz_attention_decode_open: the size in kz_attention_decode_shape is %zu, and this library's is "
            "%zu\nset it: kz_attention_decode_shape shape = {.size = sizeof shape}",
            shape->size, sizeof *shape);
    if (!paged && (shape->page || shape->pages))
        return kz_fail(
            error, KZ_INVALID,
            "kz_attention_decode_open: pages of %zu tokens, %zu of them, for a cache that has none\nset "
            ".page and .pages to 0, or open KZ_ATTENTION_DECODE_PAGED or KZ_ATTENTION_DECODE_PAGED_FP8",
            shape->page, shape->pages);
    if (shape->scale != shape->scale || isinf(shape->scale))
        return kz_fail(error, KZ_INVALID,
                       "kz_attention_decode_open: the scale is %g\nset .scale to a number, or to 0 for 1 / "
                       "sqrt(dimension)",
                       (double)shape->scale);
    return KZ_OK;
}

kz_status kz_attention_decode_open(kz_device *device, kz_attention_decode_operation which, kz_type type,
                                   const kz_attention_decode_shape *shape, const char *variant,
                                   kz_operation **operation, kz_error *error) {
    if (operation) *operation = NULL;
    if (!device || !operation) // it says which is NULL
        return kz_operation_open_family(device, &kz_family_attention_decode, &(kz_case){0}, variant,
                                        operation, error);
    bool paged = which == KZ_ATTENTION_DECODE_PAGED || which == KZ_ATTENTION_DECODE_PAGED_FP8;
    kz_status status = check_shape(shape, paged, error);
    if (status) return status;
    const decode_detail detail = {.scale = shape->scale,
                                  .page = shape->page,
                                  .pages = shape->pages,
                                  .splits = shape->splits,
                                  .q = shape->q,
                                  .kv = shape->kv,
                                  .out = shape->out,
                                  .lse = shape->lse};
    const kz_case c = {.operation = which,
                       .type = type,
                       .axes = {(int64_t)shape->batch, (int64_t)shape->heads, (int64_t)shape->kv_heads,
                                (int64_t)shape->queries, (int64_t)shape->keys, (int64_t)shape->dimension},
                       .detail = &detail};
    return kz_operation_open_family(device, &kz_family_attention_decode, &c, variant, operation, error);
}

kz_status kz_attention_decode_run(kz_operation *operation, kz_stream *stream,
                                  const kz_attention_decode_buffers *buffers, kz_ptr workspace,
                                  uint64_t workspace_bytes, kz_error *error) {
    if (!buffers || buffers->size != sizeof *buffers)
        return kz_fail(error, KZ_INVALID,
                       "kz_attention_decode_run: the buffers are NULL or of another version\nset their size: "
                       "kz_attention_decode_buffers buffers = {.size = sizeof buffers}");
    const kz_named_buffer named[] = {{"q", buffers->q},
                                     {"k", buffers->k},
                                     {"v", buffers->v},
                                     {"lengths", buffers->lengths},
                                     {"page_table", buffers->page_table},
                                     {"k_scale", buffers->k_scale},
                                     {"v_scale", buffers->v_scale},
                                     {"out", buffers->out},
                                     {"lse", buffers->lse}};
    return kz_operation_run_named(operation, stream, named, sizeof named / sizeof *named, workspace,
                                  workspace_bytes, error);
}
