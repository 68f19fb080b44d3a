// A rival: somebody else's library, compiled apart and opened at run time, doing a family's operation.
//
// The library exports one function, kz_peer_get. It works in the context that is current, in the stream it is
// given, on the family's buffers in the family's order, and allocates nothing while it runs: the workspace is the
// caller's. A rival for the CPU is called where a kernel of ours would run, and is done when it returns.
// What it computes is checked against the same reference as everything else.
#ifndef PEERS_PEER_H
#define PEERS_PEER_H

#include "kz/family.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KZ_PEER_INTERFACE = 5 };
enum { KZ_PEER_DOES_NOT = 2 }; // of prepare: this case is none that the rival does, whatever it offered

typedef struct kz_peer_problem {
    const char *family, *operation;
    kz_type type;
    int64_t axes[KZ_CASE_AXES];
    const kz_arg *args; // the family's guest arguments: buffers, axes, and what other scalars it takes
    size_t arg_count;
    uint32_t
        alignment; // the addresses of buffers are multiples of so many bytes; 0: of 256 or more, as allocations are
} kz_peer_problem;

// What a rival has made ready for one problem.
typedef struct kz_peer_plan {
    void *state;            // its own: handles, descriptors; NULL where it needs none
    size_t workspace_bytes; // enough for each algorithm
    size_t kept_bytes;      // of the device's memory, allocated by prepare itself
    int algorithms; // in how many ways it can do the problem; the caller times them and keeps the fastest
    int algorithm;  // the one to run, from 0: the caller's choice
    size_t packed_bytes; // of the device's memory for each set of buffers: what `pack` fills
} kz_peer_plan;

typedef struct kz_peer_call {
    void *stream; // a CUstream, NULL on the CPU
    const kz_ptr *buffers;
    kz_ptr workspace;
    kz_ptr packed; // what `pack` has made of these buffers; for `pack`, the place for it
} kz_peer_call;

// Functions that can fail return 0, or an error whose text is put into *why; it lives until the plan is closed.
typedef struct kz_peer {
    int interface;    // KZ_PEER_INTERFACE
    const char *name; // "cub"
    bool on_cpu;      // buffers are in the host's memory: for the `cpu` device, and no other
    // Of the library it calls, which is opened the first time: "3.0.1". NULL where there is none, with *why.
    const char *(*version)(const char **why);
    // What it would do this problem with, for tables: "DeviceReduce::Reduce"; NULL where it does not do it. Opens nothing.
    const char *(*offers)(const kz_peer_problem *problem);
    // Fills a zeroed plan. Fails where the library's version does not do what the rival calls.
    int (*prepare)(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why);
    // Enqueues the operation. May be recorded into a graph.
    int (*run)(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why);
    void (*close)(kz_peer_plan *plan); // also after a prepare that failed; NULL where plans have no state
    // Optional, for libraries that keep an input which stays as it is, weights say, in a form of their own. Makes that form of
    // the buffers once, before `run` is called with them, and again where they have got other data: it is not timed. It is
    // done when it returns, may allocate meanwhile, and goes for all algorithms.
    int (*pack)(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
                const char **why);
} kz_peer;

const kz_peer *kz_peer_get(void);
typedef const kz_peer *(*kz_peer_get_function)(void);

#ifdef __cplusplus
}
#endif
#endif
