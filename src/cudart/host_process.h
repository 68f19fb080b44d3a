// What is done in the process that is the host, whether or not the device is there too: facts about its program, the
// registers where a signal stopped it, its system calls. Includes nothing of the runtime.
#ifndef CUDART_HOST_PROCESS_H
#define CUDART_HOST_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

// ---- the program --------------------------------------------------------------------------------------------------

bool cudart_has_per_thread_default(void); // it was built with --default-stream per-thread
uint64_t cudart_program_bias(void);       // how far it lies from where its file says

// ---- where a signal stopped it ------------------------------------------------------------------------------------

typedef enum cudart_touch { CUDART_TOUCH_UNKNOWN, CUDART_TOUCH_READ, CUDART_TOUCH_WRITE } cudart_touch;
cudart_touch cudart_context_touch(const void *context);
const void *cudart_context_instruction(const void *context); // NULL where the context does not say
void cudart_context_step(void *context, bool wanted); // the processor stops again after one instruction

// What a handler is to do about an access that stopped (pages.c).
typedef enum cudart_stop {
    CUDART_STOP_FOREIGN, // no protected page was the cause
    CUDART_STOP_GO_ON,   // the page is open
    CUDART_STOP_STEP,    // the page is open for one instruction: then cudart_pages_stepped
} cudart_stop;

// ---- its system calls (syscalls.c) --------------------------------------------------------------------------------

// Those that use memory of the range are looked at from now on; false where that cannot be.
bool cudart_calls_watch(uint64_t base, uint64_t bytes);
bool cudart_calls_stopped(const siginfo_t *info, void *context);
// A call is about to use memory for the host: looks at it and opens its pages; and afterwards. Whoever links syscalls.c
// has them.
void cudart_pages_look(uint64_t address, uint64_t bytes, bool is_write);
void cudart_pages_close(uint64_t address, uint64_t bytes);

#endif
