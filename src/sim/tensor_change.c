// What changes tensor maps: tensormap.replace in global or shared memory, tensormap.cp_fenceproxy from shared to global memory.
#include "sim/tensor.h"

#include <string.h>

static const tensor_form *form_of(const sim_op *op) { return (const tensor_form *)(uintptr_t)op->aux; }

uint8_t *sim_tensor_global_map(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, bool write) {
    const sim_allocation *a = sim_memory_find(w->block->grid->memory, address, SIM_TENSOR_MAP_BYTES);
    if (!a || (write && a->constant))
        sim_fault_access(w, op, lane, address, SIM_TENSOR_MAP_BYTES, SIM_GLOBAL,
                         a ? "writes constant memory" : NULL);
    return (uint8_t *)(w->global + address);
}

static void emit_words(sim_warp *w, const sim_op *op, unsigned lane, const sim_block *owner, uint64_t at,
                       uint32_t bytes) {
    sim_listener *listener = w->block->worker->listener;
    if (!listener || !listener->access) return;
    uint64_t addresses[SIM_LANES] = {0};
    addresses[lane] = at;
    sim_access access = {.at = sim_event_of(w, op->inst, UINT32_C(1) << lane),
                         .kind = SIM_STORE,
                         .space = owner ? SIM_SHARED : SIM_GLOBAL,
                         .bytes = bytes,
                         .addresses = addresses};
    listener->access(listener, &access);
}

void sim_tensor_replace(sim_warp *w, const sim_op *op) {
    const tensor_form *f = form_of(op);
    sim_tensor_field field = sim_tensor_field_of(f->field, f->ordinal);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = async_address(w, &f->map, lane), at = address;
        sim_block *owner = NULL;
        uint8_t *bytes;
        bool shared = f->map.space == PTX_MOD_SHARED_CTA ||
                      (f->map.space == PTX_MOD_NONE && address - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES);
        if (shared) {
            uint32_t offset;
            bytes = sim_shared_pointer(w, op, lane, &f->map, SIM_TENSOR_MAP_BYTES, SIM_TENSOR_MAP_ALIGN,
                                       &owner, &offset);
            at = offset;
        } else
            bytes = sim_tensor_global_map(w, op, lane, address, true);
        if (!shared && address % SIM_TENSOR_MAP_ALIGN)
            sim_fault_access(w, op, lane, address, SIM_TENSOR_MAP_ALIGN, SIM_GLOBAL, "is misaligned");
        if (w->attention) emit_words(w, op, lane, owner, at + 4 * field.word, f->bits / 8);
        uint64_t value =
            f->bits == 64 ? SIM_REG(uint64_t, w, f->value)[lane] : SIM_REG(uint32_t, w, f->value)[lane];
        sim_tensor_field_set(bytes, f->field, f->ordinal, value);
        w->block->worker->changes++;
    }
}

// All lanes give the same addresses, as a rule: copied once for each pair.
void sim_tensor_publish(sim_warp *w, const sim_op *op) {
    const tensor_form *f = form_of(op);
    uint64_t last_to = 0, last_from = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t to = async_address(w, &f->map, lane), from = async_address(w, &f->shared, lane);
        if (m != w->mask && to == last_to && from == last_from) continue;
        sim_block *owner;
        uint32_t offset;
        const uint8_t *bytes = sim_shared_pointer(w, op, lane, &f->shared, SIM_TENSOR_MAP_BYTES,
                                                  SIM_TENSOR_ALIGN, &owner, &offset);
        uint8_t *place = sim_tensor_global_map(w, op, lane, to, true);
        if (to % SIM_TENSOR_ALIGN)
            sim_fault_access(w, op, lane, to, SIM_TENSOR_ALIGN, SIM_GLOBAL, "is misaligned");
        if (w->attention) {
            sim_async_emit_one(w, op, lane, SIM_LOAD, owner, offset, SIM_TENSOR_MAP_BYTES, SIM_PART_FIRST);
            sim_async_emit_one(w, op, lane, SIM_STORE, NULL, to, SIM_TENSOR_MAP_BYTES, SIM_PART_FIRST);
        }
        memcpy(place, bytes, SIM_TENSOR_MAP_BYTES);
        w->block->worker->changes++;
        last_to = to;
        last_from = from;
    }
    sim_emit_sync(w, op->inst, w->mask, SIM_FENCE, SIM_THREAD, 0, 0);
}
