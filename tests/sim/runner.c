// Runs PTX, and CUDA compiled to PTX, that carries its launch and what is expected of it:
//   ptx_runner FILE.ptx...            or   ptx_runner FILE.cu=COMPILED.ptx
//
//   // launch: grid 2 block 32 cluster 2 shared 1024 kernel name cooperative   (kernel: where there are
//   several)
//   // arg: out u32[64] = 0            a buffer; values repeat until it is full
//   // arg: n u32 = 64                 a scalar
//   // arg: map tensor = x u32 dims 40,12 strides 192 box 16,4     a tensor map of the buffer x, by value; further
//   words: steps 1,2 swizzle 128 interleave 16 nan; im2col lower -1,-1 upper 0,0 channels 4 pixels 24; "zeros" alone:
//   no map at all
//   // expect: out = 1 2 3             the first values; "..." at the end: the last ones repeat
//   // expect fault: out of bounds     the launch fails and says so; may be given several times
//   // expect print: hello             the device prints this line
//   // arg: out u32[64] = undefined     a buffer that nobody has written; "scratch": nor will the host read
//   it
//   // expect finding: race shared      with --sanitize: a finding of that kind whose line of the record
//                                      (docs/record.md) holds the words that follow it
//   // instruments: numerics            with --sanitize: besides races,sync,undefined
//   // seeds: 3                         with --sanitize: so many drawn schedules, besides the plain one
//
// Types: u8 u16 u32 u64 s32 s64 f32 f64 b32 (hexadecimal). Floats compare within 4 units of the last
// place of float (f64: 1e-12 relative), "nan" is any NaN. On the simulator each file runs on one host
// thread and on two, and both must give what is expected. With --device cuda first, the same files run on a
// GPU, those that expect a fault left out: so the hardware confirms the expectations. With --sanitize first,
// detectors listen: they must find what is expected and nothing else but notes.

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kz/kz.h"
#include "observe/observe.h"

enum { MAX_ARGS = 16, MAX_EXPECTS = 16 };

typedef struct argument {
    char name[32], type[8];
    bool scalar, undefined, scratch;
    char *tensor; // a tensor map: its words
    _Alignas(KZ_TENSOR_MAP_ALIGN) uint8_t map[KZ_TENSOR_MAP_BYTES];
    size_t count, width;
    uint8_t *data, *result, *before; // what it starts with, what the run gave, what the run before gave
    uint64_t address;
    uint8_t value[8];
} argument;

typedef struct test_file {
    char *text;
    size_t size;
    char kernel[128];
    kz_launch launch;
    argument args[MAX_ARGS];
    size_t arg_count;
    char *expects[MAX_EXPECTS], *faults[MAX_EXPECTS], *prints[MAX_EXPECTS], *findings[MAX_EXPECTS];
    size_t expect_count, fault_count, print_count, finding_count;
    const char *instruments;
    uint64_t seeds;
} test_file;

static size_t width_of(const char *type) {
    int bits = atoi(type + 1);
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? (size_t)bits / 8 : 0;
}

// One value from the text; false at its end.
static bool next_value(char **cursor, const char *type, uint8_t out[8]) {
    char *word = *cursor + strspn(*cursor, " \t,");
    size_t length = strcspn(word, " \t,");
    if (!length || !strncmp(word, "...", 3)) return false;
    char *end;
    memset(out, 0, 8);
    if (type[0] == 'f') {
        double value = strtod(word, &end);
        float single = (float)value;
        if (type[1] == '6')
            memcpy(out, &value, 8);
        else
            memcpy(out, &single, 4);
    } else {
        uint64_t value =
            word[0] == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, type[0] == 'b' ? 16 : 0);
        memcpy(out, &value, 8);
    }
    *cursor = end > word ? end : word + length;
    return true;
}

static bool parse_arg(test_file *t, char *line) {
    argument *a = &t->args[t->arg_count++];
    char shape[64];
    int used = 0;
    if (t->arg_count > MAX_ARGS || sscanf(line, "%31s %63s = %n", a->name, shape, &used) != 2 || !used)
        return false;
    char *bracket = strchr(shape, '[');
    if (bracket) *bracket = 0;
    snprintf(a->type, sizeof a->type, "%.7s", shape);
    a->scalar = !bracket;
    if (!strcmp(shape, "tensor")) a->tensor = line + used;
    a->width = a->tensor ? 4 : width_of(a->type);
    a->count = bracket ? strtoul(bracket + 1, NULL, 0) : 1;
    a->data = calloc(a->count + 1, a->width);
    a->result = calloc(a->count + 1, a->width);
    a->before = calloc(a->count + 1, a->width);
    if (!a->width || !a->data || !a->result || !a->before) return false;
    uint8_t value[8] = {0};
    char *cursor = line + used, *start = cursor;
    a->scratch = !strcmp(cursor, "scratch");
    a->undefined = a->scratch || !strcmp(cursor, "undefined");
    if (a->undefined || a->tensor) return a->tensor || !a->scalar;
    for (size_t i = 0; i < a->count; i++) {
        if (!next_value(&cursor, a->type, value)) {
            cursor = start;
            if (!next_value(&cursor, a->type, value)) return false;
        }
        memcpy(a->data + i * a->width, value, a->width);
    }
    memcpy(a->value, a->data, a->width);
    return true;
}

// ---- tensor maps -----------------------------------------------------------------------------------------

// "16,4" to numbers, as wide as the field.
static void read_list(const char *text, void *to, size_t width) {
    for (size_t i = 0; text && *text && i < KZ_TENSOR_RANK; i++) {
        char *end;
        int64_t value = strtoll(text, &end, 0);
        memcpy((char *)to + i * width, &value, width);
        text = *end == ',' ? end + 1 : NULL;
    }
}

static kz_tensor_type tensor_type_of(const char *name) {
    static const char *const names[] = {
#define KZ_TENSOR_TYPE(id, text, ...) text,
#include "kz/tensor_types.def"
#undef KZ_TENSOR_TYPE
    };
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (!strcmp(names[i], name)) return (kz_tensor_type)i;
    return (kz_tensor_type)-1;
}

static void read_word(kz_tensor *tensor, const char *word, char **rest) {
    uint64_t number = 0;
    if (!strcmp(word, "nan")) {
        tensor->fill_nan = true;
        return;
    }
    if (!strcmp(word, "im2col")) {
        tensor->im2col = true;
        return;
    }
    const char *value = strtok_r(NULL, " ", rest);
    if (value) number = strtoull(value, NULL, 0);
    if (!strcmp(word, "dims")) {
        read_list(value, tensor->dims, 8);
        for (tensor->rank = 1; (value = strchr(value, ',')); value++) tensor->rank++;
    } else if (!strcmp(word, "strides"))
        read_list(value, tensor->strides + 1, 8);
    else if (!strcmp(word, "box"))
        read_list(value, tensor->box, 4);
    else if (!strcmp(word, "steps"))
        read_list(value, tensor->steps, 4);
    else if (!strcmp(word, "lower"))
        read_list(value, tensor->lower, 4);
    else if (!strcmp(word, "upper"))
        read_list(value, tensor->upper, 4);
    else if (!strcmp(word, "channels"))
        tensor->channels = (uint32_t)number;
    else if (!strcmp(word, "pixels"))
        tensor->pixels = (uint32_t)number;
    else if (!strcmp(word, "swizzle"))
        tensor->swizzle = (kz_tensor_swizzle)(number == 32 ? 1 : number == 64 ? 2 : 3);
    else if (!strcmp(word, "interleave"))
        tensor->interleave = (kz_tensor_interleave)(number / 16);
}

// The map of an argument, when all buffers have their addresses.
static kz_status encode_map(kz_device *device, const test_file *t, argument *a, kz_error *error) {
    kz_tensor tensor = {.size = sizeof tensor, .rank = 1};
    char words[256], *rest;
    snprintf(words, sizeof words, "%s", a->tensor);
    const char *name = strtok_r(words, " ", &rest), *type = strtok_r(NULL, " ", &rest);
    memset(a->map, 0, sizeof a->map);
    if (!type) return KZ_OK; // zeros
    for (size_t i = 0; i < t->arg_count; i++)
        if (!strcmp(t->args[i].name, name)) tensor.address = t->args[i].address;
    tensor.type = tensor_type_of(type);
    for (const char *word; (word = strtok_r(NULL, " ", &rest));) read_word(&tensor, word, &rest);
    return kz_tensor_map_encode(device, &tensor, a->map, error);
}

static bool parse_launch(test_file *t, char *line) {
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
        uint32_t *to = !strcmp(word, "grid")      ? t->launch.grid
                       : !strcmp(word, "block")   ? t->launch.block
                       : !strcmp(word, "cluster") ? t->launch.cluster
                                                  : NULL;
        if (!strcmp(word, "cooperative")) {
            t->launch.cooperative = true;
            continue;
        }
        char *value = strtok(NULL, " ");
        if (!value) return false;
        if (to == t->launch.cluster) to[0] = to[1] = to[2] = 1;
        if (to)
            sscanf(value, "%ux%ux%u", &to[0], &to[1], &to[2]);
        else if (!strcmp(word, "shared"))
            t->launch.dynamic_shared_bytes = (uint32_t)atoi(value);
        else if (!strcmp(word, "kernel"))
            snprintf(t->kernel, sizeof t->kernel, "%s", value);
        else
            return false;
    }
    return true;
}

static bool parse_line(test_file *t, char *line) {
    static const char *const keys[] = {
        "// launch: ",         "// arg: ",         "// expect: ", "// expect fault: ", "// expect print: ",
        "// expect finding: ", "// instruments: ", "// seeds: "};
    for (size_t i = 0; i < BASE_COUNT(keys); i++) {
        size_t n = strlen(keys[i]);
        if (strncmp(line, keys[i], n)) continue;
        char *rest = line + n;
        switch (i) {
        case 0: return parse_launch(t, rest);
        case 1: return parse_arg(t, rest);
        case 2: return t->expect_count < MAX_EXPECTS && (t->expects[t->expect_count++] = rest);
        case 3: return t->fault_count < MAX_EXPECTS && (t->faults[t->fault_count++] = rest);
        case 4: return t->print_count < MAX_EXPECTS && (t->prints[t->print_count++] = rest);
        case 5: return t->finding_count < MAX_EXPECTS && (t->findings[t->finding_count++] = rest);
        case 6: return (t->instruments = rest);
        default: return (t->seeds = strtoull(rest, NULL, 0)) != 0;
        }
    }
    return true;
}

static bool equal(const char *type, const uint8_t *got, const uint8_t *want, size_t width) {
    if (type[0] != 'f') return !memcmp(got, want, width);
    double g, w, bound;
    if (width == 8) {
        memcpy(&g, got, 8);
        memcpy(&w, want, 8);
        bound = 1e-12 * fabs(w);
    } else {
        float gf, wf;
        memcpy(&gf, got, 4);
        memcpy(&wf, want, 4);
        g = gf;
        w = wf;
        bound = 4 * 5.97e-8 * fabs(w);
    }
    if (isnan(w) || isinf(w)) return isnan(w) ? isnan(g) : g == w;
    return fabs(g - w) <= bound;
}

static bool check_expect(const test_file *t, const char *file, char *line) {
    char name[32];
    int used = 0;
    if (sscanf(line, "%31s = %n", name, &used) != 1 || !used) return false;
    for (size_t i = 0; i < t->arg_count; i++) {
        const argument *a = &t->args[i];
        if (strcmp(a->name, name)) continue;
        uint8_t value[8];
        char *cursor = line + used, *last = cursor;
        bool repeats = strstr(line, "...") != NULL;
        for (size_t e = 0; e < a->count; e++) {
            char *before = cursor;
            if (!next_value(&cursor, a->type, value)) {
                if (!repeats) break;
                cursor = last;
                next_value(&cursor, a->type, value);
            } else
                last = before;
            if (equal(a->type, a->result + e * a->width, value, a->width)) continue;
            uint64_t got = 0, want = 0;
            memcpy(&got, a->result + e * a->width, a->width);
            memcpy(&want, value, a->width);
            fprintf(stderr, "%s: %s[%zu] is 0x%llx, expected 0x%llx (%s)\n", file, name, e,
                    (unsigned long long)got, (unsigned long long)want, a->type);
            return false;
        }
        return true;
    }
    fprintf(stderr, "%s: expect of an unknown argument %s\n", file, name);
    return false;
}

static void keep_print(void *context, const char *text, size_t length) {
    base_text_add_bytes(context, text, length);
}

// The name of the last kernel in the text: what runs where the file does not say.
static void find_kernel(test_file *t) {
    for (const char *at = t->text; (at = strstr(at, ".entry ")); at++)
        sscanf(at, ".entry %127[^( \n]", t->kernel);
}

static kz_status run_on(kz_device *device, test_file *t, const char *file, base_text *printed,
                        kz_error *error) {
    kz_image image = {.size = sizeof(kz_image), .name = file, .ptx = t->text, .ptx_size = t->size};
    kz_module *module = NULL;
    kz_kernel *kernel;
    const void *args[MAX_ARGS];
    if (!t->kernel[0]) find_kernel(t);
    kz_device_set_print(device, keep_print, printed, error);
    kz_status status = kz_module_load(device, &image, &module, error);
    if (status == KZ_OK) status = kz_module_kernel(module, t->kernel, &kernel, error);
    for (size_t i = 0; i < t->arg_count && status == KZ_OK; i++) {
        argument *a = &t->args[i];
        args[i] = a->tensor ? (const void *)a->map : a->value;
        if (a->scalar) continue;
        status = kz_memory_alloc(device, a->count * a->width, &a->address, error);
        if (status == KZ_OK && !a->undefined)
            status = kz_copy_to_device(device, NULL, a->address, a->data, a->count * a->width, error);
        memcpy(a->value, &a->address, 8);
    }
    for (size_t i = 0; i < t->arg_count && status == KZ_OK; i++)
        if (t->args[i].tensor) status = encode_map(device, t, &t->args[i], error);
    if (status == KZ_OK)
        status = kz_launch_kernel(device, NULL, kernel, &t->launch, args, t->arg_count, error);
    if (status == KZ_OK) status = kz_device_synchronize(device, error);
    for (size_t i = 0; i < t->arg_count && status == KZ_OK; i++)
        if (!t->args[i].scalar)
            status = kz_copy_to_host(device, NULL, t->args[i].result, t->args[i].address,
                                     t->args[i].count * t->args[i].width, error);
    if (status == KZ_OK) status = kz_device_synchronize(device, error);
    for (size_t i = 0; i < t->arg_count; i++)
        if (!t->args[i].scalar) kz_memory_free(device, t->args[i].address, NULL);
    kz_module_close(module);
    return status;
}

static kz_status run(test_file *t, const char *device_id, const char *file, unsigned threads,
                     base_text *printed, kz_error *error) {
    kz_device *device;
    kz_status status = kz_device_open(device_id, &device, error);
    if (status != KZ_OK) return status;
    if (threads) kz_device_set_threads(device, threads, NULL);
    status = run_on(device, t, file, printed, error);
    kz_device_close(device);
    return status;
}

static bool judge(const test_file *t, const char *file, kz_status status, const base_text *printed,
                  const kz_error *error) {
    bool good = true;
    if (t->fault_count) {
        if (status == KZ_OK) {
            fprintf(stderr, "%s: expected a fault, but the launch succeeded\n", file);
            return false;
        }
        for (size_t i = 0; i < t->fault_count; i++)
            if (!strstr(error->message, t->faults[i])) {
                fprintf(stderr, "%s: expected a fault with \"%s\", got:\n%s\n", file, t->faults[i],
                        error->message);
                good = false;
            }
        return good;
    }
    if (status != KZ_OK) {
        fprintf(stderr, "%s: %s\n%s\n", file, kz_status_text(status), error->message);
        return false;
    }
    for (size_t i = 0; i < t->expect_count; i++) good = check_expect(t, file, t->expects[i]) && good;
    for (size_t i = 0; i < t->print_count; i++)
        if (!printed->data || !strstr(printed->data, t->prints[i])) {
            fprintf(stderr, "%s: expected to print \"%s\", printed:\n%s\n", file, t->prints[i],
                    printed->data ? printed->data : "");
            good = false;
        }
    return good;
}

static void keep_results(test_file *t) {
    for (size_t i = 0; i < t->arg_count; i++)
        memcpy(t->args[i].before, t->args[i].result, t->args[i].count * t->args[i].width);
}

static bool same_as_before(const test_file *t, const char *file) {
    for (size_t i = 0; i < t->arg_count; i++) {
        const argument *a = &t->args[i];
        if (!memcmp(a->before, a->result, a->count * a->width)) continue;
        fprintf(stderr, "%s: %s differs between one host thread and two\n", file, a->name);
        return false;
    }
    return true;
}

// ---- with detectors ------------------------------------------------------------------------------------

// Any simulated GPU of sm_90 makes the same map.
static kz_status encode_observed(test_file *t, kz_error *error) {
    kz_device *device = NULL;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < t->arg_count && !status; i++) {
        if (!t->args[i].tensor) continue;
        if (!device) status = kz_device_open("sim:h200", &device, error);
        if (!status) status = encode_map(device, t, &t->args[i], error);
    }
    if (device) kz_device_close(device);
    return status;
}

static kz_status run_observed(sim_machine *machine, observe_session *session, test_file *t, const char *file,
                              uint64_t seed, kz_error *error) {
    ptx_module *module = NULL;
    sim_program *program = NULL;
    const void *args[MAX_ARGS];
    if (!t->kernel[0]) find_kernel(t);
    kz_status status = ptx_module_open(file, t->text, t->size, &module, error);
    if (status == KZ_OK) status = sim_program_open(machine, module, &program, error);
    for (size_t i = 0; i < t->arg_count && status == KZ_OK; i++) {
        argument *a = &t->args[i];
        args[i] = a->tensor ? (const void *)a->map : a->value;
        if (a->scalar) continue;
        status = sim_memory_alloc(machine, a->count * a->width, &a->address, error);
        if (status == KZ_OK && !a->undefined)
            status = sim_memory_write(machine, a->address, a->data, a->count * a->width, error);
        memcpy(a->value, &a->address, 8);
    }
    if (status == KZ_OK) status = encode_observed(t, error);
    sim_launch launch = {.dynamic_shared_bytes = t->launch.dynamic_shared_bytes,
                         .cooperative = t->launch.cooperative,
                         .args = args,
                         .arg_count = t->arg_count,
                         .seed = seed};
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = t->launch.grid[i];
        launch.block[i] = t->launch.block[i];
        launch.cluster[i] = t->launch.cluster[i];
    }
    sim_result result = {0};
    if (status == KZ_OK) {
        status = sim_run(program, t->kernel, &launch, &result, error);
        sim_launch_event event = {
            .module = module, .entry = ptx_find_function(module, t->kernel), .launch = &launch};
        if (status && event.entry) observe_session_fault(session, &event, &result.fault, error);
    }
    for (size_t i = 0; i < t->arg_count && status == KZ_OK; i++)
        if (!t->args[i].scalar && !t->args[i].scratch)
            status = sim_memory_read(machine, t->args[i].result, t->args[i].address,
                                     t->args[i].count * t->args[i].width, error);
    for (size_t i = 0; i < t->arg_count; i++)
        if (!t->args[i].scalar && t->args[i].address) sim_memory_free(machine, t->args[i].address, NULL);
    if (program) sim_program_close(program);
    return status;
}

static bool line_has(const char *line, char *expected) {
    char kind[64], mark[96];
    int used = 0;
    sscanf(expected, "%63s %n", kind, &used);
    snprintf(mark, sizeof mark, "\"kind\":\"%s\"", kind);
    return strstr(line, mark) && (!used || strstr(line, expected + used));
}

// Every expected finding is there, and every error or warning was expected.
static bool judge_findings(const test_file *t, const char *file, uint64_t seed, char *record,
                           bool found[MAX_EXPECTS]) {
    bool good = true;
    char *rest = NULL;
    for (char *line = strtok_r(record, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!strstr(line, "\"type\":\"finding\"")) continue;
        bool expected = strstr(line, "\"severity\":\"note\"") != NULL;
        for (size_t i = 0; i < t->finding_count; i++)
            if (line_has(line, t->findings[i])) found[i] = expected = true;
        if (expected) continue;
        fprintf(stderr, "%s: not expected (seed %llu): %s\n", file, (unsigned long long)seed, line);
        good = false;
    }
    return good;
}

static bool run_sanitized(test_file *t, const char *file, uint64_t seed, bool found[MAX_EXPECTS]) {
    sim_config config = {.sm = 90,
                         .multiprocessors = 132,
                         .max_threads_per_block = 1024,
                         .max_threads_per_multiprocessor = 2048,
                         .max_blocks_per_multiprocessor = 32,
                         .shared_per_block = 48 << 10,
                         .shared_per_block_optin = 227 << 10,
                         .shared_per_multiprocessor = 228 << 10,
                         .memory_bytes = UINT64_C(1) << 30};
    observe_gpu gpu = {.key = "h200", .sm = 90, .multiprocessors = 132};
    observe_options options = {0};
    observe_session *session = NULL;
    sim_machine *machine = NULL;
    base_text record = {0}, words = {0};
    kz_error error = {0};
    base_text_add(&words, "races,sync,undefined%s%s", t->instruments ? "," : "",
                  t->instruments ? t->instruments : "");
    kz_status status = observe_options_parse(words.data, &options, &error);
    if (!status) status = observe_session_open(&options, &gpu, &session, &error);
    if (!status) status = sim_machine_open(&config, &machine, &error);
    if (!status) {
        sim_machine_set_listener(machine, observe_session_listener(session));
        run_observed(machine, session, t, file, seed, &error); // a fault becomes a finding
        observe_session_finish(session, &record);
    } else
        fprintf(stderr, "%s: %s\n", file, error.message);
    bool good = !status && judge_findings(t, file, seed, record.data ? record.data : (char[]){0}, found);
    if (machine) sim_machine_close(machine);
    observe_session_close(session);
    base_text_free(&record);
    base_text_free(&words);
    return good;
}

static bool sanitize(test_file *t, const char *file) {
    bool found[MAX_EXPECTS] = {0}, good = true;
    for (uint64_t seed = 0; seed <= t->seeds; seed++) good = run_sanitized(t, file, seed, found) && good;
    for (size_t i = 0; i < t->finding_count; i++)
        if (!found[i]) {
            fprintf(stderr, "%s: not found: %s\n", file, t->findings[i]);
            good = false;
        }
    return good;
}

// ---- files -----------------------------------------------------------------------------------------------

static bool run_file(const char *device, bool sanitizes, const char *file) {
    test_file t = {.launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}}};
    kz_error error = {0};
    char *header = NULL;
    size_t header_size;
    char source[1024];
    snprintf(source, sizeof source, "%s", file);
    char *code = strchr(source, '=');
    if (code) *code++ = 0;
    bool good = base_file_read(code ? code : source, &t.text, &t.size, &error) == KZ_OK &&
                base_file_read(source, &header, &header_size, &error) == KZ_OK;
    if (!good) fprintf(stderr, "%s\n", error.message);
    char *rest = NULL;
    for (char *line = good ? strtok_r(header, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        char *copy = strdup(line);
        if (!parse_line(&t, line)) {
            fprintf(stderr, "%s: cannot read: %s\n", file, copy);
            good = false;
        }
        free(copy);
    }
    if (good && !sanitizes && !t.expect_count && !t.fault_count && !t.print_count) {
        fprintf(stderr, "%s: expects nothing, so it cannot fail\n", file);
        good = false;
    }
    bool simulated = !strncmp(device, "sim", 3);
    if (good && sanitizes) good = sanitize(&t, file);
    for (unsigned threads = simulated ? 1 : 0; good && !sanitizes && threads <= (simulated ? 2 : 0);
         threads++) {
        if (!simulated && t.fault_count) break; // a fault would take the context with it
        base_text printed = {0};
        if (!simulated) t.print_count = 0; // the driver prints by itself
        kz_status status = run(&t, device, file, threads, &printed, &error);
        good = judge(&t, file, status, &printed, &error) && (threads < 2 || same_as_before(&t, file));
        keep_results(&t);
        base_text_free(&printed);
    }
    for (size_t i = 0; i < t.arg_count; i++) {
        free(t.args[i].data);
        free(t.args[i].result);
        free(t.args[i].before);
    }
    free(header);
    free(t.text);
    return good;
}

int main(int argc, char **argv) {
    int passed = 0, failed = 0;
    const char *device = "sim:h200";
    int first = 1;
    bool sanitizes = argc > 2 && !strcmp(argv[1], "--sanitize");
    if (sanitizes) first = 2;
    if (argc > 2 && !strcmp(argv[1], "--device")) {
        device = argv[2];
        first = 3;
    }
    for (int i = first; i < argc; i++) *(run_file(device, sanitizes, argv[i]) ? &passed : &failed) += 1;
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
