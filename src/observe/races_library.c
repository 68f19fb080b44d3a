// Conflicts inside cooperative groups: tiles of several warps reduce and scan through a scratch memory of their own.
// Its loads and stores are ordered by shuffles alone where PTX asks for __syncwarp (collectives_scheme in
// cooperative_groups.h). NVIDIA makes compiler and header for each other, and nobody else can mend it.
#include <string.h>

#include "observe/races.h"

// From sm_80 the scratch memory lies in what the system reserves of each block's shared memory.
static bool is_reserved(const races *self, const races_conflict *c) {
    return c->access->space == SIM_SHARED && c->address < self->reserved_shared_bytes;
}

// Before, the kernel hands over a block_tile_memory: told by the lines of both accesses. memcpy_async works on the
// kernel's own arrays, so it is not meant.
static bool is_collective(const races *self, uint32_t tag) {
    const ptx_inst *inst = observe_races_inst_of(self, tag);
    const ptx_module *module = self->module;
    if (!inst || inst->source < 0 || (uint32_t)inst->source >= module->location_count) return false;
    uint32_t file = module->locations[inst->source].file;
    const char *path = file < module->file_count ? module->files[file].path : "";
    return ptx_is_foreign(path) && strstr(path, "/cooperative_groups") && !strstr(path, "/async.h");
}

bool observe_races_is_library(const races *self, const races_conflict *c) {
    if (is_reserved(self, c)) return true;
    return c->access->space == SIM_SHARED && is_collective(self, c->tag) && is_collective(self, c->other_tag);
}
