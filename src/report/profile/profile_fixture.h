// For tests of verdicts: a report of one kernel, made from a record of a few lines.
#ifndef REPORT_PROFILE_FIXTURE_H
#define REPORT_PROFILE_FIXTURE_H

#include "report/profile/profile.h"
#include "unit.h"

// A record of one kernel: 4096 blocks of 256 threads, one line, its metrics and its one access as given.
typedef struct fixture {
    report_record record;
    report_prof report;
} fixture;

static const char head[] =
    "{\"type\":\"record\",\"record\":\"kz\",\"version\":1,\"program\":\"a/b.cu\",\"gpu\":\"h200\",\"sm\":90,"
    "\"multiprocessors\":132}\n";

typedef struct kernel_text {
    int blocks, threads, launches, shared;
    const char *metrics, *access, *caches;
    const char *lines;                  // more of them: each begins with a comma
    const report_prof_machine *machine; // NULL: one that has the registers asked for
} kernel_text;

typedef struct asked {
    const kernel_text *text;
    int registers;
} asked;

static inline bool machine_of(void *context, const char *module, const char *kernel,
                              report_prof_machine *machine) {
    const asked *a = context;
    if (a->text->machine) {
        *machine = *a->text->machine;
        return true;
    }
    int registers = strcmp(module, "m") == 0 && strcmp(kernel, "k") == 0 ? a->registers : -1;
    *machine = (report_prof_machine){.code = {.registers = registers > 0 ? (uint32_t)registers : 0}};
    return registers > 0;
}

static inline void open_fixture(fixture *f, const kernel_text *k, int registers) {
    base_text text = {0};
    base_text_add(&text, "%s", head);
    base_text_add(
        &text,
        "{\"type\":\"kernel\",\"name\":\"k\",\"short\":\"k\",\"module\":\"m\",\"launches\":%d,\"first_"
        "launch\":1,"
        "\"grid\":[%d,1,1],\"block\":[%d,1,1],\"cluster\":[1,1,1],\"shared_static\":%d,\"shared_dynamic\":0,"
        "\"metrics\":{%s},\"lines\":[{\"file\":\"b.cu\",\"line\":14,\"metrics\":{%s},\"accesses\":[%s]}%s]%s}"
        "\n",
        k->launches ? k->launches : 1, k->blocks, k->threads, k->shared, k->metrics, k->metrics,
        k->access ? k->access : "", k->lines ? k->lines : "", k->caches ? k->caches : "");
    base_text_add(&text, "{\"type\":\"end\",\"status\":\"ok\"}\n");
    kz_error error = {0};
    assert_int_equal(report_record_parse("test", text.data, text.length, &f->record, &error), KZ_OK);
    asked what = {k, registers};
    report_prof_options options = {.machine = machine_of, .context = &what};
    assert_int_equal(device_gpu_load(device_gpu_default, &options.gpu, &error), KZ_OK);
    assert_int_equal(report_prof_open(&f->record, &options, &f->report, &error), KZ_OK);
    assert_int_equal(f->report.kernel_count, 1);
    base_text_free(&text);
}

static inline void close_fixture(fixture *f) {
    report_prof_close(&f->report);
    report_record_free(&f->record);
}

static inline void expect(const kernel_text *k, report_prof_bound bound, const char *reason,
                          const char *advice) {
    fixture f;
    open_fixture(&f, k, 20);
    const report_prof_kernel *kernel = &f.report.kernels[0];
    if (kernel->bound != bound) print_message("bound: %s\n", report_prof_bound_name(kernel->bound));
    assert_int_equal(kernel->bound, bound);
    if (reason && !strstr(kernel->lines[0].reason, reason))
        print_message("reason: %s\n", kernel->lines[0].reason);
    if (reason) assert_non_null(strstr(kernel->lines[0].reason, reason));
    if (advice) assert_non_null(strstr(kernel->lines[0].advice, advice));
    close_fixture(&f);
}

#define INST(warp, thread)                                                                                   \
    "\"ptx__inst_executed.sum\":" #warp ",\"model__issue_slots.sum\":" #warp                                 \
    ",\"ptx__thread_inst_executed.sum\":" #thread
#define MODEL(name, value) ",\"model__" #name ".sum\":" #value

#endif
