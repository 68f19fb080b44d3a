// libcuda.so.1, for programs that are linked with it or open it. The driver's functions are in libcudart (calls.c), which
// it needs: whoever looks for one here finds it there.
#include <cuda_runtime_api.h>

const void *cuda_driver_is_in_the_runtime(void);
const void *cuda_driver_is_in_the_runtime(void) { return (const void *)cudaRuntimeGetVersion; }
