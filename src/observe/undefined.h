// The inside of the detector of undefined values: undefined.c (the listener), undefined_plan.c (which registers an
// instruction reads and writes), undefined_memory.c (loads, stores, atomics, copies), undefined_rules.c (what an
// instruction makes of undefined bits), undefined_report.c (words).
//
// Every register of every frame has a mask of lanes with an undefined bit. While a source's mask is 0, as it
// nearly always is, an instruction costs a few operations on masks. Else the rules work on bits: a copy, a
// shift or a mask of a partly undefined word stays exact, and nothing is said until an undefined bit decides
// a branch, an address, or reaches the host.
#ifndef OBSERVE_UNDEFINED_H
#define OBSERVE_UNDEFINED_H

#include "observe/observe.h"
#include "observe/shadow.h"

enum { UNDEFINED_LANES = 32, UNDEFINED_DATA = 16 };

// Where undefined values come from. Number 0 is "a variable that was never set".
typedef struct undefined_origin {
    const observe_words *words; // the instruction that read it first
    sim_space space;
    uint64_t address;
    uint32_t bytes;
    bool is_shuffle; // no memory: a lane that took no part
    char what[160];  // "4 bytes of shared variable tile", "lane 3 reads lane 19, which has ended"
} undefined_origin;

// The bits of one register that are undefined, lane by lane. Good for the lanes in `known`; lanes that are
// undefined and not known are so in all bits, for want of any value.
typedef struct undefined_detail {
    uint64_t bits[UNDEFINED_LANES];
    uint32_t origin[UNDEFINED_LANES];
} undefined_detail;

typedef struct undefined_frame {
    const ptx_function *function;
    uint32_t base; // of its registers
    bool fresh;    // its variables in local memory are those of an earlier call
} undefined_frame;

typedef struct undefined_warp {
    uint32_t *undefined; // by base + register: lanes
    uint32_t *known;
    undefined_detail **details;
    uint32_t register_capacity;
    undefined_frame *frames;
    uint32_t frame_count, frame_capacity;
    uint32_t *local; // by byte of the lanes' stacks: the lanes for which it is defined
    uint32_t local_used;
} undefined_warp;

typedef struct undefined_block {
    struct undefined_block *next; // in its bucket, or among the spare ones
    uint32_t index, warp_count, warp_capacity;
    undefined_warp *warps;
    uint64_t *shared;        // a bit per byte
    uint32_t shared_missing; // bytes that are undefined
    shadow_table words;      // of shared memory; and of local memory, behind it
} undefined_block;

typedef enum undefined_class {
    UNDEFINED_NOTHING,  // no registers, or none of interest
    UNDEFINED_PLAIN,    // registers to registers
    UNDEFINED_MEMORY,   // the access event does it; here the address alone
    UNDEFINED_EXCHANGE, // the exchange event does it
} undefined_class;

// An instruction, compiled when first met in a launch: which registers it reads and writes.
typedef struct undefined_plan {
    uint32_t epoch;
    uint32_t at; // in self->lists: sources, then destinations, then data (of stores and atomics)
    uint8_t class, sources, destinations, data;
    uint16_t reports;
    uint32_t origin; // + 1
} undefined_plan;

// A straight run of instructions. Where the registers that it needs are defined, so is all that it makes, as
// long as no load brings something undefined: then it need not be told of instruction by instruction.
typedef struct undefined_run {
    uint32_t epoch, count;
    uint32_t at; // in self->lists: registers it needs, then those it makes
    uint32_t needs, makes;
} undefined_run;

enum { UNDEFINED_BUCKETS = 256 };

// A warp at an event, with the frame of the lanes that are concerned.
typedef struct undefined_at {
    undefined_block *block;
    undefined_warp *warp;
    const ptx_function *function;
    uint32_t frame;              // number
    uint32_t *undefined, *known; // of that frame
    undefined_detail **details;
} undefined_at;

typedef struct undefined_self {
    observe_detector base; // first
    observe_findings *findings;
    shadow_memory memory;
    const ptx_module *module;
    const ptx_function *entry;
    uint32_t threads; // of a block
    uint32_t shared_bytes, reserved_shared_bytes, local_bytes;
    uint32_t epoch;
    undefined_plan *plans; // by serial
    uint32_t plan_capacity;
    undefined_run *runs; // by serial of the first instruction
    uint32_t run_capacity;
    uint8_t *marks; // by register, while a run is looked at
    uint32_t mark_capacity;
    uint32_t *lists;
    uint32_t list_count, list_capacity;
    uint32_t *entry_template; // undefined masks of the kernel's registers when a warp begins
    uint32_t template_capacity;
    undefined_block *buckets[UNDEFINED_BUCKETS], *spare, *last;
    undefined_origin *origins;
    uint32_t origin_count, origin_capacity;
    struct { // an asynchronous copy's source, until its destination is told
        const ptx_inst *inst;
        const sim_warp *self;
        uint32_t mask, bytes;
        sim_space space;
        uint64_t addresses[UNDEFINED_LANES];
    } copy;
    uint32_t
        matrix_access; // of a matrix instruction that moves or reads memory: how many lanes of them were told of
    bool matrix_is_a; // of a warpgroup's product: they were of A
    bool out_of_memory;
    undefined_at at;        // the last event's,
    const sim_warp *at_who; // and whose that was: NULL where it has to be looked for
    uint32_t at_block;
} undefined_self;

// Values and undefined bits of an operand, for all lanes.
typedef struct undefined_operand {
    uint64_t bits[UNDEFINED_LANES];
    uint64_t value[UNDEFINED_LANES];
    bool has_value; // else `value` is not known
} undefined_operand;

// undefined.c
const undefined_at *observe_undefined_look_for(undefined_self *self, const sim_event *event);
uint64_t observe_undefined_bits_of(const undefined_at *at, uint32_t reg, uint32_t lane); // of one register
uint32_t observe_undefined_origin_of(const undefined_at *at, uint32_t reg, uint32_t lane);
// What a lane's register holds from now on; bits 0 means defined.
void observe_undefined_set(const undefined_at *at, uint32_t reg, uint32_t lane, uint64_t bits,
                           uint32_t origin);

// Where the event is; NULL where that is not followed. Good until the next call.
static inline const undefined_at *observe_undefined_find(undefined_self *self, const sim_event *event) {
    if (__builtin_expect(event->self == self->at_who && event->block == self->at_block && event->self, 1))
        return &self->at;
    return observe_undefined_look_for(self, event);
}

// undefined_plan.c
// Room for `wanted` items, the new ones zero; false when out of memory.
bool observe_undefined_reserve(void **list, uint32_t *capacity, uint32_t wanted, size_t size);
undefined_class observe_undefined_class_of(const ptx_inst *inst);
undefined_plan *observe_undefined_compile(undefined_self *self, const ptx_inst *inst,
                                          const ptx_function *function);
const undefined_run *observe_undefined_gather_run(undefined_self *self, const ptx_inst *first, uint32_t count,
                                                  const ptx_function *function);

static inline undefined_plan *observe_undefined_plan_of(undefined_self *self, const ptx_inst *inst,
                                                        const ptx_function *function) {
    if (__builtin_expect(inst->serial < self->plan_capacity && self->plans[inst->serial].epoch == self->epoch,
                         1))
        return &self->plans[inst->serial];
    return observe_undefined_compile(self, inst, function);
}

// NULL where the run that begins there is known with another length.
static inline const undefined_run *observe_undefined_run_of(undefined_self *self, const ptx_inst *first,
                                                            uint32_t count, const ptx_function *function) {
    if (__builtin_expect(first->serial < self->run_capacity, 1)) {
        const undefined_run *run = &self->runs[first->serial];
        if (__builtin_expect(run->epoch == self->epoch, 1)) return run->count == count ? run : NULL;
    }
    return observe_undefined_gather_run(self, first, count, function);
}

// undefined_rules.c: the registers that `event`'s instruction writes, where a source is undefined.
void observe_undefined_apply(undefined_self *self, const undefined_at *at, const undefined_plan *plan,
                             const sim_event *event);
void observe_undefined_gather(const undefined_at *at, const sim_event *event, const ptx_operand *operand,
                              ptx_type type, undefined_operand *out);
uint64_t observe_undefined_width_mask(unsigned bits);

// undefined_memory.c
void observe_undefined_access(sim_listener *listener, const sim_access *access);
void observe_undefined_copy_local(sim_listener *listener, const sim_event *event, uint32_t to, uint32_t from,
                                  uint32_t bytes);
void observe_undefined_enter_locals(const undefined_at *at, const sim_event *event);
undefined_block *observe_undefined_block_at(undefined_self *self, uint32_t index);

// What a lane of an access reads from byte `offset` on, up to eight bytes of one aligned word: undefined bits; and writes.
uint64_t observe_undefined_read(undefined_self *self, const undefined_at *at, const sim_access *access,
                                uint32_t lane, uint32_t offset, uint32_t bytes, uint32_t *origin);
void observe_undefined_write(undefined_self *self, const undefined_at *at, const sim_access *access,
                             uint32_t lane, uint32_t offset, uint32_t bytes, uint64_t bits, uint32_t origin,
                             uint32_t writer);
bool observe_undefined_is_defined(undefined_self *self, const undefined_at *at, const sim_access *access);

// undefined_matrix.c: matrix instructions; the second, where the access is one of theirs
void observe_undefined_matrix(undefined_self *self, const undefined_at *at, const undefined_plan *plan,
                              const sim_event *event);
bool observe_undefined_matrix_access(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                                     const sim_access *access);

// undefined_report.c
// Of a load, or of a shuffle: the other one is NULL.
uint32_t observe_undefined_new_origin(undefined_self *self, undefined_plan *plan, const sim_event *event,
                                      uint32_t lane, const sim_access *access,
                                      const sim_exchange_event *exchange);
// A value that is undefined because of a shuffle is used; `kind` says how, SHUFFLE_OUTSIDE that it is stored.
void observe_undefined_report(undefined_self *self, undefined_plan *plan, const sim_event *event,
                              uint32_t lane, observe_finding_kind kind, uint32_t origin);
void observe_undefined_host_read(undefined_self *self, uint64_t address, uint64_t bytes);

#endif
