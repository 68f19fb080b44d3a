// What is said about declared types, and above all where nothing is.
#include "grade_fixture.h"

#include "declared.h"

#define HEAD                                                                                                 \
    "kind = \"cuda\"\ntitle = \"t\"\nlevel = 1\nminutes = 1\nteaches = \"x\"\nskills = [\"indexing\"]\n"     \
    "signature = \"scale(const float *x, int *y, float a, int n)\"\n[buffers]\nx = \"n\"\ny = \"n\"\n"       \
    "[scalars]\na = \"uniform\"\n[reference]\ny = \"2 * x[i]\"\n[[case]]\nn = 1\n"
#define F(parameters) "extern \"C\" __global__ void scale(" parameters ") {\n}\n"

static void expect_words(const course_task *task, const char *source, const char *words) {
    base_text lines = {0};
    course_declared_types(task, source, &lines);
    const char *said = lines.data ? lines.data : "";
    if (*words ? !strstr(said, words) : *said) fail_msg("\"%s\" instead of \"%s\": %s", said, words, source);
    base_text_free(&lines);
}

static void other_types_are_reported(void **state) {
    fixture f = open_task(HEAD, "cu", "x");
    expect_words(&f.task, F("const double *x, int *y, float a, int n"),
                 "declared \"const double *x\", and the grader gives \"const float *x\"");
    expect_words(&f.task, F("const float *x, long long *__restrict__ y, float a, int n"), "long long");
    expect_words(&f.task, F("const float *x, float *y, float a, int n"), "\"int *y\"");
    expect_words(&f.task, F("const float *x, int *y, int a, int n"), "\"float a\"");
    expect_words(&f.task, F("const __half *x,\n    int *y, float a, int n"), "__half");
    // A declaration before, and a comment in the middle, change nothing.
    expect_words(&f.task,
                 "extern \"C\" __global__ void scale(const float *, int *, float, int);\n" F(
                     "const double /* , float */ *x, int *y, float a, int n"),
                 "const double");
    close_task(&f);
}

static void legal_spellings_are_left_alone(void **state) {
    static const char *const legal[] = {
        F("const float *x, int *y, float a, int n"),
        F("float const * __restrict__ x, int *__restrict y, const float a, const int n"),
        F("const float*x,int*y,float a,int n"),
        F("const float *const __restrict__ x, int *const y, float a, signed n"),
        F("const float x[], int y[], float a, unsigned n"),
        F("const float4 *x, int4 *y, float a, unsigned int n"),
        F("const real *x, index_t *y, real a, index_t n"),
        F("const void *x, char *y, float a, int32_t n"),
        F("const unsigned char *x, unsigned *y, float a, uint32_t n"),
        F("VIEW(x), int *y, float a, int n"),
        F("const vec<double> *x, int *y, float a, int n"),
        F("PARAMETERS"),
        F("const double *x, int *y"),
        ("#define BODY(T) extern \"C\" __global__ void scale(const T *x, int *y, float a, int n) "
         "{}\nBODY(float)\n"),
        "template <typename T> __device__ void scale_it(const double *x, T *y, float a, int n) {\n}\n",
        "// extern void scale(const double *x, int *y, float a, int n) {\n",
        "",
    };
    fixture f = open_task(HEAD, "cu", "x");
    for (size_t i = 0; i < BASE_COUNT(legal); i++) expect_words(&f.task, legal[i], "");
    close_task(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_types_are_reported),
        cmocka_unit_test(legal_spellings_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
