// kz judge: the child of kz grade and kz learn that runs a submission's kernel. Not for people, so not in the help.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "course/judge.h"

static bool read_all(int fd, base_text *out) {
    char bytes[65536];
    for (;;) {
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0 && !out->failed;
        base_text_add_bytes(out, bytes, (size_t)got);
    }
}

static int run(const cli_command *self, int argc, char **argv) {
    base_text job = {0};
    kz_error error = {0};
    if (!read_all(STDIN_FILENO, &job)) return cli_fail_with(KZ_IO, "the job cannot be read from stdin");
    kz_status status = course_judge(job.data, job.length, COURSE_JUDGE_FD, &error);
    base_text_free(&job);
    return status ? cli_fail(&error) : CLI_OK;
}

static const cli_option options[] = {{0}};

const cli_command cli_command_judge = {
    .usage = "kz judge < JOB 3> ANSWER",
    .about = "Runs a submission's kernel for kz grade and kz learn, in a process of its own. It reads the "
             "grader's "
             "job\nfrom stdin and answers on file descriptor 3; people use kz grade.",
    .examples = "kz grade FILE   grades a file\n",
    .options = options,
    .run = run,
};
