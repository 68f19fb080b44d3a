// Loading a task: task.toml, read in the order in which its parts need each other, with nothing left over.
#include "course/load.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kz/family.h"

enum { DEFAULT_SECONDS = 20, DEFAULT_MEMORY = 2048 };

bool course_is_id(const char *text) {
    if (!islower((unsigned char)*text) || strlen(text) >= COURSE_NAME) return false;
    for (const char *c = text; *c; c++) {
        if (*c == '-' && (c[1] == '-' || !c[1])) return false;
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '-') return false;
    }
    return true;
}

bool course_is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(*words, word) == 0) return true;
    return false;
}

bool course_load_pattern(course_toml *toml, const course_toml_value *at, const char *pattern, size_t groups) {
    regex_t compiled;
    int code = regcomp(&compiled, pattern, REG_EXTENDED | REG_NEWLINE);
    if (code) {
        char why[120];
        regerror(code, &compiled, why, sizeof why);
        course_toml_fail(toml, at, "this is no extended regular expression: %s", why);
        return false;
    }
    size_t found = compiled.re_nsub;
    regfree(&compiled);
    if (found < groups) course_toml_fail(toml, at, "the value is what a group ( ) matches: there is none");
    return found >= groups;
}

// ---- what every task has --------------------------------------------------------------------------

static int choice(course_toml *toml, const char *key, const char *const *words, int fallback) {
    const char *word = course_toml_string(toml, toml->root, key, NULL);
    if (!word) return fallback;
    base_text known = {0};
    int found = -1;
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) found = i;
        base_text_add(&known, "%s%s", i ? ", " : "", words[i]);
    }
    if (found < 0)
        course_toml_fail(toml, course_toml_get(toml, toml->root, key), "%s is one of %s, not \"%s\"", key,
                         known.data ? known.data : "", word);
    base_text_free(&known);
    return found < 0 ? fallback : found;
}

static int in_range(course_toml *toml, const char *key, int least, int most) {
    course_toml_value *at = course_toml_get(toml, toml->root, key);
    int64_t value = course_toml_integer(toml, toml->root, key, 0);
    if (!toml->status && !at)
        course_toml_fail(toml, NULL, "%s = is missing: a number, %d to %d", key, least, most);
    if (!toml->status && (value < least || value > most))
        course_toml_fail(toml, at, "%s is %d to %d", key, least, most);
    return (int)value;
}

static void fail_family(course_toml *toml, const course_toml_value *at) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    const char **names = course_toml_alloc(toml, (count + 1) * sizeof *names);
    for (size_t i = 0; names && i < count; i++) names[i] = families[i]->name;
    const char *nearest = names ? base_nearest(at->string, names) : NULL;
    if (nearest)
        course_toml_fail(toml, at, "the zoo has no family \"%s\"; did you mean \"%s\"?", at->string, nearest);
    else
        course_toml_fail(toml, at, "the zoo has no family \"%s\"; kz list shows those there are", at->string);
}

static void load_families(course_toml *toml, course_task *task) {
    course_toml_value *list = course_toml_get(toml, toml->root, "leads_to");
    task->leads_to = course_toml_strings(toml, toml->root, "leads_to");
    for (course_toml_value *e = list ? list->first : NULL; e && !toml->status; e = e->next)
        if (!kz_family_find(e->string)) fail_family(toml, e);
}

static void load_common(course_toml *toml, course_task *task) {
    static const char *const kinds[] = {"cuda", "c", "command", "answer", NULL};
    static const char *const forms[] = {"kernel", "program", NULL};
    static const char *const extensions[] = {"cu", "c", "txt", "txt"};
    course_toml_value *root = toml->root;
    task->title = course_toml_need_string(toml, root, "title");
    if (!toml->status && !course_toml_get(toml, root, "kind"))
        course_toml_fail(toml, NULL, "kind = is missing: cuda, c, command or answer");
    task->kind = (course_kind)choice(toml, "kind", kinds, COURSE_CUDA);
    task->extension = extensions[task->kind];
    if (task->kind == COURSE_CUDA) task->form = (course_form)choice(toml, "form", forms, COURSE_KERNEL);
    task->level = in_range(toml, "level", 1, 5);
    task->minutes = in_range(toml, "minutes", 1, 1000);
    task->teaches = course_toml_need_string(toml, root, "teaches");
    task->skills = course_toml_strings(toml, root, "skills");
    if (!toml->status && !task->skills[0])
        course_toml_fail(toml, NULL, "skills = [...] is missing: what it trains, of course/skills.toml");
    task->needs = course_toml_strings(toml, root, "needs");
    load_families(toml, task);
    task->is_capstone = course_toml_boolean(toml, root, "capstone", false);
}

static void load_limits(course_toml *toml, course_task *task) {
    course_toml_value *table = course_toml_table(toml, toml->root, "limits");
    task->limit_seconds = course_toml_number(toml, table, "seconds", DEFAULT_SECONDS);
    double memory = course_toml_number(toml, table, "memory", DEFAULT_MEMORY);
    if (!(task->limit_seconds > 0 && task->limit_seconds <= 600))
        course_toml_fail(toml, course_toml_get(toml, table, "seconds"), "seconds is above 0, at most 600");
    if (!(memory >= 16 && memory <= 1 << 20))
        course_toml_fail(toml, course_toml_get(toml, table, "memory"), "memory is in MiB: 16 to 1048576");
    task->limit_bytes = (uint64_t)memory << 20;
}

static void load_rules(course_toml *toml, course_task *task) {
    course_toml_value *tables = course_toml_tables(toml, toml->root, "source");
    if (!tables) return;
    course_source_rule *rules = course_toml_alloc(toml, tables->count * sizeof *rules);
    if (!rules) return;
    for (course_toml_value *t = tables->first; t && !toml->status; t = t->next) {
        const char *forbid = course_toml_string(toml, t, "forbid", NULL),
                   *require = course_toml_string(toml, t, "require", NULL);
        if (!toml->status && !forbid == !require)
            course_toml_fail(toml, t, "a [[source]] has forbid or require: one pattern");
        const char *pattern = forbid ? forbid : require;
        if (pattern)
            course_load_pattern(toml, course_toml_get(toml, t, forbid ? "forbid" : "require"), pattern, 0);
        rules[task->rule_count++] =
            (course_source_rule){pattern, course_toml_need_string(toml, t, "why"), forbid != NULL};
    }
    task->rules = rules;
}

// ---- kinds that are compiled ------------------------------------------------------------------------

static void load_sanitize(course_toml *toml, course_task *task) {
    // The instruments of the sanitizer (KZ_OBSERVE), by which detectors are left out.
    static const char *const detectors[] = {"races", "sync", "undefined", "numerics", "leaks", NULL};
    course_toml_value *table = course_toml_table(toml, toml->root, "sanitize"),
                      *skip = course_toml_get(toml, table, "skip");
    task->sanitize_skip = course_toml_strings(toml, table, "skip");
    for (course_toml_value *e = skip ? skip->first : NULL; e && !toml->status; e = e->next)
        if (!course_is_one_of(e->string, detectors))
            course_toml_fail(toml, e,
                             "there is no detector \"%s\"; there are races, sync, undefined, numerics, leaks",
                             e->string);
}

static void load_build(course_toml *toml, course_task *task) {
    static const char *const sanitizers[] = {"address", "thread", "none", NULL};
    course_toml_value *table = course_toml_table(toml, toml->root, "build");
    task->build_flags = course_toml_strings(toml, table, "flags");
    task->build_sanitize = course_toml_string(toml, table, "sanitize", "address");
    if (task->build_sanitize && !course_is_one_of(task->build_sanitize, sanitizers))
        course_toml_fail(toml, course_toml_get(toml, table, "sanitize"),
                         "sanitize is address, thread or none");
}

static void load_function(course_toml *toml, course_task *task) {
    course_load_signature(toml, course_toml_table(toml, toml->root, "scalars"), task);
    course_load_cases(toml, task);
    course_load_buffers(toml, task);
    course_load_gates(toml, task);
    if (task->kind == COURSE_CUDA) course_load_speed(toml, task);
    if (task->kind == COURSE_CUDA && task->form == COURSE_KERNEL) course_load_launch(toml, task);
    if (task->kind == COURSE_CUDA) load_sanitize(toml, task);
    if (task->kind == COURSE_C || task->form == COURSE_PROGRAM) load_build(toml, task);
    load_rules(toml, task);
}

// ---- the folder ---------------------------------------------------------------------------------------

static kz_status name_task(base_arena *arena, const char *folder, course_task *task, kz_error *error) {
    char whole[4096];
    if (!realpath(folder, whole)) return base_fail(error, KZ_NOT_FOUND, "there is no folder %s", folder);
    char *slash = strrchr(whole, '/');
    if (!slash || strlen(whole) >= COURSE_PATH - 2 * COURSE_NAME)
        return base_fail(error, KZ_INVALID, "%s: this path is too long", folder);
    task->folder = base_arena_string(arena, whole, strlen(whole));
    task->id = base_arena_string(arena, slash + 1, strlen(slash + 1));
    *slash = 0;
    slash = strrchr(whole, '/');
    const char *parent = slash ? slash + 1 : whole;
    task->is_kata = strcmp(parent, "katas") == 0;
    task->is_reading = strcmp(parent, "reading") == 0;
    task->topic = task->is_kata ? "kata" : base_arena_string(arena, parent, strlen(parent));
    if (!task->folder || !task->id || !task->topic)
        return base_fail(error, KZ_NO_MEMORY, "no memory for the task %s", folder);
    if (!course_is_id(task->id))
        return base_fail(
            error, KZ_SYNTAX,
            "%s: a task's folder is named in lower case, words joined by hyphens: \"vector-add\"",
            task->folder);
    return KZ_OK;
}

static void need_file(course_toml *toml, const course_task *task, const char *name) {
    char path[COURSE_PATH];
    snprintf(path, sizeof path, "%s/%s", task->folder, name);
    if (!toml->status && !base_file_exists(path))
        course_toml_fail(toml, NULL, "%s is missing in this folder (docs/tasks.md says what it holds)", name);
}

kz_status course_task_load(base_arena *arena, const char *folder, course_task *task, kz_error *error) {
    static const char *const none[] = {NULL};
    *task = (course_task){
        .leads_to = none, .sanitize_skip = none, .build_flags = none, .build_sanitize = "address"};
    kz_status status = name_task(arena, folder, task, error);
    if (status) return status;
    char path[COURSE_PATH], solution[32];
    snprintf(path, sizeof path, "%s/task.toml", task->folder);
    if (!base_file_exists(path))
        return base_fail(error, KZ_NOT_FOUND, "%s: there is no task.toml in it, so it is no task's folder",
                         task->folder);
    course_toml toml;
    status = course_toml_read(arena, path, &toml, error);
    if (status) return status;
    load_common(&toml, task);
    load_limits(&toml, task);
    if (task->kind == COURSE_CUDA || task->kind == COURSE_C)
        load_function(&toml, task);
    else
        course_load_answers(&toml, task);
    course_toml_finish(&toml);
    snprintf(solution, sizeof solution, "solution.%s", task->extension);
    need_file(&toml, task, solution);
    need_file(&toml, task, "statement.md");
    need_file(&toml, task, "hints.md");
    return toml.status;
}
