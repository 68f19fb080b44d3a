// Errors as CUDA keeps them: the last one per thread, and those that break the device until it is reset.
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local cudaError_t last_error;

bool cudart_is_sticky(cudaError_t error) {
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure: return true;
    default: return false;
    }
}

cudaError_t cudart_error_of(kz_status status, const sim_fault_info *fault) {
    switch (fault ? fault->kind : SIM_FAULT_NONE) {
    case SIM_FAULT_BOUNDS:
    case SIM_FAULT_FREED:
    case SIM_FAULT_READ_ONLY:
    case SIM_FAULT_SURFACE:
    case SIM_FAULT_TENSOR_BOUNDS:
    case SIM_FAULT_TENSOR_PLACE:
    case SIM_FAULT_STACK: return cudaErrorIllegalAddress; // as an H200 says
    case SIM_FAULT_TENSOR_MAP:
    case SIM_FAULT_TENSOR_BOX:
    case SIM_FAULT_TENSOR_REDUCE: return cudaErrorIllegalInstruction; // likewise
    case SIM_FAULT_MISALIGNED: return cudaErrorMisalignedAddress;
    case SIM_FAULT_ASSERT: return cudaErrorAssert;
    case SIM_FAULT_CALL: return cudaErrorInvalidPc;
    case SIM_FAULT_ENDLESS:
    case SIM_FAULT_DEADLOCK: return cudaErrorLaunchTimeout;
    case SIM_FAULT_NONE:
    case SIM_FAULT_INTERRUPTED: break;
    default: return cudaErrorLaunchFailure;
    }
    switch (status) {
    case KZ_OK: return cudaSuccess;
    case KZ_NO_MEMORY: return cudaErrorMemoryAllocation;
    case KZ_UNSUPPORTED: return cudaErrorNotSupported;
    case KZ_NOT_FOUND: return cudaErrorInvalidDeviceFunction;
    case KZ_LIMIT: return cudaErrorInvalidValue; // as CUDA 13 does; older ones said InvalidConfiguration
    case KZ_INVALID: return cudaErrorInvalidValue;
    case KZ_SYNTAX: return cudaErrorInvalidPtx;
    case KZ_DEADLOCK: return cudaErrorLaunchTimeout;
    default: return cudaErrorLaunchFailure;
    }
}

cudaError_t cudart_broken(void) { return cudart.fault ? cudart.fault : cudart.open_error; }

cudaError_t cudart_leave(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) {
        last_error = error;
        if (cudart.failure_error && error == cudart.fault) cudart.later_failures++;
    }
    cudart_keep_findings();
    pthread_mutex_unlock(&cudart.lock);
    return error;
}

// Somebody asked: what is said at the end need not be said.
static void seen(cudaError_t error) {
    if (error && error == cudart.failure_error) cudart.failure_error = cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    pthread_mutex_lock(&cudart.lock);
    cudaError_t error = last_error;
    last_error = cudaSuccess; // of a sticky one, too: the next call that needs the device says it again
    seen(error);
    pthread_mutex_unlock(&cudart.lock);
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    pthread_mutex_lock(&cudart.lock);
    cudaError_t error = last_error;
    seen(error);
    pthread_mutex_unlock(&cudart.lock);
    return error;
}

// Whoever asks for the words has looked at the error.
const char *cudaGetErrorName(cudaError_t error) {
    seen(error);
    return cudart_error_name(error);
}

const char *cudaGetErrorString(cudaError_t error) {
    seen(error);
    return cudart_error_text(error);
}
