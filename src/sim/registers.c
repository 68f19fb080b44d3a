// setmaxnreg: warps give registers to a pool of their block, and take some of it.
//
// How many a thread has at first, only ptxas decides; but setmaxnreg works where the kernel says how many it may have at most
// (.maxnreg, or .maxntid with .minnctapersm), and then it has those. Without them ptxas ignores the instruction, and so does this file.
// A warp that asks for more than the pool holds waits. All lanes of the warp take part, and so do all warps of its warpgroup, alike.

#include "sim/core.h"

enum { REGISTER_FILE = 65536, UNIT = 8, LEAST = 24, MOST = 256, GROUP_WARPS = 4 };

// Registers of a thread when the kernel begins; 0 where the kernel does not say.
static uint32_t first_count(const ptx_function *f) {
    const uint32_t *size = f->required_threads[0] ? f->required_threads : f->max_threads;
    uint32_t threads = size[0] * (size[1] ? size[1] : 1) * (size[2] ? size[2] : 1);
    if (f->max_registers) return f->max_registers / UNIT * UNIT;
    if (!threads || !f->min_blocks) return 0;
    uint32_t most = REGISTER_FILE / (threads * f->min_blocks) / UNIT * UNIT;
    return most > MOST - UNIT ? MOST - UNIT : most;
}

static void check(sim_warp *w, const sim_op *op, uint32_t lane, int64_t wanted, uint32_t held, bool more) {
    if (wanted < LEAST || wanted > MOST || wanted % UNIT)
        sim_fault_here(w, op, lane, SIM_FAULT_REGISTERS,
                       "setmaxnreg of %lld: it takes a multiple of 8 from 24 to 256", (long long)wanted);
    if (more ? wanted < held : wanted > held)
        sim_fault_here(w, op, lane, SIM_FAULT_REGISTERS,
                       "setmaxnreg.%s to %lld registers, and the thread has %u", more ? "inc" : "dec",
                       (long long)wanted, held);
}

// Whether all of the warp is here: lanes that are elsewhere may still come.
static bool is_whole(sim_warp *w, const sim_path *path, const sim_op *op) {
    if ((path->mask | w->exited) != SIM_ALL) return false;
    if (path->mask != SIM_ALL)
        sim_fault_here(w, op, (uint32_t)__builtin_ctz(path->mask), SIM_FAULT_ALIGNED,
                       "setmaxnreg with %u of 32 threads: the others have returned, or the block has fewer",
                       sim_lane_count(path->mask));
    return true;
}

// The warps of a warpgroup that the block has execute the same, as often as each other.
static void compare_with_group(sim_warp *w, const sim_op *op) {
    sim_block *b = w->block;
    uint32_t first = w->index / GROUP_WARPS * GROUP_WARPS;
    for (uint32_t i = first; i < first + GROUP_WARPS && i < b->warp_count; i++) {
        const sim_warp *other = &b->warps[i];
        if (other->register_changes == w->register_changes && other->register_count != w->register_count)
            sim_fault_here(w, op, 0, SIM_FAULT_ALIGNED,
                           "setmaxnreg of %u registers, and warp %u of the warpgroup has set %u",
                           w->register_count, i, other->register_count);
        if (other->register_changes < w->register_changes && other->exited == SIM_ALL)
            sim_fault_here(w, op, 0, SIM_FAULT_ALIGNED,
                           "setmaxnreg by warp %u, and warp %u of its warpgroup has ended without it",
                           w->index, i);
    }
}

bool sim_set_registers(sim_warp *w, const sim_path *path, const sim_op *op) {
    sim_block *b = w->block;
    uint32_t first = first_count(b->grid->kernel->entry);
    bool more = op->inst->by_category[PTX_CAT_ATOMIC] == PTX_MOD_INC;
    int64_t wanted = op->inst->operands[0].value;
    if (!first) return true;
    if (!is_whole(w, path, op)) return false;
    uint32_t held = w->register_count ? w->register_count : first;
    check(w, op, 0, wanted, held, more);
    uint32_t change = more ? (uint32_t)wanted - held : held - (uint32_t)wanted;
    if (more && change > b->free_registers) return false;
    b->free_registers = more ? b->free_registers - change : b->free_registers + change;
    w->register_count = (uint16_t)wanted;
    w->register_changes++;
    w->register_op = op;
    b->sets_registers = b->moved = true;
    compare_with_group(w, op);
    return true;
}

void sim_registers_left(sim_warp *w) {
    sim_block *b = w->block;
    uint32_t first = w->index / GROUP_WARPS * GROUP_WARPS;
    for (uint32_t i = first; i < first + GROUP_WARPS && i < b->warp_count; i++)
        if (b->warps[i].register_changes > w->register_changes)
            compare_with_group(&b->warps[i], b->warps[i].register_op);
}
