// What the CUDA driver does not have.
#include "cudart/missing.h"

#define CUDART_DRIVER_API(name) CUDART_MISSING(name, "CUDA driver", "CUDA_ERROR_NOT_SUPPORTED", 801)
#include "cudart/driver/api.def"
#undef CUDART_DRIVER_API
