// A rival: somebody else's library, compiled apart and opened at run time, doing a family's operation.
//
// The library exports one function, kz_peer_get. It works in the context that is current, in the stream it is
// given, on the family's buffers in the family's order, and allocates nothing: the workspace is the caller's.
// A rival for the CPU is called where a kernel of ours would run, and is done when it returns.
// What it computes is checked against the same reference as everything else.
#ifndef PEERS_PEER_H
#define PEERS_PEER_H

#include "kz/family.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KZ_PEER_INTERFACE = 2 };

typedef struct kz_peer_problem {
    const char *family, *operation;
    kz_type type;
    int64_t axes[KZ_CASE_AXES];
    const kz_arg *args; // the family's guest arguments: buffers, axes, and what other scalars it takes
    size_t arg_count;
} kz_peer_problem;

typedef struct kz_peer {
    int interface;       // KZ_PEER_INTERFACE
    const char *name;    // "cub"
    const char *version; // "3.0.1"
    // What it would do this problem with, for tables: "DeviceReduce::Reduce"; NULL where it does not do it.
    const char *(*offers)(const kz_peer_problem *problem);
    // 0, or an error whose text is put into *why (it lives as long as the library).
    int (*prepare)(const kz_peer_problem *problem, size_t *workspace_bytes, const char **why);
    // Enqueues the operation; `stream` is a CUstream, NULL on the CPU. May be recorded into a graph.
    int (*run)(const kz_peer_problem *problem, void *stream, const kz_ptr *buffers, kz_ptr workspace,
               size_t workspace_bytes, const char **why);
    bool on_cpu; // buffers are in the host's memory: for the `cpu` device, and no other
} kz_peer;

const kz_peer *kz_peer_get(void);
typedef const kz_peer *(*kz_peer_get_function)(void);

#ifdef __cplusplus
}
#endif
#endif
