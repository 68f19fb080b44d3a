// Products in groups by cublasGemmGroupedBatchedEx, which wants the groups' sizes on the host and their addresses on the device.
#ifndef PEERS_CUBLAS_GROUPED_H
#define PEERS_CUBLAS_GROUPED_H

#include "peers/product.h"

// Since cuBLAS 12.5.
typedef int grouped_multiply(void *handle, const int *turn_a, const int *turn_b, const int *m, const int *n,
                             const int *k, const void *alpha, const void *const *a, int a_type,
                             const int *a_column, const void *const *b, int b_type, const int *b_column,
                             const void *beta, void *const *c, int c_type, const int *c_column, int groups,
                             const int *sizes, int compute);

// What groups there are: those that are not empty, a product each. Lists have a number for each.
typedef struct grouped {
    int most, count;
    uint32_t *offsets; // most + 1 of them
    int *turn_a, *turn_b, *m, *n, *k, *a_column, *b_column, *c_column, *sizes;
    void *alpha, *beta;
    kz_ptr *addresses; // of all a, then all b, then all c, as the library calls them; kept on the device
} grouped;

bool grouped_open(grouped *g, uint64_t groups); // false: no memory
void grouped_close(grouped *g);
size_t grouped_address_bytes(const grouped *g);
// Fills the lists from `offsets`.
void grouped_plan(grouped *g, const product *p, const kz_ptr *buffers);
// `addresses`: where they are on the device.
int grouped_run(const grouped *g, const product *p, grouped_multiply *multiply, void *handle,
                kz_ptr addresses);

#endif
