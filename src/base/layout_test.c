// Layouts: notation, swizzles, tensors, and the laws of the algebra on random layouts.
#include "base/layout_fixture.h"

enum { TRIES = 3000, LARGEST = 4096 };

// ---- random layouts ------------------------------------------------------------------------------------------

static uint64_t drawn;

static unsigned draw(unsigned below) {
    uint64_t at = drawn++;
    return base_philox(2026, 7, at / 4).word[at % 4] % below;
}

typedef enum kind { COMPACT, GAPS, ANY, SIGNED, KINDS } kind;

static int64_t draw_stride(kind how, int64_t compact) {
    static const int64_t strides[] = {0, 1, 2, 3, 4, 5, 8, 12, 16, 24, 64, 100};
    int64_t any = strides[draw(BASE_COUNT(strides))];
    return how < ANY ? compact : how == SIGNED && draw(2) ? -any : any;
}

// Leaves get their strides in a random order: each begins where those before it end, or (GAPS) later.
static void give_strides(base_layout *l, kind how) {
    int64_t reached = 1;
    unsigned order[BASE_LAYOUT_NODES], count = 0;
    for (unsigned i = 0; i < l->count; i++)
        if (l->span[i] == 1) order[count++] = i;
    for (unsigned i = count; i > 1; i--) {
        unsigned k = draw(i), kept = order[k];
        order[k] = order[i - 1];
        order[i - 1] = kept;
    }
    for (unsigned i = 0; i < count; i++) {
        if (how == GAPS && draw(2)) reached *= 1 + draw(4);
        l->stride[order[i]] = draw_stride(how, reached);
        reached *= l->shape[order[i]];
    }
}

static void print_shape(base_text *text, unsigned depth) {
    static const unsigned shapes[] = {1, 2, 2, 3, 4, 4, 6, 8, 8, 16};
    if (depth == 0 || draw(3) == 0) {
        base_text_add(text, "%u", shapes[draw(BASE_COUNT(shapes))]);
        return;
    }
    unsigned modes = 1 + draw(3);
    for (unsigned i = 0; i < modes; i++) {
        base_text_add(text, i ? "," : "(");
        print_shape(text, depth - 1);
    }
    base_text_add(text, ")");
}

static base_layout draw_layout(kind how) {
    base_layout l = {0};
    do {
        base_text text = {0};
        kz_error error = {0};
        print_shape(&text, 1 + draw(2));
        assert_int_equal(base_layout_parse(text.data, &l, &error), KZ_OK);
        base_text_free(&text);
    } while (base_layout_size(&l) > LARGEST);
    give_strides(&l, how);
    return l;
}

// ---- words ------------------------------------------------------------------------------------------------------

static void is_text(const base_layout *l, const char *wanted) { assert_string_equal(shown(l), wanted); }

// ---- notation ---------------------------------------------------------------------------------------------------

static void what_is_printed_is_read(void **state) {
    for (unsigned i = 0; i < TRIES; i++) {
        base_layout l = draw_layout((kind)(i % KINDS)), again = parsed(shown(&l));
        assert_true(base_layout_equal(&l, &again));
    }
    base_layout l = parsed(" ( ( _2 , 4 ) , 8 ) : ( ( 1 , _16 ) , -2 ) ");
    is_text(&l, "((2,4),8):((1,16),-2)");
    l = parsed("((2,4),8)");
    is_text(&l, "((2,4),8):((1,2),8)");
    l = parsed("(4):(2)");
    is_text(&l, "(4):(2)");
}

static void what_is_no_layout_is_refused(void **state) {
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "number"},
        {"(4,8", "','"},
        {"(4,8):(1,2", "','"},
        {"()", "empty"},
        {"(4,8):(1)", "nest"},
        {"(4,8):1", "nest"},
        {"4:(1)", "nest"},
        {"0:1", "1 or more"},
        {"(4,-8):(1,4)", "1 or more"},
        {"4:1 x", "end"},
        {"(4,8):(1@0,1@1)", "integers"},
        {"(1048576,1048576,1048576)", "2^48"},
        {"4:999999999999999999", "2^48"},
        {"4:x", "number"},
        {"(4,(8,2)):(1,(2,(3)))", "nest"},
        {"(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)",
         "48"},
        {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1", "48"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        base_layout l = base_layout_of(7, 7);
        kz_error error = {0};
        if (base_layout_parse(rows[i].text, &l, &error) != KZ_INVALID) fail_msg("%s was read", rows[i].text);
        assert_has(error.message, rows[i].why);
        is_text(&l, "7:7");
    }
    kz_error error = {0};
    base_layout l;
    assert_int_equal(base_layout_parse("(4,8):(1,x)", &l, &error), KZ_INVALID);
    assert_has(error.message, "(4,8):(1,x)\n");
    assert_has(error.message, "layout:1:10");
    assert_int_equal(base_layout_parse("x", &l, NULL), KZ_INVALID);
}

static void sizes(void **state) {
    base_layout l = parsed("((2,4),8):((1,16),2)");
    assert_int_equal(base_layout_size(&l), 64);
    assert_int_equal(base_layout_cosize(&l), 64);
    assert_int_equal(base_layout_rank(&l), 2);
    assert_int_equal(base_layout_depth(&l), 2);
    base_layout five = base_layout_of(5, -3);
    assert_int_equal(base_layout_cosize(&five), 13);
    assert_int_equal(base_layout_rank(&five), 1);
    assert_int_equal(base_layout_depth(&five), 0);
    base_layout mode = base_layout_mode(&l, 0);
    is_text(&mode, "(2,4):(1,16)");
    mode = base_layout_mode(&l, 1);
    is_text(&mode, "8:2");
    mode = base_layout_flatten(&l);
    is_text(&mode, "(2,4,8):(1,16,2)");
}

static void coordinates(void **state) {
    base_layout l = parsed("((2,4),8):((1,16),2)");
    static const struct {
        const char *coordinate;
        int64_t index; // -1: refused
    } rows[] = {{"0", 0},    {"10", 18},        {"(3,0)", 17}, {"((1,1),0)", 17}, {"((1,3),7)", 63},
                {"63", 63},  {"64", -1},        {"(8,0)", -1}, {"(0,(1,2))", -1}, {"(1,2,3)", -1},
                {"(1)", -1}, {"((2,0),0)", -1}, {"(-1,0)", -1}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        base_tuple c;
        kz_error error = {0};
        int64_t index = -1;
        assert_int_equal(base_tuple_parse(rows[i].coordinate, &c, &error), KZ_OK);
        kz_status status = base_layout_at_coordinate(&l, &c, &index, &error);
        assert_int_equal(status, rows[i].index < 0 ? KZ_INVALID : KZ_OK);
        if (!status) assert_int_equal(index, rows[i].index);
        if (status) assert_has(error.message, rows[i].coordinate);
    }
    for (unsigned i = 0; i < TRIES / 10; i++) {
        base_layout any = draw_layout((kind)(i % KINDS));
        for (int64_t k = 0; k < base_layout_size(&any); k++) {
            base_tuple c = base_layout_coordinate(&any, k);
            int64_t index;
            assert_int_equal(base_layout_at_coordinate(&any, &c, &index, NULL), KZ_OK);
            assert_int_equal(index, base_layout_at(&any, k));
        }
    }
    int64_t index;
    assert_true(base_layout_find(&l, 17, &index));
    assert_int_equal(index, 3);
    assert_false(base_layout_find(&l, 64, &index));
}

// ---- laws -----------------------------------------------------------------------------------------------------------

static void is_same_function(const base_layout *a, const base_layout *b, const char *what) {
    assert_int_equal(base_layout_size(a), base_layout_size(b));
    for (int64_t i = 0; i < base_layout_size(a); i++)
        if (base_layout_at(a, i) != base_layout_at(b, i))
            fail_msg("%s: %s and %s differ at %" PRId64, what, shown(a), shown(b), i);
}

static void coalesce_keeps_the_function(void **state) {
    for (unsigned i = 0; i < TRIES; i++) {
        base_layout l = draw_layout((kind)(i % KINDS)), c = base_layout_coalesce(&l);
        is_same_function(&l, &c, "coalesce");
        assert_true(base_layout_depth(&c) <= 1);
        base_layout again = base_layout_coalesce(&c);
        assert_true(base_layout_equal(&c, &again));
        for (unsigned k = 0; c.count > 1 && k < base_layout_rank(&c); k++) {
            base_layout mode = base_layout_mode(&c, k);
            assert_true(mode.shape[0] > 1);
        }
    }
}

static void composition_is_of_functions(void **state) {
    unsigned done = 0, refused = 0;
    for (unsigned i = 0; i < 2 * TRIES; i++) {
        base_layout a = draw_layout((kind)(i % KINDS)), b = draw_layout((kind)(i / 4 % SIGNED)), r;
        kz_error error = {0};
        if (base_layout_compose(&a, &b, &r, &error)) {
            assert_has(error.message, "no layout is");
            refused++;
            continue;
        }
        done++;
        assert_int_equal(base_layout_size(&r), base_layout_size(&b));
        assert_int_equal(base_layout_rank(&b) == base_layout_rank(&r) || b.span[0] == 1, 1);
        for (int64_t k = 0; k < base_layout_size(&b); k++)
            if (base_layout_at(&r, k) != base_layout_at(&a, base_layout_at(&b, k)))
                fail_msg("%s o %s is not %s at %" PRId64, shown(&a), shown(&b), shown(&r), k);
    }
    assert_true(done > TRIES / 3 && refused > TRIES / 10);
}

// CuTe computes (2,2):(4,100) here, another function: index 2 of the right is 8, which the left has at (2,1).
static void what_is_no_layout_is_not_composed(void **state) {
    base_layout a = parsed("(6,4):(1,100)"), b = parsed("4:4"), r;
    kz_error error = {0};
    assert_int_equal(base_layout_compose(&a, &b, &r, &error), KZ_INVALID);
    assert_has(error.message, "(6,4):(1,100) o 4:4");
    b = parsed("4:-1");
    assert_int_equal(base_layout_compose(&a, &b, &r, &error), KZ_INVALID);
    assert_has(error.message, "negative");
    assert_int_equal(base_layout_compose(&b, &a, &r, &error), KZ_OK);
    is_text(&r, "(6,4):(-1,-100)");
}

static void mark(uint8_t *seen, int64_t at, const base_layout *l) {
    if (at < 0 || at >= 1 << 20) fail_msg("%s reaches %" PRId64, shown(l), at);
    if (seen[at]++) fail_msg("%s has %" PRId64 " twice", shown(l), at);
}

// Strides that divide: sorted, each is a multiple of what those before it reach.
static bool divides(const base_layout *l) {
    int64_t reached = 1;
    base_layout c = base_layout_coalesce(l);
    for (unsigned done = 0; done < base_layout_rank(&c); done++) {
        int64_t least = INT64_MAX, shape = 1;
        for (unsigned i = 0; i < c.count; i++)
            if (c.span[i] == 1 && c.stride[i] >= reached && c.stride[i] < least)
                least = c.stride[i], shape = c.shape[i];
        if (least == INT64_MAX) return done == base_layout_rank(&c) || c.stride[0] == 0;
        if (least % reached) return false;
        reached = least * shape;
    }
    return true;
}

static void complement_is_disjoint_and_covers(void **state) {
    static uint8_t seen[1 << 20];
    unsigned covering = 0;
    for (unsigned i = 0; i < TRIES / 4; i++) {
        base_layout l = draw_layout(i % 3 ? (kind)(i % 3) : GAPS), c, both;
        kz_error error = {0};
        int64_t size = 1 + draw(2000);
        if (base_layout_complement(&l, size, &c, &error)) {
            assert_has(error.message, "twice");
            continue;
        }
        // Repeats of the same index by strides of 0 are no repeats here.
        base_layout once = l;
        for (unsigned k = 0; k < l.count; k++)
            if (l.span[k] == 1 && !l.stride[k]) once.shape[k] = 1;
        assert_int_equal(base_layout_pair(&once, &c, &both, &error), KZ_OK);
        if (base_layout_cosize(&both) > (int64_t)sizeof seen) continue;
        memset(seen, 0, sizeof seen);
        for (int64_t k = 0; k < base_layout_size(&both); k++) mark(seen, base_layout_at(&both, k), &both);
        for (int64_t k = 1; k < base_layout_size(&c); k++)
            assert_true(base_layout_at(&c, k) > base_layout_at(&c, k - 1));
        if (!divides(&once)) continue;
        covering++;
        assert_true(base_layout_cosize(&both) >= size);
        for (int64_t k = 0; k < size; k++)
            if (!seen[k])
                fail_msg("%s with %s up to %" PRId64 " has no %" PRId64, shown(&l), shown(&c), size, k);
    }
    assert_true(covering > TRIES / 10);
}

static void inverses_invert(void **state) {
    unsigned left = 0, whole = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        base_layout l = draw_layout((kind)(i % KINDS)), r = base_layout_right_inverse(&l), inverse;
        for (int64_t k = 0; k < base_layout_size(&r); k++)
            if (base_layout_at(&l, base_layout_at(&r, k)) != k)
                fail_msg("%s is no right inverse of %s", shown(&r), shown(&l));
        if (i % KINDS == COMPACT) {
            whole++;
            assert_int_equal(base_layout_size(&r), base_layout_size(&l));
        }
        if (i % KINDS > GAPS || base_layout_left_inverse(&l, &inverse, NULL)) continue;
        left++;
        for (int64_t k = 0; k < base_layout_size(&l); k++)
            if (base_layout_at(&inverse, base_layout_at(&l, k)) != k)
                fail_msg("%s is no left inverse of %s", shown(&inverse), shown(&l));
    }
    assert_true(left > TRIES / 3 && whole == TRIES / KINDS);
    base_layout l = parsed("(2,2):(2,3)"), r;
    kz_error error = {0};
    assert_int_equal(base_layout_left_inverse(&l, &r, &error), KZ_INVALID);
    assert_has(error.message, "3 is no multiple of 2");
}

static void has_same_indices(const base_layout *a, const base_layout *b) {
    static uint8_t seen[1 << 20];
    if (base_layout_cosize(b) > (int64_t)sizeof seen) return;
    memset(seen, 0, sizeof seen);
    for (int64_t i = 0; i < base_layout_size(a); i++) mark(seen, base_layout_at(a, i), a);
    for (int64_t i = 0; i < base_layout_size(b); i++)
        if (!seen[base_layout_at(b, i)])
            fail_msg("%" PRId64 " is in %s and not in %s", base_layout_at(b, i), shown(b), shown(a));
}

// A layout divided has each of its indices as often as before, where the tile divides it; a tile is the layout at the tile's
// indices. A block's product has the block first.
static void quotients_and_products(void **state) {
    unsigned quotients = 0, products = 0, exact = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        base_layout l = draw_layout((kind)(i % KINDS)), tile = draw_layout((kind)(i % 2)), r;
        base_tiler tiler = {.count = 1, .modes = {tile}};
        if (!base_layout_divide(&l, &tiler, BASE_LOGICAL, &r, NULL)) {
            base_layout first = base_layout_mode(&r, 0);
            assert_int_equal(base_layout_size(&first), base_layout_size(&tile));
            for (int64_t k = 0; k < base_layout_size(&tile); k++)
                assert_int_equal(base_layout_at(&first, k), base_layout_at(&l, base_layout_at(&tile, k)));
            assert_true(base_layout_size(&r) >= base_layout_size(&l));
            quotients++;
            if (i % KINDS <= GAPS && base_layout_size(&r) == base_layout_size(&l)) {
                has_same_indices(&r, &l);
                exact++;
            }
        }
        if (i % KINDS <= GAPS && !base_layout_product(&l, &tiler, BASE_LOGICAL, &r, NULL)) {
            base_layout first = base_layout_mode(&r, 0), rest = base_layout_mode(&r, 1), c;
            assert_true(base_layout_equal(&first, &l));
            assert_int_equal(
                base_layout_complement(&l, base_layout_size(&l) * base_layout_cosize(&tile), &c, NULL),
                KZ_OK);
            for (int64_t k = 0; k < base_layout_size(&tile); k++)
                assert_int_equal(base_layout_at(&rest, k), base_layout_at(&c, base_layout_at(&tile, k)));
            products++;
        }
    }
    assert_true(quotients > TRIES / 20 && products > TRIES / 20 && exact > TRIES / 50);
}

static void groupings(void **state) {
    static const struct {
        base_grouping grouping;
        const char *quotient, *product;
    } rows[] = {
        {BASE_LOGICAL, "((4,2),(8,4),3):((1,4),(8,64),256)", "((8,4),(32,8),3):((1,8),(8,1),256)"},
        {BASE_ZIPPED, "((4,8),(2,4,3)):((1,8),(4,64,256))", "((8,32),(4,8,3)):((1,8),(8,1,256))"},
        {BASE_TILED, "((4,8),2,4,3):((1,8),4,64,256)", "((8,32),4,8,3):((1,8),8,1,256)"},
        {BASE_FLAT, "(4,8,2,4,3):(1,8,4,64,256)", "(8,32,4,8,3):(1,8,8,1,256)"},
    };
    base_layout l = parsed("(8,32,3):(1,8,256)"), r;
    base_tiler tiler = tiler_of("(4,8)");
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        assert_int_equal(base_layout_divide(&l, &tiler, rows[i].grouping, &r, NULL), KZ_OK);
        is_text(&r, rows[i].quotient);
        assert_int_equal(base_layout_product(&l, &tiler, rows[i].grouping, &r, NULL), KZ_OK);
        is_text(&r, rows[i].product);
    }
    kz_error error = {0};
    tiler = tiler_of("<2:1,2:1,2:1,2:1>");
    assert_int_equal(base_layout_divide(&l, &tiler, BASE_ZIPPED, &r, &error), KZ_INVALID);
    assert_has(error.message, "the tiler has 4 modes, and the layout 3");
    static const char *const wrong[] = {"<4:1", "<>", "((2,2),4)", "<1,1,1,1,1,1,1>", "4:1,4:1"};
    for (size_t i = 0; i < BASE_COUNT(wrong); i++)
        assert_int_equal(base_tiler_parse(wrong[i], &tiler, &error), KZ_INVALID);
}

// ---- swizzles, tensors -------------------------------------------------------------------------------------------------

static void swizzles(void **state) {
    static const struct {
        const char *text;
        int64_t from, to;
    } rows[] = {{"3,4,3", 0x80, 0x90},   {"3,4,3", 0x3f0, 0x380},  {"2,4,3", 0x200, 0x200},
                {"2,4,3", 0x180, 0x1b0}, {"1,4,3", 0x80, 0x90},    {"0,4,3", 0x80, 0x80},
                {"3,4,-3", 0x10, 0x90},  {"Sw<3,3,3>", 0x40, 0x48}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        base_swizzle s;
        kz_error error = {0};
        if (base_swizzle_parse(rows[i].text, &s, &error)) fail_msg("%s", error.message);
        assert_int_equal(base_swizzle_apply(s, rows[i].from), rows[i].to);
        for (int64_t k = 0; k < 4096; k++) // it is its own inverse
            assert_int_equal(base_swizzle_apply(s, base_swizzle_apply(s, k)), k);
    }
    static const char *const wrong[] = {"3,4", "3,4,2", "-1,4,3", "3,-4,3", "3,40,3", "Sw<3,4,3", "3,4,3,3"};
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        base_swizzle s;
        if (base_swizzle_parse(wrong[i], &s, NULL) != KZ_INVALID) fail_msg("%s was read", wrong[i]);
    }
    static const struct {
        const char *text, *printed;
    } composed[] = {{"Sw<3,4,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
                    {"Sw<3,4,3> o _16 o (8,64):(64,1)", "Sw<3,4,3> o 16 o (8,64):(64,1)"},
                    {"Sw<2,0,3> o 8:1", "Sw<2,0,3> o 0 o 8:1"},
                    {"8:1", "8:1"}};
    for (size_t i = 0; i < BASE_COUNT(composed); i++) {
        base_composed c;
        base_text text = {0};
        kz_error error = {0};
        if (base_composed_parse(composed[i].text, &c, &error)) fail_msg("%s", error.message);
        base_composed_print(&c, &text);
        assert_string_equal(text.data, composed[i].printed);
        base_text_free(&text);
    }
    base_composed c;
    kz_error error = {0};
    assert_int_equal(base_composed_parse("Sw<3,4,3> o smem_ptr[16b](unset) o 8:1", &c, &error), KZ_INVALID);
    assert_has(error.message, "of pointers");
    assert_int_equal(base_composed_parse("Sw<3,4,3> o 5 o (8,8):(8,1)", &c, &error), KZ_OK);
    assert_int_equal(base_composed_at(&c, 1), 13);
    assert_int_equal(base_composed_cosize(&c), 69);
}

static void larger_elements(void **state) {
    static const struct {
        const char *from;
        unsigned count;
        const char *to; // NULL: refused
    } rows[] = {{"Sw<3,4,3> o 0 o (8,128):(128,1)", 2, "Sw<3,3,3> o 0 o (8,64):(64,1)"},
                {"Sw<3,4,3> o 0 o (8,128):(128,1)", 16, "Sw<3,0,3> o 0 o (8,8):(8,1)"},
                {"Sw<3,4,3> o 0 o (8,128):(128,1)", 32, NULL},
                {"Sw<3,4,3> o 0 o (8,128):(128,1)", 3, NULL},
                {"(8,(2,4)):(8,(1,2))", 4, NULL},
                {"(8,3):(3,1)", 2, NULL},
                {"(8,6):(-6,0)", 2, "(8,6):(-3,0)"}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        base_composed c;
        kz_error error = {0};
        base_text text = {0};
        assert_int_equal(base_composed_parse(rows[i].from, &c, &error), KZ_OK);
        kz_status status = base_composed_upcast(&c, rows[i].count, &c, &error);
        assert_int_equal(status, rows[i].to ? KZ_OK : KZ_INVALID);
        base_composed_print(&c, &text);
        assert_string_equal(text.data, rows[i].to ? rows[i].to : rows[i].from);
        base_text_free(&text);
    }
}

static void tensors(void **state) {
    float data[8 * 16];
    for (int i = 0; i < 8 * 16; i++) data[i] = (float)i;
    base_tensor t = {data, sizeof(float), {.layout = parsed("(8,16):(16,1)")}}, tile, part;
    kz_error error = {0};
    base_tuple at;
    base_tiler tiler = tiler_of("(4,4)");
    assert_int_equal(base_tuple_parse("(1,2)", &at, NULL), KZ_OK);
    assert_int_equal(base_tensor_tile(&t, &tiler, &at, &tile, &error), KZ_OK);
    is_text(&tile.layout.layout, "(4,4):(16,1)");
    for (int64_t i = 0; i < 16; i++)
        assert_true(*(float *)base_tensor_at(&tile, i) == (float)((4 + i % 4) * 16 + 8 + i / 4));
    // 4 x 8 threads, columns first by name: thread 9 stands at row 1, column 1.
    base_layout threads = parsed("(4,8):(8,1)");
    assert_int_equal(base_tensor_partition(&t, &threads, 9, &part, &error), KZ_OK);
    is_text(&part.layout.layout, "(2,2):(64,8)");
    assert_true(*(float *)base_tensor_at(&part, 0) == 17 && *(float *)base_tensor_at(&part, 3) == 89);
    assert_int_equal(base_tensor_partition(&t, &threads, 32, &part, &error), KZ_INVALID);
    assert_has(error.message, "thread 32 is none of 32");
    // Each thread two elements of a row: the accumulator of an 8 x 8 product.
    base_layout held = parsed("((4,8),2):((16,1),8)");
    t.layout.layout = parsed("(8,8):(16,1)");
    assert_int_equal(base_tensor_thread(&t, &held, 9, &part, &error), KZ_OK);
    is_text(&part.layout.layout, "2:1");
    assert_true(*(float *)base_tensor_at(&part, 0) == 34 && *(float *)base_tensor_at(&part, 1) == 35);
    assert_int_equal(base_tensor_thread(&t, &held, 32, &part, &error), KZ_INVALID);
    // A swizzle acts on the sum of all offsets.
    t.layout.swizzle = (base_swizzle){1, 2, 2};
    t.layout.layout = parsed("(8,16):(16,1)");
    assert_int_equal(base_tensor_tile(&t, &tiler, &at, &tile, &error), KZ_OK);
    for (int64_t i = 0; i < 16; i++) {
        int64_t flat = (4 + i % 4) * 16 + 8 + i / 4;
        assert_true(*(float *)base_tensor_at(&tile, i) == (float)(flat ^ (flat >> 4 & 1) << 2));
    }
    // Every element has one thread, and each thread its own.
    uint8_t seen[128] = {0};
    t.layout.swizzle.bits = 0;
    for (int64_t thread = 0; thread < 32; thread++) {
        assert_int_equal(base_tensor_partition(&t, &threads, thread, &part, &error), KZ_OK);
        for (int64_t i = 0; i < 4; i++) seen[(int)*(float *)base_tensor_at(&part, i)]++;
    }
    for (int i = 0; i < 128; i++) assert_int_equal(seen[i], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read),
        cmocka_unit_test(what_is_no_layout_is_refused),
        cmocka_unit_test(sizes),
        cmocka_unit_test(coordinates),
        cmocka_unit_test(coalesce_keeps_the_function),
        cmocka_unit_test(composition_is_of_functions),
        cmocka_unit_test(what_is_no_layout_is_not_composed),
        cmocka_unit_test(complement_is_disjoint_and_covers),
        cmocka_unit_test(inverses_invert),
        cmocka_unit_test(quotients_and_products),
        cmocka_unit_test(groupings),
        cmocka_unit_test(swizzles),
        cmocka_unit_test(larger_elements),
        cmocka_unit_test(tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
