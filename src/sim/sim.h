// sim: executes PTX on the CPU, exactly as far as a program can observe.
//
// A machine is one simulated GPU: its memory and its limits. A program is a loaded PTX module:
// its globals in that memory, its kernels decoded when first launched. Instruments attach as a
// listener and are told of every event; the simulator knows none of them.
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "ptx/ptx.h"

typedef struct sim_machine sim_machine;
typedef struct sim_program sim_program;

// The limits of the GPU that is simulated; device/ fills it from gpus/.
typedef struct sim_config {
    int sm; // 90
    int multiprocessors;
    uint32_t max_threads_per_block, max_threads_per_multiprocessor, max_blocks_per_multiprocessor;
    uint32_t shared_per_block, shared_per_block_optin, shared_per_multiprocessor;
    uint64_t memory_bytes;
    uint64_t heap_bytes;       // device malloc; 0 means 8 MiB
    uint32_t stack_bytes;      // per thread, for recursion and alloca; 0 means 1 KiB, CUDA's default
    unsigned host_threads;     // 0: all cores
    uint64_t max_instructions; // per warp; a runaway kernel stops there; 0 means no limit
    // Device addresses are reserved in this process too: what is not visible cannot be touched by the host.
    // One machine of a process can have it.
    bool host_view;
    // Told when the host begins or ceases to see a range of it; NULL where the host is this process.
    void (*on_view)(uint64_t address, uint64_t bytes, bool is_seen);
} sim_config;

// Shared memory that the system keeps for each block of the architecture `sm`, beside the block's own, and what a
// block takes of its multiprocessor with it: allocations come in units. (CUDA Programming Guide, "Compute
// Capabilities"; an H200 says the same by %reserved_smem_offset_cap and %total_smem_size.)
uint32_t sim_shared_reserved(int sm);
uint64_t sim_shared_unit(int sm);
uint64_t sim_shared_allocated(int sm, uint64_t own);

// The seed that the variable KZ_SEED asks for, 0 without it; KZ_INVALID where it is no number.
kz_status sim_seed_asked(uint64_t *seed, kz_error *error);
// The seconds that KZ_TIMEOUT allows a program, 0 without it; KZ_INVALID where it is no time.
kz_status sim_timeout_asked(double *seconds, kz_error *error);

kz_status sim_machine_open(const sim_config *config, sim_machine **machine, kz_error *error);
void sim_machine_close(sim_machine *machine);
const sim_config *sim_machine_config(const sim_machine *machine);
void sim_machine_set_stack(sim_machine *machine, uint32_t bytes); // for later launches
void sim_machine_set_host_threads(sim_machine *machine, unsigned threads);

// ---- memory: every address is checked against the live allocations ------------------------------

kz_status sim_memory_alloc(sim_machine *machine, uint64_t bytes, uint64_t *address, kz_error *error);
// The host reads and writes it at the same address; needs sim_config.host_view.
kz_status sim_memory_alloc_visible(sim_machine *machine, uint64_t bytes, uint64_t *address, kz_error *error);
kz_status sim_memory_free(sim_machine *machine, uint64_t address, kz_error *error);
// The host's own memory, for kernels to use at its address. `data`: where this process has it.
kz_status sim_memory_register(sim_machine *machine, uint64_t address, void *data, uint64_t bytes,
                              bool read_only, kz_error *error);
kz_status sim_memory_unregister(sim_machine *machine, uint64_t address, kz_error *error);
void sim_memory_range(const sim_machine *machine, uint64_t *base, uint64_t *bytes); // of all device memory
int sim_memory_view(
    const sim_machine *machine); // the file of what the host sees, from the range's base on; -1
bool sim_memory_is_heap(const sim_machine *machine, uint64_t address);    // malloc() in a kernel gave it
bool sim_memory_is_visible(const sim_machine *machine, uint64_t address); // a live buffer that the host sees
bool sim_memory_is_device(const sim_machine *machine, uint64_t address);  // in the range of device memory
// In words: which buffer the address lies in or near, whether it was freed, whether it is the host's.
void sim_memory_describe(const sim_machine *machine, uint64_t address, base_text *out);
void sim_memory_set_heap(sim_machine *machine, uint64_t bytes); // for device malloc
uint64_t sim_memory_available(const sim_machine *machine);
kz_status sim_memory_write(sim_machine *machine, uint64_t to, const void *from, uint64_t bytes,
                           kz_error *error);
kz_status sim_memory_read(sim_machine *machine, void *to, uint64_t from, uint64_t bytes, kz_error *error);
kz_status sim_memory_copy(sim_machine *machine, uint64_t to, uint64_t from, uint64_t bytes, kz_error *error);
kz_status sim_memory_fill(sim_machine *machine, uint64_t to, uint8_t byte, uint64_t bytes, kz_error *error);

// ---- programs -----------------------------------------------------------------------------------

// Calls `found` for each instruction in the reach of a kernel that the simulator does not execute, by the word of the
// decoder that a launch goes through, with the reason, which lives no longer than the call; once for each kernel that reaches
// it. KZ_LIMIT where a GPU of the architecture `sm` (0: any) refuses the module or a kernel.
typedef void sim_unsupported(void *context, const ptx_inst *inst, const char *why);
kz_status sim_module_check(ptx_module *module, int sm, sim_unsupported *found, void *context,
                           kz_error *error);

// Takes the module over: it is closed with the program, or at once on failure.
kz_status sim_program_open(sim_machine *machine, ptx_module *module, sim_program **program, kz_error *error);
void sim_program_close(sim_program *program);
const ptx_module *sim_program_module(const sim_program *program);
kz_status sim_program_global(sim_program *program, const char *name, uint64_t *address, uint64_t *bytes,
                             kz_error *error);

typedef struct sim_kernel_info {
    uint32_t param_count;
    const uint32_t *param_offset; // of each parameter, in bytes; the program's
    uint64_t static_shared_bytes, local_bytes;
    bool prints, allocates_heap; // calls printf; malloc or free
    bool sums_uncompared;    // of tensor cores, computed as the GPU is documented to, and compared with none
    bool blocks_communicate; // runs in fixed quanta on one core, so that results do not depend on threads
} sim_kernel_info;
kz_status sim_kernel_describe(sim_program *program, const char *name, sim_kernel_info *info, kz_error *error);

// ---- events -------------------------------------------------------------------------------------
//
// A listener is told what a launch does, as it does it. Every function may be NULL, and what nobody asks for
// costs next to nothing. Events of one worker come in the order of its execution. A listener with `fork` may
// serve several workers at once; one without makes the launch run on a single core, so that it sees
// everything in one order.

typedef struct sim_warp sim_warp; // a running warp, to be looked into during an event (sim/inspect.h)

// Who does something, and where.
typedef struct sim_event {
    const ptx_inst *inst;
    sim_warp *self;
    uint32_t block; // linear index in the grid
    uint32_t warp;  // in the block
    uint32_t mask;  // lanes that take part: active, and let through by the guard
} sim_event;

typedef enum sim_access_kind { SIM_LOAD, SIM_STORE, SIM_ATOMIC } sim_access_kind;
typedef enum sim_space {
    SIM_GLOBAL,
    SIM_SHARED, // of the block itself
    SIM_LOCAL,
    SIM_PARAM,
    SIM_CONST,
    SIM_DISTRIBUTED, // shared memory reached through the cluster's window; perhaps the block's own
    SIM_TEXTURE,
} sim_space;
// Who moves the bytes: the thread itself, its asynchronous copies (cp.async), the asynchronous proxy (bulk copies), or a
// product of its warpgroup (wgmma), which reads by that proxy too. All but the first tell of an access when it is issued; it
// ends with SIM_WAIT or an mbarrier.
typedef enum sim_agent { SIM_THREAD, SIM_ASYNC_COPY, SIM_ASYNC_PROXY, SIM_PRODUCT } sim_agent;

// A tensor copy is told of row by row: each row's source, then its place.
typedef enum sim_access_part {
    SIM_PART_FIRST, // all of the access, or its first row
    SIM_PART_MORE,  // a further row; of a product, those of B
    SIM_PART_MAP,   // the tensor map that the copy reads, once for each copy
} sim_access_part;

typedef struct sim_access {
    sim_event at;
    sim_access_kind kind;
    sim_space space;
    sim_agent agent;
    sim_access_part part;
    uint32_t bytes; // per lane
    // [32]. SIM_SHARED: offsets into the block's shared memory. SIM_LOCAL: offsets into the lane's own stack.
    // SIM_DISTRIBUTED: the owning block's linear index << 32 | offset. Others: as the program knows them.
    const uint64_t *addresses;
} sim_access;

// What orders the accesses of different threads. Objects are named by a number: equal while it lives, and
// different for different objects (a barrier of a block, an mbarrier, a cluster's barrier).
typedef enum sim_sync_kind {
    SIM_WARP_SYNC, // the lanes of `at.mask` synchronise: bar.warp.sync, whose member mask is `count`
    SIM_ARRIVE,    // what the lanes did before is handed to `object`
    SIM_PASS,      // the lanes have all that was handed to `object`'s phase that is over
    SIM_COMMIT, // the lanes' asynchronous copies since the last commit make a group (`agent` says which kind)
    SIM_WAIT,   // at most `count` of the lanes' latest groups are under way; UINT32_MAX at cp.async.wait_all
    SIM_TRACK,  // the asynchronous copy just told of, or the lanes' cp.asyncs so far, will arrive at `object`
    SIM_FENCE,  // membar, fence: scope and order are the instruction's
    SIM_LEFT,  // the phase of `object` is over, and `at` has a copy of `count` bytes under way that it tracks
    SIM_ENDED, // the block of `object` ends, and `at` has such a copy under way
    SIM_INIT,  // a lane makes `object`, an mbarrier, anew
    SIM_ISSUE, // the warp executes a product of its warpgroup; what it reads is told of next
    SIM_GRID_WAIT, // the lanes have waited for the grids before this one: griddepcontrol.wait
} sim_sync_kind;

typedef struct sim_sync {
    sim_event at;
    sim_sync_kind kind;
    sim_agent agent;
    uint64_t object;
    uint32_t count;  // see the kinds; SIM_ARRIVE: threads the barrier waits for, 0 means all of the block
    bool is_barrier; // the object is one of bar.sync's sixteen
} sim_sync;

// shfl, vote, match, redux, elect: `at.mask` are the lanes that took part, from one instruction;
// `all` the lanes of all positions that synchronise.
typedef struct sim_exchange_event {
    sim_event at;
    uint32_t all;
    uint32_t named; // the member mask; the lanes in it that are not in `all` have ended, or never were
    bool is_shuffle;
    uint8_t from[32]; // shfl: the lane each lane's value came from
    uint32_t outside; // shfl: lanes whose source did not take part, though it lies inside the segment
} sim_exchange_event;

typedef enum sim_memory_kind {
    SIM_MEMORY_ALLOC,
    SIM_MEMORY_FREE,
    SIM_MEMORY_HOST_WRITE, // the host, or the loading of a module, put defined bytes there
    SIM_MEMORY_HOST_READ,
    SIM_MEMORY_COPY, // from `from`
} sim_memory_kind;
typedef struct sim_memory_event {
    sim_memory_kind kind;
    uint64_t address, bytes, from;
    const void *data;    // HOST_READ: the bytes; FREE: those of memory that the host sees itself, else NULL
    uint64_t serial;     // ALLOC, FREE: its ordinal among allocations
    const char *label;   // what it is, or NULL for the program's own
    const sim_event *at; // device malloc and free: who; else NULL
} sim_memory_event;

typedef struct sim_launch sim_launch;
typedef struct sim_launch_event {
    const ptx_module *module;
    const ptx_function *entry;
    const sim_launch *launch;
    // Per block: the kernel's own static bytes, and all that has an address, the reserved bytes in front included.
    uint32_t static_shared_bytes, shared_bytes;
    uint32_t reserved_shared_bytes;  // 0 where the kernel does not ask for their offset
    uint32_t local_bytes;            // per thread
    uint64_t serial;                 // the launch's ordinal on this machine
    const struct sim_kernel *kernel; // the entry, ready to run (sim_inspect_steps)
} sim_launch_event;

// What a listener wants to be told of an instruction.
enum {
    SIM_WANT_STEP = 1,
    SIM_WANT_STEP_IN_DETAIL = 2, // its step too, where `enter` wants details
    SIM_WANT_DONE = 4,
    SIM_WANT_ACCESS = 8, // for those who hand on to several; others are told of all accesses
    SIM_WANT_ALL = 15,
};

typedef struct sim_listener sim_listener;
struct sim_listener {
    // `fork` makes a private one for a worker, `join` folds it back when the launch has ended, one after the
    // other. Which blocks a private one saw depends on the threads; sums over all do not.
    sim_listener *(*fork)(sim_listener *self);
    void (*join)(sim_listener *self, sim_listener *child);
    void (*launch_begin)(sim_listener *self, const sim_launch_event *event); // before fork
    void (*launch_end)(sim_listener *self, kz_status status);                // after join
    void (*block_begin)(sim_listener *self, uint32_t block, uint32_t warps);
    void (*block_end)(sim_listener *self, uint32_t block);
    // A straight run of `count` instructions was executed by the lanes in `mask` (guards not applied).
    void (*run)(sim_listener *self, const ptx_inst *first, uint32_t count, uint32_t block, uint32_t warp,
                uint32_t mask);
    // Asked for each instruction of the kernel before blocks begin; NULL: SIM_WANT_ALL. More may be told.
    unsigned (*wants)(sim_listener *self, const ptx_inst *inst);
    // A straight run of `count` instructions from event->inst on is about to be executed (guards not
    // applied). Whether it is wanted in detail, which sim_inspect_closely asks for later too; NULL: it is.
    bool (*enter)(sim_listener *self, const sim_event *event, uint32_t count);
    void (*step)(sim_listener *self, const sim_event *event); // an instruction is about to be executed
    // An instruction was executed and its results are in the registers. Not told: those that only name a
    // constant (ld.param of a kernel's parameter, mov of an address), whose results are always defined.
    void (*done)(sim_listener *self, const sim_event *event);
    void (*branch)(sim_listener *self, const sim_event *event, uint32_t taken); // guarded bra; brx.idx
    void (*access)(sim_listener *self, const sim_access *access);               // before it is done
    void (*sync)(sim_listener *self, const sim_sync *sync);
    void (*exchange)(sim_listener *self, const sim_exchange_event *event);
    // Lanes enter a function: `frame` numbers the registers of the call (0 is the kernel's), all undefined.
    void (*call)(sim_listener *self, const sim_event *event, const ptx_function *function, uint32_t frame);
    // Bytes of the lanes' stacks are copied: arguments and results of calls.
    void (*copy_local)(sim_listener *self, const sim_event *event, uint32_t to, uint32_t from,
                       uint32_t bytes);
    void (*leave)(sim_listener *self, const sim_event *event); // lanes end
    void (*memory)(sim_listener *self, const sim_memory_event *event);
    // Something ends the launch when this returns; threads are still as they were. `event->inst` may be NULL,
    // and `event->mask` is the thread to blame, or the first of those that wait.
    void (*fault)(sim_listener *self, const sim_event *event, const char *message);
};

// Hears of memory between launches too; a launch's own listener, where it has none, is this one.
void sim_machine_set_listener(sim_machine *machine, sim_listener *listener);
// Ends the launch that runs, or the next one, with KZ_TIMEOUT and a message that says who waits where. May be
// called from a signal handler.
void sim_machine_interrupt(sim_machine *machine);

// ---- launches -----------------------------------------------------------------------------------

struct sim_launch {
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared_bytes;
    bool cooperative;
    const void *const *args; // args[i] points at parameter i
    size_t arg_count;
    sim_listener *listener; // may be NULL
    // What device printf writes, in a fixed order, once per call of it; may be NULL.
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    // 0: the plain order. Else which block, warp and path goes on, and for how long, is drawn from this seed.
    uint64_t seed;
};

// What ended a launch, where that was an instruction.
typedef enum sim_fault_kind {
    SIM_FAULT_NONE,
    SIM_FAULT_BOUNDS, // outside every live allocation
    SIM_FAULT_FREED,  // inside one that was freed
    SIM_FAULT_MISALIGNED,
    SIM_FAULT_READ_ONLY, // a store to constant memory or parameters
    SIM_FAULT_DEADLOCK,
    SIM_FAULT_ENDLESS,         // a loop that looks at nothing that could end it
    SIM_FAULT_BARRIER,         // threads disagree about a barrier
    SIM_FAULT_BARRIER_OPERAND, // a number or a count that no barrier has
    SIM_FAULT_ASSERT,
    SIM_FAULT_TRAP,
    SIM_FAULT_STACK, // calls or alloca beyond the stack
    SIM_FAULT_INTERRUPTED,
    SIM_FAULT_COPY_SIZE,        // of an asynchronous copy
    SIM_FAULT_NOT_SHARED,       // an address of another space where shared memory is needed
    SIM_FAULT_CLUSTER_ENDED,    // shared memory of a block that is no more
    SIM_FAULT_CLUSTER_RANK,     // a block that the cluster does not have
    SIM_FAULT_CLUSTER_OWN,      // another block's shared memory where the block's own is needed
    SIM_FAULT_CLUSTER_BARRIER,  // arrive and wait not in pairs
    SIM_FAULT_MBARRIER_MISSING, // not initialised, or no more
    SIM_FAULT_MBARRIER_OVERWRITTEN,
    SIM_FAULT_MBARRIER_COUNT, // of arrivals or bytes
    SIM_FAULT_TENSOR_MAP,     // no map, or one for another instruction
    SIM_FAULT_TENSOR_BOUNDS,  // the map leads outside every live allocation
    SIM_FAULT_TENSOR_PLACE,   // a map where copies cannot read it
    SIM_FAULT_TENSOR_BOX,     // coordinates or corners that a copy cannot have
    SIM_FAULT_TENSOR_REDUCE,  // an operation that the elements' type does not have
    SIM_FAULT_FREE,           // free() in a kernel of what malloc() did not give
    SIM_FAULT_TEXTURE,        // no texture or surface object, or the other of the two
    SIM_FAULT_SURFACE,        // coordinates outside
    SIM_FAULT_MEMBER_MASK,    // without the thread itself
    SIM_FAULT_MEMBERS_APART,  // of one mask at different operations
    SIM_FAULT_CALL,           // through a pointer to no function
    SIM_FAULT_BRANCH_TABLE,
    SIM_FAULT_ALIGNED,   // a matrix instruction that not the whole warp, or warpgroup, executes alike
    SIM_FAULT_REGISTERS, // setmaxnreg with a number that it cannot have
    SIM_FAULT_NO_MEMORY, // of the host
    SIM_FAULT_LIMIT,     // of instructions, which the caller set
    SIM_FAULT_COUNT
} sim_fault_kind;
// Of a deadlock: who else than the launch's own threads could change what they poll.
typedef enum sim_polled {
    SIM_POLLED_NOTHING,
    SIM_POLLED_DEVICE, // global memory: other kernels, copies
    SIM_POLLED_HOST,   // memory that the host can write too
} sim_polled;
typedef struct sim_fault_info {
    sim_fault_kind kind;
    sim_polled polled;
    const ptx_inst *inst;   // NULL where it was no single one
    uint32_t block, thread; // linear, in the grid and in the block
    uint32_t mask;          // of an access: the lanes that made it together
    uint64_t address;
    uint32_t bytes;
    bool is_write;
    sim_space space;
} sim_fault_info;

typedef struct sim_result {
    uint64_t warp_instructions, thread_instructions; // PTX instructions executed
    sim_fault_info fault;
} sim_result;

// Runs to the end. `result` may be NULL.
kz_status sim_run(sim_program *program, const char *kernel, const sim_launch *launch, sim_result *result,
                  kz_error *error);

#endif
