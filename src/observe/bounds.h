// An access out of bounds in the words of the source: "reads x[1025], but x has 1025 elements".
//
// Which buffer was meant is asked of the program, not of the address: the nearest buffer is often another one.
#ifndef OBSERVE_BOUNDS_H
#define OBSERVE_BOUNDS_H

#include "observe/observe.h"

enum { OBSERVE_DECLARED = 32 };

// What observe_session_declare_buffer was given, with names of its own.
typedef struct observe_declared {
    char names[OBSERVE_DECLARED][OBSERVE_NAME];
    observe_buffer buffers[OBSERVE_DECLARED];
    size_t count;
} observe_declared;

void observe_declared_add(observe_declared *declared, const observe_buffer *buffer);

// The parameter of the kernel, from 0, that the address of a memory access is made from; -1 where it cannot be told.
// `pointers` has a bit for each parameter that may be one.
int observe_address_parameter(const ptx_function *entry, const ptx_inst *inst, uint64_t pointers);

typedef struct observe_shape {
    uint32_t grid[3], block[3]; // of the launch; 0 where it is not known
} observe_shape;

// What happened, the likely cause and what to do; false where nothing is known of the buffer.
bool observe_explain_bounds(const observe_declared *declared, const ptx_function *entry,
                            const observe_shape *shape, const sim_fault_info *fault, base_text *out);

#endif
