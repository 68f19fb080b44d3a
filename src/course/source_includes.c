// What a submission includes, found in its text before a compiler reads it: files of the course, devices, and what
// nobody could look through are refused. That the compiler sees no file of others is the sandbox's to enforce.
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "source_rules.h"
#include "source_text.h"
#include "toolchain/toolchain.h"

enum { DEEPEST = 8, MOST_FILES = 64, LARGEST_HEADER = 1 << 20 };

typedef struct includes {
    const course_grade_job *job;
    course_verdict *verdict;
    course_dialect dialect;
    char paths[MOST_FILES][COURSE_PATH]; // looked at, real; the submission first
    size_t count;
    bool refused;
} includes;

// ---- whose file it is -------------------------------------------------------------------------------------

bool course_lies_in(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// The course's own folder: what is above tasks/<topic>/<id> or katas/<id>.
void course_root_of(const course_task *task, char root[COURSE_PATH]) {
    char *real = realpath(task->folder, NULL);
    snprintf(root, COURSE_PATH, "%s", real ? real : task->folder);
    free(real);
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(root, '/');
        if (!slash || slash == root) return;
        *slash = 0;
        const char *folder = base_file_name(root);
        if (strcmp(folder, "tasks") != 0 && strcmp(folder, "katas") != 0) continue;
        slash = strrchr(root, '/');
        if (slash && slash != root) *slash = 0;
        return;
    }
}

void course_hide(const course_task *task, course_hidden *hidden) {
    char root[COURSE_PATH];
    course_root_of(task, root);
    snprintf(hidden->paths[0], sizeof hidden->paths[0], "%s/tasks", root);
    snprintf(hidden->paths[1], sizeof hidden->paths[1], "%s/katas", root);
    hidden->list[0] = hidden->paths[0];
    hidden->list[1] = hidden->paths[1];
    hidden->list[2] = NULL;
}

void course_hide_from(const course_task *task, toolchain *tools) {
    course_hidden hidden;
    course_hide(task, &hidden);
    tools->is_untrusted = true;
    for (size_t i = 0; i < BASE_COUNT(hidden.paths); i++)
        snprintf(tools->hidden[i], sizeof tools->hidden[i], "%.*s", TOOLCHAIN_PATH - 1, hidden.paths[i]);
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
    if (strncmp(base_file_name(name), "solution.", 9) == 0 ||
        strcmp(base_file_name(name), "reference.c") == 0)
        return true;
    course_root_of(job->task, root);
    snprintf(given, sizeof given, "%s/files", job->task->folder);
    return real[0] && course_lies_in(real, root) && !course_lies_in(real, given);
}

// A device or a pipe is none, nor what the kernel makes up for each reader; a folder is the compiler's to refuse.
static bool is_plain(const char *path) {
    struct stat about;
    if (course_lies_in(path, "/proc") || course_lies_in(path, "/sys") || course_lies_in(path, "/dev"))
        return false;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
}

// ---- looking ------------------------------------------------------------------------------------------------

static void refuse(includes *s, const char *file, int line, const char *what, const char *why,
                   const char *next) {
    char summary[400], detail[400];
    snprintf(summary, sizeof summary, "%.200s:%d: %s", base_file_name(file), line, what);
    snprintf(detail, sizeof detail, "%s\nnext: %s", why, next);
    course_verdict_add(s->verdict, "source", COURSE_BAD, COURSE_SOURCE, "include", summary, detail);
    s->refused = true;
}

static void refuse_file(includes *s, const char *file, int line, const char *what) {
    refuse(s, file, line, what, "The course's own files are no part of a submission.",
           "write the code into your file; headers of the toolkit and your own are fine");
}

static kz_status look_at(includes *s, const char *path, const char *source, int depth, kz_error *error);

// What is included is looked at like the file itself, or refused: nothing hides in what is too large.
static kz_status look_at_header(includes *s, const char *from, int line, const char *real, int depth,
                                kz_error *error) {
    static const char why[] = "All that a submission includes is looked at before it is compiled.";
    static const char next[] = "put the code into fewer and smaller headers, or into your file";
    struct stat about;
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->paths[i], real) == 0) return KZ_OK;
    if (stat(real, &about) != 0 || !S_ISREG(about.st_mode)) return KZ_OK; // the compiler's to say
    if (about.st_size > LARGEST_HEADER)
        refuse(s, from, line, "this header is larger than 1 MiB", why, next);
    else if (depth >= DEEPEST)
        refuse(s, from, line, "headers that include each other more than 8 deep", why, next);
    else if (s->count == MOST_FILES)
        refuse(s, from, line, "more than 63 headers", why, next);
    if (s->refused) return KZ_OK;
    char *source = NULL;
    kz_error unread = {0};
    kz_status status = course_read_submission(real, &source, &unread);
    if (status == KZ_NO_MEMORY) {
        if (error) *error = unread;
        return status;
    }
    if (status)
        refuse(s, from, line, "this header cannot be read as text", unread.message, "save it as UTF-8");
    else
        status = look_at(s, real, source, depth + 1, error);
    free(source);
    return s->refused ? KZ_OK : status;
}

// One line that begins with "#": an #include or its like.
static kz_status look_at_directive(includes *s, const char *path, int line, const char *word, int depth,
                                   kz_error *error) {
    static const char *const words[] = {"include_next", "include", "import", "embed"};
    size_t i = 0;
    while (i < BASE_COUNT(words) && strncmp(word, words[i], strlen(words[i])) != 0) i++;
    if (i == BASE_COUNT(words)) return KZ_OK;
    const char *name = word + strlen(words[i]);
    name += strspn(name, " \t\f\v");
    char close = *name == '"' ? '"' : '>', named[COURSE_PATH], real[COURSE_PATH] = "";
    size_t length = *name == '"' || *name == '<' ? strcspn(name + 1, (char[]){close, '\n', 0}) : 0;
    snprintf(named, sizeof named, "%.*s", (int)length, length ? name + 1 : "");
    bool found = length && resolve(path, named, real);
    if (length == 0)
        refuse_file(s, path, line, "an #include must name its file");
    else if (is_course_file(s->job, named, real))
        refuse_file(s, path, line, "this includes a file of the course");
    else if (strcmp(words[i], "embed") == 0)
        refuse_file(s, path, line, "#embed is not taken here");
    else if (found && !is_plain(real))
        refuse_file(s, path, line, "this includes a device or a pipe, which a compiler reads without end");
    else if (found)
        return look_at_header(s, path, line, real, depth, error);
    return KZ_OK;
}

// Neighbouring strings are one: ".inc" "bin" brings a file in by the assembler.
static void look_at_strings(includes *s, const char *path, const char *text) {
    base_text joined = {0};
    const char *began = text;
    bool found = false;
    for (const char *at = text, *end; *at && !found; at = end) {
        course_token token;
        end = course_token_end(at, s->dialect, &token);
        if (token == COURSE_TOKEN_STRING) {
            const char *quote = at + strcspn(at, "\"'");
            if (!joined.length) began = at;
            if (quote + 1 < end) base_text_add_bytes(&joined, quote + 1, (size_t)(end - quote - 2));
            found = joined.data && strstr(joined.data, ".incbin");
        } else if (!strchr(" \t\f\v\r\n", *at))
            base_text_free(&joined);
    }
    if (found) refuse_file(s, path, course_line_at(text, began), ".incbin is not taken here");
    base_text_free(&joined);
}

// The file's includes, and those of the headers among them.
static kz_status look_at(includes *s, const char *path, const char *source, int depth, kz_error *error) {
    char *text = course_strip_source(source, s->dialect, false);
    if (!text) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", path);
    snprintf(s->paths[s->count++], COURSE_PATH, "%s", path);
    kz_status status = KZ_OK;
    int line = 1;
    for (const char *at = text; !status && *at; line++) {
        const char *end = at + strcspn(at, "\n"), *word = at + strspn(at, " \t\f\v");
        if (*word == '#')
            status = look_at_directive(s, path, line, word + 1 + strspn(word + 1, " \t\f\v"), depth, error);
        at = end + (*end == '\n');
    }
    if (!status) look_at_strings(s, path, text);
    free(text);
    return status;
}

kz_status course_check_includes(const course_grade_job *job, const char *source, course_verdict *verdict,
                                kz_error *error) {
    includes *s = calloc(1, sizeof *s);
    if (!s) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", job->file);
    *s = (includes){.job = job, .verdict = verdict, .dialect = {.is_cpp = job->task->kind == COURSE_CUDA}};
    kz_status status = look_at(s, job->file, source, 0, error);
    if (!status && !s->refused && !s->dialect.is_cpp) { // gcc's C has raw strings, clang's has none
        s->dialect.no_raw_strings = true;
        s->count = 0;
        status = look_at(s, job->file, source, 0, error);
    }
    free(s);
    return status;
}
