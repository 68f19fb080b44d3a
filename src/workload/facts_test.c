// Every variant of the zoo has its facts: people have judged it, its lines were counted; and nothing is judged that is
// not there.
#include "bench/facts.h"

#include "kz/family.h"
#include "unit.h"

static const char *text_of(const char *family) {
    for (const bench_family_text *t = bench_judged_texts; t->family; t++)
        if (strcmp(t->family, family) == 0) return t->text;
    return NULL;
}

static void all_variants_are_judged(void **state) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        const kz_family *family = families[f];
        bench_judgements judged;
        kz_error error = {0};
        const char *text = text_of(family->name);
        if (!text) fail_msg("%s has no judged.csv: see kernels/primitives/vector_add", family->name);
        if (bench_judgements_parse(text, family->name, &judged, &error)) fail_msg("%s", error.message);
        for (size_t i = 0; i < judged.count; i++) {
            const kz_variant *variant = kz_variant_find(family, judged.rows[i].variant);
            if (!variant || strcmp(variant->name, judged.rows[i].variant) != 0)
                fail_msg("%s/judged.csv judges %s, which is not there", family->name, judged.rows[i].variant);
            for (size_t k = 0; k < i; k++)
                if (strcmp(judged.rows[k].variant, judged.rows[i].variant) == 0)
                    fail_msg("%s/judged.csv judges %s twice", family->name, judged.rows[i].variant);
        }
        for (size_t i = 0; i < family->variant_count; i++)
            if (!bench_facts_of(family->name, family->variants[i].name).judged.readability)
                fail_msg("%s/judged.csv has no row for %s", family->name, family->variants[i].name);
    }
    for (const bench_family_text *t = bench_judged_texts; t->family; t++)
        assert_non_null(kz_family_find(t->family));
}

static void all_lines_are_counted(void **state) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < families[f]->variant_count; i++) {
            bench_facts facts = bench_facts_of(families[f]->name, families[f]->variants[i].name);
            if (families[f]->variants[i].others && facts.lines < 0) continue; // it has no code of its own
            if (facts.lines <= 0 || facts.all_lines < facts.lines)
                fail_msg("%s/%s: %d lines, %d with headers", families[f]->name, families[f]->variants[i].name,
                         facts.lines, facts.all_lines);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_variants_are_judged),
        cmocka_unit_test(all_lines_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
