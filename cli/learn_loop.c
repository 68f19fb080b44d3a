// The learner's screen: the task, then its file watched and graded on every save, and keys.
//
// Everything is waited for in one place: keys, signals, the file's folder, the grader's pipe. Text scrolls, as in
// any shell; only the line that tells what the grader is at is drawn over. Nothing moves on by itself.
#include "learn.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn_read.h"
#include "learner.h"
#include "pager.h"
#include "report/markdown.h"
#include "toolchain/toolchain.h"

typedef enum question { ASK_NOTHING, ASK_SOLUTION, ASK_TASK, ASK_PAGE } question;

typedef struct screen {
    learn *l;
    report_style style;
    learn_terminal terminal;
    learn_watch watch;
    learn_run run;
    question asking;
    size_t hints;  // shown of this task
    bool asked;    // the run was asked for by a save or a key; the first one of a task was not
    bool passed;   // the file as it was graded last
    bool drawn;    // the line about the grader stands on the screen
    bool finished; // the learner has left
    int ended_by;  // a signal; 0: none
} screen;

// The question at hand is answered by a line, not by a key.
static bool asks_for_line(const screen *s) { return s->asking == ASK_TASK || s->asking == ASK_PAGE; }

// ---- lines at the bottom ----------------------------------------------------------------------------------

// The window may have been resized since.
static const report_style *look(screen *s) {
    s->style = report_detect_style(stdout);
    s->style.terminal = true;
    return &s->style;
}

static void clear_line(screen *s) {
    if (s->drawn) fputs(s->terminal.keys ? "\r\033[K" : "\n", stdout);
    s->drawn = false;
}

static void draw_run(screen *s) {
    if (!s->run.pid || !s->terminal.keys || asks_for_line(s)) return;
    const report_style *style = look(s);
    char line[256];
    snprintf(line, sizeof line, "%s %s", style->utf8 ? "⋯" : "...",
             s->run.what[0] ? s->run.what : "starting");
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
    {'p', "pages", "pages to read: on the machine, on the tools", true, true},
    {'r', "run", "grades the file again, without saving it", true, true},
    {'l', "list", "all tasks of the path; go to one by its number or name", true, true},
    {'g', "gates", "what the gates of this path ask for, and what is still missing", true, true},
    {'k', "skip", "leaves this task for later and goes on", true, false},
    {'s', "solution", "a solution: after passing, or where you ask for it twice", true, true},
    {'?', "keys", "this list", true, true},
    {'q', "quit", "ends; kz learn opens here again", true, true},
};

static void show_keys(screen *s, const report_style *style) {
    int column = 0;
    for (size_t i = 0; i < BASE_COUNT(keys); i++) {
        if (!(s->passed ? keys[i].after : keys[i].before)) continue;
        int width = (column ? 2 : 0) + 2 + (int)strlen(keys[i].name);
        if (column + width >= style->width) fputc('\n', stdout), column = 0, width -= 2;
        if (column) fputs("  ", stdout);
        report_print(stdout, style, REPORT_BOLD, "%c", keys[i].key);
        report_print(stdout, style, REPORT_DIM, " %s", keys[i].name);
        column += width;
    }
    fputc('\n', stdout);
}

static void show_all_keys(screen *s) {
    const report_style *style = look(s);
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

// What to do now; the cursor stays where an answer is typed.
static void show_prompt(screen *s) {
    const report_style *style = look(s);
    if (s->asking == ASK_TASK) {
        fputs("Go to (number, task or path; Enter stays here): ", stdout);
    } else if (s->asking == ASK_PAGE) {
        fputs("Read (number or name; Enter returns): ", stdout);
    } else if (s->asking == ASK_SOLUTION) {
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
    draw_run(s);
}

static void say_error(screen *s, const kz_error *error) {
    report_print(stdout, look(s), REPORT_BAD, "%s",
                 error->message[0] ? error->message : kz_status_text(error->status));
    fputc('\n', stdout);
}

// ---- grading ------------------------------------------------------------------------------------------------

static void begin_run(screen *s, bool asked) {
    learn_run_end(&s->run);
    clear_line(s);
    kz_error error = {0};
    s->asked = asked;
    if (learn_run_begin(s->l, look(s), !asked, &s->run, &error)) {
        say_error(s, &error);
        learn_run_end(&s->run);
    }
    show_prompt(s);
}

static void show_rule(screen *s) {
    const report_style *style = look(s);
    time_t t = time(NULL);
    struct tm local;
    char clock[16];
    localtime_r(&t, &local);
    strftime(clock, sizeof clock, "%H:%M:%S", &local);
    base_text line = {0};
    base_text_add(&line, "%s ", clock);
    for (int i = 9; i < style->width - 1 && i < REPORT_READING_WIDTH; i++)
        base_text_add(&line, "%s", style->utf8 ? "─" : "-");
    report_print(stdout, style, REPORT_DIM, "\n%s\n", line.data ? line.data : "");
    base_text_free(&line);
}

static void end_run(screen *s) {
    learn_outcome *outcome = &s->run.outcome;
    clear_line(s);
    show_rule(s);
    s->passed = !outcome->status && outcome->attempt.passed;
    if (outcome->status) {
        printf("%s was not graded:\n", s->l->file);
        say_error(s, &outcome->error);
    } else {
        fwrite(s->run.text.data ? s->run.text.data : "", 1, s->run.text.length, stdout);
        kz_error error = {0};
        char says[100] = "";
        bool new_pass = s->passed && !learn_known(s->l, s->l->task).passed;
        // Opening a task again is no attempt.
        if ((s->asked || new_pass) && learn_record(s->l, outcome, says, sizeof says, &error)) {
            say_error(s, &error);
            printf("This result was not written down. r grades again, and tries again.\n");
        }
        if (*says) printf("%s\n", says);
        if (s->passed) {
            fputc('\n', stdout);
            learn_show_after(s->l, stdout, look(s));
        }
    }
    learn_run_end(&s->run);
    show_prompt(s);
}

// ---- going somewhere ------------------------------------------------------------------------------------------

static void watch_file(screen *s) {
    learn_watch_close(&s->watch);
    learn_watch_open(&s->watch, s->l->file, s->l->options.poll);
}

// Head and statement of the task; NULL where it cannot be read.
static char *task_text(screen *s, size_t *size, kz_error *error) {
    char *text = NULL;
    FILE *page = open_memstream(&text, size);
    if (!page) {
        base_fail(error, KZ_NO_MEMORY, "no memory for the text of %s", s->l->task->id);
        return NULL;
    }
    const report_style *style = look(s);
    learn_show_head(s->l, page, style);
    kz_status status = learn_show_statement(s->l->task, page, style, error);
    if (!fclose(page) && !status) return text;
    if (!status) base_fail(error, KZ_NO_MEMORY, "no memory for the text of %s", s->l->task->id);
    free(text);
    return NULL;
}

static bool is_longer_than_window(const char *text) {
    enum { BELOW = 8 }; // rows of what stands under it: a verdict on the starter, the keys
    return cli_pager_is_longer(text, BELOW);
}

static kz_status open_task(screen *s, const course_task *task, kz_error *error) {
    learn *l = s->l;
    bool made = false, again = learn_is_placed(l, task) == false && learn_known(l, task).attempts > 0;
    learn_run_end(&s->run);
    clear_line(s);
    s->hints = 0;
    s->passed = false;
    kz_status status = learn_go(l, task, error);
    if (!status) status = learn_place(l, &made, error);
    if (status) return status;
    const report_style *style = look(s);
    if (again && made) {
        report_print(stdout, style, REPORT_WARN,
                     "Your file of this task was gone: it was made anew from the starter.");
        fputs("\n\n", stdout);
    }
    size_t size = 0;
    char *text = task_text(s, &size, error);
    if (!text) return error->status;
    fwrite(text, 1, size, stdout);
    fputc('\n', stdout);
    if (is_longer_than_window(text))
        report_print(stdout, style, REPORT_DIM,
                     "The task began further up: w shows it from its beginning.\n");
    free(text);
    watch_file(s);
    begin_run(s, false);
    return KZ_OK;
}

static void go(screen *s, const course_task *task) {
    kz_error error = {0};
    fputc('\n', stdout);
    if (open_task(s, task, &error)) {
        say_error(s, &error);
        show_prompt(s);
    }
}

// The learner's file is gone: a new one, so that there is something to edit.
static void make_anew(screen *s) {
    kz_error error = {0};
    bool made;
    learn_run_end(&s->run);
    clear_line(s);
    if (learn_place(s->l, &made, &error)) {
        say_error(s, &error);
        watch_file(s);
        return;
    }
    report_print(stdout, look(s), REPORT_WARN, "\n%s was gone: it was made anew from the starter.",
                 s->l->file);
    fputc('\n', stdout);
    watch_file(s);
    begin_run(s, false);
}

// ---- keys -------------------------------------------------------------------------------------------------------

static void ask_for_task(screen *s) {
    s->asking = ASK_TASK;
    learn_terminal_lines(&s->terminal, true);
    show_prompt(s);
}

static void on_next(screen *s) {
    if (!s->passed && !learn_known(s->l, s->l->task).passed) {
        printf("This task is not passed yet. h gives a hint, k skips it for now.\n");
        show_prompt(s);
        return;
    }
    const course_task *next = learn_next(s->l);
    if (next) {
        go(s, next);
        return;
    }
    learn_show_end(s->l, stdout, look(s));
    ask_for_task(s);
}

static void on_skip(screen *s) {
    kz_error error = {0};
    if (learn_known(s->l, s->l->task).passed) {
        on_next(s);
        return;
    }
    const course_task *next = learn_next(s->l);
    if (!next) {
        printf("There is no other task left in this path: kz learn paths lists more.\n");
        show_prompt(s);
    } else if (store_set_skipped(s->l->progress, s->l->task->id, true, &error)) {
        say_error(s, &error);
        show_prompt(s);
    } else {
        printf("Skipped %s: it comes back after the others, and kz learn %s opens it.\n", s->l->task->id,
               s->l->task->id);
        go(s, next);
    }
}

static void on_hint(screen *s) {
    kz_error error = {0};
    size_t count = 0;
    kz_status status = learn_show_hint(s->l, s->hints, &count, stdout, look(s), &error);
    if (status == KZ_OK) {
        s->hints++;
        if (s->hints < count)
            printf("\nh gives the next one.\n");
        else
            printf("\nThat was the last one. s shows a solution.\n");
    } else if (status == KZ_NOT_FOUND) {
        report_wrap(stdout, look(s),
                    "There are no more hints; the next h begins with the first again. s shows a solution.", 0,
                    0);
        s->hints = 0;
    } else {
        say_error(s, &error);
    }
    show_prompt(s);
}

static void show_solution(screen *s) {
    kz_error error = {0};
    if (learn_show_solution(s->l, stdout, look(s), &error)) say_error(s, &error);
    show_prompt(s);
}

static void on_list(screen *s) {
    learn_list_tasks(s->l, stdout, look(s));
    ask_for_task(s);
}

// On this terminal, with its modes as the program expects them. What it saves is noticed as ever.
static void open_file(screen *s, const char *program, const char *path) {
    kz_error error = {0};
    learn_terminal_lines(&s->terminal, true);
    if (cli_learner_edit(program, path, &error)) say_error(s, &error);
    learn_terminal_lines(&s->terminal, false);
}

// A text that the window does not hold is read page by page, where single keys can be read.
static void show_pages(screen *s, const char *text, size_t size) {
    bool shown = false;
    if (s->terminal.keys && is_longer_than_window(text)) {
        learn_terminal_lines(&s->terminal, true);
        shown = cli_pager_show(text, size, "Space goes on, b goes back, q returns to the keys");
        learn_terminal_lines(&s->terminal, false);
    }
    if (!shown) fwrite(text, 1, size, stdout);
}

static void on_what(screen *s) {
    kz_error error = {0};
    size_t size = 0;
    char *text = task_text(s, &size, &error);
    if (!text)
        say_error(s, &error);
    else
        show_pages(s, text, size);
    free(text);
    show_prompt(s);
}

static void on_pages(screen *s) {
    kz_error error = {0};
    learn_pages *pages = NULL;
    const course_step *step = learn_step_of(s->l, s->l->task);
    if (learn_pages_open(s->l->catalogue->folder, &pages, &error)) {
        say_error(s, &error);
    } else {
        learn_pages_list(pages, step ? step->reads : NULL, stdout, look(s));
        s->asking = ASK_PAGE;
        learn_terminal_lines(&s->terminal, true);
    }
    learn_pages_close(pages);
    show_prompt(s);
}

static void read_page(screen *s, const char *word) {
    kz_error error = {0};
    learn_pages *pages = NULL;
    char *text = NULL;
    size_t size = 0;
    if (learn_pages_open(s->l->catalogue->folder, &pages, &error) ||
        learn_pages_text(pages, word, look(s), &text, &size, &error))
        say_error(s, &error);
    else
        show_pages(s, text, size);
    free(text);
    learn_pages_close(pages);
    show_prompt(s);
}

// For whoever has but one terminal. An editor that nobody asked for is one that says how to leave it, or is told
// to: many have never met vi.
static void on_edit(screen *s) {
    static const char *const usual[][2] = {
        {"nano", "nano"},
        {"vim", "vim -c \"redraw | echo 'i: write. Esc, then :wq and Enter: save and return'\""},
        {"vi", "vi"},
        {"editor", "editor"},
    };
    const char *editor = cli_learner_editor();
    char path[TOOLCHAIN_PATH];
    for (size_t i = 0; !editor && i < BASE_COUNT(usual); i++)
        if (toolchain_find_program(usual[i][0], path)) editor = usual[i][1];
    if (!editor) {
        printf("No editor was found here. Set EDITOR to yours (export EDITOR=nano), or open the file "
               "elsewhere.\n");
    } else {
        learn_run_end(&s->run);
        open_file(s, editor, s->l->file);
    }
    show_prompt(s);
}

static void on_key(screen *s, char key) {
    clear_line(s);
    if (s->asking == ASK_SOLUTION) {
        s->asking = ASK_NOTHING;
        if (key == 'y')
            show_solution(s);
        else
            show_prompt(s);
        return;
    }
    if (key != '\n') fputc('\n', stdout);
    switch (key) {
    case 'q': s->finished = true; break;
    case 'n': on_next(s); break;
    case 'k': on_skip(s); break;
    case 'h': on_hint(s); break;
    case 'l': on_list(s); break;
    case 'g': learn_list_gates(s->l, stdout, look(s)), show_prompt(s); break;
    case 'w': on_what(s); break;
    case 'p': on_pages(s); break;
    case 'e': on_edit(s); break;
    case 'r': begin_run(s, true); break;
    case '?': show_all_keys(s), show_prompt(s); break;
    case 's':
        if (s->passed || learn_known(s->l, s->l->task).passed) {
            show_solution(s);
        } else {
            s->asking = ASK_SOLUTION;
            show_prompt(s);
        }
        break;
    case '\n': show_prompt(s); break;
    default: printf("There is no such key: ? lists them.\n"), show_prompt(s);
    }
}

// Begins the path of that name; `task` is the one to do there. False where it is no path.
static bool take_path(screen *s, const char *word, const course_task **task) {
    static const char start[] = "kz learn start "; // as it stands above, for those who type it all
    kz_error error = {0};
    if (strncmp(word, start, sizeof start - 1) == 0) word += sizeof start - 1;
    const course_path *path = course_find_path(s->l->catalogue, word);
    if (!path) return false;
    const course_task *before = s->l->task;
    if (learn_use_path(s->l, path, &error) || learn_go(s->l, before, &error)) {
        say_error(s, &error);
        return true;
    }
    s->l->task = NULL;
    *task = learn_next(s->l);
    if (!*task && s->l->count) *task = s->l->order[0];
    s->l->task = before;
    learn_show_path(s->l, stdout, look(s));
    return true;
}

static void on_line(screen *s, const char *line) {
    kz_error error = {0};
    const course_task *task = NULL;
    bool page = s->asking == ASK_PAGE;
    s->asking = ASK_NOTHING;
    learn_terminal_lines(&s->terminal, false);
    if (page && *line) {
        read_page(s, line);
        return;
    }
    if (*line && !take_path(s, line, &task) && learn_find_task(s->l, line, &task, &error))
        say_error(s, &error);
    if (task && task != s->l->task)
        go(s, task);
    else
        show_prompt(s);
}

static void obey(screen *s) {
    char key, line[256];
    while (!s->finished && !s->terminal.ended) {
        if (asks_for_line(s)) {
            if (!learn_terminal_line(&s->terminal, line, sizeof line)) return;
            on_line(s, line);
        } else {
            if (!learn_terminal_key(&s->terminal, &key)) return;
            if (!s->terminal.ended) on_key(s, key);
        }
    }
}

// ---- waiting ------------------------------------------------------------------------------------------------------

static void on_file(screen *s) {
    learn_change change = learn_watch_look(&s->watch);
    if (change == LEARN_GONE) make_anew(s);
    if (change != LEARN_SAVED) return;
    if (asks_for_line(s)) fputc('\n', stdout);
    begin_run(s, true);
}

static void on_signal(screen *s) {
    s->ended_by = learn_terminal_signal(&s->terminal);
    if (s->ended_by) {
        s->finished = true;
    } else { // continued after a stop: the shell has written over it
        s->drawn = false;
        show_prompt(s);
    }
}

static void wait_for_something(screen *s) {
    enum { TYPED, SIGNAL, SAVED, GRADED, SOURCES };
    struct pollfd sources[SOURCES] = {
        [TYPED] = {.fd = STDIN_FILENO, .events = POLLIN},
        [SIGNAL] = {.fd = s->terminal.wake, .events = POLLIN},
        [SAVED] = {.fd = s->watch.fd, .events = POLLIN},
        [GRADED] = {.fd = s->run.fd, .events = POLLIN},
    };
    if (poll(sources, SOURCES, learn_watch_wait(&s->watch)) < 0 && errno != EINTR) {
        s->finished = true;
        return;
    }
    if (sources[SIGNAL].revents) on_signal(s);
    if (s->finished) return;
    if (sources[TYPED].revents) learn_terminal_take(&s->terminal);
    if (sources[SAVED].revents) learn_watch_take(&s->watch);
    if (sources[GRADED].revents) {
        if (learn_run_take(&s->run))
            end_run(s);
        else
            draw_run(s);
    }
    on_file(s);
}

int learn_screen(learn *l) {
    screen s = {.l = l, .run = {.fd = -1}, .watch = {.fd = -1}};
    kz_error error = {0};
    kz_status status = learn_terminal_open(&s.terminal, &error);
    if (status) return cli_fail(&error);
    if (l->first_time) learn_show_welcome(l, stdout, look(&s));
    status = open_task(&s, l->task, &error);
    while (!status && !s.finished && !s.terminal.ended && !ferror(stdout)) {
        obey(&s);
        if (!s.finished && !s.terminal.ended) wait_for_something(&s);
    }
    learn_run_end(&s.run);
    learn_watch_close(&s.watch);
    clear_line(&s);
    learn_terminal_close(&s.terminal);
    if (status) return cli_fail(&error);
    if (s.ended_by == SIGINT) {
        fputc('\n', stdout);
        return CLI_INTERRUPTED;
    }
    if (s.ended_by) {
        fflush(stdout);
        learn_close(l);
        raise(s.ended_by);
    }
    printf("kz learn opens %s again. Your file:\n  %s\n", l->task->id, l->file);
    learn_show_command(l, stdout, look(&s));
    return CLI_OK;
}
