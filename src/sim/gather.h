// Elements that lie apart in memory, into registers.
#ifndef SIM_GATHER_H
#define SIM_GATHER_H

#include <string.h>

// N elements, each read from memory by itself, as one vector. Stored one by one they would stall the instruction
// that reads them as a vector: a CPU cannot join stores that are still on their way.
#define GATHER_4(AT, R, M, i)                                                                                \
    { AT(R, M, i), AT(R, M, i + 1), AT(R, M, i + 2), AT(R, M, i + 3) }
#define GATHER_8(AT, R, M, i)                                                                                \
    {                                                                                                        \
        AT(R, M, i), AT(R, M, i + 1), AT(R, M, i + 2), AT(R, M, i + 3), AT(R, M, i + 4), AT(R, M, i + 5),    \
            AT(R, M, i + 6), AT(R, M, i + 7)                                                                 \
    }
#define GATHER(AT, R, M, N, d, i)                                                                            \
    {                                                                                                        \
        typedef R vector __attribute__((vector_size(N * sizeof(R))));                                        \
        vector gathered = GATHER_##N(AT, R, M, i);                                                           \
        memcpy((d) + (i), &gathered, sizeof gathered);                                                       \
    }

#endif
