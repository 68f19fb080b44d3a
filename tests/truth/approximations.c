// truth_approximations: how far an approximate instruction is from the exact value, on the GPU and in the
// simulator, and the two from each other, over a dense sweep of its inputs.
//
//   truth_approximations --out FILE.csv --digests-out FILE [--a sim:h200] [--b cuda] [--seconds N]
//   truth_approximations --digests FILE [--a sim:h200]
//
// The first form runs both. A chunk of 2^24 inputs visits every 256th f32, and the chunks are ordered so that
// any number of them is an even sweep; 256 are all. An instruction ends after N seconds (10). Instructions
// that FILE.csv has already are passed over, so that a run can be taken up again. Exit: 0, 1 where a bound does
// not hold or results are of another kind than the GPU's, 2 could not run.
//
// The second form needs no GPU. PTX bounds the error and leaves the bits to the GPU. So the simulator must keep to the bound
// over a sweep, and its results must be of the same kind as the GPU's: a number, an infinity or a NaN. FILE keeps a digest
// of the kinds for each BLOCK of the VECTORS inputs, which are made from their index, and a few rows with the GPU's bits
// for people to read.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

typedef enum inputs { F32, PAIR, F16, F16X2, BF16, BF16X2, F64 } inputs;
typedef enum function { RCP, SQRT, RSQRT, SIN, COS, LG2, EX2, TANH, DIV, DIV_FULL } function;
typedef enum measure { ULP, RELATIVE, ABSOLUTE, LOG2, NEAR, FAR } measure;
static const char *const measure_names[] = {"ulp",      "relative", "absolute", "absolute or relative",
                                            "absolute", "absolute"};

typedef struct instruction {
    const char *ptx;
    inputs inputs;
    function function;
    measure measure;
    double bound;
} instruction;
static const instruction table[] = {
#define APPROXIMATION(ptx, inputs, function, measure, bound) {ptx, inputs, function, measure, bound},
#include "approximations.def"
#undef APPROXIMATION
};

enum { CHUNK = 1 << 24, CHUNKS = 256, THREADS = 256, WORKERS = 64 };
enum { VECTORS = 1024, BLOCK = 64, BLOCKS = VECTORS / BLOCK, ROW_EVERY = 128 };
// The sweep that needs no GPU: numbers apart by an odd step, so that all bits of an input vary.
static const double NO_BOUND =
    0x1p-20; // where PTX states none, those of f64: what the upper half of one holds
enum { BOUND_INPUTS = 1 << 16, BOUND_STEP = 257, BOUND_OFFSET = 91 };

static bool is_small(inputs kind) { return kind == F16 || kind == F16X2 || kind == BF16 || kind == BF16X2; }
static unsigned chunk_of(inputs kind) { return is_small(kind) ? 1u << 16 : CHUNK; }
static unsigned result_bytes(inputs kind) { return kind == F64 ? 8 : 4; }
static unsigned parts_of(inputs kind) { return kind == F16X2 || kind == BF16X2 ? 2 : 1; }
static uint64_t result_at(inputs kind, const void *results, unsigned i) {
    return kind == F64 ? ((const uint64_t *)results)[i] : ((const uint32_t *)results)[i];
}

// ---- the kernel ---------------------------------------------------------------------------------

// A thread computes the instruction of input number i * 256 + offset, made as make_input does; i is the thread's number
// times the step.
static void write_kernel(const instruction *in, base_text *text) {
    base_text_add(
        text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry sweep(.param .u64 p_out, .param .u32 p_offset, .param .u32 p_step) {\n"
        ".reg .b64 %%out, %%x64, %%y64; .reg .b32 %%i, %%k, %%a, %%b, %%h, %%r; .reg .b16 %%s, %%t; .reg "
        ".pred %%p;\n"
        "mov.u32 %%i, %%ctaid.x;\nmov.u32 %%k, %%tid.x;\nmad.lo.u32 %%i, %%i, %d, %%k;\n"
        "ld.param.u64 %%out, [p_out];\nmad.wide.u32 %%out, %%i, %u, %%out;\n"
        "ld.param.u32 %%k, [p_step];\nmul.lo.u32 %%i, %%i, %%k;\n"
        "ld.param.u32 %%k, [p_offset];\nmad.lo.u32 %%k, %%i, 256, %%k;\n",
        THREADS, result_bytes(in->inputs));
    switch (in->inputs) {
    case F32: base_text_add(text, "%s %%r, %%k;\n", in->ptx); break;
    case PAIR:
        base_text_add(text,
                      "mul.lo.u32 %%a, %%k, 0x9e3779b1;\nshr.u32 %%h, %%k, 15;\nxor.b32 %%h, %%h, %%k;\n"
                      "mul.lo.u32 %%h, %%h, 0x85ebca6b;\nand.b32 %%b, %%h, 0x807fffff;\nand.b32 %%r, %%a, "
                      "0x7f800000;\nor.b32 %%b, %%b, %%r;\nand.b32 %%r, %%k, 1;\nsetp.ne.u32 %%p, %%r, 0;\n"
                      "selp.b32 %%b, %%h, %%b, %%p;\n%s %%r, %%a, %%b;\n",
                      in->ptx);
        break;
    case F16:
    case BF16:
        base_text_add(text, "cvt.u16.u32 %%s, %%i;\n%s %%t, %%s;\ncvt.u32.u16 %%r, %%t;\n", in->ptx);
        break;
    case F16X2:
    case BF16X2:
        base_text_add(
            text,
            "mul.lo.u32 %%a, %%i, 40503;\nshl.b32 %%a, %%a, 16;\nand.b32 %%b, %%i, 0xffff;\nor.b32 %%a, "
            "%%a, %%b;\n%s %%r, %%a;\n",
            in->ptx);
        break;
    case F64:
        base_text_add(
            text, "cvt.u64.u32 %%x64, %%k;\nmul.lo.u64 %%x64, %%x64, 0x9e3779b97f4a7c15;\n%s %%y64, %%x64;\n",
            in->ptx);
        break;
    }
    base_text_add(text, in->inputs == F64 ? "st.global.b64 [%%out], %%y64;\nret;\n}\n"
                                          : "st.global.b32 [%%out], %%r;\nret;\n}\n");
}

// ---- inputs, exact values, measures -------------------------------------------------------------

static double as_f32(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double as_f64(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double element_of(inputs kind, uint64_t bits, unsigned part) {
    switch (kind) {
    case F32:
    case PAIR: return as_f32((uint32_t)bits);
    case F64: return as_f64(bits);
    case F16:
    case F16X2: return (double)base_f16_to_f32((uint16_t)(bits >> 16 * part));
    default: return (double)base_bf16_to_f32((uint16_t)(bits >> 16 * part));
    }
}

static void make_input(inputs kind, uint32_t i, uint32_t offset, unsigned part, double *x, double *y) {
    uint32_t k = i * 256u + offset, a = k * 0x9e3779b1u, h = (k >> 15 ^ k) * 0x85ebca6bu;
    *y = 0;
    switch (kind) {
    case F32: *x = as_f32(k); break;
    case PAIR:
        *x = as_f32(a);
        *y = as_f32(k & 1 ? h : (h & 0x807fffffu) | (a & 0x7f800000u));
        break;
    case F64: *x = as_f64((uint64_t)k * UINT64_C(0x9e3779b97f4a7c15)); break;
    default: *x = element_of(kind, (uint64_t)(i * 40503u) << 16 | (i & 0xffff), part); break;
    }
}

// The format of the results: bits of the fraction, exponent of the least normal number, the largest number.
typedef struct shape {
    int fraction, least;
    double largest;
} shape;

static shape shape_of(inputs kind) {
    switch (kind) {
    case F16:
    case F16X2: return (shape){10, -14, 65504.0};
    case BF16:
    case BF16X2: return (shape){7, -126, 0x1.fep127};
    case F64: return (shape){52, -1022, 0x1.fffffffffffffp1023};
    default: return (shape){23, -126, 0x1.fffffep127};
    }
}

static double exact_of(const instruction *in, double x, double y) {
    if (in->inputs == F64)
        return (double)(in->function == RCP ? 1.0L / (long double)x : 1.0L / sqrtl((long double)x));
    switch (in->function) {
    case RCP: return 1.0 / x;
    case SQRT: return sqrt(x);
    case RSQRT: return 1.0 / sqrt(x);
    case SIN: return sin(x);
    case COS: return cos(x);
    case LG2: return log2(x);
    case EX2: return exp2(x);
    case TANH: return tanh(x);
    default: return x / y;
    }
}

static double unit_of(double exact, const shape *s) {
    int exponent;
    frexp(exact, &exponent);
    if (exact == 0 || exponent - 1 < s->least) exponent = s->least + 1;
    return ldexp(1.0, exponent - 1 - s->fraction);
}

// Where the bound speaks of this input.
static bool is_bounded(const instruction *in, double x, double y, double exact, bool ftz, const shape *s) {
    if (!isfinite(exact) || fabs(exact) > s->largest || !isfinite(x)) return false;
    if (ftz && fabs(exact) < ldexp(1.0, s->least)) return false; // 0 or the least normal: both will do
    if (in->measure == NEAR) return fabs(x) <= 6.283185307179586;
    if (in->measure == FAR) return fabs(x) <= 314.1592653589793;
    if (in->function == DIV) return fabs(y) >= 0x1p-126 && fabs(y) <= 0x1p126;
    return true;
}

static double scale_of(const instruction *in, double x, double exact, const shape *s) {
    switch (in->measure) {
    case ULP: return unit_of(exact, s);
    case RELATIVE:
        // Below the least normal number no format can be relatively close: its unit is what counts.
        return fmax(fabs(exact), ldexp(1.0, s->least));
    case LOG2: return x > 0.5 && x < 2.0 ? 1.0 : fabs(exact);
    default: return 1.0;
    }
}

typedef struct tally {
    uint64_t inputs, measured, equal,
        special;                    // special: one is a number and the other is not, or another inf
    double error_a, error_b, apart; // the largest, in the bound's measure
    double worst;                   // the input where they are farthest apart
    double special_at;
} tally;

static void judge(const instruction *in, bool ftz, const shape *s, uint32_t i, uint32_t offset, unsigned part,
                  uint64_t a_bits, uint64_t b_bits, tally *t) {
    double x, y, a = element_of(in->inputs, a_bits, part), b = element_of(in->inputs, b_bits, part);
    make_input(in->inputs, i, offset, part, &x, &y);
    t->inputs++;
    bool same = a == b || (isnan(a) && isnan(b));
    t->equal += same;
    if (ftz && fabs(x) < ldexp(1.0, s->least)) x = copysign(0.0, x);
    if (ftz && fabs(y) < ldexp(1.0, s->least)) y = copysign(0.0, y);
    if (isfinite(a) != isfinite(b) || (!isfinite(a) && !same)) {
        if (!t->special++) t->special_at = x;
        return;
    }
    double exact = exact_of(in, x, y);
    if (!isfinite(a) || !is_bounded(in, x, y, exact, ftz, s)) return;
    double scale = scale_of(in, x, exact, s), ea = fabs(a - exact) / scale, eb = fabs(b - exact) / scale,
           apart = fabs(a - b) / scale;
    t->measured++;
    if (ea > t->error_a) t->error_a = ea;
    if (eb > t->error_b) t->error_b = eb;
    if (apart > t->apart) t->apart = apart, t->worst = x;
}

// ---- comparing a chunk on all cores -------------------------------------------------------------

typedef struct share {
    const instruction *in;
    const void *a, *b;
    uint32_t offset, from, to;
    tally tally;
} share;

static void *compare_share(void *context) {
    share *w = context;
    shape s = shape_of(w->in->inputs);
    bool ftz = strstr(w->in->ptx, ".ftz") != NULL;
    for (uint32_t i = w->from; i < w->to; i++) {
        uint64_t a = result_at(w->in->inputs, w->a, i), b = result_at(w->in->inputs, w->b, i);
        for (unsigned part = 0; part < parts_of(w->in->inputs); part++)
            judge(w->in, ftz, &s, i, w->offset, part, a, b, &w->tally);
    }
    return NULL;
}

static void fold(tally *to, const tally *from) {
    if (!to->special && from->special) to->special_at = from->special_at;
    to->inputs += from->inputs;
    to->measured += from->measured;
    to->equal += from->equal;
    to->special += from->special;
    to->error_a = fmax(to->error_a, from->error_a);
    to->error_b = fmax(to->error_b, from->error_b);
    if (from->apart > to->apart) to->apart = from->apart, to->worst = from->worst;
}

static void compare_chunk(const instruction *in, const void *a, const void *b, uint32_t offset, tally *t) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t count = chunk_of(in->inputs), workers = cores < 1         ? 1
                                                     : cores > WORKERS ? WORKERS
                                                                       : (uint32_t)cores;
    share shares[WORKERS];
    pthread_t threads[WORKERS];
    bool started[WORKERS];
    for (uint32_t w = 0; w < workers; w++) {
        shares[w] = (share){in,
                            a,
                            b,
                            offset,
                            (uint32_t)((uint64_t)count * w / workers),
                            (uint32_t)((uint64_t)count * (w + 1) / workers),
                            {0}};
        started[w] = pthread_create(&threads[w], NULL, compare_share, &shares[w]) == 0;
        if (!started[w]) compare_share(&shares[w]);
    }
    for (uint32_t w = 0; w < workers; w++) {
        if (started[w]) pthread_join(threads[w], NULL);
        fold(t, &shares[w].tally);
    }
}

// ---- running ------------------------------------------------------------------------------------

typedef struct side {
    kz_device *device;
    kz_ptr out;
    kz_module *module;
    kz_kernel *kernel;
    void *host;
} side;

static kz_status side_load(side *s, const instruction *in, kz_error *error) {
    base_text text = {0};
    write_kernel(in, &text);
    kz_image image = {.size = sizeof(kz_image), .name = in->ptx, .ptx = text.data, .ptx_size = text.length};
    if (s->module) kz_module_close(s->module);
    s->module = NULL;
    kz_status status = kz_module_load(s->device, &image, &s->module, error);
    if (!status) status = kz_module_kernel(s->module, "sweep", &s->kernel, error);
    base_text_free(&text);
    return status;
}

static kz_status side_launch(side *s, unsigned count, uint32_t offset, uint32_t step, kz_error *error) {
    const void *args[] = {&s->out, &offset, &step};
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {count / THREADS, 1, 1}, .block = {THREADS, 1, 1}};
    return kz_launch_kernel(s->device, NULL, s->kernel, &launch, args, 3, error);
}

static kz_status side_read(side *s, const instruction *in, unsigned count, kz_error *error) {
    size_t bytes = (size_t)count * result_bytes(in->inputs);
    kz_status status = kz_copy_to_host(s->device, NULL, s->host, s->out, bytes, error);
    return status ? status : kz_device_synchronize(s->device, error);
}

static kz_status side_open(side *s, const char *id, kz_error *error) {
    kz_status status = kz_device_open(id, &s->device, error);
    if (!status) status = kz_memory_alloc(s->device, (size_t)CHUNK * 8, &s->out, error);
    s->host = malloc((size_t)CHUNK * 8);
    if (!status && !s->host) status = base_fail(error, KZ_NO_MEMORY, "no memory for the results");
    return status;
}

static void side_close(side *s) {
    if (s->module) kz_module_close(s->module);
    if (s->device) kz_device_close(s->device);
    free(s->host);
}

// Bits of a byte, backwards: chunks in this order are an even sweep at any moment.
static uint32_t reversed(uint32_t n) {
    uint32_t r = 0;
    for (unsigned bit = 0; bit < 8; bit++) r |= (n >> bit & 1) << (7 - bit);
    return r;
}

// ---- what is kept of a GPU ------------------------------------------------------------------------

static unsigned vector_step(const instruction *in) { return chunk_of(in->inputs) / VECTORS; }

// Of the kinds of a block's results: numbers, infinities with their sign, NaN.
static uint32_t kinds_of(const instruction *in, const uint64_t values[VECTORS], unsigned block) {
    uint64_t hash = BASE_HASH;
    for (unsigned i = block * BLOCK; i < (block + 1) * BLOCK; i++)
        for (unsigned part = 0; part < parts_of(in->inputs); part++) {
            double value = element_of(in->inputs, values[i], part);
            char kind = isnan(value) ? 'n' : isfinite(value) ? 'f' : value > 0 ? '+' : '-';
            hash = base_hash(hash, &kind, 1);
        }
    return (uint32_t)hash;
}

// "128: 1.5 > 3f2aaaab (0.666666687)": the number of the input, the input, the GPU's bits, what they mean.
static void write_vector(const instruction *in, unsigned i, uint64_t bits, base_text *text) {
    base_text_add(text, "%u:", i);
    for (unsigned part = 0; part < parts_of(in->inputs); part++) {
        double x, y;
        make_input(in->inputs, i * vector_step(in), 0, part, &x, &y);
        base_text_add(text, " %.9g", x);
        if (in->inputs == PAIR) base_text_add(text, " / %.9g", y);
    }
    base_text_add(text, " > %llx (", (unsigned long long)bits);
    for (unsigned part = 0; part < parts_of(in->inputs); part++)
        base_text_add(text, "%s%.9g", part ? ", " : "", element_of(in->inputs, bits, part));
    base_text_add(text, ")\n");
}

static void write_digests(const instruction *in, const uint64_t values[VECTORS], base_text *text) {
    base_text_add(text, "= %s\n", in->ptx);
    for (unsigned block = 0; block < BLOCKS; block++)
        base_text_add(text, "%08x%s", (unsigned)kinds_of(in, values, block), block + 1 < BLOCKS ? " " : "\n");
    for (unsigned i = ROW_EVERY / 2 + 1; i < VECTORS; i += ROW_EVERY) write_vector(in, i, values[i], text);
}

static void write_row(const instruction *in, const tally *t, base_text *text) {
    base_text_add(text, "%s,%s,%.6g,%llu,%llu,%llu,%.6g,%.6g,%.6g,%.9g,%llu,%s\n", in->ptx,
                  in->measure == FAR    ? "absolute to 100 pi"
                  : in->measure == NEAR ? "absolute to 2 pi"
                                        : measure_names[in->measure],
                  in->bound, (unsigned long long)t->inputs, (unsigned long long)t->measured,
                  (unsigned long long)t->equal, t->error_a, t->error_b, t->apart, t->worst,
                  (unsigned long long)t->special,
                  in->bound == 0                                                       ? "none stated"
                  : t->error_a > in->bound * 1.0001 && t->error_b > in->bound * 1.0001 ? "neither holds"
                  : t->error_a > in->bound * 1.0001 ? "not in the simulator"
                  : t->error_b > in->bound * 1.0001 ? "not on the GPU"
                                                    : "holds");
}

static kz_status sweep(const instruction *in, side *a, side *b, double seconds, base_text *row,
                       base_text *digests, kz_error *error) {
    static uint64_t values[VECTORS];
    tally t = {0};
    unsigned chunks = is_small(in->inputs) ? 1 : CHUNKS;
    double end = base_seconds() + (strstr(in->ptx, ".ftz") || in->inputs == F64 ? seconds / 4 : seconds);
    kz_status status = side_load(a, in, error);
    if (!status) status = side_load(b, in, error);
    for (unsigned c = 0; !status && c < chunks && (c == 0 || base_seconds() < end); c++) {
        unsigned count = chunk_of(in->inputs);
        status =
            side_launch(b, count, reversed(c), 1, error); // the GPU first: it works while the simulator does
        if (!status) status = side_launch(a, count, reversed(c), 1, error);
        if (!status) status = side_read(b, in, count, error);
        if (!status) status = side_read(a, in, count, error);
        if (status) break;
        for (unsigned i = 0; c == 0 && i < VECTORS; i++)
            values[i] = result_at(in->inputs, b->host, i * vector_step(in));
        if (c == 0 && in->measure != FAR) write_digests(in, values, digests);
        compare_chunk(in, a->host, b->host, reversed(c), &t);
    }
    if (!status) write_row(in, &t, row);
    return status;
}

// ---- without the GPU ------------------------------------------------------------------------------

// What the file says of the instruction, after the line that names it; NULL where it does not know it.
static const char *find_digests(const char *text, const instruction *in) {
    char head[64];
    snprintf(head, sizeof head, "= %s\n", in->ptx);
    const char *at = strstr(text, head);
    return at ? at + strlen(head) : NULL;
}

// Compares the kinds block by block, and the rows; says where they differ.
static bool kinds_agree(const instruction *in, const char *at, const uint64_t values[VECTORS]) {
    bool agree = true;
    for (unsigned block = 0; block < BLOCKS; block++) {
        char *end;
        uint32_t gpu = (uint32_t)strtoul(at, &end, 16);
        bool same = end != at && gpu == kinds_of(in, values, block);
        if (!same)
            printf("    inputs %u to %u: a number, infinity or NaN where the GPU gave another of the three\n",
                   block * BLOCK, (block + 1) * BLOCK - 1);
        agree = agree && same;
        at = end;
    }
    for (at += strspn(at, "\n"); *at >= '0' && *at <= '9'; at += strcspn(at, "\n") + (*at != 0)) {
        unsigned i = (unsigned)strtoul(at, NULL, 10) % VECTORS;
        const char *bits = strchr(at, '>');
        uint64_t gpu = bits ? strtoull(bits + 1, NULL, 16) : 0;
        for (unsigned part = 0; part < parts_of(in->inputs); part++) {
            double mine = element_of(in->inputs, values[i], part), its = element_of(in->inputs, gpu, part);
            if (isfinite(mine) == isfinite(its) && (isfinite(mine) || isnan(mine) == isnan(its))) continue;
            printf("    the simulator has %.9g, the GPU: %.*s\n", mine, (int)strcspn(at, "\n"), at);
            agree = false;
        }
    }
    return agree;
}

// The largest error of the simulator over a sweep, in the bound's measure.
static kz_status sweep_bound(const instruction *in, side *a, tally *t, kz_error *error) {
    shape s = shape_of(in->inputs);
    uint32_t step = is_small(in->inputs) ? 1 : BOUND_STEP;
    kz_status status = side_launch(a, BOUND_INPUTS, BOUND_OFFSET, step, error);
    if (!status) status = side_read(a, in, BOUND_INPUTS, error);
    for (unsigned i = 0; !status && i < BOUND_INPUTS; i++) {
        uint64_t mine = result_at(in->inputs, a->host, i);
        for (unsigned part = 0; part < parts_of(in->inputs); part++)
            judge(in, strstr(in->ptx, ".ftz") != NULL, &s, i * step, BOUND_OFFSET, part, mine, mine, t);
    }
    return status;
}

static kz_status check_digests(const instruction *in, side *a, const char *text, bool *failed,
                               kz_error *error) {
    static uint64_t values[VECTORS];
    tally t = {0};
    const char *kept = find_digests(text, in);
    if (!kept) {
        printf("%-24s the file does not know it\n", in->ptx);
        *failed = true;
        return KZ_OK;
    }
    kz_status status = side_load(a, in, error);
    if (!status) status = side_launch(a, VECTORS, 0, vector_step(in), error);
    if (!status) status = side_read(a, in, VECTORS, error);
    for (unsigned i = 0; !status && i < VECTORS; i++) values[i] = result_at(in->inputs, a->host, i);
    if (!status) status = sweep_bound(in, a, &t, error);
    if (status) return status;
    double bound = in->bound > 0 ? in->bound : NO_BOUND;
    bool agree = kinds_agree(in, kept, values), within = t.error_a <= bound;
    printf("%-24s %5llu measured, largest error %.3g, bound %.3g%s\n", in->ptx,
           (unsigned long long)t.measured, t.error_a, bound, agree && within && t.measured ? "" : "  WRONG");
    *failed = *failed || !agree || !within || !t.measured;
    return KZ_OK;
}

static int run_digests(const char *path, const char *id) {
    char *text = NULL;
    size_t size;
    side a = {0};
    bool failed = false;
    kz_error error = {0};
    kz_status status = base_file_read(path, &text, &size, &error);
    if (!status) status = side_open(&a, id, &error);
    for (size_t i = 0; !status && i < BASE_COUNT(table); i++)
        status = check_digests(&table[i], &a, text, &failed, &error);
    if (status) fprintf(stderr, "truth_approximations: %s\n", error.message);
    side_close(&a);
    free(text);
    return status ? 2 : failed ? 1 : 0;
}

// ---- both ---------------------------------------------------------------------------------------

static bool is_done(const char *csv, const instruction *in) {
    char *text = NULL, head[80];
    size_t size;
    kz_error error;
    if (!base_file_exists(csv) || base_file_read(csv, &text, &size, &error)) return false;
    snprintf(head, sizeof head, "\n%s,%s", in->ptx,
             in->measure == FAR    ? "absolute to 100"
             : in->measure == NEAR ? "absolute to 2"
                                   : "");
    bool found = strstr(text, head) != NULL;
    free(text);
    return found;
}

static void append(const char *path, const base_text *text) {
    FILE *file = fopen(path, "a");
    if (file && text->data) fputs(text->data, file);
    if (file) fclose(file);
}

static int run_both(const char *csv, const char *digests_path, const char *ids[2], double seconds) {
    side sides[2] = {0};
    kz_error error = {0};
    kz_status status = side_open(&sides[0], ids[0], &error);
    if (!status) status = side_open(&sides[1], ids[1], &error);
    if (!status && !base_file_exists(csv)) {
        base_text head = {0};
        base_text_add(&head, "instruction,measure,bound,inputs,measured,equal_bits,simulator_error,gpu_error,"
                             "largest_deviation,at,special,bound_holds\n");
        append(csv, &head);
        base_text_free(&head);
    }
    for (size_t i = 0; !status && i < BASE_COUNT(table); i++) {
        base_text row = {0}, digests = {0};
        if (is_done(csv, &table[i])) continue;
        double start = base_seconds();
        status = sweep(&table[i], &sides[0], &sides[1], seconds, &row, &digests, &error);
        if (!status) {
            printf("%5.1f s  %s", base_seconds() - start, row.data);
            fflush(stdout);
            append(csv, &row);
            append(digests_path, &digests);
        }
        base_text_free(&row);
        base_text_free(&digests);
    }
    if (status) fprintf(stderr, "truth_approximations: %s\n", error.message);
    for (unsigned i = 0; i < 2; i++) side_close(&sides[i]);
    return status ? 2 : 0;
}

int main(int argc, char **argv) {
    const char *csv = NULL, *digests_out = NULL, *digests = NULL, *ids[2] = {"sim:h200", "cuda"};
    double seconds = 10;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--out")) csv = argv[i + 1];
        if (!strcmp(argv[i], "--digests-out")) digests_out = argv[i + 1];
        if (!strcmp(argv[i], "--digests")) digests = argv[i + 1];
        if (!strcmp(argv[i], "--a")) ids[0] = argv[i + 1];
        if (!strcmp(argv[i], "--b")) ids[1] = argv[i + 1];
        if (!strcmp(argv[i], "--seconds")) seconds = strtod(argv[i + 1], NULL);
    }
    if (digests) return run_digests(digests, ids[0]);
    if (csv && digests_out) return run_both(csv, digests_out, ids, seconds);
    fprintf(stderr, "truth_approximations: needs --digests, or --out and --digests-out\n");
    return 2;
}
