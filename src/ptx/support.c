// What the simulator executes, from the tables alone, and the page that says so.
#include "ptx/tables.h"

#include <string.h>

bool ptx_has_no_effect(ptx_op op) {
    return ptx_op_get(op)->support == PTX_SUPPORT_NOTHING && op != PTX_OP_NONE;
}

bool ptx_is_simulated(const ptx_inst *inst, const char **why) {
    const char *reason = NULL;
    ptx_support support = ptx_op_get(inst->op)->support;
    if (inst->unknown)
        reason = inst->unknown;
    else if (support != PTX_SUPPORT_SIMULATED && support != PTX_SUPPORT_NOTHING)
        reason = ptx_support_reason(support);
    else if (inst->by_category[PTX_CAT_SPACE] == PTX_MOD_SHARED_CLUSTER)
        reason = ptx_support_reason(PTX_SUPPORT_CLUSTER);
    if (why) *why = reason;
    return reason == NULL;
}

void ptx_print_support(base_text *out) { base_text_add(out, "# PTX support\n"); }
