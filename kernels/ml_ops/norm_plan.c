// layernorm and rmsnorm: their plans.
//
// Every forward kernel takes the arguments of NORM_ARGS (norm.cuh), every backward kernel those of NORM_BACK_ARGS
// (norm_back.cuh); what an operation lacks is NULL. A backward pass is a launch that writes dx, with or without sums of
// columns, and launches that add columns. Its workspace: rstd of each row, where rmsnorm needs it a second time, and then
// rows of partial sums, those of dgamma before those of dbeta.
#include "kz/device/row_shape.h"
#include "ml_ops/norm.h"
#include "ml_ops/norm_tune.h"

enum { MOST_BLOCKS = 1 << 30, COLUMN_LIMIT = 1 << 30 };

// ---- arguments -------------------------------------------------------------------------------------------------

static kz_arg role_arg(const norm_family *f, const kz_case *c, norm_role role) {
    uint32_t index = norm_buffer(f, c->operation, role);
    return index == NORM_NO_BUFFER ? kz_arg_u64(0) : kz_arg_buffer(index);
}

static size_t role_args(const norm_family *f, const kz_case *c, const norm_role *roles, size_t count,
                        kz_arg args[KZ_PLAN_ARGS]) {
    for (size_t i = 0; i < count; i++) args[i] = role_arg(f, c, roles[i]);
    return count;
}

static size_t add_sizes(const norm_family *f, const kz_case *c, uint64_t extra, size_t at,
                        kz_arg args[KZ_PLAN_ARGS]) {
    args[at++] = kz_arg_u64((uint64_t)c->axes[NORM_ROWS]);
    args[at++] = kz_arg_u64((uint64_t)c->axes[NORM_COLUMNS]);
    args[at++] = kz_arg_f32(norm_get_epsilon(f, c));
    args[at++] = kz_arg_u64(extra);
    return at;
}

// `resident`: threads that a multiprocessor holds at once, by the kernel's registers.
static kz_row_work row_work(const kz_planner *p, unsigned resident) {
    bool two = p->c->operation == NORM_RESIDUAL || p->c->operation == NORM_BACKWARD;
    return (kz_row_work){.rows = (uint64_t)p->c->axes[NORM_ROWS],
                         .columns = (uint64_t)p->c->axes[NORM_COLUMNS],
                         .element_bytes = (unsigned)kz_type_size(p->c->type),
                         .arrays = two ? 2 : 1,
                         .multiprocessors = p->device->multiprocessors,
                         .shared_bytes = p->device->shared_per_block_optin,
                         .resident = resident};
}

// ---- what has no elements ----------------------------------------------------------------------------------------

static void fill(const norm_family *f, const kz_planner *p, norm_role role, uint8_t byte) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    uint32_t index = norm_buffer(f, p->c->operation, role);
    norm_buffers(f, p->c, list);
    if (index == NORM_NO_BUFFER || list[index].count == 0) return;
    kz_plan_add_fill(p->plan, kz_arg_buffer(index), byte, list[index].count * kz_type_size(list[index].type));
}

// True where the plan is made: a row of no columns has the mean NaN, a sum over no rows is 0.
static bool is_empty(const norm_family *f, const kz_planner *p) {
    if (norm_elements(p->c)) return false;
    if (p->c->operation == NORM_BACKWARD) {
        fill(f, p, NORM_DGAMMA, 0), fill(f, p, NORM_DBETA, 0);
    } else {
        fill(f, p, NORM_MEAN, 0xff), fill(f, p, NORM_RSTD, 0xff);
    }
    return true;
}

static kz_status refuse_columns(const kz_planner *p) {
    return kz_plan_refuse(p->error,
                          "rows of %lld columns: a row has less than 2^30; look at the arguments' order",
                          (long long)p->c->axes[NORM_COLUMNS]);
}

// ---- forward -----------------------------------------------------------------------------------------------------

static kz_status add_forward(const norm_family *f, const kz_planner *p, const char *part,
                             kz_row_shape shape) {
    static const norm_role roles[] = {NORM_X, NORM_ADDED, NORM_GAMMA, NORM_BETA, NORM_SCALE,
                                      NORM_Y, NORM_SUM,   NORM_MEAN,  NORM_RSTD};
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = role_args(f, p->c, roles, sizeof roles / sizeof roles[0], args);
    count = add_sizes(f, p->c, shape.lanes, count, args);
    return KZ_LAUNCH(p, .part = part, .blocks = shape.blocks, .threads = shape.threads, .args = args,
                     .arg_count = count);
}

// ---- backward ----------------------------------------------------------------------------------------------------

static uint64_t rstd_bytes(const norm_family *f, const kz_case *c, bool kept) {
    return f->centered || !kept ? 0 : kz_ceil_div((uint64_t)c->axes[NORM_ROWS] * 4, 16) * 16;
}
static uint64_t sum_bytes(const norm_family *f, const kz_case *c, uint64_t rows_of_sums) {
    return rows_of_sums * (uint64_t)c->axes[NORM_COLUMNS] * (f->centered ? 8 : 4);
}

// A kernel that reads dy and x. `kept`: rstd goes to the workspace, or comes from there; `sums`: partial sums are behind it.
static kz_status add_rows(const norm_family *f, const kz_planner *p, const char *part, kz_row_shape shape,
                          bool kept, bool sums, uint64_t extra) {
    static const norm_role roles[] = {NORM_DY, NORM_X, NORM_GAMMA, NORM_MEAN, NORM_RSTD, NORM_DX};
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = role_args(f, p->c, roles, sizeof roles / sizeof roles[0], args);
    bool in_workspace = kept && !f->centered;
    if (in_workspace) args[4] = kz_arg_workspace(0);
    args[count++] = in_workspace ? kz_arg_workspace(0) : kz_arg_u64(0);
    args[count++] = sums ? kz_arg_workspace(rstd_bytes(f, p->c, kept)) : kz_arg_u64(0);
    count = add_sizes(f, p->c, extra, count, args);
    return KZ_LAUNCH(p, .part = part, .blocks = shape.blocks, .threads = shape.threads, .args = args,
                     .arg_count = count);
}

// The last stage: `count` rows of partial sums become dgamma and dbeta.
static kz_status add_fold(const norm_family *f, const kz_planner *p, bool kept, uint64_t count) {
    uint64_t columns = (uint64_t)p->c->axes[NORM_COLUMNS], before = rstd_bytes(f, p->c, kept);
    p->plan->workspace_bytes = before + sum_bytes(f, p->c, count);
    return KZ_LAUNCH(p, .part = "fold", .blocks = kz_ceil_div(columns, 32) * (f->centered ? 2 : 1),
                     .threads = NORM_FOLD_WARPS * 32,
                     KZ_ARGS(kz_arg_workspace(before), role_arg(f, p->c, NORM_DGAMMA),
                             role_arg(f, p->c, NORM_DBETA), kz_arg_u64(columns), kz_arg_u64(count)));
}

static kz_status add_fused(const norm_family *f, const kz_planner *p, kz_row_shape shape) {
    kz_status status = add_rows(f, p, NULL, shape, false, true, shape.lanes);
    return status ? status : add_fold(f, p, false, shape.blocks);
}

// dx by rows, then a thread, or a native block's share, for each column.
static kz_status add_down(const norm_family *f, const kz_planner *p, kz_row_shape rows, uint64_t blocks) {
    const kz_case *c = p->c;
    p->plan->workspace_bytes = rstd_bytes(f, c, true);
    kz_status status = add_rows(f, p, NULL, rows, true, false, 0);
    if (status) return status;
    return KZ_LAUNCH(p, .part = "down", .blocks = blocks, .threads = rows.threads,
                     KZ_ARGS(role_arg(f, c, NORM_DY), role_arg(f, c, NORM_X), role_arg(f, c, NORM_MEAN),
                             f->centered ? role_arg(f, c, NORM_RSTD) : kz_arg_workspace(0),
                             role_arg(f, c, NORM_DGAMMA), role_arg(f, c, NORM_DBETA),
                             kz_arg_u64((uint64_t)c->axes[NORM_ROWS]),
                             kz_arg_u64((uint64_t)c->axes[NORM_COLUMNS])));
}

static kz_status add_atomics(const norm_family *f, const kz_planner *p, kz_row_shape shape) {
    kz_plan_add_fill(p->plan, kz_arg_workspace(0), 0, sum_bytes(f, p->c, 1));
    kz_status status = add_rows(f, p, NULL, shape, false, true, 0);
    return status ? status : add_fold(f, p, false, 1);
}

// As many chunks of rows as fill the GPU.
static kz_status add_chunks(const norm_family *f, const kz_planner *p, kz_row_shape shape) {
    uint64_t rows = (uint64_t)p->c->axes[NORM_ROWS], columns = (uint64_t)p->c->axes[NORM_COLUMNS];
    uint64_t across = kz_ceil_div(columns, 16 / kz_type_size(p->c->type) * NORM_COLUMN_THREADS);
    uint64_t room = (uint64_t)p->device->multiprocessors * NORM_COLUMN_BLOCKS / across;
    uint64_t chunks = kz_min_u64(room ? room : 1, kz_ceil_div(rows, NORM_COLUMN_ROWS));
    kz_row_shape adds = {.blocks = across * chunks, .threads = NORM_COLUMN_THREADS};
    kz_status status = add_rows(f, p, NULL, shape, true, false, 0);
    if (!status) status = add_rows(f, p, "chunk", adds, true, true, chunks);
    return status ? status : add_fold(f, p, true, chunks);
}

// ---- the variants' plans -------------------------------------------------------------------------------------------

static bool too_wide(const kz_planner *p) { return p->c->axes[NORM_COLUMNS] >= COLUMN_LIMIT; }

kz_status norm_plan_native(const norm_family *f, const kz_planner *p) {
    uint64_t cores = (uint64_t)p->device->multiprocessors, rows = (uint64_t)p->c->axes[NORM_ROWS];
    kz_row_shape shape = {.blocks = kz_min_u64(rows, cores), .threads = 1};
    if (is_empty(f, p)) return KZ_OK;
    if (p->c->operation != NORM_BACKWARD) return add_forward(f, p, NULL, shape);
    return add_down(f, p, shape, kz_min_u64((uint64_t)p->c->axes[NORM_COLUMNS], cores));
}

kz_status norm_plan_thread(const norm_family *f, const kz_planner *p) {
    uint64_t rows = (uint64_t)p->c->axes[NORM_ROWS], columns = (uint64_t)p->c->axes[NORM_COLUMNS];
    kz_row_shape shape = {.blocks = kz_ceil_div(rows, NORM_THREADS), .threads = NORM_THREADS};
    if (p->c->operation == NORM_RESIDUAL || p->c->operation == NORM_FP8)
        return kz_plan_refuse(p->error,
                              "01_thread shows the formula forward and backward; 02_block and those "
                              "behind it do the other operations");
    if (is_empty(f, p)) return KZ_OK;
    if (too_wide(p)) return refuse_columns(p);
    if (p->c->operation == NORM_FORWARD) return add_forward(f, p, NULL, shape);
    return add_down(f, p, shape, kz_ceil_div(columns, NORM_THREADS));
}

kz_status norm_plan_block(const norm_family *f, const kz_planner *p) {
    kz_row_shape shape = {.blocks = kz_min_u64((uint64_t)p->c->axes[NORM_ROWS], MOST_BLOCKS),
                          .threads = NORM_THREADS};
    if (is_empty(f, p)) return KZ_OK;
    if (too_wide(p)) return refuse_columns(p);
    return p->c->operation == NORM_BACKWARD ? add_atomics(f, p, shape) : add_forward(f, p, NULL, shape);
}

kz_status norm_plan_stream(const norm_family *f, const kz_planner *p) {
    kz_row_work w = row_work(p, 0);
    kz_row_shape shape = kz_row_stream(&w);
    if (is_empty(f, p)) return KZ_OK;
    if (too_wide(p)) return refuse_columns(p);
    return p->c->operation == NORM_BACKWARD ? add_chunks(f, p, shape) : add_forward(f, p, NULL, shape);
}

static kz_status refuse_long(const kz_planner *p, const char *who, const char *next) {
    return kz_plan_refuse(p->error, "rows of %lld columns do not fit into %s; %s takes longer ones",
                          (long long)p->c->axes[NORM_COLUMNS], who, next);
}

kz_status norm_plan_lanes(const norm_family *f, const kz_planner *p) {
    bool backward = p->c->operation == NORM_BACKWARD;
    kz_row_work w = row_work(p, KZ_ROW_LANE_THREADS * (backward ? NORM_LANE_BACK_BLOCKS : NORM_LANE_BLOCKS));
    kz_row_shape shape = kz_row_lanes(&w, w.arrays == 2 ? NORM_LANE_UNITS_OF_TWO : NORM_LANE_UNITS);
    if (is_empty(f, p)) return KZ_OK;
    if (shape.blocks == 0) return refuse_long(p, "the registers of a warp", "05_registers");
    return backward ? add_fused(f, p, shape) : add_forward(f, p, NULL, shape);
}

// Of no more rows than multiprocessors: one row for each block, and one or two packs for each thread.
static kz_row_shape few_rows(const kz_row_work *w) {
    kz_row_shape none = {0};
    if (w->rows > (uint64_t)w->multiprocessors) return none;
    return kz_row_block(w, NORM_FEW_UNITS, w->arrays == 2 ? NORM_BLOCK_OF_TWO : NORM_BLOCK);
}

kz_status norm_plan_registers(const norm_family *f, const kz_planner *p) {
    bool backward = p->c->operation == NORM_BACKWARD, two = backward || p->c->operation == NORM_RESIDUAL;
    unsigned most = backward ? NORM_BACK_BLOCK : two ? NORM_BLOCK_OF_TWO : NORM_BLOCK;
    kz_row_work w = row_work(p, backward ? NORM_BACK_RESIDENT(kz_type_size(p->c->type)) : 0);
    kz_row_shape shape =
        backward ? kz_row_staying(&w, NORM_BACK_UNITS, most) : kz_row_block(&w, NORM_UNITS, most);
    const char *longer = f->centered ? "03_welford" : "03_packs";
    if (is_empty(f, p)) return KZ_OK;
    if (shape.blocks == 0) return refuse_long(p, "the registers of a block", longer);
    if (backward) return add_fused(f, p, shape);
    kz_row_shape few = few_rows(&w);
    return few.blocks ? add_forward(f, p, "few", few) : add_forward(f, p, NULL, shape);
}
