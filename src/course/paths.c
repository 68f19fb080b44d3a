// Parts, skills, paths with their steps and gates, and the items of the learning plans (docs/paths.md).
#include "course/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course/toml.h"

static kz_status open_list(course_catalogue *catalogue, const char *name, course_toml *toml,
                           kz_error *error) {
    char path[COURSE_PATH + 2 * COURSE_NAME];
    snprintf(path, sizeof path, "%s/%s", catalogue->folder, name);
    return course_toml_read(catalogue->arena, path, toml, error);
}

// ---- parts and skills -----------------------------------------------------------------------------

kz_status course_load_parts(course_catalogue *catalogue, kz_error *error) {
    course_toml toml;
    kz_status status = open_list(catalogue, "parts.toml", &toml, error);
    if (status) return status;
    course_toml_value *tables = course_toml_tables(&toml, toml.root, "part");
    course_part *parts = tables ? course_toml_alloc(&toml, tables->count * sizeof *parts) : NULL;
    for (course_toml_value *t = tables ? tables->first : NULL; t && !toml.status; t = t->next)
        parts[catalogue->part_count++] =
            (course_part){.id = course_toml_need_string(&toml, t, "id"),
                          .title = course_toml_need_string(&toml, t, "title"),
                          .ready = course_toml_boolean(&toml, t, "ready", false)};
    catalogue->parts = parts;
    return course_toml_finish(&toml);
}

kz_status course_load_skills(course_catalogue *catalogue, kz_error *error) {
    course_toml toml;
    kz_status status = open_list(catalogue, "skills.toml", &toml, error);
    if (status) return status;
    course_toml_value *tables = course_toml_tables(&toml, toml.root, "skill");
    course_skill *skills = tables ? course_toml_alloc(&toml, tables->count * sizeof *skills) : NULL;
    for (course_toml_value *t = tables ? tables->first : NULL; t && !toml.status; t = t->next)
        skills[catalogue->skill_count++] =
            (course_skill){.id = course_toml_need_string(&toml, t, "id"),
                           .title = course_toml_need_string(&toml, t, "title")};
    catalogue->skills = skills;
    return course_toml_finish(&toml);
}

// ---- paths ------------------------------------------------------------------------------------

static const char *const groups[] = {"paths", "topics", "bootcamp", "syllabus", "roadmap", "tracker", NULL};

typedef struct ordered_path {
    course_path path;
    int64_t group, order;
} ordered_path;

static void load_steps(course_toml *toml, course_toml_value *tables, course_path *path) {
    course_step *steps = tables ? course_toml_alloc(toml, tables->count * sizeof *steps) : NULL;
    for (course_toml_value *t = tables ? tables->first : NULL; t && !toml->status; t = t->next)
        steps[path->step_count++] = (course_step){.title = course_toml_need_string(toml, t, "title"),
                                                  .text = course_toml_string(toml, t, "text", ""),
                                                  .tasks = course_toml_strings(toml, t, "tasks"),
                                                  .reads = course_toml_strings(toml, t, "reads"),
                                                  .waiting = course_toml_strings(toml, t, "waiting")};
    path->steps = steps;
}

static void load_gates(course_toml *toml, course_toml_value *tables, const course_toml_value *steps,
                       course_path *path) {
    course_path_gate *gates = tables ? course_toml_alloc(toml, tables->count * sizeof *gates) : NULL;
    for (course_toml_value *t = tables ? tables->first : NULL; t && !toml->status; t = t->next) {
        size_t after = 0;
        for (const course_toml_value *s = steps ? steps->first : NULL; s; s = s->next)
            after += s->offset < t->offset;
        course_path_gate *g = &gates[path->gate_count++];
        *g = (course_path_gate){.title = course_toml_need_string(toml, t, "title"),
                                .text = course_toml_string(toml, t, "text", ""),
                                .tasks = course_toml_strings(toml, t, "tasks"),
                                .waiting = course_toml_strings(toml, t, "waiting"),
                                .questions = course_toml_strings(toml, t, "questions"),
                                .deliverables = course_toml_strings(toml, t, "deliverables"),
                                .after = after};
        if (!toml->status && !g->tasks[0] && !g->waiting[0])
            course_toml_fail(toml, t, "a gate asks for something that is run: tasks, or parts to wait for");
    }
    path->gates = gates;
}

static kz_status load_path(course_catalogue *catalogue, const char *id, ordered_path *made, kz_error *error) {
    char name[2 * COURSE_NAME];
    course_toml toml;
    snprintf(name, sizeof name, "paths/%.63s.toml", id);
    kz_status status = open_list(catalogue, name, &toml, error);
    if (status) return status;
    course_path *path = &made->path;
    *path = (course_path){.id = id,
                          .title = course_toml_need_string(&toml, toml.root, "title"),
                          .goal = course_toml_string(&toml, toml.root, "goal", ""),
                          .prerequisites = course_toml_string(&toml, toml.root, "prerequisites", ""),
                          .time = course_toml_string(&toml, toml.root, "time", ""),
                          .group = course_toml_need_string(&toml, toml.root, "group")};
    made->order = course_toml_integer(&toml, toml.root, "order", 0);
    for (made->group = 0; path->group && groups[made->group]; made->group++)
        if (strcmp(groups[made->group], path->group) == 0) break;
    if (!toml.status && !groups[made->group])
        course_toml_fail(
            &toml, course_toml_get(&toml, toml.root, "group"),
            "there is no group \"%s\"; there are paths, topics, bootcamp, syllabus, roadmap, tracker",
            path->group);
    course_toml_value *steps = course_toml_tables(&toml, toml.root, "step");
    load_steps(&toml, steps, path);
    load_gates(&toml, course_toml_tables(&toml, toml.root, "gate"), steps, path);
    if (!toml.status && !path->step_count) course_toml_fail(&toml, NULL, "a path has one [[step]] or more");
    return course_toml_finish(&toml);
}

static int by_order(const void *a, const void *b) {
    const ordered_path *p = a, *q = b;
    if (p->group != q->group) return p->group < q->group ? -1 : 1;
    if (p->order != q->order) return p->order < q->order ? -1 : 1;
    return strcmp(p->path.id, q->path.id);
}

kz_status course_load_paths(course_catalogue *catalogue, kz_error *error) {
    char folder[COURSE_PATH + 16];
    course_names names;
    snprintf(folder, sizeof folder, "%s/paths", catalogue->folder);
    kz_status status = course_list_files(catalogue->arena, folder, ".toml", &names, error);
    if (status || !names.count) return status;
    ordered_path *loaded = base_arena_alloc(catalogue->arena, names.count * sizeof *loaded);
    course_path *paths = base_arena_alloc(catalogue->arena, names.count * sizeof *paths);
    if (!loaded || !paths) return base_fail(error, KZ_NO_MEMORY, "no memory for the paths");
    for (size_t i = 0; i < names.count && !status; i++)
        status = load_path(catalogue, names.names[i], &loaded[i], error);
    if (status) return status;
    qsort(loaded, names.count, sizeof *loaded, by_order);
    for (size_t i = 0; i < names.count; i++) paths[i] = loaded[i].path;
    catalogue->paths = paths;
    catalogue->path_count = names.count;
    return KZ_OK;
}

// ---- items ------------------------------------------------------------------------------------

static const char *const coverages[] = {"task", "family", "command", "page", "waiting"}; // as course_coverage

// "waiting" may be one word; the others are lists.
static const char *const *targets(course_toml *toml, course_toml_value *table, const char *key) {
    course_toml_value *value = course_toml_get(toml, table, key);
    if (!value || value->kind != COURSE_TOML_STRING) return course_toml_strings(toml, table, key);
    const char **one = course_toml_alloc(toml, 2 * sizeof *one);
    if (one) one[0] = value->string;
    return one;
}

// `above` is the section of the plan's item before, NULL for its first: an item without one is of that.
static void load_item(course_toml *toml, course_toml_value *table, const char *above, course_item *item) {
    item->id = course_toml_need_string(toml, table, "id");
    item->section = above ? course_toml_string(toml, table, "section", above)
                          : course_toml_need_string(toml, table, "section");
    item->text = course_toml_need_string(toml, table, "text");
    int found = 0;
    for (size_t p = 0; p < BASE_COUNT(coverages) && !toml->status; p++) {
        if (!course_toml_get(toml, table, coverages[p])) continue;
        found++;
        item->covered_by = (course_coverage)p;
        item->targets = targets(toml, table, coverages[p]);
    }
    if (toml->status) return;
    if (found != 1 || !item->targets || !item->targets[0])
        course_toml_fail(toml, table,
                         "the item \"%s\" has %s place: exactly one of task, family, command, page, "
                         "waiting",
                         item->id, found > 1 ? "more than one" : "no");
    char plan[COURSE_NAME];
    snprintf(plan, sizeof plan, "%.62s-", item->plan);
    if (!toml->status && strncmp(item->id, plan, strlen(plan)) != 0)
        course_toml_fail(toml, course_toml_get(toml, table, "id"),
                         "an item's id begins with its plan: \"%s...\"", plan);
}

kz_status course_load_items(course_catalogue *catalogue, kz_error *error) {
    char folder[COURSE_PATH + 16], name[2 * COURSE_NAME];
    course_names names;
    snprintf(folder, sizeof folder, "%s/items", catalogue->folder);
    kz_status status = course_list_files(catalogue->arena, folder, ".toml", &names, error);
    for (size_t i = 0; i < names.count && !status; i++) {
        course_toml toml;
        snprintf(name, sizeof name, "items/%.63s.toml", names.names[i]);
        status = open_list(catalogue, name, &toml, error);
        if (status) return status;
        course_toml_value *tables = course_toml_tables(&toml, toml.root, "item");
        const char *section = NULL;
        for (course_toml_value *t = tables ? tables->first : NULL; t && !toml.status; t = t->next) {
            course_item *items =
                course_grow(catalogue->arena, (void *)catalogue->items, catalogue->item_count, sizeof *items);
            if (!items) return base_fail(error, KZ_NO_MEMORY, "no memory for the items");
            catalogue->items = items;
            items[catalogue->item_count].plan = names.names[i];
            load_item(&toml, t, section, &items[catalogue->item_count]);
            section = items[catalogue->item_count++].section;
        }
        status = course_toml_finish(&toml);
    }
    return status;
}
