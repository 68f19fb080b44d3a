// The learner: their progress and their editor. What kz learn, grade, progress, kata and notebook share.
#ifndef LEARN_LEARNER_H
#define LEARN_LEARNER_H

#include "course/course.h"
#include "store/store.h"

enum { LEARN_PATH = COURSE_PATH };

// Opens the progress in their folder (course_home), making folder and file where they are missing. `set_aside` gets the new name of a
// broken progress.db, STORE_GONE for one that was deleted, "" where all is well; learn_print_set_aside says it on stderr.
kz_status learn_open_progress(char folder[LEARN_PATH], store **progress, char set_aside[LEARN_PATH],
                              kz_error *error);
void learn_print_set_aside(const char *set_aside);

// $VISUAL, else $EDITOR; NULL where neither is set.
const char *learn_editor(void);
// Opens the file in an editor, on this terminal, and waits for its end. `editor` may have options ("code --wait").
kz_status learn_edit(const char *editor, const char *path, kz_error *error);

#endif
