// report/roofs: where the microbenchmarks' records of this machine's GPUs are, and the roofs they give.
#ifndef REPORT_ROOFS_H
#define REPORT_ROOFS_H

#include "base/base.h"
#include "bench/roofs.h"

enum { REPORT_GPU_KEY = 96 };
// What a GPU's records are kept under: its key in gpus/ ("h200"), else its name in letters that a file's name can have.
void report_gpu_key(const kz_device_info *device, char key[REPORT_GPU_KEY]);
// <folder>/microbench-<key>.jsonl, the folder being report_results_folder's. Nothing is made.
void report_roofs_path(const char *key, base_text *path);
// The roofs of that GPU as they are known on this machine.
void report_roofs_load(const char *key, bench_roofs *roofs);
// "4.24 TB/s (measured 2026-11-15)"; "unknown".
enum { REPORT_ROOF_TEXT = 96 };
const char *report_roof_text(char text[REPORT_ROOF_TEXT], const bench_roofs *roofs, bench_roof_name name);

#endif
