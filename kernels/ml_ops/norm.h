// What the C files of layernorm and rmsnorm share: buffers, inputs, work, plans, native kernels and the reference, with the
// difference of the two as data. Both have the same operations in the same order; rmsnorm has no beta, mean and rstd.
//
// Axes: rows, columns, and epsilon as bits (norm_put_epsilon).
#ifndef NORM_H
#define NORM_H

#include "kz/family.h"

enum { NORM_ROWS, NORM_COLUMNS, NORM_EPSILON }; // axes[]
typedef enum norm_operation { NORM_FORWARD, NORM_RESIDUAL, NORM_FP8, NORM_BACKWARD } norm_operation;

// What a buffer is for.
typedef enum norm_role {
    NORM_DY,
    NORM_X,
    NORM_ADDED, // the residual
    NORM_GAMMA,
    NORM_BETA,
    NORM_SCALE,
    NORM_SUM,
    NORM_Y,
    NORM_MEAN,
    NORM_RSTD,
    NORM_DX,
    NORM_DGAMMA,
    NORM_DBETA,
    NORM_ROLES
} norm_role;
#define NORM_NO_BUFFER UINT32_MAX

typedef struct norm_family {
    bool centered; // it takes the mean away and adds beta
    float epsilon; // that a case has which says none
    const char *gamma, *dgamma;
} norm_family;

// axes[NORM_EPSILON] carries epsilon. 0 stands for the family's own, so that a case is known by its rows and columns alone;
// otherwise it is 2^32 and the bits of epsilon.
float norm_get_epsilon(const norm_family *f, const kz_case *c);
int64_t norm_put_epsilon(float epsilon);
// KZ_INVALID, as the call of that name says it, where it is no number or negative: rows of zeros would give NaN.
kz_status norm_check_epsilon(const char *call, float epsilon, kz_error *error);
uint64_t norm_elements(const kz_case *c);

uint32_t norm_buffer(const norm_family *f, uint32_t operation,
                     norm_role role); // its index, or NORM_NO_BUFFER
size_t norm_buffers(const norm_family *f, const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]);
bool norm_fill(const norm_family *f, const kz_case *c, size_t which, uint64_t seed, uint64_t first,
               uint64_t count, void *host);
kz_work norm_work(const norm_family *f, const kz_case *c);
size_t norm_guest_args(const norm_family *f, const kz_case *c, kz_arg args[KZ_PLAN_ARGS]);
kz_status norm_reference(const norm_family *f, const kz_case *c, void *const *host, size_t which,
                         double *expected, double *bound, kz_error *error);

// Plans: of 00, 01 and 02, of 03, of 04, of 05.
kz_status norm_plan_native(const norm_family *f, const kz_planner *p);
kz_status norm_plan_thread(const norm_family *f, const kz_planner *p);
kz_status norm_plan_block(const norm_family *f, const kz_planner *p);
kz_status norm_plan_stream(const norm_family *f, const kz_planner *p);
kz_status norm_plan_lanes(const norm_family *f, const kz_planner *p);
kz_status norm_plan_registers(const norm_family *f, const kz_planner *p);

// 00: the kernels' work in C, in double.
void norm_native_forward(const norm_family *f, const kz_native_launch *launch, kz_type type,
                         norm_operation operation);
void norm_native_backward(const norm_family *f, const kz_native_launch *launch, kz_type type);
void norm_native_down(const norm_family *f, const kz_native_launch *launch, kz_type type);

#endif
