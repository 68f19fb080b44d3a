// kz kata: today's exercise.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "learn/kata.h"
#include "learn/learner.h"
#include "options.h"

typedef struct options {
    cli_shared shared;
    bool grade, another, hint, watch;
} options;

// kz grade takes over from here: it records the attempt, and the schedule with it.
static int grade_file(char *path, char *id, kz_error *error) {
    char kz[LEARN_PATH];
    if (base_self_path(kz, error) != KZ_OK) return cli_fail(error);
    fflush(stdout);
    execv(kz, (char *[]){"kz", "grade", path, "--task", id, NULL});
    return cli_fail_with(KZ_IO, "kz grade could not be started (%s): %s\ntry: kz grade %s", kz,
                         strerror(errno), path);
}

static int run(const cli_command *self, int argc, char **argv) {
    options o = {0};
    char path[COURSE_PATH] = "", id[COURSE_NAME] = "";
    kz_error error = {0};
    if (cli_parse_options(self, argc, argv, &o, &error)) return cli_fail(&error);
    if (o.shared.list + o.grade + o.another + o.hint > 1 || (o.watch && (o.shared.list || o.grade || o.hint)))
        return cli_fail_with(KZ_INVALID,
                             "--list, --grade, --hint, and --another or --watch, go one at a time");
    learn_kata_wish wish = o.shared.list ? LEARN_KATA_LIST
                           : o.grade     ? LEARN_KATA_GRADE
                           : o.hint      ? LEARN_KATA_HINT
                           : o.another   ? LEARN_KATA_ANOTHER
                                         : LEARN_KATA_SHOW;
    if (learn_kata(wish, path, id, &error)) return cli_fail(&error);
    if (o.watch) {
        char kz[LEARN_PATH];
        kz_status status = base_self_path(kz, &error);
        if (!status) status = learn_kata_watch(kz, path, id, &error);
        return status ? cli_fail(&error) : CLI_OK;
    }
    return o.grade ? grade_file(path, id, &error) : CLI_OK;
}

static const cli_option option_table[] = {
    {"grade", CLI_FLAG, offsetof(options, grade), NULL, "grades your file of today's kata"},
    {"watch", CLI_FLAG, offsetof(options, watch), NULL, "grades your file on every save, until it passes"},
    {"hint", CLI_FLAG, offsetof(options, hint), NULL, "the next hint; the kata comes back sooner then"},
    {"another", CLI_FLAG, offsetof(options, another), NULL, "gives one more today"},
    CLI_SHOW_LIST("all katas, and when each is back"),
    {0},
};

const cli_command cli_command_kata = {
    .usage = "kz kata [--watch | --grade | --hint | --another | --list]",
    .about =
        "Today's exercise: small, and about what was weak. It stays the same all day. Katas that failed, or "
        "needed\n"
        "hints, are back soon; those that went well, after days and then weeks. New ones come first from "
        "the\n"
        "skills whose tasks took you many attempts. The file is placed in katas/<day>-<kata> of your folder\n"
        "($KZ_LEARN, else ~/" COURSE_HOME "), afresh on each day it comes.",
    .examples = "  kz kata                   shows today's kata and where its file is\n"
                "  kz kata --grade           grades it, and says when it is back\n"
                "  kz kata --watch           shows it, and grades it on every save\n"
                "  kz kata --list            all of them",
    .options = option_table,
    .run = run,
};
