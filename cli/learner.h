// The learner: where their folder is, and their progress. What kz learn, grade, progress, kata and notebook share.
#ifndef CLI_LEARNER_H
#define CLI_LEARNER_H

#include "cli.h"
#include "store/store.h"

enum { CLI_LEARNER_PATH = 1024 };

// The learner's folder in their home, where KZ_LEARN names no other. Not the name of the project: that is what a
// clone of it is called, and whoever deletes or cleans a clone should lose nothing.
#define CLI_LEARNER_HOME "kz-learn"

// $KZ_LEARN made absolute, else ~/CLI_LEARNER_HOME. Nothing is made.
kz_status cli_learner_folder(char folder[CLI_LEARNER_PATH], kz_error *error);
// Opens the progress there, making folder and file where they are missing. `set_aside` gets the new name of a
// broken progress.db, STORE_GONE for one that was deleted, "" where all is well; cli_learner_tell says it on stderr.
kz_status cli_learner_open(char folder[CLI_LEARNER_PATH], store **progress, char set_aside[CLI_LEARNER_PATH],
                           kz_error *error);
void cli_learner_tell(const char *set_aside);

// $VISUAL, else $EDITOR; NULL where neither is set.
const char *cli_learner_editor(void);
// Opens the file in an editor, on this terminal, and waits for its end. `editor` may have options ("code --wait").
kz_status cli_learner_edit(const char *editor, const char *path, kz_error *error);

// The path of this executable.
kz_status cli_learner_kz(char path[CLI_LEARNER_PATH], kz_error *error);

#endif
