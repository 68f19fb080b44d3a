// Files: whole writes, appended lines, folders, and errors that say what to do.
#include "base/base.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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

static void no_pipe_is_waited_for(void **state) {
    char path[200], *data;
    size_t size;
    kz_error error;
    in_folder(state, "pipe", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(base_file_read(path, &data, &size, &error), KZ_IO);
    assert_non_null(strstr(error.message, "pipe"));
    int ends[2];
    assert_int_equal(pipe(ends), 0); // one that was named as what it is, is
    assert_int_equal(write(ends[1], "three", 5), 5);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(base_file_read(path, &data, &size, &error), KZ_OK);
    assert_string_equal(data, "three");
    close(ends[0]);
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

// What a program may leave in the place of a file: each is told at once, and nothing behind it is touched.
static void what_others_wrote(void **state) {
    char path[200], other[200], *data;
    size_t size;
    in_folder(state, "other", other);
    in_folder(state, "theirs", path);
    assert_int_equal(base_file_write(other, "12345", 5, NULL), KZ_OK);
    assert_int_equal(base_file_read_untrusted(other, 5, &data, &size, NULL), KZ_OK);
    assert_string_equal(data, "12345");
    free(data);
    assert_int_equal(base_file_read_untrusted(other, 4, &data, &size, NULL), KZ_LIMIT);
    assert_int_equal(truncate(other, (off_t)3 << 30), 0); // holes
    assert_int_equal(base_file_read_untrusted(other, 1 << 20, &data, &size, NULL), KZ_LIMIT);
    assert_int_equal(truncate(other, 5), 0);
    assert_int_equal(base_file_read_untrusted(path, 9, &data, &size, NULL), KZ_NOT_FOUND);
    assert_int_equal(base_file_read_untrusted(*state, 9, &data, &size, NULL), KZ_INVALID);
    assert_int_equal(base_file_read_untrusted("/dev/zero", 9, &data, &size, NULL), KZ_INVALID);
    for (int i = 0; i < 3; i++) { // a pipe, a link to a file and one to a device
        assert_int_equal(i == 0 ? mkfifo(path, 0600) : symlink(i == 1 ? other : "/dev/zero", path), 0);
        assert_int_equal(base_file_read_untrusted(path, 9, &data, &size, NULL), KZ_INVALID);
        assert_null(data);
        assert_int_equal(base_file_write_scratch(path, "ours", 4, NULL), KZ_OK);
        assert_int_equal(base_file_read_untrusted(path, 9, &data, &size, NULL), KZ_OK);
        assert_string_equal(data, "ours");
        free(data);
        unlink(path);
    }
    assert_int_equal(base_file_read(other, &data, &size, NULL), KZ_OK);
    assert_string_equal(data, "12345");
    free(data);
}

// Deeper than any path can be, closed to its own owner, with a link to what is not to go.
static void trees_are_removed(void **state) {
    enum { NAME = 200, DEEP = 300 };
    char path[200], other[200], name[NAME + 1];
    memset(name, 'd', NAME);
    name[NAME] = 0;
    uid_t user = geteuid();
    assert_int_equal(chmod(*state, 0777), 0);
    if (user == 0) assert_int_equal(seteuid(65534), 0); // root goes through closed doors
    in_folder(state, "tree", path);
    in_folder(state, "stays", other);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(mkdir(other, 0700), 0);
    int at = open(path, O_RDONLY | O_DIRECTORY);
    assert_int_equal(symlinkat(other, at, "link"), 0);
    for (int i = 0; i < DEEP; i++) {
        assert_int_equal(mkdirat(at, name, 0700), 0);
        int inner = openat(at, name, O_RDONLY | O_DIRECTORY);
        assert_true(inner >= 0);
        close(openat(inner, "file", O_WRONLY | O_CREAT, 0));
        if (i % 2) fchmod(at, i % 3 ? 0 : 0500);
        close(at);
        at = inner;
    }
    close(at);
    assert_int_equal(chmod(path, 0), 0);
    base_remove_tree(path);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(access(other, F_OK), 0);
    base_remove_tree(other);
    assert_int_not_equal(access(other, F_OK), 0);
    if (user == 0) assert_int_equal(seteuid(0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_then_read),
        cmocka_unit_test(read_without_a_size),
        cmocka_unit_test(no_pipe_is_waited_for),
        cmocka_unit_test(append_lines),
        cmocka_unit_test(folders),
        cmocka_unit_test(errors_name_the_file),
        cmocka_unit_test(what_others_wrote),
        cmocka_unit_test(trees_are_removed),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
