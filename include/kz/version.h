// Kernel Zoo's version. This is its one home: the build reads it here, for the package, the soname and the
// command.
//
// Until 1.0 a program needs the minor version that it was compiled for, and the soname says so
// (libkz.so.0.2): whoever changes the ABI raises KZ_VERSION_MINOR. From 1.0 on the soname has the major
// version alone.
#ifndef KZ_VERSION_H
#define KZ_VERSION_H

#define KZ_VERSION_MAJOR 0
#define KZ_VERSION_MINOR 2
#define KZ_VERSION_PATCH 0

#define KZ_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define KZ_VERSION_TEXT(major, minor, patch)  KZ_VERSION_TEXT_(major, minor, patch)
#define KZ_VERSION                            KZ_VERSION_TEXT(KZ_VERSION_MAJOR, KZ_VERSION_MINOR, KZ_VERSION_PATCH)

#endif
