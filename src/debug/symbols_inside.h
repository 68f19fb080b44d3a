// The inside of debug_symbols, shared by symbols.c and types.c.
#ifndef DEBUG_SYMBOLS_INSIDE_H
#define DEBUG_SYMBOLS_INSIDE_H

#include "debug/symbols.h"

typedef struct debug_type_entry { // a type that was made of an entry
    const debug_die *die;
    debug_type *type;
} debug_type_entry;

struct debug_symbols {
    base_arena *arena;
    const ptx_module *module;
    debug_dwarf dwarf;
    const char *note;
    debug_type_entry *types; // open hash by the entry's address
    size_t type_count, type_capacity;
    const debug_type *dimensions;
    const debug_die *latest; // the subprogram found last
};

#endif
