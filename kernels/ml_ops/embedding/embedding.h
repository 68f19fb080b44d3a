// Kernel Zoo, an operation: rows of a table by id, and the gradient of that table.
//
//     kz_operation *gather, *gradient;
//     kz_embedding_gather_open(device, KZ_BF16, KZ_I32, tokens, vocabulary, dim, NULL, &gather, &error);
//     kz_embedding_gather_run(gather, NULL, table, ids, rows, &error); // needs no workspace
//     kz_embedding_gradient_open(device, KZ_BF16, KZ_I32, tokens, vocabulary, dim, -1, NULL, &gradient, &error);
//     uint64_t bytes = kz_operation_workspace(gradient); // the caller's: kz_memory_alloc, any content
//     kz_embedding_gradient_run(gradient, NULL, d_rows, ids, d_table, workspace, bytes, &error);
//     kz_operation_close(gather), kz_operation_close(gradient);
//
// The table is vocabulary x dim, rows are tokens x dim, both row-major; types KZ_F32, KZ_F16, KZ_BF16. Ids are KZ_I32 or KZ_I64,
// on the device. An id that names no row (negative, or vocabulary and above) is allowed: its row is zeros, nothing
// is read outside of the table, and its gradient is added nowhere. Tokens, vocabulary and dim are below 2^31.
#ifndef KZ_OPS_EMBEDDING_H
#define KZ_OPS_EMBEDDING_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// rows[t][.] = table[ids[t]][.], bit by bit. `variant` NULL takes the best known for device, type and size; a name
// ("02_vector") overrides it. KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_embedding_gather_open(kz_device *device, kz_type type, kz_type id_type, size_t tokens,
                                          size_t vocabulary, size_t dim, const char *variant,
                                          kz_operation **operation, kz_error *error);
KZ_API kz_status kz_embedding_gather_run(kz_operation *operation, kz_stream *stream, kz_ptr table, kz_ptr ids,
                                         kz_ptr rows, kz_error *error);

// d_table[v][.] = the sum of d_rows[t][.] over all t with ids[t] = v. The whole table is written, zeros where no token has
// the id. Sums are float, in the order of the tokens or of pieces of them, and rounded once: the same bits in
// every run, except by 01_naive. The row of the id `padding` is zeros; -1 where no id is for padding.
KZ_API kz_status kz_embedding_gradient_open(kz_device *device, kz_type type, kz_type id_type, size_t tokens,
                                            size_t vocabulary, size_t dim, int64_t padding,
                                            const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_embedding_gradient_run(kz_operation *operation, kz_stream *stream, kz_ptr d_rows,
                                           kz_ptr ids, kz_ptr d_table, kz_ptr workspace,
                                           uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif
