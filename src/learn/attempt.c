// What the progress keeps of a verdict.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/verdict.h"

// "cuda:0" means another GPU on another machine: its name is kept with it.
static void name_device(const char *id, char *to, size_t size) {
    kz_device_info infos[16] = {{.size = sizeof infos[0]}};
    size_t count = 0;
    snprintf(to, size, "%s", id);
    if (strncmp(id, "cuda", 4) != 0 || kz_device_list(infos, BASE_COUNT(infos), &count, NULL)) return;
    for (size_t i = 0; i < count && i < BASE_COUNT(infos); i++)
        if (strcmp(infos[i].id, id) == 0) snprintf(to, size, "%s %.24s", id, infos[i].name);
}

void learn_verdict_attempt(const course_verdict *verdict, store_attempt *attempt) {
    *attempt = (store_attempt){.time = base_wall_seconds(),
                               .passed = verdict->passed,
                               .value = verdict->figure_name ? verdict->figure : (double)NAN,
                               .larger_is_better = verdict->figure_larger_is_better,
                               .seconds = verdict->seconds};
    snprintf(attempt->task, sizeof attempt->task, "%s", verdict->task->id);
    name_device(verdict->device, attempt->device, sizeof attempt->device);
    if (!verdict->passed) {
        snprintf(attempt->reason, sizeof attempt->reason, "%s", course_reason_name(verdict->reason));
        snprintf(attempt->detail, sizeof attempt->detail, "%s",
                 verdict->reason_detail ? verdict->reason_detail : "");
    }
    if (verdict->figure_name) snprintf(attempt->figure, sizeof attempt->figure, "%s", verdict->figure_name);
    char *content;
    size_t size;
    if (base_file_read(verdict->file, &content, &size, NULL) == KZ_OK) {
        store_hash(content, size, attempt->hash);
        free(content);
    }
    // A long path keeps its end, which says more than its beginning.
    size_t length = strlen(verdict->file), most = sizeof attempt->file - 1;
    snprintf(attempt->file, sizeof attempt->file, "%s", verdict->file + (length > most ? length - most : 0));
}
