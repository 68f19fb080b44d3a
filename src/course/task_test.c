// Tasks from folders made here: every field arrives, and every mistake is told with its place.
#include "course/course.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static const char HEAD[] =
    "title = \"T\"\nlevel = 1\nminutes = 5\nteaches = \"x\"\nskills = [\"indexing\"]\n";

typedef struct fixture {
    base_arena *arena;
    char root[64], folder[128];
    course_task task;
    kz_error error;
} fixture;

static void put(fixture *f, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    assert_int_equal(base_file_write(path, text, strlen(text), &f->error), KZ_OK);
}

static void read_back(const char *folder, const char *name, char **text) {
    char path[COURSE_PATH];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(base_file_read(path, text, &size, NULL), KZ_OK);
}

static const char SOLUTION[] = "void f(void) {\n    // kz: begin\n    right();\n    // kz: starter\n"
                               "    //|     // Write here.\n    //|\n    // kz: end\n}\n";

static int open_folder(void **state) {
    static fixture f;
    f = (fixture){.arena = base_arena_open(), .root = "/tmp/kz_task_test_XXXXXX"};
    if (!f.arena || !mkdtemp(f.root)) return -1;
    snprintf(f.folder, sizeof f.folder, "%s/execution/vector-add", f.root);
    assert_int_equal(base_make_folders(f.folder, &f.error), KZ_OK);
    put(&f, "statement.md", "Do it.\n");
    put(&f, "hints.md", "## One\nfirst\n\n## Two\nsecond ## no heading\n\n## Three\nthird\n");
    put(&f, "solution.cu", SOLUTION);
    put(&f, "solution.c", SOLUTION);
    put(&f, "solution.txt", "# kz: begin\na = 4\n# kz: starter\n#| a = ?\n# kz: end\n");
    *state = &f;
    return 0;
}

static int close_folder(void **state) {
    fixture *f = *state;
    base_arena_close(f->arena);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", f->root);
    return system(command);
}

static kz_status load(fixture *f, const char *kind, const char *rest) {
    base_text text = {0};
    base_text_add(&text, "%skind = \"%s\"\n%s", HEAD, kind, rest);
    put(f, "task.toml", text.data);
    base_text_free(&text);
    f->error = (kz_error){0};
    return course_task_load(f->arena, f->folder, &f->task, &f->error);
}

static void good(fixture *f, const char *kind, const char *rest) {
    if (load(f, kind, rest) != KZ_OK) fail_msg("%s", f->error.message);
}

static void bad(fixture *f, const char *kind, const char *rest, const char *says) {
    kz_status status = load(f, kind, rest);
    if (status != KZ_SYNTAX || !strstr(f->error.message, says))
        fail_msg("expected \"%s\", got %d: %s", says, status, f->error.message);
}

#define ADD                                                                                                  \
    "signature = \"vector_add(const float *x, float *z, unsigned char *flags, int n, int m, float "          \
    "alpha)\"\n"                                                                                             \
    "inout = [\"flags\"]\n"
#define BUFFERS   "[buffers]\nx = \"n*m\"\nz = \"n\"\nflags = 4\n"
#define SCALARS   "[scalars]\nalpha = \"uniform\"\n"
#define REFERENCE "[reference]\nz = \"x[i]\"\nflags = \"1\"\n[bound]\nz = \"U_F32\"\n"
#define SHIFTED   "[[case]]\nn = [1, 2]\nm = 1\nmisalign = [1, 3]\n"
#define CASES     "[[case]]\nn = [1, 2, 33]\nm = [1, 7]\n[[case]]\nn = 5\nm = 5\ndata = \"nan\"\nmisalign = 1\n"
#define REST      BUFFERS SCALARS REFERENCE CASES

static void loads_a_kernel(void **state) {
    fixture *f = *state;
    good(f, "cuda",
         ADD REST "[data]\nx = \"range(-1, n)\"\n"
                  "[launch]\ngrid = [\"ceil(n/block)\", 2]\nblock = [128]\nshared = \"4*block\"\nown = true\n"
                  "fill = {z = 255}\ncooperative = true\n"
                  "[[gate]]\nmetric = \"load_sectors\"\nmax = 4.5\nn = 64\nm = 2\nwhy = \"w\"\n"
                  "[speed]\nn = 1024\nm = 1024\nbytes = \"4*n*m\"\npeak = 0.7\n"
                  "[sanitize]\nskip = [\"undefined\"]\n[limits]\nseconds = 3\nmemory = 64\n"
                  "[[source]]\nforbid = \"atomic[A-Z]\"\nwhy = \"no\"\n");
    const course_task *t = &f->task;
    assert_string_equal(t->id, "vector-add");
    assert_string_equal(t->topic, "execution");
    assert_string_equal(t->function, "vector_add");
    assert_string_equal(t->extension, "cu");
    assert_int_equal(t->parameter_count, 6);
    assert_int_equal(t->parameters[0].role, COURSE_INPUT);
    assert_string_equal(t->parameters[0].data, "range(-1, n)");
    assert_int_equal(t->parameters[1].role, COURSE_OUTPUT);
    assert_int_equal(t->parameters[1].fill, 255);
    assert_string_equal(t->parameters[1].bound, "U_F32");
    assert_int_equal(t->parameters[2].role, COURSE_INOUT);
    assert_int_equal(t->parameters[2].type, KZ_U8);
    assert_string_equal(t->parameters[2].count, "4");
    assert_string_equal(t->parameters[2].data, "uniform");
    assert_int_equal(t->parameters[4].axis, 1);
    assert_int_equal(t->parameters[5].axis, -1);
    assert_string_equal(t->parameters[5].value, "uniform");
    assert_int_equal(t->axis_count, 2);
    assert_int_equal(t->case_count, 7);
    assert_int_equal(t->cases[1].axes[0], 1);
    assert_int_equal(t->cases[1].axes[1], 7);
    assert_int_equal(t->cases[5].axes[0], 33);
    assert_string_equal(t->cases[6].data, "nan");
    assert_int_equal(t->cases[6].misalign, 1);
    assert_true(t->launch.given && t->launch.own && t->launch.cooperative);
    assert_string_equal(t->launch.grid[1], "2");
    assert_null(t->launch.grid[2]);
    assert_string_equal(t->gates[0].max, "4.5");
    assert_null(t->gates[0].min);
    assert_int_equal(t->gates[0].at.axes[0], 64);
    assert_true(t->speed.given && t->speed.peak == 0.7);
    assert_string_equal(t->sanitize_skip[0], "undefined");
    assert_int_equal(t->limit_bytes, 64 << 20);
    assert_true(t->rules[0].forbid);
}

static void lists_are_combined(void **state) {
    fixture *f = *state;
    good(f, "cuda", ADD BUFFERS SCALARS REFERENCE SHIFTED);
    assert_int_equal(f->task.case_count, 4);
    assert_int_equal(f->task.cases[2].axes[0], 2);
    assert_int_equal(f->task.cases[2].misalign, 1);
    assert_int_equal(f->task.cases[3].misalign, 3);
    bad(f, "cuda", ADD BUFFERS SCALARS REFERENCE "[[case]]\nn = 1\nm = 1\nmisalign = 65\n", "0 to 64");
}

static void leads_to_families_of_the_zoo(void **state) {
    fixture *f = *state;
    good(f, "cuda", ADD REST);
    assert_null(f->task.leads_to[0]);
    good(f, "cuda", "leads_to = [\"saxpy\", \"reduce_axis\"]\n" ADD REST);
    assert_string_equal(f->task.leads_to[0], "saxpy");
    assert_string_equal(f->task.leads_to[1], "reduce_axis");
    assert_null(f->task.leads_to[2]);
    bad(f, "cuda", "leads_to = [\"saxpy\", \"reduce_axes\"]\n" ADD REST, "did you mean \"reduce_axis\"?");
    bad(f, "cuda", "leads_to = [\"elephants\"]\n" ADD REST, "kz list");
    bad(f, "cuda", "leads_to = \"saxpy\"\n" ADD REST, "leads_to");
}

static void refuses_wrong_kernels(void **state) {
    fixture *f = *state;
    bad(f, "cuda", "signature = \"f(const float x)\"\n", "needs a value in [scalars]");
    bad(f, "cuda", "signature = \"void f(int n)\"\n", "expected \"(\"");
    bad(f, "cuda", "signature = \"f(char *x)\"\n", "no type of a buffer");
    bad(f, "cuda", "signature = \"f(short n)\"\n", "no type of a scalar");
    bad(f, "cuda", "signature = \"f(int *x, int x)\"\n", "two parameters");
    bad(f, "cuda", "signature = \"f(int *x, int i)\"\n", "has a meaning");
    bad(f, "cuda", "signature = \"f(int *x\"\n", "\",\" or \")\"");
    bad(f, "cuda", ADD SCALARS REFERENCE CASES "[buffers]\nx = \"n\"\nz = \"n\"\n",
        "how many elements \"flags\"");
    bad(f, "cuda", ADD SCALARS REFERENCE CASES "[buffers]\nx = \"k\"\n", "expected a known name");
    bad(f, "cuda", ADD SCALARS REFERENCE CASES "[buffers]\nxx = \"n\"\n",
        "no parameter \"xx\"; did you mean \"x\"?");
    bad(f, "cuda", ADD BUFFERS SCALARS REFERENCE "[[case]]\nn = 1\n", "does not say what \"m\" is");
    bad(f, "cuda", ADD BUFFERS SCALARS REFERENCE "[[case]]\nn = 1.5\nm = 1\n", "whole number");
    bad(f, "cuda", ADD BUFFERS SCALARS REFERENCE "[[case]]\nn = 1\nm = 1\nk = 2\n", "unknown key \"k\"");
    bad(f, "cuda", ADD BUFFERS SCALARS REFERENCE, "there is no [[case]]");
    bad(f, "cuda", ADD BUFFERS SCALARS CASES "[reference]\nz = \"1\"\n", "right answer for \"flags\"");
    bad(f, "cuda", ADD REST "[data]\nx = \"wild\"\n", "no data \"wild\"; there are uniform, positive");
    bad(f, "cuda", ADD REST "[data]\nx = \"wild\"\n", "runs, index(n)");
    bad(f, "cuda", ADD REST "[data]\nx = \"range(1)\"\n", "expected 2 numbers");
    bad(f, "cuda", ADD REST "[data]\nz = \"uniform\"\n", "is no input");
    bad(f, "cuda", ADD REST "[[gate]]\nmetric = \"load_sector\"\n", "did you mean \"load_sectors\"?");
    bad(f, "cuda", ADD REST "[[gate]]\nmetric = \"sectors_per_load\"\n", "ask for a total, load_sectors");
    bad(f, "cuda", ADD REST "[[gate]]\nmetric = \"d1_misses\"\n", "kind cuda");
    bad(f, "cuda", ADD REST "[[gate]]\nmetric = \"loads\"\nn = 1\nm = 1\nwhy = \"x\"\n", "min or max");
    bad(f, "cuda", ADD REST "[[gate]]\nmetric = \"loads\"\nn = 1\nmax = 1\nwhy = \"x\"\n", "at which \"m\"");
    bad(f, "cuda", ADD REST "[launch]\ngrid = [\"n/0\"]\nblock = [32]\n", "divisor");
    bad(f, "cuda", ADD REST "[launch]\ngrid = [1]\nblock = [32, 64]\n", "2048 threads in a block");
    bad(f, "cuda", ADD REST "[launch]\ngrid = [\"floor(n/2)\"]\nblock = [32]\n", "is 0 in one of the cases");
    bad(f, "cuda", ADD REST "[speed]\nn = 1\nm = 1\npeak = 0.5\n", "bytes");
    bad(f, "cuda", ADD REST "[[source]]\nforbid = \"(\"\nwhy = \"x\"\n", "regular expression");
    bad(f, "cuda", ADD REST "[sanitize]\nskip = [\"race\"]\n", "no detector \"race\"");
    bad(f, "cuda", ADD REST "[device]\nz = 0\n", "unknown key \"device\"");
    bad(f, "cuda", "form = \"program\"\n" ADD REST "[device]\nn = 0\n", "is a scalar, no buffer");
    bad(f, "cuda", "form = \"program\"\n" ADD REST "[device]\nz = \"k\"\n", "k");
    bad(f, "cuda", ADD REST "[build]\nflags = []\n", "unknown key \"build\"");
    bad(f, "cuda", ADD REST "[limit]\nseconds = 1\n", "did you mean \"limits\"?");
    bad(f, "fortran", "", "kind is one of cuda, c, command, answer");
}

static void loads_answers(void **state) {
    fixture *f = *state;
    good(f, "answer",
         "[[answer]]\nname = \"a\"\nquestion = \"?\"\nvalue = \"n/4\"\ntolerance = 0.05\n"
         "common = [{value = 32, says = \"per lane\"}]\n"
         "[[answer]]\nname = \"b\"\nchoices = [\"memory\", \"compute\"]\nvalue = \"memory\"\n"
         "[[answer]]\nname = \"c\"\nvalue = [3, 1, 2]\n"
         "[[answer]]\nname = \"d\"\nrun = \"kz prof x\"\nfind = \"a=([0-9]+)\"\n"
         "[[answer]]\nname = \"e\"\nvalue = 2.5\n[[answer]]\nname = \"w\"\nvalue = \"row-major\"\n[given]\nn "
         "= 16\n");
    const course_task *t = &f->task;
    assert_int_equal(t->answer_count, 6);
    assert_true(t->answers[0].is_number);
    assert_string_equal(t->answers[0].common[0].value, "32");
    assert_false(t->answers[1].is_number);
    assert_string_equal(t->answers[2].value, "3 1 2");
    assert_null(t->answers[3].value);
    assert_true(t->answers[4].is_number);
    assert_false(t->answers[5].is_number);
    assert_string_equal(t->extension, "txt");
    good(f, "command",
         "[[command]]\nname = \"profile\"\nmust = [\"kz\", \"prof\"]\n"
         "[[answer]]\nname = \"line\"\ncommand = \"profile\"\nfind = \"line: ([0-9]+)\"\n");
    assert_string_equal(t->commands[0].must[1], "prof");
    assert_true(t->commands[0].seconds == 60);

    bad(f, "answer", "", "no [[answer]]");
    bad(f, "command", "[[answer]]\nname = \"a\"\nvalue = 1\n", "needs a [[command]]");
    bad(f, "answer", "[[answer]]\nname = \"a\"\nvalue = \"4*k\"\n", "neither a word nor an expression");
    bad(f, "answer", "[[answer]]\nname = \"a\"\n", "nothing says the right value");
    bad(f, "answer", "[[answer]]\nname = \"a\"\nvalue = \"x\"\nchoices = [\"y\", \"z\"]\n",
        "none of the choices");
    bad(f, "answer", "[[answer]]\nname = \"a\"\nrun = \"kz\"\nfind = \"x\"\n", "there is none");
    bad(f, "answer", "[[answer]]\nname = \"a\"\nvalue = 1\n[[answer]]\nname = \"a\"\nvalue = 1\n",
        "two answers");
    bad(f, "command",
        "[[command]]\nname = \"p\"\n[[answer]]\nname = \"a\"\ncommand = \"q\"\nfind = \"(x)\"\n",
        "no [[command]] named \"q\"");
}

static void loads_a_c_function(void **state) {
    fixture *f = *state;
    put(f, "reference.c", "void reference(void) {}\n");
    good(f, "c",
         "signature = \"f(double *z)\"\n[buffers]\nz = 4\n[build]\nflags = [\"-fopenmp\"]\nsanitize = "
         "\"thread\"\n"
         "[[gate]]\nmetric = \"d1_misses\"\nmax = 4\nwhy = \"w\"\n");
    assert_int_equal(f->task.case_count, 1);
    assert_string_equal(f->task.build_sanitize, "thread");
    bad(f, "c", "signature = \"f(double *z)\"\n[buffers]\nz = 4\n[reference]\nz = \"1\"\n",
        "keep one of the two");
    bad(f, "c", "signature = \"f(double *z)\"\n[buffers]\nz = 4\n[[gate]]\nmetric = \"loads\"\n", "kind c");
}

static void makes_the_starter(void **state) {
    fixture *f = *state;
    good(f, "answer", "[[answer]]\nname = \"a\"\nvalue = 4\n");
    char *text, path[COURSE_PATH], to[160];
    assert_int_equal(course_task_starter(&f->task, &text, &f->error), KZ_OK);
    assert_string_equal(text, "a = ?\n");
    free(text);
    assert_int_equal(course_task_solution(&f->task, &text, &f->error), KZ_OK);
    assert_string_equal(text, "a = 4\n");
    free(text);
    f->task.extension = "cu";
    assert_int_equal(course_task_starter(&f->task, &text, &f->error), KZ_OK);
    assert_string_equal(text, "void f(void) {\n    // Write here.\n\n}\n");
    free(text);

    char files[160];
    snprintf(files, sizeof files, "%s/files/deep", f->folder);
    assert_int_equal(base_make_folders(files, &f->error), KZ_OK);
    put(f, "files/deep/k.cu", "kernel\n");
    snprintf(to, sizeof to, "%s/learner/vector-add", f->root);
    assert_int_equal(course_task_copy(&f->task, to, false, path, &f->error), KZ_OK);
    read_back(to, "vector-add.cu", &text);
    assert_string_equal(text, "// kz: task vector-add\nvoid f(void) {\n    // Write here.\n\n}\n");
    free(text);
    read_back(to, "files/deep/k.cu", &text);
    assert_string_equal(text, "kernel\n");
    free(text);

    assert_int_equal(base_file_write(path, "mine", 4, &f->error), KZ_OK);
    assert_int_equal(course_task_copy(&f->task, to, false, path, &f->error), KZ_OK);
    read_back(to, "vector-add.cu", &text);
    assert_string_equal(text, "mine");
    free(text);
    assert_int_equal(course_task_copy(&f->task, to, true, path, &f->error), KZ_OK);
    assert_int_equal(base_file_write(path, "other", 5, &f->error), KZ_OK); // a second time: both are kept
    assert_int_equal(course_task_copy(&f->task, to, true, path, &f->error), KZ_OK);
    read_back(to, "vector-add.cu.before-reset", &text);
    assert_string_equal(text, "mine");
    free(text);
    read_back(to, "vector-add.cu.before-reset-2", &text);
    assert_string_equal(text, "other");
    free(text);
}

static void refuses_wrong_marks(void **state) {
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"int x;\n", "no marks"},
        {"// kz: begin\n", ":1: this \"kz: begin\" has no"},
        {"// kz: end\n", ":1: \"kz: end\" without"},
        {"// kz: begin\n// kz: begin\n", ":2: \"kz: begin\" inside"},
        {"// kz: starter\n", ":1: \"kz: starter\" outside"},
        {"// kz: begin\n// kz: starter\nint y;\n// kz: end\n", ":3: after \"kz: starter\""},
    };
    fixture *f = *state;
    good(f, "answer", "[[answer]]\nname = \"a\"\nvalue = 4\n");
    f->task.extension = "cu";
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        char *text;
        put(f, "solution.cu", wrong[i].text);
        assert_int_equal(course_task_starter(&f->task, &text, &f->error), KZ_SYNTAX);
        if (!strstr(f->error.message, wrong[i].says)) fail_msg("%s", f->error.message);
    }
    put(f, "solution.cu", SOLUTION);
}

static void gives_hints_in_steps(void **state) {
    fixture *f = *state;
    good(f, "answer", "[[answer]]\nname = \"a\"\nvalue = 4\n");
    char *text;
    size_t count;
    assert_int_equal(course_task_hint(&f->task, 1, &text, &count, &f->error), KZ_OK);
    assert_string_equal(text, "## Two\nsecond ## no heading");
    assert_int_equal(count, 3);
    free(text);
    assert_int_equal(course_task_hint(&f->task, 3, &text, NULL, &f->error), KZ_NOT_FOUND);
}

static void needs_its_files(void **state) {
    fixture *f = *state;
    char path[256];
    snprintf(path, sizeof path, "%s/hints.md", f->folder);
    unlink(path);
    bad(f, "answer", "[[answer]]\nname = \"a\"\nvalue = 4\n", "hints.md is missing");
    assert_int_equal(course_task_load(f->arena, "/nowhere", &f->task, &f->error), KZ_NOT_FOUND);
    assert_int_equal(course_task_load(f->arena, f->root, &f->task, &f->error), KZ_SYNTAX); // its name
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_a_kernel),
        cmocka_unit_test(lists_are_combined),
        cmocka_unit_test(leads_to_families_of_the_zoo),
        cmocka_unit_test(refuses_wrong_kernels),
        cmocka_unit_test(loads_answers),
        cmocka_unit_test(loads_a_c_function),
        cmocka_unit_test(makes_the_starter),
        cmocka_unit_test(refuses_wrong_marks),
        cmocka_unit_test(gives_hints_in_steps),
        cmocka_unit_test(needs_its_files),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
