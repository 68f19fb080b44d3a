// Finds the profile of a launch, and puts modules into words. Conventions: profile.h.
#include "observe/profile.h"

#include <stdlib.h>
#include <string.h>

// Bounds on what a run may keep: shapes of launches, and lines in all of them (about 2 KiB each).
enum { MAX_PROFILES = 4096, MAX_LINES = 65536 };

// Grows a list for one more; false when out of memory.
static bool make_room(void *list, uint32_t count, uint32_t *capacity, size_t item) {
    if (count < *capacity) return true;
    uint32_t wanted = *capacity ? *capacity * 2 : 16;
    void *grown = realloc(*(void **)list, wanted * item);
    if (!grown) return false;
    *(void **)list = grown;
    *capacity = wanted;
    return true;
}

// ---- accesses ---------------------------------------------------------------------------------------

static int compare_numbers(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_sorts(const observe_access_sums *a, const observe_access_sums *b) {
    if (a->space != b->space) return compare_numbers(a->space, b->space);
    if (a->agent != b->agent) return compare_numbers(a->agent, b->agent);
    if (a->kind != b->kind) return compare_numbers(a->kind, b->kind);
    return compare_numbers(a->bytes, b->bytes);
}

// The list has an order of its own, for which of them came first depends on the worker.
observe_access_sums *observe_access_find(observe_access_sums **list, const observe_access_sums *like) {
    observe_access_sums **at = list;
    int order = 1;
    while (*at && (order = compare_sorts(*at, like)) < 0) at = &(*at)->next;
    if (*at && order == 0) return *at;
    observe_access_sums *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->space = like->space;
    made->agent = like->agent;
    made->kind = like->kind;
    made->returns = like->returns;
    made->bytes = like->bytes;
    made->next = *at;
    return *at = made;
}

static int compare_patterns(const observe_pattern *a, const observe_pattern *b) {
    uint64_t step_a = a->stride < 0 ? 0 - (uint64_t)a->stride : (uint64_t)a->stride;
    uint64_t step_b = b->stride < 0 ? 0 - (uint64_t)b->stride : (uint64_t)b->stride;
    if (a->kind != b->kind) return compare_numbers(a->kind, b->kind);
    if (step_a != step_b) return step_a < step_b ? -1 : 1;
    if (a->stride != b->stride) return compare_numbers(a->stride, b->stride);
    if (a->run != b->run) return compare_numbers(a->run, b->run);
    return compare_numbers(a->jump, b->jump);
}

// Of more patterns than there is room for the least stay. One that goes had as many below it as there is
// room, and so it would be the same one whatever came first.
void observe_access_pattern(observe_access_sums *sums, const observe_pattern *pattern, uint64_t requests) {
    if (requests == 0) return;
    if (pattern->kind == OBSERVE_OTHER) {
        sums->other += requests;
        return;
    }
    uint32_t at = 0;
    int order = 1;
    while (at < sums->pattern_count && (order = compare_patterns(&sums->patterns[at].pattern, pattern)) < 0)
        at++;
    if (at < sums->pattern_count && order == 0) {
        sums->patterns[at].requests += requests;
        return;
    }
    if (at == OBSERVE_PATTERNS) {
        sums->other += requests;
        return;
    }
    if (sums->pattern_count == OBSERVE_PATTERNS)
        sums->other += sums->patterns[--sums->pattern_count].requests;
    memmove(&sums->patterns[at + 1], &sums->patterns[at],
            (sums->pattern_count - at) * sizeof sums->patterns[0]);
    sums->patterns[at].pattern = *pattern;
    sums->patterns[at].requests = requests;
    sums->pattern_count++;
}

void observe_access_add(observe_access_sums *to, const observe_access_sums *from) {
    to->requests += from->requests;
    to->lanes += from->lanes;
    to->distinct += from->distinct;
    to->sectors += from->sectors;
    to->ideal_sectors += from->ideal_sectors;
    to->wavefronts += from->wavefronts;
    to->narrow += from->narrow;
    to->ideal_wavefronts += from->ideal_wavefronts;
    to->other += from->other;
    for (uint32_t i = 0; i < from->pattern_count; i++)
        observe_access_pattern(to, &from->patterns[i].pattern, from->patterns[i].requests);
}

void observe_access_free(observe_access_sums *list) {
    while (list) {
        observe_access_sums *next = list->next;
        free(list);
        list = next;
    }
}

// ---- modules in words -------------------------------------------------------------------------------

static uint64_t hash_text(const char *text) {
    return text ? base_hash(BASE_HASH, text, strlen(text)) : BASE_HASH;
}

static char *copy_text(const char *text) {
    size_t length = strlen(text ? text : "") + 1;
    char *copy = malloc(length);
    if (copy) memcpy(copy, text ? text : "", length);
    return copy;
}

static void close_module(observe_module *words) {
    if (!words) return;
    for (uint32_t i = 0; i < words->line_count; i++) {
        free(words->lines[i].at.file);
        for (uint32_t k = 0; k < words->lines[i].inlined_count; k++) free(words->lines[i].inlined_at[k].file);
        free(words->lines[i].inlined_at);
    }
    free(words->lines);
    free(words->infos);
    free(words->line_of);
    free(words->memory_of);
    free(words->name);
    free(words);
}

static const char *file_of(const ptx_module *module, int32_t location) {
    uint32_t file = module->locations[location].file;
    return file < module->file_count ? module->files[file].path : "?";
}

// From the user's own line outwards.
static bool same_line(const observe_source_line *line, const ptx_module *module, int32_t location) {
    const ptx_location *all = module->locations;
    if (line->is_ptx || line->at.line != all[location].line ||
        strcmp(line->at.file, file_of(module, location)))
        return false;
    uint32_t k = 0;
    for (int32_t at = all[location].inlined_at; at >= 0; at = all[at].inlined_at, k++)
        if (k >= line->inlined_count || line->inlined_at[k].line != all[at].line ||
            strcmp(line->inlined_at[k].file, file_of(module, at)))
            return false;
    return k == line->inlined_count;
}

static bool make_line(observe_module *words, const ptx_module *module, int32_t location, uint32_t ptx_line) {
    if (!make_room(&words->lines, words->line_count, &words->line_capacity, sizeof *words->lines))
        return false;
    observe_source_line *line = &words->lines[words->line_count];
    *line = (observe_source_line){.is_ptx = location < 0};
    const ptx_location *all = module->locations;
    line->at.line = location < 0 ? ptx_line : all[location].line;
    line->at.file = copy_text(location < 0 ? module->name : file_of(module, location));
    if (!line->at.file) return false;
    words->line_count++;
    uint32_t depth = 0;
    for (int32_t at = location < 0 ? -1 : all[location].inlined_at; at >= 0; at = all[at].inlined_at) depth++;
    if (!depth) return true;
    line->inlined_at = calloc(depth, sizeof *line->inlined_at);
    if (!line->inlined_at) return false;
    for (int32_t at = all[location].inlined_at; at >= 0; at = all[at].inlined_at) {
        observe_spot *spot = &line->inlined_at[line->inlined_count];
        spot->line = all[at].line;
        spot->file = copy_text(file_of(module, at));
        if (!spot->file) return false;
        line->inlined_count++;
    }
    return true;
}

// A hash table from locations to lines, open addressing: 1 + index.
typedef struct line_table {
    uint32_t *slots, size;
} line_table;

static uint64_t hash_location(const ptx_module *module, int32_t location, uint32_t ptx_line) {
    if (location < 0) return (uint64_t)ptx_line * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = 0;
    for (int32_t at = location; at >= 0; at = module->locations[at].inlined_at)
        hash = (hash ^ module->locations[at].line ^ hash_text(file_of(module, at))) *
               UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static bool find_line(observe_module *words, const ptx_module *module, line_table *table,
                      const ptx_inst *inst, uint32_t *index) {
    int32_t location = ptx_user_location(module, inst);
    uint64_t at = hash_location(module, location, inst->line) >> 20;
    for (;; at++) {
        uint32_t *slot = &table->slots[at & (table->size - 1)];
        if (!*slot) {
            if (!make_line(words, module, location, inst->line)) return false;
            *slot = words->line_count;
        }
        const observe_source_line *line = &words->lines[*slot - 1];
        bool same =
            location < 0 ? line->is_ptx && line->at.line == inst->line : same_line(line, module, location);
        if (!same) continue;
        *index = *slot - 1;
        return true;
    }
}

static bool touches_memory(uint8_t class) {
    enum { REGISTERS, MEMORY };
    static const uint8_t reaches[OBSERVE_CLASS_COUNT] = {
#define OBSERVE_CLASS(id, name, reach, text) [OBSERVE_CLASS_##id] = reach,
#include "observe/classes.def"
#undef OBSERVE_CLASS
    };
    return reaches[class] == MEMORY;
}

// Marks the registers that an operand reads, those of addresses and vectors too.
static void mark_read(const ptx_operand *operand, uint8_t *read) {
    if (operand->reg >= 0) read[operand->reg] = 1;
    for (uint32_t i = 0; i < operand->element_count; i++) mark_read(&operand->elements[i], read);
}

// Which atomics give a result that is used. A register that any instruction reads counts as used.
static bool find_returns(observe_module *words, const ptx_function *function) {
    bool any = false;
    for (uint32_t k = 0; k < function->inst_count && !any; k++) any = function->insts[k].op == PTX_OP_ATOM;
    uint8_t *read = any ? calloc(function->reg_count + 1, 1) : NULL;
    if (!any || !read) return !any;
    for (uint32_t k = 0; k < function->inst_count; k++) {
        const ptx_inst *inst = &function->insts[k];
        if (inst->guard >= 0) read[inst->guard] = 1;
        // Stores, branches, calls and the like have no destination: all they name is read.
        bool writes =
            inst->operand_count > 1 &&
            (inst->operands[0].kind == PTX_OPERAND_REG || inst->operands[0].kind == PTX_OPERAND_VECTOR) &&
            inst->op != PTX_OP_CALL && inst->op != PTX_OP_BRX_IDX;
        for (uint32_t o = writes ? 1 : 0; o < inst->operand_count; o++) mark_read(&inst->operands[o], read);
    }
    for (uint32_t k = 0; k < function->inst_count; k++) {
        const ptx_inst *inst = &function->insts[k];
        if (inst->op != PTX_OP_ATOM || inst->serial >= words->inst_count) continue;
        const ptx_operand *to = &inst->operands[0];
        words->infos[inst->serial].returns = to->kind != PTX_OPERAND_SINK && (to->reg < 0 || read[to->reg]);
    }
    free(read);
    return true;
}

static bool describe_insts(observe_module *words, const ptx_module *module, line_table *table) {
    int32_t last_source = -2; // neighbours mostly share a line
    uint32_t last_line = 0;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *function = module->functions[i];
        for (uint32_t k = 0; k < function->inst_count; k++) {
            const ptx_inst *inst = &function->insts[k];
            if (inst->serial >= words->inst_count) continue;
            observe_inst_info info = observe_inst_describe(inst);
            words->infos[inst->serial] = info;
            if (touches_memory(info.class)) words->memory_of[inst->serial] = ++words->memory_count;
            words->has_guarded_flops |= info.guarded_flops;
            if (inst->source < 0 || inst->source != last_source)
                if (!find_line(words, module, table, inst, &last_line)) return false;
            last_source = inst->source;
            words->line_of[inst->serial] = last_line;
        }
        if (!find_returns(words, function)) return false;
        if (!observe_describe_atomics(words->infos, words->inst_count, function)) return false;
    }
    return true;
}

static observe_module *open_module(const ptx_module *module, uint64_t hash) {
    observe_module *words = calloc(1, sizeof *words);
    if (!words) return NULL;
    uint32_t count = module->inst_count ? module->inst_count : 1;
    line_table table = {.size = 64};
    while (table.size < 2 * count) table.size *= 2;
    table.slots = calloc(table.size, sizeof *table.slots);
    words->module = module;
    words->text = module->text;
    words->hash = hash;
    words->name = copy_text(module->name);
    words->inst_count = module->inst_count;
    words->infos = calloc(count, sizeof *words->infos);
    words->line_of = calloc(count, sizeof *words->line_of);
    words->memory_of = calloc(count, sizeof *words->memory_of);
    bool good = table.slots && words->name && words->infos && words->line_of && words->memory_of &&
                describe_insts(words, module, &table);
    free(table.slots);
    if (good) return words;
    close_module(words);
    return NULL;
}

static observe_module *module_of(observe_profiles *profiles, const ptx_module *module) {
    for (size_t i = profiles->module_count; i-- > 0;) {
        observe_module *words = profiles->modules[i];
        if (words->module == module && words->text == module->text &&
            words->inst_count == module->inst_count && !strcmp(words->name, module->name))
            return words;
    }
    uint64_t hash = hash_text(module->text);
    for (size_t i = 0; i < profiles->module_count; i++) {
        observe_module *words = profiles->modules[i];
        if (words->module == module) words->module = NULL; // another one lives at its address now
        if (words->hash != hash || words->inst_count != module->inst_count ||
            strcmp(words->name, module->name))
            continue;
        words->module = module;
        words->text = module->text;
        return words;
    }
    uint32_t capacity = (uint32_t)profiles->module_capacity;
    if (!make_room(&profiles->modules, (uint32_t)profiles->module_count, &capacity,
                   sizeof *profiles->modules))
        return NULL;
    profiles->module_capacity = capacity;
    observe_module *words = open_module(module, hash);
    if (words) profiles->modules[profiles->module_count++] = words;
    return words;
}

// ---- profiles ---------------------------------------------------------------------------------------

static void close_profile(observe_profile *profile) {
    if (!profile) return;
    for (uint32_t i = 0; i < profile->access_count; i++) {
        free(profile->accesses[i].text);
        observe_access_free(profile->accesses[i].sums);
    }
    free(profile->accesses);
    free(profile->lines);
    free(profile->line_at);
    free(profile->access_at);
    free(profile->name);
    free(profile);
}

void observe_profiles_close(observe_profiles *profiles) {
    for (size_t i = 0; i < profiles->count; i++) close_profile(profiles->items[i]);
    for (size_t i = 0; i < profiles->module_count; i++) close_module(profiles->modules[i]);
    free(profiles->items);
    free(profiles->modules);
    *profiles = (observe_profiles){.gpu = profiles->gpu};
}

static bool is_of(const observe_profile *p, const observe_module *module, const sim_launch_event *event) {
    const sim_launch *launch = event->launch;
    return p->module == module && p->entry_line == event->entry->line &&
           p->entry_insts == event->entry->inst_count && p->dynamic_shared == launch->dynamic_shared_bytes &&
           !memcmp(p->grid, launch->grid, sizeof p->grid) &&
           !memcmp(p->block, launch->block, sizeof p->block) &&
           !memcmp(p->cluster, launch->cluster, sizeof p->cluster) && !strcmp(p->name, event->entry->name);
}

static observe_profile *open_profile(observe_module *module, const sim_launch_event *event) {
    observe_profile *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->module = module;
    p->name = copy_text(event->entry->name);
    p->entry_line = event->entry->line;
    p->entry_insts = event->entry->inst_count;
    memcpy(p->grid, event->launch->grid, sizeof p->grid);
    memcpy(p->block, event->launch->block, sizeof p->block);
    memcpy(p->cluster, event->launch->cluster, sizeof p->cluster);
    p->static_shared = event->static_shared_bytes;
    p->dynamic_shared = event->launch->dynamic_shared_bytes;
    p->local_bytes = event->local_bytes;
    p->line_at = calloc(module->line_count + 1, sizeof *p->line_at);
    p->access_at = calloc(module->memory_count + 1, sizeof *p->access_at);
    if (p->name && p->line_at && p->access_at) return p;
    close_profile(p);
    return NULL;
}

static observe_profile *profile_of(observe_profiles *profiles, const sim_launch_event *event) {
    observe_module *module = module_of(profiles, event->module);
    if (!module) return NULL;
    for (size_t i = profiles->count; i-- > 0;)
        if (is_of(profiles->items[i], module, event)) return profiles->items[i];
    if (profiles->count >= MAX_PROFILES || profiles->line_total >= MAX_LINES) return NULL;
    uint32_t capacity = (uint32_t)profiles->capacity;
    if (!make_room(&profiles->items, (uint32_t)profiles->count, &capacity, sizeof *profiles->items))
        return NULL;
    profiles->capacity = capacity;
    observe_profile *made = open_profile(module, event);
    if (!made) return NULL;
    made->first_launch = profiles->launches;
    return profiles->items[profiles->count++] = made;
}

void observe_profile_sum(const observe_profile *p, observe_sums *sums) {
    *sums = (observe_sums){0};
    for (uint32_t i = 0; i < p->line_count; i++) observe_sums_add(sums, &p->lines[i].sums);
    sums->value[OBSERVE_SUM_BLOCKS] = p->blocks;
    sums->value[OBSERVE_SUM_WARPS] = p->warps;
    sums->value[OBSERVE_SUM_SAMPLED_BLOCKS] = p->sampled_blocks;
    sums->value[OBSERVE_SUM_SAMPLED_CLOCKS] = p->sampled_clocks;
    sums->value[OBSERVE_SUM_ATOMIC_MOST] = p->atomic_clocks;
    sums->value[OBSERVE_SUM_HOTTEST] = p->hottest;
}

void observe_profiles_begin(observe_profiles *profiles, const sim_launch_event *event) {
    profiles->launches++;
    profiles->current = profile_of(profiles, event);
    if (!profiles->current) {
        profiles->dropped++;
        return;
    }
    profiles->current->launches++;
    observe_profile_sum(profiles->current, &profiles->before);
}

void observe_profiles_end(observe_profiles *profiles, kz_status status) {
    const observe_profile *p = profiles->current;
    if (!p) {
        profiles->last = (observe_sums){0};
        return;
    }
    if (status) profiles->current->failed++;
    observe_profile_sum(p, &profiles->last);
    for (size_t i = 0; i < OBSERVE_SUM_COUNT; i++) profiles->last.value[i] -= profiles->before.value[i];
    profiles->shape = (observe_occupancy_input){.threads = p->block[0] * p->block[1] * p->block[2],
                                                .shared_static = p->static_shared,
                                                .shared_dynamic = p->dynamic_shared,
                                                .blocks = (uint64_t)p->grid[0] * p->grid[1] * p->grid[2]};
    profiles->current = NULL;
}

observe_sums *observe_profile_line(observe_profiles *profiles, observe_profile *profile, uint32_t line) {
    if (line >= profile->module->line_count) return NULL;
    uint32_t *at = &profile->line_at[line];
    if (*at) return &profile->lines[*at - 1].sums;
    if (!make_room(&profile->lines, profile->line_count, &profile->line_capacity, sizeof *profile->lines))
        return NULL;
    observe_line_sums *made = &profile->lines[profile->line_count];
    *made = (observe_line_sums){.line = line};
    *at = ++profile->line_count;
    profiles->line_total++;
    return &made->sums;
}

static char *text_of(const ptx_module *module, const ptx_inst *inst) {
    base_text text = {0};
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *function = module->functions[i];
        if (function->inst_count && inst >= function->insts && inst < function->insts + function->inst_count)
            ptx_print_inst(module, function, inst, &text);
    }
    char *data = text.data ? text.data : copy_text("");
    if (!data) return NULL;
    char *from = data + strspn(data, " \t\n");
    size_t length = strcspn(from, ";\n"); // without what ends it
    memmove(data, from, length);
    data[length] = 0;
    return data;
}

observe_inst_accesses *observe_profile_accesses(observe_profile *profile, const ptx_inst *inst) {
    observe_module *module = profile->module;
    uint32_t memory = inst->serial < module->inst_count ? module->memory_of[inst->serial] : 0;
    if (!memory) return NULL;
    uint32_t *at = &profile->access_at[memory - 1];
    if (*at) return &profile->accesses[*at - 1];
    if (!make_room(&profile->accesses, profile->access_count, &profile->access_capacity,
                   sizeof *profile->accesses))
        return NULL;
    observe_inst_accesses *made = &profile->accesses[profile->access_count];
    *made = (observe_inst_accesses){.line = module->line_of[inst->serial],
                                    .ptx_line = inst->line,
                                    .address_by_data = module->infos[inst->serial].address_by_data,
                                    .gathered = module->infos[inst->serial].gathered};
    if (module->module) made->text = text_of(module->module, inst);
    *at = ++profile->access_count;
    return made;
}
