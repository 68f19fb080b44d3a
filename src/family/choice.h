// A family's choice.csv as the build embeds it, and the reader of its rows.
#ifndef FAMILY_CHOICE_H
#define FAMILY_CHOICE_H

#include "kz/family.h"

enum { CHOICE_GPU, CHOICE_TYPE, CHOICE_OPERATION, CHOICE_FROM, CHOICE_TO, CHOICE_VARIANT, CHOICE_COLUMNS };

typedef struct family_choice_row {
    char text[256];
    char *column[CHOICE_COLUMNS]; // into text
    bool whole;                   // it has exactly CHOICE_COLUMNS columns
} family_choice_row;

const char *family_choice_text(const kz_family *family); // "" where there is none
// The next row of `*text`, comments and empty lines passed over; false at the end. The first is the header.
bool family_choice_next_row(const char **text, family_choice_row *row);

// It runs there, does the case, and gives the same bits in every run where that is wanted.
bool family_will_do(const kz_family *family, const kz_variant *variant, const kz_case *c,
                    const kz_device_info *device, bool deterministic);

// For a family with a model: by what was measured of nearly this shape, else by the model. NULL where neither knows.
const kz_variant *family_choose_shape(const kz_family *family, const kz_case *c, const kz_device_info *device,
                                      bool deterministic, char *why);

#endif
