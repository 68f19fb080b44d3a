// bench/peers: finds and opens the rivals, lib/libkz_peer_<name>.so beside the command's folder.
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "base/base.h"
#include "kz/family.h"
#include "peers/peer.h"

enum { BENCH_PEERS = 16 };

typedef struct bench_peers {
    size_t count;
    const kz_peer *items[BENCH_PEERS];
} bench_peers;

// From $KZ_PEERS, else ../lib of the folder this executable lies in. None there is no error; one that cannot
// be opened is: it would silently be a race without the rival. Each says which devices it is for.
kz_status bench_peers_open(bench_peers *peers, kz_error *error);
// The same for those named alone; no name: all there are; the name "none": none. Where they are not `used`, nothing is
// opened, and a name that is no rival's is refused all the same.
kz_status bench_peers_open_named(bench_peers *peers, const char *const *names, size_t count, bool used,
                                 kz_error *error);
void bench_peers_close(bench_peers *peers);

typedef struct bench_rival {
    const char *name, *library; // see rivals.def
    bool on_cpu;
} bench_rival;
enum {
#define BENCH_RIVAL(name, on_cpu, library) BENCH_RIVAL_##name,
#include "bench/rivals.def"
#undef BENCH_RIVAL
    BENCH_RIVALS
};
extern const bench_rival bench_rivals[BENCH_RIVALS];

const bench_rival *bench_rival_find(const char *name); // NULL where there is none
bool bench_rival_does(const bench_rival *rival, const kz_family *family, bool cpu); // there

// Why the rival is not there and what helps, as one line. Opens the library that it calls.
bool bench_rival_missing(const bench_rival *rival, const bench_peers *peers, base_text *why);

#endif
