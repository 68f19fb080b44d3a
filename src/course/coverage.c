// Whether the course hangs together, and docs/coverage.md: where each item of the learning plans has its place.
#include "course/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kz/family.h"

// ---- names that point nowhere -------------------------------------------------------------------------

typedef struct check {
    const course_catalogue *catalogue;
    const char *const *commands; // may be NULL: not checked
    const char *docs;            // may be NULL
    base_text *problems;
    size_t count;
} check;

static void problem(check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void problem(check *c, const char *format, ...) {
    va_list list;
    va_start(list, format);
    base_text_add_v(c->problems, format, list);
    va_end(list);
    base_text_add(c->problems, "\n");
    c->count++;
}

static bool has_command(const check *c, const char *name) {
    if (!c->commands) return true;
    for (const char *const *v = c->commands; *v; v++)
        if (strcmp(*v, name) == 0) return true;
    return false;
}

static bool has_page(const check *c, const char *name) {
    char path[COURSE_PATH * 2];
    if (!c->docs) return true;
    snprintf(path, sizeof path, "%s/%s.md", c->docs, name);
    return base_file_exists(path);
}

static void check_tasks(check *c, const char *const *tasks, const char *who) {
    for (; *tasks; tasks++)
        if (!course_find_task(c->catalogue, *tasks))
            problem(c, "%s names the task \"%s\", which is not there", who, *tasks);
}

static void check_parts(check *c, const char *const *parts, const char *who) {
    for (; *parts; parts++)
        if (!course_find_part(c->catalogue, *parts))
            problem(c, "%s waits for \"%s\", which is not in parts.toml", who, *parts);
}

static void check_pages(check *c, const char *const *pages, const char *who) {
    for (; *pages; pages++)
        if (!has_page(c, *pages)) problem(c, "%s names the page docs/%s.md, which is not there", who, *pages);
}

// ---- tasks ------------------------------------------------------------------------------------

static bool has_skill(const course_catalogue *catalogue, const char *id) {
    for (size_t i = 0; i < catalogue->skill_count; i++)
        if (strcmp(catalogue->skills[i].id, id) == 0) return true;
    return false;
}

// Whether `task` needs itself in the end; `state`: 0 not seen, 1 on the way, 2 done.
static bool has_cycle(check *c, const course_task *task, unsigned char *state) {
    size_t index = (size_t)(task - c->catalogue->tasks);
    if (state[index]) return state[index] == 1;
    state[index] = 1;
    for (const char *const *n = task->needs; *n; n++) {
        const course_task *other = course_find_task(c->catalogue, *n);
        if (!other || !has_cycle(c, other, state)) continue;
        problem(c, "task %s needs %s, which needs it in turn", task->id, *n);
        state[index] = 2;
        return false; // told once
    }
    state[index] = 2;
    return false;
}

static void check_each_task(check *c) {
    const course_catalogue *all = c->catalogue;
    unsigned char *state = calloc(all->task_count + 1, 1);
    for (size_t i = 0; i < all->task_count; i++) {
        const course_task *t = &all->tasks[i];
        char who[COURSE_NAME + 16];
        snprintf(who, sizeof who, "task %s", t->id);
        if (course_find_task(all, t->id) != t) problem(c, "there are two tasks %s", t->id);
        for (const char *const *s = t->skills; *s; s++)
            if (!has_skill(all, *s)) problem(c, "%s trains \"%s\", which is not in skills.toml", who, *s);
        check_tasks(c, t->needs, who);
        if (t->is_kata && strncmp(t->id, "kata-", 5) != 0)
            problem(c, "%s is a kata: its id begins with \"kata-\"", who);
        if (state) has_cycle(c, t, state);
    }
    free(state);
}

static bool leads_to(const course_task *task, const char *family) {
    for (const char *const *f = task->leads_to; *f; f++)
        if (strcmp(*f, family) == 0) return true;
    return false;
}

// What the zoo has is learnt somewhere: each family goes on from a task. A course that leads nowhere owes the zoo nothing.
static void check_families(check *c) {
    size_t count, leading = 0;
    for (size_t t = 0; t < c->catalogue->task_count; t++)
        leading += c->catalogue->tasks[t].leads_to[0] != NULL;
    if (!leading) return;
    const kz_family *const *families = kz_family_list(&count);
    for (size_t i = 0; i < count; i++) {
        size_t t = 0;
        while (t < c->catalogue->task_count && !leads_to(&c->catalogue->tasks[t], families[i]->name)) t++;
        if (t == c->catalogue->task_count)
            problem(c, "no task leads to the family %s: name it in the leads_to of a task.toml",
                    families[i]->name);
    }
}

// A folder that topic.toml does not list, or a name without a folder. The lists are read again, for the
// catalogue keeps what was found.
static void check_lists(check *c) {
    for (size_t i = 0; i < c->catalogue->topic_count; i++) {
        const char *missing, *extra;
        const char *topic = c->catalogue->topics[i].id;
        base_arena *arena = base_arena_open();
        if (arena && course_topic_differs(arena, c->catalogue->folder, topic, &missing, &extra)) {
            if (missing) problem(c, "tasks/%s/topic.toml lists \"%s\", which has no folder", topic, missing);
            if (extra) problem(c, "tasks/%s/topic.toml does not list the folder \"%s\"", topic, extra);
        }
        base_arena_close(arena);
    }
}

// ---- paths and items -------------------------------------------------------------------------------

static void check_paths(check *c) {
    char who[4 * COURSE_NAME];
    for (size_t i = 0; i < c->catalogue->path_count; i++) {
        const course_path *p = &c->catalogue->paths[i];
        for (size_t s = 0; s < p->step_count; s++) {
            snprintf(who, sizeof who, "path %s, step \"%.100s\"", p->id, p->steps[s].title);
            check_tasks(c, p->steps[s].tasks, who);
            check_parts(c, p->steps[s].waiting, who);
            check_pages(c, p->steps[s].reads, who);
        }
        for (size_t g = 0; g < p->gate_count; g++) {
            snprintf(who, sizeof who, "path %s, gate \"%.100s\"", p->id, p->gates[g].title);
            check_tasks(c, p->gates[g].tasks, who);
            check_parts(c, p->gates[g].waiting, who);
        }
    }
}

static void check_item(check *c, const course_item *item) {
    char who[2 * COURSE_NAME];
    snprintf(who, sizeof who, "item %.100s", item->id);
    for (const char *const *t = item->targets; *t; t++) {
        const course_part *part = course_find_part(c->catalogue, *t);
        if (item->covered_by == COURSE_BY_FAMILY && !kz_family_find(*t))
            problem(c, "%s names the family \"%s\", which is not there", who, *t);
        if (item->covered_by == COURSE_BY_COMMAND && !has_command(c, *t))
            problem(c, "%s names the command kz %s, which is not there", who, *t);
        if (item->covered_by == COURSE_WAITING && part && part->ready)
            problem(c, "%s waits for %s, which is ready: give it its place", who, *t);
    }
    if (item->covered_by == COURSE_BY_TASK) check_tasks(c, item->targets, who);
    if (item->covered_by == COURSE_BY_PAGE) check_pages(c, item->targets, who);
    if (item->covered_by == COURSE_WAITING) check_parts(c, item->targets, who);
}

kz_status course_review(const course_catalogue *catalogue, const char *const *commands, const char *docs,
                        base_text *problems, kz_error *error) {
    check c = {catalogue, commands, docs, problems, 0};
    for (size_t i = 0; i < catalogue->broken_count; i++) problem(&c, "%s", catalogue->broken[i].message);
    check_each_task(&c);
    check_families(&c);
    check_lists(&c);
    check_paths(&c);
    for (size_t i = 0; i < catalogue->item_count; i++) {
        check_item(&c, &catalogue->items[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(catalogue->items[i].id, catalogue->items[j].id) == 0)
                problem(&c, "there are two items %s", catalogue->items[i].id);
    }
    if (!c.count) return KZ_OK;
    return base_fail(error, KZ_WRONG, "%zu problem%s in the course: the lines above name them", c.count,
                     c.count == 1 ? "" : "s");
}

// ---- the page ---------------------------------------------------------------------------------

static void add_cell(base_text *out, const char *text) {
    for (; *text; text++) {
        if (*text == '|') base_text_add(out, "\\");
        base_text_add(out, "%c", *text == '\n' ? ' ' : *text);
    }
}

static void add_task_link(const course_catalogue *catalogue, const char *id, base_text *out) {
    const course_task *task = course_find_task(catalogue, id);
    if (!task)
        base_text_add(out, "%s (not there)", id);
    else
        base_text_add(out, "%s[%s]", task->is_reading ? "reading " : "", id);
}

// Where the page's links to tasks lead, once each: it names many of them often.
static void add_task_addresses(const course_catalogue *catalogue, base_text *out) {
    base_text_add(out, "\n");
    for (size_t i = 0; i < catalogue->task_count; i++) {
        const course_task *task = &catalogue->tasks[i];
        char link[COURSE_NAME + 4];
        snprintf(link, sizeof link, "[%.63s]", task->id);
        if (!out->data || !strstr(out->data, link)) continue;
        base_text_add(out, "[%s]: ../course/%s%s/%s/statement.md\n", task->id,
                      task->is_kata ? "katas" : "tasks/", task->is_kata ? "" : task->topic, task->id);
    }
}

static void add_family_link(const char *name, base_text *out) {
    const kz_family *family = kz_family_find(name);
    base_text_add(out, "[%s](../kernels/%s/%s/README.md)", name, family ? family->group : "?", name);
}

static void add_coverage(const course_catalogue *catalogue, const course_item *item, base_text *out) {
    for (const char *const *t = item->targets; *t; t++) {
        if (t != item->targets) base_text_add(out, ", ");
        switch (item->covered_by) {
        case COURSE_BY_TASK: add_task_link(catalogue, *t, out); break;
        case COURSE_BY_FAMILY:
            base_text_add(out, "family ");
            add_family_link(*t, out);
            break;
        case COURSE_BY_COMMAND: base_text_add(out, "`kz %s`", *t); break;
        case COURSE_BY_PAGE: base_text_add(out, "[%s](%s.md)", *t, *t); break;
        case COURSE_WAITING: base_text_add(out, "waits for `%s`", *t); break;
        }
    }
}

static bool is_reading(const course_catalogue *catalogue, const course_item *item) {
    const course_task *task =
        item->covered_by == COURSE_BY_TASK ? course_find_task(catalogue, item->targets[0]) : NULL;
    return task && task->is_reading;
}

static void add_counts(const course_catalogue *catalogue, base_text *out) {
    enum { READING = COURSE_WAITING + 1 };
    size_t counts[READING + 1] = {0}, tasks = 0, katas = 0, readings = 0;
    for (size_t i = 0; i < catalogue->item_count; i++) {
        const course_item *item = &catalogue->items[i];
        counts[is_reading(catalogue, item) ? READING : item->covered_by]++;
    }
    for (size_t i = 0; i < catalogue->task_count; i++) {
        if (catalogue->tasks[i].is_kata)
            katas++;
        else if (catalogue->tasks[i].is_reading)
            readings++;
        else
            tasks++;
    }
    base_text_add(out, "The course has %zu tasks, %zu readings with questions and %zu katas.\n\n", tasks,
                  readings, katas);
    base_text_add(
        out,
        "| %zu items, by place | |\n|---|---:|\n| a task | %zu |\n| a reading with questions | %zu |\n"
        "| a family of kernels | %zu |\n| a command | %zu |\n| a page | %zu |\n| waiting for a part of the "
        "project that is not built yet | %zu |\n",
        catalogue->item_count, counts[COURSE_BY_TASK], counts[READING], counts[COURSE_BY_FAMILY],
        counts[COURSE_BY_COMMAND], counts[COURSE_BY_PAGE], counts[COURSE_WAITING]);
}

// What items wait for, by the names that their rows use.
static void add_parts(const course_catalogue *catalogue, base_text *out) {
    base_text_add(out, "\n| waits for | which is |\n|---|---|\n");
    for (size_t i = 0; i < catalogue->part_count; i++) {
        if (catalogue->parts[i].ready) continue;
        base_text_add(out, "| `%s` | ", catalogue->parts[i].id);
        add_cell(out, catalogue->parts[i].title);
        base_text_add(out, " |\n");
    }
}

// What is trained in small and goes on in the zoo.
static void add_families(const course_catalogue *catalogue, base_text *out) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    base_text_add(
        out, "\n## Families of the zoo, and the tasks that lead to them\n\n| family | tasks |\n|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const char *between = "";
        base_text_add(out, "| ");
        add_family_link(families[i]->name, out);
        base_text_add(out, " | ");
        for (size_t t = 0; t < catalogue->task_count; t++) {
            if (!leads_to(&catalogue->tasks[t], families[i]->name)) continue;
            base_text_add(out, "%s", between);
            add_task_link(catalogue, catalogue->tasks[t].id, out);
            between = ", ";
        }
        base_text_add(out, " |\n");
    }
}

void course_write_coverage(const course_catalogue *catalogue, base_text *out) {
    base_text_add(
        out, "# Coverage: where everything has its place\n\n"
             "The course grew from five learning plans. Each of their points is an item in `course/items`, "
             "and this page\nshows where it is taught. Written by `pages write coverage`; a test fails if it "
             "is stale.\n\n");
    add_counts(catalogue, out);
    add_parts(catalogue, out);
    const char *plan = "", *section = "";
    for (size_t i = 0; i < catalogue->item_count; i++) {
        const course_item *item = &catalogue->items[i];
        bool new_plan = strcmp(item->plan, plan) != 0;
        if (new_plan) base_text_add(out, "\n## %c%s\n", item->plan[0] - 'a' + 'A', item->plan + 1);
        if (new_plan || strcmp(item->section, section) != 0)
            base_text_add(out, "\n### %s\n\n| item | place |\n|---|---|\n", item->section);
        plan = item->plan, section = item->section;
        base_text_add(out, "| ");
        add_cell(out, item->text);
        base_text_add(out, " | ");
        add_coverage(catalogue, item, out);
        base_text_add(out, " |\n");
    }
    add_families(catalogue, out);
    add_task_addresses(catalogue, out);
}
