// JSON lines: as it goes (the journal), or whole at the end.
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct report_journal {
    int file;
    char *path;
    kz_error failure; // the first one; status KZ_OK while there is none
};

enum { LINE = JSON_COMPACT | JSON_PRESERVE_ORDER };

static kz_status fail_write(report_journal *j, int code) {
    base_fail(&j->failure, KZ_IO, "cannot write %s: %s", j->path, strerror(code));
    if (code == ENOSPC) base_fail_note(&j->failure, "the disk is full; what was written before is whole");
    base_fail_note(&j->failure, "set KZ_RESULTS to a folder that can be written, and run it again");
    return KZ_IO;
}

kz_status report_journal_open(const char *path, report_journal **journal, kz_error *error) {
    *journal = NULL;
    report_journal *j = calloc(1, sizeof *j);
    char *copy = strdup(path);
    if (!j || !copy) {
        free(j);
        free(copy);
        return base_fail(error, KZ_NO_MEMORY, "no memory for the results file");
    }
    j->path = copy;
    j->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (j->file < 0) {
        fail_write(j, errno);
        if (error) *error = j->failure;
        free(copy);
        free(j);
        return KZ_IO;
    }
    *journal = j;
    return KZ_OK;
}

// Writes the whole line, or takes back what the disk had room for.
static kz_status write_line(report_journal *j, const char *line, size_t length) {
    off_t before = lseek(j->file, 0, SEEK_END);
    size_t done = 0;
    while (done < length) {
        ssize_t n = write(j->file, line + done, length - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            int code = errno;
            if (done > 0 && before >= 0 && ftruncate(j->file, before) != 0) code = errno;
            return fail_write(j, code);
        }
        done += (size_t)n;
    }
    return KZ_OK;
}

kz_status report_journal_add(report_journal *j, const json_t *object, kz_error *error) {
    if (!j->failure.status) {
        char *text = json_dumps(object, LINE);
        size_t length = text ? strlen(text) : 0;
        if (text) {
            text[length] = '\n'; // in the NUL's place: it is no string from here on
            write_line(j, text, length + 1);
        } else {
            base_fail(&j->failure, KZ_NO_MEMORY, "no memory for a line of %s", j->path);
        }
        free(text);
    }
    if (j->failure.status && error) *error = j->failure;
    return j->failure.status;
}

kz_status report_journal_close(report_journal *j, kz_error *error) {
    if (!j) return KZ_OK;
    // Pipes and devices cannot be synced, and need not be.
    if (fsync(j->file) != 0 && errno != EINVAL && errno != EROFS && !j->failure.status) fail_write(j, errno);
    if (close(j->file) != 0 && !j->failure.status) fail_write(j, errno);
    kz_status status = j->failure.status;
    if (status && error) *error = j->failure;
    free(j->path);
    free(j);
    return status;
}

void report_results_folder(base_text *path) {
    if (!base_state_folder(path)) base_text_add(path, "/tmp/.local/state/kz");
}

kz_status report_results_path(const char *verb, base_text *path, kz_error *error) {
    report_results_folder(path);
    if (path->failed) return base_fail(error, KZ_NO_MEMORY, "no memory for the results file's name");
    kz_status status = base_make_folders(path->data, error);
    if (status) {
        base_fail_note(error, "set KZ_RESULTS to a folder that can be written, or use --no-save");
        return status;
    }
    char stamp[BASE_UTC];
    base_utc_stamp(stamp);
    base_text_add(path, "/%s-%s-%ld.jsonl", verb, stamp, (long)getpid());
    return KZ_OK;
}

kz_status report_write_text(const base_text *text, const char *path, kz_error *error) {
    const char *data = text->data ? text->data : "";
    if (text->failed) return base_fail(error, KZ_NO_MEMORY, "no memory for the output");
    if (path) return base_file_write(path, data, text->length, error);
    if (fwrite(data, 1, text->length, stdout) == text->length && fflush(stdout) == 0) return KZ_OK;
    return base_fail(error, KZ_IO, "the output could not be written: %s", strerror(errno));
}

// Adds an object and ends the line.
static void add_json(base_text *text, const json_t *object, size_t flags) {
    char *dumped = object ? json_dumps(object, flags) : NULL;
    if (dumped) base_text_add(text, "%s\n", dumped);
    text->failed = text->failed || !dumped;
    free(dumped);
}

kz_status report_write_lines(const json_t *array, const char *path, kz_error *error) {
    base_text text = {0};
    size_t i;
    json_t *object;
    json_array_foreach((json_t *)array, i, object) add_json(&text, object, LINE);
    kz_status status = report_write_text(&text, path, error);
    base_text_free(&text);
    return status;
}

static kz_status write_one(json_t *object, size_t flags, const char *path, kz_error *error) {
    base_text text = {0};
    add_json(&text, object, flags);
    json_decref(object);
    kz_status status = report_write_text(&text, path, error);
    base_text_free(&text);
    return status;
}

kz_status report_write_line(json_t *object, const char *path, kz_error *error) {
    return write_one(object, LINE, path, error);
}

kz_status report_write_indented(json_t *object, const char *path, kz_error *error) {
    return write_one(object, JSON_INDENT(2), path, error);
}

json_t *report_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }
