// gemm: the public operation. It checks the caller's problem, and gives it to the family that does it best.
#include <stdio.h>
#include <string.h>

#include "part.h"
#include "private.h"
#include "gemm/gemm_types/gemm_types.h"
#include "gemm/gemv/gemv.h"

extern const kz_family kz_family_sgemm, kz_family_hgemm, kz_family_gemv, kz_family_gemm_types,
    kz_family_gemm_fused;

// One product, of matrices without gaps, and nothing added to it.
static bool is_tight(const gemm_matrix *m) { return m->rows <= 1 || m->ld == m->columns; }
static bool is_plain(const gemm_spec *s) {
    return (s->form == KZ_GEMM_ONE || (s->form == KZ_GEMM_STRIDED && s->count == 1)) && s->alpha == 1.0 &&
           s->beta == 0.0 && is_tight(&s->a) && is_tight(&s->b) && is_tight(&s->c);
}

// ---- what was asked for ----------------------------------------------------------------------------------

// A struct of the caller's as one of ours: what it lacks is 0, what we do not know must be.
static kz_status take(void *own, size_t own_bytes, const void *given, const char *type, kz_error *error) {
    size_t size;
    if (!given)
        return kz_fail(error, KZ_INVALID, "gemm: the %s is NULL\npass one, zeroed but for what you need",
                       type);
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > 4096)
        return kz_fail(error, KZ_INVALID, "gemm: the size in %s is %zu\nset it: %s x = {.size = sizeof x}",
                       type, size, type);
    for (size_t i = own_bytes; i < size; i++)
        if (((const char *)given)[i])
            return kz_fail(error, KZ_INVALID,
                           "gemm: %s has a field that this library does not know\n"
                           "build and run with the same version of kz",
                           type);
    memset(own, 0, own_bytes);
    memcpy(own, given, size < own_bytes ? size : own_bytes);
    return KZ_OK;
}

static kz_status check_matrix(const char *name, const gemm_matrix *matrix, size_t ld, size_t stride,
                              bool shared, kz_error *error) {
    if (ld && ld < matrix->columns)
        return kz_fail(error, KZ_INVALID,
                       "gemm: ld%s is %zu, and a row of %s has %llu elements\npass 0 for rows without gaps",
                       name, ld, name, (unsigned long long)matrix->columns);
    if ((double)matrix->rows * (double)matrix->ld >= 0x1p60)
        return kz_fail(error, KZ_INVALID,
                       "gemm: %s has %llu rows, %llu elements apart: more than any memory holds\n"
                       "look for a size that is unset, or in bytes where elements are counted",
                       name, (unsigned long long)matrix->rows, (unsigned long long)matrix->ld);
    uint64_t least = matrix->rows && matrix->columns ? (matrix->rows - 1) * matrix->ld + matrix->columns : 0;
    if (!shared && stride && (stride == KZ_GEMM_SHARED || stride < least))
        return kz_fail(error, KZ_INVALID,
                       "gemm: stride_%s is %zu, and a matrix %s has %llu elements: they would overlap\n"
                       "pass 0 for matrices without gaps; a and b may be shared: KZ_GEMM_SHARED",
                       name, stride, name, (unsigned long long)least);
    return KZ_OK;
}

static kz_status check_enums(const kz_gemm_problem *p, kz_error *error) {
    if ((unsigned)p->form > KZ_GEMM_GROUPED)
        return kz_fail(error, KZ_INVALID,
                       "gemm: %d is no kz_gemm_form\nzero the problem before you set it: KZ_GEMM_ONE is 0",
                       (int)p->form);
    if ((unsigned)p->result > KZ_GEMM_TO_F32)
        return kz_fail(error, KZ_INVALID,
                       "gemm: %d is no kz_gemm_result\nzero the problem before you set it: KZ_GEMM_SAME is 0",
                       (int)p->result);
    if ((unsigned)p->epilogue > KZ_GEMM_BIAS_GELU_E4M3)
        return kz_fail(
            error, KZ_INVALID,
            "gemm: %d is no kz_gemm_epilogue\nzero the problem before you set it: KZ_GEMM_NO_EPILOGUE is 0",
            (int)p->epilogue);
    if ((unsigned)p->numbers > KZ_GEMM_AS_E4M3_FINE)
        return kz_fail(
            error, KZ_INVALID,
            "gemm: %d is no kz_gemm_numbers\nzero the problem before you set it: KZ_GEMM_BY_TYPE is 0",
            (int)p->numbers);
    if (p->numbers >= KZ_GEMM_AS_INT8) return KZ_OK; // the type does not count
    if (p->numbers && p->type != KZ_F32)
        return kz_fail(
            error, KZ_INVALID,
            "gemm: tf32 is a way to multiply f32, and the type is %s\nset type to KZ_F32, or numbers to "
            "KZ_GEMM_BY_TYPE",
            (unsigned)p->type < KZ_TYPE_COUNT ? kz_type_name(p->type) : "none");
    if ((unsigned)p->type >= KZ_TYPE_COUNT)
        return kz_fail(error, KZ_INVALID, "gemm: %d is no kz_type\npass KZ_F16, KZ_BF16, KZ_F32 or KZ_F64",
                       (int)p->type);
    if (!(kz_family_gemm.types >> p->type & 1))
        return kz_fail(error, KZ_UNSUPPORTED, "gemm has no %s\n`kz info gemm` lists its types",
                       kz_type_name(p->type));
    if (p->type == KZ_F64 && p->result == KZ_GEMM_TO_F32)
        return kz_fail(error, KZ_UNSUPPORTED, "gemm: products of f64 are f64\nset result to KZ_GEMM_SAME");
    return KZ_OK;
}

static kz_status check_problem(const kz_gemm_problem *p, kz_error *error) {
    kz_status status = check_enums(p, error);
    if (status) return status;
    gemm_spec s = gemm_spec_of_problem(p);
    size_t element = p->numbers >= KZ_GEMM_AS_INT8 ? 1 : kz_type_size(p->type);
    if (s.alignment % element || (s.alignment & (s.alignment - 1)))
        return kz_fail(error, KZ_INVALID,
                       "gemm: the alignment is %llu bytes, and must be a power of two, %zu or more\n"
                       "pass 0 for 16, or what all addresses are multiples of",
                       (unsigned long long)s.alignment, element);
    if (s.form == KZ_GEMM_GROUPED && (p->stride_a || p->stride_c))
        return kz_fail(error, KZ_INVALID,
                       "gemm: groups are rows of one a and one c, which have no strides\n"
                       "leave stride_a and stride_c 0; offsets say where groups begin");
    if (s.form == KZ_GEMM_GROUPED && s.m > UINT32_MAX)
        return kz_fail(error, KZ_INVALID,
                       "gemm: %llu rows are more than offsets of 32 bits count\n"
                       "divide the groups among several operations",
                       (unsigned long long)s.m);
    if (p->numbers >= KZ_GEMM_AS_INT8 && (!is_plain(&s) || s.alignment < 16))
        return kz_fail(error, KZ_UNSUPPORTED,
                       "gemm: of 8-bit numbers it has c = a b alone, one product of matrices without "
                       "gaps, at multiples of 16 bytes\nwiden them to bf16 for the rest");
    bool halves = !p->numbers && (s.type == KZ_F16 || s.type == KZ_BF16);
    if (p->epilogue && !(halves && is_plain(&s) && s.out == s.type && !s.a_transposed && s.alignment >= 16))
        return kz_fail(error, KZ_UNSUPPORTED,
                       "gemm: epilogues are for one product of halves without gaps, a as written, c of its "
                       "type, at multiples of 16 bytes\nmultiply first, and apply it in a kernel of its own");
    bool strided = s.form == KZ_GEMM_STRIDED && s.count > 1;
    status = check_matrix("a", &s.a, p->lda, p->stride_a, true, error);
    if (!status) status = check_matrix("b", &s.b, p->ldb, p->stride_b, true, error);
    if (!status) status = check_matrix("c", &s.c, p->ldc, p->stride_c, !strided, error);
    return status;
}

// ---- who does it -----------------------------------------------------------------------------------------

typedef struct route {
    const kz_family *family;
    kz_case c;
    const char *reason;
} route;

static uint32_t operation_of(const gemm_spec *s) {
    uint32_t order = (s->a_transposed ? 2u : 0u) + (s->b_transposed ? 1u : 0u);
    if (s->form == KZ_GEMM_GROUPED) return GROUPED * ORDERS + order % 2;
    if (s->out != s->type) return TO_F32 * ORDERS + order;
    return (s->alpha != 1.0 || s->beta != 0.0 ? SCALED : PLAIN) * ORDERS + order;
}

// The most elements between rows; first of all such as leave rows unaligned. So what was measured of matrices without gaps is not
// taken for one that must be copied.
static uint64_t slack_of(const gemm_spec *s) {
    const gemm_matrix *all[] = {&s->a, &s->b, &s->c};
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        uint64_t slack = all[i]->rows > 1 ? all[i]->ld - all[i]->columns : 0;
        if (slack % 8) return slack;
        if (slack > most) most = slack;
    }
    return most;
}

static route general_route(const kz_gemm_problem *p) {
    gemm_spec s = gemm_spec_of_problem(p);
    return (route){
        &kz_family_gemm,
        {.operation = operation_of(&s),
         .type = s.type,
         .axes = {(int64_t)s.m, (int64_t)s.n, (int64_t)s.k, (int64_t)s.count, (int64_t)slack_of(&s)},
         .misalign = s.alignment < 16,
         .detail = p},
        "the general family"};
}

static route find_route(const kz_gemm_problem *p, const kz_device_info *device) {
    gemm_spec s = gemm_spec_of_problem(p);
    int64_t m = (int64_t)s.m, n = (int64_t)s.n, k = (int64_t)s.k;
    bool halves = s.type == KZ_F16 || s.type == KZ_BF16, plain = is_plain(&s);
    if (p->epilogue)
        return (route){&kz_family_gemm_fused,
                       {.operation = 2 * ((uint32_t)p->epilogue - 1) + (s.b_transposed ? 1 : 0),
                        .type = s.type,
                        .axes = {m, n, k}},
                       "an epilogue, applied before c is stored"};
    if (plain && p->numbers && s.alignment >= 16) {
        uint32_t format = (uint32_t)p->numbers - KZ_GEMM_AS_TF32;
        kz_type out = p->numbers < KZ_GEMM_AS_INT8    ? KZ_F32
                      : p->numbers == KZ_GEMM_AS_INT8 ? KZ_I32
                                                      : KZ_BF16;
        return (route){
            &kz_family_gemm_types,
            {.operation = format * ORDERS + operation_of(&s) % ORDERS, .type = out, .axes = {m, n, k}},
            "numbers that are not halves, by tensor cores"};
    }
    if (plain && s.type == KZ_F32 && !s.a_transposed && !s.b_transposed)
        return (route){
            &kz_family_sgemm, {.type = KZ_F32, .axes = {m, n, k}}, "a plain product in single precision"};
    if (plain && halves && s.out == s.type && !s.a_transposed && s.b_transposed && s.alignment >= 16 &&
        m >= 1 && m <= KZ_GEMV_TOKENS && k > 0 && k % 8 == 0)
        return (route){&kz_family_gemv,
                       {.operation = KZ_GEMV_DENSE, .type = s.type, .axes = {m, n, k}},
                       "so few rows are bound by reading b once"};
    if (plain && halves && s.alignment >= 16 && device->kind != KZ_DEVICE_CPU && device->sm >= 80 &&
        device->sm != 90)
        return (route){&kz_family_hgemm,
                       {.operation = (uint32_t)operation_of(&s), .type = s.type, .axes = {m, n, k}},
                       "a plain product of halves, on a GPU without wgmma"};
    return general_route(p);
}

kz_status gemm_add_product(const kz_planner *p, const kz_gemm_problem *problem, kz_arg a, kz_arg b,
                           kz_arg c) {
    kz_status status = check_problem(problem, p->error);
    if (status) return status;
    route to = find_route(problem, p->device);
    // gemv's copies of b begin before their turn: b must be the caller's, not what the step before writes.
    if (to.family == &kz_family_gemv && b.kind != KZ_ARG_BUFFER) to = general_route(problem);
    if (to.family == &kz_family_gemv)
        return kz_plan_add_operation(p, to.family, &to.c, NULL, (const kz_arg[]){b, kz_arg_u64(0), a, c}, 4);
    return kz_plan_add_operation(p, to.family, &to.c, NULL, (const kz_arg[]){a, b, c}, 3);
}

kz_status kz_gemm_open(kz_device *device, const kz_gemm_problem *problem, const char *variant,
                       kz_operation **operation, kz_error *error) {
    kz_gemm_problem own;
    if (operation) *operation = NULL;
    if (!device)
        return kz_fail(error, KZ_INVALID, "kz_gemm_open: the device is NULL\nkz_device_open gives one");
    if (!operation)
        return kz_fail(error, KZ_INVALID,
                       "kz_gemm_open: operation is NULL\npass the address of a kz_operation *");
    kz_status status = take(&own, sizeof own, problem, "kz_gemm_problem", error);
    if (!status) status = check_problem(&own, error);
    if (status) return status;
    route to = find_route(&own, kz_device_get_info(device));
    if (variant && strcmp(variant, KZ_DETERMINISTIC) != 0 && own.numbers < KZ_GEMM_AS_INT8 && !own.epilogue)
        to = general_route(&own); // one of this family's, by name
    return kz_operation_open_family(device, to.family, &to.c, variant, operation, error);
}

kz_status kz_gemm_run(kz_operation *operation, kz_stream *stream, const kz_gemm_buffers *buffers,
                      kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    kz_gemm_buffers own;
    if (!operation)
        return kz_fail(error, KZ_INVALID, "kz_gemm_run: the operation is NULL\nkz_gemm_open gives one");
    kz_status status = take(&own, sizeof own, buffers, "kz_gemm_buffers", error);
    if (status) return status;
    const char *family = kz_operation_family(operation);
    kz_ptr list[5] = {own.a, own.b, own.c, own.offsets};
    size_t count = own.offsets ? 4 : 3;
    if (strcmp(family, "gemv") == 0) {
        memcpy(list, (kz_ptr[]){own.b, 0, own.a, own.c}, 4 * sizeof list[0]);
        count = 4;
    } else if (strcmp(family, "gemm_types") == 0) {
        memcpy(list + 3, (kz_ptr[]){own.scale_a, own.scale_b}, 2 * sizeof list[0]);
        count = 5;
    } else if (strcmp(family, "gemm_fused") == 0) {
        memcpy(list + 3, (kz_ptr[]){own.x, own.y}, 2 * sizeof list[0]);
        count = own.y ? 5 : own.x ? 4 : 3;
    }
    return kz_operation_run(operation, stream, list, count, workspace, workspace_bytes, error);
}

kz_status kz_gemm_explain(kz_device *device, const kz_gemm_problem *problem, char *text, size_t size,
                          kz_error *error) {
    kz_gemm_problem own;
    char why[KZ_CHOICE_WHY] = "";
    if (!device)
        return kz_fail(error, KZ_INVALID, "kz_gemm_explain: the device is NULL\nkz_device_open gives one");
    if (!text || !size)
        return kz_fail(error, KZ_INVALID,
                       "kz_gemm_explain: text is NULL, or its size 0\npass room for a few lines");
    kz_status status = take(&own, sizeof own, problem, "kz_gemm_problem", error);
    if (!status) status = check_problem(&own, error);
    if (status) return status;
    const kz_device_info *info = kz_device_get_info(device);
    route to = find_route(&own, info);
    const kz_variant *chosen = kz_choose(to.family, &to.c, info, false, why);
    snprintf(text, size, "%s/%s: %s; %s", to.family->name, chosen ? chosen->name : "none", to.reason, why);
    return KZ_OK;
}
