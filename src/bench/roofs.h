// bench/roofs: the ceilings of a GPU that are known before anything is run: measured by `kz microbench` where that
// was done, nominal (gpus/) where it was not. Each says which. A roof that was measured beside the very case goes
// before all of these.
#ifndef BENCH_ROOFS_H
#define BENCH_ROOFS_H

#include "kz/kz.h"

typedef enum bench_roof_name {
#define ROOF(name, unit, group, point, other, nominal) BENCH_ROOF_##name,
#include "bench/roofs.def"
#undef ROOF
    BENCH_ROOF_NAMES
} bench_roof_name;

typedef struct bench_known_roof {
    double value;   // in the base unit; NAN where nothing is known
    double nominal; // NAN where there is none
    bool measured;
    char origin[40]; // "measured 2026-11-15", "nominal"; "" where nothing is known
} bench_known_roof;

typedef struct bench_roofs {
    bench_known_roof of[BENCH_ROOF_NAMES];
} bench_roofs;

const char *bench_roof_text(bench_roof_name name); // "dram_copy"
const char *bench_roof_unit(bench_roof_name name); // "B/s"

// Those of the GPU with this key of gpus/ ("" where it has none): from `file`, the records of this machine's own GPU
// (NULL, or a file that is not there: none), else from the records that were built in, else nominal.
void bench_roofs_load(const char *gpu, const char *file, bench_roofs *roofs);

// The files results/<gpu>/microbench.jsonl as the build embeds them; ends with a NULL gpu.
typedef struct bench_roofs_text {
    const char *gpu, *text;
    const uint64_t *size;
} bench_roofs_text;
extern const bench_roofs_text bench_roofs_texts[];

#endif
