// Files: whole writes, appended lines, folders, and errors that say what to do.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static int make_folder(void **state) {
    char *folder = strdup("/tmp/kz_file_test_XXXXXX");
    *state = folder;
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state) {
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    free(*state);
    return system(command);
}

static const char *in_folder(void **state, const char *name, char *path) {
    snprintf(path, 200, "%s/%s", (char *)*state, name);
    return path;
}

static void write_then_read(void **state) {
    char path[200], *data;
    size_t size;
    in_folder(state, "a", path);
    assert_int_equal(base_file_write(path, "one\0two", 7, NULL), KZ_OK);
    assert_int_equal(base_file_write(path, "three\0x", 7, NULL), KZ_OK);
    assert_int_equal(base_file_read(path, &data, &size, NULL), KZ_OK);
    assert_int_equal(size, 7);
    assert_memory_equal(data, "three\0x", 8);
    free(data);
    assert_true(base_file_exists(path));
}

static void read_without_a_size(void **state) {
    char *data;
    size_t size;
    assert_int_equal(base_file_read("/proc/self/status", &data, &size, NULL), KZ_OK);
    assert_true(size > 0);
    assert_int_equal(data[size], 0);
    free(data);
}

static void append_lines(void **state) {
    char path[200], *data;
    size_t size;
    in_folder(state, "lines", path);
    assert_int_equal(base_file_append_line(path, "one\n", NULL), KZ_OK);
    assert_int_equal(base_file_append_line(path, "two", NULL), KZ_OK);
    FILE *torn = fopen(path, "a");
    fputs("torn", torn);
    fclose(torn);
    assert_int_equal(base_file_append_line(path, "three\n", NULL), KZ_OK);
    assert_int_equal(base_file_read(path, &data, &size, NULL), KZ_OK);
    assert_string_equal(data, "one\ntwo\ntorn\nthree\n");
    free(data);
}

static void folders(void **state) {
    char path[200];
    in_folder(state, "x/y/z/", path);
    assert_int_equal(base_make_folders(path, NULL), KZ_OK);
    assert_int_equal(base_make_folders(path, NULL), KZ_OK);
    assert_true(base_file_exists(path));
    in_folder(state, "plain", path);
    assert_int_equal(base_file_write(path, "", 0, NULL), KZ_OK);
    strcat(path, "/below");
    kz_error error;
    assert_int_equal(base_make_folders(path, &error), KZ_IO);
    assert_non_null(strstr(error.message, path));
}

static void errors_name_the_file(void **state) {
    kz_error error;
    char *data, path[200];
    size_t size;
    in_folder(state, "missing/file", path);
    assert_int_equal(base_file_read(path, &data, &size, &error), KZ_NOT_FOUND);
    assert_non_null(strstr(error.message, path));
    assert_null(data);
    assert_int_equal(base_file_write(path, "", 0, &error), KZ_IO);
    assert_int_equal(base_file_read(*state, &data, &size, &error), KZ_IO);
    assert_non_null(strstr(error.message, "folder"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_then_read),      cmocka_unit_test(read_without_a_size),
        cmocka_unit_test(append_lines),         cmocka_unit_test(folders),
        cmocka_unit_test(errors_name_the_file),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
