// The metrics of a record, and what an instruction adds to them. The table is metrics.def.
#ifndef OBSERVE_METRICS_H
#define OBSERVE_METRICS_H

#include "observe/costs.h"
#include "observe/observe.h"

typedef enum observe_class {
#define OBSERVE_CLASS(id, name, reach, text) OBSERVE_CLASS_##id,
#include "observe/classes.def"
#undef OBSERVE_CLASS
    OBSERVE_CLASS_COUNT
} observe_class;

// The counted ones.
typedef enum observe_sum_index {
#define OBSERVE_SUM(id, name, unit, text) OBSERVE_SUM_##id,
#include "observe/metrics.def"
    OBSERVE_SUM_COUNT
} observe_sum_index;

typedef struct observe_sums {
    uint64_t value[OBSERVE_SUM_COUNT];
} observe_sums;

const char *observe_sum_name(observe_sum_index index);
void observe_sums_add(observe_sums *to, const observe_sums *from);

// What one execution of an instruction is.
typedef struct observe_inst_info {
    uint8_t class;      // observe_class
    uint8_t flop_lane;  // flops per active lane
    uint8_t flop_type;  // 0: f16, 1: f32, 2: f64
    bool guarded_flops; // has flops, or is a product, and has a guard: lanes must be counted one by one
    bool is_shuffle, is_vote;
    bool waits, waits_for_all; // for groups of asynchronous work; so that none is left under way
    bool gathered;             // an atomic of which the lanes fold first: one of them goes to memory
    bool address_by_data;      // an atomic whose address is computed from what was loaded, as a histogram's
    bool returns;              // an atomic whose result somebody reads: ptxas makes a reduction of any other
    observe_tensor tensor;     // products on tensor cores
    observe_cost cost;         // what the machine does for it
} observe_inst_info;
observe_inst_info observe_inst_describe(const ptx_inst *inst);

// `"name":number` for every metric of `sums`, separated by commas; zeros only where `zeros`.
void observe_sums_write(const observe_sums *sums, bool zeros, base_text *out);

#endif
