// cuDNN's softmax of rows, and its gradient: functions of their own, older than graphs. Its two modes are the algorithms.
//
// The mode INSTANCE takes an image's channels and pixels as a row, CHANNEL the channels of each pixel: of images of one
// pixel, whose channels are the columns, that is the same, by other kernels.
#ifndef PEERS_CUDNN_SOFTMAX_H
#define PEERS_CUDNN_SOFTMAX_H

#include "peers/cudnn/api.h"
#include "peers/peer.h"

enum { SOFTMAX_MODES = 2 };

typedef struct softmax {
    void *handle, *rows;
    bool logarithmic, back;
    char error[CUDNN_ERROR]; // "" so far
} softmax;

bool softmax_open(softmax *s, const kz_peer_problem *problem, int type);
bool softmax_run(softmax *s, int mode, const kz_peer_call *call);
void softmax_close(softmax *s);

#endif
