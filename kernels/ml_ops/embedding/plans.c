// embedding: plans, and the table of variants.
#include <stdio.h>

#include "private.h"
#include "tune.h"

enum {
    THREADS = EMBEDDING_THREADS,
    MOST_BLOCKS = 1 << 30,
    ALIGNED = 256,
    LARGE = EMBEDDING_PIECE * EMBEDDING_PIECE
};

static uint64_t axis(const kz_planner *p, int i) { return (uint64_t)p->c->axes[i]; }
static uint64_t blocks_for(uint64_t threads) {
    return kz_min_u64(kz_ceil_div(threads, THREADS), MOST_BLOCKS);
}
static uint64_t pack(const kz_planner *p) { return 16 / kz_type_size(p->c->type); }

// Threads for `rows` rows of packs; where rows have no whole packs the kernels stride.
static uint64_t threads_for(const kz_planner *p, uint64_t rows) {
    return rows * kz_ceil_div(axis(p, DIM), pack(p));
}

static kz_status check_shape(const kz_planner *p, uint32_t does) {
    bool gradient = embedding_is_gradient(p->c);
    if (!(does >> gradient & 1))
        return kz_plan_refuse(p->error, gradient ? "gather alone: 07_empty_rows does the gradient"
                                                 : "the gradient alone: 03_rows_in_flight gathers");
    for (int i = TOKENS; i <= DIM; i++)
        if (axis(p, i) > INT32_MAX)
            return kz_plan_refuse(p->error,
                                  "embedding: %s is %llu, and 2^31 - 1 at most; cut what is more into parts",
                                  p->family->axes[i], (unsigned long long)axis(p, i));
    return KZ_OK;
}

static uint64_t outputs(const kz_planner *p) {
    return axis(p, DIM) * axis(p, embedding_is_gradient(p->c) ? VOCABULARY : TOKENS);
}

// ---- gather ------------------------------------------------------------------------------------------------

static kz_status add_gather(const kz_planner *p, uint64_t threads) {
    return KZ_LAUNCH(p, .blocks = blocks_for(threads), .threads = THREADS,
                     KZ_ARGS(kz_arg_buffer(TABLE), kz_arg_buffer(IDS), kz_arg_buffer(ROWS),
                             kz_arg_u64(axis(p, TOKENS)), kz_arg_u64(axis(p, VOCABULARY)),
                             kz_arg_u64(axis(p, DIM)), kz_arg_u64(embedding_is_i64(p->c))));
}

static kz_status plan_vector(const kz_planner *p) {
    kz_status status = check_shape(p, p->variant->does);
    if (status != KZ_OK || outputs(p) == 0) return status;
    return add_gather(p, threads_for(p, axis(p, TOKENS)));
}

static kz_status plan_rows_in_flight(const kz_planner *p) {
    kz_status status = check_shape(p, p->variant->does);
    if (status != KZ_OK || outputs(p) == 0) return status;
    return add_gather(p, threads_for(p, kz_ceil_div(axis(p, TOKENS), EMBEDDING_ROWS)));
}

// ---- both, simply ------------------------------------------------------------------------------------------

static kz_status plan_native(const kz_planner *p) {
    kz_status status = check_shape(p, p->variant->does);
    if (status != KZ_OK || outputs(p) == 0) return status;
    bool gradient = embedding_is_gradient(p->c);
    uint64_t parts = axis(p, gradient ? DIM : TOKENS);
    uint64_t blocks = kz_min_u64(parts, (uint64_t)p->device->multiprocessors);
    if (gradient) p->plan->workspace_bytes = blocks * axis(p, VOCABULARY) * sizeof(double);
    return KZ_LAUNCH(p, .blocks = blocks, .threads = 1,
                     KZ_ARGS(kz_arg_buffer(0), kz_arg_buffer(IDS), kz_arg_buffer(2),
                             gradient ? kz_arg_workspace(0) : kz_arg_u64(0), kz_arg_u64(axis(p, TOKENS)),
                             kz_arg_u64(axis(p, VOCABULARY)), kz_arg_u64(axis(p, DIM)),
                             kz_arg_u64(embedding_is_i64(p->c)), kz_arg_u64(axis(p, PADDING))));
}

// Sums are the result for f32, and a table of floats in the workspace for the half types.
static kz_status add_atomics(const kz_planner *p) {
    bool wide = p->c->type == KZ_F32;
    uint64_t bytes = outputs(p) * sizeof(float), elements = axis(p, TOKENS) * axis(p, DIM);
    kz_arg sums = wide ? kz_arg_buffer(D_TABLE) : kz_arg_workspace(0);
    if (!wide) p->plan->workspace_bytes = bytes;
    kz_plan_add_fill(p->plan, sums, 0, bytes);
    kz_status status =
        KZ_LAUNCH(p, .blocks = blocks_for(elements), .threads = THREADS,
                  KZ_ARGS(kz_arg_buffer(D_ROWS), kz_arg_buffer(IDS), sums, kz_arg_u64(axis(p, TOKENS)),
                          kz_arg_u64(axis(p, VOCABULARY)), kz_arg_u64(axis(p, DIM)),
                          kz_arg_u64(embedding_is_i64(p->c)), kz_arg_u64(axis(p, PADDING))));
    if (status || wide) return status;
    return KZ_LAUNCH(p, .part = "round", .blocks = blocks_for(outputs(p)), .threads = THREADS,
                     KZ_ARGS(sums, kz_arg_buffer(D_TABLE), kz_arg_u64(outputs(p))));
}

static kz_status plan_naive(const kz_planner *p) {
    kz_status status = check_shape(p, p->variant->does);
    if (status != KZ_OK || outputs(p) == 0) return status;
    return embedding_is_gradient(p->c) ? add_atomics(p) : add_gather(p, outputs(p));
}

// ---- the gradient by sorted tokens ---------------------------------------------------------------------------

// The sort's shape, and where its arrays are in the workspace. Keys and tokens are there twice; each pass of the sort reads
// one and writes the other.
typedef struct layout {
    uint64_t tiles, passes, bits; // bits of a digit
    uint64_t keys[2], tokens[2], counts, totals, begins, ends, pieces, large;
    uint64_t bytes;
} layout;

static uint64_t take_bytes(layout *l, uint64_t bytes) {
    uint64_t at = l->bytes;
    l->bytes = kz_ceil_div(at + bytes + 1, ALIGNED) * ALIGNED; // one more: an empty array has an address too
    return at;
}

static layout make_layout(const kz_planner *p, bool pieces) {
    uint64_t n = axis(p, TOKENS), vocabulary = axis(p, VOCABULARY), row = axis(p, DIM) * sizeof(float),
             width = 1;
    layout l = {.tiles = kz_ceil_div(n, EMBEDDING_SORT_TILE)};
    while (vocabulary >> width) width++; // of the largest key, which is `vocabulary`
    l.passes = kz_ceil_div(width, EMBEDDING_DIGIT_BITS);
    l.bits = kz_ceil_div(width, l.passes);
    for (int i = 0; i < 2; i++) l.keys[i] = take_bytes(&l, 4 * n), l.tokens[i] = take_bytes(&l, 4 * n);
    l.counts = take_bytes(&l, 4 * l.tiles << l.bits);
    l.totals = take_bytes(&l, 4ull << l.bits);
    l.begins = take_bytes(&l, 8 * vocabulary);
    l.ends = l.begins + 4 * vocabulary;
    if (pieces)
        l.pieces = take_bytes(&l, n / EMBEDDING_PIECE * row), l.large = take_bytes(&l, n / LARGE * row);
    p->plan->workspace_bytes = l.bytes;
    return l;
}

// One of the sort's launches, with the variant's name and no type in its own.
static kz_status add_sort_launch(const kz_planner *p, const char *part, uint64_t blocks, const kz_arg *args,
                                 size_t arg_count) {
    char entry[KZ_ENTRY_NAME];
    snprintf(entry, sizeof entry, "embedding_%s_%s", kz_variant_idea(p->variant), part);
    return KZ_LAUNCH(p, .entry = entry, .blocks = blocks, .threads = THREADS, .args = args,
                     .arg_count = arg_count);
}

static kz_status add_pass(const kz_planner *p, const layout *l, uint64_t pass) {
    uint64_t from = (pass + 1) % 2, to = pass % 2, digits = 1ull << l->bits;
    kz_arg args[] = {kz_arg_buffer(IDS),
                     kz_arg_workspace(l->keys[from]),
                     kz_arg_workspace(l->tokens[from]),
                     kz_arg_workspace(l->counts),
                     kz_arg_u64(axis(p, TOKENS)),
                     kz_arg_u64(axis(p, VOCABULARY)),
                     kz_arg_u64(embedding_is_i64(p->c)),
                     kz_arg_u64(axis(p, PADDING)),
                     kz_arg_u64(pass * l->bits),
                     kz_arg_u64(l->bits),
                     kz_arg_u64(pass == 0),
                     kz_arg_workspace(l->totals), // from here on for place alone
                     kz_arg_workspace(l->keys[to]),
                     kz_arg_workspace(l->tokens[to])};
    const kz_arg offset[] = {kz_arg_workspace(l->counts), kz_arg_workspace(l->totals), kz_arg_u64(digits),
                             kz_arg_u64(l->tiles)};
    kz_status status = add_sort_launch(p, "count", l->tiles, args, 11);
    if (!status) status = add_sort_launch(p, "offset", kz_ceil_div(digits, THREADS / 32), offset, 4);
    return status ? status : add_sort_launch(p, "place", l->tiles, args, 14);
}

// Afterwards the sorted keys and tokens are the last pass's, and begins and ends are each id's.
static kz_status add_sort(const kz_planner *p, const layout *l) {
    uint64_t n = axis(p, TOKENS), last = (l->passes - 1) % 2;
    kz_status status = KZ_OK;
    kz_plan_add_fill(p->plan, kz_arg_workspace(l->begins), 0, 8 * axis(p, VOCABULARY));
    for (uint64_t pass = 0; pass < l->passes && !status; pass++) status = add_pass(p, l, pass);
    const kz_arg args[] = {kz_arg_workspace(l->keys[last]), kz_arg_workspace(l->begins),
                           kz_arg_workspace(l->ends), kz_arg_u64(n), kz_arg_u64(axis(p, VOCABULARY))};
    return status ? status : add_sort_launch(p, "bounds", blocks_for(n), args, 5);
}

// The launch in which each row of the table has its owners.
static kz_status add_owners(const kz_planner *p, const layout *l, uint64_t threads, bool pieces) {
    kz_arg args[] = {kz_arg_buffer(D_ROWS),       kz_arg_workspace(l->tokens[(l->passes - 1) % 2]),
                     kz_arg_workspace(l->begins), kz_arg_workspace(l->ends),
                     kz_arg_buffer(D_TABLE),      kz_arg_u64(axis(p, VOCABULARY)),
                     kz_arg_u64(axis(p, DIM)),    kz_arg_workspace(l->pieces),
                     kz_arg_workspace(l->large)};
    return KZ_LAUNCH(p, .blocks = blocks_for(threads), .threads = THREADS, .args = args,
                     .arg_count = pieces ? 9 : 7);
}

// Sums of an id's whole pieces, and of 32 pieces each.
static kz_status add_pieces(const kz_planner *p, const layout *l) {
    uint64_t n = axis(p, TOKENS), last = (l->passes - 1) % 2;
    kz_arg args[] = {kz_arg_buffer(D_ROWS),
                     kz_arg_workspace(l->tokens[last]),
                     kz_arg_workspace(l->keys[last]),
                     kz_arg_workspace(l->begins),
                     kz_arg_workspace(l->ends),
                     kz_arg_workspace(l->pieces),
                     kz_arg_u64(n),
                     kz_arg_u64(axis(p, VOCABULARY)),
                     kz_arg_u64(axis(p, DIM))};
    kz_status status =
        KZ_LAUNCH(p, .part = "pieces", .blocks = blocks_for(threads_for(p, n / EMBEDDING_PIECE)),
                  .threads = THREADS, .args = args, .arg_count = 9);
    const kz_arg large[] = {args[5], args[2], args[3], args[4], kz_arg_workspace(l->large),
                            args[6], args[7], args[8]};
    uint64_t threads = n / LARGE * kz_ceil_div(axis(p, DIM), 4);
    return status ? status : add_sort_launch(p, "large", blocks_for(threads), large, 8);
}

static kz_status plan_sorted_by(const kz_planner *p, uint64_t threads, bool pieces) {
    kz_status status = check_shape(p, p->variant->does);
    if (status != KZ_OK || outputs(p) == 0) return status;
    if (axis(p, TOKENS) == 0) {
        kz_plan_add_fill(p->plan, kz_arg_buffer(D_TABLE), 0, outputs(p) * kz_type_size(p->c->type));
        return KZ_OK;
    }
    layout l = make_layout(p, pieces);
    status = add_sort(p, &l);
    if (!status && pieces) status = add_pieces(p, &l);
    return status ? status : add_owners(p, &l, threads, pieces);
}

static kz_status plan_sorted(const kz_planner *p) { return plan_sorted_by(p, outputs(p), false); }
static kz_status plan_batched_rows(const kz_planner *p) {
    return plan_sorted_by(p, threads_for(p, axis(p, VOCABULARY)), false);
}
static kz_status plan_split_heavy(const kz_planner *p) {
    return plan_sorted_by(p, threads_for(p, axis(p, VOCABULARY)), true);
}
static kz_status plan_empty_rows(const kz_planner *p) {
    return plan_sorted_by(p, threads_for(p, kz_ceil_div(axis(p, VOCABULARY), EMBEDDING_TABLE_ROWS)), true);
}

// clang-format off
enum { GATHER = 1, GRADIENT = 2, BOTH = GATHER | GRADIENT };
const kz_variant embedding_variants[EMBEDDING_VARIANTS] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", embedding_natives, .does = BOTH},
    {"01_naive", 75, plan_naive, "a thread per element; the gradient by atomics", .does = BOTH, .unordered = true},
    {"02_vector", 75, plan_vector, "gather: 16 bytes per access", .does = GATHER},
    {"03_rows_in_flight", 75, plan_rows_in_flight, "gather: the loads of four rows in flight", .does = GATHER},
    {"04_sorted", 75, plan_sorted, "gradient: tokens sorted by id, an owner for each element", .does = GRADIENT},
    {"05_batched_rows", 80, plan_batched_rows, "gradient: 16 bytes, several rows in flight", .does = GRADIENT},
    {"06_split_heavy", 80, plan_split_heavy, "gradient: ids of many tokens are added in pieces", .does = GRADIENT},
    {"07_empty_rows", 80, plan_empty_rows, "gradient: four rows of the table per thread, empty ones at once", .does = GRADIENT},
};
// clang-format on
