// <<<grid, block, shared, stream>>>: kept between two calls of a kernel's stub. In the program's own process, wherever its
// device is.
#include "configuration.h"

#include <cuda_runtime_api.h>

enum { CONFIGURATIONS = 16 }; // a launch whose arguments launch again is rare

typedef struct configuration {
    dim3 grid, block;
    size_t shared;
    void *stream;
    const void
        *caller; // where the program has its <<<>>>; what launches is a stub that all of a kernel's share
} configuration;

static _Thread_local configuration configurations[CONFIGURATIONS];
static _Thread_local unsigned configuration_count;
static _Thread_local const void *taken_from; // of the configuration taken last

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
    if (configuration_count == CONFIGURATIONS) return 1;
    const void *caller = __builtin_return_address(0);
    configurations[configuration_count++] = (configuration){grid, block, shared, stream, caller};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (configuration_count == 0) return cudaErrorMissingConfiguration;
    const configuration *c = &configurations[--configuration_count];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(void **)stream = c->stream;
    taken_from = c->caller;
    return cudaSuccess;
}

const void *cudart_configuration_caller(void) {
    const void *caller = taken_from;
    taken_from = NULL;
    return caller;
}
