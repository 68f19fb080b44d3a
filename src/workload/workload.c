// What the user named. See workload.h.
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>

#include "family/check.h"

// ---- what kind ------------------------------------------------------------------------------------------

static bool takes(const workload_request *r, workload_kind kind) { return r->kinds >> kind & 1; }

static bool is_record(const char *word) { return base_ends_with(word, ".jsonl"); }

bool workload_is_program(const workload_request *r, const char *const *words, size_t count) {
    if (!takes(r, WORKLOAD_PROGRAM) || r->family || r->task || !count) return false;
    const char *word = words[0];
    if (workload_program_is(word)) return true;
    if (count > 1 && workload_program_is_source(word)) return true;
    bool is_path = word[0] == '/' || word[0] == '.';
    return !workload_task_may_be(word) && (is_path || !takes(r, WORKLOAD_ZOO));
}

static kz_status check_single(const workload_request *r, const workload *w, kz_error *error) {
    if (w->file_count < 2) return KZ_OK;
    base_fail(error, KZ_INVALID, "one word too many: %s", w->files[1]);
    base_fail_note(error,
                   w->kind == WORKLOAD_TASK ? "kz %s takes one file for a task; a function takes no arguments"
                                            : "kz %s takes one of these at a time",
                   r->command);
    return KZ_INVALID;
}

// ---- kernels ----------------------------------------------------------------------------------------------

static kz_status open_guest(const workload_request *r, workload *w, kz_error *error) {
    w->kind = WORKLOAD_GUEST;
    if (w->file_count != 1) {
        base_fail(error, KZ_INVALID, "--family takes the place of one family with one file");
        base_fail_note(error, "try: kz %s --family %s my.cu", r->command, r->family);
        return KZ_INVALID;
    }
    kz_status status = workload_find_family(r->family, &w->family, error);
    if (status) return status;
    w->zoo.families[w->zoo.count++] = w->family;
    return workload_open_guest(w->family, w->files[0], r->for_debugging, &w->guest, error);
}

static kz_status open_zoo(const workload_request *r, workload *w, kz_error *error) {
    w->kind = WORKLOAD_ZOO;
    kz_status status = workload_find_zoo(w->files, w->file_count, &w->zoo, error);
    for (size_t i = 0; i < w->file_count && status; i++) {
        const char *word = w->files[i];
        if (base_ends_with(word, ".cu") || base_ends_with(word, ".ptx"))
            base_fail_note(error, "for a kernel of your own: kz %s --family FAMILY %s", r->command, word);
        else if (takes(r, WORKLOAD_PROGRAM) && (strchr(word, '/') || base_file_exists(word)))
            base_fail_note(error, "a program must be a .cu file with a main, or an executable");
    }
    if (!status && w->zoo.wanted_count == 1) {
        w->family = w->zoo.wanted[0].family;
        w->variant = w->zoo.wanted[0].variant;
    }
    return status || !r->question ? status : check_single(r, w, error);
}

// ---- opening ------------------------------------------------------------------------------------------------

// A file of which nothing is known.
static bool is_nothing(const workload_request *r, const char *word) {
    return takes(r, WORKLOAD_TASK) &&
           (base_ends_with(word, ".cu") || base_ends_with(word, ".ptx") || !takes(r, WORKLOAD_ZOO));
}

kz_status workload_open(const workload_request *r, const char *const *words, size_t count, workload *w,
                        kz_error *error) {
    *w = (workload){0};
    if (count > WORKLOAD_WORDS) return base_fail(error, KZ_LIMIT, "more than %d names", WORKLOAD_WORDS);
    for (size_t i = 0; i < count; i++) w->files[w->file_count++] = words[i];
    const char *word = count ? words[0] : "";
    if (!count && r->question) return base_fail(error, KZ_INVALID, "%s", r->question);
    if (takes(r, WORKLOAD_RECORD) && is_record(word)) {
        w->kind = WORKLOAD_RECORD;
        return check_single(r, w, error);
    }
    if (r->family) return open_guest(r, w, error);
    if (count && takes(r, WORKLOAD_TASK)) {
        kz_status status = workload_task_open(r->command, word, r->task, &w->task, error);
        if (status) return status;
        w->kind = WORKLOAD_TASK;
        if (w->task.task) return check_single(r, w, error);
    }
    if (workload_is_program(r, words, count)) {
        w->kind = WORKLOAD_PROGRAM;
        return KZ_OK;
    }
    if (count && is_nothing(r, word)) return workload_task_fail(r->command, word, error);
    return open_zoo(r, w, error);
}

void workload_close(workload *w) {
    family_guest_close(w->guest);
    workload_task_close(&w->task);
    *w = (workload){0};
}

// ---- running ------------------------------------------------------------------------------------------------

kz_status workload_open_simulator(const char *gpu, kz_device **device, kz_error *error) {
    char id[128];
    snprintf(id, sizeof id, "sim%s%.100s", gpu ? ":" : "", gpu ? gpu : "");
    return kz_device_open(id, device, error);
}

kz_status workload_load(const kz_family *family, const kz_variant *variant, const family_guest *guest,
                        kz_device *device, kz_image *image, kz_module **module, kz_error *error) {
    kz_image own;
    if (!image) image = &own;
    kz_status status = KZ_OK;
    if (guest)
        *image = *family_guest_image(guest);
    else
        status = kz_variant_image(family, variant, image, error);
    return status ? status : kz_module_load(device, image, module, error);
}

kz_status workload_choose(const workload *w, const char *pattern, uint64_t most, const kz_device *device,
                          kz_case *c, const kz_variant **variant, kz_error *error) {
    const kz_device_info *info = kz_device_get_info(device);
    *variant = w->variant;
    kz_status status = workload_choose_case(w->family, w->guest, pattern, most, c, error);
    if (status || w->guest) return status;
    if (!*variant) *variant = kz_choose(w->family, c, info, false, NULL);
    if (!*variant) return base_fail(error, KZ_UNSUPPORTED, "%s has no variant for this GPU", w->family->name);
    if (!family_variant_suits(*variant, info))
        return base_fail(error, KZ_UNSUPPORTED, "%s/%s is not for %s", w->family->name, (*variant)->name,
                         info->id);
    return KZ_OK;
}

bool workload_runs_as_program(const workload *w) {
    return w->kind == WORKLOAD_PROGRAM || (w->kind == WORKLOAD_TASK && w->task.task->form == COURSE_PROGRAM);
}

kz_status workload_run(const workload *w, const workload_program *settings, const course_case *c,
                       workload_answer *answer, workload_result *result, kz_error *error) {
    if (w->kind == WORKLOAD_TASK) return workload_task_run(&w->task, c, settings, answer, result, error);
    workload_program program = *settings;
    program.files = w->files;
    program.file_count = w->file_count;
    program.arguments = w->arguments;
    program.argument_count = w->argument_count;
    return workload_program_run(&program, result, error);
}
