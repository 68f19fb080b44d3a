// report/peaks: where the microbenchmarks' records of this machine's GPUs are, and the peaks they give.
#ifndef REPORT_PEAKS_H
#define REPORT_PEAKS_H

#include "base/base.h"
#include "bench/peaks.h"

enum { REPORT_GPU_KEY = 96 };
// What a GPU's records are kept under: its key in gpus/ ("h200"), else its name in letters that a file's name can have.
void report_gpu_key(const kz_device_info *device, char key[REPORT_GPU_KEY]);
// <folder>/microbench-<key>.jsonl, the folder being report_results_folder's. Nothing is made.
void report_peaks_path(const char *key, base_text *path);
// The peaks of that GPU as they are known on this machine.
void report_peaks_load(const char *key, bench_peaks *peaks);
// "4.24 TB/s (measured 2026-11-15)"; "unknown".
enum { REPORT_PEAK_TEXT = 96 };
const char *report_peak_text(char text[REPORT_PEAK_TEXT], const bench_peaks *peaks, bench_peak_name name);

#endif
