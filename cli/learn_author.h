// kz learn, for people who write tasks: new-task, check-task, metrics, coverage.
#ifndef CLI_LEARN_AUTHOR_H
#define CLI_LEARN_AUTHOR_H

// argv[0] is the word after "kz learn". Gives the exit code.
int cli_learn_author(int argc, char **argv);

#endif
