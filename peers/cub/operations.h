// The CUB peer's operations, one file each: a function that does the problem, or only measures its workspace.
#ifndef PEERS_CUB_OPERATIONS_H
#define PEERS_CUB_OPERATIONS_H

#include <cuda_runtime_api.h>

#include "peers/peer.h"

// Where `workspace` is NULL, *bytes becomes what is needed and nothing runs (CUB's own convention).
// cudaErrorNotSupported where the problem is not one of this file's.
typedef struct cub_call {
    void *workspace;
    size_t *bytes;
    const kz_ptr *buffers; // all 0 where only the workspace is asked for
    cudaStream_t stream;
} cub_call;

cudaError_t cub_compact(const kz_peer_problem *problem, const cub_call *call);
cudaError_t cub_count(const kz_peer_problem *problem, const cub_call *call);
cudaError_t cub_histogram(const kz_peer_problem *problem, const cub_call *call);
cudaError_t cub_reduce(const kz_peer_problem *problem, const cub_call *call);
cudaError_t cub_reduce_axis(const kz_peer_problem *problem, const cub_call *call);
cudaError_t cub_reduce_segments(const kz_peer_problem *problem, const cub_call *call);
cudaError_t cub_scan(const kz_peer_problem *problem, const cub_call *call);
cudaError_t cub_transform(const kz_peer_problem *problem, const cub_call *call);
cudaError_t cub_warp(const kz_peer_problem *problem, const cub_call *call);

#endif
