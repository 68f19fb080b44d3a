// report/peaks: see peaks.h.
#include "report/profile/peaks.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "report/report.h"

void report_gpu_key(const kz_device_info *device, char key[REPORT_GPU_KEY]) {
    snprintf(key, REPORT_GPU_KEY, "%s", device->gpu[0] ? device->gpu : device->name);
    for (char *c = key; *c; c++) *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
}

void report_peaks_path(const char *key, base_text *path) {
    report_results_folder(path);
    base_text_add(path, "/microbench-%s.jsonl", key);
}

void report_peaks_load(const char *key, bench_peaks *peaks) {
    base_text path = {0};
    report_peaks_path(key, &path);
    bench_peaks_load(key, path.failed ? NULL : path.data, peaks);
    base_text_free(&path);
}

const char *report_peak_text(char text[REPORT_PEAK_TEXT], const bench_peaks *peaks, bench_peak_name name) {
    const bench_known_peak *peak = &peaks->of[name];
    char number[REPORT_NUMBER];
    if (isnan(peak->value))
        snprintf(text, REPORT_PEAK_TEXT, "unknown");
    else
        snprintf(text, REPORT_PEAK_TEXT, "%s (%s)", report_si(number, peak->value, bench_peak_unit(name)),
                 peak->origin);
    return text;
}
