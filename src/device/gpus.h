// The GPUs of gpus/: limits, sizes, nominal peaks. The files are embedded when libkz is built.
#ifndef DEVICE_GPUS_H
#define DEVICE_GPUS_H

#include "base/base.h"

// Every number is kept as a double in the base unit: bytes, hertz, bytes per second, operations per second.
typedef struct device_gpu {
    char key[24];   // the file's stem: "h200"
    char name[80];  // "NVIDIA H200"
    char match[64]; // words in the driver's name for it
#define GPU_KEY(field, unit, lowest, highest) double field;
#include "device/gpu_keys.def"
#undef GPU_KEY
} device_gpu;

// The embedded files; made at build time.
typedef struct device_gpu_file {
    const char *key, *text;
} device_gpu_file;
extern const device_gpu_file device_gpu_files[];
extern const size_t device_gpu_file_count;

// Reads the text of a file; an error names `file` and the line.
kz_status device_gpu_parse(const char *file, const char *text, device_gpu *gpu, kz_error *error);

// The key that plain "sim" means where KZ_GPU names none: the one place that says so.
extern const char device_gpu_default[];
// `asked` where it is given, else what KZ_GPU names, else the default.
const char *device_gpu_choose(const char *asked);

// `key` as in gpus/, or the path of a file of one's own (it holds a '/' or ends in ".gpu").
kz_status device_gpu_load(const char *key, device_gpu *gpu, kz_error *error);

// All embedded GPUs, the highest bandwidth first; gives how many there are, whatever `capacity` is.
size_t device_gpu_list(device_gpu *gpus, size_t capacity);

// The embedded GPU that a real device is, by the driver's name and figures; false where it is none of them.
bool device_gpu_match(const char *name, int sm, int multiprocessors, double memory_bytes, device_gpu *gpu);

#endif
