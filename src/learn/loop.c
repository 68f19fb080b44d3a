// The learner's screen: the task, then its file watched and graded on every save, and keys.
//
// Everything is waited for in one place: keys, signals, the file's folder, the grader's pipe. Text scrolls, as in
// any shell; only the line that tells what the grader is at is drawn over. Nothing moves on by itself.
#include "learn/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/read.h"
#include "learn/learner.h"
#include "report/terminal/markdown.h"
#include "toolchain/toolchain.h"

// ---- grading ------------------------------------------------------------------------------------------------

static void begin_run(learn_screen *s, bool asked) {
    learn_run_end(&s->run);
    learn_screen_clear(s);
    kz_error error = {0};
    s->asked = asked;
    if (learn_run_begin(s->l, learn_screen_look(s), !asked, &s->run, &error)) {
        learn_screen_fail(s, &error);
        learn_run_end(&s->run);
    }
    learn_screen_prompt(s);
}

static void show_rule(learn_screen *s) {
    const report_style *style = learn_screen_look(s);
    time_t t = (time_t)base_wall_seconds();
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

// Writes it down. Opening a task again is no attempt.
static void record(learn_screen *s, char *says, size_t size) {
    kz_error error = {0};
    bool new_pass = s->passed && !learn_known(s->l, s->l->task).passed;
    if ((s->asked || new_pass) && learn_record(s->l, &s->run.outcome, says, size, &error)) {
        learn_screen_fail(s, &error);
        printf("This result was not written down. r grades again, and tries again.\n");
    }
}

// The verdict, and what is read after passing: kept, so that its beginning can be seen again.
static void keep_verdict(learn_screen *s, const char *says) {
    char *after = NULL;
    size_t size = 0;
    base_text_free(&s->verdict);
    base_text_add_bytes(&s->verdict, s->run.text.data ? s->run.text.data : "", s->run.text.length);
    if (*says) base_text_add(&s->verdict, "%s\n", says);
    FILE *file = s->passed ? open_memstream(&after, &size) : NULL;
    if (!file) return;
    learn_show_after(s->l, file, learn_screen_look(s));
    fclose(file);
    base_text_add(&s->verdict, "\n%s", after ? after : "");
    free(after);
}

static void end_run(learn_screen *s) {
    learn_outcome *outcome = &s->run.outcome;
    learn_screen_clear(s);
    show_rule(s);
    s->passed = !outcome->status && outcome->attempt.passed;
    if (outcome->status) {
        base_text_free(&s->verdict);
        printf("%s was not graded:\n", s->l->file);
        learn_screen_fail(s, &outcome->error);
    } else {
        char says[100] = "";
        record(s, says, sizeof says);
        keep_verdict(s, says);
        fwrite(s->verdict.data ? s->verdict.data : "", 1, s->verdict.length, stdout);
        if (s->verdict.data && learn_screen_is_longer(s->verdict.data))
            report_wrap(stdout, learn_screen_look(s),
                        "The verdict began further up: v shows it from its beginning.", 0, 0);
    }
    learn_run_end(&s->run);
    learn_screen_prompt(s);
}

// ---- going somewhere ------------------------------------------------------------------------------------------

static void watch_file(learn_screen *s) {
    learn_watch_close(&s->watch);
    learn_watch_open(&s->watch, s->l->file, s->l->options.poll);
}

// Head and statement of the task; NULL where it cannot be read.
static char *task_text(learn_screen *s, size_t *size, kz_error *error) {
    char *text = NULL;
    FILE *page = open_memstream(&text, size);
    if (!page) {
        base_fail(error, KZ_NO_MEMORY, "no memory for the text of %s", s->l->task->id);
        return NULL;
    }
    const report_style *style = learn_screen_look(s);
    learn_show_head(s->l, page, style);
    kz_status status = learn_show_statement(s->l->task, page, style, error);
    if (!fclose(page) && !status) return text;
    if (!status) base_fail(error, KZ_NO_MEMORY, "no memory for the text of %s", s->l->task->id);
    free(text);
    return NULL;
}

static kz_status open_task(learn_screen *s, const course_task *task, kz_error *error) {
    learn *l = s->l;
    bool made = false, again = learn_has_file(l, task) == false && learn_known(l, task).attempts > 0;
    learn_run_end(&s->run);
    learn_screen_clear(s);
    base_text_free(&s->verdict);
    s->hints = 0;
    s->passed = false;
    kz_status status = learn_go(l, task, error);
    if (!status) status = learn_make_file(l, &made, error);
    if (status) return status;
    const report_style *style = learn_screen_look(s);
    if (again && made) {
        report_print(stdout, style, REPORT_WARN,
                     "Your file of this task was gone: it was made anew from the starter.");
        fputs("\n\n", stdout);
    }
    size_t size = 0;
    char *text = task_text(s, &size, error);
    if (!text) return error->status;
    if (learn_screen_is_longer(text)) // a reader begins at the beginning
        learn_screen_pages(s, text, size, 1, "goes on; w shows it again");
    else
        fwrite(text, 1, size, stdout);
    fputc('\n', stdout);
    free(text);
    watch_file(s);
    begin_run(s, false);
    return KZ_OK;
}

static void go(learn_screen *s, const course_task *task) {
    kz_error error = {0};
    fputc('\n', stdout);
    if (open_task(s, task, &error)) {
        learn_screen_fail(s, &error);
        learn_screen_prompt(s);
    }
}

// The learner's file is gone: a new one, so that there is something to edit.
static void make_anew(learn_screen *s) {
    kz_error error = {0};
    bool made;
    learn_run_end(&s->run);
    learn_screen_clear(s);
    if (learn_make_file(s->l, &made, &error)) {
        learn_screen_fail(s, &error);
        watch_file(s);
        return;
    }
    report_print(stdout, learn_screen_look(s), REPORT_WARN,
                 "\n%s was gone: it was made anew from the starter.", s->l->file);
    fputc('\n', stdout);
    watch_file(s);
    begin_run(s, false);
}

// ---- keys -------------------------------------------------------------------------------------------------------

static void ask_for_task(learn_screen *s) {
    s->asking = LEARN_ASK_TASK;
    learn_terminal_lines(&s->terminal, true);
    learn_screen_prompt(s);
}

static void on_next(learn_screen *s) {
    if (!s->passed && !learn_known(s->l, s->l->task).passed) {
        printf("This task is not passed yet. h gives a hint, k skips it for now.\n");
        learn_screen_prompt(s);
        return;
    }
    const course_task *next = learn_next(s->l);
    if (next) {
        go(s, next);
        return;
    }
    learn_show_end(s->l, stdout, learn_screen_look(s));
    ask_for_task(s);
}

static void on_skip(learn_screen *s) {
    kz_error error = {0};
    if (learn_known(s->l, s->l->task).passed) {
        on_next(s);
        return;
    }
    const course_task *next = learn_next(s->l);
    if (!next) {
        printf("There is no other task left in this path: kz learn paths lists more.\n");
        learn_screen_prompt(s);
    } else if (store_set_skipped(s->l->progress, s->l->task->id, true, &error)) {
        learn_screen_fail(s, &error);
        learn_screen_prompt(s);
    } else {
        printf("Skipped %s: it comes back after the others, and kz learn %s opens it.\n", s->l->task->id,
               s->l->task->id);
        go(s, next);
    }
}

static void on_hint(learn_screen *s) {
    kz_error error = {0};
    size_t count = 0;
    kz_status status = learn_show_hint(s->l, s->hints, &count, stdout, learn_screen_look(s), &error);
    if (status == KZ_OK) {
        s->hints++;
        if (s->hints < count)
            printf("\nh gives the next one.\n");
        else
            printf("\nThat was the last one. s shows a solution.\n");
    } else if (status == KZ_NOT_FOUND) {
        report_wrap(stdout, learn_screen_look(s),
                    "There are no more hints; the next h begins with the first again. s shows a solution.", 0,
                    0);
        s->hints = 0;
    } else {
        learn_screen_fail(s, &error);
    }
    learn_screen_prompt(s);
}

static void show_solution(learn_screen *s) {
    kz_error error = {0};
    if (learn_show_solution(s->l, stdout, learn_screen_look(s), &error)) learn_screen_fail(s, &error);
    learn_screen_prompt(s);
}

#define RETURNS "returns to the keys"
#define CHOOSE  "ends the list; then choose"

static void print_tasks(learn_screen *s, FILE *file, const learn_pages *pages) {
    (void)pages;
    learn_list_tasks(s->l, file, learn_screen_look(s));
}

static void on_list(learn_screen *s) {
    learn_screen_print(s, print_tasks, NULL, CHOOSE);
    ask_for_task(s);
}

static void print_gates(learn_screen *s, FILE *file, const learn_pages *pages) {
    (void)pages;
    learn_list_gates(s->l, file, learn_screen_look(s));
}

static void on_gates(learn_screen *s) {
    learn_screen_print(s, print_gates, NULL, RETURNS);
    learn_screen_prompt(s);
}

// On this terminal, with its modes as the program expects them. What it saves is noticed as ever.
static void open_file(learn_screen *s, const char *program, const char *path) {
    kz_error error = {0};
    learn_terminal_lines(&s->terminal, true);
    if (learn_edit(program, path, &error)) learn_screen_fail(s, &error);
    learn_terminal_lines(&s->terminal, false);
}

static void on_what(learn_screen *s) {
    kz_error error = {0};
    size_t size = 0;
    char *text = task_text(s, &size, &error);
    if (!text)
        learn_screen_fail(s, &error);
    else
        learn_screen_pages(s, text, size, 1, RETURNS);
    free(text);
    learn_screen_prompt(s);
}

static void on_verdict(learn_screen *s) {
    if (s->verdict.data)
        learn_screen_pages(s, s->verdict.data, s->verdict.length, 1, RETURNS);
    else
        printf("There is no verdict yet: save the file, or press r.\n");
    learn_screen_prompt(s);
}

static void print_page_names(learn_screen *s, FILE *file, const learn_pages *pages) {
    const course_step *step = learn_step_of(s->l, s->l->task);
    learn_pages_list(pages, step ? step->reads : NULL, file, learn_screen_look(s));
}

static void on_pages(learn_screen *s) {
    kz_error error = {0};
    learn_pages *pages = NULL;
    if (learn_pages_open(s->l->catalogue->folder, &pages, &error)) {
        learn_screen_fail(s, &error);
    } else {
        learn_screen_print(s, print_page_names, pages, CHOOSE);
        s->asking = LEARN_ASK_PAGE;
        learn_terminal_lines(&s->terminal, true);
    }
    learn_pages_close(pages);
    learn_screen_prompt(s);
}

static void read_page(learn_screen *s, const char *word) {
    kz_error error = {0};
    learn_pages *pages = NULL;
    char *text = NULL;
    size_t size = 0;
    if (learn_pages_open(s->l->catalogue->folder, &pages, &error) ||
        learn_pages_text(pages, word, learn_screen_look(s), &text, &size, &error))
        learn_screen_fail(s, &error);
    else
        learn_screen_pages(s, text, size, 1, RETURNS);
    free(text);
    learn_pages_close(pages);
    learn_screen_prompt(s);
}

// For whoever has but one terminal. An editor that nobody asked for is one that says how to leave it, or is told
// to: many have never met vi.
static void on_edit(learn_screen *s) {
    static const char *const usual[][2] = {
        {"nano", "nano"},
        {"vim", "vim -c \"redraw | echo 'i: write. Esc, then :wq and Enter: save and return'\""},
        {"vi", "vi"},
        {"editor", "editor"},
    };
    const char *editor = learn_editor();
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
    learn_screen_prompt(s);
}

static void on_key(learn_screen *s, char key) {
    learn_screen_clear(s);
    s->paste_noted = false;
    if (s->asking == LEARN_ASK_SOLUTION) {
        s->asking = LEARN_ASK_NOTHING;
        if (key == 'y')
            show_solution(s);
        else
            learn_screen_prompt(s);
        return;
    }
    if (key != '\n') fputc('\n', stdout);
    switch (key) {
    case 'q': s->finished = true; break;
    case 'n': on_next(s); break;
    case 'k': on_skip(s); break;
    case 'h': on_hint(s); break;
    case 'l': on_list(s); break;
    case 'g': on_gates(s); break;
    case 'w': on_what(s); break;
    case 'v': on_verdict(s); break;
    case 'p': on_pages(s); break;
    case 'e': on_edit(s); break;
    case 'r': begin_run(s, true); break;
    case '?': learn_screen_keys(s), learn_screen_prompt(s); break;
    case 's':
        if (s->passed || learn_known(s->l, s->l->task).passed) {
            show_solution(s);
        } else {
            s->asking = LEARN_ASK_SOLUTION;
            learn_screen_prompt(s);
        }
        break;
    case '\n': learn_screen_prompt(s); break;
    default: printf("There is no such key: ? lists them.\n"), learn_screen_prompt(s);
    }
}

// Begins the path of that name; `task` is the one to do there. False where it is no path.
static bool take_path(learn_screen *s, const char *word, const course_task **task) {
    static const char start[] = "kz learn start "; // as it stands above, for those who type it all
    kz_error error = {0};
    if (strncmp(word, start, sizeof start - 1) == 0) word += sizeof start - 1;
    const course_path *path = course_find_path(s->l->catalogue, word);
    if (!path) return false;
    const course_task *before = s->l->task;
    if (learn_use_path(s->l, path, &error) || learn_go(s->l, before, &error)) {
        learn_screen_fail(s, &error);
        return true;
    }
    s->l->task = NULL;
    *task = learn_next(s->l);
    if (!*task && s->l->count) *task = s->l->order[0];
    s->l->task = before;
    learn_show_path(s->l, stdout, learn_screen_look(s));
    return true;
}

static void on_line(learn_screen *s, const char *line) {
    kz_error error = {0};
    const course_task *task = NULL;
    bool page = s->asking == LEARN_ASK_PAGE;
    s->asking = LEARN_ASK_NOTHING;
    learn_terminal_lines(&s->terminal, false);
    if (strcmp(line, "q") == 0) line = ""; // as everywhere: leaves, here the question
    if (page && *line) {
        read_page(s, line);
        return;
    }
    if (*line && !take_path(s, line, &task) && learn_find_task(s->l, line, &task, &error))
        learn_screen_fail(s, &error);
    if (task && task != s->l->task)
        go(s, task);
    else
        learn_screen_prompt(s);
}

// Said once, however many pieces it comes in.
static void on_paste(learn_screen *s) {
    s->terminal.pasted = false;
    if (s->paste_noted) return;
    s->paste_noted = true;
    learn_screen_clear(s);
    fputc('\n', stdout);
    report_wrap(
        stdout, learn_screen_look(s),
        "That was pasted, not typed: letters are keys here, so nothing was done with it. Text belongs "
        "into your file; e opens it.",
        0, 0);
    learn_screen_prompt(s);
}

static void obey(learn_screen *s) {
    char key, line[256];
    while (!s->finished && !s->terminal.ended) {
        if (learn_screen_asks_line(s)) {
            if (!learn_terminal_line(&s->terminal, line, sizeof line)) return;
            on_line(s, line);
        } else {
            if (!learn_terminal_key(&s->terminal, &key)) return;
            if (!s->terminal.ended) on_key(s, key);
        }
    }
}

// ---- waiting ------------------------------------------------------------------------------------------------------

static void on_file(learn_screen *s) {
    learn_change change = learn_watch_look(&s->watch);
    if (change == LEARN_GONE) make_anew(s);
    if (change != LEARN_SAVED) return;
    if (learn_screen_asks_line(s)) fputc('\n', stdout);
    begin_run(s, true);
}

static void on_signal(learn_screen *s) {
    s->ended_by = learn_terminal_signal(&s->terminal);
    if (s->ended_by) {
        s->finished = true;
    } else { // continued after a stop: the shell has written over it
        s->drawn = false;
        learn_screen_prompt(s);
    }
}

static void wait_for_something(learn_screen *s) {
    enum { TYPED, SIGNAL, SAVED, GRADED, SOURCES };
    struct pollfd sources[SOURCES] = {
        [TYPED] = {.fd = STDIN_FILENO, .events = POLLIN},
        [SIGNAL] = {.fd = s->terminal.wake, .events = POLLIN},
        [SAVED] = {.fd = s->watch.fd, .events = POLLIN},
        [GRADED] = {.fd = s->run.fd, .events = POLLIN},
    };
    enum { TICK = 1000 };                       // milliseconds
    int patience = learn_watch_wait(&s->watch); // -1: any
    if (s->run.pid && (patience < 0 || patience > TICK)) patience = TICK;
    int ready = poll(sources, SOURCES, patience);
    if (ready < 0 && errno != EINTR) {
        s->finished = true;
        return;
    }
    if (ready == 0) learn_screen_draw(s); // its clock
    if (sources[SIGNAL].revents) on_signal(s);
    if (s->finished) return;
    if (sources[TYPED].revents) learn_terminal_take(&s->terminal);
    if (s->terminal.pasted) on_paste(s);
    if (sources[SAVED].revents) learn_watch_take(&s->watch);
    if (sources[GRADED].revents) {
        if (learn_run_take(&s->run))
            end_run(s);
        else
            learn_screen_draw(s);
    }
    on_file(s);
}

kz_status learn_watch_screen(learn *l, learn_end *end, kz_error *error) {
    learn_screen s = {.l = l, .run = {.fd = -1}, .watch = {.fd = -1}};
    *end = LEARN_DONE;
    kz_status status = learn_terminal_open(&s.terminal, error);
    if (status) return status;
    if (l->first_time) learn_show_welcome(l, stdout, learn_screen_look(&s));
    status = open_task(&s, l->task, error);
    while (!status && !s.finished && !s.terminal.ended && !ferror(stdout)) {
        obey(&s);
        if (!s.finished && !s.terminal.ended) wait_for_something(&s);
    }
    learn_run_end(&s.run);
    base_text_free(&s.verdict);
    learn_watch_close(&s.watch);
    learn_screen_clear(&s);
    learn_terminal_close(&s.terminal);
    if (status) return status;
    if (s.ended_by == SIGINT) {
        fputc('\n', stdout);
        *end = LEARN_INTERRUPTED;
        return KZ_OK;
    }
    if (s.ended_by) {
        fflush(stdout);
        learn_close(l);
        raise(s.ended_by);
    }
    printf("kz learn opens %s again. Your file:\n  %s\n", l->task->id, l->file);
    learn_show_command(l, stdout, learn_screen_look(&s));
    return KZ_OK;
}
