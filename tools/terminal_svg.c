// terminal_svg SCRIPT [FOLDER]: runs a script's commands in a terminal and writes what one sees as an animated SVG, to
// stdout.
//
// A line `# columns 96` sets the width, `# title TEXT` the title; every other line is a shell command. It is shown
// as typed and run in FOLDER (the script's own where none is given) on a pseudo-terminal, so that programs print in
// colour. `# hidden COMMAND` runs a command that is not shown. The picture shows the whole session, and stays so where
// nothing moves; after HOLD seconds it begins again, each line when its time has come.
#include <errno.h>
#include <libgen.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_LINES = 120, MAX_COLUMNS = 200, LINE_TEXT = 4096 };

// A character cell is 8.4 by 19 pixels at this font size; what a monospaced font has, whichever the viewer picks.
enum { HOLD = 4 };
static const double CELL_WIDTH = 8.4, CELL_HEIGHT = 19.0, FONT_SIZE = 14.0, MARGIN = 16.0, BAR = 30.0;
static const double TYPING_SECONDS = 0.9, LINE_SECONDS = 0.05, PAUSE_SECONDS = 1.2;

typedef struct style {
    int colour; // 0 to 15 of the palette; -1 for the terminal's own
    bool bold, dim;
} style;

typedef struct cell {
    char text[5]; // one UTF-8 character
    style style;
} cell;

typedef struct screen {
    cell cells[MAX_LINES][MAX_COLUMNS];
    double shown_at[MAX_LINES];
    int used, row, column, columns;
    style style;
    double clock;
    char title[128];
} screen;

static const style PLAIN = {.colour = -1};

static void stop(const char *what, const char *name) {
    fprintf(stderr, "terminal_svg: %s %s: %s\n", what, name, strerror(errno));
    exit(1);
}

// ---- the terminal -----------------------------------------------------------------------------------

static void next_row(screen *s) {
    if (s->row + 1 >= MAX_LINES) {
        fprintf(stderr, "terminal_svg: the session has more than %d lines: shorten it\n", MAX_LINES);
        exit(1);
    }
    s->row++;
    s->column = 0;
    s->clock += LINE_SECONDS;
}

static void put(screen *s, const char *text, int bytes) {
    if (s->column >= s->columns) next_row(s);
    if (s->row >= s->used) {
        s->shown_at[s->row] = s->clock;
        s->used = s->row + 1;
    }
    cell *c = &s->cells[s->row][s->column++];
    memcpy(c->text, text, (size_t)bytes);
    c->text[bytes] = 0;
    c->style = s->style;
}

// SGR parameters: "1;31".
static void set_style(screen *s, const char *parameters) {
    do {
        int code = atoi(parameters);
        if (code == 0) s->style = PLAIN;
        if (code == 1) s->style.bold = true;
        if (code == 2) s->style.dim = true;
        if (code == 22) s->style.bold = s->style.dim = false;
        if (code == 39) s->style.colour = -1;
        if (code >= 30 && code <= 37) s->style.colour = code - 30;
        if (code >= 90 && code <= 97) s->style.colour = code - 90 + 8;
        parameters = strchr(parameters, ';');
    } while (parameters++);
}

// An escape sequence from `at` on; returns its bytes. Only colours and "erase to the end of the line" mean anything here.
static size_t escape(screen *s, const char *at, const char *end) {
    const char *p = at + 1;
    if (p < end && *p != '[') return 2;
    for (p++; p < end && !(*p >= '@' && *p <= '~'); p++) {}
    if (p >= end) return (size_t)(end - at);
    char parameters[64] = "";
    size_t length = (size_t)(p - at - 2);
    if (length < sizeof parameters) memcpy(parameters, at + 2, length);
    if (*p == 'm') set_style(s, parameters);
    if (*p == 'K')
        for (int i = s->column; i < s->columns; i++) s->cells[s->row][i].text[0] = 0;
    return (size_t)(p + 1 - at);
}

static int bytes_of(unsigned char lead) { return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }

static void write_text(screen *s, const char *text, size_t length) {
    for (const char *p = text, *end = text + length; p < end;) {
        int bytes = bytes_of((unsigned char)*p);
        if (*p == '\033') {
            p += escape(s, p, end);
            continue;
        }
        if (*p == '\n')
            next_row(s);
        else if (*p == '\r')
            s->column = 0;
        else if (*p == '\t')
            s->column = (s->column / 8 + 1) * 8;
        else if ((unsigned char)*p >= ' ' && p + bytes <= end)
            put(s, p, bytes);
        p += bytes;
    }
}

// ---- the commands -----------------------------------------------------------------------------------

static char *run(const char *command, const char *folder, int columns, size_t *length) {
    struct winsize size = {.ws_row = 60, .ws_col = (unsigned short)columns};
    int terminal;
    pid_t child = forkpty(&terminal, NULL, NULL, &size);
    if (child < 0) stop("no terminal for", command);
    if (child == 0) {
        setenv("TERM", "xterm-256color", 1);
        setenv("LANG", "C.UTF-8", 1);
        unsetenv("NO_COLOR");
        unsetenv("CI");
        if (chdir(folder) == 0) execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    size_t capacity = 1 << 16, used = 0;
    char *text = malloc(capacity);
    for (ssize_t got; text && (got = read(terminal, text + used, capacity - used)) > 0;) {
        used += (size_t)got;
        if (used == capacity) text = realloc(text, capacity *= 2);
    }
    if (!text) stop("no memory for", command);
    waitpid(child, NULL, 0);
    close(terminal);
    *length = used;
    return text;
}

static void show_command(screen *s, const char *command) {
    s->style = (style){.colour = 2, .bold = true};
    write_text(s, "$ ", 2);
    s->clock += TYPING_SECONDS; // the prompt stands alone for a while
    s->style = PLAIN;
    s->style.bold = true;
    write_text(s, command, strlen(command));
    s->style = PLAIN;
    next_row(s);
}

static void play(screen *s, FILE *script, const char *folder) {
    char line[LINE_TEXT];
    for (bool first = true; fgets(line, sizeof line, script);) {
        line[strcspn(line, "\n")] = 0;
        bool hidden = strncmp(line, "# hidden ", 9) == 0;
        if (sscanf(line, "# columns %d", &s->columns) == 1 ||
            sscanf(line, "# title %127[^\n]", s->title) == 1)
            continue;
        if (!line[0] || (line[0] == '#' && !hidden)) continue;
        if (!hidden && !first) next_row(s);
        if (!hidden) show_command(s, line), first = false;
        size_t length;
        char *text = run(hidden ? line + 9 : line, folder, s->columns, &length);
        if (!hidden) {
            write_text(s, text, length);
            s->style = PLAIN;
            s->clock += PAUSE_SECONDS;
        }
        free(text);
    }
}

// ---- the picture ------------------------------------------------------------------------------------

static const char *const PALETTE[16] = {"#484f58", "#ff7b72", "#3fb950", "#d29922", "#79c0ff", "#d2a8ff",
                                        "#56d4dd", "#e6edf3", "#6e7681", "#ffa198", "#56d364", "#e3b341",
                                        "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff"};

static void print_escaped(const char *text) {
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", stdout);
        else if (*text == '&')
            fputs("&amp;", stdout);
        else
            putchar(*text);
    }
}

static bool same_style(style a, style b) {
    return a.colour == b.colour && a.bold == b.bold && a.dim == b.dim;
}

// Each run of one style is placed by itself, so that columns stay true in a font that is a little wider.
static void print_row(const screen *s, int row) {
    const cell *cells = s->cells[row];
    for (int i = 0; i < s->columns;) {
        if (!cells[i].text[0] || strcmp(cells[i].text, " ") == 0) {
            i++;
            continue;
        }
        printf("<tspan x=\"%.1f\"", MARGIN + i * CELL_WIDTH);
        style now = cells[i].style;
        if (now.colour >= 0) printf(" fill=\"%s\"", PALETTE[now.colour]);
        if (now.bold) printf(" font-weight=\"bold\"");
        if (now.dim) printf(" opacity=\"0.6\"");
        putchar('>');
        for (bool gap = false; i < s->columns && cells[i].text[0] && same_style(cells[i].style, now); i++) {
            bool blank = strcmp(cells[i].text, " ") == 0;
            if (gap && blank) break; // two blanks: columns begin anew
            gap = blank;
            print_escaped(cells[i].text);
        }
        fputs("</tspan>", stdout);
    }
}

static void print_picture(const screen *s) {
    double width = 2 * MARGIN + s->columns * CELL_WIDTH, height = BAR + MARGIN + s->used * CELL_HEIGHT;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
           "height=\"%.0f\">\n",
           width, height, width, height);
    printf("<title>%s</title>\n", s->title);
    printf("<style>text{font:%.0fpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
           "fill:#e6edf3;white-space:pre;animation:hide 0s %ds}@keyframes hide{from,to{opacity:0}}"
           "@media(prefers-reduced-motion:reduce){text{animation:none}}</style>\n",
           FONT_SIZE, HOLD);
    printf("<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#0d1117\"/>\n");
    for (int i = 0; i < 3; i++)
        printf("<circle cx=\"%d\" cy=\"15\" r=\"5\" fill=\"#30363d\"/>\n", 20 + 18 * i);
    for (int row = 0; row < s->used; row++) {
        if (!s->cells[row][0].text[0] && s->shown_at[row] == 0 && row > 0) continue; // an empty line
        printf("<text y=\"%.0f\" style=\"animation-duration:%.2fs\">", BAR + (row + 0.75) * CELL_HEIGHT,
               s->shown_at[row]);
        print_row(s, row);
        printf("</text>\n");
    }
    printf("</svg>\n");
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: terminal_svg SCRIPT [FOLDER]\n");
        return 2;
    }
    FILE *script = fopen(argv[1], "r");
    if (!script) stop("cannot read", argv[1]);
    static screen s; // a few hundred kilobytes
    s.columns = 96;
    s.style = PLAIN;
    char *folder = strdup(argv[1]);
    if (!folder) stop("no memory for", argv[1]);
    play(&s, script, argc > 2 ? argv[2] : dirname(folder));
    fclose(script);
    free(folder);
    while (s.used > 0 && !s.cells[s.used - 1][0].text[0]) s.used--;
    print_picture(&s);
    return fflush(stdout) ? 1 : 0;
}
