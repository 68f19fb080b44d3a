// The inside of bench/micro: a lab holds the device, the kernels and their memory; a job is one launch to measure.
#ifndef BENCH_MICRO_LAB_H
#define BENCH_MICRO_LAB_H

#include "bench/micro.h"
#include "device/gpus.h"

// The files of src/bench/micro, as images.
typedef enum bench_micro_file {
    MICRO_MEMORY,
    MICRO_SHARED,
    MICRO_ARITHMETIC,
    MICRO_ATOMICS,
    MICRO_BF16,
    MICRO_CLUSTER,
    MICRO_FILES
} bench_micro_file;

enum {
    MICRO_THREADS = 512,          // of the kernels for bandwidth
    MICRO_CHUNK_BYTES = 32 << 10, // what a block of them takes at once
    MICRO_MOST_VALUES = 1 << 21,  // threads of a launch, at most
    MICRO_SUMS = 1024,            // slots that the kernels for reading add up in
    MICRO_UNROLL = 8,             // accesses in a turn of most loops
    MICRO_STEPS = 256,            // instructions in a turn of the chains
    MICRO_RING_FACTOR = 1256749,  // 1 more than a multiple of 12: a ring for any 2^k and 3 * 2^k slots
    MICRO_HOST_LINES = 1024,      // of the host's memory: more than are asked for while it is warmed up
    MICRO_LINE = 128
};

typedef struct bench_micro_lab {
    const bench_micro_request *request;
    kz_device *device;
    const kz_device_info *info;
    device_gpu gpu; // nominal figures; key[0] is 0 where the GPU is not known
    bool timed;
    uint32_t multiprocessors; // those in use: few on the simulator
    kz_module *modules[MICRO_FILES];
    kz_error module_errors[MICRO_FILES];
    kz_stream *stream;
    kz_event *start, *stop;
    kz_ptr data, values, cycles;
    size_t data_bytes;
    uint32_t *host_values;
    kz_status fatal; // what ended the run
} bench_micro_lab;

typedef struct bench_micro_job bench_micro_job;
struct bench_micro_job {
    bench_micro_group group;
    const char *name, *unit;
    double x, y, nominal; // {.x = NAN ...}: bench_micro_job_of fills them
    bench_micro_file file;
    const char *entry;                 // without "micro_"
    uint32_t blocks, threads, cluster; // cluster: blocks of one; 0: no clusters
    uint64_t n;
    uint32_t turns, a, b;
    double work;    // of a launch: bytes, flops, operations
    bool by_clock;  // cycles of block 0, not device events
    bool per_cycle; // work per cycle, not cycles per work
    // Before every launch; may be NULL.
    kz_status (*prepare)(bench_micro_lab *lab, const bench_micro_job *job, kz_error *error);
    // Whether the values that the launch left are right; NULL: nothing to see.
    bool (*right)(bench_micro_lab *lab, const bench_micro_job *job);
    uint32_t values; // how many it leaves
};

bench_micro_job bench_micro_job_of(bench_micro_group group, const char *name, const char *unit,
                                   bench_micro_file file, const char *entry);
// Measures the job and hands the point over. What it returns ends the run; lab->fatal says the same.
kz_status bench_micro_measure(bench_micro_lab *lab, const bench_micro_job *job, kz_error *error);
// The same without handing it over: the point has its value, or says why it has none.
void bench_micro_take(bench_micro_lab *lab, const bench_micro_job *job, bench_micro_point *point);
kz_status bench_micro_hand_over(bench_micro_lab *lab, bench_micro_point *point, kz_error *error);
// One launch, nothing more.
kz_status bench_micro_launch(bench_micro_lab *lab, const bench_micro_job *job, kz_error *error);
bool bench_micro_goes_on(const bench_micro_lab *lab);
// Turns of a loop: all of them under a clock, two on the simulator.
uint32_t bench_micro_turns(const bench_micro_lab *lab, uint32_t turns);
bench_micro_point bench_micro_point_of(const bench_micro_job *job);
// Sets the value from the samples, or drops them where the point is not right.
void bench_micro_finish_point(bench_micro_point *point);
kz_status bench_micro_kernel(bench_micro_lab *lab, const bench_micro_job *job, kz_kernel **kernel,
                             kz_error *error);
kz_status bench_micro_launch_kernel(bench_micro_lab *lab, const bench_micro_job *job, kz_kernel *kernel,
                                    kz_error *error);

// The groups' functions, by name: micro_memory.c, micro_compute.c, micro_host.c.
#define MICRO_GROUP(name, x, y, about)                                                                       \
    kz_status bench_micro_group_##name(bench_micro_lab *lab, kz_error *error);
#include "bench/micro.def"
#undef MICRO_GROUP

#endif
