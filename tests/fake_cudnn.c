// A cuDNN for the tests, on the host's memory: descriptors keep what is set, and a graph of one operation (pointwise sum,
// reduction, product, norm or its gradients, of f32) is executed; so is one of several (what attention is made of, in bf16), and
// softmax, which has functions of its own. Its heuristics give three configurations: an engine for tensor cores, one whose plan
// cannot be made, and one that is right. FAKE_CUDNN_OLD and FAKE_CUDNN_9_15 are other versions, FAKE_CUDNN_NARROW has the first
// alone.
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENGINE = 2,
    CONFIG = 3,
    HEURISTICS = 4,
    PLAN = 5,
    POINTWISE_OPERATION = 13,
    PACK = 16,
    MATMUL_OPERATION = 19,
    REDUCTION_OPERATION = 22,
    NORM_FORWARD = 29,
    NORM_BACKWARD = 30,
    RESHAPE = 31,
    PAGED_LOAD = 35,
    RMS_NORM = 4,
    SET = 12,
    VALUES = 32,
    NOT_SUPPORTED = 3000,
    BAD_PARAM = 2000
};

typedef struct attribute {
    int name;
    int64_t count, values[VALUES]; // a number, an enumeration or a pointer each
} attribute;

typedef struct descriptor {
    int kind, which; // of engines and configurations
    bool final;
    attribute set[SET];
    int set_count;
} descriptor;

size_t cudnnGetVersion(void);
int cudnnCreate(void **handle);
int cudnnDestroy(void *handle);
int cudnnSetStream(void *handle, void *stream);
const char *cudnnGetErrorString(int status);
void cudnnGetLastErrorString(char *message, size_t bytes);
int cudnnBackendCreateDescriptor(int kind, descriptor **made);
int cudnnBackendDestroyDescriptor(descriptor *d);
int cudnnBackendFinalize(descriptor *d);
int cudnnBackendSetAttribute(descriptor *d, int name, int type, int64_t count, const void *values);
int cudnnBackendGetAttribute(const descriptor *d, int name, int type, int64_t asked, int64_t *count,
                             void *values);
int cudnnBackendExecute(void *handle, descriptor *plan, descriptor *pack);
int cudnnCreateTensorDescriptor(int **tensor);
int cudnnDestroyTensorDescriptor(int *tensor);
int cudnnSetTensor4dDescriptor(int *tensor, int format, int type, int n, int c, int h, int w);
int cudnnSoftmaxForward(void *handle, int algorithm, int mode, const float *alpha, const int *of_x,
                        const float *x, const float *beta, const int *of_y, float *y);
int cudnnSoftmaxBackward(void *handle, int algorithm, int mode, const float *alpha, const int *of_y,
                         const float *y, const int *of_dy, const float *dy, const float *beta,
                         const int *of_dx, float *dx);

size_t cudnnGetVersion(void) {
    return getenv("FAKE_CUDNN_OLD") ? 8907 : getenv("FAKE_CUDNN_9_15") ? 91500 : 91900;
}
int cudnnCreate(void **handle) { return (*handle = calloc(1, 1)) ? 0 : 1; }
int cudnnDestroy(void *handle) {
    free(handle);
    return 0;
}
int cudnnSetStream(void *handle, void *stream) { return handle && !stream ? 0 : BAD_PARAM; }
const char *cudnnGetErrorString(int status) {
    return status == NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_BAD_PARAM";
}
void cudnnGetLastErrorString(char *message, size_t bytes) { snprintf(message, bytes, "the fake says no"); }

int cudnnBackendCreateDescriptor(int kind, descriptor **made) {
    *made = calloc(1, sizeof **made);
    if (*made) (*made)->kind = kind;
    return *made ? 0 : BAD_PARAM;
}
int cudnnBackendDestroyDescriptor(descriptor *d) {
    free(d);
    return 0;
}

static const attribute *find(const descriptor *d, int name) {
    for (int i = 0; i < d->set_count; i++)
        if (d->set[i].name == name) return &d->set[i];
    return NULL;
}

static const descriptor *part(const descriptor *d, int name) {
    const attribute *a = find(d, name);
    return a ? (const descriptor *)(intptr_t)a->values[0] : NULL;
}

int cudnnBackendFinalize(descriptor *d) {
    if (d->final) return BAD_PARAM;
    d->final = true;
    return d->kind == PLAN && part(d, 401)->which == 1 ? NOT_SUPPORTED : 0;
}

int cudnnBackendSetAttribute(descriptor *d, int name, int type, int64_t count, const void *values) {
    static const size_t sizes[] = {8, 4, 1, 8, 4, 8, 8};
    size_t size = type < 7 ? sizes[type] : type == 15 ? 8 : 4; // handles, numbers, pointers; enumerations
    if (d->final || count > VALUES || d->set_count == SET) return BAD_PARAM;
    attribute *a = &d->set[d->set_count++];
    *a = (attribute){.name = name, .count = count};
    for (int64_t i = 0; i < count; i++) memcpy(&a->values[i], (const char *)values + (size_t)i * size, size);
    return 0;
}

int cudnnBackendGetAttribute(const descriptor *d, int name, int type, int64_t asked, int64_t *count,
                             void *values) {
    descriptor **parts = values;
    *count = 1;
    if (name == 202 && type == 15) { // the heuristics' results
        *count = getenv("FAKE_CUDNN_NARROW") ? 1 : 3;
        for (int i = 0; i < *count && i < asked; i++) {
            parts[i]->which = i;
            parts[i]->set[parts[i]->set_count++] = (attribute){1, 1, {(intptr_t)part(d, 201)}};
        }
        return 0;
    }
    if (name == 300) parts[0]->which = d->which;
    if (name == 1303) *count = d->which == 0, *(int *)values = 0; // tensor cores
    if (name == 402) *(int64_t *)values = 48;
    return name == 300 || name == 1303 || name == 402 ? 0 : BAD_PARAM;
}

// ---- execution -------------------------------------------------------------------------------------------

static const int64_t *dimensions(const descriptor *tensor) { return find(tensor, 902)->values; }

static float *data(const descriptor *pack, const descriptor *tensor) {
    const attribute *ids = find(pack, 1000), *pointers = find(pack, 1001);
    for (int64_t i = 0; i < ids->count; i++)
        if (ids->values[i] == find(tensor, 906)->values[0]) return (float *)(intptr_t)pointers->values[i];
    return NULL;
}

static int64_t elements(const descriptor *tensor) {
    const attribute *of = find(tensor, 902);
    int64_t product = 1;
    for (int64_t i = 0; i < of->count; i++) product *= of->values[i];
    return product;
}

static void add(const descriptor *op, const descriptor *pack) {
    const float *x = data(pack, part(op, 751)), *b = data(pack, part(op, 752));
    float *y = data(pack, part(op, 753));
    for (int64_t i = 0; i < elements(part(op, 753)); i++) y[i] = x[i] + b[i];
}

static void multiply(const descriptor *op, const descriptor *pack) {
    const float *a = data(pack, part(op, 1520)), *b = data(pack, part(op, 1521));
    float *c = data(pack, part(op, 1522));
    int64_t m = dimensions(part(op, 1522))[1], n = dimensions(part(op, 1522))[2],
            k = dimensions(part(op, 1520))[2];
    for (int64_t i = 0; i < m * n; i++) {
        c[i] = 0.0f;
        for (int64_t x = 0; x < k; x++) c[i] += a[i / n * k + x] * b[x * n + i % n];
    }
}

// A matrix of one pixel each, whose columns are next to each other; sums where the other's dimension is 1.
static bool reduce(const descriptor *op, const descriptor *pack) {
    const float *x = data(pack, part(op, 1610));
    float *y = data(pack, part(op, 1611));
    const int64_t *from = dimensions(part(op, 1610)), *to = dimensions(part(op, 1611));
    const int64_t *strides = find(part(op, 1610), 903)->values;
    if (find(part(op, 1610), 902)->count != 4 || strides[1] != 1 || strides[2] != from[1]) return false;
    memset(y, 0, (size_t)elements(part(op, 1611)) * sizeof *y);
    for (int64_t i = 0; i < from[0] * from[1]; i++)
        y[i / from[1] % to[0] * to[1] + i % from[1] % to[1]] += x[i];
    return true;
}

// Rows of x, whose mean is taken away except by an RMS norm. What is not kept has no tensor.
static bool normalise(const descriptor *op, const descriptor *pack) {
    const float *x = data(pack, part(op, 2002)), *scale = data(pack, part(op, 2005));
    const float *bias = part(op, 2006) ? data(pack, part(op, 2006)) : NULL;
    float epsilon = *data(pack, part(op, 2007)), *y = data(pack, part(op, 2013));
    int64_t rows = dimensions(part(op, 2002))[0], columns = dimensions(part(op, 2002))[1];
    bool centred = find(op, 2000)->values[0] != RMS_NORM, training = find(op, 2001)->values[0] == 1;
    if (training != (part(op, 2004) != NULL) || centred != (bias != NULL)) return false;
    for (int64_t r = 0; r < rows; r++, x += columns, y += columns) {
        float mean = 0, square = 0;
        for (int64_t c = 0; c < columns && centred; c++) mean += x[c] / (float)columns;
        for (int64_t c = 0; c < columns; c++) square += (x[c] - mean) * (x[c] - mean) / (float)columns;
        float inverse = 1 / sqrtf(square + epsilon);
        for (int64_t c = 0; c < columns; c++)
            y[c] = (x[c] - mean) * inverse * scale[c] + (bias ? bias[c] : 0);
        if (training) data(pack, part(op, 2004))[r] = inverse;
        if (training && centred) data(pack, part(op, 2003))[r] = mean;
    }
    return true;
}

static bool normalise_back(const descriptor *op, const descriptor *pack) {
    const float *x = data(pack, part(op, 2101)), *dy = data(pack, part(op, 2104));
    const float *scale = data(pack, part(op, 2105)), *inverse = data(pack, part(op, 2103));
    const float *mean = part(op, 2102) ? data(pack, part(op, 2102)) : NULL;
    float *dx = data(pack, part(op, 2109)), *dscale = data(pack, part(op, 2107));
    float *dbias = part(op, 2108) ? data(pack, part(op, 2108)) : NULL;
    int64_t rows = dimensions(part(op, 2101))[0], columns = dimensions(part(op, 2101))[1];
    if ((find(op, 2100)->values[0] == RMS_NORM) != (!mean && !dbias)) return false;
    memset(dscale, 0, (size_t)columns * sizeof *dscale);
    if (dbias) memset(dbias, 0, (size_t)columns * sizeof *dbias);
    for (int64_t r = 0; r < rows; r++, x += columns, dy += columns, dx += columns) {
        float of_g = 0, of_gh = 0, centre = mean ? mean[r] : 0;
        for (int64_t c = 0; c < columns; c++) {
            float h = (x[c] - centre) * inverse[r];
            dscale[c] += dy[c] * h;
            if (dbias) dbias[c] += dy[c], of_g += dy[c] * scale[c] / (float)columns;
            of_gh += dy[c] * scale[c] * h / (float)columns;
        }
        for (int64_t c = 0; c < columns; c++)
            dx[c] = inverse[r] * (dy[c] * scale[c] - of_g - (x[c] - centre) * inverse[r] * of_gh);
    }
    return true;
}

// ---- graphs of several operations -----------------------------------------------------------------------------------

enum { RANK = 4, MOST_TENSORS = 64, BF16 = 9, I32 = 4 };

typedef struct world {
    const descriptor *pack;
    const descriptor *tensors[MOST_TENSORS]; // virtual ones
    double *numbers[MOST_TENSORS];
    int count;
} world;

static bool is_virtual(const descriptor *tensor) { return find(tensor, 907) != NULL; }

static double *numbers_of(world *w, const descriptor *tensor) {
    for (int i = 0; i < w->count; i++)
        if (w->tensors[i] == tensor) return w->numbers[i];
    w->tensors[w->count] = tensor;
    return w->numbers[w->count++] = calloc((size_t)elements(tensor) + 1, sizeof(double));
}

// Where an element of a result of `all` dimensions is: what has one is for all, fewer heads are shared by groups.
static int64_t place(const descriptor *tensor, const int64_t *all, const int64_t *at) {
    const int64_t *strides = find(tensor, 903)->values, *has = dimensions(tensor);
    int64_t offset = 0;
    for (int i = 0; i < RANK; i++) offset += at[i] * has[i] / all[i] * strides[i];
    return offset;
}

static double load(world *w, const descriptor *tensor, int64_t offset) {
    const char *memory = (const char *)data(w->pack, tensor);
    int64_t type = find(tensor, 901)->values[0];
    if (is_virtual(tensor)) return numbers_of(w, tensor)[offset];
    if (type == I32) return ((const int32_t *)memory)[offset];
    if (type != BF16) return ((const float *)memory)[offset];
    uint32_t bits = (uint32_t)((const uint16_t *)memory)[offset] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void store(world *w, const descriptor *tensor, int64_t offset, double value) {
    char *memory = (char *)data(w->pack, tensor);
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (is_virtual(tensor))
        numbers_of(w, tensor)[offset] = value;
    else if (find(tensor, 901)->values[0] == BF16)
        ((uint16_t *)memory)[offset] = (uint16_t)(bits >> 16); // cut off
    else
        ((float *)memory)[offset] = single;
}

static double apply(int64_t mode, double x, double b, double t) {
    switch (mode) {
    case 0: return x + b;
    case 1: return x * b;
    case 6: return x / b;
    case 9: return x - b;
    case 13: return exp(x);
    case 15: return log(x);
    case 21: return x;
    case 302: return x > b;
    case 303: return x >= b;
    case 304: return x < b;
    case 400: return x != 0 && b != 0;
    case 601: return t != 0 ? x : b;
    default: return NAN;
    }
}

static void advance(const int64_t *all, int64_t *at) {
    for (int i = RANK; i-- > 0;) {
        if (++at[i] < all[i]) return;
        at[i] = 0;
    }
}

static void compute_pointwise(world *w, const descriptor *op) {
    const descriptor *x = part(op, 751), *b = part(op, 752), *t = part(op, 758), *y = part(op, 753);
    const descriptor *how = part(op, 750);
    int64_t mode = find(how, 0)->values[0], at[RANK] = {0};
    const int64_t *all = dimensions(y);
    for (int64_t i = 0; i < elements(y); i++, advance(all, at)) {
        double result =
            mode == 501 ? (double)at[find(how, 9)->values[0]]
                        : apply(mode, load(w, x, place(x, all, at)), b ? load(w, b, place(b, all, at)) : 0,
                                t ? load(w, t, place(t, all, at)) : 0);
        store(w, y, place(y, all, at), result);
    }
}

static void compute_product(world *w, const descriptor *op) {
    const descriptor *a = part(op, 1520), *b = part(op, 1521), *c = part(op, 1522);
    const int64_t *all = dimensions(c), depth = dimensions(a)[3];
    int64_t at[RANK] = {0};
    for (int64_t i = 0; i < elements(c); i++, advance(all, at)) {
        double sum = 0;
        for (int64_t k = 0; k < depth; k++) {
            const int64_t left[] = {at[0], at[1], at[2], k}, right[] = {at[0], at[1], k, at[3]};
            const int64_t of_left[] = {all[0], all[1], all[2], depth},
                          of_right[] = {all[0], all[1], depth, all[3]};
            sum += load(w, a, place(a, of_left, left)) * load(w, b, place(b, of_right, right));
        }
        store(w, c, place(c, all, at), sum);
    }
}

// By 0 (sum) or 3 (the largest), wherever the result has less.
static void compute_reduction(world *w, const descriptor *op) {
    const descriptor *x = part(op, 1610), *y = part(op, 1611);
    bool sums = find(part(op, 1612), 1600)->values[0] == 0;
    const int64_t *all = dimensions(x);
    int64_t at[RANK] = {0}, most = 0;
    for (int i = 0; i < RANK; i++) most += (dimensions(y)[i] - 1) * find(y, 903)->values[i];
    double *results = calloc((size_t)most + 1, sizeof *results);
    for (int64_t i = 0; i <= most; i++) results[i] = sums ? 0 : -INFINITY;
    for (int64_t i = 0; i < elements(x); i++, advance(all, at)) {
        double value = load(w, x, place(x, all, at)), *to = &results[place(y, all, at)];
        *to = sums ? *to + value : fmax(*to, value);
    }
    for (int64_t i = 0; i <= most; i++) store(w, y, i, results[i]);
    free(results);
}

// The same memory by other dimensions.
static void compute_reshape(world *w, const descriptor *op) {
    for (int64_t i = 0; i < elements(part(op, 2200)); i++)
        store(w, part(op, 2201), i, load(w, part(op, 2200), i));
}

// Tokens of a sequence out of the pages that its table names: y is batch x heads x tokens x numbers, or has the last two turned.
static void compute_paged_load(world *w, const descriptor *op) {
    const descriptor *pool = part(op, 1950), *y = part(op, 1951), *lengths = part(op, 1952),
                     *table = part(op, 1953);
    const int64_t *all = dimensions(y), *strides = find(pool, 903)->values;
    bool turned = find(y, 903)->values[2] == 1;
    int64_t at[RANK] = {0}, page = dimensions(pool)[2], entries = dimensions(table)[2];
    for (int64_t i = 0; i < elements(y); i++, advance(all, at)) {
        int64_t token = at[turned ? 3 : 2], number = at[turned ? 2 : 3];
        if (token >= (int64_t)load(w, lengths, at[0])) continue;
        int64_t from = (int64_t)load(w, table, at[0] * entries + token / page);
        double value =
            load(w, pool, from * strides[0] + at[1] * strides[1] + token % page * strides[2] + number);
        store(w, y, place(y, all, at), value);
    }
}

static int compute_all(const attribute *operations, const descriptor *pack) {
    world w = {.pack = pack};
    for (int64_t i = 0; i < operations->count; i++) {
        const descriptor *op = (const descriptor *)(intptr_t)operations->values[i];
        if (op->kind == POINTWISE_OPERATION) compute_pointwise(&w, op);
        if (op->kind == MATMUL_OPERATION) compute_product(&w, op);
        if (op->kind == REDUCTION_OPERATION) compute_reduction(&w, op);
        if (op->kind == RESHAPE) compute_reshape(&w, op);
        if (op->kind == PAGED_LOAD) compute_paged_load(&w, op);
    }
    while (w.count) free(w.numbers[--w.count]);
    return 0;
}

int cudnnBackendExecute(void *handle, descriptor *plan, descriptor *pack) {
    const descriptor *graph = part(part(plan, 401), 1);
    if (!handle || !plan->final || !pack->final || pack->kind != PACK || !find(pack, 1003)->values[0])
        return BAD_PARAM;
    const attribute *operations = find(graph, 801);
    if (operations->count != 1) return compute_all(operations, pack);
    const descriptor *op = (const descriptor *)(intptr_t)operations->values[0];
    if (op->kind == POINTWISE_OPERATION) add(op, pack);
    if (op->kind == MATMUL_OPERATION) multiply(op, pack);
    bool good = op->kind == REDUCTION_OPERATION ? reduce(op, pack)
                : op->kind == NORM_FORWARD      ? normalise(op, pack)
                : op->kind == NORM_BACKWARD     ? normalise_back(op, pack)
                                                : true;
    return good ? 0 : NOT_SUPPORTED;
}

// ---- softmax ---------------------------------------------------------------------------------------------

enum { FLOATS = 0, NCHW = 0, ACCURATE = 1, LOGARITHMIC = 2, MODES = 2 };

int cudnnCreateTensorDescriptor(int **tensor) {
    return (*tensor = calloc(2, sizeof **tensor)) ? 0 : BAD_PARAM;
}
int cudnnDestroyTensorDescriptor(int *tensor) {
    free(tensor);
    return 0;
}
int cudnnSetTensor4dDescriptor(int *tensor, int format, int type, int n, int c, int h, int w) {
    if (format != NCHW || type != FLOATS || h != 1 || w != 1) return BAD_PARAM;
    tensor[0] = n, tensor[1] = c;
    return 0;
}

static bool softens(const void *handle, int algorithm, int mode, float alpha, float beta) {
    return handle && (algorithm == ACCURATE || algorithm == LOGARITHMIC) && mode >= 0 && mode < MODES &&
           alpha == 1 && beta == 0;
}

int cudnnSoftmaxForward(void *handle, int algorithm, int mode, const float *alpha, const int *of_x,
                        const float *x, const float *beta, const int *of_y, float *y) {
    if (!softens(handle, algorithm, mode, *alpha, *beta) || of_x != of_y) return BAD_PARAM;
    for (int row = 0; row < of_x[0]; row++, x += of_x[1], y += of_x[1]) {
        float most = x[0], sum = 0;
        for (int c = 0; c < of_x[1]; c++) most = fmaxf(most, x[c]);
        for (int c = 0; c < of_x[1]; c++) sum += expf(x[c] - most);
        for (int c = 0; c < of_x[1]; c++)
            y[c] = algorithm == ACCURATE ? expf(x[c] - most) / sum : x[c] - most - logf(sum);
    }
    return 0;
}

int cudnnSoftmaxBackward(void *handle, int algorithm, int mode, const float *alpha, const int *of_y,
                         const float *y, const int *of_dy, const float *dy, const float *beta,
                         const int *of_dx, float *dx) {
    if (!softens(handle, algorithm, mode, *alpha, *beta) || of_y != of_dy || of_y != of_dx) return BAD_PARAM;
    for (int row = 0; row < of_y[0]; row++, y += of_y[1], dy += of_y[1], dx += of_y[1]) {
        float sum = 0;
        for (int c = 0; c < of_y[1]; c++) sum += algorithm == ACCURATE ? y[c] * dy[c] : dy[c];
        for (int c = 0; c < of_y[1]; c++)
            dx[c] = algorithm == ACCURATE ? y[c] * (dy[c] - sum) : dy[c] - expf(y[c]) * sum;
    }
    return 0;
}
