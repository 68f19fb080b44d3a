// What a device computed, kept for machines without that device.
//
// Inputs come from a seed. The file has a line per pattern of forms.def: "= pattern", then a word for each of its forms in
// the order of their expansion: "3df95ed2/0b7e41c9", a hash (FNV-1a of inputs and outputs) of all lanes, and a byte of one
// for each of BLOCKS blocks of lanes, which tell where a form differs. Where there are NaN, a second hash with all NaN
// alike stands between: "022f17a1:e5c966d1/0b7e41c9". An approximation has its error in ulp, one that was refused "-".
// "=3" is the word of the pattern's form 3 (from 0) once more: many forms of a pattern compute the same.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform.h"

enum { WORD = 40 };

static const excuse excuses[] = {
#define DIFFERENT(start, reason) {start, reason},
#include "different.def"
#undef DIFFERENT
    {NULL, NULL},
};

const excuse *golden_excuse(const form *f) {
    for (size_t i = 0; excuses[i].start; i++)
        if (!strncmp(f->text, excuses[i].start, strlen(excuses[i].start))) return &excuses[i];
    return NULL;
}

static uint32_t hashed(uint32_t hash, const void *data, size_t bytes) {
    const uint8_t *at = data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ at[i]) * 16777619u;
    return hash;
}

// The inputs of the form before serve again where they are the same.
typedef struct input_cache {
    uint64_t (*values)[SOURCES];
    const form *of;
    uint32_t hash;
} input_cache;

static void cache_fill(input_cache *cache, const form *f, uint64_t seed) {
    if (cache->of && values_same(cache->of, f)) return;
    values_make(f, seed, cache->values);
    cache->hash = hashed(2166136261u, cache->values, sizeof(inputs));
    cache->of = f;
}

// Of `count` lanes; with `canonical`, all NaN are one.
static uint32_t hash_outputs(const form *f, uint32_t hash, outputs from, unsigned first, unsigned count,
                             bool canonical) {
    for (unsigned lane = first; lane < first + count; lane++) {
        uint64_t pair[RESULTS] = {from[lane][0], from[lane][1]};
        for (unsigned r = 0; canonical && r < f->result_count; r++)
            pair[r] = canonical_bits(f->results[r]->format, pair[r]);
        hash = hashed(hash, pair, sizeof pair);
    }
    return hash;
}

// A word of the file, taken apart.
typedef struct digest {
    uint32_t exact, canonical;
    uint8_t blocks[BLOCKS];
    bool has_blocks;
} digest;

static digest digest_of(const form *f, uint32_t hash, outputs from) {
    digest d = {.exact = hash_outputs(f, hash, from, 0, LANES, false),
                .canonical = hash_outputs(f, hash, from, 0, LANES, true),
                .has_blocks = true};
    for (unsigned b = 0; b < BLOCKS; b++) {
        uint32_t block = hash_outputs(f, hash, from, b * LANES / BLOCKS, LANES / BLOCKS, true);
        d.blocks[b] = (uint8_t)(block ^ block >> 8 ^ block >> 16 ^ block >> 24);
    }
    return d;
}

static void digest_write(base_text *text, const digest *d) {
    base_text_add(text, "%08x", (unsigned)d->exact);
    if (d->canonical != d->exact) base_text_add(text, ":%08x", (unsigned)d->canonical);
    for (unsigned b = 0; b < BLOCKS; b++) base_text_add(text, b ? "%02x" : "/%02x", d->blocks[b]);
    base_text_add(text, " ");
}

static bool digest_read(const char *word, digest *d) {
    int length = 0;
    unsigned exact, canonical, block;
    if (sscanf(word, "%8x%n", &exact, &length) != 1 || length != 8) return false;
    *d = (digest){.exact = exact, .canonical = exact};
    word += length;
    if (*word == ':' && sscanf(word, ":%8x", &canonical) == 1) d->canonical = canonical, word += 9;
    d->has_blocks = *word == '/' && strlen(word + 1) == 2 * BLOCKS;
    for (unsigned b = 0; d->has_blocks && b < BLOCKS; b++)
        if (sscanf(word + 1 + 2 * b, "%2x", &block) == 1) d->blocks[b] = (uint8_t)block;
    return *word == 0 || d->has_blocks;
}

static void write_word(base_text *text, const form *f, uint32_t hash, const run_result *result,
                       const verdict *v) {
    if (!result->values) {
        base_text_add(text, "- ");
    } else if (f->oracle != NONE) {
        base_text_add(text, "%.3g ", v->error_b);
    } else {
        digest d = digest_of(f, hash, *result->values);
        digest_write(text, &d);
    }
}

// The word at `index` of a line; false where the line ends before.
static bool take_word(const char *line, unsigned long index, char word[WORD]) {
    for (; index > 0 && *line && *line != '\n'; index--) line += strcspn(line, " \n") + 1;
    return *line && *line != '\n' && sscanf(line, "%39s", word) == 1;
}

// The last word of the line, at `last`, becomes the number of one that is the same.
static void shorten_word(base_text *text, size_t line, size_t last, unsigned index) {
    char word[WORD], other[WORD];
    if (text->failed || !take_word(text->data + last, 0, word) || strlen(word) < 8) return;
    for (unsigned i = 0; i < index; i++) {
        if (!take_word(text->data + line, i, other) || strcmp(word, other)) continue;
        text->length = last;
        base_text_add(text, "=%u ", i);
        return;
    }
}

kz_status golden_write(const char *path, const form_list *forms, uint64_t seed, const run_result *results,
                       const verdict *verdicts, const char *device, kz_error *error) {
    base_text text = {0};
    input_cache cache = {.values = malloc(sizeof(inputs))};
    if (!cache.values) return base_fail(error, KZ_NO_MEMORY, "no memory for the inputs");
    unsigned next = 0;
    size_t line = 0;
    base_text_add(&text, "# %s\n", device);
    for (size_t i = 0; i < forms->count; i++) {
        const form *f = &forms->items[i];
        if (i == 0 || forms->items[i - 1].pattern != f->pattern)
            base_text_add(&text, "%s= %s\n", i ? "\n" : "", f->pattern), next = 0, line = text.length;
        while (next++ < f->index) base_text_add(&text, "? "); // left out by a filter
        cache_fill(&cache, f, seed);
        size_t last = text.length;
        write_word(&text, f, cache.hash, &results[i], &verdicts[i]);
        shorten_word(&text, line, last, f->index);
    }
    base_text_add(&text, "\n");
    kz_status status = text.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for %s", path)
                                   : base_file_write(path, text.data, text.length, error);
    base_text_free(&text);
    free(cache.values);
    return status;
}

// What the file has of this form; false where it does not know it.
static bool find_word(const char *text, const form *f, char word[WORD]) {
    size_t length = strlen(f->pattern);
    const char *at = strstr(text, "\n= ");
    while (at && (strncmp(at + 3, f->pattern, length) || at[3 + length] != '\n')) at = strstr(at + 1, "\n= ");
    if (!at) return false;
    at += 4 + length;
    if (!take_word(at, f->index, word)) return false;
    if (word[0] == '=' && !take_word(at, strtoul(word + 1, NULL, 10), word)) return false;
    return word[0] != '?';
}

static verdict judge(const form *f, input_cache *cache, const run_result *a, const char *word) {
    // A's own errors; against itself, for the file has no values.
    verdict v = compare_form(f, cache->values, a, a, UINT32_MAX);
    if (!a->values) v.refused[1] = NULL;
    if (word[0] == '-') v.refused[1] = "the device of the file refused it";
    if (v.refused[0] || v.refused[1]) return v;
    if (f->oracle != NONE) {
        v.error_b = strtod(word, NULL);
        return v;
    }
    digest kept;
    if (!digest_read(word, &kept)) {
        v.refused[1] = "its word in the file is no digest: make it anew on the device";
        return v;
    }
    if (hash_outputs(f, cache->hash, *a->values, 0, LANES, false) == kept.exact) return v;
    digest own = digest_of(f, cache->hash, *a->values);
    if (own.canonical == kept.canonical) {
        v.nan_only = v.lanes;
        return v;
    }
    v.differ = v.lanes;
    for (unsigned b = 0; b < BLOCKS && kept.has_blocks; b++)
        v.blocks |= (unsigned)(own.blocks[b] != kept.blocks[b]) << b;
    return v;
}

kz_status golden_judge(const char *path, const form_list *forms, uint64_t seed, const run_result *results,
                       verdict *verdicts, char device[96], kz_error *error) {
    char *text = NULL;
    size_t size;
    input_cache cache = {.values = malloc(sizeof(inputs))};
    kz_status status = base_file_read(path, &text, &size, error);
    if (!status && !cache.values) status = base_fail(error, KZ_NO_MEMORY, "no memory for the inputs");
    if (!status) snprintf(device, 96, "%.*s", (int)strcspn(text + 2, "\n"), text + 2);
    for (size_t i = 0; !status && i < forms->count; i++) {
        const form *f = &forms->items[i];
        char word[WORD];
        if (!find_word(text, f, word)) {
            verdicts[i].refused[1] = "the file does not know it: make it anew on the device";
            continue;
        }
        cache_fill(&cache, f, seed);
        verdicts[i] = judge(f, &cache, &results[i], word);
    }
    free(text);
    free(cache.values);
    return status;
}

static void write_lane(base_text *text, const form *f, const uint64_t *in, const uint64_t *a,
                       const uint64_t *b) {
    for (unsigned s = 0; s < f->source_count; s++) base_text_add(text, "%llx ", (unsigned long long)in[s]);
    base_text_add(text, "|");
    for (unsigned r = 0; r < f->result_count; r++) base_text_add(text, " %llx", (unsigned long long)a[r]);
    base_text_add(text, " |");
    for (unsigned r = 0; r < f->result_count; r++) base_text_add(text, " %llx", (unsigned long long)b[r]);
    base_text_add(text, "\n");
}

kz_status golden_write_lanes(const char *path, const form_list *forms, uint64_t seed, const run_result *a,
                             const run_result *b, kz_error *error) {
    base_text text = {0};
    input_cache cache = {.values = malloc(sizeof(inputs))};
    if (!cache.values) return base_fail(error, KZ_NO_MEMORY, "no memory for the inputs");
    base_text_add(&text, "# sources | A | B\n");
    for (size_t i = 0; i < forms->count; i++) {
        const form *f = &forms->items[i];
        if (f->oracle != NONE || !a[i].values || !b[i].values ||
            !memcmp(a[i].values, b[i].values, sizeof(outputs)))
            continue;
        cache_fill(&cache, f, seed);
        base_text_add(&text, "= %s\n", f->text);
        for (unsigned lane = 0; lane < LANES; lane++) {
            const uint64_t *x = (*a[i].values)[lane], *y = (*b[i].values)[lane];
            if (memcmp(x, y, RESULTS * sizeof *x)) write_lane(&text, f, cache.values[lane], x, y);
        }
    }
    kz_status status = text.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for %s", path)
                                   : base_file_write(path, text.data, text.length, error);
    base_text_free(&text);
    free(cache.values);
    return status;
}
