// Clusters: blocks that are resident together, reach each other's shared memory, and have a barrier.

#include "sim/async.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- shape ---------------------------------------------------------------------------------------------

kz_status sim_cluster_check(const sim_config *c, const ptx_function *f, sim_launch *l, kz_error *error) {
    uint32_t *size = l->cluster;
    bool asked = size[0] || size[1] || size[2];
    for (int i = 0; i < 3; i++) {
        if (!asked) size[i] = f->cluster[i];
        if (f->cluster[0] && asked && (size[i] ? size[i] : 1) != (f->cluster[i] ? f->cluster[i] : 1))
            return base_fail(error, KZ_INVALID,
                             "launch of %s: clusters of %u x %u x %u blocks, but the kernel was compiled for "
                             "%u x %u x %u (__cluster_dims__)",
                             f->name, size[0], size[1], size[2], f->cluster[0], f->cluster[1], f->cluster[2]);
    }
    if (!size[0] && !size[1] && !size[2]) return KZ_OK;
    uint64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        if (!size[i]) size[i] = 1;
        blocks *= size[i];
    }
    if (c->sm < 90)
        return base_fail(error, KZ_UNSUPPORTED,
                         "launch of %s: clusters of blocks need compute capability 9.0, the GPU has %d.%d",
                         f->name, c->sm / 10, c->sm % 10);
    if (blocks > SIM_CLUSTER_LIMIT || (f->max_cluster_rank && blocks > f->max_cluster_rank))
        return base_fail(error, KZ_LIMIT,
                         "launch of %s: a cluster of %" PRIu64 " blocks, at most %u are allowed", f->name,
                         blocks, blocks > SIM_CLUSTER_LIMIT ? SIM_CLUSTER_LIMIT : f->max_cluster_rank);
    for (int i = 0; i < 3; i++) {
        if (f->blocks_are_clusters)
            l->grid[i] *= size[i];
        else if (l->grid[i] % size[i])
            return base_fail(error, KZ_INVALID,
                             "launch of %s: grid dimension %c is %u, not a multiple of the cluster's %u",
                             f->name, 'x' + i, l->grid[i], size[i]);
    }
    return KZ_OK;
}

uint32_t sim_cluster_block(const sim_grid *g, uint32_t cluster, uint32_t rank) {
    const uint32_t *grid = g->launch->grid, *size = g->cluster;
    uint32_t across = grid[0] / size[0], down = grid[1] / size[1];
    uint32_t x = cluster % across * size[0] + rank % size[0],
             y = cluster / across % down * size[1] + rank / size[0] % size[1],
             z = cluster / across / down * size[2] + rank / size[0] / size[1];
    return (z * grid[1] + y) * grid[0] + x;
}

uint32_t sim_cluster_of(const sim_grid *g, uint32_t block) {
    const uint32_t *grid = g->launch->grid, *size = g->cluster;
    uint32_t x = block % grid[0] / size[0], y = block / grid[0] % grid[1] / size[1],
             z = block / grid[0] / grid[1] / size[2];
    return (z * (grid[1] / size[1]) + y) * (grid[0] / size[0]) + x;
}

uint64_t sim_cluster_special(const sim_block *b, ptx_special special) {
    const uint32_t *grid = b->grid->launch->grid, *size = b->grid->cluster;
    switch (special) {
    case PTX_SPECIAL_CLUSTERID_X: return b->at[0] / size[0];
    case PTX_SPECIAL_CLUSTERID_Y: return b->at[1] / size[1];
    case PTX_SPECIAL_CLUSTERID_Z: return b->at[2] / size[2];
    case PTX_SPECIAL_NCLUSTERID_X: return grid[0] / size[0];
    case PTX_SPECIAL_NCLUSTERID_Y: return grid[1] / size[1];
    case PTX_SPECIAL_NCLUSTERID_Z: return grid[2] / size[2];
    case PTX_SPECIAL_CLUSTER_CTAID_X: return b->at[0] % size[0];
    case PTX_SPECIAL_CLUSTER_CTAID_Y: return b->at[1] % size[1];
    case PTX_SPECIAL_CLUSTER_CTAID_Z: return b->at[2] % size[2];
    case PTX_SPECIAL_CLUSTER_NCTAID_X: return size[0];
    case PTX_SPECIAL_CLUSTER_NCTAID_Y: return size[1];
    case PTX_SPECIAL_CLUSTER_NCTAID_Z: return size[2];
    case PTX_SPECIAL_CLUSTER_CTARANK: return b->rank;
    case PTX_SPECIAL_CLUSTER_NCTARANK: return b->grid->cluster_size;
    case PTX_SPECIAL_IS_EXPLICIT_CLUSTER: return b->grid->explicit_cluster;
    default: return 0;
    }
}

sim_cluster *sim_cluster_open(const sim_grid *g, uint32_t index) {
    sim_cluster *cluster = calloc(1, sizeof *cluster);
    if (!cluster) return NULL;
    cluster->index = index;
    cluster->size = g->cluster_size;
    cluster->alive = cluster->missing = g->cluster_size * g->threads;
    return cluster;
}

void sim_cluster_join(sim_cluster *cluster, sim_block *block, uint32_t rank) {
    cluster->blocks[rank] = block;
    block->cluster = cluster;
    block->rank = rank;
}

bool sim_cluster_leave(sim_block *block) {
    sim_cluster *cluster = block->cluster;
    bool last = ++cluster->ended == cluster->size;
    return last;
}

void sim_cluster_close(sim_block *block) {
    sim_cluster *cluster = block->cluster;
    block->cluster = NULL;
    if (!cluster) return;
    cluster->blocks[block->rank] = NULL;
    for (uint32_t i = 0; i < cluster->size; i++)
        if (cluster->blocks[i]) return;
    free(cluster);
}

// ---- addresses -----------------------------------------------------------------------------------------

// The block that an offset into the shared window means, and the offset in its shared memory.
static sim_block *owner_of(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, uint32_t bytes,
                           uint32_t *offset) {
    sim_block *b = w->block;
    *offset = (uint32_t)(address & (SIM_OWN_SHARED - 1));
    if (address < SIM_OWN_SHARED) return b;
    uint64_t rank = (address >> SIM_RANK_SHIFT) - 1;
    if (rank >= b->grid->cluster_size) {
        sim_fault_access(w, op, lane, address, bytes, SIM_SHARED, NULL);
    }
    if (rank == b->rank) return b;
    sim_block *other = b->cluster ? b->cluster->blocks[rank] : NULL;
    if (!other || other->alive == 0)
        sim_fault_here(
            w, op, lane, SIM_FAULT_CLUSTER_ENDED,
            "reaches for the shared memory of block rank %u of the cluster, which has ended\n"
            "likely cause: no cluster barrier before the block returns; let every block wait until "
            "the others are done with its shared memory",
            (unsigned)rank);
    return other;
}

uint8_t *sim_shared_elsewhere(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address,
                              uint32_t bytes) {
    uint16_t space = op->inst->by_category[PTX_CAT_SPACE];
    uint32_t offset;
    if (address < SIM_OWN_SHARED) sim_fault_access(w, op, lane, address, bytes, SIM_SHARED, NULL);
    sim_block *owner = owner_of(w, op, lane, address, bytes, &offset);
    if (owner != w->block && (space == PTX_MOD_SHARED || space == PTX_MOD_SHARED_CTA))
        sim_fault_here(w, op, lane, SIM_FAULT_CLUSTER_OWN,
                       "the address 0x%" PRIx64 " belongs to block rank %u of the cluster, but .shared means "
                       "the block's own memory: use .shared::cluster or a generic address",
                       address, owner->rank);
    if (offset > w->shared_bytes || bytes > w->shared_bytes - offset)
        sim_fault_access(w, op, lane, offset, bytes, SIM_DISTRIBUTED, NULL);
    return owner->shared + offset;
}

uint8_t *sim_find_shared(sim_warp *w, const sim_op *op, unsigned lane, const async_address_operand *operand,
                         uint32_t bytes, uint32_t align, sim_block **owner, uint32_t *offset) {
    uint64_t address = async_address(w, operand, lane);
    if (operand->space == PTX_MOD_NONE) {
        if (address - SIM_SHARED_WINDOW >= SIM_WINDOW_BYTES)
            sim_fault_here(w, op, lane, SIM_FAULT_NOT_SHARED,
                           "the address 0x%" PRIx64 " is not in shared memory", address);
        address -= SIM_SHARED_WINDOW;
    }
    *owner = owner_of(w, op, lane, address, bytes, offset);
    if (*owner != w->block && operand->space != PTX_MOD_NONE && operand->space != PTX_MOD_SHARED_CLUSTER)
        sim_fault_here(w, op, lane, SIM_FAULT_CLUSTER_OWN,
                       "the address 0x%" PRIx64 " belongs to block rank %u of the cluster, but the "
                       "instruction says the block's own shared memory",
                       address, (*owner)->rank);
    if (*offset > w->shared_bytes || bytes > w->shared_bytes - *offset)
        sim_fault_access(w, op, lane, *offset, bytes, *owner == w->block ? SIM_SHARED : SIM_DISTRIBUTED,
                         NULL);
    if (*offset & (align - 1))
        sim_fault_access(w, op, lane, *offset, align, *owner == w->block ? SIM_SHARED : SIM_DISTRIBUTED,
                         "is misaligned");
    return (*owner)->shared + *offset;
}

static uint64_t lane_value(const sim_warp *w, uint32_t at, unsigned bits, unsigned lane) {
    return bits == 64 ? SIM_REG(uint64_t, w, at)[lane] : SIM_REG(uint32_t, w, at)[lane];
}

void sim_cluster_map(sim_warp *w, const sim_op *op) {
    unsigned from_bits = op->aux8, to_bits = op->aux16;
    uint64_t window = op->aux;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = lane_value(w, op->a, from_bits, lane) - window;
        uint32_t rank = SIM_REG(uint32_t, w, op->b)[lane];
        if (window && address >= SIM_WINDOW_BYTES)
            sim_fault_here(w, op, lane, SIM_FAULT_NOT_SHARED,
                           "mapa of the address 0x%" PRIx64 ", which is not in shared memory",
                           address + window);
        if (rank >= w->block->grid->cluster_size)
            sim_fault_here(w, op, lane, SIM_FAULT_CLUSTER_RANK,
                           "mapa to block rank %u, but the cluster has %u block%s%s", rank,
                           w->block->grid->cluster_size, w->block->grid->cluster_size == 1 ? "" : "s",
                           w->block->grid->explicit_cluster ? ""
                                                            : ": it was launched without cluster dimensions");
        uint64_t mapped =
            window + ((uint64_t)(rank + 1) << SIM_RANK_SHIFT | (address & (SIM_OWN_SHARED - 1)));
        if (to_bits == 64)
            SIM_REG(uint64_t, w, op->d)[lane] = mapped;
        else
            SIM_REG(uint32_t, w, op->d)[lane] = (uint32_t)mapped;
    }
}

void sim_cluster_rank(sim_warp *w, const sim_op *op) {
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = lane_value(w, op->a, op->aux8, lane) - op->aux;
        uint64_t rank = address >> SIM_RANK_SHIFT;
        SIM_REG(uint32_t, w, op->d)[lane] = rank ? (uint32_t)rank - 1 : w->block->rank;
    }
}

// ---- the barrier ---------------------------------------------------------------------------------------

static uint64_t barrier_object(const sim_block *b) {
    const sim_block *first = b->cluster->blocks[0];
    return (uint64_t)first->index << 32 | UINT32_C(1) << 30;
}

static void emit_pass(sim_warp *w, const sim_path *path) {
    sim_emit_sync(w, path->barrier_op->inst, path->mask, SIM_PASS, SIM_THREAD, barrier_object(w->block), 0);
}

static void wake_all(sim_cluster *cluster) {
    for (uint32_t i = 0; i < cluster->size; i++) {
        sim_block *b = cluster->blocks[i];
        for (uint32_t j = 0; j < b->warp_count; j++) {
            sim_warp *w = &b->warps[j];
            for (uint32_t p = 0; p < w->path_count; p++) {
                if (w->paths[p].state != SIM_PATH_AT_CLUSTER) continue;
                w->paths[p].state = SIM_PATH_READY;
                w->cluster_arrived &= ~w->paths[p].mask;
                b->moved = true;
                emit_pass(w, &w->paths[p]);
            }
        }
    }
}

static void try_open(sim_block *b) {
    sim_cluster *cluster = b->cluster;
    if (cluster->missing || !cluster->alive) return;
    cluster->phase++;
    cluster->missing = cluster->alive;
    b->worker->stirred = true;
    b->worker->changes++;
    wake_all(cluster);
}

void sim_cluster_arrive(sim_warp *w, const sim_op *op) {
    sim_cluster *cluster = w->block->cluster;
    uint32_t again = w->cluster_arrived & w->mask;
    if (again)
        sim_fault_here(w, op, (unsigned)__builtin_ctz(again), SIM_FAULT_CLUSTER_BARRIER,
                       "arrives at the cluster's barrier again, without barrier.cluster.wait between");
    w->cluster_arrived |= w->mask;
    w->cluster_phase = cluster->phase & 1 ? w->cluster_phase | w->mask : w->cluster_phase & ~w->mask;
    sim_emit_sync(w, op->inst, w->mask, SIM_ARRIVE, SIM_THREAD, barrier_object(w->block), 0);
    cluster->missing -= sim_lane_count(w->mask);
    try_open(w->block);
}

bool sim_cluster_wait(sim_warp *w, sim_path *path, const sim_op *op, uint32_t *ready) {
    uint32_t never = path->mask & ~w->cluster_arrived;
    if (never)
        sim_fault_here(w, op, (unsigned)__builtin_ctz(never), SIM_FAULT_CLUSTER_BARRIER,
                       "barrier.cluster.wait without barrier.cluster.arrive before");
    uint32_t current = w->block->cluster->phase & 1 ? SIM_ALL : 0;
    *ready = path->mask & (w->cluster_phase ^ current);
    w->cluster_arrived &= ~*ready;
    path->barrier_op = op;
    if (*ready) {
        sim_path ready_path = *path;
        ready_path.mask = *ready;
        emit_pass(w, &ready_path);
    }
    return *ready == path->mask;
}

void sim_cluster_lanes_left(sim_warp *w, uint32_t lanes) {
    sim_cluster *cluster = w->block->cluster;
    uint32_t current = cluster->phase & 1 ? SIM_ALL : 0;
    uint32_t arrived = w->cluster_arrived & ~(w->cluster_phase ^ current) & lanes;
    cluster->alive -= sim_lane_count(lanes);
    cluster->missing -= sim_lane_count(lanes & ~arrived);
    try_open(w->block);
}

uint64_t sim_cluster_address(const sim_warp *w, uint64_t address) {
    const sim_block *b = w->block;
    uint64_t at = address >= SIM_SHARED_WINDOW ? address - SIM_SHARED_WINDOW : address;
    uint64_t rank = at < SIM_OWN_SHARED ? b->rank : (at >> SIM_RANK_SHIFT) - 1;
    uint32_t owner = b->index;
    if (b->cluster && rank < b->cluster->size && b->cluster->blocks[rank])
        owner = b->cluster->blocks[rank]->index;
    return (uint64_t)owner << 32 | (at & (SIM_OWN_SHARED - 1));
}
