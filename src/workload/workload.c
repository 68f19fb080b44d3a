// What the user named. See workload.h.
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "family/check.h"

// ---- what kind ------------------------------------------------------------------------------------------

static bool takes(const workload_request *r, workload_kind kind) { return r->kinds >> kind & 1; }

static bool is_record(const char *word) { return base_ends_with(word, ".jsonl"); }
static bool is_path(const char *word) { return word[0] == '/' || word[0] == '.'; }
static bool is_kernel_file(const char *word) {
    return base_ends_with(word, ".cu") || base_ends_with(word, ".ptx");
}

bool workload_is_program(const workload_request *r, const char *const *words, size_t count) {
    if (r->family || r->task || !count) return false;
    const char *word = words[0];
    if (workload_program_is(word)) return true;
    if (count > 1 && workload_program_is_source(word)) return true;
    if (workload_program_makes_main(word, r->nvcc_flags, r->nvcc_flag_count, NULL)) return true;
    bool may_be_other = workload_task_may_be(word) || is_kernel_file(word) || is_record(word);
    return !may_be_other && (is_path(word) || !takes(r, WORKLOAD_ZOO));
}

// A file of which nothing is known. What can be done with it follows from what the command takes.
static kz_status fail_unknown(const workload_request *r, const char *file, kz_error *error) {
    if (!base_file_exists(file)) return workload_task_fail_missing(r->command, file, error);
    struct stat about;
    if (stat(file, &about) == 0 && S_ISDIR(about.st_mode))
        return base_fail(error, KZ_INVALID, "%s is a folder: kz %s takes a file", file, r->command);
    kz_error why = {0};
    workload_program_makes_main(file, r->nvcc_flags, r->nvcc_flag_count, &why);
    if (why.status && why.status != KZ_TOOL &&
        why.status != KZ_INVALID) { // the machine's fault, not the file's
        if (error) *error = why;
        return why.status;
    }
    bool may_be_guest = takes(r, WORKLOAD_GUEST) && is_kernel_file(file);
    base_fail(error, KZ_INVALID, "%s has no main, and does not say which task of the course it is for", file);
    if (may_be_guest)
        base_fail_note(error, "for a kernel of your own in a family's place: kz %s --family FAMILY %s",
                       r->command, file);
    base_fail_note(error, "for a task: kz %s %s --task ID, or a first line \"// kz: task ID\"",
                   takes(r, WORKLOAD_TASK) ? r->command : "grade", file);
    return KZ_INVALID;
}

// What the words say they are, whatever the command takes.
static kz_status classify(const workload_request *r, workload *w, kz_error *error) {
    const char *word = w->file_count ? w->files[0] : NULL;
    w->kind = r->family ? WORKLOAD_GUEST : WORKLOAD_ZOO;
    if (r->family || !word) return KZ_OK;
    w->kind = WORKLOAD_RECORD;
    if (is_record(word) && !r->task) return KZ_OK;
    w->kind = WORKLOAD_TASK;
    kz_status status = workload_task_open(r->command, word, r->task, &w->task, error);
    if (status) return status;
    // As with a main in its text, a file that names a task and makes a main is a program.
    bool is_task = w->task.task &&
                   (r->task || !workload_program_makes_main(word, r->nvcc_flags, r->nvcc_flag_count, NULL));
    if (is_task) return KZ_OK;
    workload_task_close(&w->task);
    w->kind = WORKLOAD_PROGRAM;
    if (workload_is_program(r, w->files, w->file_count)) return KZ_OK;
    // Flags are for programs alone: a library among them may have the main.
    if (r->nvcc_flag_count && workload_program_is_source(word) && base_file_exists(word)) return KZ_OK;
    w->kind = WORKLOAD_ZOO;
    bool is_file = is_path(word) || is_kernel_file(word) || workload_task_may_be(word);
    return is_file ? fail_unknown(r, word, error) : KZ_OK;
}

// The command takes other kinds: says which command takes this one.
static kz_status refuse(const workload_request *r, const workload *w, kz_error *error) {
    const char *word = w->file_count ? w->files[0] : "";
    if (*word && !base_file_exists(word)) return workload_task_fail_missing(r->command, word, error);
    switch (w->kind) {
    case WORKLOAD_TASK:
        base_fail(error, KZ_INVALID, "%s is for %s, a task of the course: kz %s takes kernels of a family",
                  word, w->task.task->id, r->command);
        base_fail_note(error, "kz grade %s --task %s compares it with the task's reference", word,
                       w->task.task->id);
        break;
    case WORKLOAD_PROGRAM:
        if (!workload_program_is(word) && !workload_program_is_source(word)) {
            base_fail(error, KZ_INVALID, "%s is neither a family's name nor a program", word);
            base_fail_note(error, "kz list names the families; a program is a .cu file or an executable");
            break;
        }
        base_fail(error, KZ_INVALID,
                  "%s is a whole program, whose right results only it knows: kz %s takes kernels of a family",
                  word, r->command);
        base_fail_note(error, "kz run %s runs it, kz sanitize %s looks for errors in its kernels", word,
                       word);
        break;
    case WORKLOAD_RECORD:
        base_fail(error, KZ_INVALID, "%s is the record of a profile: kz %s has nothing to run", word,
                  r->command);
        base_fail_note(error, "kz prof %s shows it", word);
        break;
    default:
        base_fail(error, KZ_INVALID, "kz %s takes no kernels of a family", r->command);
        base_fail_note(error, "try: kz help %s", r->command);
    }
    return KZ_INVALID;
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
    if (w->file_count != 1) {
        base_fail(error, KZ_INVALID, "--family takes the place of one family with one file");
        base_fail_note(error, "try: kz %s --family %s my.cu", r->command, r->family);
        return KZ_INVALID;
    }
    kz_status status = workload_find_family(r->family, &w->family, error);
    if (status) return status;
    w->zoo.families[w->zoo.count++] = w->family;
    return workload_open_guest(w->family, w->files[0], r->for_debugging, &w->guest, &w->guest_facts, error);
}

// A path is never a family's name.
static kz_status check_words(const workload_request *r, const workload *w, kz_error *error) {
    for (size_t i = 0; i < w->file_count; i++) {
        const char *word = w->files[i];
        if (!is_path(word) && !is_kernel_file(word)) continue;
        base_fail(error, KZ_INVALID, "%s is a file, and stands among names of families", word);
        base_fail_note(error, "name it alone: kz %s %s", r->command, word);
        return KZ_INVALID;
    }
    return KZ_OK;
}

static kz_status open_zoo(const workload_request *r, workload *w, kz_error *error) {
    kz_status status = check_words(r, w, error);
    if (!status) status = workload_find_zoo(w->files, w->file_count, &w->zoo, error);
    if (!status && w->zoo.wanted_count == 1) {
        w->family = w->zoo.wanted[0].family;
        w->variant = w->zoo.wanted[0].variant;
    }
    return status || !r->question ? status : check_single(r, w, error);
}

// ---- opening ------------------------------------------------------------------------------------------------

kz_status workload_open(const workload_request *r, const char *const *words, size_t count, workload *w,
                        kz_error *error) {
    *w = (workload){0};
    if (count > WORKLOAD_WORDS) return base_fail(error, KZ_LIMIT, "more than %d names", WORKLOAD_WORDS);
    for (size_t i = 0; i < count; i++) w->files[w->file_count++] = words[i];
    if (!count && r->question) return base_fail(error, KZ_INVALID, "%s", r->question);
    kz_status status = classify(r, w, error);
    if (!status && !takes(r, w->kind)) status = refuse(r, w, error);
    if (status) return status;
    switch (w->kind) {
    case WORKLOAD_ZOO: return open_zoo(r, w, error);
    case WORKLOAD_GUEST: return open_guest(r, w, error);
    case WORKLOAD_TASK:
        status = workload_task_check(r->command, &w->task, error);
        return status ? status : check_single(r, w, error);
    case WORKLOAD_RECORD: return check_single(r, w, error);
    case WORKLOAD_PROGRAM: return KZ_OK;
    }
    return KZ_OK;
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

// Of a device that is a simulator: native variants are what does not suit it.
static kz_status fail_unsuited(const kz_family *family, const kz_variant *variant, const kz_device_info *info,
                               kz_error *error) {
    return base_fail(error, KZ_UNSUPPORTED,
                     "%s/%s is not for %s\nit is C for the CPU, and this looks into kernels of a GPU\n"
                     "try: %s without a variant, or one that kz info %s lists for a GPU",
                     family->name, variant->name, info->id, family->name, family->name);
}

kz_status workload_choose(const workload *w, const char *pattern, uint64_t most, const kz_device *device,
                          kz_case *c, const kz_variant **variant, kz_error *error) {
    const kz_device_info *info = kz_device_get_info(device);
    *variant = w->variant;
    const bool suits = w->variant && family_variant_suits(w->variant, info); // if not, that is said below
    const workload_doer doer = {w->guest, suits ? w->variant : NULL, info};
    kz_status status = workload_choose_case(w->family, &doer, pattern, most, c, error);
    if (status || w->guest) return status;
    if (!*variant) *variant = kz_choose(w->family, c, info, false, NULL);
    if (!*variant) return base_fail(error, KZ_UNSUPPORTED, "%s has no variant for this GPU", w->family->name);
    return suits || family_variant_suits(*variant, info) ? KZ_OK
                                                         : fail_unsuited(w->family, *variant, info, error);
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
