// Katas: the one of today, and what follows from grading one.
#ifndef LEARN_KATA_H
#define LEARN_KATA_H

#include "course/course.h"
#include "store/store.h"

typedef enum learn_kata_wish {
    LEARN_KATA_SHOW,
    LEARN_KATA_ANOTHER, // chooses one more, and shows it
    LEARN_KATA_HINT,
    LEARN_KATA_LIST,
    LEARN_KATA_GRADE, // prints nothing: `path` and `id` say what is to be graded
} learn_kata_wish;
// Chooses and places today's kata, and prints what is wished for; `path` and `id` are of the kata.
kz_status learn_kata(learn_kata_wish wish, char path[COURSE_PATH], char id[COURSE_NAME], kz_error *error);

// Watches the kata's file, and grades it with the program `kz` whenever it is saved; comes back when it has passed.
kz_status learn_kata_watch(const char *kz, const char *path, const char *id, kz_error *error);

// To be called after the attempt was recorded, for any task: nothing happens where it is no kata. `says` gets
// one line for people ("This kata is back on 2026-11-18."), "" where there is nothing to say.
kz_status learn_kata_graded(store *progress, const course_task *task, char *says, size_t size,
                            kz_error *error);

// The line for a starter that nobody has touched yet: it is graded, and does not count.
void learn_kata_untouched(char *says, size_t size);

// Whether today's kata was given and was passed today.
bool learn_kata_is_done(store *progress, const char *today);

#endif
