// kz learn, inside: where the learner is in the course, grading in a child, the watched file, the terminal.
//
// state.c knows where the learner is, show.c, list.c and gates.c print, read.c shows pages, verbs.c does what
// needs no terminal, loop.c, prompt.c and pages.c are the screen with its keys, for which terminal.c, watch.c and
// run.c wait.
#ifndef LEARN_LEARN_H
#define LEARN_LEARN_H

#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "base/base.h"
#include "course/course.h"
#include "report/report.h"
#include "store/store.h"

// ---- where the learner is (state.c) -----------------------------------------------------------

typedef struct learn_options {
    const char *path, *device;
    bool yes, poll;
    bool (*interrupted)(void); // asked while a file is graded in this process; NULL: never
} learn_options;

typedef struct learn {
    learn_options options;
    course_catalogue *catalogue;
    store *progress;
    char folder[COURSE_PATH];  // the learner's: $KZ_LEARN, else ~/kz-learn
    char kz[COURSE_PATH];      // this executable
    const course_path *path;   // NULL: the whole course in its order
    const course_task **order; // the tasks of the path, each once
    size_t count;
    const course_task *task;     // where the learner is; NULL: the course has no task
    char file[COURSE_PATH];      // the file of `task`; "" until learn_make_file was called
    bool first_time;             // nothing was ever done here
    char set_aside[COURSE_PATH]; // what store_open says became of progress.db; "" where all is well
} learn;

// Opens course and progress, and finds the learner's path and task.
kz_status learn_open(const learn_options *options, learn *l, kz_error *error);
void learn_close(learn *l);

// Takes the path (NULL: the whole course) without writing it down.
kz_status learn_use_path(learn *l, const course_path *path, kz_error *error);
// Goes to a task, and writes down that the learner is there.
kz_status learn_go(learn *l, const course_task *task, kz_error *error);
kz_status learn_go_on(learn *l, kz_error *error); // the same for the task where the learner is
// Sees to it that the task's file is there; `made` tells that it was not.
kz_status learn_make_file(learn *l, bool *made, kz_error *error);

store_task learn_known(const learn *l, const course_task *task); // zeroed where nothing is known
bool learn_has_file(const learn *l, const course_task *task);    // the learner has a file for it
size_t learn_index(const learn *l, const course_task *task);     // in `order`; `count` where it is not there
// The task to do after the present one: the next of the path that is neither passed nor skipped, else the first
// such, else the first that was skipped; NULL where all are passed.
const course_task *learn_next(const learn *l);
// A task or path by its id, with what was probably meant in the error. A number counts in the order.
kz_status learn_find_task(const learn *l, const char *word, const course_task **task, kz_error *error);
kz_status learn_find_path(const learn *l, const char *word, const course_path **path, kz_error *error);

// ---- what is shown (show.c, list.c) --------------------------------------------------------

void learn_show_welcome(const learn *l, FILE *file, const report_style *style);
// How to make the shell find kz; nothing where it does.
void learn_show_command(const learn *l, FILE *file, const report_style *style);
const course_step *learn_step_of(const learn *l,
                                 const course_task *task); // of the path; NULL where there is none
void learn_show_head(const learn *l, FILE *file, const report_style *style); // where it is, title, file
kz_status learn_show_statement(const course_task *task, FILE *file, const report_style *style,
                               kz_error *error);
// What is read after passing: after.md, families of the zoo that go on from it, gates that this task completes,
// what comes next.
void learn_show_after(const learn *l, FILE *file, const report_style *style);
// Hint number `number` (from 0), and writes down that it was seen.
kz_status learn_show_hint(learn *l, size_t number, size_t *count, FILE *file, const report_style *style,
                          kz_error *error);
kz_status learn_show_solution(learn *l, FILE *file, const report_style *style, kz_error *error);
void learn_show_next(const learn *l, FILE *file, const report_style *style);
void learn_show_path(const learn *l, FILE *file, const report_style *style); // title, goal, prerequisites

// One line: its number on the path, whether it is passed, id, title.
void learn_list_task(const learn *l, const course_task *task, int id_width, FILE *file,
                     const report_style *style);
void learn_list_tasks(const learn *l, FILE *file, const report_style *style);
void learn_list_paths(const learn *l, FILE *file, const report_style *style);
void learn_count(const learn *l, const course_path *path, size_t *passed, size_t *total); // path NULL: all

// ---- gates, and what comes after a path (gates.c) ---------------------------------------------------

// The gate as it stands: passed, what it still asks for, what it waits for; once all its tasks are passed, what it
// means, what to hand in and to ask oneself.
void learn_show_gate(const learn *l, const course_path_gate *gate, FILE *file, const report_style *style);
// It is passed where all its tasks are and it waits for nothing. Free both texts.
typedef struct learn_gate {
    size_t passed, tasks;
    base_text missing, waiting; // names, "" (NULL) where there is none
} learn_gate;
learn_gate learn_look_at_gate(const learn *l, const course_path_gate *gate);
bool learn_gate_asks_for(const course_path_gate *gate, const char *task);
// Every gate of the path with all its tasks, what to hand in and to ask oneself.
void learn_list_gates(const learn *l, FILE *file, const report_style *style);
// The paths to go on with, at most `most`: those after the present one in its group, then all others.
size_t learn_suggest(const learn *l, const course_path *paths[], size_t most);
// For those who have passed all tasks of the path: what of it waits, and where to go.
void learn_show_end(const learn *l, FILE *file, const report_style *style);

// ---- grading (run.c) -------------------------------------------------------------------------------

typedef struct learn_outcome {
    kz_status status; // of the grader; the message is in `error`
    kz_error error;
    store_attempt attempt;
    bool untouched; // the starter as it is, which does not pass: no attempt
} learn_outcome;

// A grading under way in a child, whose pipe is `fd`. The child prints nothing; its verdict comes as text.
typedef struct learn_run {
    pid_t pid; // 0: none
    int fd;    // -1: none
    base_text received, text;
    learn_outcome outcome;
    bool has_outcome;
    char what[96];             // what it is at
    double since;              // when that began, by base_seconds
    char scratch[COURSE_PATH]; // its TMPDIR
} learn_run;

// Here and now, in this process; the verdict goes to `out`. `brief`: an untouched starter that fails gets a line
// instead, since nobody has written anything yet that could be wrong.
void learn_grade(const learn *l, const report_style *style, bool brief, base_text *out,
                 learn_outcome *outcome, void (*progress)(const char *what, void *context), void *context);
kz_status learn_run_begin(const learn *l, const report_style *style, bool brief, learn_run *run,
                          kz_error *error);
// Takes what the pipe has. True when the child has ended: then outcome and text are there.
bool learn_run_take(learn_run *run);
// Gives up what is under way, with every process of it; forgets texts.
void learn_run_end(learn_run *run);
// Writes it down, unless it is an untouched starter; `says` gets a line for people on that, or on when a kata is
// back, "" where there is none.
kz_status learn_record(learn *l, const learn_outcome *outcome, char *says, size_t size, kz_error *error);

// ---- the watched file (watch.c) --------------------------------------------------------------------

typedef enum learn_change { LEARN_SAME, LEARN_SAVED, LEARN_GONE } learn_change;

typedef struct learn_watch {
    int fd;    // of inotify; -1: looks every now and then instead
    bool lost; // what was watched is no longer that folder
    char file[COURSE_PATH], folder[COURSE_PATH];
    struct timespec modified;
    off_t size;
    ino_t inode;
    double due;        // when to look; 0: no need
    double gone_since; // 0: it is there
} learn_watch;

void learn_watch_open(learn_watch *watch, const char *file, bool poll);
void learn_watch_close(learn_watch *watch);
void learn_watch_take(learn_watch *watch);      // when its fd is readable
int learn_watch_wait(const learn_watch *watch); // milliseconds until learn_watch_look; -1: none
learn_change learn_watch_look(learn_watch *watch);

// ---- the terminal (terminal.c) -----------------------------------------------------------------------

typedef struct learn_terminal {
    bool keys;        // single keys can be read; else lines
    bool lines;       // lines are read now
    bool ended;       // nobody is there any more
    int wake;         // readable after a signal
    bool pasted;      // text was pasted, and dropped; whoever says so sets it back
    double paste_end; // until then more of it may come
    char buffer[512];
    size_t filled;
} learn_terminal;

// Takes the terminal and the signals; learn_terminal_close gives both back, and so does every way to end.
kz_status learn_terminal_open(learn_terminal *t, kz_error *error);
void learn_terminal_close(learn_terminal *t);
void learn_terminal_lines(learn_terminal *t, bool lines);
void learn_terminal_take(learn_terminal *t); // when stdin is readable
// The next key, lower case ('\n' for an empty line or Enter), or with `line` the next whole line. False: none yet.
bool learn_terminal_key(learn_terminal *t, char *key);
bool learn_terminal_line(learn_terminal *t, char *line, size_t size);
int learn_terminal_signal(learn_terminal *t); // the signal that asks to end, 0; forgets what woke it

// ---- the verbs ---------------------------------------------------------------------------------------------

typedef enum learn_end { LEARN_DONE, LEARN_NOT_PASSED, LEARN_INTERRUPTED } learn_end;

// On a terminal: grades, watches, obeys keys.
kz_status learn_watch_screen(learn *l, learn_end *end, kz_error *error);
kz_status learn_once(learn *l, learn_end *end, kz_error *error); // without one
// The verbs that need no terminal: words[0] is the verb.
bool learn_is_verb(const char *word);
kz_status learn_verb(learn *l, const char *const *words, size_t count, learn_end *end, kz_error *error);

#endif
