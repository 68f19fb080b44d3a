// Findings: what detectors said, put into words while the modules and buffers it is about still exist.
//
// One finding per kind and pair of source lines; the first of them is kept whole, or the first of those that
// reach furthest, the others are counted. A detector may say the same millions of times, so a pair of instructions that was seen before in this launch
// is known by a small table of pointers alone.
#include "observe/observe.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/inspect.h"

enum { RECENT = 1024, MOST_FINDINGS = 1000 };

struct observe_words {
    uint64_t key; // of the source line
    char *json, *kernel, *module;
    uint64_t launch; // from 1
};

typedef struct item {
    observe_finding_kind kind;
    observe_severity severity;
    uint64_t key, count;
    uint32_t reach;
    char *json; // the line without its end: ,"count":N}
} item;

typedef struct buffer {
    uint64_t address, bytes, serial;
    char label[96];
    uint64_t caller;      // where the program called for it; 0: not known
    char *function;       // the one that called; NULL: not known
    bool live, on_device; // from device malloc
    uint64_t data;        // where its elements begin,
    uint32_t element;     // and the bytes of one; 0: not known
    bool was_filled;      // before the launch
} buffer;

typedef struct recent {
    const void *first, *second;
    uint32_t kind, item; // kind * 2 + is_warning; item + 1
} recent;

struct observe_findings {
    sim_listener listener; // first
    item *items;
    size_t count, capacity;
    buffer *buffers; // by address
    size_t buffer_count, buffer_capacity;
    observe_words **words;
    size_t word_count, word_capacity;
    char **unchecked;
    size_t unchecked_count, unchecked_capacity;
    struct {
        const ptx_module *module;
        const ptx_function *entry;
        uint32_t grid[3], block[3];
        uint64_t number;
    } launch;
    recent recent[RECENT];
};

// OBSERVE_FINDING's rows, as data.
static const struct {
    const char *name, *title;
    observe_severity severity;
} kinds[] = {
#define OBSERVE_FINDING(id, name, severity, title) {name, title, OBSERVE_##severity},
#include "observe/findings.def"
#undef OBSERVE_FINDING
};

const char *observe_severity_name(observe_severity severity) {
    return severity == OBSERVE_ERROR ? "error" : severity == OBSERVE_WARNING ? "warning" : "note";
}

static observe_severity severity_of(const observe_finding *finding) {
    return finding->is_warning ? OBSERVE_WARNING : kinds[finding->kind].severity;
}

static bool grow(void **list, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) return true;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    void *grown = realloc(*list, wanted * size);
    if (!grown) return false;
    *list = grown;
    *capacity = wanted;
    return true;
}

static uint64_t hash_text(const char *text) { return base_hash(BASE_HASH, text, strlen(text) + 1); }

// ---- sites in words ------------------------------------------------------------------------------------

static const char *path_at(const ptx_module *module, int32_t location) {
    uint32_t file = module->locations[location].file;
    return file < module->file_count ? module->files[file].path : "?";
}

static void add_source(const ptx_module *module, const ptx_inst *inst, base_text *out) {
    int32_t user = ptx_user_location(module, inst);
    base_text_add(out, "\"file\":");
    base_text_add_json(out, user < 0 ? module->name : path_at(module, user));
    base_text_add(out, ",\"line\":%u", user < 0 ? inst->line : module->locations[user].line);
    if (user < 0) {
        base_text_add(out, ",\"is_ptx\":true");
        return;
    }
    if (module->locations[user].column) base_text_add(out, ",\"column\":%u", module->locations[user].column);
    const char *before = ",\"inlined_at\":[";
    for (int32_t at = module->locations[user].inlined_at; at >= 0; at = module->locations[at].inlined_at) {
        base_text_add(out, "%s{\"file\":", before);
        base_text_add_json(out, path_at(module, at));
        base_text_add(out, ",\"line\":%u}", module->locations[at].line);
        before = ",";
    }
    if (before[1] == 0) base_text_add(out, "]");
}

static void add_triple(base_text *out, const char *name, uint32_t linear, const uint32_t size[3]) {
    uint32_t x = size[0] ? size[0] : 1, y = size[1] ? size[1] : 1;
    base_text_add(out, ",\"%s\":[%u,%u,%u]", name, linear % x, linear / x % y, linear / x / y);
}

static const ptx_function *function_of(const ptx_module *module, const ptx_inst *inst) {
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *f = module->functions[i];
        if (f->inst_count && inst >= f->insts && inst < f->insts + f->inst_count) return f;
    }
    return NULL;
}

static bool loads(const ptx_inst *inst) {
    bool matrix = inst->op == PTX_OP_LDMATRIX;
    for (unsigned i = 0; inst->op == PTX_OP_WMMA && i < inst->mod_count; i++)
        matrix = matrix || inst->mods[i] == PTX_MOD_LOAD;
    return matrix || ptx_op_get(inst->op)->class == PTX_CLASS_LOAD;
}

static void add_site(const observe_findings *findings, const observe_site *site, base_text *out) {
    static const char *const agents[] = {NULL, "async", "bulk", "product"};
    const ptx_module *module = findings->launch.module;
    const ptx_function *function = function_of(module, site->inst);
    base_text_add(out, "{");
    add_source(module, site->inst, out);
    add_triple(out, "block", site->block, findings->launch.grid);
    add_triple(out, "thread", site->thread, findings->launch.block);
    base_text_add(out, ",\"ptx_line\":%u", site->inst->line);
    if (function) {
        base_text text = {0};
        ptx_print_inst(module, function, site->inst, &text);
        const char *at = text.data ? text.data : "";
        while (*at == ' ' || *at == '\t') at++;
        if (text.length && text.data[text.length - 1] == '\n') text.data[text.length - 1] = 0;
        base_text_add(out, ",\"ptx\":");
        base_text_add_json(out, at);
        base_text_free(&text);
    }
    bool memory = site->is_write || site->is_atomic || site->agent != SIM_THREAD || loads(site->inst);
    if (memory)
        base_text_add(out, ",\"access\":\"%s\"",
                      site->is_atomic  ? "atomic"
                      : site->is_write ? "write"
                                       : "read");
    if (site->agent != SIM_THREAD) base_text_add(out, ",\"agent\":\"%s\"", agents[site->agent]);
    base_text_add(out, "}");
}

// The line of the source; without line info the line of the PTX, in its kernel's module.
static uint64_t line_key(const observe_findings *findings, const ptx_inst *inst) {
    const ptx_module *module = findings->launch.module;
    int32_t user = ptx_user_location(module, inst);
    uint64_t file = hash_text(user < 0 ? module->name : path_at(module, user));
    uint32_t line = user < 0 ? inst->line : module->locations[user].line;
    return base_hash(file, &line, sizeof line);
}

const observe_words *observe_findings_words(observe_findings *findings, const observe_site *site) {
    if (!site->inst || !findings->launch.module) return NULL;
    if (!grow((void **)&findings->words, &findings->word_capacity, findings->word_count,
              sizeof *findings->words))
        return NULL;
    observe_words *words = calloc(1, sizeof *words);
    if (!words) return NULL;
    base_text json = {0};
    add_site(findings, site, &json);
    words->key = line_key(findings, site->inst);
    words->json = json.data;
    words->kernel = strdup(findings->launch.entry->name);
    words->module = strdup(findings->launch.module->name);
    words->launch = findings->launch.number;
    findings->words[findings->word_count++] = words;
    return words;
}

bool observe_words_are_of_one_line(const observe_words *a, const observe_words *b) {
    return a->key == b->key;
}

void observe_findings_write_words(const observe_words *words, base_text *out) {
    base_text_add(out, "%s", words->json ? words->json : "{}");
}

// ---- buffers --------------------------------------------------------------------------------------------

static size_t buffer_after(const observe_findings *findings, uint64_t address) {
    size_t low = 0, high = findings->buffer_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (findings->buffers[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Freed buffers are remembered until something else lies there: a late access is about them.
static void add_buffer(observe_findings *findings, const sim_memory_event *event) {
    size_t at = buffer_after(findings, event->address), first = at, last = at;
    while (first > 0 &&
           findings->buffers[first - 1].address + findings->buffers[first - 1].bytes > event->address)
        first--;
    while (last < findings->buffer_count && findings->buffers[last].address < event->address + event->bytes)
        last++;
    if (first > 0 && findings->buffers[first - 1].address == event->address) first--; // of no bytes
    if (!grow((void **)&findings->buffers, &findings->buffer_capacity, findings->buffer_count + 1,
              sizeof *findings->buffers))
        return;
    for (size_t i = first; i < last; i++) free(findings->buffers[i].function);
    memmove(findings->buffers + first + 1, findings->buffers + last,
            (findings->buffer_count - last) * sizeof *findings->buffers);
    findings->buffer_count = findings->buffer_count - (last - first) + 1;
    buffer *made = &findings->buffers[first];
    *made = (buffer){.address = event->address,
                     .bytes = event->bytes,
                     .serial = event->serial,
                     .live = true,
                     .on_device = event->at != NULL};
    if (event->label) strncpy(made->label, event->label, sizeof made->label - 1);
}

static void on_memory(sim_listener *listener, const sim_memory_event *event) {
    observe_findings *findings = (observe_findings *)listener;
    if (event->kind == SIM_MEMORY_ALLOC) add_buffer(findings, event);
    if (event->kind != SIM_MEMORY_FREE) return;
    size_t at = buffer_after(findings, event->address);
    if (at && findings->buffers[at - 1].address == event->address) findings->buffers[at - 1].live = false;
}

void observe_findings_describe(observe_findings *findings, const observe_buffer *from) {
    size_t at = buffer_after(findings, from->base);
    if (at == 0 || findings->buffers[at - 1].address != from->base) return;
    buffer *b = &findings->buffers[at - 1];
    b->data = from->data;
    b->element = from->element;
    b->was_filled = from->is_written;
    snprintf(b->label, sizeof b->label, "%s", from->name ? from->name : "");
}

void observe_findings_allocated(observe_findings *findings, uint64_t address, uint64_t caller,
                                const char *function) {
    size_t at = buffer_after(findings, address);
    if (at == 0 || findings->buffers[at - 1].address != address) return;
    buffer *b = &findings->buffers[at - 1];
    free(b->function);
    b->caller = caller;
    b->function = function ? strdup(function) : NULL;
}

const char *observe_findings_caller(const observe_findings *findings, uint64_t address, uint64_t *caller) {
    size_t at = buffer_after(findings, address);
    bool is_known = at && findings->buffers[at - 1].address == address;
    *caller = is_known ? findings->buffers[at - 1].caller : 0;
    return is_known ? findings->buffers[at - 1].function : NULL;
}

bool observe_findings_is_described(const observe_findings *findings, uint64_t address, bool *was_filled) {
    size_t at = buffer_after(findings, address);
    const buffer *b = at ? &findings->buffers[at - 1] : NULL;
    if (!b || address - b->address >= b->bytes || !b->element) return false;
    *was_filled = b->was_filled;
    return true;
}

bool observe_findings_buffer(const observe_findings *findings, uint64_t address, base_text *out) {
    size_t at = buffer_after(findings, address);
    if (at == 0 || address - findings->buffers[at - 1].address >= findings->buffers[at - 1].bytes)
        return false;
    const buffer *b = &findings->buffers[at - 1];
    char name[OBSERVE_NAME];
    if (b->element && address >= b->data)
        base_text_add(out, "%s[%llu], ", b->label, (unsigned long long)((address - b->data) / b->element));
    base_text_add(out, "byte %llu of ", (unsigned long long)(address - b->address));
    if (b->element)
        base_text_add(out, "buffer %s", b->label);
    else if (b->label[0])
        base_text_add(out, "%s", observe_plain_name(b->label, name));
    else
        base_text_add(out, "%s %llu", b->on_device ? "device malloc" : "allocation",
                      (unsigned long long)b->serial);
    base_text_add(out, " (%llu bytes%s)", (unsigned long long)b->bytes, b->live ? "" : ", freed");
    return true;
}

// A mangled name is a sequence of lengths and identifiers among other letters: the last one is the
// variable's.
const char *observe_plain_name(const char *mangled, char out[OBSERVE_NAME]) {
    const char *name = mangled;
    size_t size = strlen(mangled), left = size;
    for (size_t i = strncmp(mangled, "_Z", 2) == 0 ? 2 : size; i < size;) {
        size_t digits = strspn(mangled + i, "0123456789"), length = strtoul(mangled + i, NULL, 10);
        bool fits = digits && length && length <= size - i - digits;
        bool is_name = fits && (isalpha((unsigned char)mangled[i + digits]) || mangled[i + digits] == '_');
        if (is_name) {
            name = mangled + i + digits;
            left = length;
        }
        i += is_name ? digits + length : 1;
    }
    snprintf(out, OBSERVE_NAME, "%.*s", (int)(left < OBSERVE_NAME ? left : OBSERVE_NAME - 1), name);
    return out;
}

static bool add_buffer_words(const observe_findings *findings, const observe_finding *finding,
                             base_text *out) {
    uint64_t offset = finding->address;
    switch (finding->space) {
    case SIM_GLOBAL:
    case SIM_CONST: return observe_findings_buffer(findings, offset, out);
    case SIM_DISTRIBUTED: offset &= UINT32_MAX; // fall through
    case SIM_SHARED: {
        uint32_t begin = 0;
        char name[OBSERVE_NAME];
        const ptx_variable *v =
            finding->self ? sim_inspect_shared_variable(finding->self, (uint32_t)offset, &begin) : NULL;
        if (v)
            base_text_add(out, "byte %llu of shared variable %s (%llu bytes)",
                          (unsigned long long)(offset - begin), observe_plain_name(v->name, name),
                          (unsigned long long)v->size);
        else if ((uint32_t)offset > INT32_MAX) // an index below 0 wraps
            base_text_add(out, "%llu bytes before the block's shared memory",
                          (unsigned long long)((UINT64_C(1) << 32) - (uint32_t)offset));
        else
            base_text_add(out, "byte %llu of the block's shared memory", (unsigned long long)offset);
        if (finding->space == SIM_DISTRIBUTED)
            base_text_add(out, " of block %u", (unsigned)(finding->address >> 32));
        return true;
    }
    case SIM_LOCAL:
        base_text_add(out, "byte %llu of the thread's local memory", (unsigned long long)offset);
        return true;
    default: return false;
    }
}

// ---- adding ---------------------------------------------------------------------------------------------

static bool is_symmetric(observe_finding_kind kind) {
    return kind == OBSERVE_RACE || kind == OBSERVE_RACE_SAME_VALUE;
}

static uint64_t key_of(const observe_findings *findings, const observe_finding *finding) {
    uint64_t first = 0, second = 0;
    if (finding->first_words)
        first = finding->first_words->key;
    else if (finding->first.inst)
        first = line_key(findings, finding->first.inst);
    if (finding->second_words)
        second = finding->second_words->key;
    else if (finding->second.inst)
        second = line_key(findings, finding->second.inst);
    if (!first && !second)
        first = finding->place ? finding->place : hash_text(finding->text);
    else if (!second) // one side is a call, not a line
        second = finding->place;
    if (is_symmetric(finding->kind) && first > second) {
        uint64_t other = first;
        first = second;
        second = other;
    }
    uint64_t key = first * UINT64_C(0x9e3779b97f4a7c15) ^ second;
    return (key * 31 + (uint64_t)finding->kind) * 2 + finding->is_warning;
}

static void add_where(const observe_findings *findings, const observe_finding *finding, base_text *out) {
    const observe_words *words = finding->first_words ? finding->first_words : finding->second_words;
    const char *kernel = NULL, *module = NULL;
    uint64_t number = findings->launch.number;
    if (finding->first.inst || finding->second.inst) {
        kernel = findings->launch.entry->name;
        module = findings->launch.module->name;
    } else if (words) {
        kernel = words->kernel;
        module = words->module;
        number = words->launch;
    }
    if (!kernel) return;
    base_text_add(out, ",\"kernel\":");
    base_text_add_json(out, kernel);
    base_text_add(out, ",\"module\":");
    base_text_add_json(out, module);
    base_text_add(out, ",\"launch\":%llu", (unsigned long long)number);
}

static void add_side(const observe_findings *findings, const char *name, const observe_words *words,
                     const observe_site *site, base_text *out) {
    if (!words && !site->inst) return;
    base_text_add(out, ",\"%s\":", name);
    if (words)
        base_text_add(out, "%s", words->json ? words->json : "{}");
    else
        add_site(findings, site, out);
}

static char *put_into_words(const observe_findings *findings, const observe_finding *finding) {
    static const char *const spaces[] = {
        [SIM_GLOBAL] = "global",  [SIM_SHARED] = "shared", [SIM_LOCAL] = "local",
        [SIM_PARAM] = "param",    [SIM_CONST] = "const",   [SIM_DISTRIBUTED] = "distributed",
        [SIM_TEXTURE] = "texture"};
    static const char *const reaches[] = {"lanes", "warps", "blocks", "operations"};
    base_text out = {0}, buffer_words = {0};
    base_text_add(&out, "{\"type\":\"finding\",\"kind\":\"%s\",\"severity\":\"%s\",\"title\":",
                  kinds[finding->kind].name, observe_severity_name(severity_of(finding)));
    base_text_add_json(&out, kinds[finding->kind].title);
    base_text_add(&out, ",\"text\":");
    base_text_add_json(&out, finding->text);
    add_where(findings, finding, &out);
    add_side(findings, "first", finding->first_words, &finding->first, &out);
    add_side(findings, "second", finding->second_words, &finding->second, &out);
    if (is_symmetric(finding->kind) && finding->reach < BASE_COUNT(reaches))
        base_text_add(&out, ",\"between\":\"%s\"", reaches[finding->reach]);
    if (finding->bytes) {
        base_text_add(&out, ",\"space\":\"%s\",\"address\":\"0x%llx\",\"bytes\":%u", spaces[finding->space],
                      (unsigned long long)finding->address, finding->bytes);
        if (add_buffer_words(findings, finding, &buffer_words)) {
            base_text_add(&out, ",\"buffer\":");
            base_text_add_json(&out, buffer_words.data);
        }
    }
    base_text_free(&buffer_words);
    if (!out.failed) return out.data;
    base_text_free(&out);
    return NULL;
}

static recent *recent_of(observe_findings *findings, const observe_finding *finding) {
    const void *first = finding->first.inst ? (const void *)finding->first.inst : finding->first_words;
    const void *second = finding->second.inst ? (const void *)finding->second.inst : finding->second_words;
    if (!first && !second) return NULL;
    uint32_t kind = (uint32_t)finding->kind * 2 + finding->is_warning;
    uint64_t hash = (uint64_t)(uintptr_t)first * 31 + (uint64_t)(uintptr_t)second * 17 + kind;
    recent *r = &findings->recent[(hash * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
    if (r->item && r->first == first && r->second == second && r->kind == kind) return r;
    *r = (recent){.first = first, .second = second, .kind = kind};
    return r;
}

static void replace_item(observe_findings *findings, item *known, const observe_finding *finding) {
    char *json = put_into_words(findings, finding);
    if (!json) return;
    free(known->json);
    known->json = json;
    known->reach = finding->reach;
}

void observe_findings_add(observe_findings *findings, const observe_finding *finding) {
    recent *known = recent_of(findings, finding);
    if (known && known->item && finding->reach <= findings->items[known->item - 1].reach) {
        findings->items[known->item - 1].count++;
        return;
    }
    uint64_t key = key_of(findings, finding);
    size_t at = 0;
    while (at < findings->count &&
           (findings->items[at].key != key || findings->items[at].kind != finding->kind))
        at++;
    if (at == findings->count && at == MOST_FINDINGS) {
        observe_findings_unchecked(
            findings, "there were more than %d different findings: the others are not kept", MOST_FINDINGS);
        return;
    }
    if (at == findings->count) {
        if (!grow((void **)&findings->items, &findings->capacity, findings->count, sizeof *findings->items))
            return;
        char *json = put_into_words(findings, finding);
        if (!json) return;
        findings->items[findings->count++] = (item){.kind = finding->kind,
                                                    .severity = severity_of(finding),
                                                    .key = key,
                                                    .reach = finding->reach,
                                                    .json = json};
    } else if (finding->reach > findings->items[at].reach) {
        replace_item(findings, &findings->items[at], finding);
    }
    findings->items[at].count++;
    if (known) known->item = (uint32_t)at + 1;
}

// ---- the whole ------------------------------------------------------------------------------------------

observe_findings *observe_findings_open(void) {
    observe_findings *findings = calloc(1, sizeof *findings);
    if (findings) findings->listener.memory = on_memory;
    return findings;
}

sim_listener *observe_findings_listener(observe_findings *findings) { return &findings->listener; }

void observe_findings_close(observe_findings *findings) {
    if (!findings) return;
    for (size_t i = 0; i < findings->count; i++) free(findings->items[i].json);
    for (size_t i = 0; i < findings->word_count; i++) {
        free(findings->words[i]->json);
        free(findings->words[i]->kernel);
        free(findings->words[i]->module);
        free(findings->words[i]);
    }
    for (size_t i = 0; i < findings->unchecked_count; i++) free(findings->unchecked[i]);
    free(findings->unchecked);
    free(findings->items);
    for (size_t i = 0; i < findings->buffer_count; i++) free(findings->buffers[i].function);
    free(findings->buffers);
    free(findings->words);
    free(findings);
}

void observe_findings_launch(observe_findings *findings, const sim_launch_event *event) {
    findings->launch.module = event->module;
    findings->launch.entry = event->entry;
    findings->launch.number = event->serial + 1;
    for (int i = 0; i < 3; i++) {
        findings->launch.grid[i] = event->launch ? event->launch->grid[i] : 1;
        findings->launch.block[i] = event->launch ? event->launch->block[i] : 1;
    }
    memset(findings->recent, 0, sizeof findings->recent); // modules come and go: pointers mean new things
}

void observe_findings_unchecked(observe_findings *findings, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (size_t i = 0; i < findings->unchecked_count; i++)
        if (strcmp(findings->unchecked[i], text) == 0) return;
    if (!grow((void **)&findings->unchecked, &findings->unchecked_capacity, findings->unchecked_count,
              sizeof *findings->unchecked))
        return;
    char *kept = strdup(text);
    if (kept) findings->unchecked[findings->unchecked_count++] = kept;
}

size_t observe_findings_count(const observe_findings *findings, observe_severity at_least) {
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++) count += findings->items[i].severity >= at_least;
    return count;
}

void observe_findings_write(const observe_findings *findings, base_text *out) {
    for (int severity = OBSERVE_ERROR; severity >= (int)OBSERVE_NOTE; severity--)
        for (size_t i = 0; i < findings->count; i++) {
            const item *it = &findings->items[i];
            if ((int)it->severity == severity)
                base_text_add(out, "%s,\"count\":%llu}\n", it->json, (unsigned long long)it->count);
        }
    for (size_t i = 0; i < findings->unchecked_count; i++) {
        base_text_add(out, "{\"type\":\"unchecked\",\"text\":");
        base_text_add_json(out, findings->unchecked[i]);
        base_text_add(out, "}\n");
    }
}
