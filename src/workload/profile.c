// Runs a workload under the profiler. See profile.h.
#include "workload/profile.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "family/buffers.h"
#include "device/cubin.h"
#include "observe/observe.h"
#include "report/profile/peaks.h"

enum { MOST_ELEMENTS = 1 << 21, PATH = 1200 }; // what the simulator does within seconds

static const char *instruments_of(const workload_profile_options *o) {
    return o->instruments ? o->instruments : "counters,caches,cold"; // as Nsight Compute has the caches
}

// ---- programs and records ---------------------------------------------------------------------------

static kz_status run_program(const workload *w, const workload_profile_options *o, const course_case *c,
                             workload_profile *run, kz_error *error) {
    workload_program settings = o->settings;
    settings.observe = instruments_of(o);
    kz_status status = workload_run(w, &settings, c, &run->answer, &run->program, error);
    if (status) return status;
    run->failure = run->program.exit_code;
    snprintf(run->title, sizeof run->title, "%s", base_file_name(w->files[0]));
    return workload_program_record(&run->program, w->files[0], &run->record, error);
}

static kz_status read_record(const workload *w, workload_profile *run, kz_error *error) {
    const char *path = w->files[0], *slash = strrchr(path, '/');
    // The modules lie beside it.
    snprintf(run->program.session, sizeof run->program.session, "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    return report_record_read(path, &run->record, error);
}

// ---- kernels of the zoo, and guests -----------------------------------------------------------------

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

static kz_status take_record(const workload_profile_options *o, const base_text *text, workload_profile *run,
                             kz_error *error) {
    const char *keep = o->settings.session;
    kz_status status =
        report_record_parse(run->title, text->data ? text->data : "", text->length, &run->record, error);
    if (!status && keep) {
        char path[PATH];
        snprintf(path, sizeof path, "%s/record.jsonl", keep);
        status = base_make_folders(keep, error);
        if (!status) status = base_file_write(path, text->data, text->length, error);
    }
    return status;
}

static kz_status observe_plan(const workload_profile_options *o, const family_check_job *job,
                              workload_profile *run, kz_error *error) {
    family_case_name(job->family, job->c, run->detail);
    if (job->guest)
        snprintf(run->title, sizeof run->title, "%s", family_guest_name(job->guest));
    else
        snprintf(run->title, sizeof run->title, "%s/%s", job->family->name, job->variant->name);
    observe_session *session = NULL;
    observe_options options;
    observe_gpu gpu;
    kz_plan plan;
    base_text text = {0};
    kz_status status = family_make_plan(job, &plan, error);
    if (!status) status = device_sim_gpu(job->device, &gpu, error);
    if (!status) status = observe_options_parse(instruments_of(o), &options, error);
    if (!status) status = observe_session_open(&options, &gpu, &session, error);
    if (!status) observe_session_name(session, run->title, o->settings.seed);
    if (!status) status = device_sim_set_seed(job->device, o->settings.seed, error);
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

static kz_status open_device(const workload_profile_options *o, kz_device **device, workload_profile *run,
                             kz_error *error) {
    kz_status status = workload_open_simulator(o->settings.gpu, device, error);
    if (!status) run->sm = kz_device_get_info(*device)->sm;
    return status;
}

static kz_status run_kernel(const workload *w, const workload_profile_options *o, workload_profile *run,
                            kz_error *error) {
    kz_case c;
    family_check_job job = {.family = w->family, .guest = w->guest, .c = &c, .seed = FAMILY_SEED};
    kz_status status = open_device(o, &job.device, run, error);
    if (status) return status;
    status = workload_choose(w, o->pattern, MOST_ELEMENTS, job.device, &c, &job.variant, error);
    if (!status)
        status = workload_load(w->family, job.variant, w->guest, job.device, &run->image, &job.module, error);
    if (!status) status = observe_plan(o, &job, run, error);
    if (job.module) kz_module_close(job.module);
    kz_device_close(job.device);
    return status;
}

// ---- learners' files --------------------------------------------------------------------------------

// A kernel that was stopped has no profile worth reading.
static kz_status look(const workload *w, const workload_profile_options *o, const course_case *c,
                      kz_device *device, workload_profile *run, kz_error *error) {
    kz_module *module = NULL;
    course_seen seen = {0};
    double seconds = o->settings.timeout;
    course_look wanted = {.c = c,
                          .name = run->title,
                          .observe = instruments_of(o),
                          .schedule = o->settings.seed,
                          .seconds = seconds > 0 ? seconds : WORKLOAD_TASK_SECONDS};
    run->image = run->subject.image;
    kz_status status = kz_module_load(device, &run->image, &module, error);
    if (!status) status = course_subject_look(&run->subject, device, module, &wanted, &seen, error);
    if (!status && seen.fault.status) {
        status = seen.fault.status;
        if (error) *error = seen.fault;
        base_fail_note(error, "kz sanitize %s says more about it", w->files[0]);
    }
    run->answer.given = !status;
    run->answer.wrong = seen.wrong;
    if (!status) status = take_record(o, &seen.record, run, error);
    base_text_free(&seen.record);
    if (module) kz_module_close(module);
    return status;
}

static kz_status run_task(const workload *w, const workload_profile_options *o, workload_profile *run,
                          kz_error *error) {
    const course_task *task = w->task.task;
    course_case c;
    kz_device *device = NULL;
    kz_status status = workload_task_case(task, o->pattern, course_case_to_profile, &c, error);
    if (status) return status;
    snprintf(run->title, sizeof run->title, "%s", base_file_name(w->files[0]));
    course_case_name(task, &c, run->detail, sizeof run->detail);
    snprintf(run->answer.name, sizeof run->answer.name, "%.199s", run->detail);
    if (workload_runs_as_program(w)) return run_program(w, o, &c, run, error);
    status = course_subject_open(task, w->files[0], false, &run->subject, error);
    workload_show_warnings(&run->subject.warnings);
    if (!status) status = open_device(o, &device, run, error);
    if (!status) status = look(w, o, &c, device, run, error);
    if (device) kz_device_close(device);
    return status;
}

kz_status workload_profile_run(const workload *w, const workload_profile_options *o, workload_profile *run,
                               kz_error *error) {
    *run = (workload_profile){0};
    kz_status status;
    switch (w->kind) {
    case WORKLOAD_RECORD: status = read_record(w, run, error); break;
    case WORKLOAD_PROGRAM: status = run_program(w, o, NULL, run, error); break;
    case WORKLOAD_TASK: status = run_task(w, o, run, error); break;
    default: return run_kernel(w, o, run, error);
    }
    size_t at = 0;
    if (!status) run->sm = (int)report_get_count(report_record_next(&run->record, "record", &at), "sm");
    return status;
}

kz_status workload_profile_case(const family_check_job *job, const workload_profile_options *o,
                                workload_profile *run, kz_error *error) {
    *run = (workload_profile){0};
    return observe_plan(o, job, run, error);
}

static void forget_module(workload_profile *run);

void workload_profile_close(workload_profile *run) {
    if (run->program.own_session) workload_program_discard(&run->program);
    report_record_free(&run->record);
    course_subject_close(&run->subject);
    forget_module(run);
    for (size_t i = 0; i < run->kept_count; i++) free(run->kept[i]);
    free(run->kept);
}

// ---- ptxas ------------------------------------------------------------------------------------------

// A module is named by its file beside the record, or in words that end in the file's number ("app, module
// 1").
static kz_status read_module(const workload_profile *run, const char *module, char **text, size_t *size) {
    char path[PATH];
    const char *digits = module + strlen(module);
    snprintf(path, sizeof path, "%s/%s", run->program.session, module);
    if (!base_file_read(path, text, size, NULL)) return KZ_OK;
    while (digits > module && digits[-1] >= '0' && digits[-1] <= '9') digits--;
    snprintf(path, sizeof path, "%s/module-%s.ptx", run->program.session, digits);
    return *digits ? base_file_read(path, text, size, NULL) : KZ_NOT_FOUND;
}

// Keeps memory that the report points into until the profile is closed; false when out of memory, and then it is gone.
static bool keep(workload_profile *run, void *memory) {
    void **kept = realloc(run->kept, (run->kept_count + 1) * sizeof *kept);
    if (kept) run->kept = kept;
    if (!kept || !memory) {
        free(memory);
        return false;
    }
    run->kept[run->kept_count++] = memory;
    return true;
}

static void ask_disassembler(workload_profile *run, const toolchain *tools) {
    kz_status status =
        toolchain_spills(tools, run->cubin, run->cubin_size, &run->spills, &run->spill_count, NULL);
    if (status || !keep(run, run->spills)) run->spills = NULL, run->spill_count = 0;
}

// A module is loaded from the image of its name.
static void ask_ptxas(workload_profile *run, const char *module) {
    toolchain tools;
    char arch[TOOLCHAIN_ARCH], *text = NULL;
    const kz_image *part = device_find_image(run->image.others, module, NULL),
                   *image = part ? part : &run->image;
    size_t size = image->ptx_size;
    if (kz_image_ptx(image, &text, NULL) != KZ_OK) read_module(run, module, &text, &size);
    toolchain_find(&tools, NULL); // without nvcc there may still be a ptxas
    if (text && tools.ptxas[0]) {
        toolchain_ptx_arch(text, run->sm, arch);
        if (toolchain_assemble(&tools, module, text, size, arch, &run->cubin, &run->cubin_size,
                               &run->resources, &run->resource_count, NULL))
            run->resources = NULL, run->resource_count = 0;
        else
            ask_disassembler(run, &tools);
    }
    free(text);
}

static void forget_module(workload_profile *run) {
    free(run->module);
    free(run->resources);
    free(run->cubin);
    run->module = NULL;
    run->resources = NULL;
    run->cubin = NULL;
    run->spills = NULL;
    run->resource_count = run->spill_count = 0;
}

// The lines of one kernel that spill; the list is the run's.
static void tell_spills(workload_profile *run, const char *kernel, report_prof_machine *machine) {
    report_prof_spill *lines = calloc(run->spill_count + 1, sizeof *lines);
    if (!keep(run, lines)) return;
    machine->spills = lines;
    for (size_t i = 0; i < run->spill_count; i++) {
        const toolchain_spill *s = &run->spills[i];
        if (strncmp(s->entry, kernel, sizeof s->entry - 1) != 0) continue;
        lines[machine->spill_count++] =
            (report_prof_spill){.file = s->file, .line = s->line, .stores = s->stores, .loads = s->loads};
    }
}

// What ptxas made of a kernel; false where it is not there or does not know.
static bool ask_machine(void *context, const char *module, const char *kernel, report_prof_machine *machine) {
    workload_profile *run = context;
    *machine = (report_prof_machine){0};
    if (!run->module || strcmp(run->module, module) != 0) {
        forget_module(run);
        run->module = strdup(module);
        ask_ptxas(run, module);
    }
    for (size_t i = 0; i < run->resource_count; i++) { // names are cut in the table
        const toolchain_resources *r = &run->resources[i];
        if (strncmp(r->entry, kernel, sizeof r->entry - 1) != 0) continue;
        device_cubin_info info = {0};
        device_cubin_find(run->cubin, run->cubin_size, kernel, &info);
        machine->code =
            (observe_machine_code){.registers = (uint32_t)r->registers, .instructions = info.instructions};
        machine->spill_store_bytes = r->spill_store_bytes;
        machine->spill_load_bytes = r->spill_load_bytes;
        if (r->spill_store_bytes || r->spill_load_bytes) {
            machine->code.spills = info.local_loads + info.local_stores;
            machine->code.spill_bytes = (uint32_t)r->stack_bytes;
            tell_spills(run, kernel, machine);
        }
        return true;
    }
    return false;
}

// ---- sources ----------------------------------------------------------------------------------------

report_prof_sources *workload_profile_sources(void) {
    toolchain tools;
    toolchain_find(&tools, NULL);
    char *slash = strrchr(tools.include, '/'); // <root>/include
    if (slash) *slash = 0;
    const char *roots[] = {".", tools.include};
    return report_prof_sources_open(roots, tools.include[0] ? 2 : 1);
}

// ---- what is told -----------------------------------------------------------------------------------

kz_status workload_profile_report(workload_profile *run, const char *pattern, size_t top, report_prof *report,
                                  kz_error *error) {
    report_prof_options options = {.title = run->title[0] ? run->title : NULL,
                                   .detail = run->detail,
                                   .pattern = pattern,
                                   .top = top,
                                   .machine = ask_machine,
                                   .context = run};
    size_t at = 0;
    const json_t *head = report_record_next(&run->record, "record", &at);
    // The GPU's limits are not in the record; a GPU that is gone leaves its peaks.
    if (head) device_gpu_load(report_get_text(head, "gpu"), &options.gpu, NULL);
    bench_peaks peaks;
    report_peaks_load(options.gpu.key, &peaks);
    options.peaks = &peaks;
    kz_status status = report_prof_open(&run->record, &options, report, error);
    if (status || report->kernel_count || run->failure) return status;
    if (pattern && report->hidden_count) {
        base_fail(error, KZ_NOT_FOUND, "no kernel of %s matches %s", report->program, pattern);
        base_fail_note(error, "it ran %zu other%s; kz prof without --kernel lists them", report->hidden_count,
                       report->hidden_count == 1 ? "" : "s");
        return KZ_NOT_FOUND;
    }
    base_fail(error, KZ_INVALID, "%s launched no kernel: there is nothing to tell", report->program);
    base_fail_note(error, "check that it reaches its launches: kz run %s", report->program);
    return KZ_INVALID;
}
