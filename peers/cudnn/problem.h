// What the files of this peer ask of a problem.
#ifndef PEERS_CUDNN_PROBLEM_H
#define PEERS_CUDNN_PROBLEM_H

#include <string.h>

#include "peers/cudnn/api.h"
#include "peers/peer.h"

static inline int type_of(const kz_peer_problem *problem) {
    return problem->type == KZ_F16 ? TYPE_F16 : problem->type == KZ_BF16 ? TYPE_BF16 : TYPE_F32;
}

static inline bool is(const kz_peer_problem *p, const char *operation) {
    return strcmp(p->operation, operation) == 0;
}

#endif
