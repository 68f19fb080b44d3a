// Advice about banks that was tried: what other lengths of a row of shared memory would do.
//
// A few requests of each instruction on shared memory are kept with all their addresses. When the launch has ended,
// each length of a row that the conflicts show is tried longer, up to a whole turn of the banks, on all the requests
// that were kept of the same array: what helps a load may hurt the store that fills the tile.
#ifndef OBSERVE_PADDING_H
#define OBSERVE_PADDING_H

#include "sim/sim.h"

typedef struct observe_padding { // of the array that an instruction accesses; {0}: nothing was tried
    uint32_t row, to;         // bytes of a row as it is, and as would be best; to == row: nothing is better
    double now, then;         // wavefronts per request of all instructions on the array
    double own_now, own_then; // of this one
} observe_padding;

typedef struct observe_paddings observe_paddings;
observe_paddings *observe_paddings_open(void); // NULL when out of memory
void observe_paddings_close(observe_paddings *paddings);
void observe_paddings_begin(observe_paddings *paddings);
// A load or store of shared memory by a thread; `begin` is where its array begins.
void observe_paddings_note(observe_paddings *paddings, const sim_access *access, uint32_t begin);
// Tries. Then for each instruction that was noted.
size_t observe_paddings_try(observe_paddings *paddings);
const ptx_inst *observe_paddings_get(const observe_paddings *paddings, size_t i, observe_padding *padding);

#endif
