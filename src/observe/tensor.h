// What a product on tensor cores is counted as. The table is tensor.def.
#ifndef OBSERVE_TENSOR_H
#define OBSERVE_TENSOR_H

#include "ptx/ptx.h"

typedef enum observe_tensor_type {
#define OBSERVE_TENSOR(id, name, what, unit) OBSERVE_TENSOR_##id,
#include "observe/tensor.def"
    OBSERVE_TENSOR_TYPES
} observe_tensor_type;
const char *observe_tensor_name(observe_tensor_type type);
bool observe_tensor_is_float(observe_tensor_type type);

// By a warp: a quarter of what a warpgroup's product does.
typedef struct observe_tensor {
    uint32_t ops; // 2 m n k; 0: no product. Of a sparse one what a dense one of its shape would do
    uint8_t type; // observe_tensor_type
    bool sparse;
    bool by_group;         // wgmma
    uint16_t path;         // an observe_sum_index, or OBSERVE_SUM_COUNT: no tensor core does it
    uint16_t pipe;         // the same, of instructions
    uint8_t machine;       // machine instructions on sm_90
    uint32_t path_ops;     // of the path
    uint32_t shared_bytes; // that wgmma reads of shared memory
    uint16_t n;            // columns of the product
} observe_tensor;
observe_tensor observe_tensor_of(const ptx_inst *inst);

// Adds that many executions of it to the counts, which are observe_sums.value.
void observe_tensor_add(const observe_tensor *tensor, uint64_t executions, uint64_t *value);
// What was counted of a type.
struct observe_sums;
double observe_tensor_ops(const struct observe_sums *sums, observe_tensor_type type, bool sparse);

#endif
