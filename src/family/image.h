// The embedded code of a variant.
#ifndef FAMILY_IMAGE_H
#define FAMILY_IMAGE_H

#include "kz/family.h"

// Of the variant's own file; NULL where it has none, or the build had no compiler for it.
const kz_image *family_find_image(const kz_family *family, const char *variant);

#endif
