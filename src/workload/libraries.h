// See libraries.c.
#ifndef WORKLOAD_LIBRARIES_H
#define WORKLOAD_LIBRARIES_H

#include "base/base.h"

// KZ_UNSUPPORTED where `executable` needs a library that the simulator lacks and the loader does not find. One that is
// found is told to `note` (may be NULL), for the program may never call it. KZ_NOT_FOUND where another library is not
// found. `name` is the program's, for messages; `folder` has the simulator's libraries.
kz_status workload_check_libraries(const char *name, const char *executable, const char *folder,
                                   void (*note)(const char *), kz_error *error);

#endif
