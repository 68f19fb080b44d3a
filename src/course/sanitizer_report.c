// Reports of the compilers' sanitizers, read line by line. See sanitizer_report.h.
#include "sanitizer_report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// "name.c:12" of the first line from `at` on (before `end`, where given) that names the submission.
static bool find_location(const char *at, const char *end, const char *file, char *where, size_t size) {
    const char *name = base_name(file);
    size_t length = strlen(name);
    for (; (at = strstr(at, name)) && (!end || at < end); at += length)
        if (at[length] == ':' && isdigit((unsigned char)at[length + 1]))
            return snprintf(where, size, "%.80s:%d", name, atoi(at + length + 1)), true;
    return false;
}

static void add_buffer_names(base_text *words, const course_data *data, uint64_t bytes) {
    const char *between = " (";
    if (!data) return;
    for (size_t i = 0; i < data->task->parameter_count; i++) {
        const course_parameter *p = &data->task->parameters[i];
        if (p->role == COURSE_SCALAR || data->bytes[i] + data->c->misalign * kz_type_size(p->type) != bytes)
            continue;
        base_text_add(words, "%s%s", between, p->name);
        between = " or ";
    }
    if (strcmp(between, " (") != 0) base_text_add(words, ")");
}

// "0x... is located 4 bytes to the right of 40-byte region", "... after 40-byte region" in newer ones.
static void add_distance(base_text *words, const char *report, const course_data *data) {
    const char *at = strstr(report, " is located ");
    unsigned long long distance, bytes;
    char side[32];
    if (!at) return;
    bool old =
        sscanf(at, " is located %llu bytes to the %31s of %llu-byte region", &distance, side, &bytes) == 3;
    if (!old && sscanf(at, " is located %llu bytes %31s %llu-byte region", &distance, side, &bytes) != 3)
        return;
    if (strcmp(side, "inside") == 0) return;
    bool after = strcmp(side, "right") == 0 || strcmp(side, "after") == 0;
    if (distance == 0)
        base_text_add(words, ", just %s a buffer of %llu byte%s", after ? "past the end of" : "before", bytes,
                      bytes == 1 ? "" : "s");
    else
        base_text_add(words, ", %llu byte%s %s a buffer of %llu byte%s", distance, distance == 1 ? "" : "s",
                      after ? "past the end of" : "before", bytes, bytes == 1 ? "" : "s");
    add_buffer_names(words, data, bytes);
}

static const char *likely(const char *kind) {
    static const struct {
        const char *kind, *says;
    } known[] = {
        {"heap-buffer-overflow", "Likely: an index that goes one too far, or a size of another buffer."},
        {"stack-buffer-overflow", "Likely: an array of your own that is too small for the index."},
        {"global-buffer-overflow", "Likely: an index beyond a global array."},
        {"heap-use-after-free", "The memory had been freed before."},
        {"stack-overflow",
         "Likely: recursion without an end, or a very large array on the stack: use malloc."},
        {"SEGV", "Likely: a pointer that is NULL or was never set."},
        {"attempting", "free got a pointer that malloc did not give, or one that was freed before."},
        {"requested",
         "malloc was asked for an impossible size: a negative number, or a product that wrapped?"},
        {"FPE", "Likely: a whole number was divided by zero."},
    };
    for (size_t i = 0; i < BASE_COUNT(known); i++)
        if (strncmp(kind, known[i].kind, strlen(known[i].kind)) == 0) return known[i].says;
    return NULL;
}

static void read_address(const char *report, const char *file, const course_data *data, course_report *r) {
    r->is_fault = true;
    sscanf(report, "AddressSanitizer: %47[^ \n]", r->kind);
    char access[16] = "";
    unsigned long long bytes = 0;
    const char *line = strstr(report, " of size ");
    for (const char *at = line; at && at > report && at[-1] != '\n';) line = --at;
    if (line && sscanf(line, "%15s of size %llu", access, &bytes) != 2) bytes = 0;
    find_location(report, NULL, file, r->where, sizeof r->where);
    if (bytes)
        base_text_add(&r->words, "%s of %llu byte%s%s%s", strcmp(access, "WRITE") == 0 ? "A write" : "A read",
                      bytes, bytes == 1 ? "" : "s", r->where[0] ? " at " : "", r->where);
    else
        base_text_add(&r->words, "%s%s%s", r->kind, r->where[0] ? " at " : "", r->where);
    add_distance(&r->words, report, data);
    base_text_add(&r->words, ".\n");
    if (likely(r->kind)) base_text_add(&r->words, "%s\n", likely(r->kind));
    base_text_add(&r->words, "(AddressSanitizer: %s)\n", r->kind);
}

static void read_leak(const char *report, const char *file, course_report *r) {
    unsigned long long bytes = 0, objects = 0;
    const char *at = strstr(report, "leak of ");
    if (at) sscanf(at, "leak of %llu byte(s) in %llu object(s)", &bytes, &objects);
    snprintf(r->kind, sizeof r->kind, "leak");
    find_location(report, NULL, file, r->where, sizeof r->where);
    base_text_add(&r->words, "%llu byte%s allocated%s%s %s never freed (%llu allocation%s, in two calls).\n",
                  bytes, bytes == 1 ? " that was" : "s that were", r->where[0] ? " at " : "", r->where,
                  bytes == 1 ? "is" : "are", objects, objects == 1 ? "" : "s");
    base_text_add(&r->words,
                  "Every malloc needs its free on every way out of the function. (LeakSanitizer)\n");
}

static void read_undefined(const char *start, const char *report, const char *file, course_report *r) {
    const char *line = report;
    while (line > start && line[-1] != '\n') line--;
    snprintf(r->kind, sizeof r->kind, "undefined");
    find_location(line, NULL, file, r->where, sizeof r->where);
    report += strlen("runtime error: ");
    base_text_add(&r->words, "%s%s%.*s.\n", r->where, r->where[0] ? ": " : "", (int)strcspn(report, "\n"),
                  report);
    base_text_add(&r->words, "What the program does then is not defined by C: any result is possible. "
                             "(UndefinedBehaviorSanitizer)\n");
}

// "  Atomic write of size 4 at ...": "an atomic write".
static void read_access(const char *at, char access[80]) {
    char word[64] = "access";
    sscanf(at, "%63[^0-9\n]", word);
    char *end = strstr(word, " of size");
    if (end) *end = 0;
    for (char *c = word; *c; c++) *c = (char)tolower((unsigned char)*c);
    snprintf(access, 80, "%s %s", strchr("aeiou", word[0]) ? "an" : "a", word);
}

static void read_race(const char *report, const char *file, course_report *r) {
    const char *other = strstr(report, "  Previous ");
    const char *first = strchr(report, '\n');
    char second[96] = "", first_access[80] = "an access", second_access[80] = "an access";
    if (first) read_access(first + 1 + strspn(first + 1, " "), first_access);
    if (other) read_access(other + strlen("  Previous "), second_access);
    snprintf(r->kind, sizeof r->kind, "race");
    find_location(report, other, file, r->where, sizeof r->where);
    if (other) find_location(other, NULL, file, second, sizeof second);
    base_text_add(&r->words,
                  "Two threads use the same memory at the same time, and nothing orders them: %s%s%s, and "
                  "%s%s%s.\n",
                  first_access, r->where[0] ? " at " : "", r->where, second_access, second[0] ? " at " : "",
                  second);
    base_text_add(&r->words,
                  "Give each thread a place of its own and combine afterwards, or use an atomic, a lock or "
                  "a reduction clause. (ThreadSanitizer)\n");
}

bool course_report_read(const char *output, const char *file, const course_data *data,
                        course_report *report) {
    *report = (course_report){0};
    const char *at;
    if ((at = strstr(output, "runtime error: ")))
        read_undefined(output, at, file, report);
    else if ((at = strstr(output, "ERROR: AddressSanitizer: ")))
        read_address(at + strlen("ERROR: "), file, data, report);
    else if ((at = strstr(output, "WARNING: ThreadSanitizer: data race")))
        read_race(at, file, report);
    else if ((at = strstr(output, "ERROR: LeakSanitizer: detected")))
        read_leak(at, file, report);
    else
        return false;
    return true;
}
