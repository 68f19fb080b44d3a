// The simulator's own structures, shared by its files; the layers above see sim.h alone.
//
// decode.c makes a sim_kernel of a PTX entry and every function it can reach: one list of
// basic blocks, ordered so that a lower index is to be executed first (flow.c).
// grid.c gives blocks to workers, block.c runs a block's warps round-robin, warp.c runs a warp's paths.
#ifndef SIM_CORE_H
#define SIM_CORE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

#include "sim/machine.h"

// ---- the address space ---------------------------------------------------------------------------

// Generic addresses: each space is a window; global memory is where it is anyway.
#define SIM_SHARED_WINDOW UINT64_C(0x010000000000) // of the block itself
#define SIM_LOCAL_WINDOW  UINT64_C(0x020000000000)
#define SIM_PARAM_WINDOW  UINT64_C(0x040000000000)
#define SIM_CODE_WINDOW   UINT64_C(0x080000000000) // function pointers: window + 16 * (index + 1)
#define SIM_GLOBAL_BASE   UINT64_C(0x200000000000) // clear of AddressSanitizer's shadow
#define SIM_WINDOW_BYTES  UINT64_C(0x010000000000)
// What programs see as the first address of local memory. As on a GPU there are addresses below it: a loop that ends
// when a pointer is before its array compares them. Inside, offsets begin at 0.
#define SIM_LOCAL_FIRST UINT64_C(0x100000)

// ---- memory --------------------------------------------------------------------------------------

typedef struct sim_allocation {
    uint64_t address, bytes;
    uint64_t serial; // its ordinal
    bool live;
    bool constant;     // a .const variable: kernels may not write it
    bool visible;      // the host reads and writes it at its own address
    bool heap;         // malloc() in a kernel gave it
    const char *label; // "global variable table", or NULL for the program's own
} sim_allocation;

// [low, low + bytes): what an operation hit last. Zero bytes hits nothing.
struct sim_extent {
    uint64_t low, bytes;
    bool writable;
};

// Memory of the host's own that kernels may use at its address.
typedef struct sim_registration {
    uint64_t address, bytes;
    uint8_t *data; // where this process has it
    bool read_only;
} sim_registration;

typedef struct sim_memory {
    uint8_t *host; // backs [SIM_GLOBAL_BASE, SIM_GLOBAL_BASE + reserved)
    uint64_t reserved, limit, used, next;
    uint64_t serial;
    sim_allocation *allocations; // sorted by address; freed ones stay as long as their room is not reused
    size_t count, capacity;
    uint64_t heap_used, heap_limit; // device malloc
    bool host_view;                 // the addresses are reserved in the host's address space as well
    int visible;                    // file descriptor of the pages that both sides see
    void (*on_view)(uint64_t address, uint64_t bytes, bool is_seen); // sim_config's
    sim_registration *registered;
    size_t registered_count, registered_capacity;
} sim_memory;

kz_status sim_memory_open(sim_memory *memory, uint64_t limit, uint64_t heap_limit, bool host_view,
                          kz_error *error);
void sim_memory_close(sim_memory *memory);
uint64_t sim_memory_suballocate(sim_memory *memory, uint64_t bytes,
                                const char *label);                       // 0 when there is no room
uint64_t sim_memory_suballocate_heap(sim_memory *memory, uint64_t bytes); // by a kernel
uint64_t sim_memory_suballocate_visible(sim_memory *memory, uint64_t bytes, const char *label);
bool sim_memory_release(sim_memory *memory, uint64_t address);
// Where this process has registered memory; NULL where none holds the range.
uint8_t *sim_memory_registered(const sim_memory *memory, uint64_t address, uint64_t bytes, bool write);
// Events of a module's variables.
void sim_memory_emit_variable(sim_machine *machine, uint64_t address, uint64_t bytes, const char *name);
void sim_memory_emit_gone(sim_machine *machine, uint64_t address, uint64_t bytes, const char *name);
void sim_memory_forget_label(sim_memory *memory, uint64_t address); // the text is about to go
// The live allocation that holds [address, address + bytes), or NULL.
const sim_allocation *sim_memory_find(const sim_memory *memory, uint64_t address, uint64_t bytes);
// For messages: which buffer is nearest, or was freed, in words.
void sim_memory_explain(const sim_memory *memory, uint64_t address, uint64_t bytes, base_text *out);

static inline uint8_t *sim_memory_host(const sim_memory *memory, uint64_t address) {
    return memory->host + (address - SIM_GLOBAL_BASE);
}

// ---- decoded kernels -----------------------------------------------------------------------------

typedef struct sim_code sim_code;
typedef struct sim_kernel sim_kernel;

typedef struct sim_basic_block {
    uint32_t first, count; // operations
    uint32_t instructions; // PTX instructions, also those that need no operation, the last one included
    ptx_end end;           // FALL: goes on with `next`. BRANCH: to `target`, else `next`
    bool guarded;          // an operation has a guard
    bool has_no_way_out;   // no return, exit, trap or call can be reached from it
    uint32_t next, target; // basic blocks
    const sim_op *last;    // the operation of the end, or NULL
    const ptx_inst *first_inst;
    sim_code *code;
} sim_basic_block;

typedef enum sim_constant_kind {
    SIM_CONSTANT_BITS,           // a value
    SIM_CONSTANT_PARAM,          // kernel parameter bytes at `bits`
    SIM_CONSTANT_SPECIAL,        // special register `bits`
    SIM_CONSTANT_LOCAL,          // the frame's address in local memory, plus bits
    SIM_CONSTANT_SHARED_DYNAMIC, // where dynamic shared memory starts, plus bits
} sim_constant_kind;

typedef struct sim_constant {
    sim_constant_kind kind;
    uint8_t width; // in bits: 1, 16, 32, 64, 128
    uint8_t bytes; // PARAM: how many are meant, sign-extended if `is_signed`
    bool is_signed;
    uint64_t bits;
    uint32_t at; // frame offset
} sim_constant;

// Where a variable of a function is in its frame of local memory.
typedef struct sim_variable_slot {
    const ptx_variable *variable;
    uint32_t offset;
} sim_variable_slot;

struct sim_code {
    const ptx_function *function;
    sim_kernel *kernel;
    uint32_t entry_basic_block;
    uint32_t frame_bytes;
    uint32_t local_bytes;        // .local variables and the parameters of calls
    uint32_t stack_frame;        // the least that a call of it takes of a GPU's stack
    uint32_t *reg_at;            // frame offset of each register
    uint8_t *reg_is_constant;    // it shares a constant's slot
    uint8_t *reg_is_accumulator; // a warpgroup's product writes it; NULL where there is none (wgmma.h)
    sim_constant *constants;
    uint32_t constant_count, constant_capacity;
    uint32_t *constant_table; // hash: index + 1
    uint32_t constant_table_size;
    sim_variable_slot *slots;
    uint32_t slot_count;
    uint32_t *block_constants; // indices of the constants that change from block to block
    uint32_t block_constant_count;
    uint32_t carry_at, sink_at; // SIM_NOWHERE until needed
    uint32_t stack_at; // where the caller's stack_top is kept; SIM_NOWHERE where the function uses no alloca
    uint32_t predicate_next, predicate_room;
};

typedef enum sim_builtin {
    SIM_BUILTIN_NONE,
    SIM_BUILTIN_MALLOC,
    SIM_BUILTIN_FREE,
    SIM_BUILTIN_VPRINTF,
    SIM_BUILTIN_ASSERTFAIL,
} sim_builtin;

typedef struct sim_call {
    sim_code *callee; // NULL for an indirect or a built-in one
    sim_builtin builtin;
    const ptx_inst *inst;
    uint32_t pointer_at; // indirect: frame offset of the function's address, else SIM_NOWHERE
    uint32_t arg_count, result_count;
    sim_variable_slot *args, *results; // the caller's param variables in its local frame
} sim_call;

struct sim_kernel {
    sim_program *program;
    const ptx_function *entry;
    base_arena *arena;
    sim_code **codes; // in the order decoded; [0] is the entry
    uint32_t code_count;
    sim_code **code_of; // by function index; NULL where the entry cannot reach it
    sim_op *ops;
    uint32_t op_count, op_capacity;
    sim_basic_block *basic_blocks;
    uint32_t basic_block_count, basic_block_capacity;
    uint32_t memory_op_count; // entries in a worker's cache of extents
    uint32_t register_bytes;  // a warp's register file
    uint32_t local_frames;    // bytes of local memory per lane that calls of known depth take
    uint32_t least_stack;     // of a GPU's stack, by the calls whose functions are known
    uint32_t local_room;      // bytes of local memory per lane, by the stack that the machine allows now
    uint32_t stack_bytes;     // of them, at the end: for alloca
    uint32_t
        reserved_shared; // bytes in front of its own shared memory, where it asks for their offset; else 0
    uint32_t static_shared, dynamic_align; // its own
    sim_variable_slot *shared_slots;       // of the .shared variables that are used
    uint32_t shared_slot_count, shared_slot_capacity;
    uint32_t param_bytes;
    uint32_t *param_offset;
    bool communicates, recursive; // recursive: the depth of its calls has no bound that could be computed
    bool allocates_stack, prints, allocates_heap;
    bool clusters;        // it uses a cluster's barrier or shared memory
    bool sums_uncompared; // of tensor cores that were not compared with a GPU
};

kz_status sim_decode_kernel(sim_program *program, const ptx_function *entry, sim_kernel **kernel,
                            kz_error *error);
void sim_kernel_close(sim_kernel *kernel);
void sim_kernel_size_stack(sim_kernel *kernel,
                           uint32_t stack); // before each launch: the limit may have changed

// What ptxas refuses, without asking it (limits.c): KZ_LIMIT.
kz_status sim_check_module_limits(const ptx_module *module, int sm, kz_error *error); // sm 0: no GPU
kz_status sim_check_kernel_limits(const sim_kernel *kernel, kz_error *error);
kz_status sim_check_local_limit(const sim_kernel *kernel, kz_error *error); // at a launch; ptxas lets it pass

// The order of a function's basic blocks, such that of two positions where lanes of a warp can be, the lower is to
// run first (flow.c). `order` gets `count` indices; false when out of memory.
bool sim_order_runs(base_arena *arena, const uint32_t *successors, const uint32_t *successor_start,
                    uint32_t count, uint32_t *order);

struct sim_program {
    sim_machine *machine;
    ptx_module *module;
    uint64_t *variable_at;  // address of each module variable in global memory
    sim_kernel **kernels;   // by function index; NULL until launched
    sim_unsupported *found; // NULL, or who hears of what cannot be decoded
    void *found_context;
};

typedef struct sim_textures sim_textures; // texture.c

enum { SIM_KEPT_BYTES = 1 << 20 };

typedef struct sim_storage {
    uint8_t *memory;
    size_t bytes;
} sim_storage;

struct sim_machine {
    sim_config config;
    unsigned cores; // of the host
    sim_memory memory;
    sim_listener *listener;  // of the machine: hears of memory between launches too
    atomic_bool interrupted; // the launch that runs is to end
    uint64_t launches;
    sim_textures *textures; // NULL until one is made
    pthread_mutex_t storage_lock;
    sim_storage storage[8]; // of blocks that ended, each of SIM_KEPT_BYTES at most
    size_t storage_count;
};

void sim_storage_close(sim_machine *machine);

kz_status sim_program_kernel(sim_program *program, const char *name, sim_kernel **kernel, kz_error *error);
uint64_t sim_program_variable(const sim_program *program, const ptx_variable *variable);

// Without the popcnt instruction, which not every x86-64 has, counting costs a call: the common case is full.
static inline uint32_t sim_lane_count(uint32_t mask) {
    return mask == SIM_ALL ? SIM_LANES : (uint32_t)__builtin_popcount(mask);
}

// ---- running -------------------------------------------------------------------------------------

enum { SIM_BARRIERS = 16 };

typedef struct sim_barrier {
    uint32_t arrived;  // threads
    uint32_t expected; // as the instruction said; 0: all of the block
    uint32_t yes;      // bar.red: threads whose predicate held
    uint32_t warps;    // bit i: warp i has come
} sim_barrier;

typedef struct sim_grid sim_grid;
typedef struct sim_worker sim_worker;
typedef struct sim_async sim_async;     // async.h
typedef struct sim_cluster sim_cluster; // async.h

// What one host thread writes all the time must not share a cache line with what another reads: 128 bytes,
// since lines are fetched in pairs.
#define SIM_CACHE_ALIGNED __attribute__((aligned(128)))

struct SIM_CACHE_ALIGNED sim_block {
    sim_grid *grid;
    sim_worker *worker;
    uint32_t index, at[3];
    uint8_t *shared;
    sim_warp *warps;
    uint32_t warp_count, threads, alive;
    sim_barrier barriers[SIM_BARRIERS];
    uint32_t barriers_waited;               // bit i: somebody has arrived at barrier i
    uint32_t came[SIM_BARRIERS][SIM_LANES]; // barriers with a count: lanes that have come, of warps that have
    uint64_t clock;                         // instructions executed by the block
    uint64_t waited;                        // what reading clocks and nanosleep add to %clock
    base_text printed;
    uint32_t free_registers; // that warps gave back (setmaxnreg), of a thread each, summed over warps
    bool sets_registers;     // some warp has executed setmaxnreg
    bool moved;              // since the last look: a barrier opened, lanes exited, a call returned
    bool waits;              // it let others run because all it does is wait
    bool used;               // constants are in place
    uint8_t *storage;        // registers and local memory of all warps, one mapping
    size_t storage_bytes;
    sim_async *async;     // asynchronous copies and mbarriers; NULL until there are any
    sim_cluster *cluster; // NULL where nothing needs one
    uint32_t rank;        // in the cluster
};

typedef struct sim_fault {
    kz_status status;
    uint32_t block;
    sim_fault_info info;
    char message[3600];
} sim_fault;

struct SIM_CACHE_ALIGNED sim_worker {
    sim_grid *grid;
    sim_listener *listener;
    sim_extent *extents;
    uint8_t *wants; // by operation: what the listener wants; NULL where it wants nothing of instructions
    uint32_t claimed, claim_end; // blocks that are this worker's to begin
    sim_block **resident;        // blocks that have begun and not ended
    uint32_t resident_count, resident_capacity;
    sim_block **spare; // to be used again: their constants are in place
    uint32_t spare_count, spare_capacity;
    sim_block *running;
    sim_warp *warp;
    const sim_op *op; // in flight, for faults
    jmp_buf stop;
    uint64_t warp_instructions, thread_instructions;
    uint64_t changes; // watched: stores and atomics that changed memory
    bool watch;
    sim_polled polled;                   // watched: what loads and atomics looked at since the last change
    bool stirred;                        // a block did something that another of its cluster may wait for
    uint64_t random;                     // the state of a drawn schedule; 0: the plain order
    struct sim_mma_fragments *fragments; // mma.c; NULL until there are any
    pthread_t thread;
};

struct sim_grid {
    sim_program *program;
    sim_kernel *kernel;
    const sim_launch *launch;
    sim_listener *listener; // the launch's own, or the machine's
    sim_memory *memory;
    uint32_t blocks, threads, warps;
    uint32_t own_shared_bytes;                // static and dynamic
    uint32_t shared_bytes, dynamic_shared_at; // with the kernel's reserved bytes in front
    uint32_t cluster[3], cluster_size;        // 1 block where there are no clusters
    bool explicit_cluster;
    uint8_t *params;
    uint64_t grid_workspace; // for cooperative launches
    // Of a cooperative launch that is looked at in one order: whoever reads or writes what other blocks wait for lets
    // them run next. So all pass a barrier of the grid before one of them comes to the next, and what only the second
    // barrier orders is not taken to be ordered by the first.
    bool by_turns;
    uint32_t resident_limit;
    unsigned workers;
    SIM_CACHE_ALIGNED atomic_uint next_block; // written by all workers, with a line of its own
    SIM_CACHE_ALIGNED atomic_uint stop_at;    // blocks from this one on need not run: one of them failed
    atomic_uint quiet;                        // workers that have ended, or whose blocks all wait
    pthread_mutex_t lock;
    sim_fault fault; // of the lowest block that failed
    struct {
        uint32_t block;
        char *text;
        size_t length;
    } * prints;
    size_t print_count, print_capacity;
};

// warp.c
typedef enum sim_warp_outcome { SIM_WARP_WAITS, SIM_WARP_DONE, SIM_WARP_SLICE_OVER } sim_warp_outcome;
// Runs the warp's paths, until all wait, all have exited, or `slice` basic blocks are executed.
sim_warp_outcome sim_warp_run(sim_warp *warp, uint32_t slice);
// Paths that wait for lanes of their own warp go on where those have all come or left.
void sim_warp_settle(sim_warp *warp);

static inline void sim_expand_mask(sim_warp *warp, uint32_t mask) { // into warp->lanes
    for (unsigned i = 0; i < SIM_LANES; i++) warp->lanes[i] = 0u - (mask >> i & 1);
    warp->lanes_mask = mask;
}

// events.c: tell the worker's listener, where it wants to know
static inline sim_event sim_event_of(sim_warp *warp, const ptx_inst *inst, uint32_t mask) {
    return (sim_event){
        .inst = inst, .self = warp, .block = warp->block->index, .warp = warp->index, .mask = mask};
}
void sim_emit_sync_to(sim_listener *listener, sim_warp *warp, const ptx_inst *inst, uint32_t mask,
                      sim_sync_kind kind, sim_agent agent, uint64_t object, uint32_t count);
static inline void sim_emit_sync(sim_warp *warp, const ptx_inst *inst, uint32_t mask, sim_sync_kind kind,
                                 sim_agent agent, uint64_t object, uint32_t count) {
    sim_listener *listener = warp->block->worker->listener;
    if (__builtin_expect(listener && listener->sync, 0))
        sim_emit_sync_to(listener, warp, inst, mask, kind, agent, object, count);
}
// The number of a block's barrier among objects.
static inline uint64_t sim_barrier_object(const sim_block *block, uint32_t id) {
    return (uint64_t)block->index << 32 | id;
}
// Executes a basic block's operations one by one, telling before and after of those that are wanted.
void sim_execute_observed(sim_warp *warp, const sim_basic_block *basic_block, uint32_t mask);
// Asks the worker's listener what it wants of the kernel's instructions; false when out of memory.
bool sim_ask_wants(sim_worker *worker);
// The operation that only sums up addresses for others, and is no instruction.
void sim_do_nothing(sim_warp *warp, const sim_op *op);

// A number below `bound` from the worker's drawn schedule.
static inline uint32_t sim_draw(sim_worker *worker, uint32_t bound) {
    uint64_t x = worker->random; // xorshift64* (Vigna)
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    worker->random = x;
    return (uint32_t)(((x * UINT64_C(0x2545f4914f6cdd1d)) >> 32) * bound >> 32);
}

// sync.c: shfl, vote, match, redux, elect among the lanes of `count` paths that wait for each other
void sim_exchange(sim_warp *warp, sim_path *const *paths, uint32_t count);
bool sim_exchange_waits(const sim_warp *warp,
                        const sim_path *path); // for other warps, though the lanes are all here
bool sim_can_exchange(ptx_op op);              // among the lanes of a warp: sync.c has its executor

// wgmma.c: who has not executed what wgmma.wait_group waits for, in words
void sim_wgmma_describe(const sim_warp *warp, const sim_op *op, base_text *out);
// registers.c: setmaxnreg by a path that stands at it; false where it has to wait for registers, or for lanes of its warp
bool sim_set_registers(sim_warp *warp, const sim_path *path, const sim_op *op);
void sim_registers_left(sim_warp *warp); // all of its lanes have

// block.c
sim_block *sim_block_open(sim_worker *worker); // NULL when out of memory
void sim_block_close(sim_block *block);
void sim_block_begin(sim_block *block, uint32_t index);
// Runs until the block is done (true), or has to let others run (false).
bool sim_block_run(sim_block *block);
// The path arrives, and waits unless it is the last.
void sim_barrier_arrive(sim_block *block, sim_warp *warp, sim_path *path, const sim_op *op);
void sim_block_lanes_left(sim_block *block, uint32_t lanes);
void sim_fill_constants(sim_warp *warp, uint8_t *frame, const sim_code *code, uint32_t local,
                        bool only_block);

// async.c
void sim_async_reset(sim_async *async);
void sim_async_close(sim_async *async);
void sim_async_finish_block(sim_block *block);
bool sim_async_hurry(sim_worker *worker); // completes all that is under way; false where nothing was

// mbarrier.c: "wait for the mbarrier ...", where one of the lanes does
bool sim_mbarrier_describe(const sim_warp *warp, uint32_t lanes, base_text *out, const ptx_inst **inst);

// cluster.c. A launch's cluster dimensions are taken from the kernel where it gives none, and checked.
kz_status sim_cluster_check(const sim_config *config, const ptx_function *function, sim_launch *launch,
                            kz_error *error);
uint32_t sim_cluster_block(const sim_grid *grid, uint32_t cluster, uint32_t rank); // a block's linear index
uint32_t sim_cluster_of(const sim_grid *grid, uint32_t block);
uint64_t sim_cluster_special(const sim_block *block, ptx_special special);
sim_cluster *sim_cluster_open(const sim_grid *grid, uint32_t index); // NULL when out of memory
void sim_cluster_join(sim_cluster *cluster, sim_block *block, uint32_t rank);
bool sim_cluster_leave(sim_block *block); // the block has ended; whether it was the last
void sim_cluster_close(sim_block *block); // the last block to be closed takes the cluster with it
// Which lanes of the path need not wait at the cluster's barrier; true where none has to.
bool sim_cluster_wait(sim_warp *warp, sim_path *path, const sim_op *op, uint32_t *ready);
void sim_cluster_lanes_left(sim_warp *warp, uint32_t lanes);
// An address in the shared window, perhaps of another block, as listeners are told: owner << 32 | offset.
uint64_t sim_cluster_address(const sim_warp *warp, uint64_t address);
// What lies at an offset of the shared window that is not the block's own: another block's memory, or a
// fault.
uint8_t *sim_shared_elsewhere(sim_warp *warp, const sim_op *op, unsigned lane, uint64_t address,
                              uint32_t bytes);

// builtin.c: device malloc, free, printf, assert
void sim_call_builtin(sim_warp *warp, const sim_op *op, const sim_call *call, uint32_t local);

// grid.c: ends the launch, or what remains of it from the fault's block on
_Noreturn void sim_grid_fault(sim_worker *worker, const sim_fault *fault);

// fault.c: end the launch; they do not return
_Noreturn void sim_fault_access(sim_warp *warp, const sim_op *op, uint32_t lane, uint64_t address,
                                uint32_t bytes, sim_space space, const char *what);
_Noreturn void sim_fault_here(sim_warp *warp, const sim_op *op, uint32_t lane, sim_fault_kind kind,
                              const char *format, ...) __attribute__((format(printf, 5, 6)));
_Noreturn void sim_fault_deadlock(sim_worker *worker, const char *what, const char *causes);
_Noreturn void sim_fault_endless(sim_worker *worker);
_Noreturn void sim_fault_no_way_out(sim_worker *worker, const sim_path *path); // of a running warp
#define SIM_CAUSES_OF_WAITING                                                                                \
    "a barrier that only some threads reach, a lock that is never given back, waiting for a block that has " \
    "not begun"
_Noreturn void sim_fault_interrupted(sim_worker *worker);

// memory as the warp sees it, for builtin.c and slow paths
uint8_t *sim_lane_pointer(sim_warp *warp, const sim_op *op, uint32_t lane, uint64_t generic, uint32_t bytes,
                          bool write);

#endif
