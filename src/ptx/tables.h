// The layer's tables as arrays, for the other files of this folder.
#ifndef PTX_TABLES_H
#define PTX_TABLES_H

#include "ptx/ptx.h"

ptx_category ptx_mod_table_category(ptx_mod mod); // as in mods.def
ptx_type ptx_mod_type(ptx_mod mod);               // of a T_ modifier, else PTX_TYPE_NONE
unsigned ptx_mod_flag(ptx_mod mod);               // index of the bit, for PTX_CAT_FLAG
const char *ptx_category_name(ptx_category category);
const char *ptx_support_reason(ptx_support support);

#endif
