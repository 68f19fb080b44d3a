// truth_zoo: launches every kernel of the zoo once, each variant on a case that the simulator does in a
// moment, on the GPU (for ncu to watch) or on the simulator, which counts.
//
//   truth_zoo [--device cuda|sim:h200] [FILTER]
//
// Prints as truth_counters does; a test is "family/variant/case".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family/buffers.h"
#include "family/case.h"
#include "family/check.h"
#include "truth.h"

typedef struct bench {
    kz_device *device;
    bool counts;
    unsigned launches;
} bench;

// Each step by itself, as a plan of its own: counters are read between launches.
static kz_status run_steps(bench *b, kz_module *module, const kz_plan *plan, family_buffers *buffers,
                           const char *test, kz_error *error) {
    kz_status status = KZ_OK;
    observe_session *session = NULL;
    for (uint32_t i = 0; !status && i < plan->step_count; i++) {
        kz_plan one = {.workspace_bytes = plan->workspace_bytes, .step_count = 1, .steps = {plan->steps[i]}};
        if (b->counts && one.steps[0].kind == KZ_STEP_LAUNCH)
            status = observed_begin(b->device, &session, error);
        if (!status)
            status = kz_plan_run(b->device, NULL, module, &one, buffers->addresses, buffers->count,
                                 buffers->workspace.data, error);
        if (!status) status = kz_device_synchronize(b->device, error);
        if (status || plan->steps[i].kind != KZ_STEP_LAUNCH) continue;
        printf("%u,%s,%s\n", b->launches, test, plan->steps[i].entry);
        if (b->counts) observed_end(b->device, session, b->launches, NULL);
        b->launches++;
    }
    return status;
}

static kz_status run_case(bench *b, const kz_family *family, const kz_variant *variant, const kz_case *c,
                          kz_error *error) {
    char name[FAMILY_CASE_NAME], test[256];
    kz_image image;
    kz_module *module = NULL;
    kz_plan plan = {0};
    family_buffers buffers = {0};
    bool opened = false;
    family_case_name(family, c, name);
    snprintf(test, sizeof test, "%s/%s/%s", family->name, variant->name, name);
    if (kz_variant_plan(family, variant, c, kz_device_get_info(b->device), &plan, error))
        return KZ_OK; // does not do this one
    kz_status status = kz_variant_image(family, variant, &image, error);
    if (!status) status = kz_module_load(b->device, &image, &module, error);
    if (!status) {
        status = family_buffers_open(family, c, b->device, plan.workspace_bytes, &buffers, error);
        opened = !status;
    }
    if (!status) status = family_buffers_fill(&buffers, FAMILY_SEED, 0, error);
    if (!status) status = run_steps(b, module, &plan, &buffers, test, error);
    if (opened) family_buffers_close(&buffers);
    if (module) kz_module_close(module);
    return status;
}

// Of a family's cases: one per operation and type, of moderate size and with an uneven end, and one that is
// misaligned.
static const char *const cases[] = {
#define ZOO_CASE(family, name) family, name,
#include "zoo_cases.def"
#undef ZOO_CASE
};

int main(int argc, char **argv) {
    const char *id = "sim:h200", *filter = NULL;
    bench b = {0};
    kz_error error = {0};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--device") && i + 1 < argc)
            id = argv[++i];
        else
            filter = argv[i];
    }
    kz_status status = kz_device_open(id, &b.device, &error);
    if (!status) b.counts = kz_device_get_info(b.device)->kind == KZ_DEVICE_SIM;
    for (size_t i = 0; !status && i < BASE_COUNT(cases); i += 2) {
        const kz_family *family = kz_family_find(cases[i]);
        kz_case c;
        if (!family) continue;
        status = family_case_parse(family, cases[i + 1], &c, &error);
        for (size_t v = 0; !status && v < family->variant_count; v++) {
            const kz_variant *variant = &family->variants[v];
            if (variant->min_sm == 0 ||
                (filter && !strstr(variant->name, filter) && !strstr(cases[i], filter)))
                continue;
            status = run_case(&b, family, variant, &c, &error);
        }
    }
    if (status) fprintf(stderr, "truth_zoo: %s\n", error.message);
    if (b.device) kz_device_close(b.device);
    return status ? 2 : 0;
}
