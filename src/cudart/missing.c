// What the CUDA runtime does not have.
#include "cudart/missing.h"

#define CUDART_API(name) CUDART_MISSING(name, "CUDA runtime", "cudaErrorNotSupported", 801)
#include "api.def"
#undef CUDART_API
