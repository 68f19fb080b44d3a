// Texts on the learner's screen that the window may not hold: they go through the pager, where keys can be read.
#include <stdlib.h>
#include <string.h>

#include "learn/screen.h"
#include "learn/pager.h"

bool learn_screen_is_longer(const char *text) {
    enum { BELOW = 8 }; // rows of what stands under it: a verdict on the starter, the keys
    return learn_pager_is_longer(text, BELOW);
}

void learn_screen_pages(learn_screen *s, const char *text, size_t size, size_t first, const char *then) {
    bool shown = false;
    char keys[128];
    snprintf(keys, sizeof keys, "Space goes on, b goes back, q %s", then);
    if (s->terminal.keys && learn_screen_is_longer(text)) {
        learn_terminal_lines(&s->terminal, true);
        shown = learn_pager_show(text, size, first, keys);
        learn_terminal_lines(&s->terminal, false);
    }
    if (!shown) fwrite(text, 1, size, stdout);
}

// The line with which a list begins to be read: some above the first that '>' marks, where the learner is.
static size_t line_of_here(const char *text) {
    enum { ABOVE = 8 };
    for (size_t line = 1; *text; line++) {
        const char *begin = text;
        if (*begin == '\033') begin += strcspn(begin, "m\n") + 1; // bold
        if (*begin == '>') return line > ABOVE ? line - ABOVE : 1;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return 1;
}

void learn_screen_print(learn_screen *s, void (*print)(learn_screen *s, FILE *file, const learn_pages *pages),
                        const learn_pages *pages, const char *then) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file) {
        print(s, file, pages);
        fclose(file);
    }
    if (text)
        learn_screen_pages(s, text, size, line_of_here(text), then);
    else
        print(s, stdout, pages);
    free(text);
}
