// sandbox, inside: what is prepared before the fork, and the steps of the child, which are system calls only.
#ifndef SANDBOX_CONFINE_H
#define SANDBOX_CONFINE_H

#include <sys/types.h>

#include "sandbox/sandbox.h"

enum { SANDBOX_PATH = 1024, SANDBOX_VISIBLE = 128, SANDBOX_VARIABLES = 256 };

// A path that a confined program sees. A link is made anew where the root is a new one.
typedef struct sandbox_visible {
    char path[SANDBOX_PATH], link[256];
    bool is_folder, is_writable, is_hidden; // hidden: an empty folder lies over it
} sandbox_visible;

typedef struct sandbox_pipes {
    int in[2], out[2], answer[2], log[2], report[2];
} sandbox_pipes;

// All that the supervisor and the child need.
typedef struct sandbox_plan {
    const sandbox_process *process;
    sandbox_mode mode;
    bool has_namespaces; // the supervisor was made with them
    unsigned uid, gid;
    char self[SANDBOX_PATH]; // the working folder, absolute
    char home[SANDBOX_PATH + 8], temporary[SANDBOX_PATH + 8];
    const char *variables[SANDBOX_VARIABLES + 1];
    sandbox_visible visible[SANDBOX_VISIBLE];
    size_t visible_count;
    sandbox_pipes pipes;
} sandbox_plan;

// What comes through the report pipe.
typedef enum sandbox_word {
    SANDBOX_STARTED,
    SANDBOX_ENDED,
    SANDBOX_NO_NAMESPACES,
    SANDBOX_REFUSED
} sandbox_word;
typedef struct sandbox_report {
    uint32_t word, value, more; // STARTED: group, guards. ENDED: wait's state, sandbox_stop. REFUSED: guards
} sandbox_report;

// ---- before the fork ------------------------------------------------------------------------------------------

void sandbox_environment_make(sandbox_plan *plan);
// KZ_LIMIT where there are too many paths.
kz_status sandbox_view_make(sandbox_plan *plan, kz_error *error);

// ---- after it -------------------------------------------------------------------------------------------------

// Runs the program in a child of its own and waits; ends all of it when told so (SIGTERM), when its parent is gone or
// when it takes too much. Reports through the pipe.
_Noreturn void sandbox_supervise(const sandbox_plan *plan);

// Of clone(2). The supervisor that was made with them is process 1 of its own world.
int sandbox_namespace_flags(void);
// Identities and the new root. False where the kernel forbids it: what is left is then of no use.
bool sandbox_namespaces_enter(const sandbox_plan *plan);

// For this process and its children, for ever. False where the kernel cannot. `has_scope`: signals stay inside too.
bool sandbox_landlock_enter(const sandbox_plan *plan, bool *has_scope);
bool sandbox_filter_enter(const sandbox_plan *plan, bool has_landlock, bool has_scope);
#endif
