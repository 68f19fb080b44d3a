// Reads records, see record.h.
#include "report/record/record.h"

#include <stdlib.h>
#include <string.h>

enum { KEY = 64 };

static kz_status add_line(const char *name, size_t number, const char *text, size_t length, bool is_last,
                          report_record *record, kz_error *error) {
    json_error_t why;
    json_t *object = json_loadb(text, length, 0, &why);
    if (json_is_object(object))
        return json_array_append_new(record->lines, object)
                   ? base_fail(error, KZ_NO_MEMORY, "no memory for %s", name)
                   : KZ_OK;
    const char *problem = object ? "it is another value" : why.text;
    json_decref(object);
    if (is_last) {
        record->cut = true;
        return KZ_OK;
    }
    base_fail(error, KZ_SYNTAX, "%s:%zu is no JSON object: %s", name, number, problem);
    base_fail_note(error, "a record has one object per line; docs/record.md says which");
    return KZ_SYNTAX;
}

kz_status report_record_parse(const char *name, const char *text, size_t length, report_record *record,
                              kz_error *error) {
    *record = (report_record){.lines = json_array()};
    kz_status status = record->lines ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory for %s", name);
    size_t number = 0;
    for (const char *at = text, *end = text + length; at < end && !status; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        if (stop > at) status = add_line(name, number + 1, at, (size_t)(stop - at), !newline, record, error);
        at = stop + 1;
    }
    if (status) report_record_free(record);
    return status;
}

kz_status report_record_read(const char *path, report_record *record, kz_error *error) {
    char *text = NULL;
    size_t length;
    *record = (report_record){0};
    kz_status status = base_file_read(path, &text, &length, error);
    if (!status) status = report_record_parse(path, text, length, record, error);
    free(text);
    return status;
}

void report_record_free(report_record *record) {
    json_decref(record->lines);
    *record = (report_record){0};
}

const json_t *report_record_next(const report_record *record, const char *type, size_t *at) {
    while (*at < json_array_size(record->lines)) {
        const json_t *object = json_array_get(record->lines, (*at)++);
        if (strcmp(report_get_text(object, "type"), type) == 0) return object;
    }
    return NULL;
}

const json_t *report_get(const json_t *object, const char *path) {
    while (object) {
        const char *dot = strchr(path, '.');
        char key[KEY];
        size_t length = dot ? (size_t)(dot - path) : strlen(path);
        if (length >= KEY) return NULL;
        memcpy(key, path, length);
        key[length] = 0;
        object = json_object_get(object, key);
        if (!dot) return object;
        path = dot + 1;
    }
    return NULL;
}

double report_get_number(const json_t *object, const char *path, double missing) {
    const json_t *value = report_get(object, path);
    return json_is_number(value) ? json_number_value(value) : missing;
}

uint64_t report_get_count(const json_t *object, const char *path) {
    const json_t *value = report_get(object, path);
    if (json_is_integer(value) && json_integer_value(value) > 0) return (uint64_t)json_integer_value(value);
    double number = json_is_real(value) ? json_real_value(value) : 0;
    return number >= 1 && number < 1.8e19 ? (uint64_t)number : 0;
}

const char *report_get_text(const json_t *object, const char *path) {
    const json_t *value = report_get(object, path);
    return json_is_string(value) ? json_string_value(value) : "";
}

bool report_get_bool(const json_t *object, const char *path) {
    return json_is_true(report_get(object, path));
}
