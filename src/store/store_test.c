// The file of progress: what is kept, what survives, what is refused; two writers at once.
#include "store/test_store.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

// ---- what is kept ---------------------------------------------------------------------------------------

static void attempts_make_a_task(void **state) {
    store *s = open_store(state);
    add(s, "vector-add", NOON, false, NAN);
    add(s, "vector-add", NOON + 100, true, 6);
    add(s, "vector-add", NOON + 200, true, 4);
    add(s, "vector-add", NOON + 300, true, 5);
    assert_int_equal(store_set_hints(s, "vector-add", 2, NULL), KZ_OK);
    assert_int_equal(store_set_hints(s, "vector-add", 1, NULL), KZ_OK);
    store_close(s);
    s = open_store(state);
    store_task t;
    assert_int_equal(store_get_task(s, "vector-add", &t, NULL), KZ_OK);
    assert_int_equal(t.attempts, 4);
    assert_int_equal(t.hints, 2);
    assert_true(t.passed);
    assert_int_equal(t.first_time, NOON);
    assert_int_equal(t.passed_time, NOON + 100);
    assert_int_equal(t.last_time, NOON + 300);
    assert_true(t.best == 4);
    assert_int_equal(t.best_time, NOON + 200);
    assert_string_equal(t.figure, "sectors_per_load");
    assert_string_equal(t.figure_device, "sim:h200");
    assert_int_equal(store_get_task(s, "never-seen", &t, NULL), KZ_OK);
    assert_true(!t.passed && !t.attempts && isnan(t.best) && !t.first_time);
    store_close(s);
}

static void figures_of_two_devices_are_not_compared(void **state) {
    store *s = open_store(state);
    add(s, "t", NOON, true, 4); // the smaller the better
    store_attempt a = attempt("t", NOON + 100, true, 0.5);
    strcpy(a.device, "cuda:0");
    strcpy(a.figure, "of_peak");
    a.larger_is_better = true;
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    a.time += 100, a.value = 0.8, strcpy(a.hash, "00000000000000aa");
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    a.time += 100, a.value = 0.7, strcpy(a.hash, "00000000000000ab");
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    store_task t;
    assert_int_equal(store_get_task(s, "t", &t, NULL), KZ_OK);
    assert_true(t.best == 0.8 && t.larger_is_better);
    assert_string_equal(t.figure_device, "cuda:0");
    store_close(s);
}

static void same_file_counts_once(void **state) {
    store *s = open_store(state);
    store_attempt a = attempt("t", NOON, true, 8);
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    a.time = NOON + 59, a.value = 7;
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    a.time = NOON - 59, a.value = 9; // the clock was set back
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    assert_int_equal(count_attempts(s), 1);
    store_task t;
    assert_int_equal(store_get_task(s, "t", &t, NULL), KZ_OK);
    assert_true(t.best == 7);
    a.time = NOON + 61;
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    a.passed = false;
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    assert_int_equal(count_attempts(s), 3);
    store_close(s);
}

static void reset_forgets_the_pass_alone(void **state) {
    store *s = open_store(state);
    add(s, "t", NOON, true, 4);
    assert_int_equal(store_set_skipped(s, "t", true, NULL), KZ_OK);
    assert_int_equal(store_set_seen_solution(s, "t", NULL), KZ_OK);
    assert_int_equal(store_reset_task(s, "t", NULL), KZ_OK);
    store_task t;
    assert_int_equal(store_get_task(s, "t", &t, NULL), KZ_OK);
    assert_true(!t.passed && !t.skipped && t.seen_solution && t.attempts == 1 && isnan(t.best));
    // Passing the same file again at once counts: the one before is forgotten.
    add(s, "t", NOON, true, 4);
    assert_int_equal(store_get_task(s, "t", &t, NULL), KZ_OK);
    assert_true(t.passed && t.attempts == 2);
    store_close(s);
}

static void passing_ends_a_skip(void **state) {
    store *s = open_store(state);
    assert_int_equal(store_set_skipped(s, "t", true, NULL), KZ_OK);
    store_task *list;
    size_t count;
    assert_int_equal(store_list_tasks(s, &list, &count, NULL), KZ_OK);
    assert_int_equal(count, 1);
    assert_true(list[0].skipped && !list[0].first_time);
    free(list);
    add(s, "t", NOON, true, NAN);
    store_task t;
    assert_int_equal(store_get_task(s, "t", &t, NULL), KZ_OK);
    assert_true(!t.skipped && t.passed);
    store_close(s);
}

static void content_that_passed_is_kept(void **state) {
    store *s = open_store(state);
    char *content;
    store_attempt a = attempt("t", NOON, true, NAN);
    snprintf(a.file, sizeof a.file, "%s/t.cu", (char *)*state);
    put(state, "t.cu", "kernel\n", 7);
    store_hash("kernel\n", 7, a.hash);
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    put(state, "t.cu", "changed\n", 8);
    assert_int_equal(store_get_source(s, a.hash, &content, NULL), KZ_OK);
    assert_string_equal(content, "kernel\n");
    free(content);
    // Saved again while it was graded: what is in the file now did not pass.
    store_hash("gone\n", 5, a.hash);
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    assert_int_equal(store_get_source(s, a.hash, &content, NULL), KZ_OK);
    assert_null(content);
    store_close(s);
}

static void names_are_checked(void **state) {
    store *s = open_store(state);
    kz_error error = {0};
    store_attempt a = attempt("", NOON, true, NAN);
    assert_int_equal(store_add_attempt(s, &a, &error), KZ_INVALID);
    assert_int_equal(store_set_hints(s, "tab\there", 1, &error), KZ_INVALID);
    assert_int_equal(store_set(s, "", "x", &error), KZ_INVALID);
    assert_int_equal(store_add_kata(s, "k", "2026-02-30", 3, NULL, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "no day"));
    assert_int_equal(store_add_kata(s, "k", "2026-02-20", 6, NULL, &error), KZ_INVALID);
    store_close(s);
}

static void settings(void **state) {
    store *s = open_store(state);
    char value[8];
    assert_int_equal(store_get(s, "path", value, sizeof value, NULL), KZ_OK);
    assert_string_equal(value, "");
    assert_int_equal(store_set(s, "path", "fast", NULL), KZ_OK);
    assert_int_equal(store_set(s, "path", "bootcamp-long", NULL), KZ_OK);
    assert_int_equal(store_get(s, "path", value, sizeof value, NULL), KZ_OK);
    assert_string_equal(value, "bootcam");
    store_close(s);
}

// ---- what survives --------------------------------------------------------------------------------------

// Whether the folder has a file whose name begins so; its size goes to `size`.
static bool has_file(void **state, const char *beginning, size_t *size) {
    DIR *folder = opendir(*state);
    bool found = false;
    for (struct dirent *e; !found && (e = readdir(folder));) {
        char path[400];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", (char *)*state, e->d_name);
        found = strncmp(e->d_name, beginning, strlen(beginning)) == 0 && stat(path, &info) == 0;
        if (found && size) *size = (size_t)info.st_size;
    }
    closedir(folder);
    return found;
}

static void expect_set_aside(void **state, size_t bytes) {
    char aside[1200] = "";
    store *s = NULL;
    size_t size = 0;
    kz_error error = {0};
    if (store_open(*state, &s, aside, sizeof aside, &error)) fail_msg("%s", error.message);
    assert_non_null(strstr(aside, "progress.db.broken-"));
    assert_true(has_file(state, "progress.db.broken-", &size));
    assert_int_equal(size, bytes);
    assert_int_equal(count_attempts(s), 0);
    add(s, "t", NOON, true, NAN);
    store_close(s);
    s = open_store(state); // sound from here on
    assert_int_equal(count_attempts(s), 1);
    store_close(s);
}

static void no_database_is_set_aside(void **state) {
    put(state, "notes.txt", "mine", 4);
    put(state, "progress.db", "this is no database, and longer than a header of one", 52);
    expect_set_aside(state, 52);
    assert_true(has_file(state, "notes.txt", NULL));
}

static void damaged_pages_are_set_aside(void **state) {
    store *s = open_store(state);
    for (int i = 0; i < 200; i++) add(s, "t", NOON + 100 * i, true, NAN);
    store_close(s);
    char path[300], *data;
    size_t size;
    snprintf(path, sizeof path, "%s/progress.db", (char *)*state);
    assert_int_equal(base_file_read(path, &data, &size, NULL), KZ_OK);
    memset(data + 4096, 0x5a, size - 4096);
    put(state, "progress.db", data, size);
    free(data);
    expect_set_aside(state, size);
}

static void cut_off_file_is_set_aside(void **state) {
    store *s = open_store(state);
    for (int i = 0; i < 200; i++) add(s, "t", NOON + 100 * i, true, NAN);
    store_close(s);
    char path[300];
    snprintf(path, sizeof path, "%s/progress.db", (char *)*state);
    assert_int_equal(truncate(path, 8192 + 100), 0);
    expect_set_aside(state, 8192 + 100);
}

static void other_database_is_set_aside(void **state) {
    char path[300];
    sqlite3 *db;
    struct stat info;
    snprintf(path, sizeof path, "%s/progress.db", (char *)*state);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE recipes(name)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(stat(path, &info), 0);
    expect_set_aside(state, (size_t)info.st_size);
}

static void expect_gone(void **state) {
    char aside[1200] = "";
    store *s = NULL;
    assert_int_equal(store_open(*state, &s, aside, sizeof aside, NULL), KZ_OK);
    assert_string_equal(aside, STORE_GONE);
    assert_int_equal(count_attempts(s), 0);
    store_close(s);
    assert_int_equal(store_open(*state, &s, aside, sizeof aside, NULL), KZ_OK);
    assert_string_equal(aside, ""); // said once
    store_close(s);
}

static void missing_file_is_reported(void **state) {
    char aside[1200] = "", command[300];
    store *s = NULL;
    assert_int_equal(store_open(*state, &s, aside, sizeof aside, NULL), KZ_OK);
    assert_string_equal(aside, ""); // the first time
    add(s, "t", NOON, true, NAN);
    store_close(s);
    snprintf(command, sizeof command, "rm %s/progress.db", (char *)*state);
    assert_int_equal(system(command), 0);
    expect_gone(state);
    put(state, "progress.db", "", 0); // emptied
    expect_gone(state);
    snprintf(command, sizeof command, "rm %s/progress.db* && mkdir %s/tasks", (char *)*state, (char *)*state);
    assert_int_equal(system(command), 0);
    expect_gone(state);
}

static void what_is_no_file_is_set_aside(void **state) {
    char path[300], aside[1200] = "";
    store *s = NULL;
    kz_error error = {0};
    snprintf(path, sizeof path, "%s/progress.db", (char *)*state);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(store_open(*state, &s, aside, sizeof aside, &error), KZ_OK);
    assert_non_null(strstr(aside, "progress.db.broken-"));
    store_close(s);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_int_equal(store_open(*state, &s, aside, sizeof aside, &error), KZ_OK);
    assert_non_null(strstr(aside, "progress.db.broken-"));
    store_close(s);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/no/such/disk/progress.db", path), 0);
    assert_int_equal(store_open(*state, &s, aside, sizeof aside, &error), KZ_IO); // and stays
    assert_non_null(strstr(error.message, "mounted"));
}

static void empty_file_is_begun(void **state) {
    put(state, "progress.db", "", 0);
    store *s = open_store(state);
    add(s, "t", NOON, true, NAN);
    assert_int_equal(count_attempts(s), 1);
    store_close(s);
}

static void deleted_while_open(void **state) {
    store *s = open_store(state);
    add(s, "t", NOON, true, NAN);
    char command[200];
    snprintf(command, sizeof command, "rm %s/progress.db*", (char *)*state);
    assert_int_equal(system(command), 0);
    add(s, "u", NOON, true, NAN);
    store_close(s);
    s = open_store(state);
    store_task t;
    assert_int_equal(store_get_task(s, "u", &t, NULL), KZ_OK);
    assert_true(t.passed);
    store_close(s);
}

// The file alone: what SQLite keeps beside it stays, and is in use.
static void deleted_alone_while_open(void **state) {
    char command[200], aside[1300], day[STORE_DAY] = "", today[STORE_DAY];
    store *s = open_store(state), *other = NULL;
    add(s, "t", NOON, true, NAN);
    snprintf(command, sizeof command, "rm %s/progress.db", (char *)*state);
    assert_int_equal(system(command), 0);
    assert_int_equal(store_open(*state, &other, aside, sizeof aside, NULL), KZ_OK); // somebody beside it
    assert_string_equal(aside, STORE_GONE);
    add(s, "u", NOON, true, NAN);
    assert_int_equal(count_attempts(s), 1);
    assert_int_equal(count_attempts(other), 1);
    assert_int_equal(system(command), 0); // and again, noticed by the one that writes
    add(s, "v", NOON, true, NAN);
    store_take_set_aside(s, aside, sizeof aside);
    assert_string_equal(aside, STORE_GONE);
    store_close(other);
    other = open_store(state); // it is no longer new, and yet can be known
    store_today(today);
    assert_int_equal(store_get(other, STORE_ANEW, day, sizeof day, NULL), KZ_OK);
    assert_string_equal(day, today);
    base_text text = {0};
    assert_int_equal(store_export(other, &text, NULL), KZ_OK);
    assert_null(strstr(text.data, STORE_ANEW));
    base_text_free(&text);
    store_close(other);
    store_close(s);
}

static void replaced_while_open(void **state) {
    char aside[1300];
    store *s = open_store(state);
    add(s, "t", NOON, true, NAN);
    store_close(s); // so that the journal beside it, from which SQLite would mend it, is gone
    s = open_store(state);
    store_take_set_aside(s, aside, sizeof aside);
    assert_string_equal(aside, "");
    put(state, "progress.db", "some editor saved its own text under this name", 46); // as a new file
    add(s, "u", NOON, true, NAN);
    assert_int_equal(count_attempts(s), 1);
    store_take_set_aside(s, aside, sizeof aside);
    assert_non_null(strstr(aside, "progress.db.broken-"));
    store_take_set_aside(s, aside, sizeof aside);
    assert_string_equal(aside, "");
    store_close(s);
}

static void run_sql(void **state, const char *sql) {
    char path[300];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/progress.db", (char *)*state);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void older_version_is_brought_up(void **state) {
    store *s = open_store(state);
    add(s, "t", NOON, true, NAN);
    store_close(s);
    run_sql(state, "DROP TABLE kata; DROP TABLE source; PRAGMA user_version=1"); // as version 1 was
    s = open_store(state);
    assert_int_equal(count_attempts(s), 1);
    assert_int_equal(store_add_kata(s, "k", "2026-11-15", 5, NULL, NULL), KZ_OK);
    store_close(s);
}

static void missing_tables_are_set_aside(void **state) {
    store *s = open_store(state);
    add(s, "t", NOON, true, NAN);
    store_close(s);
    run_sql(state, "DROP TABLE attempt");
    char path[300];
    struct stat info;
    snprintf(path, sizeof path, "%s/progress.db", (char *)*state);
    assert_int_equal(stat(path, &info), 0);
    expect_set_aside(state, (size_t)info.st_size);
}

static void newer_version_is_refused_and_kept(void **state) {
    store *s = open_store(state);
    add(s, "t", NOON, true, NAN);
    store_close(s);
    run_sql(state, "PRAGMA user_version=99");
    kz_error error = {0};
    assert_int_equal(store_open(*state, &s, NULL, 0, &error), KZ_UNSUPPORTED);
    assert_null(s);
    assert_non_null(strstr(error.message, "newer"));
    assert_non_null(strstr(error.message, "KZ_LEARN"));
    assert_false(has_file(state, "progress.db.broken", NULL));
    run_sql(state, "PRAGMA user_version=2");
    s = open_store(state);
    assert_int_equal(count_attempts(s), 1);
    store_close(s);
}

// ---- what is refused ------------------------------------------------------------------------------------

static void folder_that_cannot_be(void **state) {
    char path[300];
    store *s;
    kz_error error = {0};
    put(state, "file", "x", 1);
    snprintf(path, sizeof path, "%s/file/learn", (char *)*state);
    assert_int_equal(store_open(path, &s, NULL, 0, &error), KZ_IO);
    assert_non_null(strstr(error.message, "KZ_LEARN"));
    char endless[2000];
    memset(endless, 'x', sizeof endless);
    endless[0] = '/', endless[sizeof endless - 1] = 0;
    assert_int_not_equal(store_open(endless, &s, NULL, 0, &error), KZ_OK);
}

// Runs `body` in a child; it gives 0 where all was as it should be.
static void in_child(void **state, int (*body)(const char *folder)) {
    pid_t pid = fork();
    if (pid == 0) _exit(body(*state));
    int result;
    assert_int_equal(waitpid(pid, &result, 0), pid);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
}

static int write_without_permission(const char *folder) {
    store *s;
    kz_error error = {0};
    if (getuid() == 0 && setuid(65534) != 0) return 1; // root may write everywhere
    if (store_open(folder, &s, NULL, 0, &error) != KZ_IO) return 2;
    return strstr(error.message, "permissions") && strstr(error.message, "KZ_LEARN") ? 0 : 3;
}

static void read_only_folder(void **state) {
    store_close(open_store(state));
    chmod(*state, 0555);
    in_child(state, write_without_permission);
}

// The system refuses to let any file grow past the limit, as a full disk does.
static int write_on_full_disk(const char *folder) {
    store *s;
    kz_error error = {0};
    const struct rlimit limit = {400000, 400000};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || store_open(folder, &s, NULL, 0, &error)) return 1;
    kz_status status = KZ_OK;
    for (int i = 0; !status && i < 5000; i++) {
        store_attempt a = attempt("t", NOON + 100 * i, true, NAN);
        status = store_add_attempt(s, &a, &error);
    }
    if (status != KZ_IO || !strstr(error.message, "disk full")) return 2;
    store_task t; // reading goes on
    if (store_get_task(s, "t", &t, &error) || t.attempts < 10) return 3;
    store_close(s);
    return 0;
}

static void full_disk(void **state) {
    in_child(state, write_on_full_disk);
    store *s = open_store(state);
    assert_true(count_attempts(s) >= 10);
    add(s, "u", NOON, true, NAN);
    store_close(s);
}

// ---- several at once ------------------------------------------------------------------------------------

enum { WRITERS = 4, EACH = 25 };

static int write_some(const char *folder, int writer) {
    char task[32];
    store *s;
    kz_error error = {0};
    if (store_open(folder, &s, NULL, 0, &error)) return fprintf(stderr, "%s\n", error.message), 1;
    for (int i = 0; i < EACH; i++) {
        snprintf(task, sizeof task, "t%d-%d", writer, i);
        store_attempt a = attempt(task, NOON + i, i % 2 == 0, NAN);
        if (store_add_attempt(s, &a, &error)) return fprintf(stderr, "%s\n", error.message), 2;
        if (store_set_hints(s, "shared", (uint64_t)(writer * EACH + i), &error)) return 3;
    }
    store_close(s);
    return 0;
}

static void write_at_once(void **state) {
    pid_t pids[WRITERS];
    for (int w = 0; w < WRITERS; w++)
        if ((pids[w] = fork()) == 0) _exit(write_some(*state, w));
    for (int w = 0; w < WRITERS; w++) {
        int result;
        assert_int_equal(waitpid(pids[w], &result, 0), pids[w]);
        assert_true(WIFEXITED(result));
        assert_int_equal(WEXITSTATUS(result), 0);
    }
}

static void writers_lose_nothing(void **state) {
    write_at_once(state); // they also meet when none of them finds a file
    store *s = open_store(state);
    assert_int_equal(count_attempts(s), WRITERS * EACH);
    store_task t;
    assert_int_equal(store_get_task(s, "shared", &t, NULL), KZ_OK);
    assert_int_equal(t.hints, WRITERS * EACH - 1);
    store_close(s);
}

static void writers_meet_a_broken_file(void **state) {
    put(state, "progress.db", "broken broken broken broken", 27);
    write_at_once(state);
    store *s = open_store(state);
    assert_int_equal(count_attempts(s), WRITERS * EACH);
    store_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(attempts_make_a_task),
        TEST(figures_of_two_devices_are_not_compared),
        TEST(same_file_counts_once),
        TEST(reset_forgets_the_pass_alone),
        TEST(passing_ends_a_skip),
        TEST(content_that_passed_is_kept),
        TEST(names_are_checked),
        TEST(settings),
        TEST(no_database_is_set_aside),
        TEST(damaged_pages_are_set_aside),
        TEST(cut_off_file_is_set_aside),
        TEST(other_database_is_set_aside),
        TEST(missing_tables_are_set_aside),
        TEST(missing_file_is_reported),
        TEST(what_is_no_file_is_set_aside),
        TEST(empty_file_is_begun),
        TEST(deleted_while_open),
        TEST(deleted_alone_while_open),
        TEST(replaced_while_open),
        TEST(older_version_is_brought_up),
        TEST(newer_version_is_refused_and_kept),
        TEST(folder_that_cannot_be),
        TEST(read_only_folder),
        TEST(full_disk),
        TEST(writers_lose_nothing),
        TEST(writers_meet_a_broken_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
