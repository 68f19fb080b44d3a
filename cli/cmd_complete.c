// kz complete WORDS...: what may stand for the last word, for the completion of shells (completion/).
//
// A line is "name TAB what it is"; the names begin as the last word does. Nothing here lists what kz
// has: a command's usage is its grammar, in which FAMILY, TASK, PATH and the like stand for names that are looked
// up, and small words for themselves; options are the command's table. Where nothing is printed a shell offers
// files.
#include "cli.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "bench/peers.h"
#include "course/course.h"
#include "kz/family.h"
#include "learn/read.h"
#include "workload/suite.h"

enum { TOKENS = 16, TOKEN = 48, DEVICES = 64 };

typedef struct typed {
    const char *last;   // the word to complete, or what follows "--option=" in it
    const char *before; // "--option=", or ""
    base_text *offers;  // lines, each after a newline
} typed;

// Once: several forms of a command may go on with the same name.
static void offer(const typed *t, const char *name, const char *text) {
    if (strncmp(name, t->last, strlen(t->last)) != 0) return;
    char line[256];
    int length = snprintf(line, sizeof line, "\n%s%s\t", t->before, name);
    if (t->offers->data && strstr(t->offers->data, line)) return;
    base_text_add(t->offers, "%.*s\t%s", length - 1, line, text ? text : "");
}

// ---- names that are looked up -----------------------------------------------------------------------------

static void offer_families(const typed *t) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    for (size_t i = 0; i < count; i++) offer(t, families[i]->name, families[i]->summary);
}

// The families first; behind a slash the variants of that family.
static void offer_variants(const typed *t) {
    const char *slash = strchr(t->last, '/');
    if (!slash) {
        offer_families(t);
        return;
    }
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    for (size_t i = 0; i < count; i++) {
        const kz_family *f = families[i];
        if (strlen(f->name) != (size_t)(slash - t->last) || strncmp(f->name, t->last, strlen(f->name)) != 0)
            continue;
        for (size_t v = 0; v < f->variant_count; v++) {
            char name[128];
            snprintf(name, sizeof name, "%s/%s", f->name, f->variants[v].name);
            offer(t, name, f->variants[v].idea);
        }
    }
}

static course_catalogue *open_course(void) {
    char folder[COURSE_PATH];
    course_catalogue *catalogue = NULL;
    if (course_find(folder, NULL) || course_open(folder, &catalogue, NULL)) return NULL;
    return catalogue;
}

static void offer_tasks(const typed *t) {
    course_catalogue *c = open_course();
    for (size_t i = 0; c && i < c->task_count; i++) offer(t, c->tasks[i].id, c->tasks[i].title);
    if (c) course_close(c);
}

static void offer_paths(const typed *t) {
    course_catalogue *c = open_course();
    for (size_t i = 0; c && i < c->path_count; i++) offer(t, c->paths[i].id, c->paths[i].title);
    if (c) course_close(c);
}

static void offer_pages(const typed *t) {
    char folder[COURSE_PATH];
    learn_pages *pages;
    if (course_find(folder, NULL) || learn_pages_open(folder, &pages, NULL)) return;
    const char *name, *about;
    for (size_t i = 0; (name = learn_pages_get(pages, i, &about)) != NULL; i++) offer(t, name, about);
    learn_pages_close(pages);
}

static void offer_device_ids(const typed *t, const char *prefix) {
    kz_device_info infos[DEVICES] = {{.size = sizeof infos[0]}};
    size_t count = 0, length = strlen(prefix);
    if (kz_device_list(infos, DEVICES, &count, NULL)) return;
    for (size_t i = 0; i < count && i < DEVICES; i++)
        if (strncmp(infos[i].id, prefix, length) == 0) offer(t, infos[i].id + length, infos[i].name);
}

static void offer_devices(const typed *t) { offer_device_ids(t, ""); }
static void offer_gpus(const typed *t) { offer_device_ids(t, "sim:"); }

static void offer_suites(const typed *t) {
    base_arena *arena = base_arena_open();
    const char *const *names = NULL;
    if (arena && workload_suite_list(arena, &names, NULL) == KZ_OK)
        for (; *names; names++) {
            workload_suite suite;
            if (workload_suite_open(*names, &suite, NULL) == KZ_OK) offer(t, *names, suite.title);
            workload_suite_close(&suite);
        }
    base_arena_close(arena);
}

// One more name of a list: what stands before its last comma stays.
static void offer_listed(const typed *t, const char *name, const char *text) {
    const char *comma = strrchr(t->last, ',');
    char list[200];
    snprintf(list, sizeof list, "%.*s%s", comma ? (int)(comma + 1 - t->last) : 0, t->last, name);
    offer(t, list, text);
}

static void offer_rivals(const typed *t) {
    for (size_t i = 0; i < BENCH_RIVALS; i++)
        offer_listed(t, bench_rivals[i].name, bench_rivals[i].python ? "a rival in Python" : "a library");
    offer(t, "none", "no rivals");
}

static void offer_modes(const typed *t) {
#define BENCH_MODE_ROW(enumerator, name, title, cold, meaning) offer_listed(t, name, meaning);
#include "bench/condition.def"
}

static void offer_caches(const typed *t) {
#define BENCH_CACHE_ROW(enumerator, name, meaning) offer_listed(t, name, meaning);
#include "bench/condition.def"
}

static void offer_streams(const typed *t) {
#define BENCH_STREAM_ROW(enumerator, name, title, meaning) offer_listed(t, name, meaning);
#include "bench/condition.def"
}

static void offer_columns(const typed *t) {
#define METRIC_GROUP(name, meaning) offer_listed(t, #name, meaning);
#include "report/bench/metrics.def"
    offer(t, "all", "every group");
}

static void offer_commands(const typed *t) {
    for (size_t i = 0; i < cli_verb_count; i++)
        if (cli_verbs[i].text) offer(t, cli_verbs[i].name, cli_verbs[i].text);
    offer(t, "help", "explains a command");
}

typedef struct kind {
    const char *word; // in a usage, or an option's name
    void (*offer)(const typed *t);
} kind;

static const kind word_kinds[] = {
    {"FAMILY", offer_families}, {"FAMILY/VARIANT", offer_variants},
    {"TASK", offer_tasks},      {"PATH", offer_paths},
    {"PAGE", offer_pages},
};

static const kind option_kinds[] = {
    {"device", offer_devices},  {"gpu", offer_gpus},        {"suite", offer_suites},
    {"family", offer_families}, {"task", offer_tasks},      {"path", offer_paths},
    {"rivals", offer_rivals},   {"mode", offer_modes},      {"cache", offer_caches},
    {"stream", offer_streams},  {"columns", offer_columns},
};

static const kind *find_kind(const kind *kinds, size_t count, const char *word) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(kinds[i].word, word) == 0) return &kinds[i];
    return NULL;
}

// ---- a usage as a grammar ---------------------------------------------------------------------------------

typedef struct token {
    char text[TOKEN]; // without brackets and dots
    bool repeats;
} token;

// One way to go on after "kz VERB".
typedef struct form {
    token tokens[TOKENS];
    size_t count;
} form;

static bool is_literal(const token *t) {
    for (const char *at = t->text; *at; at++)
        if (!islower((unsigned char)*at) && *at != '-') return false;
    return t->text[0] != 0;
}

static void add_token(form *f, const char *text, size_t length) {
    if (f->count == TOKENS) return;
    token *t = &f->tokens[f->count++];
    size_t n = 0;
    *t = (token){0};
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && i + 2 < length && text[i + 1] == '.')
            t->repeats = true, i += 2;
        else if (!strchr("[]", text[i]) && n < TOKEN - 1)
            t->text[n++] = text[i];
    }
}

static bool takes_value(const cli_command *command, const char *name, size_t length) {
    for (const cli_option *o = command->options; o && o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) return cli_takes_value(o->kind);
    return false;
}

// Reads the form that begins at `at`: up to a bar between forms or the end of the line. Options, and what stands for
// their values, are left out. Gives where it ended.
static const char *read_form(const cli_command *command, const char *at, form *f) {
    bool skip = false;
    int depth = 0;
    f->count = 0;
    while (*at && *at != '\n') {
        size_t length = strcspn(at, " \n");
        if (length == 1 && *at == '|' && depth == 0) return at + 1;
        const char *word = at + strspn(at, "[");
        size_t rest = length - (size_t)(word - at);
        for (size_t i = 0; i < length; i++) depth += at[i] == '[' ? 1 : at[i] == ']' ? -1 : 0;
        if (strncmp(word, "--", 2) == 0)
            skip = takes_value(command, word + 2, strcspn(word + 2, "]= \n"));
        else if (skip)
            skip = false;
        else if (rest && *word != '|' && strncmp(word, "OPTIONS", 7) != 0)
            add_token(f, word, rest);
        at += length;
        at += strspn(at, " ");
    }
    return at;
}

// Offers what the form allows after the words that stand already.
static void offer_next(const form *f, const cli_list *words, const typed *t) {
    size_t at = 0;
    for (size_t i = 0; i < words->count; i++) {
        if (at == f->count) return;
        const token *k = &f->tokens[at];
        if (is_literal(k) && strcmp(k->text, words->items[i]) != 0) return;
        if (!k->repeats) at++;
    }
    if (at == f->count) return;
    const token *k = &f->tokens[at];
    const kind *names = find_kind(word_kinds, BASE_COUNT(word_kinds), k->text);
    if (is_literal(k))
        offer(t, k->text, NULL);
    else if (names)
        names->offer(t);
}

static void offer_words(const cli_command *command, const char *verb, const cli_list *words, const typed *t) {
    char start[32];
    size_t length = (size_t)snprintf(start, sizeof start, "kz %s ", verb);
    for (const char *line = command->usage; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, start, length) != 0) continue;
        for (const char *at = line + length; *at && *at != '\n';) {
            form f;
            at = read_form(command, at + strspn(at, " "), &f);
            offer_next(&f, words, t);
        }
    }
}

// ---- a command line ---------------------------------------------------------------------------------------

static void offer_options(const cli_command *command, const typed *t) {
    char name[64];
    for (const cli_option *o = command->options; o && o->name; o++) {
        snprintf(name, sizeof name, "--%s", o->name);
        offer(t, name, o->text);
    }
    offer(t, "--help", "explains this command");
}

static void offer_values(const char *name, size_t length, const typed *t) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const kind *values = find_kind(option_kinds, BASE_COUNT(option_kinds), word);
    if (values) values->offer(t);
}

// argv[0] is the verb, argv[argc - 1] the word to complete.
static void complete_command(const cli_command *command, int argc, char **argv, base_text *offers) {
    const char *last = argv[argc - 1], *equals = strchr(last, '=');
    typed t = {.last = last, .before = "", .offers = offers};
    cli_list words = {0};
    bool is_value = false;
    for (int i = 1; i < argc - 1; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--") == 0) return; // what follows is the program's
        if (is_value)
            is_value = false;
        else if (strncmp(word, "--", 2) == 0)
            is_value = takes_value(command, word + 2, strlen(word + 2));
        else if (words.count < CLI_LIST_CAPACITY)
            words.items[words.count++] = word;
    }
    if (is_value) {
        offer_values(argv[argc - 2] + 2, strlen(argv[argc - 2] + 2), &t);
    } else if (strncmp(last, "--", 2) == 0 && equals) {
        char before[64];
        snprintf(before, sizeof before, "%.*s=", (int)(equals - last), last);
        t.last = equals + 1;
        t.before = before;
        offer_values(last + 2, (size_t)(equals - last - 2), &t);
    } else if (last[0] == '-') {
        offer_options(command, &t);
    } else {
        offer_words(command, argv[0], &words, &t);
    }
}

static void complete(int argc, char **argv, base_text *offers) {
    typed first = {.last = argc > 1 ? argv[argc - 1] : "", .before = "", .offers = offers};
    bool is_help = argc > 2 && strcmp(argv[1], "help") == 0;
    if (argc <= 2 || (is_help && argc == 3)) offer_commands(&first);
    if (is_help && argc == 3) offer(&first, "exit-codes", "what the exit status says");
    for (size_t i = 0; argc > 2 && i < cli_verb_count; i++)
        if (cli_verbs[i].text && strcmp(cli_verbs[i].name, argv[1]) == 0)
            complete_command(cli_verbs[i].command, argc - 1, argv + 1, offers);
}

static int run(const cli_command *self, int argc, char **argv) {
    base_text offers = {0};
    complete(argc, argv, &offers);
    if (offers.data) printf("%s\n", offers.data + 1);
    base_text_free(&offers);
    return CLI_OK; // also where nothing may follow
}

const cli_command cli_command_complete = {
    .usage = "kz complete [WORD...]",
    .about =
        "Prints what may stand for the last word of a command line, one per line with a few words on each\n"
        "after a tab. Shells ask it: see completion/.",
    .examples = "  kz complete check re     families that begin with re",
    .run = run,
};
