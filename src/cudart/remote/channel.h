// The channel between a program and the process that has its device: one for each thread of the program.
//
// A program whose doings are judged must not share a process with those who count them. It loads a small libcudart
// (program.c), which holds no device: each call travels, as the words in its registers, to the process `kz-device`
// (device.c), which started the program and runs the runtime for it. Where the runtime needs the program's memory, it asks
// the thread that called. Pinned and managed memory is one file that both have mapped.
//
// The program says CALL and waits for RESULT; meanwhile it does what it is asked for, each of which may lead to calls of
// its own (a host function), so both ends answer questions while they wait.
#ifndef CUDART_REMOTE_CHANNEL_H
#define CUDART_REMOTE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Descriptors stand above those that programs take for theirs.
enum { REMOTE_WORDS = 12, REMOTE_MOST_TEXT = 4096, REMOTE_FIRST_FD = 100 };

#define REMOTE_VARIABLE "KZ_DEVICE" // "DOOR,VIEW,SHARED": descriptors that the program inherits

typedef enum remote_kind {
    // From the program.
    REMOTE_CALL,    // words: the arguments; `call`: which; caller: where
    REMOTE_ANSWER,  // to a question; word 0 is 0 where it could not be done; perhaps bytes
    REMOTE_STOPPED, // the processor stopped this thread: address, is_write, instruction
    REMOTE_STEPPED, // ... and again, after one instruction
    REMOTE_LOOK,    // a system call is about to use memory: address, bytes, is_write
    REMOTE_CLOSE,   // ... and has: address, bytes
    // From the device.
    REMOTE_RESULT, // word 0
    REMOTE_READ,   // address, bytes: answered by them
    REMOTE_TEXT,   // address: answered by what stands there up to its NUL, REMOTE_MOST_TEXT at most
    REMOTE_WRITE,  // address; the bytes follow
    REMOTE_RUN,    // a host function: address, data, and of a callback: whether, stream, error
    REMOTE_SHARE, // address, bytes, whole pages: they move to the shared file, at the offset that is the address
    REMOTE_UNSHARE, // ... and back
    REMOTE_PROTECT, // address, bytes, protection: no answer
    REMOTE_VIEW,    // address, bytes, is_seen: no answer
    REMOTE_WATCH,   // system calls, from now on
    REMOTE_FLUSH,   // stdout
} remote_kind;

typedef struct remote_message {
    uint32_t kind, call;
    uint64_t bytes; // that follow
    uint64_t caller;
    uint64_t words[REMOTE_WORDS];
} remote_message;

// What a thread of the program says at the door, with its end of a new channel; the answer is a RESULT with the base and
// the size of the device's memory, 0 where there is no device.
typedef struct remote_greeting {
    uint64_t bias; // how far the program lies from where its file says
    bool is_per_thread;
} remote_greeting;

// All of it or false: the other end is gone.
bool remote_send(int channel, const remote_message *message, const void *bytes);
bool remote_receive(int channel, remote_message *message);
bool remote_take(int channel, void *bytes, size_t count);
bool remote_greet(int door, const remote_greeting *greeting, int channel);
int remote_meet(int door, remote_greeting *greeting); // the new channel; -1 where nobody comes any more

// The calls, in the order of calls.def.
enum {
#define REMOTE(name, ...)    REMOTE_##name,
#define REMOTE_OF_TEXT(name) REMOTE_##name,
#define REMOTE_TWIN(name, suffix)
#include "calls.def"
#undef REMOTE
#undef REMOTE_OF_TEXT
#undef REMOTE_TWIN
    REMOTE_CALLS
};

#endif
