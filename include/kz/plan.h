// Kernel Zoo, for people who build plans: what a plan is made of.
//
// A plan is pure data: steps over the caller's buffers and workspace. kz_plan_run (kz/kz.h) enqueues it. Zeroed, it is a
// plan that does nothing. These structs grow: build with the header of the library that runs the plan.
#ifndef KZ_PLAN_H
#define KZ_PLAN_H

#include "kz/kz.h"

#ifdef __cplusplus
extern "C" {
#endif

// Steps of one stream follow each other. Stream 0 is the caller's; the others begin after what is in the caller's
// before the plan, and the caller's waits for them all at the plan's end. A WAIT orders what follows in its stream
// behind what was in the event's stream at the last RECORD.
enum { KZ_PLAN_STEPS = 96, KZ_PLAN_ARGS = 32, KZ_PLAN_STREAMS = 9, KZ_PLAN_EVENTS = 64 };
enum { KZ_PLAN_MAPS = 96, KZ_PLAN_REGIONS = 64, KZ_REGION_NAME = 32 };

typedef enum kz_arg_kind {
    KZ_ARG_SCALAR,
    KZ_ARG_BUFFER,
    KZ_ARG_WORKSPACE,
    KZ_ARG_TENSOR_MAP,
    KZ_ARG_REGION, // of a plan that is being made: kz_plan_place_regions turns it into the workspace's
} kz_arg_kind;

typedef struct kz_arg {
    kz_arg_kind kind;
    uint32_t buffer; // index: into the caller's buffers, the plan's maps (KZ_ARG_TENSOR_MAP) or its regions
    uint64_t offset; // bytes into the buffer or the workspace
    uint64_t scalar; // the value's bits, little-endian, for KZ_ARG_SCALAR
} kz_arg;

typedef enum kz_step_kind {
    KZ_STEP_LAUNCH,
    KZ_STEP_FILL,
    KZ_STEP_COPY, // between any two of the caller's buffers and the workspace, wherever they are
    KZ_STEP_RECORD,
    KZ_STEP_WAIT,
    KZ_STEP_SYNCHRONIZE, // the host waits for the stream
} kz_step_kind;

typedef struct kz_step {
    kz_step_kind kind;
    char entry[64]; // LAUNCH: the kernel's name in the variant's module
    const char *
        image; // LAUNCH: which of the module's others has it ("reduce/03_warp_shuffle"), not copied; NULL: its name says
    kz_launch launch; // LAUNCH
    uint32_t arg_count;
    kz_arg args[KZ_PLAN_ARGS]; // LAUNCH: parameters; FILL: [0] = to; COPY: [0] = to, [1] = from
    uint64_t bytes;            // FILL, COPY
    uint8_t fill;              // FILL: the byte
    uint32_t stream;           // 0: the caller's
    uint32_t event;            // RECORD, WAIT
} kz_step;

// A tensor map, made anew for the buffers of each run: `tensor` as kz_tensor_map_encode takes it, and in the place of its
// address a buffer or a byte of the workspace.
typedef struct kz_plan_map {
    kz_arg at;
    kz_tensor tensor;
} kz_plan_map;

// A part of the workspace by name, and the steps that use it.
typedef struct kz_region {
    char name[KZ_REGION_NAME];
    uint64_t bytes, offset;
    uint32_t first, last; // steps; first > last: none
} kz_region;

struct kz_plan {
    uint64_t workspace_bytes;
    // Recorded as a graph at the first run on these buffers, launched as one until kz_memory_free frees any memory: what others free is
    // not noticed. A module keeps 16 such graphs; with more sets of buffers they are recorded anew.
    bool graph;
    uint32_t step_count;
    kz_step steps[KZ_PLAN_STEPS];
    uint32_t map_count;
    kz_plan_map maps[KZ_PLAN_MAPS];
    uint32_t region_count;
    kz_region regions[KZ_PLAN_REGIONS];
};

// ---- arguments ----------------------------------------------------------------------------------

KZ_API kz_arg kz_arg_buffer(uint32_t buffer); // the buffer's start
KZ_API kz_arg kz_arg_workspace(uint64_t offset);
KZ_API kz_arg kz_arg_u64(uint64_t value);
KZ_API kz_arg kz_arg_f32(float value);
// Adds a tensor map to the plan, and is the argument that stands for it: a kernel's `const __grid_constant__` parameter of
// KZ_TENSOR_MAP_BYTES. Too many are counted, and refused by kz_plan_run.
KZ_API kz_arg kz_plan_add_map(kz_plan *plan, kz_arg at, const kz_tensor *tensor);

// Adds a region of the workspace: what a step leaves for a later one. The name, for people, is copied. Too many are counted, and
// refused by kz_plan_place_regions.
KZ_API kz_arg kz_plan_add_region(kz_plan *plan, const char *name, uint64_t bytes);
// Gives each region its place, behind what `workspace_bytes` says already: regions that no step uses at the same time share
// memory. The last call on a plan that has regions: their arguments become the workspace's, and `workspace_bytes` grows. With
// steps in several streams, whose order nobody knows, each has memory of its own.
KZ_API kz_status kz_plan_place_regions(kz_plan *plan, kz_error *error);

// ---- steps --------------------------------------------------------------------------------------

// Append a step. The plan carries mistakes, and kz_plan_run refuses them: more than KZ_PLAN_STEPS or KZ_PLAN_ARGS (what is
// too many is counted, not kept), a stream or an event out of range, no entry or one that is too long, no launch.
KZ_API void kz_plan_add_kernel(kz_plan *plan, uint32_t stream, const char *entry, const kz_launch *launch,
                               const kz_arg *args, size_t arg_count);
KZ_API void kz_plan_add_fill(kz_plan *plan, kz_arg to, uint8_t byte, uint64_t bytes);
KZ_API void kz_plan_add_copy(kz_plan *plan, uint32_t stream, kz_arg to, kz_arg from, uint64_t bytes);
KZ_API void kz_plan_add_record(kz_plan *plan, uint32_t stream, uint32_t event);
KZ_API void kz_plan_add_wait(kz_plan *plan, uint32_t stream, uint32_t event);
KZ_API void kz_plan_add_synchronize(kz_plan *plan, uint32_t stream);

#ifdef __cplusplus
}
#endif
#endif
