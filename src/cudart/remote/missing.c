// Calls that a program has not got where its device is another process.
#include "cudart/missing.h"

#define CUDART_API(name) CUDART_MISSING(name, "CUDA runtime of graded programs", "cudaErrorNotSupported", 801)
#include "cudart/api.def"
#undef CUDART_API
