// Reading a suite. See suite.h.
#include "workload/suite.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers.h"
#include "course/catalogue.h"
#include "device/gpus.h"

static const char *const no_names[] = {NULL};

// "known: a b c", and the nearest.
static void suggest(course_toml *toml, const char *word, const char *const *names) {
    const char *near = base_nearest(word, names);
    base_text all = {0};
    for (size_t i = 0; names[i]; i++) base_text_add(&all, " %s", names[i]);
    if (near) course_toml_note(toml, "did you mean \"%s\"?", near);
    course_toml_note(toml, "allowed:%s", all.data ? all.data : " nothing");
    base_text_free(&all);
}

// ---- families ---------------------------------------------------------------------------------------------

static bool means(const char *word, const kz_family *family) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", family->group, family->name);
    return strcmp(word, family->name) == 0 || fnmatch(word, path, FNM_PATHNAME) == 0 ||
           strcmp(word, "*") == 0;
}

static void fail_family(course_toml *toml, const course_toml_value *word, const kz_family *const *all,
                        size_t count) {
    const char **names = course_toml_alloc(toml, (count + 1) * sizeof *names);
    for (size_t i = 0; names && i < count; i++) names[i] = all[i]->name;
    course_toml_fail(toml, word, "there is no family \"%s\"", word->string);
    if (names) suggest(toml, word->string, names);
    course_toml_note(toml, "a glob is of group/name: \"primitives/*\"");
}

static void add_families(course_toml *toml, const course_toml_value *word, workload_suite_part *part,
                         size_t *taken) {
    size_t count, before = *taken;
    const kz_family *const *all = kz_family_list(&count);
    if (word->kind != COURSE_TOML_STRING) {
        course_toml_fail(toml, word, "names is a list of strings, and this is %s",
                         course_toml_kind_name(word->kind));
        return;
    }
    bool known = false;
    for (size_t i = 0; i < count; i++) {
        if (!means(word->string, all[i])) continue;
        known = true;
        bool there = false;
        for (size_t k = 0; k < before; k++) there = there || part->families[k] == all[i];
        if (!there) part->families[(*taken)++] = all[i];
    }
    if (!known) fail_family(toml, word, all, count);
}

static void read_families(course_toml *toml, workload_suite_part *part) {
    size_t count, taken = 0;
    kz_family_list(&count);
    part->families = course_toml_alloc(toml, (count + 1) * sizeof *part->families);
    course_toml_strings(toml, part->at, "names"); // says what is no list
    course_toml_value *names = course_toml_get(toml, part->at, "names");
    if (toml->status || !part->families) return;
    if (!names || !names->first) {
        course_toml_fail(toml, names ? names : part->at, "names = [\"...\"] is missing: which families?");
        return;
    }
    for (const course_toml_value *word = names->first; word && !toml->status; word = word->next)
        add_families(toml, word, part, &taken);
}

// ---- providers ----------------------------------------------------------------------------------------------

static const char *const provider_words[] = {"all", "chosen", "choices", "rivals", "libraries", NULL};

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static bool is_provider(const workload_suite_part *part, const char *word) {
    if (is_one_of(word, provider_words) || bench_rival_find(word)) return true;
    for (const kz_family *const *family = part->families; *family; family++)
        if (kz_variant_find(*family, word)) return true;
    return false;
}

static void check_providers(course_toml *toml, const workload_suite_part *part,
                            const course_toml_value *list) {
    for (const course_toml_value *word = list ? list->first : NULL; word && !toml->status;
         word = word->next) {
        if (is_provider(part, word->string)) continue;
        const char *names[BASE_COUNT(provider_words) + BENCH_RIVALS] = {0};
        size_t count = 0;
        for (; provider_words[count]; count++) names[count] = provider_words[count];
        for (size_t i = 0; i < BENCH_RIVALS; i++) names[count++] = bench_rivals[i].name;
        course_toml_fail(toml, word, "there is no provider \"%s\"", word->string);
        suggest(toml, word->string, names);
        course_toml_note(toml, "a variant of the family is one by its name: \"03_warp_shuffle\"");
    }
}

// A list of strings of the table, else of the whole file.
static const char *const *read_list(course_toml *toml, const workload_suite_part *part, const char *key,
                                    course_toml_value **list) {
    course_toml_value *own = course_toml_get(toml, part->at, key);
    course_toml_value *table = own ? part->at : toml->root;
    const char *const *strings = course_toml_strings(toml, table, key);
    *list = course_toml_get(toml, table, key);
    if (*list && !(*list)->first) course_toml_fail(toml, *list, "%s must not be empty", key);
    return toml->status ? no_names : strings;
}

// The product of the axes that the suite names, as the command line's.
static void read_conditions(course_toml *toml, workload_suite_part *part) {
    static const char *const axes[] = {"mode", "cache", "stream"};
    const char *const *names[3];
    size_t counts[3] = {0};
    course_toml_value *list, *at = NULL;
    for (size_t i = 0; i < BASE_COUNT(axes); i++) {
        names[i] = read_list(toml, part, axes[i], &list);
        while (names[i][counts[i]]) counts[i]++;
        if (list) at = list;
    }
    const bench_condition_names all = {names[0], names[1], names[2], counts[0], counts[1], counts[2]};
    bench_condition *conditions = at ? course_toml_alloc(toml, BENCH_CONDITIONS * sizeof *conditions) : NULL;
    kz_error error = {0};
    if (!conditions || toml->status) return;
    if (bench_conditions_parse(&all, conditions, &part->condition_count, &error))
        course_toml_fail(toml, at, "%s", error.message);
    part->conditions = conditions;
}

// ---- what is drawn --------------------------------------------------------------------------------------------

enum { DRAWN_SHAPES = 10000 };

static void read_draw(course_toml *toml, workload_suite_part *part) {
    course_toml_value *table = course_toml_table(toml, part->at, "draw");
    if (!table) return;
    workload_draw *d = &part->draw;
    d->count = course_toml_integer(toml, table, "count", 0);
    d->seed = (uint64_t)course_toml_integer(toml, table, "seed", 0);
    d->from = course_toml_integer(toml, table, "from", 0);
    d->to = course_toml_integer(toml, table, "to", 0);
    d->equal = course_toml_boolean(toml, table, "equal", false);
    course_toml_value *count = course_toml_get(toml, table, "count"),
                      *to = course_toml_get(toml, table, "to");
    if (d->count < 1 || d->count > DRAWN_SHAPES)
        course_toml_fail(toml, count ? count : table, "count must be 1 to %d: how many shapes are drawn",
                         DRAWN_SHAPES);
    if (!course_toml_get(toml, table, "seed"))
        course_toml_fail(toml, table, "seed is missing: a suite draws the same shapes every time");
    bool none = !to && !course_toml_get(toml, table, "from");
    if (!none && (d->from < 1 || d->to < d->from))
        course_toml_fail(toml, to ? to : table,
                         "from %lld to %lld is no range: 1 or more, and the lesser first", (long long)d->from,
                         (long long)d->to);
}

// ---- a table --------------------------------------------------------------------------------------------------

static void read_part(workload_suite *suite, workload_suite_part *part) {
    course_toml *toml = &suite->toml;
    course_toml_value *list;
    read_families(toml, part);
    part->cases = course_toml_get(toml, part->at, "cases");
    part->targets = course_toml_string(toml, part->at, "targets", NULL);
    part->operations = course_toml_get(toml, part->at, "operations");
    part->types = course_toml_get(toml, part->at, "types");
    part->data = course_toml_get(toml, part->at, "data");
    part->axes = course_toml_table(toml, part->at, "axes");
    if (part->axes) course_toml_take_all(part->axes); // their names are the families'
    read_draw(toml, part);
    static const char *const strings[] = {"cases", "operations", "types", "data"};
    for (size_t i = 0; i < BASE_COUNT(strings); i++) {
        course_toml_strings(toml, part->at, strings[i]); // says what is no list of strings
        course_toml_value *value = course_toml_get(toml, part->at, strings[i]);
        if (value && !value->first) course_toml_fail(toml, value, "%s must not be empty", strings[i]);
    }
    int kinds = (part->cases != NULL) + (part->targets != NULL) + (part->axes || part->draw.count);
    if (kinds > 1)
        course_toml_fail(toml, part->at,
                         "a table has cases, targets, or shapes of its own (axes, draw): one of the three");
    read_conditions(toml, part);
    part->providers = read_list(toml, part, "providers", &list);
    if (!toml->status) check_providers(toml, part, list);
}

static void check_gpu(workload_suite *suite) {
    device_gpu gpu;
    kz_error error = {0};
    if (!suite->gpu || suite->toml.status || device_gpu_load(suite->gpu, &gpu, &error) == KZ_OK) return;
    course_toml_fail(&suite->toml, course_toml_get(&suite->toml, suite->toml.root, "gpu"), "%s",
                     error.message);
}

static void read_suite(workload_suite *suite) {
    course_toml *toml = &suite->toml;
    suite->title = course_toml_string(toml, toml->root, "title", suite->name);
    suite->gpu = course_toml_string(toml, toml->root, "gpu", NULL);
    check_gpu(suite);
    course_toml_value *tables = course_toml_tables(toml, toml->root, "families");
    if (!tables) {
        course_toml_fail(toml, NULL, "[[families]] is missing: a suite measures at least one");
        return;
    }
    suite->parts = course_toml_alloc(toml, tables->count * sizeof *suite->parts);
    for (course_toml_value *at = tables->first; at && suite->parts && !toml->status; at = at->next) {
        suite->parts[suite->count].at = at;
        read_part(suite, &suite->parts[suite->count++]);
    }
    course_toml_finish(toml);
}

// ---- where it lies ---------------------------------------------------------------------------------------------

static kz_status find_folder(char folder[BASE_PATH + 32], kz_error *error) {
    char own[BASE_PATH];
    kz_status status = base_self_path(own, error);
    for (int i = 0; i < 2 && !status; i++) base_path_up(own); // .../bin/kz: two steps up
    if (!status) snprintf(folder, BASE_PATH + 32, "%s/share/kz/suites", own);
    return status;
}

kz_status workload_suite_list(base_arena *arena, const char *const **names, kz_error *error) {
    char folder[BASE_PATH + 32];
    course_names found = {0};
    *names = no_names;
    kz_status status = find_folder(folder, error);
    if (!status) status = course_list_files(arena, folder, ".toml", &found, error);
    if (!status && !found.count) {
        status = base_fail(error, KZ_NOT_FOUND, "there are no suites: no .toml file lies in %s", folder);
        base_fail_note(error, "`make install` brings them; a file of your own is named by its path: "
                              "kz bench --suite ./mine.toml");
    }
    const char **list = status ? NULL : base_arena_alloc(arena, (found.count + 1) * sizeof *list);
    for (size_t i = 0; list && i < found.count; i++) list[i] = found.names[i];
    if (list) *names = list;
    return status;
}

static kz_status fail_name(base_arena *arena, const char *word, kz_error *error) {
    const char *const *names;
    base_text all = {0};
    base_fail(error, KZ_NOT_FOUND, "there is no suite \"%s\"", word);
    if (workload_suite_list(arena, &names, NULL)) names = no_names;
    const char *near = base_nearest(word, names);
    for (; *names; names++) base_text_add(&all, " %s", *names);
    if (near) base_fail_note(error, "did you mean %s?", near);
    base_fail_note(error, "the suites:%s; a file of your own is named by its path: --suite ./%s.toml",
                   all.data ? all.data : " none", word);
    base_text_free(&all);
    return KZ_NOT_FOUND;
}

static kz_status find_file(base_arena *arena, const char *word, char path[2 * BASE_PATH], kz_error *error) {
    char folder[BASE_PATH + 32];
    if (strchr(word, '/') || base_ends_with(word, ".toml")) {
        if (strlen(word) >= 2 * BASE_PATH)
            return base_fail(error, KZ_LIMIT, "the path of the suite is too long");
        strcpy(path, word);
        return KZ_OK;
    }
    kz_status status = find_folder(folder, error);
    if (status) return status;
    int length = snprintf(path, 2 * BASE_PATH, "%s/%.200s.toml", folder, word);
    if (length >= 2 * BASE_PATH || !base_file_exists(path)) return fail_name(arena, word, error);
    return KZ_OK;
}

kz_status workload_suite_open(const char *word, workload_suite *suite, kz_error *error) {
    char path[2 * BASE_PATH];
    *suite = (workload_suite){.arena = base_arena_open()};
    if (suite->arena) suite->word = base_arena_string(suite->arena, word, strlen(word));
    if (!suite->word) return base_fail(error, KZ_NO_MEMORY, "no memory for the suite");
    kz_status status = find_file(suite->arena, word, path, error);
    const char *kept = status ? NULL : base_arena_string(suite->arena, path, strlen(path));
    if (!status && !kept) status = base_fail(error, KZ_NO_MEMORY, "no memory for the suite");
    if (!status) status = course_toml_read(suite->arena, kept, &suite->toml, error);
    if (status) return status;
    const char *name = base_file_name(kept);
    snprintf(suite->name, sizeof suite->name, "%.*s",
             (int)(strlen(name) - (base_ends_with(name, ".toml") ? 5 : 0)), name);
    snprintf(suite->digest, sizeof suite->digest, "%016llx",
             (unsigned long long)base_hash(BASE_HASH, suite->toml.text, suite->toml.size));
    read_suite(suite);
    return suite->toml.status;
}

void workload_suite_close(workload_suite *suite) {
    base_arena_close(suite->arena);
    *suite = (workload_suite){0};
}

void workload_suite_point(workload_suite *suite, const workload_suite_part *part, kz_error *error,
                          const char *format, ...) {
    char message[600];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    course_toml toml = suite->toml;
    toml.status = KZ_OK;
    toml.error = error;
    course_toml_fail(&toml, part->axes ? part->axes : part->at, "%s", message);
}

// ---- who is measured ---------------------------------------------------------------------------------------------

static bool is_chosen_somewhere(const kz_family *family, const kz_device_info *device,
                                const kz_variant *variant) {
    for (size_t i = 0; i < family->case_count; i++)
        if (family->cases[i].use & KZ_USE_BENCH &&
            kz_choose(family, &family->cases[i], device, false, NULL) == variant)
            return true;
    return false;
}

bool workload_suite_wants_variant(const workload_suite_part *part, const kz_family *family, const kz_case *c,
                                  const kz_device_info *device, const kz_variant *variant) {
    if (!part || !part->providers[0]) return true;
    for (const char *const *word = part->providers; *word; word++) {
        if (strcmp(*word, "all") == 0 || kz_variant_find(family, *word) == variant) return true;
        bool one = strcmp(*word, "chosen") == 0, several = strcmp(*word, "choices") == 0;
        if ((one || several) && kz_choose(family, c, device, false, NULL) == variant) return true;
        if (several && is_chosen_somewhere(family, device, variant)) return true;
    }
    return false;
}

bool workload_suite_wants_rival(const workload_suite_part *part, const char *rival) {
    if (!part || !part->providers[0]) return true;
    const bench_rival *known = bench_rival_find(rival);
    return is_one_of("rivals", part->providers) || is_one_of(rival, part->providers) ||
           (known && !known->python && is_one_of("libraries", part->providers));
}
