// report/roofs: see roofs.h.
#include "report/profile/roofs.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "report/report.h"

void report_gpu_key(const kz_device_info *device, char key[REPORT_GPU_KEY]) {
    snprintf(key, REPORT_GPU_KEY, "%s", device->gpu[0] ? device->gpu : device->name);
    for (char *c = key; *c; c++) *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
}

void report_roofs_path(const char *key, base_text *path) {
    report_results_folder(path);
    base_text_add(path, "/microbench-%s.jsonl", key);
}

void report_roofs_load(const char *key, bench_roofs *roofs) {
    base_text path = {0};
    report_roofs_path(key, &path);
    bench_roofs_load(key, path.failed ? NULL : path.data, roofs);
    base_text_free(&path);
}

const char *report_roof_text(char text[REPORT_ROOF_TEXT], const bench_roofs *roofs, bench_roof_name name) {
    const bench_known_roof *roof = &roofs->of[name];
    char number[REPORT_NUMBER];
    if (isnan(roof->value))
        snprintf(text, REPORT_ROOF_TEXT, "unknown");
    else
        snprintf(text, REPORT_ROOF_TEXT, "%s (%s)", report_si(number, roof->value, bench_roof_unit(name)),
                 roof->origin);
    return text;
}
