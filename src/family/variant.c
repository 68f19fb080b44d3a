// Variants of a family: found by name, fitted to a device, planned, and their embedded code.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/plan.h"
#include "family/image.h"
#include "kz/family.h"

// The idea without its number is enough: "warp_shuffle" for "03_warp_shuffle".
static bool is_name(const char *full, const char *name) {
    const char *idea = strchr(full, '_');
    return strcmp(full, name) == 0 || (idea && strcmp(idea + 1, name) == 0);
}

const kz_variant *kz_variant_find(const kz_family *family, const char *name) {
    if (!family || !name) return NULL;
    for (size_t i = 0; i < family->variant_count; i++)
        if (is_name(family->variants[i].name, name)) return &family->variants[i];
    for (const kz_former_name *row = family->former_names; row && row->former; row++)
        if (is_name(row->former, name)) return kz_variant_find(family, row->name);
    return NULL;
}

bool kz_variant_fits(const kz_variant *variant, const kz_device_info *device) {
    if (!variant || !device) return false;
    if (device->kind == KZ_DEVICE_CPU) return variant->natives != NULL;
    if (variant->natives) return false;
    return variant->min_sm < 0 ? KZ_SM_EXACT(device->sm) == variant->min_sm : variant->min_sm <= device->sm;
}

static kz_status check_shared_memory(const kz_plan *plan, const kz_device_info *device, kz_error *error) {
    uint64_t room = device->shared_per_block_optin;
    for (size_t i = 0; room && i < plan->step_count; i++) {
        uint64_t wanted = plan->steps[i].launch.dynamic_shared_bytes;
        if (plan->steps[i].kind == KZ_STEP_LAUNCH && wanted > room)
            return base_fail(
                error, KZ_UNSUPPORTED, "a block needs %llu KiB of shared memory, and %s has %llu",
                (unsigned long long)(wanted >> 10), device->id, (unsigned long long)(room >> 10));
    }
    return KZ_OK;
}

kz_status kz_variant_plan(const kz_family *family, const kz_variant *variant, const kz_case *c,
                          const kz_device_info *device, kz_plan *plan, kz_error *error) {
    kz_status status = BASE_NEED(family, FAMILY, error);
    if (!status) status = BASE_NEED(variant, VARIANT, error);
    if (!status) status = BASE_NEED(c, CASE, error);
    if (!status) status = BASE_NEED(device, DEVICE_INFO, error);
    if (!status) status = BASE_NEED_RESULT(plan, kz_plan, error);
    if (status) return status;
    *plan = (kz_plan){0};
    if ((variant->natives != NULL) != (device->kind == KZ_DEVICE_CPU))
        return base_fail(error, KZ_UNSUPPORTED, "%s is not meant for %s", variant->name, device->id);
    if (!kz_variant_fits(variant, device))
        return base_fail(error, KZ_UNSUPPORTED, "needs sm_%d%s, and %s is sm_%d", abs(variant->min_sm),
                         variant->min_sm < 0 ? " and no other" : "", device->id, device->sm);
    uint32_t operations = 0;
    while (family->operations[operations]) operations++;
    if (c->operation >= operations)
        return base_fail(error, KZ_UNSUPPORTED, "%s has no such operation", family->name);
    if ((unsigned)c->type >= KZ_TYPE_COUNT)
        return base_fail(error, KZ_INVALID, "the case's type is %d, and kz_type has no such value",
                         (int)c->type);
    if (family->types && !(family->types >> c->type & 1))
        return base_fail(error, KZ_UNSUPPORTED, "%s has no %s", family->name, kz_type_name(c->type));
    status = variant->plan(&(kz_planner){family, variant, c, device, plan, error});
    if (!status) status = device_plan_check(plan, error);
    return status ? status : check_shared_memory(plan, device, error);
}

const kz_image *family_find_image(const kz_family *family, const char *variant) {
    const kz_embedded *embedded = family->embedded;
    for (size_t i = 0; embedded && i < embedded->code.count; i++) {
        const kz_image *image = &embedded->code.images[i];
        const char *slash = strchr(image->name, '/');
        if (slash && strcmp(slash + 1, variant) == 0) return image;
    }
    return NULL;
}

// A build without a CUDA compiler has none.
static bool has_code(const kz_image_set *const *others) {
    while (others && *others && !(*others)->count) others++;
    return others && *others;
}

kz_status kz_variant_image(const kz_family *family, const kz_variant *variant, kz_image *image,
                           kz_error *error) {
    kz_status status = BASE_NEED(family, FAMILY, error);
    if (!status) status = BASE_NEED(variant, VARIANT, error);
    if (!status) status = BASE_NEED_RESULT(image, kz_image, error);
    if (status) return status;
    if (variant->natives) {
        *image = (kz_image){.size = sizeof(kz_image), .name = variant->name, .natives = variant->natives};
        return KZ_OK;
    }
    const kz_image *found = family_find_image(family, variant->name);
    if (found) {
        *image = *found;
        image->others = variant->others;
        return KZ_OK;
    }
    if (has_code(variant->others)) { // it has no kernel of its own
        static const char none[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
        *image = (kz_image){.size = sizeof(kz_image),
                            .name = variant->name,
                            .ptx = none,
                            .ptx_size = sizeof none - 1,
                            .others = variant->others};
        return KZ_OK;
    }
    base_fail(error, KZ_NOT_FOUND, "the code of %s/%s is not in this build", family->name, variant->name);
    base_fail_note(error, "the build had no CUDA compiler; try: kz doctor");
    return KZ_NOT_FOUND;
}
