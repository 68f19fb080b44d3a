// Kinds answer and command: right, wrong, missing and misspelt answers; values found in what commands print.
#include "grade_fixture.h"
#include "replay.h"

static const char common_head[] =
    "title = \"t\"\nlevel = 1\nminutes = 1\nteaches = \"x\"\nskills = [\"indexing\"]\n";

static fixture open_answers(const char *kind, const char *rest, const char *solution) {
    char toml[4000];
    snprintf(toml, sizeof toml, "kind = \"%s\"\n%s%s", kind, common_head, rest);
    return open_task(toml, "txt", solution);
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
    // The learner's own file of the same name is the one that is looked at.
    put_file(f.folder, "work/tried/files/text", "hello, world\n");
    expect_fail(&f, "count = wc -c files/text\nrefuse = ls nothing\nbytes = 13\n", COURSE_ANSWER_WRONG,
                "least", "Your command's output says: 13");
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
    expect_fail(&f, "first = false\nsecond = sh files/count mine\nruns = 2\nown = 1\n", COURSE_COMMAND_FAILED,
                "first", "exit code 1");
    assert_int_equal(row(&f, "runs")->outcome, COURSE_RIGHT);
    // One that reads the submission is run every time.
    expect_pass(&f, "first = cat tried.txt\nsecond = sh files/count mine\nruns = 3\nown = 1\n");
    expect_pass(&f, "first = cat tried.txt\nsecond = sh files/count mine\nruns = 4\nown = 1\n");
    course_replay_close(f.replay);
    f.replay = NULL; // learners' files are never answered from memory
    expect_pass(&f, "first = true\nsecond = sh files/count mine\nruns = 5\nown = 2\n");
    unsetenv("KZ_SANDBOX");
    close_task(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers), cmocka_unit_test(test_run),    cmocka_unit_test(test_commands),
        cmocka_unit_test(test_kz),      cmocka_unit_test(test_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
