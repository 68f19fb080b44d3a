// Code of a program that would run before its libraries are ready.
#ifndef COURSE_EARLY_CODE_H
#define COURSE_EARLY_CODE_H

#include "base/base.h"

// Whether the executable has code that the loader runs before the constructors of its libraries: a .preinit_array, or
// functions that are chosen at load time (IFUNC). The runtime takes the key of its record's seal in a constructor, and
// whoever runs before it could read that key. True also for a file that is no ELF file of this kind of machine.
bool course_has_early_code(const char *executable);

#endif
