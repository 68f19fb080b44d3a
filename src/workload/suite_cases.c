// The cases of a suite. See suite.h.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/target.h"
#include "family/case.h"
#include "workload/suite.h"

enum { AXIS_VALUES = 4096, SUITE_CASES = 10000 };
static const double MOST_BYTES = 0x1p47; // of one case: what a process can address

// ---- the list -----------------------------------------------------------------------------------------------

static bool same_case(const kz_case *a, const kz_case *b) {
    return a->operation == b->operation && a->type == b->type && a->data == b->data &&
           a->misalign == b->misalign && memcmp(a->axes, b->axes, sizeof a->axes) == 0;
}

// Whether two tables want the same of a case: the same providers under the same conditions.
static bool wants_same(const workload_suite_part *a, const workload_suite_part *b) {
    if (a == b) return true;
    if (!a || !b || a->condition_count != b->condition_count || !a->providers != !b->providers) return false;
    for (size_t i = 0; i < a->condition_count; i++)
        if (!bench_condition_equals(a->conditions[i], b->conditions[i])) return false;
    size_t i = 0;
    while (a->providers && a->providers[i] && b->providers[i] && !strcmp(a->providers[i], b->providers[i]))
        i++;
    return !a->providers || (!a->providers[i] && !b->providers[i]);
}

kz_status workload_bench_cases_add(workload_bench_cases *all, const kz_family *family, const kz_case *c,
                                   const workload_suite_part *part, kz_error *error) {
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].family == family && same_case(&all->items[i].c, c) &&
            wants_same(all->items[i].part, part))
            return KZ_OK;
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 64;
        void *grown = realloc(all->items, capacity * sizeof *all->items);
        if (!grown) return base_fail(error, KZ_NO_MEMORY, "no memory for the list of cases");
        all->items = grown;
        all->capacity = capacity;
    }
    all->items[all->count++] = (workload_bench_case){.family = family, .c = *c, .part = part};
    return KZ_OK;
}

void workload_bench_cases_free(workload_bench_cases *cases) {
    free(cases->items);
    *cases = (workload_bench_cases){0};
}

// ---- one family of a table --------------------------------------------------------------------------------------

typedef struct expansion {
    course_toml *toml;
    const workload_suite_part *part;
    const kz_family *family;
    uint32_t *operations; // what the table says, else what is usual
    kz_type *types;
    kz_data *data;
    size_t operation_count, type_count, data_count;
    workload_axis axes[KZ_CASE_AXES];
    workload_bench_cases *cases;
    size_t named; // cases, those that another table has named already too
} expansion;

static bool failed(const expansion *e) { return e->toml->status != KZ_OK; }

static void add(expansion *e, const kz_case *c, const course_toml_value *at) {
    char name[FAMILY_CASE_NAME];
    double bytes = e->family->work(c).bytes;
    family_case_name(e->family, c, name);
    if (!(bytes <= MOST_BYTES)) {
        course_toml_fail(e->toml, at, "%s %s moves %.3g bytes, more than any machine holds", e->family->name,
                         name, bytes);
        course_toml_note(e->toml, "a case may have up to 2^47 bytes (1.4e14)");
    } else if (e->cases->count == SUITE_CASES) {
        course_toml_fail(e->toml, at, "with this table the suite has more than %d cases", SUITE_CASES);
        course_toml_note(e->toml, "take fewer sizes, or split it into several files");
    } else if (!failed(e)) {
        kz_status status = workload_bench_cases_add(e->cases, e->family, c, e->part, e->toml->error);
        if (status) e->toml->status = status;
        e->named++;
    }
}

// ---- words ------------------------------------------------------------------------------------------------------

static void fail_word(expansion *e, const course_toml_value *word, const char *what,
                      const char *const *allowed) {
    const char *near = base_nearest(word->string, allowed);
    base_text all = {0};
    for (size_t i = 0; allowed[i]; i++) base_text_add(&all, " %s", allowed[i]);
    course_toml_fail(e->toml, word, "%s has no %s \"%s\"%s%s%s", e->family->name, what, word->string,
                     near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    course_toml_note(e->toml, "allowed:%s", all.data ? all.data : " nothing");
    base_text_free(&all);
}

static bool find(const char *const *names, const char *word, size_t *index) {
    for (*index = 0; names[*index]; (*index)++)
        if (strcmp(names[*index], word) == 0) return true;
    return false;
}

static void take_operations(expansion *e) {
    const course_toml_value *list = e->part->operations;
    e->operations = course_toml_alloc(e->toml, (list ? list->count : 1) * sizeof *e->operations);
    e->operation_count = list ? 0 : 1;
    for (const course_toml_value *word = list && e->operations ? list->first : NULL; word && !failed(e);
         word = word->next) {
        size_t index;
        if (find(e->family->operations, word->string, &index))
            e->operations[e->operation_count++] = (uint32_t)index;
        else
            fail_word(e, word, "operation", e->family->operations);
    }
}

static void take_types(expansion *e) {
    const course_toml_value *list = e->part->types;
    const char *names[KZ_TYPE_COUNT + 1] = {0};
    kz_type types[KZ_TYPE_COUNT];
    size_t count = 0, index;
    for (int t = 0; t < KZ_TYPE_COUNT; t++) {
        if (!family_has_type(e->family, (kz_type)t)) continue;
        types[count] = (kz_type)t;
        names[count++] = kz_type_name((kz_type)t);
    }
    e->types = course_toml_alloc(e->toml, (list ? list->count : 1) * sizeof *e->types);
    if (!e->types) return;
    if (!list) e->types[e->type_count++] = family_plain_type(e->family);
    for (const course_toml_value *word = list ? list->first : NULL; word && !failed(e); word = word->next)
        if (find(names, word->string, &index))
            e->types[e->type_count++] = types[index];
        else
            fail_word(e, word, "type", names);
}

static void take_data(expansion *e) {
    const course_toml_value *list = e->part->data;
    const char *names[KZ_DATA_COUNT + 1] = {0};
    for (int d = 0; d < KZ_DATA_COUNT; d++) names[d] = family_data_name((kz_data)d);
    e->data = course_toml_alloc(e->toml, (list ? list->count : 1) * sizeof *e->data);
    if (!e->data) return;
    if (!list) e->data[e->data_count++] = KZ_DATA_UNIFORM;
    for (const course_toml_value *word = list ? list->first : NULL; word && !failed(e); word = word->next)
        if (family_data_find(word->string, &e->data[e->data_count]))
            e->data_count++;
        else
            fail_word(e, word, "kind of data", names);
}

// ---- cases of the family's own ----------------------------------------------------------------------------------

// Whether the table's operations, types and data, as far as it says any, have those of the case.
static bool suits(const expansion *e, const kz_case *c) {
    bool operation = !e->part->operations, type = !e->part->types, data = !e->part->data;
    for (size_t i = 0; i < e->operation_count; i++) operation = operation || e->operations[i] == c->operation;
    for (size_t i = 0; i < e->type_count; i++) type = type || e->types[i] == c->type;
    for (size_t i = 0; i < e->data_count; i++) data = data || e->data[i] == c->data;
    return operation && type && data;
}

// How many there are of a name or a glob; NULL: all that are timed.
static size_t add_matching(expansion *e, const char *pattern, const course_toml_value *at, kz_error *why) {
    kz_case *cases;
    size_t count, added = 0;
    if (workload_find_cases(e->family, pattern, KZ_USE_BENCH, &cases, &count, why)) return 0;
    bool glob = !pattern || strpbrk(pattern, "*?[");
    for (size_t i = 0; i < count && !failed(e); i++)
        if (suits(e, &cases[i]) && (!glob || cases[i].use & KZ_USE_BENCH)) add(e, &cases[i], at), added++;
    free(cases);
    return added;
}

static size_t add_targets(expansion *e, size_t *rows) {
    bench_targets targets;
    size_t added = 0;
    if (bench_targets_of(e->family->name, &targets, e->toml->error)) e->toml->status = KZ_SYNTAX;
    for (size_t i = 0; i < targets.count && !failed(e); i++) {
        if (strcmp(targets.rows[i].gpu, e->part->targets) != 0) continue;
        ++*rows;
        added += add_matching(e, targets.rows[i].pattern, e->part->at, NULL);
    }
    return added;
}

// ---- axes -------------------------------------------------------------------------------------------------------

// "1024", "1024..16384*2", "0..100+25"; "1000..5000" is drawn from.
static bool read_range(expansion *e, const course_toml_value *at, const char *text, workload_axis *axis) {
    int64_t from, to, step = 0;
    const char *c = text;
    char sign = 0;
    bool good = family_size_parse(&c, &from);
    to = from;
    bool range = good && strncmp(c, "..", 2) == 0;
    if (range) c += 2, good = family_size_parse(&c, &to);
    if (range && good && (*c == '*' || *c == '+')) sign = *c++, good = family_size_parse(&c, &step);
    if (!good || *c) {
        course_toml_fail(e->toml, at, "\"%s\" is neither a size nor a range of sizes below 2^63", text);
        course_toml_note(e->toml,
                         "allowed: 4096, 2^12, 1024..16384*2, 0..100+25, and 1000..5000 where shapes "
                         "are drawn");
    } else if (from > to || (sign == '*' && from == 0)) {
        course_toml_fail(e->toml, at, "the range %s is empty: it must go up%s", text,
                         from ? "" : ", and a product begins at 1 or more");
    } else if ((sign == '*' && step < 2) || (sign == '+' && step < 1)) {
        course_toml_fail(e->toml, at, "the range %s does not move: a factor is 2 or more, a step 1 or more",
                         text);
    } else if (range && !sign) {
        axis->drawn = true;
        axis->from = from;
        axis->to = to;
        if (!e->part->draw.count)
            course_toml_fail(e->toml, at, "the range %s has neither a step (*2, +100) nor a draw = {...}",
                             text);
        else if (from < 1)
            course_toml_fail(e->toml, at, "the range %s cannot be drawn from: it begins at 1 or more", text);
    } else {
        for (int64_t value = from; !failed(e);) {
            if (axis->count == AXIS_VALUES) {
                course_toml_fail(e->toml, at, "the axis has more than %d values", AXIS_VALUES);
                break;
            }
            axis->values[axis->count++] = value;
            bool over = !sign || (sign == '*' ? __builtin_mul_overflow(value, step, &value)
                                              : __builtin_add_overflow(value, step, &value));
            if (over || value > to) break;
        }
    }
    return !failed(e);
}

static void read_axis(expansion *e, const course_toml_value *value, workload_axis *axis) {
    axis->values = course_toml_alloc(e->toml, AXIS_VALUES * sizeof *axis->values);
    if (!axis->values) return;
    bool list = value->kind == COURSE_TOML_ARRAY;
    if (list && !value->first) course_toml_fail(e->toml, value, "%s must not be empty", value->key);
    for (const course_toml_value *v = list ? value->first : value; v && !failed(e);
         v = list ? v->next : NULL) {
        char text[32];
        if (v->kind == COURSE_TOML_INTEGER) {
            snprintf(text, sizeof text, "%lld", (long long)v->integer);
            read_range(e, v, text, axis);
        } else if (v->kind == COURSE_TOML_STRING) {
            read_range(e, v, v->string, axis);
        } else
            course_toml_fail(e->toml, v, "a size is a number or a range in quotes, and this is %s",
                             course_toml_kind_name(v->kind));
        if (list && axis->drawn)
            course_toml_fail(e->toml, v, "a range to draw from stands alone, not in a list");
    }
}

static void read_axes(expansion *e) {
    const kz_family *family = e->family;
    const workload_draw *draw = &e->part->draw;
    for (const course_toml_value *v = e->part->axes ? e->part->axes->first : NULL; v && !failed(e);
         v = v->next) {
        size_t index;
        base_text all = {0};
        if (find(family->axes, v->key, &index)) {
            read_axis(e, v, &e->axes[index]);
            continue;
        }
        for (size_t i = 0; family->axes[i]; i++) base_text_add(&all, " %s", family->axes[i]);
        course_toml_fail_key(e->toml, v, "%s has no axis \"%s\"", family->name, v->key);
        course_toml_note(e->toml, "allowed:%s", all.data ? all.data : " nothing");
        base_text_free(&all);
    }
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i] && !failed(e); i++) {
        workload_axis *axis = &e->axes[i];
        if (axis->count || axis->drawn) continue;
        if (!draw->count || !draw->to)
            course_toml_fail(e->toml, e->part->axes ? e->part->axes : e->part->at,
                             "%s needs the axis %s too: axes.%s = 1024, or draw with from and to",
                             family->name, family->axes[i], family->axes[i]);
        *axis = (workload_axis){.drawn = true, .from = draw->from, .to = draw->to};
    }
}

// ---- shapes -----------------------------------------------------------------------------------------------------

// from * (to / from)^u, u being the word over 2^32. By square roots, which every machine rounds alike.
static int64_t log_uniform(int64_t from, int64_t to, uint32_t word) {
    double value = (double)from, root = (double)to / (double)from;
    for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1) {
        root = sqrt(root);
        if (word & bit) value *= root;
    }
    int64_t size = (int64_t)value;
    return size < from ? from : size > to ? to : size;
}

// Shapes are by turns of multiples of 8 and of anything else, as far as the range has them.
static int64_t draw_size(const workload_draw *draw, const workload_axis *axis, size_t index, int64_t shape) {
    base_philox_block random = base_philox(draw->seed, draw->equal ? 0 : index, (uint64_t)shape);
    int64_t size = log_uniform(axis->from, axis->to, random.word[0]), past = size % 8;
    if (shape % 2)
        return past || size == axis->to ? (past || size == axis->from ? size : size - 1) : size + 1;
    if (size - past >= axis->from) return size - past;
    return past && size + 8 - past <= axis->to ? size + 8 - past : size;
}

// All combinations of the axes that are not drawn, from axis `index` on.
static void add_shapes(expansion *e, kz_case *c, size_t index, int64_t shape) {
    if (failed(e)) return;
    if (index == KZ_CASE_AXES || !e->family->axes[index]) {
        add(e, c, e->part->axes ? e->part->axes : e->part->at);
        return;
    }
    const workload_axis *axis = &e->axes[index];
    if (axis->drawn) {
        c->axes[index] = draw_size(&e->part->draw, axis, index, shape);
        add_shapes(e, c, index + 1, shape);
    }
    for (size_t i = 0; i < axis->count; i++) {
        c->axes[index] = axis->values[i];
        add_shapes(e, c, index + 1, shape);
    }
}

// A shape that the family lists brings what has no place in its name.
static void add_product(expansion *e) {
    int64_t shapes = e->part->draw.count ? e->part->draw.count : 1;
    size_t before = e->cases->count, named = e->named;
    for (size_t o = 0; o < e->operation_count; o++)
        for (size_t t = 0; t < e->type_count; t++)
            for (size_t d = 0; d < e->data_count; d++)
                for (int64_t shape = 0; shape < shapes && !failed(e); shape++) {
                    kz_case c = {.operation = e->operations[o], .type = e->types[t], .data = e->data[d]};
                    add_shapes(e, &c, 0, shape);
                }
    if (e->part->draw.count) e->cases->drawn_again += e->named - named - (e->cases->count - before);
}

// ---- the whole ----------------------------------------------------------------------------------------------------

static bool has_shapes(const workload_suite_part *part) { return part->axes || part->draw.count; }

// Every name and glob must mean a case of at least one of the families.
static void add_named(course_toml *toml, expansion *each, size_t count, const course_toml_value *word) {
    kz_error why = {0};
    size_t added = 0;
    for (size_t i = 0; i < count && !toml->status; i++) {
        kz_error own = {0};
        added += add_matching(&each[i], word->string, word, &own);
        if (i == 0) why = own;
    }
    if (added || toml->status) return;
    course_toml_fail(toml, word, "no case of this table is \"%s\"", word->string);
    if (why.message[0]) course_toml_note(toml, "%s", why.message);
}

static void expand_part(workload_suite *suite, const workload_suite_part *part, workload_bench_cases *cases) {
    course_toml *toml = &suite->toml;
    size_t count = 0, named = 0, rows = 0;
    while (part->families[count]) count++;
    expansion *each = course_toml_alloc(toml, count * sizeof *each);
    for (size_t i = 0; each && i < count && !toml->status; i++) {
        expansion *e = &each[i];
        *e = (expansion){.toml = toml, .part = part, .family = part->families[i], .cases = cases};
        take_operations(e);
        if (!toml->status) take_types(e);
        if (!toml->status) take_data(e);
        if (toml->status) return;
        if (part->targets) {
            add_targets(e, &rows);
        } else if (has_shapes(part)) {
            read_axes(e);
            add_product(e);
        } else if (!part->cases)
            add_matching(e, NULL, part->at, NULL);
    }
    for (const course_toml_value *word = part->cases ? part->cases->first : NULL; word && !toml->status;
         word = word->next)
        add_named(toml, each, count, word);
    for (size_t i = 0; i < count && !toml->status; i++) named += each[i].named;
    if (toml->status || named) return;
    if (part->targets && !rows) {
        course_toml_fail(toml, course_toml_get(toml, part->at, "targets"),
                         "no targets.csv of these families names the GPU \"%s\"", part->targets);
        course_toml_note(toml, "kernels/*/*/targets.csv name those that there are targets for");
    } else
        course_toml_fail(toml, part->at,
                         "no case is left of this table: its operations, types and data have none");
}

kz_status workload_suite_cases(workload_suite *suite, workload_bench_cases *cases, kz_error *error) {
    suite->toml.error = error;
    for (size_t i = 0; i < suite->count && !suite->toml.status; i++)
        expand_part(suite, &suite->parts[i], cases);
    return suite->toml.status;
}
