// Our declarations of the driver interface against cuda.h, where the toolkit is installed.

#include "device/driver.h"
#include "unit.h"

#if __has_include(<cuda.h>)

#include <cuda.h>

#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #theirs)
SAME_SIZE(driver_result, CUresult);
SAME_SIZE(driver_device, CUdevice);
SAME_SIZE(driver_pointer, CUdeviceptr);
SAME_SIZE(driver_context, CUcontext);
SAME_SIZE(driver_module, CUmodule);
SAME_SIZE(driver_function, CUfunction);
SAME_SIZE(driver_stream, CUstream);
SAME_SIZE(driver_event, CUevent);
SAME_SIZE(driver_graph, CUgraph);
SAME_SIZE(driver_graph_exec, CUgraphExec);
SAME_SIZE(driver_launch_attribute, CUlaunchAttribute);
SAME_SIZE(driver_launch_config, CUlaunchConfig);
SAME_SIZE(int, CUdevice_attribute); // passed as int
SAME_SIZE(int, CUfunction_attribute);
SAME_SIZE(int, CUjit_option);
SAME_SIZE(int, CUstreamCaptureMode);

#define SAME_PLACE(ours, our_field, theirs, their_field)                                                     \
    _Static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field), #theirs "." #their_field)
SAME_PLACE(driver_launch_attribute, id, CUlaunchAttribute, id);
SAME_PLACE(driver_launch_attribute, value, CUlaunchAttribute, value);
SAME_PLACE(driver_launch_attribute, value.cooperative, CUlaunchAttribute, value.cooperative);
SAME_PLACE(driver_launch_attribute, value.overlap, CUlaunchAttribute,
           value.programmaticStreamSerializationAllowed);
SAME_PLACE(driver_launch_attribute, value.cluster.x, CUlaunchAttribute, value.clusterDim.x);
SAME_PLACE(driver_launch_attribute, value.cluster.z, CUlaunchAttribute, value.clusterDim.z);
SAME_PLACE(driver_launch_config, grid[0], CUlaunchConfig, gridDimX);
SAME_PLACE(driver_launch_config, grid[2], CUlaunchConfig, gridDimZ);
SAME_PLACE(driver_launch_config, block[0], CUlaunchConfig, blockDimX);
SAME_PLACE(driver_launch_config, block[2], CUlaunchConfig, blockDimZ);
SAME_PLACE(driver_launch_config, shared_bytes, CUlaunchConfig, sharedMemBytes);
SAME_PLACE(driver_launch_config, stream, CUlaunchConfig, hStream);
SAME_PLACE(driver_launch_config, attributes, CUlaunchConfig, attrs);
SAME_PLACE(driver_launch_config, attribute_count, CUlaunchConfig, numAttrs);

#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME_VALUE(DRIVER_MAX_THREADS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(DRIVER_SHARED_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME_VALUE(DRIVER_WARP_SIZE, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME_VALUE(DRIVER_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME_VALUE(DRIVER_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_VALUE(DRIVER_MEMORY_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME_VALUE(DRIVER_MEMORY_BUS_WIDTH, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME_VALUE(DRIVER_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME_VALUE(DRIVER_MAX_THREADS_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME_VALUE(DRIVER_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(DRIVER_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(DRIVER_SHARED_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME_VALUE(DRIVER_REGISTERS_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
SAME_VALUE(DRIVER_SHARED_PER_BLOCK_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME_VALUE(DRIVER_MAX_BLOCKS_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
SAME_VALUE(DRIVER_FUNCTION_MAX_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(DRIVER_FUNCTION_SHARED_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_VALUE(DRIVER_FUNCTION_LOCAL_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_VALUE(DRIVER_FUNCTION_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME_VALUE(DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_VALUE(DRIVER_FUNCTION_NON_PORTABLE_CLUSTER, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME_VALUE(DRIVER_JIT_INFO_LOG, CU_JIT_INFO_LOG_BUFFER);
SAME_VALUE(DRIVER_JIT_INFO_LOG_BYTES, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(DRIVER_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
SAME_VALUE(DRIVER_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(DRIVER_JIT_LINE_INFO, CU_JIT_GENERATE_LINE_INFO);
SAME_VALUE(DRIVER_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME_VALUE(DRIVER_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME_VALUE(DRIVER_LAUNCH_OVERLAP, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME_VALUE(DRIVER_REGISTER_PORTABLE, CU_MEMHOSTREGISTER_PORTABLE);
SAME_VALUE(DRIVER_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME_VALUE(DRIVER_STREAM_DEFAULT, CU_STREAM_DEFAULT);
SAME_VALUE(DRIVER_EVENT_DEFAULT, CU_EVENT_DEFAULT);

// Results that this toolkit's header does not have yet are left out.
#if CUDA_VERSION >= 13000
#define DRIVER_ERROR(code, name, status, lasting, cause) SAME_VALUE(code, CUDA_ERROR_##name);
#include "device/driver_errors.def"
#undef DRIVER_ERROR
#endif

// What cuda.h maps a plain name to must be the symbol that driver.def asks for.
#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

static bool is_asked_for(const char *symbol) {
    static const char *const asked[] = {
#define DRIVER(name, symbol, need, params) TEXT_(symbol),
#include "device/driver.def"
#undef DRIVER
    };
    for (size_t i = 0; i < BASE_COUNT(asked); i++)
        if (strcmp(asked[i], symbol) == 0) return true;
    return false;
}

static void symbol_versions(void **state) {
    static const char *const mapped[] = {
        TEXT(cuDeviceTotalMem),
        TEXT(cuDevicePrimaryCtxRetain),
        TEXT(cuDevicePrimaryCtxRelease),
        TEXT(cuDevicePrimaryCtxReset),
        TEXT(cuMemGetInfo),
        TEXT(cuMemAlloc),
        TEXT(cuMemFree),
        TEXT(cuMemsetD8Async),
        TEXT(cuMemcpyHtoDAsync),
        TEXT(cuMemcpyDtoHAsync),
        TEXT(cuMemcpyDtoDAsync),
        TEXT(cuMemHostRegister),
        TEXT(cuIpcOpenMemHandle),
        TEXT(cuStreamGetCtx),
        TEXT(cuModuleLoadDataEx),
        TEXT(cuModuleGetGlobal),
        TEXT(cuLaunchKernelEx),
        TEXT(cuStreamDestroy),
        TEXT(cuStreamBeginCapture),
        TEXT(cuStreamEndCapture),
        TEXT(cuStreamWaitEvent),
        TEXT(cuEventDestroy),
        TEXT(cuEventRecord),
        TEXT(cuGraphInstantiate),
        TEXT(cuGraphUpload),
        TEXT(cuGraphLaunch),
        TEXT(cuCtxSetCurrent),
        TEXT(cuCtxDestroy),
        TEXT(cuCtxPopCurrent),
    };
    for (size_t i = 0; i < BASE_COUNT(mapped); i++)
        if (!is_asked_for(mapped[i])) fail_msg("driver.def does not ask for %s", mapped[i]);
}

// A signature that differs from cuda.h's in more than the names of types does not compile.
#define SAME_RETURN(call) _Static_assert(sizeof(call) == sizeof(driver_result), #call)
SAME_RETURN(cuMemsetD8Async((driver_pointer)0, (unsigned char)0, (size_t)0, NULL));
SAME_RETURN(cuModuleLoadDataEx(NULL, (const void *)0, 0u, NULL, (void **)0));
SAME_RETURN(cuLaunchKernelEx(NULL, NULL, (void **)0, (void **)0));
SAME_RETURN(cuFuncGetParamInfo(NULL, (size_t)0, (size_t *)0, (size_t *)0));
SAME_RETURN(cuGraphInstantiate(NULL, NULL, 0ull));
SAME_RETURN(cuTensorMapEncodeTiled(NULL, (CUtensorMapDataType)0, 0u, NULL, NULL, NULL, NULL, NULL,
                                   (CUtensorMapInterleave)0, (CUtensorMapSwizzle)0, (CUtensorMapL2promotion)0,
                                   (CUtensorMapFloatOOBfill)0));
SAME_RETURN(cuTensorMapEncodeIm2col(NULL, (CUtensorMapDataType)0, 0u, NULL, NULL, NULL, (const int *)0,
                                    (const int *)0, 0u, 0u, NULL, (CUtensorMapInterleave)0,
                                    (CUtensorMapSwizzle)0, (CUtensorMapL2promotion)0,
                                    (CUtensorMapFloatOOBfill)0));
SAME_VALUE(KZ_TENSOR_TF32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
SAME_VALUE(KZ_TENSOR_BF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
SAME_VALUE(KZ_TENSOR_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B);
SAME_VALUE(KZ_TENSOR_INTERLEAVE_32B, CU_TENSOR_MAP_INTERLEAVE_32B);
SAME_VALUE(KZ_TENSOR_PROMOTION_256B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
SAME_RETURN(cuStreamWaitEvent(NULL, NULL, 0u));
SAME_RETURN(cuStreamBeginCapture(NULL, (CUstreamCaptureMode)0));
#else
static void symbol_versions(void **state) { skip(); }
#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(symbol_versions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
