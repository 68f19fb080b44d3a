// bench/peers: finds and opens the rivals: lib/libkz_peer_<name>.so beside the command's folder, and the providers in
// Python, lib/kz-python/<file>.py.
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "base/base.h"
#include "bench/remote.h"
#include "kz/family.h"
#include "peers/peer.h"

enum { BENCH_PEERS = 16, BENCH_REMOTES = 12 };

typedef struct bench_peers {
    size_t count;
    const kz_peer *items[BENCH_PEERS];
    size_t remote_count;
    bench_remote *remotes[BENCH_REMOTES];
    size_t broken_count; // libraries that cannot be opened, or are of another version of kz
    struct {
        char name[24];
        kz_error error;
    } broken[BENCH_PEERS];
    bool chosen; // by name: they run where they can, whatever a family says of them
} bench_peers;

// From $KZ_PEERS, else ../lib of the folder this executable lies in. None there is no error; one that cannot
// be opened is: it would silently be a race without the rival. Each says which devices it is for. Libraries alone.
kz_status bench_peers_open(bench_peers *peers, kz_error *error);
// Those in Python too, none of them started; a library that cannot be opened is kept as `broken`. Those named alone; no name: all there are; the name "none": none; a name that
// ends in .py: a provider of one's own, see peers/python/provider.py. One that is known and not here is no error. Where they are not `used`, nothing is opened, and a
// name that is no rival's is refused all the same.
kz_status bench_peers_open_named(bench_peers *peers, const char *const *names, size_t count, bool used,
                                 kz_error *error);
void bench_peers_close(bench_peers *peers);

// Before any is opened. NVIDIA's libraries read NVIDIA_TF32_OVERRIDE when they begin: without it some round f32 to TF32 by
// themselves, with it none has TF32. So it is set (who sets it has his way) but where a family that is of TF32 is
// measured alone. Rivals in other processes inherit it.
void bench_keep_single_precision(void);
bool bench_is_of_tf32(const kz_family *family);

// Those in Python that run for a family: it names them, or somebody chose them.
size_t bench_peers_remotes(const bench_peers *peers, const kz_family *family,
                           bench_remote *remotes[BENCH_REMOTES]);

typedef struct bench_rival {
    const char *name, *library;   // see rivals.def
    bool on_cpu;                  // alone; one in Python: there too
    const char *python, *package; // the file of a provider, and what it measures; NULL: a library
} bench_rival;
enum {
#define BENCH_RIVAL(name, on_cpu, library)              BENCH_RIVAL_##name,
#define BENCH_PYTHON_RIVAL(name, on_cpu, file, package) BENCH_RIVAL_##name,
#include "bench/rivals.def"
    BENCH_RIVALS
};
extern const bench_rival bench_rivals[BENCH_RIVALS];

const bench_rival *bench_rival_find(const char *name); // NULL where there is none
bool bench_rival_does(const bench_rival *rival, const kz_family *family, bool cpu); // there

// Why the rival is not there and what helps, as one line without its name. Opens the library that it calls; of one in
// Python it says what came out when it was last asked for.
bool bench_rival_missing(const bench_rival *rival, const bench_peers *peers, base_text *why);

// Rivals that are absent, by the reason: "cub, cutlass", and what is said of each.
typedef struct bench_absences {
    size_t count;
    struct {
        base_text names, reason;
    } items[BENCH_RIVALS + BENCH_REMOTES];
} bench_absences;
void bench_absences_add(bench_absences *all, const char *name, const char *reason);
void bench_absences_free(bench_absences *all);

#endif
