// sampling: which tokens a correct kernel may draw, worked out in double.
//
// A weight W = 2^31 exp((logit - greatest) / temperature) is off by e <= W (2^-22 + 4 |t| 2^-24) + 1 in a kernel: ex2 is
// right to 2^-22, its argument t comes of three roundings (difference, scale, product; ln 2 < 1), and the weight is rounded
// down. Sums of integers add nothing to that. The greatest weight is exact.
//
// So a comparison of sums is open where it is nearer than their errors, and either outcome is right:
//   top_p    the sum of a group of equals and all above against the share of all: D = (1-p) in - p out, off by the same with e
//            in the place of W. Each cut that may be the first with D >= 0 is tried.
//   min_p    a token at its limit may be in or out: it counts with an error of all its weight.
//   draw     token j is right if the sum before it may be at most u times all, and with it may be more.
// What remains is nearly always one token. The reference gives the middle of the least and the greatest token that are
// right, and half their distance as the bound: two tokens beside the same limit of the draw are neighbours among the kept.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

typedef struct token {
    double value, weight, error;
    uint64_t index;
} token;

// Of a row the tokens that can be drawn, but for the filters, in the order of the vocabulary and by descending value.
typedef struct token_row {
    token *tokens, *ranked;
    uint64_t count;
    double u;
    sampling_filters filters;
} token_row;

uint64_t sampling_random(uint64_t seed, uint64_t row, uint64_t step) {
    uint32_t c[4] = {(uint32_t)step, (uint32_t)(step >> 32), (uint32_t)row, (uint32_t)(row >> 32)};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t c1 = c[1], c3 = c[3];
        c[0] = (uint32_t)(b >> 32) ^ c1 ^ k0, c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c3 ^ k1, c[3] = (uint32_t)a;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    return (uint64_t)c[1] << 32 | c[0];
}

uint64_t sampling_least(float min_p) {
    double least = ceil((double)min_p * 0x1p31);
    return least < 1.0 ? 1 : (uint64_t)least;
}

// ---- a row and its weights --------------------------------------------------------------------------------

static int by_value(const void *a, const void *b) {
    double x = ((const token *)a)->value, y = ((const token *)b)->value;
    return x > y ? -1 : x < y;
}

static void weigh(token *t, double most, float temperature) {
    if (t->value == most) {
        t->weight = 0x1p31, t->error = 0.0;
        return;
    }
    double exponent = (t->value - most) * 1.4426950408889634 / (double)temperature;
    t->weight = 0x1p31 * exp2(exponent);
    t->error = t->weight > 0.0 ? t->weight * (0x1p-22 + 0x1p-22 * fabs(exponent)) + 1.0 : 0.0;
}

// NaN and -Inf are left out.
static void read_row(const kz_case *c, void *const *host, uint64_t which, token_row *r) {
    uint64_t vocabulary = (uint64_t)c->axes[VOCABULARY];
    double most = -INFINITY;
    r->filters = sampling_filters_of(c);
    r->count = 0;
    for (uint64_t i = 0; i < vocabulary; i++) {
        double value = kz_element_get(c->type, host[LOGITS], which * vocabulary + i);
        if (!(value > -INFINITY)) continue;
        r->tokens[r->count++] = (token){.value = value, .index = i};
        if (value > most) most = value;
    }
    if (c->operation == GREEDY) return;
    for (uint64_t i = 0; i < r->count; i++) weigh(&r->tokens[i], most, r->filters.temperature);
    uint64_t step = (uint64_t) * (const int64_t *)host[STEP];
    r->u = (double)sampling_random(r->filters.seed, which, step) * 0x1p-64;
    memcpy(r->ranked, r->tokens, r->count * sizeof *r->tokens);
    qsort(r->ranked, r->count, sizeof *r->ranked, by_value);
}

// ---- what is right -------------------------------------------------------------------------------------------

// Tokens may be kept in the sum of the draw, must be, or must not.
typedef enum keeping { OUT, OPEN, IN } keeping;

static keeping is_kept(const token_row *r, const token *t, double limit) {
    double least = (double)sampling_least(r->filters.min_p);
    if (t->value < limit || t->weight + t->error < least) return OUT;
    return t->weight - t->error < least ? OPEN : IN;
}

// The tokens that may be drawn where those of at least `limit` pass top_k and top_p.
static void accept(const token_row *r, double limit, bool *accepted) {
    double all = 0.0, all_error = 0.0, sum = 0.0, sum_error = 0.0, u = r->u;
    for (uint64_t i = 0; i < r->count; i++) {
        const token *t = &r->tokens[i];
        keeping kept = is_kept(r, t, limit);
        if (kept == OUT) continue;
        all += t->weight;
        all_error += t->error + (kept == OPEN ? t->weight : 0.0);
    }
    double low =
        -u * all - u * all_error - 2.0; // the least that the sum before a token may be, less u times all
    for (uint64_t i = 0; i < r->count; i++) {
        const token *t = &r->tokens[i];
        keeping kept = is_kept(r, t, limit);
        if (kept == OUT) continue;
        sum += t->weight;
        sum_error += t->error + (kept == OPEN ? t->weight : 0.0);
        double off = (1.0 - u) * sum_error + u * (all_error - sum_error) + 2.0, with = sum - u * all;
        if (low <= 0.0 && with + off > 0.0) accepted[t->index] = true;
        low = with - off;
    }
}

// As many of the ranked as top_k keeps: equals of the last one as well.
static uint64_t cut_by_number(const token_row *r) {
    uint64_t k = r->filters.top_k, count = r->count;
    if (k == 0 || k >= count) return count;
    while (k < count && r->ranked[k].value == r->ranked[k - 1].value) k++;
    return k;
}

// Each cut of the first `count` ranked that top_p may make.
static void accept_cuts(const token_row *r, uint64_t count, bool *accepted) {
    double p = (double)r->filters.top_p, all = 0.0, all_error = 0.0, sum = 0.0, sum_error = 0.0;
    if (!(p < 1.0)) {
        accept(r, r->ranked[count - 1].value, accepted);
        return;
    }
    for (uint64_t i = 0; i < count; i++) all += r->ranked[i].weight, all_error += r->ranked[i].error;
    for (uint64_t i = 0; i < count; i++) {
        sum += r->ranked[i].weight, sum_error += r->ranked[i].error;
        if (i + 1 < count && r->ranked[i + 1].value == r->ranked[i].value) continue;
        double over = sum - p * all, off = (1.0 - p) * sum_error + p * (all_error - sum_error) + 2.0;
        if (over + off >= 0.0 || i + 1 == count) accept(r, r->ranked[i].value, accepted);
        if (over - off >= 0.0) return;
    }
}

static void judge(const kz_case *c, const token_row *r, bool *accepted) {
    if (r->count == 0) return;
    if (c->operation != GREEDY) {
        accept_cuts(r, cut_by_number(r), accepted);
        return;
    }
    const token *best = r->tokens;
    for (uint64_t i = 1; i < r->count; i++)
        if (r->tokens[i].value > best->value) best = &r->tokens[i];
    accepted[best->index] = true;
}

static kz_status open_row(const kz_case *c, token_row *r, kz_error *error) {
    size_t bytes = ((size_t)c->axes[VOCABULARY] + 1) * sizeof(token);
    *r = (token_row){.tokens = malloc(bytes), .ranked = malloc(bytes)};
    if (r->tokens && r->ranked) return KZ_OK;
    free(r->tokens);
    free(r->ranked);
    return kz_fail(
        error, KZ_NO_MEMORY,
        "sampling: no host memory for the reference of a row (%zu bytes)\nfree some, or take a smaller case",
        2 * bytes);
}

static void close_row(token_row *r) {
    free(r->tokens);
    free(r->ranked);
}

kz_status sampling_judge(const kz_case *c, void *const *host, uint64_t which, bool *accepted,
                         kz_error *error) {
    token_row r;
    kz_status status = open_row(c, &r, error);
    if (status) return status;
    memset(accepted, 0, (size_t)c->axes[VOCABULARY] * sizeof *accepted);
    read_row(c, host, which, &r);
    judge(c, &r, accepted);
    close_row(&r);
    return KZ_OK;
}

kz_status sampling_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                             double *bound, kz_error *error) {
    int64_t vocabulary = c->axes[VOCABULARY];
    bool *accepted = calloc((size_t)vocabulary + 1, sizeof *accepted);
    if (!accepted)
        return kz_fail(error, KZ_NO_MEMORY,
                       "sampling: no host memory for the reference\nfree some, or take a smaller case");
    kz_status status = KZ_OK;
    for (int64_t i = 0; i < c->axes[ROWS] && !status; i++) {
        status = sampling_judge(c, host, (uint64_t)i, accepted, error);
        int64_t first = 0, last = vocabulary - 1;
        while (first < vocabulary && !accepted[first]) first++;
        while (last > first && !accepted[last]) last--;
        if (first == vocabulary) first = last = -1;
        expected[i] = (double)(first + last) / 2.0;
        bound[i] = (double)(last - first) / 2.0;
    }
    free(accepted);
    return status;
}
