// Tensor copies and reductions (cp.async.bulk.tensor, cp.reduce.async.bulk.tensor).
//
// Done by the asynchronous proxy, as bulk.c's are: towards shared memory an mbarrier counts the bytes of the whole
// box, what is filled included; towards global memory copies belong to the thread's bulk groups. The map is read and
// judged when the copy is issued, the elements when it is done. A prefetch is judged as a load is.

#include "sim/tensor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/floats.h"

static const tensor_form *form_of(const sim_op *op) { return (const tensor_form *)(uintptr_t)op->aux; }

// ---- the map ---------------------------------------------------------------------------------------------

static const uint8_t *param_map(sim_warp *w, const sim_op *op, unsigned lane, uint64_t offset) {
    const sim_grid *g = w->block->grid;
    if (offset > g->kernel->param_bytes || g->kernel->param_bytes - offset < SIM_TENSOR_MAP_BYTES)
        sim_fault_access(w, op, lane, offset, SIM_TENSOR_MAP_BYTES, SIM_PARAM, NULL);
    return g->params + offset;
}

// The 128 bytes that a generic address leads to.
static const uint8_t *map_bytes(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    if (address % SIM_TENSOR_MAP_ALIGN)
        sim_fault_here(w, op, lane, SIM_FAULT_MISALIGNED,
                       "the tensor map is at 0x%" PRIx64 ": its address must be a multiple of 64\n"
                       "likely cause: the map was copied into an array or a struct without alignas(64)\n"
                       "what to do: declare the place as CUtensorMap, or with alignas(64)",
                       address);
    if (address >= SIM_GLOBAL_BASE) return sim_tensor_global_map(w, op, lane, address, false);
    if (address - SIM_PARAM_WINDOW < SIM_WINDOW_BYTES)
        return param_map(w, op, lane, address - SIM_PARAM_WINDOW);
    bool shared = address - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES,
         local = address - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES;
    if (shared || local)
        sim_fault_here(
            w, op, lane, SIM_FAULT_TENSOR_PLACE,
            "the tensor map is in %s memory: it must be a kernel's parameter, in constant or in "
            "global memory\nlikely cause: %s",
            shared ? "shared" : "local",
            shared ? "a map that was changed there is still to be copied to global memory\nwhat to do: "
                     "tensormap.cp_fenceproxy, then fence.proxy.tensormap::generic.acquire"
                   : "the parameter lacks __grid_constant__, so that the compiler made a copy of "
                     "it\nwhat to do: declare it const __grid_constant__ CUtensorMap");
    sim_fault_access(w, op, lane, address, SIM_TENSOR_MAP_BYTES, SIM_GLOBAL, NULL);
}

static void check_map(sim_warp *w, const sim_op *op, unsigned lane, const sim_tensor_map *map) {
    const tensor_form *f = form_of(op);
    kz_error error = {0};
    sim_tensor_breach breach = sim_tensor_map_check(map);
    if (breach.rule) {
        bool misaligned = breach.rule == SIM_TENSOR_RULE_ADDRESS;
        sim_tensor_breach_fail(&breach, &error);
        size_t rule = strcspn(error.message, "\n"); // then what to do
        sim_fault_here(
            w, op, lane, misaligned ? SIM_FAULT_MISALIGNED : SIM_FAULT_TENSOR_MAP,
            "the tensor map breaks a rule: %.*s\nlikely cause: bytes that are no map, or fields that "
            "tensormap.replace did not set, or set to a value that no map can have%s",
            (int)rule, error.message, error.message + rule);
    }
    if (map->rank != f->rank)
        sim_fault_here(
            w, op, lane, SIM_FAULT_TENSOR_MAP,
            "the tensor map has %u dimension%s, the instruction %u\nlikely cause: the map of another tensor, "
            "or "
            "the copy for another rank\nwhat to do: give as many coordinates as the map has dimensions",
            map->rank, map->rank == 1 ? "" : "s", f->rank);
    if (map->im2col != f->im2col)
        sim_fault_here(
            w, op, lane, SIM_FAULT_TENSOR_MAP,
            "the tensor map is %s, the instruction %s\nlikely cause: a map of "
            "cuTensorMapEncode%s for a copy %s .im2col\nwhat to do: encode the map for the mode of the copy",
            map->im2col ? "of im2col mode" : "tiled", f->im2col ? "of im2col mode" : "tiled",
            map->im2col ? "Im2col" : "Tiled", map->im2col ? "without" : "with");
}

static void read_map(sim_warp *w, const sim_op *op, unsigned lane, tensor_copy *copy) {
    const tensor_form *f = form_of(op);
    uint64_t address = async_address(w, &f->map, lane);
    if (!sim_tensor_map_decode(map_bytes(w, op, lane, address), &copy->map))
        sim_fault_here(
            w, op, lane, SIM_FAULT_TENSOR_MAP,
            "no tensor map is at 0x%" PRIx64
            ": it is all zeros\nlikely cause: the map was never encoded, or not copied to where the kernel "
            "looks for it\nwhat to do: test what cuTensorMapEncodeTiled returned, and where the map is "
            "copied to",
            address);
    check_map(w, op, lane, &copy->map);
    for (uint32_t i = 0; i < f->rank; i++) copy->at[i] = SIM_REG(int32_t, w, f->at[i])[lane];
    for (uint32_t i = 0; f->im2col && f->is_load && i + 2 < f->rank; i++)
        copy->offset[i] = SIM_REG(uint16_t, w, f->offset[i])[lane];
    copy->is_store = !f->is_load;
    if (!w->attention || f->is_prefetch) return;
    bool global = address >= SIM_GLOBAL_BASE;
    sim_listener *listener = w->block->worker->listener;
    if (!listener || !listener->access) return;
    uint64_t addresses[SIM_LANES] = {0};
    addresses[lane] = global ? address : address - SIM_PARAM_WINDOW;
    sim_access access = {.at = sim_event_of(w, op->inst, UINT32_C(1) << lane),
                         .kind = SIM_LOAD,
                         .space = global ? SIM_GLOBAL : SIM_PARAM,
                         .agent = SIM_ASYNC_PROXY,
                         .part = SIM_PART_MAP,
                         .bytes = SIM_TENSOR_MAP_BYTES,
                         .addresses = addresses};
    listener->access(listener, &access);
}

// ---- what a copy touches ---------------------------------------------------------------------------------

typedef struct touched {
    sim_warp *w;
    const sim_op *op;
    unsigned lane;
    const tensor_copy *copy;
    const sim_block *owner;   // of the box
    uint64_t low, high;       // addresses of all rows
    sim_access_kind global;   // what is done to global memory
    sim_access_part from, to; // FIRST until the first access of that side was told of
    bool only_shared;         // of a multicast: the source was told of before
} touched;

static void note_range(void *context, const tensor_row *row) {
    touched *t = context;
    if (!row->count) return;
    if (row->address < t->low) t->low = row->address;
    if (row->address + row->count > t->high) t->high = row->address + row->count;
}

// Whether only what a store writes past the tensor's end, in its last piece of 16 bytes, is in no buffer.
static bool is_piece_outside(const touched *t, const tensor_row *row) {
    const sim_tensor_map *map = &t->copy->map;
    uint32_t left = (uint32_t)(-(map->dim[0] * sim_tensor_unit(map)) % 16);
    return t->copy->is_store && left && row->count > left &&
           sim_memory_find(t->w->block->grid->memory, row->address, row->count - left);
}

static void check_row(void *context, const tensor_row *row) {
    const touched *t = context;
    const sim_memory *memory = t->w->block->grid->memory;
    bool write = t->global != SIM_LOAD;
    if (!row->count) return;
    const sim_allocation *a = sim_memory_find(memory, row->address, row->count);
    if (a && !(write && a->constant)) return;
    if (a)
        sim_fault_access(t->w, t->op, t->lane, row->address, row->count, SIM_GLOBAL,
                         "writes constant memory");
    base_text where = {0};
    sim_memory_explain(memory, row->address, row->count, &where);
    char text[512];
    snprintf(text, sizeof text, "%s", where.data ? where.data : "");
    base_text_free(&where);
    sim_fault_here(
        t->w, t->op, t->lane, SIM_FAULT_TENSOR_BOUNDS,
        "the tensor map leads to %u bytes at 0x%" PRIx64 ", which no buffer holds\n  %s\nlikely cause: %s",
        row->count, row->address, text,
        is_piece_outside(t, row)
            ? "a row of the tensor ends inside 16 bytes, which stores and reductions write to their "
              "end\nwhat to do: make the buffer larger, up to the next multiple of 16 bytes"
            : "the map's sizes or strides are another tensor's, or its buffer was freed\nwhat to do: "
              "compare them with the buffer: sizes are elements, strides bytes, the first of them "
              "dimension 1's");
}

// A load whose box lies outside the tensor still reads where the tensor begins, and throws away what it read.
static void check_base(const touched *t) {
    uint64_t base = t->copy->map.address;
    const sim_memory *memory = t->w->block->grid->memory;
    if (t->global != SIM_LOAD || sim_memory_find(memory, base, 16)) return;
    sim_fault_here(
        t->w, t->op, t->lane, SIM_FAULT_TENSOR_BOUNDS,
        "the tensor begins at 0x%" PRIx64 ", which no buffer holds: a load fails even where its box lies "
        "outside the tensor\nlikely cause: an empty tensor that was never allocated, or a buffer that was "
        "freed\nwhat to do: issue no copy for an empty tensor",
        base);
}

// All rows at once where one buffer holds them, as is usual; else each, so that the fault is found.
static void check_global(touched *t) {
    bool touches = true;
    t->low = UINT64_MAX;
    if (t->copy->map.im2col)
        sim_tensor_walk(t->copy, note_range, t);
    else
        touches = sim_tensor_range(t->copy, &t->low, &t->high);
    if (!touches || t->low > t->high) {
        check_base(t);
        return;
    }
    const sim_allocation *a = sim_memory_find(t->w->block->grid->memory, t->low, t->high - t->low);
    if (!a || (t->global != SIM_LOAD && a->constant)) sim_tensor_walk(t->copy, check_row, t);
}

static void emit_shared(touched *t, sim_access_kind kind, uint32_t at, uint32_t bytes) {
    sim_async_emit_one(t->w, t->op, t->lane, kind, t->owner, sim_tensor_place(t->copy, at), bytes, t->to);
    t->to = SIM_PART_MORE;
}

static void emit_global(touched *t, uint64_t address, uint32_t bytes) {
    if (t->only_shared) return;
    sim_async_emit_one(t->w, t->op, t->lane, t->global, NULL, address, bytes, t->from);
    t->from = SIM_PART_MORE;
}

// A piece that stays together in both memories.
static void emit_piece(touched *t, uint32_t at, uint32_t bytes, bool inside, uint64_t address) {
    bool is_load = t->global == SIM_LOAD;
    if (is_load && inside) emit_global(t, address, bytes);
    if (is_load || inside) emit_shared(t, is_load ? SIM_STORE : SIM_LOAD, at, bytes);
    if (!is_load && inside) emit_global(t, address, bytes);
}

static void emit_row(void *context, const tensor_row *row) {
    touched *t = context;
    uint32_t end = row->first + row->count;
    for (uint32_t at = 0, bytes; at < row->bytes; at += bytes) {
        bool inside = at >= row->first && at < end;
        uint32_t limit = inside ? end : row->count && at < row->first ? row->first : row->bytes;
        bytes = limit - at;
        uint32_t left = 16 - (row->to + at) % 16;
        if (t->copy->map.swizzle && bytes > left) bytes = left;
        emit_piece(t, row->to + at, bytes, inside, row->address + (at - row->first));
    }
}

// ---- moving ----------------------------------------------------------------------------------------------

static void fill(const sim_tensor_map *map, uint8_t *to, uint32_t bytes) {
    static const uint8_t nan[2] = {SIM_TENSOR_NAN & 0xff, SIM_TENSOR_NAN >> 8};
    for (uint32_t i = 0; i < bytes; i++) to[i] = map->fill ? nan[i & 1] : 0;
}

// To nearest even, 10 bits of fraction. A NaN becomes one with all of them set.
static uint32_t round_tf32(uint32_t bits) {
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fffe000;
    if ((bits & 0x7f800000) == 0x7f800000) return bits;
    return (bits + 0xfff + (bits >> 13 & 1)) & ~UINT32_C(0x1fff);
}

// f32.ftz flushes in reductions alone: loads keep subnormals, of tf32.ftz too.
static bool converts(const sim_tensor_map *map) {
    return map->type == SIM_TENSOR_TF32 || map->type == SIM_TENSOR_TF32_FTZ;
}

static void convert(uint8_t *at, uint32_t bytes) {
    for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word;
        memcpy(&word, at + i, 4);
        word = round_tf32(word);
        memcpy(at + i, &word, 4);
    }
}

typedef struct mover {
    const async_work *work;
    const tensor_copy *copy;
    uint8_t *shared; // the block's
    uintptr_t global;
} mover;

// Whole rows, which are multiples of 16 bytes at multiples of 16.
static void put(const mover *m, uint32_t at, const uint8_t *from, uint32_t bytes) {
    if (!m->copy->map.swizzle) {
        memcpy(m->shared + m->copy->shared + at, from, bytes);
        return;
    }
    for (uint32_t done = 0; done < bytes; done += 16)
        memcpy(m->shared + sim_tensor_place(m->copy, at + done), from + done, 16);
}

static void get(const mover *m, uint32_t at, uint8_t *to, uint32_t bytes) {
    if (m->work->has_read || !m->copy->map.swizzle) {
        memcpy(to, (m->work->has_read ? m->work->kept : m->shared + m->copy->shared) + at, bytes);
        return;
    }
    for (uint32_t done = 0; done < bytes; done += 16)
        memcpy(to + done, m->shared + sim_tensor_place(m->copy, at + done), 16);
}

enum { ROW_BYTES = 256 * 32 };

static void load_row(void *context, const tensor_row *row) {
    const mover *m = context;
    const uint8_t *from = (const uint8_t *)(m->global + row->address);
    if (row->count == row->bytes && !converts(&m->copy->map)) {
        put(m, row->to, from, row->bytes);
        return;
    }
    uint8_t buffer[ROW_BYTES];
    fill(&m->copy->map, buffer, row->bytes);
    if (row->count) memcpy(buffer + row->first, from, row->count);
    if (converts(&m->copy->map)) convert(buffer + row->first, row->count);
    put(m, row->to, buffer, row->bytes);
}

static void store_row(void *context, const tensor_row *row) {
    const mover *m = context;
    uint8_t *to = (uint8_t *)(m->global + row->address);
    if (row->count) get(m, row->to + row->first, to, row->count);
}

static void reduce_row(void *context, const tensor_row *row) {
    const mover *m = context;
    const memory_form *f = &m->copy->reduce;
    uint8_t *to = (uint8_t *)(m->global + row->address), buffer[ROW_BYTES];
    bool alone = m->work->by->block->grid->workers == 1;
    if (!row->count) return;
    get(m, row->to + row->first, buffer, row->count);
    for (uint32_t i = 0; i < row->count; i += f->bytes)
        sim_atomic_apply(f, to + i, buffer + i, alone, m->copy->keeps_subnormals);
}

static mover mover_of(const async_work *work) {
    const uint8_t *box = work->to_shared ? work->to : work->from;
    return (mover){.work = work,
                   .copy = work->tensor,
                   .shared = (uint8_t *)box - work->tensor->shared,
                   .global = work->by->global};
}

void sim_tensor_perform(async_work *work) {
    mover m = mover_of(work);
    bool reduces = work->tensor->reduce.operation != PTX_MOD_NONE;
    sim_tensor_walk(work->tensor, work->to_shared ? load_row : reduces ? reduce_row : store_row, &m);
}

void sim_tensor_read(async_work *work) {
    mover m = mover_of(work);
    get(&m, 0, work->kept, work->bytes);
}

// ---- issuing ---------------------------------------------------------------------------------------------

static async_work *new_work(sim_warp *w, const sim_op *op, unsigned lane, const tensor_copy *copy) {
    async_work *work = sim_async_work(w, op, lane);
    work->kind = ASYNC_TENSOR;
    work->bytes = form_of(op)->is_load ? sim_tensor_box_bytes(&copy->map) : sim_tensor_extent(copy);
    work->tensor = malloc(sizeof *work->tensor);
    if (!work->tensor) {
        free(work);
        sim_fault_here(w, op, lane, SIM_FAULT_NO_MEMORY, "no memory left for a tensor copy");
    }
    *work->tensor = *copy;
    return work;
}

// One block's part of a load: the mbarrier and the box lie in it, but for clusters that say otherwise.
static void begin_load(touched *t, uint8_t *box, sim_block *box_block, sim_block *barrier_block,
                       uint32_t barrier) {
    async_work *work = new_work(t->w, t->op, t->lane, t->copy);
    work->to = box;
    work->to_shared = true;
    work->barrier = barrier;
    t->owner = box_block;
    t->to = SIM_PART_FIRST;
    if (t->w->attention) sim_tensor_walk(t->copy, emit_row, t);
    t->only_shared = true;
    sim_async_track(t->w, t->op, barrier_block, work);
}

static void multicast(touched *t, uint32_t barrier) {
    sim_block *b = t->w->block;
    uint32_t ranks = SIM_REG(uint16_t, t->w, form_of(t->op)->mask)[t->lane];
    if (ranks >> b->grid->cluster_size)
        sim_fault_here(t->w, t->op, t->lane, SIM_FAULT_CLUSTER_RANK,
                       "multicast to the blocks 0x%x of the cluster, which has only %u", ranks,
                       b->grid->cluster_size);
    for (; ranks; ranks &= ranks - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(ranks);
        sim_block *other = rank == b->rank ? b : b->cluster->blocks[rank];
        sim_mbarrier *object = other && other->alive ? sim_mbarrier_at(other, barrier) : NULL;
        if (!object || !object->live)
            sim_fault_here(
                t->w, t->op, t->lane, SIM_FAULT_MBARRIER_MISSING,
                "multicast to block rank %u, which has no initialised mbarrier at shared offset "
                "0x%x\nlikely cause: no cluster barrier between mbarrier.init and the copy, or the "
                "block has ended",
                rank, barrier);
        begin_load(t, other->shared + t->copy->shared, other, other, barrier);
    }
}

// Where the box lies in shared memory. Swizzles repeat after 256, 512 and 1024 bytes, from multiples of that on.
static void check_place(sim_warp *w, const sim_op *op, unsigned lane, const tensor_copy *copy) {
    uint64_t address = async_address(w, &form_of(op)->shared, lane);
    uint32_t span = sim_swizzle_bytes(copy->map.swizzle), wanted = span ? 8 * span : SIM_TENSOR_ALIGN;
    if (address % SIM_TENSOR_ALIGN)
        sim_fault_here(
            w, op, lane, SIM_FAULT_MISALIGNED,
            "a tensor copy whose box is at 0x%" PRIx64 " in shared memory: it must be a multiple of "
            "%u\nlikely cause: the array has the alignment of its elements, or begins behind others in "
            "dynamic shared memory\nwhat to do: declare it with alignas(%u)%s",
            address, (unsigned)SIM_TENSOR_ALIGN, wanted,
            span ? ", as the map's swizzle wants it; dynamic shared memory is rounded up" : "");
}

static void load_box(sim_warp *w, const sim_op *op, unsigned lane, tensor_copy *copy) {
    const tensor_form *f = form_of(op);
    touched t = {.w = w, .op = op, .lane = lane, .copy = copy, .global = SIM_LOAD};
    sim_block *box_block, *barrier_block;
    check_place(w, op, lane, copy);
    uint8_t *box = sim_shared_pointer(w, op, lane, &f->shared, sim_tensor_extent(copy), SIM_TENSOR_ALIGN,
                                      &box_block, &copy->shared);
    sim_mbarrier *b = sim_mbarrier_find(w, op, lane, &f->barrier, &barrier_block);
    check_global(&t);
    if (f->multicast)
        multicast(&t, b->offset);
    else
        begin_load(&t, box, box_block, barrier_block, b->offset);
}

// What neither loads nor stores can have, wherever the box lies.
static void check_coordinates(sim_warp *w, const sim_op *op, unsigned lane, const tensor_copy *copy) {
    const sim_tensor_map *map = &copy->map;
    uint32_t element = sim_tensor_unit(map);
    if (copy->at[0] * element % 16)
        sim_fault_here(
            w, op, lane, SIM_FAULT_TENSOR_BOX,
            "a tensor copy at coordinate %" PRId64 " of dimension 0, which is byte %" PRId64
            " of a row: it must be a multiple of 16 bytes, here of %u elements of %s\nlikely cause: a "
            "halo or an offset in elements\nwhat to do: begin the box at the multiple before, and "
            "make it wider",
            copy->at[0], copy->at[0] * element, 16 / element,
            sim_tensor_type_name((sim_tensor_type)map->type));
    for (uint32_t i = 0; map->im2col && i + 2 < map->rank; i++) {
        uint32_t along = sim_tensor_space(map) + i;
        int64_t at = copy->at[along], end = (int64_t)map->dim[along] + map->upper[i];
        if (at < map->lower[i] || at >= end)
            sim_fault_here(
                w, op, lane, SIM_FAULT_TENSOR_BOX,
                "an im2col copy at coordinate %" PRId64 " of dimension %u: its first pixel must lie in the "
                "bounding box, from %d to %" PRId64 "\nlikely cause: the filter's offset was added to the "
                "coordinate; it has an operand of its own",
                at, along, map->lower[i], end - 1);
    }
}

static void check_store(sim_warp *w, const sim_op *op, unsigned lane, const tensor_copy *copy) {
    const sim_tensor_map *map = &copy->map;
    for (uint32_t i = 0; i < map->rank; i++)
        if (copy->at[i] < 0)
            sim_fault_here(
                w, op, lane, SIM_FAULT_TENSOR_BOX,
                "a tensor store at coordinate %" PRId64 " of dimension %u: stores begin inside the "
                "tensor\nlikely cause: a halo that is subtracted for loads, and for stores too\nwhat to do: "
                "store from coordinate 0 on; what lies past the tensor's end is left out",
                copy->at[i], i);
    for (uint32_t i = 0; map->im2col && i + 2 < map->rank; i++)
        if (map->lower[i] < 0 || map->upper[i] > 0)
            sim_fault_here(
                w, op, lane, SIM_FAULT_TENSOR_BOX,
                "an im2col store whose bounding box leaves the tensor: corners %d and %d of space "
                "dimension %u\nlikely cause: the map of a padded load is used for the store\nwhat to "
                "do: encode a map for the store, with corners of 0",
                map->lower[i], map->upper[i], i);
}

// Which type has which operation, as an H200 has it: PTX (cp.reduce.async.bulk.tensor) does not name f64 and tf32, and
// has s64 among those of and, or, xor.
static bool can_reduce(ptx_mod operation, sim_tensor_type type) {
    ptx_type as = sim_tensor_type_ptx(type);
    bool words = as == PTX_U32 || as == PTX_S32 || as == PTX_U64, halves = as == PTX_F16 || as == PTX_BF16;
    switch (operation) {
    case PTX_MOD_ADD: return words || sim_tensor_type_is_float(type);
    case PTX_MOD_MIN:
    case PTX_MOD_MAX: return words || halves || as == PTX_S64;
    case PTX_MOD_INC:
    case PTX_MOD_DEC: return as == PTX_U32;
    default: return words;
    }
}

static void set_reduction(sim_warp *w, const sim_op *op, unsigned lane, tensor_copy *copy) {
    const tensor_form *f = form_of(op);
    sim_tensor_type type = (sim_tensor_type)copy->map.type;
    if (f->reduce == PTX_MOD_NONE) return;
    if (!can_reduce(f->reduce, type))
        sim_fault_here(
            w, op, lane, SIM_FAULT_TENSOR_REDUCE,
            "a reduction by .%s of a tensor of %s: its elements do not have that operation\nlikely "
            "cause: the map's element type names the size alone, or is another tensor's",
            ptx_mod_text(f->reduce), sim_tensor_type_name(type));
    copy->keeps_subnormals = type == SIM_TENSOR_F32 || type == SIM_TENSOR_TF32;
    copy->reduce = (memory_form){.type = sim_tensor_type_ptx(type),
                                 .bytes = (uint8_t)sim_tensor_type_bytes(type),
                                 .count = 1,
                                 .operation = f->reduce,
                                 .compare = SIM_NOWHERE};
}

static void store_box(sim_warp *w, const sim_op *op, unsigned lane, tensor_copy *copy) {
    const tensor_form *f = form_of(op);
    touched t = {.w = w,
                 .op = op,
                 .lane = lane,
                 .copy = copy,
                 .owner = w->block,
                 .global = f->reduce == PTX_MOD_NONE ? SIM_STORE : SIM_ATOMIC};
    sim_block *owner;
    async_warp *mine = sim_async_warp(w, op);
    check_place(w, op, lane, copy);
    const uint8_t *box = sim_shared_pointer(w, op, lane, &f->shared, sim_tensor_extent(copy),
                                            SIM_TENSOR_ALIGN, &owner, &copy->shared);
    check_store(w, op, lane, copy);
    set_reduction(w, op, lane, copy);
    check_global(&t);
    if (w->attention) sim_tensor_walk(copy, emit_row, &t);
    async_work *work = new_work(w, op, lane, copy);
    work->from = box;
    work->group = mine->bulk_groups[lane];
    if (sim_async_early(w)) {
        sim_async_perform(work);
        sim_async_free(work);
    } else
        sim_async_add(&mine->bulk, work);
}

// Stores of one box by several lanes of a warp are one store: ptxas writes the instruction once for the warp (13.0; reductions it
// repeats for each lane). CUTLASS's epilogues store so.
static bool repeats(const sim_warp *w, const tensor_form *f, unsigned lane, unsigned first) {
    if (lane == first || f->is_load || f->reduce != PTX_MOD_NONE) return false;
    if (async_address(w, &f->map, lane) != async_address(w, &f->map, first) ||
        async_address(w, &f->shared, lane) != async_address(w, &f->shared, first))
        return false;
    for (uint32_t i = 0; i < f->rank; i++) {
        const int32_t *at = SIM_REG(int32_t, w, f->at[i]);
        if (at[lane] != at[first]) return false;
    }
    return true;
}

void sim_tensor_copy(sim_warp *w, const sim_op *op) {
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        tensor_copy copy = {0};
        if (repeats(w, form_of(op), lane, (unsigned)__builtin_ctz(w->mask))) continue;
        read_map(w, op, lane, &copy);
        check_coordinates(w, op, lane, &copy);
        if (form_of(op)->is_prefetch) continue;
        if (form_of(op)->is_load)
            load_box(w, op, lane, &copy);
        else
            store_box(w, op, lane, &copy);
    }
}
