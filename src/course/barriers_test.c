// Barriers in branches that depend on the thread, and those that do not.
#include "barriers.h"
#include "unit.h"

static void expect(const char *source, int line, int branch) {
    course_barrier found = course_find_barrier(source);
    if (found.line != line || found.branch != branch)
        fail_msg("line %d in the branch of line %d, not %d in %d: %s", found.line, found.branch, line, branch,
                 source);
}

static void barriers_in_branches_are_found(void **state) {
    expect("void k() {\nint t = threadIdx.x;\nif (t < 5) {\na();\n__syncthreads();\n} }", 5, 3);
    expect("if (threadIdx.x)\n__syncthreads();", 2, 1);
    expect("if (threadIdx.x) a(); else {\n__syncthreads(); }", 2, 1);
    expect("int i = blockIdx.x * 256 + threadIdx.x, j = i + 1;\nif (n > 1)\nif (j < n) { b(); if (n) { "
           "__syncthreads(); } }",
           3, 3);
    expect("for (int i = threadIdx.x; i < n; i += 256) {\nx[i] = 1;\n__syncthreads_or(1); }", 3, 1);
    expect("int lane; lane = threadIdx.x % 32;\nwhile (lane < n) { __syncthreads(); }", 2, 2);
}

static void barriers_for_all_are_not(void **state) {
    expect("int t = threadIdx.x;\nif (t < 5) a();\n__syncthreads();", 0, 0);
    expect("if (threadIdx.x < 5) { a(); }\n__syncthreads();", 0, 0);
    expect("if (threadIdx.x < 5) { a(); } else b();\n__syncthreads();", 0, 0);
    expect("for (int s = 128; s > 0; s /= 2) {\nif (threadIdx.x < s) a();\n__syncthreads(); }", 0, 0);
    expect("if (blockIdx.x == 0) { __syncthreads(); }", 0, 0);
    expect("int base = blockIdx.x * 256;\nfor (int i = base; i < n; i++) { if (threadIdx.x) { a(); } "
           "__syncthreads(); }",
           0, 0);
    expect("if (threadIdx.x) for (int i = 0; i < 3; i++) if (i) a();\n__syncthreads();", 0, 0);
    expect("if (blockIdx.x) return;\n__syncthreads();", 0, 0);
    expect("int f(int i) {\nif (i < threadIdx.x) { return 0; }\nreturn 1; }\nvoid k() {\n__syncthreads(); }",
           0, 0);
    expect("int t = threadIdx.x;\n__syncthreads();\nif (t) return;\na();", 0, 0);
    expect("int y = threadIdx.x;\nif (blockIdx.y == 1) { __syncthreads(); }", 0, 0);
    expect(
        "void f() {\nint i = threadIdx.x; }\nvoid k() {\nfor (int i = 0; i < n; i++) { __syncthreads(); } }",
        0, 0);
}

static void returns_before_barriers_are_found(void **state) {
    expect("void k() {\nint i = blockIdx.x * 256 + threadIdx.x;\nif (i >= n) return;\ns[i] = 1;\nfor (;;) {\n"
           "__syncthreads(); } }",
           6, 3);
    expect("void k() {\nif (threadIdx.x) { a(); return; }\nb();\n__syncthreads(); }", 4, 2);
    assert_true(course_find_barrier("if (threadIdx.x) return;\n__syncthreads();").is_after);
    assert_false(course_find_barrier("if (threadIdx.x)\n__syncthreads();").is_after);
}

static void odd_texts_end(void **state) {
    expect("", 0, 0);
    expect("}}}} ;;; ) ) if", 0, 0);
    expect("if (threadIdx.x", 0, 0);
    expect("else {{{{", 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_in_branches_are_found),
        cmocka_unit_test(barriers_for_all_are_not),
        cmocka_unit_test(returns_before_barriers_are_found),
        cmocka_unit_test(odd_texts_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
