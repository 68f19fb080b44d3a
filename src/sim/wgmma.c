// Products of a warpgroup: wgmma.mma_async, its groups, and what is under way.
//
// A product is one operation of four warps, which compute 16 rows each. It is done as late as PTX allows: when the first of them waits
// for the group. Until then the accumulator holds its old value, and shared memory is not read; a program that goes on too early
// gets wrong results here, as it may on a GPU. A drawn schedule (launch.seed) does some of it earlier.
//
// Who has waited may overwrite the matrices in shared memory, for all four are done with them: CUTLASS lets one thread of a warpgroup
// tell the producer. So a wait does the parts of all four warps, and before that lets them come to where the products are issued.
//
// Compilers may copy an accumulator between two registers while it is under way (ptxas makes one register of them): such a move takes
// its turn behind the products that were issued before it.

#include "sim/wgmma.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, ROW_BYTES = 16, GROUP_WARPS = 4, WARP_BLOCKS = 2, MOST_COLUMNS = 32, KEPT = 64 };

typedef struct wgmma_work {
    const sim_op *op; // a product, or a move
    uint8_t *frame;
    uint64_t a, b; // descriptors
    bool adds;
    uint32_t group; // commits before it
} wgmma_work;

// What the other warps of the group compare with theirs.
typedef struct wgmma_issued {
    const sim_op *op;
    uint64_t a, b;
} wgmma_issued;

struct sim_wgmma_state {
    wgmma_work *work;
    uint32_t count, capacity;
    uint32_t groups;         // committed
    uint64_t issued, done;   // products
    uint8_t *under_way;      // a bit for each register of the warp: what is in `work` writes it
    wgmma_issued kept[KEPT]; // the latest products
};

static bool is_product(const wgmma_work *work) { return work->op->inst->op == PTX_OP_WGMMA_MMA_ASYNC; }
static const wgmma_form *form_of(const sim_op *op) { return (const wgmma_form *)(uintptr_t)op->aux; }

// ---- matrices in shared memory ---------------------------------------------------------------------------

wgmma_layout sim_wgmma_layout(uint64_t descriptor, bool across) {
    static const uint32_t swizzles[] = {0, 128, 64, 32};
    return (wgmma_layout){.start = (uint32_t)(descriptor & 0x3fff) << 4,
                          .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                          .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                          .base_offset = (uint32_t)(descriptor >> 49 & 7),
                          .swizzle = swizzles[descriptor >> 62],
                          .across = across};
}

// PTX ISA, "Matrix Descriptor Format" and "Strides". The swizzle permutes pieces of 16 bytes by bits of the final address.
uint32_t sim_wgmma_row(const wgmma_layout *l, unsigned block, unsigned piece, unsigned row) {
    uint32_t at = l->start, width = l->swizzle;
    if (!width) return at + block * l->stride + piece * l->leading + row * ROW_BYTES;
    if (l->across)
        at += block * ROW_BYTES % width + block * ROW_BYTES / width * l->leading + row * width +
              piece * l->stride;
    else
        at += row * width + block * l->stride + piece * ROW_BYTES;
    uint32_t in_pattern = at - (l->base_offset << 7);
    return at ^ (in_pattern >> 7 & (width / ROW_BYTES - 1)) << 4;
}

typedef struct reader {
    sim_warp *warp;
    const sim_op *op;
    wgmma_layout layout;
    ptx_type type;
    bool negates;
    const char *name; // "A"
} reader;

static void check_row(const reader *r, uint32_t at) {
    if (at <= r->warp->shared_bytes && r->warp->shared_bytes - at >= ROW_BYTES) return;
    sim_fault_here(
        r->warp, r->op, 0, SIM_FAULT_BOUNDS,
        "the descriptor of %s reaches shared offset 0x%x, and the block has 0x%x bytes\n"
        "  it says: start 0x%x, leading offset %u, stride offset %u, swizzle of %u bytes\n"
        "likely cause: an offset in bytes where the descriptor has it in units of 16, leading and "
        "stride offset "
        "exchanged, or another swizzle than the data has\n"
        "what to do: compare the descriptor with the tile's address, its size and how it was filled",
        r->name, at, r->warp->shared_bytes, r->layout.start, r->layout.leading, r->layout.stride,
        r->layout.swizzle);
}

// Signs are the highest bits of the elements.
static void negate(matrix_core *core, ptx_type type) {
    unsigned bytes = ptx_type_bits(type) / 8;
    for (unsigned i = bytes - 1; i < sizeof *core; i += bytes) ((uint8_t *)core)[i] ^= 0x80;
}

static void read_core(const reader *r, unsigned block, unsigned piece, matrix_core *core) {
    for (unsigned i = 0; i < SIDE; i++) {
        uint32_t at = sim_wgmma_row(&r->layout, block, piece, i);
        check_row(r, at);
        memcpy(core->row[i], r->warp->shared + at, ROW_BYTES);
    }
    if (r->layout.across) sim_transpose_core(core, core);
    if (r->negates) negate(core, r->type);
}

// ---- products --------------------------------------------------------------------------------------------

// The warp's own rows, from registers or from shared memory.
static void read_a(const reader *r, const wgmma_form *f, unsigned block, unsigned piece, matrix_core *core) {
    if (!f->a_in_registers) {
        read_core(r, r->warp->index % GROUP_WARPS * WARP_BLOCKS + block, piece, core);
        return;
    }
    *core = *(const matrix_core *)SIM_REG(uint8_t, r->warp, f->base.a[block][piece]);
    if (r->negates) negate(core, r->type);
}

static void unpack_a(const reader *r, const wgmma_form *f, unsigned block, matrix_side *side) {
    matrix_core cores[MATRIX_CHUNKS];
    const matrix_core *pieces[MATRIX_CHUNKS];
    for (unsigned i = 0; i < f->base.a_pieces; i++) {
        pieces[i] = &cores[i];
        read_a(r, f, block, i, &cores[i]);
    }
    f->base.isa->unpack_side(&f->base.product, false, pieces, side);
}

static void unpack_b(const reader *r, const wgmma_form *f, unsigned block, matrix_side *side) {
    matrix_core cores[MATRIX_CHUNKS];
    const matrix_core *pieces[MATRIX_CHUNKS];
    for (unsigned i = 0; i < f->base.b_pieces; i++) {
        pieces[i] = &cores[i];
        read_core(r, block, i, &cores[i]);
    }
    f->base.isa->unpack_side(&f->base.product, true, pieces, side);
}

// B of a product that is tiled, unpacked for all four warps.
typedef struct wgmma_columns {
    const sim_op *op; // NULL: none yet
    uint64_t b;
    matrix_core cores[MOST_COLUMNS][2];
    matrix_columns columns[MOST_COLUMNS];
} wgmma_columns;

static void share_b(const reader *r, const mma_form *f, const wgmma_work *work, wgmma_columns *shared) {
    if (shared->op == work->op && shared->b == work->b) return;
    for (unsigned j = 0; j < f->columns; j++) {
        const matrix_core *const pieces[] = {&shared->cores[j][0], &shared->cores[j][1]};
        for (unsigned i = 0; i < f->b_pieces; i++) read_core(r, j, i, &shared->cores[j][i]);
        f->isa->unpack_columns(&f->product, pieces, &shared->columns[j]);
    }
    shared->op = work->op;
    shared->b = work->b;
}

static void multiply_tiles(const reader *a, const reader *b, const wgmma_work *work, wgmma_columns *shared) {
    const wgmma_form *f = form_of(work->op);
    const mma_form *base = &f->base;
    matrix_core cores[WARP_BLOCKS][2];
    const matrix_core *const pieces[WARP_BLOCKS][2] = {{&cores[0][0], &cores[0][1]},
                                                       {&cores[1][0], &cores[1][1]}};
    matrix_rows rows;
    share_b(b, base, work, shared);
    for (unsigned i = 0; i < WARP_BLOCKS * base->a_pieces; i++)
        read_a(a, f, i / base->a_pieces, i % base->a_pieces, &cores[i / base->a_pieces][i % base->a_pieces]);
    base->isa->unpack_rows(&base->product, pieces, &rows);
    for (unsigned j = 0; j < base->columns; j++) {
        uint32_t *sums[4];
        for (unsigned i = 0; i < 4; i++) {
            sums[i] = SIM_REG(uint32_t, a->warp, base->d[WARP_BLOCKS * j + i / 2].at[i % 2]);
            if (!work->adds) memset(sums[i], 0, SIM_LANES * sizeof *sums[i]);
        }
        base->isa->multiply_tile(&base->product, &rows, &shared->columns[j], sums);
    }
}

static void multiply(sim_warp *w, const wgmma_work *work, wgmma_columns *shared) {
    const wgmma_form *f = form_of(work->op);
    const mma_form *base = &f->base;
    const reader a = {w,  work->op, sim_wgmma_layout(work->a, f->a_across), base->product.a, f->negates_a,
                      "A"};
    const reader b = {w,  work->op, sim_wgmma_layout(work->b, f->b_across), base->product.b, f->negates_b,
                      "B"};
    if (base->tiled) {
        multiply_tiles(&a, &b, work, shared);
        return;
    }
    matrix_side rows[WARP_BLOCKS], columns;
    matrix_select select[WARP_BLOCKS];
    for (unsigned i = 0; i < WARP_BLOCKS; i++) {
        unpack_a(&a, f, i, &rows[i]);
        if (base->matrix.sparse) sim_mma_select(w, base, i, &select[i]);
    }
    for (unsigned j = 0; j < base->columns; j++) {
        unpack_b(&b, f, j, &columns);
        for (unsigned i = 0; i < WARP_BLOCKS; i++) {
            uint32_t sum[SIDE][SIDE] = {0};
            unsigned pair = j * WARP_BLOCKS + i;
            if (work->adds) sim_mma_load_sums(w, base, pair, sum);
            base->isa->multiply_sides(&base->product, &rows[i], &columns,
                                      base->matrix.sparse ? &select[i] : NULL, sum);
            sim_mma_store_sums(w, base, pair, sum);
        }
    }
}

static void perform(sim_warp *w, const wgmma_work *work, wgmma_columns *shared) {
    uint8_t *frame = w->frame;
    w->frame = work->frame;
    if (is_product(work))
        multiply(w, work, shared);
    else
        memcpy(SIM_REG(uint8_t, w, work->op->d), SIM_REG(uint8_t, w, work->op->a),
               SIM_LANES * sizeof(uint32_t));
    w->frame = frame;
    w->block->worker->changes++;
}

static size_t register_of(const sim_warp *w, const uint8_t *frame, uint32_t at) {
    return (size_t)(frame + at - w->registers) / (SIM_LANES * sizeof(uint32_t));
}

static void mark(sim_warp *w, struct sim_wgmma_state *s, const uint8_t *frame, uint32_t at) {
    size_t i = register_of(w, frame, at);
    s->under_way[i / 8] |= (uint8_t)(1u << i % 8);
}

static bool is_marked(const sim_warp *w, const struct sim_wgmma_state *s, uint32_t at) {
    size_t i = register_of(w, w->frame, at);
    return s->under_way[i / 8] >> i % 8 & 1;
}

static void mark_results(sim_warp *w, struct sim_wgmma_state *s, const wgmma_work *work) {
    if (!is_product(work)) {
        mark(w, s, work->frame, work->op->d);
        return;
    }
    const mma_form *f = &form_of(work->op)->base;
    unsigned pairs = ptx_matrix_elements(&f->matrix, PTX_MATRIX_D) / 2;
    for (unsigned i = 0; i < pairs; i++)
        for (unsigned k = 0; k < 2; k++) mark(w, s, work->frame, f->d[i].at[k]);
}

static size_t mark_bytes(const sim_warp *w) {
    return w->block->grid->kernel->register_bytes / (8 * SIM_LANES * sizeof(uint32_t)) + 1;
}

// The warp's part of all products before the `until`-th, in order, and the moves between them; `count` of its work is done.
static uint32_t perform_until(sim_warp *w, struct sim_wgmma_state *s, uint32_t count, uint64_t until,
                              wgmma_columns *shared) {
    for (; count < s->count; count++) {
        if (is_product(&s->work[count]) && s->done == until) break;
        s->done += is_product(&s->work[count]);
        perform(w, &s->work[count], shared);
    }
    return count;
}

static void drop_work(sim_warp *w, struct sim_wgmma_state *s, uint32_t count) {
    if (!count) return;
    s->count -= count;
    memmove(s->work, s->work + count, s->count * sizeof *s->work);
    memset(s->under_way, 0, mark_bytes(w));
    for (uint32_t i = 0; i < s->count; i++) mark_results(w, s, &s->work[i]);
}

// ---- what is under way -----------------------------------------------------------------------------------

void sim_wgmma_reset(struct sim_wgmma_state *s) {
    if (!s) return;
    s->count = s->groups = 0;
    s->issued = s->done = 0;
}

void sim_wgmma_close(struct sim_wgmma_state *s) {
    if (!s) return;
    free(s->work);
    free(s->under_way);
    free(s);
}

void sim_wgmma_count(const struct sim_wgmma_state *s, uint32_t *done, uint32_t *groups, uint32_t *open) {
    uint32_t last = UINT32_MAX;
    *done = *groups = *open = 0;
    for (uint32_t i = 0; s && i < s->count; i++) {
        const wgmma_work *work = &s->work[i];
        if (work->op->inst->op != PTX_OP_WGMMA_MMA_ASYNC) continue; // a move
        if (work->group == s->groups) {
            ++*open;
            continue;
        }
        ++*done;
        *groups += work->group != last;
        last = work->group;
    }
}

static struct sim_wgmma_state *state_of(sim_warp *w, const sim_op *op) {
    async_warp *mine = sim_async_warp(w, op);
    if (!mine->wgmma) mine->wgmma = calloc(1, sizeof *mine->wgmma);
    if (mine->wgmma && !mine->wgmma->under_way) mine->wgmma->under_way = calloc(1, mark_bytes(w));
    if (!mine->wgmma || !mine->wgmma->under_way)
        sim_fault_here(w, op, 0, SIM_FAULT_NO_MEMORY, "no memory left for products of a warpgroup");
    return mine->wgmma;
}

static struct sim_wgmma_state *state_in(const sim_block *b, uint32_t warp) {
    return b->async ? b->async->warps[warp].wgmma : NULL;
}

static void add_work(sim_warp *w, struct sim_wgmma_state *s, wgmma_work work) {
    if (s->count == s->capacity) {
        uint32_t capacity = s->capacity ? 2 * s->capacity : 16;
        wgmma_work *grown = realloc(s->work, capacity * sizeof *grown);
        if (!grown)
            sim_fault_here(w, work.op, 0, SIM_FAULT_NO_MEMORY, "no memory left for products of a warpgroup");
        s->work = grown;
        s->capacity = capacity;
    }
    if (!s->count) memset(s->under_way, 0, mark_bytes(w));
    s->work[s->count++] = work;
    mark_results(w, s, &work);
}

static uint64_t uniform(sim_warp *w, const sim_op *op, uint32_t at, const char *name) {
    const uint64_t *values = SIM_REG(uint64_t, w, at);
    for (unsigned lane = 1; lane < SIM_LANES; lane++)
        if (values[lane] != values[0])
            sim_fault_here(
                w, op, lane, SIM_FAULT_MEMBERS_APART,
                "the descriptor of %s is 0x%llx here and 0x%llx in the warp's first thread\n"
                "likely cause: it was made of an address that depends on the thread\n"
                "what to do: make it of the tile's own address, the same in all 128 threads of the warpgroup",
                name, (unsigned long long)values[lane], (unsigned long long)values[0]);
    return values[0];
}

// The other warps of the group; NULL for the warp itself, and for those that have not begun.
static const struct sim_wgmma_state *state_beside(const sim_warp *w, unsigned i) {
    uint32_t index = w->index / GROUP_WARPS * GROUP_WARPS + i;
    return index != w->index && index < w->block->warp_count ? state_in(w->block, index) : NULL;
}

static void check_descriptor(sim_warp *w, const sim_op *op, const char *name, uint64_t mine, uint32_t other,
                             uint64_t theirs) {
    if (mine == theirs) return;
    sim_fault_here(
        w, op, 0, SIM_FAULT_MEMBERS_APART,
        "the descriptor of %s is 0x%llx in warp %u and 0x%llx in warp %u of the same warpgroup\n"
        "likely cause: it was made of an address that depends on the warp; the product finds each warp's 16 "
        "rows itself\n"
        "what to do: make it of the tile's own address, the same in all 128 threads of the warpgroup",
        name, (unsigned long long)mine, w->index, (unsigned long long)theirs, other);
}

// All four warps execute the same products with the same descriptors.
static void compare_with_group(sim_warp *w, const wgmma_work *work, uint64_t ordinal) {
    for (unsigned i = 0; i < GROUP_WARPS; i++) {
        const struct sim_wgmma_state *s = state_beside(w, i);
        uint32_t other = w->index / GROUP_WARPS * GROUP_WARPS + i;
        if (!s || ordinal >= s->issued || s->issued - ordinal > KEPT) continue;
        const wgmma_issued *theirs = &s->kept[ordinal % KEPT];
        if (theirs->op != work->op)
            sim_fault_here(
                w, work->op, 0, SIM_FAULT_ALIGNED,
                "product %llu of warp %u is another instruction than that of warp %u of the same warpgroup\n"
                "likely cause: warps of a warpgroup take different ways through the program\n"
                "what to do: let all four warps execute the same wgmma instructions in the same order",
                (unsigned long long)ordinal, w->index, other);
        check_descriptor(w, work->op, "A", work->a, other, theirs->a);
        check_descriptor(w, work->op, "B", work->b, other, theirs->b);
    }
}

// ---- for listeners ---------------------------------------------------------------------------------------

typedef struct rows_named {
    const reader *reader;
    sim_access_part part;
    unsigned count;
    uint64_t at[SIM_LANES];
} rows_named;

static void tell_rows(rows_named *t) {
    const reader *r = t->reader;
    sim_listener *listener = r->warp->block->worker->listener;
    if (!t->count) return;
    uint32_t mask = t->count == SIM_LANES ? SIM_ALL : (UINT32_C(1) << t->count) - 1;
    sim_access access = {.at = sim_event_of(r->warp, r->op->inst, mask),
                         .kind = SIM_LOAD,
                         .space = SIM_SHARED,
                         .agent = SIM_PRODUCT,
                         .part = t->part,
                         .bytes = ROW_BYTES,
                         .addresses = t->at};
    listener->access(listener, &access);
    t->count = 0;
}

// Core matrices `first` and on, piece after piece, 8 rows each: lanes of the accesses count them.
static void tell_side(const reader *r, sim_access_part part, unsigned first, unsigned blocks,
                      unsigned pieces) {
    rows_named named = {.reader = r, .part = part};
    for (unsigned block = first; block < first + blocks; block++)
        for (unsigned piece = 0; piece < pieces; piece++)
            for (unsigned row = 0; row < SIDE; row++) {
                uint32_t at = sim_wgmma_row(&r->layout, block, piece, row);
                check_row(r, at);
                named.at[named.count++] = at;
                if (named.count == SIM_LANES) tell_rows(&named);
            }
    tell_rows(&named);
}

// What the warp's part reads of shared memory: its 16 rows of A, and all of B.
static void tell_reads(sim_warp *w, const wgmma_work *work) {
    const wgmma_form *f = form_of(work->op);
    const sim_listener *listener = w->block->worker->listener;
    if (!listener || !listener->access) return;
    const reader a = {
        .warp = w, .op = work->op, .layout = sim_wgmma_layout(work->a, f->a_across), .name = "A"};
    const reader b = {
        .warp = w, .op = work->op, .layout = sim_wgmma_layout(work->b, f->b_across), .name = "B"};
    if (!f->a_in_registers)
        tell_side(&a, SIM_PART_FIRST, w->index % GROUP_WARPS * WARP_BLOCKS, WARP_BLOCKS, f->base.a_pieces);
    tell_side(&b, SIM_PART_MORE, 0, f->base.columns, f->base.b_pieces);
}

// ---- instructions ----------------------------------------------------------------------------------------

static uint32_t first_of_group(const sim_warp *w) { return w->index / GROUP_WARPS * GROUP_WARPS; }

// Products that all warps of the group have issued: none begins before.
static uint64_t issued_by_all(const sim_warp *w) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = first_of_group(w); i < first_of_group(w) + GROUP_WARPS && i < w->block->warp_count;
         i++) {
        const struct sim_wgmma_state *s = state_in(w->block, i);
        if (!s || s->issued < least) least = s ? s->issued : 0;
    }
    return least;
}

// Product by product, for the four warps have B in common.
static void perform_of_group(sim_warp *w, uint64_t until) {
    struct sim_wgmma_state *states[GROUP_WARPS] = {NULL};
    sim_warp *warps = &w->block->warps[first_of_group(w)];
    uint32_t done[GROUP_WARPS] = {0}, count = w->block->warp_count - first_of_group(w);
    uint64_t reached = until;
    if (count > GROUP_WARPS) count = GROUP_WARPS;
    for (uint32_t i = 0; i < count; i++) {
        states[i] = state_in(w->block, first_of_group(w) + i);
        if (states[i] && states[i]->count && states[i]->done < reached) reached = states[i]->done;
    }
    wgmma_columns shared;
    do {
        reached += reached < until;
        shared.op = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (states[i]) done[i] = perform_until(&warps[i], states[i], done[i], reached, &shared);
    } while (reached < until);
    for (uint32_t i = 0; i < count; i++)
        if (states[i]) drop_work(&warps[i], states[i], done[i]);
}

// Warps of the group that wait for this one's part.
static void wake_group(sim_warp *w) {
    for (uint32_t i = first_of_group(w); i < first_of_group(w) + GROUP_WARPS; i++) {
        sim_warp *other = &w->block->warps[i];
        if (other != w && other->path_count == 1 && other->paths[0].state == SIM_PATH_AT_SYNC)
            sim_warp_settle(other);
    }
}

void sim_wgmma(sim_warp *w, const sim_op *op) {
    const wgmma_form *f = form_of(op);
    if (first_of_group(w) + GROUP_WARPS > w->block->warp_count)
        sim_fault_here(w, op, 0, SIM_FAULT_ALIGNED,
                       "wgmma by warp %u of a block of %u warps: a warpgroup is four warps, the first a "
                       "multiple of four",
                       w->index, w->block->warp_count);
    struct sim_wgmma_state *s = state_of(w, op);
    uint32_t adds = f->adds == SIM_NOWHERE ? 0 : SIM_PRED(w, f->adds);
    wgmma_work work = {
        .op = op, .frame = w->frame, .group = s->groups, .adds = (adds & 1) != f->adds_negated};
    if (!f->a_in_registers) work.a = uniform(w, op, f->a, "A");
    work.b = uniform(w, op, f->b, "B");
    compare_with_group(w, &work, s->issued);
    sim_emit_sync(w, op->inst, SIM_ALL, SIM_ISSUE, SIM_PRODUCT, 0, 0);
    if (w->attention) tell_reads(w, &work);
    s->kept[s->issued % KEPT] = (wgmma_issued){op, work.a, work.b};
    add_work(w, s, work);
    s->issued++;
    if (sim_async_early(w)) perform_of_group(w, issued_by_all(w));
    wake_group(w);
}

void sim_wgmma_move(sim_warp *w, const sim_op *op) {
    const uint32_t *from = SIM_REG(uint32_t, w, op->a);
    uint32_t *to = SIM_REG(uint32_t, w, op->d);
    for (uint32_t m = w->mask; m; m &= m - 1) to[__builtin_ctz(m)] = from[__builtin_ctz(m)];
    struct sim_wgmma_state *s = state_in(w->block, w->index);
    if (s && s->count && w->mask == SIM_ALL && (is_marked(w, s, op->a) || is_marked(w, s, op->d)))
        add_work(w, s, (wgmma_work){.op = op, .frame = w->frame});
}

void sim_wgmma_fence(sim_warp *w, const sim_op *op) {}

void sim_wgmma_commit(sim_warp *w, const sim_op *op) {
    state_of(w, op)->groups++;
    sim_emit_sync(w, op->inst, SIM_ALL, SIM_COMMIT, SIM_PRODUCT, 0, 0);
}

// Products that a wait of the warp is for, counted from its first.
static uint64_t waited_for(const struct sim_wgmma_state *s, const sim_op *op) {
    uint32_t leave = (uint32_t)op->aux, before = s->groups > leave ? s->groups - leave : 0;
    uint64_t count = s->done;
    for (uint32_t i = 0; i < s->count; i++) count += is_product(&s->work[i]) && s->work[i].group < before;
    return count;
}

bool sim_wgmma_can_pass(const sim_warp *w, const sim_op *op) {
    const struct sim_wgmma_state *s = state_in(w->block, w->index);
    return !s || waited_for(s, op) <= issued_by_all(w);
}

void sim_wgmma_wait(sim_warp *w, const sim_op *op) {
    perform_of_group(w, waited_for(state_of(w, op), op));
    sim_emit_sync(w, op->inst, SIM_ALL, SIM_WAIT, SIM_PRODUCT, 0, (uint32_t)op->aux);
}

void sim_wgmma_describe(const sim_warp *w, const sim_op *op, base_text *out) {
    const struct sim_wgmma_state *s = state_in(w->block, w->index);
    uint32_t first = w->index / GROUP_WARPS * GROUP_WARPS;
    base_text_add(out, "wait for products that other warps of the warpgroup have not issued:");
    for (uint32_t i = first; s && i < first + GROUP_WARPS && i < w->block->warp_count; i++) {
        const struct sim_wgmma_state *other = state_in(w->block, i);
        base_text_add(out, " warp %u %llu of %llu", i, (unsigned long long)(other ? other->issued : 0),
                      (unsigned long long)waited_for(s, op));
    }
}
