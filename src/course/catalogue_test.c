// A small course made here: it loads in order, and whatever points nowhere is found.
#include "course/course.h"

#include <stdio.h>
#include <stdlib.h>

#include "kz/family.h"
#include "unit.h"

typedef struct fixture {
    char root[64];
    kz_error error;
} fixture;

static void put(fixture *f, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", f->root, name);
    char *slash = strrchr(path, '/');
    *slash = 0;
    assert_int_equal(base_make_folders(path, &f->error), KZ_OK);
    *slash = '/';
    assert_int_equal(base_file_write(path, text, strlen(text), &f->error), KZ_OK);
}

static void put_task(fixture *f, const char *folder, const char *more) {
    char name[128], text[1024];
    snprintf(text, sizeof text,
             "title = \"T\"\nkind = \"answer\"\nlevel = 1\nminutes = 1\nteaches = \"x\"\n%s"
             "[[answer]]\nname = \"a\"\nvalue = 1\n",
             more);
    snprintf(name, sizeof name, "%s/task.toml", folder);
    put(f, name, text);
    snprintf(name, sizeof name, "%s/statement.md", folder);
    put(f, name, "x\n");
    snprintf(name, sizeof name, "%s/hints.md", folder);
    put(f, name, "## a\n");
    snprintf(name, sizeof name, "%s/solution.txt", folder);
    put(f, name, "# kz: begin\na = 1\n# kz: end\n");
}

// The zoo's families but `without`, as a list for leads_to. The caller frees it.
static char *families_without(const char *without) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    base_text list = {0};
    base_text_add(&list, "skills = [\"memory\"]\nleads_to = [");
    const char *between = "";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(families[i]->name, without) == 0) continue;
        base_text_add(&list, "%s\"%s\"", between, families[i]->name);
        between = ", ";
    }
    base_text_add(&list, "]\n");
    assert_false(list.failed);
    return list.data;
}

static void put_families(fixture *f, const char *without) {
    char *list = families_without(without);
    put_task(f, "tasks/reading/reading-a", list);
    free(list);
}

static int make_course(void **state) {
    static fixture f;
    f = (fixture){.root = "/tmp/kz_course_test_XXXXXX"};
    if (!mkdtemp(f.root)) return -1;
    *state = &f;
    put(&f, "order.toml", "topics = [\"first\", \"reading\", \"later\"]\n");
    put(&f, "skills.toml", "[[skill]]\nid = \"memory\"\ntitle = \"Memory\"\n");
    put(&f, "parts.toml", "[[part]]\nid = \"triton\"\ntitle = \"Triton\"\nready = false\n");
    put(&f, "tasks/first/topic.toml", "title = \"First\"\nabout = \"x\"\ntasks = [\"zeta\", \"alpha\"]\n");
    put_task(&f, "tasks/first/alpha", "skills = [\"memory\"]\nneeds = [\"zeta\"]\n");
    put_task(&f, "tasks/first/zeta", "skills = [\"memory\"]\n");
    put(&f, "tasks/reading/topic.toml", "title = \"R\"\nabout = \"x\"\ntasks = [\"reading-a\"]\n");
    put_families(&f, "");
    put_task(&f, "katas/kata-one", "skills = [\"memory\"]\n");
    put(&f, "paths/b.toml",
        "title = \"B\"\ngroup = \"paths\"\norder = 1\n[[step]]\ntitle = \"s\"\ntasks = [\"zeta\"]\n"
        "[[gate]]\ntitle = \"g\"\ntasks = [\"zeta\"]\n[[step]]\ntitle = \"t\"\n"
        "[[gate]]\ntitle = \"h\"\nwaiting = [\"triton\"]\n");
    put(&f, "paths/a.toml",
        "title = \"A\"\ngroup = \"paths\"\norder = 2\n[[step]]\ntitle = \"s\"\nreads = [\"p\"]\n");
    put(&f, "paths/c.toml", "title = \"C\"\ngroup = \"topics\"\n[[step]]\ntitle = \"s\"\n");
    put(&f, "items/tracker.toml",
        "[[item]]\nid = \"tracker-1\"\nsection = \"S\"\ntext = \"one | two\"\ntask = [\"zeta\", "
        "\"reading-a\"]\n"
        "[[item]]\nid = \"tracker-2\"\ntext = \"x\"\nwaiting = \"triton\"\n"
        "[[item]]\nid = \"tracker-3\"\nsection = \"S2\"\ntext = \"x\"\ncommand = [\"prof\"]\n"
        "[[item]]\nid = \"tracker-4\"\nsection = \"S2\"\ntext = \"x\"\ntask = [\"reading-a\"]\n"
        "[[item]]\nid = \"tracker-5\"\nsection = \"S2\"\ntext = \"x\"\npage = [\"p\"]\n");
    put(&f, "docs/p.md", "# p\n");
    return 0;
}

static int remove_course(void **state) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", ((fixture *)*state)->root);
    return system(command);
}

static course_catalogue *open_course(fixture *f) {
    course_catalogue *c;
    if (course_open(f->root, &c, &f->error) != KZ_OK) fail_msg("%s", f->error.message);
    return c;
}

// Everything that the review says; "" where all is well.
static char *review(fixture *f) {
    static const char *const commands[] = {"prof", NULL};
    static char said[2000];
    char docs[128];
    snprintf(docs, sizeof docs, "%s/docs", f->root);
    course_catalogue *c = open_course(f);
    base_text problems = {0};
    kz_status status = course_review(c, commands, docs, &problems, &f->error);
    snprintf(said, sizeof said, "%s", problems.data ? problems.data : "");
    assert_int_equal(status, said[0] ? KZ_WRONG : KZ_OK);
    base_text_free(&problems);
    course_close(c);
    return said;
}

static void expect_problem(fixture *f, const char *text) {
    char *said = review(f);
    if (!strstr(said, text)) fail_msg("expected \"%s\", got: %s", text, said);
}

static void loads_in_order(void **state) {
    course_catalogue *c = open_course(*state);
    assert_int_equal(c->task_count, 4);
    assert_string_equal(c->tasks[0].id, "zeta");
    assert_string_equal(c->tasks[1].id, "alpha");
    assert_true(c->tasks[2].is_reading);
    assert_true(c->tasks[3].is_kata);
    assert_string_equal(c->tasks[3].topic, "kata");
    assert_int_equal(c->topic_count, 2); // "later" is named only
    assert_int_equal(c->path_count, 3);
    assert_string_equal(c->paths[0].id, "b");
    assert_string_equal(c->paths[1].id, "a");
    assert_int_equal(c->paths[0].gates[0].after, 1);
    assert_int_equal(c->paths[0].gates[1].after, 2);
    assert_int_equal(c->items[1].covered_by, COURSE_WAITING);
    assert_string_equal(c->items[1].section, "S"); // of the one before
    assert_string_equal(c->items[1].targets[0], "triton");
    assert_string_equal(c->items[0].plan, "tracker");
    assert_non_null(course_find_part(c, "triton"));
    assert_null(course_find_task(c, "omega"));
    course_close(c);
    assert_string_equal(review(*state), "");
}

static void writes_the_coverage(void **state) {
    course_catalogue *c = open_course(*state);
    base_text text = {0};
    course_write_coverage(c, &text);
    assert_non_null(strstr(text.data, "2 tasks, 1 readings with questions and 1 katas"));
    assert_non_null(strstr(text.data, "| a reading with questions | 1 |"));
    assert_non_null(strstr(text.data, "one \\| two | [zeta], reading [reading-a] |\n"));
    assert_non_null(strstr(text.data, "\n[zeta]: ../course/tasks/first/zeta/statement.md\n"));
    assert_non_null(strstr(text.data, "\n[reading-a]: ../course/tasks/reading/reading-a/statement.md\n"));
    assert_null(strstr(text.data, "[kata-one]")); // the page does not name it
    assert_non_null(strstr(text.data, "waits for `triton`"));
    assert_non_null(strstr(text.data, "| `triton` | Triton"));
    assert_non_null(strstr(text.data, "`kz prof`"));
    assert_non_null(
        strstr(text.data, "| [sgemm](../kernels/gemm/sgemm/README.md) | reading [reading-a] |\n"));
    base_text_free(&text);
    course_close(c);
}

static void misses_families_that_no_task_leads_to(void **state) {
    fixture *f = *state;
    put_families(f, "sgemm");
    assert_string_equal(review(f),
                        "no task leads to the family sgemm: name it in the leads_to of a task.toml\n");
    put_families(f, "");
    assert_string_equal(review(f), "");
}

static void finds_what_points_nowhere(void **state) {
    fixture *f = *state;
    put_task(f, "tasks/first/zeta", "skills = [\"memroy\"]\nneeds = [\"alpha\", \"beta\"]\n");
    expect_problem(f, "trains \"memroy\"");
    expect_problem(f, "which needs it in turn");
    expect_problem(f, "task zeta names the task \"beta\"");
    put_task(f, "tasks/first/zeta", "skills = [\"memory\"]\n");
    put_task(f, "tasks/first/extra", "skills = [\"memory\"]\n");
    expect_problem(f, "does not list the folder \"extra\"");
    put(f, "tasks/first/topic.toml",
        "title = \"F\"\nabout = \"x\"\ntasks = [\"zeta\", \"alpha\", \"extra\", \"gone\"]\n");
    expect_problem(f, "lists \"gone\", which has no folder");
    put(f, "tasks/first/topic.toml",
        "title = \"F\"\nabout = \"x\"\ntasks = [\"zeta\", \"alpha\", \"extra\"]\n");
    put_task(f, "katas/extra", "skills = [\"memory\"]\n");
    expect_problem(f, "two tasks extra");
    expect_problem(f, "begins with \"kata-\"");
    put(f, "paths/a.toml",
        "title = \"A\"\ngroup = \"paths\"\n[[step]]\ntitle = \"s\"\nreads = [\"q\"]\ntasks = [\"t\"]\n"
        "waiting = [\"w\"]\n");
    expect_problem(f, "step \"s\" names the page docs/q.md");
    expect_problem(f, "step \"s\" names the task \"t\"");
    expect_problem(f, "step \"s\" waits for \"w\"");
    put(f, "items/x.toml",
        "[[item]]\nid = \"x-1\"\nsection = \"S\"\ntext = \"x\"\nfamily = [\"nofamily\"]\n"
        "[[item]]\nid = \"x-1\"\nsection = \"S\"\ntext = \"x\"\ncommand = [\"fly\"]\n");
    expect_problem(f, "names the family \"nofamily\"");
    expect_problem(f, "kz fly");
    expect_problem(f, "two items x-1");
    put(f, "katas/kata-bad/task.toml", "titel = 1\n");
    expect_problem(f, "katas/kata-bad/task.toml: title = ");
    course_catalogue *c = open_course(f);
    assert_int_equal(c->broken_count, 1);
    assert_int_equal(course_fail_task(c, "kata-bad", &f->error), KZ_SYNTAX);
    assert_non_null(strstr(f->error.message, "title"));
    assert_int_equal(course_fail_task(c, "zetta", &f->error), KZ_NOT_FOUND);
    assert_non_null(strstr(f->error.message, "did you mean zeta?"));
    course_close(c);
    put(f, "parts.toml", "[[part]]\nid = \"triton\"\ntitle = \"Triton\"\nready = true\n");
    expect_problem(f, "item tracker-2 waits for triton, which is ready");
}

static void refuses_what_is_wrong_in_itself(void **state) {
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"[[item]]\nid = \"x-1\"\nsection = \"S\"\ntext = \"x\"\n", "no place"},
        {"[[item]]\nid = \"x-1\"\ntext = \"x\"\ntask = [\"a\"]\n", "section"},
        {"[[item]]\nid = \"x-1\"\nsection = \"S\"\ntext = \"x\"\ntask = []\n", "no place"},
        {"[[item]]\nid = \"x-1\"\nsection = \"S\"\ntext = \"x\"\ntask = [\"a\"]\npage = [\"p\"]\n",
         "more than one"},
        {"[[item]]\nid = \"y-1\"\nsection = \"S\"\ntext = \"x\"\ntask = [\"a\"]\n", "begins with its plan"},
    };
    fixture *f = *state;
    course_catalogue *c;
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        put(f, "items/x.toml", wrong[i].text);
        assert_int_equal(course_open(f->root, &c, &f->error), KZ_SYNTAX);
        if (!strstr(f->error.message, wrong[i].says)) fail_msg("%s", f->error.message);
    }
    put(f, "items/x.toml", "");
    put(f, "paths/x.toml",
        "title = \"X\"\ngroup = \"paths\"\n[[step]]\ntitle = \"s\"\n[[gate]]\ntitle = \"g\"\n");
    assert_int_equal(course_open(f->root, &c, &f->error), KZ_SYNTAX);
    assert_non_null(strstr(f->error.message, "something that is run"));
}

static void is_found(void **state) {
    fixture *f = *state;
    char folder[COURSE_PATH];
    setenv("KZ_COURSE", f->root, 1);
    assert_int_equal(course_find(folder, &f->error), KZ_OK);
    assert_string_equal(folder, f->root);
    setenv("KZ_COURSE", "/nowhere", 1);
    assert_int_equal(course_find(folder, &f->error), KZ_NOT_FOUND);
    setenv("KZ_COURSE", "/", 1);
    assert_int_equal(course_find(folder, &f->error), KZ_NOT_FOUND);
    assert_non_null(strstr(f->error.message, "order.toml"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_in_order),
        cmocka_unit_test(writes_the_coverage),
        cmocka_unit_test(is_found),
        cmocka_unit_test(misses_families_that_no_task_leads_to),
        cmocka_unit_test(finds_what_points_nowhere),
        cmocka_unit_test(refuses_what_is_wrong_in_itself),
    };
    return cmocka_run_group_tests(tests, make_course, remove_course);
}
