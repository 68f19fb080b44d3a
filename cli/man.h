// The manual pages of kz and its verbs: kz help --man FOLDER.
#ifndef CLI_MAN_H
#define CLI_MAN_H

#include "cli.h"

// Writes kz.1 and a kz-<verb>.1 for each verb that has a text, for troff's macros `man`.
kz_status cli_write_manual(const char *folder, kz_error *error);

#endif
