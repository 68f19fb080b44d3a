// store: what a learner has done, in one SQLite file.
//
// The file is progress.db in the learner's folder. Several processes may use it at once (WAL, a busy timeout,
// one transaction per call): nothing is lost. A file that is no database, or a broken one, is moved aside as
// progress.db.broken-<time>, and a new one is begun; `set_aside` says so, and also where the file of somebody
// who has been here before is gone. A file of a newer version is refused and kept. A file that is deleted or
// replaced while it is open is noticed by the next call. Times are seconds since 1970 (UTC); days are the
// learner's local ones, "2026-11-15".
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/base.h"

enum { STORE_NAME = 64, STORE_DAY = 11, STORE_HASH = 17 };

#define STORE_GONE "gone" // no path

typedef struct store store;

// Opens or makes `folder`/progress.db; `folder` is made too. `set_aside` (may be NULL) gets the name that a
// broken file was given, STORE_GONE where it was deleted or emptied, "" where all was well.
kz_status store_open(const char *folder, store **out, char *set_aside, size_t set_aside_size,
                     kz_error *error);
void store_close(store *s);
// The same for what happened while the store was open (somebody wrote over the file). Each is told once.
void store_take_set_aside(store *s, char *name, size_t size);

// ---- attempts: one per grading --------------------------------------------------------------------------

typedef struct store_attempt {
    char task[STORE_NAME];
    int64_t time;
    bool passed;
    char reason[32]; // "result"; "" where it passed
    char detail[STORE_NAME];
    char device[32];         // "sim:h200"
    char figure[STORE_NAME]; // "sectors_per_load"; "" where there is none
    double value;            // NAN where there is none
    bool larger_is_better;
    double seconds;        // that grading took
    char hash[STORE_HASH]; // of the file's content, by store_hash
    char file[1024];
} store_attempt;

void store_hash(const char *content, size_t size, char hash[STORE_HASH]); // 16 hexadecimal digits

// A file that was just graded (the same hash, task and outcome within a minute) is not counted twice; the
// better figure is kept. Of a file that passed, the content is kept too, where it still has this hash. `time`
// 0 is now.
kz_status store_add_attempt(store *s, const store_attempt *attempt, kz_error *error);

// What is known of one task.
typedef struct store_task {
    char task[STORE_NAME];
    uint64_t attempts, hints; // hints: the most that were looked at
    bool passed, skipped, seen_solution;
    int64_t first_time, passed_time, last_time; // 0: never
    char figure[STORE_NAME], figure_device[32];
    int64_t best_time;
    double best; // NAN; among those passed with the figure and the device of the latest
    bool larger_is_better;
} store_task;

kz_status store_get_task(store *s, const char *task, store_task *out,
                         kz_error *error); // zeroed where unknown
// All that were ever touched, by first_time; malloc'ed.
kz_status store_list_tasks(store *s, store_task **tasks, size_t *count, kz_error *error);
// The attempts from `since` on, oldest first; task may be NULL. malloc'ed.
kz_status store_list_attempts(store *s, const char *task, int64_t since, store_attempt **attempts,
                              size_t *count, kz_error *error);

// The content that passed, malloc'ed; NULL where it was not kept.
kz_status store_get_source(store *s, const char *hash, char **content, kz_error *error);

kz_status store_set_hints(store *s, const char *task, uint64_t hints, kz_error *error); // never goes down
kz_status store_set_skipped(store *s, const char *task, bool skipped, kz_error *error);
kz_status store_set_seen_solution(store *s, const char *task, kz_error *error);
// Forgets that it was passed; attempts stay.
kz_status store_reset_task(store *s, const char *task, kz_error *error);

// ---- settings: "path", "task" (where the learner is), ... --------------------------------------------

// The day on which a new file was begun in the place of one that was gone or broken; not exported.
#define STORE_ANEW "begun-anew"

kz_status store_get(store *s, const char *key, char *value, size_t size, kz_error *error); // "" where unset
kz_status store_set(store *s, const char *key, const char *value, kz_error *error);

// ---- katas ----------------------------------------------------------------------------------------------

// A kata's schedule: what was weak comes back soon, what was strong late.
typedef struct store_kata {
    char task[STORE_NAME];
    char due[STORE_DAY]; // "" : never done
    int interval;        // days
    double ease;
    uint64_t repetitions, lapses;
} store_kata;
// As they stand on that day; what was done later (while the clock was ahead) does not count yet. malloc'ed.
kz_status store_list_katas(store *s, const char *today, store_kata **katas, size_t *count, kz_error *error);
// A result on `day`: quality 0 (failed, gave up) to 5 (passed at once, without hints). A second result of the
// same day takes the first one's place.
kz_status store_add_kata(store *s, const char *task, const char *day, int quality, store_kata *after,
                         kz_error *error);
// The schedule after one more result; pure. A zeroed kata is one that was never done. Intervals are whole
// days, at least 1; after a quality below 3 the kata is back the next day, or after some days where it was
// bad before.
void store_schedule(store_kata *kata, const char *day, int quality);

// ---- days -------------------------------------------------------------------------------------------------

typedef struct store_day {
    char day[STORE_DAY]; // as it was where and when the attempt was made
    uint64_t attempts, passed;
} store_day;
kz_status store_list_days(store *s, store_day **days, size_t *count,
                          kz_error *error); // with an attempt, ascending
int store_streak(const store_day *days, size_t count,
                 const char *today); // days in a row up to today or yesterday
void store_day_of(int64_t time, char day[STORE_DAY]);
void store_today(char day[STORE_DAY]);
bool store_day_number(const char *day, int64_t *number); // days since 1970-01-01; false where it is no day
void store_day_from(int64_t number, char day[STORE_DAY]);

// ---- plain text -------------------------------------------------------------------------------------------

// Everything as lines of tab-separated text with a first line that names the format; importing adds what is
// new (the same attempt twice is one). A wrong line is an error that names it, and nothing is imported.
kz_status store_export(store *s, base_text *out, kz_error *error);
kz_status store_import(store *s, const char *name, const char *text, uint64_t *added, kz_error *error);

#endif
