// Theoretical occupancy: how many blocks of a launch a multiprocessor holds, and what limits it.
//
// Rules from NVIDIA's occupancy calculator (Nsight Compute's documentation, and the comments of
// cuda_occupancy.h): warps are allocated whole; registers per warp, in units of 256, to one of four
// sub-partitions, and so warps by registers are counted per sub-partition; shared memory in units, plus 1 KiB
// that the system keeps per block from sm_80 on.
#include "observe/observe.h"

enum { WARP = 32, REGISTER_UNIT = 256, PARTITIONS = 4 };

static uint32_t round_up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

static uint32_t blocks_by_registers(const observe_gpu *gpu, uint32_t warps, uint32_t registers) {
    if (!registers || !gpu->registers) return UINT32_MAX;
    uint32_t per_warp = round_up(registers * WARP, REGISTER_UNIT);
    uint32_t resident = gpu->registers / PARTITIONS / per_warp * PARTITIONS;
    return resident / warps;
}

observe_occupancy_result observe_occupancy(const observe_gpu *gpu, const observe_occupancy_input *input) {
    uint32_t warps = input->threads ? (input->threads + WARP - 1) / WARP : 1;
    uint64_t shared =
        sim_shared_allocated((int)gpu->sm, (uint64_t)input->shared_static + input->shared_dynamic);
    observe_occupancy_result r = {
        .by_warps = gpu->max_threads / WARP / warps,
        .by_blocks = gpu->max_blocks,
        .by_shared = UINT32_MAX,
        .by_registers = blocks_by_registers(gpu, warps, input->registers),
        .registers_known = input->registers != 0,
        .limit = "launch",
    };
    if (shared && gpu->shared_bytes) {
        r.shared_allocated = shared > UINT32_MAX / 2 ? UINT32_MAX : (uint32_t)shared;
        r.by_shared = gpu->shared_bytes / r.shared_allocated;
    }
    const struct {
        uint32_t blocks;
        const char *name;
    } limits[] = {{r.by_warps, "warps"},
                  {r.by_registers, "registers"},
                  {r.by_shared, "shared memory"},
                  {r.by_blocks, "blocks"}};
    r.blocks = UINT32_MAX;
    for (size_t i = 0; i < BASE_COUNT(limits); i++)
        if (limits[i].blocks < r.blocks) {
            r.blocks = limits[i].blocks;
            r.limit = limits[i].name;
        }
    r.warps = r.blocks * warps;
    if (gpu->max_threads) r.occupancy = (double)r.warps / (gpu->max_threads / WARP);
    uint64_t at_once = (uint64_t)r.blocks * gpu->multiprocessors;
    if (at_once) {
        r.waves = (double)input->blocks / (double)at_once;
        r.tail = input->blocks % at_once;
    }
    return r;
}
