// kz learn: the course.
#include "cli.h"

#include "learn_author.h"

static int run(const cli_command *self, int argc, char **argv) {
    (void)self;
    if (argc < 2) return cli_fail_with(KZ_INVALID, "kz learn needs a verb\ntry: kz help learn");
    return cli_learn_author(argc - 1, argv + 1);
}

const cli_command cli_command_learn = {
    .usage = "kz learn new-task TOPIC/ID [--kind cuda|program|c|command|answer]\n"
             "kz learn check-task FOLDER|ID\n"
             "kz learn metrics | coverage [--check]",
    .about = "Makes a new task of the course, proves one, lists what gates may ask for, and writes the page of\n"
             "coverage (docs/tasks.md, docs/paths.md).",
    .examples = "  kz learn new-task execution/vector-add\n"
                "  kz learn check-task vector-add",
    .run = run,
};
