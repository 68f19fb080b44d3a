// Finds the first instruction, per source line, that made a NaN or an infinity from finite numbers.
//
// Results are looked at after the instruction: an exponent of all ones in some lane is rare, and only then
// are the inputs looked at. Where the destination is one of the sources, the inputs are kept before.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"
#include "sim/inspect.h"

enum { LANES = 32, SOURCES = 3, REPORTS = 50 };

typedef struct plan {
    uint32_t epoch;
    bool wanted, aliased;
    uint8_t reports;
} plan;

typedef struct kept {
    const ptx_inst *inst;
    const sim_warp *warp;
    uint64_t value[SOURCES][LANES];
} kept;

typedef struct numerics {
    observe_detector base; // first
    observe_findings *findings;
    uint32_t epoch;
    plan *plans; // by serial
    uint32_t capacity;
    kept kept;
} numerics;

// ---- which instructions --------------------------------------------------------------------------------

static bool is_float(ptx_type type) {
    switch (type) {
    case PTX_F16:
    case PTX_BF16:
    case PTX_F32:
    case PTX_F64:
    case PTX_F16X2:
    case PTX_BF16X2: return true;
    default: return false;
    }
}

// Whether a result that is no number can come out where all sources are numbers.
static bool computes(ptx_op op) {
    const ptx_op_info *row = ptx_op_get(op);
    return row->class == PTX_CLASS_SPECIAL || row->class == PTX_CLASS_CONVERSION ||
           (row->class == PTX_CLASS_ARITHMETIC && row->flops != PTX_FLOPS_0);
}

static plan *make_plan(numerics *self, const ptx_inst *inst) {
    if (inst->serial >= self->capacity) {
        uint32_t capacity = self->capacity ? self->capacity : 256;
        while (capacity <= inst->serial) capacity *= 2;
        plan *grown = realloc(self->plans, capacity * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + self->capacity, 0, (capacity - self->capacity) * sizeof *grown);
        self->plans = grown;
        self->capacity = capacity;
    }
    plan *p = &self->plans[inst->serial];
    *p = (plan){.epoch = self->epoch};
    p->wanted = computes(inst->op) && inst->type_count && is_float((ptx_type)inst->types[0]) &&
                inst->operand_count >= 2 && inst->operand_count <= 1 + SOURCES &&
                inst->operands[0].kind == PTX_OPERAND_REG && inst->operands[0].reg >= 0;
    for (uint32_t i = 1; p->wanted && i < inst->operand_count; i++)
        if (inst->operands[i].kind == PTX_OPERAND_REG && inst->operands[i].reg == inst->operands[0].reg)
            p->aliased = true;
    return p;
}

static inline plan *plan_of(numerics *self, const ptx_inst *inst) {
    if (inst->serial < self->capacity && self->plans[inst->serial].epoch == self->epoch)
        return &self->plans[inst->serial];
    return make_plan(self, inst);
}

// ---- values --------------------------------------------------------------------------------------------

static ptx_type source_type(const ptx_inst *inst) {
    return (ptx_type)(inst->op == PTX_OP_CVT && inst->type_count > 1 ? inst->types[1] : inst->types[0]);
}

// The bits of one operand in one lane; false where they cannot be known.
static bool value_of(const sim_event *event, uint32_t frame, const ptx_operand *operand, ptx_type type,
                     uint32_t lane, uint64_t *bits) {
    if (operand->kind == PTX_OPERAND_INT || operand->kind == PTX_OPERAND_FLOAT) {
        *bits = ptx_immediate(operand, type);
        return true;
    }
    if (operand->kind != PTX_OPERAND_REG || operand->reg < 0) return false;
    const void *at = sim_inspect_register(event->self, frame, operand->reg);
    if (!at) return false;
    const ptx_function *function = sim_inspect_function(event->self, frame);
    if (!function) return false;
    switch (ptx_type_bits(function->regs[operand->reg].type)) {
    case 16: *bits = ((const uint16_t *)at)[lane]; break;
    case 32: *bits = ((const uint32_t *)at)[lane]; break;
    case 64: *bits = ((const uint64_t *)at)[lane]; break;
    default: return false;
    }
    return true;
}

// `half` chooses of a pair; 0 else.
static double number_of(uint64_t bits, ptx_type type, unsigned half) {
    uint16_t part = (uint16_t)(bits >> (16 * half));
    uint32_t word = (uint32_t)bits;
    float single;
    double wide;
    switch (type) {
    case PTX_F16:
    case PTX_F16X2: return (double)base_f16_to_f32(part);
    case PTX_BF16:
    case PTX_BF16X2: return (double)base_bf16_to_f32(part);
    case PTX_F32: memcpy(&single, &word, sizeof single); return (double)single;
    case PTX_F64: memcpy(&wide, &bits, sizeof wide); return wide;
    case PTX_S32: return (double)(int32_t)word;
    case PTX_S64: return (double)(int64_t)bits;
    default: return (double)bits;
    }
}

static bool is_pair(ptx_type type) { return type == PTX_F16X2 || type == PTX_BF16X2; }

// Lanes with a result that is no finite number, by the exponent alone. A first look without branches tells
// that there is none, as there hardly ever is.
#define ODD_LANES(type, test)                                                                                \
    {                                                                                                        \
        const type *v = at;                                                                                  \
        type any = 0;                                                                                        \
        for (uint32_t i = 0; i < LANES; i++) any |= (type)(test);                                            \
        for (uint32_t i = 0; any && i < LANES; i++) lanes |= (uint32_t)(test) << i;                          \
        break;                                                                                               \
    }
static uint32_t odd_lanes(const void *at, ptx_type type) {
    uint32_t lanes = 0;
    switch (type) {
    case PTX_F32: ODD_LANES(uint32_t, (v[i] & 0x7f800000u) == 0x7f800000u)
    case PTX_F64: ODD_LANES(uint64_t, (v[i] & UINT64_C(0x7ff) << 52) == UINT64_C(0x7ff) << 52)
    case PTX_F16: ODD_LANES(uint16_t, (v[i] & 0x7c00u) == 0x7c00u)
    case PTX_BF16: ODD_LANES(uint16_t, (v[i] & 0x7f80u) == 0x7f80u)
    case PTX_F16X2: ODD_LANES(uint32_t, (v[i] & 0x7c00u) == 0x7c00u || (v[i] & 0x7c000000u) == 0x7c000000u)
    default: ODD_LANES(uint32_t, (v[i] & 0x7f80u) == 0x7f80u || (v[i] & 0x7f800000u) == 0x7f800000u)
    }
    return lanes;
}

// ---- words ---------------------------------------------------------------------------------------------

// The likely cause, and what to do.
static const char *cause_of(const ptx_inst *inst, const double *in, double out) {
    bool nan = isnan(out);
    switch (inst->op) {
    case PTX_OP_DIV:
        if (in[1] == 0)
            return nan ? "0 was divided by 0\nwhat to do: check for a zero divisor first"
                       : "a division by zero\nwhat to do: check the divisor first";
        return "the quotient is too large for the type\nwhat to do: check the divisor, or use a wider type";
    case PTX_OP_RCP: return "a division by zero (or nearly)\nwhat to do: check the divisor first";
    case PTX_OP_SQRT:
        return "the root of a negative number\nwhat to do: clamp it with fmaxf(x, 0) where rounding made it "
               "so";
    case PTX_OP_RSQRT:
        return nan ? "the root of a negative number\nwhat to do: clamp it first"
                   : "1 / sqrt(0)\nwhat to do: add a small epsilon first";
    case PTX_OP_LG2:
        return nan ? "the logarithm of a negative number\nwhat to do: check the argument first"
                   : "the logarithm of 0\nwhat to do: add a small epsilon first";
    case PTX_OP_EX2:
        return "an exponential of too large a number\nwhat to do: subtract the maximum first, as softmax "
               "does";
    case PTX_OP_CVT:
        return "the number is too large for the narrower type\nwhat to do: scale it, or keep the wider type";
    case PTX_OP_SIN:
    case PTX_OP_COS:
        return "an argument for which the fast approximation has no answer\nwhat to do: sinf() and cosf() "
               "without -use_fast_math, or a smaller argument";
    default:
        return "the result is too large for the type\nwhat to do: scale, use a wider type, or check the "
               "inputs";
    }
}

static void report(numerics *self, const sim_event *event, uint32_t lane, const double *in, uint32_t count,
                   double out) {
    static const char names[] = "abc";
    const ptx_inst *inst = event->inst;
    bool nan = isnan(out);
    observe_finding finding = {
        .kind = nan ? OBSERVE_NUMERICS_NAN : OBSERVE_NUMERICS_INF,
        .first = {.inst = inst, .block = event->block, .thread = event->warp * LANES + lane}};
    base_text text = {0};
    base_text_add(&text, "%s.%s made %s from", ptx_op_root(inst->op), ptx_type_name((ptx_type)inst->types[0]),
                  nan       ? "NaN"
                  : out < 0 ? "-infinity"
                            : "infinity");
    for (uint32_t i = 0; i < count; i++) base_text_add(&text, "%s %c = %.9g", i ? "," : "", names[i], in[i]);
    base_text_add(&text, "\nlikely cause: %s", cause_of(inst, in, out));
    snprintf(finding.text, sizeof finding.text, "%s", text.data ? text.data : "");
    base_text_free(&text);
    observe_findings_add(self->findings, &finding);
}

// Whether the lane's inputs are all finite; then it is reported.
static bool judge(numerics *self, const sim_event *event, uint32_t frame, const plan *p, uint32_t lane,
                  uint64_t result) {
    const ptx_inst *inst = event->inst;
    ptx_type to = (ptx_type)inst->types[0], from = source_type(inst);
    uint32_t count = inst->operand_count - 1;
    for (unsigned half = 0; half < (is_pair(to) ? 2u : 1u); half++) {
        double out = number_of(result, to, half), in[SOURCES] = {0};
        if (isfinite(out)) continue;
        bool finite = true, packs = inst->op == PTX_OP_CVT && is_pair(to) && count == 2;
        for (uint32_t i = 0; i < count && finite; i++) {
            uint64_t bits;
            if (p->aliased)
                bits = self->kept.value[i][lane];
            else if (!value_of(event, frame, &inst->operands[1 + i], from, lane, &bits))
                return false;
            in[i] = number_of(bits, from, is_pair(from) ? half : 0);
            finite = isfinite(in[i]) || (packs && i != 1 - half); // cvt of two: the first is the upper half
        }
        if (!finite) continue;
        if (packs) in[0] = in[1 - half];
        report(self, event, lane, in, packs ? 1 : count, out);
        return true;
    }
    return false;
}

// ---- events --------------------------------------------------------------------------------------------

static void on_step(sim_listener *listener, const sim_event *event) {
    numerics *self = (numerics *)listener;
    const plan *p = plan_of(self, event->inst);
    if (!p || !p->aliased || !event->mask) return;
    uint32_t frame = sim_inspect_frame(event->self);
    self->kept.inst = event->inst;
    self->kept.warp = event->self;
    for (uint32_t i = 0; i + 1 < event->inst->operand_count; i++)
        for (uint32_t m = event->mask; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            uint64_t bits = 0;
            if (!value_of(event, frame, &event->inst->operands[1 + i], source_type(event->inst), lane, &bits))
                self->kept.inst = NULL;
            self->kept.value[i][lane] = bits;
        }
}

static void on_done(sim_listener *listener, const sim_event *event) {
    numerics *self = (numerics *)listener;
    plan *p = plan_of(self, event->inst);
    if (!p || !p->wanted || p->reports >= REPORTS) return;
    uint32_t frame = sim_inspect_frame(event->self);
    const void *at = sim_inspect_register(event->self, frame, event->inst->operands[0].reg);
    if (!at) return;
    ptx_type type = (ptx_type)event->inst->types[0];
    uint32_t lanes = odd_lanes(at, type) & event->mask;
    if (!lanes) return;
    if (p->aliased && (self->kept.inst != event->inst || self->kept.warp != event->self)) return;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t bits;
        if (!value_of(event, frame, &event->inst->operands[0], type, lane, &bits)) return;
        if (!judge(self, event, frame, p, lane, bits)) continue;
        p->reports++;
        return;
    }
}

static unsigned on_wants(sim_listener *listener, const ptx_inst *inst) {
    const plan *p = plan_of((numerics *)listener, inst);
    return (p && p->wanted ? SIM_WANT_DONE : 0) | (p && p->aliased ? SIM_WANT_STEP : 0);
}

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    ((numerics *)listener)->epoch++; // modules come and go
}

static void close_detector(observe_detector *detector) {
    free(((numerics *)detector)->plans);
    free(detector);
}

observe_detector *observe_numerics_open(observe_findings *findings) {
    numerics *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->findings = findings;
    self->base = (observe_detector){
        .listener = {.launch_begin = on_launch_begin, .wants = on_wants, .step = on_step, .done = on_done},
        .close = close_detector};
    return &self->base;
}
