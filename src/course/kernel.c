// A learner's kernel: compiled, its signature looked at, its launch and its buffers; see kernel.h.
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpus.h"
#include "source_rules.h"

// ---- compiling ------------------------------------------------------------------------------------------

kz_status course_kernel_compile(const course_task *task, const char *file, bool for_debugging,
                                toolchain *tools, char **ptx, base_text *warnings, bool *refused,
                                kz_error *error) {
    char arch[TOOLCHAIN_ARCH];
    size_t size = 0;
    *refused = false;
    kz_status status = toolchain_find(tools, error);
    if (status) return status;
    tools->for_debugging = for_debugging;
    course_hide_from(task, tools);
    tools->warnings = warnings;
    kz_error said = {0};
    status = toolchain_source_arch(file, arch, &said);
    if (!status) status = toolchain_compile_ptx(tools, file, arch, NULL, ptx, &size, &said);
    device_gpu gpu;
    if (!status && !for_debugging && !device_gpu_load(device_gpu_choose(NULL), &gpu, NULL))
        status = toolchain_check_ptx(tools, file, *ptx, (int)gpu.sm, &said);
    tools->warnings = NULL;
    if (status && error) *error = said;
    *refused = status == KZ_TOOL || status == KZ_INVALID || status == KZ_LIMIT;
    return status;
}

static uint64_t parameter_bytes(const course_parameter *p) {
    return p->role == COURSE_SCALAR ? course_scalar_type_of(p->scalar)->bytes : 8;
}

static void add_expected(base_text *out, const course_task *task) {
    base_text_add(out, "the grader calls: extern \"C\" __global__ void %s", task->signature);
}

bool course_kernel_fits(const course_task *task, const ptx_module *module, base_text *summary,
                        base_text *detail) {
    const ptx_function *f = ptx_find_function(module, task->function);
    if (!f || !f->is_entry || !f->has_body) {
        base_text_add(summary, "there is no kernel called %s in the file", task->function);
        bool mangled = false, any = false;
        for (uint32_t i = 0; i < module->function_count; i++) {
            const ptx_function *other = module->functions[i];
            if (!other->is_entry) continue;
            base_text_add(detail, "%s%s", any ? ", " : "kernels in it: ", other->name);
            any = true;
            mangled = mangled || (strncmp(other->name, "_Z", 2) == 0 && strstr(other->name, task->function));
        }
        base_text_add(detail, "%s\n", any ? "" : "there is no kernel in it at all");
        if (mangled)
            base_text_add(detail, "likely: extern \"C\" is missing, so that C++ gave it another name\n");
        add_expected(detail, task);
    } else if (f->param_count != task->parameter_count) {
        base_text_add(summary, "%s takes %u parameters instead of %zu", task->function, f->param_count,
                      task->parameter_count);
        add_expected(detail, task);
    } else
        for (size_t i = 0; i < task->parameter_count && !summary->length; i++) {
            uint64_t bytes = f->params[i]->size, wanted = parameter_bytes(&task->parameters[i]);
            if (bytes == wanted) continue;
            base_text_add(summary, "parameter %zu of %s, %s, has %llu bytes instead of %llu", i + 1,
                          task->function, task->parameters[i].name, (unsigned long long)bytes,
                          (unsigned long long)wanted);
            add_expected(detail, task);
        }
    return summary->length == 0;
}

// ---- launches -------------------------------------------------------------------------------------------

static kz_status evaluate_dim(const course_task *task, const course_case *c, const char *expression,
                              double block, double least, uint32_t *value, kz_error *error) {
    double number = 0;
    kz_status status = course_evaluate(task, c, expression, block, &number, error);
    if (status) return status;
    number = fmax(floor(number), least);
    if (!(number <= INT32_MAX))
        return base_fail(error, KZ_INVALID, "task %s: [launch] \"%s\" is past 2^31 - 1", task->id,
                         expression);
    *value = (uint32_t)number;
    return KZ_OK;
}

kz_status course_kernel_launch(const course_task *task, const course_case *c, const family_lines *lines,
                               kz_launch *launch, bool *own_is_wrong, kz_error *error) {
    *launch = (kz_launch){.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {256, 1, 1}};
    *own_is_wrong = false;
    const course_launch *l = &task->launch;
    kz_status status = KZ_OK;
    bool has_grid = l->given && l->grid[0];
    for (int i = 0; i < 3 && l->given && l->block[0] && !status; i++)
        status = evaluate_dim(task, c, l->block[i] ? l->block[i] : "1", 0, 1, &launch->block[i], error);
    if (!status && (l->own || !l->given)) { // the learner's block may decide the task's grid
        family_name_value names[COURSE_AXES + 2] = {0};
        size_t n = 0;
        for (; n < task->axis_count; n++) names[n] = (family_name_value){task->axes[n], (double)c->axes[n]};
        names[n] = (family_name_value){"sms", 132};
        status = family_lines_shape(lines, task->function, names, launch, &has_grid, error);
        *own_is_wrong = status != KZ_OK;
        if (!status && has_grid) return KZ_OK;
    }
    double block = (double)launch->block[0] * launch->block[1] * launch->block[2];
    for (int i = 0; i < 3 && l->given && l->grid[0] && !status; i++)
        status = evaluate_dim(task, c, l->grid[i] ? l->grid[i] : "1", block, 1, &launch->grid[i], error);
    bool own_shared = l->own && family_lines_find(lines, FAMILY_LINE_SHARED, task->function);
    if (l->given && l->shared && !own_shared && !status)
        status = evaluate_dim(task, c, l->shared, block, 0, &launch->dynamic_shared_bytes, error);
    if (l->cooperative) launch->cooperative = true;
    if (!status && !has_grid && !(l->given && l->grid[0])) {
        base_fail(error, KZ_INVALID, "nothing says how many blocks to launch");
        base_fail_note(error,
                       "add lines to your file, for example:\n// kz: block 256\n// kz: grid ceil(%s/256)",
                       task->axis_count ? task->axes[0] : "1");
        *own_is_wrong = true;
        status = KZ_INVALID;
    }
    return status;
}

bool course_kernel_gives_grid(const course_task *task, const family_lines *lines) {
    const course_launch *l = &task->launch;
    return l->given && l->grid[0] && !(l->own && family_lines_find(lines, FAMILY_LINE_GRID, task->function));
}

kz_status course_kernel_fills(const course_task *task, const family_lines *lines,
                              int fills[COURSE_PARAMETERS], kz_error *error) {
    for (size_t i = 0; i < task->parameter_count; i++) fills[i] = task->parameters[i].fill;
    bool found = task->launch.own || !task->launch.given;
    for (size_t at = 0; found;) {
        family_fill fill;
        kz_status status = family_lines_fill(lines, task->function, &at, &fill, &found, error);
        if (status) return status;
        if (!found) break;
        size_t i = 0;
        while (i < task->parameter_count && strcmp(task->parameters[i].name, fill.buffer)) i++;
        if (i == task->parameter_count || task->parameters[i].role != COURSE_OUTPUT)
            return family_lines_fail(lines, fill.line, "this is no output:", fill.buffer, error);
        fills[i] = fill.byte;
    }
    return KZ_OK;
}

// ---- a run ----------------------------------------------------------------------------------------------

void course_kernel_fill_run(const course_data *d, const int fills[COURSE_PARAMETERS], const kz_launch *launch,
                            course_judge_run *run) {
    run->launch = *launch;
    run->misalign = d->c->misalign;
    run->buffer_count = run->argument_count = 0;
    for (size_t i = 0; i < d->task->parameter_count; i++) {
        const course_parameter *p = &d->task->parameters[i];
        course_judge_argument *a = &run->arguments[run->argument_count++];
        *a = (course_judge_argument){.is_buffer = p->role != COURSE_SCALAR, .bits = d->scalars[i]};
        if (p->role == COURSE_SCALAR) continue;
        a->buffer = run->buffer_count;
        run->buffers[run->buffer_count++] = (course_judge_buffer){.name = p->name,
                                                                  .type = p->type,
                                                                  .role = p->role,
                                                                  .fill = fills[i],
                                                                  .count = d->counts[i],
                                                                  .bytes = d->bytes[i],
                                                                  .data = d->host[i]};
    }
}

// Copies what came back into the data, which owns its `got`.
kz_status course_kernel_take(course_data *d, const course_judge_result *result, kz_error *error) {
    size_t buffer = 0;
    for (size_t p = 0; p < d->task->parameter_count; p++) {
        if (d->task->parameters[p].role == COURSE_SCALAR) continue;
        free(d->got[p]);
        d->got[p] = NULL;
        if (!result->got[buffer] || result->bytes[buffer] != d->bytes[p])
            return base_fail(error, KZ_INTERNAL, "the judge sent no buffer %s", d->task->parameters[p].name);
        d->got[p] = malloc(d->bytes[p] + 1);
        if (!d->got[p]) return base_fail(error, KZ_NO_MEMORY, "no memory for a result");
        memcpy(d->got[p], result->got[buffer], d->bytes[p]);
        buffer++;
    }
    return KZ_OK;
}
