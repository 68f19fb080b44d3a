// The block in double, forward and backward: what the reference compares with, and what finite differences are taken of.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

static double rounded(const block_model *b, double x) {
    double memory = 0.0;
    if (b->rounding == KZ_F64) return x;
    kz_element_set(b->rounding, &memory, 0, x);
    return kz_element_get(b->rounding, &memory, 0);
}

bool block_model_open(block_model *b, const block_shape *s, kz_type rounding) {
    uint64_t of_rows = s->rows * s->width, of_qkv = s->qkv * s->width, square = s->width * s->width,
             of_hidden = s->hidden * s->width, rows_hidden = s->rows * s->hidden, rows_qkv = s->rows * s->qkv;
    *b = (block_model){.s = *s, .rounding = rounding};
    struct {
        double **at;
        uint64_t count;
    } arrays[] = {
        {&b->x, of_rows},          {&b->norm1, s->width},      {&b->wqkv, of_qkv},   {&b->wo, square},
        {&b->norm2, s->width},     {&b->wgu, 2 * of_hidden},   {&b->wd, of_hidden},  {&b->dy, of_rows},
        {&b->n, of_rows},          {&b->qkv, rows_qkv},        {&b->o, of_rows},     {&b->h, of_rows},
        {&b->m, of_rows},          {&b->gu, 2 * rows_hidden},  {&b->a, rows_hidden}, {&b->y, of_rows},
        {&b->da, rows_hidden},     {&b->dgu, 2 * rows_hidden}, {&b->dm, of_rows},    {&b->dh, of_rows},
        {&b->dout, of_rows},       {&b->dqkv, rows_qkv},       {&b->dn, of_rows},    {&b->dx, of_rows},
        {&b->dnorm1, s->width},    {&b->dwqkv, of_qkv},        {&b->dwo, square},    {&b->dnorm2, s->width},
        {&b->dwgu, 2 * of_hidden}, {&b->dwd, of_hidden}};
    uint64_t total = 1, at = 0;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) total += arrays[i].count;
    b->memory = calloc(total, sizeof *b->memory);
    for (size_t i = 0; b->memory && i < sizeof arrays / sizeof *arrays; at += arrays[i++].count)
        *arrays[i].at = b->memory + at;
    return b->memory;
}

void block_model_close(block_model *b) { free(b->memory); }

// ---- parts -------------------------------------------------------------------------------------------------------------

// Where element (i, j) of a matrix is.
typedef struct view {
    const double *at;
    uint64_t row, column; // from one to the next
} view;

// c[m][n] = a b, with what is in `added` where that is not NULL.
static void product(const block_model *b, double *c, uint64_t m, uint64_t n, uint64_t k, view left,
                    view right, const double *added) {
    for (uint64_t i = 0; i < m; i++)
        for (uint64_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (uint64_t x = 0; x < k; x++) {
                sum += left.at[i * left.row + x * left.column] * right.at[x * right.row + j * right.column];
                if (b->rounding != KZ_F64) sum = (double)(float)sum;
            }
            c[i * n + j] = rounded(b, sum + (added ? added[i * n + j] : 0.0));
        }
}
static view plain(const double *at, uint64_t columns) { return (view){at, columns, 1}; }
static view transposed(const double *at, uint64_t columns) { return (view){at, 1, columns}; }

static double root_of(const block_model *b, const double *row) {
    double squares = 0.0;
    for (uint64_t i = 0; i < b->s.width; i++) squares += row[i] * row[i];
    return sqrt(squares / (double)b->s.width + (double)block_epsilon);
}

static void normalise(const block_model *b, const double *x, const double *weight, double *y) {
    for (uint64_t r = 0; r < b->s.rows; r++, x += b->s.width, y += b->s.width) {
        double root = root_of(b, x);
        for (uint64_t i = 0; i < b->s.width; i++) y[i] = rounded(b, x[i] / root * weight[i]);
    }
}

// dx, and `added` to it, rounded before and after.
static void normalise_back(const block_model *b, const double *dy, const double *x, const double *weight,
                           const double *added, double *dx, double *dweight) {
    uint64_t width = b->s.width;
    for (uint64_t i = 0; i < width; i++) dweight[i] = 0.0;
    for (uint64_t r = 0; r < b->s.rows; r++, x += width, dy += width, dx += width, added += width) {
        double root = root_of(b, x), mean = 0.0;
        for (uint64_t i = 0; i < width; i++) mean += dy[i] * weight[i] * x[i];
        mean /= (double)width * root * root;
        for (uint64_t i = 0; i < width; i++) {
            dx[i] = rounded(b, rounded(b, (dy[i] * weight[i] - x[i] * mean) / root) + added[i]);
            dweight[i] += dy[i] * x[i] / root;
        }
    }
    for (uint64_t i = 0; i < width; i++) dweight[i] = rounded(b, dweight[i]);
}

// Queries and keys of all tokens, in the place of what they were.
static void turn(const block_model *b, double *qkv, double sign) {
    const block_shape *s = &b->s;
    uint64_t half = s->head / 2;
    for (uint64_t r = 0; r < s->rows; r++)
        for (uint64_t h = 0; h < s->heads + s->kv_heads; h++) {
            double *at = qkv + r * s->qkv + h * s->head;
            for (uint64_t i = 0; i < half; i++) {
                double angle =
                    sign * (double)b->positions[r] * pow(block_theta, -2.0 * (double)i / (double)s->head);
                double first = at[i], second = at[i + half];
                at[i] = rounded(b, first * cos(angle) - second * sin(angle));
                at[i + half] = rounded(b, first * sin(angle) + second * cos(angle));
            }
        }
}

static double dot(const double *a, const double *b, uint64_t count) {
    double sum = 0.0;
    for (uint64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// Of a query: where it and its head's keys and values are, and its weights.
typedef struct query {
    uint64_t row, first_row, visible; // of q; of the first key; how many keys it sees
    uint64_t q, k, v;                 // columns
} query;
static query query_of(const block_shape *s, uint64_t batch, uint64_t head, uint64_t token) {
    uint64_t kv = head / (s->heads / s->kv_heads);
    return (query){batch * s->tokens + token,
                   batch * s->tokens,
                   token + 1,
                   head * s->head,
                   (s->heads + kv) * s->head,
                   (s->heads + s->kv_heads + kv) * s->head};
}
static void weigh(const block_model *b, const query *at, double *weights) {
    const block_shape *s = &b->s;
    double greatest = (double)-INFINITY, sum = 0.0;
    for (uint64_t j = 0; j < at->visible; j++) {
        weights[j] =
            dot(b->qkv + at->row * s->qkv + at->q, b->qkv + (at->first_row + j) * s->qkv + at->k, s->head) /
            sqrt((double)s->head);
        greatest = fmax(greatest, weights[j]);
    }
    for (uint64_t j = 0; j < at->visible; j++) sum += weights[j] = exp(weights[j] - greatest);
    for (uint64_t j = 0; j < at->visible; j++) weights[j] /= sum;
}

static void attend(const block_model *b, const query *at, double *weights) {
    const block_shape *s = &b->s;
    weigh(b, at, weights);
    for (uint64_t d = 0; d < s->head; d++) {
        double sum = 0.0;
        for (uint64_t j = 0; j < at->visible; j++)
            sum += rounded(b, weights[j]) * b->qkv[(at->first_row + j) * s->qkv + at->v + d];
        b->o[at->row * s->width + at->q + d] = rounded(b, sum);
    }
}

static void attend_back(const block_model *b, const query *at, double *weights) {
    const block_shape *s = &b->s;
    const double *dout = b->dout + at->row * s->width + at->q;
    double delta = dot(dout, b->o + at->row * s->width + at->q, s->head), scale = 1.0 / sqrt((double)s->head);
    weigh(b, at, weights);
    for (uint64_t j = 0; j < at->visible; j++) {
        uint64_t key = (at->first_row + j) * s->qkv;
        double ds = rounded(b, weights[j] * (dot(dout, b->qkv + key + at->v, s->head) - delta)),
               p = rounded(b, weights[j]);
        for (uint64_t d = 0; d < s->head; d++) {
            b->dqkv[at->row * s->qkv + at->q + d] += scale * ds * b->qkv[key + at->k + d];
            b->dqkv[key + at->k + d] += scale * ds * b->qkv[at->row * s->qkv + at->q + d];
            b->dqkv[key + at->v + d] += p * dout[d];
        }
    }
}

static void each_query(block_model *b, void (*what)(const block_model *, const query *, double *)) {
    const block_shape *s = &b->s;
    double *weights = malloc((s->tokens + 1) * sizeof *weights);
    for (uint64_t i = 0; weights && i < s->batch; i++)
        for (uint64_t h = 0; h < s->heads; h++)
            for (uint64_t t = 0; t < s->tokens; t++) {
                query at = query_of(s, i, h, t);
                what(b, &at, weights);
            }
    free(weights);
}

// ---- the passes ---------------------------------------------------------------------------------------------------------

void block_model_forward(block_model *b) {
    const block_shape *s = &b->s;
    normalise(b, b->x, b->norm1, b->n);
    product(b, b->qkv, s->rows, s->qkv, s->width, plain(b->n, s->width), transposed(b->wqkv, s->width), NULL);
    turn(b, b->qkv, 1.0);
    each_query(b, attend);
    product(b, b->h, s->rows, s->width, s->width, plain(b->o, s->width), transposed(b->wo, s->width), b->x);
    normalise(b, b->h, b->norm2, b->m);
    product(b, b->gu, s->rows, 2 * s->hidden, s->width, plain(b->m, s->width), transposed(b->wgu, s->width),
            NULL);
    for (uint64_t r = 0; r < s->rows; r++)
        for (uint64_t i = 0; i < s->hidden; i++) {
            double g = b->gu[2 * (r * s->hidden + i)], u = b->gu[2 * (r * s->hidden + i) + 1];
            b->a[r * s->hidden + i] = rounded(b, g / (1.0 + exp(-g)) * u);
        }
    product(b, b->y, s->rows, s->width, s->hidden, plain(b->a, s->hidden), transposed(b->wd, s->hidden),
            b->h);
}

void block_model_backward(block_model *b) {
    const block_shape *s = &b->s;
    uint64_t rows = s->rows, width = s->width, hidden = s->hidden;
    product(b, b->da, rows, hidden, width, plain(b->dy, width), plain(b->wd, hidden), NULL);
    product(b, b->dwd, width, hidden, rows, transposed(b->dy, width), plain(b->a, hidden), NULL);
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t i = 0; i < hidden; i++) {
            uint64_t at = 2 * (r * hidden + i);
            double g = b->gu[at], u = b->gu[at + 1], da = b->da[r * hidden + i],
                   sigmoid = 1.0 / (1.0 + exp(-g));
            b->dgu[at] = rounded(b, da * u * sigmoid * (1.0 + g * (1.0 - sigmoid)));
            b->dgu[at + 1] = rounded(b, da * g * sigmoid);
        }
    product(b, b->dm, rows, width, 2 * hidden, plain(b->dgu, 2 * hidden), plain(b->wgu, width), NULL);
    product(b, b->dwgu, 2 * hidden, width, rows, transposed(b->dgu, 2 * hidden), plain(b->m, width), NULL);
    normalise_back(b, b->dm, b->h, b->norm2, b->dy, b->dh, b->dnorm2);
    product(b, b->dout, rows, width, width, plain(b->dh, width), plain(b->wo, width), NULL);
    product(b, b->dwo, width, width, rows, transposed(b->dh, width), plain(b->o, width), NULL);
    memset(b->dqkv, 0, rows * s->qkv * sizeof *b->dqkv);
    each_query(b, attend_back);
    for (uint64_t i = 0; i < rows * s->qkv; i++) b->dqkv[i] = rounded(b, b->dqkv[i]);
    turn(b, b->dqkv, -1.0);
    product(b, b->dn, rows, width, s->qkv, plain(b->dqkv, s->qkv), plain(b->wqkv, width), NULL);
    product(b, b->dwqkv, s->qkv, width, rows, transposed(b->dqkv, s->qkv), plain(b->n, width), NULL);
    normalise_back(b, b->dn, b->x, b->norm1, b->dh, b->dx, b->dnorm1);
}

double *block_model_output(const block_model *b, uint32_t operation, size_t which) {
    if (operation == KZ_TRANSFORMER_BLOCK_FORWARD) return b->y;
    double *const outputs[] = {b->y, b->dx, b->dnorm1, b->dwqkv, b->dwo, b->dnorm2, b->dwgu, b->dwd};
    return outputs[which - GRADIENTS_Y];
}
