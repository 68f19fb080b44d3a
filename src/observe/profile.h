// Profiles: what was counted, by kernel and shape of launch, by source line and by memory instruction.
//
// Modules come and go while a program runs, so that everything a report needs of them (names, lines, the text
// of instructions) is put into words when a kernel is first seen. Launches of one kernel with one shape share
// a profile. Their number is bounded; what comes after is counted as dropped.
#ifndef OBSERVE_PROFILE_H
#define OBSERVE_PROFILE_H

#include "observe/metrics.h"
#include "observe/padding.h"
#include "observe/request.h"

enum { OBSERVE_PATTERNS = 16 };

// Accesses of one instruction that are alike: space, width and who moves the bytes.
typedef struct observe_access_sums observe_access_sums;
struct observe_access_sums {
    sim_space space;
    sim_agent agent;
    sim_access_kind kind;
    bool returns; // an atomic with a result
    uint32_t bytes;
    uint64_t requests, lanes, distinct;
    uint64_t narrow; // of the lanes: those of requests that have fewer than 4
    uint64_t sectors, ideal_sectors, wavefronts, ideal_wavefronts;
    // The least ones in a fixed order, so that it does not matter in which order they came; the rest is in
    // `other`.
    struct {
        observe_pattern pattern;
        uint64_t requests;
    } patterns[OBSERVE_PATTERNS];
    uint32_t pattern_count;
    uint64_t other;
    observe_access_sums *next; // another space or width
};
// The one of that sort in the list, made if need be; NULL when out of memory.
observe_access_sums *observe_access_find(observe_access_sums **list, const observe_access_sums *like);
void observe_access_pattern(observe_access_sums *sums, const observe_pattern *pattern, uint64_t requests);
void observe_access_add(observe_access_sums *to, const observe_access_sums *from);
void observe_access_free(observe_access_sums *list);

// ---- modules in words -------------------------------------------------------------------------------

typedef struct observe_spot {
    char *file;
    uint32_t line;
} observe_spot;

typedef struct observe_source_line {
    observe_spot at;
    observe_spot *inlined_at; // outwards
    uint32_t inlined_count;
    bool is_ptx;
} observe_source_line;

typedef struct observe_module {
    const ptx_module
        *module; // NULL, or the one it was made from, as long as it is the latest at that address
    const char *text;
    uint64_t hash;
    char *name;
    uint32_t inst_count;
    observe_inst_info *infos;
    uint32_t *line_of;   // by serial: index into lines
    uint32_t *memory_of; // by serial: 1 + index of a memory instruction, or 0
    uint32_t memory_count;
    observe_source_line *lines;
    uint32_t line_count, line_capacity;
    bool has_guarded_flops;
} observe_module;

// ---- profiles ---------------------------------------------------------------------------------------

typedef struct observe_line_sums {
    uint32_t line; // in the module's lines
    observe_sums sums;
} observe_line_sums;

typedef struct observe_inst_accesses {
    uint32_t line, ptx_line;
    char *text;
    observe_access_sums *sums;
    observe_padding padding;        // that was tried; {0}: none
    bool address_by_data, gathered; // see metrics.h
} observe_inst_accesses;

typedef struct observe_cache_sums {
    bool valid;
    uint64_t l1_bytes, l2_bytes; // sizes
    uint64_t l1_sectors, l1_hits, l2_sectors, l2_hits, dram_read_bytes, dram_write_bytes;
} observe_cache_sums;

typedef struct observe_profile observe_profile;
struct observe_profile {
    observe_module *module;
    char *name;
    uint32_t entry_line, entry_insts; // tells kernels apart that have one name
    uint32_t grid[3], block[3], cluster[3];
    uint32_t static_shared, dynamic_shared, local_bytes;
    uint64_t launches, failed, first_launch;
    bool counted; // the counters were there
    uint64_t blocks, warps;
    uint64_t sampled_blocks, sampled_clocks, atomic_clocks, hottest; // by the model: see metrics.def
    uint32_t *line_at; // by line of the module: 1 + index into lines
    observe_line_sums *lines;
    uint32_t line_count, line_capacity;
    uint32_t *access_at; // by memory instruction: 1 + index into accesses
    observe_inst_accesses *accesses;
    uint32_t access_count, access_capacity;
    observe_cache_sums caches;
};

typedef struct observe_profiles {
    observe_gpu gpu;
    observe_module **modules;
    size_t module_count, module_capacity;
    observe_profile **items;
    size_t count, capacity;
    size_t line_total;
    uint64_t launches, dropped;
    observe_profile *current;      // of the launch that runs; NULL where it is dropped
    observe_sums before, last;     // of the profile when the launch began; of the launch that ended last
    observe_occupancy_input shape; // its own
} observe_profiles;

void observe_profiles_close(observe_profiles *profiles); // what is in it; {0} is an empty one
// All of its lines, and what is the kernel's alone.
void observe_profile_sum(const observe_profile *profile, observe_sums *sums);
void observe_profiles_begin(observe_profiles *profiles, const sim_launch_event *event);
void observe_profiles_end(observe_profiles *profiles, kz_status status);

// uniform.c: which atomics ptxas gathers, and which have an address that depends on data; false when out of memory.
bool observe_describe_atomics(observe_inst_info *infos, uint32_t inst_count, const ptx_function *function);

// The sums of a line of the module; NULL when out of memory.
observe_sums *observe_profile_line(observe_profiles *profiles, observe_profile *profile, uint32_t line);
observe_inst_accesses *observe_profile_accesses(observe_profile *profile, const ptx_inst *inst);

// profile_write.c: lines of type "kernel".
void observe_profiles_write(const observe_profiles *profiles, base_text *out);

#endif
