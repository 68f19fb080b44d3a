// kz: sm 90
// gemv 08: programmatic dependent launch
//
// Idea     a decoder's layers follow each other, and only x depends on the layer before: W is there long before.
// Change   04 for one dense token and 07 for all else, launched so that they may come early. A block that finds room fills its ring, or its
//          registers, with W while the kernel in front is still at work, then waits for it, then asks for x. It lets the next one come
//          when it has waited itself: whoever reads W early then has only the kernel right in front to fear.
// Expect   launches that follow each other read without a gap: the time of 07 less 2 us each.
// Limit    nothing is gained for a launch alone. A kernel that writes W must not let this one come early (gemv.h).

#include "registers.cuh"
#include "ring.cuh"

#define ENTRIES(type, T) GEMV_REGISTER_ENTRIES(dependent_launch, type, T, true)
GEMV_TYPES(ENTRIES)

#define GEMV_SHAPE(format, FORMAT, part, tiles, columns, depth, blocks)                                      \
    GEMV_RING_TYPES(dependent_launch, format, FORMAT, part, tiles, columns, depth, blocks, true, true)
#include "shapes.def"
