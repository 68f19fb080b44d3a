// debug: a debugger for simulated kernels. It listens to the simulator, stops it inside an event, and takes
// commands until one of them lets it go on (docs/debugger.md).
//
// A session has a terminal (where commands come from and answers go to) and a listener to attach to a
// machine. It runs the launch on one core, so that everything happens in one order. It stops before the
// first launch, at breakpoints, after steps, when something watched is written, and where something is about
// to end a launch. `quit` is told to whoever owns the session, who alone can end the program.
#ifndef DEBUG_DEBUG_H
#define DEBUG_DEBUG_H

#include "sim/sim.h"

typedef struct debug_terminal {
    // A line without its newline; false at the end of the commands, and the launch goes on unwatched.
    bool (*read)(void *context, const char *prompt, base_text *line);
    void (*write)(void *context, const char *text, size_t length);
    // The user wants to end the whole program. May return; the session then stays out of the way.
    void (*quit)(void *context);
    void (*close)(void *context); // with the session; may be NULL
    void *context;
    bool colors;
    int columns;        // of the screen
    const char *folder; // where sources are looked for whose path does not lead there; may be NULL
} debug_terminal;

typedef struct debug_session debug_session;
kz_status debug_open(const debug_terminal *terminal, debug_session **session, kz_error *error);
void debug_close(debug_session *session);
sim_listener *debug_listener(debug_session *session);
// Stops at the next instruction; may be called from a signal handler. False where that was asked for before
// and nothing has come to an instruction since: no kernel runs.
bool debug_interrupt(debug_session *session);

// ---- a terminal of file descriptors ----------------------------------------------------------------------

// What KZ_DEBUG says: "COMMANDS[,THEN]", each a path or the number of a descriptor; commands are read from
// the first, and when they are at their end from the second. Answers go to a terminal that commands come
// from, else to descriptor 1. A device such as /dev/tty is not echoed; of a file, the commands are shown as
// if typed. Ctrl-C (SIGINT) stops at the next instruction.
kz_status debug_open_streams(const char *where, void (*quit)(void *context), void *context,
                             debug_session **session, kz_error *error);

#endif
