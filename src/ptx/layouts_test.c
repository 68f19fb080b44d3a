// The layouts of fragment.def: CuTe's traits say the same, every form of the table of matrix instructions has its own, and every name
// that is listed is known.
#include "ptx/layouts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ptx/matrix.h"
#include "unit.h"

static ptx_layout named(const char *name) {
    ptx_layout l;
    kz_error error = {0};
    if (ptx_layout_named(name, &l, &error)) fail_msg("%s", error.message);
    return l;
}

// A quarter of CuTe's has 8 threads: 0 to 3 and 16 to 19 of the warp.
static int64_t thread_of(const base_layout *cute, const base_layout *ours, int64_t thread) {
    return base_layout_size(cute) < base_layout_size(ours) ? thread % 4 + thread / 4 * 16 : thread;
}

static void is_same_fragment(const char *name, const base_layout *ours, const base_layout *cute) {
    base_layout threads = base_layout_mode(ours, 0), values = base_layout_mode(ours, 1),
                their_threads = base_layout_mode(cute, 0), their_values = base_layout_mode(cute, 1);
    assert_int_equal(base_layout_rank(ours), 2);
    assert_int_equal(base_layout_size(&values), base_layout_size(&their_values));
    int64_t count = base_layout_size(&their_threads);
    // Of ldmatrix.x1 and x2 CuTe has addresses for threads that give none.
    if (count > base_layout_size(&threads)) count = base_layout_size(&threads);
    assert_true(count == 32 || count == 128 || count == 8 || count == 16);
    for (int64_t t = 0; t < count; t++)
        for (int64_t v = 0; v < base_layout_size(&values); v++) {
            int64_t mine = base_layout_at(&threads, thread_of(&their_threads, &threads, t)) +
                           base_layout_at(&values, v),
                    theirs = base_layout_at(&their_threads, t) + base_layout_at(&their_values, v);
            if (mine != theirs)
                fail_msg("%s: thread %" PRId64 ", value %" PRId64 " is %" PRId64 ", and CuTe's %" PRId64,
                         name, t, v, mine, theirs);
        }
}

static void traits_of_cute(void **state) {
    static const struct {
        const char *name, *layout;
    } rows[] = {
#define CUTE_FRAGMENT(name, layout) {name, layout},
#define CUTE_WRONG(name, layout)
#include "ptx/fragment_cute.def"
#undef CUTE_FRAGMENT
#undef CUTE_WRONG
    };
    assert_true(BASE_COUNT(rows) > 100);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        ptx_layout ours = named(rows[i].name);
        base_composed cute;
        kz_error error = {0};
        if (base_composed_parse(rows[i].layout, &cute, &error)) fail_msg("%s", error.message);
        if (ours.holds) {
            is_same_fragment(rows[i].name, &ours.layout.layout, &cute.layout);
            continue;
        }
        base_text text = {0};
        base_composed_print(&ours.layout, &text);
        assert_string_equal(text.data, rows[i].layout);
        base_text_free(&text);
    }
}

// An element is held once, or as often as all others.
static void is_whole(const char *name, const ptx_layout *l) {
    unsigned cells = l->rows * l->columns;
    unsigned *count = calloc(cells, sizeof *count);
    assert_non_null(count);
    for (int64_t i = 0; i < base_layout_size(&l->layout.layout); i++) {
        int64_t at = base_composed_at(&l->layout, i);
        if (at < 0 || at >= cells) fail_msg("%s: %" PRId64 " is outside", name, at);
        count[at]++;
    }
    for (unsigned i = 0; i < cells; i++)
        if (count[i] != count[0] || !count[i]) fail_msg("%s: element %u is held %u times", name, i, count[i]);
    free(count);
}

static void check_name(void *context, const char *name, const char *more) {
    ptx_layout l = named(name);
    ++*(unsigned *)context;
    is_whole(name, &l);
    assert_true(l.text[0] && l.row && l.column && l.bits);
    assert_non_null(more);
}

static void every_name_is_known(void **state) {
    unsigned count = 0;
    ptx_layout_names(check_name, &count);
    assert_true(count > 150);
}

// Rows of fragment.def that no form of matrix.def has would be dead.
static void mark_used(void *context, const char *name, const char *more) {
    (void)more;
    ptx_layout l = named(name);
    base_text text = {0};
    base_layout_print(&l.layout.layout, &text);
    base_text_add(context, "%s\n", text.data);
    base_text_free(&text);
}

static void every_row_is_used(void **state) {
    static const char *const rows[] = {
#define PTX_FRAGMENT(part, across, along, bits, layout) layout,
#define PTX_QUARTER(part, other, layout)                layout,
#define PTX_MATRIX_MOVE(...)
#define PTX_SHARED_TILE(...)
#include "ptx/fragment.def"
#undef PTX_FRAGMENT
#undef PTX_QUARTER
#undef PTX_MATRIX_MOVE
#undef PTX_SHARED_TILE
    };
    base_text all = {0};
    ptx_layout_names(mark_used, &all);
    mark_used(&all, "wmma.m8n32k16.bf16.a", ""); // the names that are listed have f16, which repeats
    mark_used(&all, "wmma.m16n16k16.bf16.b", "");
    for (size_t i = 0; i < BASE_COUNT(rows); i++) assert_has(all.data, rows[i]);
    base_text_free(&all);
}

static void names_that_are_none(void **state) {
    static const struct {
        const char *name, *near;
    } rows[] = {{"mma.m16n8k16.f16.x", "mma.m16n8k16.f16"},
                {"mma.m16n8k17.f16.a", "mma.m16n8k1"},
                {"wgmma.m64n64k16.f16.b", ""},
                {"wgmma.m64n20k16.f16.d", ""},
                {"ldmatrix.x3", "ldmatrix.x"},
                {"ldmatrix.x4.trans.address", ""},
                {"smem.k.sw16.b16", "smem.k.sw"},
                {"smem.k.sw128.b12", "smem.k.sw128.b16"},
                {"smem.k.sw128.b256", "smem.k.sw128.b16"},
                {"x.y.z.x.y.z.x.y.z", "--list"},
                {"", "--list"},
                {"a very long name that no layout of the hardware has, however it may be written", "--list"}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        ptx_layout l;
        kz_error error = {0};
        if (ptx_layout_named(rows[i].name, &l, &error) != KZ_NOT_FOUND)
            fail_msg("%s is a name", rows[i].name);
        assert_has(error.message, rows[i].near);
    }
    ptx_layout l = named("wgmma.m64n64k16.d"); // the type may be left out
    assert_int_equal(l.columns, 64);
    l = named("mma.sp.m16n8k32.bf16.a");
    assert_int_equal(l.columns, 16);
    l = named("mma.m16n8k16.f16.b");
    assert_true(l.rows == 16 && l.columns == 8 && l.by_rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traits_of_cute),
        cmocka_unit_test(every_name_is_known),
        cmocka_unit_test(every_row_is_used),
        cmocka_unit_test(names_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
