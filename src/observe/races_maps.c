// Tensor maps in global memory that an earlier kernel of the program changed: a block must acquire such a map before its copies use
// it, for the end of a kernel does not reach the cache that copies read maps through.
//
// The shadow's cells still say when each word was last written, though of earlier launches they mean nothing else. What the host
// wrote since is noted by range: such maps are left alone, as are those of which nobody knows any more.
#include <stdio.h>
#include <stdlib.h>

#include "observe/races.h"

void observe_races_note_host_write(races *self, uint64_t address, uint64_t bytes) {
    if (!self->global.region_count || self->host_write_count > RACES_HOST_WRITES)
        return; // nothing to compare with
    if (!self->host_writes) self->host_writes = malloc(RACES_HOST_WRITES * sizeof *self->host_writes);
    races_host_write write = {address, address + bytes, self->now};
    for (uint32_t i = 0; self->host_writes && i < self->host_write_count; i++) {
        races_host_write *old = &self->host_writes[i];
        if (old->begin < write.begin || old->end > write.end) continue;
        *old = write;
        return;
    }
    if (self->host_writes && self->host_write_count < RACES_HOST_WRITES)
        self->host_writes[self->host_write_count++] = write;
    else
        self->host_write_count = RACES_HOST_WRITES + 1;
}

static bool host_wrote(const races *self, uint64_t address, uint32_t since) {
    for (uint32_t i = 0; i < self->host_write_count; i++) {
        const races_host_write *write = &self->host_writes[i];
        if (address >= write->begin && address < write->end && write->clock >= since) return true;
    }
    return false;
}

// Whether a kernel before this one was the last to write some of the map.
static bool was_changed(const races_view *v, uint64_t address) {
    for (uint64_t at = address; at < address + v->access->bytes; at += 4) {
        races_page *page = observe_races_page_of(v->shadow, at >> RACES_PAGE_SHIFT, 4, 4);
        if (!page) return false;
        races_cell cell = observe_races_cell_load(page, (at & (RACES_PAGE_BYTES - 1)) >> page->shift);
        if (cell.write_clock && cell.write_clock < v->birth && !host_wrote(v->self, at, cell.write_clock))
            return true;
    }
    return false;
}

void observe_races_check_old_map(const races_view *v, uint32_t lane, uint64_t address) {
    races *self = v->self;
    uint32_t anyone = observe_races_who(v->block, 0, 0);
    if (v->shadow != &self->global || self->host_write_count > RACES_HOST_WRITES) return;
    if (observe_races_knows(v->block, v->warp, lane, anyone, RACES_MAPS_ACQUIRED, v->birth, NULL)) return;
    if (!was_changed(v, address)) return;
    observe_finding *finding = &self->finding;
    *finding = (observe_finding){.kind = OBSERVE_ASYNC_NO_WAIT,
                                 .is_warning = true,
                                 .first = {.inst = v->access->at.inst,
                                           .block = v->block->index,
                                           .thread = v->warp->index << 5 | lane,
                                           .agent = SIM_ASYNC_PROXY},
                                 .self = v->access->at.self,
                                 .space = SIM_GLOBAL,
                                 .address = address,
                                 .bytes = v->access->bytes};
    snprintf(finding->text, sizeof finding->text,
             "a tensor copy uses a map that an earlier kernel changed, with no acquire fence for maps in "
             "this one\nlikely "
             "cause: copies read maps through a cache of their own, which may still hold what was there "
             "before\nwhat to do: "
             "fence.proxy.tensormap::generic.acquire (cuda::ptx::fence_proxy_tensormap_generic) of the map's "
             "128 bytes, in "
             "each block, before its first copy with the map");
    observe_findings_add(self->findings, finding);
}
