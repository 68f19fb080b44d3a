// Families, variants, cases, devices and guests from words. See names.h.
#include "workload/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpus.h"
#include "family/case.h"
#include "toolchain/toolchain.h"
#include "workload/program.h"

// ---- families and variants ------------------------------------------------------------------------

static void suggest(kz_error *error, const char *word, const char *const *names, const char *before) {
    const char *near = base_nearest(word, names);
    base_text all = {0};
    for (; *names; names++) base_text_add(&all, " %s", *names);
    if (near) base_fail_note(error, "did you mean %s?", near);
    base_fail_note(error, "%s:%s", before, all.data ? all.data : " none");
    base_text_free(&all);
}

kz_status workload_find_family(const char *word, const kz_family **family, kz_error *error) {
    *family = kz_family_find(word);
    if (*family) return KZ_OK;
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    const char **names = calloc(count + 1, sizeof *names);
    base_fail(error, KZ_NOT_FOUND, "there is no family \"%s\"", word);
    for (size_t i = 0; names && i < count; i++) names[i] = list[i]->name;
    if (names) suggest(error, word, names, "the families");
    base_fail_note(error, "try: kz list");
    char path[WORKLOAD_PATH];
    snprintf(path, sizeof path, "./%s", word);
    if (workload_program_is(path))
        base_fail_note(error, "there is a program of that name; one of this folder is written %s", path);
    free(names);
    return KZ_NOT_FOUND;
}

static kz_status find_variant(const kz_family *family, const char *word, const kz_variant **variant,
                              kz_error *error) {
    *variant = kz_variant_find(family, word);
    if (*variant) return KZ_OK;
    const char **names = calloc(family->variant_count + 1, sizeof *names);
    base_fail(error, KZ_NOT_FOUND, "%s has no variant \"%s\"", family->name, word);
    for (size_t i = 0; names && i < family->variant_count; i++) names[i] = family->variants[i].name;
    if (names) suggest(error, word, names, "its variants");
    base_fail_note(error, "try: kz info %s", family->name);
    free(names);
    return KZ_NOT_FOUND;
}

kz_status workload_find_variant(const char *word, const kz_family **family, const kz_variant **variant,
                                kz_error *error) {
    *variant = NULL;
    const char *slash = strchr(word, '/');
    if (!slash) return workload_find_family(word, family, error);
    char *name = strndup(word, (size_t)(slash - word));
    if (!name) return base_fail(error, KZ_NO_MEMORY, "no memory");
    kz_status status = workload_find_family(name, family, error);
    free(name);
    return status ? status : find_variant(*family, slash + 1, variant, error);
}

static kz_status add_family(workload_zoo *zoo, const kz_family *family, kz_error *error) {
    for (size_t i = 0; i < zoo->count; i++)
        if (zoo->families[i] == family) return KZ_OK;
    if (zoo->count == WORKLOAD_FAMILIES)
        return base_fail(error, KZ_LIMIT, "more than %d families", WORKLOAD_FAMILIES);
    zoo->families[zoo->count++] = family;
    return KZ_OK;
}

kz_status workload_find_zoo(const char *const *words, size_t count, workload_zoo *zoo, kz_error *error) {
    *zoo = (workload_zoo){0};
    kz_status status = KZ_OK;
    size_t all;
    const kz_family *const *list = kz_family_list(&all);
    for (size_t i = 0; count == 0 && i < all && !status; i++) status = add_family(zoo, list[i], error);
    for (size_t i = 0; i < count && !status; i++) {
        const kz_family *family;
        const kz_variant *variant;
        status = workload_find_variant(words[i], &family, &variant, error);
        if (status) return status;
        if (zoo->wanted_count == WORKLOAD_WORDS)
            return base_fail(error, KZ_LIMIT, "more than %d names of kernels", WORKLOAD_WORDS);
        zoo->wanted[zoo->wanted_count].family = family;
        zoo->wanted[zoo->wanted_count++].variant = variant;
        status = add_family(zoo, family, error);
    }
    return status;
}

bool workload_wants(const workload_zoo *zoo, const kz_family *family, const kz_variant *variant) {
    for (size_t i = 0; i < zoo->wanted_count; i++)
        if (zoo->wanted[i].family == family && (!zoo->wanted[i].variant || zoo->wanted[i].variant == variant))
            return true;
    return zoo->wanted_count == 0;
}

// ---- cases ----------------------------------------------------------------------------------------

kz_status workload_find_cases(const kz_family *family, const char *pattern, uint32_t use, kz_case **cases,
                              size_t *count, kz_error *error) {
    *count = 0;
    *cases = calloc(family->case_count + 1, sizeof **cases);
    if (!*cases) return base_fail(error, KZ_NO_MEMORY, "no memory for the cases");
    // A glob means cases of the kind that is wanted; only where there are none of them, of any kind.
    bool glob = pattern && strpbrk(pattern, "*?[");
    for (int any = pattern && !glob; any <= (pattern != NULL) && !*count; any++)
        for (size_t i = 0; i < family->case_count; i++) {
            const kz_case *c = &family->cases[i];
            if ((any || (c->use & use)) && (!pattern || family_case_matches(family, c, pattern)))
                (*cases)[(*count)++] = *c;
        }
    if (*count) return KZ_OK;
    kz_status status = KZ_NOT_FOUND;
    if (pattern && !glob)
        status = family_case_parse(family, pattern, &(*cases)[0], error);
    else
        base_fail(error, KZ_NOT_FOUND, "no case of %s matches %s", family->name, pattern ? pattern : "");
    if (!status) {
        *count = 1;
        return KZ_OK;
    }
    base_fail_note(error, "try: kz info %s", family->name);
    free(*cases);
    *cases = NULL;
    return status;
}

// ---- guests ---------------------------------------------------------------------------------------

void workload_show_warnings(const base_text *warnings) {
    if (!warnings->length) return;
    fflush(stdout);
    fputs(warnings->data, stderr);
}

kz_status workload_compile(const char *path, const char *headers, bool for_debugging, char **ptx,
                           size_t *size, bench_facts *facts, kz_error *error) {
    toolchain tools;
    char arch[TOOLCHAIN_ARCH];
    const char *const folders[] = {headers, NULL};
    kz_status status = toolchain_find(&tools, error);
    if (!status) status = toolchain_source_arch(path, arch, error);
    base_text warnings = {0};
    double seconds = 0;
    tools.for_debugging = for_debugging;
    tools.warnings = &warnings;
    tools.seconds = &seconds;
    if (!status) status = toolchain_compile_ptx(&tools, path, arch, folders, ptx, size, error);
    workload_show_warnings(&warnings);
    base_text_free(&warnings);
    if (!status && facts && seconds > 0) {
        char now[32];
        base_utc_time(now);
        facts->compile_seconds = seconds;
        snprintf(facts->compiler, sizeof facts->compiler, "nvcc %s, %.10s", tools.version, now);
    }
    return status;
}

// Without a compiler there may still be a ptxas.
kz_status workload_check_ptx(const char *path, const char *ptx, kz_error *error) {
    toolchain tools;
    device_gpu gpu;
    toolchain_find(&tools, NULL);
    if (device_gpu_load(device_gpu_choose(NULL), &gpu, NULL)) return KZ_OK;
    return toolchain_check_ptx(&tools, path, ptx, (int)gpu.sm, error);
}

// ---- one case to look into ------------------------------------------------------------------------

static bool does(const workload_doer *doer, const kz_family *family, const kz_case *c) {
    kz_plan plan;
    if (doer->guest) return family_guest_entry(doer->guest, c) != NULL;
    return !doer->variant || !kz_variant_plan(family, doer->variant, c, doer->device, &plan, NULL);
}

enum { FLOPS_EACH = 4096, FLOPS_EACH_CUT = 256, LEAST_PART = 16 };

static bool is_plain(const kz_case *c) { return !c->misalign && c->data == KZ_DATA_UNIFORM && !c->detail; }

// Elements tell how long a simulation takes, and in a product its flops do.
static bool is_within(const kz_family *family, const kz_case *c, uint64_t most, double flops_each) {
    return family_case_elements(family, c) <= most && family->work(c).flops <= flops_each * (double)most;
}

// The largest of those with a bit of `use` that are small enough.
static const kz_case *find_largest(const kz_family *family, const workload_doer *doer, uint32_t use,
                                   uint64_t most) {
    const kz_case *best = NULL;
    for (size_t i = 0; i < family->case_count; i++) {
        const kz_case *k = &family->cases[i];
        if (!is_plain(k) || !(k->use & use) || !is_within(family, k, most, FLOPS_EACH)) continue;
        if (best && family_case_elements(family, k) <= family_case_elements(family, best)) continue;
        if (does(doer, family, k)) best = k;
    }
    return best;
}

static const kz_case *find_first_timed(const kz_family *family, const workload_doer *doer) {
    for (size_t i = 0; i < family->case_count; i++)
        if (is_plain(&family->cases[i]) && family->cases[i].use & KZ_USE_BENCH &&
            does(doer, family, &family->cases[i]))
            return &family->cases[i];
    return NULL;
}

// The largest axis that is a size: half of it is less work. KZ_CASE_AXES where there is none.
static size_t find_longest(const kz_family *family, const kz_case *c) {
    size_t longest = KZ_CASE_AXES;
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i]; i++) {
        kz_case half = *c;
        half.axes[i] /= 2;
        kz_work less = family->work(&half), all = family->work(c);
        bool is_size = less.bytes < all.bytes || less.flops < all.flops;
        if (is_size && half.axes[i] && (longest == KZ_CASE_AXES || c->axes[i] > c->axes[longest]))
            longest = i;
    }
    return longest;
}

// Halves the longest axis until it is small enough; false where that gives no case that is done.
static bool cut(const kz_family *family, const workload_doer *doer, uint64_t most, kz_case *c) {
    while (!is_within(family, c, most, FLOPS_EACH_CUT)) {
        size_t axis = find_longest(family, c);
        if (axis == KZ_CASE_AXES) return false;
        c->axes[axis] /= 2;
    }
    return does(doer, family, c) && (!doer->device || kz_choose(family, c, doer->device, false, NULL));
}

// The first case to time that the doer does when it is cut.
static bool cut_first(const kz_family *family, const workload_doer *doer, uint64_t most, kz_case *c) {
    for (size_t i = 0; i < family->case_count; i++) {
        *c = family->cases[i];
        if (is_plain(c) && c->use & KZ_USE_BENCH && cut(family, doer, most, c)) return true;
    }
    return false;
}

// False where there is none. See names.h.
static bool find_moderate(const kz_family *family, const workload_doer *doer, uint64_t most, kz_case *c) {
    const kz_case *best =
        most ? find_largest(family, doer, KZ_USE_BENCH, most) : find_first_timed(family, doer);
    bool large = best && (!most || family_case_elements(family, best) >= most / LEAST_PART);
    if (!large && most && cut_first(family, doer, most, c)) return true;
    if (!best && most) best = find_largest(family, doer, KZ_USE_CHECK, most);
    if (best) *c = *best;
    return best != NULL;
}

kz_status workload_choose_case(const kz_family *family, const workload_doer *doer, const char *pattern,
                               uint64_t most, kz_case *c, kz_error *error) {
    if (pattern) {
        kz_case *cases;
        size_t count;
        kz_status status =
            workload_find_cases(family, pattern, KZ_USE_CHECK | KZ_USE_BENCH, &cases, &count, error);
        if (status) return status;
        *c = cases[0];
        free(cases);
        return KZ_OK;
    }
    if (find_moderate(family, doer, most, c)) return KZ_OK;
    // A variant that does none says why when it is asked for its plan.
    if (doer->variant && find_moderate(family, &(workload_doer){0}, most, c)) return KZ_OK;
    return base_fail(error, KZ_NOT_FOUND, "%s has no case for this; name one with --case", family->name);
}

kz_status workload_open_guest(const kz_family *family, const char *path, bool for_debugging,
                              family_guest **guest, bench_facts *facts, kz_error *error) {
    char *source = NULL, *ptx = NULL;
    size_t size;
    const char *slash = strrchr(path, '/');
    kz_status status = base_file_read(path, &source, &size, error);
    if (status) return status;
    *facts = bench_facts_unknown();
    if (!base_ends_with(path, ".ptx")) {
        facts->lines = facts->all_lines = (int)base_code_lines(source); // its headers are anybody's
        status = workload_compile(path, NULL, for_debugging, &ptx, &size, facts, error);
    }
    const char *code = ptx ? ptx : source, *name = slash ? slash + 1 : path;
    family_guest *opened = NULL;
    if (!status) status = family_guest_open(family, name, source, code, &opened, error);
    // After our own parser, whose messages show the line.
    if (!status && !for_debugging) status = workload_check_ptx(path, code, error);
    if (!status)
        *guest = opened;
    else
        family_guest_close(opened);
    free(source);
    free(ptx);
    return status;
}

// ---- devices --------------------------------------------------------------------------------------

static kz_status add_device(const char *id, workload_devices *devices, kz_error *error) {
    if (devices->count == WORKLOAD_WORDS)
        return base_fail(error, KZ_LIMIT, "more than %d devices", WORKLOAD_WORDS);
    kz_status status = kz_device_open(id, &devices->items[devices->count], error);
    if (!status) devices->count++;
    return status;
}

static kz_status add_default_devices(bool with_cpu, workload_devices *devices, kz_error *error) {
    kz_device_info infos[WORKLOAD_WORDS] = {{.size = sizeof infos[0]}};
    size_t count = 0;
    kz_status status = kz_device_list(infos, WORKLOAD_WORDS, &count, error);
    for (size_t i = 0; i < count && i < WORKLOAD_WORDS && !status; i++)
        if (infos[i].kind == KZ_DEVICE_CUDA) status = add_device(infos[i].id, devices, error);
    if (!status && devices->count == 0) status = add_device("sim", devices, error);
    if (!status && with_cpu) status = add_device("cpu", devices, error);
    return status;
}

kz_status workload_open_devices(const char *const *ids, size_t count, bool with_cpu,
                                workload_devices *devices, kz_error *error) {
    *devices = (workload_devices){0};
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count && !status; i++) {
        status = add_device(ids[i], devices, error);
        if (status) base_fail_note(error, "kz devices lists what there is");
    }
    if (count == 0) status = add_default_devices(with_cpu, devices, error);
    if (status) workload_close_devices(devices);
    return status;
}

void workload_close_devices(workload_devices *devices) {
    for (size_t i = 0; i < devices->count; i++) kz_device_close(devices->items[i]);
    devices->count = 0;
}
