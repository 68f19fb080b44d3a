// cudart: a CUDA runtime library of our own, which runs kernels on the simulator.
//
// A program built with a shared CUDA runtime loads it in place of NVIDIA's. There is one runtime in a
// process, so here, and only here, state is global: the struct `cudart`, under one lock. Each API function is
// CUDART_CALL(work): the lock, the state of errors, the work. Work is done at once, in the order of the
// calls: that is one of the orders streams allow. An operation is data (cudart_op), so that a stream that
// captures keeps it as a node of a graph. Unlike the other layers this one prints, for it stands in for a
// driver: what it has to say goes to stderr and begins with "kz: ".
#ifndef CUDART_RUNTIME_H
#define CUDART_RUNTIME_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "device/clock.h"
#include "device/gpus.h"
#include "error_words.h"
#include "host.h"
#include "host_process.h"
#include "observe/streams.h"
#include "sim/sim.h"
#include "sim/texture.h"

// ---- programs: what the host's object files register ----------------------------------------------------

typedef struct cudart_module cudart_module;

// A kernel; its address is the cudaKernel_t and the cudaFunction_t of the API.
typedef struct cudart_function {
    const void *host; // the address of its stub in the program; NULL: of a library loaded at run time
    char *name;       // mangled
    cudart_module *module;
    bool described;
    const ptx_function *entry;
    sim_kernel_info info;
    uint32_t registers;   // of machine code in the fat binary; 0: there is none
    uint32_t local_bytes; // of machine code
    observe_machine_code code;
    uint32_t max_dynamic_shared;
    int carveout;
    bool non_portable_cluster;
    int cluster_policy;
    uint32_t cluster[3]; // required by cudaFuncSetAttribute; 0: not
    struct cudart_function *next;
} cudart_function;

typedef struct cudart_variable {
    const void *host; // the program's shadow of it, by which it is named
    char *name;
    size_t bytes;
    bool managed;
    uint64_t address; // of a managed one, as the host knows it; 0 before
    cudart_module *module;
    struct cudart_variable *next;
} cudart_variable;

struct cudart_module {
    const void *image;   // the fat binary, or PTX text, or machine code
    void *const *linked; // relocatable device code: the fat binaries it was linked from; NULL-terminated
    unsigned serial;
    cudaError_t error; // why it cannot be loaded
    sim_program *program;
    bool is_library; // of cudaLibraryLoadData
    bool registered;
    void *cubin; // machine code for the registers, uncompressed, or NULL
    size_t cubin_size;
    cudart_module *next;
};

cudaError_t cudart_module_load(cudart_module *module); // PTX to the simulator, at first use
cudart_function *cudart_function_find(const void *symbol);
cudaError_t cudart_no_function(const void *symbol); // what is said of one that is not found
cudaError_t cudart_function_describe(cudart_function *function);
cudart_function *cudart_module_function(cudart_module *module, const char *name);
cudaError_t cudart_variable_find(const void *symbol, uint64_t *address, size_t *bytes);
// "vector_add(float*, int)" of a mangled name, in a buffer of the thread; or the name itself.
const char *cudart_readable(const char *mangled);
uint32_t cudart_blocks_per_multiprocessor(const cudart_function *function, uint32_t threads, size_t shared);

// ---- memory -----------------------------------------------------------------------------------------------

typedef enum cudart_memory_kind {
    CUDART_MEMORY_DEVICE,
    CUDART_MEMORY_PINNED,
    CUDART_MEMORY_MANAGED,
    CUDART_MEMORY_REGISTERED, // the host's own, by cudaHostRegister
    CUDART_MEMORY_VARIABLE,
} cudart_memory_kind;

typedef struct cudart_allocation {
    uint64_t address, bytes;
    cudart_memory_kind kind;
    unsigned flags;
    const char *call; // that made it
    uint64_t serial;  // its ordinal
    void *shared;     // registered memory, as this process has it
    struct CUmemPoolHandle_st *pool;
    int preferred, preferred_type, accessed_by, read_mostly, last_prefetch, last_prefetch_type;
} cudart_allocation;

// A live allocation that holds the address; NULL where there is none.
cudart_allocation *cudart_allocation_find(uint64_t address);
cudaError_t cudart_allocate(uint64_t bytes, cudart_memory_kind kind, unsigned flags, const char *call,
                            uint64_t *address);
cudaError_t cudart_deallocate(uint64_t address, const char *call);
// Where `bytes` at the address may be used: by kernels, by the host.
bool cudart_is_on_device(uint64_t address);
bool cudart_is_on_host(uint64_t address);
// "buffer #3 of 4096 bytes allocated by cudaMalloc", or what else is known of the address.
void cudart_describe_address(uint64_t address, char *text, size_t capacity);

struct cudaArray {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; // elements, rows, slices; 0 where it has no such dimension
    unsigned flags;
    uint64_t address;
    size_t element, pitch, slice; // bytes
    struct cudaArray *next;
};

struct cudaMipmappedArray {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent;
    unsigned flags, count;
    uint64_t address;
    struct cudaArray *levels;
};

// ---- operations -----------------------------------------------------------------------------------------

typedef struct cudart_rows {
    uint64_t address;    // of the first byte
    size_t pitch, slice; // bytes from row to row, from slice to slice
} cudart_rows;

typedef struct cudart_copy {
    cudart_rows to, from;
    bool waits;                  // the call that asked for it returns when it is done
    size_t width, height, depth; // bytes, rows, slices
    enum cudaMemcpyKind kind;
    const char *call;
    struct cudaMemcpy3DParms params; // as it was asked for, for graphs
} cudart_copy;

typedef struct cudart_set {
    cudart_rows to;
    size_t width, height, depth; // elements, rows, slices
    unsigned element;            // bytes: 1, 2, 4
    unsigned value;
    bool waits; // the call that asked for it does, where the host can see the memory
    const char *call;
} cudart_set;

typedef struct cudart_launch {
    cudart_function *function;
    uint32_t grid[3], block[3], cluster[3];
    size_t shared;
    bool cooperative;
    bool overlaps; // programmatic stream serialization: may begin before the kernel before it has ended
    void **args;   // one pointer per parameter
    void *storage; // holds args and their values where the launch is kept; NULL: the caller's
    struct cudaKernelNodeParams params;
} cudart_launch;

typedef enum cudart_op_kind {
    CUDART_OP_EMPTY,
    CUDART_OP_KERNEL,
    CUDART_OP_COPY,
    CUDART_OP_SET,
    CUDART_OP_HOST,
    CUDART_OP_CHILD,
    CUDART_OP_RECORD,
    CUDART_OP_WAIT,
    CUDART_OP_ALLOC,
    CUDART_OP_FREE,
} cudart_op_kind;

struct cudart_op {
    cudart_op_kind kind;
    union {
        cudart_launch launch;
        cudart_copy copy;
        cudart_set set;
        struct {
            cudaHostFn_t function;
            void *data;
            cudaStreamCallback_t callback; // instead of `function`
            cudaStream_t stream;
        } host;
        cudaGraph_t child;
        cudaEvent_t event;
        struct cudaMemAllocNodeParams alloc;
        uint64_t address; // FREE
    };
};

cudart_copy cudart_copy_1d(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                           const char *call);
cudaError_t cudart_copy_of_params(const struct cudaMemcpy3DParms *params, const char *call,
                                  cudart_copy *copy);
cudaError_t cudart_symbol_address(const void *symbol, size_t offset, size_t bytes, void **pointer,
                                  const char *call);
// What is wrong with an operation, told before it is queued or put into a graph.
cudaError_t cudart_copy_check(const cudart_copy *copy);
cudaError_t cudart_set_check(const cudart_set *set);
cudaError_t cudart_copy_run(const cudart_copy *copy);
cudaError_t cudart_set_run(const cudart_set *set);
cudaError_t cudart_launch_check(const cudart_launch *launch);
cudaError_t cudart_launch_run(const cudart_launch *launch);
cudaError_t cudart_launch_keep(const cudart_launch *from,
                               cudart_launch *kept); // with a copy of the arguments
cudaError_t cudart_op_run(const cudart_op *op);
cudaError_t cudart_op_keep(const cudart_op *from, cudart_op *kept);
void cudart_op_drop(cudart_op *op);

// Does it now, or makes it a node where the stream captures.
cudaError_t cudart_submit(cudaStream_t stream, const cudart_op *op);

// ---- what the host asked for (journal.c) ----------------------------------------------------------------

enum { CUDART_KEPT = 2048, CUDART_POINTERS = 8 };
enum { CUDART_PRINT_BYTES = 256 }; // of the printf buffer, for each call: 2,048 calls fill 512 KiB on an H200

// A set of operations, and the moment at which all of it has ended.
typedef struct cudart_order {
    observe_order set;
    device_moment moment; // 0 without a clock
} cudart_order;

typedef enum cudart_done_kind {
    CUDART_DONE_TO_DEVICE,
    CUDART_DONE_TO_HOST,
    CUDART_DONE_COPY, // within one side
    CUDART_DONE_FILL,
    CUDART_DONE_KERNEL,
} cudart_done_kind;

typedef struct cudart_done {
    cudart_done_kind kind;
    unsigned long long stream; // its id
    uint64_t bytes;
    bool blocking;        // the host waited for it
    bool pageable;        // a copy between host and device, through a buffer of the driver's
    bool on_host;         // a copy from the host to the host
    device_moment moment; // its end
    char kernel[64];      // the name, without what it takes
    observe_turn turn;    // its place in the order
    cudart_order before;  // what must have ended before it starts
    // Memory that it uses: `range` bytes each of what a copy or fill writes and reads; a kernel's pointers.
    uint64_t to, from, range, pointers[CUDART_POINTERS];
    size_t pointer_count;
    uint64_t span; // of a copy, on the device: from the first byte to the last
    // What it carries (work.c): of a kernel the pages that it uses, where they are watched, and how often it was timed;
    // of a copy the bytes that kernels may hide.
    bool is_watched;
    observe_extent *pages;
    size_t page_count;
    uint64_t used, part, hides[CUDART_DONE_TO_HOST + 1], hidden, timed;
} cudart_done;

typedef struct cudart_journal {
    cudart_done done[CUDART_KEPT];
    size_t kept;
    uint64_t operations, blocking_copies, asynchronous_copies, copied_bytes, synchronisations, allocations;
    uint64_t launch_calls, instantiations; // calls that launch a kernel or a whole graph; of graphs
    uint64_t timed_kernels, timed_copies;  // between events whose distance was asked for
    uint64_t holds, held;                  // bytes of device and managed memory: now, and the most at once
    unsigned streams;                      // that did work
    observe_chains chains;
    cudart_order host;    // what the host knows to have ended
    cudart_order orphans; // of streams that are no more
    // While an operation is submitted: what it waits for, what the stream's next one waits for.
    cudart_order base, after;
    cudaStream_t stream;
    observe_turn turn;     // of the operation under way
    bool is_operation;     // it is one that takes an engine
    cudart_done *current;  // what it is kept as, or NULL
    unsigned graphs;       // nodes being run, one inside the other
    bool calls_host;       // a host function runs: what it asks for is part of it
    char library_call[64]; // of a library of ours, while it does its work; "": none
} cudart_journal;

// Around all that is run in a stream, and around each node of a graph.
void cudart_journal_enter(cudaStream_t stream);
void cudart_journal_leave(void);
void cudart_journal_node_enter(const cudart_order *outer, cudaGraphNode_t node);
void cudart_journal_node_leave(cudaGraphNode_t node, cudart_order *all);
void cudart_journal_graph_enter(cudaGraph_t graph, cudart_order *outer); // what all its nodes come after
void cudart_journal_graph_leave(cudaGraph_t graph, const cudart_order *outer, const cudart_order *all);
void cudart_journal_record(cudaEvent_t event);
void cudart_journal_wait(cudaEvent_t event);
void cudart_journal_forget(cudaStream_t stream); // it is destroyed
void cudart_journal_add(const cudart_op *op);
void cudart_journal_allocated(cudart_memory_kind kind, uint64_t bytes);
void cudart_journal_freed(cudart_memory_kind kind, uint64_t bytes);
void cudart_journal_heap(uint64_t bytes);                // kernels' own
void cudart_journal_loaded(const cudart_module *module); // its variables are there
// The host has waited; `count_wait` where a call asked for nothing else.
void cudart_journal_stream_ended(cudaStream_t stream);
void cudart_journal_event_ended(cudaEvent_t event);
void cudart_journal_all_ended(void);
void cudart_journal_host_function_ended(void); // it may have let the host know
void cudart_journal_count_wait(void);
// The host is about to learn that it has ended, by asking or by freeing memory: a wait where it did not know.
void cudart_journal_stream_asked(cudaStream_t stream);
void cudart_journal_event_asked(cudaEvent_t event);
void cudart_journal_device_asked(void);
// Whether the host has waited for all that was before the event.
bool cudart_journal_has_ended(const struct CUevent_st *event);
void cudart_journal_timed(const struct CUevent_st *start, const struct CUevent_st *end);
void cudart_journal_write(base_text *out);
// What an operation is; false where it is none that takes an engine.
bool cudart_journal_describe(const cudart_op *op, cudart_done *done);

// ---- what operations carry of the data (work.c) ----------------------------------------------------------

void cudart_work_keep(cudart_done *done); // of the kernel that has just run
// At the end: what copies kernels hide, the streams that carry a fair part, the timed kernels.
void cudart_work_count(cudart_journal *journal);
bool cudart_work_is_across(const cudart_done *done); // a copy between host and device

// ---- what operations use, for races between them and with the host (uses.c) ------------------------------------

void cudart_uses_begin(const cudart_op *op); // around each that is run
void cudart_uses_end(void);
void cudart_uses_free(uint64_t address, uint64_t bytes, cudaStream_t stream,
                      bool is_free); // cudaMallocAsync, cudaFreeAsync
void cudart_uses_waited(void);       // the host has

// ---- the host's own accesses to memory in flight (pages.c) ----------------------------------------------------

void cudart_pages_used(void);   // by the operation that has just ended
void cudart_pages_waited(void); // the host has
void cudart_pages_open(void);   // all, for good
// The processor stopped the host at an access: what its signal handler is to do.
cudart_stop cudart_pages_stopped(uint64_t address, bool is_write, const void *instruction);
bool cudart_pages_stepped(void); // false where no step was under way

// ---- the model of time (clock.c) --------------------------------------------------------------------------

// From now on operations take time: called when an event is made that can be asked for it, or for KZ_OBSERVE=time.
void cudart_clock_start(void);
void cudart_clock_start_if_asked(void);                 // by the program: it knows cudaEventElapsedTime
void cudart_clock_add(const cudart_op *op);             // it has been run
void cudart_clock_wait(device_moment moment, bool all); // the host waits for it, or for all there is
double cudart_clock_seconds(device_moment moment);

// ---- streams, events, graphs ----------------------------------------------------------------------------

typedef struct cudart_capture {
    cudaGraph_t graph;
    cudaStream_t origin;
    enum cudaStreamCaptureMode mode;
    unsigned long long id;
    bool invalid, own_graph;
    unsigned streams; // that take part
    struct cudart_capture *next;
} cudart_capture;

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long id;
    bool is_own; // a thread's default stream
    bool worked;
    bool waited_in_vain; // for an event that was not recorded
    cudart_order order;  // what its next operation waits for
    cudart_capture *capture;
    cudaGraphNode_t *last; // what the next node depends on
    size_t last_count;
    union cudaLaunchAttributeValue attributes[16];
    struct CUstream_st *next;
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
    double when; // seconds of the host's clock, where there is no other
    cudart_order order;
    cudart_capture *capture;
    unsigned long long capture_id;
    cudaGraphNode_t *nodes;
    size_t node_count;
    struct CUevent_st *next;
};

struct CUgraphNode_st {
    cudaGraph_t graph;
    cudart_op op;
    cudaGraphNode_t *needs; // nodes that come before it
    size_t need_count;
    cudaGraphNode_t original; // of a clone
    bool disabled, marked;
    size_t index;
    cudart_order order; // in the launch that runs: what waits for it waits for
    union cudaLaunchAttributeValue attributes[24];
};

struct CUgraph_st {
    cudaGraphNode_t *nodes;
    size_t count, capacity;
    cudaGraph_t original;
    bool is_child;    // owned by a node
    cudart_order ran; // its last run
    struct CUgraph_st *next;
};

struct CUgraphExec_st {
    cudaGraph_t graph; // its own copy
    unsigned long long flags;
    struct CUgraphExec_st *next;
};

cudaStream_t cudart_own_stream(void); // this thread's default stream
cudaError_t cudart_stream_find(cudaStream_t handle, cudaStream_t *stream);
bool cudart_is_event(cudaEvent_t event);
bool cudart_is_node(cudaGraphNode_t node);
bool cudart_is_graph(cudaGraph_t graph);
bool cudart_is_captured(cudaGraph_t graph); // now: a capture adds to it
bool cudart_is_array(cudaArray_const_t array);
bool cudart_is_format(const struct cudaChannelFormatDesc *format); // one that arrays and textures can have
cudaError_t cudart_stream_depend(cudaStream_t stream, cudaGraphNode_t const *nodes, size_t count);
cudaError_t cudart_stream_joins(cudaStream_t stream, cudart_capture *capture); // by waiting for its event
void cudart_capture_leave(cudaStream_t stream); // which is destroyed: with the first of a capture that ends
cudaError_t cudart_graph_add(cudaGraph_t graph, const cudart_op *op, cudaGraphNode_t const *needs,
                             size_t need_count, cudaGraphNode_t *node);
cudaGraph_t cudart_graph_copy(cudaGraph_t graph);
cudaError_t cudart_graph_run(cudaGraph_t graph);
void cudart_graph_free(cudaGraph_t graph);
cudaGraphNode_t cudart_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node);
// CUDA refuses calls that would wait for the device while somebody captures.
cudaError_t cudart_capture_forbids(const char *call);

// ---- the runtime ------------------------------------------------------------------------------------------

typedef struct cudart_state {
    pthread_mutex_t lock;
    bool opened;
    cudaError_t open_error;
    device_gpu gpu;
    sim_machine *machine;
    observe_session *session;
    observe_streams *uses;          // NULL where nobody looks for races
    struct debug_session *debugger; // NULL unless KZ_DEBUG asks for one
    const cudart_host *host;
    // KZ_SESSION and KZ_OBSERVE when the library was loaded. The record goes into the folder, or through the pipe.
    char session_folder[512], observe[128];
    int record_pipe;          // 0: none
    const char *program_file; // of the host; NULL: this process's own
    uint64_t program_bias;    // how far it lies from where its file says; of another's
    uint64_t seed;
    double timeout;
    atomic_bool timed_out, launching, finished;

    cudaError_t fault;   // sticky: a kernel broke the context
    cudaError_t pending; // a fault that no call has returned yet
    bool is_unanswered;  // the fault is ours: a kernel waits for what would come later
    unsigned device_flags;
    size_t limits[8]; // by enum cudaLimit
    enum cudaFuncCache cache_config;

    cudart_module *modules;
    cudart_function *functions;
    cudart_variable *variables;
    unsigned module_count;
    unsigned launch_count;

    cudart_allocation *allocations; // sorted by address
    size_t allocation_count, allocation_capacity;
    uint64_t allocation_serial;

    bool is_per_thread; // stream 0 is the thread's own
    struct CUstream_st legacy;
    struct CUstream_st *streams;
    struct CUevent_st *events;
    struct cudaArray *arrays; // but those of mipmapped ones
    cudart_capture *captures;
    struct CUgraph_st *graphs;
    struct CUgraphExec_st *execs;
    unsigned long long next_id;

    device_clock *clock;    // NULL until somebody asks for times
    device_moment marked;   // after which an event was recorded last
    observe_session *timer; // who times launches; NULL: nobody. Perhaps the session itself

    base_text printed;       // by kernels, and not yet synchronised with
    base_text print_lengths; // of each call's text in it, a uint64_t each
    bool has_printed,
        has_allocated; // a kernel that calls printf, or malloc, was launched: those limits stand
    cudart_journal journal;

    // For the words at the end.
    char failure[512]; // the first failed launch that nobody asked about
    cudaError_t failure_error;
    unsigned failures, later_failures;
    size_t kept_findings; // how many, and 1
    const void *caller;   // where the program called, for findings of different places
} cudart_state;

extern cudart_state cudart;

// Locks, opens the device at the first call, and gives the error that every call now gives, if any.
cudaError_t cudart_enter(const void *caller);
extern _Thread_local const void
    *cudart_called_from; // instead of `caller`, where the program is elsewhere; else NULL
cudaError_t cudart_broken(void);
// Keeps an error for cudaGetLastError, unlocks, and gives the error back.
cudaError_t cudart_leave(cudaError_t error);
#define CUDART_CALL(work) cudart_leave(cudart_enter(__builtin_return_address(0)) ? cudart_broken() : (work))

// The same function under the name that programs with a default stream per thread call.
#define CUDART_TWIN(name, suffix) extern __typeof__(name) name##suffix __attribute__((alias(#name)))

cudaError_t cudart_error_of(kz_status status, const sim_fault_info *fault);
bool cudart_is_sticky(cudaError_t error);
// Words on stderr: "kz: " and the lines; printed output comes first. What is said again is counted (say.c).
void cudart_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cudart_say_repeated(void); // at the end: how often
// The program uses the runtime wrongly: says so and, under the sanitizer, makes it a finding. The lines: what
// happened, the memory, "likely cause: ", "what to do: ". Gives the error back.
cudaError_t cudart_misuse(cudaError_t error, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cudart_reset_limits(void); // cudaDeviceGetLimit's, as a new process finds them
// The device has caught up: what kernels printed is shown. Gives a pending fault.
cudaError_t cudart_synchronize(void);
void cudart_flush_prints(void);
void cudart_end(int status);                     // of the process: says what is left to say, and finishes
void cudart_watch_exit(void);                    // exit.c: ends without exit() are ends too
_Noreturn void cudart_leave_process(int status); // at once
void cudart_finish(void);                        // writes the record, once
void cudart_keep_findings(void);                 // what was found until now, should the process be killed
_Noreturn void cudart_end_in_time(const char *why);
double cudart_now(void);
// where.c: the function of the program that holds the address; false where its table of symbols does not say.
bool cudart_function_at(const void *address, char *name, size_t capacity);
void cudart_note_failure(const char *what, cudaError_t error);
void cudart_watch_signals(void);
// The host went to device memory, and ends.
void cudart_explain_touch(uint64_t address, cudart_touch host, const void *instruction);
void cudart_reset_device(void);

// debugger.c
kz_status cudart_open_debugger(kz_error *error);

#endif
