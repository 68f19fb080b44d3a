// Counters of one launch in the simulator, by the names that ncu has for them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "observe/observe.h"
#include "truth.h"

kz_status observed_begin(kz_device *device, observe_session **session, kz_error *error) {
    observe_gpu gpu;
    observe_options options = {.counters = true};
    kz_status status = device_sim_gpu(device, &gpu, error);
    if (!status) status = observe_session_open(&options, &gpu, session, error);
    if (!status) status = device_sim_observe(device, *session, error);
    return status;
}

// The kernel's own metrics, before those of its lines.
static bool metric_of(const char *record, const char *name, unsigned long long *value) {
    char quoted[160];
    const char *kernel = strstr(record, "\"type\":\"kernel\""), *metrics, *at;
    if (!kernel) kernel = strstr(record, "\"kernel\"");
    if (!kernel || !(metrics = strstr(kernel, "\"metrics\""))) return false;
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    const char *end = strchr(metrics, '}');
    at = strstr(metrics, quoted);
    if (!at || (end && at > end)) return false;
    at = strchr(at + strlen(quoted), ':');
    if (!at) return false;
    *value = strtoull(at + 1 + strspn(at + 1, " "), NULL, 10);
    return true;
}

static unsigned long long wavefronts(const char *record) {
    static const char *const parts[] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                        "ptx__wavefronts_shared_atom.sum",
                                        "ptx__wavefronts_shared_ldgsts.sum"};
    unsigned long long sum = 0, value;
    for (size_t i = 0; i < BASE_COUNT(parts); i++)
        if (metric_of(record, parts[i], &value)) sum += value;
    return sum;
}

void observed_end(kz_device *device, observe_session *session, unsigned number, const char *only) {
    base_text record = {0};
    size_t count;
    const observe_metric *metrics = observe_metrics(&count);
    device_sim_observe(device, NULL, NULL);
    observe_session_finish(session, &record);
    observe_session_close(session);
    for (size_t i = 0; record.data && i < count; i++) {
        unsigned long long value;
        const char *name = metrics[i].name;
        bool ncus = !strncmp(name, "l1tex__", 7) || !strncmp(name, "sm__", 4) || !strncmp(name, "smsp__", 6);
        bool matrix = strstr(name, "_op_ldsm") || strstr(name, "_op_stsm");
        if (!ncus || !strstr(name, ".sum") || (only && !strstr(name, only) && !matrix)) continue;
        if (metric_of(record.data, metrics[i].name, &value))
            printf("%u,%s,%llu\n", number, metrics[i].name, value);
    }
    if (record.data && only && !strcmp(only, "shared_op_atom"))
        printf("%u,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,%llu\n", number, wavefronts(record.data));
    base_text_free(&record);
}
