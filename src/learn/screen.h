// The learner's screen, inside: loop.c waits and obeys, prompt.c shows what to do now, pages.c what
// is longer than the window.
#ifndef LEARN_SCREEN_H
#define LEARN_SCREEN_H

#include "learn/learn.h"
#include "learn/read.h"

typedef enum learn_question {
    LEARN_ASK_NOTHING,
    LEARN_ASK_SOLUTION,
    LEARN_ASK_TASK,
    LEARN_ASK_PAGE
} learn_question;

typedef struct learn_screen {
    learn *l;
    report_style style;
    learn_terminal terminal;
    learn_watch watch;
    learn_run run;
    base_text verdict; // the last one of this task; no data: none yet
    learn_question asking;
    size_t hints;     // shown of this task
    bool asked;       // the run was asked for by a save or a key; the first one of a task was not
    bool passed;      // the file as it was graded last
    bool drawn;       // the line about the grader stands on the screen
    bool paste_noted; // since the last key
    bool finished;    // the learner has left
    int ended_by;     // a signal; 0: none
} learn_screen;

const report_style *learn_screen_look(learn_screen *s); // the window may have been resized since
void learn_screen_prompt(learn_screen *s); // what to do now; the cursor stays where an answer is typed
void learn_screen_draw(learn_screen *s);   // the line about the grader
void learn_screen_clear(learn_screen *s);
void learn_screen_keys(learn_screen *s); // all of them, with what they do
void learn_screen_fail(learn_screen *s, const kz_error *error);
bool learn_screen_asks_line(const learn_screen *s); // what is asked is answered by a line, not by a key

bool learn_screen_is_longer(const char *text); // than the window, with the keys under it
// Shows a text from line `first` on, page by page where it is longer than the window; `then` says what q does.
void learn_screen_pages(learn_screen *s, const char *text, size_t size, size_t first, const char *then);
// The same for a list that `print` prints, from where the learner is; `pages` is for it.
void learn_screen_print(learn_screen *s, void (*print)(learn_screen *s, FILE *file, const learn_pages *pages),
                        const learn_pages *pages, const char *then);

#endif
