// bench/health: how the GPU feels while it is measured, from NVML (opened with dlopen; absent is allowed).
// Unknown is NAN or -1, never 0.
#ifndef BENCH_HEALTH_H
#define BENCH_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bench_health {
    bool known;
    double time;             // when it was read, in seconds
    double sm_hz, memory_hz; // clocks right now
    double temperature_c, power_w, power_limit_w;
    double energy_j;          // since the driver was loaded: differences count
    int64_t throttle_reasons; // NVML's bits; 0 is none, -1 unknown
    int processes;            // that compute on the device, whosever they are; -1 unknown
} bench_health;

// The mean power between two readings, by the energy that went through in between; NAN where unknown.
double bench_mean_power(const bench_health *before, const bench_health *after);

typedef struct bench_monitor bench_monitor;

// `device_id` as kz_device_info.id: "cuda:0". NULL where there is no NVML or no telling which device is
// meant.
bench_monitor *bench_monitor_open(const char *device_id, const char *device_name);
void bench_monitor_close(bench_monitor *monitor); // NULL is allowed

bench_health bench_monitor_read(const bench_monitor *monitor);  // NULL is allowed: nothing is known
const char *bench_monitor_driver(const bench_monitor *monitor); // "580.159"; NULL where unknown
const char *bench_monitor_uuid(const bench_monitor *monitor);   // NULL where unknown
// Processes other than this one that compute on the device; -1 where unknown.
int bench_monitor_others(const bench_monitor *monitor);

// The bits that mean slower than it could be (power, heat, hardware), in words: "power cap, thermal"; "" for
// none.
void bench_throttle_text(int64_t reasons, char *text, int size);

#endif
