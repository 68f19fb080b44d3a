// The zoo's kernels as the build embeds them: one row per kernels/<group>/<family>/<variant>.cu.
#ifndef FAMILY_IMAGES_H
#define FAMILY_IMAGES_H

#include "kz/kz.h"

typedef struct zoo_image_row {
    const char *family, *variant; // "reduce", "03_warp_shuffle"
    kz_image image;
} zoo_image_row;

extern const zoo_image_row zoo_images[];
extern const size_t zoo_image_count;

#endif
