// Layouts from any text: two lines, a layout and a tiler or another layout. What is read is printed and read again, and all operations
// that succeed keep their laws at the ends of the domain.
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds) {
    if (!holds) abort();
}

static void print_and_read(const base_composed *c) {
    base_text text = {0};
    base_composed again;
    base_composed_print(c, &text);
    check(!text.data || base_composed_parse(text.data, &again, NULL) == KZ_OK);
    check(!text.data || base_layout_equal(&c->layout, &again.layout));
    base_text_free(&text);
}

static void operate(const base_layout *a, const char *text) {
    base_layout b, r;
    base_tiler tiler;
    int64_t last = base_layout_size(a) - 1;
    base_layout coalesced = base_layout_coalesce(a), inverse = base_layout_right_inverse(a);
    check(base_layout_at(&coalesced, last) == base_layout_at(a, last));
    int64_t end = base_layout_size(&inverse) - 1;
    check(base_layout_at(a, base_layout_at(&inverse, end)) == end);
    base_layout_left_inverse(a, &r, NULL);
    base_layout_complement(a, 1000, &r, NULL);
    if (!base_layout_parse(text, &b, NULL)) {
        base_layout_blocked_product(a, &b, &r, NULL);
        base_layout_raked_product(a, &b, &r, NULL);
        if (!base_layout_compose(a, &b, &r, NULL)) {
            int64_t i = base_layout_size(&b) - 1;
            check(base_layout_at(&r, i) == base_layout_at(a, base_layout_at(&b, i)));
        }
    }
    if (base_tiler_parse(text, &tiler, NULL)) return;
    for (int i = 0; i < 4; i++) {
        base_layout_divide(a, &tiler, (base_grouping)i, &r, NULL);
        base_layout_product(a, &tiler, (base_grouping)i, &r, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    base_composed c;
    base_tuple coordinate;
    int64_t index;
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    char *second = strchr(text, '\n');
    if (second) *second++ = 0;
    if (!base_composed_parse(text, &c, NULL)) {
        print_and_read(&c);
        operate(&c.layout, second ? second : "2:1");
        if (second && !base_tuple_parse(second, &coordinate, NULL))
            base_layout_at_coordinate(&c.layout, &coordinate, &index, NULL);
    }
    free(text);
    return 0;
}
