// Attention as graphs of cuDNN: forward, a decoder's step, and the gradients. Heads of k and v are shared evenly; arrays are dense.
#ifndef PEERS_CUDNN_ATTENTION_H
#define PEERS_CUDNN_ATTENTION_H

#include "peers/cudnn/graph.h"
#include "peers/peer.h"

bool attention_is_served(const kz_peer_problem *problem);
void attention_forward(graph *g, const kz_peer_problem *problem);
void attention_backward(graph *g, const kz_peer_problem *problem);

// Where sequences have lengths of their own, cuDNN wants how many queries each has too: that is packed.
bool attention_has_lengths(const kz_peer_problem *problem);
size_t attention_packed_bytes(const kz_peer_problem *problem);
bool attention_pack(const kz_peer_problem *problem, kz_ptr packed);

#endif
