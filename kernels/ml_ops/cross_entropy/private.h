// What the C files of cross_entropy share.
#ifndef CROSS_ENTROPY_PRIVATE_H
#define CROSS_ENTROPY_PRIVATE_H

#include "cross_entropy.h" // the operations' numbers
#include "kz/family.h"

enum { ROWS, CLASSES, SMOOTHING };       // axes[]; SMOOTHING in millionths
enum { LOGITS, LABELS };                 // the buffers that all operations begin with
enum { LOSS_OF = 2, LOG_SUM };           // LOSS: the loss, the log of the sum of exponentials
enum { SCALE = 2, LOSS_TOO };            // GRADIENT: the factor, the loss
enum { LOG_SUM_IN = 2, DLOSS, DLOGITS }; // BACKWARD

enum { MILLION = 1000000, IGNORED = -100 };

KZ_DECLARE_FAMILY(cross_entropy);
extern const kz_native_entry cross_entropy_natives[];

// The float that kernels are given: near 1 the difference of the two is much of what is left for the label.
static inline double cross_entropy_smoothing(const kz_case *c) {
    return (double)(float)((double)c->axes[SMOOTHING] / MILLION);
}

kz_status cross_entropy_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                  double *bound, kz_error *error);

#endif
