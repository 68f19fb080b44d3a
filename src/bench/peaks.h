// bench/peaks: the ceilings of a GPU that are known before anything is run: measured by `kz microbench` where that
// was done, nominal (gpus/) where it was not. Each says which. A peak that was measured beside the very case goes
// before all of these.
#ifndef BENCH_PEAKS_H
#define BENCH_PEAKS_H

#include "kz/kz.h"

typedef enum bench_peak_name {
#define PEAK(name, unit, group, point, other, nominal) BENCH_PEAK_##name,
#include "bench/peaks.def"
#undef PEAK
    BENCH_PEAK_NAMES
} bench_peak_name;

typedef struct bench_known_peak {
    double value;   // in the base unit; NAN where nothing is known
    double nominal; // NAN where there is none
    bool measured;
    const char *name; // as in peaks.def: "fma_f32"
    char origin[40];  // "measured 2026-11-15", "nominal"; "" where nothing is known
} bench_known_peak;

typedef struct bench_peaks {
    bench_known_peak of[BENCH_PEAK_NAMES];
} bench_peaks;

const char *bench_peak_text(bench_peak_name name); // "dram_copy"
const char *bench_peak_unit(bench_peak_name name); // "B/s"

// Those of the GPU with this key of gpus/ ("" where it has none): from `file`, the records of this machine's own GPU
// (NULL, or a file that is not there: none), else from the records that were built in, else nominal.
void bench_peaks_load(const char *gpu, const char *file, bench_peaks *peaks);

// The files results/<gpu>/microbench.jsonl as the build embeds them; ends with a NULL gpu.
typedef struct bench_peaks_text {
    const char *gpu, *text;
    const uint64_t *size;
} bench_peaks_text;
extern const bench_peaks_text bench_peaks_texts[];

#endif
