// What cuBLAS does not have.
#include "cudart/missing.h"

#define CUBLAS_API(name) CUDART_MISSING(name, "cuBLAS", "CUBLAS_STATUS_NOT_SUPPORTED", 15)
#include "api.def"
#undef CUBLAS_API
