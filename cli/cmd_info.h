// kz info, of a family (cmd_info.c) and of a variant (cmd_info_variant.c).
#ifndef CLI_CMD_INFO_H
#define CLI_CMD_INFO_H

#include "options.h"
#include "kz/family.h"

int cmd_info_variant(const kz_family *family, const kz_variant *variant, const cli_shared *options);

#endif
