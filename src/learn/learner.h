// The learner: where their folder is, and their progress. What kz learn, grade, progress, kata and notebook share.
#ifndef LEARN_LEARNER_H
#define LEARN_LEARNER_H

#include "base/base.h"
#include "store/store.h"

enum { LEARNER_PATH = 1024 };

// The learner's folder in their home, where KZ_LEARN names no other. Not the name of the project: that is what a
// clone of it is called, and whoever deletes or cleans a clone should lose nothing.
#define LEARNER_HOME "kz-learn"

// $KZ_LEARN made absolute, else ~/LEARNER_HOME. Nothing is made.
kz_status learner_folder(char folder[LEARNER_PATH], kz_error *error);
// Opens the progress there, making folder and file where they are missing. `set_aside` gets the new name of a
// broken progress.db, STORE_GONE for one that was deleted, "" where all is well; learner_tell says it on stderr.
kz_status learner_open(char folder[LEARNER_PATH], store **progress, char set_aside[LEARNER_PATH],
                       kz_error *error);
void learner_tell(const char *set_aside);

// $VISUAL, else $EDITOR; NULL where neither is set.
const char *learner_editor(void);
// Opens the file in an editor, on this terminal, and waits for its end. `editor` may have options ("code --wait").
kz_status learner_edit(const char *editor, const char *path, kz_error *error);

// The path of this executable.
kz_status learn_kz_path(char path[LEARNER_PATH], kz_error *error);

#endif
