// Reads a verb's command line by its table of options, and prints the table as its help page.
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/terminal/markdown.h"

bool cli_takes_value(cli_option_kind kind) { return kind != CLI_FLAG && kind != CLI_OUTPUT; }

static const cli_option *find_option(const cli_command *command, const char *name, size_t length) {
    for (const cli_option *o = command->options; o && o->name; o++)
        if (strlen(o->name) == length && memcmp(o->name, name, length) == 0) return o;
    return NULL;
}

static kz_status unknown_option(const cli_command *command, const char *verb, const char *name, size_t length,
                                kz_error *error) {
    const char *names[CLI_LIST_CAPACITY + 1] = {NULL};
    base_text known = {0};
    size_t count = 0;
    for (const cli_option *o = command->options; o && o->name && count < CLI_LIST_CAPACITY; o++) {
        names[count++] = o->name;
        base_text_add(&known, " --%s", o->name);
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    base_fail(error, KZ_INVALID, "unknown option --%s", word);
    const char *near = base_nearest(word, names);
    if (near) base_fail_note(error, "did you mean --%s?", near);
    base_fail_note(error, "known options:%s --help", known.data ? known.data : "");
    base_fail_note(error, "try: kz help %s", verb);
    base_text_free(&known);
    return KZ_INVALID;
}

bool cli_names_output(const cli_option *option, const char *word) {
    const char *dot = strrchr(word, '.');
    size_t length = strlen(option->name);
    if (option->kind == CLI_OUTPUT && base_ends_with(word, "/")) return true; // a folder is no program
    if (option->kind != CLI_OUTPUT || !dot || strncmp(dot + 1, option->name, length) != 0) return false;
    return !dot[1 + length] || strcmp(dot, ".jsonl") == 0;
}

// Whether the word after an option with an optional path is that path, and not the next argument. A source is never
// what is written.
static bool is_path_of(const cli_option *option, const char *word) {
    if (cli_names_output(option, word) || strcmp(word, "-") == 0) return true;
    return (word[0] == '/' || word[0] == '.') && !base_ends_with(word, ".cu");
}

static kz_status add_to_list(cli_list *list, const char *word, kz_error *error) {
    if (list->count == CLI_LIST_CAPACITY)
        return base_fail(error, KZ_INVALID, "too many arguments: at most %d of one kind", CLI_LIST_CAPACITY);
    list->items[list->count++] = word;
    return KZ_OK;
}

kz_status cli_split(const cli_list *lists, base_text *kept, cli_list *words, kz_error *error) {
    *words = (cli_list){0};
    for (size_t i = 0; i < lists->count; i++) base_text_add(kept, "%s%s", i ? "," : "", lists->items[i]);
    if (kept->failed) return base_fail(error, KZ_NO_MEMORY, "no memory for a list of names");
    kz_status status = KZ_OK;
    for (char *at = lists->count ? kept->data : NULL, *next; at && !status; at = next) {
        next = strchr(at, ',');
        if (next) *next++ = 0;
        status = add_to_list(words, at, error);
    }
    return status;
}

static kz_status set_integer(const cli_option *option, const char *text, cli_integer *to, kz_error *error) {
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 0);
    if (end == text || *end || errno || value < 0) // nothing that is counted or numbered is below 0
        return base_fail(error, KZ_INVALID, "--%s takes a whole number from 0 on, not \"%s\"", option->name,
                         text);
    *to = (cli_integer){true, value};
    return KZ_OK;
}

static kz_status set_seconds(const cli_option *option, const char *text, double *to, kz_error *error) {
    char *end = NULL;
    *to = strtod(text, &end);
    if (end != text && *end == 0 && isfinite(*to) && *to > 0 && *to <= 1e9) return KZ_OK;
    return base_fail(error, KZ_INVALID, "--%s takes seconds above zero, such as 2.5, not \"%s\"",
                     option->name, text);
}

// The last of two would win in silence, and what the first named would not be done.
static kz_status set_text(const cli_option *option, const char *text, const char **to, kz_error *error) {
    if (*to) {
        base_fail(error, KZ_INVALID, "--%s is given twice, as \"%s\" and as \"%s\"", option->name, *to, text);
        base_fail_note(error, "it takes one value%s",
                       strcmp(option->name, "case") == 0 ? "; a glob names several cases: --case 'sum-f32-*'"
                                                         : "");
        return KZ_INVALID;
    }
    *to = text;
    return KZ_OK;
}

static kz_status set_option(const cli_option *option, const char *value, void *field, kz_error *error) {
    switch (option->kind) {
    case CLI_FLAG: *(bool *)field = true; return KZ_OK;
    case CLI_TEXT: return set_text(option, value, field, error);
    case CLI_LIST: return add_to_list(field, value, error);
    case CLI_INTEGER: return set_integer(option, value, field, error);
    case CLI_SECONDS: return set_seconds(option, value, field, error);
    case CLI_OUTPUT:
        *(cli_output *)field = (cli_output){true, value && strcmp(value, "-") == 0 ? NULL : value};
        return KZ_OK;
    }
    return base_fail(error, KZ_INTERNAL, "option --%s has no kind", option->name);
}

// Pages and pictures are for a browser; JSON one may want to look at.
static bool floods_a_terminal(const cli_option *option) {
    bool browsed = strcmp(option->name, "html") == 0 || strcmp(option->name, "svg") == 0;
    return browsed && option->kind == CLI_OUTPUT && isatty(STDOUT_FILENO);
}

// Reads the option at argv[*at]; leaves *at on the last word it took.
static kz_status parse_option(const cli_command *command, int argc, char **argv, int *at, void *options,
                              kz_error *error) {
    const char *name = argv[*at] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const cli_option *option = find_option(command, name, length);
    if (!option) return unknown_option(command, argv[0], name, length, error);

    const char *value = equals ? equals + 1 : NULL;
    if (option->kind == CLI_FLAG && value)
        return base_fail(error, KZ_INVALID, "--%s takes no value", option->name);
    if (!value && cli_takes_value(option->kind)) {
        if (*at + 1 >= argc) {
            base_fail(error, KZ_INVALID, "--%s needs a value: --%s %s", option->name, option->name,
                      option->argument);
            base_fail_note(error, "try: kz help %s", argv[0]);
            return KZ_INVALID;
        }
        value = argv[++*at];
    }
    if (!value && option->kind == CLI_OUTPUT && *at + 1 < argc && is_path_of(option, argv[*at + 1]))
        value = argv[++*at];
    if (!value && floods_a_terminal(option)) {
        base_fail(error, KZ_INVALID, "--%s alone writes to stdout, and that is a terminal", option->name);
        base_fail_note(error, "try: --%s=FILE.%s; --%s=- writes it here all the same", option->name,
                       option->name, option->name);
        return KZ_INVALID;
    }
    return set_option(option, value, (char *)options + option->offset, error);
}

kz_status cli_parse(const cli_command *command, int argc, char **argv, void *options, cli_list *words,
                    kz_error *error) {
    *words = (cli_list){0};
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        kz_status status;
        if (!only_words && strcmp(argv[i], "--") == 0) {
            only_words = true;
            continue;
        }
        if (!only_words && strncmp(argv[i], "--", 2) == 0)
            status = parse_option(command, argc, argv, &i, options, error);
        else if (!only_words && argv[i][0] == '-' && argv[i][1])
            status = unknown_option(command, argv[0], argv[i] + 1, strlen(argv[i] + 1), error);
        else
            status = add_to_list(words, argv[i], error);
        if (status) return status;
    }
    return KZ_OK;
}

kz_status cli_parse_options(const cli_command *command, int argc, char **argv, void *options,
                            kz_error *error) {
    cli_list words;
    kz_status status = cli_parse(command, argc, argv, options, &words, error);
    if (status || words.count == 0) return status;
    base_fail(error, KZ_INVALID, "kz %s takes no arguments, and \"%s\" is one", argv[0], words.items[0]);
    base_fail_note(error, "try: kz help %s", argv[0]);
    return KZ_INVALID;
}

// Paragraphs are written in lines of their own length; a terminal gets them in lines of its own. What is indented stays.
static void print_about(const report_style *style, const char *about) {
    base_text paragraph = {0};
    if (!style->terminal) printf("%s\n", about);
    for (const char *at = about; style->terminal && *at;) {
        size_t length = strcspn(at, "\n");
        bool text = length && *at != ' ';
        if (text) base_text_add(&paragraph, "%s%.*s", paragraph.length ? " " : "", (int)length, at);
        if (!text) printf("%.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
        if (!text || (*at && *at != '\n' && *at != ' ')) continue;
        if (paragraph.data) report_wrap(stdout, style, paragraph.data, 0, 0);
        base_text_free(&paragraph);
    }
}

static void print_option(const report_style *style, const cli_option *o) {
    enum { TEXT = 25 };
    char left[64];
    const char *before = o->kind == CLI_OUTPUT ? "[=" : " ", *after = o->kind == CLI_OUTPUT ? "]" : "";
    if (o->argument)
        snprintf(left, sizeof left, "--%s%s%s%s", o->name, before, o->argument, after);
    else
        snprintf(left, sizeof left, "--%s", o->name);
    int column = printf("  %-22s ", left);
    if (style->terminal)
        report_wrap(stdout, style, o->text, column, TEXT);
    else
        printf("%s\n", o->text);
}

void cli_print_help(const cli_command *command) {
    const report_style style = report_detect_style(stdout);
    printf("%s\n\n", command->usage);
    print_about(&style, command->about);
    if (command->options && command->options->name) {
        printf("\nOptions:\n");
        for (const cli_option *o = command->options; o->name; o++) print_option(&style, o);
    }
    if (command->examples) printf("\nExamples:\n%s\n", command->examples);
}
