// layernorm and rmsnorm: their buffers, inputs and work.
#include "ml_ops/norm.h"

#include <math.h>
#include <string.h>

float norm_get_epsilon(const norm_family *f, const kz_case *c) {
    if (c->axes[NORM_EPSILON] == 0) return f->epsilon;
    uint32_t bits = (uint32_t)c->axes[NORM_EPSILON];
    float epsilon;
    memcpy(&epsilon, &bits, sizeof epsilon);
    return epsilon;
}

int64_t norm_put_epsilon(float epsilon) {
    uint32_t bits;
    memcpy(&bits, &epsilon, sizeof bits);
    return (int64_t)((1ULL << 32) | bits);
}

kz_status norm_check_epsilon(const char *call, float epsilon, kz_error *error) {
    if (epsilon >= 0.0f && isfinite(epsilon)) return KZ_OK;
    return kz_fail(
        error, KZ_INVALID,
        "%s: epsilon is %g\nit keeps rows of zeros from a division by 0: a number from 0 up, mostly "
        "1e-5 or 1e-6",
        call, (double)epsilon);
}

uint64_t norm_elements(const kz_case *c) {
    return (uint64_t)c->axes[NORM_ROWS] * (uint64_t)c->axes[NORM_COLUMNS];
}

// ---- buffers -----------------------------------------------------------------------------------------------

// Each operation's roles, in the order of its buffers.
static const unsigned of_operation[] = {
    [NORM_FORWARD] =
        1u << NORM_X | 1u << NORM_GAMMA | 1u << NORM_BETA | 1u << NORM_Y | 1u << NORM_MEAN | 1u << NORM_RSTD,
    [NORM_RESIDUAL] = 1u << NORM_X | 1u << NORM_ADDED | 1u << NORM_GAMMA | 1u << NORM_BETA | 1u << NORM_SUM |
                      1u << NORM_Y | 1u << NORM_MEAN | 1u << NORM_RSTD,
    [NORM_FP8] = 1u << NORM_X | 1u << NORM_GAMMA | 1u << NORM_BETA | 1u << NORM_SCALE | 1u << NORM_Y |
                 1u << NORM_MEAN | 1u << NORM_RSTD,
    [NORM_BACKWARD] = 1u << NORM_DY | 1u << NORM_X | 1u << NORM_GAMMA | 1u << NORM_MEAN | 1u << NORM_RSTD |
                      1u << NORM_DX | 1u << NORM_DGAMMA | 1u << NORM_DBETA,
};
static const unsigned centered_alone = 1u << NORM_BETA | 1u << NORM_MEAN | 1u << NORM_RSTD | 1u << NORM_DBETA;

static unsigned roles_of(const norm_family *f, uint32_t operation) {
    return of_operation[operation] & ~(f->centered ? 0u : centered_alone);
}

uint32_t norm_buffer(const norm_family *f, uint32_t operation, norm_role role) {
    unsigned roles = roles_of(f, operation);
    if (!(roles >> role & 1)) return NORM_NO_BUFFER;
    return (uint32_t)__builtin_popcount(roles & ((1u << role) - 1));
}

static kz_buffer describe(const norm_family *f, const kz_case *c, norm_role role) {
    uint64_t n = norm_elements(c), rows = (uint64_t)c->axes[NORM_ROWS],
             columns = (uint64_t)c->axes[NORM_COLUMNS];
    kz_role made = c->operation == NORM_BACKWARD ? KZ_INPUT : KZ_OUTPUT; // forward makes mean and rstd
    kz_type y = c->operation == NORM_FP8 ? KZ_U8 : c->type;
    switch (role) {
    case NORM_DY: return (kz_buffer){"dy", KZ_INPUT, c->type, n};
    case NORM_X: return (kz_buffer){"x", KZ_INPUT, c->type, n};
    case NORM_ADDED: return (kz_buffer){"residual", KZ_INPUT, c->type, n};
    case NORM_GAMMA: return (kz_buffer){f->gamma, KZ_INPUT, c->type, columns};
    case NORM_BETA: return (kz_buffer){"beta", KZ_INPUT, c->type, columns};
    case NORM_SCALE: return (kz_buffer){"scale", KZ_INPUT, KZ_F32, 1};
    case NORM_SUM: return (kz_buffer){"sum", KZ_OUTPUT, c->type, n};
    case NORM_Y: return (kz_buffer){"y", KZ_OUTPUT, y, n};
    case NORM_MEAN: return (kz_buffer){"mean", made, KZ_F32, rows};
    case NORM_RSTD: return (kz_buffer){"rstd", made, KZ_F32, rows};
    case NORM_DX: return (kz_buffer){"dx", KZ_OUTPUT, c->type, n};
    case NORM_DGAMMA: return (kz_buffer){f->dgamma, KZ_OUTPUT, c->type, columns};
    default: return (kz_buffer){"dbeta", KZ_OUTPUT, c->type, columns};
    }
}

size_t norm_buffers(const norm_family *f, const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    size_t count = 0;
    for (unsigned roles = roles_of(f, c->operation), role = 0; role < NORM_ROLES; role++)
        if (roles >> role & 1) list[count++] = describe(f, c, (norm_role)role);
    return count;
}

// A factor of e4m3 that spreads results of about 1 over its codes; rstd of rows that differ; and rows whose mean is large
// beside what its elements differ by (KZ_DATA_BIASED), in which a difference of two sums of squares has no digit left.
bool norm_fill(const norm_family *f, const kz_case *c, size_t which, uint64_t seed, uint64_t first,
               uint64_t count, void *host) {
    bool scale = which == norm_buffer(f, c->operation, NORM_SCALE);
    bool rstd = c->operation == NORM_BACKWARD && which == norm_buffer(f, c->operation, NORM_RSTD);
    bool mean = c->operation == NORM_BACKWARD && which == norm_buffer(f, c->operation, NORM_MEAN);
    bool large = c->data == KZ_DATA_BIASED && which == norm_buffer(f, c->operation, NORM_X);
    bool drawn = c->data == KZ_DATA_NAN || c->data == KZ_DATA_INF;
    if (!scale && !large && (!(rstd || mean) || drawn)) return false;
    for (uint64_t i = 0; i < count; i++) {
        double unit = (double)(kz_draw(seed, (uint32_t)which, first + i) >> 11) * 0x1p-53;
        double bias = c->type == KZ_F32 ? 4096.0 : 128.0;
        if (large)
            kz_element_set(c->type, host, i, bias + 2.0 * unit);
        else
            ((float *)host)[i] = scale ? 24.0f : (float)(rstd ? unit + 0.5 : (unit - 0.5) / 4.0);
    }
    return true;
}

// ---- work --------------------------------------------------------------------------------------------------

// Flops of an element. Forward: of rmsnorm a square, its addition and two products; layernorm has a difference and two
// additions more. Backward: h, g, what two sums take, three operations and a product for dx, two for dgamma, one for dbeta.
// What is done once per row is not counted.
kz_work norm_work(const norm_family *f, const kz_case *c) {
    double rows = (double)c->axes[NORM_ROWS], columns = (double)c->axes[NORM_COLUMNS], n = rows * columns,
           size = (double)kz_type_size(c->type);
    double of_rows = f->centered ? 8.0 * rows : 0.0, of_columns = (f->centered ? 2.0 : 1.0) * columns * size;
    double flops = f->centered ? 7.0 : 4.0;
    switch ((norm_operation)c->operation) {
    case NORM_RESIDUAL:
        return (kz_work){.bytes = 4.0 * n * size + of_columns + of_rows, .flops = (flops + 1.0) * n};
    case NORM_FP8:
        return (kz_work){.bytes = n * size + n + of_columns + of_rows + 4.0, .flops = (flops + 1.0) * n};
    case NORM_BACKWARD:
        return (kz_work){.bytes = 3.0 * n * size + columns * size + of_columns + of_rows,
                         .flops = (f->centered ? 13.0 : 12.0) * n};
    default: return (kz_work){.bytes = 2.0 * n * size + of_columns + of_rows, .flops = flops * n};
    }
}

size_t norm_guest_args(const norm_family *f, const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count = norm_buffers(f, c, list);
    for (size_t i = 0; i < count; i++) args[i] = kz_arg_buffer((uint32_t)i);
    args[count++] = kz_arg_u64((uint64_t)c->axes[NORM_ROWS]);
    args[count++] = kz_arg_u64((uint64_t)c->axes[NORM_COLUMNS]);
    args[count++] = kz_arg_f32(norm_get_epsilon(f, c));
    return count;
}
