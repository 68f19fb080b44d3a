// What commands printed, kept in memory. See replay.h.
#include "replay.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 128 };

typedef struct kept {
    char *key;
    sandbox_result result;
} kept;

struct course_replay {
    kept all[MOST];
    size_t count;
};

course_replay *course_replay_open(void) { return calloc(1, sizeof(course_replay)); }

void course_replay_close(course_replay *replay) {
    for (size_t i = 0; replay && i < replay->count; i++) {
        free(replay->all[i].key);
        base_text_free(&replay->all[i].result.output);
    }
    free(replay);
}

static bool copy(const char *key, const sandbox_result *from, sandbox_result *to) {
    *to = *from;
    to->output = to->answer = (base_text){0};
    if (from->output.length) base_text_add(&to->output, "%s", from->output.data);
    return key && !to->output.failed &&
           to->output.length == from->output.length; // not so where a NUL is in it
}

bool course_replay_find(const course_replay *replay, const char *key, sandbox_result *result) {
    for (size_t i = 0; replay && i < replay->count; i++)
        if (strcmp(replay->all[i].key, key) == 0) {
            if (copy(key, &replay->all[i].result, result)) return true;
            base_text_free(&result->output);
        }
    return false;
}

void course_replay_keep(course_replay *replay, const char *key, const sandbox_result *result) {
    if (!replay || replay->count == MOST || result->timed_out || result->answer.length) return;
    kept *one = &replay->all[replay->count];
    one->key = strdup(key);
    if (copy(one->key, result, &one->result)) {
        replay->count++;
        return;
    }
    base_text_free(&one->result.output);
    free(one->key);
}
