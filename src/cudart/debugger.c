// The debugger inside a program: opened where KZ_DEBUG says what terminal it is to use (debug/debug.h).
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>

#include "debug/debug.h"

static void on_quit(void *context) {
    fflush(stdout);
    cudart_finish();
    cudart_leave_process(EXIT_SUCCESS); // the program's own exit handlers are no longer wanted
}

kz_status cudart_open_debugger(kz_error *error) {
    const char *where = getenv("KZ_DEBUG");
    if (!where || !*where) return KZ_OK;
    kz_status status = debug_open_streams(where, on_quit, NULL, &cudart.debugger, error);
    if (status == KZ_OK) sim_machine_set_listener(cudart.machine, debug_listener(cudart.debugger));
    return status;
}
