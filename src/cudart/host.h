// Whose memory and code "the host's" are: this process's, or those of a program at the other end of a channel (remote/).
// All that the runtime does with the host's addresses goes through here; else they are numbers.
#ifndef CUDART_HOST_H
#define CUDART_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/streams.h"

typedef struct cudart_op cudart_op;

typedef struct cudart_host {
    // The bytes there, in `buffer` or where they are; NULL where they cannot be had.
    const void *(*look)(uint64_t from, size_t bytes, void *buffer);
    bool is_here; // look() needs no buffer, and write() none to write from: the address itself will do
    bool (*write)(uint64_t to, const void *from, size_t bytes);
    void *(*share)(uint64_t address,
                   uint64_t bytes); // where this process has it from now on; NULL: it cannot
    void (*unshare)(uint64_t address, uint64_t bytes, void *data);
    void (*call)(const cudart_op *op); // a host function of a stream
    bool (*protect)(uint64_t address, uint64_t bytes,
                    observe_in_flight use); // against what would race with it
    void (*flush)(void);                    // what the program printed stands before what is printed now
    bool (*watch_calls)(void);              // the system's that use memory for the host (syscalls.c)
    // The host begins or ceases to see device memory; NULL where the machine's own view is the host's.
    void (*view)(uint64_t address, uint64_t bytes, bool is_seen);
} cudart_host;

extern const cudart_host cudart_host_here;

#endif
