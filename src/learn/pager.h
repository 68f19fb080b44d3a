// A text page by page.
#ifndef LEARN_PAGER_H
#define LEARN_PAGER_H

#include <stdbool.h>
#include <stddef.h>

// Whether the window has fewer rows than the text needs with `below` more under it. Without a window: no.
bool learn_pager_is_longer(const char *text, size_t below);
// Shows the text in $PAGER, else in less, which begins at line `first` (from 1) and whose last line says `keys`; what
// was read stays on the screen. False where there is neither: then it is to be printed as it is.
bool learn_pager_show(const char *text, size_t size, size_t first, const char *keys);

#endif
