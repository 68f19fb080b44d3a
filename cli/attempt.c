// What the progress keeps of a verdict.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "verdict.h"

// FNV-1a: tells one version of a file from the next, nothing more.
static uint64_t content_hash(const char *path) {
    char *data;
    size_t size;
    if (base_file_read(path, &data, &size, NULL)) return 0;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    free(data);
    return hash;
}

void cli_verdict_attempt(const course_verdict *verdict, store_attempt *attempt) {
    *attempt = (store_attempt){.time = (int64_t)time(NULL),
                               .passed = verdict->passed,
                               .value = verdict->figure_name ? verdict->figure : (double)NAN,
                               .larger_is_better = verdict->figure_larger_is_better,
                               .seconds = verdict->seconds};
    snprintf(attempt->task, sizeof attempt->task, "%s", verdict->task->id);
    snprintf(attempt->device, sizeof attempt->device, "%s", verdict->device);
    if (!verdict->passed) {
        snprintf(attempt->reason, sizeof attempt->reason, "%s", course_reason_name(verdict->reason));
        snprintf(attempt->detail, sizeof attempt->detail, "%s",
                 verdict->reason_detail ? verdict->reason_detail : "");
    }
    if (verdict->figure_name) snprintf(attempt->figure, sizeof attempt->figure, "%s", verdict->figure_name);
    snprintf(attempt->hash, sizeof attempt->hash, "%016llx", (unsigned long long)content_hash(verdict->file));
    // A long path keeps its end, which says more than its beginning.
    size_t length = strlen(verdict->file), most = sizeof attempt->file - 1;
    snprintf(attempt->file, sizeof attempt->file, "%s", verdict->file + (length > most ? length - most : 0));
}
