// The file: opened, checked, brought up to this version, set aside where it is broken.
//
// Opening happens under a lock of its own (progress.db.lock), so that of two processes that meet a broken or
// a new file, one acts and the other finds it done.
#include "store/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 15000, APPLICATION = 0x4b5a6f6f }; // "KZoo", in the file's header

// Version n of the schema is the first n of these, one after another. What is here is never changed: a change
// is one more.
static const char *const steps[] = {
    "CREATE TABLE attempt(id INTEGER PRIMARY KEY, task TEXT NOT NULL, time INTEGER NOT NULL, day TEXT NOT "
    "NULL,"
    " passed INTEGER NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL, device TEXT NOT NULL,"
    " figure TEXT NOT NULL, value REAL, larger INTEGER NOT NULL, seconds REAL, hash TEXT NOT NULL,"
    " file TEXT NOT NULL, forgotten INTEGER NOT NULL DEFAULT 0);"
    "CREATE INDEX attempt_by_task ON attempt(task, time);"
    "CREATE TABLE task(task TEXT PRIMARY KEY, hints INTEGER NOT NULL DEFAULT 0,"
    " skipped INTEGER NOT NULL DEFAULT 0, seen INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;"
    "CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;",
    "CREATE TABLE kata(task TEXT NOT NULL, day TEXT NOT NULL, quality INTEGER NOT NULL,"
    " PRIMARY KEY(task, day)) WITHOUT ROWID;"
    "CREATE TABLE source(hash TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;",
};
enum { VERSION = (int)BASE_COUNT(steps) };

// ---- errors ---------------------------------------------------------------------------------------------

kz_status store_fail_memory(kz_error *error) {
    return base_fail(error, KZ_NO_MEMORY, "no memory for the learner's progress");
}

// What fails where a file should grow; others have lost a file that they had.
static bool is_disk_full(int extended, int system) {
    static const int grows[] = {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_FSYNC};
    bool full = system == ENOSPC || system == EDQUOT || system == EFBIG;
    for (size_t i = 0; i < BASE_COUNT(grows); i++) full = full || extended == grows[i];
    return full;
}

kz_status store_fail(store *s, const char *what, kz_error *error) {
    int code = s->db ? sqlite3_errcode(s->db) & 0xff : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM) return store_fail_memory(error);
    int system = sqlite3_system_errno(s->db);
    base_fail(error, KZ_IO, "cannot %s %s: %s%s%s%s", what, s->path, sqlite3_errmsg(s->db),
              system ? " (" : "", system ? strerror(system) : "", system ? ")" : "");
    switch (code) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
        if (is_disk_full(sqlite3_extended_errcode(s->db), system))
            base_fail_note(error, "is the disk full? What was recorded before is whole; free some space, or "
                                  "set KZ_LEARN to a folder on another disk, and try again");
        else
            base_fail_note(error, "was the file, or one beside it, deleted or moved while it was in use? Try "
                                  "again: where it is gone, a new one is begun. If it stays, the disk may "
                                  "fail: set KZ_LEARN to a folder on another one");
        break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        base_fail_note(error, "the folder and the file must be writable: check their permissions, or set "
                              "KZ_LEARN to a folder of yours");
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        base_fail_note(error, "another program has held it for %d s: end it, or try again when it is done",
                       BUSY_MS / 1000);
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        base_fail_note(error, "the file is broken: the next kz sets it aside and begins a new one");
        break;
    default: base_fail_note(error, "try again; if it stays, move the file away: a new one is begun"); break;
    }
    return KZ_IO;
}

// ---- statements -----------------------------------------------------------------------------------------

static kz_status prepare(store *s, sqlite3_stmt **statement, kz_error *error, const char *sql,
                         const char *types, va_list list) {
    int code = sqlite3_prepare_v2(s->db, sql, -1, statement, NULL);
    for (int i = 0; !code && types[i]; i++) {
        if (types[i] == 's') {
            const char *text = va_arg(list, const char *); // NULL is NULL
            code = sqlite3_bind_text(*statement, i + 1, text, -1, SQLITE_TRANSIENT);
        } else if (types[i] == 'i') {
            code = sqlite3_bind_int64(*statement, i + 1, va_arg(list, int64_t));
        } else {
            double value = va_arg(list, double);
            code = isnan(value) ? sqlite3_bind_null(*statement, i + 1)
                                : sqlite3_bind_double(*statement, i + 1, value);
        }
    }
    if (!code) return KZ_OK;
    kz_status status = store_fail(s, "use", error);
    sqlite3_finalize(*statement);
    *statement = NULL;
    return status;
}

kz_status store_prepare(store *s, sqlite3_stmt **statement, kz_error *error, const char *sql,
                        const char *types, ...) {
    va_list list;
    va_start(list, types);
    kz_status status = prepare(s, statement, error, sql, types, list);
    va_end(list);
    return status;
}

bool store_step(store *s, sqlite3_stmt *statement, kz_status *status, kz_error *error) {
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) *status = store_fail(s, "use", error);
    return false;
}

kz_status store_run(store *s, kz_error *error, const char *sql, const char *types, ...) {
    sqlite3_stmt *statement = NULL;
    va_list list;
    va_start(list, types);
    kz_status status = prepare(s, &statement, error, sql, types, list);
    va_end(list);
    if (status) return status;
    while (store_step(s, statement, &status, error)) continue;
    sqlite3_finalize(statement);
    return status;
}

void store_column_text(sqlite3_stmt *statement, int column, char *to, size_t size) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    snprintf(to, size, "%s", text ? text : "");
}

double store_column_double(sqlite3_stmt *statement, int column) {
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN
                                                                 : sqlite3_column_double(statement, column);
}

void *store_grow(void *array, size_t count, size_t size) {
    if (count & (count - 1)) return array; // grows at powers of two
    return realloc(array, (count ? 2 * count : 1) * size);
}

kz_status store_check_name(const char *what, const char *name, size_t size, kz_error *error) {
    size_t length = name ? strlen(name) : 0;
    bool clean = length > 0 && length < size;
    for (size_t i = 0; clean && i < length; i++) clean = (unsigned char)name[i] >= ' ';
    if (clean) return KZ_OK;
    return base_fail(error, KZ_INVALID,
                     "\"%.80s\" is no name of a %s: 1 to %zu characters, none of them a control character",
                     name ? name : "", what, size - 1);
}

// ---- transactions ---------------------------------------------------------------------------------------

kz_status store_begin(store *s, kz_error *error) {
    kz_status status = store_refresh(s, error);
    if (!status) status = store_run(s, error, "BEGIN IMMEDIATE", "");
    int code = s->db ? sqlite3_errcode(s->db) & 0xff : SQLITE_OK;
    if (status && (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)) { // somebody wrote over it
        s->inode = 0;
        status = store_refresh(s, error);
        if (!status) status = store_run(s, error, "BEGIN IMMEDIATE", "");
    }
    return status;
}

kz_status store_end(store *s, kz_status status, kz_error *error) {
    if (!status) status = store_run(s, error, "COMMIT", "");
    if (status && !sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

// ---- opening --------------------------------------------------------------------------------------------

static bool get_number(store *s, const char *sql, int64_t *number, kz_status *status, kz_error *error) {
    sqlite3_stmt *statement = NULL;
    *status = store_prepare(s, &statement, error, sql, "");
    if (*status) return false;
    bool row = store_step(s, statement, status, error);
    *number = row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return row;
}

// Whether the tables that its version says are there.
static bool has_tables(store *s, kz_status *status, kz_error *error) {
    static const char *const sql[] = {
        "SELECT count(*) FROM sqlite_master WHERE type='table' AND name IN ('attempt', 'task', 'setting')",
        "SELECT count(*) FROM sqlite_master WHERE type='table' AND name IN ('kata', 'source')"};
    static const int64_t wanted[] = {3, 2};
    int64_t version = 0, found = 0;
    get_number(s, "PRAGMA user_version", &version, status, error);
    for (int64_t v = 0; !*status && v < version && v < (int64_t)BASE_COUNT(sql); v++) {
        get_number(s, sql[v], &found, status, error);
        if (!*status && found != wanted[v]) return false;
    }
    return !*status;
}

// Whether the whole file reads well. False with `*status` KZ_OK: it is broken, or somebody else's.
static bool is_sound(store *s, kz_status *status, kz_error *error) {
    sqlite3_stmt *statement = NULL;
    char answer[64] = "";
    int64_t application = 0, tables = 0;
    *status = store_prepare(s, &statement, error, "PRAGMA quick_check(1)", "");
    if (!*status && store_step(s, statement, status, error))
        store_column_text(statement, 0, answer, sizeof answer);
    sqlite3_finalize(statement);
    if (!*status) get_number(s, "PRAGMA application_id", &application, status, error);
    if (!*status) get_number(s, "SELECT count(*) FROM sqlite_master", &tables, status, error);
    bool complete = !*status && has_tables(s, status, error);
    if (*status) {
        int code = sqlite3_errcode(s->db) & 0xff;
        if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) *status = KZ_OK;
        return false;
    }
    return strcmp(answer, "ok") == 0 && complete &&
           (application == APPLICATION || (application == 0 && tables == 0));
}

static kz_status migrate(store *s, kz_error *error) {
    kz_status status = store_run(s, error, "BEGIN IMMEDIATE", "");
    int64_t version = 0;
    if (status) return status;
    get_number(s, "PRAGMA user_version", &version, &status, error);
    if (!status && version > VERSION) {
        status = base_fail(error, KZ_UNSUPPORTED,
                           "%s was written by a newer Kernel Zoo (format %lld, this one knows %d)", s->path,
                           (long long)version, VERSION);
        base_fail_note(error, "it is kept as it is: take that newer kz, or set KZ_LEARN to another folder");
    }
    for (; !status && version < VERSION; version++)
        if (sqlite3_exec(s->db, steps[version], NULL, NULL, NULL)) status = store_fail(s, "prepare", error);
    if (!status) {
        char sql[100];
        snprintf(sql, sizeof sql, "PRAGMA user_version=%d; PRAGMA application_id=%d", VERSION, APPLICATION);
        if (sqlite3_exec(s->db, sql, NULL, NULL, NULL)) status = store_fail(s, "prepare", error);
    }
    return store_end(s, status, error);
}

static void disconnect(store *s) {
    sqlite3_close(s->db);
    s->db = NULL;
}

// Opens the file as it is. `*sound` false: it has to be set aside, and is closed again.
static kz_status connect_file(store *s, bool *sound, kz_error *error) {
    kz_status status = KZ_OK;
    *sound = true;
    if (sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL))
        status = store_fail(s, "open", error);
    else
        sqlite3_busy_timeout(s->db, BUSY_MS);
    if (!status) *sound = is_sound(s, &status, error);
    if (!status && *sound) {
        // Where the file system cannot do WAL, SQLite stays with its older journal, which is as safe.
        sqlite3_exec(s->db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL", NULL, NULL, NULL);
        status = migrate(s, error);
    }
    struct stat info;
    if (!status && *sound && stat(s->path, &info) == 0)
        s->device = (uint64_t)info.st_dev, s->inode = (uint64_t)info.st_ino;
    if (status || !*sound) disconnect(s);
    return status;
}

// Renames the file, and with it what SQLite keeps beside it, so that somebody can still try to mend it.
static kz_status set_file_aside(store *s, char *name, size_t size, kz_error *error) {
    static const char *const endings[] = {"", "-wal", "-shm"};
    char stamp[BASE_UTC], from[STORE_PATH + 80], to[STORE_PATH + 80];
    base_utc_stamp(stamp);
    for (int i = 0; i < 1000; i++) { // a second broken file within this second, or after a clock set back
        snprintf(to, sizeof to, i ? "%s.broken-%s-%d" : "%s.broken-%s", s->path, stamp, i);
        if (!base_file_exists(to)) break;
    }
    if (name) snprintf(name, size, "%s", to);
    size_t length = strlen(to);
    for (size_t i = 0; i < BASE_COUNT(endings); i++) {
        snprintf(from, sizeof from, "%s%s", s->path, endings[i]);
        snprintf(to + length, sizeof to - length, "%s", endings[i]);
        if (rename(from, to) != 0 && i == 0) {
            base_fail(error, KZ_IO, "%s is broken and cannot be moved aside: %s", s->path, strerror(errno));
            base_fail_note(error, "check the permissions of its folder, or move the file away by hand");
            return KZ_IO;
        }
    }
    return KZ_OK;
}

// What stands where the file should: none, or an empty one; something that can be none (a folder, a pipe); a link to
// nowhere, whose disk may come back and which is therefore not touched.
static kz_status look_at_file(store *s, bool *missing, bool *other, kz_error *error) {
    struct stat info;
    char journal[STORE_PATH + 8];
    *missing = *other = false;
    if (stat(s->path, &info) == 0) {
        *other = !S_ISREG(info.st_mode);
        *missing = S_ISREG(info.st_mode) && info.st_size == 0;
        snprintf(journal, sizeof journal, "%s-wal", s->path); // it may hold what is not in the file yet
        if (*missing && stat(journal, &info) == 0 && info.st_size > 0) *missing = false;
        return KZ_OK;
    }
    *missing = errno == ENOENT;
    if (lstat(s->path, &info) != 0) return KZ_OK;
    base_fail(error, KZ_IO, "%s is a link to a file that is not there", s->path);
    base_fail_note(error, "is its disk mounted? Otherwise remove the link: a new file is begun");
    return KZ_IO;
}

// What SQLite had kept beside a file that is gone. Whoever has that file open still has these too, and SQLite leaves
// alone what stands at their path then; a new file beside which they stood would be taken for a broken one.
static void remove_rest(const store *s) {
    static const char *const endings[] = {"-wal", "-shm"};
    for (size_t i = 0; i < BASE_COUNT(endings); i++) {
        char path[STORE_PATH + 8];
        snprintf(path, sizeof path, "%s%s", s->path, endings[i]);
        unlink(path);
    }
}

// So that whoever comes later learns of it, too: the one who began the file may have told it to nobody.
static kz_status note_anew(store *s, kz_error *error) {
    char today[STORE_DAY];
    store_today(today);
    return store_run(s, error, "INSERT OR REPLACE INTO setting VALUES(?1, ?2)", "ss", STORE_ANEW, today);
}

static kz_status open_locked(store *s, char *set_aside, size_t set_aside_size, bool known, kz_error *error) {
    bool sound = false, missing, other;
    kz_status status = look_at_file(s, &missing, &other, error);
    if (!status && missing) remove_rest(s);
    if (!status && !other) status = connect_file(s, &sound, error);
    if (!status && sound && missing && known) {
        if (set_aside) snprintf(set_aside, set_aside_size, STORE_GONE);
        return note_anew(s, error);
    }
    if (status || sound) return status;
    status = set_file_aside(s, set_aside, set_aside_size, error);
    if (!status) status = connect_file(s, &sound, error);
    if (!status && !sound)
        status = base_fail(error, KZ_IO, "%s was begun anew, and is broken again", s->path);
    return status ? status : note_anew(s, error);
}

static kz_status open_file(store *s, char *set_aside, size_t set_aside_size, kz_error *error) {
    char name[STORE_PATH + 8];
    snprintf(name, sizeof name, "%.*stasks", (int)(strlen(s->path) - strlen("progress.db")), s->path);
    bool known = access(name, F_OK) == 0; // somebody has learnt here
    snprintf(name, sizeof name, "%s.lock", s->path);
    int lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) {
        base_fail(error, KZ_IO, "cannot write in the learner's folder: %s: %s", name, strerror(errno));
        base_fail_note(error, errno == ENOSPC
                                  ? "the disk is full: free some space, or set KZ_LEARN to a "
                                    "folder on another disk"
                                  : "check its permissions, or set KZ_LEARN to a folder of yours");
        return KZ_IO;
    }
    while (flock(lock, LOCK_EX) != 0 && errno == EINTR) continue; // without locks, SQLite's own must do
    struct stat info; // a lock that is not empty was left by somebody who had opened the file
    known = known || (fstat(lock, &info) == 0 && info.st_size > 0);
    kz_status status = open_locked(s, set_aside, set_aside_size, known, error);
    ssize_t ignored = status || known ? 0 : pwrite(lock, "1\n", 2, 0);
    (void)ignored;
    close(lock);
    return status;
}

kz_status store_refresh(store *s, kz_error *error) {
    struct stat info;
    if (s->db && stat(s->path, &info) == 0 && (uint64_t)info.st_dev == s->device &&
        (uint64_t)info.st_ino == s->inode)
        return KZ_OK;
    disconnect(s);
    return open_file(s, s->set_aside, sizeof s->set_aside, error);
}

void store_take_set_aside(store *s, char *name, size_t size) {
    snprintf(name, size, "%s", s->set_aside);
    s->set_aside[0] = 0;
}

kz_status store_open(const char *folder, store **out, char *set_aside, size_t set_aside_size,
                     kz_error *error) {
    *out = NULL;
    if (set_aside && set_aside_size) *set_aside = 0;
    kz_status status = base_make_folders(folder, error);
    if (status) {
        base_fail_note(error, "set KZ_LEARN to a folder of yours: progress is kept there");
        return status;
    }
    store *s = calloc(1, sizeof *s);
    if (!s) return store_fail_memory(error);
    if ((size_t)snprintf(s->path, sizeof s->path, "%s/progress.db", folder) >= sizeof s->path - 64)
        status = base_fail(error, KZ_INVALID, "the folder's name is too long: %.100s...", folder);
    else
        status = open_file(s, set_aside, set_aside_size, error);
    if (status)
        store_close(s);
    else
        *out = s;
    return status;
}

void store_close(store *s) {
    if (!s) return;
    disconnect(s);
    free(s);
}

// ---- settings -------------------------------------------------------------------------------------------

kz_status store_get(store *s, const char *key, char *value, size_t size, kz_error *error) {
    sqlite3_stmt *statement = NULL;
    *value = 0;
    kz_status status = store_refresh(s, error);
    if (!status)
        status = store_prepare(s, &statement, error, "SELECT value FROM setting WHERE key=?1", "s", key);
    if (!status && store_step(s, statement, &status, error)) store_column_text(statement, 0, value, size);
    sqlite3_finalize(statement);
    return status;
}

kz_status store_set(store *s, const char *key, const char *value, kz_error *error) {
    kz_status status = store_check_name("setting", key, STORE_NAME, error);
    if (!status) status = store_begin(s, error);
    if (status) return status;
    status = store_run(s, error, "INSERT OR REPLACE INTO setting VALUES(?1, ?2)", "ss", key, value);
    return store_end(s, status, error);
}
