// kz: sm 90
// gemv 08: programmatic dependent launch
//
// Idea     a decoder's layers follow each other, and only x depends on the layer before: W is there long before.
// Change   07, launched so that it may come early. A block fills its ring with W while the kernel in front is still at work, then waits for
//          it, then asks for x. The ring is at most half of shared memory, so that two launches have room on a multiprocessor. It lets
//          the next one come when it has waited itself: whoever reads W early then has only the kernel right in front to fear.
// Expect   launches that follow each other read without a gap: the time of 07 less the start, 2 to 3 us each.
// Limit    nothing is gained for a launch alone. A kernel that writes W must not let this one come early (gemv.h).

#include "registers.cuh"
#include "ring.cuh"

#define ENTRIES(type, T) GEMV_REGISTER_ONE(dependent_launch, type, T, true)
GEMV_TYPES(ENTRIES)

#define GEMV_SHAPE(format, FORMAT, part, tiles, columns, depth, warps, teams)                                \
    GEMV_RING_TYPES(dependent_launch, format, FORMAT, part, tiles, columns, depth, warps, teams, true, true)
#include "shapes.def"
