// What cuDNN looks up in libcuda.so.1 before it compiles for a device that is not here (deviceless_cudnn.c). Whatever it loads
// "is" loaded; there is no device, and nothing can be launched.
static char something[4096]; // a library, a module, a kernel

#define NOTHING(name)                                                                                        \
    int name(void);                                                                                          \
    int name(void) { return 100; } // no device
#define WORKS(name)                                                                                          \
    int name(void);                                                                                          \
    int name(void) { return 0; }
#define GIVES(name)                                                                                          \
    int name(void **to);                                                                                     \
    int name(void **to) { return *to = something, 0; }
#define COUNTS(name)                                                                                         \
    int name(int *to);                                                                                       \
    int name(int *to) { return *to = 1, 0; }

NOTHING(cuInit)
NOTHING(cuGetProcAddress_v2)
NOTHING(cuDriverGetVersion)
NOTHING(cuDeviceGet)
NOTHING(cuDeviceGetCount)
NOTHING(cuDeviceGetAttribute)
NOTHING(cuDevicePrimaryCtxRetain)
NOTHING(cuDevicePrimaryCtxRelease)
NOTHING(cuDevicePrimaryCtxReset)
NOTHING(cuCtxGetCurrent)
NOTHING(cuCtxGetDevice)
NOTHING(cuCtxGetLimit)
NOTHING(cuCtxPopCurrent)
NOTHING(cuCtxPushCurrent)
NOTHING(cuStreamGetCtx)
NOTHING(cuStreamSynchronize)
NOTHING(cuMemcpyDtoH_v2)
NOTHING(cuLaunchKernel)
NOTHING(cuLaunchKernelEx)
NOTHING(cuLaunchCooperativeKernel)
NOTHING(cuTensorMapEncodeTiled)
NOTHING(cuGetErrorName)
NOTHING(cuGetErrorString)
NOTHING(cuLinkCreate)
NOTHING(cuLinkCreate_v2)
NOTHING(cuLinkAddData)
NOTHING(cuLinkAddData_v2)
NOTHING(cuLinkAddFile_v2)
NOTHING(cuLinkComplete)
NOTHING(cuLinkDestroy)
GIVES(cuLibraryLoadData)
GIVES(cuLibraryLoadFromFile)
GIVES(cuLibraryGetKernel)
GIVES(cuModuleLoadData)
GIVES(cuModuleLoadDataEx)
GIVES(cuModuleLoadFatBinary)
GIVES(cuModuleGetFunction)
GIVES(cuModuleGetGlobal_v2)
WORKS(cuLibraryUnload)
WORKS(cuModuleUnload)
WORKS(cuKernelSetAttribute)
WORKS(cuFuncSetAttribute)
COUNTS(cuKernelGetAttribute)
COUNTS(cuFuncGetAttribute)
COUNTS(cuOccupancyMaxActiveBlocksPerMultiprocessor)
COUNTS(cuOccupancyMaxPotentialClusterSize)
