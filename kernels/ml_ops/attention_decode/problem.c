// attention_decode: a case with its defaults, its buffers, and where the cache keeps a token.
#include <math.h>

#include "gemm/fp8.h"
#include "private.h"

enum { DEFAULT_PAGE = 64 };

static kz_attention_decode_strides dense(kz_attention_decode_strides at, uint64_t heads, uint64_t tokens,
                                         uint64_t d) {
    if (at.token || at.head || at.batch) return at;
    return (kz_attention_decode_strides){d, tokens * d, heads * tokens * d};
}

static kz_attention_decode_strides in_pages(kz_attention_decode_strides at, uint64_t heads, uint64_t tokens,
                                            uint64_t d) {
    if (at.token || at.head || at.batch) return at;
    return (kz_attention_decode_strides){heads * d, d, tokens * heads * d};
}

decode_problem decode_problem_of(const kz_case *c) {
    static const decode_detail none;
    const decode_detail *detail = c->detail ? c->detail : &none;
    uint32_t o = c->operation;
    decode_problem p = {
        .type = c->type,
        .fp8 = o == KZ_ATTENTION_DECODE_FP8 || o == KZ_ATTENTION_DECODE_PAGED_FP8,
        .paged = o == KZ_ATTENTION_DECODE_PAGED || o == KZ_ATTENTION_DECODE_PAGED_FP8,
        .lse = detail->lse,
        .batch = (uint64_t)c->axes[BATCH],
        .heads = (uint64_t)c->axes[HEADS],
        .kv_heads = (uint64_t)c->axes[KV_HEADS],
        .queries = (uint64_t)c->axes[QUERIES],
        .keys = (uint64_t)c->axes[KEYS],
        .dimension = (uint64_t)c->axes[DIMENSION],
        .splits = detail->splits,
        .scale = detail->scale,
    };
    if (p.scale == 0.0f) p.scale = p.dimension ? (float)(1.0 / sqrt((double)p.dimension)) : 1.0f;
    if (p.paged) {
        p.page = detail->page ? detail->page : DEFAULT_PAGE;
        p.table = kz_ceil_div(p.keys, p.page);
        p.pages = detail->pages ? detail->pages : p.batch * p.table;
    }
    p.q = dense(detail->q, p.heads, p.queries, p.dimension);
    p.kv = p.paged ? in_pages(detail->kv, p.kv_heads, p.page, p.dimension)
                   : dense(detail->kv, p.kv_heads, p.keys, p.dimension);
    p.out = dense(detail->out, p.heads, p.queries, p.dimension);
    return p;
}

// Elements of an array from its first to its last.
static uint64_t extent(const kz_attention_decode_strides *at, uint64_t batch, uint64_t heads, uint64_t tokens,
                       uint64_t d) {
    if (!batch || !heads || !tokens || !d) return 0;
    return decode_row(at, batch - 1, heads - 1, tokens - 1) + d;
}

decode_arrays decode_list(const decode_problem *p, kz_buffer list[KZ_FAMILY_BUFFERS], size_t *count) {
    decode_arrays at = {.q = 0, .k = 1, .v = 2, .lengths = 3, .page_table = -1, -1, -1, -1, -1};
    uint64_t of_q = extent(&p->q, p->batch, p->heads, p->queries, p->dimension);
    uint64_t of_out = extent(&p->out, p->batch, p->heads, p->queries, p->dimension);
    uint64_t of_cache = p->paged ? extent(&p->kv, p->keys ? p->pages : 0, p->kv_heads, p->page, p->dimension)
                                 : extent(&p->kv, p->batch, p->kv_heads, p->keys, p->dimension);
    kz_type cache = p->fp8 ? KZ_U8 : p->type;
    int n = 4;
    list[at.q] = (kz_buffer){"q", KZ_INPUT, p->type, of_q};
    list[at.k] = (kz_buffer){"k", KZ_INPUT, cache, of_cache};
    list[at.v] = (kz_buffer){"v", KZ_INPUT, cache, of_cache};
    list[at.lengths] = (kz_buffer){"lengths", KZ_INPUT, KZ_I32, p->batch};
    if (p->paged)
        list[at.page_table = n++] = (kz_buffer){"page_table", KZ_INPUT, KZ_I32, p->batch * p->table};
    if (p->fp8) {
        list[at.k_scale = n++] = (kz_buffer){"k_scale", KZ_INPUT, KZ_F32, p->kv_heads};
        list[at.v_scale = n++] = (kz_buffer){"v_scale", KZ_INPUT, KZ_F32, p->kv_heads};
    }
    list[at.out = n++] = (kz_buffer){"out", KZ_OUTPUT, p->type, of_out};
    if (p->lse) list[at.lse = n++] = (kz_buffer){"lse", KZ_OUTPUT, KZ_F32, p->batch * p->heads * p->queries};
    *count = (size_t)n;
    return at;
}

static uint64_t clamp(int64_t at, uint64_t most) { return at < 0 ? 0 : kz_min_u64((uint64_t)at, most); }

uint64_t decode_cache_row(const decode_problem *p, const int32_t *page_table, uint64_t b, uint64_t kv_head,
                          uint64_t token) {
    if (!p->paged) return decode_row(&p->kv, b, kv_head, token);
    uint64_t page = clamp(page_table[b * p->table + token / p->page], p->pages - 1);
    return decode_row(&p->kv, page, kv_head, token % p->page);
}

uint64_t decode_length(const decode_problem *p, const int32_t *lengths, uint64_t b) {
    return clamp(lengths[b], p->keys);
}

uint64_t decode_seen(const decode_problem *p, uint64_t length, uint64_t query) {
    uint64_t later = p->queries - 1 - query; // queries, whose keys it does not see
    return length > later ? length - later : 0;
}

double decode_number(const decode_problem *p, const void *cache, uint64_t index) {
    if (p->fp8) return gemm_fp8_value(GEMM_E4M3, ((const uint8_t *)cache)[index]);
    return kz_element_get(p->type, cache, index);
}
