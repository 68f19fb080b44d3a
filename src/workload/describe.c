// What a variant is made of. See describe.h.
#include "workload/describe.h"

#include <stdlib.h>
#include <string.h>

static bool assemble(void *context, const char *name, const char *ptx, int sm, void **code, size_t *size) {
    workload_ptxas *p = context;
    char arch[TOOLCHAIN_ARCH];
    if (!p->looked) toolchain_find(&p->tools, NULL); // without nvcc there may still be a ptxas
    p->looked = true;
    if (!p->tools.ptxas[0]) return false;
    toolchain_ptx_arch(ptx, sm, arch);
    return toolchain_assemble(&p->tools, name, ptx, strlen(ptx), arch, code, size, NULL, NULL, NULL) == KZ_OK;
}

bench_assembler workload_assembler(workload_ptxas *ptxas) { return (bench_assembler){assemble, ptxas}; }

static kz_status describe(const kz_family *family, const kz_variant *variant, const kz_plan *plan,
                          kz_device *device, bench_code *code, kz_error *error) {
    workload_ptxas ptxas = {0};
    const bench_assembler assembler = workload_assembler(&ptxas);
    kz_image image;
    kz_module *module = NULL;
    kz_status status = workload_load(family, variant, NULL, device, &image, &module, error);
    if (status) return status;
    *code = bench_code_of(device, module, &image, plan, &assembler);
    kz_module_close(module);
    return KZ_OK;
}

kz_status workload_describe(const kz_family *family, const kz_variant *variant, const char *pattern,
                            kz_device *device, workload_description *d, kz_error *error) {
    kz_case *cases = NULL;
    size_t count = 0;
    kz_plan plan;
    *d = (workload_description){.code = bench_code_unknown()};
    kz_status status =
        workload_find_cases(family, pattern, pattern ? 0 : KZ_USE_BENCH, &cases, &count, error);
    if (status) return status;
    status = base_fail(error, KZ_UNSUPPORTED, "%s/%s does none of the cases", family->name, variant->name);
    for (size_t i = 0; i < count && status; i++) {
        plan = (kz_plan){0};
        status = kz_variant_plan(family, variant, &cases[i], kz_device_get_info(device), &plan, error);
        d->c = cases[i];
    }
    free(cases);
    if (status) return status;
    family_case_name(family, &d->c, d->name);
    d->workspace_bytes = plan.workspace_bytes;
    return describe(family, variant, &plan, device, &d->code, error);
}
