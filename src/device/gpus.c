// Reads gpus/ files: lines of `key = value unit`, `#` starts a comment. Every key must stand there once,
// so that a typing error cannot leave a limit at zero.
#include "device/gpus.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char device_gpu_default[] = "h200";

const char *device_gpu_choose(const char *asked) {
    const char *variable = getenv("KZ_GPU");
    const char *name = asked ? asked : variable && *variable ? variable : device_gpu_default;
    return strncmp(name, "sim:", 4) == 0 ? name + 4 : name; // as --device has it
}

typedef enum gpu_unit { UNIT_COUNT, UNIT_BYTES, UNIT_HERTZ, UNIT_BYTES_PER_S, UNIT_FLOPS } gpu_unit;

typedef struct gpu_key {
    const char *name;
    size_t offset;
    gpu_unit unit;
    double lowest, highest;
} gpu_key;

static const gpu_key keys[] = {
#define GPU_KEY(field, unit, lowest, highest)                                                                \
    {#field, offsetof(device_gpu, field), UNIT_##unit, lowest, highest},
#include "device/gpu_keys.def"
#undef GPU_KEY
};

static const struct {
    const char *text;
    gpu_unit unit;
    double factor;
} suffixes[] = {
    {"KiB", UNIT_BYTES, 1024},        {"MiB", UNIT_BYTES, 1048576}, {"GiB", UNIT_BYTES, 1073741824},
    {"MHz", UNIT_HERTZ, 1e6},         {"GHz", UNIT_HERTZ, 1e9},     {"GB/s", UNIT_BYTES_PER_S, 1e9},
    {"TB/s", UNIT_BYTES_PER_S, 1e12}, {"GFLOP/s", UNIT_FLOPS, 1e9}, {"TFLOP/s", UNIT_FLOPS, 1e12},
    {"GOP/s", UNIT_FLOPS, 1e9},       {"TOP/s", UNIT_FLOPS, 1e12},
};

// Where a reader stands, for messages.
typedef struct gpu_reader {
    const char *file;
    unsigned line;
    kz_error *error;
} gpu_reader;

static kz_status reader_fail(const gpu_reader *at, const char *what, const char *text) {
    base_fail(at->error, KZ_SYNTAX, "%s:%u: %s: %.60s", at->file, at->line, what, text);
    base_fail_note(at->error, "lines are `key = value unit`; gpus/README.md lists the keys and units");
    return KZ_SYNTAX;
}

// Cuts blanks off both ends, in place.
static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = 0;
    return text;
}

static kz_status parse_number(const gpu_reader *at, const gpu_key *key, const char *text, double *value) {
    char *end;
    double number = strtod(text, &end);
    if (end == text || !isfinite(number)) return reader_fail(at, "expected a number", text);
    while (isspace((unsigned char)*end)) end++;
    double factor = *end ? 0 : 1;
    for (size_t i = 0; i < BASE_COUNT(suffixes); i++)
        if (suffixes[i].unit == key->unit && strcmp(end, suffixes[i].text) == 0) factor = suffixes[i].factor;
    if (factor == 0) return reader_fail(at, "unknown unit for this key", end);
    number *= factor;
    bool whole = key->unit == UNIT_COUNT || key->unit == UNIT_BYTES;
    if (whole && number != floor(number)) return reader_fail(at, "expected a whole number", text);
    if (number < key->lowest || number > key->highest) {
        base_fail(at->error, KZ_SYNTAX, "%s:%u: %s is %g, which is not within %g to %g", at->file, at->line,
                  key->name, number, key->lowest, key->highest);
        return KZ_SYNTAX;
    }
    *value = number;
    return KZ_OK;
}

static kz_status parse_text(const gpu_reader *at, const char *text, char *out, size_t capacity) {
    if (out[0]) return reader_fail(at, "this key was given before", text);
    if (!text[0]) return reader_fail(at, "expected a text", text);
    if (strlen(text) >= capacity) return reader_fail(at, "the text is too long", text);
    strcpy(out, text);
    return KZ_OK;
}

// One line, its comment already cut off. `seen` has a bit for each row of `keys`.
static kz_status parse_line(const gpu_reader *at, char *line, device_gpu *gpu, uint64_t *seen) {
    line = trim(line);
    if (!line[0]) return KZ_OK;
    char *equals = strchr(line, '=');
    if (!equals) return reader_fail(at, "expected `key = value`", line);
    *equals = 0;
    char *key = trim(line), *value = trim(equals + 1);
    if (strcmp(key, "name") == 0) return parse_text(at, value, gpu->name, sizeof gpu->name);
    if (strcmp(key, "match") == 0) return parse_text(at, value, gpu->match, sizeof gpu->match);
    for (size_t i = 0; i < BASE_COUNT(keys); i++) {
        if (strcmp(key, keys[i].name) != 0) continue;
        if (*seen >> i & 1) return reader_fail(at, "this key was given before", key);
        *seen |= UINT64_C(1) << i;
        return parse_number(at, &keys[i], value, (double *)((char *)gpu + keys[i].offset));
    }
    return reader_fail(at, "unknown key", key);
}

// What no single line can tell: a missing key, or limits that contradict each other.
static kz_status check_whole(const char *file, const device_gpu *gpu, uint64_t seen, kz_error *error) {
    for (size_t i = 0; i < BASE_COUNT(keys); i++)
        if (!(seen >> i & 1))
            return base_fail(error, KZ_SYNTAX, "%s: the key `%s` is missing", file, keys[i].name);
    if (!gpu->name[0] || !gpu->match[0])
        return base_fail(error, KZ_SYNTAX, "%s: the key `%s` is missing", file,
                         gpu->name[0] ? "match" : "name");
    if (gpu->shared_per_block > gpu->shared_per_block_optin ||
        gpu->shared_per_block_optin > gpu->shared_per_multiprocessor)
        return base_fail(
            error, KZ_SYNTAX,
            "%s: shared_per_block <= shared_per_block_optin <= shared_per_multiprocessor does not hold",
            file);
    if (gpu->max_threads_per_block > gpu->max_threads_per_multiprocessor)
        return base_fail(error, KZ_SYNTAX,
                         "%s: max_threads_per_block is more than max_threads_per_multiprocessor", file);
    return KZ_OK;
}

// The stem of a path, in lower case: what the GPU is called in device ids.
static void take_key(const char *file, char *key, size_t capacity) {
    const char *slash = strrchr(file, '/');
    const char *from = slash ? slash + 1 : file;
    size_t length = 0;
    for (; from[length] && from[length] != '.' && length + 1 < capacity; length++)
        key[length] = (char)tolower((unsigned char)from[length]);
    key[length] = 0;
}

kz_status device_gpu_parse(const char *file, const char *text, device_gpu *gpu, kz_error *error) {
    memset(gpu, 0, sizeof *gpu);
    take_key(file, gpu->key, sizeof gpu->key);
    gpu_reader at = {.file = file, .error = error};
    uint64_t seen = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        char line[256];
        at.line++;
        size_t content = 0; // up to the comment
        while (content < length && text[content] != '#') content++;
        if (content >= sizeof line) return reader_fail(&at, "the line is too long", text);
        memcpy(line, text, content);
        line[content] = 0;
        kz_status status = parse_line(&at, line, gpu, &seen);
        if (status) return status;
        text += length + (text[length] == '\n');
    }
    return check_whole(file, gpu, seen, error);
}

static bool is_path(const char *key) {
    size_t length = strlen(key);
    return strchr(key, '/') || (length > 4 && strcmp(key + length - 4, ".gpu") == 0);
}

kz_status device_gpu_load(const char *key, device_gpu *gpu, kz_error *error) {
    if (is_path(key)) {
        char *text;
        size_t size;
        kz_status status = base_file_read(key, &text, &size, error);
        if (status) return status;
        status = device_gpu_parse(key, text, gpu, error);
        free(text);
        return status;
    }
    for (size_t i = 0; i < device_gpu_file_count; i++) {
        if (strcmp(device_gpu_files[i].key, key) != 0) continue;
        char file[64];
        snprintf(file, sizeof file, "gpus/%.32s.gpu", key);
        return device_gpu_parse(file, device_gpu_files[i].text, gpu, error);
    }
    base_fail(error, KZ_NOT_FOUND, "no GPU is called '%.40s'", key);
    base_text known = {0};
    for (size_t i = 0; i < device_gpu_file_count; i++) base_text_add(&known, " %s", device_gpu_files[i].key);
    base_fail_note(error, "known are:%s; or give the path of a file of your own, such as ./my.gpu",
                   known.data ? known.data : "");
    base_text_free(&known);
    return KZ_NOT_FOUND;
}

// By insertion, so that there may be any number of files.
size_t device_gpu_list(device_gpu *gpus, size_t capacity) {
    size_t count = 0;
    for (size_t i = 0; i < device_gpu_file_count; i++) {
        device_gpu gpu;
        if (device_gpu_load(device_gpu_files[i].key, &gpu, NULL)) continue;
        size_t kept = count < capacity ? count : capacity, at = kept;
        while (at > 0 && gpus[at - 1].bandwidth < gpu.bandwidth) at--;
        if (kept == capacity && kept > at) kept--;
        if (at < capacity) {
            memmove(&gpus[at + 1], &gpus[at], (kept - at) * sizeof *gpus);
            gpus[at] = gpu;
        }
        count++;
    }
    return count;
}

// Whether `words` stand in `name` as whole words: "T4" in "Tesla T4", not in "T400".
static bool has_words(const char *name, const char *words) {
    size_t length = strlen(words);
    for (const char *at = strstr(name, words); at; at = strstr(at + 1, words)) {
        bool starts = at == name || !isalnum((unsigned char)at[-1]);
        if (starts && !isalnum((unsigned char)at[length])) return true;
    }
    return false;
}

bool device_gpu_match(const char *name, int sm, int multiprocessors, double memory_bytes, device_gpu *gpu) {
    bool found = false;
    for (size_t i = 0; i < device_gpu_file_count; i++) {
        device_gpu g;
        if (device_gpu_load(device_gpu_files[i].key, &g, NULL)) continue;
        if (!has_words(name, g.match) || (int)g.sm != sm || (int)g.multiprocessors != multiprocessors)
            continue;
        if (fabs(memory_bytes - g.memory) > 0.1 * g.memory) continue;
        if (found && g.bandwidth <= gpu->bandwidth) continue;
        *gpu = g;
        found = true;
    }
    return found;
}
