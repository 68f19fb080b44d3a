// Between the files of layouts: making trees, reading text. See layout.h.
#ifndef BASE_LAYOUT_INSIDE_H
#define BASE_LAYOUT_INSIDE_H

#include "base/layout.h"

#define LAYOUT_BEYOND (INT64_C(1) << 60) // stands for all that is larger

int64_t base_layout_times(int64_t a, int64_t b); // at most LAYOUT_BEYOND, at least its negative

// A layout that is being made; `full` stays true once something did not fit.
typedef struct layout_builder {
    base_layout layout;
    bool full;
} layout_builder;
void base_layout_leaf(layout_builder *builder, int64_t shape, int64_t stride);
unsigned base_layout_open(layout_builder *builder); // "(": what is given back goes to layout_close
void base_layout_close(layout_builder *builder, unsigned at);
void base_layout_copy(layout_builder *builder, const base_layout *from,
                      unsigned node); // with all below the node
// KZ_INVALID where it is too large or has too many modes.
kz_status base_layout_finish(const layout_builder *builder, base_layout *result, kz_error *error);
void base_layout_make_compact(base_layout *layout); // strides of its shape, the first mode contiguous

typedef struct layout_reader {
    const char *text, *at;
} layout_reader;
bool base_layout_word(layout_reader *reader, const char *word); // true, and past it, where it is next
kz_status base_layout_number(layout_reader *reader, int64_t *value, kz_error *error);
kz_status base_layout_read(layout_reader *reader, base_layout *layout, bool *has_strides, kz_error *error);
kz_status base_layout_end(layout_reader *reader, kz_error *error);
kz_status base_layout_wrong(const layout_reader *reader, const char *message,
                            kz_error *error);        // KZ_INVALID, with a caret
const char *base_layout_text(const base_text *text); // never NULL

#endif
