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
    uint32_t stack_bytes;      // local memory for calls, per thread; 0 means 64 KiB
    unsigned host_threads;     // 0: all cores
    uint64_t max_instructions; // per warp; a runaway kernel stops there; 0 means no limit
} sim_config;

kz_status sim_machine_open(const sim_config *config, sim_machine **machine, kz_error *error);
void sim_machine_close(sim_machine *machine);
const sim_config *sim_machine_config(const sim_machine *machine);
void sim_machine_set_host_threads(sim_machine *machine, unsigned threads);

// ---- memory: every address is checked against the live allocations ------------------------------

kz_status sim_memory_alloc(sim_machine *machine, uint64_t bytes, uint64_t *address, kz_error *error);
kz_status sim_memory_free(sim_machine *machine, uint64_t address, kz_error *error);
uint64_t sim_memory_available(const sim_machine *machine);
kz_status sim_memory_write(sim_machine *machine, uint64_t to, const void *from, uint64_t bytes,
                           kz_error *error);
kz_status sim_memory_read(sim_machine *machine, void *to, uint64_t from, uint64_t bytes, kz_error *error);
kz_status sim_memory_copy(sim_machine *machine, uint64_t to, uint64_t from, uint64_t bytes, kz_error *error);
kz_status sim_memory_fill(sim_machine *machine, uint64_t to, uint8_t byte, uint64_t bytes, kz_error *error);

// ---- programs -----------------------------------------------------------------------------------

// Takes the module over: it is closed with the program, or at once on failure.
kz_status sim_program_open(sim_machine *machine, ptx_module *module, sim_program **program, kz_error *error);
void sim_program_close(sim_program *program);
const ptx_module *sim_program_module(const sim_program *program);
kz_status sim_program_global(sim_program *program, const char *name, uint64_t *address, uint64_t *bytes,
                             kz_error *error);

typedef struct sim_kernel_info {
    uint32_t param_count;
    uint64_t static_shared_bytes, local_bytes;
    bool blocks_communicate; // runs in fixed quanta on one core, so that results do not depend on threads
} sim_kernel_info;
kz_status sim_kernel_describe(sim_program *program, const char *name, sim_kernel_info *info, kz_error *error);

// ---- events -------------------------------------------------------------------------------------

typedef enum sim_access_kind { SIM_LOAD, SIM_STORE, SIM_ATOMIC } sim_access_kind;
typedef enum sim_space { SIM_GLOBAL, SIM_SHARED, SIM_LOCAL, SIM_PARAM, SIM_CONST } sim_space;

typedef struct sim_access {
    const ptx_inst *inst;
    uint32_t block; // linear index
    uint32_t warp;  // in the block
    uint32_t mask;  // lanes that take part
    uint32_t bytes; // per lane
    sim_access_kind kind;
    sim_space space;
    const uint64_t *addresses; // [32]; offsets into the block's shared memory for SIM_SHARED
} sim_access;

// One listener serves one host thread: `fork` makes a private one, `join` folds it back when the launch has
// ended, one after the other. Which blocks a private one saw depends on the threads; sums over all do not.
// Any function may be NULL.
typedef struct sim_listener sim_listener;
struct sim_listener {
    sim_listener *(*fork)(sim_listener *self);
    void (*join)(sim_listener *self, sim_listener *child);
    void (*block_begin)(sim_listener *self, uint32_t block, uint32_t warps);
    // A straight run of `count` instructions was executed by the lanes in `mask` (guards not applied).
    void (*run)(sim_listener *self, const ptx_inst *first, uint32_t count, uint32_t block, uint32_t warp,
                uint32_t mask);
    void (*access)(sim_listener *self, const sim_access *access);
    void (*barrier)(sim_listener *self, const ptx_inst *inst, uint32_t block, uint32_t warp, uint32_t mask);
};

// ---- launches -----------------------------------------------------------------------------------

typedef struct sim_launch {
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared_bytes;
    bool cooperative;
    const void *const *args; // args[i] points at parameter i
    size_t arg_count;
    sim_listener *listener; // may be NULL
    // What device printf writes, in a fixed order; may be NULL.
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
} sim_launch;

typedef struct sim_result {
    uint64_t warp_instructions, thread_instructions; // PTX instructions executed
} sim_result;

// Runs to the end. `result` may be NULL.
kz_status sim_run(sim_program *program, const char *kernel, const sim_launch *launch, sim_result *result,
                  kz_error *error);

#endif
