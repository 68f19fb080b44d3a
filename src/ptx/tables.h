// The layer's tables as arrays, for the other files of this folder.
#ifndef PTX_TABLES_H
#define PTX_TABLES_H

#include "ptx/ptx.h"

typedef enum ptx_support {
    PTX_SUPPORT_SIMULATED,
    PTX_SUPPORT_NOTHING, // accepted, without effect
    PTX_SUPPORT_TENSOR,
    PTX_SUPPORT_TENSORMAP,
    PTX_SUPPORT_TEXTURE,
    PTX_SUPPORT_DEBUGGER,
    PTX_SUPPORT_MULTIMEM,
} ptx_support;

typedef struct ptx_op_info {
    const char *root, *operands, *mods, *types, *what;
    uint16_t version, sm;
    ptx_support support;
} ptx_op_info;

const ptx_op_info *ptx_op_get(ptx_op op);
ptx_category ptx_mod_table_category(ptx_mod mod); // as in mods.def
ptx_type ptx_mod_type(ptx_mod mod);               // of a T_ modifier, else PTX_TYPE_NONE
unsigned ptx_mod_flag(ptx_mod mod);               // index of the bit, for PTX_CAT_FLAG
const char *ptx_category_name(ptx_category category);
const char *ptx_support_reason(ptx_support support);

#endif
