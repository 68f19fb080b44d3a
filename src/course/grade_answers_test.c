// Kinds answer and command: right, wrong, missing and misspelt answers; values found in what commands print.
#include <unistd.h>

#include "grade_fixture.h"
#include "replay.h"

static const char common_head[] =
    "title = \"t\"\nlevel = 1\nminutes = 1\nteaches = \"x\"\nskills = [\"indexing\"]\n";

static fixture open_answers(const char *kind, const char *rest, const char *solution) {
    char toml[4000], marked[1000];
    snprintf(toml, sizeof toml, "kind = \"%s\"\n%s%s", kind, common_head, rest);
    snprintf(marked, sizeof marked, "# kz: begin\n%s# kz: end\n", solution);
    return open_task(toml, "txt", marked);
}

static void test_answers(void **state) {
    fixture f = open_answers(
        "answer",
        "[given]\nn = 1024\n"
        "[[answer]]\nname = \"sectors\"\nquestion = \"How many sectors?\"\nvalue = \"n/256\"\n"
        "common = [{value = 32, says = \"That is one per lane.\"}]\n"
        "[[answer]]\nname = \"bound\"\nquestion = \"Which bound?\"\n"
        "choices = [\"memory\", \"compute\"]\nvalue = \"memory\"\n"
        "[[answer]]\nname = \"share\"\nquestion = \"Which part?\"\nvalue = 0.33\ntolerance = 0.05\n"
        "[[answer]]\nname = \"order\"\nquestion = \"In which order?\"\nvalue = [\"load\", \"add\", "
        "\"store\"]\n",
        "sectors = 4\nbound = memory\nshare = 0.33\norder = load add store\n");
    expect_pass(&f, "# kz: task tried\nsectors = 2^2 sectors\nbound = Memory  # surely\nshare = 1/3\norder = "
                    "[load, add, store]\n");
    expect_fail(&f, "sectors = 32\nbound = memory\nshare = 33%\norder = load add store\n",
                COURSE_ANSWER_WRONG, "sectors", "That is one per lane.");
    assert_null(strstr(row(&f, "sectors")->detail, "4"));
    assert_int_equal(row(&f, "bound")->outcome, COURSE_RIGHT);
    assert_int_equal(row(&f, "share")->outcome, COURSE_RIGHT);
    expect_fail(&f, "sectors = 5\nbound = disk\nshare = 0.4\norder = add load store\n", COURSE_ANSWER_WRONG,
                "sectors", "How many sectors?");
    assert_non_null(strstr(row(&f, "bound")->detail, "one of: memory, compute"));
    assert_int_equal(row(&f, "share")->outcome, COURSE_BAD);
    assert_int_equal(row(&f, "order")->outcome, COURSE_BAD);
    expect_fail(&f, "sector = 4\nbound = memory\nshare = 0.33\norder = load add store\n", COURSE_ANSWER_WRONG,
                "sectors", "nothing here is called \"sector\"");
    // What is odd about the file is said once.
    expect_fail(&f, "nonsense\nbound = memory\n", COURSE_ANSWER_WRONG, "sectors",
                "line 1 is not of the form");
    assert_null(strstr(row(&f, "share")->detail, "line 1"));
    expect_fail(&f, "sectors = ?\nbound = memory\nshare = 0.33\norder = load add store\n",
                COURSE_ANSWER_WRONG, "sectors", "not answered yet");
    expect_fail(&f, "sectors = 4\nsectors = 8\nbound = memory\nshare = 0.33\norder = load add store\n",
                COURSE_ANSWER_WRONG, "sectors", "lines 1 and 2");
    expect_fail(&f, "sectors = many\nbound = memory\nshare = 0.33\norder = load add store\n",
                COURSE_ANSWER_WRONG, "sectors", "A number is asked for");
    close_task(&f);
}

static void test_run(void **state) {
    fixture f = open_answers("answer",
                             "[[answer]]\nname = \"bytes\"\nquestion = \"How many bytes has the file?\"\n"
                             "run = \"wc -c files/text\"\nfind = \"^ *([0-9]+)\"\n",
                             "bytes = 6\n");
    put_file(f.task_folder, "files/text", "hello\n");
    expect_pass(&f, "bytes = 6\n");
    expect_fail(&f, "bytes = 7\n", COURSE_ANSWER_WRONG, "bytes", "How many bytes");
    assert_null(strstr(row(&f, "bytes")->detail, "6"));
    // The right answer is the task's: a file of the learner's by the same name does not change it.
    put_file(f.folder, "work/tried/files/text", "hello, world\n");
    expect_pass(&f, "bytes = 6\n");
    expect_fail(&f, "bytes = 13\n", COURSE_ANSWER_WRONG, "bytes", "How many bytes");
    close_task(&f);
}

static void test_commands(void **state) {
    fixture f = open_answers(
        "command",
        "[[command]]\nname = \"count\"\nmust = [\"wc\", \"-c\"]\n"
        "[[command]]\nname = \"refuse\"\nmust = [\"ls\"]\nexit = 2\nseconds = 5\n"
        "[[answer]]\nname = \"bytes\"\nquestion = \"How many?\"\ncommand = \"count\"\n"
        "find = \"^ *([0-9]+)\"\n"
        "[[answer]]\nname = \"least\"\nquestion = \"The file has six bytes\"\ncommand = \"count\"\n"
        "find = \"^ *([0-9]+)\"\nvalue = 6\n",
        "count = wc -c files/text\nrefuse = ls nothing\nbytes = 6\n");
    put_file(f.task_folder, "files/text", "hello\n");
    expect_pass(&f, "count = wc -c 'files/text'\nrefuse = ls nothing\nbytes = 6\n");
    expect_fail(&f, "count = wc -l files/text\nrefuse = ls nothing\nbytes = 6\n", COURSE_COMMAND_FAILED,
                "count", "the word \"-c\"");
    assert_int_equal(row(&f, "bytes")->outcome, COURSE_NOT_DONE);
    expect_fail(&f, "count = wc -c files/text\nrefuse = ls files\nbytes = 6\n", COURSE_COMMAND_FAILED,
                "refuse", "exit code 0, and 2 was wanted");
    expect_fail(&f, "count = wc -c files/text | cat\nrefuse = ls nothing\nbytes = 6\n", COURSE_COMMAND_FAILED,
                "count", "without one");
    expect_fail(&f, "count = wc -c files/text\nrefuse = ls nothing\nbytes = 5\n", COURSE_ANSWER_WRONG,
                "bytes", "How many?");
    // The learner's own file of the same name is the one that is looked at, but what is asked for is found in the task's.
    put_file(f.folder, "work/tried/files/text", "hello, world\n");
    expect_fail(&f, "count = wc -c files/text\nrefuse = ls nothing\nbytes = 6\n", COURSE_ANSWER_WRONG,
                "least", "Your command's output says: 13");
    assert_int_equal(row(&f, "bytes")->outcome, COURSE_RIGHT);
    expect_fail(&f, "count = wc -c files/text\nrefuse = ls nothing\nbytes = 13\n", COURSE_ANSWER_WRONG,
                "bytes", "the one that is asked for prints something else");
    close_task(&f);
}

// A command that says what its author wants to hear.
static void test_forged_output(void **state) {
    fixture f = open_answers("command",
                             "[[command]]\nname = \"make\"\n"
                             "[[command]]\nname = \"count\"\nmust = [\"sh\", \"files/count.sh\", \"2\"]\n"
                             "[[answer]]\nname = \"lines\"\nquestion = \"How many?\"\ncommand = \"count\"\n"
                             "find = \"lines: ([0-9]+)\"\n",
                             "make = mkdir made\ncount = sh files/count.sh 2\nlines = 2\n");
    put_file(f.task_folder, "files/count.sh", "test -d made && echo lines: $1\n");
    expect_pass(&f, "make = mkdir made\ncount = sh files/count.sh 2\nlines = 2\n");
    expect_pass(&f, "make = mkdir ./made\ncount = sh ./files/count.sh 2\nlines = 2\n");
    const char *not_second = "have as its second word \"files/count.sh\"";
    expect_fail(&f, "make = mkdir made\ncount = sh -c 'echo lines: 1' files/count.sh 2\nlines = 1\n",
                COURSE_COMMAND_FAILED, "count", not_second);
    put_file(f.folder, "work/tried/sh", "#!/bin/sh\necho lines: 1\n");
    expect_fail(&f, "make = mkdir made\ncount = ./sh files/count.sh 2\nlines = 1\n", COURSE_COMMAND_FAILED,
                "count", "begin with \"sh\"");
    expect_fail(&f, "make = mkdir made\ncount = sh sh files/count.sh 2\nlines = 1\n", COURSE_COMMAND_FAILED,
                "count", not_second);
    expect_fail(&f, "make = mkdir made\ncount = sh files/count.sh 1 2\nlines = 1\n", COURSE_ANSWER_WRONG,
                "lines", "Your command \"count\" prints it");
    put_file(f.folder, "work/tried/files/count.sh", "echo lines: 1\n");
    expect_fail(&f, "make = mkdir made\ncount = sh files/count.sh 2\nlines = 1\n", COURSE_ANSWER_WRONG,
                "lines", "on the task's own files");
    close_task(&f);
}

// Why a command was stopped is said, not only that its exit code is 137.
static void test_stopped(void **state) {
    fixture f = open_answers("command", "[[command]]\nname = \"run\"\nseconds = 20\n", "run = true\n");
    expect_fail(&f, "run = sh -c 'i=0; while test $i -lt 300; do sleep 9 & i=$((i+1)); done; wait'\n",
                COURSE_COMMAND_FAILED, "run", "more than 256 processes");
    expect_fail(&f, "run = sh -c 'kill -9 $$'\n", COURSE_COMMAND_FAILED, "run", "ended by signal 9");
    expect_fail(&f, "run = dd if=/dev/zero of=much bs=1M count=65\n", COURSE_COMMAND_FAILED, "run",
                "more than 64 MiB");
    // A full disk is no fault of the command's.
    assert_int_equal(try_grade(&f, "run = dd if=/dev/zero of=/dev/full count=1\n"), KZ_IO);
    assert_non_null(strstr(f.error.message, "the disk is full"));
    close_task(&f);
    f = open_answers("command", "[[command]]\nname = \"run\"\nseconds = 0.2\n", "run = true\n");
    expect_fail(&f, "run = sleep 9\n", COURSE_COMMAND_FAILED, "run", "stopped after 0.2 s");
    close_task(&f);
}

// What lies elsewhere is not brought to a command by a link beside the answer.
static void test_links(void **state) {
    fixture f = open_answers("command", "[[command]]\nname = \"show\"\n", "show = true\n");
    char link[TOOLCHAIN_PATH + 64], target[TOOLCHAIN_PATH + 64];
    put_file(f.folder, "home/key", "secret\n");
    put_file(f.folder, "work/tried/files/notes", "mine\n");
    snprintf(link, sizeof link, "%s/work/tried/files/key", f.folder);
    snprintf(target, sizeof target, "%s/home/key", f.folder);
    assert_int_equal(symlink(target, link), 0);
    snprintf(link, sizeof link, "%s/work/tried/files/home", f.folder);
    snprintf(target, sizeof target, "%s/home", f.folder);
    assert_int_equal(symlink(target, link), 0);
    snprintf(link, sizeof link, "%s/work/tried/files/same", f.folder);
    assert_int_equal(symlink("notes", link), 0);
    expect_pass(&f, "show = cat files/notes files/same\n");
    expect_fail(&f, "show = cat files/key\n", COURSE_COMMAND_FAILED, "show", "files/key: No such file");
    expect_fail(&f, "show = cat files/home/key\n", COURSE_COMMAND_FAILED, "show", "No such file");
    assert_null(strstr(row(&f, "show")->detail, "secret"));
    char moved[TOOLCHAIN_PATH + 64];
    snprintf(link, sizeof link, "%s/work/tried/files", f.folder);
    snprintf(moved, sizeof moved, "%s/work/moved", f.folder);
    assert_int_equal(rename(link, moved), 0);
    assert_int_equal(symlink(target, link), 0); // the whole folder
    expect_fail(&f, "show = cat files/key\n", COURSE_COMMAND_FAILED, "show", "files/key: No such file");
    close_task(&f);
}

static void test_kz(void **state) {
    fixture f = open_answers("command", "[[command]]\nname = \"run\"\nmust = [\"kz\", \"list\"]\n",
                             "run = kz list\n");
    f.kz = "/bin/true"; // stands for this kz
    expect_pass(&f, "run = kz list\n");
    f.kz = "/bin/false";
    expect_fail(&f, "run = kz list\n", COURSE_COMMAND_FAILED, "run", "exit code 1, and 0 was wanted");
    expect_fail(&f, "run = echo kz list\n", COURSE_COMMAND_FAILED, "run", "must begin with \"kz\"");
    close_task(&f);
    f = open_answers("command", "[[command]]\nname = \"run\"\n", "run = true\n");
    expect_fail(&f, "run = no-such-program kz list\n", COURSE_COMMAND_FAILED, "run",
                "no program \"no-such-program\"");
    close_task(&f);
}

// The same commands are run once; where one differs, all are run again, for they share a folder.
static void test_replay(void **state) {
    fixture f =
        open_answers("command",
                     "[[command]]\nname = \"first\"\n[[command]]\nname = \"second\"\n"
                     "[[answer]]\nname = \"runs\"\nquestion = \"How often?\"\ncommand = \"second\"\n"
                     "find = \"^ *([0-9]+)\"\n"
                     "[[answer]]\nname = \"own\"\nquestion = \"And ours?\"\nrun = \"sh files/count own\"\n"
                     "find = \"^ *([0-9]+)\"\n",
                     "first = true\nsecond = sh files/count mine\nruns = 1\nown = 1\n");
    char script[2 * TOOLCHAIN_PATH + 64];
    snprintf(script, sizeof script, "echo run >>%s/$1; wc -l <%s/$1\n", f.folder, f.folder);
    put_file(f.task_folder, "files/count", script);
    setenv("KZ_SANDBOX", "off", 1); // it counts its runs in a file that no sandbox shows
    f.replay = course_replay_open();
    expect_pass(&f, "first = true\nsecond = sh files/count mine\nruns = 1\nown = 1\n");
    expect_fail(&f, "first = true\nsecond = sh files/count mine\nruns = 2\nown = 2\n", COURSE_ANSWER_WRONG,
                "runs", "How often?");
    // Run again, and what is right comes from the solution's.
    expect_fail(&f, "first = false\nsecond = sh files/count mine\nruns = 2\nown = 1\n", COURSE_COMMAND_FAILED,
                "first", "exit code 1");
    assert_non_null(strstr(row(&f, "runs")->detail, "Your command \"second\" prints it"));
    // One that reads the submission is run every time.
    grade(&f, "first = cat tried.txt\nsecond = sh files/count mine\nruns = 3\nown = 1\n");
    assert_non_null(strstr(row(&f, "runs")->detail, "prints it"));
    grade(&f, "first = cat tried.txt\nsecond = sh files/count mine\nruns = 4\nown = 1\n");
    assert_non_null(strstr(row(&f, "runs")->detail, "prints it"));
    course_replay_close(f.replay);
    f.replay = NULL; // learners' files are never answered from memory
    expect_pass(&f, "first = true\nsecond = sh files/count mine\nruns = 5\nown = 2\n");
    unsetenv("KZ_SANDBOX");
    close_task(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers), cmocka_unit_test(test_run),    cmocka_unit_test(test_commands),
        cmocka_unit_test(test_kz),      cmocka_unit_test(test_replay), cmocka_unit_test(test_forged_output),
        cmocka_unit_test(test_stopped), cmocka_unit_test(test_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
