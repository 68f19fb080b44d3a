// The default stream of each thread.
#include "runtime.h"

#include <stdlib.h>

static _Thread_local cudaStream_t own;

// Made at its first use. It and the legacy stream wait for each other, as for any stream that is not free of it.
cudaStream_t cudart_own_stream(void) {
    if (own) return own;
    own = calloc(1, sizeof *own);
    if (!own) return &cudart.legacy; // in more order than it need be
    own->id = cudart.next_id++;
    own->is_own = true;
    own->next = cudart.streams;
    cudart.streams = own;
    return own;
}
