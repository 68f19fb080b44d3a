// bench/health: see health.h. A symbol that this driver lacks leaves its figure unknown.
#include "bench/health.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0, PROCESSES = 64 };

// nvmlProcessInfo_t of the _v3 call.
typedef struct nvml_process {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
} nvml_process;

struct bench_monitor {
    void *library, *device;
    char driver[96], uuid[96];
#define NVML_CALL(field, symbol, parameters) int(*field) parameters;
#include "bench/nvml.def"
#undef NVML_CALL
};

static bool load(bench_monitor *m) {
    const char *path = getenv("KZ_LIBNVML"); // for tests
    m->library = dlopen(path ? path : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!m->library) return false;
#define NVML_CALL(field, symbol, parameters) *(void **)&m->field = dlsym(m->library, symbol);
#include "bench/nvml.def"
#undef NVML_CALL
    return m->init && m->shutdown && m->device_count && m->device_by_index && m->init() == 0;
}

// NVML counts all devices of the machine, CUDA only the visible ones: with several of them, and a choice made
// by CUDA_VISIBLE_DEVICES, no number can be trusted.
static bool find_device(bench_monitor *m, const char *id, const char *name) {
    unsigned count = 0, index = 0;
    if (strncmp(id, "cuda:", 5) != 0 || m->device_count(&count) != 0 || count == 0) return false;
    if (count > 1) {
        if (getenv("CUDA_VISIBLE_DEVICES")) return false;
        index = (unsigned)strtoul(id + 5, NULL, 10);
    }
    char text[96] = "";
    if (m->device_by_index(index, &m->device) != 0) return false;
    return !m->device_name || (m->device_name(m->device, text, sizeof text) == 0 && strcmp(text, name) == 0);
}

bench_monitor *bench_monitor_open(const char *device_id, const char *device_name) {
    bench_monitor *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    if (!load(m)) {
        if (m->library) dlclose(m->library);
        free(m);
        return NULL;
    }
    if (!find_device(m, device_id, device_name)) {
        bench_monitor_close(m);
        return NULL;
    }
    if (!m->driver_version || m->driver_version(m->driver, sizeof m->driver) != 0) m->driver[0] = 0;
    if (!m->device_uuid || m->device_uuid(m->device, m->uuid, sizeof m->uuid) != 0) m->uuid[0] = 0;
    return m;
}

void bench_monitor_close(bench_monitor *monitor) {
    if (!monitor) return;
    monitor->shutdown();
    dlclose(monitor->library);
    free(monitor);
}

const char *bench_monitor_driver(const bench_monitor *m) { return m && m->driver[0] ? m->driver : NULL; }
const char *bench_monitor_uuid(const bench_monitor *m) { return m && m->uuid[0] ? m->uuid : NULL; }

// What a call gave, in SI units; NAN where it failed. The value is fetched after the call: it must be a
// pointer.
static double scaled(int failed, const unsigned *value, double scale) {
    return failed ? (double)NAN : *value * scale;
}

// Those that compute, but for one; -1 where unknown.
static int count_processes(const bench_monitor *m, unsigned without) {
    nvml_process found[PROCESSES];
    unsigned count = PROCESSES;
    if (!m->processes || m->processes(m->device, &count, found) != 0) return -1;
    int counted = 0;
    for (unsigned i = 0; i < count; i++) counted += found[i].pid != without;
    return counted;
}

bench_health bench_monitor_read(const bench_monitor *m) {
    bench_health h = {.sm_hz = NAN,
                      .memory_hz = NAN,
                      .temperature_c = NAN,
                      .power_w = NAN,
                      .power_limit_w = NAN,
                      .energy_j = NAN,
                      .throttle_reasons = -1,
                      .processes = -1};
    if (!m) return h;
    unsigned value = 0;
    unsigned long long reasons = 0, millijoules = 0;
    h.known = true;
    h.time = base_seconds();
    if (m->clock) h.sm_hz = scaled(m->clock(m->device, CLOCK_SM, &value), &value, 1e6);
    if (m->clock) h.memory_hz = scaled(m->clock(m->device, CLOCK_MEMORY, &value), &value, 1e6);
    if (m->temperature) h.temperature_c = scaled(m->temperature(m->device, SENSOR_GPU, &value), &value, 1);
    if (m->power) h.power_w = scaled(m->power(m->device, &value), &value, 1e-3);
    if (m->power_limit) h.power_limit_w = scaled(m->power_limit(m->device, &value), &value, 1e-3);
    if (m->energy && m->energy(m->device, &millijoules) == 0) h.energy_j = (double)millijoules * 1e-3;
    if (m->throttle && m->throttle(m->device, &reasons) == 0) h.throttle_reasons = (int64_t)reasons;
    h.processes = count_processes(m, 0);
    return h;
}

double bench_mean_power(const bench_health *before, const bench_health *after) {
    double seconds = after->time - before->time;
    return before->known && after->known && seconds > 0 ? (after->energy_j - before->energy_j) / seconds
                                                        : (double)NAN;
}

int bench_monitor_others(const bench_monitor *m) { return m ? count_processes(m, (unsigned)getpid()) : -1; }

void bench_throttle_text(int64_t reasons, char *text, int size) {
    static const struct {
        int64_t bit;
        const char *name;
    } rows[] = {{0x4, "power cap"},
                {0x8, "hardware slowdown"},
                {0x20, "thermal"},
                {0x40, "hardware thermal"},
                {0x80, "hardware power brake"}};
    int used = 0;
    text[0] = 0;
    for (size_t i = 0; reasons > 0 && i < BASE_COUNT(rows) && used < size; i++)
        if (reasons & rows[i].bit)
            used += snprintf(text + used, (size_t)(size - used), "%s%s", used ? ", " : "", rows[i].name);
}
