// Profiles as lines of a record: docs/record.md has the format.
#include "observe/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/record.h"

enum { PATTERNS_KEPT = 4 };

static void write_short_name(base_text *out, const char *name) {
    char text[256];
    size_t length;
    const char *bare = base_bare_name(name, &length);
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), bare);
    observe_write_string(out, text);
}

static void write_spot(base_text *out, const observe_spot *spot) {
    base_text_add(out, "\"file\":");
    observe_write_string(out, spot->file);
    base_text_add(out, ",\"line\":%u", spot->line);
}

static void write_source_line(base_text *out, const observe_source_line *line) {
    write_spot(out, &line->at);
    if (line->is_ptx) base_text_add(out, ",\"is_ptx\":true");
    if (!line->inlined_count) return;
    base_text_add(out, ",\"inlined_at\":[");
    for (uint32_t i = 0; i < line->inlined_count; i++) {
        base_text_add(out, i ? ",{" : "{");
        write_spot(out, &line->inlined_at[i]);
        base_text_add(out, "}");
    }
    base_text_add(out, "]");
}

// ---- accesses ---------------------------------------------------------------------------------------

static const char *space_name(sim_space space) {
    switch (space) {
    case SIM_GLOBAL: return "global";
    case SIM_SHARED: return "shared";
    case SIM_LOCAL: return "local";
    case SIM_PARAM: return "param";
    case SIM_CONST: return "const";
    case SIM_DISTRIBUTED: return "distributed";
    case SIM_TEXTURE: return "texture";
    }
    return "?";
}

static void write_pattern(base_text *out, const observe_pattern *pattern, uint64_t requests, uint64_t all) {
    base_text_add(out, "{\"kind\":\"%s\"", observe_pattern_name(pattern->kind));
    if (pattern->kind == OBSERVE_ROWS) base_text_add(out, ",\"run\":%u", pattern->run);
    if (pattern->kind == OBSERVE_ROWS || pattern->kind == OBSERVE_STRIDE)
        base_text_add(out, ",\"stride\":%lld", (long long)pattern->stride);
    if (pattern->kind == OBSERVE_ROWS) base_text_add(out, ",\"jump\":%lld", (long long)pattern->jump);
    base_text_add(out, ",\"requests\":%llu,\"share\":", (unsigned long long)requests);
    observe_write_number(out, (double)requests / (double)all);
    base_text_add(out, "}");
}

// The commonest first; among equals the order of the list, which is fixed.
static void write_patterns(base_text *out, const observe_access_sums *sums) {
    uint64_t left[OBSERVE_PATTERNS], other = sums->other;
    for (uint32_t i = 0; i < sums->pattern_count; i++) left[i] = sums->patterns[i].requests;
    base_text_add(out, ",\"patterns\":[");
    uint32_t written = 0;
    for (; written < PATTERNS_KEPT && written < sums->pattern_count; written++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < sums->pattern_count; i++)
            if (left[i] > left[best]) best = i;
        if (!left[best]) break;
        if (written) base_text_add(out, ",");
        write_pattern(out, &sums->patterns[best].pattern, left[best], sums->requests);
        left[best] = 0;
    }
    for (uint32_t i = 0; i < sums->pattern_count; i++) other += left[i];
    if (other) {
        if (written) base_text_add(out, ",");
        write_pattern(out, &(observe_pattern){.kind = OBSERVE_OTHER}, other, sums->requests);
    }
    base_text_add(out, "]");
}

static void write_padding(base_text *out, const observe_padding *p) {
    base_text_add(out, ",\"padding\":{\"row\":%u,\"to\":%u,\"now\":", p->row, p->to);
    observe_write_number(out, p->now);
    base_text_add(out, ",\"then\":");
    observe_write_number(out, p->then);
    base_text_add(out, ",\"own_now\":");
    observe_write_number(out, p->own_now);
    base_text_add(out, ",\"own_then\":");
    observe_write_number(out, p->own_then);
    base_text_add(out, "}");
}

static void write_access(base_text *out, const observe_inst_accesses *inst, const observe_access_sums *a) {
    const char *kind = a->kind == SIM_LOAD    ? "load"
                       : a->kind == SIM_STORE ? "store"
                       : a->returns           ? "atomic"
                                              : "reduction";
    base_text_add(out, "{\"ptx_line\":%u,\"ptx\":", inst->ptx_line);
    observe_write_string(out, inst->text);
    base_text_add(out, ",\"kind\":\"%s\",\"space\":\"%s\"", kind, space_name(a->space));
    if (a->agent != SIM_THREAD)
        base_text_add(out, ",\"agent\":\"%s\"", a->agent == SIM_ASYNC_COPY ? "async" : "bulk");
    bool bulk = a->agent == SIM_ASYNC_PROXY;
    base_text_add(out, ",\"bytes\":%llu,\"requests\":%llu",
                  (unsigned long long)(bulk && a->requests ? a->lanes / a->requests : a->bytes),
                  (unsigned long long)a->requests);
    if (!bulk) base_text_add(out, ",\"lanes\":%llu", (unsigned long long)a->lanes);
    if (a->space == SIM_GLOBAL || a->space == SIM_LOCAL)
        base_text_add(out, ",\"sectors\":%llu,\"ideal_sectors\":%llu", (unsigned long long)a->sectors,
                      (unsigned long long)a->ideal_sectors);
    if (a->space == SIM_SHARED && !bulk)
        base_text_add(out, ",\"wavefronts\":%llu,\"ideal_wavefronts\":%llu",
                      (unsigned long long)a->wavefronts, (unsigned long long)a->ideal_wavefronts);
    if (a->kind == SIM_ATOMIC) base_text_add(out, ",\"distinct\":%llu", (unsigned long long)a->distinct);
    if (inst->gathered && a->space == SIM_GLOBAL) base_text_add(out, ",\"gathered\":true");
    if (inst->address_by_data) base_text_add(out, ",\"address_by_data\":true");
    if (!bulk && a->requests) write_patterns(out, a);
    if (a->space == SIM_SHARED && !bulk && inst->padding.row) write_padding(out, &inst->padding);
    base_text_add(out, "}");
}

// ---- lines ------------------------------------------------------------------------------------------

static int compare_spots(const observe_spot *a, const observe_spot *b) {
    int order = strcmp(a->file, b->file);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int compare_lines(const observe_source_line *a, const observe_source_line *b) {
    int order = compare_spots(&a->at, &b->at);
    for (uint32_t i = 0; !order && i < a->inlined_count && i < b->inlined_count; i++)
        order = compare_spots(&a->inlined_at[i], &b->inlined_at[i]);
    if (!order) order = (a->inlined_count > b->inlined_count) - (a->inlined_count < b->inlined_count);
    return order;
}

// For qsort, which passes no context.
typedef struct sorted_line {
    const observe_source_line *words;
    const observe_line_sums *sums;
} sorted_line;

static int by_line(const void *a, const void *b) {
    return compare_lines(((const sorted_line *)a)->words, ((const sorted_line *)b)->words);
}

static int by_ptx_line(const void *a, const void *b) {
    const observe_inst_accesses *x = *(const observe_inst_accesses *const *)a,
                                *y = *(const observe_inst_accesses *const *)b;
    return (x->ptx_line > y->ptx_line) - (x->ptx_line < y->ptx_line);
}

static void write_accesses(base_text *out, const observe_profile *p, const observe_inst_accesses **sorted,
                           uint32_t line) {
    const char *before = ",\"accesses\":[";
    for (uint32_t i = 0; i < p->access_count; i++) {
        if (sorted[i]->line != line) continue;
        for (const observe_access_sums *a = sorted[i]->sums; a; a = a->next) {
            base_text_add(out, "%s", before);
            write_access(out, sorted[i], a);
            before = ",";
        }
    }
    if (before[1] == 0) base_text_add(out, "]");
}

static void write_lines(base_text *out, const observe_profile *p) {
    sorted_line *lines = malloc((p->line_count + 1) * sizeof *lines);
    const observe_inst_accesses **accesses = malloc((p->access_count + 1) * sizeof *accesses);
    base_text_add(out, ",\"lines\":[");
    if (lines && accesses) {
        for (uint32_t i = 0; i < p->line_count; i++)
            lines[i] = (sorted_line){&p->module->lines[p->lines[i].line], &p->lines[i]};
        for (uint32_t i = 0; i < p->access_count; i++) accesses[i] = &p->accesses[i];
        qsort(lines, p->line_count, sizeof *lines, by_line);
        qsort(accesses, p->access_count, sizeof *accesses, by_ptx_line);
        for (uint32_t i = 0; i < p->line_count; i++) {
            base_text_add(out, i ? ",{" : "{");
            write_source_line(out, lines[i].words);
            base_text_add(out, ",\"metrics\":{");
            observe_sums_write(&lines[i].sums->sums, false, out);
            base_text_add(out, "}");
            write_accesses(out, p, accesses, lines[i].sums->line);
            base_text_add(out, "}");
        }
    } else {
        out->failed = true;
    }
    base_text_add(out, "]");
    free(lines);
    free(accesses);
}

// ---- kernels ----------------------------------------------------------------------------------------

static void write_metric(base_text *out, const char *name, double value) {
    base_text_add(out, ",\"%s\":", name);
    observe_write_number(out, value);
}

static void write_limit(base_text *out, const char *name, uint32_t limit) {
    if (limit != UINT32_MAX) base_text_add(out, ",\"%s\":%u", name, limit);
}

static void write_launch_metrics(base_text *out, const observe_gpu *gpu, const observe_profile *p) {
    uint64_t blocks = (uint64_t)p->grid[0] * p->grid[1] * p->grid[2];
    uint32_t threads = p->block[0] * p->block[1] * p->block[2];
    uint64_t cluster = (uint64_t)p->cluster[0] * p->cluster[1] * p->cluster[2];
    base_text_add(out, "\"launch__grid_size\":%llu,\"launch__block_size\":%u,\"launch__thread_count\":%llu",
                  (unsigned long long)blocks, threads, (unsigned long long)(blocks * threads));
    if (cluster > 1) base_text_add(out, ",\"launch__cluster_size\":%llu", (unsigned long long)cluster);
    base_text_add(out,
                  ",\"launch__shared_mem_per_block_static\":%u,\"launch__shared_mem_per_block_dynamic\":%u",
                  p->static_shared, p->dynamic_shared);
    if (!gpu->max_threads) return;
    observe_occupancy_result r =
        observe_occupancy(gpu, &(observe_occupancy_input){.threads = threads,
                                                          .shared_static = p->static_shared,
                                                          .shared_dynamic = p->dynamic_shared,
                                                          .blocks = blocks});
    write_limit(out, "launch__occupancy_limit_warps", r.by_warps);
    write_limit(out, "launch__occupancy_limit_blocks", r.by_blocks);
    write_limit(out, "launch__occupancy_limit_shared_mem", r.by_shared);
}

static double flops_of(const observe_sums *sums) {
    return (double)sums->value[OBSERVE_SUM_FLOPS_F16] + (double)sums->value[OBSERVE_SUM_FLOPS_F32] +
           (double)sums->value[OBSERVE_SUM_FLOPS_F64] + (double)sums->value[OBSERVE_SUM_FLOPS_TENSOR];
}

static void write_intensity(base_text *out, const observe_profile *p, const observe_sums *sums) {
    static const observe_sum_index sectors[] = {
        OBSERVE_SUM_GLOBAL_LD_SECTORS,  OBSERVE_SUM_GLOBAL_ST_SECTORS,     OBSERVE_SUM_GLOBAL_ATOM_SECTORS,
        OBSERVE_SUM_GLOBAL_RED_SECTORS, OBSERVE_SUM_GLOBAL_LDGSTS_SECTORS, OBSERVE_SUM_LOCAL_LD_SECTORS,
        OBSERVE_SUM_LOCAL_ST_SECTORS};
    double bytes = (double)sums->value[OBSERVE_SUM_BULK_GLOBAL_LD_BYTES] +
                   (double)sums->value[OBSERVE_SUM_BULK_GLOBAL_ST_BYTES];
    for (size_t i = 0; i < BASE_COUNT(sectors); i++)
        bytes += OBSERVE_SECTOR * (double)sums->value[sectors[i]];
    if (p->counted && bytes > 0)
        write_metric(out, "ptx__arithmetic_intensity_l1.ratio", flops_of(sums) / bytes);
    double dram = (double)p->caches.dram_read_bytes + (double)p->caches.dram_write_bytes;
    if (p->counted && p->caches.valid && dram > 0)
        write_metric(out, "model__arithmetic_intensity_dram.ratio", flops_of(sums) / dram);
}

static void write_caches(base_text *out, const observe_gpu *gpu, const observe_cache_sums *c) {
    const struct {
        const char *name;
        uint64_t bytes, sectors, hits;
    } levels[] = {{"l1", c->l1_bytes, c->l1_sectors, c->l1_hits},
                  {"l2", c->l2_bytes, c->l2_sectors, c->l2_hits}};
    base_text_add(out, ",\"caches\":{\"model\":");
    char model[256];
    snprintf(model, sizeof model,
             "a model of the %s's caches, not a measurement: 128-byte lines of four sectors, "
             "least recently used goes, blocks to multiprocessors in turn, one after the other",
             gpu->key);
    observe_write_string(out, model);
    for (size_t i = 0; i < BASE_COUNT(levels); i++) {
        base_text_add(out, ",\"%s\":{\"bytes\":%llu,\"sectors\":%llu,\"hits\":%llu", levels[i].name,
                      (unsigned long long)levels[i].bytes, (unsigned long long)levels[i].sectors,
                      (unsigned long long)levels[i].hits);
        if (levels[i].sectors)
            write_metric(out, "hit_rate", (double)levels[i].hits / (double)levels[i].sectors);
        base_text_add(out, "}");
    }
    base_text_add(out, ",\"dram\":{\"read_bytes\":%llu,\"write_bytes\":%llu}}",
                  (unsigned long long)c->dram_read_bytes, (unsigned long long)c->dram_write_bytes);
}

static void write_cache_metrics(base_text *out, const observe_cache_sums *c) {
    if (c->l1_sectors)
        write_metric(out, "model__l1_hit_rate.pct", 100.0 * (double)c->l1_hits / (double)c->l1_sectors);
    if (c->l2_sectors)
        write_metric(out, "model__l2_hit_rate.pct", 100.0 * (double)c->l2_hits / (double)c->l2_sectors);
}

static void write_profile(base_text *out, const observe_gpu *gpu, const observe_profile *p) {
    static const uint32_t none[3] = {1, 1, 1};
    observe_sums sums;
    observe_profile_sum(p, &sums);
    base_text_add(out, "{\"type\":\"kernel\",\"name\":");
    observe_write_string(out, p->name);
    base_text_add(out, ",\"short\":");
    write_short_name(out, p->name);
    base_text_add(out, ",\"module\":");
    observe_write_string(out, p->module->name);
    base_text_add(out, ",\"launches\":%llu,\"first_launch\":%llu", (unsigned long long)p->launches,
                  (unsigned long long)p->first_launch);
    if (p->failed) base_text_add(out, ",\"failed\":%llu", (unsigned long long)p->failed);
    base_text_add(out, ",\"grid\":");
    observe_write_3(out, p->grid);
    base_text_add(out, ",\"block\":");
    observe_write_3(out, p->block);
    base_text_add(out, ",\"cluster\":");
    observe_write_3(out, p->cluster[0] ? p->cluster : none);
    base_text_add(out, ",\"shared_static\":%u,\"shared_dynamic\":%u,\"local_bytes\":%u,\"metrics\":{",
                  p->static_shared, p->dynamic_shared, p->local_bytes);
    write_launch_metrics(out, gpu, p);
    if (p->counted) {
        base_text_add(out, ",");
        observe_sums_write(&sums, true, out);
    }
    if (p->caches.valid) write_cache_metrics(out, &p->caches);
    write_intensity(out, p, &sums);
    base_text_add(out, "}");
    if (p->counted) write_lines(out, p);
    if (p->caches.valid) write_caches(out, gpu, &p->caches);
    base_text_add(out, "}\n");
}

void observe_profiles_write(const observe_profiles *profiles, base_text *out) {
    for (size_t i = 0; i < profiles->count; i++) write_profile(out, &profiles->gpu, profiles->items[i]);
}
