// Days as the learner lives them, and days in a row.
#include "store/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void store_day_of(int64_t time, char day[STORE_DAY]) {
    time_t seconds = (time_t)time;
    struct tm local = {.tm_year = 70, .tm_mday = 1};
    if (localtime_r(&seconds, &local) && local.tm_year >= -1900 && local.tm_year < 8100)
        strftime(day, STORE_DAY, "%Y-%m-%d", &local);
    else
        memcpy(day, "1970-01-01", STORE_DAY);
}

void store_today(char day[STORE_DAY]) { store_day_of(base_wall_seconds(), day); }

// Counting years from March puts the leap day last; then months follow a straight line (153 days in five),
// and 400 years have 146,097 days.
static int64_t number_of(int64_t year, int64_t month, int64_t day) {
    if (month <= 2) year--, month += 12;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month - 3) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void store_day_from(int64_t number, char day[STORE_DAY]) {
    int64_t year = 1970 + number / 366;
    if (number < -719162 || number > 2932896) number = 0, year = 1970; // outside 0001 .. 9999
    if (number < 0) year = 1970 + number / 365 - 1;
    while (number_of(year + 1, 1, 1) <= number) year++;
    int64_t month = 12;
    while (number_of(year, month, 1) > number) month--;
    char text[64];
    snprintf(text, sizeof text, "%04d-%02d-%02d", (int)year, (int)month,
             (int)(number - number_of(year, month, 1)) + 1);
    memcpy(day, text, STORE_DAY - 1);
    day[STORE_DAY - 1] = 0;
}

bool store_day_number(const char *day, int64_t *number) {
    if (strlen(day) != STORE_DAY - 1 || day[4] != '-' || day[7] != '-') return false;
    for (int i = 0; i < STORE_DAY - 1; i++)
        if (i != 4 && i != 7 && (day[i] < '0' || day[i] > '9')) return false;
    int64_t n = number_of(atoi(day), atoi(day + 5), atoi(day + 8));
    char back[STORE_DAY];
    store_day_from(n, back);
    if (strcmp(back, day) != 0) return false; // 2026-02-30
    *number = n;
    return true;
}

int store_streak(const store_day *days, size_t count, const char *today) {
    int64_t now, at, wanted;
    if (!store_day_number(today, &now)) return 0;
    int streak = 0;
    wanted = now;
    for (size_t i = count; i-- > 0;) {
        if (!store_day_number(days[i].day, &at) || at > now) continue; // made while the clock was ahead
        if (streak == 0 && at == now - 1) wanted = at;                 // today is not over yet
        if (at != wanted) break;
        streak++;
        wanted--;
    }
    return streak;
}

kz_status store_list_days(store *s, store_day **days, size_t *count, kz_error *error) {
    *days = NULL;
    *count = 0;
    sqlite3_stmt *statement = NULL;
    kz_status status = store_refresh(s, error);
    if (!status)
        status =
            store_prepare(s, &statement, error,
                          "SELECT day, count(*), sum(passed) FROM attempt GROUP BY day ORDER BY day", "");
    while (!status && store_step(s, statement, &status, error)) {
        store_day *more = store_grow(*days, *count, sizeof **days);
        if (!more) {
            status = store_fail_memory(error);
            break;
        }
        *days = more;
        store_day *d = &more[(*count)++];
        store_column_text(statement, 0, d->day, sizeof d->day);
        d->attempts = (uint64_t)sqlite3_column_int64(statement, 1);
        d->passed = (uint64_t)sqlite3_column_int64(statement, 2);
    }
    sqlite3_finalize(statement);
    return status;
}
