// What cuRAND does not have.
#include "cudart/missing.h"

#define CURAND_API(name) CUDART_MISSING(name, "cuRAND", "CURAND_STATUS_TYPE_ERROR", 103)
CURAND_API(curandCreatePoissonDistribution)
CURAND_API(curandDestroyDistribution)
CURAND_API(curandGeneratePoissonMethod)
#undef CURAND_API
