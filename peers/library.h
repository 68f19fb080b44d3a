// The libraries that rivals call, found and opened at run time.
//
// A file is looked for where the loader looks, in the CUDA toolkit ($CUDA_HOME, $CUDA_PATH, /usr/local/cuda) and among
// the packages of the interpreter that runs Python rivals ($KZ_PYTHON, .kz/python of the checkout, python3): PyTorch
// brings NVIDIA's libraries in its nvidia/*/lib.
#ifndef PEERS_LIBRARY_H
#define PEERS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_symbol {
    const char *name;
    void *to; // the address of a function pointer
} peer_symbol;

typedef struct peer_wanted {
    const char *variable; // "KZ_CUBLAS": names the file, and nothing else is looked for
    const char *files[4]; // the newest first
    const peer_symbol *symbols;
    size_t symbol_count;
} peer_wanted;

typedef struct peer_library {
    void *handle;      // NULL: it was not found
    char version[32];  // the rival's to fill
    char problem[512]; // why it cannot be used; "" where it can
} peer_library;

// Fills a zeroed one. A library that lacks a function is one that cannot be used: it is too old.
void peer_library_open(peer_library *library, const peer_wanted *wanted);

// Its version is too old for what is called: says so where it is below `least`, "9.0".
void peer_library_require(peer_library *library, const char *least, bool enough);

// For kz_peer.version and the head of kz_peer.prepare.
const char *peer_library_version(const peer_library *library, const char **why);
bool peer_library_usable(const peer_library *library, const char **why);

#ifdef __cplusplus
}
#endif
#endif
