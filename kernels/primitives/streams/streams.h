// Kernel Zoo, an operation: y = x after `rounds` times x <- x + 1/64, from host memory to host memory.
//
//     kz_ptr x, y; // filled and read by kz_copy_to_device, kz_copy_to_host
//     kz_memory_alloc_host(device, n * sizeof(float), true, &x, &error); // and y
//     kz_operation *pipeline;
//     kz_streams_open(device, KZ_F32, n, rounds, true, NULL, &pipeline, &error);
//     kz_streams_run(pipeline, NULL, x, y, workspace, kz_operation_workspace(pipeline), &error);
//     kz_operation_close(pipeline);
//
// The sum is a stand-in for work of any length: what is shown is how copies hide behind it. Types: KZ_F32.
#ifndef KZ_OPS_STREAMS_H
#define KZ_OPS_STREAMS_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `pinned` says where x and y are. `variant` NULL takes the best known for device and size; a name
// ("03_two_buffers") overrides it. KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_streams_open(kz_device *device, kz_type type, size_t n, size_t rounds, bool pinned,
                                 const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_streams_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y,
                                kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif
