// An NVML of our own for the tests of src/bench/health.c: one H200, some figures, one failure, one gap.
#include <stdio.h>
#include <unistd.h>

typedef struct process {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
} process;

static int device;

int nvmlInit_v2(void);
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void);
int nvmlShutdown(void) { return 0; }
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlSystemGetDriverVersion(char *text, unsigned size) { return snprintf(text, size, "580.1") < 0; }
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetCount_v2(unsigned *count) { return *count = 1, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle) { return *handle = &device, index != 0; }
int nvmlDeviceGetName(void *handle, char *text, unsigned size);
int nvmlDeviceGetName(void *handle, char *text, unsigned size) {
    return snprintf(text, size, "NVIDIA H200") < 0;
}
int nvmlDeviceGetUUID(void *handle, char *text, unsigned size);
int nvmlDeviceGetUUID(void *handle, char *text, unsigned size) { return snprintf(text, size, "GPU-1") < 0; }
int nvmlDeviceGetClockInfo(void *handle, int which, unsigned *megahertz);
int nvmlDeviceGetClockInfo(void *handle, int which, unsigned *megahertz) {
    *megahertz = which == 1 ? 1980 : 3201;
    return handle != &device;
}
int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *celsius);
int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *celsius) { return *celsius = 0, 3; }
int nvmlDeviceGetPowerUsage(void *handle, unsigned *milliwatts);
int nvmlDeviceGetPowerUsage(void *handle, unsigned *milliwatts) { return *milliwatts = 412500, 0; }
// A counter: 0.75 J more at each call.
int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *millijoules);
int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *millijoules) {
    static unsigned long long total = 1000;
    return *millijoules = total += 750, handle != &device;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void *handle, unsigned long long *reasons);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *handle, unsigned long long *reasons) {
    return *reasons = 0x24, 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *count, process *found);
int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *count, process *found) {
    if (*count < 2) return 7;
    found[0] = (process){.pid = (unsigned)getpid()};
    found[1] = (process){.pid = 1};
    return *count = 2, 0;
}
