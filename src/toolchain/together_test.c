// Files compiled together: what a file names, what of the common PTX is its own, and that the cache has it then.

#include "toolchain/internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

static bool contains(const toolchain_names *names, const char *name) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->all[i], name) == 0) return true;
    return false;
}

static void test_names(void **state) {
    static const char text[] =
        "// int in_a_comment;\n"
        "#define TILE 16 \\\n  int not_a_name;\n"
        "enum { WIDTH = 8, HEIGHT };\n"
        "namespace cg = cooperative_groups;\nusing namespace other;\nusing shape = cuda::extent<int>;\n"
        "struct pair { float member; };\n"
        "static const char *said = \"{ int quoted; \";\n"
        "/* int also_not; */ __device__ float table[TILE];\n"
        "template <int N> static __device__ pair fold_warp(pair p) { int local = N; return p; }\n"
        "extern \"C\" __global__ void __launch_bounds__(256) kernel(const float *x) {\n"
        "    int inside; if (x) { inside = 1; }\n}\n";
    static const char *const named[] = {"WIDTH", "HEIGHT", "shape",     "pair",
                                        "said",  "table",  "fold_warp", "kernel"};
    toolchain_names names = {0}, macros = {0};
    toolchain_read_names(text, &names, &macros);
    for (size_t i = 0; i < BASE_COUNT(named); i++)
        if (!contains(&names, named[i])) fail_msg("%s is not found", named[i]);
    assert_int_equal(names.count, BASE_COUNT(named));
    assert_int_equal(macros.count, 1);
    assert_string_equal(macros.all[0], "TILE");
    assert_false(names.full);
    toolchain_read_names("__device__ int (*table[2])(int) = {one, two};\n", &names, &macros);
    assert_true(names.full); // what it names is not seen, and so it is compiled alone
}

static void test_split(void **state) {
    static const char ptx[] =
        ".version 9.0\n"
        ".const .align 4 .b8 of_a_header[8] = {1, 2};\n"
        ".visible .entry sum_KZ_00(\n\t.param .u64 sum_KZ_00_param_0\n)\n"
        "{\n\t// one } in a comment\n\t{ // call\n\t}\n\tret;\n}\n"
        ".shared .align 4 .b8 _ZZ9sum_KZ_01E4tile[1024];\n"
        ".visible .entry sum_KZ_01()\n{\n\tmov.u32 %r1, _ZZ9sum_KZ_01E4tile;\n\tret;\n}\n"
        "\t.file\t1 \"a.cu\"\n"
        "\t.section\t.debug_str\n\t{\n$L__info_string0:\n"
        ".b8 95,90,57,115,117,109,95\n.b8 75,90,95,48,49,118,0\n\n\t}\n"; // _Z9sum_KZ_01v
    static const char second[] = ".version 9.0\n"
                                 ".const .align 4 .b8 of_a_header[8] = {1, 2};\n\n"
                                 ".shared .align 4 .b8 _ZZ3sumE4tile[1024];\n"
                                 ".visible .entry sum()\n{\n\tmov.u32 %r1, _ZZ3sumE4tile;\n\tret;\n}\n"
                                 "\t.file\t1 \"a.cu\"\n"
                                 "\t.section\t.debug_str\n\t{\n$L__info_string0:\n"
                                 ".b8 95,90,51,115,117,109,118,0\n\n\t}\n"; // _Z3sumv
    const toolchain_names names = {.all = {"um", "sum"}, .count = 2};
    base_text first = {0}, out = {0};
    toolchain_split_ptx(ptx, "_KZ_", "_KZ_01", &names, &out);
    assert_string_equal(out.data, second);
    toolchain_split_ptx(ptx, "_KZ_", "_KZ_00", &names, &first);
    assert_non_null(strstr(first.data, ".entry sum(\n\t.param .u64 sum_param_0\n)"));
    assert_non_null(strstr(first.data, "\t}\n\tret;\n}\n"));
    assert_null(strstr(first.data, "tile"));
    base_text_free(&first);
    base_text_free(&out);
}

// ---- with a compiler of our own, which counts its runs -------------------------------------------------

// It writes an entry per name that the file marks.
static const char nvcc[] =
    "#!/bin/sh\nsandbox=%s\n[ \"$1\" = --version ] && { echo 'release 13.0, V13.0.88'; exit 0; }\n"
    "echo run >>$sandbox/runs\n"
    "while [ $# -gt 1 ]; do case $1 in -o) out=$2;; -MF) list=$2;; esac; shift; done\n"
    "grep -q 'refused' $(sed -n 's/#include \"\\(.*\\)\"/\\1/p' $1) $1 && exit 1\n"
    "echo .version 9.0 >$out\n"
    "sed -n 's/#define [a-z]* \\(.*\\)/.visible .entry \\1()\\n{\\n}/p' $1 >>$out\n"
    "printf 'out : %%s %%s/nvcc' $1 $sandbox >$list\n";

static size_t count_runs(const char *folder) {
    char path[128], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/runs", folder);
    if (base_file_read(path, &text, &size, NULL)) return 0;
    free(text);
    return size / 4;
}

static void test_cache(void **state) {
    static const char *const texts[] = {"__global__ void f(int *x) {}\n", "__global__ void f(int *y) {}\n",
                                        "#include <other.h>\n__global__ void f(int *z) {}\n",
                                        "#include \"mine.h\"\n__global__ void f(int *u) {}\n"};
    char folder[] = "/tmp/kz-together-XXXXXX", paths[4][64], *ptx = NULL;
    const char *sources[4];
    size_t size;
    assert_non_null(mkdtemp(folder));
    toolchain tools = {.version = "13.0.88"};
    snprintf(tools.nvcc, sizeof tools.nvcc, "%s/nvcc", folder);
    snprintf(tools.cache, sizeof tools.cache, "%s/cache", folder);
    base_text script = {0}, said = {0};
    base_text_add(&script, nvcc, folder);
    assert_int_equal(base_file_write(tools.nvcc, script.data, script.length, NULL), KZ_OK);
    int code;
    toolchain_run((const char *const[]){"/bin/chmod", "+x", tools.nvcc, NULL}, &said, &code, NULL);
    for (size_t i = 0; i < 4; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%zu.cu", folder, i);
        assert_int_equal(base_file_write(paths[i], texts[i], strlen(texts[i]), NULL), KZ_OK);
        sources[i] = paths[i];
    }
    toolchain_compile_ptx_together(&tools, NULL, sources, 4); // the first two; the others include other files
    assert_int_equal(count_runs(folder), 1);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(toolchain_compile_ptx(&tools, sources[i], "75", NULL, &ptx, &size, NULL), KZ_OK);
        assert_non_null(strstr(ptx, ".entry f()"));
        free(ptx);
    }
    toolchain_compile_ptx_together(&tools, NULL, sources, 4); // nothing is left to do for them
    assert_int_equal(count_runs(folder), 1);
    // A refused file leaves the one beside it to be compiled alone.
    assert_int_equal(base_file_write(paths[0], "// refused\n", 11, NULL), KZ_OK);
    assert_int_equal(base_file_write(paths[1], "__global__ void f() {}\n", 23, NULL), KZ_OK);
    toolchain_compile_ptx_together(&tools, NULL, sources, 2);
    assert_int_equal(count_runs(folder), 2);
    assert_int_equal(toolchain_compile_ptx(&tools, sources[1], "75", NULL, &ptx, &size, NULL), KZ_OK);
    assert_null(strstr(ptx, ".entry"));
    assert_int_equal(count_runs(folder), 3);
    free(ptx);
    // Of many, it leaves the half that it is not in together: four, two that are, two that are not.
    for (size_t i = 0; i < 4; i++) {
        const char *text = i == 3 ? "// refused again\n" : texts[i % 2];
        assert_int_equal(base_file_write(paths[i], text, strlen(text), NULL), KZ_OK);
    }
    toolchain_compile_ptx_together(&tools, "80", sources, 4);
    assert_int_equal(count_runs(folder), 6);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(toolchain_compile_ptx(&tools, sources[i], "80", NULL, &ptx, &size, NULL), KZ_OK);
        free(ptx);
    }
    assert_int_equal(count_runs(folder), 6);
    toolchain_run((const char *const[]){"/bin/rm", "-rf", folder, NULL}, &said, &code, NULL);
    base_text_free(&script);
    base_text_free(&said);
}

// A compiler of programs: a function of each mark, where the prototype was included for all.
static const char nvcc_of_programs[] =
    "#!/bin/sh\nsandbox=%s\necho run >>$sandbox/runs\n"
    "while [ $# -gt 1 ]; do case $1 in -c) from=$2;; -o) out=$2;; -MF) list=$2;; esac; shift; done\n"
    "[ $(grep -c 'p\\.h' $from) = 2 ] || exit 1\n"
    "sed -n 's/#define f \\(.*\\)/int \\1(void) { return 0; }/p' $from | cc -x c -c -o $out - || exit 1\n"
    "printf 'out : %%s %%s/nvcc' $from $sandbox >$list\n";

static void test_programs(void **state) {
    static const char *const texts[] = {"int f(void) { return 1; }\n", "int f(void) { return 2; }\n"};
    char folder[] = "/tmp/kz-together-XXXXXX", paths[2][64], prototype[64], object[64];
    char before[TOOLCHAIN_KEY], key[TOOLCHAIN_KEY];
    const char *sources[2];
    assert_non_null(mkdtemp(folder));
    toolchain tools = {.version = "13.0.88"};
    snprintf(tools.nvcc, sizeof tools.nvcc, "%s/nvcc", folder);
    snprintf(tools.cache, sizeof tools.cache, "%s/cache", folder);
    snprintf(prototype, sizeof prototype, "%s/p.h", folder);
    snprintf(object, sizeof object, "%s/kept.o", folder);
    base_text script = {0}, said = {0};
    base_text_add(&script, nvcc_of_programs, folder);
    assert_int_equal(base_file_write(tools.nvcc, script.data, script.length, NULL), KZ_OK);
    assert_int_equal(base_file_write(prototype, "int f(void);\n", 13, NULL), KZ_OK);
    int code;
    toolchain_run((const char *const[]){"/bin/chmod", "+x", tools.nvcc, NULL}, &said, &code, NULL);
    for (size_t i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%zu.cu", folder, i);
        assert_int_equal(base_file_write(paths[i], texts[i], strlen(texts[i]), NULL), KZ_OK);
        sources[i] = paths[i];
    }
    const toolchain_program program = {.files = sources, .file_count = 1, .arch = "90"};
    for (int again = 0; again < 2; again++)
        toolchain_compile_programs_together(&tools, &program, "f", prototype, sources, 2);
    assert_int_equal(count_runs(folder), 1);
    for (size_t i = 0; i < 2; i++) { // each has its own function under its name, the other's under the mark
        char *data = NULL;
        size_t size = 0;
        assert_int_equal(toolchain_object_key(&tools, &program, sources[i], before), KZ_OK);
        assert_true(toolchain_cache_find(&tools, before, key));
        assert_true(toolchain_cache_read(&tools, key, "o", &data, &size));
        assert_int_equal(base_file_write(object, data, size, NULL), KZ_OK);
        said.length = 0;
        assert_int_equal(
            toolchain_run((const char *const[]){"/usr/bin/nm", object, NULL}, &said, &code, NULL), KZ_OK);
        assert_non_null(strstr(said.data, " T f\n"));
        assert_non_null(strstr(said.data, i ? " T f_KZ_00\n" : " T f_KZ_01\n"));
        free(data);
    }
    toolchain_run((const char *const[]){"/bin/rm", "-rf", folder, NULL}, &said, &code, NULL);
    base_text_free(&script);
    base_text_free(&said);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_split),
                                       cmocka_unit_test(test_cache), cmocka_unit_test(test_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
