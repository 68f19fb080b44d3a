// The element types of the public interface: kz/types.def as an array.
#include "base/base.h"

static const base_type types[KZ_TYPE_COUNT] = {
#define KZ_TYPE(id, name, stored, form, kind, digits, lowest, highest, poison, cuda, c)                      \
    [KZ_##id] = {name,        sizeof(stored),                                                                \
                 BASE_##kind, digits,                                                                        \
                 lowest,      highest,                                                                       \
                 poison,      cuda,                                                                          \
                 c,           BASE_##kind == BASE_FLOAT ? 1.0 / (double)(UINT64_C(1) << digits) : 0.0},
#include "kz/types.def"
#undef KZ_TYPE
};

// A number that is no type has no size and no values.
const base_type *base_type_of(kz_type type) {
    static const base_type none = {.name = "?", .kind = BASE_UNSIGNED};
    return (unsigned)type < KZ_TYPE_COUNT ? &types[type] : &none;
}
bool base_type_is_float(kz_type type) { return base_type_of(type)->kind == BASE_FLOAT; }

size_t kz_type_size(kz_type type) { return base_type_of(type)->size; }
const char *kz_type_name(kz_type type) { return base_type_of(type)->name; }
