// Kind c: results, bounds, undefined behaviour, leaks, races, ends of all sorts, and cachegrind's gates.
#include "grade_fixture.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/emulated_fixture.h"

#define HEAD                                                                                                 \
    "kind = \"c\"\ntitle = \"t\"\nlevel = 1\nminutes = 1\nteaches = \"x\"\nskills = [\"indexing\"]\n"        \
    "signature = \"scale(const float *x, float *y, int n)\"\n[buffers]\nx = \"n\"\ny = \"n\"\n"              \
    "[reference]\ny = \"2 * x[i]\"\n"
#define CASES "[[case]]\nn = [1, 33]\n"
#define SHORT "[limits]\nseconds = 1\n"
#define F     "void scale(const float *x, float *y, int n) "

static const char solution[] = F "{ for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }\n";

static void test_results(void **state) {
    fixture f = open_task(HEAD "[[case]]\nn = [33, 1]\n", "c", solution);
    expect_pass(&f, solution);
    assert_string_equal(row(&f, "results")->summary, "2 cases, 2 seeds");
    expect_fail(&f, F "{ for (int i = 0; i < n; i++) y[i] = 3 * x[i]; }", COURSE_WRONG, NULL,
                "smallest wrong case: n=1");
    expect_fail(&f, F "{ for (int i = 0; i + 1 < n; i++) y[i] = 2 * x[i]; }", COURSE_WRONG, NULL, "n=1");
    expect_fail(&f, F "{ for (int i = 0; i < n; i++) y[i] = 2 * x[i], ((float *)x)[i] = 0; }",
                COURSE_INPUT_CHANGED, NULL, "x");
    // Who is right in a process of its own for each case is right, whatever is left from the case before.
    expect_pass(&f, F "{\n  static int calls;\n  if (calls++ > 1) return;\n"
                      "  for (int i = 0; i < n; i++) y[i] = 2 * x[i];\n}\n");
    // A main of one's own, for trying out, is no mistake.
    expect_pass(&f, F "{ for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }\nint main(void) { return 1; }\n");
    close_task(&f);
}

static void test_compiler(void **state) {
    fixture f = open_task(HEAD CASES, "c", solution);
    expect_fail(&f, F "{\n  y[0] = 1\n}", COURSE_COMPILE, NULL, "tried.c:2");
    expect_fail(&f, "void other(void) {}", COURSE_SIGNATURE, NULL,
                "void scale(const float *x, float *y, int n)");
    expect_fail(&f, "void scale(const double *x, double *y, int n) { y[0] = x[0]; }", COURSE_SIGNATURE, NULL,
                "other parameters than the task's");
    close_task(&f);
}

static void test_sanitizers(void **state) {
    fixture f = open_task(HEAD CASES, "c", solution);
    expect_fail(&f, F "{\n  for (int i = 0; i <= n; i++)\n    y[i] = 2 * x[i];\n}", COURSE_FAULT,
                "heap-buffer-overflow", "tried.c:3, just past the end of a buffer of 4 bytes (x or y)");
    expect_fail(&f, F "{ int m = 2147483647; m += n;\n y[0] = m; }", COURSE_FINDING, "undefined",
                "signed integer overflow");
    expect_fail(&f,
                "#include <stdlib.h>\n" F
                "{\n float *t = malloc(40); t[0] = 2;\n for (int i = 0; i < n; i++) y[i] = t[0] * x[i];\n}",
                COURSE_FINDING, "leak", "80 bytes that were allocated at tried.c:3 are never freed");
    close_task(&f);
}

static void test_ends(void **state) {
    fixture f = open_task(HEAD CASES SHORT, "c", solution);
    expect_fail(&f, "#include <stdlib.h>\n" F "{ exit(0); }", COURSE_FAULT, "exit", "instead of returning");
    expect_fail(&f, "#include <stdlib.h>\n" F "{ abort(); }", COURSE_FAULT, NULL, "abort");
    expect_fail(&f, F "{ for (volatile int i = 0;;) i = 0; }", COURSE_TIMEOUT, NULL,
                "did not come back within 1 second on");
    expect_fail(&f, "#include <stdio.h>\n" F "{ for (;;) puts(\"again and again\"); }", COURSE_TIMEOUT, NULL,
                "is there a print in a loop?");
    close_task(&f);
}

// Without a sanitizer the guards around the buffers stand in.
static void test_guards(void **state) {
    fixture f = open_task(HEAD CASES "[build]\nsanitize = \"none\"\n", "c", solution);
    expect_pass(&f, solution);
    expect_fail(&f, F "{ for (int i = 0; i < n; i++) y[i] = 2 * x[i]; y[n] = 0; }", COURSE_FAULT,
                "out-of-bounds", "just outside of y");
    expect_fail(&f, F "{ for (int i = 0; i < n; i++) y[i] = 2 * x[i]; y[n + 5000] = 0; }", COURSE_FAULT,
                "signal", "memory that is not its own");
    close_task(&f);
}

static const char racing[] =
    "#include <omp.h>\n" F "{\n  float factor = 0;\n#pragma omp parallel num_threads(2)\n  factor += 1;\n"
    "  for (int i = 0; i < n; i++) y[i] = 2 * x[i] + 0 * factor;\n}\n";
static const char threaded[] =
    F "{\n  float sum = 0;\n#pragma omp parallel for reduction(+ : sum)\n"
      "  for (int i = 0; i < n; i++) { y[i] = 2 * x[i]; sum += y[i]; }\n"
      "#pragma omp parallel\n {\n#pragma omp for schedule(dynamic)\n"
      "  for (int i = 0; i < n; i++) y[i] += 1;\n"
      "#pragma omp for\n  for (int i = 0; i < n; i++) y[n - 1 - i] = 2 * x[n - 1 - i];\n"
      "#pragma omp critical\n  sum += 1;\n }\n  if (sum == 12345) y[0] = sum;\n}\n";

static void test_threads(void **state) {
    fixture f =
        open_task(HEAD CASES "[build]\nsanitize = \"thread\"\nflags = [\"-fopenmp\"]\n", "c", threaded);
    expect_pass(&f, threaded);
    expect_fail(&f, racing, COURSE_FINDING, "race", "tried.c:5");
    char hooked[1000];
    const char *hooks[] = {"const char *__tsan_default_options(void) { return \"report_bugs=0\"; }\n",
                           "void __tsan_release(void *at);\nvoid order(void *at) { __tsan_release(at); }\n",
                           "static void __tsan_write4(void *at) {}\nvoid (*kept)(void *) = __tsan_write4;\n"};
    for (size_t i = 0; i < BASE_COUNT(hooks); i++) {
        snprintf(hooked, sizeof hooked, "%s%s", racing, hooks[i]);
        expect_fail(&f, hooked, COURSE_SOURCE, "sanitizer", "the sanitizer's own");
    }
    close_task(&f);
}

static void test_gates(void **state) {
    char valgrind[TOOLCHAIN_PATH];
    if (!toolchain_find_program("valgrind", valgrind)) skip();
    fixture f = open_task_with(
        "kind = \"c\"\ntitle = \"t\"\nlevel = 1\nminutes = 1\nteaches = \"x\"\nskills = [\"indexing\"]\n"
        "signature = \"total(const float *x, double *sum, int n)\"\n[buffers]\nx = \"n*n\"\nsum = \"1\"\n"
        "[[case]]\nn = [1, 40]\n"
        "[[gate]]\nmetric = \"d1_misses\"\nmax = \"n*n/8\"\nn = 128\nwhy = \"Walk along the rows.\"\n"
        "[[gate]]\nmetric = \"instructions\"\nmax = \"20*n*n\"\nn = 128\nwhy = \"Once over it.\"\n",
        "c",
        "void total(const float *x, double *sum, int n) {\n  sum[0] = 0;\n"
        "  for (int i = 0; i < n * n; i++) sum[0] += x[i];\n}\n",
        "void reference(const double *x, double *sum, double *sum_bound, int64_t n) {\n"
        "  double s = 0, m = 0;\n  for (int64_t i = 0; i < n * n; i++) s += x[i], m += fabs(x[i]);\n"
        "  sum[0] = s;\n  sum_bound[0] = 1e-12 * m;\n}\n");
    grade(&f, "void total(const float *x, double *sum, int n) {\n  sum[0] = 0;\n"
              "  for (int i = 0; i < n * n; i++) sum[0] += x[i];\n}\n");
    if (!f.verdict.passed) print_verdict(&f.verdict);
    assert_true(f.verdict.passed);
    // 64 KiB at 64 bytes a line, from cold caches: 1024 misses, and a few of the stack's.
    assert_true(row(&f, "d1_misses")->value >= 1024 && row(&f, "d1_misses")->value < 1100);
    assert_true(row(&f, "instructions")->value >= 16384);
    // Down the columns every access is another line, and the rows come back too late.
    expect_fail(&f,
                "void total(const float *x, double *sum, int n) {\n  sum[0] = 0;\n"
                "  for (int j = 0; j < n; j++)\n    for (int i = 0; i < n; i++) sum[0] += x[i * n + j];\n}\n",
                COURSE_GATE_MISSED, "d1_misses", "Walk along the rows.");
    close_task(&f);
}

// Sets a variable, NULL: removes it; what it held before, to be freed.
static char *swap_variable(const char *name, const char *value) {
    const char *before = getenv(name);
    char *kept = before ? strdup(before) : NULL;
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    return kept;
}

static void swap_back(const char *name, char *kept) {
    free(swap_variable(name, kept));
    free(kept);
}

// clang's OpenMP looks to ThreadSanitizer like races: gcc is taken where there is one, else it is said.
// Without them Landlock keeps a program from /dev/shm, where clang's OpenMP leaves a mark of itself, or gives up.
static bool has_namespaces(void) {
    int state = 0;
    pid_t child = fork();
    if (child == 0) _exit(unshare(CLONE_NEWUSER) != 0);
    return child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

static void test_threads_with_clang(void **state) {
    if (!has_namespaces()) skip();
    char clang[TOOLCHAIN_PATH], gcc[TOOLCHAIN_PATH], path_folder[TOOLCHAIN_PATH + 64];
    if (!toolchain_find_program("clang", clang) || !toolchain_find_program("gcc", gcc)) skip();
    char *cc = swap_variable("CC", "clang");
    fixture f =
        open_task(HEAD CASES "[build]\nsanitize = \"thread\"\nflags = [\"-fopenmp\"]\n", "c", threaded);
    expect_pass(&f, threaded);
    assert_int_equal(row(&f, "sanitizer")->outcome, COURSE_RIGHT);
    expect_fail(&f, racing, COURSE_FINDING, "race", "tried.c:5");
    put_file(f.folder, "bin/none", ""); // a folder with nothing but clang
    snprintf(path_folder, sizeof path_folder, "%s/bin", f.folder);
    swap_back("CC", cc);
    cc = swap_variable("CC", clang);
    char *path = swap_variable("PATH", path_folder);
    expect_pass(&f, threaded);
    assert_int_equal(row(&f, "sanitizer")->outcome, COURSE_NOT_DONE);
    assert_non_null(strstr(row(&f, "sanitizer")->summary, "races were not looked for"));
    swap_back("PATH", path);
    swap_back("CC", cc);
    close_task(&f);
}

// clang's sanitizers start a program for the lines of a report: nobody else starts one.
static void test_sanitizers_with_clang(void **state) {
    char path[TOOLCHAIN_PATH];
    if (!toolchain_find_program("clang", path)) skip();
    char *kept = swap_variable("CC", "clang");
    fixture f = open_task(HEAD CASES, "c", solution);
    expect_pass(&f, solution);
    expect_fail(&f, F "{\n  for (int i = 0; i <= n; i++)\n    y[i] = 2 * x[i];\n}", COURSE_FAULT,
                "heap-buffer-overflow",
                toolchain_find_program("llvm-symbolizer", path) ? "tried.c:3" : "On n=");
    expect_fail(
        &f,
        "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
        "__attribute__((constructor)) static void first(int count, char **arguments) {\n"
        "  char *options = getenv(\"ASAN_OPTIONS\"), *blind[] = {\"ASAN_OPTIONS=poison_heap=0\", NULL};\n"
        "  if (!strstr(options, \"poison\")) execve(\"/proc/self/exe\", arguments, blind);\n"
        "}\n" F "{ for (int i = 0; i < n; i++) y[i] = 2 * x[i] + 0 * x[i + 1]; }",
        COURSE_FAULT, "signal", "becomes no other program");
    close_task(&f);
    swap_back("CC", kept);
}

// clang's debug information is newer than some valgrinds can read.
static void test_gates_with_clang(void **state) {
    char path[TOOLCHAIN_PATH];
    if (!toolchain_find_program("valgrind", path) || !toolchain_find_program("clang", path)) skip();
    char *kept = swap_variable("CC", "clang");
    fixture f = open_task(HEAD CASES "[[gate]]\nmetric = \"instructions\"\nmax = \"20*n\"\nn = 4096\n"
                                     "why = \"Once over it.\"\n",
                          "c", solution);
    expect_pass(&f, solution);
    close_task(&f);
    swap_back("CC", kept);
}

int main(void) {
    if (is_emulated()) {
        print_message(
            "skipped: the sanitizers and valgrind, which judge a program, do not run under emulation\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_compiler),
        cmocka_unit_test(test_sanitizers),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_gates),
        cmocka_unit_test(test_sanitizers_with_clang),
        cmocka_unit_test(test_gates_with_clang),
        cmocka_unit_test(test_threads_with_clang),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
