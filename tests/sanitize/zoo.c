// Every variant of the zoo under the detectors: nothing but notes may be found.
//   zoo_clean [FAMILY [VARIANT [CASES]]]        CASES: so many of each variant, spread over its edge cases
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "family/case.h"
#include "family/check.h"
#include "kz/family.h"
#include "kz/kz.h"
#include "observe/observe.h"

typedef struct tally {
    size_t runs, cases, variants, accused;
} tally;

// Whether the record accuses; prints what it says.
static bool accuses(const char *name, char *record) {
    bool any = false;
    char *rest = NULL;
    for (char *line = strtok_r(record, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!strstr(line, "\"type\":\"finding\"") || strstr(line, "\"severity\":\"note\"")) continue;
        printf("%s: %s\n", name, line);
        any = true;
    }
    return any;
}

static bool run_case(const kz_family *family, const kz_variant *variant, const kz_case *c, kz_device *device,
                     kz_module *module, tally *sums) {
    char name[FAMILY_CASE_NAME], whole[FAMILY_CASE_NAME + 256];
    observe_options options = {.races = true, .sync = true};
    observe_gpu gpu = {.key = "h200", .sm = 90, .multiprocessors = 132};
    observe_session *session = NULL;
    kz_error error = {0};
    base_text record = {0};
    family_check_result result = {0};
    family_case_name(family, c, name);
    snprintf(whole, sizeof whole, "%s/%s %s", family->name, variant->name, name);
    kz_status status = observe_session_open(&options, &gpu, &session, &error);
    if (status == KZ_OK) status = device_sim_observe(device, session, &error);
    if (status == KZ_OK) {
        family_check(&(family_check_job){.family = family,
                                         .variant = variant,
                                         .c = c,
                                         .device = device,
                                         .module = module,
                                         .seed = FAMILY_SEED},
                     &result);
        observe_session_finish(session, &record);
    }
    device_sim_observe(device, NULL, NULL);
    observe_session_close(session);
    bool good = status == KZ_OK && (result.outcome == FAMILY_PASSED || result.outcome == FAMILY_SKIPPED);
    if (!good) printf("%s: %s\n", whole, status ? error.message : result.error.message);
    if (accuses(whole, record.data ? record.data : (char[]){0})) {
        good = false;
        sums->accused++;
    }
    base_text_free(&record);
    sums->runs++;
    return good;
}

static bool run_variant(const kz_family *family, const kz_variant *variant, kz_device *device, size_t most,
                        tally *sums) {
    kz_error error = {0};
    kz_image image;
    kz_module *module = NULL;
    bool good = kz_variant_image(family, variant, &image, &error) == KZ_OK &&
                kz_module_load(device, &image, &module, &error) == KZ_OK;
    if (!good) printf("%s/%s: %s\n", family->name, variant->name, error.message);
    size_t count = 0, seen = 0;
    for (size_t i = 0; i < family->case_count; i++) count += (family->cases[i].use & KZ_USE_CHECK) != 0;
    size_t step = most && count > most ? (count + most - 1) / most : 1;
    for (size_t i = 0; good && i < family->case_count; i++)
        if (family->cases[i].use & KZ_USE_CHECK && seen++ % step == 0)
            good = run_case(family, variant, &family->cases[i], device, module, sums) && good;
    if (module) kz_module_close(module);
    sums->variants++;
    return good;
}

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device;
    tally sums = {0};
    size_t count, most = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    bool good = true;
    if (kz_device_open("sim:h200", &device, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        if (argc > 1 && strcmp(argv[1], "*") && strcmp(argv[1], list[f]->name)) continue;
        for (size_t v = 0; v < list[f]->variant_count; v++) {
            const kz_variant *variant = &list[f]->variants[v];
            if (argc > 2 && strcmp(argv[2], "*") && !strstr(variant->name, argv[2])) continue;
            if (!family_variant_suits(variant, kz_device_get_info(device))) continue;
            good = run_variant(list[f], variant, device, most, &sums) && good;
        }
    }
    kz_device_close(device);
    printf("%zu variants, %zu runs, %zu accused\n", sums.variants, sums.runs, sums.accused);
    return !good || !sums.runs;
}
