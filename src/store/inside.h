// Between the files of store: the connection, statements, transactions.
//
// A call that writes stands between store_begin and store_end; a call that reads is one statement. Statements
// are made by store_prepare with their parameters, one letter each: s text, i int64_t, d double (NAN is
// NULL).
#ifndef STORE_INSIDE_H
#define STORE_INSIDE_H

#include <sqlite3.h>

#include "store/store.h"

enum { STORE_PATH = 1100 };

struct store {
    sqlite3 *db;
    char path[STORE_PATH];
    uint64_t device, inode;          // of the file that is open
    char set_aside[STORE_PATH + 80]; // the name that a broken file was given since the store was opened
};

// The file at the path is the one that is open; where it was deleted or replaced, it is opened anew.
kz_status store_refresh(store *s, kz_error *error);
kz_status store_begin(store *s, kz_error *error);
// Commits where `status` is KZ_OK, else rolls back; gives the status of both.
kz_status store_end(store *s, kz_status status, kz_error *error);

// The error of the last SQLite call: what could not be done, why, what next.
kz_status store_fail(store *s, const char *what, kz_error *error);
kz_status store_fail_memory(kz_error *error);

kz_status store_prepare(store *s, sqlite3_stmt **statement, kz_error *error, const char *sql,
                        const char *types, ...);
// The next row: true; false at the end, or with `*status` set where it failed.
bool store_step(store *s, sqlite3_stmt *statement, kz_status *status, kz_error *error);
// Prepares, runs to the end, finalises.
kz_status store_run(store *s, kz_error *error, const char *sql, const char *types, ...);

void store_column_text(sqlite3_stmt *statement, int column, char *to, size_t size); // "" for NULL
double store_column_double(sqlite3_stmt *statement, int column);                    // NAN for NULL

// Room for one more in a malloc'ed array; NULL when out of memory, and the array stays.
void *store_grow(void *array, size_t count, size_t size);

// A name that can be stored: not empty, fits, no control characters.
kz_status store_check_name(const char *what, const char *name, size_t size, kz_error *error);

// Inside a transaction: adds it unless it is there; `added` may be NULL.
kz_status store_keep_source(store *s, const char *hash, const char *content, bool *added, kz_error *error);

#endif
