// Which registers have the same value in all lanes of a warp, as far as the text shows it, and what makes the others
// differ.
//
// ptxas gathers atomics on integers whose address is such a register: the lanes fold their values first, and one of them
// goes to memory. A register may be anything as soon as one instruction that writes it reads what lanes have of their
// own: their index, memory, or another such register.
#include <stdlib.h>

#include "observe/profile.h"

// Why a register may differ from lane to lane; 0: it does not.
enum { BY_LANE = 1, BY_DATA = 2 };

static uint8_t own_of(const ptx_operand *o, const uint8_t *own) {
    uint8_t why = o->reg >= 0 ? own[o->reg] : 0;
    ptx_special s = o->special;
    if (s == PTX_SPECIAL_TID_X || s == PTX_SPECIAL_TID_Y || s == PTX_SPECIAL_TID_Z || s == PTX_SPECIAL_LANEID)
        why |= BY_LANE;
    for (uint32_t i = 0; i < o->element_count; i++) why |= own_of(&o->elements[i], own);
    return why;
}

static uint8_t makes_own(const ptx_inst *inst, const uint8_t *own) {
    ptx_class class = ptx_op_get(inst->op)->class;
    bool reads_param = class == PTX_CLASS_LOAD && inst->by_category[PTX_CAT_SPACE] == PTX_MOD_PARAM;
    bool computes = class == PTX_CLASS_ARITHMETIC || class == PTX_CLASS_LOGIC || class == PTX_CLASS_MOVE ||
                    class == PTX_CLASS_CONVERSION || class == PTX_CLASS_SPECIAL;
    if (class == PTX_CLASS_LOAD && !reads_param) return BY_DATA;
    if (!reads_param && !computes) return BY_LANE;
    uint8_t why = inst->guard >= 0 ? own[inst->guard] : 0;
    for (uint32_t o = 1; o < inst->operand_count; o++) why |= own_of(&inst->operands[o], own);
    return why;
}

static bool mark(const ptx_operand *o, uint8_t *own, uint8_t why) {
    bool changed = false;
    const int32_t registers[] = {o->reg, o->second};
    for (size_t i = 0; i < BASE_COUNT(registers); i++) {
        if (registers[i] < 0) continue;
        changed |= (own[registers[i]] | why) != own[registers[i]];
        own[registers[i]] |= why;
    }
    for (uint32_t i = 0; i < o->element_count; i++) changed |= mark(&o->elements[i], own, why);
    return changed;
}

static bool folds(const ptx_inst *inst) {
    ptx_type type = inst->type_count ? (ptx_type)inst->types[inst->type_count - 1] : PTX_TYPE_NONE;
    uint16_t does = inst->by_category[PTX_CAT_ATOMIC], logic = inst->by_category[PTX_CAT_BOOL];
    if (type != PTX_U32 && type != PTX_S32 && type != PTX_B32) return false;
    return does == PTX_MOD_ADD || does == PTX_MOD_MIN || does == PTX_MOD_MAX || logic != PTX_MOD_NONE;
}

bool observe_describe_atomics(observe_inst_info *infos, uint32_t inst_count, const ptx_function *function) {
    bool any = false, changed = true;
    for (uint32_t k = 0; k < function->inst_count && !any; k++) {
        ptx_class class = ptx_op_get(function->insts[k].op)->class;
        any = class == PTX_CLASS_ATOMIC || class == PTX_CLASS_REDUCTION;
    }
    uint8_t *own = any ? calloc(function->reg_count + 1, 1) : NULL;
    if (!any || !own) return !any;
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < function->inst_count; k++) {
            const ptx_inst *inst = &function->insts[k];
            if (inst->operand_count < 2 || inst->operands[0].kind == PTX_OPERAND_ADDRESS) continue;
            changed |= mark(&inst->operands[0], own, makes_own(inst, own));
        }
    }
    for (uint32_t k = 0; k < function->inst_count; k++) {
        const ptx_inst *inst = &function->insts[k];
        ptx_class class = ptx_op_get(inst->op)->class;
        if ((class != PTX_CLASS_ATOMIC && class != PTX_CLASS_REDUCTION) || inst->serial >= inst_count)
            continue;
        const ptx_operand *at = &inst->operands[class == PTX_CLASS_ATOMIC];
        infos[inst->serial].gathered = folds(inst) && at->reg >= 0 && !own[at->reg];
        infos[inst->serial].address_by_data = at->reg >= 0 && own[at->reg] & BY_DATA;
    }
    free(own);
    return true;
}
