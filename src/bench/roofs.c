// bench/roofs: see roofs.h.
#include "bench/roofs.h"

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
#define ROOF(name, unit, group, point, other, nominal) {#name, unit, BENCH_MICRO_##group, point, other},
#include "bench/roofs.def"
#undef ROOF
};

const char *bench_roof_text(bench_roof_name name) { return rows[name].name; }
const char *bench_roof_unit(bench_roof_name name) { return rows[name].unit; }

static void set_nominal(const device_gpu *gpu, bench_roofs *roofs) {
    const double figures[] = {
#define ROOF(name, unit, group, point, other, nominal) nominal,
#include "bench/roofs.def"
#undef ROOF
    };
    for (int i = 0; i < BENCH_ROOF_NAMES; i++) {
        bool known = figures[i] > 0;
        roofs->of[i] = (bench_known_roof){.value = known ? figures[i] : (double)NAN, .origin = ""};
        roofs->of[i].nominal = roofs->of[i].value;
        if (known) snprintf(roofs->of[i].origin, sizeof roofs->of[i].origin, "nominal");
    }
}

static void set_measured(const bench_micro_list *list, bench_roofs *roofs) {
    for (int i = 0; i < BENCH_ROOF_NAMES; i++) {
        const char *points[] = {rows[i].point, rows[i].other};
        bench_known_roof *roof = &roofs->of[i];
        bool fresh = true; // a measured figure takes any other's place; a second one must be higher
        for (size_t k = 0; k < 2; k++) {
            const bench_micro_figure *f =
                points[k] ? bench_micro_list_find(list, rows[i].group, points[k], NAN, NAN) : NULL;
            if (!f || (!fresh && f->value <= roof->value)) continue;
            fresh = false;
            roof->value = f->value;
            roof->measured = true;
            snprintf(roof->origin, sizeof roof->origin, "measured %.10s", f->time);
        }
    }
}

void bench_roofs_load(const char *gpu, const char *file, bench_roofs *roofs) {
    device_gpu nominal = {0};
    bench_micro_list list = {0};
    char *text = NULL;
    size_t size = 0;
    if (!gpu[0] || device_gpu_load(gpu, &nominal, NULL) != KZ_OK) nominal = (device_gpu){0};
    set_nominal(&nominal, roofs);
    for (const bench_roofs_text *t = bench_roofs_texts; t->gpu; t++)
        if (strcmp(t->gpu, gpu) == 0) bench_micro_list_read(&list, t->text, *t->size);
    set_measured(&list, roofs);
    bench_micro_list_free(&list);
    if (file && base_file_exists(file) && base_file_read(file, &text, &size, NULL) == KZ_OK) {
        bench_micro_list_read(&list, text, size);
        set_measured(&list, roofs);
        bench_micro_list_free(&list);
        free(text);
    }
}
