// pages: writes the pages of this repository that are made by a program, or says which of them are stale.
//
// One row of pages.def is one function here. It makes each of its files as a text and hands it to the writer, which
// compares it with what is there. Everything happens in the folder of the sources.
#ifndef PAGES_PAGES_H
#define PAGES_PAGES_H

#include "base/base.h"

typedef struct pages_writer {
    bool check; // write nothing; say what is stale
    size_t stale, written, current;
} pages_writer;

// The file is to be this text.
kz_status pages_put(pages_writer *w, const char *path, const base_text *text, kz_error *error);
// The file is not to be there any more.
kz_status pages_remove(pages_writer *w, const char *path, kz_error *error);
// `text` with what stands between the marks replaced; an error that names `path` where it has no such place.
kz_status pages_replace(const char *path, const char *text, const char *begin_mark, const char *end_mark,
                        const base_text *section, base_text *out, kz_error *error);

// `words` choose a part of the page; none: all of it.
#define PAGE(name, where, text)                                                                              \
    kz_status pages_##name(pages_writer *w, const char *const *words, size_t count, kz_error *error);
#include "pages.def"
#undef PAGE

#endif
