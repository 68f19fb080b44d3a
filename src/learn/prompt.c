// What stands at the bottom of the learner's screen: what the grader is at, a question, what to do now, the keys.
#include "learn/screen.h"

#include <string.h>

#include "report/terminal/markdown.h"

bool learn_screen_asks_line(const learn_screen *s) {
    return s->asking == LEARN_ASK_TASK || s->asking == LEARN_ASK_PAGE;
}

const report_style *learn_screen_look(learn_screen *s) {
    s->style = report_detect_style(stdout);
    s->style.terminal = true;
    return &s->style;
}

void learn_screen_clear(learn_screen *s) {
    if (s->drawn) fputs(s->terminal.keys ? "\r\033[K" : "\n", stdout);
    s->drawn = false;
}

// Seconds, once there is one: a loop that does not end should not look like a kz that hangs.
static void add_clock(const learn_screen *s, char *line, size_t size) {
    int seconds = (int)(base_seconds() - s->run.since);
    bool is_run = strncmp(s->run.what, "running on ", 11) == 0 || strncmp(s->run.what, "case ", 5) == 0;
    if (seconds < 1) return;
    int length = snprintf(line, size, ", %d s", seconds);
    if (is_run)
        snprintf(line + length, size - (size_t)length, "; a run is stopped after %g s",
                 s->l->task->limit_seconds);
}

void learn_screen_draw(learn_screen *s) {
    if (!s->run.pid || !s->terminal.keys || learn_screen_asks_line(s)) return;
    const report_style *style = learn_screen_look(s);
    char line[256];
    int length = snprintf(line, sizeof line, "%s %s", style->utf8 ? "⋯" : "...",
                          s->run.what[0] ? s->run.what : "starting");
    add_clock(s, line + length, sizeof line - (size_t)length);
    int room = style->width - 1, bytes = 0;
    for (int columns = 0; line[bytes] && columns < room; columns++) {
        bytes++;
        while (((unsigned char)line[bytes] & 0xc0) == 0x80) bytes++;
    }
    fputs("\r\033[K", stdout);
    report_print(stdout, style, REPORT_DIM, "%.*s", bytes, line);
    fflush(stdout);
    s->drawn = true;
}

typedef struct key_name {
    char key;
    const char *name, *text;
    bool before, after; // shown at the bottom before and after passing
} key_name;

static const key_name keys[] = {
    {'n', "next", "the next task; only once this one is passed", false, true},
    {'h', "hint", "a hint; each press gives one more", true, false},
    {'e', "edit", "opens the file in your editor, here; another window does as well", true, false},
    {'w', "what", "what the task says, once more; page by page where it is long", true, false},
    {'v', "verdict", "the verdict once more, from its beginning", true, true},
    {'p', "pages", "pages to read: on the machine, on the tools", true, true},
    {'r', "run", "grades the file again, without saving it", true, true},
    {'l', "list", "all tasks of the path; go to one by its number or name", true, true},
    {'g', "gates", "what the gates of this path ask for, and what is still missing", true, true},
    {'k', "skip", "leaves this task for later and goes on", true, false},
    {'s', "solution", "a solution: after passing, or where you ask for it twice", true, true},
    {'?', "keys", "this list", true, true},
    {'q', "quit", "ends; kz learn opens here again", true, true},
};

static void show_keys(learn_screen *s, const report_style *style) {
    int column = 0;
    bool may_go =
        s->passed || learn_known(s->l, s->l->task).passed; // once is enough, whatever the file is now
    for (size_t i = 0; i < BASE_COUNT(keys); i++) {
        bool shown = s->passed ? keys[i].after : keys[i].before;
        if (!shown && !(keys[i].key == 'n' && may_go)) continue;
        int width = (column ? 2 : 0) + 2 + (int)strlen(keys[i].name);
        if (column + width >= style->width) fputc('\n', stdout), column = 0, width -= 2;
        if (column) fputs("  ", stdout);
        report_print(stdout, style, REPORT_BOLD, "%c", keys[i].key);
        report_print(stdout, style, REPORT_DIM, " %s", keys[i].name);
        column += width;
    }
    fputc('\n', stdout);
}

void learn_screen_keys(learn_screen *s) {
    const report_style *style = learn_screen_look(s);
    for (size_t i = 0; i < BASE_COUNT(keys); i++) {
        report_print(stdout, style, REPORT_BOLD, "  %c", keys[i].key);
        fputs("  ", stdout);
        report_wrap(stdout, style, keys[i].text, 5, 5);
    }
    fputs("  ", stdout);
    report_wrap(stdout, style,
                s->terminal.keys ? "One key is enough, without Enter. Saving the file runs it."
                                 : "A letter and Enter. Saving the file runs it.",
                2, 2);
}

// The whole path stands above, in the task's head and in the verdict; here it would not fit into a line.
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void learn_screen_prompt(learn_screen *s) {
    const report_style *style = learn_screen_look(s);
    if (s->asking == LEARN_ASK_TASK) {
        fputs("Go to (number, task or path; Enter or q stays here): ", stdout);
    } else if (s->asking == LEARN_ASK_PAGE) {
        fputs("Read (number or name; Enter or q returns): ", stdout);
    } else if (s->asking == LEARN_ASK_SOLUTION) {
        report_wrap(
            stdout, style,
            "You have not passed this task yet. A look at the solution is written down as such, and the task "
            "stays open. y shows it, any other key does not.",
            0, 0);
    } else if (!s->run.pid) {
        fputc('\n', stdout);
        if (s->passed)
            report_print(stdout, style, REPORT_GOOD, "Passed.");
        else
            report_print(stdout, style, REPORT_DIM, "Waiting for you to save %s", file_name(s->l->file));
        if (s->passed)
            report_print(stdout, style, REPORT_DIM, " n %s.",
                         learn_next(s->l) ? "goes on when you want to" : "shows where to go from here");
        fputc('\n', stdout);
        show_keys(s, style);
    } else if (!s->terminal.keys) {
        printf("grading ...\n");
    }
    fflush(stdout);
    learn_screen_draw(s);
}

void learn_screen_fail(learn_screen *s, const kz_error *error) {
    report_print(stdout, learn_screen_look(s), REPORT_BAD, "%s",
                 error->message[0] ? error->message : kz_status_text(error->status));
    fputc('\n', stdout);
}
