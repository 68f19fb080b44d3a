// Inspecting a running warp during an event: registers, memory, and where each lane is.
//
// Nothing here changes what is simulated, sim_inspect_end apart, and every index and address is checked: what is
// not there gives NULL, 0 or false. Addresses are generic ones unless said otherwise. A frame numbers the
// registers of one call; frame 0 is the kernel's own. Pointers are good until the event's function returns.
#ifndef SIM_INSPECT_H
#define SIM_INSPECT_H

#include "sim/sim.h"

// ---- where a warp is --------------------------------------------------------------------------------

typedef struct sim_inspect_where {
    uint32_t grid[3], block[3];        // dimensions of the launch
    uint32_t block_index, block_at[3]; // linear, and as blockIdx
    uint32_t warp, warps;              // in the block; of the block
    uint32_t threads;                  // of the block
    uint32_t exited;                   // lanes that have ended, or never were
    const ptx_module *module;
    const ptx_function *entry;
} sim_inspect_where;
void sim_inspect_at(const sim_warp *warp, sim_inspect_where *where);

// Another warp of the same block; NULL where there is none.
const sim_warp *sim_inspect_warp(const sim_warp *warp, uint32_t index);
// Blocks that have begun and not ended, on the warp's worker; and warp 0 of one of them.
uint32_t sim_inspect_resident(const sim_warp *warp);
const sim_warp *sim_inspect_block(const sim_warp *warp, uint32_t resident);

// Lanes that are at one instruction. The path that runs stands at the instruction of the event.
typedef enum sim_inspect_state {
    SIM_INSPECT_RUNNING, // the one whose instruction the event is about
    SIM_INSPECT_READY,
    SIM_INSPECT_AT_BARRIER, // `barrier`: `arrived` threads of `expected` have come
    SIM_INSPECT_AT_SYNC,    // shuffles and the like: waits until the lanes of `lanes` have come
    SIM_INSPECT_AT_CLUSTER, // waits at the cluster's barrier
} sim_inspect_state;
typedef struct sim_inspect_path {
    uint32_t mask, frame;
    const ptx_inst *inst; // where it stands; NULL at the end of a function
    sim_inspect_state state;
    uint32_t barrier, arrived, expected, lanes;
} sim_inspect_path;
uint32_t sim_inspect_paths(const sim_warp *warp);
bool sim_inspect_path_at(const sim_warp *warp, uint32_t index, sim_inspect_path *path);

// Where the lanes go round in a loop because an mbarrier's phase is not over: says so, "wait for the mbarrier
// at
// ...". False, and nothing said, where they do not.
bool sim_inspect_mbarrier(const sim_warp *warp, uint32_t lanes, base_text *out);

// Sets has_step[serial] for each instruction of the launched kernel that will have a step event; the others only name a
// constant and need no execution. `count` is the module's inst_count.
void sim_inspect_steps(const sim_launch_event *launch, bool *has_step, uint32_t count);

// ---- calls and registers ----------------------------------------------------------------------------

uint32_t sim_inspect_frame(const sim_warp *warp); // of the path that runs
// The function whose registers they are; NULL where there is no such frame.
const ptx_function *sim_inspect_function(const sim_warp *warp, uint32_t frame);
// The frame that called this one, and the instruction to return to (NULL: the end of the function). False for
// frame 0.
bool sim_inspect_caller(const sim_warp *warp, uint32_t frame, uint32_t *caller, const ptx_inst **back);

// The 32 lanes of a register, as wide as its type (8-bit ones: 16 bits); of a predicate one uint32_t, bit i
// for lane i. Registers that merely name a constant or a parameter have their value too. `reg` is an index
// into the function's registers.
const void *sim_inspect_register(const sim_warp *warp, uint32_t frame, int32_t reg);

// ---- memory -----------------------------------------------------------------------------------------

const uint8_t *sim_inspect_shared(const sim_warp *warp, uint32_t *bytes);
// Copies what the lane would read at the generic address; false where it may not read there.
bool sim_inspect_memory(const sim_warp *warp, uint32_t lane, uint64_t address, void *to, uint32_t bytes);
// The generic address of a variable as the frame knows it: parameters and .local variables of its function,
// .shared ones of the kernel, and the module's own. False where the kernel does not use it.
bool sim_inspect_variable(const sim_warp *warp, uint32_t frame, const ptx_variable *variable,
                          uint64_t *address);
// Which .shared variable holds this offset of the block's shared memory, and where that begins; NULL for
// dynamic shared memory and for gaps.
const ptx_variable *sim_inspect_shared_variable(const sim_warp *warp, uint32_t offset, uint32_t *begin);
// The windows of generic addresses: what is added to an offset in that space (0 for global memory).
uint64_t sim_inspect_window(sim_space space);

// ---- what is asynchronous ---------------------------------------------------------------------------

// The mbarriers of the warp's block, in the order in which they were made.
typedef struct sim_inspect_mbarrier_state {
    uint32_t offset;            // in shared memory
    uint32_t expected, pending; // arrivals of a phase; those that are missing in this one
    int32_t bytes;              // that are still to come in this phase
    uint64_t phase;             // those that are over
    uint32_t copies;            // under way that will arrive there
} sim_inspect_mbarrier_state;
uint32_t sim_inspect_mbarriers(const sim_warp *warp);
bool sim_inspect_mbarrier_at(const sim_warp *warp, uint32_t index,
                             sim_inspect_mbarrier_state *state); // live ones

// What a lane has under way: `done` in groups that are committed, `open` not committed yet. Of products: the warp's.
typedef struct sim_inspect_work {
    uint32_t groups, done, open;
    uint64_t bytes;
} sim_inspect_work;
typedef struct sim_inspect_async {
    sim_inspect_work copies, bulk, products; // cp.async; cp.async.bulk of bulk groups; wgmma
    uint32_t tracked;                        // bulk copies of the lane that an mbarrier waits for
    uint64_t tracked_bytes;
} sim_inspect_async;
void sim_inspect_async_of(const sim_warp *warp, uint32_t lane, sim_inspect_async *work);

// A matrix in shared memory as the descriptor of wgmma says it; elements side by side along k, or `across` it.
typedef struct sim_inspect_layout {
    uint32_t start, leading, stride, swizzle; // bytes
} sim_inspect_layout;
sim_inspect_layout sim_inspect_descriptor(uint64_t descriptor);
// The offset in shared memory of the element at `along` on k and `aside` on m or n, of `bits` bits (its byte, where they are fewer
// than 8).
uint32_t sim_inspect_element(uint64_t descriptor, bool across, unsigned bits, unsigned along, unsigned aside);

// ---- what follows -----------------------------------------------------------------------------------

// The rest of the straight run that the warp executes is has_step of in detail (sim_listener.enter).
void sim_inspect_closely(sim_warp *warp);

// ---- ending it --------------------------------------------------------------------------------------

// Ends the launch with KZ_TIMEOUT and a message that says who was where. Does not return to the listener,
// which must hold nothing; of all functions here the only one that changes anything.
_Noreturn void sim_inspect_end(const sim_warp *warp);

#endif
