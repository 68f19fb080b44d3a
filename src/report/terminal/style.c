// What a FILE can show, colours, and numbers for people.
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_WIDTH = 20 }; // columns; narrower windows show that much, broken by the terminal

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value && *value;
}

static bool speaks_utf8(void) {
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

report_style report_detect_style(FILE *file) {
    report_style style = {.width = 120, .utf8 = speaks_utf8()};
    const char *term = getenv("TERM");
    style.terminal = isatty(fileno(file)) && !is_set("CI");
    style.colour = style.terminal && !is_set("NO_COLOR") && term && strcmp(term, "dumb") != 0;
    struct winsize size;
    if (style.terminal && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        style.width = size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
    return style;
}

static const char *const tones[] = {
    [REPORT_PLAIN] = "",        [REPORT_GOOD] = "\033[32m", [REPORT_BAD] = "\033[1;31m",
    [REPORT_WARN] = "\033[33m", [REPORT_DIM] = "\033[2m",   [REPORT_BOLD] = "\033[1m",
};

void report_print(FILE *file, const report_style *style, report_tone tone, const char *format, ...) {
    bool coloured = style->colour && tone != REPORT_PLAIN;
    base_text text = {0}, clean = {0}; // names of files may hold anything
    va_list list;
    va_start(list, format);
    base_text_add_v(&text, format, list);
    va_end(list);
    base_text_add_clean(&clean, text.data ? text.data : "");
    if (coloured) fputs(tones[tone], file);
    fputs(clean.data ? clean.data : "", file);
    if (coloured) fputs("\033[0m", file);
    base_text_free(&text);
    base_text_free(&clean);
}

// ---- numbers --------------------------------------------------------------------------------------

static void print_digits(char *text, size_t size, double value) { // value in [1, 1000), or 0
    int decimals = value >= 100 || value == 0 ? 0 : value >= 10 ? 1 : 2;
    snprintf(text, size, "%.*f", decimals, value);
}

const char *report_si(char text[REPORT_NUMBER], double value, const char *unit) {
    static const char *const prefixes[] = {"p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    enum { ONE = 4 };
    if (!isfinite(value)) return strcpy(text, "-");
    double size = fabs(value);
    int at = ONE;
    while (size != 0 && size < 0.9995 && at > 0) size *= 1000, at--;
    while (size >= 999.5 && at + 1 < (int)BASE_COUNT(prefixes)) size /= 1000, at++;
    char digits[16];
    print_digits(digits, sizeof digits, size);
    bool bare = !*prefixes[at] && !*unit;
    snprintf(text, REPORT_NUMBER, "%s%s%s%s%s", value < 0 ? "-" : "", digits, bare ? "" : " ", prefixes[at],
             unit);
    return text;
}

const char *report_seconds(char text[REPORT_NUMBER], double seconds) {
    if (!(seconds >= 60)) return report_si(text, seconds, "s");
    snprintf(text, REPORT_NUMBER, "%.0f min %02.0f s", floor(seconds / 60), floor(fmod(seconds, 60)));
    return text;
}

const char *report_bytes(char text[REPORT_NUMBER], double bytes) { return report_si(text, bytes, "B"); }

// Bytes of the words that fit into `room` columns; a word that is too long is taken whole.
static size_t fitting_bytes(const char *text, size_t room) {
    size_t taken = 0, columns = 0;
    for (size_t at = 0;; at++) {
        if (text[at] == ' ' || !text[at]) {
            if (taken && columns > room) return taken;
            taken = at;
        }
        if (!text[at]) return taken;
        columns += ((unsigned char)text[at] & 0xc0) != 0x80;
    }
}

void report_note(FILE *file, const report_style *style, report_tone tone, int indent, const char *text) {
    for (int left = indent; *text; left = indent + 2) {
        size_t room = style->width > left ? (size_t)(style->width - left) : 0;
        size_t bytes = style->terminal ? fitting_bytes(text, room) : strlen(text);
        fprintf(file, "%*s", left, "");
        report_print(file, style, tone, "%.*s\n", (int)bytes, text);
        text += bytes;
        text += strspn(text, " ");
    }
}
