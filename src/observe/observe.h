// observe: instruments that listen to the simulator.
//
// One file per instrument; each offers _open, _close and _listener (the sim_listener to attach), and its own
// way to be read. A session holds the instruments of one run, hands them the simulator's events, and writes
// what they learnt as a record (docs/record.md), which is what reports are made of. The simulator knows
// none of them.
#ifndef OBSERVE_OBSERVE_H
#define OBSERVE_OBSERVE_H

#include "observe/tensor.h"
#include "sim/sim.h"

// ---- counters: what kz_counters says -------------------------------------------------------------------
//
// Terms as Nsight Compute uses them, applied to PTX instructions:
// request    one memory instruction of one warp (loads, stores and atomics alike).
// sector     an aligned 32-byte piece of global memory; a request counts each sector its lanes touch once.
//            Ideal: the sectors that the active lanes' bytes would fill if packed, and never more than were
//            touched (lanes that share a word are no waste).
// wavefront  one pass of shared memory's 32 banks of 4 bytes. Lanes are served together as far as 128 bytes
//            go: 32 lanes for up to 4 bytes each, 16 for 8, 8 for 16 (request.h has the whole rule).
//            Different words in one bank take turns; one word for many lanes is a broadcast. Ideal: one
//            wavefront per served group.
// barrier    one barrier instruction of one warp.
// Atomics on global and shared memory count as requests there, and once more as atomics, where lanes beyond
// the first on one address are conflicts.
// `launches` is not an event: who attaches the listener counts them.

typedef struct observe_counters observe_counters;
observe_counters *observe_counters_open(void); // NULL when out of memory
void observe_counters_close(observe_counters *counters);
sim_listener *observe_counters_listener(observe_counters *counters);
void observe_counters_read(const observe_counters *counters,
                           kz_counters *sums); // `valid` and `launches` untouched
void observe_counters_reset(observe_counters *counters);

// ---- metrics: the names in a record (metrics.def) -------------------------------------------------------

typedef struct observe_metric {
    const char *name, *unit, *text;
    bool per_line; // exists for source lines too
} observe_metric;
const observe_metric *observe_metrics(size_t *count);

// ---- findings: what a detector has to say --------------------------------------------------------------

// OBSERVE_FINDING(ID, "name", SEVERITY, "title"): one row per kind of finding.
typedef enum observe_finding_kind {
#define OBSERVE_FINDING(id, name, severity, title) OBSERVE_##id,
#include "observe/findings.def"
#undef OBSERVE_FINDING
    OBSERVE_FINDING_COUNT
} observe_finding_kind;

typedef enum observe_severity { OBSERVE_NOTE, OBSERVE_WARNING, OBSERVE_ERROR } observe_severity;

const char *observe_severity_name(observe_severity severity); // "note", "warning", "error"

// An instruction, and the thread that executed it.
typedef struct observe_site {
    const ptx_inst *inst; // NULL: no such site
    uint32_t block;       // linear, in the grid
    uint32_t thread;      // linear, in the block
    bool is_write, is_atomic;
    sim_agent agent;
} observe_site;

// A site in words: for what outlives its launch, such as an undefined value in memory. Lives as long as the
// findings that made it.
typedef struct observe_words observe_words;

enum { OBSERVE_REACH_OPERATIONS = 3 }; // lanes, warps and blocks are less
typedef struct observe_finding {
    observe_finding_kind kind;
    observe_site first, second; // the access that showed it, and the one it conflicts with (or where the
                                // undefined value came from, who has not come to the barrier ...)
    const observe_words *first_words, *second_words; // instead of the sites, where not NULL
    const sim_warp *self; // to name the shared variable that `address` lies in; may be NULL
    sim_space space;
    uint64_t address; // as in sim_access
    uint32_t bytes;   // 0: no memory is meant
    uint32_t reach;   // of two with the same lines, that with the larger one is told
    bool is_warning;  // an error by its kind, but hardware does what is meant
    uint64_t
        place; // without sites, or with one: equal for what is told once; 0: the text, or the site, says it
    char text[2048]; // what happened, in a sentence; then, on further lines, the likely cause and what to do
} observe_finding;

// All findings of a session, each pair of source lines once, with the number of times it was seen. Sources,
// threads and buffers are put into words at once, for modules and memory come and go.
typedef struct observe_findings observe_findings;
observe_findings *observe_findings_open(void);
void observe_findings_close(observe_findings *findings);
void observe_findings_launch(observe_findings *findings, const sim_launch_event *launch);
const observe_words *observe_findings_words(observe_findings *findings, const observe_site *site);
void observe_findings_write_words(const observe_words *words, base_text *out); // a site of the record
bool observe_words_are_of_one_line(const observe_words *a, const observe_words *b);
sim_listener *observe_findings_listener(observe_findings *findings); // hears of the buffers
// What a variable is called in the source: "tile" for _ZZ6kernelPfE4tile. `out` is given back.
enum { OBSERVE_NAME = 96 };
const char *observe_plain_name(const char *mangled, char out[OBSERVE_NAME]);
// What the source calls a buffer and its elements: see observe_session_declare_buffer.
typedef struct observe_buffer observe_buffer;
void observe_findings_describe(observe_findings *findings, const observe_buffer *buffer);
// Where the program called for a buffer, and in which function (NULL: not known).
void observe_findings_allocated(observe_findings *findings, uint64_t address, uint64_t caller,
                                const char *function);
// What was told of the buffer that begins there: the function, NULL where it is not known, and `caller`, else 0.
const char *observe_findings_caller(const observe_findings *findings, uint64_t address, uint64_t *caller);
// Whether that was told of the buffer there; `was_filled`: it held something before the launch.
bool observe_findings_is_described(const observe_findings *findings, uint64_t address, bool *was_filled);
// "byte 16 of allocation 3 (4096 bytes)", "x[4], byte 16 of buffer x (4096 bytes)"; false where there is no such
// buffer.
bool observe_findings_buffer(const observe_findings *findings, uint64_t address, base_text *out);
void observe_findings_add(observe_findings *findings, const observe_finding *finding);
// Something was not checked, and why, in a sentence: each is told once.
void observe_findings_unchecked(observe_findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
size_t observe_findings_count(const observe_findings *findings, observe_severity at_least);
void observe_findings_write(const observe_findings *findings, base_text *out); // lines of the record

// ---- detectors: each adds to the findings it is opened with ---------------------------------------------

typedef struct observe_detector observe_detector;
struct observe_detector {
    sim_listener listener; // first
    void (*close)(observe_detector *self);
    void (*finish)(observe_detector *self); // the run is over: leaks and the like; may be NULL
    void (*write)(const observe_detector *self, base_text *out); // lines of its own; may be NULL
};
observe_detector *observe_races_open(observe_findings *findings); // races.c
// The most bytes that the race detector may take, by KZ_SHADOW_LIMIT; an error where that is no number.
kz_status observe_shadow_limit(uint64_t *bytes, kz_error *error);
observe_detector *observe_sync_open(observe_findings *findings);      // synchronisation.c
observe_detector *observe_products_open(observe_findings *findings);  // products.c
observe_detector *observe_mbarriers_open(observe_findings *findings); // mbarriers.c
observe_detector *observe_undefined_open(observe_findings *findings); // undefined.c
observe_detector *observe_extents_open(observe_findings *findings);   // extents.c
observe_detector *observe_numerics_open(observe_findings *findings);  // numerics.c
observe_detector *observe_leaks_open(observe_findings *findings);     // leaks.c
observe_detector *observe_hashes_open(observe_findings *findings);    // hashes.c
observe_detector *observe_values_open(observe_findings *findings);    // values.c
// The bit that a 32-bit word has in the sets of the record's line "values", of so many bits.
enum { OBSERVE_VALUES_BITS = 1 << 19 };
uint32_t observe_values_bit(uint32_t word);

// ---- the session ---------------------------------------------------------------------------------------

// OBSERVE_INSTRUMENT(name): the words of KZ_OBSERVE and of the options below, in one table.
typedef struct observe_options {
    bool counters, caches, races, sync, undefined, numerics, leaks, hashes, values;
    bool time; // for the session's owner, who has the clock: it counts launch by launch
    bool cold; // of the caches: empty when a launch begins, as Nsight Compute has them by default
} observe_options;
// "counters,races": words separated by commas.
kz_status observe_options_parse(const char *words, observe_options *options, kz_error *error);

// What the cache model and the roofline need to know of the GPU; device/ fills it from gpus/.
typedef struct observe_gpu {
    char key[32];
    uint32_t sm, multiprocessors;
    uint64_t l1_bytes, l2_bytes; // l1: what an SM has for cache and shared memory together
    double bandwidth, flops_f32, flops_f64, flops_f16, clock;
    double tensor[OBSERVE_TENSOR_TYPES]; // operations per second of dense products; 0: not known
    // per multiprocessor, for the occupancy
    uint32_t max_threads, max_blocks, registers;
    uint32_t shared_bytes, shared_per_block; // of a multiprocessor; the most a block may ask for
} observe_gpu;

// What ptxas made of a kernel; 0 where it is not known.
typedef struct observe_machine_code {
    uint32_t registers;    // per thread
    uint32_t instructions; // in its text
    uint32_t spills;       // of those: that store or load spilled registers
    uint32_t spill_bytes;  // of a thread's stack: room for them
} observe_machine_code;

// ---- occupancy: how much of a launch fits a multiprocessor ------------------------------------------------

typedef struct observe_occupancy_input {
    uint32_t threads, registers; // per block; per thread, 0: not known
    uint32_t shared_static, shared_dynamic;
    uint64_t blocks; // of the launch
} observe_occupancy_input;

// Blocks per multiprocessor by each limit, UINT32_MAX where it limits nothing. Without registers the answer
// is an upper bound, and `registers_known` says so.
typedef struct observe_occupancy_result {
    uint32_t by_warps, by_blocks, by_shared, by_registers;
    bool registers_known;
    uint32_t blocks, warps;    // resident on a multiprocessor
    double occupancy;          // warps, of what it could hold: 0 to 1
    const char *limit;         // "warps", "blocks", "shared memory", "registers"; "launch" where it has none
    uint32_t shared_allocated; // per block, rounded up, with what the system keeps
    double waves;              // blocks of the launch, of what the GPU holds at once
    uint64_t tail;             // blocks in the last, incomplete wave; 0 where it is full
} observe_occupancy_result;
observe_occupancy_result observe_occupancy(const observe_gpu *gpu, const observe_occupancy_input *input);

// ---- and its record ---------------------------------------------------------------------------------

typedef struct observe_session observe_session;
kz_status observe_session_open(const observe_options *options, const observe_gpu *gpu,
                               observe_session **session, kz_error *error);
void observe_session_close(observe_session *session);
// What the record's first line says: the program (or the variant) and the schedule's seed.
void observe_session_name(observe_session *session, const char *program, uint64_t seed);
sim_listener *observe_session_listener(observe_session *session);
observe_findings *observe_session_findings(observe_session *session);
// How long the launch that ended last takes on the GPU, by the model of time (time.h). Of a session with counters and
// caches; else all zeros.
typedef struct observe_time observe_time;
void observe_session_time(const observe_session *session, const observe_machine_code *code,
                          observe_time *time);
// Another session hears what this one hears; false where there is no room.
bool observe_session_add(observe_session *session, observe_session *other);
// The detector of races between streams and with the host (streams.h), for an owner that tells it of operations; NULL
// where nobody asked for races, or when out of memory.
struct observe_streams *observe_session_streams(observe_session *session);
// A buffer that was made and filled before the session listened: it is told of as a program would have made it,
// the elements of one that is not `is_written` undefined, what stands before and behind them not.
struct observe_buffer {
    const char *name;     // where `element` is known, as the source calls it
    uint64_t serial;      // its ordinal, from 1
    uint64_t base, total; // the allocation
    uint64_t data, bytes; // the elements in it
    bool is_written;
    uint32_t element;   // bytes of one; 0: not known, and accesses out of bounds are told by address
    uint32_t parameter; // its ordinal among the kernel's parameters, from 1; 0: none, or not known
};
void observe_session_declare_buffer(observe_session *session, const observe_buffer *buffer);
// These bytes count as written by the host, from now on: nobody cares what they are.
void observe_session_declare_written(observe_session *session, uint64_t address, uint64_t bytes);
// A launch failed: the fault becomes a finding.
void observe_session_fault(observe_session *session, const sim_launch_event *launch,
                           const sim_fault_info *fault, const kz_error *error);
// Whole lines for the record, before its last: what its owner knows of the run. The last note counts.
void observe_session_note(observe_session *session, const char *lines);
// Ends the detectors' work and gives the whole record, one JSON object per line.
void observe_session_finish(observe_session *session, base_text *record);
// The record as it is so far, findings alone and no end, for a process that may be killed.
void observe_session_peek(const observe_session *session, base_text *record);

#endif
