// atomics 00: plain C on the `cpu` device
//
// Idea     one core: nobody to meet.
// Change   none: it stands before the ladder.
// Expect   bound by the round trip of a word through the cache where keys repeat.
#include <stdint.h>
#include <string.h>

#include "private.h"

typedef struct job {
    const void *keys;
    void *out;
    void *third;
    uint64_t n, k;
} job;

static job job_of(const kz_native_launch *launch) {
    return (job){.keys = *(const void *const *)launch->args[0],
                 .out = *(void *const *)launch->args[1],
                 .third = *(void *const *)launch->args[2],
                 .n = *(const uint64_t *)launch->args[3],
                 .k = *(const uint64_t *)launch->args[4]};
}

static void count_u32(const kz_native_launch *launch) {
    job j = job_of(launch);
    const uint32_t *keys = j.keys;
    uint32_t *out = j.out;
    memset(out, 0, j.k * sizeof *out);
    for (uint64_t i = 0; i < j.n; i++) out[keys[i]]++;
}

static void append_f32(const kz_native_launch *launch) {
    job j = job_of(launch);
    const float *in = j.keys;
    float *out = j.out;
    uint32_t length = 0;
    for (uint64_t i = 0; i < j.n; i++) {
        bool entry = in[i] > 0.0f;
        out[i] = entry ? in[i] : 0.0f;
        length += entry;
    }
    *(uint32_t *)j.third = length;
}

static void max_f32(const kz_native_launch *launch) {
    job j = job_of(launch);
    const uint32_t *keys = j.keys;
    const float *values = j.third;
    float *out = j.out;
    memset(out, 0xff, j.k * sizeof *out); // NaN
    for (uint64_t i = 0; i < j.n; i++)
        if (values[i] == values[i] && !(values[i] <= out[keys[i]])) out[keys[i]] = values[i];
}

static void update_i32(const kz_native_launch *launch) {
    job j = job_of(launch);
    const uint32_t *keys = j.keys;
    const int32_t *values = j.third;
    int32_t *out = j.out;
    for (uint64_t k = 0; k < j.k; k++)
        out[PARTS * k] = out[PARTS * k + 1] = 0, out[PARTS * k + 2] = INT32_MAX,
                    out[PARTS * k + 3] = INT32_MIN;
    for (uint64_t i = 0; i < j.n; i++) {
        int32_t *part = out + (uint64_t)PARTS * keys[i], value = values[i];
        part[0]++;
        part[1] = (int32_t)((uint32_t)part[1] + (uint32_t)value);
        if (value < part[2]) part[2] = value;
        if (value > part[3]) part[3] = value;
    }
}

const kz_native_entry atomics_natives[] = {{"atomics_native_count_u32", count_u32},
                                           {"atomics_native_append_f32", append_f32},
                                           {"atomics_native_max_f32", max_f32},
                                           {"atomics_native_update_i32", update_i32},
                                           {0}};
