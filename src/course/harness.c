// The harness's sources around a signature, and the bytes that go in and come out. See harness.h.
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executable.h"
#include "toolchain/toolchain.h"

enum { MAGIC = 0x6b7a6a6f, KEEPS = 62, LEAKS = 63, HEAD = 4 }; // HEAD: numbers before a job's answer

// ---- sources --------------------------------------------------------------------------------------

static const char *element_name(const course_task *task, kz_type type) {
    return task->kind == COURSE_C ? base_type_of(type)->c : base_type_of(type)->cuda;
}

void course_harness_parameter(const course_task *task, size_t i, base_text *text) {
    const course_parameter *p = &task->parameters[i];
    if (p->role == COURSE_SCALAR)
        base_text_add(text, "%s %s", course_scalar_type_of(p->scalar)->name, p->name);
    else
        base_text_add(text, "%s%s *%s", p->role == COURSE_INPUT ? "const " : "", element_name(task, p->type),
                      p->name);
}

void course_harness_prototype(const course_task *task, base_text *text) {
    base_text_add(text, "void %s(", task->function);
    for (size_t i = 0; i < task->parameter_count; i++) {
        base_text_add(text, "%s", i ? ", " : "");
        course_harness_parameter(task, i, text);
    }
    base_text_add(text, "%s)", task->parameter_count ? "" : "void");
}

// The headers of half types are long: only where one is used.
static void write_half_headers(const course_task *task, base_text *text) {
    bool half = false, brain = false;
    for (size_t i = 0; i < task->parameter_count; i++) {
        if (task->parameters[i].role == COURSE_SCALAR) continue;
        half = half || task->parameters[i].type == KZ_F16;
        brain = brain || task->parameters[i].type == KZ_BF16;
    }
    if (half) base_text_add(text, "#include <cuda_fp16.h>\n");
    if (brain) base_text_add(text, "#include <cuda_bf16.h>\n");
}

// What the learner's file is compiled after: another type of the function is then an error at its line, and a
// main of their own does not get in the way.
static void write_prototype(const course_task *task, base_text *text) {
    base_text_add(text, "#include <stddef.h>\n");
    if (task->kind != COURSE_C) write_half_headers(task, text), base_text_add(text, "extern \"C\" ");
    course_harness_prototype(task, text);
    base_text_add(text, ";\n#define main kz_main_of_the_submission\n");
    if (task->kind == COURSE_C) base_text_add(text, "#pragma GCC poison %s\n", course_poisoned_names);
}

static void write_main(const course_task *task, base_text *text) {
    bool is_c = task->kind == COURSE_C;
    base_text_add(text, "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n");
    if (!is_c) write_half_headers(task, text), base_text_add(text, "#include <cuda_runtime_api.h>\n");
    static const char *const headers[] = {"fcntl.h",  "stddef.h",   "stdint.h", "stdio.h", "stdlib.h",
                                          "string.h", "sys/mman.h", "time.h",   "unistd.h"};
    static const char *const of_guard[] = {"linux/audit.h", "linux/filter.h", "linux/seccomp.h",
                                           "sys/prctl.h", "sys/syscall.h"};
    for (size_t i = 0; i < BASE_COUNT(headers); i++) base_text_add(text, "#include <%s>\n", headers[i]);
    for (size_t i = 0; is_c && i < BASE_COUNT(of_guard); i++)
        base_text_add(text, "#include <%s>\n", of_guard[i]);
    base_text_add(text, "\n%s", is_c ? "" : "extern \"C\" ");
    course_harness_prototype(task, text);
    base_text_add(text, ";\n\nenum { PARAMETERS = %zu };\n", task->parameter_count);
    base_text_add(text, "static const struct { unsigned element; } parameters[PARAMETERS + 1] = {");
    for (size_t i = 0; i < task->parameter_count; i++)
        base_text_add(text, "{%zu}, ",
                      task->parameters[i].role == COURSE_SCALAR ? (size_t)0
                                                                : kz_type_size(task->parameters[i].type));
    base_text_add(text, "{0}};\n#ifndef EXACT_MALLOC\n#define EXACT_MALLOC 0\n#endif\n");
    base_text_add(text, "#define CUDA_ERROR_LEFT %s\n", is_c ? "0" : "cuda_error_left()");
    if (!is_c)
        base_text_add(text,
                      "static int cuda_error_left(void) {\n"
                      "    int waiting = (int)cudaDeviceSynchronize(), last = (int)cudaGetLastError();\n"
                      "    return last ? last : waiting;\n"
                      "}\n");
    base_text_add(text,
                  "#define SCALAR(T, i) (__extension__({ T v; memcpy(&v, &s[i], sizeof v); v; }))\n"
                  "\nstatic void call(void **p, const uint64_t *s) {\n    %s(",
                  task->function);
    for (size_t i = 0; i < task->parameter_count; i++) {
        const course_parameter *p = &task->parameters[i];
        const char *comma = i ? ", " : "";
        if (p->role == COURSE_SCALAR)
            base_text_add(text, "%sSCALAR(%s, %zu)", comma, course_scalar_type_of(p->scalar)->name, i);
        else
            base_text_add(text, "%s(%s *)p[%zu]", comma, element_name(task, p->type), i);
    }
    base_text_add(text, ");\n}\n\n%s%s%s",
                  is_c ? course_harness_guard_text : "#define has_leaks() 0\n#define bytes_held() 0\n",
                  is_c ? course_harness_openmp_text : "", course_harness_text);
}

// Files are named by what is in them; a clash would only cost a wrong name among one's own files.
static uint64_t name_hash(const base_text *text) { return base_hash(BASE_HASH, text->data, text->length); }

static kz_status write_source(const base_text *text, const char *folder, const char *extension,
                              char path[COURSE_PATH], kz_error *error) {
    if (text->failed) return base_fail(error, KZ_NO_MEMORY, "no memory for the harness");
    int length =
        snprintf(path, COURSE_PATH, "%s/%016llx.%s", folder, (unsigned long long)name_hash(text), extension);
    if (length >= COURSE_PATH) return base_fail(error, KZ_INVALID, "a path is too long: %s", folder);
    char *there = NULL;
    size_t size = 0;
    bool same = base_file_exists(path) && base_file_read(path, &there, &size, NULL) == KZ_OK &&
                size == text->length && memcmp(there, text->data, size) == 0;
    free(there);
    return same ? KZ_OK : base_file_write_scratch(path, text->data, text->length, error);
}

kz_status course_harness_write(const course_task *task, const char *folder, course_harness *harness,
                               kz_error *error) {
    toolchain tools;
    char folder_of_sources[COURSE_PATH];
    toolchain_find(&tools, NULL); // the cache is known without a CUDA compiler too
    snprintf(folder_of_sources, sizeof folder_of_sources, "%.1000s/harness", tools.cache);
    if (!tools.cache[0] || base_make_folders(folder_of_sources, NULL) != KZ_OK)
        snprintf(folder_of_sources, sizeof folder_of_sources, "%s", folder);
    base_text main_text = {0}, prototype = {0};
    write_main(task, &main_text);
    write_prototype(task, &prototype);
    kz_status status = write_source(&main_text, folder_of_sources, task->kind == COURSE_C ? "c" : "cpp",
                                    harness->main_file, error);
    if (status == KZ_OK)
        status = write_source(&prototype, folder_of_sources, "h", harness->prototype_file, error);
    base_text_free(&main_text);
    base_text_free(&prototype);
    return status;
}

// ---- what goes in ---------------------------------------------------------------------------------

static void add_number(base_text *text, uint64_t value) {
    base_text_add_bytes(text, (const char *)&value, sizeof value);
}

static void add_data(base_text *input, const course_data *data) {
    for (size_t i = 0; i < data->task->parameter_count; i++) {
        bool scalar = data->task->parameters[i].role == COURSE_SCALAR;
        add_number(input, scalar ? data->scalars[i] : data->bytes[i]);
        if (!scalar && data->bytes[i]) base_text_add_bytes(input, data->host[i], data->bytes[i]);
    }
}

kz_status course_harness_pack(const course_harness_job *jobs, size_t count, uint64_t nonce, base_text *input,
                              kz_error *error) {
    add_number(input, MAGIC);
    add_number(input, nonce);
    add_number(input, count);
    for (size_t k = 0; k < count; k++) {
        const course_data *data = jobs[k].data;
        add_number(input, jobs[k].calls);
        add_number(input, jobs[k].flags);
        add_number(input, data->c->misalign);
        add_data(input, data);
        if (jobs[k].flags & COURSE_HARNESS_OTHER_DATA) add_data(input, jobs[k].other);
    }
    return input->failed ? base_fail(error, KZ_NO_MEMORY, "no memory for the inputs of a case") : KZ_OK;
}

// ---- what comes out -------------------------------------------------------------------------------

typedef struct reader {
    const char *at;
    size_t left;
    bool short_of;
} reader;

static void take(reader *r, void *to, size_t bytes) {
    if (bytes > r->left) {
        r->short_of = true;
        r->left = 0;
    }
    if (r->short_of) return;
    if (bytes) memcpy(to, r->at, bytes);
    r->at += bytes;
    r->left -= bytes;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static kz_status unpack_job(reader *r, uint64_t nonce, course_harness_job *job, kz_error *error) {
    course_data *data = job->data;
    uint64_t head[HEAD] = {0};
    take(r, head, sizeof head);
    if (r->short_of || head[0] != nonce || head[3] != job->calls) return KZ_OK;
    double *seconds = calloc(job->calls + 1, sizeof *seconds);
    if (!seconds) return base_fail(error, KZ_NO_MEMORY, "no memory for times");
    take(r, seconds, job->calls * sizeof *seconds);
    qsort(seconds, job->calls, sizeof *seconds, compare_doubles);
    job->seconds = seconds[job->calls / 2];
    free(seconds);
    for (size_t i = 0; i < data->task->parameter_count; i++) {
        if (data->task->parameters[i].role == COURSE_SCALAR) continue;
        if (data->bytes[i] > r->left) return KZ_OK;
        if (!data->got[i] && !(data->got[i] = malloc(data->bytes[i] ? data->bytes[i] : 1)))
            return base_fail(error, KZ_NO_MEMORY, "no memory for what came back");
        take(r, data->got[i], data->bytes[i]);
    }
    job->guards = head[1] & ~(UINT64_C(3) << KEEPS);
    job->keeps = head[1] >> KEEPS & 1;
    job->leaks = head[1] >> LEAKS;
    job->cuda_error = (int)head[2];
    job->answered = !r->short_of;
    return KZ_OK;
}

size_t course_harness_answer_bytes(const course_harness_job *jobs, size_t count) {
    size_t bytes = 1;
    for (size_t k = 0; k < count; k++) {
        bytes += HEAD * sizeof(uint64_t) + jobs[k].calls * sizeof(double);
        for (size_t i = 0; i < jobs[k].data->task->parameter_count; i++)
            if (jobs[k].data->task->parameters[i].role != COURSE_SCALAR) bytes += jobs[k].data->bytes[i];
    }
    return bytes;
}

kz_status course_harness_unpack(const base_text *answer, uint64_t nonce, course_harness_job *jobs,
                                size_t count, kz_error *error) {
    reader r = {.at = answer->data, .left = answer->length};
    kz_status status = KZ_OK;
    for (size_t k = 0; k < count && status == KZ_OK; k++) {
        jobs[k].answered = false;
        status = unpack_job(&r, nonce, &jobs[k], error);
        if (!jobs[k].answered) break;
    }
    return status;
}
