// Records: what an observed run left behind (docs/record.md), one JSON object per line, read whole.
//
// Objects borrowed from a record live until report_record_free. A record whose last line was cut off, because
// the program that wrote it was killed, is read as far as it is whole; `cut` says so.
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include <jansson.h>

#include "base/base.h"

typedef struct report_record {
    json_t *lines; // an array of objects, in the order of the file
    bool cut;
} report_record;

// {0} is an empty record. KZ_SYNTAX names the line that is no JSON object.
kz_status report_record_read(const char *path, report_record *record, kz_error *error);
kz_status report_record_parse(const char *name, const char *text, size_t length, report_record *record,
                              kz_error *error);
void report_record_free(report_record *record);

// The next line at or after *at whose "type" is this; NULL where there is none. *at goes past it.
const json_t *report_record_next(const report_record *record, const char *type, size_t *at);

// Members by a path of keys ("second.source.line"), with the value for where there is none.
const json_t *report_get(const json_t *object, const char *path); // NULL
double report_get_number(const json_t *object, const char *path, double missing);
uint64_t report_get_count(const json_t *object, const char *path);   // 0
const char *report_get_text(const json_t *object, const char *path); // "", never NULL
bool report_get_bool(const json_t *object, const char *path);        // false

#endif
