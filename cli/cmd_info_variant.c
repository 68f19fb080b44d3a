// kz info FAMILY/VARIANT: what is known of one variant without running it.
#include "cmd_info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/facts.h"
#include "bench/record.h"
#include "report/report.h"
#include "workload/describe.h"

static void row(const char *title, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void row(const char *title, const char *format, ...) {
    va_list list;
    printf("  %-12s ", title);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
}

static void print_sources(const kz_family *family, const kz_variant *variant, const bench_facts *facts) {
    if (variant->natives)
        row("runs on", "cpu");
    else
        row("runs on", variant->min_sm < 0 ? "sm_%d alone" : "sm_%d up", abs(variant->min_sm));
    if (facts->lines < 0)
        row("source",
            "no kernel of its own: kernels/%s/%s/family.c plans launches of other families' kernels",
            family->group, family->name);
    else
        row("source", "kernels/%s/%s/%s.%s: %d lines of code, %d with its headers", family->group,
            family->name, variant->name, variant->natives ? "c" : "cu", facts->lines, facts->all_lines);
    if (isfinite(facts->compile_seconds))
        row("compiling", "%.2f s of CPU time, by %s", facts->compile_seconds, facts->compiler);
}

static void print_occupancy(const bench_code *code, int most) {
    if (code->blocks < 0) return;
    row("occupancy", "%s%d block%s, %d of %d warps on a multiprocessor (%.0f%%): %s allow%s no more",
        code->registers < 0 ? "at most " : "", code->blocks, code->blocks == 1 ? "" : "s", code->warps, most,
        100 * code->occupancy, code->limit, strcmp(code->limit, "shared memory") == 0 ? "s" : "");
}

static void print_kernel(const workload_description *d, const kz_device_info *device) {
    const bench_code *code = &d->code;
    char text[REPORT_NUMBER];
    if (!code->launches || code->threads < 0) return;
    row("launches", "%d%s", code->launches, code->launches > 1 ? "; of the widest:" : "");
    row("block", "%d threads, %s of shared memory", code->threads,
        report_bytes(text, (double)code->shared_bytes));
    if (code->registers >= 0)
        row("thread", "%d registers, %s of local memory (arrays, and what spilled)", code->registers,
            report_bytes(text, (double)code->local_bytes));
    else
        row("thread", "registers unknown: ptxas is not there (make setup installs it)");
    print_occupancy(code, device->max_threads_per_multiprocessor / 32);
    if (code->code_bytes >= 0)
        row("code", "%s of machine code, %lld PTX instructions", report_bytes(text, (double)code->code_bytes),
            (long long)code->ptx_instructions);
    else
        row("code", "%lld PTX instructions; no machine code for this GPU", (long long)code->ptx_instructions);
    row("workspace", "%s", report_bytes(text, (double)d->workspace_bytes));
}

static void print_judged(const bench_judgement *judged) {
    row("portability", "%d of 5", judged->portability);
    row("readability", "%d of 5", judged->readability);
    row("debugging", "%d of 5", judged->debugging);
    row("why", "%s", judged->why);
}

static int print_variant_json(const kz_family *family, const kz_variant *variant, const bench_facts *facts,
                              const workload_description *d, const char *path) {
    json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:b, s:o, s:o*, s:o*}", "family", family->name,
                               "variant", variant->name, "idea", variant->idea, "min_sm",
                               abs(variant->min_sm), "min_sm_exact", variant->min_sm < 0, "source",
                               bench_facts_object(facts), "case", d->name[0] ? json_string(d->name) : NULL,
                               "kernel", d->name[0] ? bench_code_object(&d->code) : NULL);
    kz_error error;
    return report_write_line(object, path, &error) ? cli_fail(&error) : CLI_OK;
}

int cmd_info_variant(const kz_family *family, const kz_variant *variant, const cli_shared *options) {
    const bench_facts facts = bench_facts_of(family->name, variant->name);
    workload_description d = {.name = ""};
    workload_devices devices = {0};
    kz_error error = {0};
    kz_status status = KZ_OK, described = KZ_OK;
    if (!variant->natives) status = workload_open_devices(NULL, 0, false, &devices, &error);
    if (!status && devices.count)
        described = workload_describe(family, variant, options->pattern, devices.items[0], &d, &error);
    if (status || (described && options->pattern)) {
        workload_close_devices(&devices);
        return cli_fail(&error);
    }
    int code = CLI_OK;
    if (options->json.given) {
        code = print_variant_json(family, variant, &facts, &d, options->json.path);
    } else {
        const report_style style = report_detect_style(stdout);
        report_print(stdout, &style, REPORT_BOLD, "%s/%s", family->name, variant->name);
        printf("  %s\n\n", variant->idea);
        print_sources(family, variant, &facts);
        if (devices.count) {
            const kz_device_info *info = kz_device_get_info(devices.items[0]);
            if (described)
                printf("\n  %.*s\n", (int)strcspn(error.message, "\n"), error.message);
            else
                report_print(stdout, &style, REPORT_BOLD, "\n%s on %s\n", d.name, info->name);
            if (!described) print_kernel(&d, info);
        }
        report_print(stdout, &style, REPORT_BOLD, "\nAs people judge it\n");
        print_judged(&facts.judged);
    }
    workload_close_devices(&devices);
    return code;
}
