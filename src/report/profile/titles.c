// Names of kernels for people; titles that tell instances of one template apart: "reduce<256>" and "reduce<512>".
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile/profile.h"

static const char *builtin(char letter) {
    static const struct {
        char letter;
        const char *name;
    } types[] = {{'b', "bool"},  {'c', "char"},           {'a', "signed char"}, {'h', "unsigned char"},
                 {'s', "short"}, {'t', "unsigned short"}, {'i', "int"},         {'j', "unsigned"},
                 {'l', "long"},  {'m', "unsigned long"},  {'x', "long long"},   {'y', "unsigned long long"},
                 {'f', "float"}, {'d', "double"}};
    for (size_t i = 0; i < BASE_COUNT(types); i++)
        if (types[i].letter == letter) return types[i].name;
    return NULL;
}

// One argument of the mangled list at *at; false where it is of a kind that is not told.
static bool add_argument(base_text *text, const char **at) {
    const char *from = *at;
    if (*from == 'L' && builtin(from[1])) { // a value: Li256E, Ln1E is negative, Lb1E is true
        size_t digits = strspn(from + 2, "n0123456789");
        if (!digits || from[2 + digits] != 'E') return false;
        if (from[1] == 'b')
            base_text_add(text, "%s", from[2] == '0' ? "false" : "true");
        else
            base_text_add(text, "%s%.*s", from[2] == 'n' ? "-" : "", (int)digits - (from[2] == 'n'),
                          from + 2 + (from[2] == 'n'));
        *at = from + 3 + digits;
        return true;
    }
    if (isdigit((unsigned char)*from)) { // a type of the program's: 6__half
        size_t length = strtoul(from, (char **)&from, 10);
        if (strnlen(from, length) < length) return false;
        base_text_add(text, "%.*s", (int)length, from);
        *at = from + length;
        return true;
    }
    const char *name = builtin(*from);
    if (name) base_text_add(text, "%s", name);
    *at += name != NULL;
    return name != NULL;
}

void report_kernel_title(base_text *text, const char *mangled) {
    size_t length;
    const char *bare = base_bare_name(mangled, &length), *at = bare + length, *between = "<";
    base_text_add(text, "%.*s", (int)length, bare);
    if (bare == mangled || *at != 'I') return;
    for (at++; *at && *at != 'E'; between = ", ") {
        base_text_add(text, "%s", between);
        if (!add_argument(text, &at)) {
            base_text_add(text, "...");
            break;
        }
    }
    base_text_add(text, ">");
}

void report_prof_distinguish_titles(report_prof *report) {
    for (size_t i = 0; i < report->kernel_count; i++) {
        report_prof_kernel *k = &report->kernels[i];
        base_text text = {0};
        bool shared = false;
        for (size_t j = 0; j < report->kernel_count && !shared; j++) {
            const char *other = report_get_text(report->kernels[j].json, "short");
            shared = strcmp(report_get_text(k->json, "short"), other) == 0 &&
                     strcmp(k->name, report->kernels[j].name) != 0;
        }
        if (shared) report_kernel_title(&text, k->name);
        if (text.data && !text.failed) k->title = report_prof_text(report, "%s", text.data);
        base_text_free(&text);
    }
}
