// Attempts, and what they and the learner's marks say about each task.
#include "store/inside.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAME_SECONDS = 60, LARGEST_SOURCE = 1 << 20 };

// Tells files apart, and is no protection against anybody.
void store_hash(const char *content, size_t size, char hash[STORE_HASH]) {
    snprintf(hash, STORE_HASH, "%016" PRIx64, base_hash(BASE_HASH, content, size));
}

// ---- sources --------------------------------------------------------------------------------------------

kz_status store_keep_source(store *s, const char *hash, const char *content, bool *added, kz_error *error) {
    kz_status status =
        store_run(s, error, "INSERT OR IGNORE INTO source VALUES(?1, ?2)", "ss", hash, content);
    if (added) *added = !status && sqlite3_changes(s->db) > 0;
    return status;
}

// The content that passed, where the file still has it: an editor may have saved again meanwhile.
static char *read_source(const store_attempt *a) {
    char *content = NULL, hash[STORE_HASH];
    size_t size;
    if (!a->passed || !a->file[0] || base_file_read(a->file, &content, &size, NULL) != KZ_OK) return NULL;
    store_hash(content, size, hash);
    if (size <= LARGEST_SOURCE && strlen(content) == size && strcmp(hash, a->hash) == 0) return content;
    free(content);
    return NULL;
}

kz_status store_get_source(store *s, const char *hash, char **content, kz_error *error) {
    *content = NULL;
    sqlite3_stmt *statement = NULL;
    kz_status status = store_refresh(s, error);
    if (!status)
        status = store_prepare(s, &statement, error, "SELECT content FROM source WHERE hash=?1", "s", hash);
    if (!status && store_step(s, statement, &status, error)) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        *content = text ? strdup(text) : NULL;
        if (!*content) status = store_fail_memory(error);
    }
    sqlite3_finalize(statement);
    return status;
}

// ---- attempts -------------------------------------------------------------------------------------------

// The same file with the same outcome, graded just now (a clock set back counts as now). 0: none.
static kz_status find_same(store *s, const store_attempt *a, int64_t time, int64_t *id, kz_error *error) {
    sqlite3_stmt *statement = NULL;
    *id = 0;
    kz_status status = store_prepare(
        s, &statement, error,
        "SELECT id FROM attempt WHERE task=?1 AND hash=?2 AND passed=?3 AND reason=?4 AND device=?5 AND"
        " forgotten=0 AND abs(time-?6)<=?7 ORDER BY id DESC LIMIT 1",
        "ssissii", a->task, a->hash, (int64_t)a->passed, a->reason, a->device, time, (int64_t)SAME_SECONDS);
    if (!status && store_step(s, statement, &status, error)) *id = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

static kz_status insert_attempt(store *s, const store_attempt *a, int64_t time, kz_error *error) {
    char day[STORE_DAY];
    store_day_of(time, day);
    return store_run(
        s, error,
        "INSERT INTO attempt(task, time, day, passed, reason, detail, device, figure, value, larger,"
        " seconds, hash, file) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        "sisissssdidss", a->task, time, day, (int64_t)a->passed, a->reason, a->detail, a->device, a->figure,
        a->figure[0] ? a->value : NAN, (int64_t)a->larger_is_better, a->seconds, a->hash, a->file);
}

kz_status store_add_attempt(store *s, const store_attempt *a, kz_error *error) {
    kz_status status = store_check_name("task", a->task, STORE_NAME, error);
    if (status) return status;
    int64_t when = a->time ? a->time : base_wall_seconds(), same = 0;
    char *content = read_source(a);
    status = store_begin(s, error);
    if (status) goto end;
    if (a->hash[0]) status = find_same(s, a, when, &same, error);
    if (!status && !same) status = insert_attempt(s, a, when, error);
    if (!status && same)
        status =
            store_run(s, error,
                      "UPDATE attempt SET value=CASE WHEN value IS NULL OR larger=(?2>value) THEN ?2 ELSE"
                      " value END WHERE id=?1 AND ?2 IS NOT NULL AND figure=?3",
                      "ids", same, a->figure[0] ? a->value : NAN, a->figure);
    if (!status && content) status = store_keep_source(s, a->hash, content, NULL, error);
    // Who passes it has not skipped it.
    if (!status && a->passed)
        status = store_run(s, error, "UPDATE task SET skipped=0 WHERE task=?1", "s", a->task);
    status = store_end(s, status, error);
end:
    free(content);
    return status;
}

static void read_attempt(sqlite3_stmt *row, store_attempt *a) {
    *a = (store_attempt){.time = sqlite3_column_int64(row, 1),
                         .passed = sqlite3_column_int(row, 2) != 0,
                         .value = store_column_double(row, 7),
                         .larger_is_better = sqlite3_column_int(row, 8) != 0,
                         .seconds = store_column_double(row, 9)};
    store_column_text(row, 0, a->task, sizeof a->task);
    store_column_text(row, 3, a->reason, sizeof a->reason);
    store_column_text(row, 4, a->detail, sizeof a->detail);
    store_column_text(row, 5, a->device, sizeof a->device);
    store_column_text(row, 6, a->figure, sizeof a->figure);
    store_column_text(row, 10, a->hash, sizeof a->hash);
    store_column_text(row, 11, a->file, sizeof a->file);
}

kz_status store_list_attempts(store *s, const char *task, int64_t since, store_attempt **attempts,
                              size_t *count, kz_error *error) {
    *attempts = NULL;
    *count = 0;
    sqlite3_stmt *statement = NULL;
    kz_status status = store_refresh(s, error);
    if (!status)
        status =
            store_prepare(s, &statement, error,
                          "SELECT task, time, passed, reason, detail, device, figure, value, larger, seconds,"
                          " hash, file FROM attempt WHERE (?1 IS NULL OR task=?1) AND time>=?2"
                          " ORDER BY time, id",
                          "si", task, since);
    while (!status && store_step(s, statement, &status, error)) {
        store_attempt *more = store_grow(*attempts, *count, sizeof **attempts);
        if (!more) {
            status = store_fail_memory(error);
            break;
        }
        *attempts = more;
        read_attempt(statement, &more[(*count)++]);
    }
    sqlite3_finalize(statement);
    return status;
}

// ---- tasks ----------------------------------------------------------------------------------------------

// Figures of different names or devices cannot be compared: the latest passed one says which are meant.
static const char TASKS[] =
    "WITH name(task) AS (SELECT task FROM attempt UNION SELECT task FROM task),"
    " good AS (SELECT * FROM attempt WHERE passed AND NOT forgotten)"
    "SELECT name.task,"
    " (SELECT count(*) FROM attempt a WHERE a.task=name.task), coalesce(t.hints, 0), coalesce(t.skipped, 0),"
    " coalesce(t.seen, 0), (SELECT min(time) FROM attempt a WHERE a.task=name.task) AS first,"
    " (SELECT min(time) FROM good a WHERE a.task=name.task),"
    " (SELECT max(time) FROM attempt a WHERE a.task=name.task),"
    " best.figure, best.device, best.value, best.larger, best.time"
    " FROM name LEFT JOIN task t ON t.task=name.task"
    " LEFT JOIN attempt best ON best.id=("
    "  SELECT a.id FROM good a WHERE a.task=name.task AND a.value IS NOT NULL AND (a.figure, a.device)=("
    "   SELECT b.figure, b.device FROM good b WHERE b.task=name.task AND b.value IS NOT NULL"
    "   ORDER BY b.time DESC, b.id DESC LIMIT 1)"
    "  ORDER BY CASE WHEN a.larger THEN -a.value ELSE a.value END, a.id LIMIT 1)"
    " WHERE ?1 IS NULL OR name.task=?1 ORDER BY coalesce(first, 1<<62), name.task";

static void read_task(sqlite3_stmt *row, store_task *t) {
    *t = (store_task){.attempts = (uint64_t)sqlite3_column_int64(row, 1),
                      .hints = (uint64_t)sqlite3_column_int64(row, 2),
                      .skipped = sqlite3_column_int(row, 3) != 0,
                      .seen_solution = sqlite3_column_int(row, 4) != 0,
                      .first_time = sqlite3_column_int64(row, 5),
                      .passed_time = sqlite3_column_int64(row, 6),
                      .last_time = sqlite3_column_int64(row, 7),
                      .passed = sqlite3_column_type(row, 6) != SQLITE_NULL,
                      .best = store_column_double(row, 10),
                      .larger_is_better = sqlite3_column_int(row, 11) != 0,
                      .best_time = sqlite3_column_int64(row, 12)};
    store_column_text(row, 0, t->task, sizeof t->task);
    store_column_text(row, 8, t->figure, sizeof t->figure);
    store_column_text(row, 9, t->figure_device, sizeof t->figure_device);
}

kz_status store_get_task(store *s, const char *task, store_task *out, kz_error *error) {
    *out = (store_task){.best = NAN};
    snprintf(out->task, sizeof out->task, "%s", task);
    sqlite3_stmt *statement = NULL;
    kz_status status = store_refresh(s, error);
    if (!status) status = store_prepare(s, &statement, error, TASKS, "s", task);
    if (!status && store_step(s, statement, &status, error)) read_task(statement, out);
    sqlite3_finalize(statement);
    return status;
}

kz_status store_list_tasks(store *s, store_task **tasks, size_t *count, kz_error *error) {
    *tasks = NULL;
    *count = 0;
    sqlite3_stmt *statement = NULL;
    kz_status status = store_refresh(s, error);
    if (!status) status = store_prepare(s, &statement, error, TASKS, "s", NULL);
    while (!status && store_step(s, statement, &status, error)) {
        store_task *more = store_grow(*tasks, *count, sizeof **tasks);
        if (!more) {
            status = store_fail_memory(error);
            break;
        }
        *tasks = more;
        read_task(statement, &more[(*count)++]);
    }
    sqlite3_finalize(statement);
    return status;
}

// ---- marks ----------------------------------------------------------------------------------------------

static kz_status change_task(store *s, const char *task, const char *sql, int64_t value, kz_error *error) {
    kz_status status = store_check_name("task", task, STORE_NAME, error);
    if (!status) status = store_begin(s, error);
    if (status) return status;
    status = store_run(s, error, sql, "si", task, value);
    return store_end(s, status, error);
}

kz_status store_set_hints(store *s, const char *task, uint64_t hints, kz_error *error) {
    return change_task(s, task,
                       "INSERT INTO task(task, hints) VALUES(?1, ?2)"
                       " ON CONFLICT(task) DO UPDATE SET hints=max(hints, excluded.hints)",
                       (int64_t)hints, error);
}

kz_status store_set_skipped(store *s, const char *task, bool skipped, kz_error *error) {
    return change_task(s, task,
                       "INSERT INTO task(task, skipped) VALUES(?1, ?2)"
                       " ON CONFLICT(task) DO UPDATE SET skipped=excluded.skipped",
                       skipped, error);
}

kz_status store_set_seen_solution(store *s, const char *task, kz_error *error) {
    return change_task(s, task,
                       "INSERT INTO task(task, seen) VALUES(?1, ?2) ON CONFLICT(task) DO UPDATE SET seen=1",
                       1, error);
}

kz_status store_reset_task(store *s, const char *task, kz_error *error) {
    kz_status status = store_check_name("task", task, STORE_NAME, error);
    if (!status) status = store_begin(s, error);
    if (status) return status;
    status = store_run(s, error, "UPDATE attempt SET forgotten=1 WHERE task=?1 AND passed", "s", task);
    if (!status) // hints and the solution were seen, whatever is forgotten: the marks stay, but for the skip
        status = store_run(s, error, "UPDATE task SET skipped=0 WHERE task=?1", "s", task);
    return store_end(s, status, error);
}
