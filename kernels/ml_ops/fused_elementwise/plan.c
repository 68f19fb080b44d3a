// fused_elementwise: the plans of its variants.
#include "plan.h"

#include "ml_ops/dropout_mask.h"
#include "private.h"
#include "tune.h"

// A plan that is being made. nothing: it is done already.
typedef struct chain {
    const kz_planner *p;
    chain_buffers at;
    uint64_t rows, columns, n, element; // element: bytes
    bool nothing;
} chain;

// Refuses what no kernel counts; without elements only dbias is left, and 0.
static kz_status begin(const kz_planner *p, chain *k) {
    const kz_case *c = p->c;
    *k = (chain){.p = p, .at = chain_buffers_of(c), .element = kz_type_size(c->type)};
    k->rows = (uint64_t)c->axes[ROWS], k->columns = (uint64_t)c->axes[COLUMNS];
    k->n = k->rows * k->columns;
    k->nothing = k->n == 0;
    if (chain_drop(c) > DROPOUT_ALL)
        return kz_plan_refuse(p->error,
                              "the third axis is %lld, but it is p in units of 1/65536, plus 1\n"
                              "give p * 65536 + 1, rounded, or 0 for p = 0.1",
                              (long long)c->axes[DROP]);
    if (k->nothing && k->at.dbias != NONE && k->columns)
        kz_plan_add_fill(p->plan, kz_arg_buffer(k->at.dbias), 0, k->columns * k->element);
    return KZ_OK;
}

static kz_arg none(void) { return kz_arg_u64(0); }
static kz_arg buffer(uint32_t which) { return which == NONE ? none() : kz_arg_buffer(which); }
static kz_arg scale_of(const chain *k) { return kz_arg_f32((float)dropout_scale(chain_drop(k->p->c))); }

// The other half of a gated chain's rows.
static kz_arg second(const chain *k, uint32_t which) {
    kz_arg half = kz_arg_buffer(which);
    half.offset = k->columns * k->element;
    return half;
}

kz_status chain_plan_native(const kz_planner *p) {
    chain k;
    kz_status status = begin(p, &k);
    if (status || k.nothing) return status;
    return KZ_LAUNCH(p, .blocks = kz_min_u64(k.columns, (uint64_t)p->device->multiprocessors), .threads = 1);
}

// ---- 01: a launch per step -----------------------------------------------------------------------------

static kz_status step(const chain *k, const char *name, uint64_t threads, const kz_arg *args, size_t count) {
    return KZ_LAUNCH(k->p, .operation = name, .blocks = kz_ceil_div(threads, FUSED_THREADS),
                     .threads = FUSED_THREADS, .args = args, .arg_count = count);
}
#define STEP(k, name, ...)                                                                                   \
    step(k, name, (k)->n, (const kz_arg[]){__VA_ARGS__},                                                     \
         sizeof((const kz_arg[]){__VA_ARGS__}) / sizeof(kz_arg))

static kz_status unfused_biased(const chain *k, kz_arg middle) {
    const chain_buffers *at = &k->at;
    kz_arg n = kz_arg_u64(k->n), drop = kz_arg_u64(chain_drop(k->p->c));
    kz_status status = KZ_OK;
    if (at->bias != NONE)
        status = STEP(k, "add_bias", buffer(at->x), buffer(at->bias), middle, kz_arg_u64(k->rows),
                      kz_arg_u64(k->columns));
    if (status) return status;
    switch ((kz_fused_elementwise)k->p->c->operation) {
    case KZ_BIAS_GELU: return STEP(k, "gelu", middle, buffer(at->y), n);
    case KZ_BIAS_DROPOUT_ADD:
        status = STEP(k, "drop", middle, buffer(at->state), n, drop, scale_of(k));
        return status ? status : STEP(k, "add", middle, buffer(at->residual), buffer(at->y), n);
    case KZ_BIAS_GELU_BACKWARD:
        status = STEP(k, "gelu_backward", middle, buffer(at->dy), buffer(at->dx), n);
        break;
    default:
        status = STEP(k, "drop_backward", buffer(at->dy), buffer(at->state), middle, buffer(at->dx), n, drop,
                      scale_of(k));
        break;
    }
    return status ? status
                  : step(k, "sum", k->columns,
                         (const kz_arg[]){middle, buffer(at->dbias), kz_arg_u64(k->rows),
                                          kz_arg_u64(k->columns)},
                         4);
}

static kz_status unfused_gated(const chain *k, kz_arg gate, kz_arg slope) {
    const chain_buffers *at = &k->at;
    bool silu = k->p->c->operation == KZ_SWIGLU || k->p->c->operation == KZ_SWIGLU_BACKWARD;
    kz_arg a = buffer(at->x), b = second(k, at->x), rows = kz_arg_u64(k->rows),
           columns = kz_arg_u64(k->columns), wide = kz_arg_u64(2 * k->columns);
    kz_status status = STEP(k, silu ? "silu" : "gate_gelu", a, gate, rows, columns, wide);
    if (status) return status;
    if (at->y != NONE) return STEP(k, "multiply", gate, b, buffer(at->y), rows, columns, wide, columns);
    kz_arg dy = buffer(at->dy);
    status = STEP(k, silu ? "silu_slope" : "gate_gelu_slope", a, slope, rows, columns, wide);
    if (!status) status = STEP(k, "scale", slope, b, rows, columns, wide);
    if (!status) status = STEP(k, "multiply", slope, dy, buffer(at->dx), rows, columns, columns, wide);
    return status ? status : STEP(k, "multiply", gate, dy, second(k, at->dx), rows, columns, columns, wide);
}

kz_status chain_plan_unfused(const kz_planner *p) {
    chain k;
    kz_status status = begin(p, &k);
    if (status || k.nothing) return status;
    bool both = chain_gated(p->c) && k.at.dx != NONE;
    p->plan->workspace_bytes = k.n * sizeof(float) * (both ? 2 : 1);
    if (!chain_gated(p->c)) return unfused_biased(&k, kz_arg_workspace(0));
    return unfused_gated(&k, kz_arg_workspace(0), both ? kz_arg_workspace(k.n * sizeof(float)) : none());
}

// ---- the fused variants ----------------------------------------------------------------------------------

enum { PARAMETERS = 12, PIECES = PARAMETERS };

// What CHAIN_PARAMETERS of chain.cuh names.
static void parameters(const chain *k, kz_arg args[PARAMETERS + 1]) {
    const chain_buffers *at = &k->at;
    bool gated = chain_gated(k->p->c), back = at->dx != NONE;
    args[0] = buffer(at->x == NONE ? at->dy : at->x);
    args[1] = gated ? second(k, at->x) : at->x == NONE ? none() : buffer(back ? at->dy : at->residual);
    args[2] = gated && back ? buffer(at->dy) : none();
    args[3] = buffer(back ? at->dx : at->y);
    args[4] = gated && back ? second(k, at->dx) : none();
    args[5] = buffer(at->bias);
    args[6] = buffer(at->state);
    args[7] = at->dbias != NONE ? kz_arg_workspace(0) : none();
    args[8] = kz_arg_u64(k->rows);
    args[9] = kz_arg_u64(k->columns);
    args[10] = kz_arg_u64(chain_drop(k->p->c));
    args[11] = scale_of(k);
}

kz_status chain_plan_elements(const kz_planner *p) {
    chain k;
    kz_arg args[PARAMETERS + 1];
    kz_status status = begin(p, &k);
    if (status || k.nothing) return status;
    uint64_t each = p->variant->tile > k.element ? p->variant->tile / k.element : 1;
    if (k.at.dbias != NONE) {
        p->plan->workspace_bytes = k.columns * sizeof(float);
        kz_plan_add_fill(p->plan, kz_arg_workspace(0), 0, p->plan->workspace_bytes);
    }
    parameters(&k, args);
    status = KZ_LAUNCH(p, .blocks = kz_ceil_div(k.n, each * FUSED_THREADS), .threads = FUSED_THREADS,
                       .args = args, .arg_count = PARAMETERS);
    if (status || k.at.dbias == NONE) return status;
    return KZ_LAUNCH(p, .operation = "narrow", .blocks = kz_ceil_div(k.columns, FUSED_THREADS),
                     .threads = FUSED_THREADS,
                     KZ_ARGS(kz_arg_workspace(0), kz_arg_buffer(k.at.dbias), kz_arg_u64(k.columns)));
}

// Units of a row, as columns.cuh counts them where the arrays are aligned; if they are not, blocks have more tiles each.
static uint64_t units_of(const chain *k) {
    uint64_t pack = 16 / k->element;
    if (k->columns % pack != 0) return k->columns;
    return k->at.state != NONE && k->columns % 64 == 0 ? k->columns / (2 * pack) : k->columns / pack;
}

kz_status chain_plan_columns(const kz_planner *p) {
    chain k;
    kz_arg args[PARAMETERS + 1];
    kz_status status = begin(p, &k);
    if (status || k.nothing) return status;
    if (k.columns > UINT32_MAX)
        return kz_plan_refuse(p->error, "%llu columns are more than this variant counts\n03_vector does them",
                              (unsigned long long)k.columns);
    uint64_t units = units_of(&k), across = kz_ceil_div(units, FUSED_WIDTH);
    uint64_t lines = FUSED_THREADS / kz_ceil_div(units, across);
    uint64_t each = p->variant->tile; // rows of a thread, at least; but many blocks come first
    if (k.rows <= 4 * lines * each) each = 1;
    uint64_t most = kz_ceil_div(k.rows, lines * each);
    uint64_t blocks = (uint64_t)p->device->multiprocessors * p->variant->blocks;
    if (k.at.dbias == NONE) blocks *= FUSED_WAVES;
    uint64_t pieces = kz_min_u64(kz_ceil_div(blocks, across), most);
    if (k.at.dbias != NONE) p->plan->workspace_bytes = pieces * k.columns * sizeof(float);
    parameters(&k, args);
    args[PIECES] = kz_arg_u64(pieces);
    status = KZ_LAUNCH(p, .blocks = kz_min_u64(across * pieces, 1u << 20), .threads = FUSED_THREADS,
                       .args = args, .arg_count = PARAMETERS + 1);
    if (status || k.at.dbias == NONE) return status;
    return KZ_LAUNCH(
        p, .operation = "gather", .blocks = kz_ceil_div(k.columns, FUSED_GATHER), .threads = FUSED_THREADS,
        KZ_ARGS(kz_arg_workspace(0), kz_arg_buffer(k.at.dbias), kz_arg_u64(k.columns), kz_arg_u64(pieces)));
}
