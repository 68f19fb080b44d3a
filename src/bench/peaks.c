// bench/peaks: see peaks.h.
#include "bench/peaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/micro_record.h"
#include "base/base.h"
#include "device/gpus.h"

static const struct {
    const char *name, *unit;
    bench_micro_group group;
    const char *point, *other;
} rows[] = {
#define PEAK(name, unit, group, point, other, nominal) {#name, unit, BENCH_MICRO_##group, point, other},
#include "bench/peaks.def"
#undef PEAK
};

const char *bench_peak_text(bench_peak_name name) { return rows[name].name; }
const char *bench_peak_unit(bench_peak_name name) { return rows[name].unit; }

static void set_nominal(const device_gpu *gpu, bench_peaks *peaks) {
    const double figures[] = {
#define PEAK(name, unit, group, point, other, nominal) nominal,
#include "bench/peaks.def"
#undef PEAK
    };
    for (int i = 0; i < BENCH_PEAK_NAMES; i++) {
        bool known = figures[i] > 0;
        peaks->of[i] =
            (bench_known_peak){.value = known ? figures[i] : (double)NAN, .origin = "", .name = rows[i].name};
        peaks->of[i].nominal = peaks->of[i].value;
        if (known) snprintf(peaks->of[i].origin, sizeof peaks->of[i].origin, "nominal");
    }
}

static void set_measured(const bench_micro_list *list, bench_peaks *peaks) {
    for (int i = 0; i < BENCH_PEAK_NAMES; i++) {
        const char *points[] = {rows[i].point, rows[i].other};
        bench_known_peak *peak = &peaks->of[i];
        bool fresh = true; // a measured figure takes any other's place; a second one must be higher
        for (size_t k = 0; k < 2; k++) {
            const bench_micro_figure *f =
                points[k] ? bench_micro_list_find(list, rows[i].group, points[k], NAN, NAN) : NULL;
            if (!f || (!fresh && f->value <= peak->value)) continue;
            fresh = false;
            peak->value = f->value;
            peak->measured = true;
            snprintf(peak->origin, sizeof peak->origin, "measured %.10s", f->time);
        }
    }
}

void bench_peaks_load(const char *gpu, const char *file, bench_peaks *peaks) {
    device_gpu nominal = {0};
    bench_micro_list list = {0};
    char *text = NULL;
    size_t size = 0;
    if (!gpu[0] || device_gpu_load(gpu, &nominal, NULL) != KZ_OK) nominal = (device_gpu){0};
    set_nominal(&nominal, peaks);
    for (const bench_peaks_text *t = bench_peaks_texts; t->gpu; t++)
        if (strcmp(t->gpu, gpu) == 0) bench_micro_list_read(&list, t->text, *t->size);
    set_measured(&list, peaks);
    bench_micro_list_free(&list);
    if (file && base_file_exists(file) && base_file_read(file, &text, &size, NULL) == KZ_OK) {
        bench_micro_list_read(&list, text, size);
        set_measured(&list, peaks);
        bench_micro_list_free(&list);
        free(text);
    }
}
