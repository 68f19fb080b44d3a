// What cuDNN has no call for: waiting, and copying to the GPU. By the driver, in the context that is current; where there is none, as
// for tests, memory is the host's, and nothing runs on after its call.
#ifndef PEERS_CUDNN_DRIVER_H
#define PEERS_CUDNN_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "peers/peer.h"

bool driver_wait(void *stream);
bool driver_copy_in(kz_ptr to, const void *from, size_t bytes);

#endif
