// Runs what `kz prof` was asked for, and gets the record of it; see prof_run.h.
#include "prof_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "family/buffers.h"
#include "family/case.h"
#include "family/check.h"
#include "observe/observe.h"

enum { MOST_ELEMENTS = 1 << 21, PATH = 1200 }; // what the simulator does within seconds

// ---- programs and records ---------------------------------------------------------------------------

// What all programs are run with, whether they have a main of their own or the harness's.
static kz_status program_of(const prof_choices *o, cli_program *program, kz_error *error) {
    bool quiet =
        (o->json.given && !o->json.path) || (o->html.given && !o->html.path) || (o->metrics && o->csv);
    *program = (cli_program){
        .gpu = o->gpu,
        .nvcc_flags = o->flags.items,
        .nvcc_flag_count = o->flags.count,
        .observe = "counters,caches",
        .session = o->keep,
        .seed = o->seed.given ? (uint64_t)o->seed.value : 0,
        .output = quiet ? STDERR_FILENO : 0, // stdout is for what a program reads
    };
    return o->timeout ? cli_program_seconds(o->timeout, &program->timeout, error) : KZ_OK;
}

static kz_status take_program(const char *file, prof_run *run, kz_error *error) {
    char path[PATH];
    cli_program_explain_end(&run->program);
    run->failure = run->program.exit_code;
    snprintf(run->title, sizeof run->title, "%s", report_prof_basename(file));
    snprintf(path, sizeof path, "%s/record.jsonl", run->program.session);
    if (base_file_exists(path)) return report_record_read(path, &run->record, error);
    kz_status status = base_fail(error, KZ_NOT_FOUND, "%s left no record of what it did", file);
    base_fail_note(error,
                   "likely cause: it never called the CUDA runtime, or was killed before it could write");
    base_fail_note(error, "try: kz run %s", file);
    return status;
}

static kz_status run_program(const prof_choices *o, const prof_targets *targets, const prof_target *target,
                             prof_run *run, kz_error *error) {
    cli_program program;
    kz_status status = program_of(o, &program, error);
    program.files = target->files.items;
    program.file_count = target->files.count;
    program.arguments = targets->arguments;
    program.argument_count = targets->argument_count;
    if (!status) status = cli_program_run(&program, &run->program, error);
    return status ? status : take_program(target->files.items[0], run, error);
}

static kz_status read_record(const prof_target *target, prof_run *run, kz_error *error) {
    const char *path = target->files.items[0], *slash = strrchr(path, '/');
    // The modules lie beside it.
    snprintf(run->program.session, sizeof run->program.session, "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    return report_record_read(path, &run->record, error);
}

// ---- kernels of the zoo, and guests -----------------------------------------------------------------

static kz_status load_module(const prof_target *target, kz_device *device, prof_run *run, kz_module **module,
                             kz_error *error) {
    kz_status status = KZ_OK;
    if (target->guest)
        run->image = *family_guest_image(target->guest);
    else
        status = kz_variant_image(target->family, target->variant, &run->image, error);
    return status ? status : kz_module_load(device, &run->image, module, error);
}

static kz_status run_plan(const family_check_job *job, const kz_plan *plan, kz_error *error) {
    family_buffers buffers = {0};
    kz_status status =
        family_buffers_open(job->family, job->c, job->device, plan->workspace_bytes, &buffers, error);
    if (!status) status = family_buffers_fill(&buffers, job->seed, 0xff, error);
    if (!status)
        status = kz_plan_run(job->device, NULL, job->module, plan, buffers.addresses, buffers.count,
                             buffers.workspace.data, error);
    if (!status) status = kz_device_synchronize(job->device, error);
    family_buffers_close(&buffers);
    return status;
}

static kz_status take_record(const prof_choices *o, const base_text *text, prof_run *run, kz_error *error) {
    kz_status status =
        report_record_parse(run->title, text->data ? text->data : "", text->length, &run->record, error);
    if (!status && o->keep) {
        char path[PATH];
        snprintf(path, sizeof path, "%s/record.jsonl", o->keep);
        status = base_make_folders(o->keep, error);
        if (!status) status = base_file_write(path, text->data, text->length, error);
    }
    return status;
}

static kz_status observe_plan(const prof_choices *o, const family_check_job *job, prof_run *run,
                              kz_error *error) {
    observe_session *session = NULL;
    observe_gpu gpu;
    kz_plan plan;
    uint64_t seed = o->seed.given ? (uint64_t)o->seed.value : 0;
    base_text text = {0};
    kz_status status = family_make_plan(job, &plan, error);
    if (!status) status = device_sim_gpu(job->device, &gpu, error);
    if (!status)
        status =
            observe_session_open(&(observe_options){.counters = true, .caches = true}, &gpu, &session, error);
    if (!status) observe_session_name(session, run->title, seed);
    if (!status) status = device_sim_set_seed(job->device, seed, error);
    if (!status) status = device_sim_observe(job->device, session, error);
    if (!status) status = run_plan(job, &plan, error);
    if (session) device_sim_observe(job->device, NULL, NULL);
    if (!status) {
        observe_session_finish(session, &text);
        status = take_record(o, &text, run, error);
    }
    base_text_free(&text);
    observe_session_close(session);
    return status;
}

static void name_target(const prof_target *target, const kz_case *c, prof_run *run) {
    family_case_name(target->family, c, run->detail);
    if (target->guest)
        snprintf(run->title, sizeof run->title, "%s", family_guest_name(target->guest));
    else
        snprintf(run->title, sizeof run->title, "%s/%s", target->family->name, target->variant->name);
}

static kz_status open_device(const prof_choices *o, kz_device **device, prof_run *run, kz_error *error) {
    char id[64];
    snprintf(id, sizeof id, o->gpu ? "sim:%s" : "sim", o->gpu);
    kz_status status = kz_device_open(id, device, error);
    if (!status) run->sm = kz_device_get_info(*device)->sm;
    return status;
}

static kz_status run_kernel(const prof_choices *o, const prof_target *given, prof_run *run, kz_error *error) {
    prof_target target = *given;
    kz_device *device = NULL;
    kz_module *module = NULL;
    kz_case c;
    kz_status status = open_device(o, &device, run, error);
    if (status) return status;
    status = cli_choose_case(target.family, target.guest, o->pattern, MOST_ELEMENTS, &c, error);
    if (!status && !target.guest && !target.variant)
        target.variant = kz_choose(target.family, &c, kz_device_get_info(device), false, NULL);
    if (!status && !target.guest && !target.variant)
        status = base_fail(error, KZ_UNSUPPORTED, "%s has no variant for this GPU", target.family->name);
    if (!status) status = load_module(&target, device, run, &module, error);
    if (!status) {
        family_check_job job = {.family = target.family,
                                .variant = target.variant,
                                .guest = target.guest,
                                .c = &c,
                                .device = device,
                                .module = module,
                                .seed = FAMILY_SEED};
        name_target(&target, &c, run);
        status = observe_plan(o, &job, run, error);
    }
    if (module) kz_module_close(module);
    kz_device_close(device);
    return status;
}

// ---- learners' files --------------------------------------------------------------------------------

// A kernel that was stopped has no profile worth reading.
static kz_status look(const prof_choices *o, const cli_task_file *task, const course_case *c,
                      kz_device *device, prof_run *run, kz_error *error) {
    kz_module *module = NULL;
    course_seen seen = {0};
    course_look wanted = {.c = c,
                          .name = run->title,
                          .observe = "counters,caches",
                          .schedule = o->seed.given ? (uint64_t)o->seed.value : 0,
                          .seconds = CLI_TASK_FILE_SECONDS};
    kz_status status = o->timeout ? cli_program_seconds(o->timeout, &wanted.seconds, error) : KZ_OK;
    run->image = run->subject.image;
    if (!status) status = kz_module_load(device, &run->image, &module, error);
    if (!status) status = course_subject_look(&run->subject, device, module, &wanted, &seen, error);
    if (!status && seen.fault.status) {
        status = seen.fault.status;
        if (error) *error = seen.fault;
        base_fail_note(error, "kz sanitize %s says more about it", task->file);
    }
    if (!status && seen.wrong.status) cli_task_file_tell(task, c, &seen.wrong);
    if (!status) status = take_record(o, &seen.record, run, error);
    base_text_free(&seen.record);
    if (module) kz_module_close(module);
    return status;
}

static kz_status run_task(const prof_choices *o, const prof_target *target, prof_run *run, kz_error *error) {
    const cli_task_file *task = &target->task;
    course_case c;
    kz_device *device = NULL;
    cli_program program;
    kz_status status = cli_task_file_case(task->task, o->pattern, course_case_to_profile, &c, error);
    if (status) return status;
    snprintf(run->title, sizeof run->title, "%s", report_prof_basename(task->file));
    course_case_name(task->task, &c, run->detail, sizeof run->detail);
    if (task->task->form == COURSE_PROGRAM) {
        status = program_of(o, &program, error);
        if (!status) status = cli_task_file_run(task, &c, &program, CLI_TASK_WRONG, &run->program, error);
        return status ? status : take_program(task->file, run, error);
    }
    status = course_subject_open(task->task, task->file, false, &run->subject, error);
    if (!status) status = open_device(o, &device, run, error);
    if (!status) status = look(o, task, &c, device, run, error);
    if (device) kz_device_close(device);
    return status;
}

kz_status prof_run_target(const prof_choices *o, const prof_targets *targets, size_t index, prof_run *run,
                          kz_error *error) {
    const prof_target *target = &targets->items[index];
    kz_status status;
    switch (target->kind) {
    case PROF_RECORD: status = read_record(target, run, error); break;
    case PROF_PROGRAM: status = run_program(o, targets, target, run, error); break;
    case PROF_TASK: status = run_task(o, target, run, error); break;
    default: return run_kernel(o, target, run, error);
    }
    size_t at = 0;
    if (!status) run->sm = (int)report_get_count(report_record_next(&run->record, "record", &at), "sm");
    return status;
}

void prof_run_close(prof_run *run) {
    if (run->program.own_session) cli_program_discard(&run->program);
    report_record_free(&run->record);
    course_subject_close(&run->subject);
    free(run->module);
    free(run->resources);
}

// ---- registers --------------------------------------------------------------------------------------

// Code for one architecture alone (sm_90a) is assembled for it; other PTX for
// the GPU.
static void choose_arch(const char *ptx, int sm, char arch[TOOLCHAIN_ARCH]) {
    const char *target = strstr(ptx, ".target sm_");
    size_t digits = target ? strspn(target + 11, "0123456789") : 0;
    bool special = target && (target[11 + digits] == 'a' || target[11 + digits] == 'f');
    if (special && digits < 5)
        snprintf(arch, TOOLCHAIN_ARCH, "%.*s", (int)digits + 1, target + 11);
    else
        snprintf(arch, TOOLCHAIN_ARCH, "%d", sm);
}

// A module is named by its file beside the record, or in words that end in the file's number ("app, module
// 1").
static kz_status read_module(const prof_run *run, const char *module, char **text, size_t *size) {
    char path[PATH];
    const char *digits = module + strlen(module);
    snprintf(path, sizeof path, "%s/%s", run->program.session, module);
    if (!base_file_read(path, text, size, NULL)) return KZ_OK;
    while (digits > module && digits[-1] >= '0' && digits[-1] <= '9') digits--;
    snprintf(path, sizeof path, "%s/module-%s.ptx", run->program.session, digits);
    return *digits ? base_file_read(path, text, size, NULL) : KZ_NOT_FOUND;
}

static void ask_ptxas(prof_run *run, const char *module) {
    toolchain tools;
    char arch[TOOLCHAIN_ARCH], *text = NULL;
    size_t size = run->image.ptx_size, cubin_size;
    void *cubin = NULL;
    if (kz_image_ptx(&run->image, &text, NULL) != KZ_OK) read_module(run, module, &text, &size);
    toolchain_find(&tools, NULL); // without nvcc there may still be a ptxas
    if (text && tools.ptxas[0]) {
        choose_arch(text, run->sm, arch);
        if (toolchain_assemble(&tools, module, text, size, arch, &cubin, &cubin_size, &run->resources,
                               &run->resource_count, NULL))
            run->resources = NULL, run->resource_count = 0;
    }
    free(cubin);
    free(text);
}

int prof_run_registers(void *context, const char *module, const char *kernel) {
    prof_run *run = context;
    if (!run->module || strcmp(run->module, module) != 0) {
        free(run->module);
        free(run->resources);
        run->resources = NULL;
        run->resource_count = 0;
        run->module = strdup(module);
        ask_ptxas(run, module);
    }
    for (size_t i = 0; i < run->resource_count; i++) // names are cut in the table
        if (strncmp(run->resources[i].entry, kernel, sizeof run->resources[i].entry - 1) == 0)
            return run->resources[i].registers;
    return -1;
}

// ---- sources ----------------------------------------------------------------------------------------

report_prof_sources *prof_run_sources(void) {
    toolchain tools;
    toolchain_find(&tools, NULL);
    char *slash = strrchr(tools.include, '/'); // <root>/include
    if (slash) *slash = 0;
    const char *roots[] = {".", tools.include};
    return report_prof_sources_open(roots, tools.include[0] ? 2 : 1);
}
