// kz timeline: which engine of the GPU did what, and when.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "family/case.h"
#include "family/trace.h"
#include "report/record/record.h"
#include "report/report.h"
#include "report/timeline/timeline.h"
#include "select.h"
#include "task_file.h"

enum { MOST_ELEMENTS = 1 << 20, WIDTH = 80, MOST_WIDTH = 400 };

typedef struct timeline_options {
    const char *device, *gpu, *pattern, *task, *timeout;
    cli_list flags;
    cli_output json, html, svg;
    cli_integer width;
} timeline_options;

static const cli_option options[] = {
    {"device", CLI_TEXT, offsetof(timeline_options, device), "ID",
     "where a variant runs: sim, sim:t4, cuda; the simulator where nothing is said"},
    {"gpu", CLI_TEXT, offsetof(timeline_options, gpu), "NAME", "a program: the GPU to simulate"},
    {"case", CLI_TEXT, offsetof(timeline_options, pattern), "NAME", "a variant: the case; a task: its sizes"},
    {"width", CLI_INTEGER, offsetof(timeline_options, width), "N", "columns of the drawing; 80"},
    {"json", CLI_OUTPUT, offsetof(timeline_options, json), "FILE", "the operations and the sums as JSON"},
    {"svg", CLI_OUTPUT, offsetof(timeline_options, svg), "FILE", "a picture"},
    {"html", CLI_OUTPUT, offsetof(timeline_options, html), "FILE",
     "a page with the picture and the operations"},
    {"nvcc-flag", CLI_LIST, offsetof(timeline_options, flags), "FLAG",
     "one more word for nvcc; may be repeated"},
    {"timeout", CLI_TEXT, offsetof(timeline_options, timeout), "SECONDS", "stop a program after this time"},
    {"task", CLI_TEXT, offsetof(timeline_options, task), "ID",
     "the task of the course that the file is for, where it does not say it"},
    {0},
};

// ---- what is shown ----------------------------------------------------------------------------------------

static kz_status write_text(base_text *text, const char *path, kz_error *error) {
    kz_status status = KZ_OK;
    if (text->failed)
        status = base_fail(error, KZ_NO_MEMORY, "no memory for the output");
    else if (path)
        status = base_file_write(path, text->data, text->length, error);
    else
        fwrite(text->data, 1, text->length, stdout);
    base_text_free(text);
    return status;
}

static bool is_quiet(const timeline_options *o) { // stdout is for what a program reads
    return (o->json.given && !o->json.path) || (o->svg.given && !o->svg.path) ||
           (o->html.given && !o->html.path);
}

static kz_status render(const timeline_options *o, const report_timeline *t, kz_error *error) {
    base_text svg = {0}, html = {0}, page = {0};
    kz_status status = KZ_OK;
    if (o->svg.given) report_timeline_svg(&svg, t), status = write_text(&svg, o->svg.path, error);
    if (!status && o->html.given)
        report_timeline_html(&html, t), status = write_text(&html, o->html.path, error);
    if (!status && o->json.given) {
        json_t *array = json_array();
        json_array_append_new(array, report_timeline_to_json(t));
        status = report_write_lines(array, o->json.path, error);
        json_decref(array);
    }
    if (status || is_quiet(o)) return status;
    report_timeline_print(&page, t, o->width.given ? (unsigned)o->width.value : WIDTH);
    if (o->svg.path) base_text_add(&page, "SVG: %s\n", o->svg.path);
    if (o->html.path) base_text_add(&page, "HTML: %s\n", o->html.path);
    if (o->json.path) base_text_add(&page, "JSON: %s\n", o->json.path);
    return write_text(&page, NULL, error);
}

// ---- variants ---------------------------------------------------------------------------------------------

static kz_status take_trace(const family_check_job *job, const kz_plan *plan, const device_trace *trace,
                            report_timeline *t, kz_error *error) {
    char name[FAMILY_CASE_NAME];
    family_case_name(job->family, job->c, name);
    *t = (report_timeline){.modelled = trace->modelled,
                           .seconds = trace->seconds,
                           .spans = calloc(trace->count + 1, sizeof *t->spans),
                           .count = trace->count};
    if (!t->spans) return base_fail(error, KZ_NO_MEMORY, "no memory for a timeline");
    snprintf(t->title, sizeof t->title, "%s/%s %s", job->family->name, job->variant->name, name);
    snprintf(t->device, sizeof t->device, "%s", kz_device_get_info(job->device)->id);
    for (size_t i = 0; i < trace->count; i++) {
        const device_span *s = &trace->spans[i];
        const kz_step *step = &plan->steps[s->step];
        report_timeline_span *to = &t->spans[i];
        *to = (report_timeline_span){
            .engine = s->engine, .stream = s->stream, .bytes = s->bytes, .start = s->start, .end = s->end};
        const char *what = step->kind == KZ_STEP_LAUNCH ? step->entry
                           : step->kind == KZ_STEP_FILL ? "fill"
                                                        : "copy";
        snprintf(to->name, sizeof to->name, "%s", what);
    }
    return KZ_OK;
}

static kz_status trace_variant(const timeline_options *o, const kz_family *family, const kz_variant *variant,
                               kz_device *device, report_timeline *t, kz_error *error) {
    kz_case c;
    kz_image image;
    kz_module *module = NULL;
    kz_plan plan;
    device_trace trace;
    const kz_device_info *info = kz_device_get_info(device);
    uint64_t most =
        info->kind == KZ_DEVICE_CUDA ? 0 : MOST_ELEMENTS; // what the simulator does within seconds
    kz_status status = cli_choose_case(family, NULL, o->pattern, most, &c, error);
    if (!status && !variant) variant = kz_choose(family, &c, info, false, NULL);
    if (!status && !variant)
        status = base_fail(error, KZ_UNSUPPORTED, "%s has no variant for this GPU", family->name);
    if (!status && !family_variant_suits(variant, info))
        status =
            base_fail(error, KZ_UNSUPPORTED, "%s/%s is not for %s", family->name, variant->name, info->id);
    if (!status) status = kz_variant_image(family, variant, &image, error);
    if (!status) status = kz_module_load(device, &image, &module, error);
    if (!status) {
        const family_check_job job = {.family = family,
                                      .variant = variant,
                                      .c = &c,
                                      .device = device,
                                      .module = module,
                                      .seed = FAMILY_SEED};
        status = family_trace(&job, &plan, &trace, error);
        if (!status) status = take_trace(&job, &plan, &trace, t, error);
    }
    if (module) kz_module_close(module);
    return status;
}

static int run_variant(const timeline_options *o, const kz_family *family, const kz_variant *variant) {
    kz_device *device = NULL;
    report_timeline t = {0};
    kz_error error = {0};
    char id[64];
    snprintf(id, sizeof id, o->gpu ? "sim:%s" : "sim", o->gpu);
    kz_status status = kz_device_open(o->device ? o->device : id, &device, &error);
    if (!status) status = trace_variant(o, family, variant, device, &t, &error);
    if (!status) status = render(o, &t, &error);
    report_timeline_free(&t);
    kz_device_close(device);
    return status ? cli_fail(&error) : CLI_OK;
}

// ---- programs ---------------------------------------------------------------------------------------------

static kz_status show_record(const timeline_options *o, const cli_program_result *result, const char *file,
                             kz_error *error) {
    char path[CLI_PROGRAM_PATH + 32];
    report_record record = {0};
    report_timeline t = {0};
    snprintf(path, sizeof path, "%s/record.jsonl", result->session);
    if (!base_file_exists(path)) {
        base_fail(error, KZ_NOT_FOUND, "%s left no record of what it did", file);
        base_fail_note(error,
                       "likely cause: it never called the CUDA runtime, or was killed before it could write");
        return KZ_NOT_FOUND;
    }
    kz_status status = report_record_read(path, &record, error);
    if (!status) status = report_timeline_read(&record, &t, error);
    if (!status) {
        const char *slash = strrchr(file, '/');
        snprintf(t.title, sizeof t.title, "%s", slash ? slash + 1 : file);
        status = render(o, &t, error);
    }
    report_timeline_free(&t);
    report_record_free(&record);
    return status;
}

static int run_program(const timeline_options *o, const cli_program_words *words, const cli_task_file *task) {
    kz_error error = {0};
    course_case c;
    cli_program_result result;
    cli_program program = {.gpu = o->gpu,
                           .nvcc_flags = o->flags.items,
                           .nvcc_flag_count = o->flags.count,
                           .observe = "time",
                           .output = is_quiet(o) ? STDERR_FILENO : 0};
    if (o->device)
        return cli_fail_with(KZ_INVALID,
                             "whole programs are drawn on the simulator alone: --gpu NAME says which GPU\n"
                             "on a real one, kz timeline draws the variants of a family: kz list");
    if (!task) {
        program.files = words->files.items;
        program.file_count = words->files.count;
        program.arguments = words->arguments;
        program.argument_count = words->argument_count;
    } else if (cli_task_file_case(task->task, o->pattern, course_case_to_profile, &c, &error))
        return cli_fail(&error);
    if (o->timeout && cli_program_seconds(o->timeout, &program.timeout, &error)) return cli_fail(&error);
    if (task ? cli_task_file_run(task, &c, &program, CLI_TASK_ANY, &result, &error)
             : cli_program_run(&program, &result, &error))
        return cli_fail(&error);
    cli_program_explain_end(&result);
    kz_status status = show_record(o, &result, task ? task->file : words->files.items[0], &error);
    cli_program_discard(&result);
    return status ? cli_fail(&error) : result.exit_code;
}

static int run_task(const cli_command *self, int argc, char **argv) {
    timeline_options given = {0};
    cli_task_file task = {0};
    cli_list words;
    kz_error error = {0};
    if (cli_parse(self, argc, argv, &given, &words, &error)) return cli_fail(&error); // options anywhere
    kz_status status = cli_task_file_open("timeline", words.items[0], given.task, &task, &error);
    if (!status && !task.task) status = cli_task_file_fail("timeline", words.items[0], &error);
    if (!status && task.task->form != COURSE_PROGRAM) {
        status = base_fail(&error, KZ_INVALID, "%s is one kernel, without host code: it has no timeline",
                           task.file);
        base_fail_note(&error, "kz prof %s looks inside it", task.file);
    }
    int code = status ? cli_fail(&error) : run_program(&given, NULL, &task);
    cli_task_file_close(&task);
    return code;
}

// ---- the verb ---------------------------------------------------------------------------------------------

static int run(const cli_command *self, int argc, char **argv) {
    timeline_options given = {0};
    cli_program_words words;
    cli_list rest;
    kz_error error = {0};
    if (cli_program_split(self, argc, argv, CLI_LIST_CAPACITY, &words, &error)) return cli_fail(&error);
    if (words.files.count == 0)
        return cli_fail_with(KZ_INVALID, "of what? give a variant, a .cu file or an executable\n%s",
                             self->usage);
    const char *first = words.files.items[0], *dot = strrchr(first, '.');
    bool is_program = cli_program_is(first) || (dot && strcmp(dot, ".cu") == 0);
    // A program's words are its own; those of a variant are options wherever they stand.
    if (cli_parse(self, is_program ? words.own : argc, argv, &given, &rest, &error)) return cli_fail(&error);
    if (given.width.given && (given.width.value < 40 || given.width.value > MOST_WIDTH))
        return cli_fail_with(KZ_INVALID, "--width takes 40 to %d columns", MOST_WIDTH);
    if (is_program && (given.task || cli_task_file_may_be(&words))) return run_task(self, argc, argv);
    if (is_program) {
        cli_program_note_options(self, &words);
        return run_program(&given, &words, NULL);
    }
    const kz_family *family;
    const kz_variant *variant;
    if (rest.count > 1)
        return cli_fail_with(KZ_INVALID, "kz timeline draws one thing at a time\n%s", self->usage);
    if (cli_find_target(first, &family, &variant, &error)) return cli_fail(&error);
    return run_variant(&given, family, variant);
}

const cli_command cli_command_timeline = {
    .usage = "kz timeline FAMILY[/VARIANT] [OPTIONS]\n"
             "kz timeline [OPTIONS] PROGRAM.cu [MORE.cu ...] [ARGUMENTS]\n"
             "kz timeline [OPTIONS] YOURS.cu [--task ID]",
    .about = "Draws what ran when: a row per engine of the GPU (copies to the device, kernels, copies to the "
             "host) and a\n"
             "row per stream; then how busy each was, and how much of the copying hides behind kernels.\n"
             "A variant is timed by events on a GPU (--device cuda); on the simulator, and for whole "
             "programs, times\n"
             "are those of its model of engines, streams and events: docs/timeline.md.",
    .examples = "  kz timeline streams/04_depth_first                 as a simulated H200 would do it\n"
                "  kz timeline streams/04_depth_first --device cuda   as the GPU did\n"
                "  kz timeline --gpu t4 pipeline.cu 1000000           a program of your own\n"
                "  kz timeline double-buffering.cu --svg mine.svg     your file for a task of the course",
    .options = options,
    .run = run,
};
