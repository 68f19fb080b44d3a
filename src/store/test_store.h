// What the tests of store share: a folder of their own, an open store, attempts. Every program uses what it
// needs.
#ifndef STORE_TEST_STORE_H
#define STORE_TEST_STORE_H

#include "store/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static const int64_t NOON = 1800000000; // 2027-01-15, in the day wherever this runs

static inline int make_folder(void **state) {
    char *folder = strdup("/tmp/kz_store_test_XXXXXX");
    *state = folder;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int drop_folder(void **state) {
    char command[100];
    snprintf(command, sizeof command, "chmod -R u+w '%s'; rm -rf '%s'", (char *)*state, (char *)*state);
    free(*state);
    return system(command);
}

static inline store *open_store(void **state) {
    store *s = NULL;
    kz_error error = {0};
    char aside[1200];
    if (store_open(*state, &s, aside, sizeof aside, &error)) fail_msg("%s", error.message);
    assert_string_equal(aside, "");
    return s;
}

static inline store_attempt attempt(const char *task, int64_t time, bool passed, double value) {
    store_attempt a = {.time = time, .passed = passed, .value = value, .seconds = 1.5};
    snprintf(a.task, sizeof a.task, "%s", task);
    snprintf(a.reason, sizeof a.reason, "%s", passed ? "" : "result");
    snprintf(a.device, sizeof a.device, "sim:h200");
    snprintf(a.figure, sizeof a.figure, "%s", isnan(value) ? "" : "sectors_per_load");
    snprintf(a.hash, sizeof a.hash, "%016llx", (unsigned long long)time);
    return a;
}

static inline void add(store *s, const char *task, int64_t time, bool passed, double value) {
    store_attempt a = attempt(task, time, passed, value);
    kz_error error = {0};
    if (store_add_attempt(s, &a, &error)) fail_msg("%s", error.message);
}

static inline size_t count_attempts(store *s) {
    store_attempt *list;
    size_t count;
    assert_int_equal(store_list_attempts(s, NULL, 0, &list, &count, NULL), KZ_OK);
    free(list);
    return count;
}

static inline void put(void **state, const char *name, const char *bytes, size_t size) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", (char *)*state, name);
    assert_int_equal(base_file_write(path, bytes, size, NULL), KZ_OK);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_folder, drop_folder)

#endif
