// The zoo's table, made from zoo.def: what is known by name. The only file that knows every family.
#include <string.h>

#include "kz/family.h"
#include "kz/operation.h"

#define KZ_FAMILY(name, group) extern const kz_family kz_family_##name;
#include "zoo.def"
#undef KZ_FAMILY

static const kz_family *const families[] = {
#define KZ_FAMILY(name, group) &kz_family_##name,
#include "zoo.def"
#undef KZ_FAMILY
};
enum { FAMILIES = sizeof families / sizeof families[0] };

const kz_family *const *kz_family_list(size_t *count) {
    if (count) *count = FAMILIES;
    return families;
}

const kz_family *kz_family_find(const char *name) {
    for (size_t i = 0; name && i < FAMILIES; i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}

kz_status kz_operation_open(kz_device *device, const char *family, const kz_case *c, const char *variant,
                            kz_operation **operation, kz_error *error) {
    const kz_family *found = kz_family_find(family);
    if (found) return kz_operation_open_family(device, found, c, variant, operation, error);
    if (operation) *operation = NULL;
    if (!family)
        return kz_fail(error, KZ_INVALID,
                       "kz_operation_open: the family's name is NULL\nkz_family_list has them all");
    return kz_fail(error, KZ_NOT_FOUND,
                   "there is no family %s\n`kz list` lists them, and kz_family_list in C", family);
}
