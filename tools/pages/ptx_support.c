// docs/ptx_support.md: the table of instructions.
#include "pages.h"
#include "ptx/ptx.h"

kz_status pages_ptx_support(pages_writer *w, const char *const *words, size_t count, kz_error *error) {
    base_text page = {0};
    ptx_print_support(&page);
    kz_status status = pages_put(w, "docs/ptx_support.md", &page, error);
    base_text_free(&page);
    return status;
}
