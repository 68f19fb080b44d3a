// The rules about a submission's text. See source_rules.h.
//
// They look at the source as the compiler does: lines joined at a backslash, no comments, and no contents of
// strings, so that none of these hides or fakes a word. The submission's own headers are looked at like it. None
// of them may include files of the course: the solution is one of them.
#include "source_rules.h"

#include <ctype.h>
#include <libgen.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 8, MOST_HEADERS = 64, LARGEST_HEADER = 1 << 20, LARGEST_FILE = 4 << 20 };

// ---- reading ------------------------------------------------------------------------------------------------

static kz_status fail_file(const char *file, const char *what, const char *next, kz_error *error) {
    base_fail(error, KZ_INVALID, "%s is %s", file, what);
    base_fail_note(error, "%s", next);
    return KZ_INVALID;
}

kz_status course_read_submission(const char *file, char **source, kz_error *error) {
    struct stat about;
    size_t size = 0;
    *source = NULL;
    if (stat(file, &about) == 0 && S_ISDIR(about.st_mode))
        return fail_file(file, "a folder", "name the file in it: kz grade FILE", error);
    if (stat(file, &about) == 0 && !S_ISREG(about.st_mode))
        return fail_file(file, "no plain file, but a pipe or a device", "write your code into a file", error);
    if (stat(file, &about) == 0 && about.st_size > LARGEST_FILE)
        return fail_file(file, "larger than 4 MiB", "is it the right one? A submission is source code",
                         error);
    kz_status status = base_file_read(file, source, &size, error);
    if (status) return status;
    if (strlen(*source) != size) {
        free(*source);
        *source = NULL;
        return fail_file(file, "no text: it holds a zero byte",
                         "is it a program instead of its source, or saved as UTF-16? Save it as UTF-8",
                         error);
    }
    if (strncmp(*source, "\xef\xbb\xbf", 3) == 0) memmove(*source, *source + 3, size - 2);
    return KZ_OK;
}

// ---- the source without comments ------------------------------------------------------------------------

// The end of what begins at `at`: a comment, a string, a character, a raw string; `at` itself for code.
static const char *skip_piece(const char *source, const char *at) {
    bool after_word = at > source && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
    if (at[0] == '/' && at[1] == '/') {
        return at + strcspn(at, "\n");
    }
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (at[0] == '"' && at > source && at[-1] == 'R') {
        char close[24];
        size_t length = strcspn(at + 1, "(\n");
        if (length < 17 && at[1 + length] == '(') {
            snprintf(close, sizeof close, ")%.*s\"", (int)length, at + 1);
            const char *end = strstr(at, close);
            return end ? end + strlen(close) : at + strlen(at);
        }
    }
    if (at[0] != '"' && (at[0] != '\'' || after_word)) return at; // 1'000 is a number
    char quote = *at++;
    while (*at && *at != quote && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
    return at + (*at == quote);
}

// Joins lines that end with a backslash; the newlines that go stand after the joined line, so that those behind
// it keep their numbers. "%:" is another spelling of "#". Malloc'ed.
static char *join_lines(const char *source) {
    char *out = malloc(strlen(source) + 1), *to = out;
    size_t owed = 0;
    if (!out) return NULL;
    for (const char *at = source; *at; at++) {
        size_t ending = at[0] != '\\' ? 0 : at[1] == '\n' ? 1 : at[1] == '\r' && at[2] == '\n' ? 2 : 0;
        if (ending) {
            at += ending;
            owed++;
            continue;
        }
        if (at[0] == '%' && at[1] == ':') {
            *to++ = '#';
            at++;
            continue;
        }
        *to++ = *at;
        for (; *at == '\n' && owed; owed--) *to++ = '\n';
    }
    for (; owed; owed--) *to++ = '\n';
    *to = 0;
    return out;
}

// Blanks comments, and with `strings` what stands between quotes; lines stay where they are. Malloc'ed.
static char *strip(const char *text, bool strings) {
    char *source = join_lines(text);
    size_t length = source ? strlen(source) : 0;
    char *out = source ? malloc(length + 1) : NULL;
    if (!out) {
        free(source);
        return NULL;
    }
    memcpy(out, source, length + 1);
    for (const char *at = source; *at;) {
        const char *end = skip_piece(source, at);
        if (*at == '/' || strings)
            for (const char *c = at; c < end; c++)
                if (*c != '\n') out[c - source] = ' ';
        at = end > at ? end : at + 1;
    }
    free(source);
    return out;
}

char *course_bare_source(const char *source) { return strip(source, true); }

static int line_at(const char *text, const char *at) {
    int line = 1;
    for (; text < at; text++) line += *text == '\n';
    return line;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// ---- a file and its own headers -------------------------------------------------------------------------------

typedef struct text {
    char path[COURSE_PATH]; // real
    char *code;             // without comments and strings
} text;

typedef struct sources {
    const course_grade_job *job;
    course_verdict *verdict;
    text texts[MOST_HEADERS]; // the submission first
    size_t count;
} sources;

// ---- includes -------------------------------------------------------------------------------------------

// The course's own folder: what is above tasks/<topic>/<id> or katas/<id>.
static void course_root(const course_task *task, char root[COURSE_PATH]) {
    char *real = realpath(task->folder, NULL);
    snprintf(root, COURSE_PATH, "%s", real ? real : task->folder);
    free(real);
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(root, '/');
        if (!slash || slash == root) return;
        *slash = 0;
        const char *folder = base_name(root);
        bool is_list = strcmp(folder, "tasks") == 0 || strcmp(folder, "katas") == 0;
        if (is_list) {
            slash = strrchr(root, '/');
            if (slash && slash != root) *slash = 0;
            return;
        }
    }
}

static bool lies_in(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// Where an included name leads from the file that includes it; false where there is nothing: the compiler knows
// other folders.
static bool resolve(const char *from, const char *name, char real[COURSE_PATH]) {
    char folder[COURSE_PATH], path[2 * COURSE_PATH];
    snprintf(folder, sizeof folder, "%s", from);
    if (name[0] == '/')
        snprintf(path, sizeof path, "%s", name);
    else
        snprintf(path, sizeof path, "%s/%s", dirname(folder), name);
    char *found = realpath(path, NULL);
    bool fits = found && strlen(found) < COURSE_PATH;
    if (fits) strcpy(real, found);
    free(found);
    return fits;
}

// A file of the course: one of its folders, but for what a task gives away, or one that is called like a solution.
static bool is_course_file(const course_grade_job *job, const char *name, const char *real) {
    char root[COURSE_PATH], given[COURSE_PATH + 16];
    if (strncmp(base_name(name), "solution.", 9) == 0 || strcmp(base_name(name), "reference.c") == 0)
        return true;
    course_root(job->task, root);
    snprintf(given, sizeof given, "%s/files", job->task->folder);
    return real[0] && lies_in(real, root) && !lies_in(real, given);
}

// A device or a pipe is none; a folder is the compiler's to refuse.
static bool is_plain(const char *path) {
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
}

static void refuse_include(const sources *s, const char *file, int line, const char *what) {
    char summary[400];
    snprintf(summary, sizeof summary, "%.200s:%d: %s", base_name(file), line, what);
    course_verdict_add(s->verdict, "source", COURSE_BAD, COURSE_SOURCE, "include", summary,
                       "The course's own files are no part of a submission.\n"
                       "next: write the code into your file; headers of the toolkit and your own are fine");
}

static kz_status look_at(sources *s, const char *path, const char *source, int depth, kz_error *error);

static kz_status look_at_header(sources *s, const char *real, int depth, kz_error *error) {
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->texts[i].path, real) == 0) return KZ_OK;
    char *source = NULL;
    size_t size = 0;
    struct stat about;
    if (depth >= DEEPEST || stat(real, &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_size > LARGEST_HEADER || base_file_read(real, &source, &size, NULL) != KZ_OK)
        return KZ_OK; // what the compiler makes of it is its to say
    kz_status status = look_at(s, real, source, depth + 1, error);
    free(source);
    return status;
}

// One line that begins with "#": an #include or its like.
static kz_status look_at_directive(sources *s, const char *path, int line, const char *word, int depth,
                                   kz_error *error) {
    static const char *const words[] = {"include_next", "include", "import", "embed"};
    size_t i = 0;
    while (i < BASE_COUNT(words) && strncmp(word, words[i], strlen(words[i])) != 0) i++;
    if (i == BASE_COUNT(words)) return KZ_OK;
    const char *name = word + strlen(words[i]);
    name += strspn(name, " \t");
    char close = *name == '"' ? '"' : '>', named[COURSE_PATH], real[COURSE_PATH] = "";
    size_t length = *name == '"' || *name == '<' ? strcspn(name + 1, (char[]){close, '\n', 0}) : 0;
    snprintf(named, sizeof named, "%.*s", (int)length, length ? name + 1 : "");
    bool found = length && resolve(path, named, real);
    if (length == 0)
        refuse_include(s, path, line, "an #include must name its file");
    else if (is_course_file(s->job, named, real))
        refuse_include(s, path, line, "this includes a file of the course");
    else if (strcmp(words[i], "embed") == 0)
        refuse_include(s, path, line, "#embed is not taken here");
    else if (found && !is_plain(real))
        refuse_include(s, path, line, "this includes a device or a pipe, which a compiler reads without end");
    else if (found)
        return look_at_header(s, real, depth, error);
    return KZ_OK;
}

// The file's includes, and those of the headers among them.
static kz_status look_at(sources *s, const char *path, const char *source, int depth, kz_error *error) {
    if (s->count == MOST_HEADERS) return KZ_OK;
    char *code = strip(source, true), *with_strings = strip(source, false);
    kz_status status =
        code && with_strings ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory for %s", path);
    if (!status) {
        text *added = &s->texts[s->count++];
        snprintf(added->path, sizeof added->path, "%s", path);
        added->code = code;
        code = NULL;
    }
    int line = 1;
    for (const char *at = with_strings; !status && *at; line++) {
        const char *end = at + strcspn(at, "\n"), *word = at + strspn(at, " \t\f\v");
        if (*word == '#')
            status = look_at_directive(s, path, line, word + 1 + strspn(word + 1, " \t"), depth, error);
        at = end + (*end == '\n');
    }
    const char *binary = status ? NULL : strstr(with_strings, ".incbin");
    if (binary) refuse_include(s, path, line_at(with_strings, binary), ".incbin is not taken here");
    free(code);
    free(with_strings);
    return status;
}

// ---- rules ----------------------------------------------------------------------------------------------

static kz_status check_rule(sources *s, const course_source_rule *rule, kz_error *error) {
    const course_grade_job *job = s->job;
    regex_t regex;
    int failed = regcomp(&regex, rule->pattern, REG_EXTENDED | REG_NEWLINE);
    if (failed) {
        char why[200];
        regerror(failed, &regex, why, sizeof why);
        return base_fail(error, KZ_SYNTAX, "task %s: [[source]] \"%s\" is no extended regular expression: %s",
                         job->task->id, rule->pattern, why);
    }
    regmatch_t match;
    size_t i = 0;
    while (i < s->count && regexec(&regex, s->texts[i].code, 1, &match, 0) != 0) i++;
    bool found = i < s->count;
    regfree(&regex);
    if (found != rule->forbid) return KZ_OK;
    base_text summary = {0}, detail = {0};
    if (found) {
        const char *code = s->texts[i].code;
        base_text_add(&summary, "%s:%d: \"%.*s\" is not to be used here", base_name(s->texts[i].path),
                      line_at(code, code + match.rm_so), (int)(match.rm_eo - match.rm_so),
                      code + match.rm_so);
    } else
        base_text_add(&summary, "%s: there is no \"%s\" in it", base_name(job->file), rule->pattern);
    base_text_add(&detail, "%s\nnext: %s", rule->why ? rule->why : "The exercise asks for it.",
                  found ? "do it without; comments and texts do not count"
                        : "use it; see the statement and the hints");
    course_verdict_add(s->verdict, "source", COURSE_BAD, COURSE_SOURCE, rule->pattern, summary.data,
                       detail.data);
    base_text_free(&summary);
    base_text_free(&detail);
    return KZ_OK;
}

kz_status course_check_source(const course_grade_job *job, const char *source, course_verdict *verdict,
                              kz_error *error) {
    bool is_code = job->task->kind == COURSE_CUDA || job->task->kind == COURSE_C;
    if (!is_code && job->task->rule_count == 0) return KZ_OK;
    sources *s = calloc(1, sizeof *s);
    if (!s) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", job->file);
    s->job = job;
    s->verdict = verdict;
    kz_status status = look_at(s, job->file, source, is_code ? 0 : DEEPEST, error);
    for (size_t i = 0; i < job->task->rule_count && !status; i++)
        status = check_rule(s, &job->task->rules[i], error);
    for (size_t i = 0; i < s->count; i++) free(s->texts[i].code);
    free(s);
    return status;
}
