// The toolchain with a compiler of our own (a script that counts its runs), and with nvcc where there is one.

#include "base/emulated_fixture.h"
#include "toolchain/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

// ---- a machine in a folder ------------------------------------------------------------------------

typedef struct sandbox {
    char folder[64], source[128], header[128], runs[128], cache[128];
    char *old_home, *old_cache;
} sandbox;

static void write_file(const char *path, const char *text) {
    assert_int_equal(base_file_write(path, text, strlen(text), NULL), KZ_OK);
}

static void write_script(const sandbox *p, const char *name, const char *body) {
    char path[128];
    base_text text = {0};
    snprintf(path, sizeof path, "%s/bin", p->folder);
    assert_int_equal(base_make_folders(path, NULL), KZ_OK);
    snprintf(path, sizeof path, "%s/bin/%s", p->folder, name);
    base_text_add(&text, "#!/bin/sh\nsandbox=%s\n%s", p->folder, body);
    write_file(path, text.data);
    base_text_free(&text);
    assert_int_equal(chmod(path, 0755), 0);
}

// Writes what it was given as PTX, and a dependency file with the source and the header.
static const char good_nvcc[] =
    "[ \"$1\" = --version ] && { echo 'release 13.0, V13.0.88'; exit 0; }\n"
    "echo run >>$sandbox/runs\n"
    "while [ $# -gt 1 ]; do case $1 in -o) out=$2;; -MF) list=$2;; esac; shift; done\n"
    "cat $1 $sandbox/header.cuh >$out\n"
    "printf '%s : %s \\\\\\n    %s\\n' $out $1 $sandbox/header.cuh >$list\n";

static int open_sandbox(void **state) {
    sandbox *p = calloc(1, sizeof *p);
    snprintf(p->folder, sizeof p->folder, "/tmp/kz-toolchain-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->source, sizeof p->source, "%s/my.cu", p->folder);
    snprintf(p->header, sizeof p->header, "%s/header.cuh", p->folder);
    snprintf(p->runs, sizeof p->runs, "%s/runs", p->folder);
    snprintf(p->cache, sizeof p->cache, "%s/cache", p->folder);
    const char *home = getenv("CUDA_HOME"), *cache = getenv("XDG_CACHE_HOME");
    p->old_home = home ? strdup(home) : NULL;
    p->old_cache = cache ? strdup(cache) : NULL;
    setenv("CUDA_HOME", p->folder, 1);
    setenv("XDG_CACHE_HOME", p->cache, 1);
    unsetenv("KZ_NO_SYSTEM_CUDA");
    write_file(p->source, "source one\n");
    write_file(p->header, "header one\n");
    write_script(p, "nvcc", good_nvcc);
    *state = p;
    return 0;
}

static int close_sandbox(void **state) {
    sandbox *p = *state;
    base_text said = {0};
    int code = 0;
    toolchain_run((const char *const[]){"/bin/rm", "-rf", p->folder, NULL}, &said, &code, NULL);
    base_text_free(&said);
    p->old_home ? setenv("CUDA_HOME", p->old_home, 1) : unsetenv("CUDA_HOME");
    p->old_cache ? setenv("XDG_CACHE_HOME", p->old_cache, 1) : unsetenv("XDG_CACHE_HOME");
    free(p->old_home);
    free(p->old_cache);
    free(p);
    return 0;
}

static size_t count_runs(const sandbox *p) {
    char *text = NULL;
    size_t size = 0;
    if (base_file_read(p->runs, &text, &size, NULL) != KZ_OK) return 0;
    free(text);
    return size / strlen("run\n");
}

static void expect_compiled(const toolchain *tools, const sandbox *p, const char *expected) {
    char *ptx = NULL;
    size_t size = 0;
    kz_error error = {0};
    kz_status status = toolchain_compile_ptx(tools, p->source, "75", NULL, &ptx, &size, &error);
    if (status) print_error("%s\n", error.message);
    assert_int_equal(status, KZ_OK);
    assert_string_equal(ptx, expected);
    assert_int_equal(size, strlen(expected));
    free(ptx);
}

// ---- tests ----------------------------------------------------------------------------------------

static void expect_hash(const char *text, const char *expected) {
    base_sha256 hash;
    char key[TOOLCHAIN_KEY];
    base_sha256_begin(&hash);
    base_sha256_add(&hash, text, strlen(text));
    base_sha256_end(&hash, key);
    assert_string_equal(key, expected);
}

// ptxas says the same of each copy of an instruction, and of an architecture without it not what to do.
static void test_refused_instructions(void **state) {
    base_text said = {0};
    kz_error error;
    for (int line = 1; line <= 100; line++)
        base_text_add(&said,
                      "ptxas a.ptx, line %d; error   : Instruction '%s' not supported on .target 'sm_90'\n",
                      line, line % 2 ? "wgmma.fence" : "wgmma.mma_async");
    assert_int_equal(toolchain_fail_output(&error, "nvcc", &said), KZ_TOOL);
    assert_non_null(strstr(error.message, "line 1; error"));
    assert_non_null(strstr(error.message, "line 2; error"));
    assert_null(strstr(error.message, "line 3; error"));
    assert_non_null(strstr(error.message, "(98 more lines that say the same"));
    assert_null(strstr(error.message, "... and more"));
    toolchain_note_target(said.data, &error);
    assert_non_null(strstr(error.message, "is for sm_90a"));
    toolchain_note_target(
        "ptxas a.ptx, line 1; error   : Feature '.m16n8k16' requires .target sm_80 or higher\n", &error);
    assert_non_null(strstr(error.message, "a newer GPU than the one that was chosen"));
    base_text_free(&said);
}

static void test_hash(void **state) { // the examples of FIPS 180-4
    expect_hash("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_hash("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_find(void **state) {
    sandbox *p = *state;
    toolchain tools;
    assert_int_equal(toolchain_find(&tools, NULL), KZ_OK);
    assert_string_equal(tools.version, "13.0.88");
    assert_memory_equal(tools.nvcc, p->folder, strlen(p->folder));
    assert_memory_equal(tools.cache, p->cache, strlen(p->cache));
    assert_string_equal(tools.ptxas, ""); // this toolkit has none
}

static void test_find_skips_what_is_too_old(void **state) {
    sandbox *p = *state;
    write_script(p, "nvcc", "echo 'release 11.8, V11.8.89'\n");
    toolchain tools;
    kz_error error = {0};
    kz_status status = toolchain_find(&tools, &error);
    if (status == KZ_OK) { // this machine has another
        assert_memory_not_equal(tools.nvcc, p->folder, strlen(p->folder));
    } else {
        assert_int_equal(status, KZ_TOOL);
        assert_non_null(strstr(error.message, "11.8.89"));
        assert_non_null(strstr(error.message, "make setup"));
    }
}

static void test_find_without_system(void **state) {
    sandbox *p = *state;
    setenv("KZ_NO_SYSTEM_CUDA", "1", 1);
    toolchain tools;
    kz_error error = {0};
    kz_status status = toolchain_find(&tools, &error);
    unsetenv("KZ_NO_SYSTEM_CUDA");
    assert_null(strstr(tools.nvcc, p->folder));
    if (status == KZ_OK)
        assert_non_null(strstr(tools.nvcc, "/.kz/cuda/bin/nvcc"));
    else
        assert_non_null(strstr(error.message, "no CUDA compiler"));
}

static void test_cache(void **state) {
    sandbox *p = *state;
    toolchain tools;
    double seconds = -1;
    assert_int_equal(toolchain_find(&tools, NULL), KZ_OK);
    tools.seconds = &seconds;
    expect_compiled(&tools, p, "source one\nheader one\n");
    assert_true(seconds > 0); // a shell in nvcc's place takes some time too
    expect_compiled(&tools, p, "source one\nheader one\n");
    assert_true(seconds == 0);
    assert_int_equal(count_runs(p), 1);
    write_file(p->header, "header two\n"); // what it includes counts
    expect_compiled(&tools, p, "source one\nheader two\n");
    assert_int_equal(count_runs(p), 2);
    write_file(p->source, "source two\n");
    expect_compiled(&tools, p, "source two\nheader two\n");
    assert_int_equal(count_runs(p), 3);
    snprintf(tools.version, sizeof tools.version, "13.1.0"); // and so does the compiler
    expect_compiled(&tools, p, "source two\nheader two\n");
    assert_int_equal(count_runs(p), 4);
    expect_compiled(&tools, p, "source two\nheader two\n");
    assert_int_equal(count_runs(p), 4);
}

// Entries that were damaged, cut, emptied or exchanged for each other are made anew, and never used.
static void test_cache_is_checked(void **state) {
    sandbox *p = *state;
    static const char *const harm[] = {
        "for f in *.ptx; do sed -i 's/one/two/' $f; done", "for f in *.ptx; do truncate -s -1 $f; done",
        "for f in *.ptx; do : >$f; done", "for f in *.ptx; do cp ../*/*.list $f; done",
        "for f in *.ptx; do printf forged >$f; done"};
    toolchain tools;
    assert_int_equal(toolchain_find(&tools, NULL), KZ_OK);
    expect_compiled(&tools, p, "source one\nheader one\n");
    for (size_t i = 0; i < BASE_COUNT(harm); i++) {
        char command[TOOLCHAIN_PATH + 200];
        base_text said = {0};
        int code = 1;
        snprintf(command, sizeof command, "cd %s && for d in [0-9a-f]*; do (cd $d; %s); done", tools.cache,
                 harm[i]);
        const char *argv[] = {"/bin/sh", "-c", command, NULL};
        assert_int_equal(toolchain_run(argv, &said, &code, NULL), KZ_OK);
        base_text_free(&said);
        expect_compiled(&tools, p, "source one\nheader one\n");
        assert_int_equal(count_runs(p), (int)i + 2);
        expect_compiled(&tools, p, "source one\nheader one\n");
        assert_int_equal(count_runs(p), (int)i + 2);
    }
}

static void test_cache_that_cannot_be_written(void **state) {
    sandbox *p = *state;
    toolchain tools;
    assert_int_equal(toolchain_find(&tools, NULL), KZ_OK);
    write_file(p->cache, "a file in the folder's place"); // true for root as well, unlike permissions
    expect_compiled(&tools, p, "source one\nheader one\n");
    expect_compiled(&tools, p, "source one\nheader one\n");
    assert_int_equal(count_runs(p), 2);
}

// What nvcc warns of is told with a cached result too; the same of host and device once, and no remarks.
static void test_warnings(void **state) {
    sandbox *p = *state;
    base_text script = {0};
    base_text_add(&script,
                  "%sfor pass in host device; do\n"
                  "printf '%%s(3): warning #174-D: no effect\\n    i + 1;\\n      ^\\n\\n' $1\n"
                  "echo 'Remark: The warnings can be suppressed with \"-diag-suppress\"'; done\n"
                  "echo 'nvcc warning : incompatible redefinition'\n",
                  good_nvcc);
    write_script(p, "nvcc", script.data);
    base_text_free(&script);
    toolchain tools;
    assert_int_equal(toolchain_find(&tools, NULL), KZ_OK);
    for (int i = 0; i < 2; i++) {
        base_text warnings = {0};
        tools.warnings = &warnings;
        expect_compiled(&tools, p, "source one\nheader one\n");
        assert_string_equal(warnings.data, "my.cu(3): warning #174-D: no effect\n    i + 1;\n      ^\n");
        base_text_free(&warnings);
    }
    assert_int_equal(count_runs(p), 1);
}

static kz_status compile_with(const sandbox *p, const char *script, kz_error *error) {
    write_script(p, "nvcc", script);
    toolchain tools = {0};
    snprintf(tools.nvcc, sizeof tools.nvcc, "%s/bin/nvcc", p->folder);
    char *ptx = NULL;
    size_t size = 0;
    kz_status status = toolchain_compile_ptx(&tools, p->source, "75", NULL, &ptx, &size, error);
    free(ptx);
    return status;
}

static void test_compiler_fails(void **state) {
    sandbox *p = *state;
    kz_error error = {0};
    assert_int_equal(compile_with(p, "echo \"my.cu(3): error: expected a ';'\"; exit 2\n", &error), KZ_TOOL);
    assert_non_null(strstr(error.message, "my.cu(3): error: expected a ';'"));
    assert_non_null(strstr(error.message, "exit status 2"));

    // What the machine is to blame for is no refusal: another status, and what to do.
    static const struct {
        const char *script;
        kz_status status;
        const char *what, *next;
    } troubles[] = {
        {"kill -9 $$\n", KZ_NO_MEMORY, "killed", "ulimit -v"},
        {"echo \"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\"; exit 9\n", KZ_NO_MEMORY,
         "killed", "try again"},
        {"echo 'sh: 1: gcc: not found'; exit 1\n", KZ_NOT_FOUND, "host compiler", "apt-get install g++"},
        {"echo '<built-in>: fatal error: when writing output to /tmp/x.ii: No space left on device'; exit "
         "1\n",
         KZ_IO, "the disk is full", "TMPDIR"},
        {"echo 'my.cu:7:1: fatal error: error writing to /tmp/x.s: No space left on device'; exit 1\n", KZ_IO,
         "the disk is full", "TMPDIR"},
        {"echo \"nvcc fatal   : Could not open output file '/proc/x'\"; exit 1\n", KZ_IO, "temporary files",
         "TMPDIR"},
    };
    for (size_t i = 0; i < BASE_COUNT(troubles); i++) {
        assert_int_equal(compile_with(p, troubles[i].script, &error), troubles[i].status);
        assert_int_equal(error.status, troubles[i].status);
        assert_int_equal(toolchain_lacks_compiler(&error), troubles[i].status == KZ_NOT_FOUND);
        assert_non_null(strstr(error.message, troubles[i].what));
        assert_non_null(strstr(error.message, troubles[i].next));
    }
    // nvcc does not say what its host compiler died of; a folder without room for a file does.
    base_text unclear = {0};
    base_text_add(&unclear, "nvcc fatal   : Failed to preprocess host compiler properties.\n");
    const char *temporary = getenv("TMPDIR");
    char *before = temporary ? strdup(temporary) : NULL;
    setenv("TMPDIR", "/proc", 1);
    assert_int_equal(toolchain_fail_tool(&error, "nvcc", "-", "my.cu", 1, &unclear), KZ_IO);
    assert_non_null(strstr(error.message, "the disk is full"));
    setenv("TMPDIR", p->folder, 1);
    assert_int_equal(toolchain_fail_tool(&error, "nvcc", "-", "my.cu", 1, &unclear), KZ_NOT_FOUND);
    unsetenv("TMPDIR");
    if (before) setenv("TMPDIR", before, 1);
    free(before);
    base_text_free(&unclear);
    // The source's own words are its own: a message that quotes it says nothing about the machine.
    assert_int_equal(
        compile_with(p, "echo 'my.cu(3): error: #error No space left on device'; exit 2\n", &error), KZ_TOOL);
    assert_int_equal(
        compile_with(p, "echo 'my.cu:1:10: fatal error: gcc: No such file or directory'; exit 1\n", &error),
        KZ_TOOL);
    // So are those of a header, of a message that imitates one, and of names that a linker quotes.
    static const char *const forged[] = {
        "my.h:1:2: error: #error No space left on device",
        "my.h(1): catastrophic error: #error directive: No space left on device",
        "my.h:1:2: error: #error : fatal error: error writing to /tmp/x: No space left on device",
        "x:1: fatal error: error writing to No space left on device.h:1:2: error: #error",
        "x.cpp:(.text+0x5): undefined reference to `No space left on device'",
        "mkdir: cannot create directory: Read-only file system\nmy.h:1:2: error: #error of the source",
    };
    for (size_t i = 0; i < BASE_COUNT(forged); i++) {
        char script[256];
        snprintf(script, sizeof script, "cat << 'END'\n%s\nEND\nexit 1\n", forged[i]);
        assert_int_equal(compile_with(p, script, &error), KZ_TOOL);
    }

    // More words than an error holds: cut at a line, and said.
    assert_int_equal(
        compile_with(p, "i=0; while [ $i -lt 400 ]; do echo \"line $i is wrong\"; i=$((i+1)); done; exit 1\n",
                     &error),
        KZ_TOOL);
    assert_non_null(strstr(error.message, "line 0 is wrong\n"));
    assert_non_null(strstr(error.message, "is wrong\n... and more"));

    // A compiler that says it went well, and wrote nothing.
    assert_int_not_equal(compile_with(p, "exit 0\n", &error), KZ_OK);
}

static const char *lacks(const char *said) {
    static kz_error error;
    error = (kz_error){0};
    base_fail(&error, KZ_TOOL, "-");
    toolchain_note_lacking_in(said, &error);
    return error.message;
}

// What is lacking is known by a function, a file or a header; what the runtime has is not taken for the driver's.
static void test_lacking_libraries(void **state) {
    assert_has(lacks("a.o: undefined reference to `cusparseCreate'"), "does not have cuSPARSE");
    assert_has(lacks("a.o: undefined reference to `f'\nb.o: undefined reference to `cuInit'"),
               "CUDA driver API");
    assert_has(lacks("ld: cannot find -lcuda: No such file"), "CUDA driver API");
    assert_has(lacks("ld: cannot find -lcusolver"), "cuSOLVER");
    assert_has(lacks("my.cu:1:10: fatal error: cudnn.h: No such file or directory"), "cuDNN");
    assert_string_equal(lacks("ld: cannot find -lcudart\na.o: undefined reference to `cudaMalloc'"), "-");
    assert_string_equal(lacks("undefined reference to `main'"), "-");
    assert_has(lacks("a.o: undefined reference to `cublasCreate_v2'"), "--nvcc-flag -lcublas");
    assert_has(lacks("a.o: undefined reference to `cublasLtCreate'"), "--nvcc-flag -lcublasLt");
    assert_has(lacks("a.o: undefined reference to `curandCreateGenerator'"), "--nvcc-flag -lcurand");
    assert_string_equal(toolchain_lacking_library("libcufftw.so.12")->name, "cuFFT");
    assert_non_null(toolchain_lacking_library("libcuda.so.1"));
    assert_non_null(toolchain_lacking_library("libnvrtc.so.13"));
    assert_non_null(toolchain_lacking_library("libcupti.so.13"));
    assert_null(toolchain_lacking_library("libcudart.so.13"));
    assert_null(toolchain_lacking_library("libcublas.so.13"));
}

// What a killed process left is removed; what is young, or of a process that lives, is not.
static void test_left_behind(void **state) {
    sandbox *p = *state;
    char old[TOOLCHAIN_PATH], young[TOOLCHAIN_PATH], ours[TOOLCHAIN_PATH], work[TOOLCHAIN_PATH],
        inner[TOOLCHAIN_PATH + 8];
    pid_t gone = fork();
    if (gone == 0) _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    snprintf(old, sizeof old, "%s/kz-%d-aaaaaa", p->folder, (int)gone);
    snprintf(inner, sizeof inner, "%s/deep", old);
    snprintf(young, sizeof young, "%s/kz-%d-bbbbbb", p->folder, (int)gone);
    snprintf(ours, sizeof ours, "%s/kz-%d-cccccc", p->folder, (int)getpid());
    const char *folders[] = {inner, young, ours};
    for (size_t i = 0; i < BASE_COUNT(folders); i++)
        assert_int_equal(base_make_folders(folders[i], NULL), KZ_OK);
    struct timespec times[2] = {{.tv_sec = time(NULL) - 7200}, {.tv_sec = time(NULL) - 7200}};
    assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, ours, times, 0), 0);
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", p->folder, 1);
    assert_int_equal(toolchain_work_open(work, NULL), KZ_OK);
    assert_int_not_equal(access(old, F_OK), 0);
    assert_int_equal(access(young, F_OK), 0);
    assert_int_equal(access(ours, F_OK), 0);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    toolchain_work_close(work);
    toolchain_work_close(young);
    toolchain_work_close(ours);
}

// A process that opens a folder, starts what sleeps with it in its environment if asked to, and is gone without closing it.
static pid_t leave_folder(char folder[TOOLCHAIN_PATH], bool with_child) {
    int ends[2];
    pid_t child = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t gone = fork();
    if (gone == 0) {
        if (toolchain_work_open(folder, NULL)) _exit(1);
        setenv("KZ_SESSION", folder, 1);
        if (with_child && (child = fork()) == 0) execl("/bin/sleep", "sleep", "60", (char *)NULL);
        bool told = write(ends[1], &child, sizeof child) > 0 && write(ends[1], folder, TOOLCHAIN_PATH) > 0;
        _exit(!told);
    }
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    assert_int_equal(read(ends[0], &child, sizeof child), sizeof child);
    assert_int_equal(read(ends[0], folder, TOOLCHAIN_PATH), TOOLCHAIN_PATH);
    close(ends[0]), close(ends[1]);
    return child;
}

// On this system the next run cleans up, unless what the dead process started still uses the folder.
static void test_left_behind_here(void **state) {
    sandbox *p = *state;
    char left[TOOLCHAIN_PATH] = "", used[TOOLCHAIN_PATH] = "", work[TOOLCHAIN_PATH];
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", p->folder, 1);
    pid_t child = leave_folder(used, true);
    struct timespec while_it_starts = {.tv_nsec = 1000000};
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)child);
    for (int i = 0; i < 5000 && strcmp(name, "sleep\n") != 0; i++) {
        FILE *comm = fopen(path, "r");
        if (!comm || !fgets(name, sizeof name, comm)) name[0] = 0;
        if (comm) fclose(comm);
        nanosleep(&while_it_starts, NULL);
    }
    leave_folder(left, false);
    assert_int_equal(access(left, F_OK), 0);
    assert_int_equal(toolchain_work_open(work, NULL), KZ_OK);
    assert_int_not_equal(access(left, F_OK), 0);
    assert_int_equal(access(used, F_OK), 0);
    toolchain_work_close(work);
    kill(child, SIGKILL);
    toolchain_work_close(used);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
}

static void test_bad_arguments(void **state) {
    sandbox *p = *state;
    toolchain tools;
    assert_int_equal(toolchain_find(&tools, NULL), KZ_OK);
    char *ptx = NULL;
    size_t size = 0;
    kz_error error = {0};
    assert_int_equal(toolchain_compile_ptx(&tools, p->source, "hopper", NULL, &ptx, &size, &error),
                     KZ_INVALID);
    assert_int_equal(toolchain_compile_ptx(&tools, "/nowhere/x.cu", "75", NULL, &ptx, &size, &error),
                     KZ_NOT_FOUND);
    assert_non_null(strstr(error.message, "/nowhere/x.cu"));
    // nvcc would let a shell read the name.
    char odd[sizeof p->source + 16];
    snprintf(odd, sizeof odd, "%s$(x).cu", p->source);
    write_file(odd, "");
    assert_int_equal(toolchain_compile_ptx(&tools, odd, "75", NULL, &ptx, &size, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "character $"));
    unlink(odd);
    assert_null(ptx);
    const char *missing[] = {"/nowhere/program", NULL};
    base_text said = {0};
    int code = 0;
    assert_int_equal(toolchain_run(missing, &said, &code, &error), KZ_TOOL);
    assert_non_null(strstr(error.message, "/nowhere/program"));
    base_text_free(&said);
}

static void expect_arch(const sandbox *p, const char *text, kz_status status, const char *expected) {
    char arch[TOOLCHAIN_ARCH];
    write_file(p->source, text);
    assert_int_equal(toolchain_source_arch(p->source, arch, NULL), status);
    if (status == KZ_OK) assert_string_equal(arch, expected);
}

static void test_source_arch(void **state) {
    sandbox *p = *state;
    expect_arch(p, "", KZ_OK, "75");
    expect_arch(p, "// kz: sm 80\n", KZ_OK, "80");
    expect_arch(p, "// my kernel\n// kz: sm 90a (TMA)\nint x;\n", KZ_OK, "90a");
    expect_arch(p, "int x; // kz: sm 80\n", KZ_OK, "75");
    expect_arch(p, "// kz: sm eighty\n", KZ_INVALID, NULL);
}

// What ptxas 13.0 says, for an entry that spills beside a device function, and one with shared memory.
static const char good_ptxas[] =
    "echo run >>$sandbox/runs\n"
    "cat <<'END'\n"
    "ptxas info    : 54 bytes gmem\n"
    "ptxas info    : Compiling entry function 'one' for 'sm_90'\n"
    "ptxas info    : Function properties for helper\n"
    "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
    "ptxas info    : Function properties for one\n"
    "    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 0 barriers, 16 bytes cumulative stack size\n"
    "ptxas info    : Compile time = 3.421 ms\n"
    "ptxas info    : Compiling entry function 'two' for 'sm_90'\n"
    "ptxas info    : Function properties for two\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 24 registers, used 1 barriers, 4224 bytes smem\n"
    "END\n"
    "while [ $# -gt 1 ]; do case $1 in -o) out=$2;; esac; shift; done\n"
    "printf machine >$out\n";

// What nvdisasm -g -c says of a kernel that spills, one with a local array, and one that does neither.
static const char good_nvdisasm[] =
    "cat <<'END'\n"
    "\t.section\t.text.one,\"ax\",@progbits\n"
    "\t//## File \"/home/ada/k.cu\", line 12\n"
    "        /*0090*/                   STL [R1+0x30], RZ   (*\"SpillRefill\"*);\n"
    "        /*00a0*/                   STL.64 [R1+0x38], R28 (*\"SpillRefill\"*);\n"
    "\t//## File \"/home/ada/k.cu\", line 14 inlined at \"/home/ada/k.cu\", line 30\n"
    "        /*00b0*/                   FADD R1, R2, R3 ;\n"
    "        /*00c0*/                   LDL.LU R5, [R1+0x30] (*\"SpillRefill\"*);\n"
    "\t.section\t.text.two,\"ax\",@progbits\n"
    "        /*0010*/                   LDL R5, [R1+0x30] ;\n"
    "END\n";

static void test_spills(void **state) {
    sandbox *p = *state;
    toolchain tools;
    toolchain_spill *spills;
    size_t count;
    kz_error error = {0};
    write_script(p, "nvdisasm", good_nvdisasm);
    assert_int_equal(toolchain_find(&tools, NULL), KZ_OK);
    assert_int_equal(toolchain_spills(&tools, "machine", 7, &spills, &count, &error), KZ_OK);
    assert_int_equal(count, 2);
    assert_string_equal(spills[0].entry, "one");
    assert_string_equal(spills[0].file, "/home/ada/k.cu");
    assert_true(spills[0].line == 12 && spills[0].stores == 2 && spills[0].loads == 0);
    assert_true(spills[1].line == 14 && spills[1].stores == 0 && spills[1].loads == 1);
    free(spills);
    write_script(p, "nvdisasm", "echo 'nvdisasm fatal : not an ELF file'; exit 255\n");
    assert_int_equal(toolchain_spills(&tools, "machine", 7, &spills, &count, &error), KZ_TOOL);
    assert_int_equal(count, 0);
    tools.nvdisasm[0] = 0;
    assert_int_equal(toolchain_spills(&tools, "machine", 7, &spills, &count, &error), KZ_TOOL);
}

static void test_assemble(void **state) {
    sandbox *p = *state;
    write_script(p, "ptxas", good_ptxas);
    toolchain tools;
    assert_int_equal(toolchain_find(&tools, NULL), KZ_OK);
    for (int round = 0; round < 2; round++) { // the second from the cache
        void *cubin = NULL;
        size_t size = 0, count = 0;
        toolchain_resources *resources = NULL;
        assert_int_equal(
            toolchain_assemble(&tools, "x", "ptx text", 8, "90", &cubin, &size, &resources, &count, NULL),
            KZ_OK);
        assert_int_equal(size, 7);
        assert_memory_equal(cubin, "machine", 7);
        assert_int_equal(count, 2);
        assert_string_equal(resources[0].entry, "one");
        assert_int_equal(resources[0].registers, 255);
        assert_int_equal(resources[0].stack_bytes, 16);
        assert_int_equal(resources[0].spill_store_bytes, 12);
        assert_int_equal(resources[0].spill_load_bytes, 20);
        assert_int_equal(resources[0].shared_bytes, 0);
        assert_string_equal(resources[1].entry, "two");
        assert_int_equal(resources[1].registers, 24);
        assert_int_equal(resources[1].shared_bytes, 4224);
        free(cubin);
        free(resources);
    }
    assert_int_equal(count_runs(p), 1);
}

static void test_assemble_fails(void **state) {
    sandbox *p = *state;
    write_script(p, "ptxas", "echo 'ptxas in.ptx, line 4; fatal   : Unknown symbol'; exit 255\n");
    toolchain tools;
    assert_int_equal(toolchain_find(&tools, NULL), KZ_OK);
    void *cubin = NULL;
    size_t size = 0;
    kz_error error = {0};
    assert_int_equal(toolchain_assemble(&tools, "my.cu", "x", 1, "90", &cubin, &size, NULL, NULL, &error),
                     KZ_TOOL);
    assert_non_null(strstr(error.message, "my.cu"));
    assert_non_null(strstr(error.message, "Unknown symbol"));
    assert_null(cubin);
}

// The real compiler, where the machine has one.
static void test_nvcc(void **state) {
    sandbox *p = *state;
    unsetenv("CUDA_HOME");
    toolchain tools;
    if (toolchain_find(&tools, NULL) != KZ_OK) skip();
    write_file(p->header, "__device__ __forceinline__ float twice(float x) { return 2 * x; }\n");
    write_file(p->source, "#include \"header.cuh\"\n"
                          "extern \"C\" __global__ void k(float *p) {\n"
                          "    __shared__ float s[64];\n"
                          "    s[threadIdx.x] = twice(p[threadIdx.x]);\n"
                          "    __syncthreads();\n"
                          "    p[threadIdx.x] = s[63 - threadIdx.x];\n"
                          "}\n");
    char *ptx = NULL;
    void *cubin = NULL;
    size_t ptx_size = 0, size = 0, count = 0;
    toolchain_resources *resources = NULL;
    const char *dirs[] = {p->folder, NULL};
    kz_error error = {0};
    if (toolchain_compile_ptx(&tools, p->source, "80", dirs, &ptx, &ptx_size, &error))
        fail_msg("%s", error.message);
    assert_non_null(strstr(ptx, ".target sm_80"));
    assert_non_null(strstr(ptx, ".entry k("));
    if (toolchain_assemble(&tools, "my.cu", ptx, ptx_size, "90", &cubin, &size, &resources, &count, &error))
        fail_msg("%s", error.message);
    assert_memory_equal(cubin, "\177ELF", 4);
    assert_int_equal(count, 1);
    assert_string_equal(resources[0].entry, "k");
    assert_int_equal(resources[0].shared_bytes, 256);
    assert_in_range(resources[0].registers, 2, 255);
    free(ptx);
    free(cubin);
    free(resources);

    // Who uses the special functions, or what comes in with them, is compiled all the same.
    write_file(p->source, "double b(double x) { return std::cyl_bessel_j(0, x) + std::max(x, 1.0); }\n"
                          "extern \"C\" __global__ void k(float *p) { p[0] = 1; }\n");
    if (toolchain_compile_ptx(&tools, p->source, "80", dirs, &ptx, &ptx_size, &error))
        fail_msg("%s", error.message);
    free(ptx);

    write_file(p->source, "extern \"C\" __global__ void k(float *p) { p[0] = nothing; }\n");
    assert_int_equal(toolchain_compile_ptx(&tools, p->source, "80", dirs, &ptx, &ptx_size, &error), KZ_TOOL);
    assert_non_null(strstr(error.message, "my.cu(1): error"));
    assert_non_null(strstr(error.message, "\"nothing\" is undefined"));
}

static void test_library(void **state) {
    toolchain tools = {0};
    toolchain_find(&tools, NULL);
    char folder[TOOLCHAIN_PATH], path[TOOLCHAIN_PATH];
    kz_error error = {0};
    assert_int_equal(toolchain_work_open(folder, &error), KZ_OK);
    for (int twice = 0; twice < 2; twice++) { // compiled, then from the cache
        if (toolchain_compile_library(&tools, "a test", "int seven(void) { return 7; }\n", folder, path,
                                      &error))
            fail_msg("%s", error.message);
        assert_true(base_file_exists(path));
        unlink(path);
    }
    assert_int_equal(toolchain_compile_library(&tools, "a test", "#line 40 \"mine.c\"\nint x = y;\n", folder,
                                               path, &error),
                     KZ_TOOL);
    assert_non_null(strstr(error.message, "mine.c:40:"));
    toolchain_work_close(folder);
}

static void test_clang_without_openmp(void **state) {
    const sandbox *p = *state;
    char cc[128], source[128], executable[TOOLCHAIN_PATH];
    toolchain tools;
    kz_error error = {0};
    write_script(p, "cc", "echo '/usr/bin/ld: cannot find -lomp: No such file or directory'; exit 1\n");
    snprintf(cc, sizeof cc, "%s/bin/cc", p->folder);
    snprintf(source, sizeof source, "%s/my.c", p->folder);
    write_file(source, "int main(void) { return 0; }\n");
    toolchain_find(&tools, NULL);
    const char *const files[] = {source};
    const toolchain_program program = {.files = files, .file_count = 1, .plain_c = true, .cc = cc};
    assert_int_equal(toolchain_build_program(&tools, &program, p->folder, executable, &error), KZ_TOOL);
    assert_non_null(strstr(error.message, "libomp-dev"));
}

// This program as nvcc: it says the version that stands in a file beside it.
static int be_nvcc(const char *self) {
    char path[TOOLCHAIN_PATH], *version = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%.900s.version", self);
    if (base_file_read(path, &version, &size, NULL) != KZ_OK) return 1;
    printf("Cuda compilation tools, release 13.0, V%s", version);
    free(version);
    return 0;
}

static void expect_version(const char *version) {
    toolchain tools;
    assert_int_equal(toolchain_find(&tools, NULL), KZ_OK);
    assert_string_equal(tools.version, version);
}

static void test_version_is_asked_once(void **state) {
    if (is_emulated()) skip(); // the kernel cannot start a copy of this program
    const sandbox *p = *state;
    char nvcc[128], said[128], *self = NULL;
    size_t size = 0;
    snprintf(nvcc, sizeof nvcc, "%s/bin/nvcc", p->folder);
    snprintf(said, sizeof said, "%s/bin/nvcc.version", p->folder);
    assert_int_equal(base_file_read("/proc/self/exe", &self, &size, NULL), KZ_OK);
    assert_int_equal(base_file_write(nvcc, self, size, NULL), KZ_OK);
    free(self);
    assert_int_equal(chmod(nvcc, 0755), 0);
    write_file(said, "13.0.1\n");
    expect_version("13.0.1");
    write_file(said, "13.0.2\n"); // only the cache can know the first
    expect_version("13.0.1");
    assert_int_equal(utimensat(AT_FDCWD, nvcc, (const struct timespec[2]){{.tv_sec = 7}, {.tv_sec = 7}}, 0),
                     0);
    expect_version("13.0.2");
    // A script is asked every time.
    write_script(p, "nvcc", "echo 'release 13.0, V13.0.'$(wc -l <$sandbox/runs); echo run >>$sandbox/runs\n");
    write_file(p->runs, "");
    expect_version("13.0.0");
    expect_version("13.0.1");
}

int main(int argc, char **argv) {
    size_t length = strlen(argv[0]);
    if (argc == 2 && length > 5 && strcmp(argv[0] + length - 5, "/nvcc") == 0) return be_nvcc(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_refused_instructions),
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_sandbox, close_sandbox)
        TEST(test_find),
        TEST(test_find_skips_what_is_too_old),
        TEST(test_find_without_system),
        TEST(test_version_is_asked_once),
        TEST(test_cache),
        TEST(test_warnings),
        TEST(test_cache_is_checked),
        TEST(test_cache_that_cannot_be_written),
        TEST(test_compiler_fails),
        TEST(test_lacking_libraries),
        TEST(test_left_behind),
        TEST(test_left_behind_here),
        TEST(test_bad_arguments),
        TEST(test_source_arch),
        TEST(test_spills),
        TEST(test_assemble),
        TEST(test_assemble_fails),
        TEST(test_nvcc),
        TEST(test_library),
        TEST(test_clang_without_openmp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
