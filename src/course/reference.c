// A task's right answer: its reference.c, or the expressions of task.toml, as one C file that is compiled and
// loaded. Lines of the compiler's messages are those of the task's own files.
//
// The file defines kz_reference and, where the task makes inputs of its own, kz_inputs; both take arrays with
// one entry per parameter (course_reference_call).
#include "reference.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/toolchain.h"

typedef void (*reference_function)(double *const *inputs, double *const *expected, double *const *bounds,
                                   const int64_t *counts, const int64_t *whole, const double *real,
                                   uint64_t seed);

struct course_reference {
    void *library;
    reference_function run, inputs;
};

static const char head[] =
    "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#define U_F32 0x1p-24\n#define U_F16 0x1p-11\n#define U_BF16 0x1p-8\n"
    "#define U_F64 0x1p-53\n";

static const char parameters[] =
    "(double *const *kz_inputs_, double *const *kz_expected_, double *const *kz_bounds_, "
    "const int64_t *kz_counts_, const int64_t *kz_whole_, const double *kz_real_, uint64_t kz_seed_)";

static bool is_real(const course_parameter *p) { return course_scalar_type_of(p->scalar)->is_float; }

// ---- the text -------------------------------------------------------------------------------------------

// The line of a file that a text stands in; 1 where it is not found.
static int line_of(const char *file, const char *text) {
    const char *at = file ? strstr(file, text) : NULL;
    int line = 1;
    for (const char *c = file; at && c < at; c++) line += *c == '\n';
    return line;
}

static void add_names(base_text *out, const course_task *task) {
    for (size_t i = 0; i < task->parameter_count; i++) {
        const course_parameter *p = &task->parameters[i];
        if (p->role == COURSE_SCALAR)
            base_text_add(out, "    const %s %s = kz_%s_[%zu];\n", is_real(p) ? "double" : "int64_t", p->name,
                          is_real(p) ? "real" : "whole", i);
        else
            base_text_add(out, "    const double *%s = kz_%s_[%zu];\n", p->name,
                          p->role == COURSE_OUTPUT ? "expected" : "inputs", i);
    }
}

static void add_loop(base_text *out, const char *toml, const char *folder, const char *array, size_t i,
                     const char *expression) {
    base_text_add(out,
                  "    for (int64_t i = 0; i < kz_counts_[%zu]; i++) kz_%s_[%zu][i] =\n#line %d "
                  "\"%s/task.toml\"\n(double)(%s);\n",
                  i, array, i, line_of(toml, expression), folder, expression);
}

// Answers first, then bounds: a bound may speak of the answer by the output's name.
static kz_status add_expressions(base_text *out, const course_task *task, kz_error *error) {
    char *toml = NULL;
    course_task_text(task, "task.toml", &toml, NULL); // only for line numbers
    base_text_add(out, "void kz_reference%s {\n", parameters);
    add_names(out, task);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->parameter_count && !status; i++) {
        const course_parameter *p = &task->parameters[i];
        if (p->role != COURSE_OUTPUT && p->role != COURSE_INOUT) continue;
        if (p->reference)
            add_loop(out, toml, task->folder, "expected", i, p->reference);
        else
            status =
                base_fail(error, KZ_INVALID,
                          "%s/task.toml says nowhere what %s should hold: add it to [reference], or write "
                          "reference.c",
                          task->folder, p->name);
    }
    for (size_t i = 0; i < task->parameter_count && !status; i++)
        if (task->parameters[i].bound)
            add_loop(out, toml, task->folder, "bounds", i, task->parameters[i].bound);
    base_text_add(out, "}\n");
    free(toml);
    return status;
}

// The call of the task's own function, with its parameters in order.
static void add_call(base_text *out, const course_task *task, bool is_inputs) {
    base_text_add(out, "void kz_%s%s {\n    %s(", is_inputs ? "inputs" : "reference", parameters,
                  is_inputs ? "inputs" : "reference");
    const char *comma = "";
    if (is_inputs) base_text_add(out, "kz_seed_"), comma = ", ";
    for (size_t i = 0; i < task->parameter_count; i++) {
        const course_parameter *p = &task->parameters[i];
        if (p->role == COURSE_SCALAR)
            base_text_add(out, "%skz_%s_[%zu]", comma, is_real(p) ? "real" : "whole", i);
        else if (is_inputs && p->role != COURSE_OUTPUT)
            base_text_add(out, "%skz_inputs_[%zu]", comma, i);
        else if (!is_inputs && p->role == COURSE_INPUT)
            base_text_add(out, "%skz_inputs_[%zu]", comma, i);
        else if (!is_inputs)
            base_text_add(out, "%skz_expected_[%zu], kz_bounds_[%zu]", comma, i, i);
        else
            continue;
        comma = ", ";
    }
    base_text_add(out, ");\n}\n");
}

static bool defines(const char *source, const char *name) {
    size_t length = strlen(name);
    for (const char *at = source; (at = strstr(at, name)); at += length) {
        const char *before = at, *behind = at + length + strspn(at + length, " \t\n");
        if (before == source || isalnum((unsigned char)before[-1]) || before[-1] == '_' || *behind != '(')
            continue;
        while (before > source && isspace((unsigned char)before[-1])) before--;
        if (before - source >= 4 && strncmp(before - 4, "void", 4) == 0) return true;
    }
    return false;
}

static kz_status write_source(const course_task *task, base_text *out, bool *has_inputs, kz_error *error) {
    char path[COURSE_PATH], *own = NULL;
    snprintf(path, sizeof path, "%s/reference.c", task->folder);
    base_text_add(out, "%s", head);
    *has_inputs = false;
    bool has_reference = false;
    if (base_file_exists(path)) {
        kz_status status = course_task_text(task, "reference.c", &own, error);
        if (status) return status;
        has_reference = defines(own, "reference");
        *has_inputs = defines(own, "inputs");
        base_text_add(out, "#line 1 \"%s\"\n%s\n#line 1 \"the call of reference.c's functions\"\n", path,
                      own);
        free(own);
        if (!has_reference && !*has_inputs)
            return base_fail(error, KZ_INVALID, "%s defines neither void reference(...) nor void inputs(...)",
                             path);
    }
    kz_status status = KZ_OK;
    if (has_reference)
        add_call(out, task, false);
    else
        status = add_expressions(out, task, error);
    if (*has_inputs) add_call(out, task, true);
    return status;
}

// What the functions must look like, for a message.
static void note_signature(const course_task *task, kz_error *error) {
    base_text text = {0};
    for (size_t i = 0; i < task->parameter_count; i++) {
        const course_parameter *p = &task->parameters[i];
        const char *comma = i ? ", " : "";
        if (p->role == COURSE_SCALAR)
            base_text_add(&text, "%s%s %s", comma, is_real(p) ? "double" : "int64_t", p->name);
        else if (p->role == COURSE_INPUT)
            base_text_add(&text, "%sconst double *%s", comma, p->name);
        else
            base_text_add(&text, "%sdouble *%s, double *%s_bound", comma, p->name, p->name);
    }
    base_fail_note(error, "reference.c defines: void reference(%s)", text.data ? text.data : "");
    base_text_free(&text);
}

// ---- open and close -------------------------------------------------------------------------------------

static kz_status load(course_reference *r, const char *path, bool has_inputs, kz_error *error) {
    r->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!r->library) return base_fail(error, KZ_TOOL, "the task's reference cannot be loaded: %s", dlerror());
    // ISO C has no conversion from void * to a function; POSIX has.
    *(void **)&r->run = dlsym(r->library, "kz_reference");
    if (has_inputs) *(void **)&r->inputs = dlsym(r->library, "kz_inputs");
    return r->run ? KZ_OK : base_fail(error, KZ_INTERNAL, "the compiled reference lacks kz_reference");
}

kz_status course_reference_open(const course_task *task, course_reference **reference, kz_error *error) {
    *reference = NULL;
    course_reference *r = calloc(1, sizeof *r);
    if (!r) return base_fail(error, KZ_NO_MEMORY, "no memory for the reference of %s", task->id);
    toolchain tools = {0};
    toolchain_find(&tools, NULL); // for its cache: a C compiler is all that is needed
    char folder[TOOLCHAIN_PATH] = "", path[TOOLCHAIN_PATH];
    base_text source = {0};
    bool has_inputs = false;
    kz_status status = write_source(task, &source, &has_inputs, error);
    if (!status && source.failed) status = base_fail(error, KZ_NO_MEMORY, "no memory for the reference");
    if (!status) status = toolchain_work_open(folder, error);
    if (!status) {
        char name[COURSE_NAME + 32];
        snprintf(name, sizeof name, "the reference of task %s", task->id);
        status = toolchain_compile_library(&tools, name, source.data, folder, path, error);
        if (status == KZ_TOOL) note_signature(task, error);
    }
    if (!status) status = load(r, path, has_inputs, error);
    if (folder[0]) toolchain_work_close(folder);
    base_text_free(&source);
    if (status)
        course_reference_close(r);
    else
        *reference = r;
    return status;
}

void course_reference_close(course_reference *reference) {
    if (!reference) return;
    if (reference->library) dlclose(reference->library);
    free(reference);
}

// ---- calls ----------------------------------------------------------------------------------------------

void course_reference_run(const course_reference *reference, const course_reference_call *call) {
    reference->run(call->inputs, call->expected, call->bounds, call->counts, call->whole, call->real,
                   call->seed);
}

bool course_reference_has_inputs(const course_reference *reference) { return reference->inputs != NULL; }

void course_reference_inputs(const course_reference *reference, const course_reference_call *call) {
    reference->inputs(call->inputs, call->expected, call->bounds, call->counts, call->whole, call->real,
                      call->seed);
}
