// The learner's lab notebook.
#ifndef LEARN_NOTEBOOK_H
#define LEARN_NOTEBOOK_H

#include "base/base.h"

// Writes today's page (kind NULL), or begins one of kind "insight" or "microbench" that bears the title; one that is
// there stays as it is. `path` gets its place.
kz_status learn_notebook_write(const char *kind, const char *title, base_text *path, kz_error *error);

#endif
