// The zoo's table, made from kernels/zoo.def, and the embedded code of its variants.
#include "kz/family.h"

#include <string.h>

#include "base/base.h"
#include "family/images.h"

#define KZ_FAMILY(name, group) extern const kz_family kz_family_##name;
#include "zoo.def"
#undef KZ_FAMILY

static const kz_family *const families[] = {
#define KZ_FAMILY(name, group) &kz_family_##name,
#include "zoo.def"
#undef KZ_FAMILY
};

const kz_family *const *kz_family_list(size_t *count) {
    *count = BASE_COUNT(families);
    return families;
}

const kz_family *kz_family_find(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(families); i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}

// The idea without its number finds it too: "warp_shuffle" for "03_warp_shuffle".
const kz_variant *kz_variant_find(const kz_family *family, const char *name) {
    for (size_t i = 0; i < family->variant_count; i++) {
        const char *full = family->variants[i].name, *idea = strchr(full, '_');
        if (strcmp(full, name) == 0 || (idea && strcmp(idea + 1, name) == 0)) return &family->variants[i];
    }
    return NULL;
}

kz_status kz_variant_image(const kz_family *family, const kz_variant *variant, kz_image *image,
                           kz_error *error) {
    if (variant->natives) {
        *image = (kz_image){.name = variant->name, .natives = variant->natives};
        return KZ_OK;
    }
    for (size_t i = 0; i < zoo_image_count; i++) {
        const zoo_image_row *row = &zoo_images[i];
        if (strcmp(row->family, family->name) == 0 && strcmp(row->variant, variant->name) == 0) {
            *image = row->image;
            return KZ_OK;
        }
    }
    base_fail(error, KZ_NOT_FOUND, "the code of %s/%s is not in this build", family->name, variant->name);
    base_fail_note(error, "the build had no CUDA compiler; try: kz doctor");
    return KZ_NOT_FOUND;
}
