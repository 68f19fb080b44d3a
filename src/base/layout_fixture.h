// For the tests of layouts: from text and back, or the test fails.
#ifndef BASE_LAYOUT_FIXTURE_H
#define BASE_LAYOUT_FIXTURE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/layout.h"
#include "unit.h"

static inline const char *shown(const base_layout *l) {
    static char texts[4][512];
    static unsigned next;
    char *text = texts[next++ % 4];
    base_text t = {0};
    base_layout_print(l, &t);
    snprintf(text, sizeof texts[0], "%s", t.data);
    base_text_free(&t);
    return text;
}

static inline base_layout parsed(const char *text) {
    base_layout l;
    kz_error error = {0};
    if (base_layout_parse(text, &l, &error)) fail_msg("%s: %s", text, error.message);
    return l;
}

static inline base_tiler tiler_of(const char *text) {
    base_tiler t;
    kz_error error = {0};
    if (base_tiler_parse(text, &t, &error)) fail_msg("%s: %s", text, error.message);
    return t;
}

#endif
