// Writes the kernels and runs them on a device.
//
// Kernel kI computes form I for one lane per thread: sources from in[lane][4], results to out[lane][2], all
// as 64 bits. Forms share modules; where a module is refused, each of its forms is tried alone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform.h"

enum { BATCH = 64, THREADS = 256 };

// ---- PTX ----------------------------------------------------------------------------------------

static const char *const source_names[SOURCES] = {"a", "b", "c", "g"};
static const char *const result_names[RESULTS] = {"d", "e"};

static void write_source(const operand_type *type, const char *name, unsigned index, base_text *text) {
    if (type->bits == 1) {
        base_text_add(text, ".reg .b32 %%x%u; .reg .pred %%%s;\nld.global.b32 %%x%u, [%%in+%u];\n", index,
                      name, index, index * 8);
        base_text_add(text, "setp.ne.u32 %%%s, %%x%u, 0;\n", name, index);
    } else {
        base_text_add(text, ".reg .b%u %%%s;\nld.global.b%u %%%s, [%%in+%u];\n", type->bits, name, type->bits,
                      name, index * 8);
    }
}

static void write_result_start(const operand_type *type, const char *name, base_text *text) {
    if (type->bits == 1)
        base_text_add(text, ".reg .pred %%%s;\nsetp.ne.u32 %%%s, %%lane, %%lane;\n", name, name);
    else
        base_text_add(text, ".reg .b%u %%%s;\nmov.b%u %%%s, 0;\n", type->bits, name, type->bits, name);
}

static void write_result(const operand_type *type, const char *name, base_text *text) {
    if (type->bits == 1)
        base_text_add(text, "selp.b64 %%z%s, 1, 0, %%%s;\n", name, name);
    else if (type->bits == 64)
        base_text_add(text, "mov.b64 %%z%s, %%%s;\n", name, name);
    else
        base_text_add(text, "cvt.u64.u%u %%z%s, %%%s;\n", type->bits, name, name);
}

static void write_kernel(const form *f, size_t index, base_text *text) {
    base_text_add(
        text,
        ".visible .entry k%zu(.param .u64 p_in, .param .u64 p_out, .param .u64 p_cells, .param .u32 "
        "p_mask) {\n"
        ".reg .b64 %%in, %%out, %%m, %%n, %%o, %%zd, %%ze;\n"
        ".reg .b32 %%lane, %%t, %%u, %%w, %%s; .reg .pred %%p, %%leave;\n",
        index);
    base_text_add(text, "mov.u32 %%lane, %%laneid;\nld.param.u32 %%t, [p_mask];\nshr.u32 %%t, %%t, %%lane;\n"
                        "and.b32 %%t, %%t, 1;\nsetp.eq.u32 %%leave, %%t, 0;\n@%%leave exit;\n"
                        "mov.u32 %%t, %%tid.x;\nmov.u32 %%u, %%ctaid.x;\n");
    base_text_add(text,
                  "mad.lo.u32 %%u, %%u, %d, %%t;\nld.param.u64 %%in, [p_in];\nld.param.u64 %%out, "
                  "[p_out];\nmad.wide.u32 %%in, %%u, %d, %%in;\nmad.wide.u32 %%out, %%u, %d, %%out;\n",
                  THREADS, SOURCES * 8, RESULTS * 8);
    if (strstr(f->text, "%m") || strstr(f->text, "%n"))
        base_text_add(text,
                      "ld.param.u64 %%m, [p_cells];\nmad.wide.u32 %%m, %%u, %d, %%m;\nmov.b64 %%n, %%m;\n",
                      CELL_BYTES);
    if (strstr(f->text, "%s") || strstr(f->text, "%o"))
        base_text_add(text,
                      ".shared .align 16 .b8 cells[%d];\nmov.u32 %%s, cells;\nmad.lo.u32 %%s, %%t, %d, "
                      "%%s;\ncvt.u64.u32 %%o, %%s;\ncvta.shared.u64 %%o, %%o;\n",
                      THREADS * CELL_BYTES, CELL_BYTES);
    for (unsigned s = 0; s < f->source_count; s++) write_source(f->sources[s], source_names[s], s, text);
    for (unsigned r = 0; r < f->result_count; r++) write_result_start(f->results[r], result_names[r], text);
    base_text_add(text, "%s\n", f->text);
    base_text_add(text, "mov.b64 %%ze, 0;\n");
    for (unsigned r = 0; r < f->result_count; r++) write_result(f->results[r], result_names[r], text);
    base_text_add(text, "st.global.b64 [%%out], %%zd;\nst.global.b64 [%%out+8], %%ze;\nret;\n}\n");
}

void kernels_write(const form *forms, size_t count, base_text *text) {
    base_text_add(text, ".version 8.3\n.target sm_90\n.address_size 64\n");
    for (size_t i = 0; i < count; i++) write_kernel(&forms[i], i, text);
}

// ---- running ------------------------------------------------------------------------------------

typedef struct runner {
    kz_device *device;
    kz_ptr in, out, cells;
    uint64_t seed;
    uint32_t mask;
    uint64_t (*values)[SOURCES];
    const form *values_of; // whose inputs are on the device
} runner;

static kz_status run_kernel(runner *r, kz_module *module, size_t index, const form *f, run_result *result,
                            kz_error *error) {
    char name[24];
    kz_kernel *kernel;
    snprintf(name, sizeof name, "k%zu", index);
    kz_status status = kz_module_kernel(module, name, &kernel, error);
    if (status) return status;
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {LANES / THREADS, 1, 1}, .block = {THREADS, 1, 1}};
    const void *args[] = {&r->in, &r->out, &r->cells, &r->mask};
    if (!r->values_of || !values_same(r->values_of, f)) {
        values_make(f, r->seed, r->values);
        status = kz_copy_to_device(r->device, NULL, r->in, r->values, sizeof(inputs), error);
        if (status) return status;
        r->values_of = f;
    }
    if ((status = kz_memory_fill(r->device, NULL, r->out, 0, sizeof(outputs), error))) return status;
    if ((status = kz_launch_kernel(r->device, NULL, kernel, &launch, args, 4, error))) return status;
    outputs *to = malloc(sizeof *to);
    if (!to) return base_fail(error, KZ_NO_MEMORY, "no memory for the results");
    status = kz_copy_to_host(r->device, NULL, to, r->out, sizeof *to, error);
    if (!status) status = kz_device_synchronize(r->device, error);
    if (!status)
        result->values = to;
    else
        free(to);
    return status;
}

static void refuse(run_result *result, const kz_error *error) {
    snprintf(result->refused, sizeof result->refused, "%.390s", error->message);
    for (char *at = result->refused; *at; at++)
        if (*at == '\n') *at = ' ';
}

// One module of several forms; where it fails as a whole, of one form each.
static void run_batch(runner *r, const form *forms, size_t count, run_result *results) {
    base_text text = {0};
    kz_error error = {0};
    kz_module *module = NULL;
    kernels_write(forms, count, &text);
    kz_image image = {.size = sizeof(kz_image), .name = "conform", .ptx = text.data, .ptx_size = text.length};
    kz_status status = kz_module_load(r->device, &image, &module, &error);
    if (status && count > 1) {
        for (size_t i = 0; i < count; i++) run_batch(r, &forms[i], 1, &results[i]);
    } else if (status) {
        refuse(&results[0], &error);
    } else {
        for (size_t i = 0; i < count; i++)
            if (run_kernel(r, module, i, &forms[i], &results[i], &error)) refuse(&results[i], &error);
    }
    if (module) kz_module_close(module);
    base_text_free(&text);
}

kz_status kernels_run(const char *device, const form_list *forms, uint64_t seed, uint32_t mask,
                      run_result *results, kz_device_info *info, kz_error *error) {
    runner r = {.seed = seed, .mask = mask, .values = malloc(sizeof(inputs))};
    kz_status status = kz_device_open(device, &r.device, error);
    if (status) goto done;
    *info = *kz_device_get_info(r.device);
    if ((status = kz_memory_alloc(r.device, sizeof(inputs), &r.in, error))) goto done;
    if ((status = kz_memory_alloc(r.device, sizeof(outputs), &r.out, error))) goto done;
    if ((status = kz_memory_alloc(r.device, (size_t)LANES * CELL_BYTES, &r.cells, error))) goto done;
    // Forms of one group share a module: a refusal then costs the fewest retries.
    for (size_t at = 0, count; at < forms->count; at += count) {
        for (count = 1; count < BATCH && at + count < forms->count; count++)
            if (strcmp(forms->items[at].group, forms->items[at + count].group)) break;
        run_batch(&r, &forms->items[at], count, &results[at]);
    }
done:
    if (r.device) kz_device_close(r.device);
    free(r.values);
    return status;
}
