// The manual pages, made from what the help pages are made of: one per verb, and kz(1) over them.
#include "man.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpus.h"

// ---- text for troff -------------------------------------------------------------------------------------

// A line of text: nothing in it is a request, and a hyphen stays one.
static void add_line(base_text *page, const char *line, size_t length) {
    if (length && (line[0] == '.' || line[0] == '\'')) base_text_add(page, "\\&");
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '\\')
            base_text_add(page, "\\e");
        else if (line[i] == '-')
            base_text_add(page, "\\-");
        else
            base_text_add_bytes(page, &line[i], 1);
    }
    base_text_add(page, "\n");
}

static void add_text(base_text *page, const char *text) { add_line(page, text, strlen(text)); }

// Paragraphs are filled anew; lines that begin with a space are a table or a piece of code, and stay as they
// are.
static void add_paragraphs(base_text *page, const char *text, bool filled) {
    bool kept = false, broken = false;
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = strchrnul(text, '\n');
        bool keep = !filled || *text == ' ';
        if (end == text) {
            broken = true;
            continue;
        }
        if (keep != kept) base_text_add(page, keep ? ".PP\n.nf\n" : ".fi\n");
        if (broken && !(keep && !kept)) base_text_add(page, keep ? "\n" : ".PP\n");
        add_line(page, text, (size_t)(end - text));
        kept = keep;
        broken = false;
    }
    if (kept) base_text_add(page, ".fi\n");
}

static void add_title(base_text *page, const char *name) {
    base_text_add(page, ".TH %s 1 \"\" \"Kernel Zoo %s\" \"Kernel Zoo\"\n.SH NAME\n", name, KZ_VERSION);
}

// ---- the pages --------------------------------------------------------------------------------------------

static void add_options(base_text *page, const cli_option *options) {
    if (!options || !options->name) return;
    base_text_add(page, ".SH OPTIONS\n");
    for (const cli_option *o = options; o->name; o++) {
        base_text_add(page, ".TP\n\\fB\\-\\-%s\\fR", o->name);
        const char *format = o->kind == CLI_OUTPUT ? "[=\\fI%s\\fR]" : " \\fI%s\\fR";
        if (o->argument) base_text_add(page, format, o->argument);
        base_text_add(page, "\n");
        add_text(page, o->text);
    }
}

static void add_verb(base_text *page, const cli_verb *v) {
    const cli_command *command = v->command;
    char title[64];
    snprintf(title, sizeof title, "KZ\\-%s", v->name);
    for (char *c = title; *c; c++)
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
    add_title(page, title);
    base_text_add(page, "kz\\-%s \\- ", v->name);
    add_text(page, v->text);
    base_text_add(page, ".SH SYNOPSIS\n");
    add_paragraphs(page, command->usage, false);
    base_text_add(page, ".SH DESCRIPTION\n");
    add_paragraphs(page, command->about, true);
    add_options(page, command->options);
    if (command->examples) {
        base_text_add(page, ".SH EXAMPLES\n");
        add_paragraphs(page, command->examples, false);
    }
    base_text_add(page, ".SH SEE ALSO\n.BR kz (1),\nwhich has the exit status.\n");
}

static void add_kz(base_text *page) {
    add_title(page, "KZ");
    base_text_add(page, "kz \\- CUDA kernels from naive to the hardware's limit, on a GPU or in a simulator\n"
                        ".SH SYNOPSIS\n\\fBkz\\fR \\fIVERB\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n"
                        ".SH VERBS\nEach has a page of its own.\n");
    for (size_t i = 0; i < cli_verb_count; i++) {
        if (!cli_verbs[i].text) continue;
        base_text_add(page, ".TP\n.BR kz\\-%s (1)\n", cli_verbs[i].name);
        add_text(page, cli_verbs[i].text);
    }
    base_text_add(page, ".SH EXIT STATUS\n");
    static const struct {
        int value;
        const char *text;
    } exits[] = {
#define CLI_EXIT(name, value, text) {value, text},
#include "exits.def"
#undef CLI_EXIT
    };
    for (size_t i = 0; i < BASE_COUNT(exits); i++) {
        base_text_add(page, ".TP\n%d\n", exits[i].value);
        add_text(page, exits[i].text);
    }
    base_text_add(page,
                  ".SH ENVIRONMENT\n.TP\nNO_COLOR\nwhere it is set, output has no colour.\n"
                  ".TP\nKZ_GPU\nthe GPU that the device \\fBsim\\fR stands for: %s where it is not set.\n",
                  device_gpu_default);
}

static kz_status write_page(const char *folder, const char *name, const base_text *page, kz_error *error) {
    base_text path = {0};
    base_text_add(&path, "%s/kz%s%s.1", folder, name ? "-" : "", name ? name : "");
    kz_status status = page->failed || path.failed
                           ? base_fail(error, KZ_NO_MEMORY, "no memory for a manual page")
                           : base_file_write_scratch(path.data, page->data, page->length, error);
    base_text_free(&path);
    return status;
}

kz_status cli_write_manual(const char *folder, kz_error *error) {
    base_text page = {0};
    kz_status status = base_make_folders(folder, error);
    if (!status) {
        add_kz(&page);
        status = write_page(folder, NULL, &page, error);
        base_text_free(&page);
    }
    for (size_t i = 0; i < cli_verb_count && !status; i++) {
        if (!cli_verbs[i].text) continue;
        page = (base_text){0};
        add_verb(&page, &cli_verbs[i]);
        status = write_page(folder, cli_verbs[i].name, &page, error);
        base_text_free(&page);
    }
    return status;
}
