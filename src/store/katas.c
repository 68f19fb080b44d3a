// When a kata comes back. The results are kept (one per kata and day), the schedule follows from them: so two
// machines' results can be put together, and a better rule applies to what was done before.
//
// The rule is in the manner of SM-2 (P. A. Wozniak, 1990): each good result multiplies the interval by the
// kata's ease, a bad one begins anew; the ease falls with each result that was hard.
#include "store/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double EASE = 2.5, LEAST_EASE = 1.3, HINTED_GROWTH = 1.2;
enum {
    PASSING = 3,
    PERFECT = 5,
    FIRST_DAYS = 3,
    SECOND_DAYS = 7,
    HINTED_DAYS = 2,
    MOST_DAYS = 180,
    MOST_AFTER_LAPSES = 4
};

void store_schedule(store_kata *kata, const char *day, int quality) {
    if (quality < 0) quality = 0;
    if (quality > PERFECT) quality = PERFECT;
    if (!(kata->ease >= LEAST_EASE)) kata->ease = EASE;
    double missing = PERFECT - quality;
    if (quality < PASSING) {
        // Failed again and again, it leaves days to the others.
        bool again = kata->lapses > 0 && kata->repetitions == 0;
        kata->interval = !again                               ? 1
                         : kata->interval < MOST_AFTER_LAPSES ? kata->interval + 1
                                                              : MOST_AFTER_LAPSES;
        kata->lapses++;
        kata->repetitions = 0;
    } else {
        kata->repetitions++;
        bool alone = quality > PASSING; // without hints
        double days = kata->repetitions == 1   ? (alone ? FIRST_DAYS : HINTED_DAYS)
                      : kata->repetitions == 2 ? (alone ? SECOND_DAYS : 2 * HINTED_DAYS)
                                               : kata->interval * (alone ? kata->ease : HINTED_GROWTH);
        kata->interval = (int)round(fmin(days, MOST_DAYS));
    }
    kata->ease = fmax(LEAST_EASE, kata->ease + 0.1 - missing * (0.08 + missing * 0.02));
    int64_t number = 0;
    store_day_number(day, &number);
    store_day_from(number + kata->interval, kata->due);
}

// A result of a day that is still to come was made while the clock was ahead: it waits for that day.
static kz_status list_katas(store *s, const char *task, const char *until, store_kata **katas, size_t *count,
                            kz_error *error) {
    sqlite3_stmt *statement = NULL;
    kz_status status = store_prepare(
        s, &statement, error,
        "SELECT task, day, quality FROM kata WHERE (?1 IS NULL OR task=?1) AND day<=?2 ORDER BY task, day",
        "ss", task, until);
    while (!status && store_step(s, statement, &status, error)) {
        char name[STORE_NAME], day[STORE_DAY];
        store_column_text(statement, 0, name, sizeof name);
        store_column_text(statement, 1, day, sizeof day);
        if (!*count || strcmp((*katas)[*count - 1].task, name) != 0) {
            store_kata *more = store_grow(*katas, *count, sizeof **katas);
            if (!more) {
                status = store_fail_memory(error);
                break;
            }
            *katas = more;
            more[*count] = (store_kata){0};
            memcpy(more[(*count)++].task, name, sizeof name);
        }
        store_schedule(&(*katas)[*count - 1], day, sqlite3_column_int(statement, 2));
    }
    sqlite3_finalize(statement);
    return status;
}

kz_status store_list_katas(store *s, const char *today, store_kata **katas, size_t *count, kz_error *error) {
    *katas = NULL;
    *count = 0;
    kz_status status = store_refresh(s, error);
    return status ? status : list_katas(s, NULL, today, katas, count, error);
}

kz_status store_add_kata(store *s, const char *task, const char *day, int quality, store_kata *after,
                         kz_error *error) {
    int64_t number;
    kz_status status = store_check_name("kata", task, STORE_NAME, error);
    if (!status && !store_day_number(day, &number))
        status = base_fail(error, KZ_INVALID, "\"%.40s\" is no day: 2026-11-15 is one", day);
    if (!status && (quality < 0 || quality > PERFECT))
        status = base_fail(error, KZ_INVALID, "a kata's quality is 0 to %d, not %d", PERFECT, quality);
    if (!status) status = store_begin(s, error);
    if (status) return status;
    store_kata *katas = NULL;
    size_t count = 0;
    status = store_run(s, error, "INSERT OR REPLACE INTO kata VALUES(?1, ?2, ?3)", "ssi", task, day,
                       (int64_t)quality);
    if (!status && after) status = list_katas(s, task, day, &katas, &count, error);
    status = store_end(s, status, error);
    if (!status && after && count) *after = katas[0];
    free(katas);
    return status;
}
