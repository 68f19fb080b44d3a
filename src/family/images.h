// The compiled variants, embedded by the build: one row per kernels/<group>/<family>/NN_idea.cu.
#ifndef FAMILY_IMAGES_H
#define FAMILY_IMAGES_H

#include "kz/kz.h"

typedef struct zoo_image_row {
    const char *family, *variant;
    kz_image image;
} zoo_image_row;

extern const zoo_image_row zoo_images[];
extern const size_t zoo_image_count;

#endif
