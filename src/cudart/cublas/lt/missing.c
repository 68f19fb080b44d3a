// What cuBLASLt does not have.
#include "cudart/missing.h"

#define CUBLAS_API(name) CUDART_MISSING(name, "cuBLASLt", "CUBLAS_STATUS_NOT_SUPPORTED", 15)
#include "api.def"
#undef CUBLAS_API
