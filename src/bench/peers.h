// bench/peers: finds and opens the rivals, lib/libkz_peer_<name>.so beside the command's folder.
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "peers/peer.h"

enum { BENCH_PEERS = 8 };

typedef struct bench_peers {
    size_t count;
    const kz_peer *items[BENCH_PEERS];
} bench_peers;

// From $KZ_PEERS, else ../lib of the folder this executable lies in. None there is no error; one that cannot
// be opened is: it would silently be a race without the rival. Each says which devices it is for.
kz_status bench_peers_open(bench_peers *peers, kz_error *error);
void bench_peers_close(bench_peers *peers);

#endif
