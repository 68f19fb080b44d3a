// Looking at what is asynchronous: mbarriers, copies and products under way, matrices in shared memory.

#include "sim/inspect.h"

#include "sim/async.h"
#include "sim/wgmma.h"

uint32_t sim_inspect_mbarriers(const sim_warp *w) {
    return w->block->async ? w->block->async->mbarrier_count : 0;
}

bool sim_inspect_mbarrier_at(const sim_warp *w, uint32_t index, sim_inspect_mbarrier_state *state) {
    const sim_async *async = w->block->async;
    if (!async || index >= async->mbarrier_count || !async->mbarriers[index].live) return false;
    const sim_mbarrier *b = &async->mbarriers[index];
    *state = (sim_inspect_mbarrier_state){.offset = b->offset,
                                          .expected = b->expected,
                                          .pending = b->pending,
                                          .bytes = b->tx,
                                          .phase = b->phase};
    for (const async_work *work = async->tracked.first; work; work = work->next)
        state->copies += work->barrier == b->offset;
    return true;
}

// Adds work of a group; they come in the order of issue. `last` is the group of the one before, from UINT32_MAX on.
static void add_work(sim_inspect_work *to, uint32_t group, uint32_t committed, uint32_t bytes,
                     uint32_t *last) {
    to->bytes += bytes;
    if (group >= committed) {
        to->open++;
        return;
    }
    to->done++;
    to->groups += group != *last;
    *last = group;
}

void sim_inspect_async_of(const sim_warp *w, uint32_t lane, sim_inspect_async *out) {
    *out = (sim_inspect_async){0};
    const sim_async *async = w->block->async;
    if (!async || lane >= SIM_LANES) return;
    const async_warp *mine = &async->warps[w->index];
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < mine->copy_count; i++)
        if (mine->copies[i].mask >> lane & 1)
            add_work(&out->copies, mine->copies[i].group[lane], mine->groups[lane], mine->copies[i].bytes,
                     &last);
    last = UINT32_MAX;
    for (const async_work *work = mine->bulk.first; work; work = work->next)
        if (work->lane == lane)
            add_work(&out->bulk, work->group, mine->bulk_groups[lane], work->bytes, &last);
    sim_wgmma_count(mine->wgmma, &out->products.done, &out->products.groups, &out->products.open);
    for (const async_work *work = async->tracked.first; work; work = work->next)
        if (work->by == w && work->lane == lane && work->kind != ASYNC_ARRIVE) {
            out->tracked++;
            out->tracked_bytes += work->bytes;
        }
}

sim_inspect_layout sim_inspect_descriptor(uint64_t descriptor) {
    wgmma_layout l = sim_wgmma_layout(descriptor, false);
    return (sim_inspect_layout){l.start, l.leading, l.stride, l.swizzle};
}

uint32_t sim_inspect_element(uint64_t descriptor, bool across, unsigned bits, unsigned along,
                             unsigned aside) {
    enum { SIDE = 8, ROW_BYTES = 16 };
    wgmma_layout l = sim_wgmma_layout(descriptor, across);
    if (across) return sim_wgmma_row(&l, aside / SIDE, along / SIDE, along % SIDE) + aside % SIDE * bits / 8;
    unsigned byte = along * bits / 8;
    return sim_wgmma_row(&l, aside / SIDE, byte / ROW_BYTES, aside % SIDE) + byte % ROW_BYTES;
}
